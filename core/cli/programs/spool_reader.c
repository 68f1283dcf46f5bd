/*
 * spool_reader.c - recorded events in the order of their times, a CPU for each thread, and the objects that live.
 */
#include <stdlib.h>

#include "cli/programs/record.h"

static int compare_cursors(const void *a, const void *b)
{
	const struct spool_cursor *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
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

static u32 spool_thread(const struct record_event *e)
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

/* The first of the heap now has a later time, or is at its end. */
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
	       (!r->nr_heap ||
		(r->cursors[r->next].chunk->events[0].time) <= r->cursors[r->heap[0]].time))
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

/* CPUs of threads */

struct life {
	u64 first, last; /* times of events; last 0: no event */
	u32 thread;
};

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void find_lives(struct life *lives, u32 nr, const struct spool_reader *spool)
{
	for (u32 i = 0; i < spool->nr_cursors; i++) {
		const struct spool_cursor *c = &spool->cursors[i];
		for (u32 at = 0; at < c->nr_events; at++) {
			const struct record_event *e = &c->chunk->events[at];
			struct life *life = &lives[spool_thread(e) % nr];
			life->thread = spool_thread(e) % nr;
			life->first = life->last ? MIN(life->first, e->time) : e->time;
			life->last = MAX(life->last, MAX(e->time, 1u));
		}
	}
}

static void give_cpus(struct thread_cpus *t, const struct life *lives, u32 nr)
{
	u64 until[RECORD_CPUS] = { 0 };

	for (u32 i = 0; i < nr; i++) {
		u32 cpu = 0;
		while (cpu < RECORD_CPUS && until[cpu] >= lives[i].first && until[cpu])
			cpu++;
		if (cpu == RECORD_CPUS)
			cpu = lives[i].thread % RECORD_CPUS;
		until[cpu] = MAX(until[cpu], lives[i].last);
		t->cpus[lives[i].thread] = (u8)cpu;
		t->nr_cpus = MAX(t->nr_cpus, cpu + 1);
	}
}

int thread_cpus_open(struct thread_cpus *t, const struct spool_reader *spool)
{
	/* Threads count from 1. Those without any event need no CPU. */
	u32 most = (u32)MIN(spool->nr_events, ((u64)1 << 24) - 1), nr = 0;

	*t = (struct thread_cpus){ .nr = MIN(spool->head->nr_threads, most) + 1, .nr_cpus = 1 };
	struct life *lives = calloc(t->nr, sizeof(*lives));
	t->cpus = calloc(t->nr, sizeof(*t->cpus));
	if (lives && t->cpus) {
		find_lives(lives, t->nr, spool);
		for (u32 i = 0; i < t->nr; i++)
			if (lives[i].last)
				lives[nr++] = lives[i];
		qsort(lives, nr, sizeof(*lives), compare_lives);
		give_cpus(t, lives, nr);
	}
	t->nr_threads = nr;
	free(lives);
	return lives && t->cpus;
}

u32 thread_cpu(const struct thread_cpus *t, u32 thread)
{
	return t->cpus[thread % t->nr];
}

void thread_cpus_close(struct thread_cpus *t)
{
	free(t->cpus);
}

/* Live objects */

enum { FIRST_SLOTS = 4096 };

/* The top bits of the product with the golden ratio spread pointers evenly. */
static u64 home_of(const struct live_objects *live, u64 key)
{
	return key * 0x9e3779b97f4a7c15ull >> live->shift;
}

static struct live_object *find_slot(const struct live_objects *live, u64 key)
{
	u64 i = home_of(live, key);

	while (live->slots[i].key && live->slots[i].key != key)
		i = (i + 1) & (live->nr_slots - 1);
	return &live->slots[i];
}

static int grow(struct live_objects *live)
{
	struct live_objects more = { .nr = live->nr,
				     .nr_slots = MAX(2 * live->nr_slots, (u64)FIRST_SLOTS) };

	more.shift = 64 - (u32)__builtin_ctzll(more.nr_slots);
	more.slots = calloc(more.nr_slots, sizeof(*more.slots));
	if (!more.slots)
		return 0;
	for (u64 i = 0; i < live->nr_slots; i++)
		if (live->slots[i].key)
			*find_slot(&more, live->slots[i].key) = live->slots[i];
	free(live->slots);
	*live = more;
	return 1;
}

int live_add(struct live_objects *live, struct live_object object)
{
	if (2 * (live->nr + 1) > live->nr_slots && !grow(live))
		return 0;
	*find_slot(live, object.key) = object;
	live->nr++;
	return 1;
}

struct live_object live_take(struct live_objects *live, u64 key)
{
	struct live_object *o = live->nr_slots ? find_slot(live, key) : NULL, taken = { 0 };
	u64 mask = live->nr_slots - 1;

	if (!o || !o->key)
		return taken;
	taken = *o;
	u64 gap = (u64)(o - live->slots);
	for (u64 i = (gap + 1) & mask; live->slots[i].key; i = (i + 1) & mask) {
		/* It may move to the free place if its search passes there. */
		if (((i - home_of(live, live->slots[i].key)) & mask) < ((i - gap) & mask))
			continue;
		live->slots[gap] = live->slots[i];
		gap = i;
	}
	live->slots[gap] = (struct live_object){ 0 };
	live->nr--;
	return taken;
}

void live_close(struct live_objects *live)
{
	free(live->slots);
}
