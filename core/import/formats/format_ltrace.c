/*
 * format_ltrace.c - calls of malloc and its relatives, as ltrace prints them with -f, -t, -tt,
 * -ttt, -r, -i, -l or no option.
 *
 *	malloc(24)                                       = 0x55d0c2a0
 *	[pid 1234] 10:20:30.123456 a.out->realloc(0x55d0c2a0, 64) = 0x55d0c2a0
 *	[pid 1234] malloc(24 <unfinished ...>
 *	[pid 1235] free(0x55d0c2c0)                      = <void>
 *	[pid 1234] <... malloc resumed> )                = 0x55d0c2e0
 *
 * An allocation takes effect when its result appears, a free when it starts, because another thread may get the memory
 * from then on. Other functions are counted by name. C++'s operators are recognised by their symbols.
 */
#include "import/formats/user_malloc.h"
#include "import/text_line.h"

enum { MAX_UNFINISHED = 64, NEVER = 0xff };

enum ltrace_does { DOES_ALLOC, DOES_FREE, DOES_RESIZE };

/* The role of each argument. A size may be the product of two. */
static const struct function {
	const char *name;
	u8 does;
	u8 ptr, size, times; /* argument numbers, or NEVER */
} functions[] = { { "malloc", DOES_ALLOC, NEVER, 0, NEVER },
		  { "calloc", DOES_ALLOC, NEVER, 0, 1 },
		  { "valloc", DOES_ALLOC, NEVER, 0, NEVER },
		  { "memalign", DOES_ALLOC, NEVER, 1, NEVER },
		  { "aligned_alloc", DOES_ALLOC, NEVER, 1, NEVER },
		  { "_Znwm", DOES_ALLOC, NEVER, 0, NEVER },
		  { "_Znam", DOES_ALLOC, NEVER, 0, NEVER },
		  { "_Znwj", DOES_ALLOC, NEVER, 0, NEVER },
		  { "_Znaj", DOES_ALLOC, NEVER, 0, NEVER },
		  { "realloc", DOES_RESIZE, 0, 1, NEVER },
		  { "reallocarray", DOES_RESIZE, 0, 1, 2 },
		  { "free", DOES_FREE, 0, NEVER, NEVER },
		  { "cfree", DOES_FREE, 0, NEVER, NEVER },
		  { "_ZdlPv", DOES_FREE, 0, NEVER, NEVER },
		  { "_ZdaPv", DOES_FREE, 0, NEVER, NEVER },
		  { "_ZdlPvm", DOES_FREE, 0, NEVER, NEVER },
		  { "_ZdaPvm", DOES_FREE, 0, NEVER, NEVER } };

enum { MAX_ARGUMENTS = 3 };

struct unfinished {
	u64 pid;
	u64 arguments[MAX_ARGUMENTS];
	u32 function_plus_1; /* 0: an empty slot */
};

struct ltrace {
	u64 now; /* sum of the relative times */
	struct unfinished unfinished[MAX_UNFINISHED];
};

struct ltrace_line {
	const u8 *name, *name_end;
	const u8 *arguments; /* after the opening bracket */
	const u8 *result;    /* NULL if there is none */
	const u8 *end;
	struct range site; /* -i: the return address */
	u64 pid, time;
	u8 has_time, is_relative, is_resumed, is_unfinished;
};

/* Reads "10:20:30.123456", "1600000000.123456", "0.000123" (since the previous line), "10:20:30"; 0 if it
 * is not a time. */
static int read_time(const u8 *p, const u8 *end, struct ltrace_line *to)
{
	u64 whole = 0, part = 0;
	u32 colons = 0;

	for (; p < end && (is_digit(*p) || *p == ':'); p++) {
		colons += *p == ':';
		whole = *p == ':' ? (whole + part) * 60 : whole;
		part = *p == ':' ? 0 : part * 10 + (*p - (u64)'0');
		if (part > (u64)1 << 33)
			return 0;
	}
	whole += part;
	if (p == end && !colons)
		return 0;
	to->is_relative = !colons && whole < 100000000;
	to->time = whole * 1000000000;
	if (p < end && *p == '.')
		p = scan_decimals(p + 1, end, 1000000000, &to->time);
	to->has_time = p == end;
	return p == end;
}

