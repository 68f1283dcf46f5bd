/*
 * perfetto_events.c - reads bundles of ftrace events: those of kmem, and a count of all others.
 *
 * Perfetto drops what its schema lacks: names of caches, `accounted`, and names of gfp flags. So caches
 * are distinguished by the size of their objects, and flags stay numbers. A call site is an address,
 * or the number of a name if Perfetto has looked it up in kallsyms.
 */
#include "import/formats/perfetto.h"
#include "util/text.h"

/* Fields of FtraceEventBundle, FtraceEvent, InternedData and InternedString. */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST_EVENTS = 3,
	BUNDLE_DESCRIPTION = 11,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_PRINT = 3,
	EVENT_COMMON_FLAGS = 5,
	EVENT_TASK_NEWTASK = 235,
	EVENT_TASK_RENAME = 236,
	EVENT_GENERIC = 327,
	TASK_PID = 1,
	NEWTASK_COMM = 2,
	RENAME_COMM = 3,
	DESCRIPTION_NUMBER = 1,
	DESCRIPTION_TYPE = 2,
	/* A generic event and a description are alike: */
	NAMED_NAME = 1,
	NAMED_FIELD = 2,
	FIELD_NAME_OF = 1,
	FIELD_NUMBER_OF = 3, /* its number in a description */
	FIELD_INT = 4,
	FIELD_UINT = 5,
	INTERNED_KERNEL_SYMBOLS = 26,
	SYMBOL_NUMBER = 1,
	SYMBOL_NAME = 2,
};

/* Events of Perfetto's schema that are read. */
static const struct perfetto_message messages[] = {
	{ 298, KIND_KFREE, { [PART_SITE] = 1, [PART_PTR] = 2 } },
	{ 299,
	  KIND_KMALLOC,
	  { [PART_ALLOC] = 1, [PART_REQ] = 2, [PART_SITE] = 3, [PART_GFP] = 4, [PART_PTR] = 5 } },
	{ 300,
	  KIND_KMALLOC_NODE,
	  { [PART_ALLOC] = 1,
	    [PART_REQ] = 2,
	    [PART_SITE] = 3,
	    [PART_GFP] = 4,
	    [PART_NODE] = 5,
	    [PART_PTR] = 6 } },
	{ 301,
	  KIND_CACHE_ALLOC,
	  { [PART_ALLOC] = 1, [PART_REQ] = 2, [PART_SITE] = 3, [PART_GFP] = 4, [PART_PTR] = 5 } },
	{ 302,
	  KIND_CACHE_ALLOC_NODE,
	  { [PART_ALLOC] = 1,
	    [PART_REQ] = 2,
	    [PART_SITE] = 3,
	    [PART_GFP] = 4,
	    [PART_NODE] = 5,
	    [PART_PTR] = 6 } },
	{ 303, KIND_CACHE_FREE, { [PART_SITE] = 1, [PART_PTR] = 2 } },
	{ 307, KIND_PAGE_ALLOC, { [PART_NR] = 3, [PART_PTR] = 5 } },
	{ 310, KIND_PAGE_FREE, { [PART_NR] = 1, [PART_PTR] = 3 } },
};

/*
 * Perfetto's schema has no bulk requests, and no dynamic events of record.sh. Such an event comes in one of two ways:
 *
 *	generic, until v52	{ name, field { name, value }, field … }
 *	described, since v53	{ 1: value, 2: value … }, and its bundle has the description { name, field { name, number }, … }
 */

/* Recognises events that are read by their names; arrays of objects have no type in Perfetto's schema. */
static u8 kind_called(const struct perfetto *d, const struct reader *name)
{
	static const u8 kinds[] = { KIND_BULK_ALLOC, KIND_BULK_FREE, KIND_KFREE_RCU, KIND_PREFILL,
				    KIND_REFILL,     KIND_RETURN,    KIND_TAKE,	     KIND_GRACE };

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (span_is(name->at, name->end,
			    trace_text(d->im->trace, kind_at(d->im, kinds[i])->name)))
			return kinds[i];
	return 0;
}

