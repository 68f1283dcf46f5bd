/*
 * format_slabtrace.c - slabtrace 1, the project's own format: one event a line, nothing implied.
 *
 *	slabtrace 1
 *	machine cpus=4 nodes=2
 *	cache c0 size=256 name=filp align=8
 *	a 1 c0 cpu=0 t=4582696626000 req=200
 *	f 1 cpu=2
 *
 * The reader is strict: it skips a line with an invalid word and reports its line and column. A
 * converted trace keeps details beyond the table of traces.md in further keys, and reads back
 * unchanged. slabtrace_requests.c reads lists of objects and the requests of kernels with sheaves.
 * For a cache, slot= is bytes_alloc. The keys site=, gfp= and kind= give call site,
 * flags and tracepoint; task= and ptr= give the task and the recorded pointer, for an import that keeps them. A kmalloc has type= if gfp= does not imply it. The key why= gives a reason:
 * with null, orphan, zero-size or failed the event does nothing; with unseen the free was not
 * recorded.
 */
#include "import/formats/slabtrace.h"

#include "import/import.h"

/* cache ID size=B [slot= name= align= flags=…] */

static int read_flags(struct words *w, u32 *flags)
{
	const u8 *p = w->value[KEY_FLAGS].at, *end = p + w->value[KEY_FLAGS].len;

	while (p < end) {
		const u8 *comma = scan_byte(p, end, ',');
		u32 i = 0;
		while (i < NR_SLABTRACE_FLAGS && !span_is(p, comma, slabtrace_flags[i].name))
			i++;
		if (i == NR_SLABTRACE_FLAGS)
			return words_complain(
				w, p,
				"this flag is not known: hwcache_align, reclaim, ctor, typesafe_by_rcu, "
				"red_zone, poison, store_user, sanity_checks, nomerge, account, dma, "
				"dma32, lowmem");
		*flags |= slabtrace_flags[i].flag;
		p = comma + 1;
	}
	return 1;
}

static void line_cache(struct words *w)
{
	struct trace *t = w->im->trace;
	struct trace_cache cache = { 0 };
	struct span id = words_next(w);
	u64 size = 0, slot = 0, align = 0;

	if (!id.len) {
		words_complain(w, id.at, "expected the ID of the cache");
		return;
	}
	if (!words_read_keys(w, 1u << KEY_SIZE | 1u << KEY_SLOT | 1u << KEY_NAME | 1u << KEY_ALIGN |
					1u << KEY_FLAGS))
		return;
	if (!words_read_number(w, &w->value[KEY_SIZE], MAX_CACHE_OBJECT_BYTES, &size,
			       "expected size=<number of bytes, 1 to 4194304>") ||
	    (w->given[KEY_SLOT] &&
	     !words_read_number(w, &w->value[KEY_SLOT], MAX_CACHE_OBJECT_BYTES, &slot,
				"expected slot=<number of bytes, at most 4194304>")) ||
	    (w->given[KEY_ALIGN] &&
	     !words_read_number(w, &w->value[KEY_ALIGN], 65536, &align,
				"expected align=<power of two, at most 65536>")) ||
	    !read_flags(w, &cache.flags))
		return;
	cache.id = intern_span(w->im, &id);
	cache.name = w->value[KEY_NAME].len ? words_text(w, KEY_NAME) : cache.id;
	cache.object_size = (u32)size;
	cache.size = (u32)slot;
	cache.align = (u32)align;
	for (u32 i = 0; i < t->nr_caches; i++) {
		if (t->caches[i].id == cache.id) {
			words_complain(w, id.at, "a cache with this ID already exists");
			return;
		}
	}
	if (!size || (slot && slot < size))
		words_complain(
			w, w->value[KEY_SIZE].at,
			"expected size=<number of bytes, 1 to 4194304>, and slot not below it");
	else if (align & (align - 1))
		words_complain(w, w->value[KEY_ALIGN].at,
			       "expected align=<power of two, at most 65536>");
	else if (import_cache(w->im, &cache) == CACHE_NONE)
		words_complain(w, id.at, "more than 4096 caches");
}

/* a, k, f */

enum {
	OP_KEYS = 1u << KEY_CPU | 1u << KEY_T | 1u << KEY_SITE | 1u << KEY_GFP | 1u << KEY_KIND |
		1u << KEY_WHY | 1u << KEY_TASK | 1u << KEY_PTR,
	MAX_GROUP_OBJECTS = 1 << 20
};

