/*
 * machine_state.c - reads the state of a real machine's caches from files of its kernel.
 *
 *	slabinfo - version: 2.1			/proc/slabinfo
 *	filp  1200  1216  256  16  1 : tunables …
 *	/sys/kernel/slab/filp/order:0		grep -r . /sys/kernel/slab
 *	cache,order,objs_per_slab,…		a table with a header; -1: the kernel does not have it
 *	name,object_size,slab_size,order,…	the same
 *	sysfs_name,sysfs_dir			its aliases: names that link to one directory
 *
 * Links are read from the lines of ls -l and slabinfo -a too: "eventpoll_epi -> :0000128", ":0000128 <- eventpoll_epi".
 * Other lines are skipped, because a dump contains more than we compare. Several such texts may follow each other.
 */
#include "machine_state/machine_state.h"
#include "util/scan.h"

enum machine_state_kind { KIND_OTHER, KIND_SLABINFO, KIND_CACHES, KIND_ALIASES };

#define AT(field) (u8)(__builtin_offsetof(struct kmem_machine_state_row, field) / 4)

/* Files in a cache's directory, and the field of each. Tables use these names too. */
static const struct {
	const char *name;
	u8 at;
} fields[] = { { "object_size", AT(object_size) },
	       { "slab_size", AT(size) },
	       { "align", AT(align) },
	       { "objs_per_slab", AT(objects_per_slab) },
	       { "order", AT(order) },
	       { "min_partial", AT(min_partial) },
	       { "cpu_partial", AT(cpu_partial) },
	       { "sheaf_capacity", AT(sheaf_capacity) },
	       { "objects", AT(objects) },
	       { "total_objects", AT(total_objects) },
	       { "slabs", AT(slabs) },
	       { "partial", AT(partial) },
	       { "cpu_slabs", AT(cpu_slabs) },
	       { "objects_partial", AT(objects_partial) },
	       { "slabs_cpu_partial", AT(cpu_partial_objects) },
	       { "hwcache_align", AT(hwcache_align) },
	       { "reclaim_account", AT(reclaim_account) },
	       { "cache_dma", AT(cache_dma) },
	       { "destroy_by_rcu", AT(destroy_by_rcu) },
	       { "aliases", AT(aliases) },
	       { "alias_links", AT(aliases) } };

/* Columns of /proc/slabinfo after the name. The slab's number of pages becomes its order. */
static const u8 slabinfo_columns[] = { AT(objects), AT(total_objects), AT(size),
				       AT(objects_per_slab), AT(order) };

/* name active num size objs pages : tunables 0 0 0 : slabdata ACTIVE NUM SHARED. Counts from the
 * word after the name. */
enum { SLABINFO_ACTIVE_SLABS_WORD = 13, SLABINFO_NUM_SLABS_WORD = 14 };

/* Lines */

/* Returns field + 1; 0 if the import does not use it. */
static u8 field_named(struct range name)
{
	for (u32 i = 0; i < ARRAY_SIZE(fields); i++) {
		if (span_is(name.at, name.end, fields[i].name))
			return (u8)(fields[i].at + 1);
	}
	return 0;
}

/* Reads "/sys/kernel/slab/NAME/FILE:VALUE", with or without a path before it; 0 if the line has another form. */
static int read_path(const u8 *line, const u8 *end, struct range *name, struct range *file,
		     struct range *value)
{
	const u8 *slab = span_find(line, end, "slab/"), *p = line;

	if (slab && (slab == line || slab[-1] == '/') && slab - line < 64)
		p = slab + 5;
	else if (span_begins(line, end, "./"))
		p = line + 2;
	name->at = p;
	name->end = scan_byte(p, end, '/');
	file->at = MIN(name->end + 1, end);
	file->end = scan_byte(file->at, end, ':');
	value->at = MIN(file->end + 1, end);
	value->end = end;
	return file->end < end && name->end > name->at && name->end - name->at < MAX_NAME_BYTES &&
	       field_named(*file);
}

static u32 kind_of_header(const u8 *line, const u8 *end)
{
	if (span_begins(line, end, "slabinfo - version"))
		return KIND_SLABINFO;
	if (span_begins(line, end, "cache,") && span_find(line, end, "order"))
		return KIND_CACHES;
	if (span_begins(line, end, "name,") && span_find(line, end, ",slab_size,"))
		return KIND_CACHES;
	return span_begins(line, end, "sysfs_name,") ? KIND_ALIASES : KIND_OTHER;
}

