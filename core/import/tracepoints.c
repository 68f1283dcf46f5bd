/*
 * tracepoints.c - reads binary events by the format files in the trace.
 *
 *	name: kfree
 *	ID: 615
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:const void * ptr;	offset:16;	size:8;	signed:0;
 *	print fmt: "call_site=%pS ptr=%p", …
 *
 * Kernels move fields, and 32-bit kernels make them smaller, so the reader relies only on their
 * names. Call sites stay addresses, as a trace contains few symbols or none.
 */
#include "import/binary.h"

static const char *const field_names[NR_FIELDS] = { "call_site",   "ptr",	"name", "bytes_req",
						    "bytes_alloc", "gfp_flags", "node", "accounted",
						    "common_pid",  "nr",	"pfn",	"order",
						    "sheaf",	   "head",	"ptrs" };

struct tracepoints *tracepoints_open(struct import *im)
{
	struct tracepoints *t = import_block(im, sizeof(*t));

	if (t)
		t->im = im;
	return t;
}

void tracepoints_close(struct tracepoints *t)
{
	struct pool *pool = t->im->trace->pool;

	buffer_free(pool, &t->types);
	comms_drop(t);
	pool_free(pool, t, sizeof(*t));
}

void tracepoints_forget(struct tracepoints *t)
{
	t->nr_types = 0;
	comms_drop(t);
	memset(t->type_of_id, 0, sizeof(t->type_of_id));
}

/* Formats */

static const u8 *find(const u8 *p, const u8 *end, const char *text)
{
	p = span_find(p, end, text);
	return p ? p + text_length(text) : NULL;
}

s64 tracepoints_number(const u8 *p, const u8 *end, const char *key)
{
	u64 value;

	p = find(p, end, key);
	p = p ? skip_blanks(p, end) : end;
	return scan_decimal(p, scan_digits(p, end), TRACEPOINT_IDS - 1, &value) ? (s64)value : -1;
}

static struct span name_of(const struct event_type *type)
{
	const u8 *end = type->format + type->format_bytes, *p = find(type->format, end, "name:");
	struct span none = { type->format, 0, 0 };

	if (!p)
		return none;
	p = skip_blanks(p, end);
	const u8 *behind = p;
	while (behind < end && *behind > ' ')
		behind++;
	return span_of(p, behind);
}

/* Adds one format file, as in events/kmem/kfree/format. The text must stay where it is. */
static void add_format(struct tracepoints *t, const u8 *format, u64 len_bytes)
{
	s64 id = tracepoints_number(format, format + len_bytes, "ID:");

	/* No kernel describes an id twice. Traces of several hosts are not supported. */
	if (id < 0 || t->type_of_id[id] || t->nr_types == TRACEPOINT_IDS - 1 ||
	    !import_grow(t->im, &t->types, (t->nr_types + 1) * (u64)sizeof(struct event_type)))
		return;
	((struct event_type *)t->types.at)[t->nr_types++] =
		(struct event_type){ format, len_bytes, .kind = KIND_NONE };
	t->type_of_id[id] = (u16)t->nr_types;
}

/* "const void * ptr", "__data_loc char[] name", "char name[16]": finds the name and the kind of
 * text. */
static struct span declared(const u8 *p, const u8 *end, u8 *string)
{
	const u8 *behind = end, *at;

	*string = span_begins(p, end, "__data_loc ")
			  ? FIELD_DATA_LOC
			  : (span_begins(p, end, "__rel_loc ") ? FIELD_REL_LOC : FIELD_NUMBER);
	if (behind > p && behind[-1] == ']') {
		while (behind > p && *behind != '[')
			behind--;
		*string = *string == FIELD_NUMBER ? FIELD_CHARS : *string;
	}
	for (at = behind; at > p && (at[-1] == '_' || is_digit(at[-1]) || is_letter(at[-1]));)
		at--;
	return (struct span){ at, (u32)(behind - at), 0 };
}

