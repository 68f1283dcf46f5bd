/*
 * check_json.c - the result of a check in words, and as JSON for the page.
 */
#include "query/check/check_model.h"
#include "util/text.h"

/*
 * Describes the first allocation that the model placed elsewhere: both sides, and what the model had there.
 */

static void add_place(struct text *t, const struct finder *f)
{
	if (f->found_in.kind == PLACE_NODE_FREE) {
		text_add_number(t, "number ", f->found.position + 1);
		text_add_number(t, " of the free slabs of node ", f->found_in.node);
		return;
	}
	switch (f->found_in.kind) {
	case PLACE_CPU_SLAB:
		text_print(t, "the cpu slab of CPU %u", f->found_in.cpu);
		break;
	case PLACE_CPU_PARTIAL:
		text_print(t, "number %u on the per-CPU partial list of CPU %u",
			   f->found.position + 1, f->found_in.cpu);
		break;
	case PLACE_NODE_PARTIAL:
		text_print(t, "number %u on the partial list of node %u", f->found.position + 1,
			   f->found_in.node);
		break;
	default:
		text_add(t, "full and on no list");
	}
}

struct source {
	u32 counter;
	const char *words;
};

/* The source of an object in a kernel without cpu slabs (7.x). */
static const char *source_with_sheaves(const u32 *raised)
{
	static const struct source sources[] = {
		{ SHEAF_REFILL, "the main sheaf, refilled from slabs" },
		{ BARN_GET, "a full sheaf of the barn" },
		{ ALLOC_FASTPATH, "the main sheaf" },
		{ ALLOC_SLAB, "a new slab" },
		{ ALLOC_SLOWPATH, "a slab from a node partial list" }
	};

	for (u32 i = 0; i < ARRAY_SIZE(sources); i++)
		if (raised[sources[i].counter])
			return sources[i].words;
	return "a prefilled sheaf or the main sheaf, in one request with others";
}

static const char *source_of(const u32 *raised)
{
	static const struct source sources[] = {
		{ ALLOC_SLAB, "a new slab" },
		{ ALLOC_FROM_PARTIAL, "a slab from a node partial list" },
		{ CPU_PARTIAL_ALLOC, "a slab from the per-CPU partial list" },
		{ ALLOC_REFILL, "the slab freelist of the cpu slab" },
		{ ALLOC_FASTPATH, "the cpu freelist" },
		{ ALLOCHIT, "the array cache" },
		{ GROWN, "a new slab" },
		{ ALLOCMISS, "a slab of the node" }
	};

	for (u32 i = 0; i < ARRAY_SIZE(sources); i++)
		if (raised[sources[i].counter])
			return sources[i].words;
	return "the cpu freelist, for a bulk allocation";
}

static u64 address_of(const struct check *c, u32 cache, u32 nr)
{
	for (u32 i = 0; i < c->slabs.nr; i++) {
		const struct kernel_slab *slab = c->slabs.at + i;
		if (slab->cache == cache && slab->nr == nr)
			return slab->address;
	}
	return 0;
}

static void add_object(struct text *t, u64 address, u32 index)
{
	text_print(t, "object %u of slab ", index);
	text_add_hex(t, address, 16);
}

/* An object of the model by the kernel's index, if events have shown that. */
static void add_named(struct text *t, const struct run *run, u64 address, u32 slab, u32 ours)
{
	u32 index = check_slab_index(run, slab, ours);

	if (index != CHECK_NONE) {
		add_object(t, address, index);
		return;
	}
	text_add(t, "an object that no event had before, of slab ");
	text_add_hex(t, address, 16);
}

static void add_entry(struct text *t, const struct kmem_place *in)
{
	int is_of_cpu = in->cpu != CPU_NONE;

	text_print(t, ", and the object was in the %s of ", place_words(in->kind));
	text_print(t, is_of_cpu ? "CPU %u, behind others." : "node %u, behind others.",
		   is_of_cpu ? in->cpu : in->node);
}

