/*
 * cmd_find.c - `slabscope find`: the next or previous step at which a condition holds, or every such step.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/doc.h"
#include "cli/print.h"
#include "doc/names.h"

enum { MAX_WHEN = 64, SLICE_OPS = 1 << 18, DEFAULT_FOUND = 1000 };

struct search {
	struct host *host;
	struct kmem_condition conditions[MAX_WHEN];
	u32 nr;
	struct kmem_found *found; /* with --back: the latest ones, kept in a ring */
	u64 nr_found, most;
	u32 cpu; /* NO_THING: any */
};

/* Returns 1 if a word is that C name, in any case and with - for _. */
static int is_called(const char *word, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++) {
		char c = word[i] == '-' ? '_' : word[i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		char n = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
		if (c != n)
			return 0;
	}
	return !name[len];
}

_Noreturn static void unknown_condition(const char *word, size_t len)
{
	const char *names[WHEN_STEP + NR_STEP_KINDS];
	char asked[MAX_KEY_BYTES], conditions[WHEN_STEP][MAX_KEY_BYTES];
	u32 nr = 0;

	snprintf(asked, sizeof(asked), "%.*s", (int)MIN(len, sizeof(asked) - 1), word);
	for (u32 when = 0; when < WHEN_STEP; when++) {
		snprintf(conditions[when], sizeof(conditions[when]), "%s", condition_name(when));
		names[nr++] = conditions[when];
	}
	for (u32 kind = 0; kind < NR_STEP_KINDS; kind++)
		names[nr++] = step_defs[kind].kind;
	const char *nearest = nearest_word(asked, names, nr);
	if (nearest)
		refuse_call(
			"--when: unknown condition `%s`: did you mean %s? Run `slabscope find --help` for a "
			"list",
			asked, nearest);
	refuse_call("--when: unknown condition `%s`: run `slabscope find --help` for a list, or "
		    "`slabscope steps` for the names of decisions",
		    asked);
}

static void add_condition(struct search *s, const char *word, size_t len)
{
	struct kmem_condition c = { NO_THING, NO_THING, WHEN_STEP, 0, CACHE_NONE, 0 };

	if (s->nr == MAX_WHEN)
		refuse_call("--when takes at most %u conditions", (u32)MAX_WHEN);
	for (u32 when = 0; when < WHEN_STEP; when++)
		if (is_called(word, len, enum_name("kmem_when", when).s))
			c.when = (u16)when;
	while (c.when == WHEN_STEP && c.step < NR_STEP_KINDS &&
	       !is_called(word, len, step_defs[c.step].kind))
		c.step++;
	if (c.step == NR_STEP_KINDS)
		unknown_condition(word, len);
	s->conditions[s->nr++] = c;
}

static void parse_when(struct search *s, const struct args *args)
{
	const char *word = option_text_or(args, "when", "touched");

	for (size_t len = strcspn(word, ",");; len = strcspn(word, ",")) {
		add_condition(s, word, len);
		if (!word[len])
			return;
		word += len + 1;
	}
}

/* Returns the next match at or after a point (backwards: the last one before it). NULL if there is none. */
static const struct kmem_found *look(struct search *s, u32 op, u32 step, u32 back)
{
	struct kmem_session *session = s->host->session;
	u32 all = kmem_nr_ops(session);
	s64 left = kmem_begin(session, JOB_FIND,
			      &(struct kmem_find_args){ s->conditions, s->nr, op, step, back });

	if (!left)
		left = 1;
	while (left > 0) {
		left = kmem_work(session, JOB_FIND, SLICE_OPS);
		progress(s->host, "searching", all - MIN((u64)left, all), all);
	}
	host_must(s->host, left);
	return kmem_found(session);
}

