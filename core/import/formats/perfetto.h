/*
 * perfetto.h - what the files of the Perfetto reader share. format_perfetto.c reads the file packet
 * by packet, perfetto_events.c bundles of ftrace events. time_order.c sorts them.
 *
 *	file	| 0a length packet | 0a length packet | …
 *	packet	┬ bundle of one CPU ─ event, event …
 *		├ compressed: more packets
 *		├ names of kernel functions
 *		└ the kernel's release
 *
 * Field numbers come from Perfetto's public schema (protos/perfetto/trace).
 */
#ifndef IMPORT_FORMATS_PERFETTO_H
#define IMPORT_FORMATS_PERFETTO_H

#include "import/binary.h"
#include "codec/deflate.h"
#include "codec/zstd.h"

enum {
	MAX_PACKET_BYTES = 16 << 20,   /* Perfetto's own limit is far below */
	MAX_UNPACKED_BYTES = 16 << 20, /* the most that one compressed packet may hold */
	MAX_SYMBOLS = 1 << 20,
	MAX_SYMBOL_BYTES = 256,
	MOST_HELD = 2 << 20, /* events that wait to be sorted */
	MOST_HELD_TINY = 64,
	NUMBER_TEXTS_SHIFT = 12, /* logarithm of the number of numbers whose text is cached */
	COUNTED_FIELDS = 1024,
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A field of a protobuf message: a number, or bytes that may be a message again. */
struct wire_field {
	u32 number, type;
	u64 value;
	struct reader bytes;
};

/* Reads a number with seven bits in each byte; bad if it has more than ten bytes. */
static inline u64 wire_varint(struct reader *r)
{
	u64 value = 0;

	for (u32 shift = 0; shift < 70; shift += 7) {
		const u8 *p = reader_take(r, 1);
		if (!p)
			return 0;
		if (shift < 64)
			value |= (u64)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return value;
	}
	r->bad = 1;
	return 0;
}

/* Reads the next field. 0 at the end, or with r->bad set if the bytes are not a field. */
static inline int wire_next(struct reader *r, struct wire_field *field)
{
	if (r->bad || !reader_left(r))
		return 0;
	u64 tag = wire_varint(r);
	*field = (struct wire_field){ .number = (u32)(tag >> 3), .type = (u32)tag & 7 };
	if (field->type == WIRE_VARINT)
		field->value = wire_varint(r);
	else if (field->type == WIRE_FIXED64)
		field->value = reader_u64(r);
	else if (field->type == WIRE_BYTES)
		field->bytes = reader_part(r, wire_varint(r));
	else if (field->type == WIRE_FIXED32)
		field->value = reader_u32(r);
	else
		r->bad = 1;
	r->bad |= !field->number || tag >> 32;
	return !r->bad;
}

/* Returns 1 if this is the message or the bytes of that number. */
static inline int wire_is_bytes(const struct wire_field *field, u32 number)
{
	return field->number == number && field->type == WIRE_BYTES;
}

/* Parts of an event. The first ones are found by their names where Perfetto's schema lacks the event. */
enum perfetto_part {
	PART_SITE,
	PART_PTR, /* in a note: an object, a sheaf or a page's frame number */
	PART_NR,  /* objects, enum marker, or the order of a block */
	PART_HEAD,
	PART_REQ,
	PART_ALLOC,
	PART_GFP,
	PART_NODE,
	NR_PARTS
};

struct perfetto_message {
	u32 number;	      /* number of its field in an event; 0: not described */
	u8 kind;	      /* enum kmem_kind */
	u32 fields[NR_PARTS]; /* numbers of its fields; 0: missing */
};

struct perfetto {
	struct import *im;
	struct extent reading;
	u64 at;	       /* the next packet */
	u64 packet_at; /* the current one */
	u32 in_packed; /* the current packets were compressed */
	u32 is_done;   /* no more packets are read */
	u64 nr_kmem;   /* kmem events, valid or not */
	u32 nr_bundles;

	/* symbols of all packet sequences, by sequence and number; taken: the text */
	struct hash symbols;
	struct tracepoints *tasks; /* names of tasks; NULL: they are not kept */

	struct zstd *zstd;
	struct buffer unpacked;

	u16 kinds[COUNTED_FIELDS];			  /* kind + 1 of other events, by field */
	struct perfetto_message described[NR_KMEM_KINDS]; /* descriptions by kind */
	struct number_text number_texts[1 << NUMBER_TEXTS_SHIFT];
};

/* perfetto_events.c: reads the events of a bundle, recorded on one CPU. */
void perfetto_bundle(struct perfetto *d, u32 sequence, struct reader bundle);
/* Remembers names of kernel functions. */
void perfetto_symbols(struct perfetto *d, u32 sequence, struct reader interned);
/* Reports a problem with bytes of the current packet. */
void perfetto_problem(struct perfetto *d, const u8 *at, const char *reason);

#endif
