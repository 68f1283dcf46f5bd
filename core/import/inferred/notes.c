/*
 * notes.c - acts on notes, events that say something about other events:
 *
 *	kmem_cache_free_bulk: call_site=mas_destroy+0xfb/0x210 nr=3	its next three events are one request
 *	tracing_mark_write: state-begins				somebody reads the state of the kernel's slabs
 *
 * and about the pages of slabs:
 *
 *	mm_page_alloc: page=… pfn=0x101e20 order=2			a slab that appears here is new
 *	mm_page_free: page=… pfn=0x101e20 order=2			objects that were here have been freed
 *
 * A format makes a struct event of a note and hands it on in the order of time, like any other. Files that are merged keep it
 * until their events become a trace.
 */
#include "import/kept.h"
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

/* A slab is returned to the page allocator once all its objects are free. Those that still live have been freed by events
 * that nobody recorded, kfree_rcu() above all. */
static void free_objects_of_page(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	u64 map = page_events_map(&t->page_events), from = map + (ev->ptr << FIRST_PAGE_SHIFT),
	    end = from + ((u64)1 << FIRST_PAGE_SHIFT << ev->bytes_req);

	if (!map)
		return;
	for (u64 ptr = from; (ptr = first_events_next(&t->first_events, ptr, end)) < end;
	     ptr += 1 << FIRST_GRANULE_SHIFT) {
		struct hash_slot *pointer = pointer_find(im, ptr);
		u32 before = t->nr_ops;
		if (!pointer)
			continue;
		import_imply_free(im, pointer, ev->cpu, ev->time);
		kept_put(im, before, ptr, 0);
	}
}

static void note_page(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	struct page_event event = { t->nr_ops, (u32)ev->ptr, (u16)ev->cpu,
				    (u8)MIN(ev->bytes_req, 0xffu), ev->kind == KIND_PAGE_ALLOC };

	if (!t->first_events.is_on || t->report.hashed || ev->ptr >> 32 ||
	    ev->bytes_req > MOST_PAGE_ORDER)
		return;
	page_events_note(t, event);
	if (!event.is_alloc)
		free_objects_of_page(im, ev);
}

void import_in_order(struct import *im, const struct event *ev)
{
	if (!is_note_kind(ev->kind) || !import_is_direct(im))
		im->sink(im, ev);
	else if (is_page_kind(ev->kind))
		note_page(im, ev);
	else if (is_group_kind(ev->kind))
		import_group(im, ev->kind, ev->cpu, ev->bytes_req, intern_span(im, &ev->call_site));
	else if (is_probe_kind(ev->kind))
		import_probe(im, ev);
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

static int note_number(const u8 *p, const u8 *end, const char *key, u32 *number)
{
	struct span value = note_value(p, end, key);

	return field_number((struct range){ value.at, value.at + value.len }, number);
}

void import_note_line(struct import *im, struct event *ev, const u8 *p, const u8 *end)
{
	u32 pfn = 0;

	if (is_probe_kind(ev->kind)) {
		import_probe_line(im, ev, p, end);
		return;
	}
	ev->call_site = note_value(p, end, "call_site=");
	if (is_page_kind(ev->kind) &&
	    (!note_number(p, end, "pfn=", &pfn) || !note_number(p, end, "order=", &ev->bytes_req)))
		return;
	if (is_group_kind(ev->kind) && !note_number(p, end, "nr=", &ev->bytes_req))
		return;
	if (!is_page_kind(ev->kind) && !is_group_kind(ev->kind))
		ev->bytes_req = marker_in(p, end);
	ev->ptr = pfn;
	import_in_order(im, ev);
}