static int read_reason(struct words *w, u8 *reason)
{
	const struct span *why = &w->value[KEY_WHY];
	u32 nr = words_among(why, slabtrace_reasons, NR_SLABTRACE_REASONS);

	if (nr < NR_SLABTRACE_REASONS)
		*reason = (u8)(REASON_NULL_FREE + nr);
	else if (why->len && !words_is(why, "unseen"))
		return words_complain(
			w, why->at,
			"expected why=<null, orphan, zero-size, failed, kept or unseen>");
	return 1;
}

static int read_type(struct words *w, u8 *type)
{
	const struct span *word = &w->value[KEY_TYPE];

	*type = TYPE_BY_GFP;
	if (!w->given[KEY_TYPE])
		return 1;
	*type = (u8)words_among(word, slabtrace_types, NR_SLABTRACE_TYPES);
	return *type < NR_SLABTRACE_TYPES ||
	       words_complain(w, word->at, "expected type=<normal, reclaimable, accounted or dma>");
}

/* 0 if it is not a node; NODE_ANY if it is missing or -1. */
static int read_node(struct words *w, u16 *to)
{
	struct import *im = w->im;
	u64 node = NODE_ANY;

	if (w->given[KEY_NODE] && !words_is(&w->value[KEY_NODE], "-1") &&
	    !words_read_number(w, &w->value[KEY_NODE], MAX_NODES - 1, &node,
			       "expected node=<0 to 1023>"))
		return 0;
	if (node != NODE_ANY)
		im->max_node_plus_1 = MAX(im->max_node_plus_1, (u32)node + 1);
	*to = (u16)node;
	return 1;
}

/* bulk=N: this object and the N - 1 behind it, of the same CPU and call site, are one request. */
static int read_group(struct words *w, u32 kind, u16 cpu, u32 call_site)
{
	u64 nr = 0;

	if (!w->given[KEY_BULK])
		return 1;
	if (!words_read_number(w, &w->value[KEY_BULK], MAX_GROUP_OBJECTS, &nr,
			       "expected bulk=<number of objects, 1 to 1048576>"))
		return 0;
	if (!nr)
		return words_complain(w, w->value[KEY_BULK].at,
				      "expected bulk=<number of objects, 1 to 1048576>");
	import_group(w->im, kind, cpu, (u32)nr, call_site);
	return 1;
}

int words_read_op(struct words *w, const char *word, struct recipe *recipe, struct op *op,
		  u64 *time)
{
	u64 ptr;

	if (!words_read_cpu(w, &op->cpu, 1) || !words_read_time(w, time) ||
	    !read_reason(w, &recipe->reason) || !words_read_pointer(w, &ptr))
		return 0;
	if (!read_node(w, &recipe->node))
		return 0;
	recipe->call_site = words_text(w, KEY_SITE);
	recipe->gfp = words_text(w, KEY_GFP);
	recipe->kind_name = w->value[KEY_KIND].len ? words_text(w, KEY_KIND)
						   : intern_text(w->im, word);
	return read_group(w, word[0] == 'a' ? KIND_BULK_ALLOC : KIND_BULK_FREE, op->cpu,
			  recipe->call_site);
}

void words_count_kind(struct words *w, const struct span *word)
{
	kind_count(w->im, w->value[KEY_KIND].len ? &w->value[KEY_KIND] : word);
}

static void put_alloc(struct words *w, const struct span *word, u64 key, struct recipe *recipe,
		      struct op *op, u64 time)
{
	struct import *im = w->im;
	struct kmem_report *report = &im->trace->report;

	if (!recipe->reason && pointer_find(im, key)) {
		words_complain(w, im->line, "an object with this ID is still live: free it first");
		return;
	}
	u32 site = import_site(im, recipe);
	if (site == SITE_FULL)
		return;
	words_count_kind(w, word);
	op->site = site;
	if (recipe->reason == REASON_KEPT) {
		/* This event allocates nothing. */
		((struct site_use *)im->uses.at)[site].row = ROW_NONE;
		import_op(im, op, time);
		return;
	}
	report->allocs++;
	if (recipe->reason) {
		report->failed_allocs += recipe->reason == REASON_FAILED_ALLOC;
		import_op(im, op, time);
		return;
	}
	op->kind = recipe->op;
	op->flags = recipe->marks ? OP_BY_REQUEST : 0;
	import_alloc(im, key, site, op, time);
}

