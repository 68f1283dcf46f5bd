/*
 * format_perfetto.c - reads a Perfetto trace from front to back: one packet after another, each after
 * its length. A packet has a bundle of events, more packets, names of functions, or the kernel's release.
 */
#include "import/formats/perfetto.h"

/* Compressed packets: zlib, or zstd. A packet does not say how long its content is. */

static void perfetto_packet(struct perfetto *d, struct reader packet);

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
			perfetto_problem(d, start, "the rest is skipped: expected a packet");
			break;
		}
		perfetto_packet(d, packet);
	}
	d->in_packed = 0;
}

static void perfetto_unpack(struct perfetto *d, struct reader packed, int is_zstd)
{
	enum { MAX_TIMES_LARGER = 1000, LEAST_ROOM_BYTES = 64 << 10 };
	u64 len = reader_left(&packed);
	u64 room = MIN(len * MAX_TIMES_LARGER + LEAST_ROOM_BYTES, (u64)MAX_UNPACKED_BYTES);
	s64 unpacked;

	if (!import_grow(d->im, &d->unpacked, room + SCAN_SLACK) ||
	    (is_zstd && !d->zstd && !(d->zstd = import_block(d->im, sizeof(*d->zstd)))))
		return;
	if (is_zstd)
		unpacked = zstd_unpack(d->zstd, packed.at, len, d->unpacked.at, room);
	else
		unpacked = zlib_unpack(packed.at, len, d->unpacked.at, room);
	if (unpacked < 0)
		perfetto_problem(d, packed.at,
				 "compressed packets that cannot be unpacked are skipped,");
	else
		read_unpacked(d, (u64)unpacked);
}

/*
 * Reads a packet: a bundle of events, more packets, names of functions, or the
 * kernel's release. All other packets are skipped.
 */

/* Fields of TracePacket, SystemInfo, Utsname and ProcessTree with its messages. */
enum {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_SEQUENCE = 10,
	PACKET_INTERNED = 12,
	PACKET_SYSTEM_INFO = 45,
	PACKET_COMPRESSED = 50,
	PACKET_ZSTD = 133,
	SYSTEM_UTSNAME = 1,
	UTSNAME_RELEASE = 3,
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	TASK_PID = 1,
	THREAD_NAME = 2,
	PROCESS_CMDLINE = 3,
};

enum { MAX_PACKET_FIELD = 1999, SNIFFED_PACKETS = 16 };

/* Returns 1 if the packet has fields, all of them with numbers that Perfetto uses. */
static int is_packet(struct reader r)
{
	struct wire_field field;
	u32 nr = 0;

	for (; wire_next(&r, &field); nr++)
		if (field.number > MAX_PACKET_FIELD)
			return 0;
	return nr && !r.bad;
}

/* Returns 1 if these bytes can start a Perfetto trace. */
static int perfetto_begins(const u8 *bytes, u32 len)
{
	struct reader r = { bytes, bytes + len, 0 };

	for (u32 i = 0; i < SNIFFED_PACKETS; i++) {
		const u8 *tag = reader_take(&r, 1);
		if (!tag)
			return i > 0;
		if (*tag != (1 << 3 | WIRE_BYTES))
			return 0;
		u64 packet_bytes = wire_varint(&r);
		/* The first packet may be longer than what is known of the file. */
		if (r.bad || packet_bytes > reader_left(&r))
			return i > 0 ||
			       (!r.bad && len == SNIFF_BYTES && packet_bytes <= MAX_PACKET_BYTES);
		if (!is_packet(reader_part(&r, packet_bytes)))
			return 0;
	}
	return 1;
}

void perfetto_problem(struct perfetto *d, const u8 *at, const char *reason)
{
	struct import *im = d->im;

	binary_place(im, &d->reading);
	if (d->in_packed) {
		im->place_bytes = NULL;
		im->unpacked_from = d->packet_at;
	}
	binary_problem(im, at, reason);
}

