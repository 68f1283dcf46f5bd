/*
 * perfetto_events.c - reads bundles of ftrace events: those of kmem, and how many there are of the
 * others.
 *
 * Perfetto drops what its schema lacks: names of caches, `accounted`, and names of gfp flags. So caches
 * are distinguished by the size of their objects, and flags stay numbers. A call site is an address,
 * or the number of a name if Perfetto has looked it up in kallsyms.
 */
#include "import/formats/perfetto.h"
#include "util/text.h"

/*
 * Reads notes, events that say something about other events: announced bulk requests, trace markers and
 * events of the page allocator.
 *
 * Perfetto's schema has no bulk requests, and no dynamic events of record.sh. Such an event comes in one of two ways:
 *
 *	generic, until v52	{ name, field { name, value }, field … }
 *	described, since v53	{ 1: value, 2: value … }, and its bundle has the description { name, field { name, number }, … }
 */

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

/* Reads the description of an event that Perfetto's schema lacks. */
static void perfetto_describe(struct perfetto *d, struct reader description)
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

/* Fields of FtraceEventBundle, FtraceEvent, InternedData and InternedString. */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST_EVENTS = 3,
	BUNDLE_DESCRIPTION = 11,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_COMMON_FLAGS = 5,
	EVENT_TASK_NEWTASK = 235,
	EVENT_TASK_RENAME = 236,
	TASK_PID = 1,
	NEWTASK_COMM = 2,
	RENAME_COMM = 3,
	EVENT_KFREE = 298,
	EVENT_KMALLOC = 299,
	EVENT_KMALLOC_NODE = 300,
	EVENT_CACHE_ALLOC = 301,
	EVENT_CACHE_ALLOC_NODE = 302,
	EVENT_CACHE_FREE = 303,
	INTERNED_KERNEL_SYMBOLS = 26,
	SYMBOL_NUMBER = 1,
	SYMBOL_NAME = 2,
};

/* Parts of a kmem event: a table gives each field's part, by its number. */
enum part { PART_NONE, PART_ALLOC, PART_REQ, PART_SITE, PART_GFP, PART_NODE, PART_PTR, NR_PARTS };

static const struct kmem_message {
	u16 number;
	u8 kind;     /* enum kmem_kind */
	u8 parts[7]; /* enum part, by the field's number */
} messages[] = {
	{ EVENT_KFREE, KIND_KFREE, { 0, PART_SITE, PART_PTR } },
	{ EVENT_KMALLOC, KIND_KMALLOC, { 0, PART_ALLOC, PART_REQ, PART_SITE, PART_GFP, PART_PTR } },
	{ EVENT_KMALLOC_NODE,
	  KIND_KMALLOC_NODE,
	  { 0, PART_ALLOC, PART_REQ, PART_SITE, PART_GFP, PART_NODE, PART_PTR } },
	{ EVENT_CACHE_ALLOC,
	  KIND_CACHE_ALLOC,
	  { 0, PART_ALLOC, PART_REQ, PART_SITE, PART_GFP, PART_PTR } },
	{ EVENT_CACHE_ALLOC_NODE,
	  KIND_CACHE_ALLOC_NODE,
	  { 0, PART_ALLOC, PART_REQ, PART_SITE, PART_GFP, PART_NODE, PART_PTR } },
	{ EVENT_CACHE_FREE, KIND_CACHE_FREE, { 0, PART_SITE, PART_PTR } },
};

/* Names of other events that such traces often have; the rest are counted by their number. */
static const struct {
	u32 number;
	const char *name;
} other_names[] = {
	{ 3, "print" },
	{ 4, "sched_switch" },
	{ 17, "sched_wakeup" },
	{ 19, "sched_waking" },
	{ 307, "mm_page_alloc" },
	{ 308, "mm_page_alloc_extfrag" },
	{ 309, "mm_page_alloc_zone_locked" },
	{ 310, "mm_page_free" },
	{ 311, "mm_page_free_batched" },
	{ 312, "mm_page_pcpu_drain" },
	{ 313, "rss_stat" },
	{ 327, "generic" },
};

/* Symbols */

/* Sequences number their names separately. 0: the numbers are larger than any writer's. */
static u64 symbol_key(u32 sequence, u64 number)
{
	return number >> 32 ? 0 : (u64)sequence << 32 | number;
}

