/*
 * check_json.c - the result of a check in words, and as JSON for the page.
 */
#include "query/check/check_model.h"
#include "util/text.h"

/*
 * Describes the first allocation that the model placed elsewhere: both sides, and what the model had there.
 */

static void add_place(struct text *t, const struct slab_finder *f)
{
	static const char *const words[] = {
		[PLACE_CPU_PARTIAL] = "number %u on the per-CPU partial list of CPU %u",
		[PLACE_NODE_PARTIAL] = "number %u on the partial list of node %u",
		[PLACE_NODE_FREE] = "number %u of the free slabs of node %u",
	};
	const struct kmem_place *in = &f->found_in;

	if (in->kind == PLACE_CPU_SLAB)
		text_print(t, "the cpu slab of CPU %u", in->cpu);
	else if (in->kind < ARRAY_SIZE(words) && words[in->kind])
		text_print(t, words[in->kind], f->slab.position + 1,
			   in->kind == PLACE_CPU_PARTIAL ? in->cpu : in->node);
	else
		text_add(t, "full and on no list");
}

/* Where an object came from, by the counter that shows it. The last row is for a request for several objects. */
struct source {
	u32 counter;
	const char *words;
};

static const struct source with_sheaves[] = {
	{ SHEAF_REFILL, "the main sheaf, refilled from slabs" },
	{ BARN_GET, "a full sheaf of the barn" },
	{ ALLOC_FASTPATH, "the main sheaf" },
	{ ALLOC_SLAB, "a new slab" },
	{ ALLOC_SLOWPATH, "a slab from a node partial list" },
	{ NR_COUNTERS, "a prefilled sheaf or the main sheaf, in one request with others" }
};
static const struct source without_sheaves[] = {
	{ ALLOC_SLAB, "a new slab" },
	{ ALLOC_FROM_PARTIAL, "a slab from a node partial list" },
	{ CPU_PARTIAL_ALLOC, "a slab from the per-CPU partial list" },
	{ ALLOC_REFILL, "the slab freelist of the cpu slab" },
	{ ALLOC_FASTPATH, "the cpu freelist" },
	{ ALLOCHIT, "the array cache" },
	{ GROWN, "a new slab" },
	{ ALLOCMISS, "a slab of the node" },
	{ NR_COUNTERS, "the cpu freelist, for a bulk allocation" }
};

static const char *source_of(const struct source *source, const u32 *raised)
{
	while (source->counter < NR_COUNTERS && !raised[source->counter])
		source++;
	return source->words;
}

static u64 address_of(const struct check *c, u32 cache, u32 nr)
{
	for (u32 i = 0; i < c->slabs.nr; i++)
		if (c->slabs.at[i].cache == cache && c->slabs.at[i].nr == nr)
			return c->slabs.at[i].address;
	return 0;
}

static void say_why(struct text *t, const struct slab_finder *f)
{
	const struct kmem_place *in = &f->entry_in;

	if (!f->is_found) {
		text_add(t, "The kernel made a new slab, or used one that the model had already "
			    "discarded.");
		return;
	}
	text_add(t, "In the model that slab was ");
	add_place(t, f);
	if (f->cell == CELL_ALLOCATED)
		text_add(
			t,
			", and the object was in use: its free, or another CPU's "
			"allocation, took effect in a different order from the one its line shows.");
	else if (f->cell == CELL_FREE_CPU && f->found_in.kind != PLACE_CPU_SLAB)
		text_print(t, ", and the object was in the %s of %s %u, after others.",
			   place_words(in->kind), in->cpu != CPU_NONE ? "CPU" : "node",
			   in->cpu != CPU_NONE ? in->cpu : in->node);
	else if (f->found_in.kind == PLACE_CPU_SLAB)
		text_add(t, ", and the object was free, after others on a freelist.");
	else
		text_add(t, ", and the object was free: the lists are in another order.");
}

