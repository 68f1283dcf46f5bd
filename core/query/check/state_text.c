/*
 * state_text.c - reads the state of a kernel's caches: every slab with its address, its freelist and the list that has it.
 *
 * docs/command.md has the fields of each line. The text may be damaged or made to harm. So every count is checked against what follows it, every index against its
 * slab, and every address of a list against the slabs; no slab may be on two lists, or twice on one.
 */
#include "query/check/check_model.h"
#include "util/scan.h"
#include "util/text.h"

enum { MOST_STATE_CACHES = MAX_CACHES, MOST_OBJECT_BYTES = 1 << 25, MOST_CAPACITY = 512 };

s32 state_refuse(struct state_reader *r, const char *what, const u8 *at)
{
	char sentence[320];
	struct text t = text_in(sentence, sizeof(sentence));
	const u8 *end = at ? scan_word(at, r->end) : NULL;

	r->state->is_broken = 1;
	text_add_number(&t, "line ", r->state->line_nr);
	text_add(&t, ": ");
	text_add(&t, what);
	if (at) {
		text_add(&t, ", found ");
		text_add_quoted(&t, (const char *)at, (u32)(end - at));
	}
	return session_fail(r->s, KMEM_EINPUT, sentence);
}

s32 state_no_memory(struct state_reader *r)
{
	r->state->is_broken = 1;
	return session_fail(r->s, KMEM_ENOMEM, "not enough memory for the state");
}

