/*
 * malloc_bench.c - `slabscope bench --malloc`: our allocators as a program's malloc, against those that programs use.
 *
 * Each run is a process of its own. A round runs every allocator once, the C library's first; what counts is the median of the
 * rounds' ratios to it. So whatever else the computer does meets all of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/malloc_loads.h"
#include "cli/streams.h"
#include "cli/print.h"
#include "cli/programs/program.h"
#include "preload/run_result.h"

enum { NR_ROUNDS = 5, MAX_RUNS = 8, PIECE_BYTES = 1 << 18 };

/* A run that takes longer is not repeated. */
#define MOST_SECONDS 2.0

/* Times of shorter runs say more about starting a process than about malloc. */
#define LEAST_SECONDS 0.05

/* As `slabscope run` has it by itself. */
#define RUN_MEMORY "memory=32G"

static const struct candidate {
	const char *name;
	const char *library; /* NULL: of this project, or none */
	const char *package; /* NULL: one of ours */
} candidates[] = {
	{ "glibc", NULL, "libc6" },
	{ "jemalloc", "libjemalloc.so.2", "libjemalloc2" },
	{ "mimalloc", "libmimalloc.so.2.0", "libmimalloc2.0" },
#define ALLOCATOR(id, name, label, ops) { name, NULL, NULL },
#include "tables/allocators.def"
};

enum { NR_CANDIDATES = (int)(sizeof(candidates) / sizeof(candidates[0])) };

/* A program that all allocators serve. */
struct measured {
	const char *name;
	u32 threads; /* 0: not a load of ours */
	char *const *argv;
	u32 rounds[NR_CANDIDATES]; /* that were run */
	double seconds[NR_CANDIDATES][NR_ROUNDS], peak_bytes[NR_CANDIDATES][NR_ROUNDS];
};

struct malloc_run {
	char own[MAX_LIBRARY_BYTES]; /* the library of `slabscope run` */
	char scale[32];
	int out; /* what a load prints */
	int is_missing[NR_CANDIDATES];
	struct measured runs[MAX_RUNS];
	u32 nr_runs;
};

double malloc_scale(const struct args *args)
{
	char *end;
	double scale = 1;

	if (!given(args, "scale"))
		return 1;
	scale = strtod(option_text(args, "scale"), &end);
	if (*end || !(scale > 0 && scale <= 100)) {
		complain("--scale %.40s: expected a number above 0 and up to 100",
			 option_text(args, "scale"));
		return 0;
	}
	return scale;
}

/* In the child: what the program prints is not for the terminal. */
static void redirect(void *arg, u32 pid)
{
	const struct malloc_run *m = arg;
	int none = open("/dev/null", O_RDWR);

	(void)pid;
	dup2(none, STDIN_FILENO);
	dup2(m->out >= 0 ? m->out : none, STDOUT_FILENO);
	dup2(none, STDERR_FILENO);
}

/* Runs a program under an allocator once; seconds and peak bytes. 0 if it failed. */
static int run_once(struct malloc_run *m, const struct measured *what, u32 c, double *seconds,
		    double *peak_bytes)
{
	char value[128], text[64] = "";
	struct program_cost cost = { 0 };
	int started, loaded = 1, own = !candidates[c].package;

	snprintf(value, sizeof(value), "allocator=%s\ncpus=%ld\n%s\n", candidates[c].name,
		 CLAMP(sysconf(_SC_NPROCESSORS_CONF), 1, 4096), RUN_MEMORY);
	m->out = what->threads ? spool_open() : -1;
	int ended = program_run(&(struct program){ .argv = what->argv,
						   .library = own ? m->own : candidates[c].library,
						   .variable = own ? RUN_VARIABLE : NULL,
						   .value = value,
						   .at_start = redirect,
						   .arg = m,
						   .cost = &cost },
				&started);
	*seconds = (double)cost.ns / 1e9;
	*peak_bytes = (double)cost.peak_bytes;
	if (m->out < 0)
		return started && !ended;
	ssize_t got = pread(m->out, text, sizeof(text) - 1, 0);
	close(m->out);
	return started && !ended && got > 0 && sscanf(text, "%lf %d", seconds, &loaded) == 2 &&
	       loaded;
}

static int is_slow(const struct measured *what, u32 c)
{
	return c && what->rounds[c] && what->seconds[c][0] > MOST_SECONDS;
}

