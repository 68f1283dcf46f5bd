/*
 * format_slabtrace.c - slabtrace 1, the project's own format: one event a line, nothing is implied.
 *
 *	slabtrace 1
 *	machine cpus=4 nodes=2
 *	cache c0 size=256 name=filp align=8
 *	a 1 c0 cpu=0 t=4582696626000 req=200
 *	f 1 cpu=2
 *
 * The reader is strict: it skips a line with an invalid word and reports its line and column. A
 * converted trace keeps details beyond the table of traces.md in further keys, and reads back
 * unchanged. trace/slabtrace.h has the words of each line, slabtrace_words.c reads them.
 * For a cache, slot= is bytes_alloc. The keys site=, gfp= and kind= give call site,
 * flags and tracepoint; task= and ptr= give the task and the recorded pointer, for an import that keeps them. A kmalloc has type= if gfp= does not imply it. The key why= gives a reason:
 * with null, orphan, zero-size or failed the event does nothing; with unseen the free was not
 * recorded.
 */
#include "import/formats/slabtrace_words.h"
#include "sim/cache.h"

static int is_unseen(const struct words *w)
{
	return words_is(&w->value[KEY_WHY], "unseen");
}

static void count_kind(struct words *w)
{
	kind_count(w->im, w->value[KEY_KIND].len ? &w->value[KEY_KIND] : &w->word);
}

static int is_live(struct words *w, u64 key, const u8 *at)
{
	return pointer_find(w->im, key) != NULL ||
	       words_complain(
		       w, at,
		       "no object with this ID is live: it was never allocated, or is already freed");
}

static int is_unused(struct words *w, u64 key, const u8 *at)
{
	return !pointer_find(w->im, key) ||
	       words_complain(w, at, "an object with this ID is still live: free it first");
}

/* Allocations */

/* Reads the bytes requested for an object of the cache: req=, or the object's size. 0 after a problem. */
static int read_request(struct words *w, u32 *bytes)
{
	u32 most = w->im->trace->caches[w->recipe.cache].object_size;

	*bytes = words_has(w, KEY_REQ) ? (u32)w->number[KEY_REQ] : most;
	return *bytes <= most ||
	       words_complain(w, w->value[KEY_REQ].at,
			      "expected req=<number of bytes, at most the size of the cache>");
}

/* Notes which prefilled sheaf the event is about. 0 after a problem. */
static int take_sheaf(struct words *w)
{
	struct recipe *recipe = &w->recipe;

	recipe->marks = (u8)((SITE_PREFILLED + w->slot) << RECIPE_REQUEST_AT);
	if (!w->sheaf_cpu || w->sheaf_cpu == w->op.cpu + 1u)
		return 1;
	if (recipe->node != NODE_ANY)
		return words_complain(
			w, w->value[KEY_NODE].at,
			"a sheaf that another CPU prefilled has no node=: leave it out");
	recipe->marks |= RECIPE_ELSEWHERE;
	recipe->node = (u16)(w->sheaf_cpu - 1);
	w->im->max_cpu_plus_1 = MAX(w->im->max_cpu_plus_1, w->sheaf_cpu);
	return 1;
}

static void put_alloc(struct words *w)
{
	struct import *im = w->im;
	struct recipe *recipe = &w->recipe;
	struct kmem_report *report = &im->trace->report;

	if (recipe->op == OP_ALLOC && !read_request(w, &recipe->bytes_req))
		return;
	if (recipe->op == OP_KMALLOC) {
		recipe->kmalloc_type = words_has(w, KEY_TYPE) ? (u8)w->number[KEY_TYPE]
							      : TYPE_BY_GFP;
		recipe->bytes_alloc = kmalloc_slot(recipe->bytes_req);
		if (!recipe->bytes_req && !recipe->reason)
			recipe->reason = REASON_ZERO_SIZE;
	}
	if (words_has(w, KEY_SHEAF) && !take_sheaf(w))
		return;
	if (!recipe->reason && !is_unused(w, w->id, im->line))
		return;
	u32 site = import_site(im, recipe);
	if (site == SITE_FULL)
		return;
	count_kind(w);
	w->op.site = site;
	if (recipe->reason) {
		/* With `kept` it allocates nothing. */
		if (recipe->reason == REASON_KEPT)
			((struct site_use *)im->uses.at)[site].row = ROW_NONE;
		else
			report->allocs++;
		report->failed_allocs += recipe->reason == REASON_FAILED_ALLOC;
		import_op(im, &w->op, w->time);
		return;
	}
	report->allocs++;
	w->op.kind = recipe->op;
	w->op.flags = recipe->marks ? OP_BY_REQUEST : 0;
	import_alloc(im, w->id, site, &w->op, w->time);
}

