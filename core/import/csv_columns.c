/*
 * csv_columns.c - finds the role of each column of a CSV file, by the caller's mapping or by its
 * name.
 *
 *	time_ns,cpu,event,ptr,cache,bytes_req          ts;what;object;n
 *	ROLE_TIME … ROLE_REQ, by their names           "event=what,req=4", object is a name of ROLE_PTR
 *
 * The roles found stay in trace->columns, even after a refusal. A host shows them and asks for the
 * missing ones.
 */
#include "import/csv.h"

/* Keys of a mapping, by enum kmem_role. */
static const char *const role_keys[NR_ROLES] = { "",	 "time",      "cpu",  "event", "ptr",
						 "req",	 "alloc",     "node", "name",  "gfp",
						 "site", "accounted", "nr" };

/* Two words that this project's own texts do not use. */
#define OTHER_EVENTS \
	"op"         \
	" "          \
	"operation"

/* Names for a column of each role, the more exact ones first. */
static const char *const names[NR_ROLES] = {
	[ROLE_TIME] =
		"time_ns nsecs nsec timestamp_ns time_us usecs time_ms time_s secs timestamp time "
		"ts ns t",
	[ROLE_CPU] = "cpu cpu_id cpuid core processor",
	[ROLE_EVENT] = "event event_name tracepoint " OTHER_EVENTS " action type kind call",
	[ROLE_PTR] = "ptr pointer addr address object obj object_id handle id",
	[ROLE_REQ] =
		"bytes_req req requested bytes_requested req_bytes req_size size bytes length len",
	[ROLE_ALLOC] =
		"bytes_alloc alloc allocated bytes_allocated alloc_bytes alloc_size slot slot_size",
	[ROLE_NODE] = "node numa_node nid",
	[ROLE_NAME] = "cache cache_name name kmem_cache slab",
	[ROLE_GFP] = "gfp gfp_flags gfpflags flags",
	[ROLE_SITE] = "call_site callsite site caller",
	[ROLE_ACCOUNTED] = "accounted memcg",
	[ROLE_NR] = "nr nr_objects objects count",
};

/* Names of units, from UNIT_NS on. */
static const char *const units[] = { "ns nsec nsecs", "us usec usecs", "ms msec",
				     "s sec secs seconds", "ticks tsc cycles" };

/* Required roles. For sizes, one of two is enough. */
enum { NEEDED = 1 << ROLE_EVENT | 1 << ROLE_PTR };

static u8 small_letter(u8 c)
{
	if (c >= 'A' && c <= 'Z')
		return (u8)(c | 0x20);
	return c == ' ' || c == '-' ? '_' : c;
}

/* Returns 1 if [at, end) is this name, which ends at a blank. Case does not matter; blanks or dashes may replace
 * underscores. */
static int is_named(const u8 *at, const u8 *end, const char *name)
{
	while (at < end && *name > ' ' && small_letter(*at) == small_letter((u8)*name))
		at++, name++;
	return at == end && *name <= ' ';
}

/* Returns the name after this one, or NULL. */
static const char *next_name(const char *name)
{
	while (*name > ' ')
		name++;
	return *name ? name + 1 : NULL;
}

int csv_is_among(const u8 *at, const u8 *end, const char *list)
{
	while (list && !is_named(at, end, list))
		list = next_name(list);
	return list != NULL;
}

/* "Time (us)" has the bare name Time; the unit is read elsewhere. */
static struct range bare_name(struct range name)
{
	if (name.end > name.at && name.end[-1] == ')') {
		const u8 *p = name.end;
		while (p > name.at && *p != '(')
			p--;
		while (p > name.at && p[-1] == ' ')
			p--;
		if (p > name.at)
			name.end = p;
	}
	return name;
}

static u8 unit_named(const u8 *at, const u8 *end)
{
	u32 i = 0;

	while (i < ARRAY_SIZE(units) && !csv_is_among(at, end, units[i]))
		i++;
	return i < ARRAY_SIZE(units) ? (u8)(UNIT_NS + i) : UNIT_BY_LOOKS;
}

/* Returns the unit that a name ends with: "time_us", "Time (us)", "usecs". */
static u8 unit_of(const struct range *name)
{
	const u8 *p = name->end;
	const u8 *end = p > name->at && p[-1] == ')' ? p - 1 : p;

	for (p = end; p > name->at && p[-1] != '_' && p[-1] != '(' && p[-1] != ' ';)
		p--;
	return unit_named(p, end);
}

