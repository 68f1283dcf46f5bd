/*
 * slabtrace_requests.c - requests that are more than one allocation or free.
 *
 *	a 1,2,3 c0 cpu=0         kmem_cache_alloc_bulk(): OP_BULK_ALLOC, then an OP_ALLOC for each object
 *	f 1,2,3 cpu=0            kmem_cache_free_bulk(): an OP_FREE for each object, then OP_BULK_FREE
 *	prefill 0 c0 8 cpu=0     kmem_cache_prefill_sheaf(): sheaf 0 of that CPU and cache gets 8 objects at least
 *	refill 0 c0 8 cpu=0      kmem_cache_refill_sheaf()
 *	return 0 c0 cpu=0        kmem_cache_return_sheaf()
 *	grace                    a grace period ends: what kfree_rcu() put aside becomes free
 *	dead cpu=3               CPU 3 goes offline: another CPU flushes its sheaves
 *
 * Objects of several caches in one `f` line give a group of events for each run of objects of the same cache. A line with
 * a bad ID adds no event at all.
 */
#include "import/formats/slabtrace.h"

enum {
	BULK_KEYS = 1u << KEY_CPU | 1u << KEY_T | 1u << KEY_SITE | 1u << KEY_GFP | 1u << KEY_KIND |
	1u << KEY_TASK
};

void line_bulk_alloc(struct words *w, const struct span *word)
{
	struct import *im = w->im;
	struct recipe recipe = { .marks = SITE_BULK << RECIPE_REQUEST_AT };
	struct op op = { .handle = HANDLE_NONE };
	struct id_list ids;
	u64 time = 0;
	u32 bytes;

	if (!words_read_ids(w, &ids))
		return;
	struct span id = words_next(w);
	u32 cache = words_read_cache(w, &id);
	if (cache == CACHE_NONE || !words_read_keys(w, BULK_KEYS | 1u << KEY_REQ) ||
	    !words_read_op(w, "a", &recipe, &op, &time) || !words_read_request(w, cache, &bytes))
		return;
	for (u32 i = 0; i < ids.nr; i++) {
		if (pointer_find(im, ids.key[i])) {
			words_complain(w, ids.at[i],
				       "an object with this ID is still live: free it first");
			return;
		}
	}
	words_count_kind(w, word);
	recipe.cache = (u16)cache;
	recipe.bytes_req = ids.nr;
	import_request(w->im, recipe, OP_BULK_ALLOC, op.cpu, time);
	recipe.op = OP_ALLOC;
	recipe.bytes_req = bytes;
	u32 site = import_site(im, &recipe);
	for (u32 i = 0; i < ids.nr && site != SITE_FULL; i++) {
		struct op member = { .kind = OP_ALLOC, .cpu = op.cpu, .flags = OP_BY_REQUEST };
		im->trace->report.allocs++;
		import_alloc(im, ids.key[i], site, &member, time);
	}
}

/* Whether one cache serves the objects of both sites. */
static int is_same_cache(const struct site *a, const struct site *b)
{
	if (a->cache != b->cache || a->cache != SITE_CACHE_KMALLOC)
		return a->cache == b->cache;
	return a->kmalloc_type == b->kmalloc_type &&
	       kmalloc_class(a->bytes, LARGEST_KMALLOC_CLASS) ==
		       kmalloc_class(b->bytes, LARGEST_KMALLOC_CLASS);
}

/* The line as it was read. */
struct bulk_free {
	struct recipe recipe;
	u16 cpu;
	u64 time;
};

/* Frees the first object of the rest of the list, and those behind it that belong to the same cache. Returns how many. */
static u32 free_run(struct words *w, const struct bulk_free *line, const u64 *keys, u32 nr)
{
	struct import *im = w->im;
	struct recipe end = line->recipe;
	struct site first = { 0 };
	u32 i;

	for (i = 0; i < nr; i++) {
		struct hash_slot *pointer = pointer_find(im, keys[i]);
		if (!pointer)
			break; /* memory ran out */
		u32 alloc_site = alloc_site_of(pointer);
		if (!i)
			first = im->trace->sites[alloc_site];
		else if (!is_same_cache(&first, &im->trace->sites[alloc_site]))
			break;
		struct op op = { .cpu = line->cpu, .flags = OP_BY_REQUEST };
		im->trace->report.frees++;
		import_free(im, pointer, free_site(im, &line->recipe, alloc_site), &op, line->time);
	}
	end.cache = first.cache;
	end.kmalloc_type = first.kmalloc_type;
	end.bytes_req = first.bytes;
	import_request(w->im, end, OP_BULK_FREE, line->cpu, line->time);
	return i ? i : nr;
}

