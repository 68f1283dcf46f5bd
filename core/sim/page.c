/*
 * page.c - free runs of pages: one bitmap per section and one summary bitmap per order.
 *
 *	has_run[3]: 0 0 1 1 …        bit s: section s has a free run of 2^3 pages
 *	section 2:  used 1111 0000 …  the run at the lowest address is taken
 *
 * A buddy system immediately merges a freed run with its neighbour; a bitmap needs no merging. Its lowest aligned free
 * run is the one that lowest-address-first buddies would choose.
 */
#include "sim/page.h"

#include "kmem_types.h"
#include "sim/step.h"
#include "sim/world.h"

enum { SECTION_PAGES = 1024, SECTION_WORDS = SECTION_PAGES / 64 };

_Static_assert(SECTION_PAGES == 1 << MAX_ORDER, "a section holds the largest run");
_Static_assert(sizeof(((struct section *)0)->used) * 8 == SECTION_PAGES &&
		       ARRAY_SIZE(((struct section *)0)->owner) == SECTION_PAGES,
	       "a section has a bit and an owner for each of its pages");
_Static_assert(ARRAY_SIZE(((struct kmem_zone_row *)0)->free_runs) == NR_ORDERS,
	       "a zone's row has a number for each order");

/* Bits at which a free, aligned run of 2^order pages starts, order < 6. */
static u64 run_starts(u64 used, u32 order)
{
	static const u64 aligned[6] = { ~(u64)0,
					0x5555555555555555u,
					0x1111111111111111u,
					0x0101010101010101u,
					0x0001000100010001u,
					0x0000000100000001u };
	u64 free = ~used;

	for (u32 o = 0; o < order; o++)
		free &= free >> (1u << o);
	return free & aligned[order];
}

/* Returns the index of the lowest free run in the section, or SECTION_PAGES. */
static u32 find_run(const struct section *s, u32 order)
{
	if (order < 6) {
		for (u32 i = 0; i < SECTION_WORDS; i++) {
			u64 starts = s->used[i] == ~(u64)0 ? 0 : run_starts(s->used[i], order);
			if (starts)
				return i * 64 + (u32)__builtin_ctzll(starts);
		}
		return SECTION_PAGES;
	}
	u32 words = 1u << (order - 6);
	for (u32 i = 0; i < SECTION_WORDS; i += words) {
		u64 any = 0;
		for (u32 k = 0; k < words; k++)
			any |= s->used[i + k];
		if (!any)
			return i * 64;
	}
	return SECTION_PAGES;
}

static void mark_run(struct section *s, u32 index, u32 order, int used)
{
	u32 nr = 1u << order;

	if (order >= 6) {
		memset(&s->used[index / 64], used ? 0xff : 0, nr / 8);
		return;
	}
	u64 mask = (((u64)1 << nr) - 1) << (index % 64);
	s->used[index / 64] = used ? s->used[index / 64] | mask : s->used[index / 64] & ~mask;
}

static struct section *section_at(const struct world *w, const struct zone *z, u32 nr)
{
	return at(w, ((ref *)at(w, z->sections))[nr]);
}

static void set_summary(struct world *w, struct zone *z, u32 order, u32 nr, int has)
{
	u64 *word = (u64 *)at(w, z->has_run[order]) + nr / 64, bit = (u64)1 << (nr % 64);

	*word = has ? *word | bit : *word & ~bit;
	if (has)
		z->hint[order] = MIN(z->hint[order], nr / 64);
}

static int has_summary(const struct world *w, const struct zone *z, u32 order, u32 nr)
{
	return ((u64 *)at(w, z->has_run[order]))[nr / 64] >> (nr % 64) & 1;
}

/* After an allocation: clears the larger runs that are gone. A run that is still free contains all
 * smaller ones. */
static void summarise_taken(struct world *w, struct zone *z, u32 nr)
{
	const struct section *s = section_at(w, z, nr);

	for (u32 o = NR_ORDERS; o-- > 0;) {
		if (!has_summary(w, z, o, nr))
			continue;
		if (find_run(s, o) < SECTION_PAGES)
			return;
		set_summary(w, z, o, nr, 0);
	}
}

static int run_is_free(const struct section *s, u32 index, u32 order)
{
	if (order < 6)
		return !(s->used[index / 64] >> (index % 64) & ((((u64)1 << (1u << order)) - 1)));
	for (u32 k = 0; k < 1u << (order - 6); k++)
		if (s->used[index / 64 + k])
			return 0;
	return 1;
}

/* After a free at index: sets the aligned runs around it, up to the largest free order. */
static void summarise_freed(struct world *w, struct zone *z, u32 nr, u32 index)
{
	const struct section *s = section_at(w, z, nr);

	for (u32 o = 0; o < NR_ORDERS && run_is_free(s, index & ~((1u << o) - 1), o); o++)
		if (!has_summary(w, z, o, nr))
			set_summary(w, z, o, nr, 1);
}

