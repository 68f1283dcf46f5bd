/*
 * zstd.c - reads the frames and blocks of zstd, and the sequences in a block.
 *
 *	frame: | header | block … |	block: | literals | sequences |
 *
 * A sequence has three numbers: how many literals to copy, how many bytes to repeat, and from how
 * far back. Each number is a code from its own table, with extra bits. The last three distances
 * have short codes.
 */
#include "codec/zstd.h"

enum { BLOCK_RAW, BLOCK_RLE, BLOCK_PACKED };

enum { NR_LENGTHS = 36, NR_MATCHES = 53, NR_OFFSETS = 29, MAX_OFFSET_CODE = 31 };

static const s16 length_chances[NR_LENGTHS] = { 4, 3, 2, 2, 2, 2, 2, 2, 2,  2,	2,  2,
						2, 1, 1, 1, 2, 2, 2, 2, 2,  2,	2,  2,
						2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1 };
static const s16 match_chances[NR_MATCHES] = { 1, 4, 3, 2, 2,  2,  2,  2,  2,  1,  1, 1, 1, 1,
					       1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1, 1, 1,
					       1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1, 1, 1,
					       1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1 };
static const s16 offset_chances[NR_OFFSETS] = { 1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
						1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1 };

/* The first value of a code above the plain ones, and its number of extra bits. */
struct extra {
	u32 base, bits;
};

enum { PLAIN_LENGTHS = 16, PLAIN_MATCHES = 32, SHORTEST_MATCH = 3 };

static const struct extra length_extras[] = {
	{ 16, 1 },    { 18, 1 },    { 20, 1 },	   { 22, 1 },	  { 24, 2 },
	{ 28, 2 },    { 32, 3 },    { 40, 3 },	   { 48, 4 },	  { 64, 6 },
	{ 128, 7 },   { 256, 8 },   { 512, 9 },	   { 1024, 10 },  { 2048, 11 },
	{ 4096, 12 }, { 8192, 13 }, { 16384, 14 }, { 32768, 15 }, { 65536, 16 }
};
static const struct extra match_extras[] = {
	{ 35, 1 },     { 37, 1 },     { 39, 1 },    { 41, 1 },	  { 43, 2 },	{ 47, 2 },
	{ 51, 3 },     { 59, 3 },     { 67, 4 },    { 83, 4 },	  { 99, 5 },	{ 131, 7 },
	{ 259, 8 },    { 515, 9 },    { 1027, 10 }, { 2051, 11 }, { 4099, 12 }, { 8195, 13 },
	{ 16387, 14 }, { 32771, 15 }, { 65539, 16 }
};

/* Output */

static int put_bytes(struct zstd *z, const u8 *from, u64 nr)
{
	if (nr > z->out_room - z->out_bytes)
		return 0;
	memcpy(z->out + z->out_bytes, from, nr);
	z->out_bytes += nr;
	return 1;
}

/* Repeats bytes from `distance` back, perhaps some that this call writes. */
static int put_again(struct zstd *z, u64 distance, u64 nr)
{
	u8 *to = z->out + z->out_bytes;

	if (!distance || distance > z->out_bytes || distance > z->window_bytes ||
	    nr > z->out_room - z->out_bytes)
		return 0;
	const u8 *from = to - distance, *end = to + nr;
	z->out_bytes += nr;
	if (distance >= 8 && z->out_room - z->out_bytes >= 8) {
		/* Copies eight bytes at a time, some past the end: later bytes overwrite those. */
		for (; to < end; to += 8, from += 8)
			memcpy(to, from, 8);
		return 1;
	}
	while (to < end)
		*to++ = *from++;
	return 1;
}

/* Sequences */

struct sequences {
	const u8 *at, *end;
	u32 nr;
};

/* Reads the number of sequences; returns 0 if it is missing. */
static int read_count(struct sequences *s)
{
	u64 there = (u64)(s->end - s->at);

	if (!there)
		return 0;
	s->nr = s->at[0];
	u32 more = s->nr < 128 ? 0 : (s->nr < 255 ? 1 : 2);
	if (there < 1 + more)
		return 0;
	if (more == 1)
		s->nr = ((s->nr - 128) << 8) + s->at[1];
	else if (more == 2)
		s->nr = (u32)(s->at[1] | s->at[2] << 8) + 0x7f00;
	s->at += 1 + more;
	return 1;
}