static void say_why(struct text *t, const struct finder *f)
{
	if (!f->is_found) {
		text_add(t, "The kernel made a new slab, or uses one that the model has already "
			    "discarded.");
		return;
	}
	text_add(t, "In the model that slab was ");
	add_place(t, f);
	if (f->cell == CELL_ALLOCATED)
		text_add(t, ", and the object was in use: its free, or an allocation of another "
			    "CPU, took effect in another order than its line has.");
	else if (f->cell == CELL_FREE_CPU && f->found_in.kind != PLACE_CPU_SLAB)
		add_entry(t, &f->entry_in);
	else if (f->found_in.kind == PLACE_CPU_SLAB)
		text_add(t, ", and the object was free behind others on a freelist.");
	else
		text_add(t, ", and the object was free: the lists have another order.");
}

/* The kernel's path, if lines of slub_stat report it. */
static void add_path(struct text *t, const struct check *c, const struct check_event *ev)
{
	const struct check_path *paths = c->paths.at;
	u32 raised[NR_COUNTERS] = { [ALLOC_FASTPATH] = 1 };

	if (!paths || ev->flags & CHECK_IN_GROUP)
		return;
	for (u32 i = 0; i < STATE_COUNTERS; i++)
		raised[i] |= paths[ev->op].mask >> i & 1;
	text_print(t, ", from %s", source_of(raised));
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
	struct finder f = check_find(&run, run.serial_of[ev[i].slab] - 1,
				     check_slab_ours(&run, ev[i].slab, ev[i].index));
	run.ops->count(run.w, run.s, before);
	/* Here the model decides for itself: no path is forced. */
	struct check_event own = ev[i];
	own.flags &= (u8)~CHECK_FORCED;
	check_step(&run, &own, 1, &loc);
	run.ops->count(run.w, run.s, raised);
	for (u32 k = 0; k < NR_COUNTERS; k++)
		raised[k] -= before[k];
	text_print(&kernel, "%s on CPU %u: ", c->states[0].caches.at[nr].name, ev[i].cpu);
	add_object(&kernel, address_of(c, nr, ev[i].slab), ev[i].index);
	add_path(&kernel, c, &ev[i]);
	u32 serial = loc ? run.ops->serial(run.w, LOC_SLAB(loc)) : run.serials;
	u32 slab = serial < run.serials ? run.slab_of[serial] : 0;
	if (!loc)
		text_add(&model, "no object");
	else if (slab)
		add_named(&model, &run, address_of(c, nr, slab - 1), slab - 1, LOC_INDEX(loc));
	else
		text_add_number(&model, "a slab that the kernel does not have, object ",
				LOC_INDEX(loc));
	text_print(&model, ", from %s",
		   run.w->policy.no_cpu_slabs ? source_with_sheaves(raised) : source_of(raised));
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
	static const char *const with_cpu_slabs[NR_CONTROLS] = {
		[CONTROL_NONE] = "",
		[CONTROL_CPU_LIST] = "cpu_partial_slabs + 1",
		[CONTROL_THRESHOLD] = "min_partial + 1",
		[CONTROL_DRAIN_TO_HEAD] = "drained slabs to the head",
	};
	static const char *const with_arrays[NR_CONTROLS] = {
		[CONTROL_NONE] = "",
		[CONTROL_CPU_LIST] = "limit + 1",
		[CONTROL_THRESHOLD] = "batchcount + 1",
		[CONTROL_DRAIN_TO_HEAD] = "slabs to the head after a free",
	};
	static const char *const with_sheaves[NR_CONTROLS] = {
		[CONTROL_NONE] = "",
		[CONTROL_CPU_LIST] = "sheaf_capacity - 4",
		[CONTROL_THRESHOLD] = "limit of a barn - 1",
		[CONTROL_DRAIN_TO_HEAD] = "refill one by one",
	};
	const struct check *c = (const struct check *)s->room.check;

	if (control >= NR_CONTROLS)
		return "";
	if (c->states[0].has_sheaves)
		return with_sheaves[control];
	return c->states[0].is_slab ? with_arrays[control] : with_cpu_slabs[control];
}

static int is_wrong(const struct check_event *ev)
{
	return ev->kind == CHECK_ALLOC && !(ev->flags & CHECK_RIGHT);
}

static void add_controls(struct text *t, const struct kmem_session *s,
			 const struct kmem_checked *out)
{
	text_add(t, ",\"controls\":[");
	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++) {
		text_add(t, i > 1 ? ",{\"setting\":" : "{\"setting\":");
		text_add_json(t, kmem_control_name(s, i));
		text_add_number(t, ",\"right\":", out->control_right[i]);
		text_add(t, out->proves_nothing >> i & 1 ? ",\"proves_nothing\":true}"
							 : ",\"proves_nothing\":false}");
	}
	text_add(t, "]");
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
	text_add(t, "}");
	add_controls(t, s, out);
}