/* Returns the free column whose name has this role, or NO_COLUMN. */
static u32 column_named(const struct range *fields, u32 nr, u32 role, u64 taken)
{
	for (const char *name = names[role]; name; name = next_name(name)) {
		for (u32 i = 0; i < nr; i++) {
			struct range bare = bare_name(fields[i]);
			if (!(taken >> i & 1) && is_named(bare.at, bare.end, name))
				return i;
		}
	}
	return NO_COLUMN;
}

u32 columns_known(const struct range *fields, u32 nr)
{
	return (column_named(fields, nr, ROLE_EVENT, 0) != NO_COLUMN) +
	       (column_named(fields, nr, ROLE_PTR, 0) != NO_COLUMN);
}

/* Mappings */

/* Reads the next "key=value" of a mapping, from *at on; 0 at the end, or at a word that is not a pair. */
static int next_pair(const u8 **at, struct range *key, struct range *value)
{
	const u8 *p = *at;

	while (*p == ',' || *p == ' ')
		p++;
	key->at = p;
	while (*p && *p != '=' && *p != ',')
		p++;
	key->end = p;
	if (*p != '=')
		return 0;
	value->at = ++p;
	while (*p && *p != ',')
		p++;
	value->end = p;
	*at = p;
	return 1;
}

/* "ptr" and "id" are one role: an address, or any other unique name of an object. */
static int is_id(const u8 *at, const u8 *end)
{
	return csv_is_among(at, end, "id object_id handle");
}

static u32 role_named(const struct range *key)
{
	if (is_named(key->at, key->end, "id"))
		return ROLE_PTR;
	for (u32 role = ROLE_TIME; role < NR_ROLES; role++) {
		if (is_named(key->at, key->end, role_keys[role]))
			return role;
	}
	return ROLE_NONE;
}

int columns_check(const struct trace_columns *columns, struct range *bad)
{
	const u8 *at = (const u8 *)columns->mapping;
	struct range key, value;

	while (next_pair(&at, &key, &value)) {
		int is_unit = is_named(key.at, key.end, "unit");
		if ((is_unit && unit_named(value.at, value.end)) ||
		    (!is_unit && role_named(&key) && value.at < value.end))
			continue;
		key.end = value.end;
		break;
	}
	/* Leaves a word without a value in the key. */
	*bad = key;
	return key.at == key.end;
}

/* Returns the column that a mapping names, by its name or else by its number. */
static u32 column_meant(const struct range *fields, u32 nr, const struct range *value)
{
	char name[MAX_MAPPING_BYTES] = { 0 };
	u32 number;

	for (u32 i = 0; value->at + i < value->end; i++)
		name[i] = (char)small_letter(value->at[i]);
	for (u32 i = 0; i < nr; i++) {
		if (is_named(fields[i].at, fields[i].end, name))
			return i;
	}
	return scan_u32(*value, &number) && number >= 1 && number <= nr ? number - 1 : NO_COLUMN;
}

/* Refusals */

static void add_names(struct text *out, const struct range *fields, u32 nr)
{
	u32 shown = MIN(nr, 8u);

	for (u32 i = 0; i < shown; i++) {
		text_add(out, i ? ", " : "");
		text_add_quoted(out, CHARS_OF(fields[i]));
	}
	if (shown < nr) {
		text_add_number(out, " and ", nr - shown);
		text_add(out, " more");
	}
}

static void no_such_column(struct import *im, const struct range *pair, const struct range *fields,
			   u32 nr)
{
	char sentence[sizeof(im->trace->error)];
	struct text out = text_in(sentence, sizeof(sentence));

	text_add_quoted(&out, CHARS_OF(*pair));
	text_add(&out, " is not a column of this CSV file, which has ");
	add_names(&out, fields, nr);
	text_add(&out, ".");
	import_fail(im, KMEM_EPARAM, sentence);
}

