/*
 * mutate.h - changes a trace record by record, for fuzzers and for the tests that stand in for them.
 *
 * Random bytes rarely pass the checks of a binary format. These changes know where records, sections, pages and lines
 * start: they swap, repeat, delete, resize, cut and splice them, and change the numbers in their headers, or words of
 * lines. Offsets and sizes that other parts of the file hold are corrected afterwards, so the changed file still leads
 * to the changed part.
 */
#ifndef TEST_FUZZ_MUTATE_H
#define TEST_FUZZ_MUTATE_H

#include <stddef.h>

#include "kmem_types.h"

enum { MAX_PARTS = 4096, MAX_NUMBERS = 8192 };

enum number_kind {
	NUMBER_PLAIN,  /* a type, a count, a time */
	NUMBER_OFFSET, /* offset of something in the file */
	NUMBER_SIZE,   /* size of what starts at `base` */
	NUMBER_TAG,    /* a field's number and, in three bits, how its value is written */
};

enum { TAG_WIRE = 7, MAX_VARINT_BYTES = 10 };

struct part {
	size_t at, len;
};

struct number {
	size_t at, base;
	u8 len_bytes, kind; /* enum number_kind */
	u8 is_varint;	    /* seven bits per byte, else little-endian */
};

/* Where the parts of a file start, and the numbers that describe them. */
struct structure {
	u32 nr_parts, nr_numbers;
	struct part parts[MAX_PARTS];
	struct number numbers[MAX_NUMBERS];
};

/* mutate_parts.c */
void structure_find(struct structure *s, const u8 *bytes, size_t len);
u64 number_read(const u8 *bytes, const struct number *n);
/* Returns the bytes of that value in the form of the number, which may be more than it has now: at most
 * MAX_VARINT_BYTES. */
u32 number_bytes(const struct number *n, u64 value, u8 *to);

/* mutate_words.c: one change of a text, as mutate() does. */
size_t mutate_words(u8 *bytes, size_t len, size_t room, u32 *random);

/* mutate.c: a number below the limit, and the next state of `random`. */
u32 random_below(u32 *random, u32 limit);

/* mutate.c: one change; the new length, at most `room`. The donor, which may be NULL, gives parts to splice in. */
size_t mutate(u8 *bytes, size_t len, size_t room, u32 random_seed, const u8 *donor,
	      size_t donor_len);

#endif
