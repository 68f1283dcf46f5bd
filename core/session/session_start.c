/*
 * session_start.c - how a build starts: with the slabs of a machine state, of pointers, or of a kernel's state.
 */
#include "machine_state/machine_state.h"
#include "replay/replay_tables.h"
#include "session/session.h"

/*
 * A warm start: a build starts with the slabs that the trace's pointers show, that a machine state counts, or
 * both.
 *
 * Caches are otherwise made when the trace first uses them. Here they are all made at the start, in the same order, so
 * that the first picture has every slab. Clocks, counters and searches start at 0 as always.
 */

enum { MOST_SHEAF_ENTRIES = 512 };

struct machine_state *session_warm_state(struct kmem_session *s)
{
	struct session_import *im = &s->import;

	if (im->start_limit == LIMIT_EMPTY)
		return NULL;
	if (im->warm.nr_rows && !im->warm.is_reading)
		return &im->warm;
	struct machine_state *o = im->before.nr_rows ? &im->before : &im->machine_state;
	return im->is_warm && o->nr_rows ? o : NULL;
}

/* Makes the cache of each allocation site, as the replay would; sites are in the order of their first event. */
static void make_caches(struct kmem_session *s)
{
	const struct trace *t = &s->trace;

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		if (site->kind == OP_KMALLOC)
			kmalloc_cache(&s->replay, site->kmalloc_type, site->bytes);
		else if (site->kind == OP_ALLOC || site->kind == OP_BULK_ALLOC)
			trace_cache(&s->replay, site->cache);
	}
}

/* Clocks, searches and moves of slabs from before the first event are not the trace's. */
static void forget_work(struct world *w)
{
	w->now = w->op_start = 0;
	w->slow_paths = w->slab_moves = 0;
	w->any_node_entered = w->any_node_zones = 0;
	for (u32 id = 0; id < w->nr_caches; id++)
		cache_at(w, id)->slabs_peak = cache_at(w, id)->slabs;
}

/* The pointers show nothing, so make the world again, without caches. */
static s32 begin_cold(struct kmem_session *s)
{
	s->import.inferring.is_vain = 1;
	s32 err = session_new_world(s);
	s->import.inferring.is_vain = 0;
	return err;
}

/* Makes the slabs that a snapshot counts, in addition to those that pointers have shown. */
static s32 adopt_counted(struct kmem_session *s, struct machine_state *o)
{
	struct kmem_warm *sum = &s->import.warmed;
	const struct kmem_ops *ops = s->replay.ops;

	/* Page events show for each slab whether it is old. */
	int knows_free = s->replay.start && page_events_map(&s->trace.page_events) != 0;

	memset(o->tables->is_adopted, 0, sizeof(o->tables->is_adopted));
	for (u32 id = 0; id < s->w->nr_caches; id++) {
		if (!ops->adopt)
			sum->refused++;
		else if (!warm_start(o, ops, s->w, cache_at(s->w, id), knows_free, sum))
			return session_fail(
				s, KMEM_ENOMEM,
				"the snapshot's slabs do not fit in the memory of the simulated machine: set more memory (--memory), or start from empty");
		if (s->w->used + WORLD_HEADROOM_BYTES > world_host(s->w)->limit_bytes)
			return session_fail(
				s, KMEM_ENOMEM,
				"the region has no room for the snapshot's slabs: start from empty, or use the native command");
	}
	return 0;
}

/* Finds the model's cache for a row of the start; caches that only frees of the trace name are made here. */
static struct kmem_cache *cache_of(struct kmem_session *s, const struct start_cache *of)
{
	struct cache_spec spec = { of->name, of->object_size, of->size, 8, CACHE_NOMERGE };
	u32 id = cache_named(s->w, of->name);

	if (id != CACHE_NONE)
		return cache_at(s->w, id);
	ref made = replay_create_cache(&s->replay, &spec);
	return made ? at(s->w, made) : NULL;
}

/*
 * Gives the model one slab. If the policy has no such lists of CPUs, the slab goes to its node, with the cpu freelist
 * before the slab freelist.
 */
static ref give(struct kmem_session *s, struct kmem_cache *cache, const struct start_slab *slab,
		struct adopted_slab *was)
{
	const u16 *indices = s->import.start.indices.at;
	struct exact_slab exact = { indices + slab->free_at,
				    indices + slab->cpu_free_at,
				    slab->nr_free,
				    slab->nr_cpu_free,
				    slab->order,
				    slab->objects,
				    1 };
	u32 nr_free = (u32)slab->nr_free + slab->nr_cpu_free;

