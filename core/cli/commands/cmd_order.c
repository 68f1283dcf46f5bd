/*
 * cmd_order.c - `slabscope order`: how many pages a slab of a given slot size gets, and why; and with --machine, for every
 * cache of a real machine, the pages that one order rule saves over another.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "doc/doc.h"

enum { DEFAULT_TO_BYTES = 8192, SIZE_STEP = 8, LARGEST_BYTES = 1 << 26 };

/* The keys and columns are those of the tables that were made with the real allocators. */
static const char row_keys[] =
	"size,order,objects,waste,min_partial,cpu_partial_objects,cpu_partial_slabs,sheaf_capacity";
static const char row_keys_indexed[] =
	"size,aligned_size,freelist_mgmt=management:kmem_management,order,objects,waste,colour=colours,"
	"limit,batchcount,shared,free_limit";
static const char try_keys[] = "min_objects,fraction,order,remainder,accepted:bool";
static const char try_keys_indexed[] =
	"min_objects,fraction,order,remainder,accepted:bool,management:kmem_management,"
	"outcome:kmem_outcome";

static void say_row(struct doc *d, const struct kmem_order_row *row, const char *rule,
		    const char *page_size)
{
	doc_line(d, "%s: order %u (%s of %s bytes), %s, %s of tail waste (rule %s)",
		 counted(row->size, "byte").s, row->order, counted(1u << row->order, "page").s,
		 page_size, counted(row->objects, "object").s, counted(row->waste, "byte").s, rule);
	doc_say(d, "  min_partial %u, cpu_partial %s or %s", row->min_partial,
		counted(row->cpu_partial_objects, "object").s,
		counted(row->cpu_partial_slabs, "slab").s);
	if (row->sheaf_capacity)
		doc_say(d, ", sheaves of %s", counted(row->sheaf_capacity, "object").s);
	doc_gap(d);
}

static void say_row_indexed(struct doc *d, const struct kmem_order_row *row, const char *era,
			    const char *page_size)
{
	doc_line(
		d,
		"%s in slots of %u: order %u (%s of %s bytes), %s, %s of tail waste, %s (slab_era %s)",
		counted(row->size, "byte").s, row->aligned_size, row->order,
		counted(1u << row->order, "page").s, page_size, counted(row->objects, "object").s,
		counted(row->waste, "byte").s, counted(row->colours, "colour").s, era);
	doc_line(d, "  indices %s", enum_words("kmem_management", row->management));
	doc_line(d, "  limit %u, batchcount %u, shared factor %u, free_limit %u", row->limit,
		 row->batchcount, row->shared, row->free_limit);
}

static void say_try(struct doc *d, const struct kmem_order_try *try, int indexed)
{
	if (indexed)
		doc_line(d, "  indices %s: order %u holds %s and leaves %s: %s",
			 enum_words("kmem_management", try->management), try->order,
			 counted(try->min_objects, "object").s, counted(try->remainder, "byte").s,
			 enum_words("kmem_outcome", try->outcome));
	else
		doc_line(d,
			 "  order %u for at least %s leaves %s; the limit is 1/%u of the slab: %s",
			 try->order, counted(try->min_objects, "object").s,
			 counted(try->remainder, "byte").s, try->fraction,
			 try->accepted ? "accepted" : "too much");
}

/* A copy, because kmem_param's text lasts until the next call only. */
struct word {
	char s[64];
};

static struct word in_force(const struct host *h, const char *key)
{
	struct word w;

	snprintf(w.s, sizeof(w.s), "%s", kmem_param(h->session, key));
	return w;
}

/* Returns 1 if slabs have freelist indices and CPUs have array caches, as in SLAB; 0 if orders follow order_rule. */
static int has_indices(const struct host *h)
{
	return (int)kmem_has_param(h->session, PARAM_SLAB_ERA);
}

/* The columns after page_size, which is not in the row. */
static const char *csv_columns(const struct host *h)
{
#define BEHIND_MANAGEMENT                                                                   \
	":kmem_management,gfporder=order,num=objects,left_over=waste,colour=colours,limit," \
	"batchcount,shared,free_limit"
	if (!has_indices(h))
		return "size,order,objects,waste_bytes=waste,min_partial,cpu_partial_objects,"
		       "cpu_partial_slabs,sheaf_capacity";
	if (strcmp(in_force(h, "slab_era").s, "linux-6.1") == 0)
		return "nr_cpus,size,aligned_size,freelist_mgmt=management" BEHIND_MANAGEMENT;
	return "nr_cpus,size,aligned_size,mgmt=management" BEHIND_MANAGEMENT;
}

