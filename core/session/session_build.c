/*
 * session_build.c - derives policy and machine from the parameters in force, makes the world, and counts what it had
 * before event 1.
 */
#include "alloc/ops.h"
#include "import/import.h"
#include "replay/start.h"
#include "session/session.h"
#include "sim/cache.h"
#include "util/poison.h"

/*
 * Objects that were in use before event 1: how many of each cache no event has freed yet.
 *
 * A replay's world does not count them, because most replays have none. One walk counts them when a build starts;
 * struct start says which of them an event frees.
 */

struct counter {
	struct visitor visitor;
	u32 nr;
};

static void count_slab(struct visitor *v, const struct kmem_slab_row *row, const u8 *cells,
		       const struct kmem_extent *extents)
{
	(void)cells;
	(void)extents;
	((struct counter *)v)->nr += row->inferred;
}

void in_use_before_begin(struct kmem_session *s)
{
	struct in_use_before *b = &s->import.in_use_before;

	memset(b, 0, sizeof(*b));
	b->pages = s->w->machine.pages_in_use;
	for (u32 id = 0; s->import.warmed.slabs && id < s->w->nr_caches; id++) {
		struct counter c = { { 0, visit_no_place, count_slab, visit_no_entry, NULL }, 0 };
		s->replay.ops->walk(s->w, cache_at(s->w, id), &c.visitor);
		b->at_start[id] = b->now[id] = c.nr;
		b->bytes_at_start += (u64)c.nr * cache_at(s->w, id)->size;
	}
	b->bytes = b->bytes_at_start;
}

/* Counts up to the position, from the start if the position went back. */
static const struct in_use_before *count_here(struct kmem_session *s)
{
	struct in_use_before *b = &s->import.in_use_before;
	const struct start *start = s->replay.start;
	const struct trace_fork *fork = &s->trace.fork;
	u32 op = s->w->op;

	if (!start || !b->bytes_at_start)
		return b;
	/* A fork's own events reuse the numbers of recorded ones. */
	op = fork->is_on ? MIN(op, fork->at) : op;
	if (b->next_free && start->frees.at[b->next_free - 1].op >= op) {
		memcpy(b->now, b->at_start, sizeof(b->now));
		b->bytes = b->bytes_at_start;
		b->next_free = 0;
	}
	for (; b->next_free < start->frees.nr && start->frees.at[b->next_free].op < op;
	     b->next_free++) {
		const struct start_slab *slab =
			&start->slabs.at[start->frees.at[b->next_free].slab];
		if (!slab->made)
			continue;
		b->now[slab->made_cache]--;
		b->bytes -= cache_at(s->w, slab->made_cache)->size;
	}
	return b;
}

u32 in_use_before(struct kmem_session *s, u32 cache)
{
	return IS_FIRST_VIEW ? 0 : count_here(s)->now[cache];
}

u64 in_use_before_bytes(struct kmem_session *s)
{
	return IS_FIRST_VIEW ? 0 : count_here(s)->bytes;
}

/*
 * Turns parameters into a machine: resolves automatic values and creates an empty
 * world.
 */

/* Memory that one event can add to the world; scratch starts after it. */
#define SCRATCH_GAP_BYTES ((u64)WORLD_HEADROOM_BYTES)

static u32 number(const struct kmem_session *s, enum kmem_param param)
{
	s64 v = params_get(&s->params, param);

	return v == PARAM_AUTOMATIC ? AUTOMATIC : (u32)v;
}

u64 session_memory_bytes(const struct kmem_session *s)
{
	s64 memory = params_get(&s->params, PARAM_MEMORY);
	u32 nodes = number(s, PARAM_NODES);

	if (memory == PARAM_AUTOMATIC)
		return nodes == 1 ? (u64)4 << 30 : (u64)nodes << 31;
	return (u64)memory;
}

/* Functions that derive a policy field from a parameter: the third column of POLICY rows. */
static u32 number_or_0(const struct kmem_session *s, enum kmem_param param)
{
	u32 v = number(s, param);

	return v == AUTOMATIC ? 0 : v;
}

static u32 number_or_1_with_much_memory(const struct kmem_session *s, enum kmem_param param)
{
	u32 v = number(s, param);

	return v == AUTOMATIC ? session_memory_bytes(s) > 32 << 20 : v;
}

/* Returns 0 if the allocator does not have the parameter. */
static u32 number_if_used(const struct kmem_session *s, enum kmem_param param)
{
	return params_is_used(&s->params, param) ? number(s, param) : 0;
}

static u32 ten_times(const struct kmem_session *s, enum kmem_param param)
{
	return number(s, param) * 10;
}

/* The choices are "on off". */
static u32 is_on(const struct kmem_session *s, enum kmem_param param)
{
	return number(s, param) == 0;
}

