/*
 * usual_line.c - the fast path for the usual lines: known keys in the usual order, one blank
 * between them.
 *
 * The offsets of "[cpu]" and of the dot of the time come from the previous line and are verified.
 * The rest is read once, a word at a time, up to the newline, so nothing searches for the newline.
 * Lines of any other form are left to the general parsers. The fast path may give up on a line but
 * never reads it differently (trace_test.c compares both on every sample).
 */
#include "import/text_line.h"

/* The text as a word in memory; at most eight bytes. */
#define WORD(text) load8((const u8 *)(text "\0\0\0\0\0\0\0"))
/* 1 if the bytes at p are this text; at most eight. */
#define NEXT_IS(p, text) (low_bytes(load8(p) ^ WORD(text), sizeof(text) - 1) == 0)

/* A decimal number of 1 to 7 digits at p; NULL if there is none. */
ALWAYS_INLINE const u8 *fast_number(const u8 *p, u32 *number)
{
	u64 word = load8(p);
	u32 n = decimal_length(word);

	if (unlikely(n - 1 > 6))
		return NULL;
	*number = decimal_word(word, n);
	return p + n;
}

/* Sixteen or eight hex digits, with or without 0x, or (nil); NULL if it is anything else. */
ALWAYS_INLINE const u8 *fast_pointer(struct import *im, const u8 *p, struct event *ev)
{
	u64 bad = 0;
	u32 bare = 1, digits = 16;

	ev->hashed = 0;
	if (p[1] == 'x' && p[0] == '0') {
		p += 2;
		bare = 0;
	}
	u64 high = hex_word(load8(p), &bad);
	if (likely(p[8] > ' ')) {
		ev->ptr = high << 32 | hex_word(load8(p + 8), &bad);
		ev->hashed = bare && high == 0 && ev->ptr > 16;
	} else {
		ev->ptr = high;
		digits = 8;
	}
	if (likely(!bad && p[digits] <= ' ')) {
		im->last_ptr_digits = digits;
		return p + digits;
	}
	if (!bare || !NEXT_IS(p, "(nil)") || p[5] > ' ')
		return NULL;
	ev->ptr = 0;
	ev->hashed = 0;
	return p + 5;
}

/*
 * A parsed event that waits to be imported, and its line. A few lines are parsed before their events are imported, in
 * order. Meanwhile the slots of their pointers reach the processor's cache. With more than a few, branch prediction
 * suffers.
 */
struct parsed {
	struct event event;
	struct span call_site, cache, gfp; /* texts of the event */
	u32 bracket;			   /* where the task ends */
	const u8 *line;
	u64 line_nr;
};

/* "sym+0x1/0x2" or "sym+0x1/0x2 [module]". Returns the blank after it, or NULL. */
ALWAYS_INLINE const u8 *fast_call_site(const u8 *p, struct parsed *x)
{
	p = scan_token(p, &x->call_site);
	if (unlikely(p[0] == ' ' && p[1] == '[')) {
		struct span module;
		p = scan_token(p + 1, &module);
		if (p[-1] != ']')
			return NULL;
		x->call_site = span_of(x->call_site.at, p);
	}
	return p;
}

/* Reads the fields after an allocation's pointer, from the blank on. Returns their end, or
 * NULL. */
ALWAYS_INLINE const u8 *fast_sizes(struct import *im, const u8 *p, struct parsed *x)
{
	struct event *ev = &x->event;

	if (NEXT_IS(p, " name=")) {
		p = scan_token(p + 6, &x->cache);
		im->has_early_names = 1;
	}
	if (!NEXT_IS(p, " bytes_r") || !NEXT_IS(p + 8, "eq="))
		return NULL;
	p = fast_number(p + 11, &ev->bytes_req);
	if (!p || !NEXT_IS(p, " bytes_a") || !NEXT_IS(p + 8, "lloc="))
		return NULL;
	p = fast_number(p + 13, &ev->bytes_alloc);
	if (!p || !NEXT_IS(p, " gfp_fla") || !NEXT_IS(p + 8, "gs="))
		return NULL;
	p = scan_token(p + 11, &x->gfp);
	if (NEXT_IS(p, " node=-1")) {
		p += 8;
	} else if (NEXT_IS(p, " node=")) {
		p = fast_number(p + 6, &ev->node);
		if (!p || ev->node >= NODE_ANY)
			return NULL;
	}
	if (NEXT_IS(p, " account")) {
		if (NEXT_IS(p + 8, "ed=false")) {
			p += 16;
		} else if (NEXT_IS(p + 8, "ed=true")) {
			ev->accounted = 1;
			p += 15;
		} else {
			return NULL;
		}
	}
	if (NEXT_IS(p, " name=") && !x->cache.at)
		p = scan_token(p + 6, &x->cache);
	return p;
}