static u64 hash_of(const u8 *at, u32 len)
{
	u64 hash = 14695981039346656037u;

	for (u32 i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 1099511628211u;
	return hash;
}

static struct hash_slot *name_slot(const struct state *state, const u8 *name, u32 len)
{
	const struct state_cache *caches = state->caches.run.at;
	struct hash_slot *slot = hash_home(&state->names, hash_of(name, len));

	while (slot->taken) {
		const char *known = caches[slot->taken - 1].name;
		if (span_is(name, name + len, known))
			break;
		slot = hash_behind(&state->names, slot);
	}
	return slot;
}

u32 state_cache_of(const struct state *state, const char *name)
{
	if (!state->names.run.at)
		return CHECK_NONE;
	return name_slot(state, (const u8 *)name, text_length(name))->taken - 1u;
}

u32 state_slab_of(const struct state *state, u64 address)
{
	return state->by_address.run.at ? hash_find(&state->by_address, address)->taken - 1u
					: CHECK_NONE;
}

/* The next word of the line; empty at its end. */
struct range state_word(struct state_reader *r)
{
	r->at = skip_blanks(r->at, r->end);
	struct range word = { r->at, scan_word(r->at, r->end) };
	r->at = word.end;
	return word;
}

static int number_of(struct range digits, u64 most, u64 *number)
{
	return digits.at < digits.end && scan_decimal(digits.at, digits.end, most, number);
}

int state_hex(struct range digits, u64 *number)
{
	*number = 0;
	if (digits.at == digits.end || digits.end - digits.at > 16)
		return 0;
	for (; digits.at < digits.end; digits.at++) {
		if (hex_digit(*digits.at) > 15)
			return 0;
		*number = *number << 4 | hex_digit(*digits.at);
	}
	return 1;
}

/* The value of key= in the rest of the line. 0 if it is missing. */
int state_value(const struct state_reader *r, const char *key, struct range *value)
{
	for (const u8 *p = r->at; p < r->end;) {
		p = skip_blanks(p, r->end);
		const u8 *end = scan_word(p, r->end);
		u32 len = text_length(key);
		if (span_begins(p, end, key) && end - p > (s64)len && p[len] == '=') {
			*value = (struct range){ p + len + 1, end };
			return 1;
		}
		p = end;
	}
	return 0;
}

/* The number of key=; missing keys are errors only if `otherwise` is CHECK_NONE. */
s32 state_field(struct state_reader *r, const char *key, u64 most, u32 otherwise, u32 *to)
{
	struct range value;
	u64 number = otherwise;
	char sentence[96];
	struct text t = text_in(sentence, sizeof(sentence));

	if (!state_value(r, key, &value) && otherwise != CHECK_NONE) {
		*to = otherwise;
		return 0;
	}
	if (!state_value(r, key, &value) || !number_of(value, most, &number)) {
		text_add(&t, "expected ");
		text_add(&t, key);
		text_add_number(&t, "= and a number of at most ", most);
		return state_refuse(r, sentence, state_value(r, key, &value) ? value.at : NULL);
	}
	*to = (u32)number;
	return 0;
}

static s32 read_cache(struct state_reader *r)
{
	struct state *state = r->state;
	struct range name = state_word(r);
	u32 len = (u32)(name.end - name.at);

	if (!len || len >= MAX_NAME_BYTES)
		return state_refuse(r, "expected the name of a cache, shorter than 64 bytes",
				    name.at);
	if (state->caches.nr == MOST_STATE_CACHES)
		return state_refuse(r, "expected at most 4096 caches", NULL);
	if (!hash_reserve(&r->s->pool, &state->names))
		return state_no_memory(r);
	struct hash_slot *slot = name_slot(state, name.at, len);
	if (slot->taken)
		return state_refuse(r, "expected each cache once", name.at);
	struct state_cache *c = rows_add(&r->s->pool, &state->caches, sizeof(*c));
	if (!c)
		return state_no_memory(r);
	memcpy(c->name, name.at, len);
	hash_put(&state->names, slot,
		 (struct hash_slot){ hash_of(name.at, len), 0, state->caches.nr });
	struct range value;
	state->is_slab |= state_value(r, "batchcount", &value) != 0;
	s32 err = state_field(r, "size", MOST_OBJECT_BYTES, CHECK_NONE, &c->size);
	err = err ? err
		  : state_field(r, "object_size", MOST_OBJECT_BYTES, CHECK_NONE, &c->object_size);
	err = err ? err : state_field(r, "order", MAX_ORDER, CHECK_NONE, &c->order);
	err = err ? err
		  : state_field(r, state->is_slab ? "num" : "objs", MAX_OBJS_PER_SLAB, CHECK_NONE,
				&c->objects);
	err = err ? err
		  : state_field(r, "min_objs", MAX_OBJS_PER_SLAB, c->objects, &c->min_objects);
	err = err ? err : state_field(r, "min_partial", 1 << 30, 5, &c->min_partial);
	err = err ? err : state_field(r, "cpu_partial", 1 << 30, 0, &c->cpu_partial);
	err = err ? err : state_field(r, "cpu_partial_slabs", 1 << 30, 0, &c->cpu_partial_slabs);
	err = err ? err : state_field(r, "defrag", 1 << 20, 1000, &c->defrag);
	err = err ? err : state_field(r, "sheaf_capacity", MOST_CAPACITY, 0, &c->sheaf_capacity);
	/* Kernels with cpu slabs may say that a cache has none. */
	state->has_sheaves |= c->sheaf_capacity != 0;
	if (state->is_slab && !err) {
		err = state_field(r, "limit", MOST_STATE_ARRAY, 0, &c->limit);
		err = err ? err : state_field(r, "batchcount", MOST_STATE_ARRAY, 0, &c->batchcount);
	}
	if (!err && state_value(r, "flags", &value)) {
		u64 flags;
		if (!state_hex(value, &flags))
			return state_refuse(r, "expected flags= and hexadecimal digits", value.at);
		c->flags = (u32)flags;
	}
	if (!err && (!c->objects || c->size < 8 ||
		     (u64)c->objects * c->size > (u64)4096 << c->order || c->object_size > c->size))
		return state_refuse(
			r, "size, object_size, order and objects of this cache do not fit", NULL);
	return err;
}

/* The cache that the line is about. */
s32 state_cache_word(struct state_reader *r, u32 *cache)
{
	struct range name = state_word(r);
	u32 len = (u32)(name.end - name.at);

	*cache = r->state->names.run.at ? name_slot(r->state, name.at, len)->taken - 1u
					: CHECK_NONE;
	return *cache == CHECK_NONE
		       ? state_refuse(r, "expected a cache that has a C line before this line",
				      name.at)
		       : 0;
}

s32 state_number(struct state_reader *r, u64 most, const char *what, u64 *number)
{
	struct range word = state_word(r);

	return number_of(word, most, number) ? 0 : state_refuse(r, what, word.at);
}

/* SLAB's counters come by name; the model has them in this order. */
static s32 read_named_counters(struct state_reader *r, u32 cache)
{
	static const char *const names[STATE_SLAB_COUNTERS] = { "allochit",	 "allocmiss",
								"freehit",	 "freemiss",
								"node_allocs",	 "node_frees",
								"node_overflow", "grown" };
	struct state_cache *c = STATE_ROWS(struct state_cache, r->state->caches) + cache;
	u32 value;
	s32 err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		err = state_field(r, names[i], CHECK_NONE - 1, 0, &value);
		c->counters[i] = err ? 0 : value;
	}
	return err;
}

