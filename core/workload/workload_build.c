/*
 * workload_build.c - the shape of a kernel build: make's jobs, each a compiler driver, a compiler
 * and an assembler.
 *
 * Recorded on 6.18.44 (make -j2 of three C files: 12 processes, 11,339 allocations):
 *  - half of all allocations are paths being looked up (names_cache, 4096 bytes), and four of five
 *    live for one event. One in nine names a missing header, and open frees the file that it had
 *    allocated. One in seventeen is opened, read and closed;
 *  - vfork starts processes, so no memory is copied. An exec maps some fifty areas; half of them
 *    have their own pages. Changes of protection split areas that have lived for a dozen events;
 *  - a job stays on its CPU (0.3 % of frees are on another CPU), and runs for some 140 events at a
 *    time;
 *  - written files stay in caches of the file system: dentries, inodes, buffers.
 */
#include "workload/workload_process.h"

enum {
	MAX_AREAS = 96,
	USUAL_VERBS = 24,
	LONGEST_VERBS = 400,
	MOVE_PERCENT = 2,
};

enum verb { VERB_START, VERB_EXEC, VERB_PATHS, VERB_MAPS, VERB_SPLITS, VERB_WRITE, VERB_EXIT };

/* The steps for one source file, in order. */
static const struct build_step {
	u8 process; /* 0 driver, 1 its child */
	u8 verb;
	u16 times; /* EXEC: areas; WRITE: buffers */
} steps[] = {
	{ 0, VERB_START, 1 },	{ 0, VERB_EXEC, 48 }, { 0, VERB_SPLITS, 12 },
	{ 0, VERB_PATHS, 300 }, { 1, VERB_START, 1 }, { 1, VERB_EXEC, 60 },
	{ 1, VERB_PATHS, 560 }, { 1, VERB_MAPS, 20 }, { 1, VERB_SPLITS, 20 },
	{ 1, VERB_PATHS, 320 }, { 1, VERB_WRITE, 1 }, { 1, VERB_EXIT, 1 },
	{ 1, VERB_START, 1 },	{ 1, VERB_EXEC, 42 }, { 1, VERB_PATHS, 270 },
	{ 1, VERB_SPLITS, 12 }, { 1, VERB_WRITE, 4 }, { 1, VERB_EXIT, 1 },
	{ 0, VERB_EXIT, 1 },
};

struct job {
	u32 step, times; /* current step, and how often it has run */
	u32 cpu;
	struct process processes[2];
};

struct build {
	u64 left; /* source files not started yet */
	u32 nr_jobs, nr_busy;
	struct process make;
	struct job *jobs;
	struct area *areas;
};

static u32 nr_jobs(const struct workload *g)
{
	return workload_value(g, WORKLOAD_KEY_JOBS);
}

static u64 build_bytes(const struct workload *g)
{
	return sizeof(struct build) +
	       nr_jobs(g) * (sizeof(struct job) + 2 * MAX_AREAS * sizeof(struct area));
}

static void next_file(struct workload *g, struct build *b, struct job *job)
{
	job->step = job->times = 0;
	job->cpu = workload_below(g, g->cpus);
	if (!b->left) {
		job->step = ARRAY_SIZE(steps);
		b->nr_busy--;
		return;
	}
	b->left--;
}

static void build_start(struct workload *g)
{
	struct build *b = g->state;

	b->nr_jobs = b->nr_busy = nr_jobs(g);
	b->left = workload_scaled(g, WORKLOAD_KEY_UNITS);
	g->all = b->left * ARRAY_SIZE(steps);
	b->jobs = (struct job *)(b + 1);
	b->areas = (struct area *)(b->jobs + b->nr_jobs);
	for (u32 i = 0; i < b->nr_jobs * 2; i++)
		process_init(&b->jobs[i / 2].processes[i % 2], b->areas + (u64)i * MAX_AREAS,
			     MAX_AREAS);
	for (u32 i = 0; i < b->nr_jobs; i++)
		next_file(g, b, &b->jobs[i]);
}

/* Looks up one path: most are found; others are missing, read, or kept open. */
static void one_path(struct workload *g, struct process *p, u32 cpu)
{
	u32 which = workload_below(g, 100);

	if (which < 81)
		process_lookup(g, cpu);
	else if (which < 92)
		process_open_nothing(g, cpu);
	else if (which < 98)
		process_read_file(g, 0, cpu);
	else
		process_open(g, p, cpu);
}

/* Runs the step once; 1 if it must run again. */
static int do_step(struct workload *g, struct build *b, struct job *job)
{
	const struct build_step *step = &steps[job->step];
	struct process *p = &job->processes[step->process];

	switch (step->verb) {
	case VERB_START:
		process_fork(g, step->process ? &job->processes[0] : &b->make, p, 1, job->cpu);
		if (workload_chance(g, MOVE_PERCENT))
			job->cpu = workload_below(g, g->cpus);
		return 0;
	case VERB_EXEC:
		process_exec(g, p, step->times, job->cpu);
		return 0;
	case VERB_PATHS:
		one_path(g, p, job->cpu);
		break;
	case VERB_MAPS:
		process_map(g, p, job->cpu);
		break;
	case VERB_SPLITS:
		process_split(g, p, job->cpu);
		break;
	case VERB_WRITE:
		process_create_file(g, step->times, job->cpu);
		return 0;
	default:
		process_exit(g, p, job->cpu, job->cpu);
		return 0;
	}
	return ++job->times < step->times;
}

static int build_turn(struct workload *g)
{
	struct build *b = g->state;
	u32 nr = workload_below(g, b->nr_jobs);
	u32 verbs = workload_stretch(g, USUAL_VERBS, LONGEST_VERBS);

	if (!b->nr_busy)
		return 0;
	while (b->jobs[nr].step == ARRAY_SIZE(steps))
		nr = (nr + 1) % b->nr_jobs;
	struct job *job = &b->jobs[nr];
	while (verbs-- && job->step < ARRAY_SIZE(steps)) {
		if (do_step(g, b, job))
			continue;
		job->times = 0;
		g->done++;
		if (++job->step == ARRAY_SIZE(steps))
			next_file(g, b, job);
	}
	return 1;
}

const struct workload_shape shape_kernel_build = { build_bytes, build_start, { build_turn } };
