/*
 * format_csv.c - CSV with a header row, as home-made recorders write it. Commas, semicolons or tabs
 * separate the fields, which may be in quotes.
 *
 *	time_ns,cpu,tid,comm,event,ptr,cache,bytes_req,bytes_alloc,gfp
 *	12613881596,0,190,bpftrace,kmalloc,0xff19a340c361f8a0,,72,96,0xdc0
 *
 * csv_columns.c finds the role of each column. Events have the tracepoints' names, or common words
 * for alloc and free. An allocation of unknown kind is one from a cache if its row names a cache.
 * If a row has only one of the two sizes, the other is derived from it. Rows of several CPUs are
 * sorted by time.
 */
#include "import/csv.h"

/* Set in the key of an object that has a number instead of an address. */
#define NUMBER_KEY ((u64)1 << 62)
#define WORD_KEY ((u64)1 << 63)

#define ALLOC_WORDS "alloc allocate malloc calloc new a + allocation"
#define FREE_WORDS "free dealloc delete f - release"

u32 csv_cut(const u8 *p, const u8 *end, u8 separator, struct range *fields)
{
	u32 nr = 0;

	for (;; p++) {
		struct range field;
		while (p < end && *p == ' ')
			p++;
		field.at = p;
		if (p < end && *p == '"') {
			field.at = ++p;
			/* A doubled quote is a quote inside the field. */
			while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"')))
				p += *p == '"' ? 2 : 1;
			field.end = p = MIN(p, end);
			while (p < end && *p != separator)
				p++;
		} else {
			while (p < end && *p != separator)
				p++;
			field.end = p;
			while (field.end > field.at && is_blank(field.end[-1]))
				field.end--;
		}
		if (nr < MAX_COLUMNS)
			fields[nr] = field;
		nr++;
		if (p >= end)
			return nr;
	}
}

/* Returns the most frequent separator of the header, 0 if it has none. */
static u8 separator_of(const u8 *p, const u8 *end)
{
	static const u8 separators[] = { ',', ';', '\t' };
	u32 most = 0;
	u8 best = 0;

	for (u32 i = 0; i < ARRAY_SIZE(separators); i++) {
		u32 n = 0;
		for (const u8 *at = p; (at = scan_byte(at, end, separators[i])) < end; at++)
			n++;
		if (n > most) {
			most = n;
			best = separators[i];
		}
	}
	return best;
}

/* Returns the next line that is a row or the header; *row_end is its end. */
static const u8 *next_row(const u8 *p, const u8 *end, const u8 **row_end)
{
	while (p < end) {
		const u8 *newline = scan_byte(p, end, '\n');
		*row_end = line_end(p, newline);
		if (!bpftrace_is_between(p, *row_end))
			return p;
		p = newline + 1;
	}
	*row_end = end;
	return end;
}

/* Returns 1 if the field is a column's name and not the start of a sentence. */
static int is_column_name(const struct range *field)
{
	u32 letters = 0;

	for (const u8 *p = field->at; p < field->end; p++) {
		if (*p < 0x20 || *p == '=' || *p == '{' || *p == '<' || *p == '[')
			return 0;
		letters += is_letter(*p);
	}
	return letters && field->end - field->at <= 40;
}

/* Other formats have distinctive lines, so weak evidence is enough here. */
static u32 csv_guess(const u8 *bytes, u32 len_bytes)
{
	struct range fields[MAX_COLUMNS], row_fields[MAX_COLUMNS];
	const u8 *end = bytes + len_bytes, *header_end, *row_end;
	const u8 *header = next_row(bytes, end, &header_end);
	u8 separator = separator_of(header, header_end);
	u32 nr = separator ? csv_cut(header, header_end, separator, fields) : 0;

	if (nr < 3 || nr > MAX_COLUMNS)
		return 0;
	for (u32 i = 0; i < nr; i++) {
		if (!is_column_name(&fields[i]))
			return 0;
	}
	if (columns_known(fields, nr) == 2)
		return 2;
	const u8 *row = next_row(MIN(header_end + 1, end), end, &row_end);
	return row < end && csv_cut(row, row_end, separator, row_fields) == nr;
}

static void csv_start(struct import *im, const u8 *bytes, u32 len_bytes)
{
	const u8 *end = bytes + len_bytes, *header_end, *row_end;
	const u8 *header = next_row(bytes, end, &header_end);
	const u8 *row = next_row(MIN(header_end + 1, end), end, &row_end);

	if (header == end) {
		refuse(im, bytes, len_bytes);
		return;
	}
	struct csv *csv = im->own.at;
	csv->separator = separator_of(header, header_end);
	columns_read(im, csv, header, header_end, row, row_end);
}