int machine_state_recognises(const u8 *bytes, u32 len_bytes)
{
	const u8 *p = bytes, *end = bytes + len_bytes;
	struct range name, file, value;

	/* The first line that is not empty. */
	while (p < end && (*p == '\n' || *p == '\r' || is_blank(*p)))
		p++;
	const u8 *line_end = scan_byte(p, end, '\n');
	for (u32 i = 0; i < 8 && p < end; i++) {
		if (kind_of_header(p, line_end) ||
		    span_begins(p, line_end, "# name            <") ||
		    read_path(p, line_end, &name, &file, &value))
			return 1;
		/* A dump may start with files that are not needed, a table with a comment. */
		if (*p != '#' && !span_find(p, line_end, "/sys/kernel/slab/"))
			return 0;
		p = MIN(line_end + 1, end);
		line_end = scan_byte(p, end, '\n');
	}
	return 0;
}

/* Rows */

static void copy_word(char *to, struct range word)
{
	u32 len = MIN((u32)(word.end - word.at), MAX_NAME_BYTES - 1u);

	memset(to, 0, MAX_NAME_BYTES);
	memcpy(to, word.at, len);
}

/* The first cache of a file replaces the caches of earlier files and their aliases. If tables of
 * aliases precede their caches, those new aliases stay. */
static void begin_rows(struct machine_state *o)
{
	if (o->rows_file == o->file)
		return;
	if (!o->rows_file)
		o->aliases_come_first = o->nr_aliases && o->aliases_file < o->file;
	o->replaced |= o->nr_rows != 0;
	if (o->nr_rows && o->aliases_file != o->file &&
	    !(o->aliases_come_first && o->aliases_file > o->rows_file))
		o->nr_aliases = 0;
	o->nr_rows = o->nr_parts = 0;
	o->rows_file = o->file;
}

static void begin_aliases(struct machine_state *o)
{
	if (o->aliases_file == o->file)
		return;
	o->replaced |= o->nr_aliases != 0;
	o->nr_aliases = 0;
	o->aliases_file = o->file;
}

/* Returns the row of a name, created if it does not exist; NULL when there are too many. */
static u32 *row_at(struct machine_state *o, struct range word)
{
	struct machine_state_tables *t = o->tables;
	char name[MAX_NAME_BYTES];

	copy_word(name, word);
	begin_rows(o);
	/* A dump lists all files of one cache together. */
	for (u32 i = o->nr_rows; i-- > 0;) {
		if (text_is(t->names[i], name))
			return (u32 *)&t->rows[i];
	}
	if (o->nr_rows == MAX_CACHES)
		return NULL;
	memcpy(t->names[o->nr_rows], name, sizeof(name));
	memset(&t->rows[o->nr_rows], 0xff, sizeof(t->rows[0]));
	return (u32 *)&t->rows[o->nr_rows++];
}

/* Stores the number at the start of a value: "1216", "1216 N0=1216", "0x10". */
static void put_value(u32 *row, u32 at, const u8 *p, const u8 *end)
{
	const u8 *behind = p;
	u32 number;

	while (behind < end && !is_blank(*behind) && *behind != '(')
		behind++;
	if (row && scan_u32((struct range){ p, behind }, &number))
		row[at] = number;
}

static u32 shared_of(u32 field)
{
	static const u8 shared[] = { [AT(slabs)] = SHARED_SLABS,
				     [AT(partial)] = SHARED_PARTIAL,
				     [AT(objects_partial)] = SHARED_OBJECTS_PARTIAL,
				     [AT(cpu_slabs)] = SHARED_CPU_SLABS,
				     [AT(cpu_partial_objects)] = SHARED_CPU_PARTIAL };

	return field < ARRAY_SIZE(shared) ? shared[field] : SHARED_NOT;
}

static struct range next_field(const u8 **at, const u8 *end)
{
	const u8 *start = *at, *comma = scan_byte(start, end, ',');

	*at = MIN(comma + 1, end);
	return (struct range){ start, comma };
}

static void read_slabinfo(struct machine_state *o, const u8 *p, const u8 *end)
{
	u32 *row, nr = 0;

	if (p == end || *p == '#' || !span_find(p, end, " : "))
		return;
	row = row_at(o, scan_next(&p, end));
	for (struct range w = scan_next(&p, end); w.at < w.end; w = scan_next(&p, end)) {
		if (nr < ARRAY_SIZE(slabinfo_columns))
			put_value(row, slabinfo_columns[nr], w.at, w.end);
		nr++;
		if (nr == SLABINFO_ACTIVE_SLABS_WORD)
			put_value(row, AT(active_slabs), w.at, w.end);
		if (nr == SLABINFO_NUM_SLABS_WORD)
			put_value(row, AT(slabs), w.at, w.end);
	}
	if (row && row[AT(order)] != NOT_REPORTED)
		row[AT(order)] = row[AT(order)] ? 31 - (u32)__builtin_clz(row[AT(order)])
						: NOT_REPORTED;
}

