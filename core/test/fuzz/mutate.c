/*
 * mutate.c - one change of a trace that keeps most of its structure.
 */
#include "test/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum change {
	SWAP,
	REPEAT,
	DELETE,
	SHORTEN,
	LENGTHEN,
	CUT_FILE,
	SPLICE,
	SET_NUMBER,
	COPY_NUMBER,
	NR_CHANGES
};

enum { MAX_TRIES = 20, WORD_BYTES = 8 };

struct mutation {
	u8 *bytes;
	size_t len, room;
	u32 random;
	struct structure *s;
};

u32 random_below(u32 *random, u32 limit)
{
	*random = *random * 1664525 + 1013904223;
	return limit ? (u32)((u64)*random * limit >> 32) : 0;
}

static u32 below(struct mutation *m, u32 limit)
{
	return random_below(&m->random, limit);
}

static struct part *any_part(struct mutation *m)
{
	return &m->s->parts[below(m, m->s->nr_parts)];
}

static void put(struct mutation *m, size_t at, size_t removed, const u8 *with, size_t added)
{
	memmove(m->bytes + at + added, m->bytes + at + removed, m->len - at - removed);
	memcpy(m->bytes + at, with, added);
	m->len = m->len - removed + added;
}

/*
 * Corrects what the file says about positions after `at`, where `added` replaced `removed` bytes. The size of a message
 * may need another byte; the sizes of the messages around it come before it and count that byte too.
 */
static void correct_numbers(struct mutation *m, size_t at, size_t removed, size_t added)
{
	size_t grown = added - removed;

	for (u32 i = m->s->nr_numbers; i--;) {
		const struct number *n = &m->s->numbers[i];
		struct number here = *n;
		u8 bytes[MAX_VARINT_BYTES];
		if (n->at >= at && n->at < at + removed)
			continue;
		if (n->at >= at + removed)
			here.at += added - removed;
		if ((n->kind != NUMBER_OFFSET && n->kind != NUMBER_SIZE) ||
		    here.at + n->len_bytes > m->len)
			continue;
		u64 value = number_read(m->bytes, &here);
		int is_behind = n->kind == NUMBER_OFFSET && value > at;
		int is_around = n->kind == NUMBER_SIZE && n->base <= at && at < n->base + value;
		if (!is_behind && !is_around)
			continue;
		u32 len = number_bytes(n, value + grown, bytes);
		if (m->len + len - n->len_bytes > m->room)
			return;
		put(m, here.at, n->len_bytes, bytes, len);
		grown += len - n->len_bytes;
	}
}

/* Replaces [at, at + removed) by `added` bytes, which must not lie in the file. */
static void replace(struct mutation *m, size_t at, size_t removed, const u8 *with, size_t added)
{
	if (m->len - removed + added > m->room)
		return;
	int is_corrected = below(m, 4) != 0;

	put(m, at, removed, with, added);
	if (is_corrected)
		correct_numbers(m, at, removed, added);
}

static u8 *copy_of(const u8 *at, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	memcpy(copy, at, len);
	return copy;
}

static void swap_parts(struct mutation *m)
{
	const struct part *a = any_part(m), *b = any_part(m);

	if (a->at > b->at) {
		const struct part *first = b;
		b = a;
		a = first;
	}
	if (a->at + a->len > b->at)
		return;
	size_t between = b->at - a->at - a->len;
	u8 *copy = copy_of(m->bytes + a->at, a->len + between + b->len);
	u8 *to = m->bytes + a->at;

	memcpy(to, copy + a->len + between, b->len);
	memcpy(to + b->len, copy + a->len, between);
	memcpy(to + b->len + between, copy, a->len);
	free(copy);
}

static void repeat_part(struct mutation *m)
{
	const struct part *from = any_part(m), *to = any_part(m);
	u8 *copy = copy_of(m->bytes + from->at, from->len);

	replace(m, to->at + (below(m, 2) ? to->len : 0), 0, copy, from->len);
	free(copy);
}

static void splice(struct mutation *m, const u8 *donor, size_t donor_len)
{
	struct structure *theirs = malloc(sizeof(*theirs));
	const struct part *to = any_part(m);

	structure_find(theirs, donor, donor_len);
	if (theirs->nr_parts) {
		const struct part *from = &theirs->parts[below(m, theirs->nr_parts)];
		replace(m, to->at, below(m, 2) ? to->len : 0, donor + from->at, from->len);
	}
	free(theirs);
}

