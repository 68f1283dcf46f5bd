/*
 * workload_net.c - shapes with TCP over loopback: what a connection allocates, request and response, and netio.
 */
#include "workload/workload.h"

/*
 * Sockets, segments and acknowledgements of TCP over loopback.
 *
 * Recorded on 6.18.44 (a ping-pong of 16 connections, fio's netio job) and on 6.1. A segment is an
 * object of skbuff_fclone_cache with its clone inside, and its headers (skbuff_small_head; before
 * 6.3 kmalloc of 704 bytes). The sender keeps it until it is acknowledged. That happens in the
 * softirq of the CPU that sends the acknowledgement.
 */

enum { CONNECTION_PARTS = 14 };

/* Both ends, with the objects that poll them. */
struct connection {
	object_name parts[CONNECTION_PARTS];
};

/* A sent segment: its two heads in one object, and the object with its data or headers. */
struct segment {
	object_name pair, data;
	u32 is_payload;
};

enum { HANDSHAKE_SEGMENTS = 5 };

static const u8 part_sorts[CONNECTION_PARTS] = { SORT_SOCKET,	 SORT_SOCKET_BLOB, SORT_TCP,
						 SORT_FILE,	 SORT_FILE_BLOB,   SORT_DENTRY,
						 SORT_POLL_ITEM, SORT_SOCKET,	   SORT_SOCKET_BLOB,
						 SORT_TCP,	 SORT_FILE,	   SORT_FILE_BLOB,
						 SORT_DENTRY,	 SORT_POLL_ITEM };

static object_name new_headers(struct workload *g, u32 cpu)
{
	return workload_new(g, g->kernel ? SORT_SKB_SMALL : SORT_SKB_HEAD, cpu);
}

static void free_headers(struct workload *g, object_name headers, u32 cpu)
{
	workload_free(g, g->kernel ? SORT_SKB_SMALL : SORT_SKB_HEAD, headers, cpu);
}

static void segment_send(struct workload *g, struct segment *s, u32 bytes, u32 cpu)
{
	s->pair = workload_new(g, SORT_SKB_PAIR, cpu);
	s->is_payload = bytes != 0;
	if (bytes)
		s->data = workload_new_bytes(g, SORT_PAYLOAD, bytes, cpu);
	else
		s->data = new_headers(g, cpu);
}

static void segment_free(struct workload *g, struct segment *s, u32 cpu)
{
	if (s->is_payload)
		workload_free(g, SORT_PAYLOAD, s->data, cpu);
	else
		free_headers(g, s->data, cpu);
	workload_free(g, SORT_SKB_PAIR, s->pair, cpu);
	*s = (struct segment){ 0 };
}

static void segment_acknowledge(struct workload *g, u32 nr, u32 cpu)
{
	object_name head[2], headers[2];

	for (u32 i = 0; i < nr; i++) {
		head[i] = workload_new(g, SORT_SKB, cpu);
		headers[i] = new_headers(g, cpu);
	}
	for (u32 i = 0; i < nr; i++) {
		free_headers(g, headers[i], cpu);
		workload_free(g, SORT_SKB, head[i], cpu);
	}
}

static void connection_open(struct workload *g, struct connection *c, u32 client_cpu,
			    u32 server_cpu)
{
	for (u32 i = 0; i < CONNECTION_PARTS / 2; i++)
		c->parts[i] = workload_new(g, part_sorts[i], client_cpu);
	object_name request = workload_new(g, SORT_REQUEST, client_cpu);
	for (u32 i = 0; i < HANDSHAKE_SEGMENTS; i++)
		segment_acknowledge(g, 1, client_cpu);
	for (u32 i = CONNECTION_PARTS / 2; i < CONNECTION_PARTS; i++)
		c->parts[i] = workload_new(g, part_sorts[i], server_cpu);
	workload_free(g, SORT_REQUEST, request, server_cpu);
}

