/*
 * cmd_order.c - `slabscope order`: how many pages a slab of a given slot size gets, and why.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/machine_orders.h"
#include "cli/print/named_fields.h"
#include "cli/text/names.h"

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
static void tries_text(const struct kmem_order_try *try, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		printf("  order %u for at least %s leaves %s; the limit is 1/%u of the slab: %s\n",
		       try[i].order, counted(try[i].min_objects, "object").s,
		       counted(try[i].remainder, "byte").s, try[i].fraction,
		       try[i].accepted ? "accepted" : "too much");
}

static void row_text(const struct kmem_order_row *row, const char *rule, const char *page_size)
{
	printf("%s: order %u (%s of %s bytes), %s, %s of tail waste (rule %s)\n",
	       counted(row->size, "byte").s, row->order, counted(1u << row->order, "page").s,
	       page_size, counted(row->objects, "object").s, counted(row->waste, "byte").s, rule);
	printf("  min_partial %u, cpu_partial %s or %s", row->min_partial,
	       counted(row->cpu_partial_objects, "object").s,
	       counted(row->cpu_partial_slabs, "slab").s);
	if (row->sheaf_capacity)
		printf(", sheaves of %s", counted(row->sheaf_capacity, "object").s);
	putchar('\n');
}

static void tries_text_indexed(const struct kmem_order_try *try, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		printf("  indices %s: order %u holds %s and leaves %s: %s\n",
		       enum_words("kmem_management", try[i].management), try[i].order,
		       counted(try[i].min_objects, "object").s, counted(try[i].remainder, "byte").s,
		       enum_words("kmem_outcome", try[i].outcome));
}

static void row_text_indexed(const struct kmem_order_row *row, const char *era,
			     const char *page_size)
{
	printf("%s in slots of %u: order %u (%s of %s bytes), %s, %s of tail waste, %s (slab_era %s)\n",
	       counted(row->size, "byte").s, row->aligned_size, row->order,
	       counted(1u << row->order, "page").s, page_size, counted(row->objects, "object").s,
	       counted(row->waste, "byte").s, counted(row->colours, "colour").s, era);
	printf("  indices %s\n", enum_words("kmem_management", row->management));
	printf("  limit %u, batchcount %u, shared factor %u, free_limit %u\n", row->limit,
	       row->batchcount, row->shared, row->free_limit);
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

static int print_one(struct host *h, const struct args *args)
{
	u64 size = args->number[OPT_SIZE];
	int indexed = has_indices(h);
	struct word rule = in_force(h, indexed ? "slab_era" : "order_rule"),
		    page_size = in_force(h, "page_size");
	struct json j = json_to(stdout);
	u32 nr;

	if (size == 0 || size > LARGEST_BYTES) {
		complain("--size must be a number of bytes in 1..%u", (u32)LARGEST_BYTES);
		return EXIT_CALL;
	}
	const struct kmem_order_row *row = kmem_order(h->session, (u32)size);
	if (!row)
		return host_failed(h, KMEM_EPARAM);
	const struct kmem_order_try *tries = kmem_order_tries(h->session, &nr);
	if (!GIVEN(args, JSON) && indexed) {
		row_text_indexed(row, rule.s, page_size.s);
		tries_text_indexed(tries, nr);
		return EXIT_DONE;
	}
	if (!GIVEN(args, JSON)) {
		row_text(row, rule.s, page_size.s);
		tries_text(tries, nr);
		return EXIT_DONE;
	}
	json_object(&j, NULL);
	fields_json(&j, h, ROW(kmem_order_row, row), indexed ? row_keys_indexed : row_keys);
	json_text(&j, "rule", rule.s);
	json_number(&j, "page_size", strtoull(page_size.s, NULL, 10));
	if (GIVEN(args, CPUS))
		json_number(&j, "cpus", strtoull(in_force(h, "cpus").s, NULL, 10));
	json_number(&j, "nr_tries", row->nr_tries);
	rows_json(&j, "tries", h, ROW(kmem_order_try, tries), nr,
		  indexed ? try_keys_indexed : try_keys);
	json_end(&j);
	return EXIT_DONE;
}

/* The columns behind page_size, which is not in the row. */
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

