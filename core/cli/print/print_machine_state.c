/*
 * print_machine_state.c - prints a real machine's caches beside the model's.
 */
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/print/print.h"

enum { NOT_KNOWN = 0xffffffff, GROWTH_ROWS = 30 };

/* Fields that a cache of the model and one of the machine share. */
static const char *const shared[] = {
	"object_size",	 "size",  "objects_per_slab", "order",	     "objects",
	"total_objects", "slabs", "partial",	      "min_partial", "cpu_partial",
};
static const char *const printed[] = { "size", "order", "objects", "slabs", "partial" };

/* Writes before, after and the change; null if the file does not say. */
static void json_change(struct json *j, const char *key, u32 before, u32 after)
{
	json_row(j, key);
	if (before == NOT_KNOWN)
		json_null(j, "before");
	else
		json_number(j, "before", before);
	if (after == NOT_KNOWN)
		json_null(j, "after");
	else
		json_number(j, "after", after);
	if (before == NOT_KNOWN || after == NOT_KNOWN)
		json_null(j, "change");
	else
		json_signed(j, "change", (s64)after - before);
	json_end(j);
}

/* The mark of the model's figures in a row of growth. */
static u32 growth_from(const struct host *h, const struct kmem_growth_row *g,
		       const struct kmem_cache_row *c, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (c[i].name_at == g->name_at)
			return kmem_from_of(h->session, c[i].cache);
	return kmem_from(h->session);
}

static void growth_json(struct json *j, const struct host *h, const struct kmem_cache_row *c,
			u32 nr_caches)
{
	u32 nr, all = kmem_from(h->session);
	const struct kmem_growth_row *g = kmem_growth(h->session, &nr);

	json_array(j, "growth");
	for (u32 i = 0; i < nr; i++, g++) {
		json_object(j, NULL);
		json_text(j, "name", host_text(h, g->name_at));
		u32 from = growth_from(h, g, c, nr_caches);
		if (from != all)
			from_json(j, from);
		from_of_json(j, "objects=machine,slabs=machine");
		json_number(j, "order", g->order);
		json_change(j, "objects", g->objects_before, g->objects_after);
		json_change(j, "slabs", g->slabs_before, g->slabs_after);
		json_change(j, "model_objects", g->model_objects_before, g->model_objects_after);
		json_change(j, "model_slabs", g->model_slabs_before, g->model_slabs_after);
		json_number(j, "allocs", g->allocs);
		json_number(j, "frees", g->frees);
		json_text(j, "why", kmem_growth_why(h->session, i));
		json_end(j);
	}
	json_end(j);
}

/* Nothing to compare: a file need not list all caches of its machine. */
static int is_unlisted(const struct kmem_growth_row *g)
{
	return g->slabs_before == NOT_KNOWN && g->slabs_after == NOT_KNOWN;
}

/* "  1,200 → 1,216   +16" */
static void print_change(u32 before, u32 after)
{
	if (before == NOT_KNOWN || after == NOT_KNOWN)
		printf("  %7s    %7s %7s", "-", "-", "-");
	else
		printf("  %7u -> %7u %+7lld", before, after, (long long)after - before);
}

static void print_growth(const struct host *h, const struct kmem_cache_row *c, u32 nr_caches)
{
	u32 nr, all = kmem_from(h->session), unlisted = 0, rows = 0;
	const struct kmem_growth_row *g = kmem_growth(h->session, &nr);

	printf("\nbefore -> after, and the change: slabs of the machine and of the model, then active objects;\n"
	       "those of the model are modelled from a %s, where no other mark follows\n",
	       mark(all));
	printf("  %-24s  %-26s  %-26s  %-26s  %s\n", "cache", "slabs, machine", "slabs, model",
	       "objects, machine", "objects, model");
	for (u32 i = 0; i < nr; i++, g++) {
		if (is_unlisted(g)) {
			unlisted++;
			continue;
		}
		if (rows++ >= GROWTH_ROWS)
			continue;
		printf("  %-24s", plain(host_text(h, g->name_at)));
		print_change(g->slabs_before, g->slabs_after);
		print_change(g->model_slabs_before, g->model_slabs_after);
		print_change(g->objects_before, g->objects_after);
		print_change(g->model_objects_before, g->model_objects_after);
		u32 from = growth_from(h, g, c, nr_caches);
		printf("%s%s\n", from == all ? "" : "  ", from == all ? "" : mark(from));
		const char *why = kmem_growth_why(h->session, i);
		if (*why)
			printf("      %s\n", why);
	}
	if (rows > GROWTH_ROWS)
		printf("  and %s with smaller changes; --json has all\n",
		       counted(rows - GROWTH_ROWS, "cache").s);
	if (unlisted)
		printf("  and %s of the model whose slabs neither file lists; --json has the model's change\n",
		       counted(unlisted, "cache").s);
	if (!nr)
		puts("  no cache changes");
}

/* Names what the kernel has merged: the trace calls all of these by the first one. */
static void print_aliases(const struct host *h, const struct kmem_cache_row *c, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		const char *name = host_text(h, c[i].name_at);
		const char *aliases = kmem_machine_aliases(h->session, name);
		if (*aliases)
			printf("  %s is merged with %s\n", plain(name), aliases);
	}
}

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
		u32 from = kmem_from_of(h->session, c[i].cache);
		if (from != kmem_from(h->session))
			from_json(j, from);
		from_of_json(j, "machine=machine");
		json_text(j, "aliases",
			  kmem_machine_aliases(h->session, host_text(h, c[i].name_at)));
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
	if (GIVEN(args, BEFORE))
		growth_json(j, h, c, nr);
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
	printf("\nmodel (%s) beside machine; " NO_NUMBER ": the machine's file does not say\n",
	       mark(kmem_from(h->session)));
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
		u32 from = kmem_from_of(h->session, c[i].cache);
		int is_own = from != kmem_from(h->session);
		printf("%s%s\n", is_own ? "  " : "", is_own ? mark(from) : "");
	}
	if (missing)
		printf("  %s of the model: the machine's file lists none of that name\n",
		       counted(missing, "cache").s);
	print_aliases(h, c, nr);
	if (GIVEN(args, BEFORE))
		print_growth(h, c, nr);
	free(c);
}
