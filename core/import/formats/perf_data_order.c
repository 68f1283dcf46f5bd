/*
 * perf_data_order.c - emits samples in the order of their times, with few of them in memory.
 *
 *	segments ─ a heap, the one with the earliest sample on top ─ sink
 *
 * perf writes the buffers of all CPUs one after another, again and again. Each round ends with
 * FINISHED_ROUND. No later sample is older than the newest one of the previous round, so samples up
 * to that time may be emitted. They are emitted only when there are many. A file whose rounds are
 * wrong is therefore still sorted as far as possible.
 *
 * Very large rounds, or missing ends of rounds, may need more memory than there is. Then newer
 * segments free their memory and are read again when the heap reaches them. Segments of a stream or
 * of compressed records cannot be read again and are emitted early. Samples that arrive too late
 * are counted, and emitted at once.
 */
#include "import/formats/perf_data.h"

/* Memory of segments */

static int take_spare(struct perfdata *d, struct segment *s, u64 len_bytes)
{
	u64 need = len_bytes + SCAN_SLACK + STAMPS_BYTES;

	if (!d->nr_spares || d->spares[d->nr_spares - 1].room_bytes < need)
		return 0;
	s->extent.run = d->spares[--d->nr_spares];
	return 1;
}

static void give_memory(struct perfdata *d, struct segment *s)
{
	struct buffer *run = &s->extent.run;

	if (d->nr_spares < MAX_SPARES && run->at)
		d->spares[d->nr_spares++] = *run;
	else
		buffer_free(d->im->trace->pool, run);
	*run = (struct buffer){ 0 };
	s->extent.bytes = NULL;
	s->extent.len_bytes = 0;
}

int segment_room(struct perfdata *d, struct segment *s, u64 len_bytes)
{
	struct extent stamps = { .reserved_bytes = STAMPS_BYTES };

	if (!s->extent.run.at)
		take_spare(d, s, len_bytes);
	if (s->is_packed || !d->im->source.keeps)
		return extent_room(d->im, &s->extent, len_bytes);
	/* When the whole file is kept, a segment's run holds only stamps. */
	stamps.run = s->extent.run;
	int has_room = extent_room(d->im, &stamps, 0);
	s->extent.run = stamps.run;
	return has_room;
}

static struct segment *segment_at(const struct perfdata *d, u32 slot)
{
	return (struct segment *)d->segments.at + slot;
}

/* Gets a slot for a segment, and room for it in the heap; 0 without memory. */
static int take_slot(struct perfdata *d, u32 *slot)
{
	if (d->nr_free) {
		*slot = ((u32 *)d->free_slots.at)[--d->nr_free];
		return 1;
	}
	u64 nr = d->nr_segments + (u64)1;
	if (!import_grow(d->im, &d->segments, nr * sizeof(struct segment)) ||
	    !import_grow(d->im, &d->heap, nr * sizeof(struct heap_item)) ||
	    !import_grow(d->im, &d->free_slots, nr * sizeof(u32)))
		return 0;
	*slot = d->nr_segments++;
	return 1;
}

/* Segments */

static void sort_segment(struct perfdata *d, struct segment *s)
{
	stamps_sort(d->im, &d->scratch, segment_stamps(s), 0, s->nr);
}

/* Frees its memory; it will be read again. */
static void send_away(struct perfdata *d, struct segment *s)
{
	d->held_bytes -= s->extent.run.room_bytes;
	s->is_away = 1;
	/* Its length must stay known. */
	u64 len_bytes = s->extent.len_bytes;
	give_memory(d, s);
	s->extent.want_bytes = len_bytes;
}

static int can_come_back(const struct perfdata *d, const struct segment *s)
{
	return !s->is_packed && (d->im->source.by_range || d->im->source.keeps);
}

/* Reads a segment again; 0 while it waits for bytes. */
static int fetch(struct perfdata *d, struct segment *s)
{
	u64 len_bytes = s->extent.want_bytes;

	if (!segment_room(d, s, len_bytes) ||
	    !source_fill(d->im, &s->extent, s->extent.at, len_bytes))
		return 0;
	binary_place(d->im, &s->extent);
	s->is_away = 0;
	s->nr = 0;
	d->again = 1;
	perfdata_walk(d, s, 0);
	d->again = 0;
	sort_segment(d, s);
	d->held_bytes += s->extent.run.room_bytes;
	return d->im->status == KMEM_OK;
}

static void keep_rest(struct perfdata *d, struct segment *s, const struct segment *closed, u64 from)
{
	const struct extent *old = &closed->extent;
	u64 left = old->len_bytes - from;

	s->extent = (struct extent){ .reserved_bytes = STAMPS_BYTES };
	s->nr = 0;
	if (!left || (d->im->source.keeps && !s->is_packed) ||
	    !segment_room(d, s, MAX(left, d->segment_bytes)))
		return;
	memcpy(s->extent.run.at, old->bytes + from, left);
	s->extent.at = old->at + from;
	s->extent.len_bytes = left;
}

