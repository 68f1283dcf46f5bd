/*
 * memory_text.c - copies of the answers about memory, and lines of text for a mail.
 */
#include "cli/answers/memory_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/print/print.h"
#include "cli/text/names.h"

struct parts parts_take(struct host *h, u32 cache, int *status)
{
	struct parts p = { 0 };
	const struct kmem_memory_row *rows = kmem_memory(h->session, cache, &p.nr);

	*status = EXIT_DONE;
	if (!rows) {
		*status = host_failed(h, cache == KMEM_ANY ? KMEM_ENOMEM : KMEM_ESTATE);
		return (struct parts){ 0 };
	}
	p.row = memory_for(p.nr, sizeof(*p.row));
	memcpy(p.row, rows, p.nr * sizeof(*p.row));
	return p;
}

u32 part_from(const struct host *h, const struct kmem_memory_row *row)
{
	if (row->part == PART_REQUESTED || row->part == PART_LARGE)
		return FROM_MEASURED;
	return kmem_from_of(h->session, row->cache);
}

static void print_part(const struct host *h, const struct kmem_memory_row *row, u64 pages)
{
	u64 permille = pages ? (row->bytes * 1000 + pages / 2) / pages : 0;
	char label[96], share[32];

	if (row->place == KMEM_NONE)
		snprintf(label, sizeof(label), "%s", enum_words("kmem_memory_part", row->part));
	else
		snprintf(label, sizeof(label), "%s: %s", enum_words("kmem_memory_part", row->part),
			 enum_words("kmem_place_kind", row->place));
	snprintf(share, sizeof(share), "%llu.%llu %%", (unsigned long long)permille / 10,
		 (unsigned long long)permille % 10);
	printf("  %-42s", label);
	print_right(grouped(row->bytes).s, 16);
	print_right(share, 9);
	u32 many = row->part == PART_EMPTY || !row->objects ? row->slabs : row->objects;
	print_right(many ? grouped(many).s : "", 9);
	printf("  %s\n", mark(part_from(h, row)));
}

void parts_print(const struct host *h, const struct parts *p, u32 cache)
{
	u64 pages = 0;

	for (u32 i = 0; i < p->nr; i++)
		if (p->row[i].cache == cache && p->row[i].part == PART_PAGES)
			pages = p->row[i].bytes;
	for (u32 i = 0; i < p->nr; i++)
		if (p->row[i].cache == cache)
			print_part(h, &p->row[i], pages);
}
