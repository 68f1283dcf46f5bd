/*
 * scan.h - scans text eight bytes at a time.
 *
 * The importer reads most bytes once, as words. A byte below 0x21 ends a token. Three
 * multiplications convert ten or sixteen digits to a number. Every load may run up to SCAN_SLACK
 * bytes past the end of the text. lines.c ensures that those bytes belong to the core or to the
 * caller's chunk.
 *
 * Words are little-endian, as on every machine that runs wasm, x86 and arm builds.
 */
#ifndef UTIL_SCAN_H
#define UTIL_SCAN_H

#include "kmem_types.h"
#include "util/hash.h"

enum { SCAN_SLACK = 256 };

#define BYTES_OF(c) (0x0101010101010101ull * (c))

/* A piece of a line, still in place, with the hash of its bytes. */
struct span {
	const u8 *at;
	u32 len;
	u32 hash;
};

/* Some bytes in place. */
struct range {
	const u8 *at, *end;
};

/* A range as two arguments: text and length. */
#define CHARS_OF(range) (const char *)(range).at, (u32)((range).end - (range).at)

static inline struct range range_of(const char *text, u32 len)
{
	return (struct range){ (const u8 *)text, (const u8 *)text + len };
}

ALWAYS_INLINE u64 load8(const u8 *p)
{
	u64 word;

	memcpy(&word, p, 8);
	return word;
}

ALWAYS_INLINE u32 load4(const u8 *p)
{
	u32 word;

	memcpy(&word, p, 4);
	return word;
}

/* The first n bytes of a word, 0 <= n <= 8. */
ALWAYS_INLINE u64 low_bytes(u64 word, u32 n)
{
	return n >= 8 ? word : word & (((u64)1 << 8 * n) - 1);
}

/* Sets the top bit of the first byte below 0x21. Bits of later bytes may be wrong. */
ALWAYS_INLINE u64 blank_bits(u64 word)
{
	return (word - BYTES_OF(0x21)) & ~word & BYTES_OF(0x80);
}

/* Not 0 if a byte is below 0x20: a newline, or a byte that a line must not contain. */
ALWAYS_INLINE u64 control_bits(u64 word)
{
	return (word - BYTES_OF(0x20)) & ~word & BYTES_OF(0x80);
}

/* Sets the top bit of the first byte equal to c. Bits of later bytes may be wrong. */
ALWAYS_INLINE u64 equal_bits(u64 word, u8 c)
{
	u64 x = word ^ BYTES_OF(c);

	return (x - BYTES_OF(1)) & ~x & BYTES_OF(0x80);
}

ALWAYS_INLINE u32 first_byte(u64 bits)
{
	return (u32)__builtin_ctzll(bits) >> 3;
}

ALWAYS_INLINE u64 hash_step(u64 hash, u64 word)
{
	return (hash ^ word) * HASH_MULTIPLIER;
}

ALWAYS_INLINE u32 hash_end(u64 hash)
{
	return (u32)(hash >> 32);
}

/* Reads the token at p, which ends before the first byte below 0x21. */
ALWAYS_INLINE const u8 *scan_token(const u8 *p, struct span *token)
{
	const u8 *start = p;
	u64 hash = 0, word = load8(p), bits = blank_bits(word);

	while (!bits) {
		hash = hash_step(hash, word);
		p += 8;
		word = load8(p);
		bits = blank_bits(word);
	}
	u32 n = first_byte(bits);
	token->at = start;
	token->len = (u32)(p - start) + n;
	token->hash = hash_end(hash_step(hash, low_bytes(word, n)));
	return p + n;
}

/* Returns a span for a text found in another way, with the same hash. */
static inline struct span span_of(const u8 *at, const u8 *end)
{
	struct span span = { at, (u32)(end - at), 0 };
	u64 hash = 0;

	for (; end - at >= 8; at += 8)
		hash = hash_step(hash, load8(at));
	span.hash = hash_end(hash_step(hash, low_bytes(load8(at), (u32)(end - at))));
	return span;
}

/* Returns the first byte c in [p, end), or end. */
static inline const u8 *scan_byte(const u8 *p, const u8 *end, u8 c)
{
	while (p < end) {
		u64 bits = equal_bits(load8(p), c);
		if (bits) {
			p += first_byte(bits);
			return MIN(p, end);
		}
		p += 8;
	}
	return end;
}

/* Returns 1 if [at, end) is exactly this text. */
static inline int span_is(const u8 *at, const u8 *end, const char *text)
{
	while (at < end && *text && *at == (u8)*text)
		at++, text++;
	return at == end && *text == 0;
}

