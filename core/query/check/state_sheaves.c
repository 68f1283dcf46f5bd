/*
 * state_sheaves.c - reads the sheaves and barns of a kernel without cpu slabs (7.x).
 *
 *	B filp 0 nr_full=1 nr_empty=1 full=ffff888002f2dd00 empty=ffff8880021aa800	head first
 *	S filp ffff888002f2dd00 where=barn id=0 size=60 objects=...			the last is popped first
 *	F filp ffff8881002b7800 kind=rcu cpu=0 seq=3263 node=0				under way
 */
#include "query/check/check_model.h"
#include "util/scan.h"
#include "util/text.h"

static const struct {
	const char *word;
	u32 kind;
} places[] = { { "main", LIST_SHEAF_MAIN },
	       { "spare", LIST_SHEAF_SPARE },
	       { "rcu", LIST_SHEAF_RCU },
	       { "barn", LIST_BARN_SHEAF },
	       { "barn_empty", LIST_BARN_EMPTY },
	       { "rcu_wait", LIST_SHEAF_WAITING },
	       { "prefilled", LIST_SHEAF_PREFILLED } };

static struct state_list *sheaf_at_address(const struct state *state, u64 address)
{
	u32 row = state->by_sheaf.run.at ? hash_find(&state->by_sheaf, address)->taken : 0;

	return row ? STATE_ROWS(struct state_list, state->lists) + row - 1 : NULL;
}

s32 state_sheaf_line(struct state_reader *r)
{
	struct state *state = r->state;
	struct range where;
	u32 cache, id, size, at, nr, place = 0;
	u64 address;
	s32 err = state_cache_word(r, &cache);

	if (err)
		return err;
	struct range word = state_word(r);
	if (!state_hex(word, &address) || !address || sheaf_at_address(state, address))
		return state_refuse(r, "expected the address of a sheaf, each once", word.at);
	if (!state_value(r, "where", &where))
		return state_refuse(r, "expected where= of a sheaf", NULL);
	while (place < ARRAY_SIZE(places) && !span_is(where.at, where.end, places[place].word))
		place++;
	if (place == ARRAY_SIZE(places))
		return state_refuse(
			r,
			"expected where=main, spare, rcu, barn, barn_empty, rcu_wait or "
			"prefilled",
			where.at);
	int is_of_node = places[place].kind >= LIST_BARN_SHEAF;
	err = state_field(r, "id", is_of_node ? MAX_NODES - 1 : MAX_CPUS - 1, CHECK_NONE, &id);
	err = err ? err : state_field(r, "size", MOST_STATE_ARRAY, CHECK_NONE, &size);
	err = err ? err : state_address_list(r, "objects", &at, &nr);
	if (err)
		return err;
	if (size != nr || nr > STATE_ROWS(struct state_cache, state->caches)[cache].sheaf_capacity)
		return state_refuse(
			r, "size=, sheaf_capacity= and the length of objects= do not fit", NULL);
	if (!hash_reserve(&r->s->pool, &state->by_sheaf))
		return state_no_memory(r);
	struct state_list *list = state_add_list(r, cache, places[place].kind, id);
	if (!list)
		return state_no_memory(r);
	list->at = at;
	list->nr = nr;
	list->address = address;
	hash_put(&state->by_sheaf, hash_find(&state->by_sheaf, address),
		 (struct hash_slot){ address, 0, state->lists.nr });
	if (is_of_node)
		state->nr_nodes = MAX(state->nr_nodes, id + 1);
	else
		state->nr_cpus = MAX(state->nr_cpus, id + 1);
	return 0;
}

