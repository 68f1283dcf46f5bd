/*
 * state_text.c - reads the state of a kernel's caches: every slab with its address, its freelist and the list that
 * holds it.
 *
 * docs/command/check.md has the fields of each line. The text may be damaged or malicious. So every count is checked
 * against what follows it, and every index against its slab. state.c checks the addresses of lists.
 */
#include "query/check/check_model.h"
#include "util/scan.h"
#include "util/text.h"

enum {
	MOST_STATE_CACHES = MAX_CACHES,
	MOST_STATE_SLABS = 1 << 20,
	MOST_STATE_LINE = 1 << 24,
	MOST_OBJECT_BYTES = 1 << 25,
	MOST_CAPACITY = 512,
	NEEDED = CHECK_NONE, /* a field that may not be missing */
};

/* The current line. Its first error stays; whatever is read after it is ignored. */
struct reader {
	struct kmem_session *s;
	struct state *state;
	const u8 *at, *end;
	s32 err;
	u64 spare[sizeof(struct state_cache) / 8 + 1]; /* stands for a row without memory */
};

static void refuse(struct reader *r, const char *what, const u8 *at)
{
	char sentence[320];
	struct text t = text_in(sentence, sizeof(sentence));

	if (r->err)
		return;
	r->state->is_broken = 1;
	text_add_number(&t, "line ", r->state->line_nr);
	text_add(&t, ": ");
	text_add(&t, what);
	if (at) {
		text_add(&t, ", found ");
		text_add_quoted(&t, (const char *)at, (u32)(scan_word(at, r->end) - at));
	}
	r->err = session_fail(r->s, KMEM_EINPUT, sentence);
}

static void no_memory(struct reader *r)
{
	if (r->err)
		return;
	r->state->is_broken = 1;
	r->err = session_fail(r->s, KMEM_ENOMEM, "not enough memory for the state");
}

/* Adds a zeroed row. */
static void *add_row(struct reader *r, struct array *rows, u32 row_bytes)
{
	void *row = r->err ? NULL : array_add(&r->s->pool, rows, row_bytes);

	if (!row)
		no_memory(r);
	return row ? row : memset(r->spare, 0, sizeof(r->spare));
}

