/*
 * time_order.c - the order of time: sorts stamps, and holds events back until all earlier ones have come.
 *
 *	| 1 4 9 | 5 6 12 |  →  1 4 | 9 · 5 6 12 |  only what overlaps is moved
 *
 * A trace is nearly sorted: each CPU's buffer is sorted, and the recorder writes buffers in turn. So sorting finds runs that are in
 * order already and merges neighbours in pairs. It moves only the few events where two runs overlap. Equal times keep their order.
 *
 * An event that waits outlives its line or packet, so it remembers where it was recorded, for problems.
 */
#include "import/import.h"

static struct stamp *stamps_of(const struct time_order *o)
{
	return (struct stamp *)o->stamps.at + o->first;
}

static u64 run_end(const struct stamp *stamps, u64 from, u64 nr)
{
	while (from + 1 < nr && stamps[from].time <= stamps[from + 1].time)
		from++;
	return MIN(from + 1, nr);
}

/* Merges [a, b) with [b, c); 0 if memory runs out. */
static int merge_runs(struct import *im, struct time_order *o, u64 a, u64 b, u64 c)
{
	struct stamp *stamps = stamps_of(o);
	u64 low = a, high = b;

	while (low < high) {
		u64 mid = low + (high - low) / 2;
		if (stamps[mid].time <= stamps[b].time)
			low = mid + 1;
		else
			high = mid;
	}
	u64 nr = b - low, left = 0, to = low, right = b;
	if (!nr)
		return 1;
	if (!import_grow(im, &o->scratch, nr * sizeof(*stamps)))
		return 0;
	struct stamp *moved = o->scratch.at;
	memcpy(moved, stamps + low, nr * sizeof(*stamps));
	while (left < nr) {
		if (right < c && stamps[right].time < moved[left].time)
			stamps[to++] = stamps[right++];
		else
			stamps[to++] = moved[left++];
	}
	return 1;
}

/* The first o->nr_sorted are in order already. */
static void sort_stamps(struct import *im, struct time_order *o)
{
	const struct stamp *stamps = stamps_of(o);
	u32 merged = o->nr > 1;

	while (merged && im->status == KMEM_OK) {
		merged = 0;
		for (u64 a = o->nr_sorted; a < o->nr;) {
			u64 b = run_end(stamps, a, o->nr);
			if (b == o->nr)
				break;
			u64 c = run_end(stamps, b, o->nr);
			if (!merge_runs(im, o, a, b, c))
				break;
			merged = 1;
			a = c;
		}
	}
	if (o->nr_sorted && o->nr_sorted < o->nr)
		merge_runs(im, o, 0, o->nr_sorted, o->nr);
	o->nr_sorted = o->nr;
}

void order_hand_on(struct import *im, struct time_order *o, struct event *ev)
{
	static const u8 nothing[1];
	u64 line_nr = im->line_nr;
	u32 unterminated = im->unterminated;

	if (o->task_of)
		ev->task = o->task_of(im, ev);
	/* Its bytes are gone: a problem names its line or its place in the file. */
	im->place_bytes = im->event_at = nothing;
	im->place_len = 0;
	im->place_at = ev->at;
	im->line_nr = im->format->step ? 0 : ev->at;
	im->unterminated = 0;
	im->from_window = 1;
	import_in_order(im, ev);
	im->from_window = 0;
	im->unterminated = unterminated;
	im->line_nr = line_nr;
}

struct event *order_sorted(struct import *im, struct time_order *o, u32 nr)
{
	if (o->nr_sorted < o->nr)
		sort_stamps(im, o);
	return (struct event *)o->held.at + stamps_of(o)[nr].at;
}

void order_emit(struct import *im, struct time_order *o, u32 keep, u64 until)
{
	u32 nr = o->nr - MIN(keep, o->nr), i = 0;

	for (; i < nr && im->status == KMEM_OK; i++) {
		struct event *held = order_sorted(im, o, i);
		if (held->time > until)
			break;
		o->emitted = held->time;
		order_hand_on(im, o, held);
		((u32 *)o->free_slots.at)[o->nr_free++] = (u32)stamps_of(o)[i].at;
	}
	o->first += i;
	o->nr -= i;
	o->nr_sorted -= i;
	if (!i || o->first < o->nr)
		return;
	memmove(o->stamps.at, stamps_of(o), o->nr * sizeof(struct stamp));
	o->first = 0;
}

void order_add(struct import *im, struct time_order *o, struct event *ev)
{
	if (ev->time < o->emitted) {
		im->trace->report.late++;
		order_hand_on(im, o, ev);
		return;
	}
	if (o->most && o->nr == o->most)
		order_emit(im, o, o->keep, ~(u64)0);
	if (unlikely(o->first + o->nr == o->room)) {
		u64 room = MAX(2 * (u64)o->room, 1024u);
		if (!import_grow(im, &o->stamps, room * sizeof(struct stamp)) ||
		    !import_grow(im, &o->held, room * sizeof(*ev)) ||
		    !import_grow(im, &o->free_slots, room * sizeof(u32)))
			return;
		o->room = (u32)room;
	}
	u32 slot = o->nr_free ? ((u32 *)o->free_slots.at)[--o->nr_free] : o->nr_slots++;
	struct event *held = (struct event *)o->held.at + slot;
	*held = *ev;
	/* A reader may leave stale values in fields that a free does not have. */
	if (ev->what == WHAT_FREE) {
		held->gfp = held->bytes_req = held->bytes_alloc = held->accounted = 0;
		held->node = NODE_ANY;
	}
	stamps_of(o)[o->nr++] = (struct stamp){ ev->time, slot };
}

void order_drop(struct pool *pool, struct time_order *o)
{
	struct buffer *runs[] = { &o->held, &o->stamps, &o->free_slots, &o->scratch };

	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(pool, runs[i]);
}

/* bpftrace and CSV */

enum { WINDOW_EVENTS = 32768, EMITTED_AT_ONCE = 128 };

void window_event(struct import *im, const struct event *ev)
{
	struct time_order *o = &im->order;
	const char *why = refuse_event(ev);

	if (why) {
		import_problem(im, NULL, why);
		return;
	}
	o->most = WINDOW_EVENTS + EMITTED_AT_ONCE;
	o->keep = WINDOW_EVENTS;
	im->trace->report.reordered += ev->time < o->newest && ev->time >= o->emitted;
	o->newest = MAX(o->newest, ev->time);
	struct event held = *ev;
	held.at = im->line_nr;
	order_add(im, o, &held);
}

void window_finish(struct import *im)
{
	order_emit(im, &im->order, 0, ~(u64)0);
}