static void read_header(struct machine_state *o, const u8 *p, const u8 *end)
{
	memset(o->columns, 0, sizeof(o->columns));
	for (u32 i = 0; i < MAX_MACHINE_STATE_COLUMNS && p < end; i++)
		o->columns[i] = field_named(next_field(&p, end));
}

static void read_cache(struct machine_state *o, const u8 *p, const u8 *end)
{
	struct range name = next_field(&p, end);

	if (name.at == name.end)
		return;
	u32 *row = row_at(o, name);
	for (u32 i = 1; i < MAX_MACHINE_STATE_COLUMNS && p < end; i++) {
		struct range value = next_field(&p, end);
		if (o->columns[i])
			put_value(row, o->columns[i] - 1u, value.at, value.end);
	}
}

static void put_alias(struct machine_state *o, struct range name, struct range target)
{
	if (name.at == name.end || target.at == target.end)
		return;
	begin_aliases(o);
	if (o->nr_aliases == MAX_CACHES)
		return;
	struct machine_state_alias *alias = &o->tables->aliases[o->nr_aliases++];
	copy_word(alias->name, name);
	copy_word(alias->target, target);
}

static void read_alias(struct machine_state *o, const u8 *p, const u8 *end)
{
	struct range name = next_field(&p, end), target = next_field(&p, end);

	put_alias(o, name, target);
}

/* Returns the last name of a path. */
static struct range last_name(struct range path)
{
	for (const u8 *p = path.at; p < path.end; p++)
		if (*p == '/' && p + 1 < path.end)
			path.at = p + 1;
	return path;
}

/* Reads links of /sys/kernel/slab, as ls -l, find or slabinfo -a shows them: "… NAME -> :0000128", ":0000128 <- NAME NAME".
 * Returns 0 for another line. */
static int read_links(struct machine_state *o, const u8 *p, const u8 *end)
{
	const u8 *to = span_find(p, end, " -> "), *from = span_find(p, end, " <- ");
	struct range name, target;

	if (to) {
		const u8 *behind = to + 4, *last = to;
		while (last > p && is_blank(last[-1]))
			last--;
		name.at = name.end = last;
		while (name.at > p && !is_blank(name.at[-1]))
			name.at--;
		target = scan_next(&behind, end);
		put_alias(o, last_name(name), last_name(target));
		return 1;
	}
	if (!from || *p != ':')
		return 0;
	target = scan_next(&p, from);
	for (p = from + 4, name = scan_next(&p, end); name.at < name.end; name = scan_next(&p, end))
		put_alias(o, name, target);
	return 1;
}

/* Reads "12", "12(3)"; *slabs is 0 without brackets. */
static int read_amount(const u8 *p, const u8 *end, u32 *value, u32 *slabs)
{
	const u8 *open = scan_byte(p, end, '('), *close = scan_byte(open, end, ')');

	*slabs = 0;
	return scan_u32((struct range){ p, open }, value) &&
	       (open == end || scan_u32((struct range){ open + 1, close }, slabs));
}

/* Keeps the parts after the whole of a file in sysfs: "1216 N0=1200 N1=16". */
static void read_parts(struct machine_state *o, u32 *row, u32 field, const u8 *p, const u8 *end)
{
	struct machine_state_part part = { .field = (u8)shared_of(field) };
	struct range word = scan_next(&p, end);
	u32 value, slabs;

	if (!row || !part.field)
		return;
	part.row = (u16)((struct kmem_machine_state_row *)row - o->tables->rows);
	if (field == AT(cpu_partial_objects) && read_amount(word.at, word.end, &value, &slabs))
		row[AT(cpu_partial_slabs)] = slabs;
	for (word = scan_next(&p, end); word.at < word.end; word = scan_next(&p, end)) {
		const u8 *equals = scan_byte(word.at, word.end, '=');
		part.is_cpu = *word.at == 'C';
		if ((*word.at != 'N' && !part.is_cpu) || equals == word.end ||
		    o->nr_parts == MAX_MACHINE_STATE_PARTS ||
		    !scan_u32((struct range){ word.at + 1, equals }, &part.nr) ||
		    !read_amount(equals + 1, word.end, &part.value, &part.slabs))
			continue;
		o->tables->parts[o->nr_parts++] = part;
	}
}

