/*
 * next_object.c - where the next object of a cache lands on each CPU: every allocation is tried on a copy of the world.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "util/poison.h"

/* One copy serves all tries; each starts from the bytes of the world. */
struct trial {
	struct kmem_session *s;
	struct replay replay; /* the replay of the copy */
	struct kmem_step *steps;
};

static int trial_begin(struct kmem_session *s, struct trial *trial)
{
	struct world *copy;

	scratch_reset(s);
	trial->s = s;
	trial->steps = scratch_alloc(s, ((u64)MAX_STEPS_PER_OP + 1) * sizeof(*trial->steps));
	copy = trial->steps ? scratch_picture(s) : NULL;
	if (!copy || !host_commit((u8 *)copy + s->w->used))
		return 0;
	region_unpoison(world_host(copy), sizeof(struct world_host));
	trial->replay = s->replay;
	trial->replay.w = copy;
	s->timeline.scratch = (u8 *)copy +
			      ALIGN_UP((u64)s->w->used + WORLD_HEADROOM_BYTES, (u64)64);
	return 1;
}

static struct world *trial_world(struct trial *trial)
{
	struct world *copy = trial->replay.w, *w = trial->s->w;

	*world_host(copy) = (struct world_host){ .limit_bytes = w->used + WORLD_HEADROOM_BYTES,
						 .zeroed_bytes = w->used,
						 .steps = trial->steps };
	memcpy(world_host(copy)->costs, world_host(w)->costs, sizeof(world_host(w)->costs));
	region_copy(copy, w, w->used);
	step_begin(copy, RECORD_LIST, 0, NULL);
	return copy;
}

static void trial_end(struct trial *trial, u32 cache, struct kmem_next_object *row)
{
	struct kmem_session *s = trial->s;
	struct world *copy = trial->replay.w;
	u32 order[MAX_LEVELS], nr = step_end(copy), levels;

	levels = s->replay.ops->levels_of ? s->replay.ops->levels_of(copy, cache_at(copy, cache))
					  : s->replay.ops->levels;
	struct levels_walk walk = levels_begin(levels);
	for (u32 k = 0; k < nr; k++)
		levels_step(s, &walk, trial->steps + k);
	levels_in(levels, order);
	row->cache = cache;
	row->cycles = (u32)MIN(op_cycles(copy), 0xffffffffu);
	row->end = walk.asked;
	row->level = order[walk.asked];
}

/* Tries an allocation that asks for no node, in the zones of the cache, on a CPU that has done its other work. */
static void try_any(struct trial *trial, u32 cache, u32 cpu, struct kmem_next_object *row)
{
	const struct kmem_ops *ops = trial->replay.ops;
	struct world *w = trial_world(trial);
	struct kmem_cache *s = cache_at(w, cache);

	replay_begin(&trial->replay, cpu);
	world_host(w)->barred_zones = ZONE_NORMAL - cache_zone(s);
	object_loc loc = ops->alloc(w, s, cpu, NODE_ANY, s->object_size);
	*row = (struct kmem_next_object){ .cpu = cpu, .slab = NOWHERE, .index = NOWHERE };
	if (loc) {
		row->slab = ops->serial(w, LOC_SLAB(loc));
		row->index = LOC_INDEX(loc);
	}
	trial_end(trial, cache, row);
}

/* Tries the next event of the trace. Returns 0 unless it allocates an object in a slab. */
static int try_event(struct trial *trial, struct kmem_next_object *row, const char **name)
{
	struct kmem_session *s = trial->s;
	u32 cache;

	if (s->w->op >= s->trace.nr_ops)
		return 0;
	const struct op op = trace_op(&s->trace, s->w->op);
	if (!op_allocates(op.kind))
		return 0;
	struct world *w = trial_world(trial);
	if (!replay_run(&trial->replay, 1))
		return 0;
	*row = (struct kmem_next_object){ .cpu = w->cpu, .is_event = 1 };
	replay_trail(&trial->replay, op.handle, &cache, &row->slab, &row->index);
	if (cache == CACHE_NONE) {
		cache = replay_cache_of_site(&trial->replay, &s->trace.sites[op.site]);
		row->slab = row->index = NOWHERE;
	}
	if (cache == CACHE_NONE)
		return 0;
	*name = cache_name(w, cache);
	trial_end(trial, cache, row);
	return 1;
}

static int is_wanted(u32 cache, u32 cpu, u32 only_cache, u32 only_cpu)
{
	return (only_cache == CACHE_NONE || only_cache == cache) &&
	       (only_cpu == CPU_NONE || only_cpu == cpu);
}

const struct kmem_next_object *kmem_next_objects(struct kmem_session *s, u32 cache, u32 cpu,
						 u32 *nr)
{
	struct kmem_next_object event, *rows;
	const char *name = NULL;
	struct trial trial;

	*nr = 0;
	if (!s->w || (cache != CACHE_NONE && cache >= s->w->nr_caches))
		return session_none(s, KMEM_ESTATE, "no such cache at this position");
	u32 nr_caches = s->w->nr_caches, nr_cpus = s->w->machine.nr_cpus,
	    first = cache == CACHE_NONE ? 0 : cache,
	    end = cache == CACHE_NONE ? nr_caches : cache + 1;
	u32 cpu_first = cpu == CPU_NONE ? 0 : MIN(cpu, nr_cpus - 1),
	    cpu_end = cpu == CPU_NONE ? nr_cpus : cpu_first + 1;
	if (!trial_begin(s, &trial) ||
	    !(rows = scratch_alloc(s, ((u64)(end - first) * (cpu_end - cpu_first) + 1) *
					      sizeof(*rows))))
		return session_none(s, KMEM_ENOMEM, "not enough memory for a copy of the machine");
	int has_event = try_event(&trial, &event, &name) &&
			is_wanted(event.cache, event.cpu, cache, cpu);
	u32 event_name = has_event ? scratch_text(s, name) : 0;
	for (u32 c = first; c < end; c++) {
		u32 name_at = scratch_text(s, cache_name(s->w, c));
		for (u32 p = cpu_first; p < cpu_end; p++) {
			struct kmem_next_object *row = &rows[(*nr)++];
			if (has_event && event.cache == c && event.cpu == p)
				*row = event;
			else
				try_any(&trial, c, p, row);
			row->name_at = name_at;
		}
	}
	if (has_event && event.cache >= nr_caches) {
		rows[*nr] = event;
		rows[(*nr)++].name_at = event_name;
	}
	return rows;
}