int words_read_request(struct words *w, u32 cache, u32 *bytes)
{
	u64 req;

	*bytes = w->im->trace->caches[cache].object_size;
	if (!w->given[KEY_REQ])
		return 1;
	if (!words_read_number(w, &w->value[KEY_REQ], *bytes, &req,
			       "expected req=<number of bytes, at most the size of the cache>"))
		return 0;
	*bytes = (u32)req;
	return 1;
}

/* The prefilled sheaf that serves the allocation, if sheaf= names one. */
static int read_sheaf(struct words *w, struct recipe *recipe)
{
	u32 slot;

	if (!w->given[KEY_SHEAF])
		return 1;
	if (!words_read_slot(w, &w->value[KEY_SHEAF], &slot))
		return 0;
	recipe->marks = (u8)((SITE_PREFILLED + slot) << RECIPE_REQUEST_AT);
	return 1;
}

static void line_alloc(struct words *w, const struct span *word)
{
	struct recipe recipe = { .op = OP_ALLOC };
	struct op op = { .handle = HANDLE_NONE };
	u64 key = 0, time = 0;

	if (words_begins_list(w)) {
		line_bulk_alloc(w, word);
		return;
	}
	if (!words_read_id(w, &key))
		return;
	struct span id = words_next(w);
	u32 cache = words_read_cache(w, &id);
	if (cache == CACHE_NONE ||
	    !words_read_keys(w, OP_KEYS | 1u << KEY_NODE | 1u << KEY_REQ | 1u << KEY_SHEAF |
					1u << KEY_BULK) ||
	    !words_read_op(w, "a", &recipe, &op, &time) ||
	    !words_read_request(w, cache, &recipe.bytes_req) || !read_sheaf(w, &recipe))
		return;
	recipe.cache = (u16)cache;
	put_alloc(w, word, key, &recipe, &op, time);
}

static void line_kmalloc(struct words *w, const struct span *word)
{
	struct recipe recipe = { .op = OP_KMALLOC, .cache = (u16)CACHE_NONE };
	struct op op = { .handle = HANDLE_NONE };
	u64 key = 0, time = 0, bytes = 0;

	if (!words_read_id(w, &key))
		return;
	struct span size = words_next(w);
	if (!words_read_number(w, &size, MAX_OBJECT_BYTES, &bytes,
			       "expected a number of bytes, at most 64 MiB") ||
	    !words_read_keys(w, OP_KEYS | 1u << KEY_NODE | 1u << KEY_TYPE) ||
	    !words_read_op(w, "k", &recipe, &op, &time) || !read_type(w, &recipe.kmalloc_type))
		return;
	recipe.bytes_req = (u32)bytes;
	recipe.bytes_alloc = kmalloc_slot((u32)bytes);
	if (!bytes && !recipe.reason)
		recipe.reason = REASON_ZERO_SIZE;
	put_alloc(w, word, key, &recipe, &op, time);
}

/* f and r; `request` is that of its site */
static void line_free(struct words *w, const struct span *word, u32 request)
{
	struct import *im = w->im;
	struct kmem_report *report = &im->trace->report;
	struct recipe recipe = { .op = OP_FREE, .cache = (u16)CACHE_NONE };
	struct op op = { .handle = HANDLE_NONE };
	u64 key = 0, time = 0;

	if (!request && words_begins_list(w)) {
		line_bulk_free(w, word);
		return;
	}
	if (!words_read_id(w, &key) ||
	    !words_read_keys(w, OP_KEYS | (request ? 0 : 1u << KEY_BULK)) ||
	    !words_read_op(w, request ? "r" : "f", &recipe, &op, &time))
		return;
	recipe.marks = (u8)(request << RECIPE_REQUEST_AT);
	int unseen = words_is(&w->value[KEY_WHY], "unseen");
	if (unseen && request) {
		words_complain(w, w->value[KEY_WHY].at,
			       "a free that was not recorded is a line f, not r");
		return;
	}
	struct hash_slot *pointer = recipe.reason ? NULL : pointer_find(im, key);
	if (!pointer && !recipe.reason) {
		words_complain(
			w, im->line,
			"no object with this ID is live: it was never allocated, or is freed twice");
		recipe.reason = REASON_ORPHAN_FREE;
	}
	report->unseen_frees += (u64)unseen;
	if (!unseen) {
		words_count_kind(w, word);
		report->frees++;
	}
	if (pointer) {
		op.flags = unseen ? OP_IMPLIED : request ? OP_BY_REQUEST : 0;
		u32 site = free_site(im, &recipe, alloc_site_of(pointer));
		struct site_use *uses = im->uses.at;
		if (unseen) {
			uses[site].row = ROW_NONE;
			uses[alloc_site_of(pointer)].unseen++;
		}
		import_free(im, pointer, site, &op, time);
		return;
	}
	report->null_frees += recipe.reason == REASON_NULL_FREE;
	report->orphan_frees += recipe.reason == REASON_ORPHAN_FREE;
	op.site = import_site(im, &recipe);
	import_op(im, &op, time);
}