/* The same among the events of --cpu. */
static const struct kmem_found *look_on_cpu(struct search *s, u32 op, u32 step, u32 back)
{
	const struct kmem_found *found = look(s, op, step, back);

	while (found && s->cpu != NO_THING) {
		/* All steps of an event are on its CPU. */
		const struct kmem_op_row *row = kmem_op(s->host->session, found->op);
		if (!row || row->cpu == s->cpu)
			break;
		found = look(s, back ? found->op : found->op + 1, 0, back);
	}
	return found;
}

/* --all: collects the first matches forwards, or backwards the last ones before the point. */
static void look_for_all(struct search *s, u32 op, u32 back)
{
	u32 at = back ? 0 : op, step = 0;

	while (back || s->nr_found < s->most) {
		const struct kmem_found *found = look_on_cpu(s, at, step, 0);
		if (!found || (back && found->op >= op))
			return;
		s->found[s->nr_found++ % s->most] = *found;
		at = found->op;
		step = found->step + 1;
	}
}

static void answer_found(struct doc *d, const struct search *s, const struct kmem_found *found)
{
	struct kmem_session *session = s->host->session;

	host_must(s->host, kmem_steps(session, found->op));
	const struct kmem_step *step = kmem_step_rows(session) + found->step;
	const struct kmem_condition *c = &s->conditions[found->condition];
	const char *kind = step_defs[step->kind].kind;
	const char *when = c->when == WHEN_STEP ? kind : condition_name(c->when);
	doc_line(d, "%12s.%-3u %-16s %s", event_number(found->op).s, found->step + 1, when,
		 plain(kmem_step_sentence(session, step)));
	doc_object(d, NULL);
	doc_fields(d, ROW(kmem_found, found), "op,step");
	doc_text(d, "when", when);
	doc_text(d, "kind", kind);
	doc_fields(d, ROW(kmem_step, step), "cpu,cache?");
	doc_text(d, "sentence", kmem_step_sentence(session, step));
	doc_text(d, "op_sentence", kmem_op_sentence(session, found->op));
	doc_end(d);
}

/* Where a search starts. */
static u32 first_op(const struct host *h, const struct args *args)
{
	u32 nr_ops = kmem_nr_ops(h->session);

	if (given(args, "from"))
		return (u32)MIN(option_number(args, "from") - 1, nr_ops);
	return given(args, "back") ? nr_ops : 0;
}

static void say_nothing_found(struct doc *d, const struct args *args)
{
	doc_line(d, "No such event %s.", given(args, "back") ? "before it" : "from there on");
}

static void search(struct doc *d, struct search *s, const struct args *args)
{
	u32 back = given(args, "back"), op = first_op(s->host, args);

	if (given(args, "all")) {
		look_for_all(s, op, back);
	} else {
		const struct kmem_found *found = look_on_cpu(s, op, 0, back);
		if (found)
			s->found[s->nr_found++] = *found;
	}
	progress_end(s->host);
	kernel_note_now(s->host);
	doc_array(d, NULL);
	for (u64 i = 0; i < MIN(s->nr_found, s->most); i++)
		answer_found(d, s, &s->found[(back ? s->nr_found - 1 - i : i) % s->most]);
	doc_end(d);
	if (!s->nr_found)
		say_nothing_found(d, args);
}

/* --ptr: the next event with that pointer (--back: the last one before), or with --all each of them. */
static void answer_events_of(struct doc *d, struct host *h, const struct args *args, u64 pointer)
{
	u32 back = given(args, "back"), op = first_op(h, args);
	u64 most = !given(args, "all") ? 1 : option_or(args, "count", DEFAULT_FOUND);
	u64 nr = 0;

	doc_array(d, NULL);
	while (nr < most && (op = kmem_find_pointer(h->session, pointer, op, back)) != NO_THING) {
		const struct kmem_op_row *row = kmem_op(h->session, op);
		if (!given(args, "cpu") || (row && row->cpu == option_number(args, "cpu"))) {
			doc_line(d, "%12s  %-24s %s", event_number(op).s,
				 plain(kmem_task(h->session, op)),
				 plain(kmem_op_sentence(h->session, op)));
			doc_object(d, NULL);
			doc_number(d, "op", op);
			doc_text(d, "task", kmem_task(h->session, op));
			doc_text(d, "op_sentence", kmem_op_sentence(h->session, op));
			doc_end(d);
			nr++;
		}
		op += !back;
	}
	doc_end(d);
	if (!nr)
		say_nothing_found(d, args);
}

