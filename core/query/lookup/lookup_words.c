/*
 * lookup_words.c - reads what dmesg says: a pointer alone, a report of slab debugging, or a report of KASAN.
 *
 *	BUG kmalloc-64 (Not tainted): Redzone overwritten
 *	Allocated in foo+0x1f/0x50 [mod] age=12 cpu=1 pid=123
 *	Slab 0xffffea00000ea740 objects=32 used=5 fp=0x… flags=…
 *	Object 0xffff888003a9d000 @offset=0 fp=0x…
 *
 * A report of KASAN has a stack below the line "Allocated by".
 *
 *	BUG: KASAN: slab-use-after-free in foo+0x1f/0x50
 *	The buggy address belongs to the object at ffff888003a9d000
 *	 which belongs to the cache kmalloc-64 of size 64
 *
 * Kernels since 2.6.22 write these lines alike, up to a word; until 5.12, INFO: came first. Each line may start with
 * "[   12.345678]", "[T123]", "<4>" or what a journal adds. The text is bounded by the caller, and every line is read
 * once.
 */
#include "query/lookup/lookup.h"
#include "util/text.h"

enum stack_of { STACK_OF_NONE, STACK_OF_ALLOC, STACK_OF_FREE };

struct words_of_report {
	struct kmem_session *s;
	struct lookup *l;
	enum stack_of stack; /* whose stack the following lines are */
	u64 line_time;	     /* time of the current line; 0: it has none */
};

struct part {
	const u8 *p, *end;
};

/* Returns the rest after the words, if the line starts with them; otherwise p is NULL. */
static struct part behind(const u8 *p, const u8 *end, const char *words)
{
	return span_begins(p, end, words) ? (struct part){ p + text_length(words), end }
					  : (struct part){ NULL, end };
}

/* Returns the rest after these words, anywhere in the line. */
static struct part after(const u8 *p, const u8 *end, const char *words)
{
	const u8 *at = span_find(p, end, words);

	return at ? (struct part){ at + text_length(words), end } : (struct part){ NULL, end };
}

/* Reads 0x and hex digits, or hex digits alone. 0 without a digit or with more than 16. */
static int read_hex(const u8 *p, const u8 *end, u64 *number)
{
	u64 n = 0;
	u32 digits = 0;

	if (span_begins(p, end, "0x") || span_begins(p, end, "0X"))
		p += 2;
	for (; p < end && hex_digit(*p) < 16; p++, digits++)
		n = n << 4 | hex_digit(*p);
	if (!digits || digits > 16)
		return 0;
	*number = n;
	return 1;
}

static u32 read_u32(const u8 *p, const u8 *end)
{
	u64 number;

	return scan_decimal(p, scan_digits(p, end), 0xfffffffe, &number) ? (u32)number
									 : NO_NUMBER32;
}

/* Returns the number after the key; NO_NUMBER32 without one. */
static u32 keyed(const u8 *p, const u8 *end, const char *key)
{
	struct part at = after(p, end, key);

	return at.p ? read_u32(at.p, end) : NO_NUMBER32;
}

/* Reads "12.345678" in nanoseconds; 0 if it is not one. */
static u64 read_seconds(const u8 *p, const u8 *end)
{
	u64 seconds, ns = 0;

	p = skip_blanks(p, end);
	const u8 *dot = scan_digits(p, end);
	if (!scan_decimal(p, dot, 9000000000, &seconds) || dot == end || *dot != '.')
		return 0;
	const u8 *digit = dot + 1;
	for (u32 i = 0; i < 9; i++)
		ns = ns * 10 + (digit < end && is_digit(*digit) ? *digit++ - (u64)'0' : 0);
	return seconds * 1000000000 + ns;
}

/* Skips what comes before the message: "<4>", "Nov 22 10:00:00 host kernel: ", "[   12.345678][  T123] ". */
static const u8 *message_of(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct part journal = after(p, end, " kernel: ");

	if (journal.p)
		p = journal.p;
	p = skip_blanks(p, end);
	if (p < end && *p == '<' && end - p > 2 && is_digit(p[1])) {
		const u8 *close = scan_byte(p, end, '>');
		p = close - p <= 4 && close < end ? close + 1 : p;
	}
	while (p < end && *p == '[') {
		const u8 *close = scan_byte(p, end, ']');
		u64 time = read_seconds(p + 1, close);
		if (close == end || close - p > 24)
			break;
		if (time)
			w->line_time = time;
		p = skip_blanks(close + 1, end);
	}
	return skip_blanks(p, end);
}

/* Reads "foo+0x1/0x2" or "foo+0x1/0x2 [mod]" */
static u32 read_site(struct words_of_report *w, const u8 *p, const u8 *end)
{
	const u8 *stop = scan_word(p, end);

	if (end - stop > 2 && stop[1] == '[')
		stop = MIN(scan_byte(stop, end, ']') + 1, end);
	return lookup_text(w->s, p, stop);
}

/* Slab debugging */