/* Reads one line after "field:". */
static void read_field(struct tracepoint *tp, const u8 *p, const u8 *end)
{
	const u8 *semicolon = scan_byte(p, end, ';');
	s64 offset = tracepoints_number(semicolon, end, "offset:");
	s64 size = tracepoints_number(semicolon, end, "size:");
	u8 string;
	struct span name = declared(p, semicolon, &string);

	for (u32 k = 0; offset >= 0 && size > 0 && k < NR_FIELDS; k++) {
		u32 is_text = k == FIELD_NAME;
		if (!span_is(name.at, name.at + name.len, field_names[k]))
			continue;
		if (k == FIELD_PTRS) {
			if (string != FIELD_CHARS || size % 8 ||
			    size > MAX_PROBED_OBJECTS * (s64)sizeof(u64))
				continue;
			tp->fields[k] = (struct field){ 0, (u16)offset, (u16)size, string, 1 };
			tp->need_bytes = MAX(tp->need_bytes, (u32)(offset + size));
			continue;
		}
		/* A pointer to a name is useless outside the kernel. */
		if (is_text != (string != FIELD_NUMBER) ||
		    (string != FIELD_CHARS && size != 1 && size != 2 && size != 4 && size != 8) ||
		    ((string == FIELD_DATA_LOC || string == FIELD_REL_LOC) && size != 4))
			continue;
		u64 mask = size < 8 ? ((u64)1 << 8 * size) - 1 : ~(u64)0;
		tp->fields[k] = (struct field){ mask, (u16)offset, (u16)size, string, 1 };
		tp->need_bytes = MAX(tp->need_bytes, (u32)(offset + size));
	}
}

static void read_format(struct tracepoints *t, const struct event_type *type, u32 what)
{
	struct tracepoint *tp = &t->tracepoints[t->nr_tracepoints++];
	const u8 *p = type->format, *end = p + type->format_bytes;

	while (p < end) {
		const u8 *newline = scan_byte(p, end, '\n'), *at = skip_blanks(p, newline);
		if (span_begins(at, newline, "field:"))
			read_field(tp, at + 6, newline);
		else if (!t->nr_gfp_names && span_begins(at, newline, "print fmt:"))
			gfp_names_read(t, at, newline);
		p = MIN(newline + 1, end);
	}
	if (what == WHAT_OTHER)
		tp->wrong = (is_group_kind(type->kind) && !tp->fields[FIELD_NR].present) ||
					    (is_page_kind(type->kind) &&
					     (!tp->fields[FIELD_PFN].present ||
					      !tp->fields[FIELD_ORDER].present))
				    ? ""
				    : NULL;
	else if (!tp->fields[FIELD_PTR].present)
		tp->wrong = "the trace does not describe where `ptr` is in this event";
	else if (what != WHAT_FREE &&
		 (!tp->fields[FIELD_REQ].present || !tp->fields[FIELD_ALLOC].present))
		tp->wrong = "the trace does not describe where the sizes are in this event";
}

/* Prepares a type that is seen for the first time. */
static void learn(struct tracepoints *t, struct event_type *type)
{
	struct span name = name_of(type);
	int is_named = name.len && name.len <= MAX_PROBLEM_TEXT &&
		       scan_byte(name.at, name.at + name.len, 0) == name.at + name.len;

	type->kind = is_named ? kind_of(t->im, &name) : kind_of_text(t->im, "unnamed");
	u32 what = kind_at(t->im, type->kind)->what;
	if ((what == WHAT_OTHER && !is_note_kind(type->kind)) ||
	    t->nr_tracepoints == MAX_TRACEPOINTS)
		return;
	read_format(t, type, what);
	type->tracepoint = (u8)t->nr_tracepoints;
}

static struct reader sized_file(struct reader *r, u32 size_bytes)
{
	u64 len = size_bytes == 4 ? reader_u32(r) : reader_u64(r);

	return reader_part(r, len);
}

void tracepoints_add_some(struct tracepoints *t, struct reader *r, u32 nr)
{
	for (u32 i = 0; i < nr && !r->bad; i++) {
		struct reader format = sized_file(r, 8);
		if (!format.bad)
			add_format(t, format.at, reader_left(&format));
	}
}

void tracepoints_add_systems(struct tracepoints *t, struct reader *r)
{
	u32 nr = reader_u32(r);

	for (u32 i = 0; i < nr && !r->bad; i++) {
		reader_string(r);
		tracepoints_add_some(t, r, reader_u32(r));
	}
}

