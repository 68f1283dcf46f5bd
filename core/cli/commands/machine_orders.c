/*
 * machine_orders.c - `slabscope order --machine FILE`: every cache of a real machine under two order rules, and the pages
 * that one saves, for one page size or for all from 4 to 64 KiB.
 */
#include "cli/commands/machine_orders.h"

#include <stdlib.h>
#include <string.h>

#include "cli/host/machine_state_files.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

static const u32 page_sizes[] = { 4096, 8192, 16384, 32768, 65536 };

static const char row_keys[] =
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

/* The value of a setting, which is then no longer set; NULL if it was not set. */
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

static int read_number(const char *option, const char *text, u32 *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && value <= 1u << 20) {
		*number = (u32)value;
		return 1;
	}
	complain("--%s takes a number, not `%.40s`", option, text);
	return 0;
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

static void print_totals_head(const struct question *q)
{
	printf("%s. A is %s, B is %s. object %%: what one object of each cache takes of a slab.\n"
	       "pages and MiB: for the objects in use in full slabs; slots: for as many slots as the machine has.\n\n",
	       counted(q->nr_cpus, "CPU").s, q->rule, q->against);
	printf("  %9s %7s %8s %9s %12s %12s %10s %8s %10s %8s\n", "page size", "caches", "changed",
	       "object %", "pages A", "pages B", "MiB", "%", "slots MiB", "%");
}

static void print_totals(const struct kmem_order_machine_totals *t)
{
	printf("  %9s %7u %8u %+9.2f", grouped(t->page_bytes).s, t->caches, t->changed,
	       change_percent(t->per_object_a, t->per_object_b));
	if (t->counted) {
		printf(" %12s %12s %+10.2f %+8.2f", grouped(t->pages_a).s, grouped(t->pages_b).s,
		       change_mib(t->pages_a, t->pages_b, t->page_bytes),
		       change_percent(t->pages_a, t->pages_b));
		printf(" %+10.2f %+8.2f\n",
		       change_mib(t->slot_pages_a, t->slot_pages_b, t->page_bytes),
		       change_percent(t->slot_pages_a, t->slot_pages_b));
	} else {
		puts("   the file does not say how many objects are in use");
	}
}