s32 session_policy(struct kmem_session *s, struct policy *p)
{
	const struct machine_state *file = session_cache_params(s);

	memset(p, 0, sizeof(*p));
	p->allocator = (u8)number(s, PARAM_ALLOCATOR);
	p->work = number(s, PARAM_WORK);
	/* clang-format off */
#define POLICY(field, param, how) p->field = how(s, PARAM_##param);
#define OWN_POLICY(field, param, how) p->field = how(s, PARAM_##param);
#define DEBUG_FLAG(flag, param) p->debug_flags |= number_if_used(s, PARAM_##param) ? flag : 0;
	/* clang-format on */
#include "tables/allocators.def"
	if (file->is_used)
		machine_state_policy(file, &s->params, p);
	if (ops_of(p->allocator)->settle)
		ops_of(p->allocator)->settle(p);
	/* The default orders are valid together. */
	return params_is_chosen(&s->params, PARAM_MIN_ORDER) ||
			       params_is_chosen(&s->params, PARAM_MAX_ORDER)
		       ? session_check_orders(s)
		       : 0;
}

u32 session_page_shift(const struct kmem_session *s)
{
	static const u8 shift[] = { 12, 14, 16 };

	return shift[number(s, PARAM_PAGE_SIZE)];
}

u32 session_nr_cpus(const struct kmem_session *s)
{
	u32 cpus = number(s, PARAM_CPUS);

	return cpus == AUTOMATIC ? MAX(s->trace.report.cpus, 1u) : cpus;
}

static s32 machine_spec(struct kmem_session *s, struct machine_spec *spec)
{
	u32 len;

	memset(spec, 0, sizeof(*spec));
	spec->nr_cpus = session_nr_cpus(s);
	spec->nr_nodes = number(s, PARAM_NODES);
	spec->page_shift = session_page_shift(s);
	spec->fail_order = number(s, PARAM_FAIL_ORDER);
	spec->memory_bytes = session_memory_bytes(s);
	spec->cpu_node = params_list(&s->params, PARAM_CPU_NODE, &len);
	spec->nr_zones = params_list(&s->params, PARAM_ZONES, &len);
	spec->distance = params_list(&s->params, PARAM_DISTANCE, &len);
	spec->llc_groups = params_list(&s->params, PARAM_LLC_GROUPS, &len);
	/* So is the default memory of each node. */
	s32 status = params_is_chosen(&s->params, PARAM_MEMORY) ? session_check_memory(s) : 0;
	if (status)
		return status;
	status = params_check(&s->params, spec->nr_cpus, spec->nr_nodes);
	return status ? session_fail_params(s, status, s->params.error) : 0;
}

void session_drop_behind(struct kmem_session *s)
{
	struct side_block *a = &s->timeline.behind;

	region_poison(a->base, (u64)(a->top - a->base));
	s->timeline.scratch_high = MAX(s->timeline.scratch_high, a->top);
	*a = (struct side_block){ 0 };
}

void session_drop_world(struct kmem_session *s)
{
	struct pool *pool = &s->pool;

	if (!s->w)
		return;
	session_drop_behind(s);
	u64 world_bytes = MAX(world_host(s->w)->zeroed_bytes, s->timeline.world_high_bytes);
	u8 *end = MAX((u8 *)s->w + world_bytes, s->timeline.scratch_high);
	region_poison(world_host(s->w), sizeof(struct world_host) + world_bytes);
	pool->dirty_bytes = MAX(pool->dirty_bytes, (u64)(end - pool->base));
	pool->ceiling = pool->size_bytes;
	s->generation++;
	turns_abandon(&s->timeline.turns, &s->trace);
	s->timeline.scratch = NULL;
	s->w = NULL;
	s->timeline.world_high_bytes = 0;
	s->timeline.built = 0;
	s->timeline.steps_op = NO_OP;
}