static int measure(struct malloc_run *m, struct host *progress_host)
{
	u32 all = NR_ROUNDS * m->nr_runs, done = 0;

	for (u32 round = 0; round < NR_ROUNDS; round++) {
		for (u32 i = 0; i < m->nr_runs; i++, done++) {
			struct measured *what = &m->runs[i];
			progress(progress_host, "rounds", done, all);
			for (u32 c = 0; c < NR_CANDIDATES; c++) {
				if (m->is_missing[c] || is_slow(what, c))
					continue;
				what->rounds[c]++;
				if (run_once(m, what, c, &what->seconds[c][round],
					     &what->peak_bytes[c][round]))
					continue;
				progress_end(progress_host);
				return give_up(
					"%s: does not run to its end under %s; see what it prints "
					"there: slabscope run --allocator NAME -- PROGRAM",
					what->name, candidates[c].name);
			}
		}
	}
	progress_end(progress_host);
	return EXIT_DONE;
}

/* The median of the ratios to the C library's run in the same round. */
static double ratio(double of[NR_CANDIDATES][NR_ROUNDS], u32 c, u32 rounds)
{
	double ratios[NR_ROUNDS];

	for (u32 i = 0; i < rounds; i++)
		ratios[i] = of[0][i] > 0 ? of[c][i] / of[0][i] : 0;
	return median(ratios, rounds);
}

static double middle(const double of[NR_ROUNDS], u32 rounds)
{
	double sorted[NR_ROUNDS];

	memcpy(sorted, of, sizeof(sorted));
	return median(sorted, rounds);
}

/* The numbers of a program under an allocator. */
static struct figures {
	double time_ratio, memory_ratio, seconds;
	u64 peak_bytes;
} figures_of(struct measured *what, u32 c)
{
	u32 rounds = what->rounds[c];

	return (struct figures){ ratio(what->seconds, c, rounds),
				 ratio(what->peak_bytes, c, rounds),
				 middle(what->seconds[c], rounds),
				 (u64)middle(what->peak_bytes[c], rounds) };
}

static int is_short(const struct measured *what)
{
	return middle(what->seconds[0], what->rounds[0]) < LEAST_SECONDS;
}

static void print_json(struct malloc_run *m)
{
	struct doc j = host_doc(NULL, DOC_JSON);

	doc_object(&j, NULL);
	doc_text(&j, "reference", candidates[0].name);
	doc_array(&j, "not_installed");
	for (u32 c = 0; c < NR_CANDIDATES; c++)
		if (m->is_missing[c])
			doc_text(&j, NULL, candidates[c].name);
	doc_end(&j);
	doc_array(&j, "rows");
	for (u32 i = 0; i < m->nr_runs; i++) {
		for (u32 c = 0; c < NR_CANDIDATES; c++) {
			if (m->is_missing[c])
				continue;
			struct figures f = figures_of(&m->runs[i], c);
			doc_row(&j, NULL);
			doc_text(&j, "program", m->runs[i].name);
			doc_number(&j, "threads", m->runs[i].threads);
			doc_text(&j, "allocator", candidates[c].name);
			doc_number(&j, "rounds", m->runs[i].rounds[c]);
			doc_real(&j, "time_ratio", f.time_ratio);
			doc_real(&j, "memory_ratio", f.memory_ratio);
			doc_real(&j, "seconds", f.seconds);
			doc_number(&j, "peak_bytes", f.peak_bytes);
			doc_bool(&j, "too_short", is_short(&m->runs[i]));
			doc_end(&j);
		}
	}
	doc_end(&j);
	doc_end(&j);
}

static void print_rows(struct malloc_run *m)
{
	printf("time and peak memory as ratios to %s; the median of up to %u rounds\n\n",
	       candidates[0].name, (u32)NR_ROUNDS);
	for (u32 i = 0; i < m->nr_runs; i++) {
		printf("%s", plain(m->runs[i].name));
		if (m->runs[i].threads)
			printf(", %s", counted(m->runs[i].threads, "thread").s);
		printf("\n");
		for (u32 c = 0; c < NR_CANDIDATES; c++) {
			if (m->is_missing[c])
				continue;
			struct figures f = figures_of(&m->runs[i], c);
			printf("  %-16s %7.2f %7.2f   %.3f s, %s bytes\n", candidates[c].name,
			       f.time_ratio, f.memory_ratio, f.seconds, grouped(f.peak_bytes).s);
		}
		if (is_short(&m->runs[i]))
			printf("  too short to compare times: less than %.0f ms with %s; measure a longer run\n",
			       LEAST_SECONDS * 1000, candidates[0].name);
	}
}

/* The command runs itself for each load. exec() takes words that it could change. */
static char own_command[] = "/proc/self/exe", bench_word[] = "bench", malloc_option[] = "--malloc",
	    load_option[] = "--load", scale_option[] = "--scale";

