/*
 * gfp_names.c - prints gfp flags as names, as the kernel of this trace would.
 *
 *	print fmt: … __print_flags(REC->gfp_flags, "|", {(unsigned long)((( gfp_t)0x40u) | …), "GFP_KERNEL"}, …
 *
 * The expressions are constant: numbers, casts, brackets and the operators ~ << & |. At any other
 * expression the reader stops. It uses the names before it, and prints the other bits as a number.
 */
#include "import/binary.h"

enum { MAX_BRACKETS = 64, MAX_NAME = 40 };

struct expression {
	const u8 *p, *end;
	u32 brackets;
	u32 bad;
};

static int is_word(u8 c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static int next_is(struct expression *e, u8 c)
{
	e->p = skip_blanks(e->p, e->end);
	return e->p < e->end && *e->p == c;
}

/* Takes this byte, behind blanks; 0 if another one is next. */
static int take(struct expression *e, u8 c)
{
	int is_next = next_is(e, c);

	e->p += is_next;
	return is_next;
}

static u64 number(struct expression *e)
{
	u64 value = 0, digit;
	u32 base = 10;

	if (e->p == e->end || !is_digit(*e->p)) {
		e->bad = 1;
		return 0;
	}
	if (e->end - e->p > 2 && e->p[0] == '0' && (e->p[1] | 0x20) == 'x') {
		base = 16;
		e->p += 2;
	}
	for (; e->p < e->end && (digit = hex_digit(*e->p)) < base; e->p++)
		value = value * base + digit;
	while (e->p < e->end && ((*e->p | 0x20) == 'u' || (*e->p | 0x20) == 'l'))
		e->p++;
	return value;
}

/* The end of "(unsigned long)" at p, or NULL. */
static const u8 *cast_end(const u8 *p, const u8 *end)
{
	p = skip_blanks(p + 1, end);
	if (p == end || !is_word(*p) || is_digit(*p))
		return NULL;
	while (p < end && (is_word(*p) || is_blank(*p)))
		p++;
	return p < end && *p == ')' ? p + 1 : NULL;
}

static u64 any_of(struct expression *e);

static u64 unary(struct expression *e)
{
	u32 inverted = 0;
	u64 value;

	for (;;) {
		if (take(e, '~')) {
			inverted ^= 1;
			continue;
		}
		const u8 *behind = next_is(e, '(') ? cast_end(e->p, e->end) : NULL;
		if (!behind)
			break;
		e->p = behind;
	}
	if (take(e, '(')) {
		e->bad |= ++e->brackets > MAX_BRACKETS;
		value = e->bad ? 0 : any_of(e);
		e->bad |= !take(e, ')');
		e->brackets--;
	} else {
		value = number(e);
	}
	return inverted ? ~value : value;
}

static u64 shifted(struct expression *e)
{
	u64 value = unary(e);

	while (!e->bad && next_is(e, '<') && e->end - e->p > 1 && e->p[1] == '<') {
		e->p += 2;
		u64 by = unary(e);
		value = by < 64 ? value << by : 0;
	}
	return value;
}

static u64 all_of(struct expression *e)
{
	u64 value = shifted(e);

	while (!e->bad && take(e, '&'))
		value &= shifted(e);
	return value;
}

static u64 any_of(struct expression *e)
{
	u64 value = all_of(e);

	while (!e->bad && take(e, '|'))
		value |= all_of(e);
	return value;
}

/* Reads `{ expression , "NAME" }` at e->p: 1 and the name. */
static int read_name(struct expression *e, struct gfp_name *name)
{
	if (!take(e, '{'))
		return 0;
	name->bits = any_of(e);
	if (e->bad || !take(e, ',') || !take(e, '"'))
		return 0;
	name->at = e->p;
	while (e->p < e->end && is_word(*e->p))
		e->p++;
	name->len = (u32)(e->p - name->at);
	return name->len <= MAX_NAME && take(e, '"') && take(e, '}');
}

void gfp_names_read(struct tracepoints *t, const u8 *p, const u8 *end)
{
	static const char start[] = "__print_flags(REC->gfp_flags, \"|\",";
	struct gfp_name name;

	p = span_find(p, end, start);
	if (!p)
		return;
	struct expression e = { .p = p + sizeof(start) - 1, .end = end };
	while (t->nr_gfp_names < MAX_GFP_NAMES && read_name(&e, &name)) {
		/* A name without bits would match every value. Only debugging flags that are off
		 * have no bits. */
		if (name.bits)
			t->gfp_names[t->nr_gfp_names++] = name;
		if (!take(&e, ','))
			break;
	}
}

const struct gfp_text *gfp_text_of(struct tracepoints *t, u64 value)
{
	struct gfp_text *slot = &t->gfp_texts[(value * HASH_MULTIPLIER >> 58) % GFP_TEXTS];
	u64 left = value;

	if (slot->len && slot->value == value)
		return slot;
	struct text out = text_in((char *)slot->text, MAX_GFP_TEXT);
	for (u32 i = 0; i < t->nr_gfp_names && left; i++) {
		const struct gfp_name *name = &t->gfp_names[i];
		if ((left & name->bits) != name->bits)
			continue;
		left &= ~name->bits;
		text_add(&out, out.len ? "|" : "");
		text_add_n(&out, (const char *)name->at, name->len);
	}
	if (left) {
		text_add(&out, out.len ? "|" : "");
		text_add_hex(&out, left, 1);
	}
	if (!value)
		text_add(&out, "none");
	slot->value = value;
	slot->len = out.len;
	slot->hash = span_of(slot->text, slot->text + out.len).hash;
	return slot;
}
