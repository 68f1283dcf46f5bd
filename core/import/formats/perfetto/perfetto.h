/*
 * perfetto.h - what the files of the Perfetto reader share. format_perfetto.c reads the file packet
 * by packet, perfetto_packets.c what is in a packet, perfetto_packed.c compressed packets,
 * perfetto_events.c bundles of ftrace events, perfetto_notes.c those about other events. perfetto_order.c
 * sorts events by time.
 *
 *	file	| 0a length packet | 0a length packet | …
 *	packet	┬ bundle of one CPU ─ event, event …
 *		├ compressed: more packets
 *		├ names of kernel functions
 *		└ the kernel's release
 *
 * Field numbers are those of Perfetto's public schema (protos/perfetto/trace).
 */
#ifndef IMPORT_FORMATS_PERFETTO_PERFETTO_H
#define IMPORT_FORMATS_PERFETTO_PERFETTO_H

#include "import/binary.h"
#include "codec/inflate.h"
#include "codec/zstd.h"

enum {
	MAX_PACKET_BYTES = 16 << 20,   /* Perfetto's own limit is far below */
	MAX_UNPACKED_BYTES = 16 << 20, /* from one compressed packet */
	MAX_SYMBOLS = 1 << 20,
	MAX_SYMBOL_BYTES = 256,
	MOST_HELD = 2 << 20, /* events that wait to be sorted */
	MOST_HELD_TINY = 64,
	NUMBER_TEXTS = 4096, /* numbers whose text is cached */
	TEXT_SPANS = 1024,   /* texts whose length and hash are cached */
	COUNTED_FIELDS = 1024,
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A field of a protobuf message: a number, or bytes that may be a message again. */
struct wire_field {
	u32 number, type;
	u64 value;
	struct reader bytes;
};

/* A number of seven bits a byte; bad if it has more than ten bytes. */
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

/* 1 if this is the message or the bytes of that number. */
static inline int wire_is_bytes(const struct wire_field *field, u32 number)
{
	return field->number == number && field->type == WIRE_BYTES;
}

/* 1 if the bytes are whole fields. */
static inline int wire_is_whole(struct reader r)
{
	struct wire_field field;

	while (wire_next(&r, &field))
		;
	return !r.bad;
}

/* An event that waits to be sorted; its time is in its stamp. */
struct held_event {
	u64 ptr;
	u64 at;	       /* where its packet lies in the file */
	u32 call_site; /* text */
	u32 gfp;       /* text */
	u32 bytes_req, bytes_alloc;
	u32 pid;
	u16 node, cpu;
	u8 kind; /* enum kmem_kind */
};

/* An event that Perfetto's schema lacks, as the trace describes it. */
struct described {
	u32 number;		      /* of its field in an event; 0: not described */
	u32 nr, call_site, ptr, head; /* numbers of its fields; 0: missing */
};

struct perfetto_note {
	u32 kind;	   /* enum kmem_kind; 0: the event is none */
	u64 nr, call_site; /* objects, enum marker, or the order of a block; 0: unknown */
	u64 ptr, head;	   /* object, sheaf or a page's frame number; 0: none */
};

struct number_text {
	u64 number;
	u32 text; /* 0: not used yet */
};

struct text_span {
	u32 text, len, hash;
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

	struct inflate inflate;
	struct zstd *zstd;
	struct buffer unpacked;

	/* order */
	struct buffer held, stamps, free_slots, scratch; /* struct held_event, struct stamp, u32 */
	u32 nr_held, nr_slots, nr_free, most_held;
	u64 emitted; /* latest time emitted */

	u16 kinds[COUNTED_FIELDS];		   /* kind + 1 of other events, by field */
	struct described described[NR_KMEM_KINDS]; /* by kind */
	struct number_text number_texts[NUMBER_TEXTS];
	struct text_span text_spans[TEXT_SPANS];
};

/* perfetto_packets.c: reads a whole packet. */
void perfetto_packet(struct perfetto *d, struct reader packet);
/* 1 if these bytes can begin a Perfetto trace. */
int perfetto_begins(const u8 *bytes, u32 len_bytes);

/* perfetto_packed.c: unpacks packets and reads them. */
void perfetto_deflated(struct perfetto *d, struct reader packed);
void perfetto_zstd(struct perfetto *d, struct reader packed);

/* perfetto_events.c: reads the events of a bundle, recorded on one CPU. */
void perfetto_bundle(struct perfetto *d, u32 sequence, struct reader bundle);
/* Remembers names of kernel functions. */
void perfetto_symbols(struct perfetto *d, u32 sequence, struct reader interned);
/* Reports a problem with bytes of the current packet. */
void perfetto_problem(struct perfetto *d, const u8 *at, const char *reason);

/* perfetto_notes.c: 1 if this event is a note. */
int perfetto_note(const struct perfetto *d, u32 number, struct reader body,
		  struct perfetto_note *note);
/* Reads the description of an event that Perfetto's schema lacks. */
void perfetto_describe(struct perfetto *d, struct reader description);

/* perfetto_order.c */
void order_add(struct perfetto *d, u64 time, const struct held_event *event);
/* Emits the earliest events until at most this many wait. */
void order_emit(struct perfetto *d, u32 keep);
void order_drop(struct perfetto *d);

#endif