/* Events */

/* SCAN_SLACK bytes after every event may be read. */
ALWAYS_INLINE u64 field_value(const struct field *field, const u8 *raw)
{
	return load8(raw + field->offset) & field->mask;
}

/* Reads a cache's name, without blanks around it, and for dynamic events without quotes. Returns NULL, or why it is
 * invalid. */
static const char *read_name(struct tracepoints *t, const struct field *field,
			     const struct raw_event *raw, int is_dynamic, u32 *text)
{
	u64 from = field->offset, len = field->size;

	if (field->string != FIELD_CHARS) {
		u32 where = load4(raw->at + field->offset);
		from = (where & 0xffff) +
		       (field->string == FIELD_REL_LOC ? field->offset + (u64)4 : 0);
		len = where >> 16;
	}
	if (from + len > raw->len_bytes)
		return "the cache name lies outside the event";
	const u8 *at = raw->at + from, *end = scan_byte(at, at + len, 0);
	at = skip_blanks(at, end);
	while (end > at && is_blank(end[-1]))
		end--;
	for (const u8 *p = at; p < end; p++)
		if (*p < ' ' || *p == 0x7f)
			return "the cache name has a byte that is not text";
	*text = is_dynamic ? field_name(t->im, at, end) : intern(t->im, at, end);
	return NULL;
}

static const char *read_alloc(struct tracepoints *t, const struct tracepoint *tp,
			      const struct raw_event *raw, struct event *ev)
{
	u64 req = field_value(&tp->fields[FIELD_REQ], raw->at);
	u64 alloc = field_value(&tp->fields[FIELD_ALLOC], raw->at);
	const struct field *node = &tp->fields[FIELD_NODE];

	if (req > 0xffffffffu || alloc > 0xffffffffu)
		return "bytes_req or bytes_alloc is 2^32 or more";
	ev->bytes_req = (u32)req;
	ev->bytes_alloc = (u32)alloc;
	ev->accounted = field_value(&tp->fields[FIELD_ACCOUNTED], raw->at) != 0;
	if (tp->fields[FIELD_GFP].present)
		ev->gfp = gfp_text(t, field_value(&tp->fields[FIELD_GFP], raw->at));
	if (node->present) {
		u32 number = (u32)field_value(node, raw->at);
		ev->node = number == 0xffffffffu ? NODE_ANY : MIN(number, (u32)NODE_ANY - 1);
	}
	return NULL;
}

/* Returns NULL, or why the event cannot be used. */
static const char *read_event(struct tracepoints *t, const struct tracepoint *tp,
			      const struct raw_event *raw, struct event *ev)
{
	const char *wrong = tp->wrong;

	if (!wrong && raw->len_bytes < tp->need_bytes)
		wrong = "the event is shorter than its description in the trace";
	if (!wrong && raw->time >> 63)
		wrong = "the time of this event is past any kernel clock";
	if (wrong)
		return wrong;
	ev->ptr = field_value(&tp->fields[FIELD_PTR], raw->at);
	if (tp->fields[FIELD_CALL_SITE].present)
		ev->call_site = hex_text(t->im, t->site_texts, SITE_TEXTS_SHIFT,
					 field_value(&tp->fields[FIELD_CALL_SITE], raw->at));
	if (tp->fields[FIELD_NAME].present) {
		wrong = read_name(t, &tp->fields[FIELD_NAME], raw, ev->kind == KIND_KFREE_RCU,
				  &ev->cache);
		t->im->has_free_names |= ev->what == WHAT_FREE;
	}
	if (ev->kind == KIND_KFREE_RCU)
		ev->ptr = object_of_head(ev->ptr, field_value(&tp->fields[FIELD_HEAD], raw->at));
	if (!wrong && ev->what != WHAT_FREE)
		wrong = read_alloc(t, tp, raw, ev);
	return wrong;
}

static u32 task_of(struct tracepoints *t, const struct tracepoint *tp, const struct raw_event *raw)
{
	const struct field *pid = &tp->fields[FIELD_PID];

	if (!pid->present || (u64)pid->offset + pid->size > raw->len_bytes)
		return 0;
	u32 number = (u32)field_value(pid, raw->at);
	return t->keeps_pids ? number + 1 : comms_task(t, number, raw->time);
}