/* Reads the text before the call; returns where the call starts. */
static const u8 *read_front(const u8 *p, const u8 *end, struct ltrace_line *to)
{
	for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
		const u8 *behind = scan_word(p, end);
		const u8 *close = scan_byte(p, end, ']');
		if (span_begins(p, end, "[pid ") && close < end) {
			to->pid = scan_number(skip_blanks(p + 5, close), close);
			p = close + 1;
		} else if (span_begins(p, end, "[0x") && close < end) {
			to->site = (struct range){ p + 1, close };
			p = close + 1;
		} else if (is_digit(*p) && read_time(p, behind, to)) {
			p = behind;
		} else if (is_digit(*p) && scan_number(p, behind) && is_digit(behind[-1]) &&
			   !to->pid) {
			to->pid = scan_number(p, behind);
			p = behind;
		} else {
			break;
		}
	}
	return p;
}

static int is_name(u8 c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '>' ||
	       c == '@' || c == '+' || c == '/' || c == '~' || c == ':';
}

/* Removes "a.out->" and "@libc.so.6". */
static void bare_name(struct ltrace_line *to)
{
	for (const u8 *p = to->name_end; p > to->name + 1; p--) {
		if (p[-1] == '>' && p[-2] == '-') {
			to->name = p;
			break;
		}
	}
	to->name_end = scan_byte(to->name, to->name_end, '@');
}

/* Returns 0 if the line is not ltrace's. */
static int read_line(const u8 *line, const u8 *end, struct ltrace_line *to)
{
	*to = (struct ltrace_line){ .end = end };
	const u8 *p = read_front(line, end, to);

	if (span_begins(p, end, "<... ")) {
		const u8 *resumed = span_find(p, end, " resumed>");
		to->name = p + 5;
		to->name_end = resumed ? resumed : p + 5;
		to->arguments = resumed;
		to->is_resumed = 1;
	} else {
		to->name = p;
		while (p < end && is_name(*p))
			p++;
		to->name_end = p;
		to->arguments = p + 1;
		if (p == end || *p != '(' || p == to->name)
			return 0;
	}
	bare_name(to);
	to->is_unfinished = span_find(to->name, end, "<unfinished ...>") != NULL;
	for (const u8 *at = to->name; (at = span_find(at, end, " = ")); at += 3)
		to->result = at + 3;
	return to->name < to->name_end && (to->result || (to->is_unfinished && !to->is_resumed));
}

static const struct function *function_of(const struct ltrace_line *read)
{
	for (u32 i = 0; i < ARRAY_SIZE(functions); i++) {
		if (span_is(read->name, read->name_end, functions[i].name))
			return &functions[i];
	}
	return NULL;
}

static int ltrace_recognises(const u8 *line, const u8 *end)
{
	struct ltrace_line read;

	return read_line(line, end, &read) && function_of(&read);
}

/* Reads "24", "0x55d0c2a0", "NULL", "nil"; where it ends, or NULL. */
static const u8 *read_value(const u8 *p, const u8 *end, u64 *value)
{
	const u8 *start = p = skip_blanks(p, end);

	while (p < end && *p != ',' && *p != ')' && !is_blank(*p))
		p++;
	*value = 0;
	if (span_is(start, p, "NULL") || span_is(start, p, "nil") || span_is(start, p, "<void>"))
		return p;
	if (span_begins(start, p, "0x"))
		return scan_hex(start + 2, p, value) ? p : NULL;
	return scan_decimal(start, p, ~(u64)0, value) ? p : NULL;
}

/* Reads the arguments that the function needs; 0 after a problem. */
static int read_arguments(struct import *im, const struct function *f, const u8 *p, const u8 *end,
			  u64 *arguments)
{
	u32 nr = 1 + MAX(MAX(f->ptr == NEVER ? 0 : f->ptr, f->size == NEVER ? 0 : f->size),
			 f->times == NEVER ? 0 : f->times);

	for (u32 i = 0; i < nr; i++) {
		const u8 *behind = read_value(p, end, &arguments[i]);
		if (!behind)
			return import_problem(im, p, "expected a number or an address");
		p = skip_blanks(behind, end);
		p += p < end && *p == ',';
	}
	return 1;
}