/* Returns the kind of the event, and the numbers of its named fields that lie in parts `low` to `high` of each field. */
static u8 read_named(const struct perfetto *d, struct reader body, u32 low, u32 high, u64 *values)
{
	static const char *const names[] = { "call_site", "ptr", "nr", "head", "sheaf" };
	struct wire_field field, part;
	u8 kind = 0;

	while (wire_next(&body, &field)) {
		struct reader name = field.bytes;
		u64 value = 0;
		if (wire_is_bytes(&field, NAMED_NAME))
			kind = kind_called(d, &name);
		if (!wire_is_bytes(&field, NAMED_FIELD))
			continue;
		name.end = name.at;
		while (wire_next(&field.bytes, &part)) {
			if (wire_is_bytes(&part, FIELD_NAME_OF))
				name = part.bytes;
			else if (part.number >= low && part.number <= high)
				value = part.value;
		}
		u32 nr = span_among(name.at, name.end, names, ARRAY_SIZE(names));
		if (nr < ARRAY_SIZE(names))
			values[nr > PART_HEAD ? PART_PTR : nr] = value;
	}
	return kind;
}

/* Reads the description of an event that Perfetto's schema lacks. */
static void perfetto_describe(struct perfetto *d, struct reader description)
{
	struct wire_field field;
	struct perfetto_message m = { 0 };
	u64 fields[NR_PARTS] = { 0 };

	while (wire_next(&description, &field)) {
		if (field.number == DESCRIPTION_NUMBER)
			m.number = (u32)field.value;
		else if (wire_is_bytes(&field, DESCRIPTION_TYPE))
			m.kind = read_named(d, field.bytes, FIELD_NUMBER_OF, FIELD_NUMBER_OF,
					    fields);
	}
	for (u32 i = 0; i < NR_PARTS; i++)
		m.fields[i] = (u32)fields[i];
	if (m.kind)
		d->described[m.kind] = m;
}

/* Reads the parts of an event. Returns the set of parts that it has. */
static u32 read_values(const struct perfetto_message *m, struct reader *body, u64 *values)
{
	struct wire_field field;
	u32 found = 0;

	while (wire_next(body, &field)) {
		for (u32 i = 0; i < NR_PARTS; i++) {
			if (field.number != m->fields[i])
				continue;
			found |= 1u << i;
			values[i] = field.value;
			body->bad |= field.type == WIRE_BYTES;
		}
	}
	return found;
}

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

/* Keeps the event until all earlier ones have come. */
static void hold(struct perfetto *d, struct event *ev, u32 kind, const u64 *values,
		 const struct moment *moment)
{
	ev->time = moment->time;
	ev->ptr = values[PART_PTR];
	ev->at = d->packet_at;
	ev->task = moment->pid;
	ev->kind = (u16)kind;
	if (values[PART_SITE] || kind <= KIND_CACHE_FREE)
		ev->call_site = site_text(d, moment->sequence, values[PART_SITE]);
	order_add(d->im, &d->im->order, ev);
}

/* Returns NULL, or why the event cannot be used. */
static const char *read_kmem(struct perfetto *d, const struct perfetto_message *m,
			     struct reader body, const struct moment *moment)
{
	u64 values[NR_PARTS] = { 0 };
	u32 what = kind_at(d->im, m->kind)->what, found = read_values(m, &body, values);
	s64 node = (s64)values[PART_NODE];
	struct event ev = { .cpu = moment->cpu, .node = NODE_ANY, .what = (u8)what };

	if (body.bad)
		return "a kmem event is damaged";
	if (!(found >> PART_PTR & 1))
		return "a kmem event has no pointer";
	if (moment->time >> 63)
		return "the time of this event is past any kernel clock";
	if ((values[PART_REQ] | values[PART_ALLOC]) >> 32)
		return "bytes_req or bytes_alloc is 2^32 or more";
	ev.bytes_req = (u32)values[PART_REQ];
	ev.bytes_alloc = (u32)values[PART_ALLOC];
	if (m->fields[PART_NODE] && node != -1)
		ev.node = node >= 0 && node < MAX_NODES ? (u32)node : MAX_NODES;
	const char *why = refuse_event(&ev);
	if (why)
		return why;
	if (what != WHAT_FREE)
		ev.gfp = hex_text(d->im, d->number_texts, NUMBER_TEXTS_SHIFT,
				  values[PART_GFP] & 0xffffffffu);
	hold(d, &ev, m->kind, values, moment);
	return NULL;
}