void machine_state_line(struct machine_state *o, const u8 *p, const u8 *end)
{
	struct range name, file, value;
	u32 kind = kind_of_header(p, end);

	if (kind) {
		o->kind = kind;
		read_header(o, p, end);
	} else if (read_path(p, end, &name, &file, &value)) {
		u32 *row = row_at(o, name), field = field_named(file) - 1u;
		put_value(row, field, value.at, value.end);
		read_parts(o, row, field, value.at, value.end);
	} else if (read_links(o, p, end)) {
		return;
	} else if (o->kind == KIND_SLABINFO) {
		read_slabinfo(o, p, end);
	} else if (o->kind == KIND_CACHES) {
		read_cache(o, p, end);
	} else if (o->kind == KIND_ALIASES) {
		read_alias(o, p, end);
	}
}

/* Look-up */

static const struct kmem_machine_state_row *row_named(const struct machine_state *o,
						      const char *name)
{
	for (u32 i = 0; i < o->nr_rows; i++)
		if (text_is(o->tables->names[i], name))
			return &o->tables->rows[i];
	return NULL;
}

const struct kmem_machine_state_row *machine_state_find(const struct machine_state *o,
							const char *name)
{
	const struct kmem_machine_state_row *row = row_named(o, name);

	for (u32 a = 0; a < o->nr_aliases && !row; a++)
		if (text_is(o->tables->aliases[a].name, name))
			row = row_named(o, o->tables->aliases[a].target);
	return row;
}

int machine_state_has_sheaves(const struct machine_state *o)
{
	u32 with = 0;

	for (u32 i = 0; i < o->nr_rows; i++)
		with += o->tables->rows[i].sheaf_capacity - 1 < MAX_SHEAF_CAPACITY;
	return with > o->nr_rows / 2;
}

static int begins_with(const char *name, const char *with)
{
	return span_begins((const u8 *)name, (const u8 *)name + text_length(name), with);
}

int machine_state_lacks_accounting(const struct machine_state *o)
{
	int has_plain = 0;

	if (!o->is_used || !o->tables)
		return 0;
	for (u32 i = 0; i < o->nr_rows; i++) {
		if (begins_with(o->tables->names[i], "kmalloc-cg-"))
			return 0;
		has_plain |= begins_with(o->tables->names[i], "kmalloc-");
	}
	for (u32 a = 0; a < o->nr_aliases; a++)
		if (begins_with(o->tables->aliases[a].name, "kmalloc-cg-"))
			return 0;
	return has_plain;
}

const char *machine_state_target(const struct machine_state *o, const char *name)
{
	const struct machine_state_alias *aliases = o->tables->aliases;

	for (u32 a = 0; a < o->nr_aliases; a++)
		if (text_is(aliases[a].name, name))
			return aliases[a].target;
	return name;
}

void machine_state_add_aliases(const struct machine_state *o, const char *name, struct text *out)
{
	const struct machine_state_tables *t = o->tables;
	const char *target = machine_state_target(o, name);
	u32 nr = 0;

	for (u32 a = 0; a < o->nr_aliases; a++) {
		if (!text_is(t->aliases[a].target, target) || text_is(t->aliases[a].name, name))
			continue;
		text_add(out, nr++ ? ", " : "");
		text_add(out, t->aliases[a].name);
	}
}

static int was_used(const struct kmem_machine_state_row *row)
{
	return !row || row->slabs;
}

static int is_kmalloc(const char *name)
{
	return begins_with(name, "kmalloc-") || begins_with(name, "dma-kmalloc-");
}

/* Returns the name in whichever of two caches has one. */
static const char *only_name(const struct machine_state *o, const char *name)
{
	const struct machine_state_alias *aliases = o->tables->aliases;
	const char *found = NULL;

	for (u32 a = 0; a < o->nr_aliases; a++) {
		if (!text_is(aliases[a].target, name))
			continue;
		if (found)
			return name;
		found = aliases[a].name;
	}
	return found ? found : name;
}

const char *machine_state_of_size(const struct machine_state *o, const struct machine_state *after,
				  u32 object_size, u32 slot)
{
	const struct machine_state_tables *t = o->tables;
	u32 nr_equal = 0, nr_larger = 0;
	const char *equal = NULL, *larger = NULL;

	for (u32 i = 0; i < o->nr_rows; i++) {
		const struct kmem_machine_state_row *row = &t->rows[i];
		const char *name = t->names[i];
		if (row->size != slot || is_kmalloc(name) ||
		    !text_is(machine_state_target(o, name), name) ||
		    (!was_used(row) &&
		     !(after->nr_rows && was_used(machine_state_find(after, name)))))
			continue;
		if (row->object_size == object_size && !nr_equal++)
			equal = name;
		if (row->object_size > object_size && !nr_larger++)
			larger = name;
	}
	if (nr_equal ? nr_equal > 1 : nr_larger != 1)
		return NULL;
	return only_name(o, equal ? equal : larger);
}