static void print_equal_objects(const struct kmem_order_machine_totals *t)
{
	printf("  one object of each cache takes %.1f bytes of slab under A and %.1f under B (%+.2f %%)\n",
	       (double)t->per_object_a / 1000, (double)t->per_object_b / 1000,
	       change_percent(t->per_object_a, t->per_object_b));
	if (t->unsized)
		printf("  %s left out: the slot size is unknown, or no order holds it\n",
		       counted(t->unsized, "cache").s);
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

static void print_row(const struct host *h, const struct kmem_order_machine_row *row)
{
	printf("  %-28s %8s", plain(host_text(h, row->name_at)), grouped(row->size).s);
	print_right(row->objects == KMEM_NONE32 ? NO_NUMBER : grouped(row->objects).s, 12);
	print_right(row->machine_order == KMEM_NONE32 ? NO_NUMBER : grouped(row->machine_order).s,
		    9);
	printf(" %8u %8u", row->order_a, row->order_b);
	if (row->objects == KMEM_NONE32)
		puts("          –          –        –");
	else
		printf(" %10s %10s %+8lld\n", grouped(row->pages_a).s, grouped(row->pages_b).s,
		       (long long)row->pages_b - (long long)row->pages_a);
}

static int print_rows(const struct host *h, const struct kmem_order_machine_row *rows, u32 nr)
{
	struct kmem_order_machine_row *sorted = malloc(((size_t)nr + 1) * sizeof(*rows));

	if (!sorted) {
		complain("not enough memory for %s", counted(nr, "cache").s);
		return EXIT_INPUT;
	}
	memcpy(sorted, rows, nr * sizeof(*rows));
	qsort(sorted, nr, sizeof(*rows), by_change);
	printf("\n  %-28s %8s %11s %8s %8s %8s %10s %10s %8s\n", "cache", "slot", "objects",
	       "machine", "order A", "order B", "pages A", "pages B", "change");
	for (u32 i = 0; i < nr; i++)
		print_row(h, &sorted[i]);
	free(sorted);
	return EXIT_DONE;
}

static const struct kmem_order_machine_row *ask(struct host *h, const struct question *q,
						u32 page_bytes, u32 *nr)
{
	return kmem_order_machine(h->session, q->rule, q->against, page_bytes, q->nr_cpus, nr);
}

/* The page sizes that are asked for. */
static int is_asked(const struct question *q, u32 i)
{
	return !q->page_bytes || q->page_bytes == page_sizes[i];
}

static int print_json(struct host *h, const struct question *q)
{
	struct json j = json_to(stdout);
	u32 nr;

	json_object(&j, NULL);
	json_text(&j, "rule", q->rule);
	json_text(&j, "against", q->against);
	from_json(&j, FROM_KNOWN_START);
	from_of_json(&j,
		     "objects=machine,slots=machine,machine_order=machine,machine_slabs=machine");
	json_array(&j, "page_sizes");
	for (u32 i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		if (!is_asked(q, i) || !ask(h, q, page_sizes[i], &nr))
			continue;
		json_row(&j, NULL);
		fields_json(&j, h,
			    ROW(kmem_order_machine_totals, kmem_order_machine_totals(h->session)),
			    total_keys);
		json_end(&j);
	}
	json_end(&j);
	if (q->page_bytes) {
		const struct kmem_order_machine_row *rows = ask(h, q, q->page_bytes, &nr);
		rows_json(&j, "caches", h, ROW(kmem_order_machine_row, rows), nr, row_keys);
	}
	json_end(&j);
	return EXIT_DONE;
}

static int print_csv(struct host *h, const struct question *q)
{
	u32 nr;

	fputs("rule,against,page_size,cpus,", stdout);
	fields_csv_head(row_keys);
	puts(",from");
	for (u32 i = 0; i < ARRAY_SIZE(page_sizes); i++) {
		if (!is_asked(q, i))
			continue;
		const struct kmem_order_machine_row *rows = ask(h, q, page_sizes[i], &nr);
		for (u32 k = 0; k < nr; k++) {
			printf("%s,%s,%u,%u,", q->rule, q->against, page_sizes[i], q->nr_cpus);
			fields_csv(h, ROW(kmem_order_machine_row, &rows[k]), row_keys);
			from_csv(FROM_KNOWN_START);
		}
	}
	return EXIT_DONE;
}

static int print_text(struct host *h, const struct question *q)
{
	u32 nr;

	print_totals_head(q);
	for (u32 i = 0; i < ARRAY_SIZE(page_sizes); i++)
		if (is_asked(q, i) && ask(h, q, page_sizes[i], &nr))
			print_totals(kmem_order_machine_totals(h->session));
	if (!q->page_bytes) {
		puts("\n  --page-size BYTES lists the caches.");
		return EXIT_DONE;
	}
	const struct kmem_order_machine_row *rows = ask(h, q, q->page_bytes, &nr);
	puts("");
	print_equal_objects(kmem_order_machine_totals(h->session));
	return print_rows(h, rows, nr);
}

/* Fills in what the call leaves out. A copy of the rule in force, because kmem_param's text lasts until the next call. */
static int read_question(struct host *h, const struct args *args, const char *page_size,
			 const char *cpus, struct question *q)
{
	static char in_force[64];

	snprintf(in_force, sizeof(in_force), "%s", kmem_param(h->session, "order_rule"));
	*q = (struct question){ .rule = in_force,
				.against = strcmp(in_force, "rfc-2023") ? "rfc-2023" : "mainline",
				.nr_cpus = 1 };
	if (GIVEN(args, AGAINST_RULE))
		q->against = args->text[OPT_AGAINST_RULE];
	return (!page_size || read_number("page-size", page_size, &q->page_bytes)) &&
	       (!cpus || read_number("cpus", cpus, &q->nr_cpus));
}

int order_machine(struct args *args)
{
	const char *page_size = take_setting(args, "page_size"), *cpus = take_setting(args, "cpus");
	struct question q;
	struct host h;
	u32 nr;
	int status = host_open(&h, args);

	if (!status && !read_question(&h, args, page_size, cpus, &q))
		status = EXIT_CALL;
	if (!status)
		status = machine_state_read(&h, args);
	if (status)
		return status;
	/* Refuses what is wrong with the question before anything is printed. */
	if (!ask(&h, &q, q.page_bytes ? q.page_bytes : page_sizes[0], &nr))
		return host_failed(&h, KMEM_EPARAM);
	if (GIVEN(args, JSON))
		return print_json(&h, &q);
	return GIVEN(args, CSV) ? print_csv(&h, &q) : print_text(&h, &q);
}
