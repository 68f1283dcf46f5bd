/*
 * thread_cpus.c - see thread_cpus.h. Only here all threads of all processes are known, also how long those lived that were killed.
 */
#include "cli/programs/thread_cpus.h"

#include <stdlib.h>

struct life {
	u64 first, last; /* times of events; last 0: no event */
	u32 thread;
};

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void find_lives(struct life *lives, u32 nr, const struct spool_reader *spool)
{
	for (u32 i = 0; i < spool->nr_cursors; i++) {
		const struct spool_cursor *c = &spool->cursors[i];
		for (u32 at = 0; at < c->nr_events; at++) {
			const struct record_event *e = &c->chunk->events[at];
			struct life *life = &lives[spool_thread(e) % nr];
			life->thread = spool_thread(e) % nr;
			life->first = life->last ? MIN(life->first, e->time) : e->time;
			life->last = MAX(life->last, MAX(e->time, 1u));
		}
	}
}

static void give_cpus(struct thread_cpus *t, const struct life *lives, u32 nr)
{
	u64 until[RECORD_CPUS] = { 0 };

	for (u32 i = 0; i < nr; i++) {
		u32 cpu = 0;
		while (cpu < RECORD_CPUS && until[cpu] >= lives[i].first && until[cpu])
			cpu++;
		if (cpu == RECORD_CPUS)
			cpu = lives[i].thread % RECORD_CPUS;
		until[cpu] = MAX(until[cpu], lives[i].last);
		t->cpus[lives[i].thread] = (u8)cpu;
		t->nr_cpus = MAX(t->nr_cpus, cpu + 1);
	}
}

int thread_cpus_open(struct thread_cpus *t, const struct spool_reader *spool)
{
	/* Threads count from 1. Those without any event need no CPU. */
	u32 most = (u32)MIN(spool->nr_events, ((u64)1 << 24) - 1), nr = 0;

	*t = (struct thread_cpus){ .nr = MIN(spool->head->nr_threads, most) + 1, .nr_cpus = 1 };
	struct life *lives = calloc(t->nr, sizeof(*lives));
	t->cpus = calloc(t->nr, sizeof(*t->cpus));
	if (lives && t->cpus) {
		find_lives(lives, t->nr, spool);
		for (u32 i = 0; i < t->nr; i++)
			if (lives[i].last)
				lives[nr++] = lives[i];
		qsort(lives, nr, sizeof(*lives), compare_lives);
		give_cpus(t, lives, nr);
	}
	t->nr_threads = nr;
	free(lives);
	return lives && t->cpus;
}

u32 thread_cpu(const struct thread_cpus *t, u32 thread)
{
	return t->cpus[thread % t->nr];
}

void thread_cpus_close(struct thread_cpus *t)
{
	free(t->cpus);
}
