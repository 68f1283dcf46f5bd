/*
 * format_classroom.c - two notations for the calls of malloc in classroom exercises.
 *
 *	+10,-0,+20		OSTEP's malloc.py -A: + bytes, - number of the allocation, from 0
 *	ptr[0] = Alloc(10) …	output of malloc.py; also Free(ptr[0])
 *
 *	20000			CS:APP's malloc lab (.rep): heap size, numbers, requests and weight, one a line; then
 *	a 0 512			allocate number 0, 512 bytes;  r 0 640 reallocate it;  f 0 free it
 *
 * Objects have numbers instead of addresses. Neither has times or CPUs.
 */
#include "import/user_malloc.h"
#include "import/lines/line_header.h"

/* Decimal digits at *at; 0 if there are none, or more than 18. */
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

/* "+10" or "-0" at p. Returns the end of its separator; NULL if it is neither. */
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

/* Other lines that malloc.py prints. */
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

/* "ptr[0] = Alloc(10) returned 1000 (searched 1 elements)", "Free(ptr[0])"; 0 if a number is missing. */
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
			import_problem(im, p,
				       "expected the number of an object and a number of bytes");
		return;
	}
	while (p < end && im->status == KMEM_OK) {
		const u8 *next = list_item(p, end, &sign, &number);
		if (!next) {
			import_problem(im, p, "expected +BYTES, or -NUMBER of an allocation");
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

/* "a 0 512", "r 0 640", "f 0", "f -1" (of NULL); 0 if it is not a request. */
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