static u64 interesting(struct mutation *m, u64 old)
{
	const u64 values[] = { 0,
			       1,
			       7,
			       8,
			       old + 8,
			       old - 8,
			       old + 1,
			       old * 2,
			       below(m, 100),
			       0xffff,
			       0x7fffffff,
			       0xffffffff,
			       (u64)1 << 32,
			       ~(u64)0 >> 1,
			       ~(u64)0,
			       m->len,
			       below(m, (u32)m->len),
			       old ^ (u64)1 << below(m, 64) };

	return values[below(m, ARRAY_SIZE(values))];
}

static const struct number *any_number(struct mutation *m)
{
	return &m->s->numbers[below(m, m->s->nr_numbers)];
}

static void write_number(struct mutation *m, const struct number *n, u64 value)
{
	u8 bytes[MAX_VARINT_BYTES];

	replace(m, n->at, n->len_bytes, bytes, number_bytes(n, value, bytes));
}

/* Changes only the number of a field: the value after it stays as it is. */
static void set_number(struct mutation *m)
{
	const struct number *n = any_number(m);
	u64 old = number_read(m->bytes, n), wire = old & TAG_WIRE;

	if (n->kind == NUMBER_TAG)
		write_number(m, n, interesting(m, old >> 3) << 3 | wire);
	else
		write_number(m, n, interesting(m, old));
}

static int is_alike(const struct mutation *m, const struct number *a, const struct number *b)
{
	if (a->kind != b->kind || (!a->is_varint && a->len_bytes != b->len_bytes))
		return 0;
	return a->kind != NUMBER_TAG ||
	       !((number_read(m->bytes, a) ^ number_read(m->bytes, b)) & TAG_WIRE);
}

/* Copies a number, mostly from one that means the same, such as the type of another record. */
static void copy_number(struct mutation *m)
{
	const struct number *to = any_number(m), *from = any_number(m);

	for (u32 i = 0; i < MAX_TRIES && !is_alike(m, to, from); i++)
		from = any_number(m);
	write_number(m, to, number_read(m->bytes, from));
}

/* Words of any place, where a word ends. */
static void lengthen(struct mutation *m, const struct part *part)
{
	size_t at = part->at + below(m, (u32)part->len) / WORD_BYTES * WORD_BYTES;
	size_t words = 1 + below(m, 8), len = MIN(words * WORD_BYTES, m->len);
	u8 *copy = copy_of(m->bytes + below(m, (u32)(m->len - len + 1)), len);

	replace(m, at, 0, copy, len);
	free(copy);
}

static void change(struct mutation *m, const u8 *donor, size_t donor_len)
{
	const struct part *part = any_part(m);
	u32 kept = below(m, (u32)part->len);

	switch (below(m, NR_CHANGES)) {
	case SWAP:
		swap_parts(m);
		break;
	case REPEAT:
		repeat_part(m);
		break;
	case DELETE:
		replace(m, part->at, part->len, m->bytes, 0);
		break;
	case SHORTEN:
		replace(m, part->at + kept, part->len - kept, m->bytes, 0);
		break;
	case LENGTHEN:
		lengthen(m, part);
		break;
	case CUT_FILE:
		m->len = part->at + (below(m, 2) ? kept : 0);
		break;
	case SPLICE:
		if (donor)
			splice(m, donor, donor_len);
		break;
	case SET_NUMBER:
		if (m->s->nr_numbers)
			set_number(m);
		break;
	default:
		if (m->s->nr_numbers)
			copy_number(m);
	}
}

size_t mutate(u8 *bytes, size_t len, size_t room, u32 random_seed, const u8 *donor,
	      size_t donor_len)
{
	struct mutation m = { bytes, len, room, random_seed, malloc(sizeof(struct structure)) };

	structure_find(m.s, bytes, len);
	/* Only parts of a text have no numbers in their headers. */
	if (m.s->nr_parts && !m.s->nr_numbers && below(&m, 2))
		m.len = mutate_words(bytes, len, room, &m.random);
	else if (m.s->nr_parts)
		change(&m, donor, donor_len);
	free(m.s);
	return m.len;
}
