/*
 * cmd_compare.c - `slabscope compare`: replays the same trace on two to four machines, prints the totals of each, and
 * finds the first divergence. Other files answer --kernels and --against.
 *
 * Every machine has a session of its own, which reads the trace. Only the first one can read a pipe: the others import the
 * text that it exports.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/jobs.h"
#include "cli/print.h"
#include "cli/commands/compare.h"
#include "doc/names.h"

enum { PIECE_BYTES = 1 << 20, NOWHERE_ELSE = 0xffffffff, NOT_A_COUNTER = NR_COUNTERS };

struct run {
	struct host host;
	const char *spec;
	struct kmem_totals totals;
};

struct comparison {
	struct run run[MAX_WITH];
	u32 nr;
	u32 diverges_at; /* NOWHERE_ELSE: never */
	u32 other;	 /* the run that differs from the first one */
	struct alike alike;
};

/* Copies the trace of `from` into another session. */
static void copy_trace(struct host *to, struct host *from)
{
	static u8 buf[PIECE_BYTES];
	u32 op = 0;
	s32 got;

	to->trace = from->trace;
	host_must(to, kmem_import_begin(to->session));
	while ((got = kmem_export(from->session, 0, &op, buf, PIECE_BYTES)) > 0)
		host_must(to, kmem_import_chunk(to->session, buf, (u32)got));
	host_must(from, got);
	host_must(to, kmem_import_end(to->session));
}

/* The pointers of a trace, from which its start may be inferred, are not in the text of an export. */
static void read_again(struct host *to, struct host *from, const struct args *args)
{
	struct stat st;
	struct named_workload made;
	int is_file = stat(args->trace, &st) == 0 && S_ISREG(st.st_mode);

	if (is_file || named_workload(args->trace, &made))
		host_read(to, args, NULL);
	else if (given(args, "start"))
		refuse_call(
			"compare --start reads the trace once for each machine: give a file, not a pipe");
	else
		copy_trace(to, from);
}

static void replay_run(struct comparison *c, u32 i)
{
	struct host *h = &c->run[i].host;

	host_build(h);
	host_check(h);
	c->run[i].totals = *kmem_totals(h->session);
}

static void build_run(struct comparison *c, const struct args *args, u32 i)
{
	struct host *h = &c->run[i].host;

	if (i)
		read_again(h, &c->run[0].host, args);
	else
		host_read(h, args, NULL);
	host_start(h, args);
	/* Set the spec again: the trace may have named an allocator that the spec leaves out. */
	if (kmem_set_spec(h->session, c->run[i].spec))
		refuse_call("--with %s: %s", c->run[i].spec, kmem_error(h->session));
	replay_run(c, i);
}

/* All get one start: runs that started from more than another one can are replayed again. */
static void begin_alike(struct comparison *c)
{
	struct replay_start starts[MAX_WITH];
	int is_alike = 0;

	while (!is_alike) {
		u32 limit = c->alike.limit;
		for (u32 i = 0; i < c->nr; i++)
			starts[i] = replay_start(c->run[i].host.session);
		is_alike = starts_are_alike(&c->alike, starts, c->nr);
		for (u32 i = 0; i < c->nr && c->alike.limit != limit; i++) {
			kmem_start_limit(c->run[i].host.session, c->alike.limit);
			if (starts[i].from > START_EMPTY)
				replay_run(c, i);
		}
	}
}

static const char *comparison_alike(const struct comparison *c)
{
	const char machine[] = { (char)('A' + c->alike.cannot), 0 };

	return alike_text(&c->alike, machine);
}