/* Rows */

static const u64 ns_of_unit[] = { [UNIT_NS] = 1,
				  [UNIT_US] = 1000,
				  [UNIT_MS] = 1000000,
				  [UNIT_S] = 1000000000,
				  [UNIT_TICKS] = 1 };

/* Reads "12613881596", "12.613881596"; 0 if it is not a time, or after the year 2500. */
static int read_time(struct import *im, u32 unit, struct range field, u64 *time)
{
	const u8 *p = field.at;
	u64 whole = 0;
	int has_dot = scan_byte(field.at, field.end, '.') < field.end;

	if (unit == UNIT_BY_LOOKS)
		unit = has_dot ? UNIT_S : UNIT_NS;
	for (; p < field.end && is_digit(*p) && p - field.at < 19; p++)
		whole = whole * 10 + (*p - (u64)'0');
	if (p == field.at || whole > ((u64)1 << 63) / ns_of_unit[unit])
		return 0;
	*time = whole * ns_of_unit[unit];
	if (p < field.end && *p == '.')
		p = scan_decimals(p + 1, field.end, ns_of_unit[unit], time);
	im->ticks |= unit == UNIT_TICKS;
	return p == field.end;
}

/* Reads the event and counts it; 0 if it does not concern objects. */
static int read_event(struct import *im, struct range name, int has_cache, struct event *ev)
{
	static const char *const systems[] = { "tracepoint:", "kmem:" };

	for (u32 i = 0; i < ARRAY_SIZE(systems); i++) {
		if (span_begins(name.at, name.end, systems[i]))
			name.at = scan_byte(name.at, name.end, ':') + 1;
	}
	struct span span = span_of(name.at, name.end);
	ev->kind = (u16)kind_count(im, &span);
	if (im->status != KMEM_OK)
		return 0;
	ev->what = (u8)kind_at(im, ev->kind)->what;
	if (csv_is_among(name.at, name.end, ALLOC_WORDS))
		ev->what = has_cache ? WHAT_CACHE_ALLOC : WHAT_KMALLOC;
	else if (csv_is_among(name.at, name.end, FREE_WORDS))
		ev->what = WHAT_FREE;
	return ev->what != WHAT_OTHER || is_note_kind(ev->kind);
}

/* Returns 0 after a problem. */
static int read_sizes(struct import *im, struct range req, struct range alloc, struct event *ev)
{
	u64 slot;

	if (req.at == req.end && alloc.at == alloc.end)
		return import_problem(im, NULL, "expected a size in this row");
	if (req.at < req.end && !scan_u32(req, &ev->bytes_req))
		return import_problem(im, req.at,
				      "expected the requested bytes, an integer below 2^32");
	if (alloc.at < alloc.end && !scan_u32(alloc, &ev->bytes_alloc))
		return import_problem(im, alloc.at,
				      "expected the slot's bytes, an integer below 2^32");
	if (req.at == req.end)
		ev->bytes_req = ev->bytes_alloc;
	if (alloc.at < alloc.end)
		return 1;
	slot = ev->what != WHAT_KMALLOC		  ? ALIGN_UP((u64)ev->bytes_req, 8)
	       : ev->bytes_req > MAX_OBJECT_BYTES ? ev->bytes_req
						  : kmalloc_slot(ev->bytes_req);
	ev->bytes_alloc = (u32)MIN(slot, (u64)0xffffffff);
	return 1;
}

/* Reads CPU and time; 0 after a problem. */
static int read_place(struct import *im, const struct range *of, u32 unit, struct event *ev)
{
	if (of[ROLE_TIME].at && !read_time(im, unit, of[ROLE_TIME], &ev->time))
		return import_problem(im, of[ROLE_TIME].at, "expected a time below 2^64");
	im->has_times |= of[ROLE_TIME].at != NULL;
	if (of[ROLE_CPU].at < of[ROLE_CPU].end && !scan_u32(of[ROLE_CPU], &ev->cpu))
		return import_problem(im, of[ROLE_CPU].at, "expected a CPU number");
	ev->node = NODE_ANY;
	if (of[ROLE_NODE].at < of[ROLE_NODE].end && !field_node(of[ROLE_NODE], ev))
		return import_problem(im, of[ROLE_NODE].at, "expected a node number, or -1");
	return 1;
}

/* Reads the name of an object that has no address; 0 if there is none. */
static int read_id(struct import *im, struct range id, struct event *ev)
{
	u32 number;
	int is_number = scan_u32(id, &number) && (id.end - id.at == 1 || (id.at[0] != '0'));

	ev->ptr = is_number ? NUMBER_KEY | number : WORD_KEY | intern(im, id.at, id.end);
	return id.at < id.end;
}