/* The columns of rows, and of --all in JSON. */
static void row_columns(struct doc *d, const struct host *h, const char *page_size,
			struct named_columns *columns)
{
	columns->nr = 0;
	d->same[0] = page_size;
	if (has_indices(h) && d->form != DOC_JSON)
		columns->of[columns->nr++] = (struct column)COLUMN_SAME("page_size", 0, IN_CSV);
	add_columns(columns, fields_of_kmem_order_row,
		    d->form != DOC_JSON ? csv_columns(h)
		    : has_indices(h)	? row_keys_indexed
					: row_keys);
}

static void answer_one(struct doc *d, struct host *h, const struct args *args)
{
	u64 size = option_number(args, "size");
	int indexed = has_indices(h);
	struct word rule = in_force(h, indexed ? "slab_era" : "order_rule"),
		    page_size = in_force(h, "page_size");
	u32 nr;

	if (size == 0 || size > LARGEST_BYTES)
		refuse_call("--size must be a number of bytes from 1 to %u", (u32)LARGEST_BYTES);
	const struct kmem_order_row *row = kmem_order(h->session, (u32)size);
	if (!row)
		host_failed(h, KMEM_EPARAM);
	if (doc_has_rows(d)) {
		struct named_columns columns;
		row_columns(d, h, page_size.s, &columns);
		doc_rows(d, NULL, (struct rows){ columns.of, columns.nr, sizeof(*row), row, 1 });
		return;
	}
	const struct kmem_order_try *tries = kmem_order_tries(h->session, &nr);
	(indexed ? say_row_indexed : say_row)(d, row, rule.s, page_size.s);
	for (u32 i = 0; i < nr; i++)
		say_try(d, &tries[i], indexed);
	doc_object(d, NULL);
	doc_fields(d, ROW(kmem_order_row, row), indexed ? row_keys_indexed : row_keys);
	doc_text(d, "rule", rule.s);
	doc_number(d, "page_size", strtoull(page_size.s, NULL, 10));
	if (given(args, "cpus"))
		doc_number(d, "cpus", strtoull(in_force(h, "cpus").s, NULL, 10));
	doc_number(d, "nr_tries", row->nr_tries);
	doc_field_rows(d, "tries", ROW(kmem_order_try, tries), nr,
		       indexed ? try_keys_indexed : try_keys);
	doc_end(d);
}

static void answer_all(struct doc *d, struct host *h, const struct args *args)
{
	u64 to = option_or(args, "to", DEFAULT_TO_BYTES);
	struct word page_size = in_force(h, "page_size");
	struct named_columns columns;

	if (to < SIZE_STEP || to > LARGEST_BYTES)
		refuse_call("--to must be a number of bytes from %u to %u", (u32)SIZE_STEP,
			    (u32)LARGEST_BYTES);
	/* Without --json the rows are CSV. */
	d->form = d->form == DOC_TEXT ? DOC_CSV : d->form;
	row_columns(d, h, page_size.s, &columns);
	doc_array(d, NULL);
	doc_head(d, columns.of, columns.nr);
	for (u32 size = SIZE_STEP; size <= to; size += SIZE_STEP) {
		const struct kmem_order_row *row = kmem_order(h->session, size);
		/* The size exceeds every order, so there is no row: the kernel would create no such cache. The parameters were accepted
		 * before. */
		if (!row && size == SIZE_STEP)
			host_failed(h, KMEM_EPARAM);
		if (row)
			doc_cells(d, columns.of, columns.nr, row);
	}
	doc_end(d);
}

/* The caches of a machine */

static const u32 page_sizes[] = { 4096, 8192, 16384, 32768, 65536 };

static const char machine_keys[] =
	"cache=name_at,size,objects?,slots?,machine_order?,machine_slabs?,order_a,order_b,objects_a,"
	"objects_b,pages_a,pages_b,slot_pages_a,slot_pages_b";
static const char total_keys[] =
	"page_size=page_bytes,cpus=nr_cpus,caches,changed,unsized,counted,objects,pages_a,pages_b,"
	"slot_pages_a,slot_pages_b,per_object_a,per_object_b";