static struct unfinished *unfinished_of(struct ltrace *own, u64 pid, u32 function_plus_1)
{
	for (u32 i = 0; i < MAX_UNFINISHED; i++) {
		struct unfinished *u = &own->unfinished[i];
		if (u->function_plus_1 == function_plus_1 && (u->pid == pid || !function_plus_1))
			return u;
	}
	return NULL;
}

static void allocate(struct import *im, const struct function *f, const struct call *call,
		     const u64 *arguments, u64 result)
{
	u64 bytes = arguments[f->size], times = f->times == NEVER ? 1 : arguments[f->times];

	if (bytes && times > ~(u64)0 / bytes) {
		/* The call fails in the program, as kcalloc would. */
		import_problem(im, NULL, "the product of the two sizes does not fit in 64 bits");
		return;
	}
	if (f->does == DOES_ALLOC)
		malloc_new(im, call, result, bytes * times);
	else
		malloc_resize(im, call, arguments[f->ptr], result, bytes * times);
}

/* Imports a complete call, or a free that has started. */
static void take(struct import *im, const struct ltrace_line *read, const struct function *f,
		 const struct call *call, const u64 *arguments)
{
	u64 result = 0;

	if (f->does == DOES_FREE)
		malloc_free(im, call, arguments[f->ptr]);
	else if (!read_value(read->result, read->end, &result))
		import_problem(im, read->result, "expected an address");
	else
		allocate(im, f, call, arguments, result);
}

static u64 time_of(struct import *im, const struct ltrace_line *read)
{
	struct ltrace *own = im->own.at;

	if (!read->has_time)
		return own->now;
	im->has_times = 1;
	own->now = read->is_relative ? own->now + read->time : read->time;
	return own->now;
}

static void resume(struct import *im, const struct ltrace_line *read, const struct function *f,
		   u64 time)
{
	u32 number = (u32)(f - functions) + 1;
	struct unfinished *u = unfinished_of(im->own.at, read->pid, number);
	struct call call = { .time = time, .site = intern(im, read->site.at, read->site.end) };

	if (f->does == DOES_FREE)
		return;
	if (!u) {
		import_problem(im, read->name, "the start of this call is not in the trace");
		return;
	}
	u->function_plus_1 = 0;
	call.kind = kind_count_text(im, f->name);
	take(im, read, f, &call, u->arguments);
}

static void begin(struct import *im, const struct ltrace_line *read, const struct function *f,
		  const u64 *arguments)
{
	struct unfinished *u = unfinished_of(im->own.at, 0, 0);

	if (!u) {
		import_problem(im, read->name, "more than 64 calls are unfinished at once");
		return;
	}
	u->pid = read->pid;
	u->function_plus_1 = (u32)(f - functions) + 1;
	memcpy(u->arguments, arguments, sizeof(u->arguments));
}

static void ltrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct ltrace_line read;
	u64 arguments[MAX_ARGUMENTS] = { 0 };

	if (!read_line(line, end, &read)) {
		struct ltrace_line front = { 0 };
		const u8 *p = read_front(line, end, &front);
		if (p < end && !span_begins(p, end, "+++ ") && !span_begins(p, end, "--- ") &&
		    !span_find(p, end, "<no return"))
			import_problem(im, p, "expected \"function(arguments) = result\"");
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	const struct function *f = function_of(&read);
	struct call call = { .time = time_of(im, &read),
			     .site = intern(im, read.site.at, read.site.end) };
	if (!f) {
		struct span name = span_of(read.name, read.name_end);
		if (!read.is_resumed)
			kind_count(im, &name);
		return;
	}
	if (read.is_resumed) {
		resume(im, &read, f, call.time);
		return;
	}
	if (!read_arguments(im, f, read.arguments, end, arguments))
		return;
	if (read.is_unfinished && f->does != DOES_FREE) {
		begin(im, &read, f, arguments);
		return;
	}
	call.kind = kind_count_text(im, f->name);
	take(im, &read, f, &call, arguments);
}

const struct trace_format format_ltrace = { .name = "ltrace",
					    .recognises = ltrace_recognises,
					    .own_bytes = sizeof(struct ltrace),
					    .line = ltrace_line,
					    .may_lack_times = 1 };