static int read_object(struct import *im, const struct csv *csv, struct range ptr, struct event *ev)
{
	if (csv_is_among(ptr.at, ptr.end, "null none"))
		return 1;
	if (csv->ids)
		return read_id(im, ptr, ev);
	return ptr.at < ptr.end && field_pointer(im, ptr, ev);
}

/* Returns 0 after a problem. `of` is by role; at == NULL where no column has the role. */
static int read_row(struct import *im, const struct csv *csv, const struct range *of,
		    struct event *ev)
{
	struct range accounted = of[ROLE_ACCOUNTED];

	if (!read_place(im, of, csv->unit, ev))
		return 0;
	if (!read_object(im, csv, of[ROLE_PTR], ev))
		return import_problem(im, of[ROLE_PTR].at,
				      "expected an address: 0x and up to 16 hex digits, or NULL");
	ev->call_site = intern(im, of[ROLE_SITE].at, of[ROLE_SITE].end);
	ev->cache = intern(im, of[ROLE_NAME].at, of[ROLE_NAME].end);
	ev->gfp = intern(im, of[ROLE_GFP].at, of[ROLE_GFP].end);
	im->name_at = of[ROLE_NAME].at;
	im->has_free_names |= ev->what == WHAT_FREE;
	ev->accounted = accounted.at < accounted.end &&
			(span_is(accounted.at, accounted.end, "true") ||
			 span_is(accounted.at, accounted.end, "1"));
	return ev->what == WHAT_FREE || read_sizes(im, of[ROLE_REQ], of[ROLE_ALLOC], ev);
}

/* Returns 0 if the row is not a note about other events. */
static int read_note(struct import *im, const struct csv *csv, const struct range *of,
		     struct range row, struct event *ev)
{
	ev->call_site = intern(im, of[ROLE_SITE].at, of[ROLE_SITE].end);
	if (is_probe_kind(ev->kind)) {
		/* Prefilled sheaves and grace periods; a row has no room for the objects of a bulk request. */
		ev->cache = intern(im, of[ROLE_NAME].at, of[ROLE_NAME].end);
		scan_u32(of[ROLE_NR], &ev->bytes_req);
		return !is_bulk_probe(ev->kind) && read_place(im, of, csv->unit, ev) &&
		       (ev->kind == KIND_GRACE || field_pointer(im, of[ROLE_PTR], ev));
	}
	ev->bytes_req = marker_in(row.at, row.end);
	return (ev->bytes_req || scan_u32(of[ROLE_NR], &ev->bytes_req)) &&
	       read_place(im, of, csv->unit, ev);
}

static void wrong_width(struct import *im, u32 nr, u32 wanted)
{
	import_problem(
		im, NULL,
		nr < wanted
			? "the row has fewer fields than the header has columns"
			: "the row has more fields than the header has columns: quote a field that contains a separator");
}

static void csv_line(struct import *im, const u8 *line, const u8 *end)
{
	static const u8 none[16];
	struct csv *csv = im->own.at;
	struct range fields[MAX_COLUMNS], of[NR_ROLES] = { 0 };
	struct event ev = { 0 };

	if (bpftrace_is_between(line, end)) {
		bpftrace_note_lost(im, line, end);
		return;
	}
	if (!csv->header_read) {
		csv->header_read = 1;
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	u32 nr = csv_cut(line, end, csv->separator, fields);
	if (nr != csv->nr) {
		wrong_width(im, nr, csv->nr);
		return;
	}
	for (u32 role = ROLE_TIME; role < NR_ROLES; role++) {
		of[role].at = of[role].end = none;
		if (csv->column_of[role] != NO_COLUMN)
			of[role] = fields[csv->column_of[role]];
		else if (role == ROLE_TIME)
			of[role].at = of[role].end = NULL;
	}
	if (!read_event(im, of[ROLE_EVENT], of[ROLE_NAME].at < of[ROLE_NAME].end, &ev) ||
	    !(ev.what == WHAT_OTHER ? read_note(im, csv, of, (struct range){ line, end }, &ev)
				    : read_row(im, csv, of, &ev)))
		return;
	if (of[ROLE_TIME].at)
		window_event(im, &ev);
	else
		import_in_order(im, &ev);
}

const struct trace_format format_csv = { .name = "csv",
					 .guess = csv_guess,
					 .own_bytes = sizeof(struct csv),
					 .start = csv_start,
					 .line = csv_line,
					 .finish = window_finish,
					 .may_lack_times = 1 };
