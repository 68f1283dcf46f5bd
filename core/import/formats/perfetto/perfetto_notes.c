/*
 * perfetto_notes.c - reads notes, events that say something about other events: announced bulk requests, trace markers and
 * events of the page allocator.
 *
 * Perfetto's schema has no bulk requests, and no dynamic events of record.sh. Such an event comes in one of two ways:
 *
 *	generic, until v52	{ name, field { name, value }, field … }
 *	described, since v53	{ 1: value, 2: value … }, and its bundle has the description { name, field { name, number }, … }
 */
#include "import/formats/perfetto/perfetto.h"

enum {
	EVENT_PRINT = 3,
	EVENT_PAGE_ALLOC = 307,
	EVENT_PAGE_FREE = 310,
	EVENT_GENERIC = 327,
	DESCRIPTION_NUMBER = 1,
	DESCRIPTION_TYPE = 2,
	/* A generic event and a description are alike: */
	NAMED_NAME = 1,
	NAMED_FIELD = 2,
	FIELD_NAME_OF = 1,
	FIELD_NUMBER_OF = 3, /* in a description */
	FIELD_INT = 4,
	FIELD_UINT = 5,
};

/* Events that are read by their names; arrays of objects have no type in Perfetto's schema. */
static u32 kind_called(const struct perfetto *d, const struct reader *name)
{
	static const u8 kinds[] = { KIND_BULK_ALLOC, KIND_BULK_FREE, KIND_KFREE_RCU, KIND_PREFILL,
				    KIND_REFILL,     KIND_RETURN,    KIND_TAKE,	     KIND_GRACE };

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (span_is(name->at, name->end,
			    trace_text(d->im->trace, kind_at(d->im, kinds[i])->name)))
			return kinds[i];
	return 0;
}

/* The numbers of the named fields that lie in parts `low` to `high` of each field. */
static struct perfetto_note read_named(const struct perfetto *d, struct reader body, u32 low,
				       u32 high)
{
	struct perfetto_note note = { 0 };
	struct wire_field field, part;

	while (wire_next(&body, &field)) {
		struct reader name = field.bytes;
		u64 value = 0;
		if (wire_is_bytes(&field, NAMED_NAME)) {
			note.kind = kind_called(d, &name);
			continue;
		}
		if (!wire_is_bytes(&field, NAMED_FIELD))
			continue;
		name.end = name.at;
		while (wire_next(&field.bytes, &part)) {
			if (wire_is_bytes(&part, FIELD_NAME_OF))
				name = part.bytes;
			else if (part.number >= low && part.number <= high)
				value = part.value;
		}
		if (span_is(name.at, name.end, "nr"))
			note.nr = value;
		else if (span_is(name.at, name.end, "call_site"))
			note.call_site = value;
		else if (span_is(name.at, name.end, "ptr") || span_is(name.at, name.end, "sheaf"))
			note.ptr = value;
		else if (span_is(name.at, name.end, "head"))
			note.head = value;
	}
	return note;
}

void perfetto_describe(struct perfetto *d, struct reader description)
{
	struct wire_field field;
	struct perfetto_note note = { 0 };
	u32 number = 0;

	while (wire_next(&description, &field)) {
		if (field.number == DESCRIPTION_NUMBER)
			number = (u32)field.value;
		else if (wire_is_bytes(&field, DESCRIPTION_TYPE))
			note = read_named(d, field.bytes, FIELD_NUMBER_OF, FIELD_NUMBER_OF);
	}
	if (note.kind)
		d->described[note.kind] = (struct described){ number, (u32)note.nr,
							      (u32)note.call_site, (u32)note.ptr,
							      (u32)note.head };
}

/* The order and the frame number lie in these parts of the event. */
static int read_page(struct reader body, u32 order, u32 pfn, struct perfetto_note *note)
{
	struct wire_field field;

	while (wire_next(&body, &field)) {
		if (field.number == order)
			note->nr = field.value;
		else if (field.number == pfn)
			note->ptr = field.value;
	}
	return note->ptr != 0;
}

int perfetto_note(const struct perfetto *d, u32 number, struct reader body,
		  struct perfetto_note *note)
{
	struct wire_field field;

	if (number == EVENT_PAGE_ALLOC || number == EVENT_PAGE_FREE) {
		int is_alloc = number == EVENT_PAGE_ALLOC;
		*note = (struct perfetto_note){ .kind = is_alloc ? KIND_PAGE_ALLOC
								 : KIND_PAGE_FREE };
		return read_page(body, is_alloc ? 3 : 1, is_alloc ? 5 : 3, note);
	}
	*note = (struct perfetto_note){ .kind = KIND_PRINT };
	if (number == EVENT_PRINT)
		note->nr = marker_in(body.at, body.end);
	else if (number == EVENT_GENERIC)
		*note = read_named(d, body, FIELD_INT, FIELD_UINT);
	for (u32 i = 0; i < ARRAY_SIZE(d->described); i++) {
		const struct described *is = &d->described[i];
		if (!is->number || number != is->number)
			continue;
		note->kind = i;
		while (wire_next(&body, &field)) {
			if (field.number == is->nr)
				note->nr = field.value;
			else if (field.number == is->call_site)
				note->call_site = field.value;
			else if (field.number == is->ptr)
				note->ptr = field.value;
			else if (field.number == is->head)
				note->head = field.value;
		}
	}
	note->ptr = object_of_head(note->ptr, note->head);
	return note->kind && (note->nr || note->ptr || note->kind == KIND_GRACE);
}