	*was = (struct adopted_slab){ slab->place, slab->cpu, slab->node,
				      slab->objects - (u32)slab->nr_free, &exact };
	ref made = world_has_room(s->w) ? s->replay.ops->adopt(s->w, cache, was) : 0;
	if (made || (slab->place != PLACE_CPU_SLAB && slab->place != PLACE_CPU_PARTIAL))
		return made;
	exact.free = slab->nr_cpu_free ? exact.cpu_free : exact.free;
	exact.nr_free = (u16)nr_free;
	exact.nr_cpu_free = 0;
	was->place = nr_free ? PLACE_NODE_PARTIAL : PLACE_NODE_FULL;
	was->inuse = slab->objects - nr_free;
	return world_has_room(s->w) ? s->replay.ops->adopt(s->w, cache, was) : 0;
}

static int adopt(struct kmem_session *s, struct kmem_cache *cache, struct start_slab *slab)
{
	struct kmem_warm *sum = &s->import.warmed;
	struct adopted_slab was;

	slab->made = give(s, cache, slab, &was);
	if (!slab->made)
		return 0;
	slab->made_cache = cache->id;
	slab->made_serial = s->replay.ops->serial(s->w, slab->made);
	sum->slabs++;
	sum->room += slab->nr_free + (u32)slab->nr_cpu_free;
	sum->objects += slab->objects - (u32)slab->nr_free - slab->nr_cpu_free;
	sum->partial += was.place == PLACE_NODE_PARTIAL;
	sum->cpu_slabs += was.place == PLACE_CPU_SLAB || was.place == PLACE_CPU_PARTIAL;
	return 1;
}

/* Fills one sheaf, if its slabs exist. Its objects are free, though their slabs count them as in use. */
static void adopt_sheaf(struct kmem_session *s, struct kmem_cache *cache,
			const struct start_sheaf *sheaf)
{
	const struct start *start = &s->import.start;
	struct kmem_warm *sum = &s->import.warmed;
	object_loc entries[MOST_SHEAF_ENTRIES];
	struct adopted_sheaf was = { sheaf->place, sheaf->cpu, sheaf->node, entries, 0 };

	for (u32 i = 0; i < sheaf->nr; i++) {
		const struct start_entry *entry = &start->entries.at[sheaf->at + i];
		ref made = entry->slab ? start->slabs.at[entry->slab - 1].made : 0;
		if (made)
			entries[was.nr++] = LOC(made, entry->index);
	}
	if (!was.nr || !world_has_room(s->w) || !s->replay.ops->adopt_sheaf(s->w, cache, &was))
		return;
	sum->room += was.nr;
	sum->objects -= was.nr;
}

/* Checks that the machine has the CPUs, nodes and pages of the slabs. */
static s32 check_machine(struct kmem_session *s)
{
	const struct start *start = &s->import.start;
	const struct machine *m = &s->w->machine;
	u32 cpus = 0, nodes = 0;

	for (u32 i = 0; i < start->slabs.nr; i++) {
		cpus = MAX(cpus, start->slabs.at[i].cpu + 1u);
		nodes = MAX(nodes, start->slabs.at[i].node + 1u);
	}
	if (m->page_shift != 12)
		return session_fail(
			s, KMEM_EPARAM,
			"the start state has pages of 4096 bytes: set page_size=4096, or start from empty");
	if (cpus <= m->nr_cpus && nodes <= m->nr_nodes)
		return 0;
	struct text t = text_in(s->out.error, sizeof(s->out.error));
	text_print(
		&t,
		"the start state has slabs on %u CPU{s} and %u node{s}: set cpus and nodes to at least these, or start from empty",
		cpus, nodes);
	return session_failed(s, KMEM_EPARAM);
}