/* Events that took effect elsewhere, as `slabscope check --json` lists them. */
static void add_moves(struct text *t, const struct kmem_checked *out)
{
	text_add(t, ",\"moved\":[");
	for (u32 i = 0; i < out->nr_moved; i++) {
		const struct kmem_checked_move *m = &out->moved[i];
		text_add_number(t, i ? ",{\"event\":" : "{\"event\":", (u64)m->op + 1);
		text_add(t, ",\"cache\":");
		text_add_json(t, m->cache);
		if (m->skips_nodes || m->next_op == KMEM_NONE32)
			text_add(t, ",\"before_event\":null");
		else
			text_add_number(t, ",\"before_event\":", (u64)m->next_op + 1);
		text_add(t, m->skips_nodes ? ",\"skips_nodes\":true}" : ",\"skips_nodes\":false}");
	}
	text_add(t, "]");
}

/* [counter, kernel, model] for each counter that either side raised. */
static void add_counters(struct text *t, const struct check *c, u32 nr)
{
	const struct check_cache *cache = c->caches.at + nr;
	const struct state_cache *start = c->states[0].caches.at + nr;
	u32 there = c->states[1].is_complete ? state_cache_of(&c->states[1], start->name)
					     : CHECK_NONE;
	const char *before = "[";

	text_add(t, ",\"counters\":[");
	for (u32 i = 0; i < STATE_COUNTERS && there != CHECK_NONE; i++) {
		u64 at_stop = c->states[1].caches.at[there].counters[i];
		u64 kernel = at_stop - start->counters[i], model = cache->counters[i];
		if (at_stop < start->counters[i] || !(kernel | model))
			continue;
		text_add_number(t, before, state_counter(&c->states[0], i));
		text_add_number(t, ",", kernel);
		text_add_number(t, ",", model);
		text_add(t, "]");
		before = ",[";
	}
	text_add(t, "]");
}

static void add_caches(struct text *t, const struct check *c)
{
	const struct check_cache *caches = c->caches.at;
	u32 row = 0;

	text_add(t, ",\"by_cache\":[");
	for (u32 nr = 0; nr < c->caches.nr; nr++) {
		if (!caches[nr].nr)
			continue;
		const struct kmem_checked_cache *r = &c->rows[row];
		text_add(t, row++ ? ",{\"name\":" : "{\"name\":");
		text_add_json(t, r->name);
		text_add_number(t, ",\"events\":", r->events);
		text_add_number(t, ",\"allocations\":", r->allocations);
		text_add_number(t, ",\"right\":", r->right);
		text_add(t, ",\"kernel_slabs\":");
		if (r->has_kernel_slabs)
			text_add_s32(t, r->kernel_slabs);
		else
			text_add(t, "null");
		text_add(t, ",\"model_slabs\":");
		text_add_s32(t, r->model_slabs);
		text_add_number(t, ",\"lists\":", caches[nr].lists);
		text_add_number(t, ",\"lists_equal\":", caches[nr].lists_equal);
		add_counters(t, c, nr);
		text_add(t, "}");
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
		text_add_number(t, i ? ",[" : "[", all[i]);
		text_add_number(t, ",", right[i]);
		text_add(t, "]");
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
	if (!parts || parts > MOST_PARTS) {
		session_fail(s, KMEM_EPARAM, "expected 1 to 1024 parts of the run");
		return NULL;
	}
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
	session_fail(s, KMEM_ENOMEM, "not enough memory for the result of the check");
	return NULL;
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
	const u32 nr = c->first_wrong_cache;
	struct text t = text_in(c->json.at, (u32)c->json.room_bytes);
	text_add_number(&t, "{\"event\":", (u64)nearest + 1);
	text_add(&t, ",\"cache\":");
	text_add_json(&t, c->states[0].caches.at[nr].name);
	text_add(&t, ",\"kernel\":");
	text_add_json(&t, c->out.kernel);
	text_add(&t, ",\"model\":");
	text_add_json(&t, c->out.model);
	text_add(&t, ",\"why\":");
	text_add_json(&t, c->out.why);
	text_add(&t, "}");
	return c->json.at;
}