/* kmem_cache_alloc_bulk(): OP_BULK_ALLOC, then an OP_ALLOC for each object. */
static void put_bulk_alloc(struct words *w)
{
	const struct id_list *ids = w->ids;
	u32 bytes;

	if (!read_request(w, &bytes))
		return;
	for (u32 i = 0; i < ids->nr; i++)
		if (!is_unused(w, ids->key[i], ids->at[i]))
			return;
	count_kind(w);
	w->recipe.marks = SITE_BULK << RECIPE_REQUEST_AT;
	w->recipe.bytes_req = ids->nr;
	import_request(w->im, w->recipe, OP_BULK_ALLOC, w->op.cpu, w->time);
	w->recipe.op = OP_ALLOC;
	w->recipe.bytes_req = bytes;
	u32 site = import_site(w->im, &w->recipe);
	for (u32 i = 0; i < ids->nr && site != SITE_FULL; i++) {
		struct op member = { .kind = OP_ALLOC, .cpu = w->op.cpu, .flags = OP_BY_REQUEST };
		w->im->trace->report.allocs++;
		import_alloc(w->im, ids->key[i], site, &member, w->time);
	}
}

/* Frees */

/* f and r: `request` comes from its site. */
static void put_free(struct words *w, u32 request)
{
	struct import *im = w->im;
	struct kmem_report *report = &im->trace->report;
	struct recipe *recipe = &w->recipe;
	int unseen = is_unseen(w);

	recipe->marks = (u8)(request << RECIPE_REQUEST_AT);
	if (unseen && request) {
		words_complain(w, w->value[KEY_WHY].at,
			       "write a free that was not recorded as f, not r");
		return;
	}
	if (!recipe->reason && !is_live(w, w->id, im->line))
		recipe->reason = REASON_ORPHAN_FREE;
	report->unseen_frees += (u64)unseen;
	if (!unseen) {
		count_kind(w);
		report->frees++;
	}
	if (recipe->reason) {
		report->null_frees += recipe->reason == REASON_NULL_FREE;
		report->orphan_frees += recipe->reason == REASON_ORPHAN_FREE;
		w->op.site = import_site(im, recipe);
		import_op(im, &w->op, w->time);
		return;
	}
	struct hash_slot *pointer = pointer_find(im, w->id);
	u32 site = free_site(im, recipe, alloc_site_of(pointer));
	struct site_use *uses = im->uses.at;
	if (unseen) {
		uses[site].row = ROW_NONE;
		uses[alloc_site_of(pointer)].unseen++;
	}
	w->op.flags = unseen ? OP_IMPLIED : request ? OP_BY_REQUEST : 0;
	import_free(im, pointer, site, &w->op, w->time);
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

/* Frees the first object of the rest of the list, and those after it that belong to the same cache. Returns how many. */
static u32 free_run(struct words *w, const u64 *keys, u32 nr)
{
	struct import *im = w->im;
	struct recipe end = w->recipe;
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
		struct op op = { .cpu = w->op.cpu, .flags = OP_BY_REQUEST };
		im->trace->report.frees++;
		import_free(im, pointer, free_site(im, &w->recipe, alloc_site), &op, w->time);
	}
	end.cache = first.cache;
	end.kmalloc_type = first.kmalloc_type;
	end.bytes_req = first.bytes;
	import_request(im, end, OP_BULK_FREE, w->op.cpu, w->time);
	return i ? i : nr;
}

/* kmem_cache_free_bulk(): an OP_FREE for each object, then OP_BULK_FREE; again for each run of objects of one cache. */
static void put_bulk_free(struct words *w)
{
	const struct id_list *ids = w->ids;

	for (u32 i = 0; i < ids->nr; i++)
		if (!is_live(w, ids->key[i], ids->at[i]))
			return;
	count_kind(w);
	w->recipe.marks = SITE_BULK << RECIPE_REQUEST_AT;
	for (u32 i = 0; i < ids->nr;)
		i += free_run(w, ids->key + i, ids->nr - i);
}

/* Other events */

enum { DEFAULT_WRITE_BYTES = 8, DEFAULT_WRITE_VALUE = 0x41, DEFAULT_WILD_OFFSET = 8 };

