/*
 * workload_test.c - workloads: an exported one reads back as the same trace, seeds and scale do what they say,
 * senseless settings are refused, and shapes are close to those of recordings.
 *
 * golden/workloads.txt has a hash of each workload's text: it is the same for every compiler, and in wasm
 * (wasm/test/workload.test.ts). `make golden` rewrites it.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <sys/mman.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/golden_text.h"

enum { NR_WORKLOADS = 5, SEEDS = 3, NR_LIFETIMES = 32, TEXT_ROOM = 1 << 20, SLICE = 777 };

static const char *const names[NR_WORKLOADS] = { "netio", "kernel-build", "tcp-rr", "hackbench",
						 "boot" };
/* Small enough for a test, on machines that differ. */
static const char *const small[NR_WORKLOADS] = { "scale=0.1 program_maps=60", "files=2 nodes=4",
						 "cpus=16 threads=40 transactions=8 memory=8G",
						 "groups=2 fds=5 loops=10 cpus=4",
						 "scale=0.25 nodes=2" };

static struct kmem_session *open_session(void)
{
	static void *memory[2];
	static u32 turn;
	const u64 len = (u64)1 << 30;

	turn ^= 1;
	if (memory[turn]) {
		kmem_close(memory[turn]);
		munmap(memory[turn], len);
	}
	memory[turn] = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = memory[turn] == MAP_FAILED ? NULL : kmem_open(memory[turn], len);
	if (!s) {
		fputs("not enough memory for a session\n", stderr);
		exit(1);
	}
	return s;
}

static struct kmem_session *make(const char *name, const char *settings, u32 slice)
{
	struct kmem_session *s = open_session();
	s32 left = kmem_begin(s, JOB_WORKLOAD, &(struct kmem_workload_args){ name, settings });

	CHECK(left == 0, "%s %s: %s", name, settings, kmem_error(s));
	while ((left = kmem_work(s, JOB_WORKLOAD, slice)) > 0)
		CHECK(left <= 1000, "%s: %d thousandths", name, left);
	CHECK(left == 0, "%s %s: %s", name, settings, kmem_error(s));
	return s;
}

/* Returns FNV-1a of the text, and passes the text to a session if there is one. */
static u64 text_hash(struct kmem_session *s, struct kmem_session *to)
{
	static u8 piece[TEXT_ROOM];
	u64 hash = 0xcbf29ce484222325ull;
	u32 op = 0;
	s32 got;

	if (to)
		CHECK(kmem_import_begin(to) == 0, "%s", kmem_error(to));
	while ((got = kmem_export(s, 0, &op, piece, sizeof(piece))) > 0) {
		for (s32 i = 0; i < got; i++)
			hash = (hash ^ piece[i]) * 0x100000001b3ull;
		if (to)
			CHECK(kmem_import_chunk(to, piece, (u32)got) == 0, "%s", kmem_error(to));
	}
	CHECK(got == 0, "%s", kmem_error(s));
	if (to)
		CHECK(kmem_import_end(to) == 0, "%s", kmem_error(to));
	return hash;
}

static u64 state_hash(struct kmem_session *s)
{
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	return kmem_hash(s);
}

static void matches_its_text(u32 w, FILE *out)
{
	struct kmem_session *s = make(names[w], small[w], 0xffffffff), *read = open_session();
	u64 hash = text_hash(s, read);

	fprintf(out, "%016llx %s %s\n", (unsigned long long)hash, names[w], small[w]);
	CHECK(kmem_report(read)->skipped_lines == 0, "%s: lines are wrong", names[w]);
	CHECK(kmem_nr_ops(s) == kmem_nr_ops(read), "%s", names[w]);
	CHECK(kmem_report(s)->live_at_end == kmem_report(read)->live_at_end, "%s", names[w]);
	CHECK(kmem_nr_ops(s) > 1000, "%s: %u operations", names[w], kmem_nr_ops(s));
	CHECK(state_hash(s) == state_hash(read), "%s: the text is another trace", names[w]);
	CHECK(text_hash(read, NULL) == hash, "%s: the text of the text differs", names[w]);
}