/* Reads a dynamic event of record.sh that is a note. */
static void read_probe(struct tracepoints *t, const struct tracepoint *tp,
		       const struct raw_event *raw, struct event *ev)
{
	const struct field *fields = tp->fields, *ptrs = &fields[FIELD_PTRS];
	u64 objects[MAX_PROBED_OBJECTS];

	ev->ptr = field_value(&fields[FIELD_SHEAF], raw->at);
	ev->bytes_req = (u32)MIN(field_value(&fields[FIELD_NR], raw->at), (u64)0xffffffff);
	ev->bytes_alloc = (u32)MIN(field_value(&fields[FIELD_ALLOC], raw->at), (u64)0xffffffff);
	if (fields[FIELD_NAME].present)
		read_name(t, &fields[FIELD_NAME], raw, 1, &ev->cache);
	if (!is_bulk_probe(ev->kind)) {
		import_in_order(t->im, ev);
		return;
	}
	for (u32 i = 0; i < ptrs->size / sizeof(u64); i++)
		objects[i] = load8(raw->at + ptrs->offset + i * sizeof(u64));
	import_bulk_probe(t->im, ev, objects, ptrs->size / (u32)sizeof(u64));
}

/* Reads how many objects a bulk request has, which page it is, or what a trace marker says. */
static void read_note(struct tracepoints *t, const struct tracepoint *tp,
		      const struct raw_event *raw, struct event *ev)
{
	const struct field *site = &tp->fields[FIELD_CALL_SITE];

	if (tp->wrong || raw->len_bytes < tp->need_bytes)
		return;
	if (is_probe_kind(ev->kind)) {
		read_probe(t, tp, raw, ev);
		return;
	}
	if (is_group_kind(ev->kind)) {
		if (site->present)
			ev->call_site = hex_text(t->im, t->site_texts, SITE_TEXTS_SHIFT,
						 field_value(site, raw->at));
		ev->bytes_req = (u32)MIN(field_value(&tp->fields[FIELD_NR], raw->at),
					 (u64)0xffffffff);
	} else if (is_page_kind(ev->kind)) {
		ev->ptr = field_value(&tp->fields[FIELD_PFN], raw->at);
		ev->bytes_req = (u32)field_value(&tp->fields[FIELD_ORDER], raw->at);
	} else {
		/* The text is in one of its fields: buf, or the name that a probe gave it. */
		ev->bytes_req = marker_in(raw->at, raw->at + raw->len_bytes);
	}
	import_in_order(t->im, ev);
}

void tracepoints_event(struct tracepoints *t, const struct raw_event *raw)
{
	struct import *im = t->im;
	struct event ev = { .time = raw->time, .cpu = raw->cpu, .node = NODE_ANY };
	u32 id = raw->len_bytes >= 2 ? (u32)(raw->at[0] | raw->at[1] << 8) : 0;
	u32 index = t->type_of_id[id];

	if (unlikely(!index)) {
		binary_problem(im, raw->at, "the trace does not describe this event");
		return;
	}
	struct event_type *type = (struct event_type *)t->types.at + index - 1;
	if (unlikely(type->kind == KIND_NONE))
		learn(t, type);
	if (im->status != KMEM_OK)
		return;
	struct kind *kind = kind_at(im, type->kind);
	kind->lines++;
	if (!type->tracepoint)
		return;
	ev.kind = (u16)type->kind;
	ev.what = (u8)kind->what;
	if (unlikely(ev.what == WHAT_OTHER)) {
		read_note(t, &t->tracepoints[type->tracepoint - 1], raw, &ev);
		return;
	}
	im->event_at = raw->at;
	if (unlikely(im->keep & KMEM_KEEP_TASKS))
		ev.task = task_of(t, &t->tracepoints[type->tracepoint - 1], raw);
	const char *wrong = read_event(t, &t->tracepoints[type->tracepoint - 1], raw, &ev);
	if (unlikely(wrong != NULL))
		binary_problem(im, raw->at, wrong);
	else
		im->sink(im, &ev);
}