/* Reads "BUG kmalloc-64 (Not tainted): Redzone overwritten", "BUG kmalloc-64: Poison overwritten" */
static int read_bug(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct part rest = behind(p, end, "BUG ");
	struct part title = rest.p ? after(rest.p, end, "): ") : rest;
	const u8 *cache_end = rest.p ? span_find(rest.p, end, " (") : NULL;

	if (rest.p && (!title.p || !cache_end)) {
		title = after(rest.p, end, ": ");
		cache_end = title.p ? title.p - 2 : NULL;
	}
	if (!rest.p || !title.p || !cache_end || cache_end > title.p)
		return 0;
	w->l->out.kind = LOOKUP_BUG;
	w->l->out.time = w->line_time;
	w->l->out.cache_at = lookup_text(w->s, rest.p, cache_end);
	w->l->out.title_at = lookup_text(w->s, title.p, end);
	return 1;
}

/* Reads "Allocated in foo+0x1/0x2 age=12 cpu=1 pid=123" */
static int read_track(struct words_of_report *w, struct part rest, u32 which)
{
	struct kmem_lookup_track *track = &w->l->tracks[which];

	if (!rest.p || track->is_there || keyed(rest.p, rest.end, " age=") == NO_NUMBER32)
		return 0;
	track->is_there = 1;
	track->site_at = read_site(w, rest.p, rest.end);
	track->age = keyed(rest.p, rest.end, " age=");
	track->cpu = keyed(rest.p, rest.end, " cpu=");
	track->pid = keyed(rest.p, rest.end, " pid=");
	return 1;
}

static int read_bug_line(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct kmem_lookup *out = &w->l->out;
	struct part rest = behind(p, end, "INFO: ");

	if (rest.p)
		p = rest.p;
	if (read_track(w, behind(p, end, "Allocated in "), 0) ||
	    read_track(w, behind(p, end, "Freed in "), 1))
		return 1;
	rest = behind(p, end, "Slab ");
	if (rest.p && keyed(rest.p, end, " objects=") != NO_NUMBER32) {
		out->slab_objects = keyed(rest.p, end, " objects=");
		out->slab_used = keyed(rest.p, end, " used=");
		return 1;
	}
	rest = behind(p, end, "Object ");
	if (rest.p && keyed(rest.p, end, " @offset=") != NO_NUMBER32) {
		out->slab_offset = keyed(rest.p, end, " @offset=");
		return read_hex(rest.p, end, &out->object);
	}
	/* "0xffff…-0xffff… @offset=64. First byte 0x41 instead of 0xcc" */
	if (span_begins(p, end, "0x") && span_find(p, end, "First byte "))
		return read_hex(p, end, &out->address);
	return 0;
}

/* KASAN */

static int read_kasan_bug(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct part rest = behind(p, end, "BUG: KASAN: "), site = after(p, end, " in ");

	if (!rest.p)
		return 0;
	w->l->out.kind = LOOKUP_KASAN;
	w->l->out.time = w->line_time;
	w->l->out.title_at = lookup_text(w->s, rest.p, site.p ? site.p - 4 : end);
	if (site.p)
		w->l->out.site_at = read_site(w, site.p, end);
	return 1;
}

/* Reads "Read of size 8 at addr ffff888003a9d010 by task insmod/123", "Free of addr ffff… by task …" */
static int read_access(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct kmem_lookup *out = &w->l->out;
	struct part addr = after(p, end, " addr "), task = after(p, end, " by task ");
	int is_write = span_begins(p, end, "Write of size ");

	if (!addr.p ||
	    (!is_write && !span_begins(p, end, "Read of ") && !span_begins(p, end, "Free of ")))
		return 0;
	u32 bytes = keyed(p, end, " of size ");
	out->access_bytes = bytes == NO_NUMBER32 ? 0 : bytes;
	out->is_write = (u32)is_write;
	read_hex(addr.p, end, &out->address);
	if (task.p) {
		/* The slash before the pid is the last one. */
		u8 words[MAX_PROBLEM_TEXT];
		u32 len = (u32)MIN((u64)(end - task.p), (u64)sizeof(words)), slash = len;
		memcpy(words, task.p, len);
		for (u32 i = 0; i < len; i++)
			slash = words[i] == '/' ? i : slash;
		if (slash < len)
			words[slash] = '-';
		out->task_at = lookup_text(w->s, words, words + len);
	}
	return 1;
}

/* Reads "Allocated by task 123:", "Freed by task 124 on cpu 1 at 12.345678s:" */
static int read_kasan_track(struct words_of_report *w, struct part rest, u32 which)
{
	struct kmem_lookup_track *track = &w->l->tracks[which];
	struct part cpu = after(rest.p ? rest.p : rest.end, rest.end, " on cpu ");
	struct part time = after(rest.p ? rest.p : rest.end, rest.end, " at ");

	if (!rest.p || track->is_there)
		return 0;
	track->is_there = 1;
	track->pid = read_u32(rest.p, rest.end);
	if (cpu.p)
		track->cpu = read_u32(cpu.p, rest.end);
	if (time.p)
		track->time = read_seconds(time.p, rest.end);
	w->stack = which ? STACK_OF_FREE : STACK_OF_ALLOC;
	return 1;
}

