/*
 * workload_hackbench.c - the shape of hackbench: groups of senders and receivers, small messages,
 * Unix sockets.
 *
 * As in perf bench sched messaging, and in two traces of it (Linux 6.1.192 on 8 CPUs, 6.18.44 on
 * 2):
 *  - set-up: a socket pair for each receiver, then a fork for each task, which copies about ten
 *    memory areas;
 *  - every sender writes 100 bytes to each receiver of its group in turn, `loops` times. A message
 *    is a skbuff_head_cache object and 512 bytes of data. The sender's CPU allocates both. The
 *    receiver's CPU frees both, data first. With 8 CPUs, 86 % of frees are on another CPU; with 2,
 *    51 %;
 *  - a socket holds 277 messages (212,992 bytes of sk_sndbuf by 768 of truesize), then its senders
 *    wait. Senders run ahead, so lifetimes have two peaks: receivers that run at once, and full
 *    sockets;
 *  - at the end tasks exit one after another, and RCU delays frees of objects that readers may
 *    still see.
 */
#include "workload/workload.h"

enum {
	SOCKET_MESSAGES = 277,
	AREAS_OF_A_TASK = 10,
	WRITTEN_AREAS = 5,
	SOCKET_PARTS = 8, /* objects of a pair: two sockets with inode, file and dentry each */
	/* Messages in a row before another CPU continues. In the traces these stretches have a
	 * median of 2 events and a mean of 9. */
	USUAL_STRETCH = 2,
	LONGEST_STRETCH = 40,
	/* A receiver runs for this many messages. */
	RECEIVER_SLICE = 200,
	/* The first slice of every task. No receiver has slept yet, so none preempts a sender. It
	 * grows with the number of CPUs that run senders while receivers wait. On one CPU, 6.1's
	 * SLOB took 3,131 pages for 40,000 messages of 4 groups. On 8 CPUs the sockets of one
	 * group were full. */
	FIRST_SLICE = 45,
	FIRST_SLICE_PER_CPU = 25,
	LONGEST_FIRST_SLICE = 250,
	/* Woken tasks do not interrupt longer slices. */
	LONGEST_INTERRUPTED = 100,
	/* How many of 100 woken tasks run immediately, on the waking CPU or on any. The others wait for
	 * at most this many events. */
	AT_ONCE_PERCENT = 40,
	HERE_PERCENT = 18,
	WAKE_OPERATIONS = 400,
};

struct message {
	object_name head, data;
};

struct socket {
	u32 first, nr; /* entries of a ring */
	struct message queue[SOCKET_MESSAGES];
	object_name parts[SOCKET_PARTS];
};

struct task {
	u64 left; /* messages still to send or receive */
	u32 group, number;
	u32 slice; /* messages until the CPU's next task runs */
	u32 next;  /* next in the CPU's queue: task + 1 */
	u32 due;   /* the event after which it is awake */
	u16 cpu;
	u8 is_sender, is_queued, has_run, is_waking;
	struct process process;
};

struct run_queue {
	u32 first, last; /* task + 1 */
};

struct hackbench {
	u32 nr_fds, nr_sockets, nr_tasks, slice, first_slice;
	u32 nr_queued;
	u32 first_waking, nr_waking; /* entries of a ring */
	struct process parent;
	struct task *tasks;	  /* a group's receivers, then its senders, then the next group */
	struct socket *sockets;	  /* one for each receiver */
	struct run_queue *queues; /* [cpus] */
	u32 *waking;		  /* [nr_tasks] */
	struct area *areas;	  /* AREAS_OF_A_TASK for each task, and for the parent */
};

static const u8 socket_sorts[SOCKET_PARTS] = { SORT_SOCKET, SORT_UNIX,	 SORT_SOCKET, SORT_UNIX,
					       SORT_FILE,   SORT_DENTRY, SORT_FILE,   SORT_DENTRY };

static u32 nr_sockets(const struct workload *g)
{
	return workload_value(g, WORKLOAD_KEY_GROUPS) * workload_value(g, WORKLOAD_KEY_FDS);
}

static u64 hackbench_bytes(const struct workload *g)
{
	u64 sockets = nr_sockets(g), tasks = sockets * 2;

	return sizeof(struct hackbench) + tasks * sizeof(struct task) +
	       sockets * sizeof(struct socket) + g->cpus * sizeof(struct run_queue) +
	       tasks * sizeof(u32) + (tasks + 1) * AREAS_OF_A_TASK * sizeof(struct area) + 64;
}

