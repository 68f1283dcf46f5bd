/*
 * host.c - one session of the core with its region of memory, and the work that every command does with it.
 *
 * The region is the largest that the core can use, or as much as a limit allows. Nothing is reserved: the kernel
 * allocates pages when they are first written.
 */
#define _DEFAULT_SOURCE
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SLICE_OPS = 1 << 12, SLICE_OPS = 1 << 20 };

static const u64 largest_region_bytes = ((u64)4 << 30) - 65536;
static const u64 least_region_bytes = (u64)256 << 20;
static const u64 slice_ns = 50000000;
static const u64 first_drawn_ns = 300000000, redrawn_ns = 100000000;

u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

void progress(struct host *h, const char *what, u64 done, u64 all)
{
	if (!h->is_terminal || h->quiet)
		return;
	u64 now = now_ns();
	if (!h->started_ns)
		h->started_ns = now;
	if (now - h->started_ns < first_drawn_ns || now - h->drawn_ns < redrawn_ns)
		return;
	h->drawn_ns = now;
	if (all)
		fprintf(stderr, "\r\033[K%s %u %%", what, (u32)(done * 100 / all));
	else
		fprintf(stderr, "\r\033[K%s %s", what, grouped(done).s);
	fflush(stderr);
}

void progress_end(struct host *h)
{
	if (h->drawn_ns)
		fputs("\r\033[K", stderr);
	h->started_ns = h->drawn_ns = 0;
}

void *memory_for(u64 nr, size_t each_bytes)
{
	void *memory = calloc(MAX(nr, 1u), each_bytes);

	if (memory)
		return memory;
	give_up("not enough memory for an answer of %s bytes: ask for fewer rows",
		grouped(nr * each_bytes).s);
}

const char *host_text(const struct host *h, u32 at)
{
	return at ? (const char *)h->base + at : "";
}

const void *host_rows(const struct host *h, u32 at)
{
	return h->base + at;
}

static void put_to_file(void *to, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, to);
}

struct doc host_doc(const struct host *h, enum doc_form form)
{
	return (struct doc){
		.form = form, .put = put_to_file, .to = stdout, .base = h ? h->base : NULL
	};
}

enum doc_form asked_form(const struct args *args)
{
	return given(args, "json")	 ? DOC_JSON
	       : given(args, "markdown") ? DOC_MARKDOWN
	       : given(args, "csv")	 ? DOC_CSV
					 : DOC_TEXT;
}

void host_failed(struct host *h, s32 err)
{
	const struct kmem_report *r = h->trace ? kmem_report(h->session) : NULL;
	const struct kmem_problem *first = r && r->nr_problems ? host_rows(h, r->problems_at)
							       : NULL;

	progress_end(h);
	/* An invalid machine is the fault of the command line if it sets parameters, otherwise of the trace. */
	if (err == KMEM_ESTATE || (err == KMEM_EPARAM && (h->has_wishes || !h->trace)))
		refuse_call("%s", kmem_error(h->session));
	if (err == KMEM_EINPUT && first && first->line)
		complain("%s:%llu:%u: %s", h->trace, (unsigned long long)first->line, first->column,
			 kmem_error(h->session));
	else
		complain("%s: %s", h->trace ? h->trace : "replay", kmem_error(h->session));
	leave(err == KMEM_EBROKEN ? EXIT_LAW : EXIT_INPUT);
}

/* An error names the parameter, and the option's own name is already printed before it, unless it is --set. */
static const char *setting_error(struct host *h, const struct setting *set)
{
	const char *why = kmem_error(h->session);
	size_t len = strlen(set->key);

	if (strcmp(set->option, "set") != 0 && strncmp(why, set->key, len) == 0 && why[len] == ':')
		why += len + 2;
	return why;
}

static void set_parameters(struct host *h, const struct args *args)
{
	const char *asked = option_text(args, "preset");

	h->preset = given(args, "preset") ? preset_named(asked) : NULL;
	if (given(args, "preset") && kmem_preset(h->session, h->preset ? h->preset : asked))
		refuse_call("--preset: %s", kmem_error(h->session));
	for (u32 i = 0; i < args->nr_settings; i++) {
		const struct setting *set = &args->settings[i];
		if (kmem_set(h->session, set->key, set->value))
			refuse_call("--%s: %s", set->option, setting_error(h, set));
	}
}