/* Whether a function belongs to the allocator or to KASAN: its caller is the call site. */
static int is_inside_allocator(const u8 *p, const u8 *end)
{
	static const char *const functions[] = {
		"kasan_",	   "__kasan_",	    "stack_trace_save",
		"save_stack",	   "set_track",	    "kmem_cache_alloc",
		"kmem_cache_free", "__kmem_cache_", "kmalloc",
		"__kmalloc",	   "kfree",	    "__kfree",
		"slab_",	   "__slab_",	    "___slab_",
		"poison_slab_",	   "__kasan_slab_", "krealloc",
		"__do_kmalloc",	   "__do_krealloc"
	};

	for (u32 i = 0; i < ARRAY_SIZE(functions); i++)
		if (span_begins(p, end, functions[i]))
			return 1;
	return 0;
}

/* Reads a line of the stack of the allocation or of the free: the first function outside the allocator is the call
 * site. */
static int read_frame(struct words_of_report *w, const u8 *p, const u8 *end)
{
	const u8 *word_end = scan_word(p, end);

	if (w->stack == STACK_OF_NONE)
		return 0;
	if (p == end) {
		w->stack = STACK_OF_NONE;
		return 1;
	}
	if (*p == '?' || !span_find(p, word_end, "+0x") || is_inside_allocator(p, end))
		return 0;
	w->l->tracks[w->stack - STACK_OF_ALLOC].site_at = read_site(w, p, end);
	w->stack = STACK_OF_NONE;
	return 1;
}

static int read_kasan_line(struct words_of_report *w, const u8 *p, const u8 *end)
{
	struct kmem_lookup *out = &w->l->out;
	struct part rest;

	if (read_access(w, p, end) ||
	    read_kasan_track(w, behind(p, end, "Allocated by task "), 0) ||
	    read_kasan_track(w, behind(p, end, "Freed by task "), 1))
		return 1;
	rest = behind(p, end, "The buggy address belongs to the object at ");
	if (rest.p)
		return read_hex(rest.p, end, &out->object);
	rest = after(p, end, "which belongs to the cache ");
	struct part size = rest.p ? after(rest.p, end, " of size ") : rest;
	if (rest.p && size.p) {
		u32 bytes = read_u32(size.p, end);
		out->size = bytes == NO_NUMBER32 ? 0 : bytes;
		out->cache_at = lookup_text(w->s, rest.p, size.p - 9);
		return 1;
	}
	return 0;
}

/* Reads a pointer alone, in any notation: 0xffff…, ffff…, (nil) is none. */
static int read_pointer(struct words_of_report *w, const u8 *text, const u8 *end)
{
	const u8 *p = text;

	while (p < end && *p <= ' ')
		p++;
	while (end > p && end[-1] <= ' ')
		end--;
	if (span_begins(p, end, "ptr="))
		p += 4;
	int has_mark = span_begins(p, end, "0x") || span_begins(p, end, "0X");
	for (const u8 *at = p + 2 * has_mark; at < end; at++)
		if (hex_digit(*at) == 16)
			return 0;
	/* A short word without 0x is a number or a name. */
	if ((!has_mark && end - p < 8) || !read_hex(p, end, &w->l->out.address) ||
	    !w->l->out.address)
		return 0;
	w->l->out.address = untagged(w->l->out.address);
	w->l->out.kind = LOOKUP_POINTER;
	return 1;
}

void lookup_read(struct kmem_session *s, const u8 *text, u32 len_bytes)
{
	struct words_of_report w = { .s = s, .l = lookup_of(s) };
	const u8 *p = text, *end = text + len_bytes;
	struct kmem_lookup *out = &w.l->out;

	if (read_pointer(&w, p, end))
		return;
	while (p < end) {
		const u8 *newline = scan_byte(p, end, '\n');
		const u8 *line = message_of(&w, p, line_end(p, newline));
		const u8 *stop = line_end(line, newline);
		p = newline + 1;
		/* The report ends where the next one starts. */
		if (out->kind != LOOKUP_NOTHING &&
		    (span_begins(line, stop, "BUG ") || span_begins(line, stop, "BUG: ")))
			break;
		if (out->kind == LOOKUP_NOTHING) {
			if (!read_kasan_bug(&w, line, stop))
				read_bug(&w, line, stop);
		} else if (!read_frame(&w, line, stop)) {
			if (out->kind == LOOKUP_KASAN)
				read_kasan_line(&w, line, stop);
			else
				read_bug_line(&w, line, stop);
		}
	}
	out->object = untagged(out->object);
	out->address = untagged(out->address);
	if (out->object && out->address)
		out->offset = (s64)(out->address - out->object);
	if (!out->address)
		out->address = out->object;
}