static s32 session_start(struct kmem_session *s)
{
	struct start *start = &s->import.start;
	struct kmem_warm *sum = &s->import.warmed;
	struct kmem_cache *cache = NULL;
	s32 err = start->is_inferred ? 0 : check_machine(s);

	if (err)
		return err;
	for (u32 i = 0; i < start->slabs.nr; i++)
		start->slabs.at[i].made = 0;
	for (u32 i = 0; i < start->slabs.nr; i++) {
		struct start_slab *slab = &start->slabs.at[i];
		if (!i || slab->cache != slab[-1].cache) {
			cache = start->is_inferred ? cache_at(s->w, slab->cache)
						   : cache_of(s, &start->caches.at[slab->cache]);
			sum->caches += cache != NULL;
		}
		if (cache && cache->flags & CACHE_DEBUG) {
			/* Debugging needs the bytes of each object, which no state contains. */
			sum->refused += !i || slab->cache != slab[-1].cache;
			continue;
		}
		/* An inferred slab may contradict the machine that replays. */
		if ((!cache || !adopt(s, cache, slab)) && !start->is_inferred)
			return session_fail(
				s, KMEM_ENOMEM,
				"the slabs of the start state do not fit in the simulated machine: set more memory (--memory), or start from empty");
	}
	for (u32 i = 0; i < start->sheaves.nr; i++)
		adopt_sheaf(s, cache_at(s->w, start->sheaves.at[i].cache), &start->sheaves.at[i]);
	sum->inferred = start->is_inferred;
	for (u32 i = 0; i < start->frees.nr; i++)
		sum->frees += start->slabs.at[start->frees.at[i].slab].made != 0;
	sum->unknown = (u32)s->trace.report.orphan_frees - sum->frees;
	sum->cold = s->w->nr_caches - MIN(s->w->nr_caches, sum->caches + sum->refused);
	return 0;
}

s32 session_warm(struct kmem_session *s)
{
	struct machine_state *o = session_warm_state(s);
	struct kmem_warm *sum = &s->import.warmed;
	int has_rows = s->replay.start != NULL;
	s32 err = 0;

	memset(sum, 0, sizeof(*sum));
	start_doubt_begin(s);
	if (!has_rows && !s->import.inferring.is_ready && !o)
		return 0;
	make_caches(s);
	if (!has_rows && s->import.inferring.is_ready && !session_infer(s) && !o)
		return begin_cold(s);
	if (s->replay.start)
		err = session_start(s);
	if (!err && o) {
		sum->caches = sum->cold = sum->refused = 0;
		err = adopt_counted(s, o);
	}
	forget_work(s->w);
	sum->pages = s->w->machine.pages_in_use;
	return err;
}

s32 kmem_warm_begin(struct kmem_session *s)
{
	s->import.machine_state.is_reading = s->import.cache_params.is_reading = 0;
	return session_machine_state_begin(s, &s->import.warm);
}

void kmem_warm_use(struct kmem_session *s, u32 on)
{
	s->import.is_warm = on != 0;
}

const struct kmem_warm *kmem_warm(struct kmem_session *s)
{
	static const struct kmem_warm cold = { 0 };

	return s->w ? &s->import.warmed : &cold;
}

void kmem_start_limit(struct kmem_session *s, u32 limit)
{
	s->import.start_limit = limit;
}

/* Says why a build starts from empty although pointers or a file may show the machine's slabs. */
static const char *why_empty(struct kmem_session *s)
{
	const struct session_import *im = &s->import;

	if (im->start_limit)
		return "replays are compared, and one of them cannot start from the machine's slabs";
	if (s->timeline.turns.is_on)
		return "a replay by clocks cannot start from slabs that pointers show";
	if (!s->trace.first_events.nr || s->trace.report.hashed)
		return "the trace does not say which slabs the machine had before";
	if (!im->infers)
		return "you chose to leave out the slabs that the trace's pointers show";
	if (!s->replay.ops->adopts_exactly)
		return "this allocator cannot start from the slabs that the trace's pointers show";
	if (s->w->policy.debug_flags)
		return "with debugging on, a replay cannot start from the slabs that the trace's pointers show";
	if (im->inferring.is_misfit)
		return "the slots and orders of this machine do not fit the slabs that the trace's "
		       "pointers show";
	return "the trace's pointers show no slabs from before it";
}

static void add_empty(struct kmem_session *s, struct text *t)
{
	if (session_warm_state(s))
		text_add(t, "Start from empty: this allocator cannot start from the slabs of a "
			    "snapshot.");
	else if (kmem_start_from(s) == START_BEGINNING)
		text_add(t, "Start from empty: the trace contains its own beginning.");
	else
		text_print(t, "Start from empty, a guess: %s.", why_empty(s));
}

