/*
 * perfetto_order.c - sorts the events of all CPUs by time.
 *
 *	bundle of CPU 0 ─┐
 *	bundle of CPU 1 ─┴ at most MOST_HELD events, sorted ─ the earlier half ─ sink
 *
 * Perfetto empties one CPU's buffer after another, so an event may lie far behind later ones of other
 * CPUs. Up to MOST_HELD events are sorted at once: all of a small trace. A larger one is
 * emitted by halves, so that each event still waits for a million others. Events that arrive too late
 * are counted, and emitted at once. Equal times keep their order in the file.
 */
#include "import/formats/perfetto/perfetto.h"

static struct stamp *stamps_of(const struct perfetto *d)
{
	return d->stamps.at;
}

/* The text as a span: its length and hash are cached. */
static struct span span_of_text(struct perfetto *d, u32 text)
{
	struct text_span *slot = &d->text_spans[text / 8 % TEXT_SPANS];
	const u8 *at = (const u8 *)d->im->trace->text + text;

	if (!text)
		return (struct span){ 0 };
	if (slot->text != text) {
		struct span span = span_of(at, at + text_length((const char *)at));
		*slot = (struct text_span){ text, span.len, span.hash };
	}
	return (struct span){ at, slot->len, slot->hash };
}

static void emit(struct perfetto *d, u64 time, const struct held_event *held)
{
	static const u8 nothing[1];
	struct import *im = d->im;
	struct event ev = { .time = time,
			    .ptr = held->ptr,
			    .call_site = span_of_text(d, held->call_site),
			    .gfp = span_of_text(d, held->gfp),
			    .kind = held->kind,
			    .cpu = held->cpu,
			    .bytes_req = held->bytes_req,
			    .bytes_alloc = held->bytes_alloc,
			    .node = held->node,
			    .task = d->tasks ? comms_task(d->tasks, held->pid, time) : 0,
			    .what = (u8)kind_at(im, held->kind)->what };

	if (time < d->emitted)
		im->trace->report.late++;
	d->emitted = MAX(d->emitted, time);
	/* Its bytes are gone: a problem names its packet. */
	im->place_bytes = im->event_at = nothing;
	im->place_at = held->at;
	im->place_len = 0;
	import_in_order(im, &ev);
}

void order_emit(struct perfetto *d, u32 keep)
{
	struct import *im = d->im;
	struct stamp *stamps = stamps_of(d);
	u32 nr = d->nr_held - MIN(keep, d->nr_held);

	stamps_sort(im, &d->scratch, stamps, d->nr_held);
	for (u32 i = 0; i < nr && im->status == KMEM_OK; i++) {
		emit(d, stamps[i].time, (const struct held_event *)d->held.at + stamps[i].at);
		((u32 *)d->free_slots.at)[d->nr_free++] = (u32)stamps[i].at;
	}
	if (d->nr_held > nr)
		memmove(stamps, stamps + nr, (d->nr_held - nr) * sizeof(*stamps));
	d->nr_held -= nr;
}

void order_add(struct perfetto *d, u64 time, const struct held_event *event)
{
	struct import *im = d->im;

	if (d->nr_held == d->most_held)
		order_emit(d, d->most_held / 2);
	u64 nr = d->nr_held + (u64)1;
	if (!import_grow(im, &d->stamps, nr * sizeof(struct stamp)) ||
	    !import_grow(im, &d->held, nr * sizeof(*event)) ||
	    !import_grow(im, &d->free_slots, nr * sizeof(u32)))
		return;
	u32 slot = d->nr_free ? ((u32 *)d->free_slots.at)[--d->nr_free] : d->nr_slots++;
	((struct held_event *)d->held.at)[slot] = *event;
	stamps_of(d)[d->nr_held++] = (struct stamp){ time, slot };
}

void order_drop(struct perfetto *d)
{
	struct buffer *runs[] = { &d->held, &d->stamps, &d->free_slots, &d->scratch };

	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(d->im->trace->pool, runs[i]);
}