/* The call, and room for everything it finds: allocated before the trace is read, so that it can't fail afterwards. */
static struct search asked = { .cpu = NO_THING };
static struct thing thing;
static u64 pointer;

static void check(const struct args *args)
{
	int has_thing = given(args, "cache") || given(args, "slab") || given(args, "object");

	if (given(args, "ptr") && (given(args, "when") || has_thing))
		refuse_call("--ptr finds events by their pointer alone: leave out --when, --cache, "
			    "--slab and --object");
	asked.most = option_or(args, "count", DEFAULT_FOUND);
	if (given(args, "ptr")) {
		pointer = parse_pointer(args);
		return;
	}
	if (!given(args, "when") && !has_thing && !given(args, "cpu"))
		refuse_call("expected --when CONDITION, --ptr, --cpu, or a cache, slab or object: "
			    "`slabscope find --help` explains them");
	if (!asked.most)
		refuse_call("--count 0 finds nothing: give 1 or more");
	thing = parse_thing(args);
	if (thing.op != NO_THING)
		refuse_call("--object %s: find expects a place, CACHE/SLAB/INDEX",
			    option_text(args, "object"));
	parse_when(&asked, args);
	asked.found = memory_for(asked.most, sizeof(*asked.found));
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	asked.host = h;
	if (given(args, "ptr")) {
		answer_events_of(d, h, args, pointer);
		return;
	}
	if (given(args, "cpu"))
		asked.cpu = (u32)MIN(option_number(args, "cpu"), (u64)CPU_NONE - 1);
	find_thing(h, &thing);
	for (u32 i = 0; i < asked.nr; i++) {
		asked.conditions[i].slab = thing.slab;
		asked.conditions[i].index = thing.index;
		asked.conditions[i].cache = (u16)thing.cache;
	}
	search(d, &asked, args);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTION_SLAB,
	OPTION_THING,
	OPTION_PTR,
	OPTION("cpu", WHOLE, "N", "only events on this CPU"),
	OPTION("when", WORD, "CONDITION,...", "the conditions, or names of decisions, to find"),
	OPTION_FROM,
	OPTION_BACK,
	{ "all", .help = "find all matches, not only the nearest" },
	OPTION_MOST,
	OPTIONS_END,
};

const struct command command_find = {
	GROUP_LOOK,
	"find",
	"TRACE",
	"find the next, the last or every step at which a condition holds",
	"Finds the next step (with --back: the last one) at which one of the conditions holds,\n"
	"for one cache, slab or object if you name one. Conditions are touched, alloc, free,\n"
	"new-slab, slab-freed, empty-freed (a free empties a slab, which is discarded at once),\n"
	"slab-moved, remote-node, order-fallback, slow-path, lock-wait, large, anomaly and\n"
	"first-use, or any decision by the name that slabscope steps prints. --ptr finds the\n"
	"events that have a recorded pointer, which takes 12 bytes of memory an event; --all\n"
	"finds every match. A match is printed as EVENT.STEP, both counted from 1; `op` and\n"
	"`step` in --json count from 0.",
	"  slabscope find trace.txt --ptr 0xff44e3e14330d3c0 --all\n"
	"  slabscope find trace.txt --when new-slab,order-fallback --from 1200\n"
	"  slabscope find trace.txt --when new-slab --cpu 1 --all\n"
	"  slabscope find trace.txt --when slab-freed --cache filp --back",
	TAKES_REPLAY,
	options,
	.needs = NEEDS_REPLAY,
	.check = check,
	.answer = answer,
};