static void compare_prints(struct comparison *c)
{
	struct host *first = &c->run[0].host;
	u32 all = kmem_nr_ops(first->session), nr = 0, nr_other;

	c->diverges_at = NOWHERE_ELSE;
	for (u32 op = 0; op < all && c->diverges_at == NOWHERE_ELSE; op += nr) {
		const u32 *a = kmem_fingerprints(first->session, op, MAX_FINGERPRINTS, &nr);
		u32 same = nr;
		for (u32 i = 1; a && i < c->nr; i++) {
			struct host *h = &c->run[i].host;
			const u32 *b = kmem_fingerprints(h->session, op, MAX_FINGERPRINTS,
							 &nr_other);
			if (!b)
				host_failed(h, KMEM_ENOMEM);
			u32 alike = 0;
			while (alike < same && a[alike] == b[alike])
				alike++;
			if (alike == same)
				continue;
			same = alike;
			c->diverges_at = op + alike;
			c->other = i;
		}
		if (!a)
			host_failed(first, KMEM_ENOMEM);
		progress(first, "comparing", op, all);
	}
	progress_end(first);
	/* Fingerprints have moved the positions; totals are those of the end. */
	for (u32 i = 0; i < c->nr; i++)
		host_must(&c->run[i].host, kmem_seek(c->run[i].host.session, all));
}

/* Finds the step at which two runs of the event diverge, and writes the sentence of each; "" where one has no more
 * steps. */
static void reasons(struct comparison *c, char *a, char *b, u32 room)
{
	struct kmem_session *one = c->run[0].host.session, *two = c->run[c->other].host.session;
	s32 nr_one = kmem_steps(one, c->diverges_at), nr_two = kmem_steps(two, c->diverges_at);
	const struct kmem_step *x = kmem_step_rows(one), *y = kmem_step_rows(two);
	s32 i = 0;

	while (i < nr_one && i < nr_two && x[i].kind == y[i].kind && x[i].node == y[i].node &&
	       strcmp(kmem_step_sentence(one, &x[i]), kmem_step_sentence(two, &y[i])) == 0)
		i++;
	snprintf(a, room, "%s", i < nr_one ? kmem_step_sentence(one, &x[i]) : "Nothing more.");
	snprintf(b, room, "%s", i < nr_two ? kmem_step_sentence(two, &y[i]) : "Nothing more.");
}

static void answer_divergence(struct doc *d, struct comparison *c)
{
	char a[512], b[512], reason[1200];

	if (c->diverges_at == NOWHERE_ELSE) {
		doc_null(d, "first_divergence");
		doc_line(d, "\nAll of them make the same decisions to the end.");
		return;
	}
	reasons(c, a, b, sizeof(a));
	snprintf(reason, sizeof(reason), "%s: %s %s: %s", c->run[0].spec, a, c->run[c->other].spec,
		 b);
	const char *sentence = kmem_op_sentence(c->run[0].host.session, c->diverges_at);
	doc_object(d, "first_divergence");
	doc_number(d, "op", c->diverges_at);
	doc_text(d, "sentence", sentence);
	doc_text(d, "between", c->run[0].spec);
	doc_text(d, "and", c->run[c->other].spec);
	doc_text(d, "reason", reason);
	doc_end(d);
	doc_line(d, "\nThey first differ at event %s: %s\n  %c  %s\n  %c  %s",
		 event_number(c->diverges_at).s, plain(sentence), 'A', plain(a),
		 'A' + (char)c->other, plain(b));
}

/* Prints nothing if the number is 0 for every machine. */
static void say_total(struct doc *d, const struct comparison *c, const char *name, size_t at,
		      int wide, u32 measured)
{
	int any = 0;
	u64 value[MAX_WITH];

	for (u32 i = 0; i < c->nr; i++) {
		const char *field = (const char *)&c->run[i].totals + at;
		value[i] = wide ? *(const u64 *)(const void *)field
				: *(const u32 *)(const void *)field;
		any |= value[i] != 0;
	}
	if (!any)
		return;
	doc_say(d, "  %-26s", name);
	for (u32 i = 0; i < c->nr; i++)
		if (kmem_has_measure(c->run[i].host.session, measured))
			doc_say(d, "%19s", grouped(value[i]).s);
		else
			doc_say(d, "%18s" NO_NUMBER, "");
	doc_gap(d);
}