/* Creates one more section; 0 if the zone has no more. */
static int add_section(struct world *w, struct zone *z)
{
	u32 nr = z->nr_sections, first = nr * SECTION_PAGES;

	if (first >= z->nr_pages)
		return 0;
	if (nr == z->sections_room)
		z->sections = world_grow_array(w, z->sections, &z->sections_room, sizeof(ref));
	if (nr / 64 == z->bitmap_words_room) {
		u32 room = z->bitmap_words_room;
		for (u32 o = 0; o < NR_ORDERS; o++) {
			room = z->bitmap_words_room;
			z->has_run[o] = world_grow_array(w, z->has_run[o], &room, sizeof(u64));
		}
		z->bitmap_words_room = room;
	}
	((ref *)at(w, z->sections))[nr] = world_alloc(w, sizeof(struct section));
	struct section *s = section_at(w, z, nr);
	/* Frames past the end of the zone do not exist, so they count as allocated. */
	for (u32 p = z->nr_pages - first; p < SECTION_PAGES; p++)
		s->used[p / 64] |= (u64)1 << (p % 64);
	z->nr_sections++;
	for (u32 o = 0; o < NR_ORDERS; o++)
		set_summary(w, z, o, nr, find_run(s, o) < SECTION_PAGES);
	return 1;
}

/* Returns the lowest section with a free run, or nr_sections. */
static u32 find_section(const struct world *w, struct zone *z, u32 order)
{
	const u64 *words = at(w, z->has_run[order]);
	u32 nr_words = DIV_ROUND_UP(z->nr_sections, 64);

	for (u32 i = z->hint[order]; i < nr_words; i++) {
		if (words[i]) {
			z->hint[order] = i;
			return i * 64 + (u32)__builtin_ctzll(words[i]);
		}
	}
	z->hint[order] = nr_words;
	return z->nr_sections;
}

static u32 alloc_in_zone(struct world *w, struct zone *z, u32 order, u32 owner)
{
	u32 nr = find_section(w, z, order);

	while (nr == z->nr_sections) {
		if (!add_section(w, z))
			return PFN_NONE;
		nr = find_section(w, z, order);
	}
	struct section *s = section_at(w, z, nr);
	u32 index = find_run(s, order);
	KASSERT(index < SECTION_PAGES);
	mark_run(s, index, order, 1);
	s->owner[index] = owner;
	summarise_taken(w, z, nr);
	z->used_pages += 1u << order;
	return z->start_pfn + nr * SECTION_PAGES + index;
}

static u32 alloc_along(struct world *w, u32 node, u32 order, u32 owner, u32 highest, int here)
{
	struct machine *m = &w->machine;
	const u16 *list = (u16 *)at(w, m->zonelists) + node * m->zonelist_len;

	if (order < m->fail_order && order <= MAX_ORDER) {
		for (u32 i = 0; i < m->zonelist_len; i++) {
			struct zone *z = (struct zone *)at(w, m->zones) + list[i];
			if (here && z->node != node)
				break;
			if (z->kind > highest)
				continue;
			u32 pfn = alloc_in_zone(w, z, order, owner);
			if (pfn == PFN_NONE)
				continue;
			m->pages_in_use += 1u << order;
			m->pages_peak = MAX(m->pages_peak, m->pages_in_use);
			emit_PAGES_ALLOC(w, CACHE_NONE, z->node, order, pfn, z->kind, node);
			return pfn;
		}
	}
	emit_PAGES_REFUSED(w, CACHE_NONE, node, order, node);
	return PFN_NONE;
}

u32 page_alloc(struct world *w, u32 node, u32 order, u32 owner, u32 highest)
{
	return alloc_along(w, node, order, owner, highest, 0);
}

u32 page_alloc_here(struct world *w, u32 node, u32 order, u32 owner, u32 highest)
{
	return alloc_along(w, node, order, owner, highest, 1);
}

static struct zone *zone_of(const struct world *w, u32 pfn)
{
	struct zone *zones = at(w, w->machine.zones);
	u32 lo = 0, hi = w->machine.nr_zones;

	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;
		if (zones[mid].start_pfn <= pfn)
			lo = mid;
		else
			hi = mid;
	}
	return &zones[lo];
}

void page_free(struct world *w, u32 pfn, u32 order)
{
	struct zone *z = zone_of(w, pfn);
	u32 index = pfn - z->start_pfn, nr = index / SECTION_PAGES;
	struct section *s = section_at(w, z, nr);

	index %= SECTION_PAGES;
	KASSERT(s->owner[index]);
	mark_run(s, index, order, 0);
	s->owner[index] = 0;
	summarise_freed(w, z, nr, index);
	z->used_pages -= 1u << order;
	w->machine.pages_in_use -= 1u << order;
	emit_PAGES_FREE(w, CACHE_NONE, z->node, order, pfn);
}

enum { LEAST_MIN_FREE_KBYTES = 128, MOST_MIN_FREE_KBYTES = 65536 };