static int print_all(struct host *h, const struct args *args)
{
	u64 to = GIVEN(args, TO) ? args->number[OPT_TO] : DEFAULT_TO_BYTES;
	struct json j = json_to(stdout);
	int as_json = GIVEN(args, JSON), indexed = has_indices(h);
	const char *columns = csv_columns(h);
	struct word page_size = in_force(h, "page_size");

	if (to < SIZE_STEP || to > LARGEST_BYTES) {
		complain("--to must be a number of bytes in %u..%u", (u32)SIZE_STEP,
			 (u32)LARGEST_BYTES);
		return EXIT_CALL;
	}
	if (as_json) {
		json_array(&j, NULL);
	} else {
		fputs(indexed ? "page_size," : "", stdout);
		fields_csv_head(columns);
		puts("");
	}
	for (u32 size = SIZE_STEP; size <= to; size += SIZE_STEP) {
		const struct kmem_order_row *row = kmem_order(h->session, size);
		/* The size exceeds every order: there is not a row, as the kernel would create no cache. The
		 * parameters were accepted before. */
		if (!row && size == SIZE_STEP)
			return host_failed(h, KMEM_EPARAM);
		if (!row)
			continue;
		if (as_json) {
			json_row(&j, NULL);
			fields_json(&j, h, ROW(kmem_order_row, row),
				    indexed ? row_keys_indexed : row_keys);
			json_end(&j);
			continue;
		}
		if (indexed)
			printf("%s,", page_size.s);
		fields_csv(h, ROW(kmem_order_row, row), columns);
		puts("");
	}
	if (as_json)
		json_end(&j);
	return EXIT_DONE;
}

static int has_orders(const struct host *h)
{
	if (kmem_chooses_orders(h->session))
		return 1;
	complain("--allocator %s chooses no order by the size of objects: choose another allocator",
		 kmem_param(h->session, "allocator"));
	return 0;
}

static int run(struct args *args)
{
	struct host h;
	int status;

	if (GIVEN(args, SIZE) + GIVEN(args, ALL) + GIVEN(args, MACHINE) != 1) {
		complain("order needs one of --size BYTES, --all and --machine FILE");
		return EXIT_CALL;
	}
	if (GIVEN(args, MACHINE))
		return order_machine(args);
	status = host_open(&h, args);
	if (status)
		return status;
	if (!has_orders(&h))
		return EXIT_CALL;
	return GIVEN(args, ALL) ? print_all(&h, args) : print_one(&h, args);
}

const struct command command_order = {
	"order",
	"",
	"the order rule: how many pages a slab gets for a slot size, and why",
	"Applies the rule that sets the order of a slab. --size shows every try with its tail\n"
	"waste; --all prints every multiple of 8 up to --to as CSV. --machine asks about every\n"
	"cache of a real machine under two rules, and how many pages one of them saves: for every\n"
	"page size from 4 to 64 KiB, or for one, with the caches. It needs no trace. Without --cpus\n"
	"the machine has one CPU.",
	"  slabscope order --size 11008 --cpus 2 --rule linux-6.7\n"
	"  slabscope order --all --page-size 65536 --cpus 16 --rule rfc-2023 > orders.csv\n"
	"  slabscope order --machine slabinfo.txt --against rfc-2023 --page-size 65536 --cpus 160",
	OPTIONS_COMMON | OPTION(CSV) | OPTION(SIZE) | OPTION(ALL) | OPTION(TO) | OPTION(RULE) |
		OPTION(MIN_OBJECTS) | OPTION(MAX_ORDER) | OPTION(PAGE_SIZE) | OPTION(CPUS) |
		OPTION(PRESET) | OPTION(ALLOCATOR) | OPTION(MEMORY) | OPTION(SET) |
		OPTION(MACHINE) | OPTION(AGAINST_RULE),
	run,
};
