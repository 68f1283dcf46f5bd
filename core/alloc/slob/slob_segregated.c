/*
 * slob_segregated.c - the segregated SLOB of the 2021 proposal: one page, one size, no search.
 *
 *	node 0:  8   ● ⇄ ●        pages with a free object, by node and class
 *	         16               page of class 1024:  ▓ ░ ▓ ░   freelist 3 → 1
 *	         …
 *	         4096             one object a page: never on its list for long
 *
 * The proposal's code was never posted; this implements our reading of its text. Classes are the
 * powers of two from 8 to a page. A request takes the smallest class that holds its size and
 * alignment. Objects need no header, because a page knows its class.
 *
 * An allocation takes the first free object of the first page on the node's list. A free puts the object back at the
 * head of the freelist, and an empty page is discarded at once. So every event costs the same, whatever the state of
 * memory. Objects freed by RCU keep SLOB's footer. Each node has its own lists
 * and its own lock.
 */
#include "alloc/slob/slob.h"

enum { SMALLEST_SHIFT = 3, LINK_END = 0, LINK_ALLOCATED = 0xffff };

/* link[i] of a free object i holds index + 1 of the next one. The kernel stores it in the object's
 * first word. */
struct class_page {
	struct slob_page page;
	u16 shift;    /* each object takes 2^shift bytes */
	u16 freelist; /* index + 1 of the first free object */
	u16 link[];   /* [page.head.objects] */
};

static struct class_page *class_page_of(const struct slob_page *page)
{
	return (struct class_page *)(uintptr_t)page;
}

static u32 nr_classes(const struct world *w)
{
	return w->machine.page_shift - SMALLEST_SHIFT + 1;
}

static u32 list_nr(const struct world *w, u32 node, u32 shift)
{
	return node * nr_classes(w) + shift - SMALLEST_SHIFT;
}

/* Returns the exponent of the smallest power of two, at least 8, that is not smaller than `bytes`. */
static u32 shift_of(u32 bytes)
{
	u32 shift = SMALLEST_SHIFT;

	while ((u64)1 << shift < bytes)
		shift++;
	return shift;
}

static void prepare(struct world *w)
{
	u32 nodes = w->machine.nr_nodes;

	slob_prepare(w, nodes * nr_classes(w), nodes, 1u << SMALLEST_SHIFT, slob_page_bytes(w));
	for (u32 node = 0; node < nodes; node++)
		for (u32 shift = SMALLEST_SHIFT; shift <= w->machine.page_shift; shift++)
			slob_list_name(w, list_nr(w, node, shift), PLACE_CLASS_PAGES, node,
				       1u << shift);
}

static void create(struct world *w, struct kmem_cache *s)
{
	u32 bytes = slob_object_bytes(s), wanted = MAX(bytes, s->align);

	slob_cache_size(w, s, wanted > slob_page_bytes(w) ? bytes : 1u << shift_of(wanted));
}

static ref kmalloc_cache(const struct world *w, u32 bytes)
{
	return bytes <= slob_page_bytes(w) ? ref_of(w, cache_at(w, 0)) : 0;
}

/* Creates a page whose objects are linked in ascending order. */
static struct class_page *open_page(struct world *w, u32 home, u32 shift)
{
	u32 objects = slob_page_bytes(w) >> shift;
	struct slob_page *new = slob_page_new(w, home, objects,
					      (u32)sizeof(struct class_page) + objects * 2);

	if (!new)
		return NULL;
	struct class_page *page = class_page_of(new);
	page->shift = (u16)shift;
	page->freelist = 1;
	for (u32 i = 0; i + 1 < objects; i++)
		page->link[i] = (u16)(i + 2);
	new->free = objects;
	slob_page_opened(w, new);
	/* If this node is out of memory, the page may be another node's. */
	slob_list_push(w, new, list_nr(w, new->head.node, shift), REASON_PAGE_NEW);
	return page;
}

static object_loc pop(struct world *w, struct class_page *page)
{
	u32 index = page->freelist - 1u;

	line_touch(w, &page->page.head.line);
	page->freelist = page->link[index];
	page->link[index] = LINK_ALLOCATED;
	page->page.free--;
	slob_of(w)->free_bytes -= 1u << page->shift;
	SLOB_EMIT_OFTEN(w, CLASS_POP, &page->page, index, page->page.free, 1u << page->shift);
	if (page->page.free == 0)
		slob_list_remove(w, &page->page, REASON_PAGE_FULL);
	return LOC(ref_of(w, page), index);
}

static object_loc alloc(struct world *w, struct kmem_cache *s, u32 cpu, u32 node, u32 bytes)
{
	u32 home = slob_home(w, cpu, node);

	if (s->id && slob_is_run(w, s->size, s->align))
		return slob_run_alloc(w, s, home);
	u32 taken = s->id ? slob_object_bytes(s) : bytes;
	u32 shift = shift_of(s->id ? s->size : bytes), class = 1u << shift;
	struct vlock *lock = slob_lock(w, home);
	const struct slob_list *l = slob_list_at(w, list_nr(w, home, shift));
	lock_take(w, lock, s->id, home);
	emit_if_CLASS_CHOOSE(is_recording(w) != 0, w, s->id, home, taken, class, class - taken,
			     l->nr_pages);
	ref first = l->head;
	while (first && !slob_zone_serves(w, slob_page_at(w, first)))
		first = slob_page_at(w, first)->next;
	struct class_page *page = first ? at(w, first) : open_page(w, home, shift);
	object_loc loc = page ? pop(w, page) : 0;
	lock_release(w, lock);
	slob_visited(slob_of(w), page != NULL, page != NULL);
	if (!loc)
		emit_ALLOC_FAILED(w, s->id, node, node);
	return loc;
}