/* Reads the payload, from the blank after "NAME:" on. Returns the newline, or NULL. */
ALWAYS_INLINE const u8 *fast_fields(struct import *im, const u8 *p, struct parsed *x)
{
	struct event *ev = &x->event;

	p++;
	if (unlikely(*p == ' ')) {
		/* trace-cmd pads names to a fixed width and puts the symbol first. */
		while (*p == ' ')
			p++;
		if (*p == '(') {
			struct span symbol;
			p = scan_token(p, &symbol) + 1;
		}
	}
	if (!NEXT_IS(p, "call_sit") || !NEXT_IS(p + 8, "e="))
		return NULL;
	p = fast_call_site(p + 10, x);
	if (!p || !NEXT_IS(p, " ptr="))
		return NULL;
	p = fast_pointer(im, p + 5, ev);
	if (!p)
		return NULL;
	/* When the event is imported, the pointer's slot and the next few are in the processor's
	 * cache. */
	__builtin_prefetch(hash_home(&im->pointers, ev->ptr));
	__builtin_prefetch(hash_home(&im->pointers, ev->ptr) + 3);
	x->cache.at = NULL;
	x->cache.len = 0;
	ev->ptr_state = PTR_VALUE;
	ev->node = NODE_ANY;
	if (ev->what == WHAT_FREE) {
		if (NEXT_IS(p, " name=")) {
			p = scan_token(p + 6, &x->cache);
			im->has_free_names = 1;
		}
	} else {
		ev->accounted = 0;
		p = fast_sizes(im, p, x);
	}
	return p && *p == '\n' ? p : NULL;
}

/* Reads the name of a kmem event. Returns the end of its colon, or NULL. */
ALWAYS_INLINE const u8 *fast_name(const u8 *p, struct event *ev)
{
	u64 word = load8(p);

	if (word == WORD("kmem_cac")) {
		word = load8(p + 8);
		ev->kind = KIND_CACHE_FREE;
		ev->what = WHAT_FREE;
		if (word == WORD("he_free:"))
			return p + 16;
		if (word != WORD("he_alloc"))
			return NULL;
		ev->what = WHAT_CACHE_ALLOC;
		ev->kind = KIND_CACHE_ALLOC;
		if (p[16] == ':')
			return p + 17;
		ev->kind = KIND_CACHE_ALLOC_NODE;
		return NEXT_IS(p + 16, "_node:") ? p + 22 : NULL;
	}
	if (low_bytes(word ^ WORD("kfree:"), 6) == 0) {
		ev->kind = KIND_KFREE;
		ev->what = WHAT_FREE;
		return p + 6;
	}
	ev->what = WHAT_KMALLOC;
	ev->kind = KIND_KMALLOC;
	if (word == WORD("kmalloc:"))
		return p + 8;
	ev->kind = KIND_KMALLOC_NODE;
	return word == WORD("kmalloc_") && NEXT_IS(p + 8, "node:") ? p + 13 : NULL;
}

/* Reads the seconds before the dot, as nanoseconds; 0 if they are not a number. */
NOINLINE int fast_seconds(struct layout *layout, const u8 *dot)
{
	u64 seconds = 0, unit = 1;
	const u8 *p = dot;

	while (is_digit(p[-1]) && dot - p < 10) {
		seconds += (*--p - (u64)'0') * unit;
		unit *= 10;
	}
	if (p == dot || p[-1] != ' ')
		return 0;
	layout->seconds_ns = seconds * 1000000000;
	/* Only a word that starts before the digits contains all of them. */
	layout->seconds_word = dot - p < 8 ? load8(dot - 8) : 0;
	return 1;
}

/* Reads "… [cpu] … seconds.micros: ". Returns the blank after the colon, or NULL. */
ALWAYS_INLINE const u8 *fast_prefix(struct layout *layout, const u8 *p, struct event *ev)
{
	const u8 *bracket = p + layout->bracket, *dot = p + layout->dot;

	if (unlikely(!layout->dot))
		return NULL;
	u64 word = load8(bracket);
	u64 digits = (word >> 8 & 0xffffff) - 0x303030;

	/* The line may end earlier: then these bytes belong to the next line. */
	for (const u8 *at = p; at < dot; at += 16) {
		if (control_bits(load8(at)) | control_bits(load8(at + 8)))
			return NULL;
	}
	if ((word & 0xff000000ff) != ((u64)']' << 32 | '[') ||
	    ((digits | (digits + 0x767676)) & 0x808080))
		return NULL;
	ev->cpu = (u32)((digits & 0xff) * 100 + (digits >> 8 & 0xff) * 10 + (digits >> 16));
	word = load8(dot + 1);
	if (*dot != '.' || decimal_length(word) != 6 || word >> 48 != ((u64)' ' << 8 | ':'))
		return NULL;
	if (unlikely(load8(dot - 8) != layout->seconds_word) && !fast_seconds(layout, dot))
		return NULL;
	ev->time = layout->seconds_ns + (u64)decimal_word(word, 6) * 1000;
	return dot + 8;
}

