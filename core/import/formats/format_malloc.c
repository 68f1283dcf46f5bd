/*
 * format_malloc.c - imports calls of malloc as calls of kmalloc (user_malloc.h has the rules), from mtrace and from classroom exercises.
 *
 * Each malloc(0) returns a different address, while kmalloc(0) always returns the same one. The
 * importer remembers those addresses without creating objects, so that it recognises their frees.
 */
#include "import/formats/user_malloc.h"
#include "import/text_line.h"

enum { ZERO_SIZE_PTR = 16 };

/* The key of an object while its replacement is allocated. */
#define MOVING_KEY (~(u64)0)

/* Returns the key of an object that has a number instead of an address. */
static u64 malloc_key(u64 number)
{
	return (number + 1) << 12;
}

static int is_kept(const struct import *im)
{
	return im->sink == import_event || im->trace->first_events.is_on || im->keep;
}

static int is_zero_size(const struct import *im, const struct hash_slot *pointer)
{
	return im->trace->sites[alloc_site_of(pointer)].reason == REASON_ZERO_SIZE;
}

/* Addresses of programs have bit 55 clear, so no tag is cut off, and none equals MOVING_KEY. */
static int is_program_address(struct import *im, u64 ptr)
{
	if (!(ptr >> 55 & 1))
		return 1;
	import_problem(im, NULL, "expected a program's address; kernel addresses have bit 55 set");
	return 0;
}

/* Returns 1 if the pointer came from malloc(0); forgets it. */
static int forget_zero_size(struct import *im, u64 ptr)
{
	struct hash_slot *pointer = pointer_find(im, ptr);

	if (!pointer || !is_zero_size(im, pointer))
		return 0;
	hash_remove(&im->pointers, pointer);
	im->nr_zero_size--;
	return 1;
}

static struct event event_of(const struct call *call, u32 what)
{
	return (struct event){ .time = call->time,
			       .call_site = call->site,
			       .kind = (u16)call->kind,
			       .node = NODE_ANY,
			       .what = (u8)what };
}

void malloc_new(struct import *im, const struct call *call, u64 ptr, u64 bytes)
{
	struct event ev = event_of(call, WHAT_KMALLOC);
	u32 before = im->trace->nr_ops;

	if (im->status != KMEM_OK || !is_program_address(im, ptr))
		return;
	if (bytes > MAX_OBJECT_BYTES) {
		import_problem(im, NULL, "expected a size of at most 64 MiB, as kmalloc allows");
		return;
	}
	ev.bytes_req = (u32)bytes;
	ev.bytes_alloc = kmalloc_slot((u32)bytes);
	ev.ptr = bytes || !ptr ? ptr : ZERO_SIZE_PTR;
	if (ptr && is_kept(im))
		forget_zero_size(im, ptr);
	im->sink(im, &ev);
	if (bytes || !ptr || im->trace->nr_ops == before || pointer_find(im, ptr))
		return;
	import_remember(im, ptr, trace_op(im->trace, im->trace->nr_ops - 1).site);
	im->nr_zero_size++;
}

static void free_key(struct import *im, const struct call *call, u64 key)
{
	struct event ev = event_of(call, WHAT_FREE);

	ev.ptr = key && is_kept(im) && forget_zero_size(im, key) ? ZERO_SIZE_PTR : key;
	im->sink(im, &ev);
}

void malloc_free(struct import *im, const struct call *call, u64 ptr)
{
	if (im->status == KMEM_OK && is_program_address(im, ptr))
		free_key(im, call, ptr);
}