/* Returns the number of the corruption in the trace. Many lines may share one. */
static u32 keep_corruption(struct import *im, const struct trace_corruption *c)
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

/* Code writes or frees memory that it does not own. */
static void put_corruption(struct words *w)
{
	struct import *im = w->im;
	struct trace_corruption c = {
		.kind = (u8)w->fault,
		.at = words_has(w, KEY_AT)	      ? (s32)w->number[KEY_AT]
		      : w->fault == CORRUPT_WILD_FREE ? DEFAULT_WILD_OFFSET
						      : 0,
		.len = words_has(w, KEY_LEN) ? (u32)w->number[KEY_LEN] : DEFAULT_WRITE_BYTES,
		.value = words_has(w, KEY_VALUE) ? (u8)w->number[KEY_VALUE] : DEFAULT_WRITE_VALUE
	};
	u32 alloc_site = 0, live = 0;

	if (w->fault == CORRUPT_DOUBLE_FREE && pointer_find(im, w->id)) {
		words_complain(w, im->line, "the object with this ID is live: free it once first");
		return;
	}
	if (!single_out(im, w->id, &w->op.handle, &alloc_site, &live)) {
		words_complain(w, im->line,
			       "no object with this ID is live, and none was freed recently");
		return;
	}
	const struct site *alloc = &im->trace->sites[alloc_site];
	c.live = (u16)live;
	c.bytes = alloc->bytes;
	w->recipe.cache = alloc->cache;
	w->recipe.kmalloc_type = alloc->kmalloc_type;
	w->recipe.bytes_req = keep_corruption(im, &c);
	if (im->status != KMEM_OK)
		return;
	count_kind(w);
	w->op.kind = OP_CORRUPT;
	w->op.site = import_site(im, &w->recipe);
	import_op(im, &w->op, w->time);
}

/* Reads a parameter and its value, as a machine line has them; 0 after a problem. */
static int take_wish(struct words *w, const struct span *word)
{
	const u8 *end = word->at + word->len, *equals = scan_byte(word->at, end, '=');
	const char *key = (const char *)word->at, *value = (const char *)equals + 1;
	u32 value_bytes = (u32)(end - equals - 1);
	struct params *params = w->im->trace->params;
	s32 status;

	if (equals == end)
		return words_complain(w, word->at, "expected KEY=VALUE");
	if (span_is(word->at, equals, "kernel"))
		return import_kernel(w->im, equals + 1, end) ||
		       words_complain(
			       w, word->at,
			       "kernel is the release that recorded the trace, as uname -r prints it, for example 6.18.15");
	if (span_is(word->at, equals, "preset"))
		status = params_apply_preset(params, FROM_TRACE_PRESET, value, value_bytes);
	else
		status = params_set(params, FROM_TRACE, key, (u32)(equals - word->at), value,
				    value_bytes);
	return status == KMEM_OK || words_complain(w, word->at, params->error);
}

static void put_set(struct words *w)
{
	struct import *im = w->im;
	struct trace *t = im->trace;
	const struct span *wish = &w->wish;
	const u8 *end = wish->at + wish->len, *equals = scan_byte(wish->at, end, '=');
	enum kmem_param param;
	struct trace_set set = { .cache = (u16)CACHE_NONE };

	if (words_has(w, KEY_CACHE))
		set.cache = (u16)words_cache(w, &w->value[KEY_CACHE]);
	if (w->bad)
		return;
	if (!t->nr_ops && set.cache == CACHE_NONE) {
		take_wish(w, wish);
		return;
	}
	if (equals == end) {
		words_complain(w, wish->at, "expected KEY=VALUE");
		return;
	}
	if (params_parse(t->params, (const char *)wish->at, (u32)(equals - wish->at),
			 (const char *)equals + 1, (u32)(end - equals - 1), &param,
			 &set.value) != KMEM_OK) {
		words_complain(w, wish->at, t->params->error);
		return;
	}
	if (!params_is_runtime(param)) {
		words_complain(
			w, wish->at,
			"this parameter cannot change while the trace runs: put it on the `machine` line");
		return;
	}
	set.param = (u16)param;
	if (!import_grow(im, &t->set_run, (t->nr_sets + 1) * (u64)sizeof(set)))
		return;
	t->sets = t->set_run.at;
	t->sets[t->nr_sets] = set;
	w->recipe.cache = set.cache;
	w->recipe.bytes_req = t->nr_sets++;
	count_kind(w);
	import_request(im, w->recipe, OP_SET, w->op.cpu, w->time);
}

