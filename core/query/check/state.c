/*
 * state.c - the state of a real kernel's caches: its rows, and whether its parts fit together.
 *
 * Every address of a list is checked against the slabs; no slab may be on two lists, or twice on one.
 */
#include "query/check/check_model.h"
#include "util/text.h"

u32 state_slab_of(const struct state *state, u64 address)
{
	return state->by_address.run.at ? hash_find(&state->by_address, address)->taken - 1u
					: CHECK_NONE;
}

struct state_list *state_sheaf_at(const struct state *state, u64 address)
{
	u32 row = state->by_sheaf.run.at ? hash_find(&state->by_sheaf, address)->taken : 0;

	return row ? &state->lists.at[row - 1] : NULL;
}

const struct state_list *state_next_sheaf(const struct state *state, u32 cache, u32 kind,
					  const struct state_list *before)
{
	const struct state_list *next = NULL;

	/* If the ranks are equal, the earlier line comes first. */
	for (u32 i = 0; i < state->lists.nr; i++) {
		const struct state_list *list = &state->lists.at[i];
		if (list->cache == cache && list->kind == kind &&
		    (!before || list->rank < before->rank ||
		     (list->rank == before->rank && list > before)) &&
		    (!next || list->rank > next->rank))
			next = list;
	}
	return next;
}

u32 state_counter(const struct state *state, u32 nr)
{
	/* In the order of enum stat_item of 7.2. */
	static const u8 with_sheaves[STATE_COUNTERS] = {
		ALLOC_FASTPATH,	     ALLOC_SLOWPATH,
		FREE_RCU_SHEAF,	     FREE_RCU_SHEAF_FAIL,
		FREE_FASTPATH,	     FREE_SLOWPATH,
		FREE_ADD_PARTIAL,    FREE_REMOVE_PARTIAL,
		ALLOC_SLAB,	     ALLOC_NODE_MISMATCH,
		FREE_SLAB,	     ORDER_FALLBACK,
		CMPXCHG_DOUBLE_FAIL, SHEAF_FLUSH,
		SHEAF_REFILL,	     SHEAF_ALLOC,
		SHEAF_FREE,	     BARN_GET,
		BARN_GET_FAIL,	     BARN_PUT,
		BARN_PUT_FAIL,	     SHEAF_PREFILL_FAST,
		SHEAF_PREFILL_SLOW,  SHEAF_PREFILL_OVERSIZE,
		SHEAF_RETURN_FAST,   SHEAF_RETURN_SLOW
	};

	if (state->has_sheaves)
		return with_sheaves[nr];
	if (!state->is_slab)
		return nr;
	return nr < STATE_SLAB_COUNTERS ? ALLOCHIT + nr : NR_COUNTERS;
}

s32 state_begin(struct kmem_session *s, struct state *state)
{
	struct array *all[] = { &state->caches.all, &state->slabs.all, &state->lists.all,
				&state->indices.all, &state->addresses.all };

	session_drop_world(s);
	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		array_free(&s->pool, all[i]);
	hash_free(&s->pool, &state->names);
	hash_free(&s->pool, &state->by_address);
	hash_free(&s->pool, &state->by_sheaf);
	buffer_free(&s->pool, &state->line);
	*state = (struct state){ .is_reading = 1 };
	return 0;
}

static s32 does_not_fit(struct kmem_session *s, struct state *state, const char *what)
{
	state->is_broken = 1;
	return session_fail(s, KMEM_EINPUT, what);
}

/* Ranks the sheaves that a barn's list names, head first, and lists the objects in the full ones, starting at the
 * tail. */
static s32 order_barn(struct kmem_session *s, struct state *state, struct state_list barn)
{
	struct state_list all = { .cache = barn.cache,
				  .kind = LIST_BARN_FULL,
				  .of = barn.of,
				  .at = state->addresses.nr };
	int is_full = barn.kind == LIST_BARN;

	for (u32 i = barn.nr; i-- > 0;) {
		struct state_list *sheaf = state_sheaf_at(state, state->addresses.at[barn.at + i]);
		if (!sheaf || sheaf->cache != barn.cache ||
		    sheaf->kind != (is_full ? LIST_BARN_SHEAF : LIST_BARN_EMPTY))
			return does_not_fit(
				s, state,
				"a barn names a sheaf that has no S line of its cache and place");
		sheaf->rank = ~(u64)i;
		for (u32 k = 0; k < sheaf->nr && is_full; k++, all.nr++) {
			u64 *to = array_add(&s->pool, &state->addresses.all, sizeof(*to));
			if (!to)
				return session_fail(s, KMEM_ENOMEM,
						    "not enough memory for the state");
			*to = state->addresses.at[sheaf->at + k];
		}
	}
	struct state_list *to = is_full ? array_add(&s->pool, &state->lists.all, sizeof(*to))
					: &all;
	if (!to)
		return session_fail(s, KMEM_ENOMEM, "not enough memory for the state");
	*to = all;
	return 0;
}