static u32 square_root(u64 n)
{
	u64 root = 0;

	for (u64 bit = (u64)1 << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return (u32)root;
}

/* Returns the pages that all zones together reserve: init_per_zone_wmark_min() of 2.6.36. */
static u64 pages_min(const struct world *w, u64 pages)
{
	u32 shift = w->machine.page_shift - 10;
	u32 kbytes = square_root((pages << shift) * 16);

	return CLAMP(kbytes, (u32)LEAST_MIN_FREE_KBYTES, (u32)MOST_MIN_FREE_KBYTES) >> shift;
}

int page_is_low(const struct world *w, u32 highest, u32 *free, u32 *low)
{
	const struct machine *m = &w->machine;
	const struct zone *zones = at(w, m->zones);
	u64 pages = 0;

	for (u32 i = 0; i < m->nr_zones; i++)
		pages += zones[i].nr_pages;
	u64 min = pages_min(w, pages);
	*free = *low = 0;
	for (u32 i = 0; i < m->nr_zones; i++) {
		u32 zone_free = zones[i].nr_pages - zones[i].used_pages;
		u32 zone_min = (u32)(zones[i].nr_pages * min / pages);
		u32 zone_low = zone_min + zone_min / 4;
		if (zones[i].kind > highest)
			continue;
		if (zone_free >= zone_low)
			return 0;
		*free += zone_free;
		*low += zone_low;
	}
	return 1;
}

u32 page_node(const struct world *w, u32 pfn)
{
	return w->machine.nr_nodes == 1 ? 0 : zone_of(w, pfn)->node;
}

u32 page_zone(const struct world *w, u32 pfn)
{
	return zone_of(w, pfn)->kind;
}

u32 page_run_start(const struct world *w, u32 pfn, u32 order)
{
	u32 start = zone_of(w, pfn)->start_pfn;

	return start + ((pfn - start) & ~((1u << order) - 1));
}

u32 page_is_used(const struct world *w, u32 pfn)
{
	const struct zone *z = zone_of(w, pfn);
	u32 index = pfn - z->start_pfn;

	if (index / SECTION_PAGES >= z->nr_sections)
		return 0;
	const struct section *s = section_at(w, z, index / SECTION_PAGES);
	return s->used[index % SECTION_PAGES / 64] >> (index % 64) & 1;
}

u32 page_owner(const struct world *w, u32 pfn)
{
	const struct zone *z = zone_of(w, pfn);
	u32 index = pfn - z->start_pfn;

	if (!page_is_used(w, pfn))
		return 0;
	const struct section *s = section_at(w, z, index / SECTION_PAGES);
	for (u32 o = 0; o < NR_ORDERS; o++) {
		u32 head = index % SECTION_PAGES & ~((1u << o) - 1);
		if (s->owner[head])
			return s->owner[head];
	}
	return 0;
}

/* Splits the zone's free pages into the largest aligned runs, as a buddy system would list them. */
void page_zone_row(const struct world *w, u32 zone, struct kmem_zone_row *row)
{
	const struct zone *z = (const struct zone *)at(w, w->machine.zones) + zone;

	memset(row, 0, sizeof(*row));
	row->start_pfn = z->start_pfn;
	row->pages = z->nr_pages;
	row->used = z->used_pages;
	row->node = z->node;
	row->kind = z->kind;
	for (u32 nr = 0; nr < z->nr_sections; nr++) {
		struct section copy;
		memcpy(copy.used, section_at(w, z, nr)->used, sizeof(copy.used));
		for (u32 o = NR_ORDERS; o-- > 0;) {
			for (u32 i; (i = find_run(&copy, o)) < SECTION_PAGES; row->free_runs[o]++)
				mark_run(&copy, i, o, 1);
		}
	}
	/* Sections not yet created are free. */
	u32 rest = z->nr_pages - MIN(z->nr_pages, z->nr_sections * SECTION_PAGES);
	for (u32 o = NR_ORDERS; o-- > 0; rest &= (1u << o) - 1)
		row->free_runs[o] += rest >> o;
}

const char *page_check(const struct world *w)
{
	const struct zone *zones = at(w, w->machine.zones);
	u32 in_use = 0;

	for (u32 i = 0; i < w->machine.nr_zones; i++) {
		const struct zone *z = &zones[i];
		u32 used = 0;
		for (u32 nr = 0; nr < z->nr_sections; nr++) {
			const struct section *s = section_at(w, z, nr);
			for (u32 k = 0; k < SECTION_WORDS; k++)
				used += (u32)__builtin_popcountll(s->used[k]);
			for (u32 o = 0; o < NR_ORDERS; o++) {
				u64 word = ((u64 *)at(w, z->has_run[o]))[nr / 64];
				if ((word >> (nr % 64) & 1) != (find_run(s, o) < SECTION_PAGES))
					return "a zone's summary equals its sections";
			}
		}
		used -= MAX(z->nr_sections * SECTION_PAGES, z->nr_pages) - z->nr_pages;
		if (used != z->used_pages)
			return "a zone's used pages equal its bitmap";
		in_use += used;
	}
	return in_use == w->machine.pages_in_use ? NULL : "pages in use equal those of all zones";
}