static void seed_and_scale(u32 w)
{
	char settings[128];
	struct kmem_session *s = make(names[w], small[w], 0xffffffff);
	u64 hash = text_hash(s, NULL);
	u32 ops = kmem_nr_ops(s);

	CHECK(text_hash(make(names[w], small[w], SLICE), NULL) == hash, "%s: slices change it",
	      names[w]);
	snprintf(settings, sizeof(settings), "%s seed=2", small[w]);
	s = make(names[w], settings, 0xffffffff);
	CHECK(text_hash(s, NULL) != hash, "%s: the seed changes nothing", names[w]);
	CHECK(kmem_nr_ops(s) > ops / 2 && kmem_nr_ops(s) < ops * 2, "%s: %u, %u", names[w], ops,
	      kmem_nr_ops(s));
	snprintf(settings, sizeof(settings), "%s scale=%s", small[w],
		 w == 0 ? "0.3" : (w == 4 ? "0.75" : "3"));
	s = make(names[w], settings, 0xffffffff);
	/* Three times the work; what is set up only once does not triple. */
	CHECK(kmem_nr_ops(s) > ops * 3 / 2 && kmem_nr_ops(s) < ops * 13 / 4, "%s: %u, %u", names[w],
	      ops, kmem_nr_ops(s));
}