static u64 hash_of(const u8 *at, u32 len)
{
	u64 hash = 14695981039346656037u;

	for (u32 i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 1099511628211u;
	return hash;
}

static u32 find_cache(const struct state *state, const u8 *at, u32 len)
{
	if (!state->names.run.at)
		return CHECK_NONE;
	struct hash_slot *slot = hash_home(&state->names, hash_of(at, len));
	while (slot->taken && !span_is(at, at + len, state->caches.at[slot->taken - 1].name))
		slot = hash_behind(&state->names, slot);
	return slot->taken - 1u;
}

u32 state_cache_of(const struct state *state, const char *name)
{
	return find_cache(state, (const u8 *)name, text_length(name));
}

/* Returns the next word of the line; empty at its end. */
static struct range next_word(struct reader *r)
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

static int address_of(struct range digits, u64 *address)
{
	return scan_hex(digits.at, digits.end, address) && *address;
}

static u32 next_number(struct reader *r, u64 most, const char *what)
{
	struct range word = next_word(r);
	u64 number = 0;

	if (!number_of(word, most, &number))
		refuse(r, what, word.at);
	return r->err ? 0 : (u32)number;
}

/* Returns the cache that the line is about. */
static u32 next_cache(struct reader *r)
{
	struct range name = next_word(r);
	u32 cache = find_cache(r->state, name.at, (u32)(name.end - name.at));

	if (cache == CHECK_NONE)
		refuse(r, "expected a cache that has a C line before this line", name.at);
	return cache;
}

/* Finds the value of key= in the rest of the line; returns 0 if it is missing. */
static int find_value(const struct reader *r, const char *key, struct range *value)
{
	u32 len = text_length(key);

	for (const u8 *p = r->at; p < r->end;) {
		p = skip_blanks(p, r->end);
		const u8 *end = scan_word(p, r->end);
		if (span_begins(p, end, key) && end - p > (s64)len && p[len] == '=') {
			*value = (struct range){ p + len + 1, end };
			return 1;
		}
		p = end;
	}
	return 0;
}

/* Returns the number of key=, or otherwise. */
static u32 field(struct reader *r, const char *key, u64 most, u32 otherwise)
{
	struct range value = { NULL, NULL };
	u64 number = 0;
	char sentence[96];
	struct text t = text_in(sentence, sizeof(sentence));

	if (!find_value(r, key, &value) && otherwise != NEEDED)
		return otherwise;
	if (!number_of(value, most, &number)) {
		text_add(&t, "expected ");
		text_add(&t, key);
		text_add_number(&t, "= and a number of at most ", most);
		refuse(r, sentence, value.at);
	}
	return r->err ? 0 : (u32)number;
}

/* Reads key=1,2,3 into state.indices. */
static void read_indices(struct reader *r, const char *key, u32 objects, u32 *at, u32 *nr)
{
	struct range value;
	u64 index;

	*at = r->state->indices.nr;
	if (r->err || !find_value(r, key, &value))
		return;
	for (const u8 *p = value.at; p < value.end && !r->err;) {
		const u8 *end = scan_digits(p, value.end);
		if (!number_of((struct range){ p, end }, objects - 1, &index) ||
		    (end < value.end && *end != ','))
			refuse(r, "expected indices of objects in the slab", p);
		else if (++*nr > objects)
			refuse(r, "the freelist is longer than the slab: it has a cycle", NULL);
		else
			*(u16 *)add_row(r, &r->state->indices.all, sizeof(u16)) = (u16)index;
		p = end + (end < value.end);
	}
}

/* Reads a list of the addresses in the field of that name. */
static struct state_list *read_list(struct reader *r, u32 cache, u32 kind, u32 of, const char *key)
{
	struct state_list *list = add_row(r, &r->state->lists.all, sizeof(*list));
	struct range value;
	u64 address;

	*list = (struct state_list){
		.cache = cache, .kind = kind, .of = of, .at = r->state->addresses.nr
	};
	if (r->err || !find_value(r, key, &value))
		return list;
	for (const u8 *p = value.at; p < value.end && !r->err;) {
		const u8 *end = scan_byte(p, value.end, ',');
		if (!address_of((struct range){ p, end }, &address))
			refuse(r, "expected addresses of slabs", p);
		else if (++list->nr > MOST_STATE_SLABS)
			refuse(r, "the list has more than 1048576 slabs", NULL);
		else
			*(u64 *)add_row(r, &r->state->addresses.all, sizeof(u64)) = address;
		p = end + (end < value.end);
	}
	return list;
}

static void read_cache(struct reader *r)
{
	struct state *state = r->state;
	struct range name = next_word(r), value;
	u32 len = (u32)(name.end - name.at);
	u64 flags;

	if (!len || len >= MAX_NAME_BYTES)
		refuse(r, "expected the name of a cache, shorter than 64 bytes", name.at);
	else if (state->caches.nr == MOST_STATE_CACHES)
		refuse(r, "expected at most 4096 caches", NULL);
	else if (find_cache(state, name.at, len) != CHECK_NONE)
		refuse(r, "expected each cache once", name.at);
	else if (!hash_reserve(&r->s->pool, &state->names))
		no_memory(r);
	struct state_cache *c = add_row(r, &state->caches.all, sizeof(*c));
	if (r->err)
		return;
	memcpy(c->name, name.at, len);
	hash_add(&state->names, hash_of(name.at, len), state->caches.nr);
	state->is_slab |= find_value(r, "batchcount", &value) != 0;
	c->size = field(r, "size", MOST_OBJECT_BYTES, NEEDED);
	c->object_size = field(r, "object_size", MOST_OBJECT_BYTES, NEEDED);
	c->order = field(r, "order", MAX_ORDER, NEEDED);
	c->objects = field(r, state->is_slab ? "num" : "objs", MAX_OBJS_PER_SLAB, NEEDED);
	c->min_objects = field(r, "min_objs", MAX_OBJS_PER_SLAB, c->objects);
	c->min_partial = field(r, "min_partial", 1 << 30, 5);
	c->cpu_partial = field(r, "cpu_partial", 1 << 30, 0);
	c->cpu_partial_slabs = field(r, "cpu_partial_slabs", 1 << 30, 0);
	c->defrag = field(r, "defrag", 1 << 20, 1000);
	c->sheaf_capacity = field(r, "sheaf_capacity", MOST_CAPACITY, 0);
	/* Kernels with cpu slabs may say that a cache has none. */
	state->has_sheaves |= c->sheaf_capacity != 0;
	if (state->is_slab) {
		c->limit = field(r, "limit", MOST_STATE_ARRAY, 0);
		c->batchcount = field(r, "batchcount", MOST_STATE_ARRAY, 0);
	}
	/* The model does not need them, but damage is refused. */
	if (find_value(r, "flags", &value) && !scan_hex(value.at, value.end, &flags))
		refuse(r, "expected flags= and hexadecimal digits", value.at);
	if (!c->objects || c->size < 8 || (u64)c->objects * c->size > (u64)4096 << c->order ||
	    c->object_size > c->size)
		refuse(r, "size, object_size, order and objects of this cache do not fit", NULL);
}

/* SLAB's counters come by name; the model has them in this order. */
static void read_counters(struct reader *r)
{
	static const char *const names[STATE_SLAB_COUNTERS] = { "allochit",	 "allocmiss",
								"freehit",	 "freemiss",
								"node_allocs",	 "node_frees",
								"node_overflow", "grown" };
	u32 cache = next_cache(r);

	if (r->err)
		return;
	u64 *counters = r->state->caches.at[cache].counters;
	for (u32 i = 0; i < ARRAY_SIZE(names) && r->state->is_slab; i++)
		counters[i] = field(r, names[i], CHECK_NONE - 1, 0);
	if (!r->state->is_slab)
		next_number(r, MAX_CPUS - 1, "expected a CPU below 4096");
	for (u32 i = 0; i < STATE_COUNTERS && !r->state->is_slab; i++)
		counters[i] += next_number(r, CHECK_NONE, "expected 26 counters below 2^32");
}

static void read_cpu(struct reader *r)
{
	struct state *state = r->state;
	u32 cache = next_cache(r), cpu = next_number(r, MAX_CPUS - 1, "expected a CPU below 4096");
	struct range value = { NULL, NULL };
	u64 address = 0;

	if (r->err)
		return;
	struct state_cache *c = &state->caches.at[cache];
	state->nr_cpus = MAX(state->nr_cpus, cpu + 1);
	if (state->is_slab) {
		u32 nr = read_list(r, cache, LIST_CPU_ARRAY, cpu, "entries")->nr;
		if (field(r, "avail", CHECK_NONE - 1, nr) != nr || nr > c->limit)
			refuse(r, "avail=, limit= and the length of entries= do not fit", NULL);
		c->touched = field(r, "touched", 1, 0);
		return;
	}
	/* Its sheaves have lines of their own. */
	if (state->has_sheaves)
		return;
	if (!find_value(r, "slab", &value) || !scan_hex(value.at, value.end, &address))
		refuse(r, "expected slab= and an address", NULL);
	struct state_list *list = add_row(r, &state->lists.all, sizeof(*list));
	*list = (struct state_list){ .cache = cache,
				     .kind = LIST_CPU_SLAB,
				     .of = cpu,
				     .at = state->addresses.nr,
				     .nr = address != 0 };
	if (address)
		*(u64 *)add_row(r, &state->addresses.all, sizeof(u64)) = address;
	read_indices(r, "free", c->objects, &list->free_at, &list->nr_free);
	if (list->nr_free && !address)
		refuse(r, "this CPU has a freelist, but no cpu slab", NULL);
	if (field(r, "nfree", MAX_OBJS_PER_SLAB, list->nr_free) != list->nr_free)
		refuse(r, "nfree= and the length of free= differ", NULL);
	read_list(r, cache, LIST_CPU_PARTIAL, cpu, "partial");
}

static void read_node(struct reader *r)
{
	struct state *state = r->state;
	u32 cache = next_cache(r),
	    node = next_number(r, MAX_NODES - 1, "expected a node below 1024");
	struct range value;

	if (r->err)
		return;
	state->nr_nodes = MAX(state->nr_nodes, node + 1);
	u32 nr = read_list(r, cache, LIST_NODE_PARTIAL, node, "partial")->nr;
	if (!state->is_slab) {
		if (field(r, "nr_partial", CHECK_NONE, nr) != nr)
			refuse(r, "nr_partial= and the length of partial= differ", NULL);
		return;
	}
	read_list(r, cache, LIST_NODE_FREE, node, "empty");
	struct state_cache *c = &state->caches.at[cache];
	c->free_limit = field(r, "free_limit", CHECK_NONE - 1, NEEDED);
	c->free_touched = field(r, "free_touched", 1, 0);
	if (find_value(r, "shared_limit", &value))
		state->has_others |= !span_is(value.at, value.end, "-1");
}

static void read_slab(struct reader *r)
{
	struct state *state = r->state;
	struct state_slab slab = { .cache = next_cache(r) };
	struct range word = next_word(r);

	if (r->err)
		return;
	struct state_cache *c = &state->caches.at[slab.cache];
	if (!address_of(word, &slab.address) || slab.address & 4095)
		refuse(r, "expected the address of a slab, a multiple of 4096", word.at);
	if (state->slabs.nr == MOST_STATE_SLABS)
		refuse(r, "expected at most 1048576 slabs", NULL);
	slab.node = (u16)field(r, "nid", MAX_NODES - 1, NEEDED);
	slab.order = (u16)field(r, "order", MAX_ORDER, NEEDED);
	slab.objects = (u16)field(r, "objects", MAX_OBJS_PER_SLAB, NEEDED);
	slab.inuse = (u16)field(r, "inuse", MAX_OBJS_PER_SLAB, NEEDED);
	/* The model does not need it, but damage is refused. */
	field(r, "frozen", 1, 0);
	if (!slab.objects || slab.objects > c->objects ||
	    (u64)slab.objects * c->size > (u64)4096 << slab.order)
		refuse(r, "this many objects do not fit in a slab of this order", NULL);
	read_indices(r, "free", slab.objects, &slab.free_at, &slab.nr_free);
	if (!state->is_slab && slab.nr_free + slab.inuse != slab.objects)
		refuse(r, "inuse= and the freelist do not add up to objects=", NULL);
	if (state_slab_of(state, slab.address) != CHECK_NONE)
		refuse(r, "expected each slab once", word.at);
	if (!hash_reserve(&r->s->pool, &state->by_address))
		no_memory(r);
	slab.first_object = state->nr_objects;
	*(struct state_slab *)add_row(r, &state->slabs.all, sizeof(slab)) = slab;
	if (r->err)
		return;
	hash_add(&state->by_address, slab.address, state->slabs.nr);
	state->nr_nodes = MAX(state->nr_nodes, slab.node + 1u);
	state->nr_objects += slab.objects;
	c->nr_slabs++;
}

/*
 * The sheaves and barns of a kernel without cpu slabs (7.x).
 *
 *	B filp 0 nr_full=1 nr_empty=1 full=ffff888002f2dd00 empty=ffff8880021aa800	head first
 *	S filp ffff888002f2dd00 where=barn id=0 size=60 objects=...			the last is popped first
 *	F filp ffff8881002b7800 kind=rcu cpu=0 seq=3263 node=0				under way
 */

static void read_sheaf(struct reader *r)
{
	static const char *const places[] = { "main",	   "spare", "rcu",	 "rcu_wait",
					      "prefilled", "barn",  "barn_empty" };
	struct state *state = r->state;
	struct range where = { NULL, NULL };
	u32 cache = next_cache(r);
	struct range word = next_word(r);
	u64 address = 0;

	if (r->err)
		return;
	if (!address_of(word, &address) || state_sheaf_at(state, address))
		refuse(r, "expected the address of a sheaf, each once", word.at);
	if (!find_value(r, "where", &where))
		refuse(r, "expected where= of a sheaf", NULL);
	u32 kind = LIST_SHEAF_MAIN + span_among(where.at, where.end, places, ARRAY_SIZE(places));
	if (kind > LIST_BARN_EMPTY)
		refuse(r,
		       "expected where=main, spare, rcu, barn, barn_empty, rcu_wait or prefilled",
		       where.at);
	int is_of_node = kind >= LIST_BARN_SHEAF;
	u32 id = field(r, "id", is_of_node ? MAX_NODES - 1 : MAX_CPUS - 1, NEEDED),
	    size = field(r, "size", MOST_STATE_ARRAY, NEEDED);
	if (!hash_reserve(&r->s->pool, &state->by_sheaf))
		no_memory(r);
	struct state_list *list = read_list(r, cache, kind, id, "objects");
	if (size != list->nr || list->nr > state->caches.at[cache].sheaf_capacity)
		refuse(r, "size=, sheaf_capacity= and the length of objects= do not fit", NULL);
	if (r->err)
		return;
	list->address = address;
	hash_add(&state->by_sheaf, address, state->lists.nr);
	u32 *most = is_of_node ? &state->nr_nodes : &state->nr_cpus;
	*most = MAX(*most, id + 1);
}

/* Waiting sheaves started to wait in the order of seq=. */
static void read_flight(struct reader *r)
{
	next_cache(r);
	struct range word = next_word(r);
	u64 address = 0;

	if (!scan_hex(word.at, word.end, &address))
		refuse(r, "expected the address of a sheaf", word.at);
	u32 seq = field(r, "seq", CHECK_NONE - 1, 0), cpu = field(r, "cpu", MAX_CPUS - 1, 0);
	struct state_list *list = r->err ? NULL : state_sheaf_at(r->state, address);
	if (list) {
		list->rank = ~(u64)seq;
		list->of = cpu;
	}
}

static void read_barn(struct reader *r)
{
	u32 cache = next_cache(r),
	    node = next_number(r, MAX_NODES - 1, "expected a node below 1024");

	read_list(r, cache, LIST_BARN, node, "full");
	read_list(r, cache, LIST_BARN_SPARE, node, "empty");
}

/* `V 2 start ts=13824227835` */
static void read_version(struct reader *r)
{
	struct range version = next_word(r), which = next_word(r), value;
	u64 number = 0;

	if (!number_of(version, 2, &number) || !number)
		refuse(r, "expected version 1 or 2 of a state", version.at);
	r->state->has_sheaves |= number == 2;
	r->state->which = span_is(which.at, which.end, "start")	 ? 1
			  : span_is(which.at, which.end, "stop") ? 2
								 : 0;
	if (find_value(r, "ts", &value) && !number_of(value, ~(u64)0, &r->state->time))
		refuse(r, "expected ts= and a time in nanoseconds", value.at);
}

static void read_end(struct reader *r)
{
	struct range word = next_word(r);

	r->state->is_complete = span_is(word.at, word.end, "complete");
	if (!r->state->is_complete)
		refuse(r, "expected `E complete`", word.at);
}

static void skip_line(struct reader *r)
{
	(void)r;
}

static void read_line(struct reader *r)
{
	static void (*const lines['Z' - 'A' + 1])(struct reader *) = {
		['B' - 'A'] = read_barn,    ['C' - 'A'] = read_cache, ['E' - 'A'] = read_end,
		['F' - 'A'] = read_flight,  ['L' - 'A'] = read_slab,  ['N' - 'A'] = read_node,
		['P' - 'A'] = read_cpu,	    ['S' - 'A'] = read_sheaf, ['T' - 'A'] = read_counters,
		['V' - 'A'] = read_version, ['Z' - 'A'] = skip_line
	};
	struct range kind = next_word(r);
	u32 letter = kind.end - kind.at == 1 ? *kind.at - (u32)'A' : ARRAY_SIZE(lines);

	if (kind.at == kind.end)
		return;
	if (r->state->is_complete)
		refuse(r, "expected nothing after `E complete`", kind.at);
	else if (letter < ARRAY_SIZE(lines) && lines[letter])
		lines[letter](r);
	else
		refuse(r, "expected a line V, C, T, P, N, L, S, B, F, Z or E", kind.at);
}

s32 state_chunk(struct kmem_session *s, struct state *state, const u8 *bytes, u32 len_bytes)
{
	struct reader r = { .s = s, .state = state };

	if (!state->is_reading || state->is_broken)
		return session_fail(s, KMEM_ESTATE, "no state has started");
	for (u32 i = 0; i < len_bytes && !r.err; i++) {
		if (state->line_len + SCAN_SLACK >= state->line.room_bytes) {
			if (state->line_len > MOST_STATE_LINE)
				refuse(&r, "the line is longer than 16 MiB", NULL);
			else if (!buffer_grow(
					 &s->pool, &state->line,
					 MAX((u64)POOL_UNIT_BYTES, state->line.room_bytes * 2)))
				no_memory(&r);
			if (r.err)
				break;
		}
		u8 *line = state->line.at;
		line[state->line_len] = bytes[i];
		if (bytes[i] != '\n') {
			state->line_len++;
			continue;
		}
		state->line_nr++;
		r.at = line;
		r.end = line_end(line, line + state->line_len);
		state->line_len = 0;
		read_line(&r);
	}
	return r.err;
}