static void hackbench_start(struct workload *g)
{
	struct hackbench *h = g->state;
	u64 loops = workload_scaled(g, WORKLOAD_KEY_LOOPS);

	h->nr_fds = workload_value(g, WORKLOAD_KEY_FDS);
	h->slice = workload_value(g, WORKLOAD_KEY_SLICE);
	h->first_slice = MIN(FIRST_SLICE + FIRST_SLICE_PER_CPU * g->cpus, (u32)LONGEST_FIRST_SLICE);
	h->nr_sockets = nr_sockets(g);
	h->nr_tasks = h->nr_sockets * 2;
	h->tasks = (struct task *)(h + 1);
	h->sockets = (struct socket *)(h->tasks + h->nr_tasks);
	h->queues = (struct run_queue *)(h->sockets + h->nr_sockets);
	h->waking = (u32 *)(h->queues + g->cpus);
	h->areas = (struct area *)(h->waking + h->nr_tasks);
	for (u32 i = 0; i <= h->nr_tasks; i++)
		process_init(i < h->nr_tasks ? &h->tasks[i].process : &h->parent,
			     h->areas + (u64)i * AREAS_OF_A_TASK, AREAS_OF_A_TASK);
	for (u32 i = 0; i < h->nr_tasks; i++) {
		struct task *t = &h->tasks[i];
		t->number = i % (h->nr_fds * 2);
		t->group = i / (h->nr_fds * 2);
		t->is_sender = t->number >= h->nr_fds;
		t->left = loops * h->nr_fds;
		t->cpu = (u16)workload_below(g, g->cpus);
	}
	g->all = (u64)h->nr_sockets * h->nr_fds * loops;
}

/* Set-up */

static int make_socket(struct workload *g)
{
	struct hackbench *h = g->state;
	struct socket *s = &h->sockets[g->at++];

	for (u32 i = 0; i < SOCKET_PARTS; i++)
		s->parts[i] = workload_new(g, socket_sorts[i], 0);
	if (g->at < h->nr_sockets)
		return 1;
	/* The parent itself stays: the trace shows only the copies of its memory. */
	for (u32 i = 0; i < AREAS_OF_A_TASK; i++)
		h->parent.areas[i].anon = i < WRITTEN_AREAS;
	h->parent.nr_areas = AREAS_OF_A_TASK;
	return 0;
}

static void enqueue(struct hackbench *h, u32 nr, int in_front)
{
	struct task *t = &h->tasks[nr];
	struct run_queue *q = &h->queues[t->cpu];

	if (t->is_queued)
		return;
	t->is_queued = 1;
	t->next = in_front ? q->first : 0;
	t->slice = t->is_sender ? h->slice : MAX(h->slice, RECEIVER_SLICE);
	if (!t->has_run)
		t->slice = MAX(h->slice, h->first_slice);
	t->has_run = 1;
	if (in_front || !q->first) {
		q->last = q->first ? q->last : nr + 1;
		q->first = nr + 1;
	} else {
		h->tasks[q->last - 1].next = nr + 1;
		q->last = nr + 1;
	}
	h->nr_queued++;
}

static void dequeue(struct hackbench *h, u32 cpu)
{
	struct run_queue *q = &h->queues[cpu];
	struct task *t = &h->tasks[q->first - 1];

	q->first = t->next;
	t->next = 0;
	t->is_queued = 0;
	h->nr_queued--;
}

static int fork_task(struct workload *g)
{
	struct hackbench *h = g->state;
	u32 nr = g->at++;

	process_fork(g, &h->parent, &h->tasks[nr].process, 0, 0);
	if (g->at < h->nr_tasks)
		return 1;
	/* All tasks wait until the last one exists. Then senders are as ready as receivers, which
	 * find no message yet. */
	for (nr = 0; nr < h->nr_tasks; nr++)
		if (h->tasks[nr].is_sender)
			enqueue(h, nr, 0);
	return 0;
}

/* Messages */

static void wake(struct workload *g, struct hackbench *h, u32 nr, u32 cpu)
{
	struct task *t = &h->tasks[nr];

	if (t->is_queued || t->is_waking || !t->left)
		return;
	t->cpu = (u16)(workload_chance(g, HERE_PERCENT) ? cpu : workload_below(g, g->cpus));
	if (h->slice > LONGEST_INTERRUPTED) {
		enqueue(h, nr, 0);
		return;
	}
	if (t->has_run && workload_chance(g, AT_ONCE_PERCENT)) {
		enqueue(h, nr, 1);
		return;
	}
	t->is_waking = 1;
	t->due = g->im->trace->nr_ops + workload_below(g, WAKE_OPERATIONS);
	h->waking[(h->first_waking + h->nr_waking++) % h->nr_tasks] = nr;
}

/* Wakes the tasks that are due, in the order of their wake-ups; all of them if no other task
 * runs. */
static void end_waking(struct workload *g, struct hackbench *h)
{
	while (h->nr_waking) {
		u32 nr = h->waking[h->first_waking];
		if (h->nr_queued && h->tasks[nr].due > g->im->trace->nr_ops)
			return;
		h->tasks[nr].is_waking = 0;
		enqueue(h, nr, h->tasks[nr].has_run);
		h->first_waking = (h->first_waking + 1) % h->nr_tasks;
		h->nr_waking--;
	}
}

