/*
 * page_events.c - notes events of the page allocator, and finds out where the kernel maps the pages that they name.
 */
#include "trace/page_events.h"
#include "trace/trace.h"

enum { PART_OF_REGION = 16, MACHINE_PAGE_SHIFT = 12 };

void page_events_begin(struct trace *t)
{
	t->page_events.room_bytes = t->pool->size_bytes / PART_OF_REGION;
}

void page_events_end(struct trace *t)
{
	buffer_free(t->pool, &t->page_events.last);
}

void page_events_drop(struct trace *t)
{
	page_events_end(t);
	buffer_free(t->pool, &t->page_events.run);
	t->page_events = (struct page_events){ 0 };
}

void page_events_note(struct trace *t, struct page_event event)
{
	struct page_events *p = &t->page_events;
	u64 need_bytes = (p->nr + 1) * (u64)sizeof(event);

	if (p->is_full || event.order > MOST_PAGE_ORDER || event.cpu >= MAX_CPUS)
		return;
	if (need_bytes > p->room_bytes || !buffer_grow(t->pool, &p->run, need_bytes) ||
	    !buffer_grow(t->pool, &p->last, MAX_CPUS * sizeof(u32))) {
		p->is_full = 1;
		return;
	}
	((struct page_event *)p->run.at)[p->nr++] = event;
	if (event.is_alloc)
		((u32 *)p->last.at)[event.cpu] = p->nr;
}

/* One vote for a candidate. The rarest one makes room for a new one. */
static void vote(struct page_events *p, u64 address)
{
	struct page_map *rarest = p->maps;

	for (u32 i = 0; i < NR_PAGE_MAPS; i++) {
		if (p->maps[i].votes && p->maps[i].address == address) {
			p->maps[i].votes++;
			return;
		}
		if (p->maps[i].votes < rarest->votes)
			rarest = &p->maps[i];
	}
	*rarest = (struct page_map){ address, 1 };
}

void page_events_object(struct trace *t, u64 ptr, u32 cpu)
{
	struct page_events *p = &t->page_events;
	u32 *last = p->last.at, nr = last && cpu < MAX_CPUS ? last[cpu] : 0;

	if (!nr)
		return;
	struct page_event event = page_event_at(p, nr - 1);
	u64 block = ptr >> (MACHINE_PAGE_SHIFT + event.order) << (MACHINE_PAGE_SHIFT + event.order);
	u64 address = block - ((u64)event.pfn << MACHINE_PAGE_SHIFT);
	last[cpu] = 0;
	if (!(address & (((u64)1 << PAGE_MAP_SHIFT) - 1)))
		vote(p, address);
}

u64 page_events_map(const struct page_events *p)
{
	struct page_map best = { 0 }, second = { 0 };

	for (u32 i = 0; i < NR_PAGE_MAPS; i++) {
		const struct page_map *map = &p->maps[i];
		if (map->votes > best.votes) {
			second = best;
			best = *map;
		} else if (map->votes > second.votes) {
			second = *map;
		}
	}
	return best.votes >= LEAST_PAGE_VOTES && best.votes / 4 >= second.votes ? best.address : 0;
}