static void push(struct world *w, struct class_page *page, u32 index)
{
	struct slob_page *head = &page->page;
	int was_full = head->free == 0;

	KASSERT(page->link[index] == LINK_ALLOCATED);
	line_touch(w, &head->head.line);
	page->link[index] = page->freelist;
	page->freelist = (u16)(index + 1);
	head->free++;
	slob_of(w)->free_bytes += 1u << page->shift;
	SLOB_EMIT_OFTEN(w, CLASS_PUSH, head, index, head->free, 1u << page->shift);
	if (head->free < head->head.objects) {
		if (was_full)
			slob_list_push(w, head, list_nr(w, head->head.node, page->shift),
				       REASON_PAGE_UNFULL);
		return;
	}
	if (!was_full)
		slob_list_remove(w, head, REASON_PAGE_EMPTY);
	slob_of(w)->free_bytes -= slob_page_bytes(w);
	slob_page_free(w, head);
}

static void segregated_free(struct world *w, struct kmem_cache *s, u32 cpu, object_loc loc)
{
	struct slob_page *page = slob_page_at(w, LOC_SLAB(loc));
	u32 node = page->head.node;

	(void)cpu;
	if (page->is_run) {
		slob_run_free(w, s, page);
		return;
	}
	lock_take(w, slob_lock(w, node), s->id, node);
	push(w, class_page_of(page), LOC_INDEX(loc));
	lock_release(w, slob_lock(w, node));
}

static u64 address(const struct world *w, const struct kmem_cache *s, object_loc loc)
{
	(void)s;
	return slab_address(w, LOC_SLAB(loc)) +
	       (LOC_INDEX(loc) << class_page_of(slob_page_at(w, LOC_SLAB(loc)))->shift);
}

static object_loc object_with(const struct world *w, ref slab, u64 where)
{
	u32 shift = class_page_of(slob_page_at(w, slab))->shift;

	return LOC(slab, (u32)(where - slab_address(w, slab)) >> shift);
}

static u32 alignment(const struct world *w, const struct kmem_cache *s, u32 bytes)
{
	u32 least = s->id ? MAX(s->size, s->align) : bytes;

	return MIN(1u << shift_of(least), slob_page_bytes(w));
}

static void visit(const struct world *w, const struct slob_page *page, struct kmem_slab_row *row,
		  struct visitor *v)
{
	enum { MAX_OBJECTS = 1 << (16 - SMALLEST_SHIFT) };
	const struct class_page *p = class_page_of(page);
	u8 cells[MAX_OBJECTS];
	struct kmem_extent extents[MAX_OBJECTS];

	(void)w;
	for (u32 i = 0; i < row->objects; i++) {
		cells[i] = p->link[i] == LINK_ALLOCATED ? CELL_ALLOCATED : CELL_FREE;
		extents[i].offset = i << p->shift;
		extents[i].bytes = 1u << p->shift;
	}
	row->free_on_slab = (u16)page->free;
	row->inuse = (u16)(row->objects - page->free);
	v->slab(v, row, cells, extents);
}

static void walk(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	if (s->id == 0)
		slob_walk_lists(w, v, visit);
}

static const char *class_law(const struct world *w, const struct slob_page *page,
			     struct slob_sum *sum)
{
	const struct class_page *p = class_page_of(page);
	u32 objects = page->head.objects, linked = 0;

	for (u32 i = 0; i < objects; i++)
		sum->taken += p->link[i] == LINK_ALLOCATED;
	for (u32 i = p->freelist; i; i = p->link[i - 1])
		if (i > objects || p->link[i - 1] == LINK_ALLOCATED || ++linked > objects)
			return "a freelist leads from free object to free object of its page";
	sum->free_blocks += linked;
	sum->free_bytes += linked << p->shift;
	if (objects << p->shift != slob_page_bytes(w))
		return "a page has as many objects of its class as fit";
	if (linked != page->free)
		return "a page's count of free objects is right";
	if (page->head.place != PLACE_LOOSE && page->list != list_nr(w, page->head.node, p->shift))
		return "a page is on the list of its node and class";
	return linked == objects ? "an entirely free page is returned" : NULL;
}

static const char *check(const struct world *w, const struct kmem_cache *s)
{
	return slob_check_all(w, s, class_law);
}

static void locks(const struct world *w, const struct kmem_cache *s, struct visitor *v)
{
	for (u32 node = 0; s->id == 0 && node < w->machine.nr_nodes; node++)
		lock_report(v, slob_lock(w, node), LOCK_LIST, CACHE_NONE, node, 0xffff);
}

static int segregated_has_counter(const struct world *w, u32 counter)
{
	(void)w;
	return counter - PAGE_NEW < NR_SLOB_COUNTERS && counter != NEXT_PAGE && counter != ROTATE;
}

const struct kmem_ops slob_segregated_ops = {
	.placements = &slob_segregated_placements,
	.has_counter = segregated_has_counter,
	.measures = SLOB_MEASURES,
	.no_presets = 1,
	.no_orders = 1,
	.shared_slabs = 1,
	.levels = LEVELS_SLOB,
	.prepare = prepare,
	.create = create,
	.kmalloc_cache = kmalloc_cache,
	.alloc = alloc,
	.free = segregated_free,
	.shrink = slob_shrink,
	.walk = walk,
	.check = check,
	.serial = slob_serial,
	.count = slob_count,
	.info = slob_info,
	.locks = locks,
	.usage = slob_usage,
	.totals = slob_totals,
	.address = address,
	.object_with = object_with,
	.alignment = alignment,
};