static void session_start_text(struct kmem_session *s, struct text *t)
{
	const struct kmem_warm *sum = &s->import.warmed;

	if (!s->replay.start) {
		text_add(t,
			 "Start from empty: this allocator cannot start from the exact slabs of a "
			 "kernel.");
	} else if (s->import.start.is_inferred) {
		text_print(t,
			   "Start from pointers, a guess: %u slab{s} of %u cache{s} inferred from "
			   "the trace's pointers, with %ju object{s} in use and room for %u "
			   "object{s}; the trace frees %u of these objects",
			   sum->slabs, sum->caches, (uintmax_t)sum->objects, sum->room, sum->frees);
		if (sum->unknown)
			text_print(t, " and %u other{s} from before it", sum->unknown);
		text_add(t, ".");
	} else {
		text_print(
			t,
			"Start from kernel state: %u cache{s} {start|starts} with %u slab{s}, their "
			"freelists and %ju object{s} in use; the trace frees %u of these objects.",
			sum->caches, sum->slabs, (uintmax_t)sum->objects, s->import.start.frees.nr);
	}
}

const char *kmem_warm_text(struct kmem_session *s)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	const struct kmem_warm *sum = kmem_warm(s);

	text_add(&t, "");
	if (!s->w)
		return s->out.text;
	if (kmem_start_from(s) != START_SNAPSHOT) {
		if (sum->slabs || (s->import.start.caches.nr && !s->import.start.is_inferred &&
				   !s->import.start_limit))
			session_start_text(s, &t);
		else
			add_empty(s, &t);
		return s->out.text;
	}
	if (sum->inferred && sum->cold) {
		text_print(
			&t,
			"Start from slabinfo and pointers: %u slab{s} with %ju object{s} in use; a "
			"snapshot of the machine counted those of %u cache{s}, those of %u "
			"other{s} are a guess from pointers",
			sum->slabs, (uintmax_t)sum->objects, sum->caches, sum->cold);
	} else {
		text_print(
			&t,
			"Start from slabinfo: %u cache{s} {start|starts} with %u slab{s} and %ju "
			"object{s} in use, as a snapshot of the machine counted them",
			sum->caches, sum->slabs, (uintmax_t)sum->objects);
		if (sum->cold + sum->refused)
			text_print(&t, "; %u cache{s} {start|starts} empty, a guess",
				   sum->cold + sum->refused);
	}
	text_add(&t, ".");
	const char *doubt = kmem_start_doubt(s);
	if (*doubt)
		text_print(&t, " %s", doubt);
	return s->out.text;
}

/*
 * A build that starts with the slabs of struct start: adopts each of them in its cache.
 */

s32 session_start_counts(struct kmem_session *s)
{
	struct kmem_kernel_counters_row *rows = s->trace.counters_run.at;
	struct buffer *kept = &s->import.start.counts_run;
	u32 nr = s->trace.nr_counters_rows;

	if (!nr)
		return 0;
	if (!buffer_grow(&s->pool, kept, nr * (u64)sizeof(rows->before)))
		return session_fail(s, KMEM_ENOMEM,
				    "not enough memory for the slabs to start from");
	for (u32 i = 0; i < nr; i++) {
		memcpy((u32 *)kept->at + i * NR_KERNEL_COUNTERS, rows[i].before,
		       sizeof(rows->before));
		memset(rows[i].before, 0, sizeof(rows->before));
	}
	return 0;
}

void session_start_note(struct kmem_session *s, u32 op)
{
	struct start_slab *of;
	object_loc loc = start_object(s->replay.start, &s->trace, op, &of);

	if (!loc)
		return;
	s->timeline.op_cache = of->made_cache;
	s->timeline.op_slab = of->made_serial;
	s->timeline.op_index = LOC_INDEX(loc);
}

void session_start_drop(struct kmem_session *s)
{
	struct start *start = &s->import.start;
	struct kmem_kernel_counters_row *rows = s->trace.counters_run.at;

	for (u32 i = 0; start->counts_run.at && i < s->trace.nr_counters_rows; i++)
		memcpy(rows[i].before, (u32 *)start->counts_run.at + i * NR_KERNEL_COUNTERS,
		       sizeof(rows->before));
	buffer_free(&s->pool, &start->counts_run);
	array_free(&s->pool, &start->caches.all);
	array_free(&s->pool, &start->slabs.all);
	array_free(&s->pool, &start->indices.all);
	array_free(&s->pool, &start->frees.all);
	array_free(&s->pool, &start->sheaves.all);
	array_free(&s->pool, &start->entries.all);
	memset(start, 0, sizeof(*start));
}