/* Adds the kernel's path, if lines of slub_stat report it. */
static void add_path(struct text *t, const struct check *c, const struct check_event *ev)
{
	const struct check_path *paths = c->paths.at;
	u32 raised[NR_COUNTERS] = { [ALLOC_FASTPATH] = 1 };

	if (!paths || ev->flags & CHECK_IN_GROUP)
		return;
	for (u32 i = 0; i < STATE_COUNTERS; i++)
		raised[i] |= paths[ev->op].mask >> i & 1;
	text_print(t, ", from %s", source_of(without_sheaves, raised));
}

s32 check_why(struct kmem_session *s, struct check *c)
{
	u32 nr = c->first_wrong_cache, before[NR_COUNTERS] = { 0 }, raised[NR_COUNTERS] = { 0 };
	struct run run;
	struct text kernel = text_in(c->text[0], sizeof(c->text[0])),
		    model = text_in(c->text[1], sizeof(c->text[1])),
		    why = text_in(c->text[2], sizeof(c->text[2]));

	if (c->first_wrong == CHECK_NONE)
		return 0;
	const struct check_cache *cache = c->caches.at + nr;
	const struct check_event *ev = c->events.at + cache->first;
	s32 err = check_world(s, c, nr, CONTROL_NONE, &run);
	object_loc loc = 0;
	u32 i = 0;

	if (err)
		return err;
	while (ev[i].op != c->first_wrong || ev[i].kind != CHECK_ALLOC)
		i += check_step(&run, &ev[i], cache->nr - i, &loc);
	struct slab_finder f = slab_find(run.ops, run.w, run.s, run.serial_of[ev[i].slab] - 1,
					 check_slab_ours(&run, ev[i].slab, ev[i].index));
	run.ops->count(run.w, run.s, before);
	/* Here the model decides for itself: no path is forced. */
	struct check_event own = ev[i];
	own.flags &= (u8)~CHECK_FORCED;
	check_step(&run, &own, 1, &loc);
	run.ops->count(run.w, run.s, raised);
	for (u32 k = 0; k < NR_COUNTERS; k++)
		raised[k] -= before[k];
	text_print(&kernel, "%s on CPU %u: object %u of slab %jx", c->states[0].caches.at[nr].name,
		   ev[i].cpu, ev[i].index, (uintmax_t)address_of(c, nr, ev[i].slab));
	add_path(&kernel, c, &ev[i]);
	u32 serial = loc ? run.ops->serial(run.w, LOC_SLAB(loc)) : run.serials;
	u32 slab = serial < run.serials ? run.slab_of[serial] : 0;
	u32 index = slab ? check_slab_index(&run, slab - 1, LOC_INDEX(loc)) : CHECK_NONE;
	uintmax_t address = slab ? address_of(c, nr, slab - 1) : 0;
	if (!loc)
		text_add(&model, "no object");
	else if (!slab)
		text_print(&model, "object %u of a slab that the kernel does not have",
			   LOC_INDEX(loc));
	else if (index != CHECK_NONE)
		text_print(&model, "object %u of slab %jx", index, address);
	else
		text_print(&model, "an object of slab %jx that no event had before", address);
	text_print(&model, ", from %s",
		   source_of(run.w->policy.no_cpu_slabs ? with_sheaves : without_sheaves, raised));
	say_why(&why, &f);
	c->out.has_divergence = 1;
	c->out.divergence_op = c->first_wrong;
	c->out.kernel = c->text[0];
	c->out.model = c->text[1];
	c->out.why = c->text[2];
	return 0;
}

/*
 * The result of a check for the page: totals, caches with their counters, agreement over the run, and
 * each divergence in words.
 */

enum { FIRST_JSON_BYTES = 1 << 16, MOST_JSON_BYTES = 1 << 24, MOST_PARTS = 1024 };

const char *kmem_control_name(const struct kmem_session *s, uint32_t control)
{
	static const char *const names[][NR_CONTROLS] = {
		{ "", "cpu_partial_slabs + 1", "min_partial + 1", "drained slabs to the head" },
		{ "", "limit + 1", "batchcount + 1", "slabs to the head after a free" },
		{ "", "sheaf_capacity - 4", "limit of a barn - 1", "refill one by one" },
	};
	const struct state *start = &((const struct check *)s->room.check)->states[0];

	return control < NR_CONTROLS ? names[start->has_sheaves ? 2 : start->is_slab][control] : "";
}

