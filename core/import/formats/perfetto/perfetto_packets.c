/*
 * perfetto_packets.c - reads a packet: a bundle of events, more packets, names of functions, or the
 * kernel's release. All other packets are skipped.
 */
#include "import/formats/perfetto/perfetto.h"

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

/* 1 if the packet has fields, all of them with numbers that Perfetto uses. */
static int is_packet(struct reader r)
{
	struct wire_field field;
	u32 nr = 0;

	for (; wire_next(&r, &field); nr++)
		if (field.number > MAX_PACKET_FIELD)
			return 0;
	return nr && !r.bad;
}

int perfetto_begins(const u8 *bytes, u32 len)
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

/* The last part of a command's path: what the kernel makes of it. */
static struct reader base_name(struct reader path)
{
	for (const u8 *p = path.at; p < path.end; p++)
		if (*p == '/' && p + 1 < path.end)
			path.at = p + 1;
	return path;
}

/* Reads names of tasks. They have no time, so they count from the beginning. */
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

/* The writer of a packet may put names behind the events that need them. */
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
				 "compressed packets inside compressed packets: they are skipped,");
	else if (field->number == PACKET_COMPRESSED)
		perfetto_deflated(d, field->bytes);
	else
		perfetto_zstd(d, field->bytes);
}

void perfetto_packet(struct perfetto *d, struct reader packet)
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
