/*
 * spool_reader.c - merges the chunks of a spool by time: a heap of the chunks that have begun.
 */
#include "cli/programs/spool_reader.h"

#include <stdlib.h>

static int compare_cursors(const void *a, const void *b)
{
	const struct spool_cursor *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static u64 first_time(const struct spool_reader *r, u32 cursor)
{
	return r->cursors[cursor].chunk->events[0].time;
}

static void add_cursors(struct spool_reader *r)
{
	for (u32 i = 0; i < r->nr_chunks; i++) {
		const struct record_chunk *chunk = &r->chunks[i];
		u32 nr_events = __atomic_load_n(&chunk->nr_events, __ATOMIC_ACQUIRE);
		nr_events = MIN(nr_events, (u32)RECORD_CHUNK_EVENTS);
		if (!nr_events || chunk->image >= r->nr_images)
			continue;
		r->nr_events += nr_events;
		r->cursors[r->nr_cursors++] = (struct spool_cursor){ .chunk = chunk,
								     .time = chunk->events[0].time,
								     .image = chunk->image,
								     .nr_events = nr_events };
	}
	qsort(r->cursors, r->nr_cursors, sizeof(*r->cursors), compare_cursors);
}

int spool_read(struct spool_reader *r, const void *bytes, u64 len_bytes)
{
	const struct record_head *head = bytes;

	*r = (struct spool_reader){ .head = head };
	if (len_bytes < RECORD_HEAD_BYTES || head->magic != RECORD_MAGIC)
		return 0;
	u64 room = (len_bytes - RECORD_HEAD_BYTES) / sizeof(struct record_chunk);
	r->chunks = (const void *)((const u8 *)bytes + RECORD_HEAD_BYTES);
	r->nr_chunks = (u32)MIN((u64)head->nr_chunks, room);
	r->nr_modules = MIN(head->nr_modules, (u32)MAX_RECORD_MODULES);
	r->nr_images = MIN(head->nr_images, (u32)MAX_RECORD_IMAGES);
	r->lost = head->lost;
	r->nr_starts = MIN(head->nr_starts, (u32)MAX_RECORD_STARTS);
	r->cursors = calloc(r->nr_chunks + 1ul, sizeof(*r->cursors));
	r->heap = calloc(r->nr_chunks + 1ul, sizeof(*r->heap));
	if (!r->cursors || !r->heap)
		return 0;
	add_cursors(r);
	return 1;
}

enum record_kind spool_kind(const struct record_event *e)
{
	u32 kind = (u32)(e->site >> RECORD_KIND_SHIFT & 0xff);

	return kind < NR_RECORD_KINDS ? (enum record_kind)kind : RECORD_NOTHING;
}

u32 spool_thread(const struct record_event *e)
{
	return (u32)(e->bytes >> RECORD_THREAD_SHIFT);
}

static int is_before(const struct spool_reader *r, u32 a, u32 b)
{
	const struct spool_cursor *x = &r->cursors[r->heap[a]], *y = &r->cursors[r->heap[b]];

	return x->time != y->time ? x->time < y->time : r->heap[a] < r->heap[b];
}

static void swap(struct spool_reader *r, u32 a, u32 b)
{
	u32 kept = r->heap[a];

	r->heap[a] = r->heap[b];
	r->heap[b] = kept;
}

static void push(struct spool_reader *r, u32 cursor)
{
	u32 at = r->nr_heap++;

	r->heap[at] = cursor;
	for (; at && is_before(r, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(r, at, (at - 1) / 2);
}

/* The first of the heap has another time now, or is at its end. */
static void sink(struct spool_reader *r)
{
	const struct spool_cursor *first = &r->cursors[r->heap[0]];

	if (first->at == first->nr_events)
		r->heap[0] = r->heap[--r->nr_heap];
	for (u32 at = 0, child = 1; child < r->nr_heap; at = child, child = 2 * at + 1) {
		if (child + 1 < r->nr_heap && is_before(r, child + 1, child))
			child++;
		if (is_before(r, at, child))
			return;
		swap(r, at, child);
	}
}

int spool_next(struct spool_reader *r, struct spool_event *event)
{
	while (r->next < r->nr_cursors &&
	       (!r->nr_heap || first_time(r, r->next) <= r->cursors[r->heap[0]].time))
		push(r, r->next++);
	if (!r->nr_heap)
		return 0;
	struct spool_cursor *c = &r->cursors[r->heap[0]];
	const struct record_event *e = &c->chunk->events[c->at++];
	*event = (struct spool_event){
		.kind = spool_kind(e),
		.time = c->time,
		.ptr = e->ptr,
		.bytes = e->bytes & (((u64)1 << RECORD_THREAD_SHIFT) - 1),
		.site = e->site & (((u64)1 << RECORD_KIND_SHIFT) - 1),
		.image = c->image,
		.thread = spool_thread(e),
	};
	if (c->at < c->nr_events)
		c->time = MAX(c->time, c->chunk->events[c->at].time);
	sink(r);
	return 1;
}

void spool_close(struct spool_reader *r)
{
	free(r->cursors);
	free(r->heap);
}
