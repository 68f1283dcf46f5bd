/*
 * measuring.c - one replay for its numbers alone, for commands that replay a trace many times, and one start for all of them.
 *
 * A machine that starts from fewer slabs than another seems to need less memory. So if one of several machines cannot start
 * from all that the others can, none of them does: first without the trace's pointers, then from empty.
 */
#include "cli/host/measuring.h"

#include <stdio.h>

const struct kmem_measured *measure_replay(struct kmem_session *s, s32 *err)
{
	s32 failed = kmem_job(s, JOB_MEASURE, NULL);
	u32 nr;

	*err = failed ? failed : kmem_check(s);
	return *err ? NULL : kmem_measured(s, &nr);
}

struct replay_start replay_start(struct kmem_session *s)
{
	return (struct replay_start){ 1, kmem_start_from(s), kmem_start_key(s) };
}

static int is_better(const struct replay_start *a, const struct replay_start *b)
{
	return a->from > b->from || (a->from == b->from && a->key < b->key);
}

int starts_are_alike(struct alike *a, const struct replay_start *starts, u32 nr)
{
	const struct replay_start *best = NULL;
	u32 i = 0;

	for (u32 k = 0; k < nr; k++)
		if (starts[k].is_valid && (!best || is_better(&starts[k], best)))
			best = &starts[k];
	while (i < nr && (!starts[i].is_valid || starts[i].key == best->key))
		i++;
	if (i == nr)
		return 1;
	a->limit++;
	a->cannot = i;
	a->from = best->from;
	return a->limit == LIMIT_EMPTY;
}

/* The tasks that only begin each replay. */
struct beginning {
	const struct jobs *jobs;
	s32 (*set)(void *arg, u32 i);
};

static int begin(void *arg, u32 i, void *result)
{
	const struct beginning *b = arg;
	struct kmem_session *s = b->jobs->host->session;

	if (!b->set(b->jobs->arg, i) && !kmem_begin(s, JOB_MEASURE, NULL))
		*(struct replay_start *)result = replay_start(s);
	return EXIT_DONE;
}

int start_alike(const struct jobs *jobs, s32 (*set)(void *arg, u32 i), struct alike *a)
{
	struct beginning all = { jobs, set };
	struct jobs beginning = *jobs;
	int status = EXIT_DONE, is_alike = 0;

	beginning.result_bytes = sizeof(struct replay_start);
	beginning.task = begin;
	beginning.arg = &all;
	beginning.what = "starting";
	while (!is_alike && !status) {
		kmem_start_limit(jobs->host->session, a->limit);
		const struct replay_start *starts = jobs_run(&beginning, &status);
		is_alike = starts && starts_are_alike(a, starts, jobs->nr_tasks);
	}
	kmem_start_limit(jobs->host->session, a->limit);
	return status;
}

const char *alike_text(const struct alike *a, const char *machine)
{
	static const char *const slabs[] = {
		[START_POINTERS] = "all the slabs that the trace's pointers show",
		[START_SNAPSHOT] = "the slabs of the snapshot",
		[START_KERNEL_STATE] = "the slabs of the kernel's state",
	};
	static char text[400];
	int has_counts = a->limit == LIMIT_COUNTS && a->from != START_POINTERS;

	text[0] = 0;
	if (a->limit != LIMIT_NONE)
		snprintf(text, sizeof(text), "All start from %s, because %s cannot start from %s.",
			 has_counts ? "the snapshot alone" : "empty", machine,
			 slabs[has_counts ? START_POINTERS : a->from]);
	return text;
}
