/*
 * fields.c - the payload of a kmem event: call_site= ptr= name= bytes_req= bytes_alloc= gfp_flags= node= accounted=
 *
 * fields_read() takes keys in any order, values in every notation of traces.md, and blanks inside
 * values. It reports what is wrong with a line. usual_line.c has the fast path for the common form
 * of lines.
 */
#include "import/import.h"

enum key {
	KEY_CALL_SITE,
	KEY_PTR,
	KEY_NAME,
	KEY_REQ,
	KEY_ALLOC,
	KEY_GFP,
	KEY_NODE,
	KEY_ACCOUNTED,
	KEY_HEAD,
	NR_KEYS
};

static const char *const keys[NR_KEYS] = { "call_site=", "ptr=",	 "name=",
					   "bytes_req=", "bytes_alloc=", "gfp_flags=",
					   "node=",	 "accounted=",	 "head=" };

/* The end of "key=" at p, or NULL if there is none. */
static const u8 *key_end(const u8 *p, const u8 *end)
{
	const u8 *at = p;

	while (at < end && (is_letter(*at) || *at == '_'))
		at++;
	return at > p && at < end && *at == '=' ? at + 1 : NULL;
}

/* Splits the line into values. A value ends where the next key begins, without the blanks around
 * it. */
static void find_values(const u8 *p, const u8 *end, struct range *values)
{
	struct range *open = NULL;

	for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
		const u8 *behind = key_end(p, end), *token = behind ? behind : p;
		for (u32 k = 0; behind && k <= NR_KEYS; k++) {
			open = k < NR_KEYS && !values[k].at ? &values[k] : NULL;
			if (open && span_is(p, behind, keys[k])) {
				open->at = open->end = behind;
				break;
			}
		}
		p = scan_word(token, end);
		if (open && p > token) {
			open->at = open->end > open->at ? open->at : token;
			open->end = p;
		}
	}
}

/* With options/fields the kernel prints "0x1000 (4096)": the first form is enough. */
static struct range first_form(struct range v)
{
	for (const u8 *p = v.at + 1; p + 1 < v.end; p++) {
		if (p[0] == ' ' && p[1] == '(') {
			v.end = p;
			break;
		}
	}
	return v;
}

int field_hex(const u8 *p, const u8 *end, u64 *number)
{
	*number = 0;
	if (p == end || end - p > 16)
		return 0;
	for (; p < end && hex_digit(*p) < 16; p++)
		*number = *number << 4 | hex_digit(*p);
	return p == end;
}

int field_number(struct range v, u32 *number)
{
	u64 value = 0;

	v = first_form(v);
	int is_hex = v.end - v.at > 2 && v.at[0] == '0' && v.at[1] == 'x';
	int is_number = is_hex ? field_hex(v.at + 2, v.end, &value)
			       : scan_decimal(v.at, v.end, 0xffffffffu, &value);
	*number = (u32)value;
	return is_number && value <= 0xffffffffu;
}

int field_pointer(struct import *im, struct range v, struct event *ev)
{
	v = first_form(v);
	ev->ptr = 0;
	if (span_is(v.at, v.end, "(____ptrval____)")) {
		ev->ptr_state = PTR_UNKNOWN;
		return 1;
	}
	if (span_is(v.at, v.end, "(null)") || span_is(v.at, v.end, "(nil)"))
		return 1;
	int bare = !span_begins(v.at, v.end, "0x");
	if (!bare)
		v.at += 2;
	u32 digits = (u32)(v.end - v.at);
	/* In a last line without a newline, a pointer shorter than all others was cut. */
	if (im->unterminated && digits < im->last_ptr_digits)
		return 0;
	if (!field_hex(v.at, v.end, &ev->ptr))
		return 0;
	im->last_ptr_digits = digits;
	ev->hashed = bare && digits == 16 && ev->ptr >> 32 == 0 && ev->ptr > 16;
	return 1;
}