struct usual {
	const s16 *chances;
	u32 nr, bits;		  /* the size of the predefined table */
	u32 max_symbol, max_bits; /* limits of a table in the block */
};

static const struct usual usual_lengths = { length_chances, NR_LENGTHS, 6, NR_LENGTHS - 1, 9 };
static const struct usual usual_offsets = { offset_chances, NR_OFFSETS, 5, MAX_OFFSET_CODE, 8 };
static const struct usual usual_matches = { match_chances, NR_MATCHES, 6, NR_MATCHES - 1, 9 };

static int choose_table(struct zstd_table *t, struct sequences *s, u32 mode, const struct usual *u)
{
	u32 len;

	switch (mode) {
	case 0:
		zstd_table_build(t, u->chances, u->nr, u->bits);
		return 1;
	case 1:
		if (s->at == s->end || *s->at > u->max_symbol)
			return 0;
		zstd_table_of_one(t, *s->at++);
		return 1;
	case 2:
		len = zstd_table_read(t, s->at, (u64)(s->end - s->at), u->max_symbol, u->max_bits);
		s->at += len;
		return len != 0;
	default:
		return t->ready != 0;
	}
}

/* Returns the distance of an offset's value. 1 to 3 are the last distances; without literals they count
 * from the second. */
static u64 distance_of(struct zstd *z, u64 value, u32 nr_literals)
{
	u32 *r = z->repeats;

	if (value > 3) {
		r[2] = r[1];
		r[1] = r[0];
		r[0] = (u32)(value - 3);
		return r[0];
	}
	u32 which = (u32)value - 1 + !nr_literals;
	u32 distance = which < 3 ? r[which] : r[0] - 1;
	if (which > 1)
		r[2] = r[1];
	if (which > 0)
		r[1] = r[0];
	r[0] = distance;
	return distance;
}

struct walk {
	struct zstd_bits bits;
	u32 length, offset, match; /* states */
	u32 literals_used;
};

static int put_sequence(struct zstd *z, struct walk *w)
{
	u32 length = z->lengths.states[w->length].symbol;
	u32 match = z->matches.states[w->match].symbol;
	u32 offset = z->offsets.states[w->offset].symbol;

	u64 value = ((u64)1 << offset) + zstd_bits_take(&w->bits, offset);
	if (match < PLAIN_MATCHES) {
		match += SHORTEST_MATCH;
	} else {
		const struct extra *e = &match_extras[match - PLAIN_MATCHES];
		match = e->base + zstd_bits_take(&w->bits, e->bits);
	}
	if (length >= PLAIN_LENGTHS) {
		const struct extra *e = &length_extras[length - PLAIN_LENGTHS];
		length = e->base + zstd_bits_take(&w->bits, e->bits);
	}
	if (w->bits.bad || length > z->literal_bytes - w->literals_used)
		return 0;
	u64 distance = distance_of(z, value, length);
	if (!put_bytes(z, z->literals + w->literals_used, length))
		return 0;
	w->literals_used += length;
	return put_again(z, distance, match);
}

static u32 next_state(struct zstd_bits *bits, const struct zstd_table *t, u32 state)
{
	return t->states[state].base + zstd_bits_take(bits, t->states[state].bits);
}

static int put_sequences(struct zstd *z, struct sequences *s)
{
	struct walk w = { .literals_used = 0 };

	if (s->nr) {
		if (s->at == s->end || *s->at & 3)
			return 0;
		u32 modes = *s->at++;
		if (!choose_table(&z->lengths, s, modes >> 6, &usual_lengths) ||
		    !choose_table(&z->offsets, s, modes >> 4 & 3, &usual_offsets) ||
		    !choose_table(&z->matches, s, modes >> 2 & 3, &usual_matches) ||
		    !zstd_bits_open(&w.bits, s->at, (u64)(s->end - s->at)))
			return 0;
		w.length = zstd_bits_take(&w.bits, z->lengths.bits);
		w.offset = zstd_bits_take(&w.bits, z->offsets.bits);
		w.match = zstd_bits_take(&w.bits, z->matches.bits);
		for (u32 i = 0; i < s->nr; i++) {
			if (w.bits.bad || !put_sequence(z, &w))
				return 0;
			if (i + 1 == s->nr)
				break;
			w.length = next_state(&w.bits, &z->lengths, w.length);
			w.match = next_state(&w.bits, &z->matches, w.match);
			w.offset = next_state(&w.bits, &z->offsets, w.offset);
		}
		if (w.bits.bad || w.bits.left)
			return 0;
	} else if (s->at != s->end) {
		return 0;
	}
	return put_bytes(z, z->literals + w.literals_used, z->literal_bytes - w.literals_used);
}