/* Counts any other event whose name is known. Returns the newline, or NULL. */
static const u8 *fast_other(struct import *im, const u8 *line, const u8 *p, const u8 *end)
{
	struct span name;
	const u8 *behind = scan_token(p, &name), *newline = scan_byte(behind, end, '\n');

	if (newline - line > MAX_LINE_BYTES || behind[-1] != ':' || behind == p || *behind != ' ')
		return NULL;
	name = span_of(p, behind - 1);
	u32 kind = kind_find(im, &name);
	if (kind == KIND_NONE || kind < NR_KMEM_KINDS)
		return NULL;
	kind_at(im, kind)->lines++;
	im->trace->report.lines++;
	return newline;
}

/* Returns the task of a line whose text before the CPU has that length. */
static u32 task_of(struct import *im, const u8 *line, u32 len_bytes)
{
	/* The pid is in the last bytes. */
	u64 pid = load8(line + (len_bytes > 8 ? len_bytes - 8 : 0));
	struct known_task *known =
		&im->known_tasks[pid * HASH_MULTIPLIER >> (64 - KNOWN_TASKS_SHIFT)];
	struct prefix prefix;
	u64 differs = known->len_bytes ^ len_bytes;

	for (u32 i = 0; i < len_bytes && !differs; i += 8)
		differs = low_bytes(load8(line + i) ^ load8(known->text + i), len_bytes - i);
	if (!differs)
		return known->task;
	u32 task = prefix_read_task(line, line + len_bytes, &prefix)
			   ? prefix_task(im, line, &prefix)
			   : 0;
	if (len_bytes <= KNOWN_TASK_BYTES) {
		known->task = task;
		known->len_bytes = len_bytes;
		memcpy(known->text, line, len_bytes);
	}
	return task;
}

NOINLINE void parsed_tasks(struct import *im, struct parsed *parsed, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		parsed[i].event.task = task_of(im, parsed[i].line, parsed[i].bracket);
}

/* Imports the parsed events. Call it before anything else reads the import, and before the bytes
 * are gone. */
static void import_parsed(struct import *im, struct parsed *parsed, u32 nr)
{
	if (!IS_FIRST_VIEW && unlikely(im->keep & KMEM_KEEP_TASKS))
		parsed_tasks(im, parsed, nr);
	for (u32 i = 0; i < nr && im->status == KMEM_OK; i++) {
		struct parsed *x = &parsed[i];
		x->event.call_site = intern_span(im, &x->call_site);
		x->event.cache = intern_span(im, &x->cache);
		if (x->event.what != WHAT_FREE)
			x->event.gfp = intern_span(im, &x->gfp);
		im->line = x->line;
		im->line_nr = x->line_nr;
		im->name_at = x->cache.at;
		im->sink(im, &x->event);
	}
}

const u8 *lines_fast(struct import *im, const u8 *p, const u8 *end)
{
	struct parsed parsed[PARSED_AT_ONCE];
	u32 nr = 0;

	while (p < end && im->status == KMEM_OK) {
		struct event *ev = &parsed[nr].event;
		const u8 *name = fast_prefix(&im->layouts[im->layout], p, ev);
		if (unlikely(!name)) {
			name = fast_prefix(&im->layouts[im->layout ^ 1], p, ev);
			if (!name)
				break;
			im->layout ^= 1;
		}
		while (*++name == ' ')
			;
		if (im->format == &format_perf && NEXT_IS(name, "kmem:"))
			name += 5;
		const u8 *at = fast_name(name, ev);
		if (!at) {
			at = fast_other(im, p, name, end);
			if (!at)
				break;
			p = at + 1;
			continue;
		}
		at = fast_fields(im, at, &parsed[nr]);
		if (!at || at - p > MAX_LINE_BYTES)
			break;
		parsed[nr].line = p;
		parsed[nr].bracket = im->layouts[im->layout].bracket;
		parsed[nr].line_nr = ++im->trace->report.lines;
		kind_at(im, ev->kind)->lines++;
		if (++nr == PARSED_AT_ONCE) {
			import_parsed(im, parsed, nr);
			nr = 0;
		}
		p = at + 1;
	}
	import_parsed(im, parsed, nr);
	return p;
}
