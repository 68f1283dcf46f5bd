/*
 * protobuf.h - writes protobuf messages into a bounded buffer: varints, and bytes after their length.
 */
#ifndef UTIL_PROTOBUF_H
#define UTIL_PROTOBUF_H

#include "kmem_types.h"

enum { MAX_MESSAGE_BYTES = 192 };

/* A small message; an inner message is built separately, then copied after its length. */
struct message {
	u8 bytes[MAX_MESSAGE_BYTES];
	u32 len;
};

static inline void put_varint(struct message *m, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		m->bytes[m->len++] = (u8)(n | 0x80);
	m->bytes[m->len++] = (u8)n;
}

static inline void put_number(struct message *m, u32 field, u64 n)
{
	put_varint(m, field << 3);
	put_varint(m, n);
}

/* Puts the head of a field whose len bytes follow. */
static inline void put_head(struct message *m, u32 field, u32 len)
{
	put_varint(m, field << 3 | 2);
	put_varint(m, len);
}

static inline void put_bytes(struct message *m, u32 field, const void *bytes, u32 len)
{
	put_head(m, field, len);
	KASSERT(m->len + len <= sizeof(m->bytes));
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

#endif