void line_bulk_free(struct words *w, const struct span *word)
{
	struct bulk_free line = { .recipe = { .marks = SITE_BULK << RECIPE_REQUEST_AT,
					      .node = (u16)NODE_ANY,
					      .cache = (u16)CACHE_NONE } };
	struct op op = { .handle = HANDLE_NONE };
	struct id_list ids;

	if (!words_read_ids(w, &ids) || !words_read_keys(w, BULK_KEYS) ||
	    !words_read_op(w, "f", &line.recipe, &op, &line.time))
		return;
	for (u32 i = 0; i < ids.nr; i++) {
		if (!pointer_find(w->im, ids.key[i])) {
			words_complain(w, ids.at[i],
				       "no object with this ID is live: it was never allocated, or "
				       "is freed twice");
			return;
		}
	}
	words_count_kind(w, word);
	line.cpu = op.cpu;
	for (u32 i = 0; i < ids.nr;)
		i += free_run(w, &line, ids.key + i, ids.nr - i);
}

void line_sheaf(struct words *w, const struct span *word, u32 kind)
{
	struct recipe recipe = { .node = (u16)NODE_ANY };
	struct op op = { 0 };
	struct span slot_word = words_next(w);
	u64 number = 0, time = 0;
	u32 slot;

	if (!words_read_slot(w, &slot_word, &slot))
		return;
	struct span id = words_next(w);
	u32 cache = words_read_cache(w, &id);
	if (cache == CACHE_NONE)
		return;
	if (kind != OP_RETURN) {
		struct span count = words_next(w);
		if (!words_read_number(w, &count, MAX_BULK_OBJECTS, &number,
				       "expected a number of objects, 1 to 512"))
			return;
		if (!number) {
			words_complain(w, count.at, "expected a number of objects, 1 to 512");
			return;
		}
	}
	if (!words_read_keys(w, 1u << KEY_CPU | 1u << KEY_T) || !words_read_cpu(w, &op.cpu, 1) ||
	    !words_read_time(w, &time))
		return;
	recipe.cache = (u16)cache;
	recipe.bytes_req = (u32)number;
	recipe.marks = (u8)((SITE_PREFILLED + slot) << RECIPE_REQUEST_AT);
	recipe.kind_name = intern_span(w->im, word);
	words_count_kind(w, word);
	import_request(w->im, recipe, kind, op.cpu, time);
}

void line_machine_request(struct words *w, const struct span *word, u32 kind)
{
	struct recipe recipe = { .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };
	int has_cpu = kind == OP_CPU_DEAD;
	u64 time = 0;
	u16 dead = 0;

	if (!words_read_keys(w, 1u << KEY_T | (has_cpu ? 1u << KEY_CPU : 0)) ||
	    !words_read_cpu(w, &dead, has_cpu) || !words_read_time(w, &time))
		return;
	recipe.bytes_req = dead;
	recipe.kind_name = intern_span(w->im, word);
	words_count_kind(w, word);
	/* CPU 0 does the work, or CPU 1 if CPU 0 goes. */
	import_request(w->im, recipe, kind, has_cpu && !dead, time);
}

/*
 * `corrupt KIND ID [at=OFFSET] [len=N] [value=0xNN] cpu=N`: code writes or
 * frees memory that it does not own.
 */

enum {
	DEFAULT_WRITE_BYTES = 8,
	DEFAULT_WRITE_VALUE = 0x41,
	DEFAULT_WILD_OFFSET = 8,
	MAX_WRITE_BYTES = 1 << 20,
};

