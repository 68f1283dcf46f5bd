/*
 * workload_build.c - the shapes of a kernel build and of a boot.
 */
#include "workload/workload.h"

/*
 * The shape of a kernel build: make's jobs, each a compiler driver, a compiler
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

/*
 * The shape of a boot: caches grow to their size when init runs; little is freed.
 *
 * A table has each cache's number of objects at the end. It comes from a small x86-64 guest of
 * Linux 6.1. Its SLUB then had 1,069 slabs (1 node, 2 CPUs) or 1,155 (4 nodes, 8 CPUs), about 6
 * MiB. The counts of single caches are estimates whose sum is within one twentieth of that; sizes
 * are 6.1's. Slow allocations differ: the guest had 3,129 and 3,692, twice as many, since a real
 * boot allocates and frees more. Tasks, and objects that drivers and workqueues keep per CPU, grow
 * with the CPUs. kmem_cache_node grows with the nodes. Every third allocation is short-lived: a
 * path, a buffer, a name. Most of it happens on the first CPU.
 */

enum { FIRST_CPU_PERCENT = 70, MOMENTARY_PERCENT = 33, MOMENTS = 12 };

static const struct boot_row {
	const char *name; /* NULL: kmalloc */
	u32 object, slot, flags;
	u32 objects, per_cpu, per_node;
} boot_rows[] = {
	{ "kernfs_node_cache", 128, 128, 0, 9000, 60, 20 },
	{ "dentry", 192, 192, CACHE_RECLAIM | CACHE_ACCOUNT, 2500, 4, 0 },
	{ "inode_cache", 568, 576, CACHE_RECLAIM | CACHE_ACCOUNT | CACHE_CTOR, 500, 2, 0 },
	{ "proc_inode_cache", 640, 648, CACHE_RECLAIM | CACHE_ACCOUNT | CACHE_CTOR, 180, 0, 0 },
	{ "shmem_inode_cache", 712, 720, CACHE_ACCOUNT | CACHE_CTOR, 420, 0, 0 },
	{ "radix_tree_node", 192, 200, CACHE_RECLAIM | CACHE_CTOR, 700, 0, 20 },
	{ "vm_area_struct", 144, 144, CACHE_ACCOUNT, 420, 0, 0 },
	{ "anon_vma_chain", 64, 64, CACHE_ACCOUNT, 320, 0, 0 },
	{ "anon_vma", 96, 104, CACHE_ACCOUNT | CACHE_TYPESAFE_BY_RCU | CACHE_CTOR, 200, 0, 0 },
	{ "maple_node", 256, 256, 0, 120, 0, 0 },
	{ "filp", 224, 256, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 210, 0, 0 },
	{ "cred_jar", 136, 192, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 90, 6, 0 },
	{ "pid", 112, 128, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 60, 6, 0 },
	{ "task_struct", 5128, 5184, CACHE_ACCOUNT | CACHE_NOMERGE, 52, 6, 1 },
	{ "sighand_cache", 2080, 2112,
	  CACHE_HWCACHE_ALIGN | CACHE_TYPESAFE_BY_RCU | CACHE_ACCOUNT | CACHE_CTOR, 52, 6, 1 },
	{ "signal_cache", 960, 960, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 52, 6, 1 },
	{ "vmap_area", 64, 64, 0, 300, 14, 2 },
	{ "files_cache", 704, 704, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 24, 0, 0 },
	{ "fs_cache", 56, 64, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 24, 0, 0 },
	{ "mm_struct", 904, 960, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 20, 0, 0 },
	{ "Acpi-Operand", 72, 72, 0, 2800, 12, 0 },
	{ "Acpi-Namespace", 40, 40, 0, 1700, 10, 0 },
	{ "ftrace_event_field", 56, 56, 0, 4200, 0, 0 },
	{ "trace_event_file", 88, 88, 0, 1300, 0, 0 },
	{ "kmem_cache", 216, 256, CACHE_HWCACHE_ALIGN, 120, 0, 0 },
	{ "kmem_cache_node", 64, 64, CACHE_HWCACHE_ALIGN, 0, 0, 120 },
	{ "pool_workqueue", 256, 256, 0, 30, 8, 0 },
	{ "sock_inode_cache", 704, 768,
	  CACHE_HWCACHE_ALIGN | CACHE_RECLAIM | CACHE_ACCOUNT | CACHE_CTOR, 40, 0, 0 },
	{ "UNIX-STREAM", 960, 960, CACHE_HWCACHE_ALIGN | CACHE_ACCOUNT, 16, 0, 0 },
	{ "buffer_head", 104, 104, CACHE_RECLAIM | CACHE_ACCOUNT, 200, 0, 0 },
	{ "bdev_cache", 1456, 1472,
	  CACHE_HWCACHE_ALIGN | CACHE_RECLAIM | CACHE_ACCOUNT | CACHE_CTOR, 12, 0, 0 },
	{ "biovec-max", 4096, 4096, CACHE_HWCACHE_ALIGN, 10, 0, 0 },
	{ NULL, 8, 0, KMALLOC_NORMAL, 900, 6, 0 },
	{ NULL, 16, 0, KMALLOC_NORMAL, 1100, 10, 0 },
	{ NULL, 32, 0, KMALLOC_NORMAL, 1600, 24, 4 },
	{ NULL, 64, 0, KMALLOC_NORMAL, 2500, 40, 8 },
	{ NULL, 96, 0, KMALLOC_NORMAL, 1000, 16, 0 },
	{ NULL, 128, 0, KMALLOC_NORMAL, 600, 16, 0 },
	{ NULL, 192, 0, KMALLOC_NORMAL, 700, 12, 0 },
	{ NULL, 256, 0, KMALLOC_NORMAL, 380, 16, 4 },
	{ NULL, 512, 0, KMALLOC_NORMAL, 480, 20, 4 },
	{ NULL, 1024, 0, KMALLOC_NORMAL, 330, 20, 4 },
	{ NULL, 2048, 0, KMALLOC_NORMAL, 230, 16, 2 },
	{ NULL, 4096, 0, KMALLOC_NORMAL, 110, 10, 2 },
	{ NULL, 8192, 0, KMALLOC_NORMAL, 20, 2, 1 },
	{ NULL, 64, 0, KMALLOC_CGROUP, 80, 0, 0 },
	{ NULL, 1024, 0, KMALLOC_CGROUP, 40, 0, 0 },
	{ NULL, 32, 0, KMALLOC_RECLAIM, 60, 0, 0 },
};

