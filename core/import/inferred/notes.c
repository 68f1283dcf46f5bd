/*
 * notes.c - acts on notes, events that say something about other events:
 *
 *	kmem_cache_free_bulk: call_site=mas_destroy+0xfb/0x210 nr=3	its next three events are one request
 *	tracing_mark_write: state-begins				somebody reads the state of the kernel's slabs
 *
 * A format makes a struct event of a note and hands it on in the order of time, like any other. Files that are merged keep it
 * until their events become a trace.
 */
#include "import/import.h"
#include "util/text.h"

u32 marker_in(const u8 *p, const u8 *end)
{
	return span_find(p, end, "state-begins") ? MARKER_STATE_BEGINS
	       : span_find(p, end, "state-ends") ? MARKER_STATE_ENDS
						 : MARKER_NONE;
}

/* Markers stand around the start state, then around the stop state: docs/recording.md. */
static void note_marker(struct trace *t, u32 marker)
{
	u32 nr = t->nr_state_marks;

	if (nr < ARRAY_SIZE(t->state_marks) && marker == MARKER_STATE_BEGINS + nr % 2)
		t->state_marks[t->nr_state_marks++] = t->nr_ops;
}

void import_in_order(struct import *im, const struct event *ev)
{
	if (!is_note_kind(ev->kind) || !import_is_direct(im))
		im->sink(im, ev);
	else if (is_group_kind(ev->kind))
		import_group(im, ev->kind, ev->cpu, ev->bytes_req, intern_span(im, &ev->call_site));
	else
		note_marker(im->trace, ev->bytes_req);
}

struct span note_value(const u8 *p, const u8 *end, const char *key)
{
	const u8 *at = span_find(p, end, key), *behind;

	at = at ? at + text_length(key) : end;
	for (behind = at; behind < end && *behind > ' ';)
		behind++;
	return span_of(at, behind);
}

void import_note_line(struct import *im, struct event *ev, const u8 *p, const u8 *end)
{
	struct span nr = note_value(p, end, "nr=");

	ev->call_site = note_value(p, end, "call_site=");
	if (!is_group_kind(ev->kind))
		ev->bytes_req = marker_in(p, end);
	else if (!field_number((struct range){ nr.at, nr.at + nr.len }, &ev->bytes_req))
		return;
	import_in_order(im, ev);
}