/* krealloc finds enough room: the size changes, perhaps the address too, but the slot stays. */
static void keep(struct import *im, const struct call *call, u64 old, u64 new, u32 bytes)
{
	struct op op = { .handle = HANDLE_NONE };
	struct recipe recipe = { .op = OP_KMALLOC,
				 .reason = REASON_KEPT,
				 .node = (u16)NODE_ANY,
				 .cache = (u16)CACHE_NONE,
				 .bytes_req = bytes,
				 .bytes_alloc = kmalloc_slot(bytes),
				 .call_site = call->site,
				 .kind_name = kind_at(im, call->kind)->name };

	op.site = import_site(im, &recipe);
	if (im->status != KMEM_OK || op.site == SITE_FULL)
		return;
	/* This event allocates nothing. */
	((struct site_use *)im->uses.at)[op.site].row = ROW_NONE;
	if (old != new) {
		forget_zero_size(im, new);
		import_rename(im, old, new, call->time);
	}
	import_op(im, &op, call->time);
}

/* krealloc allocates the new object before it frees the old one. In the program both may have had the same address. */
static void move(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes)
{
	import_rename(im, old, MOVING_KEY, call->time);
	malloc_new(im, call, new, bytes);
	if (im->status == KMEM_OK)
		free_key(im, call, MOVING_KEY);
}

void malloc_resize(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes)
{
	struct hash_slot *pointer = old && is_kept(im) ? pointer_find(im, old) : NULL;

	if (im->status != KMEM_OK || !is_program_address(im, old) || !is_program_address(im, new))
		return;
	if (pointer && is_zero_size(im, pointer))
		pointer = NULL;
	if (old && bytes && new &&
	    pointer &&bytes <= kmalloc_slot(im->trace->sites[alloc_site_of(pointer)].bytes)) {
		keep(im, call, old, new, (u32)bytes);
		return;
	}
	if (pointer && bytes && new) {
		move(im, call, old, new, bytes);
		return;
	}
	if (old && (new || !bytes))
		malloc_free(im, call, old);
	if (!old || bytes || new)
		malloc_new(im, call, new, bytes);
}

/*
 * Reads the file that glibc's mtrace() writes.
 *
 *	= Start
 *	@ ./a.out:(main+0x1d)[0x401165] + 0x4052a0 0x18	malloc, calloc, memalign: address, bytes
 *	@ ./a.out:[0x401180] < 0x4052a0			realloc: the old address,
 *	@ ./a.out:[0x401180] > 0x4052c0 0x20		and the new one with the new size
 *	@ ./a.out:[0x401190] - 0x4052c0			free
 *	@ ./a.out:[0x4011a0] ! 0x4052c0 0x100		a realloc that failed
 *
 * A path may contain blanks, so the reader starts from the end of a line. Lines have neither time nor thread.
 */

struct mtrace {
	u64 old; /* the old address of a realloc that waits for its second line; 0: none */
	u32 old_kind;
};

struct mtrace_line {
	u64 ptr, bytes;
	u32 ptr_digits;
	const u8 *site, *site_end;
	u8 op; /* + - < > ! = */
};

/* Returns the last word of [line, *end), which then ends before it. */
static const u8 *last_word(const u8 *line, const u8 **end, const u8 **word_end)
{
	const u8 *p = *end;

	while (p > line && is_blank(p[-1]))
		p--;
	*word_end = p;
	while (p > line && !is_blank(p[-1]))
		p--;
	*end = p;
	return p;
}

/* Finds the "(main+0x1d)" of a call site, or its "[0x401165]". */
static void find_site(const u8 *p, const u8 *end, struct mtrace_line *to)
{
	const u8 *open = scan_byte(p, end, '('), *close = scan_byte(open, end, ')');

	if (close == end || close - open < 2) {
		open = scan_byte(p, end, '[');
		close = scan_byte(open, end, ']');
	}
	to->site = close < end && close - open > 1 ? open + 1 : close;
	to->site_end = close;
}

/* Reads "0x4052a0", "(nil)"; counts the digits. */
static int read_hex(const u8 *p, const u8 *end, u64 *number, u32 *digits)
{
	*number = 0;
	*digits = (u32)(end - p);
	return span_is(p, end, "(nil)") ||
	       (span_begins(p, end, "0x") && scan_hex(p + 2, end, number));
}

