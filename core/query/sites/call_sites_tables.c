/*
 * call_sites_tables.c - the tables of call sites: where they lie, and what the sites of the trace mean for them.
 */
#include "query/index/query.h"
#include "query/sites/call_sites.h"
#include "util/poison.h"
#include "util/scan.h"

/* Functions that free after a grace period, beside those with "rcu" in their names. */
static const char *const rcu_callbacks[] = { "rcu", "i_callback", "__d_free", "delayed_put_" };

struct site_slot *sites_slot(struct sites *x, u64 key, u32 task)
{
	u32 i = (u32)((key ^ (u64)task << 24) * HASH_MULTIPLIER >> 32) & x->slots_mask;

	while (x->slots[i].row && (x->slots[i].key != key || x->slots[i].task != task))
		i = (i + 1) & x->slots_mask;
	return &x->slots[i];
}

u32 sites_new_row(struct sites *x, u32 base, u32 cpu, u32 node, u32 task)
{
	if (x->nr_rows == x->rows_room)
		return ROW_FILTERED;
	struct kmem_site_row *row = &x->rows[x->nr_rows];
	memset(row, 0, sizeof(*row));
	row->call_site_at = x->bases[base].call_site;
	row->cache = x->bases[base].cache;
	row->cpu = (u16)cpu;
	row->node = (u16)node;
	row->task_at = task;
	row->lifetime_time_min = ~(u64)0;
	row->lifetime_events_min = row->oldest_live_op = row->first_op = KMEM_NONE32;
	return x->nr_rows++;
}

static int text_has(const char *text, const char *part)
{
	for (; *text; text++)
		if (span_begins((const u8 *)text, (const u8 *)text + text_length(text), part))
			return 1;
	return 0;
}

static u16 is_rcu(const struct trace *t, const struct site *site)
{
	u16 found = site->request == SITE_RCU;

	for (u32 i = 0; i < ARRAY_SIZE(rcu_callbacks); i++)
		found |= (u16)text_has(trace_text(t, site->call_site), rcu_callbacks[i]);
	return found;
}

/* Returns the number of a key, `next` for a new one. */
static u32 number_of(struct sites *x, u64 key, u32 next)
{
	struct site_slot *slot = sites_slot(x, key, 0);

	if (!slot->row)
		*slot = (struct site_slot){ key, next + 1, 0 };
	return slot->row - 1;
}

/* Returns the row of a cache's name, a new one for a new name; CACHE_NONE if there are too many. */
static u32 cache_row(struct sites *x, u32 name)
{
	u32 nr = number_of(x, (u64)1 << 63 | name, x->nr_caches);

	if (nr < x->nr_caches)
		return nr;
	if (nr == x->caches_room)
		return CACHE_NONE;
	x->caches[nr] = (struct kmem_site_cache){ .name_at = name, .oldest_live_op = KMEM_NONE32 };
	x->lives[nr] = (struct site_lives){ 0 };
	return x->nr_caches++;
}

static u32 base_of(struct sites *x, u32 call_site, u32 cache)
{
	struct site_base base = { x->by & SITES_BY_BIT(SITES_BY_SITE) ? call_site : 0,
				  x->by & SITES_BY_BIT(SITES_BY_CACHE) ? cache : ROW_FILTERED };
	u64 key = (u64)base.call_site << 20 | (base.cache & 0xfffff) | (u64)1 << 62;
	u32 nr = number_of(x, key, x->nr_base);

	if (nr == x->nr_base)
		x->bases[x->nr_base++] = base;
	return nr;
}

/* Returns 0 if there are too many caches. */
static int note_sites(const struct kmem_session *s, struct sites *x, const char *cache)
{
	const struct trace *t = &s->trace;

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		struct site_note *note = &x->notes[i];
		*note = (struct site_note){ .base = ROW_FILTERED,
					    .bytes = site->bytes,
					    .slot = site->slot,
					    .cache = CACHE_NONE };
		if (site->was == OP_FREE)
			note->is_rcu = is_rcu(t, site);
		if (!site->cache_name && !op_allocates(site->kind))
			continue;
		note->cache = (u16)cache_row(x, site->cache_name);
		if (note->cache == CACHE_NONE)
			return 0;
		/* The first site of the trace with this call site and cache. */
		note->group = number_of(x, (u64)site->call_site << 20 | note->cache | (u64)1 << 61,
					i);
		if (site->kind != OP_NOTHING &&
		    (!cache || text_is(trace_text(t, site->cache_name), cache)))
			note->base = base_of(x, site->call_site, note->cache);
	}
	return 1;
}

/* Takes the machine in force, or the one that the next build makes. */
static void place_cpus(const struct kmem_session *s, struct sites *x)
{
	u32 len = 0, nr_nodes = (u32)params_get(&s->params, PARAM_NODES);
	const u16 *list = params_list(&s->params, PARAM_CPU_NODE, &len);
	u32 nr_cpus = session_nr_cpus(s);

	for (u32 i = 0; i < MAX_CPUS; i++) {
		u32 cpu = i % nr_cpus;
		x->node_of_cpu[i] = list && cpu < len ? list[cpu]
						      : (u16)((u64)cpu * nr_nodes / nr_cpus);
	}
}

static u8 *in_pool(struct kmem_session *s, u64 len_bytes)
{
	struct buffer *run = &s->trace.query_run;

	if (run->room_bytes < len_bytes && !s->w)
		buffer_free(&s->pool, run);
	return buffer_grow(&s->pool, run, len_bytes) ? run->at : NULL;
}

static u8 *behind_world(struct kmem_session *s, u64 len_bytes)
{
	struct side_block *side = index_memory(s);
	u8 *block = side->top;

	if (len_bytes > (u64)(side->end - block) || !host_commit(block + len_bytes))
		return NULL;
	side->top += len_bytes;
	region_unpoison(block, len_bytes);
	return block;
}

