/*
 * bench.c - `slabscope bench`: measures the speed of import, replay, steps and seek.
 *
 * Two measurements to compare run in pairs, A B A B, in processor time of this process. The median of their ratios
 * counts: machines are noisy, but ratios within one run are much less so. The first pair warms up and is dropped.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/bench_text.h"

enum {
	NR_PAIRS = 9,
	SEEK_PASSES = 4,
	PIECE_BYTES = 4 << 20,
	KEYFRAMES_BYTES = 256 << 20,
};

/* Rows measured on the text of the given trace. */
static const struct row text_rows[] = {
	{ "parse", 0, 0, 0, 0.15, 1, "speed of reading events against splitting lines with memchr",
	  0, 0 },
	{ "import", 0, 0, 0, 0, 1, "speed of import against splitting lines with memchr", 0, 0 },
	{ "replay with steps", 0, 0, 0, 0.65, 1,
	  "speed of replay with step records against without", 0, 0 },
	{ "first pass with keyframes", 0, 0, 0, 1.6, 0,
	  "time of the first pass against plain replay", 0, 0 },
	{ "seek p99", 0, 0, 0, 1.0 / 60, 0, "99th percentile of seeks against a whole replay", 0,
	  0 },
	{ "replay under linux-7.2", 0, 0, 0, 1.15, 0,
	  "time of a replay under linux-7.2 against linux-6.1", 0, 0 },
};

double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *v, u32 nr)
{
	qsort(v, nr, sizeof(*v), by_size);
	return v[nr / 2];
}

/* Measurements: each returns processor seconds. */

static double split_lines(struct bench *b)
{
	double start = cpu_seconds();
	const char *p = b->text, *end = p + b->len_bytes;
	static volatile u64 lines_seen;
	u64 lines = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		lines++;
		p++;
	}
	/* If the result were unused, the compiler would drop the loop. */
	lines_seen = lines;
	return lines_seen ? cpu_seconds() - start : 0;
}

/* A read-only import leaves no trace, which is not a failure here. */
static double read_text(struct bench *b, int dry)
{
	struct kmem_session *s = b->host->session;
	double start = cpu_seconds();

	host_must(b->host, kmem_import_begin(s));
	if (dry)
		host_must(b->host, kmem_import_dry(s));
	for (u64 at = 0; at < b->len_bytes; at += PIECE_BYTES)
		host_must(b->host,
			  kmem_import_chunk(s, (const u8 *)b->text + at,
					    (u32)MIN(b->len_bytes - at, (u64)PIECE_BYTES)));
	s32 status = kmem_import_end(s);
	if (!dry)
		host_must(b->host, status);
	return cpu_seconds() - start;
}

double replay(struct bench *b, u32 with_steps)
{
	struct kmem_session *s = b->host->session;

	host_must(b->host,
		  kmem_begin(s, JOB_BUILD, &(struct kmem_build_args){ KEYFRAMES_BYTES, 0 }));
	double start = cpu_seconds();
	host_must(b->host, kmem_run(s, b->nr_ops, with_steps));
	return cpu_seconds() - start;
}

double first_pass(struct bench *b)
{
	double start = cpu_seconds();

	host_must(b->host, kmem_build(b->host->session, KEYFRAMES_BYTES));
	return cpu_seconds() - start;
}

enum measured { SPLIT, PARSE, IMPORT, PLAIN, RECORDED, FIRST_PASS, LINUX_7_2, LINUX_6_1 };

static double seconds_of(struct bench *b, enum measured what)
{
	if (what == SPLIT)
		return split_lines(b);
	if (what == PARSE || what == IMPORT)
		return read_text(b, what == PARSE);
	if (what == FIRST_PASS)
		return first_pass(b);
	if (what >= LINUX_7_2)
		host_must(b->host, kmem_preset(b->host->session,
					       what == LINUX_7_2 ? "linux-7.2" : "linux-6.1"));
	return replay(b, what == RECORDED);
}

/* Fills in the medians of both, and of reference / figure or figure / reference. */
static void pairs(struct bench *b, struct row *row, enum measured figure, enum measured reference)
{
	double f[NR_PAIRS], r[NR_PAIRS], ratio[NR_PAIRS];

	for (u32 i = 0; i <= NR_PAIRS; i++) {
		u32 k = i ? i - 1 : 0;
		f[k] = seconds_of(b, figure);
		r[k] = seconds_of(b, reference);
		ratio[k] = row->at_least ? r[k] / f[k] : f[k] / r[k];
		progress(b->host, row->what, i, NR_PAIRS);
	}
	progress_end(b->host);
	row->figure = median(f, NR_PAIRS);
	row->reference = median(r, NR_PAIRS);
	row->ratio = median(ratio, NR_PAIRS);
}

struct seek_times visits(struct bench *b, visit *go, const char *what)
{
	static double ms[NR_SEEKS];

