/*
 * reorder_window.c - sorts events by time for recorders that empty one CPU's buffer after another.
 *
 *	lines ─ a heap of 32,768 events, earliest on top ─ sink
 *
 * bpftrace keeps a buffer for each CPU and prints one buffer at a time. A line may therefore be
 * older than the previous one by as much as a buffer holds: some thousand events. An event that
 * arrives after later ones have left the window stays in its place, and is counted. Events of the
 * same time keep their order.
 *
 * An event that waits outlives its line. Its strings are interned, and its line number is kept for
 * problems.
 */
#include "import/import.h"
#include "util/heap.h"

enum { WINDOW_EVENTS = 32768 };

struct held {
	struct event event;
	u64 line_nr;
	u32 call_site, cache, gfp; /* text: where the event's strings are stored */
};

struct window {
	u64 nr_seen, newest,
		left_at; /* number of events; the latest time of all, and of those that have left */
	u32 nr;
	u32 free; /* slot in `held` for the next event once the window is full */
	struct heap_item at[WINDOW_EVENTS]; /* sorted so that events of one time keep their order */
	struct held held[WINDOW_EVENTS];
};

/* Hands the earliest event to the sink. */
static void let_go(struct import *im, struct window *w)
{
	struct heap_item first = heap_pop(w->at, &w->nr);
	struct held held = w->held[first.value];
	const u8 *texts = (const u8 *)im->trace->text;
	u64 line_nr = im->line_nr;
	u32 unterminated = im->unterminated;

	w->free = first.value;
	w->left_at = first.at;
	held.event.call_site.at = texts + held.call_site;
	held.event.cache.at = texts + held.cache;
	held.event.gfp.at = texts + held.gfp;
	im->line_nr = held.line_nr;
	im->unterminated = 0;
	im->from_window = 1;
	import_in_order(im, &held.event);
	im->from_window = 0;
	im->unterminated = unterminated;
	im->line_nr = line_nr;
}

void window_event(struct import *im, const struct event *ev)
{
	const char *why = refuse_event(ev);

	if (why) {
		import_problem(im, NULL, why);
		return;
	}
	if (!import_grow(im, &im->held, sizeof(struct window)))
		return;
	struct window *w = im->held.at;
	struct kmem_report *report = &im->trace->report;
	if (w->nr_seen && ev->time < w->left_at) {
		report->late++;
		import_in_order(im, ev);
		return;
	}
	report->reordered += ev->time < w->newest;
	w->newest = MAX(w->newest, ev->time);
	struct held held = { .event = *ev,
			     .line_nr = im->line_nr,
			     .call_site = intern_span(im, &ev->call_site),
			     .cache = intern_span(im, &ev->cache),
			     .gfp = intern_span(im, &ev->gfp) };
	w->free = w->nr;
	if (w->nr == WINDOW_EVENTS)
		let_go(im, w);
	w->held[w->free] = held;
	heap_push(w->at, &w->nr, (struct heap_item){ ev->time, (u32)w->nr_seen++, w->free });
}

void window_finish(struct import *im)
{
	struct window *w = im->held.at;

	while (w && w->nr && im->status == KMEM_OK)
		let_go(im, w);
}