/* Adds a request of one cache, of a prefilled sheaf, or of the whole machine. */
static void put_request(struct words *w, u32 kind)
{
	if ((kind == OP_PREFILL || kind == OP_REFILL || kind == OP_RETURN) && !take_sheaf(w))
		return;
	if (kind == OP_PREFILL && w->recipe.marks & RECIPE_ELSEWHERE) {
		words_complain(
			w, w->im->line,
			"a CPU prefills a sheaf for itself: expected the number alone, without @");
		return;
	}
	count_kind(w);
	if (kind == OP_CPU_DEAD) {
		/* CPU 0 does the work, or CPU 1 if CPU 0 is the one that goes. */
		w->recipe.bytes_req = w->op.cpu;
		w->op.cpu = !w->op.cpu;
	}
	w->op.kind = (u8)kind;
	if (!words_has(w, KEY_CPU) && kind != OP_TICK && kind != OP_GRACE && kind != OP_BARRIER)
		w->op.flags = OP_ALL_CPUS;
	w->op.site = import_site(w->im, &w->recipe);
	import_op(w->im, &w->op, w->time);
}

/* Takes the keys that any event may have. */
static void take_keys(struct words *w)
{
	struct import *im = w->im;
	struct recipe *recipe = &w->recipe;

	w->op.cpu = (u16)w->number[KEY_CPU];
	w->time = words_has(w, KEY_T) ? w->number[KEY_T] : im->last_time;
	im->has_times |= (u32)words_has(w, KEY_T);
	if (words_has(w, KEY_CPU))
		im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, w->op.cpu + 1u);
	if (words_has(w, KEY_NODE))
		recipe->node = (u16)w->number[KEY_NODE];
	if (recipe->node != NODE_ANY)
		im->max_node_plus_1 = MAX(im->max_node_plus_1, recipe->node + 1u);
	if (words_has(w, KEY_WHY) && w->number[KEY_WHY] < NR_SLABTRACE_REASONS)
		recipe->reason = (u8)(REASON_NULL_FREE + w->number[KEY_WHY]);
	recipe->call_site = words_text(w, KEY_SITE);
	recipe->gfp = words_text(w, KEY_GFP);
	recipe->kind_name = w->value[KEY_KIND].len ? words_text(w, KEY_KIND)
						   : intern_span(im, &w->word);
	/* This object and the N - 1 after it, of the same CPU and call site, are one request. */
	if (words_has(w, KEY_BULK))
		import_group(im, recipe->op == OP_ALLOC ? KIND_BULK_ALLOC : KIND_BULK_FREE,
			     w->op.cpu, (u32)w->number[KEY_BULK], recipe->call_site);
}

static void read_event(struct words *w, u32 kind, u32 request)
{
	const struct slabtrace_line *line = &slabtrace_lines[kind];
	struct id_list ids;
	u32 keys = line->keys & ~(request ? KEY(BULK) : 0);

	w->ids = &ids;
	w->op.handle = HANDLE_NONE;
	w->recipe =
		(struct recipe){ .op = (u8)kind, .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };
	for (u32 i = 0; i < ARRAY_SIZE(line->positions) && line->positions[i]; i++)
		if (!words_read_position(w, line->positions[i]))
			return;
	if (kind == OP_CORRUPT)
		keys = KEY(CPU) | KEY(T) | slabtrace_faults[w->fault].bits;
	if (!words_read_keys(w, keys, line->needs_cpu))
		return;
	take_keys(w);
	switch (kind) {
	case OP_ALLOC:
	case OP_KMALLOC:
		put_alloc(w);
		break;
	case OP_FREE:
		put_free(w, request);
		break;
	case OP_BULK_ALLOC:
		put_bulk_alloc(w);
		break;
	case OP_BULK_FREE:
		put_bulk_free(w);
		break;
	case OP_CORRUPT:
		put_corruption(w);
		break;
	case OP_SET:
		put_set(w);
		break;
	default:
		put_request(w, kind);
	}
}