/* Returns 0 if the line is not mtrace's. */
static int read_line(const u8 *line, const u8 *end, struct mtrace_line *to)
{
	const u8 *at = end, *word_end, *behind_end, *behind;
	const u8 *word = last_word(line, &at, &word_end);
	u32 digits;

	*to = (struct mtrace_line){ .op = '=' };
	if (*line == '=')
		return span_begins(line, end, "= Start") || span_begins(line, end, "= End");
	behind = word;
	behind_end = word_end;
	word = last_word(line, &at, &word_end);
	if (word_end - word != 1 || (*word != '-' && *word != '<')) {
		/* A size follows the address. */
		if (!span_is(behind, behind_end, "0") &&
		    !read_hex(behind, behind_end, &to->bytes, &digits))
			return 0;
		behind = word;
		behind_end = word_end;
		word = last_word(line, &at, &word_end);
		if (word_end - word != 1 || (*word != '+' && *word != '>' && *word != '!'))
			return 0;
	}
	if (!read_hex(behind, behind_end, &to->ptr, &to->ptr_digits))
		return 0;
	to->op = *word;
	find_site(line, word, to);
	return word == line || *line == '@';
}

static int mtrace_recognises(const u8 *line, const u8 *end)
{
	struct mtrace_line read;

	return line < end && read_line(line, end, &read);
}

/* Ends a realloc without its second line: the old object is freed in any case. */
static void end_realloc(struct import *im, struct mtrace *own)
{
	struct call call = { .kind = own->old_kind };

	if (own->old)
		malloc_free(im, &call, own->old);
	own->old = 0;
}

static void take(struct import *im, struct mtrace *own, const struct mtrace_line *read)
{
	struct call call = { .site = intern(im, read->site, read->site_end) };

	if (read->op == '>') {
		call.kind = own->old ? own->old_kind : kind_count_text(im, "realloc");
		malloc_resize(im, &call, own->old, read->ptr, read->bytes);
		own->old = 0;
		return;
	}
	end_realloc(im, own);
	if (read->op == '+') {
		call.kind = kind_count_text(im, "malloc");
		malloc_new(im, &call, read->ptr, read->bytes);
	} else if (read->op == '-') {
		call.kind = kind_count_text(im, "free");
		malloc_free(im, &call, read->ptr);
	} else if (read->op == '!') {
		call.kind = kind_count_text(im, "realloc");
		malloc_resize(im, &call, read->ptr, 0, read->bytes);
	} else if (read->op == '<') {
		own->old_kind = kind_count_text(im, "realloc");
		own->old = read->ptr;
	}
}

static void mtrace_line(struct import *im, const u8 *line, const u8 *end)
{
	struct mtrace_line read;

	if (skip_blanks(line, end) == end)
		return;
	/* In a last line without a newline, an address shorter than the previous one was cut. */
	if (!read_line(line, end, &read) ||
	    (im->unterminated && read.op != '=' && read.ptr_digits < im->last_ptr_digits)) {
		import_problem(
			im, line,
			"expected \"+ address bytes\", \"- address\", \"<\", \">\" or \"!\"");
		return;
	}
	if (import_refuses_zero(im, line, end))
		return;
	im->last_ptr_digits = read.op != '=' ? read.ptr_digits : im->last_ptr_digits;
	take(im, im->own.at, &read);
}

static void mtrace_finish(struct import *im)
{
	struct mtrace *own = im->own.at;

	im->trace->report.truncated |= own->old != 0;
}

const struct trace_format format_mtrace = { .name = "mtrace",
					    .recognises = mtrace_recognises,
					    .own_bytes = sizeof(struct mtrace),
					    .line = mtrace_line,
					    .finish = mtrace_finish,
					    .may_lack_times = 1 };

/*
 * Two notations for the calls of malloc in classroom exercises.
 *
 *	+10,-0,+20		OSTEP's malloc.py -A: + bytes, - number of the allocation, from 0
 *	ptr[0] = Alloc(10) …	output of malloc.py; also Free(ptr[0])
 *
 *	20000			CS:APP's malloc lab (.rep): heap size, numbers, requests and weight, one a line; then
 *	a 0 512			allocate number 0, 512 bytes;  r 0 640 reallocate it;  f 0 free it
 *
 * Objects have numbers instead of addresses. Neither has times or CPUs.
 */