static void read_system(struct perfetto *d, struct reader system)
{
	struct wire_field field, name;

	while (wire_next(&system, &field)) {
		if (!wire_is_bytes(&field, SYSTEM_UTSNAME))
			continue;
		while (wire_next(&field.bytes, &name))
			if (wire_is_bytes(&name, UTSNAME_RELEASE))
				import_kernel(d->im, name.bytes.at, name.bytes.end);
	}
}

/* Returns the last part of a command's path: what the kernel makes of it. */
static struct reader base_name(struct reader path)
{
	for (const u8 *p = path.at; p < path.end; p++)
		if (*p == '/' && p + 1 < path.end)
			path.at = p + 1;
	return path;
}

/* Reads names of tasks. They have no time, so they are valid from the start. */
static void read_tree(struct perfetto *d, struct reader tree)
{
	struct wire_field field, part;

	while (d->tasks && wire_next(&tree, &field)) {
		struct reader name = { 0 };
		u32 pid = 0;
		if (!wire_is_bytes(&field, TREE_PROCESSES) && !wire_is_bytes(&field, TREE_THREADS))
			continue;
		while (wire_next(&field.bytes, &part)) {
			if (part.number == TASK_PID && part.type == WIRE_VARINT)
				pid = (u32)part.value;
			else if (field.number == TREE_THREADS && wire_is_bytes(&part, THREAD_NAME))
				name = part.bytes;
			else if (field.number == TREE_PROCESSES && !name.at &&
				 wire_is_bytes(&part, PROCESS_CMDLINE))
				name = base_name(part.bytes);
		}
		if (pid && reader_left(&name))
			comms_add(d->tasks, pid, 0, name.at, name.end);
	}
}

/* Finds the packet's sequence, by which names are numbered. 0 if the packet is damaged. */
static int read_sequence(struct reader r, u32 *sequence)
{
	struct wire_field field;

	while (wire_next(&r, &field))
		if (field.number == PACKET_SEQUENCE && field.type == WIRE_VARINT)
			*sequence = (u32)field.value;
	return !r.bad;
}

/* The writer of a packet may put names after the events that need them. */
static void read_names(struct perfetto *d, u32 sequence, struct reader r)
{
	struct wire_field field;

	while (wire_next(&r, &field)) {
		if (wire_is_bytes(&field, PACKET_INTERNED))
			perfetto_symbols(d, sequence, field.bytes);
		else if (wire_is_bytes(&field, PACKET_SYSTEM_INFO))
			read_system(d, field.bytes);
		else if (wire_is_bytes(&field, PACKET_PROCESS_TREE))
			read_tree(d, field.bytes);
	}
}

static void read_packed(struct perfetto *d, const struct wire_field *field)
{
	if (d->in_packed)
		perfetto_problem(d, field->bytes.at,
				 "compressed packets inside compressed packets are skipped,");
	else
		perfetto_unpack(d, field->bytes, field->number == PACKET_ZSTD);
}

/* Reads a whole packet. */
static void perfetto_packet(struct perfetto *d, struct reader packet)
{
	struct wire_field field;
	u32 sequence = 0;

	if (!read_sequence(packet, &sequence)) {
		perfetto_problem(d, packet.at, "a packet that cannot be read is skipped,");
		return;
	}
	read_names(d, sequence, packet);
	while (d->im->status == KMEM_OK && wire_next(&packet, &field)) {
		if (wire_is_bytes(&field, PACKET_FTRACE_EVENTS))
			perfetto_bundle(d, sequence, field.bytes);
		else if (wire_is_bytes(&field, PACKET_COMPRESSED) ||
			 wire_is_bytes(&field, PACKET_ZSTD))
			read_packed(d, &field);
	}
}

enum {
	PACKET_TAG = 1 << 3 | WIRE_BYTES,
	MAX_HEADER_BYTES = 11, /* the tag and the longest length */
	READ_BYTES = 256 << 10,
	READ_BYTES_TINY = 1,
};

/* Makes len bytes from d->at on available, or as many as the file has; 0 while it waits. */
static int need(struct perfetto *d, u64 len, struct reader *there)
{
	u64 usual = d->im->source.tiny ? READ_BYTES_TINY : READ_BYTES;

	return binary_window(d->im, &d->reading, d->at, len, usual, there);
}