/* Blocks and frames */

static int unpack_block(struct zstd *z, const u8 *in, u32 in_bytes)
{
	u32 literals = zstd_literals_read(z, in, in_bytes);
	struct sequences s = { in + literals, in + in_bytes, 0 };

	return literals && read_count(&s) && put_sequences(z, &s);
}

static u64 read_number(const u8 *in, u32 nr_bytes)
{
	u64 number = 0;

	for (u32 i = 0; i < nr_bytes; i++)
		number |= (u64)in[i] << 8 * i;
	return number;
}

/* Decodes the window descriptor: an exponent and eighths. */
static u64 window_of(u8 descriptor)
{
	u64 base = (u64)1 << (10 + (descriptor >> 3));

	return base + base / 8 * (descriptor & 7);
}

u32 zstd_open(struct zstd *z, const u8 *in, u64 in_bytes)
{
	static const u8 id_bytes[] = { 0, 1, 2, 4 }, size_bytes[] = { 0, 2, 4, 8 };

	z->lengths.ready = z->offsets.ready = z->matches.ready = 0;
	z->code_bits = 0;
	z->repeats[0] = 1;
	z->repeats[1] = 4;
	z->repeats[2] = 8;
	z->out_bytes = 0;
	z->at_end = 0;
	if (in_bytes < 6 || in[0] != 0x28 || in[1] != 0xb5 || in[2] != 0x2f || in[3] != 0xfd)
		return 0;
	u32 what = in[4], single = what >> 5 & 1, size = size_bytes[what >> 6];
	if (what & 8)
		return 0;
	z->has_checksum = what >> 2 & 1;
	if (single && !size)
		size = 1;
	u32 id = id_bytes[what & 3], header = 5 + !single + id + size;
	if (header > in_bytes)
		return 0;
	z->dictionary = (u32)read_number(in + 5 + !single, id);
	z->content_bytes = size ? read_number(in + header - size, size) : ZSTD_UNTOLD;
	/* Two bytes count from 256 on, as one byte holds smaller numbers. */
	z->content_bytes += size == 2 ? 256 : 0;
	z->window_bytes = single ? z->content_bytes : window_of(in[5]);
	return header;
}

u32 zstd_block_bytes(const u8 *in, u64 in_bytes)
{
	if (in_bytes < 3)
		return 0;
	u32 header = (u32)(in[0] | in[1] << 8 | in[2] << 16);
	u32 len = 3 + ((header >> 1 & 3) == BLOCK_RLE ? 1 : header >> 3);
	return len <= in_bytes ? len : 0;
}

int zstd_block(struct zstd *z, const u8 *in, u32 in_bytes)
{
	u32 header = (u32)(in[0] | in[1] << 8 | in[2] << 16);
	u32 kind = header >> 1 & 3, size = header >> 3;

	z->at_end = header & 1;
	if (size > ZSTD_MAX_BLOCK)
		return 0;
	if (kind == BLOCK_RAW)
		return put_bytes(z, in + 3, size);
	if (kind == BLOCK_PACKED)
		return unpack_block(z, in + 3, in_bytes - 3);
	if (kind != BLOCK_RLE || size > z->out_room - z->out_bytes)
		return 0;
	memset(z->out + z->out_bytes, in[3], size);
	z->out_bytes += size;
	return 1;
}

s64 zstd_unpack(struct zstd *z, const u8 *in, u64 in_bytes, u8 *out, u64 room_bytes)
{
	u64 at = zstd_open(z, in, in_bytes);

	z->out = out;
	z->out_room = room_bytes;
	if (!at || z->dictionary)
		return -1;
	while (!z->at_end) {
		u32 len = zstd_block_bytes(in + at, in_bytes - at);
		if (!len || !zstd_block(z, in + at, len))
			return -1;
		at += len;
	}
	return at + 4 * z->has_checksum == in_bytes ? (s64)z->out_bytes : -1;
}