/* flush, shrink, validate, tick, reap, expire */
static void line_control(struct words *w, const struct span *word, u32 kind)
{
	struct import *im = w->im;
	struct recipe recipe = { .op = (u8)kind, .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };
	struct op op = { .handle = HANDLE_NONE, .kind = (u8)kind };
	u64 seconds = 0, time;

	if (kind == OP_FLUSH || kind == OP_SHRINK || kind == OP_VALIDATE) {
		struct span id = words_next(w);
		if (!words_read_any_cache(w, &id, &recipe))
			return;
	}
	if (kind == OP_TICK) {
		struct span number = words_next(w);
		if (!words_read_number(w, &number, 1u << 30, &seconds,
				       "expected a number of seconds, at most 2^30"))
			return;
		recipe.bytes_req = (u32)seconds;
	}
	int has_cpu = kind != OP_SHRINK && kind != OP_VALIDATE && kind != OP_TICK;
	u32 keys = 1u << KEY_T | (has_cpu ? 1u << KEY_CPU : 0);
	if (!words_read_keys(w, keys | (kind == OP_EXPIRE ? 1u << KEY_NODE : 0)) ||
	    !read_node(w, &recipe.node) || !words_read_cpu(w, &op.cpu, kind == OP_REAP) ||
	    !words_read_time(w, &time))
		return;
	if (!w->given[KEY_CPU] && kind != OP_TICK)
		op.flags = OP_ALL_CPUS;
	recipe.kind_name = intern_span(im, word);
	words_count_kind(w, word);
	op.site = import_site(im, &recipe);
	import_op(im, &op, time);
}

/* machine KEY=VALUE… and set KEY=VALUE [cache=ID] */

static int set_wish(struct words *w, const struct span *word)
{
	const u8 *end = word->at + word->len, *equals = scan_byte(word->at, end, '=');
	struct params *params = w->im->trace->params;

	if (equals == end)
		return words_complain(w, word->at, "expected KEY=VALUE");
	if (span_is(word->at, equals, "kernel")) {
		if (equals < end && import_kernel(w->im, equals + 1, end))
			return 1;
		return words_complain(
			w, word->at,
			"kernel is the release on which the trace was recorded, as uname -r prints it: "
			"6.18.15");
	}
	if (span_is(word->at, equals, "preset")) {
		if (params_apply_preset(params, FROM_TRACE_PRESET, (const char *)equals + 1,
					(u32)(end - equals - 1)) == KMEM_OK)
			return 1;
		return words_complain(w, word->at, params->error);
	}
	if (params_set(params, FROM_TRACE, (const char *)word->at, (u32)(equals - word->at),
		       (const char *)equals + 1, (u32)(end - equals - 1)) == KMEM_OK)
		return 1;
	return words_complain(w, word->at, params->error);
}

static void line_machine(struct words *w)
{
	struct span word = words_next(w);

	if (w->im->trace->nr_ops)
		words_complain(w, w->im->line, "a `machine` line must come before the first event");
	for (; word.len && !w->bad; word = words_next(w))
		set_wish(w, &word);
}