struct question {
	const char *rule, *against;
	u32 page_bytes; /* 0: every page size */
	u32 nr_cpus;
};

/* Removes a setting and returns its value; NULL if it was not set. */
static const char *take_setting(struct args *args, const char *key)
{
	const char *value = NULL;
	u32 kept = 0;

	for (u32 i = 0; i < args->nr_settings; i++) {
		if (strcmp(args->settings[i].key, key) == 0)
			value = args->settings[i].value;
		else
			args->settings[kept++] = args->settings[i];
	}
	args->nr_settings = kept;
	return value;
}

/* The number of an option, or `otherwise` if it isn't given. */
static u32 read_number(const char *option, const char *text, u32 otherwise)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 10) : otherwise;

	if (text && (*text < '0' || *text > '9' || *end || value > 1u << 20))
		refuse_call("--%s: expected a number, found `%.40s`", option, text);
	return (u32)value;
}

static double mib(u64 pages, u32 page_bytes)
{
	return (double)pages * page_bytes / (1 << 20);
}

/* MiB that rule B needs more than A; below 0 if it saves memory. */
static double change_mib(u64 a, u64 b, u32 page_bytes)
{
	return mib(b, page_bytes) - mib(a, page_bytes);
}

static double change_percent(u64 a, u64 b)
{
	return a ? 100.0 * ((double)b - (double)a) / (double)a : 0;
}

static void say_totals_head(struct doc *d, const struct question *q)
{
	doc_line(
		d,
		"%s. A is %s, B is %s. object %%: what one object of each cache takes of a slab.\n"
		"pages and MiB: for the objects in use in full slabs; slots: for as many slots as the machine has.\n",
		counted(q->nr_cpus, "CPU").s, q->rule, q->against);
	doc_line(d, "  %9s %7s %8s %9s %12s %12s %10s %8s %10s %8s", "page size", "caches",
		 "changed", "object %", "pages A", "pages B", "MiB", "%", "slots MiB", "%");
}

static void answer_totals(struct doc *d, const struct kmem_order_machine_totals *t)
{
	doc_row(d, NULL);
	doc_fields(d, ROW(kmem_order_machine_totals, t), total_keys);
	doc_end(d);
	doc_say(d, "  %9s %7u %8u %+9.2f", grouped(t->page_bytes).s, t->caches, t->changed,
		change_percent(t->per_object_a, t->per_object_b));
	if (!t->counted) {
		doc_line(d, "   the file does not say how many objects are in use");
		return;
	}
	doc_say(d, " %12s %12s %+10.2f %+8.2f", grouped(t->pages_a).s, grouped(t->pages_b).s,
		change_mib(t->pages_a, t->pages_b, t->page_bytes),
		change_percent(t->pages_a, t->pages_b));
	doc_line(d, " %+10.2f %+8.2f", change_mib(t->slot_pages_a, t->slot_pages_b, t->page_bytes),
		 change_percent(t->slot_pages_a, t->slot_pages_b));
}

static void say_equal_objects(struct doc *d, const struct kmem_order_machine_totals *t)
{
	doc_line(
		d,
		"\n  one object of each cache takes %.1f bytes of slab under A and %.1f under B (%+.2f %%)",
		(double)t->per_object_a / 1000, (double)t->per_object_b / 1000,
		change_percent(t->per_object_a, t->per_object_b));
	if (t->unsized)
		doc_line(d, "  %s left out: the slot size is unknown, or no order holds it",
			 counted(t->unsized, "cache").s);
	doc_gap(d);
}

static u64 change(const struct kmem_order_machine_row *row)
{
	return row->pages_a > row->pages_b ? row->pages_a - row->pages_b
					   : row->pages_b - row->pages_a;
}

/* The largest changes first, then other changed orders, then as in the file. */
static int by_change(const void *p, const void *q)
{
	const struct kmem_order_machine_row *a = p, *b = q;
	int a_differs = a->order_a != a->order_b, b_differs = b->order_a != b->order_b;

	if (change(a) != change(b))
		return change(a) < change(b) ? 1 : -1;
	if (a_differs != b_differs)
		return b_differs - a_differs;
	return a->name_at < b->name_at ? -1 : a->name_at > b->name_at;
}

/* A cache as text has it: without the number of its objects it has no pages. */
struct machine_cache {
	struct kmem_order_machine_row row;
	u64 pages_a, pages_b;
	char change[32];
};