/* Maps as much as the limits allow; less than the maximum is enough for most traces. */
static void *map_region(u64 *size)
{
	void *region;

	for (;; *size = ALIGN_UP(*size / 2, 65536)) {
		region = mmap(NULL, *size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (region != MAP_FAILED || *size < 2 * least_region_bytes)
			return region;
	}
}

void host_open(struct host *h, const struct args *args)
{
	u64 size = largest_region_bytes;
	void *region = map_region(&size);

	memset(h, 0, sizeof(*h));
	h->quiet = given(args, "quiet");
	h->by_clocks = given(args, "by-clocks");
	h->has_wishes = args->nr_settings || given(args, "preset");
	h->is_terminal = isatty(STDERR_FILENO);
	if (region == MAP_FAILED)
		give_up("could not get even %s bytes of address space: is there a limit (ulimit -v)?",
			grouped(least_region_bytes).s);
	h->base = region;
	h->region_bytes = size;
	h->session = kmem_open(region, size);
	kmem_infer_use(h->session, !given(args, "cold"));
	set_parameters(h, args);
}

void host_close(struct host *h)
{
	kmem_close(h->session);
	munmap((void *)(uintptr_t)h->base, h->region_bytes);
	h->session = NULL;
}

void host_workload(struct host *h, const char *name, const char *settings)
{
	const struct kmem_workload_args which = { name, settings };
	s64 left = kmem_begin(h->session, JOB_WORKLOAD, &which);

	if (left)
		refuse_call("workload: %s", kmem_error(h->session));
	while ((left = kmem_work(h->session, JOB_WORKLOAD, SLICE_OPS)) > 0)
		progress(h, "making", 1000 - (u64)left, 1000);
	progress_end(h);
	host_must(h, left);
}

int named_workload(const char *trace, struct named_workload *made)
{
	static const char prefix[] = "workload:";
	const char *what = trace + sizeof(prefix) - 1;

	if (strncmp(trace, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	size_t len = strcspn(what, "?");
	snprintf(made->name, sizeof(made->name), "%.*s", (int)MIN(len, sizeof(made->name) - 1),
		 what);
	snprintf(made->settings, sizeof(made->settings), "%s", what[len] ? what + len + 1 : "");
	for (char *p = made->settings; *p; p++)
		if (*p == '&')
			*p = ' ';
	return 1;
}

/* Reads a generated trace as the text that a file would contain. */
static void show_text(struct host *h, const struct watcher *watcher)
{
	static u8 piece[1 << 16];
	u32 op = 0;
	s32 got;

	while ((got = kmem_export(h->session, 0, &op, piece, sizeof(piece))) > 0)
		watcher->see(watcher->arg, piece, (u32)got);
	host_must(h, got);
}

/* Checks that the allocator has every setting, as compare does; otherwise a setting would silently change nothing. */
static void check_applies(struct host *h, const struct args *args)
{
	char spec[256];
	const char *allocator = setting_of(args, "allocator");

	for (u32 i = 0; i < args->nr_settings && allocator; i++) {
		const struct setting *set = &args->settings[i];
		if (snprintf(spec, sizeof(spec), "%s,%s=%s", allocator, set->key, set->value) >=
		    (int)sizeof(spec))
			continue;
		if (kmem_set_spec(h->session, spec))
			refuse_call("--%s: %s", set->option, setting_error(h, set));
	}
}

static u32 kept_anyway;

void host_keep(u32 what)
{
	kept_anyway = what;
}

/* Reads --keep: names between commas. */
static u32 read_keep(const struct args *args)
{
	const char *p = option_text_or(args, "keep", "");
	/* A state is matched with the trace by pointers. */
	u32 keep = kept_anyway | (given(args, "start") ? KMEM_KEEP_POINTERS : 0);

	while (*p) {
		size_t len = strcspn(p, ",");
		if (len == 8 && !strncmp(p, "pointers", len))
			keep |= KMEM_KEEP_POINTERS;
		else if (len == 5 && !strncmp(p, "tasks", len))
			keep |= KMEM_KEEP_TASKS;
		else
			refuse_call(
				"--keep: expected pointers, tasks or pointers,tasks; found `%.40s`",
				option_text(args, "keep"));
		p += len + (p[len] == ',');
	}
	return keep;
}

/* Finds mistakes in the call that do not depend on the trace. */
static void check_call(struct host *h, const struct args *args)
{
	/* If --with or an axis completes the machine cell by cell, only the complete machine can be checked. */
	h->is_incomplete = given(args, "x");
	if (!h->is_incomplete && !given(args, "with")) {
		if (kmem_check_settings(h->session))
			refuse_call("%s", kmem_error(h->session));
		check_applies(h, args);
	}
	if (h->columns &&
	    (kmem_import_begin(h->session) || kmem_import_columns(h->session, h->columns)))
		refuse_call("--columns: %s", kmem_error(h->session));
}

void host_prepare(struct host *h, const struct args *args)
{
	host_open(h, args);
	h->trace = args->trace;
	h->columns = option_text(args, "columns");
	h->has_wishes |= given(args, "columns");
	h->keep = read_keep(args);
	check_call(h, args);
	machine_state_read(h, args);
	if (given(args, "start"))
		input_state(h, option_text(args, "start"), KMEM_STATE_START);
}

void host_read(struct host *h, const struct args *args, const struct watcher *watcher)
{
	struct named_workload made;

	if (named_workload(args->trace, &made)) {
		host_workload(h, made.name, made.settings);
		if (watcher)
			show_text(h, watcher);
		return;
	}
	input_import(h, args->trace, watcher);
	progress_end(h);
	if (given(args, "kallsyms"))
		input_symbols(h, option_text(args, "kallsyms"));
}

void host_start(struct host *h, const struct args *args)
{
	if (given(args, "start"))
		host_must(h, kmem_start_use(h->session, 1));
}

void host_import(struct host *h, const struct args *args, const struct watcher *watcher)
{
	host_prepare(h, args);
	host_read(h, args, watcher);
	host_start(h, args);
}

/* One event may cost a thousand times as much as another, so slices are measured in time: progress may stand still for so
 * long. */
static u32 next_slice(u32 ops, u64 from_ns)
{
	return now_ns() - from_ns > slice_ns ? MAX(ops / 2, 1u) : MIN(ops * 2, (u32)SLICE_OPS);
}

void host_work(struct host *h, u32 job, const char *what)
{
	u32 all = kmem_nr_ops(h->session), slice = FIRST_SLICE_OPS;
	s64 left = 1;

	while (left > 0) {
		u64 from_ns = now_ns();
		left = kmem_work(h->session, job, slice);
		slice = next_slice(slice, from_ns);
		progress(h, what, all - MIN((u64)left, all), all);
	}
	progress_end(h);
	host_must(h, left);
}

void host_finish(struct host *h, u32 job, const void *args, const char *what)
{
	host_must(h, kmem_begin(h->session, job, args));
	host_work(h, job, what);
}

void host_build(struct host *h)
{
	host_finish(h, JOB_BUILD, NULL, "replaying");
}

void host_run(struct host *h)
{
	u32 all = kmem_nr_ops(h->session), slice = FIRST_SLICE_OPS;
	s32 err = kmem_begin(h->session, JOB_BUILD,
			     &(struct kmem_build_args){ .by_clocks = h->by_clocks });

	while (!err && kmem_position(h->session) < all) {
		u64 from_ns = now_ns();
		err = kmem_run(h->session, slice, 0);
		slice = next_slice(slice, from_ns);
		progress(h, "replaying", kmem_position(h->session), all);
	}
	progress_end(h);
	host_must(h, err);
}

void host_index(struct host *h)
{
	host_finish(h, JOB_INDEX, NULL, "building the index");
}

static void host_need(struct host *h, const struct args *args, enum needs needs)
{
	/* Only a position in the middle, and both ends, need keyframes. */
	int seeks = needs >= NEEDS_REPLAY || given(args, "at") ||
		    (given(args, "before") && !h->by_clocks);
	if (needs == NEEDS_SESSION)
		host_open(h, args);
	else
		host_import(h, args, NULL);
	if (needs >= NEEDS_END)
		(seeks ? host_build : host_run)(h);
	if (needs == NEEDS_END)
		host_check(h);
	if (needs == NEEDS_INDEX)
		host_index(h);
}

int host_answer(const struct command *command, const struct args *args)
{
	static struct host h;

	if (command->check)
		command->check(args);
	host_need(&h, args, command->needs);
	struct doc d = host_doc(&h, asked_form(args));
	d.same[0] = args->trace;
	command->answer(&d, &h, args);
	return command->needs == NEEDS_SESSION ? EXIT_DONE : host_verdict(&h);
}

void host_seek(struct host *h, const struct args *args)
{
	u32 nr_ops = kmem_nr_ops(h->session);
	u64 at = option_or(args, "at", nr_ops);

	if (at > nr_ops)
		refuse_call("--at %llu is past the end: %s has %s", (unsigned long long)at,
			    h->trace, counted(nr_ops, "event").s);
	host_must(h, kmem_seek(h->session, (u32)at));
}

void host_check(struct host *h)
{
	host_must(h, kmem_check(h->session));
}

int host_verdict(struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_problem *first = host_rows(h, r->problems_at);
	int is_slabtrace = strcmp(host_text(h, r->format_at), "slabtrace") == 0;

	if (kmem_lacked_memory(h->session))
		give_up("%s: not enough memory for the whole answer: ask for one cache, or for fewer events",
			h->trace);
	if (!r->nr_problems)
		return h->is_damaged ? EXIT_INPUT : EXIT_DONE;
	char place[64] = "";
	/* A binary file has no lines: the reason names the byte. */
	if (first->line)
		snprintf(place, sizeof(place), ":%llu:%u", (unsigned long long)first->line,
			 first->column);
	if (!h->quiet && r->skipped_lines > 1)
		complain("%s%s: %s (%s %s have problems; slabscope info shows more)", h->trace,
			 place, host_text(h, first->reason_at), grouped(r->skipped_lines).s,
			 first->line ? "lines" : "records");
	else if (!h->quiet || is_slabtrace)
		complain("%s%s: %s", h->trace, place, host_text(h, first->reason_at));
	return is_slabtrace || h->is_damaged ? EXIT_INPUT : EXIT_DONE;
}
