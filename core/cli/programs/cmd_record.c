/*
 * cmd_record.c - `slabscope record -- PROGRAM`: runs a program and writes its calls of malloc and free as a slabtrace.
 *
 * The library core/preload/record writes the calls to a file without a name, which both map. So they survive however the
 * program ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/streams.h"
#include "cli/cli.h"
#include "cli/programs/program.h"
#include "cli/programs/record.h"

enum {
	DEFAULT_EVENTS = 4000000,
	/* Each process has a chunk that isn't full, and each thread in it a page that isn't full. */
	SPARE_CHUNKS = MAX_RECORD_IMAGES,
	SPARE_PAGES = 2 * MAX_RECORD_IMAGES,
};

#define DEFAULT_OUTPUT "record.slabtrace"

struct spool {
	int fd;
	u64 len_bytes;
	struct record_head *head;
};

static void make_spool(struct spool *s, u64 most)
{
	/* A realloc is two events in the spool, and at least one in the trace. */
	u64 chunks = DIV_ROUND_UP(2 * most, (u64)RECORD_CHUNK_EVENTS) + SPARE_CHUNKS;

	s->fd = spool_open();
	s->len_bytes = RECORD_HEAD_BYTES + chunks * sizeof(struct record_chunk);
	s->head = MAP_FAILED;
	if (s->fd >= 0 && ftruncate(s->fd, (off_t)s->len_bytes) == 0)
		s->head = mmap(NULL, s->len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->head == MAP_FAILED)
		give_up("could not make a temporary file for the events: %s; TMPDIR names its folder",
			strerror(errno));
	s->head->magic = RECORD_MAGIC;
	s->head->max_chunks = (u32)chunks;
	s->head->max_pages = (u32)(DIV_ROUND_UP(2 * most, (u64)RECORD_PAGE_EVENTS) + SPARE_PAGES);
}

static void note_pid(void *arg, u32 pid)
{
	struct record_head *head = arg;

	head->pid = pid;
}

/* Returns 1 if the trace is there. */
static int convert(const struct spool *s, const struct args *args, struct output *out,
		   struct record_counts *counts)
{
	struct spool_reader reader;
	int done = spool_read(&reader, s->head, s->len_bytes);

	/* Processes that are still running stop recording. */
	if (!s->head->full_at)
		__atomic_store_n(&s->head->full_at, now_ns(), __ATOMIC_RELAXED);
	done = done && record_write(&reader, args->program[0],
				    option_or(args, "most", DEFAULT_EVENTS), out, counts);
	spool_close(&reader);
	if (!done && !out->error)
		complain("not enough memory to write the trace");
	return (done || out->error) && output_close(out);
}

/* Reports everything that is missing from the trace. */
static void complain_of(const struct record_counts *counts)
{
	if (counts->lost)
		complain(
			"%s more did not fit, so the trace ends early; --most N records more, and a "
			"larger TMPDIR if the disk was full",
			counted(counts->lost, "event").s);
	if (counts->too_large)
		complain("%s of more than 64 MiB left out: lines that start with # say which",
			 counted(counts->too_large, "request").s);
	if (counts->not_loaded)
		complain(
			"%s not recorded, such as %s: linked statically, with other rights "
			"(setuid), or started without LD_PRELOAD; lines that start with # say which",
			counted(counts->not_loaded, "program").s, plain(counts->first_not_loaded));
	if (counts->running)
		complain("%s still running: the calls that follow are missing",
			 counted(counts->running, "process").s);
	if (counts->no_room)
		complain("%s not recorded: there is room for %s",
			 counted(counts->no_room, "process").s, grouped(MAX_RECORD_IMAGES).s);
}

static void report(const struct spool *s, const struct output *out,
		   const struct record_counts *counts)
{
	fprintf(stderr, "slabscope: %s: %s of %s in %s\n", plain(out->name),
		counted(counts->events, "event").s, counted(counts->threads, "thread").s,
		counted(counts->processes, "process").s);
	complain_of(counts);
	if (!s->head->nr_images)
		complain("the program did not load the library: it is linked statically, has "
			 "other rights (setuid), or loads no libraries at all");
}

static int run(struct args *args)
{
	char library[MAX_LIBRARY_BYTES], path[64];
	struct record_counts counts;
	struct output out;
	struct spool spool;
	int started;

	if (!given(args, "output"))
		option_put(args, "output", DEFAULT_OUTPUT);
	if (strcmp(option_text(args, "output"), "-") == 0)
		refuse_call("the program writes to standard output itself: name a file, -o FILE");
	program_library("record", library);
	output_begin(&out, args, 0);
	make_spool(&spool, option_or(args, "most", DEFAULT_EVENTS));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), spool.fd);
	int ended = program_run(&(struct program){ .argv = args->program,
						   .library = library,
						   .variable = RECORD_VARIABLE,
						   .value = path,
						   .at_start = note_pid,
						   .arg = spool.head },
				&started);
	/* Whatever could not be written, standard error says so, and the status stays the program's. */
	if (started && convert(&spool, args, &out, &counts) && !given(args, "quiet"))
		report(&spool, &out, &counts);
	return ended;
}

static const struct option options[] = {
	OPTION_OUTPUT,
	OPTION("most", WHOLE, "N", "record at most N events (default 4,000,000)", .least = 1,
	       .most = 100000000),
	OPTIONS_END,
};

const struct command command_record = {
	GROUP_FILES,
	"record",
	"-- PROGRAM [ARGUMENT...]",
	"record a program's malloc and free as a trace (Linux)",
	"The program keeps its own malloc; a preloaded library notes each call: thread, time,\n"
	"size, call site, pointer. Each thread is a virtual CPU: the lowest number that no other\n"
	"living thread has, up to 64 of them. The trace is a slabtrace, so every other command and\n"
	"the page read it: malloc becomes kmalloc, free becomes kfree, and realloc does what\n"
	"krealloc does. Call sites are named by the program's symbols.\n"
	"\n"
	"Slabscope records the process that you start and all its children, through every fork and\n"
	"exec, as if one allocator served them; task= names the process. The trace ends with the\n"
	"first process. A program that does not load the library (linked statically, setuid) is\n"
	"named as missing. A program that is killed leaves all events up to its end. free(NULL) is\n"
	"not recorded, and a request of more than 64 MiB leaves a comment instead of an event.\n"
	"After --most events nothing more is recorded, and the trace says how many are missing.\n"
	"\n"
	"The exit status is the program's; 128 + N if signal N ended it, 127 if the program is not\n"
	"found.",
	"  slabscope record -o json.slabtrace -- python3 -c 'import json; json.loads(\"[1, 2]\")'\n"
	"  slabscope sites json.slabtrace\n"
	"  slabscope replay json.slabtrace --allocator slab",
	0,
	options,
	.run = run,
};