static const struct column machine_columns[] = {
	COLUMN(NULL, machine_cache, row.name_at, TEXT_AT, 0, "cache", -28),
	COLUMN(NULL, machine_cache, row.size, COUNT, 0, "slot", 9),
	COLUMN(NULL, machine_cache, row.objects, COUNT, OR_NULL, "objects", 12),
	COLUMN(NULL, machine_cache, row.machine_order, COUNT, OR_NULL, "machine", 9),
	COLUMN(NULL, machine_cache, row.order_a, DIGITS, 0, "order A", 9),
	COLUMN(NULL, machine_cache, row.order_b, DIGITS, 0, "order B", 9),
	COLUMN(NULL, machine_cache, pages_a, COUNT, OR_NULL, "pages A", 11),
	COLUMN(NULL, machine_cache, pages_b, COUNT, OR_NULL, "pages B", 11),
	COLUMN(NULL, machine_cache, change, STRING, 0, "change", 9),
};

static const struct kmem_order_machine_row *ask(struct host *h, const struct question *q,
						u32 page_bytes, u32 *nr)
{
	return kmem_order_machine(h->session, q->rule, q->against, page_bytes, q->nr_cpus, nr);
}

/* The requested page sizes. */
static int is_asked(const struct question *q, u32 i)
{
	return !q->page_bytes || q->page_bytes == page_sizes[i];
}

/* The caches at one page size; in text those with the largest changes first. */
static void answer_machine_caches(struct doc *d, struct host *h, const struct question *q)
{
	u32 nr;
	const struct kmem_order_machine_row *rows = ask(h, q, q->page_bytes, &nr);

	doc_field_rows(d, "caches", ROW(kmem_order_machine_row, rows), nr, machine_keys);
	if (d->form != DOC_TEXT)
		return;
	struct kmem_order_machine_row *sorted = memory_for(nr, sizeof(*rows));
	memcpy(sorted, rows, nr * sizeof(*rows));
	qsort(sorted, nr, sizeof(*rows), by_change);
	say_equal_objects(d, kmem_order_machine_totals(h->session));
	doc_head(d, machine_columns, ARRAY_SIZE(machine_columns));
	for (u32 i = 0; i < nr; i++) {
		int is_known = sorted[i].objects != KMEM_NONE32;
		u64 a = sorted[i].pages_a, b = sorted[i].pages_b;
		struct machine_cache cache = { sorted[i], is_known ? a : ~(u64)0,
					       is_known ? b : ~(u64)0, NO_NUMBER };
		if (is_known)
			snprintf(cache.change, sizeof(cache.change), "%+lld",
				 (long long)b - (long long)a);
		doc_cells(d, machine_columns, ARRAY_SIZE(machine_columns), &cache);
	}
	free(sorted);
}

static void answer_machine(struct doc *d, struct host *h, const struct question *q)
{
	u32 nr;

	doc_object(d, NULL);
	doc_text(d, "rule", q->rule);
	doc_text(d, "against", q->against);
	doc_from(d, FROM_KNOWN_START);
	doc_from_of(d, "objects=machine,slots=machine,machine_order=machine,machine_slabs=machine");
	say_totals_head(d, q);
	doc_array(d, "page_sizes");
	for (u32 i = 0; i < ARRAY_SIZE(page_sizes); i++)
		if (is_asked(q, i) && ask(h, q, page_sizes[i], &nr))
			answer_totals(d, kmem_order_machine_totals(h->session));
	doc_end(d);
	if (q->page_bytes)
		answer_machine_caches(d, h, q);
	else
		doc_line(d, "\n  --page-size BYTES lists the caches.");
	doc_end(d);
}

static void answer_machine_rows(struct doc *d, struct host *h, const struct question *q)
{
	static const char *const constant[] = { "rule", "against", "page_size", "cpus" };
	struct named_columns columns = { .nr = 0 };
	char page_size[16], cpus[16];
	const char *const values[] = { q->rule, q->against, page_size, cpus,
				       from_name(FROM_KNOWN_START) };
	u32 nr;

	for (; columns.nr < ARRAY_SIZE(constant); columns.nr++)
		columns.of[columns.nr] = (struct column)COLUMN_SAME(constant[columns.nr],
								    columns.nr, IN_CSV);
	add_columns(&columns, fields_of_kmem_order_machine_row, machine_keys);
	columns.of[columns.nr++] = (struct column)COLUMN_SAME("from", 4, IN_CSV);
	memcpy(d->same, values, sizeof(values));
	snprintf(cpus, sizeof(cpus), "%u", q->nr_cpus);
	doc_head(d, columns.of, columns.nr);
	for (u32 i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		if (!is_asked(q, i))
			continue;
		snprintf(page_size, sizeof(page_size), "%u", page_sizes[i]);
		const struct kmem_order_machine_row *rows = ask(h, q, page_sizes[i], &nr);
		for (u32 k = 0; k < nr; k++)
			doc_cells(d, columns.of, columns.nr, &rows[k]);
	}
}