void segment_close(struct perfdata *d, struct segment *s, u64 len_bytes)
{
	struct segment closed = *s;
	u32 slot;

	if (!s->nr || !take_slot(d, &slot)) {
		/* Without samples, its memory is used again. */
		u64 left = s->extent.len_bytes - len_bytes;
		if (s->extent.run.at && (s->is_packed || !d->im->source.keeps))
			memmove(s->extent.run.at, s->extent.bytes + len_bytes, left);
		s->extent.at += len_bytes;
		s->extent.len_bytes = left;
		return;
	}
	keep_rest(d, s, &closed, len_bytes);
	closed.extent.len_bytes = len_bytes;
	closed.next = 0;
	sort_segment(d, &closed);
	*segment_at(d, slot) = closed;
	d->held_bytes += closed.extent.run.room_bytes;
	/* Among samples of one time, unpacked records come last. */
	u32 order = d->nr_closed++ | closed.is_packed << 30;
	heap_push(d->heap.at, &d->nr_heap,
		  (struct heap_item){ segment_stamps(&closed)->time, order, slot });
	if (d->held_bytes > d->most_bytes && can_come_back(d, &closed))
		send_away(d, segment_at(d, slot));
}

void segments_round(struct perfdata *d)
{
	d->settled = d->round_newest;
	d->round_newest = d->newest;
}

/* Emitting */

ALWAYS_INLINE void emit(struct perfdata *d, const struct segment *s, const struct stamp *stamp)
{
	const u8 *record = s->extent.bytes + stamp->at;

	if (unlikely(stamp->time < d->emitted))
		d->im->trace->report.late++;
	else
		d->emitted = stamp->time;
	const char *wrong = sample_emit(d, record, load4(record + 4) >> 16);
	if (unlikely(wrong != NULL))
		binary_problem(d->im, record, wrong);
}

/* Emits samples of the top segment until another segment has an earlier one, or they are later than
 * `until`. */
static void emit_top(struct perfdata *d, struct segment *s, u64 until)
{
	const struct heap_item *heap = d->heap.at, *other = d->nr_heap > 1 ? &heap[1] : NULL;
	const struct stamp *stamps = segment_stamps(s);
	struct heap_item next = heap[0];

	if (d->nr_heap > 2 && heap_is_before(&heap[2], other))
		other = &heap[2];
	binary_place(d->im, &s->extent);
	if (s->is_packed)
		d->im->place_bytes = NULL;
	do {
		emit(d, s, &stamps[s->next++]);
		if (s->next == s->nr)
			return;
		next.at = stamps[s->next].time;
	} while (next.at <= until && (!other || heap_is_before(&next, other)) &&
		 d->im->status == KMEM_OK);
}

/* Emits samples up to a time, and more if too many bytes wait; 0 while it waits for bytes. */
static int emit_until(struct perfdata *d, u64 until, u64 most_bytes)
{
	struct heap_item *heap = d->heap.at;

	while (d->nr_heap && d->im->status == KMEM_OK) {
		struct heap_item top = heap[0];
		struct segment *s = segment_at(d, top.value);
		int is_due = top.at <= until;
		if (!is_due && d->held_bytes <= most_bytes)
			break;
		if (s->is_away && !fetch(d, s))
			return 0;
		emit_top(d, s, is_due ? until : ~(u64)0);
		if (s->next == s->nr) {
			d->held_bytes -= s->extent.run.room_bytes;
			give_memory(d, s);
			((u32 *)d->free_slots.at)[d->nr_free++] = top.value;
			heap_pop(heap, &d->nr_heap);
		} else {
			top.at = segment_stamps(s)[s->next].time;
			heap_replace_top(heap, d->nr_heap, top);
		}
	}
	return d->im->status == KMEM_OK;
}

int segments_settle(struct perfdata *d)
{
	if (d->held_bytes <= d->enough_bytes)
		return 1;
	return emit_until(d, d->settled, d->most_bytes);
}

int segments_finish(struct perfdata *d)
{
	return emit_until(d, ~(u64)0, 0);
}

void segments_drop(struct perfdata *d)
{
	struct pool *pool = d->im->trace->pool;
	struct buffer *runs[] = { &d->segments, &d->free_slots, &d->heap, &d->scratch };
	const struct heap_item *heap = d->heap.at;

	for (u32 i = 0; i < d->nr_heap; i++)
		buffer_free(pool, &segment_at(d, heap[i].value)->extent.run);
	buffer_free(pool, &d->reading.extent.run);
	buffer_free(pool, &d->unpacking.extent.run);
	for (u32 i = 0; i < d->nr_spares; i++)
		buffer_free(pool, &d->spares[i]);
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(pool, runs[i]);
}