/* Sheaves that wait began to do so in the order of seq=. */
s32 state_flight_line(struct state_reader *r)
{
	u32 cache, seq, cpu;
	u64 address;
	s32 err = state_cache_word(r, &cache);

	if (err)
		return err;
	struct range word = state_word(r);
	if (!state_hex(word, &address))
		return state_refuse(r, "expected the address of a sheaf", word.at);
	err = state_field(r, "seq", CHECK_NONE - 1, 0, &seq);
	err = err ? err : state_field(r, "cpu", MAX_CPUS - 1, 0, &cpu);
	struct state_list *list = err ? NULL : sheaf_at_address(r->state, address);
	if (list) {
		list->rank = ~(u64)seq;
		list->of = cpu;
	}
	return err;
}

s32 state_barn_line(struct state_reader *r)
{
	u32 cache, at, nr, empty_at, nr_empty;
	u64 node;
	s32 err = state_cache_word(r, &cache);

	err = err ? err : state_number(r, MAX_NODES - 1, "expected a node below 1024", &node);
	err = err ? err : state_address_list(r, "full", &at, &nr);
	err = err ? err : state_address_list(r, "empty", &empty_at, &nr_empty);
	if (err)
		return err;
	struct state_list *list = state_add_list(r, cache, LIST_BARN, (u32)node);
	if (!list)
		return state_no_memory(r);
	list->at = at;
	list->nr = nr;
	list->nr_free = nr_empty;
	return 0;
}

static s32 does_not_fit(struct kmem_session *s, struct state *state)
{
	state->is_broken = 1;
	return session_fail(s, KMEM_EINPUT,
			    "a barn names a sheaf that has no S line of its cache and place");
}

/* Ranks the sheaves of a barn from the head, and makes one list of the objects in the full ones, of the tail's first. */
static s32 order_barn(struct kmem_session *s, struct state *state, u32 row)
{
	struct state_list barn = STATE_ROWS(struct state_list, state->lists)[row];
	struct state_list all = { .cache = barn.cache,
				  .kind = LIST_BARN_FULL,
				  .of = barn.of,
				  .at = state->addresses.nr };

	for (u32 i = barn.nr + barn.nr_free; i-- > 0;) {
		u64 address = STATE_ROWS(u64, state->addresses)[barn.at + i];
		u32 is_full = i < barn.nr;
		struct state_list *sheaf = sheaf_at_address(state, address);
		if (!sheaf || sheaf->cache != barn.cache ||
		    sheaf->kind != (is_full ? LIST_BARN_SHEAF : LIST_BARN_EMPTY))
			return does_not_fit(s, state);
		sheaf->rank = ~(u64)i;
		for (u32 k = 0; k < sheaf->nr && is_full; k++) {
			u64 object = STATE_ROWS(u64, state->addresses)[sheaf->at + k];
			u64 *to = rows_add(&s->pool, &state->addresses, sizeof(u64));
			if (!to)
				return session_fail(s, KMEM_ENOMEM,
						    "not enough memory for the state");
			*to = object;
			all.nr++;
		}
	}
	struct state_list *to = rows_add(&s->pool, &state->lists, sizeof(*to));
	if (!to)
		return session_fail(s, KMEM_ENOMEM, "not enough memory for the state");
	*to = all;
	return 0;
}

s32 state_sheaves(struct kmem_session *s, struct state *state)
{
	s32 err = 0;

	for (u32 i = 0, nr = state->lists.nr; i < nr && !err; i++)
		if (STATE_ROWS(struct state_list, state->lists)[i].kind == LIST_BARN)
			err = order_barn(s, state, i);
	return err;
}

const struct state_list *state_next_sheaf(const struct state *state, u32 cache, u32 kind,
					  const struct state_list *before)
{
	const struct state_list *lists = state->lists.run.at, *next = NULL;

	/* If the ranks are equal, the earlier line comes first. */
	for (u32 i = 0; i < state->lists.nr; i++) {
		const struct state_list *list = &lists[i];
		if (list->cache != cache || list->kind != kind ||
		    (before &&
		     (list->rank > before->rank || (list->rank == before->rank && list <= before))))
			continue;
		if (!next || list->rank > next->rank)
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
