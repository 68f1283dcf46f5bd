/*
 * cmd_run.c - `slabscope run`: a program on one of the allocators.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/streams.h"
#include "cli/print.h"
#include "cli/programs/record.h"
#include "cli/programs/program.h"
#include "doc/doc.h"
#include "preload/run_result.h"

/* Names of call sites in the lines of --record */

struct lines {
	FILE *file;
	char *text;
	size_t room;
	struct record_module *modules;
	u32 nr_modules;
};

static ssize_t next_line(struct lines *l)
{
	return getline(&l->text, &l->room, l->file);
}

/* Seeks past the key. */
static int from_first(struct lines *l)
{
	return fseek(l->file, sizeof((struct run_result){ 0 }.key), SEEK_SET) == 0;
}

static int is_module(const char *line)
{
	return strncmp(line, RUN_MODULE, strlen(RUN_MODULE)) == 0;
}

/* Returns 0 if out of memory. */
static int add_module(struct lines *l)
{
	struct record_module m = { 0 };
	unsigned long long start, end, offset;
	int path = 0;

	if (sscanf(l->text, RUN_MODULE "%llx %llx %llx %u %n", &start, &end, &offset, &m.is_program,
		   &path) < 4 ||
	    !path || l->nr_modules == MAX_RECORD_MODULES)
		return 1;
	m.start = start;
	m.end = end;
	m.offset = offset;
	memcpy(m.path, l->text + path, MIN(strcspn(l->text + path, "\n"), sizeof(m.path) - 1));
	struct record_module *more = realloc(l->modules, (l->nr_modules + 1ul) * sizeof(m));
	if (!more)
		return 0;
	l->modules = more;
	l->modules[l->nr_modules++] = m;
	return 1;
}

static int read_modules(struct lines *l)
{
	while (next_line(l) >= 0)
		if (is_module(l->text) && !add_module(l))
			return 0;
	return from_first(l);
}

static int write_line(struct output *out, struct call_names *names, char *line, size_t len)
{
	char *site = line[0] == '#' ? NULL : strstr(line, RUN_SITE);

	if (!site)
		return output_write(out, line, len);
	u64 address = strtoull(site + strlen(RUN_SITE), NULL, 16) &
		      (((u64)1 << RECORD_KIND_SHIFT) - 1);
	const char *name = call_name(names, 0, address);
	site += strlen(RUN_SITE);
	return output_write(out, line, (size_t)(site - line)) &&
	       output_write(out, *name ? name : "unknown", strlen(*name ? name : "unknown")) &&
	       output_write(out, "\n", 1);
}

static int write_lines(struct lines *l, struct output *out)
{
	struct call_names *names = call_names_open(
		&(struct call_modules){ .modules = l->modules, .nr_modules = l->nr_modules });
	int done = names != NULL;
	ssize_t len;

	while (done && (len = next_line(l)) >= 0)
		done = is_module(l->text) || write_line(out, names, l->text, (size_t)len);
	call_names_close(names);
	return done;
}

static int run_sites_write(int fd, struct output *out)
{
	int own = dup(fd);
	struct lines l = { .file = own < 0 ? NULL : fdopen(own, "r") };

	if (!l.file)
		return 0;
	int done = from_first(&l) && read_modules(&l) && write_lines(&l, out) && !ferror(l.file);
	fclose(l.file);
	free(l.text);
	free(l.modules);
	return done;
}

/* The program */

enum { MAX_VALUE_BYTES = 16 << 10 };

/* More than programs need, because only what they use costs memory. */
#define DEFAULT_MEMORY "32G"

struct shared {
	int fd;
	int lines_fd; /* of --record, before call sites are named */
	int reports_fd;
	struct run_result *result;
};

/* Opens a file that starts with the key; -1 if it cannot be created. */
static int open_keyed(u64 key)
{
	int fd = spool_open();

	return fd >= 0 && spool_write(fd, (const u8 *)&key, sizeof(key)) ? fd : -1;
}

static void make_shared(struct shared *s, int is_recorded)
{
	u64 key = now_ns() | 1;

	s->fd = open_keyed(key);
	s->lines_fd = is_recorded ? open_keyed(key) : -1;
	s->reports_fd = open_keyed(key);
	s->result = MAP_FAILED;
	if (s->fd >= 0 && s->reports_fd >= 0 && (s->lines_fd >= 0 || !is_recorded) &&
	    ftruncate(s->fd, RUN_STATE_AT) == 0)
		s->result = mmap(NULL, RUN_STATE_AT, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->result == MAP_FAILED)
		give_up("could not make a temporary file for the result: %s; TMPDIR names its folder",
			strerror(errno));
}

static void add_default(struct args *args, const char *key, const char *value)
{
	if (!setting_of(args, key) && args->nr_settings < MAX_SETTINGS)
		args->settings[args->nr_settings++] = (struct setting){ key, value, key };
}