static s32 read_counters(struct state_reader *r)
{
	u32 cache;
	u64 cpu, value;
	s32 err = state_cache_word(r, &cache);

	if (err || r->state->is_slab)
		return err ? err : read_named_counters(r, cache);
	err = state_number(r, MAX_CPUS - 1, "expected a CPU below 4096", &cpu);
	struct state_cache *c = STATE_ROWS(struct state_cache, r->state->caches) + cache;
	for (u32 i = 0; i < STATE_COUNTERS && !err; i++) {
		err = state_number(r, CHECK_NONE, "expected 26 counters below 2^32", &value);
		c->counters[i] += err ? 0 : value;
	}
	return err;
}

/* Reads key=1,2,3 into state.indices. */
static s32 read_indices(struct state_reader *r, const char *key, u32 objects, u32 *at, u32 *nr)
{
	struct range value;
	u64 index;

	*at = r->state->indices.nr;
	*nr = 0;
	if (!state_value(r, key, &value))
		return 0;
	for (const u8 *p = value.at; p < value.end;) {
		const u8 *end = scan_digits(p, value.end);
		if (!number_of((struct range){ p, end }, objects - 1, &index) ||
		    (end < value.end && *end != ','))
			return state_refuse(r, "expected indices of objects in the slab", p);
		if (++*nr > objects)
			return state_refuse(
				r, "the freelist is longer than the slab: it has a cycle", NULL);
		u16 *row = rows_add(&r->s->pool, &r->state->indices, sizeof(*row));
		if (!row)
			return state_no_memory(r);
		*row = (u16)index;
		p = end + (end < value.end);
	}
	return 0;
}

s32 state_address_list(struct state_reader *r, const char *key, u32 *at, u32 *nr)
{
	struct range value;

	*at = r->state->addresses.nr;
	*nr = 0;
	if (!state_value(r, key, &value))
		return 0;
	for (const u8 *p = value.at; p < value.end;) {
		const u8 *end = p;
		u64 address;
		while (end < value.end && *end != ',')
			end++;
		if (!state_hex((struct range){ p, end }, &address) || !address)
			return state_refuse(r, "expected addresses of slabs", p);
		if (++*nr > MOST_STATE_SLABS)
			return state_refuse(r, "the list has more than 1048576 slabs", NULL);
		u64 *row = rows_add(&r->s->pool, &r->state->addresses, sizeof(*row));
		if (!row)
			return state_no_memory(r);
		*row = address;
		p = end + (end < value.end);
	}
	return 0;
}

struct state_list *state_add_list(struct state_reader *r, u32 cache, u32 kind, u32 of)
{
	struct state_list *list = rows_add(&r->s->pool, &r->state->lists, sizeof(*list));

	if (list) {
		list->cache = cache;
		list->kind = kind;
		list->of = of;
	}
	return list;
}

/* A list of addresses, in the field of that name. */
static s32 read_list(struct state_reader *r, u32 cache, u32 kind, u32 of, const char *key)
{
	struct state_list *list = state_add_list(r, cache, kind, of);
	u32 at, nr, row = r->state->lists.nr - 1;
	s32 err = list ? state_address_list(r, key, &at, &nr) : state_no_memory(r);

	if (err)
		return err;
	list = STATE_ROWS(struct state_list, r->state->lists) + row;
	list->at = at;
	list->nr = nr;
	return 0;
}

/* SLAB's array of a CPU. */
static s32 read_array(struct state_reader *r, u32 cache, u32 cpu)
{
	struct state_cache *c = STATE_ROWS(struct state_cache, r->state->caches) + cache;
	u32 avail, nr;
	s32 err = read_list(r, cache, LIST_CPU_ARRAY, cpu, "entries");

	nr = err ? 0 : STATE_ROWS(struct state_list, r->state->lists)[r->state->lists.nr - 1].nr;
	err = err ? err : state_field(r, "avail", CHECK_NONE - 1, nr, &avail);
	if (!err && (avail != nr || nr > c->limit))
		return state_refuse(r, "avail=, limit= and the length of entries= do not fit",
				    NULL);
	return err ? err : state_field(r, "touched", 1, 0, &c->touched);
}