static void line_set(struct words *w, const struct span *word)
{
	struct import *im = w->im;
	struct trace *t = im->trace;
	struct span wish = words_next(w);
	const u8 *end = wish.at + wish.len, *equals = scan_byte(wish.at, end, '=');
	enum kmem_param param;
	struct trace_set set = { .cache = (u16)CACHE_NONE };

	if (!words_read_keys(w, 1u << KEY_CACHE))
		return;
	if (w->given[KEY_CACHE] &&
	    (set.cache = (u16)words_read_cache(w, &w->value[KEY_CACHE])) == CACHE_NONE)
		return;
	if (!t->nr_ops && set.cache == CACHE_NONE) {
		set_wish(w, &wish);
		return;
	}
	if (equals == end) {
		words_complain(w, wish.at, "expected KEY=VALUE");
		return;
	}
	if (params_parse(t->params, (const char *)wish.at, (u32)(equals - wish.at),
			 (const char *)equals + 1, (u32)(end - equals - 1), &param,
			 &set.value) != KMEM_OK) {
		words_complain(w, wish.at, t->params->error);
		return;
	}
	if (!params_is_runtime(param)) {
		words_complain(
			w, wish.at,
			"this parameter cannot change while the trace runs: put it on the `machine` line");
		return;
	}
	set.param = (u16)param;
	if (!import_grow(im, &t->set_run, (t->nr_sets + 1) * (u64)sizeof(set)))
		return;
	t->sets = t->set_run.at;
	t->sets[t->nr_sets] = set;
	struct recipe recipe = {
		.op = OP_SET, .node = (u16)NODE_ANY, .cache = set.cache, .bytes_req = t->nr_sets++
	};
	struct op op = { .handle = HANDLE_NONE, .kind = OP_SET };
	recipe.kind_name = intern_span(im, word);
	words_count_kind(w, word);
	op.site = import_site(im, &recipe);
	import_op(im, &op, im->last_time);
}

static void line_version(struct words *w)
{
	struct span version = words_next(w);

	count_header(w);
	if (!words_is(&version, "1"))
		import_fail(
			w->im, KMEM_EINPUT,
			"This is another version of slabtrace; expected version 1. Convert it with the slabscope that wrote it.");
}

/* 1 if the line is an event, valid or not. */
static int line_event(struct words *w, const struct span *word)
{
	u32 kind = words_among(word, slabtrace_ops, NR_VALUES(kmem_op_kind));

	if (words_is(word, "r")) {
		line_free(w, word, SITE_RCU);
		return 1;
	}
	switch (kind) {
	case NR_VALUES(kmem_op_kind):
		return 0;
	case OP_ALLOC:
		line_alloc(w, word);
		break;
	case OP_KMALLOC:
		line_kmalloc(w, word);
		break;
	case OP_FREE:
		line_free(w, word, SITE_SINGLE);
		break;
	case OP_CORRUPT:
		line_corrupt(w, word);
		break;
	case OP_SET:
		line_set(w, word);
		break;
	case OP_GRACE:
	case OP_CPU_DEAD:
		line_machine_request(w, word, kind);
		break;
	case OP_PREFILL:
	case OP_REFILL:
	case OP_RETURN:
		line_sheaf(w, word, kind);
		break;
	default:
		line_control(w, word, kind);
	}
	return 1;
}

/* Keeps what the line records of its events. */
static void keep_words(struct words *w, u32 before)
{
	struct import *im = w->im;
	u64 ptr = 0;

	if (!words_read_pointer(w, &ptr))
		return;
	if (im->keep)
		kept_put(im, before, ptr, im->keep & KMEM_KEEP_TASKS ? words_text(w, KEY_TASK) : 0);
	/* A free of an object that the trace allocates is not the first event at its address. */
	if (im->trace->nr_ops == before + 1)
		kept_note_first(im, before, ptr);
}

static void slabtrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct words words = { .im = im, .next = line, .end = end }, *w = &words;
	struct span word = words_next(w);
	u32 before = im->trace->nr_ops;

	if (!word.len) {
		count_comment(im, line, end);
		if (span_begins(line, end, "#sampled "))
			sampled_note(im, scan_number(line + 9, end));
		if (span_begins(line, end, "#lost "))
			im->trace->report.lost += scan_number(line + 6, end);
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	for (u32 k = 0; k < NR_KEYS; k++)
		words.value[k].at = end;
	if (line_event(w, &word)) {
		count_event(w, im->trace->nr_ops - before);
		if (im->nr_groups && im->trace->nr_ops > before)
			import_group_member(im);
		keep_words(w, before);
	} else if (words_is(&word, "cache"))
		line_cache(w);
	else if (words_is(&word, "machine"))
		line_machine(w);
	else if (words_is(&word, "slabtrace"))
		line_version(w);
	else
		words_complain(
			w, word.at,
			"expected a, k, f, r, cache, machine, set, flush, shrink, validate, tick, reap, expire, "
			"corrupt, grace, dead, prefill, refill or return");
}

static int slabtrace_recognises(const u8 *line, const u8 *end)
{
	/* One such line decides, whatever the others look like. */
	return span_begins(line, end, "slabtrace ") ? 100000 : 0;
}

const struct trace_format format_slabtrace = { .name = "slabtrace",
					       .recognises = slabtrace_recognises,
					       .line = slabtrace_line,
					       .finish = count_finish,
					       .may_lack_times = 1 };