static int is_wrong(const struct check_event *ev)
{
	return ev->kind == CHECK_ALLOC && !(ev->flags & CHECK_RIGHT);
}

static void add_totals(struct text *t, const struct kmem_session *s, const struct kmem_checked *out)
{
	const struct {
		const char *words;
		u64 nr;
	} totals[] = { { "{\"events\":", out->events },
		       { ",\"allocations\":", out->allocations },
		       { ",\"right\":", out->right },
		       { ",\"right_by_slab\":", out->by_slab },
		       { ",\"right_in_recorded_order\":", out->recorded_right },
		       { ",\"resynchronised\":", out->resynchronised },
		       { ",\"moves\":", out->moves },
		       { ",\"given_up\":", out->given_up },
		       { ",\"parts\":{\"all\":", out->parts },
		       { ",\"refused\":", out->parts_refused },
		       { "},\"counters\":{\"cells\":", out->cells },
		       { ",\"within_1_percent\":", out->within_1_percent },
		       { ",\"within_10_percent\":", out->within_10_percent },
		       { "},\"caches\":{\"all\":", out->caches },
		       { ",\"within_2\":", out->within_2 },
		       { "},\"stop_lists\":{\"all\":", out->lists },
		       { ",\"equal\":", out->lists_equal },
		       { "},\"left_out\":{\"large\":", out->large },
		       { ",\"other_caches\":", out->other_caches },
		       { ",\"odd_pointers\":", out->odd_pointers },
		       { ",\"unknown_frees\":", out->unknown_frees },
		       { ",\"unseen_frees\":", out->unseen_frees },
		       { ",\"beside\":", out->beside } };

	for (u32 i = 0; i < ARRAY_SIZE(totals); i++)
		text_add_number(t, totals[i].words, totals[i].nr);
	text_add(t, "},\"controls\":[");
	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++) {
		text_add(t, i > 1 ? "," : "");
		text_json(t, "{'setting':%s,'right':%ju,'proves_nothing':%c}",
			  kmem_control_name(s, i), (uintmax_t)out->control_right[i],
			  (int)(out->proves_nothing >> i & 1));
	}
	text_add(t, "]");
}

/* Adds the events that took effect elsewhere, as `slabscope check --json` lists them. */
static void add_moves(struct text *t, const struct kmem_checked *out)
{
	text_add(t, ",\"moved\":[");
	for (u32 i = 0; i < out->nr_moved; i++) {
		const struct kmem_checked_move *m = &out->moved[i];
		int is_last = m->skips_nodes || m->next_op == KMEM_NONE32;
		text_add(t, i ? "," : "");
		text_json(t,
			  is_last ? "{'event':%ju,'cache':%s,'before_event':null"
				  : "{'event':%ju,'cache':%s,'before_event':%ju",
			  (uintmax_t)m->op + 1, m->cache, (uintmax_t)m->next_op + 1);
		text_json(t, ",'skips_nodes':%c}", (int)m->skips_nodes);
	}
	text_add(t, "]");
}

/* [counter, kernel, model] for each counter that either side raised. */
static void add_counters(struct text *t, const struct check *c, u32 nr)
{
	const struct state *stop = &c->states[1];
	const struct state_cache *start = &c->states[0].caches.at[nr];
	u32 there = stop->is_complete ? state_cache_of(stop, start->name) : CHECK_NONE,
	    nr_counters = 0;

	for (u32 i = 0; i < STATE_COUNTERS && there != CHECK_NONE; i++) {
		u64 at_stop = stop->caches.at[there].counters[i], at_start = start->counters[i],
		    model = c->caches.at[nr].counters[i];
		if (at_stop < at_start || (at_stop == at_start && !model))
			continue;
		text_add(t, nr_counters++ ? "," : "");
		text_json(t, "[%u,%ju,%ju]", state_counter(&c->states[0], i),
			  (uintmax_t)(at_stop - at_start), (uintmax_t)model);
	}
}

