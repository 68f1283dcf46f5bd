/*
 * time_order.c - the order of time: sorts stamps, and holds events back until all earlier ones have come.
 *
 *	| 1 4 9 | 5 6 12 |  →  1 4 | 9 · 5 6 12 |  only what overlaps is moved
 *
 * A trace is nearly sorted: each CPU's buffer is sorted, and the recorder writes buffers in turn. So sorting finds runs that are in
 * order already and merges neighbours in pairs. It moves only the few events where two runs overlap. Equal times keep their order.
 *
 * An event that waits outlives its line or its packet. Its strings are interned, and it knows where it was recorded, for problems.
 */
#include "import/import.h"
#include "util/text.h"

static u64 run_end(const struct stamp *stamps, u64 from, u64 nr)
{
	while (from + 1 < nr && stamps[from].time <= stamps[from + 1].time)
		from++;
	return MIN(from + 1, nr);
}

/* Merges [a, b) with [b, c); 0 if memory runs out. */
static int merge_runs(struct import *im, struct buffer *scratch, struct stamp *stamps, u64 a, u64 b,
		      u64 c)
{
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
	if (!import_grow(im, scratch, nr * sizeof(*stamps)))
		return 0;
	struct stamp *moved = scratch->at;
	memcpy(moved, stamps + low, nr * sizeof(*stamps));
	while (left < nr) {
		if (right < c && stamps[right].time < moved[left].time)
			stamps[to++] = stamps[right++];
		else
			stamps[to++] = moved[left++];
	}
	return 1;
}

/* The first nr_sorted are in order already. The scratch buffer is kept for the next call. */
static void stamps_sort(struct import *im, struct buffer *scratch, struct stamp *stamps,
			u64 nr_sorted, u64 nr)
{
	u32 merged = nr > 1;

	while (merged && im->status == KMEM_OK) {
		merged = 0;
		for (u64 a = nr_sorted; a < nr;) {
			u64 b = run_end(stamps, a, nr);
			if (b == nr)
				break;
			u64 c = run_end(stamps, b, nr);
			if (!merge_runs(im, scratch, stamps, a, b, c))
				break;
			merged = 1;
			a = c;
		}
	}
	if (nr_sorted && nr_sorted < nr)
		merge_runs(im, scratch, stamps, 0, nr_sorted, nr);
}

struct held_event held_event_of(struct import *im, const struct event *ev)
{
	struct held_event held = { .time = ev->time,
				   .ptr = ev->ptr,
				   .at = im->line_nr,
				   .call_site = intern_span(im, &ev->call_site),
				   .cache = intern_span(im, &ev->cache),
				   .task = ev->task,
				   .cpu = ev->cpu,
				   .node = (u32)NODE_ANY,
				   .kind = (u16)ev->kind,
				   .what = ev->what,
				   .ptr_state = ev->ptr_state,
				   .hashed = ev->hashed };

	/* A free has no sizes and no flags; a reader may leave those fields as they were. */
	if (ev->what == WHAT_FREE)
		return held;
	held.gfp = intern_span(im, &ev->gfp);
	held.bytes_req = ev->bytes_req;
	held.bytes_alloc = ev->bytes_alloc;
	held.node = ev->node;
	held.accounted = ev->accounted;
	return held;
}

/* The text as a span: its length and hash are cached. */
static struct span span_of_text(struct import *im, struct time_order *o, u32 text)
{
	struct text_span *slot = &o->spans[text / TEXT_STEP % ARRAY_SIZE(o->spans)];
	const u8 *at = (const u8 *)trace_text(im->trace, text);

	if (!text)
		return (struct span){ 0 };
	if (slot->text != text) {
		struct span span = span_of(at, at + text_length((const char *)at));
		*slot = (struct text_span){ text, span.len, span.hash };
	}
	return (struct span){ at, slot->len, slot->hash };
}

void order_hand_on(struct import *im, struct time_order *o, const struct held_event *held)
{
	static const u8 nothing[1];
	u64 line_nr = im->line_nr;
	u32 unterminated = im->unterminated;
	struct event ev = { .time = held->time,
			    .ptr = held->ptr,
			    .call_site = span_of_text(im, o, held->call_site),
			    .cache = span_of_text(im, o, held->cache),
			    .gfp = span_of_text(im, o, held->gfp),
			    .kind = held->kind,
			    .cpu = held->cpu,
			    .bytes_req = held->bytes_req,
			    .bytes_alloc = held->bytes_alloc,
			    .node = held->node,
			    .task = o->task_of ? o->task_of(im, held) : held->task,
			    .what = held->what,
			    .ptr_state = held->ptr_state,
			    .accounted = held->accounted,
			    .hashed = held->hashed };

	/* Its bytes are gone: a problem names its line or its place in the file. */
	im->place_bytes = im->event_at = nothing;
	im->place_len = 0;
	im->place_at = held->at;
	im->line_nr = im->format->step ? 0 : held->at;
	im->unterminated = 0;
	im->from_window = 1;
	import_in_order(im, &ev);
	im->from_window = 0;
	im->unterminated = unterminated;
	im->line_nr = line_nr;
}

static struct stamp *stamps_of(const struct time_order *o)
{
	return (struct stamp *)o->stamps.at + o->first;
}

const struct held_event *order_sorted(struct import *im, struct time_order *o, u32 nr)
{
	if (o->nr_sorted < o->nr)
		stamps_sort(im, &o->scratch, stamps_of(o), o->nr_sorted, o->nr);
	o->nr_sorted = o->nr;
	return (const struct held_event *)o->held.at + stamps_of(o)[nr].at;
}

void order_emit(struct import *im, struct time_order *o, u32 keep, u64 until)
{
	u32 nr = o->nr - MIN(keep, o->nr), i = 0;

	for (; i < nr && im->status == KMEM_OK; i++) {
		const struct held_event held = *order_sorted(im, o, i);
		if (held.time > until)
			break;
		((u32 *)o->free_slots.at)[o->nr_free++] = (u32)stamps_of(o)[i].at;
		o->emitted = held.time;
		order_hand_on(im, o, &held);
	}
	o->first += i;
	o->nr -= i;
	o->nr_sorted -= i;
	if (!i || o->first < o->nr)
		return;
	memmove(o->stamps.at, stamps_of(o), o->nr * sizeof(struct stamp));
	o->first = 0;
}

void order_add(struct import *im, struct time_order *o, const struct held_event *held)
{
	if (held->time < o->emitted) {
		im->trace->report.late++;
		order_hand_on(im, o, held);
		return;
	}
	if (o->most && o->nr == o->most)
		order_emit(im, o, o->keep, ~(u64)0);
	u64 nr = o->nr + (u64)1;
	if (!import_grow(im, &o->stamps, (o->first + nr) * sizeof(struct stamp)) ||
	    !import_grow(im, &o->held, nr * sizeof(*held)) ||
	    !import_grow(im, &o->free_slots, nr * sizeof(u32)))
		return;
	u32 slot = o->nr_free ? ((u32 *)o->free_slots.at)[--o->nr_free] : o->nr_slots++;
	((struct held_event *)o->held.at)[slot] = *held;
	stamps_of(o)[o->nr++] = (struct stamp){ held->time, slot };
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
	const struct held_event held = held_event_of(im, ev);
	order_add(im, o, &held);
}

void window_finish(struct import *im)
{
	order_emit(im, &im->order, 0, ~(u64)0);
}