static void refuse_columns(struct import *im, u32 missing, const struct range *fields, u32 nr)
{
	static const struct {
		u32 role;
		const char *what;
	} needs[] = { { ROLE_EVENT, "what happened (event)" },
		      { ROLE_PTR, "the object's address (ptr)" },
		      { ROLE_REQ, "the size (req)" } };
	char sentence[sizeof(im->trace->error)];
	struct text out = text_in(sentence, sizeof(sentence));
	u32 listed = 0;

	text_add(&out, "This CSV file has the columns ");
	add_names(&out, fields, nr);
	text_add(&out, ", but none is named like ");
	for (u32 i = 0; i < ARRAY_SIZE(needs); i++) {
		if (missing >> needs[i].role & 1)
			text_print(&out, listed++ ? ", or %s" : "%s", needs[i].what);
	}
	text_add(&out, ". Say which is which, by name or number: --columns ");
	listed = 0;
	for (u32 i = 0; i < ARRAY_SIZE(needs); i++) {
		if (missing >> needs[i].role & 1)
			text_print(&out, listed++ ? ",%s=COLUMN" : "%s=COLUMN",
				   role_keys[needs[i].role]);
	}
	import_fail(im, KMEM_EINPUT, sentence);
}

/* The header */

static u32 kept_text(struct import *im, const struct range *field)
{
	const u8 *end = MIN(field->end, field->at + MAX_PROBLEM_TEXT);

	end = scan_byte(field->at, end, 0);
	struct span span = span_of(field->at, end);
	return intern_span(im, &span);
}

/* Stores the roles that the mapping sets; 0 after a failure. */
static int map_given(struct import *im, struct csv *csv, const struct range *fields, u64 *taken)
{
	struct trace_columns *columns = &im->trace->columns;
	const u8 *at = (const u8 *)columns->mapping;
	struct range key, value;

	while (next_pair(&at, &key, &value)) {
		u32 role = role_named(&key);
		if (role == ROLE_NONE) {
			csv->unit = unit_named(value.at, value.end);
			continue;
		}
		u32 column = column_meant(fields, csv->nr, &value);
		if (column == NO_COLUMN) {
			key.end = value.end;
			no_such_column(im, &key, fields, csv->nr);
			return 0;
		}
		if (role == ROLE_PTR)
			csv->ids = (u8)is_id(key.at, key.end);
		csv->column_of[role] = (u8)column;
		columns->at[column].role = role;
		columns->at[column].given = 1;
		*taken |= (u64)1 << column;
	}
	return 1;
}

void columns_read(struct import *im, struct csv *csv, const u8 *p, const u8 *end, const u8 *row,
		  const u8 *row_end)
{
	struct trace_columns *columns = &im->trace->columns;
	struct range fields[MAX_COLUMNS], samples[MAX_COLUMNS];
	u32 nr = csv_cut(p, end, csv->separator, fields),
	    nr_samples = csv_cut(row, row_end, csv->separator, samples);
	u64 taken = 0;

	csv->nr = nr;
	if (nr > MAX_COLUMNS) {
		import_fail(im, KMEM_ELIMIT,
			    "This CSV file has more than 64 columns: keep only those you need.");
		return;
	}
	columns->nr = nr;
	columns->separator = csv->separator;
	for (u32 i = 0; i < nr; i++) {
		columns->at[i].name = kept_text(im, &fields[i]);
		columns->at[i].sample = i < nr_samples ? kept_text(im, &samples[i]) : 0;
	}
	memset(csv->column_of, NO_COLUMN, sizeof(csv->column_of));
	if (!map_given(im, csv, fields, &taken))
		return;
	for (u32 role = ROLE_TIME; role < NR_ROLES; role++) {
		u32 column = csv->column_of[role] == NO_COLUMN
				     ? column_named(fields, nr, role, taken)
				     : NO_COLUMN;
		if (column == NO_COLUMN)
			continue;
		if (role == ROLE_PTR)
			csv->ids = (u8)is_id(fields[column].at, fields[column].end);
		csv->column_of[role] = (u8)column;
		columns->at[column].role = role;
		taken |= (u64)1 << column;
	}
	u32 has_size = csv->column_of[ROLE_REQ] != NO_COLUMN ||
		       csv->column_of[ROLE_ALLOC] != NO_COLUMN;
	columns->missing = has_size ? 0 : 1u << ROLE_REQ;
	for (u32 role = ROLE_TIME; role < NR_ROLES; role++)
		columns->missing |= NEEDED & 1u << role && csv->column_of[role] == NO_COLUMN
					    ? 1u << role
					    : 0;
	if (columns->missing)
		refuse_columns(im, columns->missing, fields, nr);
	if (!csv->unit && csv->column_of[ROLE_TIME] != NO_COLUMN)
		csv->unit = unit_of(&fields[csv->column_of[ROLE_TIME]]);
}