/* A page size that no simulated machine has is allowed here. */
static void order_machine(struct args *args)
{
	const char *page_size = take_setting(args, "page_size"), *cpus = take_setting(args, "cpus");
	struct host h;
	u32 nr;

	host_open(&h, args);
	struct word rule = in_force(&h, "order_rule");
	const struct question q = {
		rule.s,
		option_text_or(args, "against",
			       strcmp(rule.s, "rfc-2023") ? "rfc-2023" : "mainline"),
		read_number("page-size", page_size, 0), read_number("cpus", cpus, 1)
	};
	machine_state_read(&h, args);
	/* Refuses what is wrong with the question before anything is printed. */
	if (!ask(&h, &q, q.page_bytes ? q.page_bytes : page_sizes[0], &nr))
		host_failed(&h, KMEM_EPARAM);
	struct doc d = host_doc(&h, asked_form(args));
	(doc_has_rows(&d) ? answer_machine_rows : answer_machine)(&d, &h, &q);
}

static int run(struct args *args)
{
	struct host h;

	if (given(args, "size") + given(args, "all") + given(args, "machine") != 1)
		refuse_call("order needs --size BYTES, --all or --machine FILE");
	if (given(args, "machine")) {
		order_machine(args);
		return EXIT_DONE;
	}
	host_open(&h, args);
	if (!kmem_chooses_orders(h.session))
		refuse_call(
			"--allocator %s does not choose orders by the size of objects: choose another allocator",
			kmem_param(h.session, "allocator"));
	struct doc d = host_doc(&h, asked_form(args));
	(given(args, "all") ? answer_all : answer_one)(&d, &h, args);
	return EXIT_DONE;
}

static const struct option options[] = {
	OPTION("size", WHOLE, "BYTES", "the size of a slot"),
	{ "all", .help = "print every multiple of 8" },
	OPTION("to", WHOLE, "BYTES", "the last size of --all (default 8192)"),
	OPTION("rule", WORD, "NAME",
	       "the order rule: mainline, rfc-2023, linux-6.7 or linux-2.6.26",
	       .key = "order_rule"),
	OPTION("min-objects", WORD, "N", "how many objects a slab should hold at least",
	       .key = "min_objects"),
	OPTION("max-order", WORD, "N", "the largest order to try", .key = "max_order"),
	OPTION_PAGE_SIZE,
	OPTION_CPUS,
	OPTION_PRESET,
	OPTION_ALLOCATOR,
	OPTION_MEMORY,
	OPTION_SET,
	OPTION("machine", FILES, "FILE,...",
	       "the caches of a real machine: its /proc/slabinfo or /sys/kernel/slab"),
	OPTION("against", WORD, "NAME", "the rule to compare with (default rfc-2023)"),
	OPTIONS_END,
};

const struct command command_order = {
	GROUP_MACHINE,
	"order",
	"",
	"show how many pages a slab gets for an object size, and why",
	"Applies the rule that sets the order of a slab; no trace is needed. --size shows every\n"
	"try with its tail waste, --all prints every multiple of 8 up to --to as CSV. --machine\n"
	"asks about every cache of a real machine under two rules, and how many pages one of them\n"
	"saves: for every page size from 4 to 64 KiB, or for one, with the caches. Without --cpus\n"
	"the machine has one CPU.",
	"  slabscope order --size 11008 --cpus 2 --rule linux-6.7\n"
	"  slabscope order --all --page-size 65536 --cpus 16 --rule rfc-2023 > orders.csv\n"
	"  slabscope order --machine slab.txt --against rfc-2023 --page-size 65536 --cpus 160",
	TAKES_JSON | TAKES_ROWS,
	options,
	.run = run,
};