/* Reads the packet at d->at, if it is there: 1 if another may follow, 0 while it waits for bytes. */
static int read_packet(struct perfetto *d)
{
	struct import *im = d->im;
	struct reader r, packet;

	if (!need(d, MAX_HEADER_BYTES, &r))
		return 0;
	const u8 *start = r.at;
	binary_place(im, &d->reading);
	if (!reader_left(&r)) {
		d->is_done = 1;
		return 1;
	}
	u32 tag = *reader_take(&r, 1);
	u64 len = wire_varint(&r), header = (u64)(r.at - start);
	if (tag != PACKET_TAG || (r.bad && reader_left(&r))) {
		binary_problem(
			im, start,
			"the rest is skipped: expected a packet (the byte 0x0a and a length)");
		d->is_done = 1;
		return 1;
	}
	if (!r.bad && len > MAX_PACKET_BYTES) {
		binary_problem(im, start, "the rest is skipped: a packet claims more than 16 MiB");
		d->is_done = 1;
		return 1;
	}
	if (!need(d, r.bad ? 0 : header + len, &packet))
		return 0;
	binary_place(im, &d->reading);
	reader_take(&packet, header);
	packet = reader_part(&packet, len);
	if (r.bad || packet.bad) {
		binary_cut_off(im, " in the middle of a packet");
		d->is_done = 1;
		return 1;
	}
	d->packet_at = d->at;
	d->at += header + len;
	perfetto_packet(d, packet);
	return im->status == KMEM_OK;
}

static void end(struct perfetto *d)
{
	struct import *im = d->im;

	order_emit(im, &im->order, 0, ~(u64)0);
	if (d->nr_kmem || im->nr_problems)
		return;
	binary_refuse(
		im,
		d->nr_bundles
			? "This Perfetto trace has ftrace events, but none of kmem: add kmem/kmalloc, "
			  "kmem/kfree, kmem/kmem_cache_alloc and kmem/kmem_cache_free to ftrace_events "
			  "in its configuration."
			: "This Perfetto trace has no ftrace events: record with the data source "
			  "linux.ftrace and the events kmem/kmalloc, kmem/kfree, kmem/kmem_cache_alloc "
			  "and kmem/kmem_cache_free.");
}

static void perfetto_step(struct import *im)
{
	struct perfetto *d = im->binary;

	while (im->status == KMEM_OK && !d->is_done)
		if (!read_packet(d))
			return;
	if (im->status == KMEM_OK && d->is_done == 1) {
		d->is_done++;
		end(d);
	}
}

static u32 task_of(struct import *im, const struct event *held)
{
	const struct perfetto *d = im->binary;

	return d->tasks ? comms_task(d->tasks, held->task, held->time) : 0;
}

static void perfetto_open(struct import *im)
{
	struct perfetto *d = import_block(im, sizeof(*d));

	im->binary = d;
	if (!d)
		return;
	d->im = im;
	im->order.most = im->source.tiny ? MOST_HELD_TINY : MOST_HELD;
	im->order.keep = im->order.most / 2;
	if (im->keep & KMEM_KEEP_TASKS) {
		d->tasks = tracepoints_open(im);
		im->order.task_of = task_of;
	}
	if (im->status == KMEM_OK && import_reserve(im, &d->symbols))
		perfetto_step(im);
}

static void perfetto_drop(struct import *im)
{
	struct perfetto *d = im->binary;
	struct pool *pool = im->trace->pool;

	if (d->tasks)
		tracepoints_close(d->tasks);
	extent_drop(im, &d->reading);
	buffer_free(pool, &d->unpacked);
	hash_free(pool, &d->symbols);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
	im->binary = NULL;
}

const struct trace_format format_perfetto = { .name = "Perfetto",
					      .begins = perfetto_begins,
					      .open = perfetto_open,
					      .step = perfetto_step,
					      .drop = perfetto_drop };