/* Reads decimal digits at *at; 0 if there are none, or more than 18. */
static int take_number(const u8 **at, const u8 *end, u64 *number)
{
	const u8 *start = *at;

	*number = scan_number(start, end);
	*at = scan_digits(start, end);
	return *at > start && *at - start <= 18;
}

static void call_malloc(struct import *im, u64 number, u64 bytes)
{
	struct call call = { .kind = kind_count_text(im, "malloc") };

	malloc_new(im, &call, malloc_key(number), bytes);
}

static void call_free(struct import *im, u64 number)
{
	struct call call = { .kind = kind_count_text(im, "free") };

	malloc_free(im, &call, malloc_key(number));
}

/* OSTEP */

struct ostep {
	u64 nr_allocs;
};

/* Reads "+10" or "-0" at p. Returns the end of its separator; NULL if it is neither. */
static const u8 *list_item(const u8 *p, const u8 *end, u8 *sign, u64 *number)
{
	*sign = *p++;
	if ((*sign != '+' && *sign != '-') || !take_number(&p, end, number))
		return NULL;
	const u8 *behind = p;
	while (p < end && (is_blank(*p) || *p == ','))
		p++;
	return p > behind || p == end ? p : NULL;
}

static int is_list(const u8 *p, const u8 *end)
{
	u64 number;
	u8 sign;

	for (p = skip_blanks(p, end); p && p < end;)
		p = list_item(p, end, &sign, &number);
	return p != NULL;
}

static int is_printed(const u8 *p, const u8 *end)
{
	return (span_begins(p, end, "ptr[") && span_find(p, end, " = Alloc(")) ||
	       span_begins(p, end, "Free(ptr[");
}

static int ostep_recognises(const u8 *line, const u8 *end)
{
	return skip_blanks(line, end) < end && (is_list(line, end) || is_printed(line, end));
}

/* Recognises the other lines that malloc.py prints. */
static int is_remark(const u8 *p, const u8 *end)
{
	static const char *const words[] = { "#",	   "seed ",	  "size ",
					     "baseAddr ",  "headerSize ", "alignment ",
					     "policy ",	   "listOrder ",  "coalesce ",
					     "numOps ",	   "range ",	  "percentAlloc ",
					     "allocList ", "compute ",	  "Free List ",
					     "returned " };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		if (span_begins(p, end, words[i]))
			return 1;
	}
	return p == end;
}

/* Reads "ptr[0] = Alloc(10) returned 1000 (searched 1 elements)", "Free(ptr[0])"; 0 if a number is missing. */
static int read_printed(struct import *im, const u8 *p, const u8 *end)
{
	int frees = *p == 'F';
	u64 number, bytes;

	p += frees ? 9 : 4;
	if (!take_number(&p, end, &number) || p == end || *p != ']')
		return 0;
	if (frees) {
		call_free(im, number);
		return 1;
	}
	p = span_find(p, end, "Alloc(") + 6;
	if (!take_number(&p, end, &bytes) || p == end || *p != ')')
		return 0;
	struct call call = { .kind = kind_count_text(im, "malloc") };
	malloc_new(im, &call, span_find(p, end, "returned -1") ? 0 : malloc_key(number), bytes);
	return 1;
}

static void ostep_line(struct import *im, const u8 *line, const u8 *end)
{
	struct ostep *own = im->own.at;
	const u8 *p = skip_blanks(line, end);
	u64 number;
	u8 sign;

	if (is_remark(p, end))
		return;
	if (is_printed(p, end)) {
		if (!read_printed(im, p, end))
			import_problem(im, p, "expected an object number and a number of bytes");
		return;
	}
	while (p < end && im->status == KMEM_OK) {
		const u8 *next = list_item(p, end, &sign, &number);
		if (!next) {
			import_problem(im, p, "expected +BYTES, or -NUMBER to free an allocation");
			return;
		}
		if (sign == '+')
			call_malloc(im, own->nr_allocs++, number);
		else
			call_free(im, number);
		p = next;
	}
}

