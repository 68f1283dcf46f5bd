/*
 * workload_tcp_rr.c - the shape of tcp_rr: threads that send a request and wait for the response.
 *
 * Recorded on 6.18.44 (16 threads, 60 round trips of 256 bytes, 2 CPUs), and counted on 6.1 guests
 * with 16 to 512 threads. A transaction allocates and frees four objects, two for the request, two
 * for the response. Each acknowledges the other, so a request is freed right after its response is
 * allocated. The scheduler pulls a woken task to its waker, so client and server run on one CPU: 1
 * to 2 % of frees are on another CPU. How long a request lives depends on how many of the CPU's
 * connections run in between. With 8 of them it is 8 to 128 events.
 */
#include "workload/workload_tcp.h"

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
	u32 next; /* in the list of its CPU: pair + 1 */
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