int field_node(struct range v, struct event *ev)
{
	u32 node = 0xffffffffu;

	if (!span_is(v.at, v.end, "-1") && !field_number(v, &node))
		return 0;
	ev->node = node == 0xffffffffu ? NODE_ANY : MIN(node, (u32)NODE_ANY - 1);
	return 1;
}

struct span field_name(const u8 *p, const u8 *end)
{
	/* Only dynamic events have such names. */
	if (IS_FIRST_VIEW)
		return span_of(p, end);
	if (p == end || span_is(p, end, "(fault)") || span_is(p, end, "\"(fault)\"") ||
	    span_is(p, end, "(null)"))
		return (struct span){ 0 };
	if (end - p >= 2 && *p == '"' && end[-1] == '"')
		return span_of(p + 1, end - 1);
	return span_of(p, end);
}

int field_is_known(const u8 *p, const u8 *end)
{
	for (u32 k = 0; k < NR_KEYS; k++)
		if (span_begins(p, end, keys[k]))
			return 1;
	return 0;
}

static int read_alloc(struct import *im, const struct range *values, const u8 *p, const u8 *end,
		      struct event *ev)
{
	if (!values[KEY_REQ].at)
		return import_lacks(im, p, end, "expected bytes_req=<integer>");
	if (!values[KEY_ALLOC].at)
		return import_lacks(im, p, end, "expected bytes_alloc=<integer>");
	if (!values[KEY_GFP].at)
		return import_lacks(im, p, end, "expected gfp_flags=<flags>");
	if (!field_number(values[KEY_REQ], &ev->bytes_req))
		return import_problem(im, values[KEY_REQ].at, "expected bytes_req=<integer>");
	if (!field_number(values[KEY_ALLOC], &ev->bytes_alloc))
		return import_problem(im, values[KEY_ALLOC].at, "expected bytes_alloc=<integer>");
	struct range gfp = first_form(values[KEY_GFP]);
	ev->gfp = span_of(gfp.at, gfp.end);
	if (values[KEY_NODE].at && !field_node(values[KEY_NODE], ev))
		return import_problem(im, values[KEY_NODE].at,
				      "expected node=<integer>, -1 for any");
	struct range accounted = values[KEY_ACCOUNTED];
	if (accounted.at)
		ev->accounted = span_is(accounted.at, accounted.end, "true") ||
				span_is(accounted.at, accounted.end, "1") ||
				span_is(accounted.at, accounted.end, "(1)");
	return 1;
}

/* The general parser: 1, or 0 after a problem. The caller has set ev->kind and ev->what. */
int fields_read(struct import *im, const u8 *p, const u8 *end, struct event *ev)
{
	struct range values[NR_KEYS] = { 0 };

	find_values(p, end, values);
	ev->node = NODE_ANY;
	if (!values[KEY_PTR].at)
		return import_lacks(im, p, end, "expected ptr=<pointer>");
	if (!field_pointer(im, values[KEY_PTR], ev))
		return import_problem(im, values[KEY_PTR].at, "expected ptr=<pointer>");
	if (values[KEY_CALL_SITE].at) {
		struct range site = first_form(values[KEY_CALL_SITE]);
		ev->call_site = span_of(site.at, site.end);
	}
	im->has_early_names |= values[KEY_NAME].at && values[KEY_NAME].at < values[KEY_REQ].at;
	if (values[KEY_NAME].at)
		ev->cache = field_name(values[KEY_NAME].at, values[KEY_NAME].end);
	if (!IS_FIRST_VIEW && ev->kind == KIND_KFREE_RCU && values[KEY_HEAD].at) {
		struct event head = { 0 };
		if (field_pointer(im, values[KEY_HEAD], &head))
			ev->ptr = object_of_head(ev->ptr, head.ptr);
	}
	return ev->what == WHAT_FREE || read_alloc(im, values, p, end, ev);
}
