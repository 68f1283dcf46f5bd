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
	u64 ptr, line_nr;
	u32 call_site, cache, gfp; /* text */
	u32 call_site_len, cache_len, gfp_len;
	u32 kind, cpu, bytes_req, bytes_alloc, node;
	u8 what, ptr_state, accounted, hashed;
};

struct window {
	u64 nr_seen, newest,
		left_at; /* number of events; the latest time of all, and of those that have left */
	u32 nr;
	u32 free; /* slot in `held` for the next event once the window is full */
	struct heap_item at[WINDOW_EVENTS]; /* sorted so that events of one time keep their order */
	struct held held[WINDOW_EVENTS];
};

static struct span kept_span(const struct import *im, u32 text, u32 len)
{
	const u8 *at = (const u8 *)im->trace->text + text;

	return span_of(at, at + len);
}

/* Hands the earliest event to the sink. */
static void let_go(struct import *im, struct window *w)
{
	struct heap_item first = heap_pop(w->at, &w->nr);
	struct held held = w->held[first.value];
	struct event ev = { .time = first.at,
			    .ptr = held.ptr,
			    .kind = held.kind,
			    .cpu = held.cpu,
			    .bytes_req = held.bytes_req,
			    .bytes_alloc = held.bytes_alloc,
			    .node = held.node,
			    .what = held.what,
			    .ptr_state = held.ptr_state,
			    .accounted = held.accounted,
			    .hashed = held.hashed };
	u64 line_nr = im->line_nr;
	u32 unterminated = im->unterminated;

	w->free = first.value;
	w->left_at = first.at;
	ev.call_site = kept_span(im, held.call_site, held.call_site_len);
	ev.cache = kept_span(im, held.cache, held.cache_len);
	ev.gfp = kept_span(im, held.gfp, held.gfp_len);
	im->line_nr = held.line_nr;
	im->unterminated = 0;
	im->from_window = 1;
	im->sink(im, &ev);
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
		im->sink(im, ev);
		return;
	}
	report->reordered += ev->time < w->newest;
	w->newest = MAX(w->newest, ev->time);
	struct held held = { .ptr = ev->ptr,
			     .line_nr = im->line_nr,
			     .call_site = intern_span(im, &ev->call_site),
			     .cache = intern_span(im, &ev->cache),
			     .gfp = intern_span(im, &ev->gfp),
			     .call_site_len = ev->call_site.len,
			     .cache_len = ev->cache.len,
			     .gfp_len = ev->gfp.len,
			     .kind = ev->kind,
			     .cpu = ev->cpu,
			     .bytes_req = ev->bytes_req,
			     .bytes_alloc = ev->bytes_alloc,
			     .node = ev->node,
			     .what = ev->what,
			     .ptr_state = ev->ptr_state,
			     .accounted = ev->accounted,
			     .hashed = ev->hashed };
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