static const struct {
	const char *word;
	u32 keys; /* allowed besides cpu= and t= */
} kinds[] = {
	[CORRUPT_WRITE] = { "write", 1u << KEY_AT | 1u << KEY_LEN | 1u << KEY_VALUE },
	[CORRUPT_DOUBLE_FREE] = { "double-free", 0 },
	[CORRUPT_WILD_FREE] = { "wild-free", 1u << KEY_AT },
	[CORRUPT_FREELIST] = { "freelist", 1u << KEY_VALUE },
};

static u32 read_kind(struct words *w)
{
	struct span word = words_next(w);
	u32 kind = 0;

	while (kind < ARRAY_SIZE(kinds) && !words_is(&word, kinds[kind].word))
		kind++;
	if (kind == ARRAY_SIZE(kinds))
		words_complain(w, word.at, "expected write, double-free, wild-free or freelist");
	return kind;
}

static int read_values(struct words *w, struct trace_corruption *c)
{
	u64 len = DEFAULT_WRITE_BYTES;

	c->at = c->kind == CORRUPT_WILD_FREE ? DEFAULT_WILD_OFFSET : 0;
	c->value = DEFAULT_WRITE_VALUE;
	if (w->given[KEY_AT] && !words_read_offset(w, KEY_AT, MAX_CACHE_OBJECT_BYTES, &c->at))
		return 0;
	if (w->given[KEY_LEN] &&
	    (!words_read_number(w, &w->value[KEY_LEN], MAX_WRITE_BYTES, &len,
				"expected len=<number of bytes, at most 1048576>") ||
	     !len))
		return words_complain(w, w->value[KEY_LEN].at,
				      "expected len=<number of bytes, 1 to 1048576>");
	c->len = (u32)len;
	return !w->given[KEY_VALUE] || words_read_byte(w, KEY_VALUE, &c->value);
}

/* The number of the corruption in the trace. Many lines may share one. */
static u32 keep(struct import *im, const struct trace_corruption *c)
{
	struct trace *t = im->trace;
	u32 nr = t->nr_corruptions;

	if (nr && memcmp(&t->corruptions[nr - 1], c, sizeof(*c)) == 0)
		return nr - 1;
	if (!import_grow(im, &t->corruption_run, (nr + 1) * (u64)sizeof(*c)))
		return 0;
	t->corruptions = t->corruption_run.at;
	t->corruptions[nr] = *c;
	return t->nr_corruptions++;
}

void line_corrupt(struct words *w, const struct span *word)
{
	struct import *im = w->im;
	struct trace_corruption c = { 0 };
	struct op op = { .kind = OP_CORRUPT };
	u64 key = 0, time = 0;
	u32 kind = read_kind(w), alloc_site = 0, live = 0;

	if (kind == ARRAY_SIZE(kinds) || !words_read_id(w, &key) ||
	    !words_read_keys(w, 1u << KEY_CPU | 1u << KEY_T | kinds[kind].keys) ||
	    !words_read_cpu(w, &op.cpu, 1) || !words_read_time(w, &time))
		return;
	c.kind = (u8)kind;
	if (!read_values(w, &c))
		return;
	if (kind == CORRUPT_DOUBLE_FREE && pointer_find(im, key)) {
		words_complain(w, im->line, "the object with this ID is live: free it once first");
		return;
	}
	if (!single_out(im, key, &op.handle, &alloc_site, &live)) {
		words_complain(w, im->line,
			       "no object with this ID is live, and none was freed lately");
		return;
	}
	const struct site *alloc = &im->trace->sites[alloc_site];
	c.live = (u16)live;
	c.bytes = alloc->bytes;
	struct recipe recipe = { .op = OP_CORRUPT,
				 .node = (u16)NODE_ANY,
				 .cache = alloc->cache,
				 .kmalloc_type = alloc->kmalloc_type,
				 .kind_name = intern_span(im, word) };
	recipe.bytes_req = keep(im, &c);
	if (im->status != KMEM_OK)
		return;
	words_count_kind(w, word);
	op.site = import_site(im, &recipe);
	import_op(im, &op, time);
}
