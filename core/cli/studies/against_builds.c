/*
 * against_builds.c - joins call sites of two builds of a kernel, whose offsets and sizes differ.
 *
 *	A	getname_flags+0x26/0x170	getname_flags+0x91/0x170
 *	B	getname_flags+0x24/0x1e0	getname_flags+0xa0/0x1e0	joined in the order of their offsets
 *
 * Rows of exactly the same name are joined already. Builds differ if a function has two sizes. Without sizes they differ if
 * less than half of the call sites of common functions are the same. Within one function and cache the rows that are left are
 * joined if both traces have as many of them.
 */
#include <stdlib.h>

#include "cli/studies/against.h"

static const u32 NO_ROW = 0xffffffff;

/* The length of the function's name; 0 for a name without an offset. */
static size_t function_length(const char *name)
{
	const char *plus = strstr(name, "+0x");

	return plus ? (size_t)(plus - name) : 0;
}

static unsigned long offset_in(const char *name)
{
	return strtoul(name + function_length(name) + 1, NULL, 16);
}

static unsigned long size_in(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? strtoul(slash + 1, NULL, 16) : 0;
}

/* The module in brackets, or "". */
static const char *module_in(const char *name)
{
	const char *bracket = strrchr(name, '[');

	return bracket ? bracket : "";
}

static int same_function(const struct side_row *x, const struct side_row *y)
{
	size_t length = function_length(x->name);

	return length && length == function_length(y->name) &&
	       memcmp(x->name, y->name, length) == 0 && strcmp(x->cache, y->cache) == 0 &&
	       strcmp(module_in(x->name), module_in(y->name)) == 0;
}

/* Whether the row is only in A, or only in B. */
static const struct side_row *only_in(const struct change_row *row, int is_b)
{
	return is_b ? (row->a ? NULL : row->b) : (row->b ? NULL : row->a);
}

static int builds_differ(const struct changes *changes)
{
	u32 same = 0, other = 0;

	for (u32 i = 0; i < changes->nr; i++) {
		const struct change_row *row = &changes->rows[i];
		const struct side_row *a = only_in(row, 0);
		same += row->a && row->b && function_length(row->a->name);
		for (u32 k = 0; a && k < changes->nr; k++) {
			const struct side_row *b = only_in(&changes->rows[k], 1);
			if (!b || !same_function(a, b))
				continue;
			if (size_in(a->name) != size_in(b->name))
				return 1;
			other++;
			break;
		}
	}
	return other > same;
}

/* How many rows only one trace has of the row's function, and how many of them have a lower offset. */
static u32 count_of_function(const struct changes *changes, const struct side_row *row, int is_b,
			     u32 *lower)
{
	u32 nr = 0;

	*lower = 0;
	for (u32 i = 0; i < changes->nr; i++) {
		const struct side_row *other = only_in(&changes->rows[i], is_b);
		if (!other || !same_function(row, other))
			continue;
		nr++;
		*lower += offset_in(other->name) < offset_in(row->name);
	}
	return nr;
}

/* The row of B that is joined with the row of A. */
static u32 partner_of(const struct changes *changes, const struct side_row *a)
{
	u32 rank, other;
	u32 nr = count_of_function(changes, a, 0, &rank);

	for (u32 k = 0; k < changes->nr; k++) {
		const struct side_row *b = only_in(&changes->rows[k], 1);
		if (b && same_function(a, b) && count_of_function(changes, b, 1, &other) == nr &&
		    other == rank)
			return k;
	}
	return NO_ROW;
}

void join_builds(struct changes *changes)
{
	u32 *partner = memory_for(changes->nr + 1, sizeof(*partner)), kept = 0;

	if (!builds_differ(changes)) {
		free(partner);
		return;
	}
	for (u32 i = 0; i < changes->nr; i++) {
		const struct side_row *a = only_in(&changes->rows[i], 0);
		partner[i] = a ? partner_of(changes, a) : NO_ROW;
	}
	for (u32 i = 0; i < changes->nr; i++) {
		if (partner[i] == NO_ROW)
			continue;
		changes->rows[i].b = changes->rows[partner[i]].b;
		changes->rows[partner[i]].b = NULL;
	}
	for (u32 i = 0; i < changes->nr; i++)
		if (changes->rows[i].a || changes->rows[i].b)
			changes->rows[kept++] = changes->rows[i];
	changes->nr = kept;
	free(partner);
}
