/*
 * view_time.c - where virtual time went: tables of CPUs and locks.
 */
#include "session/session.h"

const struct kmem_cpu_row *kmem_cpu_rows(struct kmem_session *s, u32 *nr)
{
	*nr = 0;
	if (!s->w)
		return NULL;
	const struct world *w = s->w;
	scratch_reset(s);
	struct kmem_cpu_row *rows = scratch_alloc(s, w->machine.nr_cpus * sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct cpu *c = (struct cpu *)at(w, w->machine.cpus) + cpu;
		rows[cpu] = (struct kmem_cpu_row){
			.clock = clock_of(w, cpu),
			.cycles = clock_busy(w, cpu),
			.lock_wait_cycles = c->lock_wait_cycles,
			.cpu = cpu,
			.node = c->node,
		};
	}
	*nr = w->machine.nr_cpus;
	return rows;
}

struct lock_collector {
	struct visitor visitor;
	struct kmem_lock_row *rows; /* NULL while counting */
	u32 nr;
};

static void see_lock(struct visitor *v, const struct kmem_lock_row *row)
{
	struct lock_collector *c = (struct lock_collector *)v;

	if (c->rows)
		c->rows[c->nr] = *row;
	c->nr++;
}

static void see_all_locks(const struct kmem_session *s, struct lock_collector *c)
{
	c->nr = 0;
	for (u32 id = 0; id < s->w->nr_caches; id++)
		s->replay.ops->locks(s->w, cache_at(s->w, id), &c->visitor);
}

const struct kmem_lock_row *kmem_lock_rows(struct kmem_session *s, u32 *nr)
{
	struct lock_collector c = { .visitor = { .lock = see_lock } };

	*nr = 0;
	if (!s->w)
		return NULL;
	see_all_locks(s, &c);
	scratch_reset(s);
	c.rows = scratch_alloc(s, MAX(c.nr, 1u) * sizeof(*c.rows));
	if (!c.rows)
		return NULL;
	see_all_locks(s, &c);
	*nr = c.nr;
	return c.rows;
}