/* Finds room: the block of the previous query if it is large enough, the pool, or after the world. */
static u8 *find_block(struct kmem_session *s, struct sites *x, u64 len_bytes)
{
	int kept = x->block && x->is_behind && sites_are_kept(s);

	if (kept && x->block_bytes >= len_bytes)
		return x->block;
	if (kept && x->block + x->block_bytes == s->timeline.behind.top)
		s->timeline.behind.top = x->block;
	u8 *block = in_pool(s, len_bytes);
	x->is_behind = !block;
	if (!block && s->w)
		block = behind_world(s, len_bytes);
	x->block_bytes = len_bytes;
	x->generation = s->generation;
	x->index_drops = query_of(s)->index_drops;
	return block;
}

static void *cut(u8 *block, u64 *at, u64 len_bytes)
{
	void *part = block ? block + *at : NULL;

	*at += ALIGN_UP(len_bytes, (u64)8);
	return part;
}

static u64 task_bits_bytes(const struct trace *t)
{
	return ((u64)t->text_bytes / TEXT_STEP / 64 + 1) * sizeof(u64);
}

/* Cuts the tables from a block; with NULL this measures them. */
static u64 lay_out(struct sites *x, const struct trace *t, u8 *block)
{
	u64 at = 0;

	x->births = cut(block, &at, (u64)t->nr_handles * sizeof(*x->births));
	x->rows = cut(block, &at, (u64)x->rows_room * sizeof(*x->rows));
	x->notes = cut(block, &at, (u64)t->nr_sites * sizeof(*x->notes));
	x->bases = cut(block, &at, (u64)t->nr_sites * sizeof(*x->bases));
	x->caches = cut(block, &at, (u64)x->caches_room * sizeof(*x->caches));
	x->lives = cut(block, &at, (u64)x->caches_room * sizeof(*x->lives));
	x->slots = cut(block, &at, ((u64)x->slots_mask + 1) * sizeof(*x->slots));
	x->lifetimes.pages = cut(block, &at, (u64)x->rows_room * sizeof(*x->lifetimes.pages));
	x->lifetimes.counts = cut(block, &at,
				  (u64)x->lifetimes.nr_counts * sizeof(*x->lifetimes.counts));
	x->pprof = cut(block, &at, pprof_bytes());
	x->by_task = cut(block, &at, x->has_tasks ? task_bits_bytes(t) : 0);
	return at;
}

static s32 not_in_trace(struct kmem_session *s, const char *before, const char *name, u32 len_bytes,
			const char *behind)
{
	struct text t = text_in(s->out.error, sizeof(s->out.error));

	text_print(&t, "the trace has no %s ", before);
	text_add_quoted(&t, name, len_bytes);
	text_add(&t, behind);
	return session_failed(s, KMEM_EPARAM);
}

static void clear_slots(struct sites *x)
{
	memset(x->slots, 0, ((u64)x->slots_mask + 1) * sizeof(*x->slots));
}

s32 sites_prepare(struct kmem_session *s, const char *cache, const char *task)
{
	struct sites *x = sites_of(s);
	const struct trace *t = &s->trace;
	u64 rows = x->is_split ? (u64)t->nr_sites * MAX(t->report.cpus, 1u) : t->nr_sites,
	    slots = 16;

	if (x->by & SITES_BY_BIT(SITES_BY_TASK))
		rows = MAX_SITE_ROWS;

	x->rows_room = (u32)MIN(rows, (u64)MAX_SITE_ROWS);
	x->caches_room = MIN(t->nr_sites, (u32)MAX_SITE_CACHES - 1);
	while (slots < 2 * ((u64)x->rows_room + (u64)t->nr_sites * 2))
		slots *= 2;
	x->slots_mask = (u32)slots - 1;
	/* A recorded free starts at most a page of events and one of times. */
	u64 pages = MIN((u64)x->rows_room * NR_OCTAVES, (u64)t->nr_ops * 2);
	x->lifetimes.nr_counts = (u32)MIN(pages << FINEST_LIFETIMES, (u64)MAX_LIFETIME_COUNTS);
	u64 bytes = lay_out(x, t, NULL);
	u8 *block = find_block(s, x, bytes);
	x->block = block;
	if (!block)
		return session_fail(s, KMEM_ENOMEM,
				    "not enough memory for the call sites, about 24 bytes for "
				    "each live object: cut the trace by time or cache");
	lay_out(x, t, block);
	memset(x->births, 0, (u64)t->nr_handles * sizeof(*x->births));
	lifetimes_begin(&x->lifetimes, x->rows_room);
	memset(x->pprof, 0, pprof_bytes());
	clear_slots(x);
	if (task) {
		u32 len;
		memset(x->by_task, 0, task_bits_bytes(t));
		const char *unknown = filter_mark_tasks(t, x->by_task, task, &len);
		if (unknown)
			return not_in_trace(s, "event of a task", unknown, len,
					    "; expected a name, a pid or both as in sh-42; * "
					    "stands for any characters");
	}
	x->nr_rows = x->nr_base = x->nr_caches = 0;
	if (!note_sites(s, x, cache))
		return session_fail(
			s, KMEM_ELIMIT,
			"more than 65534 caches with call sites: cut the trace by cache");
	if (cache && !x->nr_base)
		return not_in_trace(s, "allocation from a cache", cache, text_length(cache),
				    "; `slabscope info` lists the caches");
	clear_slots(x);
	place_cpus(s, x);
	for (u32 i = 0; i < x->nr_base && !x->is_split; i++)
		if (sites_new_row(x, i, CPU_NONE, NODE_ANY, 0) == ROW_FILTERED)
			break;
	return KMEM_OK;
}