static void connection_close(struct workload *g, struct connection *c, u32 cpu)
{
	object_name waiting = workload_new(g, SORT_TIME_WAIT, cpu);

	for (u32 i = CONNECTION_PARTS; i-- > 0;) {
		/* Readers access socket inodes and their pollers without locks, so RCU frees
		 * them. */
		if (part_sorts[i] == SORT_SOCKET || part_sorts[i] == SORT_SOCKET_BLOB ||
		    part_sorts[i] == SORT_POLL_ITEM)
			workload_free_rcu(g, part_sorts[i], c->parts[i], cpu);
		else
			workload_free(g, part_sorts[i], c->parts[i], cpu);
	}
	workload_free_rcu(g, SORT_TIME_WAIT, waiting, cpu);
}

/*
 * The shape of tcp_rr: threads that send a request and wait for the response.
 *
 * Recorded on 6.18.44 (16 threads, 60 round trips of 256 bytes, 2 CPUs), and counted on 6.1 guests
 * with 16 to 512 threads. A transaction allocates and frees four objects, two for the request, two
 * for the response. Each acknowledges the other, so a request is freed right after its response is
 * allocated. The scheduler pulls a woken task to its waker, so client and server run on one CPU: 1
 * to 2 % of frees are on another CPU. How long a request lives depends on how many of the CPU's
 * connections run in between. With 8 of them it is 8 to 128 events.
 */

enum {
	SAME_PERCENT = 10, /* the woken side runs at once */
	LONGEST_SKIP = 2,  /* connections skipped in favour of another */
	MOVE_PER_1000 = 6, /* half transactions that move the connection to another CPU */
	THREAD_PARTS = 6,
	START_TURNS = 240, /* turns before the next thread starts; earlier ones already run */
};

/* A client and its server. Each is a thread. */
struct rr_pair {
	u64 left;
	struct connection connection;
	struct segment request, response;
	object_name threads[2][THREAD_PARTS];
	u32 step; /* request, its acknowledgement, response, its acknowledgement */
	u32 cpu;
	u32 next; /* next in the list of its CPU: pair + 1 */
};

struct rr_cpu {
	u32 first, current, nr; /* pair + 1 */
};

struct tcp_rr {
	u32 nr_pairs, nr_running;
	u32 wait; /* turns until the next thread starts */
	struct process program;
	struct rr_pair *pairs;
	struct rr_cpu *cpus;
	struct area *areas; /* one for each thread */
};

static const u8 thread_sorts[THREAD_PARTS] = { SORT_TASK,	 SORT_STACK_AREA, SORT_STACK_VM,
					       SORT_STACK_PAGES, SORT_CRED,	  SORT_PID };

static u64 rr_bytes(const struct workload *g)
{
	u64 pairs = g->value[WORKLOAD_KEY_THREADS];

	return sizeof(struct tcp_rr) + pairs * (sizeof(struct rr_pair) + sizeof(struct area)) +
	       g->cpus * sizeof(struct rr_cpu);
}

static void rr_start(struct workload *g)
{
	struct tcp_rr *rr = g->state;

	rr->nr_pairs = workload_value(g, WORKLOAD_KEY_THREADS);
	rr->pairs = (struct rr_pair *)(rr + 1);
	rr->cpus = (struct rr_cpu *)(rr->pairs + rr->nr_pairs);
	rr->areas = (struct area *)(rr->cpus + g->cpus);
	process_init(&rr->program, rr->areas, rr->nr_pairs);
	for (u32 i = 0; i < rr->nr_pairs; i++) {
		rr->pairs[i].left = workload_scaled(g, WORKLOAD_KEY_TRANSACTIONS);
		rr->pairs[i].cpu = i % g->cpus;
	}
	g->all = rr->nr_pairs * workload_scaled(g, WORKLOAD_KEY_TRANSACTIONS);
}

static void join_cpu(struct tcp_rr *rr, u32 nr, u32 cpu)
{
	struct rr_pair *p = &rr->pairs[nr];

	p->cpu = cpu;
	p->next = rr->cpus[cpu].first;
	rr->cpus[cpu].first = nr + 1;
	rr->cpus[cpu].nr++;
}

static void leave_cpu(struct tcp_rr *rr, u32 nr)
{
	struct rr_cpu *c = &rr->cpus[rr->pairs[nr].cpu];
	u32 *link = &c->first;

	while (*link != nr + 1)
		link = &rr->pairs[*link - 1].next;
	*link = rr->pairs[nr].next;
	c->nr--;
	c->current = 0;
}