/* The machine is this computer, unless the call says otherwise. */
static void add_defaults(struct args *args)
{
	static char cpus[16];
	const char *red_zone = setting_of(args, "red_zone"), *poison = setting_of(args, "poison");
	long here = sysconf(_SC_NPROCESSORS_CONF);

	snprintf(cpus, sizeof(cpus), "%ld", CLAMP(here, 1, (long)KMEM_MAX_CPUS));
	add_default(args, "cpus", cpus);
	add_default(args, "memory", DEFAULT_MEMORY);
	/* Without this the kernel doesn't check what red zones and poison prepare. */
	if ((red_zone && strcmp(red_zone, "on") == 0) || (poison && strcmp(poison, "on") == 0))
		add_default(args, "sanity_checks", "on");
}

/* The lines that serve.c of the library reads. */
static void write_value(char value[MAX_VALUE_BYTES], const struct args *args, const struct host *h,
			const struct shared *s)
{
	FILE *out = fmemopen(value, MAX_VALUE_BYTES, "w");

	fprintf(out, "@key=%llu\n", (unsigned long long)s->result->key);
	fprintf(out, "@result=/proc/%d/fd/%d\n", (int)getpid(), s->fd);
	if (s->lines_fd >= 0)
		fprintf(out, "@record=/proc/%d/fd/%d\n", (int)getpid(), s->lines_fd);
	fprintf(out, "@reports=/proc/%d/fd/%d\n", (int)getpid(), s->reports_fd);
	if (h->preset)
		fprintf(out, "preset=%s\n", h->preset);
	for (u32 i = 0; i < args->nr_settings; i++)
		fprintf(out, "%s=%s\n", args->settings[i].key, args->settings[i].value);
	if (fflush(out) != 0 || ftell(out) >= MAX_VALUE_BYTES - 1)
		give_up("the parameters are too long for the environment of a program");
	fclose(out);
}

static void note_pid(void *arg, u32 pid)
{
	((struct run_result *)arg)->first_pid = pid;
}

/* Puts the program's state into the session of this command. */
static int take_state(struct host *h, const struct shared *s)
{
	struct stat file;
	u64 bytes = s->result->state_bytes;

	if (!s->result->has_state || s->result->abi_hash != kmem_abi_hash() ||
	    fstat(s->fd, &file) || bytes == 0 || bytes > (u64)file.st_size ||
	    (u64)file.st_size - bytes < RUN_STATE_AT)
		return 0;
	void *state = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, s->fd, RUN_STATE_AT);
	if (state == MAP_FAILED)
		return 0;
	s32 err = kmem_restore(h->session, state, bytes);
	munmap(state, bytes);
	if (err)
		complain("%s", kmem_error(h->session));
	return err == KMEM_OK;
}

static void end_site(struct run_site *s)
{
	s->name[sizeof(s->name) - 1] = s->file[sizeof(s->file) - 1] = 0;
}

/* The program could have written to the file, so make sure that its texts end. */
static int read_report(int fd, u32 nr, struct run_report *r)
{
	off_t at = (off_t)(sizeof(u64) + nr * sizeof(*r));

	if (fd < 0 || pread(fd, r, sizeof(*r), at) != (ssize_t)sizeof(*r))
		return 0;
	r->cache[sizeof(r->cache) - 1] = r->text[sizeof(r->text) - 1] = 0;
	end_site(&r->allocated);
	end_site(&r->freed);
	end_site(&r->found);
	return 1;
}

static void site_json(struct doc *j, const char *key, const struct run_site *s)
{
	if (!s->name[0]) {
		doc_null(j, key);
		return;
	}
	doc_row(j, key);
	doc_text(j, "call_site", s->name);
	doc_end(j);
}

static void one_json(struct doc *j, const struct run_report *r)
{
	doc_object(j, NULL);
	doc_number(j, "op", r->bug.op);
	doc_number(j, "cpu", r->bug.cpu);
	doc_text(j, "cache", r->cache);
	if (r->requested) {
		/* The library's own check. */
		doc_text(j, "check", "kmalloc Redzone overwritten");
		doc_number(j, "requested", r->requested);
		doc_fields(j, ROW(kmem_bug, &r->bug),
			   "slab,index,address:hex,fault:hex,len,expected,found");
	} else {
		doc_bug_values(j, &r->bug);
		doc_bug_fixes(j, &r->bug);
	}
	site_json(j, "allocated", &r->allocated);
	site_json(j, "freed", &r->freed);
	site_json(j, "found_by", &r->found);
	doc_text(j, "text", r->text);
	doc_end(j);
}