s32 session_new_world(struct kmem_session *s)
{
	struct machine_spec spec;
	struct policy policy;
	const char *why = "";
	s32 status = session_policy(s, &policy);

	if (!status)
		status = machine_spec(s, &spec);
	if (status)
		return status;
	session_drop_world(s);
#ifndef KMEM_FIRST_VIEW
	/* A filter comes later, and the pool cannot grow below a world. */
	filter_reserve(&s->trace);
	pseudonyms_reserve(&s->trace);
	session_infer_reserve(s, ops_of(policy.allocator));
#endif
	u64 start = s->pool.top;
	if (start + SCRATCH_GAP_BYTES * 3 > s->pool.size_bytes)
		return session_fail(s, KMEM_ENOMEM,
				    "memory is too small for this trace and this machine");
	s->pool.ceiling = start;
	/* Leaves the last 24 MiB free for scratch. */
	s->w = world_init(s->pool.base + start, s->pool.size_bytes - start - SCRATCH_GAP_BYTES);
	s->w->policy = policy;
	status = machine_build(s->w, &spec, &why);
	if (status)
		return session_fail(s, status, why);
	world_host(s->w)->steps = s->timeline.steps;
	world_host(s->w)->times = s->timeline.step_times;
	for (u32 i = 0; i < NR_COSTS; i++)
		world_host(s->w)->costs[i] = params_cost(&s->params, i);
	s->replay.trace = &s->trace;
	s->replay.w = s->w;
	s->replay.machine_state = session_cache_params(s);
	s->replay.ops = ops_of(policy.allocator);
#ifndef KMEM_FIRST_VIEW
	s->replay.start = s->import.start.caches.nr && s->replay.ops->adopts_exactly &&
					  s->import.start_limit != LIMIT_EMPTY
				  ? &s->import.start
				  : NULL;
	s->import.start.held = machine_state_held(&s->params);
#endif
	if (s->w->used + replay_tables_bytes(&s->trace) + WORLD_HEADROOM_BYTES >
	    world_host(s->w)->limit_bytes)
		return session_fail(s, KMEM_ENOMEM,
				    "memory is too small for this trace and this machine");
	replay_prepare(&s->replay);
	if (s->replay.ops->prepare)
		s->replay.ops->prepare(s->w);
	if (keyframe_most_bytes(s->w->used) > s->timeline.keyframes.area_bytes)
		return session_fail(s, KMEM_ENOMEM,
				    "the keyframe budget is too small for an empty machine");
	return 0;
}

void scratch_reset(struct kmem_session *s)
{
	u64 behind = MAX(world_host(s->w)->zeroed_bytes, s->w->used + SCRATCH_GAP_BYTES);
	const u8 *top = s->timeline.behind.top;
	u8 *start = top ? (u8 *)top : (u8 *)s->w + ALIGN_UP(behind, (u64)64);

	/* The rows of the last call become invalid. */
	if (s->timeline.scratch > start)
		region_poison(start, (u64)(s->timeline.scratch - start));
	s->timeline.scratch = start;
	s->timeline.scratch_end = s->pool.base + s->pool.size_bytes;
}

/* Returns 1 if this many bytes of scratch are left and the host provides them. */
static int scratch_has(struct kmem_session *s, u64 len_bytes)
{
	if (len_bytes > (u64)(s->timeline.scratch_end - s->timeline.scratch) ||
	    !host_commit(s->timeline.scratch + len_bytes))
		return 0;
	s->timeline.scratch_high = MAX(s->timeline.scratch_high, s->timeline.scratch + len_bytes);
	return 1;
}

s32 kmem_lacked_memory(struct kmem_session *s)
{
	return (s32)s->out.lacked_memory;
}

void *scratch_alloc(struct kmem_session *s, u64 len_bytes)
{
	u64 bytes = ALIGN_UP(len_bytes, (u64)8) + RED_ZONE_BYTES;
	u8 *p = s->timeline.scratch;

	if (!scratch_has(s, bytes)) {
		s->out.lacked_memory = 1;
		if (!IS_FIRST_VIEW)
			session_fail(s, KMEM_ENOMEM, "not enough memory for the answer");
		return NULL;
	}
	s->timeline.scratch += bytes;
	region_unpoison(p, len_bytes);
	region_poison(p + len_bytes, bytes - len_bytes);
	return p;
}

void *scratch_rows(struct kmem_session *s, u64 nr, u64 row_bytes)
{
	scratch_reset(s);
	return scratch_alloc(s, MAX(nr, (u64)1) * row_bytes);
}

void *session_borrow(struct kmem_session *s, u64 len_bytes)
{
	void *run = s->w ? scratch_rows(s, 1, len_bytes) : pool_alloc(&s->pool, len_bytes);

	return run ? memset(run, 0, len_bytes) : NULL;
}

void session_give_back(struct kmem_session *s, void *run, u64 len_bytes)
{
	if (!s->w)
		pool_free(&s->pool, run, len_bytes);
}

u32 scratch_text(struct kmem_session *s, const char *text)
{
	u32 bytes = text_length(text) + 1;
	char *copy = scratch_alloc(s, bytes);

	return copy ? session_offset(s, memcpy(copy, text, bytes)) : 0;
}

struct world *scratch_picture(struct kmem_session *s)
{
	struct world_host *host = (struct world_host *)s->timeline.scratch;

	if (!scratch_has(s, sizeof(*host) + s->w->used + WORLD_HEADROOM_BYTES))
		return NULL;
	return (struct world *)(host + 1);
}

u32 session_offset(const struct kmem_session *s, const void *p)
{
	return (u32)((const u8 *)p - s->pool.base);
}