/* SLAB's lists of a node. */
static s32 read_slab_node(struct state_reader *r, u32 cache, u32 node)
{
	struct state_cache *c = STATE_ROWS(struct state_cache, r->state->caches) + cache;
	struct range value;
	s32 err = read_list(r, cache, LIST_NODE_PARTIAL, node, "partial");

	err = err ? err : read_list(r, cache, LIST_NODE_FREE, node, "empty");
	err = err ? err : state_field(r, "free_limit", CHECK_NONE - 1, CHECK_NONE, &c->free_limit);
	err = err ? err : state_field(r, "free_touched", 1, 0, &c->free_touched);
	if (!err && state_value(r, "shared_limit", &value))
		r->state->has_others |= !span_is(value.at, value.end, "-1");
	return err;
}

static s32 read_cpu(struct state_reader *r)
{
	struct state *state = r->state;
	u32 cache;
	u64 cpu, address = 0;
	struct range value;
	s32 err = state_cache_word(r, &cache);

	err = err ? err : state_number(r, MAX_CPUS - 1, "expected a CPU below 4096", &cpu);
	if (err)
		return err;
	const struct state_cache *c = STATE_ROWS(struct state_cache, state->caches) + cache;
	state->nr_cpus = MAX(state->nr_cpus, (u32)cpu + 1);
	if (state->is_slab)
		return read_array(r, cache, (u32)cpu);
	/* Its sheaves have lines of their own. */
	if (state->has_sheaves)
		return 0;
	if (!state_value(r, "slab", &value) || !state_hex(value, &address))
		return state_refuse(r, "expected slab= and an address", NULL);
	struct state_list *list = state_add_list(r, cache, LIST_CPU_SLAB, (u32)cpu);
	if (!list)
		return state_no_memory(r);
	list->at = state->addresses.nr;
	list->nr = address != 0;
	if (address) {
		u64 *row = rows_add(&r->s->pool, &state->addresses, sizeof(*row));
		if (!row)
			return state_no_memory(r);
		*row = address;
	}
	err = read_indices(r, "free", c->objects, &list->free_at, &list->nr_free);
	if (!err && list->nr_free && !address)
		return state_refuse(r, "this CPU has a freelist, but no cpu slab", NULL);
	u32 stated;
	err = err ? err : state_field(r, "nfree", MAX_OBJS_PER_SLAB, list->nr_free, &stated);
	if (!err && stated != list->nr_free)
		return state_refuse(r, "nfree= and the length of free= differ", NULL);
	struct state_list *partial = err ? NULL
					 : state_add_list(r, cache, LIST_CPU_PARTIAL, (u32)cpu);
	if (!partial)
		return err ? err : state_no_memory(r);
	u32 at, nr;
	err = state_address_list(r, "partial", &at, &nr);
	partial = STATE_ROWS(struct state_list, state->lists) + state->lists.nr - 1;
	partial->at = at;
	partial->nr = nr;
	return err;
}

static s32 read_node(struct state_reader *r)
{
	struct state *state = r->state;
	u32 cache, at, nr, stated;
	u64 node;
	s32 err = state_cache_word(r, &cache);

	err = err ? err : state_number(r, MAX_NODES - 1, "expected a node below 1024", &node);
	if (err)
		return err;
	state->nr_nodes = MAX(state->nr_nodes, (u32)node + 1);
	if (state->is_slab)
		return read_slab_node(r, cache, (u32)node);
	err = state_address_list(r, "partial", &at, &nr);
	err = err ? err : state_field(r, "nr_partial", CHECK_NONE, nr, &stated);
	if (!err && stated != nr)
		return state_refuse(r, "nr_partial= and the length of partial= differ", NULL);
	struct state_list *list = err ? NULL
				      : state_add_list(r, cache, LIST_NODE_PARTIAL, (u32)node);
	if (!list)
		return err ? err : state_no_memory(r);
	list->at = at;
	list->nr = nr;
	return 0;
}