/* Sends one message; 0 if the socket is full. */
static int send_one(struct workload *g, struct hackbench *h, struct task *t)
{
	u32 to = (u32)(t->left % h->nr_fds);
	struct socket *s = &h->sockets[t->group * h->nr_fds + to];

	if (s->nr == SOCKET_MESSAGES)
		return 0;
	struct message *m = &s->queue[(s->first + s->nr++) % SOCKET_MESSAGES];
	m->head = workload_new(g, SORT_SKB, t->cpu);
	m->data = workload_new(g, SORT_SKB_DATA, t->cpu);
	t->left--;
	if (s->nr == 1)
		wake(g, h, t->group * h->nr_fds * 2 + to, t->cpu);
	return 1;
}

/* Senders wait for this socket while it is more than half full. */
static void wake_senders(struct workload *g, struct hackbench *h, const struct task *t)
{
	u32 first = t->group * h->nr_fds * 2 + h->nr_fds;

	for (u32 nr = first; nr < first + h->nr_fds; nr++)
		if (h->tasks[nr].left % h->nr_fds == t->number)
			wake(g, h, nr, t->cpu);
}

/* Receives one message; 0 if there is none. */
static int receive_one(struct workload *g, struct hackbench *h, struct task *t)
{
	struct socket *s = &h->sockets[t->group * h->nr_fds + t->number];

	if (!s->nr)
		return 0;
	struct message *m = &s->queue[s->first];
	workload_free(g, SORT_SKB_DATA, m->data, t->cpu);
	workload_free(g, SORT_SKB, m->head, t->cpu);
	s->first = (s->first + 1) % SOCKET_MESSAGES;
	s->nr--;
	t->left--;
	g->done++;
	if (s->nr == SOCKET_MESSAGES / 2)
		wake_senders(g, h, t);
	return 1;
}

/* An idle CPU pulls the longest-waiting task of another CPU, or else leaves the turn to that
 * CPU. */
static u32 idle_cpu(const struct workload *g, struct hackbench *h, u32 idle)
{
	u32 cpu = idle;

	while (!h->queues[cpu].first)
		cpu = (cpu + 1) % g->cpus;
	struct task *running = &h->tasks[h->queues[cpu].first - 1];
	if (!running->next)
		return cpu;
	u32 nr = running->next - 1;
	struct task *t = &h->tasks[nr];
	if (h->queues[cpu].last == running->next)
		h->queues[cpu].last = h->queues[cpu].first;
	running->next = t->next;
	t->next = 0;
	t->cpu = (u16)idle;
	h->queues[idle].first = h->queues[idle].last = nr + 1;
	return idle;
}

static int run_cpu(struct workload *g, struct hackbench *h)
{
	u32 cpu = workload_below(g, g->cpus);
	u32 stretch = workload_stretch(g, USUAL_STRETCH, LONGEST_STRETCH);

	if (!h->queues[cpu].first)
		cpu = idle_cpu(g, h, cpu);
	for (u32 i = 0; i < stretch && h->queues[cpu].first; i++) {
		u32 nr = h->queues[cpu].first - 1;
		struct task *t = &h->tasks[nr];
		int went_on = t->left && (t->is_sender ? send_one(g, h, t) : receive_one(g, h, t));
		/* A task woken before it runs now. */
		if (h->queues[cpu].first - 1 != nr)
			return 1;
		if (!went_on || !t->left) {
			dequeue(h, cpu);
		} else if (t->slice-- == 0) {
			dequeue(h, cpu);
			enqueue(h, nr, 0);
		}
	}
	return 1;
}

/* Wakes all waiting tasks. Senders sleep while their socket is more than half full,
 * so some may still wait for a socket that is empty by now. */
static void wake_all(struct workload *g, struct hackbench *h)
{
	for (u32 nr = 0; nr < h->nr_tasks; nr++)
		wake(g, h, nr, 0);
}

static int exchange(struct workload *g)
{
	struct hackbench *h = g->state;

	if (!h->nr_queued && !h->nr_waking && g->done < g->all)
		wake_all(g, h);
	end_waking(g, h);
	return h->nr_queued && run_cpu(g, h);
}

static int exit_task(struct workload *g)
{
	struct hackbench *h = g->state;
	struct task *t = &h->tasks[g->at++];

	process_exit(g, &t->process, t->cpu, 0);
	if (g->at < h->nr_tasks)
		return 1;
	for (u32 i = 0; i < h->nr_sockets; i++)
		for (u32 k = 0; k < SOCKET_PARTS; k++)
			workload_free_rcu(g, socket_sorts[k], h->sockets[i].parts[k], 0);
	return 0;
}

const struct workload_shape shape_hackbench = { hackbench_bytes,
						hackbench_start,
						{ make_socket, fork_task, exchange, exit_task } };
