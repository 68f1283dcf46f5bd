/*
 * perfetto_packed.c - unpacks compressed packets: zlib, or zstd. A packet does not say how long its
 * content is, so the buffer grows, up to MAX_UNPACKED_BYTES.
 */
#include "import/formats/perfetto/perfetto.h"

enum { FIRST_BYTES = 64 << 10, STEP_BYTES = 1 << 20 };

/* Makes room for this many bytes and for what the unpackers write past them; 0 if it is too much. */
static int room(struct perfetto *d, u64 need_bytes)
{
	return need_bytes <= MAX_UNPACKED_BYTES &&
	       import_grow(d->im, &d->unpacked,
			   need_bytes + MAX((u32)INFLATE_LONGEST_MATCH, (u32)ZSTD_MAX_BLOCK) +
				   SCAN_SLACK);
}

static void read_unpacked(struct perfetto *d, u64 len_bytes)
{
	enum { PACKET_TAG = 1 << 3 | WIRE_BYTES };
	const u8 *bytes = d->unpacked.at;
	struct reader r = { bytes, bytes + len_bytes, 0 };

	d->in_packed = 1;
	while (reader_left(&r) && d->im->status == KMEM_OK) {
		const u8 *start = r.at;
		u32 tag = *reader_take(&r, 1);
		struct reader packet = reader_part(&r, wire_varint(&r));
		if (tag != PACKET_TAG || r.bad) {
			perfetto_problem(d, start, "expected a packet: the rest is skipped,");
			break;
		}
		perfetto_packet(d, packet);
	}
	d->in_packed = 0;
}

static void refuse_packed(struct perfetto *d, const u8 *at)
{
	if (d->im->status == KMEM_OK)
		perfetto_problem(d, at, "compressed packets cannot be unpacked: they are skipped,");
}

/* 1 if the bytes begin with a header of zlib. */
static int is_zlib(const struct reader *packed)
{
	const u8 *in = packed->at;

	/* The method is deflate, without a dictionary. */
	return reader_left(packed) >= 2 && (in[0] & 15) == 8 && !((in[0] << 8 | in[1]) % 31) &&
	       !(in[1] & 32);
}

void perfetto_deflated(struct perfetto *d, struct reader packed)
{
	struct inflate *z = &d->inflate;

	if (!is_zlib(&packed) || !room(d, FIRST_BYTES)) {
		refuse_packed(d, packed.at);
		return;
	}
	*z = (struct inflate){ .in = packed.at + 2, .end = packed.end, .is_last = 1 };
	inflate_begin(z);
	for (u64 stop = FIRST_BYTES; z->at != INFLATE_END; stop += MIN(stop, (u64)STEP_BYTES)) {
		if (!room(d, stop))
			break;
		z->out = d->unpacked.at;
		z->out_room = stop + INFLATE_LONGEST_MATCH;
		z->out_stop = stop;
		inflate_run(z);
		if (z->at == INFLATE_BAD)
			break;
	}
	if (z->at == INFLATE_END)
		read_unpacked(d, z->out_bytes);
	else
		refuse_packed(d, packed.at);
}

/* Unpacks the blocks behind a frame's header: 1 if all of them are valid. */
static int unpack_blocks(struct perfetto *d, const u8 *in, const u8 *end)
{
	struct zstd *z = d->zstd;

	z->out_bytes = 0;
	while (!z->at_end) {
		u32 len = zstd_block_bytes(in, (u64)(end - in));
		if (!len || !room(d, z->out_bytes + ZSTD_MAX_BLOCK))
			return 0;
		z->out = d->unpacked.at;
		z->out_room = z->out_bytes + ZSTD_MAX_BLOCK;
		if (!zstd_block(z, in, len))
			return 0;
		in += len;
	}
	return 1;
}

void perfetto_zstd(struct perfetto *d, struct reader packed)
{
	enum { MAGIC_BYTES = 4 };
	static const u8 magic[MAGIC_BYTES] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (!d->zstd && !(d->zstd = import_block(d->im, sizeof(*d->zstd))))
		return;
	u64 len = reader_left(&packed);
	u32 header = len > MAGIC_BYTES && !memcmp(packed.at, magic, MAGIC_BYTES)
			     ? zstd_open(d->zstd, packed.at, len)
			     : 0;
	if (header && !d->zstd->dictionary && unpack_blocks(d, packed.at + header, packed.end))
		read_unpacked(d, d->zstd->out_bytes);
	else
		refuse_packed(d, packed.at);
}