static void say_totals(struct doc *d, const struct comparison *c)
{
#define TOTAL(name, field, measure)                                \
	say_total(d, c, name, offsetof(struct kmem_totals, field), \
		  sizeof(c->run[0].totals.field) == sizeof(u64), NUM_##measure)
	doc_say(d, "\n  %-26s", "");
	for (u32 i = 0; i < c->nr; i++)
		doc_say(d, " %18c", 'A' + (char)i);
	doc_gap(d);
	TOTAL("requested (measured)", requested_bytes, REQUESTED_BYTES);
	doc_say(d, "  %-26s", "memory below: from");
	for (u32 i = 0; i < c->nr; i++)
		doc_say(d, "%19s", mark(kmem_from(c->run[i].host.session)));
	doc_gap(d);
	TOTAL("pages in use", pages_in_use, PAGES_IN_USE);
	TOTAL("pages, peak", pages_peak, PAGES_PEAK);
	TOTAL("slabs", slabs, SLABS);
	TOTAL("partial slabs", partial, PARTIAL);
	TOTAL("bytes in slabs", slab_bytes, SLAB_BYTES);
	TOTAL("wasted in slots", waste_rounding, WASTE_ROUNDING);
	TOTAL("tail waste", waste_tail, WASTE_TAIL);
	TOTAL("in free objects", waste_free, WASTE_FREE_OBJECTS);
	TOTAL("in use before the trace", in_use_before_bytes, SLAB_BYTES);
	TOTAL("model cycles", cycles, CYCLES);
	TOTAL("of these waiting for locks", lock_wait_cycles, LOCK_WAIT_CYCLES);
	TOTAL("any-node searches", any_node_entered, GET_ANY_PARTIAL_ENTERED);
	TOTAL("zones looked at", any_node_zones, ZONES_VISITED);
	TOTAL("searches of shared pages", searches, SEARCHES);
	TOTAL("pages looked at", pages_visited, PAGES_VISITED);
#undef TOTAL
	for (u32 k = 0; k < NR_COUNTERS; k++)
		say_total(d, c, lower_case(counter_name(k)).s,
			  offsetof(struct kmem_totals, counters) + k * sizeof(u32), 0,
			  NR_MEASURES + k);
}

static void answer(struct doc *d, struct comparison *c)
{
	doc_object(d, NULL);
	doc_array(d, "runs");
	for (u32 i = 0; i < c->nr; i++) {
		const struct host *h = &c->run[i].host;
		doc_line(d, "  %c  %s\n     %s", 'A' + (char)i, plain(c->run[i].spec),
			 kmem_machine_text(h->session));
		if (d->form == DOC_TEXT) {
			doc_kernel(d, h, 5);
			continue;
		}
		doc_object(d, NULL);
		doc_text(d, "with", c->run[i].spec);
		doc_report(d, &c->run[0].host);
		outcome(d, h);
		doc_end(d);
	}
	doc_end(d);
	doc_measured(d, &c->run[0].host, 2);
	if (c->alike.limit != LIMIT_NONE)
		doc_line(d, "  %s", comparison_alike(c));
	if (d->form == DOC_TEXT)
		say_totals(d, c);
	doc_replay_sampling(d, &c->run[0].host);
	doc_text_or_null(d, "start_alike", comparison_alike(c));
	answer_divergence(d, c);
	doc_end(d);
}

static int run(struct args *args)
{
	static struct comparison c;

	if (given(args, "against") && given(args, "kernels"))
		refuse_call("--kernels replays one trace under every preset: leave out --against");
	if (given(args, "kernels"))
		return compare_kernels(args);
	if (given(args, "against"))
		return compare_against(args);
	if (given(args, "align") || given(args, "count"))
		refuse_call("%s needs a second trace: --against TRACE",
			    given(args, "align") ? "--align" : "--count");
	if (given(args, "csv"))
		refuse_call(
			"--csv needs --kernels or --against: compare --with has no rows; use --json");
	if (args->nr_with < 2)
		refuse_call(
			"compare needs --with at least twice, once for each machine: for example --with preset=4.19; "
			"or a second trace: --against TRACE");
	c.nr = args->nr_with;
	/* Checks every machine before the trace is read, which may take long. */
	for (u32 i = 0; i < c.nr; i++) {
		struct host *h = &c.run[i].host;
		host_prepare(h, args);
		c.run[i].spec = args->with[i];
		if (kmem_set_spec(h->session, args->with[i]) || kmem_check_settings(h->session))
			refuse_call("--with %s: %s", args->with[i], kmem_error(h->session));
	}
	for (u32 i = 0; i < c.nr; i++)
		build_run(&c, args, i);
	begin_alike(&c);
	compare_prints(&c);
	struct doc d = host_doc(&c.run[0].host, asked_form(args));
	answer(&d, &c);
	return host_verdict(&c.run[0].host);
}

static const struct option options[] = {
	OPTION("with", MACHINE, "ALLOCATOR[,KEY=VALUE...]",
	       "a machine to compare; at least two, at most four"),
	{ "kernels", .help = "compare every preset instead of --with, one row for each kernel" },
	OPTION_JOBS,
	OPTION("against", FILES, "TRACE", "a second trace to compare"),
	OPTION("align", WORD, "HOW",
	       "how two traces are aligned: by time, event or share of the run (default)"),
	OPTION_MOST,
	OPTIONS_END,
};

const struct command command_compare = {
	GROUP_COMPARE,
	"compare",
	"TRACE",
	"compare machines or kernels on one trace, or two traces",
	"Replays a trace on every machine that --with describes: an allocator, then KEY=VALUE of\n"
	"slabscope params after commas; preset=NAME is a key too. Other options apply to all of\n"
	"them. Prints the totals of each, and the first divergence: the event in which their\n"
	"decisions differ. – marks a number that an allocator does not have. If one machine cannot\n"
	"start from the slabs that the trace's pointers show, all start from empty. --json has\n"
	"`runs` (the keys of replay), `start_alike` (the sentence about that, or null) and\n"
	"`first_divergence` (null if there is none; its `op` counts events from 0).\n"
	"\n"
	"--kernels replays the trace under every preset, oldest first, on a machine that is\n"
	"otherwise the same. Each row has the events that left the fast path, bytes in slabs at\n"
	"the end and at the peak, page allocator calls, and model cycles. The fast path is a cpu\n"
	"freelist up to 6.12 and a sheaf since 7.0, so kernels count different slow paths; these\n"
	"rows count every event that left the fast path of its kernel. --json has these rows in\n"
	"`kernels`, and --csv prints them. --jobs processes share the work.\n"
	"\n"
	"--against replays a second trace on the same machine, and reports what appeared,\n"
	"vanished and grew: caches, waste, counters and the curves of both. Rows with the largest\n"
	"change come first, each with the events that explain it: the first use, the peak, and\n"
	"the part of the run in which the difference changed most. --align chooses which events\n"
	"of the two belong together: those at the same share of the run (the default), with the\n"
	"same number, or at the same time since the first one. If each side keeps its own kernel,\n"
	"that is one of the differences; --preset gives both the same kernel. --csv has a row for\n"
	"each figure, and one for each aligned position; `_op` columns count from 0, and\n"
	"step_end_op is the first event after the step.",
	"  slabscope compare trace.txt --with slub --with slub,node_search=skip-checked\n"
	"  slabscope compare trace.txt --with slub --with slab --with unified --cpus 8\n"
	"  slabscope compare trace.txt --kernels --csv\n"
	"  slabscope compare before.txt --against after.txt --align time",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.run = run,
};