/* The smallest and largest value of everything; workloads with sockets leave nothing allocated. */
static void extreme_settings_still_make_a_trace(void)
{
	static const char *const all[][2] = {
		{ "netio", "cpus=1 connections=1 buffers=1 payload=1" },
		{ "netio",
		  "cpus=3 connections=64 buffers=500 payload=8192 program_maps=1 kernel=6.1" },
		{ "tcp-rr", "cpus=1 nodes=1 threads=1 transactions=1" },
		{ "tcp-rr", "cpus=64 threads=200 transactions=2 kernel=6.1" },
		{ "hackbench", "cpus=1 fds=1 loops=1" },
		{ "hackbench", "cpus=9 groups=3 fds=7 loops=9 slice=1 kernel=6.18" },
		{ "hackbench", "cpus=2 fds=2 loops=2000 slice=100000" },
		{ "kernel-build", "jobs=64 files=1 cpus=1" },
		{ "kernel-build", "jobs=1 files=2 cpus=5 kernel=6.1" },
		{ "boot", "scale=0.01 cpus=1" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		struct kmem_session *s = make(all[i][0], all[i][1], SLICE);
		const struct kmem_report *r = kmem_report(s);
		u32 stays = all[i][0][0] == 'k' || all[i][0][0] == 'b';
		CHECK(r->allocs > 0, "%s %s", all[i][0], all[i][1]);
		CHECK(stays || r->live_at_end == 0, "%s %s: %llu", all[i][0], all[i][1],
		      (unsigned long long)r->live_at_end);
		state_hash(s);
	}
}

static void refuses(const char *name, const char *settings, const char *words)
{
	struct kmem_session *s = open_session();

	CHECK(kmem_begin(s, JOB_WORKLOAD, &(struct kmem_workload_args){ name, settings }) ==
		      KMEM_EPARAM,
	      "%s %s", name, settings);
	CHECK(strstr(kmem_error(s), words) != NULL, "%s", kmem_error(s));
	CHECK(kmem_work(s, JOB_WORKLOAD, 1) == KMEM_ESTATE, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == KMEM_ESTATE, "%s", kmem_error(s));
}

static void refuses_bad_settings(void)
{
	refuses("net", "", "unknown workload `net`: expected netio, ");
	refuses("netio", "threads=4", "which has seed, scale, kernel, connections, ");
	refuses("netio", "payload=9000", "payload: expected a number from 0 to 8192");
	refuses("netio", "payload", "is not KEY=VALUE");
	refuses("netio", "payload=", "is not KEY=VALUE");
	refuses("netio", "=4", "is neither");
	refuses("netio", "scale=0", "scale: expected a number from 0.01 to 10000");
	refuses("netio", "scale=1.234", "two decimals");
	refuses("netio", "scale=99999999999999999999", "scale: expected a number");
	refuses("netio", "kernel=6.12", "kernel: expected 6.1 or 6.18");
	refuses("netio", "cpus=0", "cpus");
	refuses("boot", "nodes=4 zones=1,1", "zones");
	CHECK(strstr(kmem_workloads_json(open_session()), "\"name\":\"boot\"") != NULL, "no boot");
}

/* Returns half the sum of the differences of two shares, each of its own total, in thousandths. */
static double difference(u64 a, u64 all_a, u64 b, u64 all_b)
{
	double d = 1000.0 * (double)a / (double)all_a - 1000.0 * (double)b / (double)all_b;

	return d < 0 ? -d : d;
}

struct histogram {
	u64 bytes[64], allocs[64], lifetimes[NR_LIFETIMES];
	u32 nr;
};

static double size_distance(const struct histogram *r, u64 all, const struct kmem_shape *s,
			    const struct kmem_shape_size *sizes)
{
	double sum = 0;
	u64 matched = 0;

	for (u32 i = 0; i < r->nr; i++) {
		u64 ours = 0;
		for (u32 k = 0; k < s->nr_sizes; k++)
			ours += sizes[k].bytes == r->bytes[i] ? sizes[k].allocs : 0;
		matched += ours;
		sum += difference(r->allocs[i], all, ours, s->allocs);
	}
	return (sum + difference(s->allocs - matched, s->allocs, 0, 1)) / 2;
}

struct reference {
	const char *file, *name, *settings;
	u64 allocs, kmallocs, frees, remote;
	u32 sizes, lifetimes, remote_share, kmalloc_share; /* allowed */
	struct histogram histogram;
};

static void compare(const struct reference *r, u32 seed)
{
	char settings[160];
	double life = 0;

	snprintf(settings, sizeof(settings), "%s seed=%u", r->settings, seed);
	struct kmem_session *s = make(r->name, settings, 0xffffffff);
	const struct kmem_shape *shape = kmem_shape(s);
	double size = size_distance(&r->histogram, r->allocs, shape,
				    (const void *)((const u8 *)s + shape->sizes_at));
	for (u32 i = 0; i < NR_LIFETIMES; i++)
		life += difference(r->histogram.lifetimes[i], r->frees, shape->lifetimes[i],
				   shape->seen_frees) /
			2;
	double remote = difference(r->remote, r->frees, shape->remote_frees, shape->seen_frees),
	       kmalloc = difference(r->kmallocs, r->allocs, shape->kmallocs, shape->allocs);
	printf("%-12s %-52s seed %u: sizes %.0f, lifetimes %.0f, remote %.0f, kmalloc %.0f\n",
	       r->name, r->file, seed, size, life, remote, kmalloc);
	CHECK(size <= r->sizes, "%s: %.0f", r->file, size);
	CHECK(life <= r->lifetimes, "%s: %.0f", r->file, life);
	CHECK(remote <= r->remote_share, "%s: %.0f", r->file, remote);
	CHECK(kmalloc <= r->kmalloc_share, "%s: %.0f", r->file, kmalloc);
	CHECK(shape->unseen_frees == 0 && shape->other_sizes == 0, "%s", r->file);
}

enum reference_id {
#define REFERENCE(id, ...) REFERENCE_##id,
#define SIZE(id, size, n)
#define LIFETIME(id, least, n)
#include "test/session/workload_reference.def"
#undef REFERENCE
#undef SIZE
#undef LIFETIME
	NR_REFERENCES
};

static void comes_close_to_real_recordings(void)
{
	static struct reference references[NR_REFERENCES];

#define REFERENCE(id, ...) \
	references[REFERENCE_##id] = (struct reference){ __VA_ARGS__, { { 0 }, { 0 }, { 0 }, 0 } };
#define SIZE(id, size, n)                                                     \
	{                                                                     \
		struct histogram *to = &references[REFERENCE_##id].histogram; \
		to->bytes[to->nr] = size;                                     \
		to->allocs[to->nr++] = n;                                     \
	}
#define LIFETIME(id, least, n) \
	references[REFERENCE_##id].histogram.lifetimes[__builtin_ctz(least)] = n;
#include "test/session/workload_reference.def"
#undef REFERENCE
#undef SIZE
#undef LIFETIME
	for (u32 i = 0; i < NR_REFERENCES; i++)
		for (u32 seed = 1; seed <= SEEDS; seed++)
			compare(&references[i], seed);
}

/* Counters that real 6.1 guests had (boots of 1 and 4 nodes; searches of other nodes while compiling, in zones a call;
 * SLOB's pages an allocation, 4 groups of hackbench on one CPU), and how far from them still counts as close. */
static void comes_close_to_the_kernels_counters(void)
{
	struct kmem_session *s = make("boot", "", 0xffffffff);

	state_hash(s);
	CHECK(difference(kmem_totals(s)->slabs, 1069, 1, 1) <= 50, "%u", kmem_totals(s)->slabs);
	s = make("boot", "nodes=4", 0xffffffff);
	state_hash(s);
	CHECK(difference(kmem_totals(s)->slabs, 1155, 1, 1) <= 50, "%u", kmem_totals(s)->slabs);
	for (u32 nodes = 1; nodes <= 4; nodes += 3) {
		s = make("kernel-build", nodes == 1 ? "nodes=1" : "nodes=4", 0xffffffff);
		state_hash(s);
		const struct kmem_totals *t = kmem_totals(s);
		/* 3.00 and 5.88: a call that finds something looks at fewer zones. */
		CHECK(t->any_node_entered > 50, "%u", t->any_node_entered);
		CHECK(t->any_node_zones <= t->any_node_entered * (nodes == 1 ? 3 : 6), "%u of %u",
		      t->any_node_zones, t->any_node_entered);
		CHECK(t->any_node_zones * 100 >= t->any_node_entered * (nodes == 1 ? 300 : 550),
		      "%u of %u", t->any_node_zones, t->any_node_entered);
		CHECK(kmem_set(s, "node_search", "skip-checked") == 0, "%s", kmem_error(s));
		state_hash(s);
		t = kmem_totals(s);
		/* 0 and 2.71 */
		CHECK(nodes == 4 || t->any_node_zones == 0, "%u", t->any_node_zones);
		CHECK(t->any_node_zones <= t->any_node_entered * 3, "%u of %u", t->any_node_zones,
		      t->any_node_entered);
	}
	s = make("hackbench", "groups=4 loops=25 cpus=1", 0xffffffff);
	CHECK(kmem_set(s, "allocator", "slob") == 0, "%s", kmem_error(s));
	state_hash(s);
	/* 39 */
	const struct kmem_totals *t = kmem_totals(s);
	CHECK(t->pages_visited > t->searches * 28 && t->pages_visited < t->searches * 50,
	      "%llu of %llu", (unsigned long long)t->pages_visited,
	      (unsigned long long)t->searches);
}

/* One object is allocated and freed on two CPUs, another stays, and the free of a third is not recorded. */
static void measures_the_shape_of_a_trace_made_by_hand(void)
{
	static const char text[] =
		"slabtrace 1\nmachine cpus=2\ncache c size=100\n"
		"a 1 c cpu=0\nk 2 100 cpu=0\na 3 c cpu=0\nf 1 cpu=1\n"
		"f 3 cpu=1 why=unseen\nk 4 9 cpu=1\nf 4 cpu=1\nf - cpu=1 why=null\n";
	struct kmem_session *s = open_session();

	CHECK(kmem_shape(s) == NULL, "a shape of nothing");
	CHECK(!kmem_import_begin(s) && !kmem_import_chunk(s, (const u8 *)text, sizeof(text) - 1) &&
		      !kmem_import_end(s),
	      "%s", kmem_error(s));
	for (u32 built = 0; built < 2; built++) {
		const struct kmem_shape *shape = kmem_shape(s);
		const struct kmem_shape_size *z = (const void *)((const u8 *)s + shape->sizes_at);
		CHECK(shape->allocs == 4 && shape->kmallocs == 2, "built %u", built);
		CHECK(shape->frees == 3 && shape->seen_frees == 2 && shape->remote_frees == 1,
		      "built %u", built);
		CHECK(shape->lifetimes[0] == 1 && shape->lifetimes[1] == 1, "built %u", built);
		CHECK(shape->live_now == 1 && shape->live_peak == 3, "built %u", built);
		CHECK(shape->cpu_changes == 1 && shape->ops == 7, "built %u", built);
		CHECK(shape->nr_sizes == 3 && z[0].bytes == 16 && z[1].bytes == 104 &&
			      z[1].allocs == 2 && z[2].bytes == 128,
		      "built %u", built);
		CHECK(shape->live[63] == 1, "built %u", built);
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	}
}

int main(int argc, char **argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (u32 w = 0; w < NR_WORKLOADS; w++) {
		RUN(matches_its_text(w, out));
		RUN(seed_and_scale(w));
	}
	fclose(out);
	golden_check("workloads", text, argc > 1 && strcmp(argv[1], "--write") == 0);
	free(text);
	RUN(extreme_settings_still_make_a_trace());
	RUN(refuses_bad_settings());
	RUN(measures_the_shape_of_a_trace_made_by_hand());
	RUN(comes_close_to_real_recordings());
	RUN(comes_close_to_the_kernels_counters());
	return check_summary();
}