/* Turns the addresses of an array into objects of slabs, which count them as in use. */
static s32 resolve_array(struct kmem_session *s, struct state *state, const struct state_list *list)
{
	const struct state_cache *c = &state->caches.at[list->cache];
	u64 *address = state->addresses.at + list->at;

	for (u32 i = 0; i < list->nr; i++) {
		u32 nr = CHECK_NONE;
		u64 head = 0;
		/* A slab may have the smaller order. */
		for (u32 order = c->order + 1; order-- > 0 && nr == CHECK_NONE;) {
			head = address[i] & ~(((u64)4096 << order) - 1);
			nr = state_slab_of(state, head);
			if (nr != CHECK_NONE && state->slabs.at[nr].order < order)
				nr = CHECK_NONE;
		}
		u64 index = (address[i] - head) / c->size;
		int is_known = nr != CHECK_NONE && state->slabs.at[nr].cache == list->cache &&
			       index < state->slabs.at[nr].objects;
		u64 object = STATE_OBJECT(nr, index);
		for (u32 k = 0; k < i && is_known; k++)
			is_known = address[k] != object;
		if (!is_known)
			return does_not_fit(
				s, state,
				"an array or a sheaf names an object twice, or one of no "
				"slab of its cache");
		address[i] = object;
	}
	return 0;
}

static const char *misfit(const struct state *state, const struct state_list *list, u32 nr)
{
	const struct state_slab *slab = &state->slabs.at[nr];

	if (nr == CHECK_NONE || slab->cache != list->cache)
		return ", which has no L line of this cache";
	if (slab->list)
		return ", which is on a list already: the lists have a cycle or share it";
	if (list->kind >= LIST_NODE_PARTIAL && slab->node != list->of)
		return ", which is on another node";
	if (list->kind != LIST_CPU_SLAB && slab->inuse == slab->objects)
		return ", which has no free objects";
	if (state->is_slab && (list->kind == LIST_NODE_FREE) != !slab->inuse)
		return ", which is partial and free at once";
	return NULL;
}

/* Turns a list's addresses into slabs; each slab may be on one list. */
static s32 resolve_list(struct kmem_session *s, struct state *state, u32 row)
{
	const struct state_list *list = &state->lists.at[row];
	u64 *address = state->addresses.at + list->at;

	if (list_has_objects(list->kind))
		return resolve_array(s, state, list);
	for (u32 i = 0; i < list->nr && list_has_slabs(list->kind); i++) {
		u32 nr = state_slab_of(state, address[i]);
		const char *what = misfit(state, list, nr);
		if (what) {
			char sentence[256];
			struct text t = text_in(sentence, sizeof(sentence));
			text_print(&t, "a list of %s has the slab ",
				   state->caches.at[list->cache].name);
			text_add_hex(&t, address[i], 1);
			text_add(&t, what);
			return does_not_fit(s, state, sentence);
		}
		state->slabs.at[nr].list = row + 1;
		address[i] = nr;
	}
	return 0;
}

/* No object may be free twice. */
static s32 check_freelists(struct kmem_session *s, struct state *state)
{
	const u16 *indices = state->indices.at;
	u64 seen[(MAX_OBJS_PER_SLAB + 64) / 64];

	for (u32 i = 0; i < state->slabs.nr; i++) {
		const struct state_slab *slab = &state->slabs.at[i];
		const struct state_list *list = state_list_of(state, slab);
		u32 nr = slab->nr_free + (list ? list->nr_free : 0);
		memset(seen, 0, (slab->objects / 64u + 1) * 8);
		for (u32 k = 0; k < nr; k++) {
			u32 index = k < slab->nr_free ? indices[slab->free_at + k]
						      : indices[list->free_at + k - slab->nr_free];
			if (index >= slab->objects || seen[index / 64] >> index % 64 & 1)
				return does_not_fit(
					s, state,
					"a freelist names an object twice: it has a cycle");
			seen[index / 64] |= (u64)1 << index % 64;
		}
	}
	return 0;
}

static void put_first(struct state *state, u32 row)
{
	struct state_slab *slab = &state->slabs.at[row];
	u32 *first = &state->caches.at[slab->cache].first_slab;

	slab->next = *first;
	*first = row + 1;
}

/* Chains the slabs of each cache in the order in which a model adopts them: list by list, then those on no list. */
static void chain_slabs(struct state *state)
{
	for (u32 i = state->slabs.nr; i-- > 0;)
		if (!state->slabs.at[i].list)
			put_first(state, i);
	for (u32 i = state->lists.nr; i-- > 0;) {
		const struct state_list *list = &state->lists.at[i];
		for (u32 k = 0; k < list->nr && list_has_slabs(list->kind); k++) {
			/* A slab goes before those on a per-CPU partial list. */
			u32 from = list->kind == LIST_CPU_PARTIAL ? k : list->nr - 1 - k;
			put_first(state, (u32)state->addresses.at[list->at + from]);
		}
	}
}

s32 state_end(struct kmem_session *s, struct state *state)
{
	s32 err = state->line_len ? state_chunk(s, state, (const u8 *)"\n", 1) : 0;

	state->is_reading = 0;
	if (err)
		return err;
	if (!state->is_complete)
		return does_not_fit(
			s, state,
			state->caches.nr
				? "the state ends before its last line, `E complete`: it was "
				  "cut off"
				: "no state of a kernel found: expected lines C, P, N and L, as "
				  "docs/command/check.md describes them");
	for (u32 i = 0; i < state->lists.nr && !err; i++)
		err = resolve_list(s, state, i);
	err = err ? err : check_freelists(s, state);
	for (u32 i = 0, nr = state->lists.nr; i < nr && !err; i++)
		if (state->lists.at[i].kind == LIST_BARN ||
		    state->lists.at[i].kind == LIST_BARN_SPARE)
			err = order_barn(s, state, state->lists.at[i]);
	if (!err)
		chain_slabs(state);
	return err;
}