/* How many, and how to get the line of a call. */
static void run_reports_print(int fd, u64 found)
{
	struct run_report r;

	if (!found)
		return;
	fprintf(stderr, "  %s of damaged memory\n", counted(found, "report").s);
	for (u32 i = 0; read_report(fd, i, &r); i++) {
		const struct run_site *s = r.allocated.file[0] ? &r.allocated : &r.found;
		if (!s->file[0])
			continue;
		fprintf(stderr,
			"  to see the source line of a call, here the first: addr2line -f -e %s 0x%llx\n",
			plain(s->file), (unsigned long long)s->address);
		return;
	}
}

static void print_json(FILE *out, const struct host *h, const struct args *args,
		       const struct shared *s, int has_state, int ended)
{
	const struct run_result *r = s->result;
	struct doc j = host_doc(h, DOC_JSON);
	struct run_report report;

	j.to = out;
	doc_object(&j, NULL);
	doc_list(&j, "program");
	for (char *const *word = args->program; *word; word++)
		doc_text(&j, NULL, *word);
	doc_end(&j);
	doc_number(&j, "exit_status", (u64)ended);
	doc_bool(&j, "complete", has_state);
	doc_number(&j, "processes", r->processes);
	doc_number(&j, "bad_frees", r->bad_frees);
	doc_number(&j, "mapped", r->huge_allocs);
	doc_number(&j, "mapped_when_full", r->full_allocs);
	doc_number(&j, "mapped_bytes", r->huge_bytes);
	doc_number(&j, "mapped_bytes_peak", r->huge_peak_bytes);
	if (has_state) {
		doc_number(&j, "ops", kmem_totals(h->session)->ops);
		outcome_rows(&j, h);
	}
	/* As doc_bugs, with the names of calls instead of events; found by all processes. */
	doc_number(&j, "reports_found", r->reports);
	doc_array(&j, "reports");
	for (u32 i = 0; read_report(s->reports_fd, i, &report); i++)
		one_json(&j, &report);
	doc_end(&j);
	doc_end(&j);
}

static void print_mapped(const struct run_result *r)
{
	u64 too_large = r->huge_allocs - r->full_allocs;

	if (!r->huge_allocs)
		return;
	fprintf(stderr, "  %s mapped, peak %s:", counted(r->huge_allocs, "request").s,
		counted(r->huge_peak_bytes, "byte").s);
	if (too_large)
		fprintf(stderr, " %s too large for a run of pages%s", grouped(too_large).s,
			r->full_allocs ? "," : "\n");
	if (r->full_allocs)
		fprintf(stderr,
			" %s because the machine's memory was full; --memory gives it more\n",
			grouped(r->full_allocs).s);
}

static void print_summary(const struct host *h, const struct args *args, const struct run_result *r)
{
	const struct kmem_totals t = *kmem_totals(h->session);

	fprintf(stderr, "slabscope: %s%s%s served %s of %s, on a machine of %s\n",
		kmem_param(h->session, "allocator"), h->preset ? " of " : "",
		h->preset ? h->preset : "", counted(t.ops, "request").s, plain(args->program[0]),
		counted(kmem_nr_cpus(h->session), "CPU").s);
	fprintf(stderr,
		"  at the end of the program: %s live, %s in slabs, %s in large kmalloc; at most %s "
		"at once\n",
		counted(t.live_objects, "object").s, counted(t.slab_bytes, "byte").s,
		grouped(t.large_bytes).s, counted(t.pages_peak, "page").s);
	print_mapped(r);
	if (r->processes > 1)
		fprintf(stderr,
			"  %s processes and programs were served; these numbers are those of the first\n",
			grouped(r->processes).s);
	if (r->bad_frees)
		fprintf(stderr, "  %s of pointers that are not live\n",
			counted(r->bad_frees, "free").s);
}

static void explain_no_state(const struct run_result *r, int ended)
{
	if (r->is_refused)
		return;
	if (!r->processes)
		complain("the program did not load the library: it is linked statically, has other "
			 "rights (setuid), or loads no libraries at all");
	else if (r->state_error)
		complain("no totals: %s%s", strerror((int)r->state_error),
			 r->state_error == EFBIG ? "; is there a limit (ulimit -f)?" : "");
	else if (ended > EXIT_BY_SIGNAL)
		complain("no totals: signal %d ended the program before it could report them",
			 ended - EXIT_BY_SIGNAL);
	else
		complain(
			"no totals: the program went on, by exec, as one that did not load the library, or ended "
			"itself by a system call");
}

/* Prints what the program left. */
static void report(struct host *h, struct args *args, const struct shared *s, int ended)
{
	int has_state = take_state(h, s);
	struct output out;

	if (!has_state)
		explain_no_state(s->result, ended);
	else if (!h->quiet)
		print_summary(h, args, s->result);
	if (!h->quiet)
		run_reports_print(s->reports_fd, s->result->reports);
	if (!given(args, "json"))
		return;
	output_begin(&out, args, 0);
	print_json(out.file, h, args, s, has_state, ended);
	output_close(&out);
}