enum { NR_ROWS = ARRAY_SIZE(boot_rows) };

struct boot {
	u64 left[NR_ROWS], all_left;
	u32 names[NR_ROWS]; /* text */
	object_name moments[MOMENTS];
};

static u64 boot_bytes(const struct workload *g)
{
	(void)g;
	return sizeof(struct boot);
}

static void boot_start(struct workload *g)
{
	struct boot *b = g->state;

	for (u32 i = 0; i < NR_ROWS; i++) {
		const struct boot_row *row = &boot_rows[i];
		u64 n = row->objects + (u64)row->per_cpu * g->cpus + (u64)row->per_node * g->nodes;
		b->left[i] = n * g->value[WORKLOAD_KEY_SCALE] / 100;
		b->all_left += b->left[i];
		if (row->name)
			b->names[i] = intern_text(g->im, row->name);
	}
	g->all = b->all_left;
}

static object_name new_of_row(struct workload *g, const struct boot *b, u32 i, u32 cpu)
{
	const struct boot_row *row = &boot_rows[i];
	struct trace_cache cache = { .name = b->names[i],
				     .id = b->names[i],
				     .object_size = row->object,
				     .size = row->slot,
				     .flags = row->flags };

	if (row->name)
		return workload_new_plain(g, &cache, cpu);
	/* An object is seldom as long as its class allows. */
	u32 bytes = row->object - workload_below(g, row->object / 4 + 1);
	return workload_kmalloc_plain(g, bytes, row->flags, cpu);
}

/* Allocates a short-lived object, and frees one allocated a little earlier. */
static void moment(struct workload *g, struct boot *b, u32 cpu)
{
	object_name *place = &b->moments[workload_below(g, MOMENTS)];

	workload_free_plain(g, *place, cpu);
	if (workload_chance(g, 40))
		*place = workload_new(g, SORT_NAME, cpu);
	else
		*place = workload_kmalloc_plain(g, 8u << workload_below(g, 9), KMALLOC_NORMAL, cpu);
}

/* A driver or a file system allocates several objects of one cache. */
static int boot_turn(struct workload *g)
{
	struct boot *b = g->state;
	u32 cpu = workload_chance(g, FIRST_CPU_PERCENT) ? 0 : workload_below(g, g->cpus);
	u32 i = workload_below(g, NR_ROWS), burst = workload_stretch(g, 8, 200);

	while (b->all_left && !b->left[i])
		i = (i + 1) % NR_ROWS;
	for (; burst && b->left[i]; burst--, b->left[i]--, b->all_left--, g->done++) {
		new_of_row(g, b, i, cpu);
		if (workload_chance(g, MOMENTARY_PERCENT))
			moment(g, b, cpu);
	}
	if (b->all_left)
		return 1;
	for (i = 0; i < MOMENTS; i++)
		workload_free_plain(g, b->moments[i], 0);
	return 0;
}

const struct workload_shape shape_boot = { boot_bytes, boot_start, { boot_turn } };
