/*
 * workload_netio.c - the shape of fio's netio job: loopback streams that allocate and free buffers
 * in bursts.
 *
 * Recorded on 6.18.44 (fio's netio example, blocks of 4 KiB over 127.0.0.1). The writer fills the
 * socket with a burst of segments, and the reader acknowledges every few of them. An
 * acknowledgement is freed at once. Segments live until they are acknowledged, from 2 to 500
 * events. All of it runs in the softirq of the reader's CPU.
 *
 * In that kernel the data are in page fragments (payload=0). The proposal of 2008 measured a kernel
 * that copied them into buffers of nearly a page; its change concerns those. payload is the largest
 * size of such a buffer; most buffers are nearly that long. In every second connection the reader
 * has its own CPU.
 */
#include "workload/workload_tcp.h"

enum {
	MAX_IN_FLIGHT = 64, /* 212,992 bytes by 3 to 4 KiB */
	USUAL_BURST = 24,
	LONGEST_BURST = MAX_IN_FLIGHT,
	USUAL_READ = 1, /* segments per acknowledgement */
	LONGEST_READ = 8,
	USUAL_READS = 8, /* reads before the writer continues */
	LONGEST_READS = MAX_IN_FLIGHT,
	WRITE_PERCENT = 35,
	AT_ONCE_PERCENT = 20, /* segments freed at once, because the reader waits for them */
	TWO_ACKNOWLEDGED_PERCENT = 45,
	TAIL_PERCENT = 12, /* the last buffer of a write is shorter */
	MOVE_PERCENT = 2,
	PROGRAMS = 3, /* fio and its two jobs */
};

struct stream {
	struct connection connection;
	u32 writer_cpu, reader_cpu;
	u32 first, nr; /* of a ring */
	struct segment flight[MAX_IN_FLIGHT];
};

struct netio {
	u32 nr_streams;
	u64 left; /* segments still to send */
	struct process programs[PROGRAMS];
	struct stream *streams;
	struct area *areas;
};

static u32 program_maps(const struct workload *g)
{
	return workload_value(g, WORKLOAD_KEY_PROGRAM_MAPS);
}

static u64 netio_bytes(const struct workload *g)
{
	return sizeof(struct netio) + g->value[WORKLOAD_KEY_CONNECTIONS] * sizeof(struct stream) +
	       (u64)PROGRAMS * program_maps(g) * sizeof(struct area);
}

static void netio_start(struct workload *g)
{
	struct netio *n = g->state;

	n->nr_streams = workload_value(g, WORKLOAD_KEY_CONNECTIONS);
	n->streams = (struct stream *)(n + 1);
	n->areas = (struct area *)(n->streams + n->nr_streams);
	n->left = g->all = workload_scaled(g, WORKLOAD_KEY_BUFFERS);
	for (u32 i = 0; i < PROGRAMS; i++)
		process_init(&n->programs[i], n->areas + i * program_maps(g), program_maps(g));
	for (u32 i = 0; i < n->nr_streams; i++) {
		n->streams[i].writer_cpu = (g->cpus - 1 + i / 2) % g->cpus;
		n->streams[i].reader_cpu = (n->streams[i].writer_cpu + i % 2) % g->cpus;
	}
}

static int start_programs(struct workload *g)
{
	struct netio *n = g->state;

	if (!program_maps(g))
		return 0;
	process_exec(g, &n->programs[0], program_maps(g), 0);
	for (u32 i = 0; i < program_maps(g) / 8; i++)
		process_read_file(g, 1, 0);
	for (u32 i = 1; i < PROGRAMS; i++)
		process_fork(g, &n->programs[0], &n->programs[i], 0, 0);
	return 0;
}

static int open_stream(struct workload *g)
{
	struct netio *n = g->state;
	struct stream *s = &n->streams[g->at++];

	connection_open(g, &s->connection, s->writer_cpu, s->reader_cpu);
	return g->at < n->nr_streams;
}

static u32 payload_bytes(struct workload *g)
{
	u32 most = workload_value(g, WORKLOAD_KEY_PAYLOAD);

	if (!most)
		return 0;
	if (workload_chance(g, TAIL_PERCENT))
		return 1 + workload_below(g, most);
	return most - workload_below(g, most / 8 + 1);
}

static void write_burst(struct workload *g, struct netio *n, struct stream *s)
{
	u32 burst = workload_stretch(g, USUAL_BURST, LONGEST_BURST);

	for (; burst && n->left && s->nr < MAX_IN_FLIGHT; burst--, n->left--, g->done++) {
		struct segment *next = &s->flight[(s->first + s->nr++) % MAX_IN_FLIGHT];
		segment_send(g, next, payload_bytes(g), s->writer_cpu);
		if (workload_chance(g, AT_ONCE_PERCENT)) {
			segment_free(g, next, s->reader_cpu);
			s->nr--;
		}
	}
}

/* The reader reads a few segments and acknowledges them together. */
static void read_some(struct workload *g, struct stream *s)
{
	u32 some = workload_stretch(g, USUAL_READ, LONGEST_READ), nr = MIN(some, s->nr);

	segment_acknowledge(g, 1 + (u32)workload_chance(g, TWO_ACKNOWLEDGED_PERCENT),
			    s->reader_cpu);
	for (; nr; nr--, s->nr--) {
		segment_free(g, &s->flight[s->first], s->reader_cpu);
		s->first = (s->first + 1) % MAX_IN_FLIGHT;
	}
}

static int run_stream(struct workload *g)
{
	struct netio *n = g->state;
	struct stream *s = &n->streams[workload_below(g, n->nr_streams)];
	u32 reads = workload_stretch(g, USUAL_READS, LONGEST_READS);

	if (n->left && (!s->nr || workload_chance(g, WRITE_PERCENT))) {
		write_burst(g, n, s);
		if (n->nr_streams > 1 && workload_chance(g, MOVE_PERCENT))
			s->reader_cpu = workload_below(g, g->cpus);
	} else {
		for (u32 i = 0; i < reads && s->nr; i++)
			read_some(g, s);
	}
	if (n->left)
		return 1;
	for (u32 i = 0; i < n->nr_streams; i++)
		if (n->streams[i].nr)
			return 1;
	return 0;
}

static int close_stream(struct workload *g)
{
	struct netio *n = g->state;
	struct stream *s = &n->streams[g->at++];

	connection_close(g, &s->connection, s->reader_cpu);
	if (g->at < n->nr_streams)
		return 1;
	for (u32 i = PROGRAMS; program_maps(g) && i-- > 0;)
		process_exit(g, &n->programs[i], i ? g->cpus - 1 : 0, 0);
	return 0;
}

const struct workload_shape shape_netio = {
	netio_bytes, netio_start, { start_programs, open_stream, run_stream, close_stream }
};