static s32 read_slab(struct state_reader *r)
{
	struct state *state = r->state;
	u32 cache, node, order, objects, inuse, frozen;
	struct state_slab slab = { 0 };
	s32 err = state_cache_word(r, &cache);

	if (err)
		return err;
	struct state_cache *c = STATE_ROWS(struct state_cache, state->caches) + cache;
	struct range word = state_word(r);
	if (!state_hex(word, &slab.address) || !slab.address || slab.address & 4095)
		return state_refuse(r, "expected the address of a slab, a multiple of 4096",
				    word.at);
	if (state->slabs.nr == MOST_STATE_SLABS)
		return state_refuse(r, "expected at most 1048576 slabs", NULL);
	err = state_field(r, "nid", MAX_NODES - 1, CHECK_NONE, &node);
	err = err ? err : state_field(r, "order", MAX_ORDER, CHECK_NONE, &order);
	err = err ? err : state_field(r, "objects", MAX_OBJS_PER_SLAB, CHECK_NONE, &objects);
	err = err ? err : state_field(r, "inuse", MAX_OBJS_PER_SLAB, CHECK_NONE, &inuse);
	err = err ? err : state_field(r, "frozen", 1, 0, &frozen);
	if (err)
		return err;
	if (!objects || objects > c->objects || (u64)objects * c->size > (u64)4096 << order)
		return state_refuse(r, "this many objects do not fit in a slab of this order",
				    NULL);
	err = read_indices(r, "free", objects, &slab.free_at, &slab.nr_free);
	if (err)
		return err;
	if (!state->is_slab && slab.nr_free + inuse != objects)
		return state_refuse(r, "inuse= and the freelist do not add up to objects=", NULL);
	if (!hash_reserve(&r->s->pool, &state->by_address))
		return state_no_memory(r);
	struct hash_slot *slot = hash_find(&state->by_address, slab.address);
	struct state_slab *row = slot->taken ? NULL
					     : rows_add(&r->s->pool, &state->slabs, sizeof(*row));
	if (!row)
		return slot->taken ? state_refuse(r, "expected each slab once", word.at)
				   : state_no_memory(r);
	slab.cache = cache;
	slab.node = (u16)node;
	slab.order = (u16)order;
	slab.objects = (u16)objects;
	slab.inuse = (u16)inuse;
	slab.frozen = (u8)frozen;
	*row = slab;
	hash_put(&state->by_address, slot, (struct hash_slot){ slab.address, 0, state->slabs.nr });
	state->nr_nodes = MAX(state->nr_nodes, node + 1);
	c->nr_slabs++;
	return 0;
}

/* `V 2 start ts=13824227835` */
static s32 read_version(struct state_reader *r)
{
	struct range version = state_word(r), which = state_word(r), value;
	u64 number;

	if (!number_of(version, 2, &number) || !number)
		return state_refuse(r, "expected version 1 or 2 of a state", version.at);
	r->state->has_sheaves |= number == 2;
	r->state->which = span_is(which.at, which.end, "start")	 ? 1
			  : span_is(which.at, which.end, "stop") ? 2
								 : 0;
	if (state_value(r, "ts", &value) && !number_of(value, ~(u64)0, &r->state->time))
		return state_refuse(r, "expected ts= and a time in nanoseconds", value.at);
	return 0;
}

s32 state_line(struct state_reader *r)
{
	struct range kind = state_word(r);
	u8 letter = kind.end - kind.at == 1 ? *kind.at : 0;

	if (kind.at == kind.end)
		return 0;
	if (r->state->is_complete)
		return state_refuse(r, "expected nothing behind `E complete`", kind.at);
	switch (letter) {
	case 'V':
		return read_version(r);
	case 'Z':
		return 0;
	case 'S':
		return state_sheaf_line(r);
	case 'F':
		return state_flight_line(r);
	case 'B':
		return state_barn_line(r);
	case 'C':
		return read_cache(r);
	case 'T':
		return read_counters(r);
	case 'P':
		return read_cpu(r);
	case 'N':
		return read_node(r);
	case 'L':
		return read_slab(r);
	case 'E':
		kind = state_word(r);
		r->state->is_complete = span_is(kind.at, kind.end, "complete");
		return r->state->is_complete ? 0
					     : state_refuse(r, "expected `E complete`", kind.at);
	default:
		return state_refuse(r, "expected a line V, C, T, P, N, L, S, B, F, Z or E",
				    kind.at);
	}
}