static int rr_open(struct workload *g, struct tcp_rr *rr)
{
	u32 nr = g->at++;
	struct rr_pair *p = &rr->pairs[nr];

	for (u32 side = 0; side < 2; side++)
		for (u32 i = 0; i < THREAD_PARTS; i++)
			p->threads[side][i] = workload_new(g, thread_sorts[i], 0);
	/* Maps their stacks: an area with a guard page split off. */
	process_map(g, &rr->program, 0);
	process_split(g, &rr->program, 0);
	connection_open(g, &p->connection, p->cpu, p->cpu);
	join_cpu(rr, nr, p->cpu);
	rr->nr_running++;
	rr->wait = workload_below(g, START_TURNS);
	return 1;
}

/* Chooses the CPU's next pair. They take turns, but sometimes one waits a little longer. */
static void choose(struct workload *g, struct tcp_rr *rr, u32 cpu)
{
	struct rr_cpu *c = &rr->cpus[cpu];
	u32 nr = c->current;

	for (u32 skip = 1 + workload_below(g, LONGEST_SKIP); skip; skip--)
		nr = nr && rr->pairs[nr - 1].next ? rr->pairs[nr - 1].next : c->first;
	c->current = nr;
}

/* Ends half a transaction: a request or response was sent, which acknowledged the previous one. */
static void half_done(struct workload *g, struct tcp_rr *rr, u32 nr)
{
	struct rr_pair *p = &rr->pairs[nr];

	if (p->step == 4) {
		p->step = 0;
		p->left--;
		g->done++;
	}
	if (!p->left) {
		leave_cpu(rr, nr);
		rr->nr_running--;
	} else if (workload_below(g, 1000) < MOVE_PER_1000) {
		u32 cpu = workload_below(g, g->cpus);
		if (rr->cpus[cpu].nr > rr->cpus[p->cpu].nr)
			return;
		leave_cpu(rr, nr);
		join_cpu(rr, nr, cpu);
	} else if (!workload_chance(g, SAME_PERCENT)) {
		choose(g, rr, p->cpu);
	}
}

static void rr_step(struct workload *g, struct rr_pair *p)
{
	switch (p->step++) {
	case 0:
		segment_send(g, &p->request, 0, p->cpu);
		break;
	case 1:
		segment_free(g, &p->response, p->cpu);
		break;
	case 2:
		segment_send(g, &p->response, 0, p->cpu);
		break;
	default:
		segment_free(g, &p->request, p->cpu);
	}
}

static void rr_run(struct workload *g, struct tcp_rr *rr)
{
	u32 cpu = workload_below(g, g->cpus);

	while (!rr->cpus[cpu].nr)
		cpu = (cpu + 1) % g->cpus;
	if (!rr->cpus[cpu].current)
		choose(g, rr, cpu);
	u32 nr = rr->cpus[cpu].current - 1;
	rr_step(g, &rr->pairs[nr]);
	if (rr->pairs[nr].step % 2 == 0)
		half_done(g, rr, nr);
}

static int rr_close(struct workload *g)
{
	struct tcp_rr *rr = g->state;
	struct rr_pair *p = &rr->pairs[g->at++];

	segment_free(g, &p->response, p->cpu);
	connection_close(g, &p->connection, p->cpu);
	for (u32 side = 0; side < 2; side++)
		for (u32 i = 0; i < THREAD_PARTS; i++)
			workload_free_rcu(g, thread_sorts[i], p->threads[side][i], p->cpu);
	if (g->at < rr->nr_pairs)
		return 1;
	process_exit(g, &rr->program, 0, 0);
	return 0;
}

/* Opens pairs, and lets those that are open run. */
static int rr_turn(struct workload *g)
{
	struct tcp_rr *rr = g->state;

	if (g->at < rr->nr_pairs && (!rr->wait || !rr->nr_running))
		return rr_open(g, rr);
	if (!rr->nr_running)
		return 0;
	rr->wait -= rr->wait != 0;
	rr_run(g, rr);
	return 1;
}

const struct workload_shape shape_tcp_rr = { rr_bytes, rr_start, { rr_turn, rr_close } };

/*
 * The shape of fio's netio job: loopback streams that allocate and free buffers
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
	u32 first, nr; /* entries of a ring */
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