/* cache ID size=B [slot= name= align= flags=…] */
static void line_cache(struct words *w)
{
	struct trace *t = w->im->trace;
	struct span id = words_next(w);
	const u64 *number = w->number;

	if (!id.len) {
		words_complain(w, id.at, "expected the ID of the cache");
		return;
	}
	if (!words_read_keys(w, KEY(SIZE) | KEY(SLOT) | KEY(NAME) | KEY(ALIGN) | KEY(FLAGS), 0))
		return;
	struct trace_cache cache = { .id = intern_span(w->im, &id),
				     .object_size = (u32)number[KEY_SIZE],
				     .size = (u32)number[KEY_SLOT],
				     .align = (u32)number[KEY_ALIGN],
				     .flags = (u32)number[KEY_FLAGS] };
	cache.name = w->value[KEY_NAME].len ? words_text(w, KEY_NAME) : cache.id;
	for (u32 i = 0; i < t->nr_caches; i++)
		if (t->caches[i].id == cache.id)
			words_complain(w, id.at, "a cache with this ID already exists");
	if (!words_has(w, KEY_SIZE))
		words_complain(w, w->end, "expected size=<number of bytes, 1 to 4194304>");
	else if (!cache.object_size || (cache.size && cache.size < cache.object_size))
		words_complain(
			w, w->value[KEY_SIZE].at,
			"expected size=<number of bytes, 1 to 4194304>, and slot at least as large");
	else if (cache.align & (cache.align - 1))
		words_complain(w, w->value[KEY_ALIGN].at,
			       "expected align=<power of two, at most 65536>");
	else if (!w->bad && import_cache(w->im, &cache) == CACHE_NONE)
		words_complain(w, id.at, "more than 4096 caches");
}

static void line_machine(struct words *w)
{
	struct span word = words_next(w);

	if (w->im->trace->nr_ops)
		words_complain(w, w->im->line, "a `machine` line must come before the first event");
	for (; word.len && !w->bad; word = words_next(w))
		take_wish(w, &word);
}

static void line_version(struct words *w)
{
	struct import *im = w->im;
	struct span version = words_next(w);

	if (im->count.events || im->trace->nr_caches)
		words_complain(
			w, im->line,
			"a second slabtrace starts here: replay joined files one by one, because each has its own IDs of caches and objects");
	im->count = (struct slabtrace_count){ 0 };
	if (!words_is(&version, "1"))
		import_fail(
			im, KMEM_EINPUT,
			"This slabtrace has another version: expected version 1. Convert it with the slabscope that wrote it.");
}

static void line_event(struct words *w, u32 kind)
{
	struct import *im = w->im;
	u32 before = im->trace->nr_ops, is_rcu = (u32)words_is(&w->word, "r");

	if (!is_rcu && words_begins_list(w))
		kind = kind == OP_ALLOC ? OP_BULK_ALLOC : kind == OP_FREE ? OP_BULK_FREE : kind;
	read_event(w, kind, is_rcu ? SITE_RCU : SITE_SINGLE);
	words_count_event(w, im->trace->nr_ops - before);
	if (im->nr_groups && im->trace->nr_ops > before)
		import_group_member(im);
	u64 ptr = w->number[KEY_PTR];
	if (im->keep)
		kept_put(im, before, ptr, im->keep & KMEM_KEEP_TASKS ? words_text(w, KEY_TASK) : 0);
	/* A free of an object that the trace allocates is not the first event at its address. */
	if (im->trace->nr_ops == before + 1)
		kept_note_first(im, before, ptr);
}

static void slabtrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct words words = { .im = im, .next = line, .end = end }, *w = &words;
	u32 kind = OP_ALLOC;

	w->word = words_next(w);
	if (!w->word.len) {
		words_comment(im, line, end);
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	for (u32 k = 0; k < NR_KEYS; k++)
		words.value[k].at = end;
	if (words_is(&w->word, "r"))
		kind = OP_FREE;
	else
		while (kind < NR_SLABTRACE_LINES && !words_is(&w->word, slabtrace_lines[kind].word))
			kind++;
	if (kind < NR_SLABTRACE_LINES)
		line_event(w, kind);
	else if (words_is(&w->word, "cache"))
		line_cache(w);
	else if (words_is(&w->word, "machine"))
		line_machine(w);
	else if (words_is(&w->word, "slabtrace"))
		line_version(w);
	else
		words_complain(
			w, w->word.at,
			"expected a, k, f, r, cache, machine, set, flush, shrink, validate, tick, reap, expire, "
			"corrupt, grace, dead, prefill, refill or return");
}

static int slabtrace_recognises(const u8 *line, const u8 *end)
{
	/* One such line is enough, whatever the others look like. */
	return span_begins(line, end, "slabtrace ") ? 100000 : 0;
}

const struct trace_format format_slabtrace = { .name = "slabtrace",
					       .recognises = slabtrace_recognises,
					       .line = slabtrace_line,
					       .finish = words_finish,
					       .may_lack_times = 1 };
