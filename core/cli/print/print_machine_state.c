/*
 * print_machine_state.c - prints a real machine's caches beside the model's.
 */
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/print/print.h"

enum { NOT_KNOWN = 0xffffffff };

/* Fields that a cache of the model and one of the machine share. */
static const char *const shared[] = {
	"object_size",	 "size",  "objects_per_slab", "order",	     "objects",
	"total_objects", "slabs", "partial",	      "min_partial", "cpu_partial",
};
static const char *const printed[] = { "size", "order", "objects", "slabs", "partial" };

void machine_state_json(struct json *j, const struct host *h, const struct args *args)
{
	u32 nr;

	if (!GIVEN(args, MACHINE_STATE))
		return;
	struct kmem_cache_row *c = caches_take(h, &nr);
	json_array(j, "overlay");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_machine_state_row *o = kmem_machine_state_of(h->session,
									       c[i].cache);
		if (!o)
			continue;
		json_object(j, NULL);
		json_text(j, "name", host_text(h, c[i].name_at));
		json_text(j, "machine_name", host_text(h, o->name_at));
		for (u32 k = 0; k < ARRAY_SIZE(shared); k++) {
			u64 machine = field_value(ROW(kmem_machine_state_row, o), shared[k]);
			json_row(j, shared[k]);
			json_number(j, "model", field_value(ROW(kmem_cache_row, &c[i]), shared[k]));
			if (machine == NOT_KNOWN)
				json_null(j, "machine");
			else
				json_number(j, "machine", machine);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
	free(c);
}

static void print_pair(u32 model, u32 machine)
{
	if (machine == NOT_KNOWN)
		printf(" %6u %-9s", model, NO_NUMBER); /* three bytes, one character */
	else
		printf(" %6u %-7u", model, machine);
}

void machine_state_print(const struct host *h, const struct args *args)
{
	u32 nr, missing = 0;

	if (!GIVEN(args, MACHINE_STATE))
		return;
	struct kmem_cache_row *c = caches_take(h, &nr);
	puts("\nmodel beside machine; " NO_NUMBER ": the machine's file does not say");
	printf("  %-24s", "cache");
	for (u32 k = 0; k < ARRAY_SIZE(printed); k++)
		printf(" %14s", printed[k]);
	puts("");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_machine_state_row *o = kmem_machine_state_of(h->session,
									       c[i].cache);
		if (!o) {
			missing++;
			continue;
		}
		printf("  %-24s", plain(host_text(h, c[i].name_at)));
		for (u32 k = 0; k < ARRAY_SIZE(printed); k++)
			print_pair((u32)field_value(ROW(kmem_cache_row, &c[i]), printed[k]),
				   (u32)field_value(ROW(kmem_machine_state_row, o), printed[k]));
		puts("");
	}
	if (missing)
		printf("  %s of the model: the machine has none of that name\n",
		       counted(missing, "cache").s);
	free(c);
}