/* Reads an event that allocates and frees nothing, if it says something about other events: announced bulk requests,
 * trace markers and events of the page allocator. A note without a time is ignored. */
static void read_other(struct perfetto *d, const struct perfetto_message *m, u32 number,
		       struct reader body, const struct moment *moment)
{
	u64 values[NR_PARTS] = { 0 };
	u32 kind = m ? m->kind : KIND_PRINT;

	if (m)
		read_values(m, &body, values);
	else if (number == EVENT_GENERIC)
		kind = read_named(d, body, FIELD_INT, FIELD_UINT, values);
	else if (number == EVENT_PRINT)
		values[PART_NR] = marker_in(body.at, body.end);
	values[PART_PTR] = object_of_head(values[PART_PTR], values[PART_HEAD]);
	int is_note = kind && (values[PART_PTR] || kind == KIND_GRACE ||
			       (values[PART_NR] && !is_page_kind(kind)));
	if (!is_note || !moment->time || moment->time >> 63) {
		count_other(d, number);
		return;
	}
	kind_at(d->im, kind)->lines++;
	struct event ev = { .cpu = moment->cpu,
			    .node = NODE_ANY,
			    .bytes_req = (u32)MIN(values[PART_NR], (u64)0xffffffff),
			    .what = (u8)kind_at(d->im, kind)->what };
	hold(d, &ev, kind, values, moment);
}

static const struct perfetto_message *message_of(const struct perfetto *d, u32 number)
{
	for (u32 i = 0; i < ARRAY_SIZE(messages); i++)
		if (messages[i].number == number)
			return &messages[i];
	for (u32 i = 0; i < ARRAY_SIZE(d->described); i++)
		if (d->described[i].number == number)
			return &d->described[i];
	return NULL;
}

static void read_event(struct perfetto *d, u32 sequence, struct reader event, u32 cpu)
{
	const char *wrong = NULL;
	const u8 *start = event.at;
	struct wire_field field;
	struct reader body = { 0 };
	struct moment moment = { .sequence = sequence, .cpu = cpu };
	u32 has_time = 0, number = 0;

	while (wire_next(&event, &field)) {
		if (field.number == EVENT_TIMESTAMP && field.type != WIRE_BYTES) {
			moment.time = field.value;
			has_time = 1;
		} else if (field.number == EVENT_PID && field.type == WIRE_VARINT) {
			moment.pid = (u32)field.value;
		} else if (field.type == WIRE_BYTES && field.number > EVENT_PID &&
			   field.number != EVENT_COMMON_FLAGS) {
			body = field.bytes;
			number = field.number;
		}
	}
	const struct perfetto_message *m = number ? message_of(d, number) : NULL;
	int is_kmem = m && m->kind <= KIND_CACHE_FREE;
	if (event.bad) {
		wrong = "an ftrace event is damaged";
	} else if (is_kmem && !has_time) {
		wrong = "a kmem event has no time";
	} else if (is_kmem) {
		d->nr_kmem++;
		kind_at(d->im, m->kind)->lines++;
		wrong = read_kmem(d, m, body, &moment);
		start = body.at;
	} else if (number) {
		read_other(d, m, number, body, &moment);
	}
	if (wrong)
		perfetto_problem(d, start, wrong);
	if (d->tasks && !event.bad && has_time &&
	    (number == EVENT_TASK_NEWTASK || number == EVENT_TASK_RENAME))
		name_task(d, number, body, moment.time);
}

void perfetto_bundle(struct perfetto *d, u32 sequence, struct reader bundle)
{
	struct reader r = bundle;
	struct wire_field field;
	u64 cpu = 0;

	/* The CPU and descriptions may come after the events. */
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
		perfetto_problem(d, bundle.at, "a damaged bundle of ftrace events is skipped,");
		return;
	}
	d->nr_bundles++;
	while (d->im->status == KMEM_OK && wire_next(&bundle, &field))
		if (wire_is_bytes(&field, BUNDLE_EVENT))
			read_event(d, sequence, field.bytes, (u32)MIN(cpu, (u64)MAX_CPUS));
}