/* An allocator that is not installed is left out, with a sentence. */
static void find_missing(struct malloc_run *m, int is_quiet)
{
	char load[] = "pairs", scale[] = "0.0001";
	char *argv[] = { own_command, bench_word,   malloc_option, load_option,
			 load,	      scale_option, scale,	   NULL };
	const struct measured probe = { .name = "pairs", .threads = 1, .argv = argv };
	double seconds, bytes;

	for (u32 c = 1; c < NR_CANDIDATES; c++) {
		m->is_missing[c] = candidates[c].package &&
				   !run_once(m, &probe, c, &seconds, &bytes);
		if (m->is_missing[c] && !is_quiet)
			complain("%s is left out: %s is not installed (Debian: apt install %s)",
				 candidates[c].name, candidates[c].library, candidates[c].package);
	}
}

static void add_load(struct malloc_run *m, const char *name, u32 threads, char *calls)
{
	static char which[MAX_RUNS][32];
	static char *argvs[MAX_RUNS][9];
	char **argv = argvs[m->nr_runs], *load = which[m->nr_runs];
	struct measured *what = &m->runs[m->nr_runs++];

	snprintf(load, sizeof(which[0]), "%s,%u", name, threads);
	u32 n = 0;
	argv[n++] = own_command;
	argv[n++] = bench_word;
	argv[n++] = malloc_option;
	argv[n++] = load_option;
	argv[n++] = load;
	argv[n++] = scale_option;
	argv[n++] = m->scale;
	argv[n++] = calls;
	*what = (struct measured){ .name = name, .threads = threads, .argv = argv };
}

/* Reads the number at *p, and goes behind it and one blank. */
static int take_number(const char **p, u64 *n)
{
	char *end;

	*n = strtoull(*p, &end, 10);
	if (end == *p)
		return 0;
	*p = *end == ' ' ? end + 1 : end;
	return 1;
}

/* One line of the trace as slabtrace: k, and its frees; objects of caches and requests of many have no call of malloc. */
static void write_call(FILE *out, const char *line, u64 *nr)
{
	struct load_call call = { .bytes = LOAD_FREE };
	const char *p = line + 2;
	u64 object, bytes;

	if ((line[0] != 'k' && line[0] != 'f') || line[1] != ' ' || !take_number(&p, &object) ||
	    object >= 1u << 31)
		return;
	if (strstr(line, " why=") && !strstr(line, " why=unseen"))
		return;
	if (line[0] == 'k' && !take_number(&p, &bytes))
		return;
	call.object = (u32)object;
	if (line[0] == 'k')
		call.bytes = (u32)bytes;
	*nr += fwrite(&call, sizeof(call), 1, out);
}

static int write_calls(struct host *h, FILE *out)
{
	static char text[PIECE_BYTES + 1];
	u32 op = 0;
	u64 nr = 0;
	s32 got;

	while ((got = kmem_export(h->session, KMEM_EXPORT_SLABTRACE, &op, (u8 *)text,
				  PIECE_BYTES)) > 0) {
		text[got] = 0;
		for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			*end = 0;
			write_call(out, line, &nr);
		}
	}
	if (got < 0)
		return host_failed(h, got);
	if (!nr)
		complain("%s: has no call of malloc or kmalloc", h->trace);
	return nr ? EXIT_DONE : EXIT_INPUT;
}

/* The trace's calls go to a file without a name, which the loads map. */
static int read_trace(const struct args *args, char path[64])
{
	struct host h;
	int fd = spool_open();
	FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");

	if (!out)
		return give_up("no temporary file for the calls: %s", strerror(errno));
	snprintf(path, 64, "/proc/%d/fd/%d", (int)getpid(), fd);
	int status = host_import(&h, args, NULL);
	if (!status)
		status = write_calls(&h, out);
	if (!status && fflush(out) != 0)
		status = give_up("no room for the calls in the temporary folder: %s",
				 strerror(errno));
	host_close(&h);
	return status;
}

int malloc_bench(struct args *args)
{
	static struct malloc_run m;
	static char calls[64];
	struct host quiet = { .quiet = given(args, "quiet"), .is_terminal = isatty(STDERR_FILENO) };
	int status = EXIT_DONE;

	if (!(malloc_scale(args) > 0))
		return EXIT_CALL;
	if (!program_library("run", m.own))
		return EXIT_INPUT;
	snprintf(m.scale, sizeof(m.scale), "%s",
		 given(args, "scale") ? option_text(args, "scale") : "1");
	if (args->trace)
		status = read_trace(args, calls);
	if (status)
		return status;
	if (args->program && args->program[0])
		m.runs[m.nr_runs++] = (struct measured){ .name = args->program[0],
							 .argv = args->program };
	for (u32 threads = 1; threads <= 2 && !args->program; threads++) {
		add_load(&m, "pairs", threads, NULL);
		add_load(&m, "random", threads, NULL);
		if (args->trace)
			add_load(&m, "recorded", threads, calls);
	}
	find_missing(&m, quiet.quiet);
	status = measure(&m, &quiet);
	if (status)
		return status;
	if (given(args, "json"))
		print_json(&m);
	else
		print_rows(&m);
	return EXIT_DONE;
}