/* Returns 1 if [at, end) starts with this text. */
static inline int span_begins(const u8 *at, const u8 *end, const char *text)
{
	while (at < end && *text && *at == (u8)*text)
		at++, text++;
	return *text == 0;
}

ALWAYS_INLINE int is_digit(u8 c)
{
	return (u8)(c - '0') <= 9;
}

ALWAYS_INLINE int is_blank(u8 c)
{
	return c == ' ' || c == '\t';
}

ALWAYS_INLINE int is_letter(u8 c)
{
	return (u8)((c | 0x20) - 'a') < 26;
}

/* Returns the value of a hex digit, or 16. */
static inline u32 hex_digit(u8 c)
{
	if (is_digit(c))
		return c - (u32)'0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - (u32)'a' + 10 : 16;
}

/* Returns the first blank in [p, end), or end. */
const u8 *scan_word(const u8 *p, const u8 *end);
/* Returns the word at *at, after blanks; moves *at after it. */
struct range scan_next(const u8 **at, const u8 *end);
/* Removes the part before the first separator from *rest, and the separator, and returns the part. */
struct range scan_part(struct range *rest, char separator);
/* Returns the first byte in [p, end) that is not a digit, or end. */
const u8 *scan_digits(const u8 *p, const u8 *end);
/* Returns the number at p; 0 if there is none. Stops at the first byte that is not a digit. */
u64 scan_number(const u8 *p, const u8 *end);
/* Returns 1 if [p, end) is a decimal number of at most max. */
int scan_decimal(const u8 *p, const u8 *end, u64 max, u64 *number);
/* Adds the decimals at p of a number in units; returns the first byte in [p, end) that is not a digit. */
const u8 *scan_decimals(const u8 *p, const u8 *end, u64 unit, u64 *number);
/* With options/fields the kernel prints "0x1000 (4096)": the first form is enough. */
struct range scan_first_form(struct range v);
/* Returns 1 if [p, end) is 1 to 16 hex digits without 0x. */
int scan_hex(const u8 *p, const u8 *end, u64 *number);
/* Returns 1 if it is decimal or 0x…, below 2^32; in the first form. */
int scan_u32(struct range v, u32 *number);
/* Returns the end of the line at p: its newline, or the carriage return before that. */
static inline const u8 *line_end(const u8 *p, const u8 *newline)
{
	return newline > p && newline[-1] == '\r' ? newline - 1 : newline;
}

/* Returns the number of the text that equals [at, end), or nr. */
u32 span_among(const u8 *at, const u8 *end, const char *const *texts, u32 nr);
/* Returns where the text starts in [p, end), or NULL. */
const u8 *span_find(const u8 *p, const u8 *end, const char *text);

static inline const u8 *skip_blanks(const u8 *p, const u8 *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Value of the n (1..8) decimal digits before position n of the word. Later bytes are
 * ignored. */
ALWAYS_INLINE u32 decimal_word(u64 word, u32 n)
{
	word = (word << (64 - 8 * n)) - (BYTES_OF('0') << (64 - 8 * n));
	word = word * 10 + (word >> 8);
	return (u32)(((word & 0x000000ff000000ffull) * (100 + (1000000ull << 32)) +
		      ((word >> 16) & 0x000000ff000000ffull) * (1 + (10000ull << 32))) >>
		     32);
}

/* How many of the word's first bytes are digits. */
ALWAYS_INLINE u32 decimal_length(u64 word)
{
	u64 x = word ^ BYTES_OF('0');
	u64 bits = (x | (x + BYTES_OF(0x76))) & BYTES_OF(0x80);

	return bits ? first_byte(bits) : 8;
}

/* Value of eight hex digits; *bad is not 0 if a byte is not a hex digit. */
ALWAYS_INLINE u32 hex_word(u64 word, u64 *bad)
{
	u64 digit = word ^ BYTES_OF('0');			  /* 0..9 */
	u64 letter = (word | BYTES_OF(0x20)) ^ BYTES_OF('a' - 1); /* 1..6 */
	u64 no_digit = digit + BYTES_OF(0x76);
	u64 no_letter = (letter + BYTES_OF(0x79)) | ~(letter + BYTES_OF(0x7f));
	u64 value = (word & BYTES_OF(0x0f)) + (word >> 6 & BYTES_OF(1)) * 9;

	*bad |= ((no_digit & no_letter) | word) & BYTES_OF(0x80);
	value = (value << 4 | value >> 8) & 0x00ff00ff00ff00ffull;
	value = (value << 8 | value >> 16) & 0x0000ffff0000ffffull;
	return (u32)(value << 16 | value >> 32);
}

#endif