static int is_name(const struct reader *name)
{
	u64 len = reader_left(name);

	for (const u8 *p = name->at; p < name->end; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return 0;
	return len && len <= MAX_SYMBOL_BYTES;
}

static void add_symbol(struct perfetto *d, u64 key, const struct reader *name)
{
	struct import *im = d->im;

	if (!key || !is_name(name) || d->symbols.nr >= MAX_SYMBOLS ||
	    !import_reserve(im, &d->symbols))
		return;
	u32 text = intern_bytes(im, name->at, reader_left(name));
	struct hash_slot *slot = hash_find(&d->symbols, key);
	if (slot->taken)
		slot->taken = text ? text : slot->taken;
	else if (text)
		hash_put(&d->symbols, slot, (struct hash_slot){ key, 0, text });
}

void perfetto_symbols(struct perfetto *d, u32 sequence, struct reader interned)
{
	struct wire_field field, part;

	while (wire_next(&interned, &field)) {
		struct reader name = { 0 };
		u64 key = 0;
		if (!wire_is_bytes(&field, INTERNED_KERNEL_SYMBOLS))
			continue;
		while (wire_next(&field.bytes, &part)) {
			if (part.number == SYMBOL_NUMBER)
				key = symbol_key(sequence, part.value);
			else if (wire_is_bytes(&part, SYMBOL_NAME))
				name = part.bytes;
		}
		add_symbol(d, key, &name);
	}
}

/* Texts */

static u32 site_text(struct perfetto *d, u32 sequence, u64 site)
{
	u64 key = symbol_key(sequence, site);
	const struct hash_slot *slot = key ? hash_find(&d->symbols, key) : NULL;

	return slot && slot->taken ? slot->taken
				   : hex_text(d->im, d->number_texts, NUMBER_TEXTS_SHIFT, site);
}

/* Events */

static const struct kmem_message *message_of(u32 number)
{
	u32 i = number - EVENT_KFREE;

	return i < ARRAY_SIZE(messages) ? &messages[i] : NULL;
}

/* Counts an event that is not of kmem. */
static void count_other(struct perfetto *d, u32 number)
{
	char name[32];
	struct text out = text_in(name, sizeof(name));
	u16 *known = &d->kinds[number % COUNTED_FIELDS];

	if (number >= COUNTED_FIELDS) {
		kind_count_text(d->im, "other ftrace events");
		return;
	}
	if (!*known) {
		for (u32 i = 0; i < ARRAY_SIZE(other_names); i++)
			if (other_names[i].number == number)
				text_add(&out, other_names[i].name);
		if (!out.len)
			text_add_number(&out, "ftrace event ", number);
		*known = (u16)(kind_of_text(d->im, name) + 1);
	}
	if (d->im->status == KMEM_OK)
		kind_at(d->im, *known - 1u)->lines++;
}

/* Notes the name that a task gets at this time. */
static void name_task(struct perfetto *d, u32 number, struct reader body, u64 time)
{
	u32 comm = number == EVENT_TASK_NEWTASK ? NEWTASK_COMM : RENAME_COMM, pid = 0;
	struct reader name = { 0 };
	struct wire_field field;

	while (wire_next(&body, &field)) {
		if (field.number == TASK_PID && field.type == WIRE_VARINT)
			pid = (u32)field.value;
		else if (wire_is_bytes(&field, comm))
			name = field.bytes;
	}
	if (!body.bad && pid && reader_left(&name))
		comms_add(d->tasks, pid, time, name.at, name.end);
}

/* When, where and in which task an event happened. */
struct moment {
	u64 time;
	u32 sequence, cpu, pid;
};

/* NULL, or why the event cannot be used. */
static const char *hold(struct perfetto *d, const struct kmem_message *message, const u64 *values,
			const struct moment *moment)
{
	u32 cpu = moment->cpu;
	u64 time = moment->time;
	u32 what = kind_at(d->im, message->kind)->what;
	struct event ev = { .time = time,
			    .ptr = values[PART_PTR],
			    .at = d->packet_at,
			    .cpu = cpu,
			    .node = NODE_ANY,
			    .task = moment->pid,
			    .kind = message->kind,
			    .what = (u8)what,
			    .bytes_req = (u32)values[PART_REQ],
			    .bytes_alloc = (u32)values[PART_ALLOC] };
	s64 node = (s64)values[PART_NODE];

	if (time >> 63)
		return "the time of this event is past any kernel clock";
	if ((values[PART_REQ] | values[PART_ALLOC]) >> 32)
		return "bytes_req or bytes_alloc is 2^32 or more";
	if (message->parts[5] == PART_NODE && node != -1)
		ev.node = node >= 0 && node < MAX_NODES ? (u32)node : MAX_NODES;
	const char *why = refuse_event(&ev);
	if (why)
		return why;
	ev.call_site = site_text(d, moment->sequence, values[PART_SITE]);
	if (what != WHAT_FREE)
		ev.gfp = hex_text(d->im, d->number_texts, NUMBER_TEXTS_SHIFT,
				  values[PART_GFP] & 0xffffffffu);
	order_add(d->im, &d->im->order, &ev);
	return NULL;
}

static void read_kmem(struct perfetto *d, const struct kmem_message *message, struct reader body,
		      const struct moment *moment)
{
	u64 values[NR_PARTS] = { 0 };
	const u8 *start = body.at;
	struct wire_field field;
	u32 is_named = 0;

	d->nr_kmem++;
	kind_at(d->im, message->kind)->lines++;
	while (wire_next(&body, &field)) {
		u32 part = field.number < ARRAY_SIZE(message->parts) ? message->parts[field.number]
								     : PART_NONE;
		if (part != PART_NONE && field.type == WIRE_BYTES)
			body.bad = 1;
		values[part] = field.value;
		is_named |= part == PART_PTR;
	}
	const char *wrong = body.bad	? "a kmem event is damaged"
			    : !is_named ? "a kmem event without a pointer"
					: hold(d, message, values, moment);
	if (wrong)
		perfetto_problem(d, start, wrong);
}

/* Reads an event that allocates and frees nothing. A note without a time says nothing. */
static void read_other(struct perfetto *d, u32 number, struct reader body,
		       const struct moment *moment)
{
	struct perfetto_note note;

	if (!perfetto_note(d, number, body, &note) || !moment->time || moment->time >> 63) {
		count_other(d, number);
		return;
	}
	kind_at(d->im, note.kind)->lines++;
	order_add(d->im, &d->im->order,
		  &(struct event){ .time = moment->time,
				   .ptr = note.ptr,
				   .at = d->packet_at,
				   .node = NODE_ANY,
				   .call_site = note.call_site ? site_text(d, moment->sequence,
									   note.call_site)
							       : 0,
				   .bytes_req = (u32)MIN(note.nr, (u64)0xffffffff),
				   .task = moment->pid,
				   .cpu = moment->cpu,
				   .kind = (u16)note.kind,
				   .what = (u8)kind_at(d->im, note.kind)->what });
}

static void read_event(struct perfetto *d, u32 sequence, struct reader event, u32 cpu)
{
	const struct kmem_message *message = NULL;
	const u8 *start = event.at;
	struct wire_field field;
	struct reader body = { 0 };
	struct moment moment = { .sequence = sequence, .cpu = cpu };
	u32 has_time = 0, other = 0;

	while (wire_next(&event, &field)) {
		if (field.number == EVENT_TIMESTAMP && field.type != WIRE_BYTES) {
			moment.time = field.value;
			has_time = 1;
		} else if (field.number == EVENT_PID && field.type == WIRE_VARINT) {
			moment.pid = (u32)field.value;
		} else if (field.type == WIRE_BYTES && field.number > EVENT_PID &&
			   field.number != EVENT_COMMON_FLAGS) {
			message = message_of(field.number);
			body = field.bytes;
			other = field.number;
		}
	}
	if (event.bad)
		perfetto_problem(d, start, "an ftrace event is damaged");
	else if (message && !has_time)
		perfetto_problem(d, start, "a kmem event without a time");
	else if (message)
		read_kmem(d, message, body, &moment);
	else if (other)
		read_other(d, other, body, &moment);
	if (d->tasks && !event.bad && has_time &&
	    (other == EVENT_TASK_NEWTASK || other == EVENT_TASK_RENAME))
		name_task(d, other, body, moment.time);
}

void perfetto_bundle(struct perfetto *d, u32 sequence, struct reader bundle)
{
	struct reader r = bundle;
	struct wire_field field;
	u64 cpu = 0;

	/* The CPU and descriptions may come behind the events. */
	while (wire_next(&r, &field)) {
		if (field.number == BUNDLE_CPU && field.type == WIRE_VARINT)
			cpu = field.value;
		else if (field.number == BUNDLE_LOST_EVENTS && field.type == WIRE_VARINT)
			d->im->trace->report.lost += field.value !=
						     0; /* how many is not recorded */
		else if (wire_is_bytes(&field, BUNDLE_DESCRIPTION))
			perfetto_describe(d, field.bytes);
	}
	if (r.bad) {
		perfetto_problem(d, bundle.at,
				 "a bundle of ftrace events is damaged: it is skipped,");
		return;
	}
	d->nr_bundles++;
	while (d->im->status == KMEM_OK && wire_next(&bundle, &field))
		if (wire_is_bytes(&field, BUNDLE_EVENT))
			read_event(d, sequence, field.bytes, (u32)MIN(cpu, (u64)MAX_CPUS));
}