const struct trace_format format_ostep = { .name = "OSTEP malloc list",
					   .recognises = ostep_recognises,
					   .own_bytes = sizeof(struct ostep),
					   .line = ostep_line,
					   .may_lack_times = 1 };

/* CS:APP */

enum { HEADER_NUMBERS = 4, HEADER_OPS = 2 };

struct malloclab {
	u64 header[HEADER_NUMBERS];
	u64 nr_header, nr_ops;
};

static int is_number_alone(const u8 *p, const u8 *end, u64 *number)
{
	p = skip_blanks(p, end);
	return take_number(&p, end, number) && skip_blanks(p, end) == end;
}

/* Reads "a 0 512", "r 0 640", "f 0", "f -1" (of NULL); 0 if it is not a request. */
static int read_request(const u8 *p, const u8 *end, u8 *what, u64 *number, u64 *bytes)
{
	p = skip_blanks(p, end);
	*bytes = 0;
	if (end - p < 3 || !is_blank(p[1]) || (*p != 'a' && *p != 'r' && *p != 'f'))
		return 0;
	*what = *p;
	p = skip_blanks(p + 1, end);
	if (*what == 'f' && span_is(p, end, "-1")) {
		*what = '0';
		return 1;
	}
	if (!take_number(&p, end, number))
		return 0;
	const u8 *size = skip_blanks(p, end);
	if (*what != 'f') {
		p = size;
		if (!take_number(&p, end, bytes))
			return 0;
	}
	return skip_blanks(p, end) == end;
}

static u32 malloclab_guess(const u8 *bytes, u32 len_bytes)
{
	const u8 *p = bytes, *end = bytes + len_bytes;
	u32 nr_numbers = 0;
	u64 number, size;
	u8 what;

	for (; p < end; p = scan_byte(p, end, '\n') + 1) {
		const u8 *stop = line_end(p, scan_byte(p, end, '\n'));
		if (skip_blanks(p, stop) == stop)
			continue;
		if (nr_numbers < HEADER_NUMBERS && is_number_alone(p, stop, &number))
			nr_numbers++;
		else
			return nr_numbers == HEADER_NUMBERS &&
			       read_request(p, stop, &what, &number, &size);
	}
	return 0;
}

static void malloclab_line(struct import *im, const u8 *line, const u8 *end)
{
	struct malloclab *own = im->own.at;
	struct call call = { 0 };
	u64 number = 0, bytes;
	u8 what;

	if (skip_blanks(line, end) == end)
		return;
	if (own->nr_header < HEADER_NUMBERS) {
		is_number_alone(line, end, &own->header[own->nr_header++]);
		return;
	}
	if (!read_request(line, end, &what, &number, &bytes)) {
		import_problem(im, line,
			       "expected \"a NUMBER BYTES\", \"r NUMBER BYTES\" or \"f NUMBER\"");
		return;
	}
	own->nr_ops++;
	if (what == 'a') {
		call_malloc(im, number, bytes);
	} else if (what == 'f') {
		call_free(im, number);
	} else {
		call.kind = kind_count_text(im, what == 'r' ? "realloc" : "free");
		if (what == 'r')
			malloc_resize(im, &call, malloc_key(number), malloc_key(number), bytes);
		else
			malloc_free(im, &call, 0);
	}
}

/* The header states how many requests follow. */
static void malloclab_finish(struct import *im)
{
	const struct malloclab *own = im->own.at;

	im->trace->report.truncated |= own->nr_ops + im->trace->report.skipped_lines <
				       own->header[HEADER_OPS];
}

const struct trace_format format_malloclab = { .name = "CS:APP malloc lab",
					       .guess = malloclab_guess,
					       .own_bytes = sizeof(struct malloclab),
					       .line = malloclab_line,
					       .finish = malloclab_finish,
					       .may_lack_times = 1 };