static void add_caches(struct text *t, const struct check *c)
{
	text_add(t, ",\"by_cache\":[");
	for (u32 nr = 0, row = 0; nr < c->caches.nr; nr++) {
		const struct check_cache *cache = &c->caches.at[nr];
		const struct kmem_checked_cache *r = &c->rows[row];
		if (!cache->nr)
			continue;
		text_add(t, row++ ? "," : "");
		text_json(t, "{'name':%s,'events':%u,'allocations':%u,'right':%u,", r->name,
			  r->events, r->allocations, r->right);
		text_json(t, r->has_kernel_slabs ? "'kernel_slabs':%d" : "'kernel_slabs':null",
			  r->kernel_slabs);
		text_json(t, ",'model_slabs':%d,'lists':%u,'lists_equal':%u,'counters':[",
			  r->model_slabs, cache->lists, cache->lists_equal);
		add_counters(t, c, nr);
		text_add(t, "]}");
	}
	text_add(t, "]");
}

/* [allocations, right] for each of equally long parts of the run. */
static void add_band(struct text *t, const struct check *c, u64 nr_ops, u32 parts)
{
	u32 all[MOST_PARTS] = { 0 }, right[MOST_PARTS] = { 0 };
	const struct check_event *ev = c->events.at;

	for (u32 i = 0; i < c->events.nr; i++) {
		u64 part = (u64)ev[i].op * parts / nr_ops;
		if (ev[i].kind != CHECK_ALLOC || part >= parts)
			continue;
		all[part]++;
		right[part] += !is_wrong(&ev[i]);
	}
	text_add(t, ",\"band\":[");
	for (u32 i = 0; i < parts; i++) {
		text_add(t, i ? "," : "");
		text_json(t, "[%u,%u]", all[i], right[i]);
	}
	text_add(t, "]}");
}

static int has_result(struct kmem_session *s, const struct check *c)
{
	if (c->out.rows && c->events.at)
		return 1;
	session_fail(s, KMEM_ESTATE, "the model has not been checked");
	return 0;
}

const struct kmem_checked *kmem_checked(struct kmem_session *s)
{
	const struct check *c = check_of(s);

	return has_result(s, c) ? &c->out : NULL;
}

const char *kmem_check_json(struct kmem_session *s, uint32_t parts)
{
	struct check *c = check_of(s);

	if (!has_result(s, c))
		return NULL;
	if (!parts || parts > MOST_PARTS)
		return session_none(s, KMEM_EPARAM, "expected 1 to 1024 parts of the run");
	for (u64 room = FIRST_JSON_BYTES; room <= MOST_JSON_BYTES; room *= 2) {
		if (!buffer_grow(&s->pool, &c->json, room))
			break;
		struct text t = text_in(c->json.at, (u32)c->json.room_bytes);
		add_totals(&t, s, &c->out);
		add_moves(&t, &c->out);
		add_caches(&t, c);
		add_band(&t, c, MAX(s->trace.nr_ops, 1u), parts);
		if (!t.cut)
			return c->json.at;
	}
	return session_none(s, KMEM_ENOMEM, "not enough memory for the result of the check");
}

const char *kmem_check_divergence_json(struct kmem_session *s, uint32_t from)
{
	struct check *c = check_of(s);
	const struct check_event *ev = c->events.at;
	u32 nearest = CHECK_NONE;

	if (!has_result(s, c))
		return NULL;
	for (u32 i = 0; i < c->events.nr; i++)
		if (is_wrong(&ev[i]) && ev[i].op >= from && ev[i].op < nearest)
			nearest = ev[i].op;
	if (nearest == CHECK_NONE)
		return "null";
	c->first_wrong = nearest;
	c->first_wrong_cache = ((u16 *)c->cache_of_op.at)[nearest];
	if (check_why(s, c) || !buffer_grow(&s->pool, &c->json, FIRST_JSON_BYTES))
		return NULL;
	struct text t = text_in(c->json.at, (u32)c->json.room_bytes);
	text_json(&t, "{'event':%ju,'cache':%s,'kernel':%s,'model':%s,'why':%s}",
		  (uintmax_t)nearest + 1, c->states[0].caches.at[c->first_wrong_cache].name,
		  c->out.kernel, c->out.model, c->out.why);
	return c->json.at;
}