/* Opens the file of --record as output_begin does that of -o. */
static void open_record(struct output *record, const struct args *args)
{
	struct args as_output = *args;

	if (strcmp(option_text(args, "record"), "-") == 0)
		refuse_call(
			"the program writes to standard output itself: name a file, --record FILE");
	option_put(&as_output, "output", option_text(args, "record"));
	output_begin(record, &as_output, 0);
}

/* Returns 1 if the file is there. */
static int close_record(struct output *record, const struct shared *s)
{
	const struct run_result *r = s->result;
	struct stat lines;

	if (!r->has_state &&
	    (fstat(s->lines_fd, &lines) || lines.st_size <= (off_t)sizeof(r->key))) {
		complain("%s: not written, because the program left no events",
			 plain(record->name));
		return 0;
	}
	if (!r->has_state)
		complain("%s: the last events before the end are missing", plain(record->name));
	if (!run_sites_write(s->lines_fd, record) && !record->error) {
		complain("not enough memory to write the trace");
		return 0;
	}
	if (r->trace_lost)
		complain(
			"%s: cut off, so it is not kept: %s of the trace could not be written; is the disk "
			"full, or is there a limit (ulimit -f)?",
			plain(record->name), counted(r->trace_lost, "event").s);
	return !r->trace_lost && output_close(record);
}

static int run_in(struct host *h, struct args *args, const char *library, struct output *record)
{
	static char value[MAX_VALUE_BYTES];
	struct shared shared;
	int started;

	make_shared(&shared, record != NULL);
	write_value(value, args, h, &shared);
	int ended = program_run(&(struct program){ .argv = args->program,
						   .library = library,
						   .variable = RUN_VARIABLE,
						   .value = value,
						   .at_start = note_pid,
						   .arg = shared.result },
				&started);
	if (!started)
		return ended;
	/* Whatever could not be written, standard error says so, and the status stays the program's. */
	leave_as(ended);
	int is_recorded = record && close_record(record, &shared);
	output_discard();
	report(h, args, &shared, ended);
	if (is_recorded && shared.result->has_state && !h->quiet)
		fprintf(stderr, "  %s recorded in %s; replay them: slabscope replay %s\n",
			counted(shared.result->trace_events, "event").s,
			plain(option_text(args, "record")), plain(option_text(args, "record")));
	return ended;
}

static int run(struct args *args)
{
	char library[MAX_LIBRARY_BYTES];
	struct output record;
	struct host h;

	if (given(args, "output") && !given(args, "json"))
		refuse_call("-o names the file for --json: give both");
	if (given(args, "output"))
		output_check(option_text(args, "output"), args, 0);
	program_library("run", library);
	add_defaults(args);
	host_prepare(&h, args);
	if (given(args, "record"))
		open_record(&record, args);
	return run_in(&h, args, library, given(args, "record") ? &record : NULL);
}

static const struct option options[] = {
	OPTION_OUTPUT,
	OPTION("record", WORD, "FILE", "also write every request as a slabtrace"),
	OPTIONS_END,
};

const struct command command_run = {
	GROUP_MACHINE,
	"run",
	"-- PROGRAM [ARGUMENT...]",
	"run a program with one of the allocators as its malloc (Linux)",
	"The chosen allocator serves the program's malloc, calloc, realloc, free and their\n"
	"relatives on real memory: from the kmalloc caches, and above the largest of them from the\n"
	"page allocator. A request larger than its largest run of pages is mapped and counted\n"
	"apart. A request's virtual CPU is the CPU that runs it; one lock guards the allocator.\n"
	"The machine has as many CPUs as this computer, and 32 GiB of address space: only pages in\n"
	"use cost memory.\n"
	"\n"
	"The report is about the first process, through every exec. Processes that it forks, and\n"
	"programs that they start, are served and counted too, but neither reported nor recorded.\n"
	"A process that is killed reports nothing. --json prints the totals as replay does, on\n"
	"standard output after the program's own, or to -o FILE. --record FILE writes every\n"
	"request as a slabtrace, with call sites; a replay of it has the same totals.\n"
	"\n"
	"red_zone and poison find overruns and uses after free: the checks read the program's own\n"
	"memory at each allocation and free, and all of it at the end of the first process. They\n"
	"switch sanity_checks on, unless you switch it off.\n"
	"\n"
	"The exit status is the program's; 128 + N if signal N ended it, 127 if the program is not\n"
	"found.",
	"  slabscope run --preset linux-7.2 -- python3 -c 'print(sum(range(10)))'\n"
	"  slabscope run --allocator slab --json -o totals.json -- git log --oneline\n"
	"  slabscope run --set red_zone=on --set poison=on -- ./program",
	TAKES_JSON | TAKES_MACHINE,
	options,
	.run = run,
};
