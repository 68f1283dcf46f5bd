/* put_protobuf.h - a writer of protobuf that shares no code with the reader. */
#ifndef TEST_SUPPORT_PUT_PROTOBUF_H
#define TEST_SUPPORT_PUT_PROTOBUF_H

#include <stdlib.h>
#include <string.h>

struct message {
	char *bytes;
	size_t len, room;
};

static inline void put(struct message *m, const void *bytes, size_t len)
{
	if (m->len + len > m->room) {
		m->room = (m->len + len) * 2;
		m->bytes = realloc(m->bytes, m->room);
	}
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static inline void put_varint(struct message *m, unsigned long long n)
{
	do {
		char byte = (char)(n > 127 ? n % 128 + 128 : n);
		put(m, &byte, 1);
		n /= 128;
	} while (n);
}

static inline void put_number(struct message *m, unsigned field, unsigned long long n)
{
	put_varint(m, field * 8);
	put_varint(m, n);
}

static inline void put_bytes(struct message *m, unsigned field, const void *bytes, size_t len)
{
	put_varint(m, field * 8 + 2);
	put_varint(m, len);
	put(m, bytes, len);
}

/* Moves a message into another one. */
static inline void put_message(struct message *m, unsigned field, struct message *inner)
{
	put_bytes(m, field, inner->bytes, inner->len);
	free(inner->bytes);
	*inner = (struct message){ 0 };
}

#endif