	for (u32 pass = 0; pass < SEEK_PASSES; pass++) {
		u64 state = 1;
		for (u32 i = 0; i < NR_SEEKS; i++) {
			double start = cpu_seconds();
			state = state * 6364136223846793005u + 1442695040888963407u;
			host_must(b->host, go(b, (u32)((state >> 33) % ((u64)b->nr_ops + 1))));
			double took = (cpu_seconds() - start) * 1000;
			ms[i] = pass ? MIN(ms[i], took) : took;
		}
		progress(b->host, what, pass, SEEK_PASSES);
	}
	progress_end(b->host);
	qsort(ms, NR_SEEKS, sizeof(ms[0]), by_size);
	return (struct seek_times){ ms[NR_SEEKS / 2], ms[NR_SEEKS * 99 / 100], ms[NR_SEEKS - 1] };
}

s32 visit_seek(struct bench *b, u32 op)
{
	return kmem_seek(b->host->session, op);
}

void row_of_p99(struct row *row, const struct seek_times *times, double reference)
{
	row->figure = times->p99 / 1e3;
	row->reference = reference;
	row->ratio = row->figure / reference;
}

u64 resident_bytes(void)
{
	unsigned long long all, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%llu %llu", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (u64)sysconf(_SC_PAGESIZE);
}

static void keep_text(void *arg, const u8 *bytes, u32 len_bytes)
{
	struct bench *b = arg;

	if (b->len_bytes + len_bytes > b->room_bytes) {
		b->room_bytes = MAX(2 * b->room_bytes, b->len_bytes + len_bytes + ((u64)1 << 20));
		b->text = realloc(b->text, b->room_bytes);
		if (!b->text)
			give_up("not enough memory to keep the text of the trace for measuring");
	}
	memcpy(b->text + b->len_bytes, bytes, len_bytes);
	b->len_bytes += len_bytes;
}

static void prepare(struct bench *b, struct args *args)
{
	struct watcher watcher = { keep_text, b };

	if (args->trace) {
		/* Reads the trace once to unpack it in memory; the measured imports read it from there. */
		host_import(b->host, args, &watcher);
	} else {
		b->text = bench_text_make(SYNTHETIC_EVENTS, SYNTHETIC_LIVE, &b->len_bytes);
		if (!b->text)
			give_up("not enough memory for the synthetic trace: name a smaller trace to measure");
	}
	int is_damaged = args->trace && b->host->is_damaged;
	host_open(b->host, args);
	/* The pointers of a synthetic trace say nothing about a machine before it. */
	if (!args->trace)
		kmem_infer_use(b->host->session, 0);
	b->host->is_damaged = is_damaged;
	b->host->trace = args->trace ? args->trace : "synthetic";
	u64 before = resident_bytes();
	read_text(b, 0);
	u64 after = resident_bytes();
	b->resident_bytes = after > before ? after - before : 0;
	b->nr_ops = kmem_nr_ops(b->host->session);
	b->events = kmem_report(b->host->session)->events;
	if (!b->nr_ops)
		give_up("%s: no events to replay", b->host->trace);
}

static void measure(struct bench *b, const struct args *args)
{
	struct row *rows = b->rows;

	memcpy(rows, text_rows, sizeof(text_rows));
	b->nr_rows = ARRAY_SIZE(text_rows);
	/* The budgets are for the synthetic trace: in a small one the fixed cost dominates a seek. */
	for (u32 i = 0; args->trace && i < b->nr_rows; i++)
		rows[i].limit = 0;
	pairs(b, &rows[0], PARSE, SPLIT);
	pairs(b, &rows[1], IMPORT, SPLIT);
	pairs(b, &rows[2], RECORDED, PLAIN);
	pairs(b, &rows[3], FIRST_PASS, PLAIN);
	first_pass(b);
	b->seek = visits(b, visit_seek, "seeking");
	row_of_p99(&rows[4], &b->seek, rows[2].reference);
	/* Comes last, because it leaves the preset of another kernel in force. */
	pairs(b, &rows[5], LINUX_7_2, LINUX_6_1);
}

static int run(struct args *args)
{
	static struct bench b;
	struct host h;

	b.host = &h;
	if (!args->trace)
		bench_memory(&b, args);
	struct row memory = b.rows[0];
	prepare(&b, args);
	measure(&b, args);
	int status = host_verdict(&h);
	free(b.text);
	if (!args->trace) {
		b.rows[b.nr_rows++] = memory;
		bench_travel(&b, args);
	}
	bench_print(&b, given(args, "json"));
	return status;
}

static const struct option options[] = {
	OPTION("events", WHOLE, "N", "how many events to generate", .least = 1000,
	       .most = 100000000),
	OPTION("live", WHOLE, "N", "how many objects live in the generated trace", .least = 1,
	       .most = 1 << 22),
	OPTION_COLD,
	OPTIONS_END,
};

const struct command command_bench = {
	GROUP_MEASURE,
	"bench",
	"[TRACE]",
	"measure how fast this computer imports, replays and seeks",
	"Measures import, replay without and with step records, the first pass with keyframes,\n"
	"and seeks, in processor time and as ratios of interleaved pairs, with the budget beside\n"
	"each. Without a trace it generates one of two million events with about 100,000 live\n"
	"objects. For seeks, keyframes, the index of lives and searches it generates others of\n"
	"--events events each, with 100,000 and 800,000 live objects.",
	"  slabscope bench trace.txt --cpus 4\n"
	"  slabscope bench --events 10000000",
	TAKES_JSON | TAKES_TRACE | TAKES_MACHINE,
	options,
	.run = run,
};
