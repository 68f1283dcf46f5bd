/*
 * cmd_find.c - `slabscope find`: the next or previous step at which a condition holds, or every such step.
 */
#include <stdlib.h>

#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

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

static int unknown_condition(const char *word, size_t len)
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
		complain(
			"--when: unknown condition `%s`; the nearest is %s (all: slabscope find --help)",
			asked, nearest);
	else
		complain("--when: unknown condition `%s`; slabscope find --help lists them, and "
			 "slabscope steps prints the names of decisions",
			 asked);
	return EXIT_CALL;
}

static int add_condition(struct search *s, const char *word, size_t len)
{
	struct kmem_condition c = { NO_THING, NO_THING, WHEN_STEP, 0, CACHE_NONE, 0 };

	if (s->nr == MAX_WHEN) {
		complain("--when takes at most %u conditions", (u32)MAX_WHEN);
		return EXIT_CALL;
	}
	for (u32 when = 0; when < WHEN_STEP; when++)
		if (is_called(word, len, enum_name("kmem_when", when).s))
			c.when = (u16)when;
	while (c.when == WHEN_STEP && c.step < NR_STEP_KINDS &&
	       !is_called(word, len, step_defs[c.step].kind))
		c.step++;
	if (c.step == NR_STEP_KINDS)
		return unknown_condition(word, len);
	s->conditions[s->nr++] = c;
	return EXIT_DONE;
}

static int parse_when(struct search *s, const struct args *args)
{
	const char *word = GIVEN(args, WHEN) ? args->text[OPT_WHEN] : "touched";
	int status = EXIT_DONE;

	for (;;) {
		size_t len = strcspn(word, ",");
		status = add_condition(s, word, len);
		if (status || !word[len])
			return status;
		word += len + 1;
	}
}

/* Limits all conditions to that cache, slab or object. */
static void aim(struct search *s, const struct thing *thing)
{
	for (u32 i = 0; i < s->nr; i++) {
		s->conditions[i].slab = thing->slab;
		s->conditions[i].index = thing->index;
		s->conditions[i].cache = (u16)thing->cache;
	}
}

/* Returns the next match at or after a point (backwards: the last one before it). NULL if there is none, or with
 * *err set. */
static const struct kmem_found *look(struct search *s, u32 op, u32 step, u32 back, s64 *err)
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
	*err = left;
	return left ? NULL : kmem_found(session);
}

/* The same among the events of --cpu. */
static const struct kmem_found *look_on_cpu(struct search *s, u32 op, u32 step, u32 back, s64 *err)
{
	const struct kmem_found *found = look(s, op, step, back, err);

	while (found && s->cpu != NO_THING) {
		/* All steps of an event are on its CPU. */
		const struct kmem_op_row *row = kmem_op(s->host->session, found->op);
		if (!row || row->cpu == s->cpu)
			break;
		found = look(s, back ? found->op : found->op + 1, 0, back, err);
	}
	return found;
}

/* --all: collects the first matches forwards, or backwards the last ones before the point. */
static s64 look_for_all(struct search *s, u32 op, u32 back)
{
	u32 at = back ? 0 : op, step = 0;
	s64 err = 0;

	for (;;) {
		const struct kmem_found *found = look_on_cpu(s, at, step, 0, &err);
		if (!found || (back && found->op >= op))
			return err;
		s->found[s->nr_found++ % s->most] = *found;
		at = found->op;
		step = found->step + 1;
		if (!back && s->nr_found == s->most)
			return 0;
	}
}

static s32 print_found(const struct search *s, const struct kmem_found *found, struct json *j)
{
	struct kmem_session *session = s->host->session;
	s32 nr = kmem_steps(session, found->op);

	if (nr < 0)
		return nr;
	const struct kmem_step *step = kmem_step_rows(session) + found->step;
	const struct kmem_condition *c = &s->conditions[found->condition];
	const char *kind = step_defs[step->kind].kind;
	const char *when = c->when == WHEN_STEP ? kind : condition_name(c->when);
	if (!j) {
		printf("%12s.%-3u %-16s %s\n", event_number(found->op).s, found->step, when,
		       plain(kmem_step_sentence(session, step)));
		return KMEM_OK;
	}
	json_object(j, NULL);
	fields_json(j, s->host, ROW(kmem_found, found), "op,step");
	json_text(j, "when", when);
	json_text(j, "kind", kind);
	fields_json(j, s->host, ROW(kmem_step, step), "cpu,cache?");
	json_text(j, "sentence", kmem_step_sentence(session, step));
	json_text(j, "op_sentence", kmem_op_sentence(session, found->op));
	json_end(j);
	return KMEM_OK;
}

static int print_all(const struct search *s, const struct args *args)
{
	struct json j = json_to(stdout), *out = GIVEN(args, JSON) ? &j : NULL;
	u64 kept = MIN(s->nr_found, s->most);
	s32 err = KMEM_OK;

	kernel_note_now(s->host);
	if (out)
		json_array(out, NULL);
	for (u64 i = 0; !err && i < kept; i++) {
		u64 k = GIVEN(args, BACK) ? s->nr_found - 1 - i : i;
		err = print_found(s, &s->found[k % s->most], out);
	}
	if (err)
		return host_failed(s->host, err);
	if (out)
		json_end(out);
	else if (!kept)
		puts(GIVEN(args, BACK) ? "No such event before it."
				       : "No such event from there on.");
	return host_verdict(s->host);
}

static int search(struct search *s, const struct args *args)
{
	u32 nr_ops = kmem_nr_ops(s->host->session), back = GIVEN(args, BACK);
	u32 op = GIVEN(args, FROM) ? (u32)MIN(args->number[OPT_FROM] - 1, nr_ops)
		 : back		   ? nr_ops
				   : 0;
	s64 err = 0;

	if (GIVEN(args, EACH)) {
		err = look_for_all(s, op, back);
	} else {
		const struct kmem_found *found = look_on_cpu(s, op, 0, back, &err);
		if (found)
			s->found[s->nr_found++] = *found;
	}
	progress_end(s->host);
	return err ? host_failed(s->host, (s32)err) : print_all(s, args);
}

/* Prints one event with its task. */
static void print_event(const struct host *h, u32 op, struct json *j)
{
	if (!j) {
		printf("%12s  %-24s %s\n", event_number(op).s, plain(kmem_task(h->session, op)),
		       plain(kmem_op_sentence(h->session, op)));
		return;
	}
	json_object(j, NULL);
	json_number(j, "op", op);
	json_text(j, "task", kmem_task(h->session, op));
	json_text(j, "op_sentence", kmem_op_sentence(h->session, op));
	json_end(j);
}

/* --ptr: the next event with that pointer (--back: the last one before), or with --all each of them. */
static int print_events_of(struct host *h, const struct args *args, u64 pointer)
{
	struct json j = json_to(stdout), *out = GIVEN(args, JSON) ? &j : NULL;
	u32 nr_ops = kmem_nr_ops(h->session), back = GIVEN(args, BACK);
	u32 op = GIVEN(args, FROM) ? (u32)MIN(args->number[OPT_FROM] - 1, nr_ops)
		 : back		   ? nr_ops
				   : 0;
	u64 most = !GIVEN(args, EACH)  ? 1
		   : GIVEN(args, MOST) ? args->number[OPT_MOST]
				       : DEFAULT_FOUND;
	u64 nr = 0;

	if (out)
		json_array(out, NULL);
	while (nr < most && (op = kmem_find_pointer(h->session, pointer, op, back)) != NO_THING) {
		const struct kmem_op_row *row = kmem_op(h->session, op);
		if (!GIVEN(args, ON_CPU) || (row && row->cpu == args->number[OPT_ON_CPU])) {
			print_event(h, op, out);
			nr++;
		}
		op += !back;
	}
	if (out)
		json_end(out);
	else if (!nr)
		puts(back ? "No such event before it." : "No such event from there on.");
	return host_verdict(h);
}

static int run_pointer(const struct args *args)
{
	struct host h;
	u64 pointer;

	if (GIVEN(args, WHEN) || GIVEN(args, CACHE) || GIVEN(args, SLAB) || GIVEN(args, THING)) {
		complain("--ptr finds events by their pointer alone: leave out --when, --cache, "
			 "--slab and --object");
		return EXIT_CALL;
	}
	int status = parse_pointer(args, &pointer);
	if (!status)
		status = host_import(&h, args, NULL);
	if (!status)
		status = host_build(&h);
	return status ? status : print_events_of(&h, args, pointer);
}

static int run(struct args *args)
{
	static struct search s;
	struct thing thing;
	struct host h;

	if (GIVEN(args, PTR))
		return run_pointer(args);
	if (!GIVEN(args, WHEN) && !GIVEN(args, CACHE) && !GIVEN(args, SLAB) &&
	    !GIVEN(args, THING) && !GIVEN(args, ON_CPU)) {
		complain("expected --when CONDITION, --ptr, --cpu, or a cache, slab or object; "
			 "slabscope find --help");
		return EXIT_CALL;
	}
	if (GIVEN(args, MOST) && !args->number[OPT_MOST]) {
		complain("--count 0 would find nothing: give 1 or more");
		return EXIT_CALL;
	}
	int status = parse_thing(args, &thing);
	if (!status && thing.op != NO_THING) {
		complain("--object %s: a search wants a place, CACHE/SLAB/INDEX",
			 args->text[OPT_THING]);
		status = EXIT_CALL;
	}
	if (!status)
		status = parse_when(&s, args);
	if (status)
		return status;
	s.host = &h;
	s.cpu = GIVEN(args, ON_CPU) ? (u32)MIN(args->number[OPT_ON_CPU], (u64)CPU_NONE - 1)
				    : NO_THING;
	s.most = GIVEN(args, MOST) ? args->number[OPT_MOST] : DEFAULT_FOUND;
	s.found = memory_for(s.most, sizeof(*s.found));
	status = host_import(&h, args, NULL);
	if (!status)
		status = host_build(&h);
	if (!status)
		status = find_thing(&h, &thing);
	if (!status)
		aim(&s, &thing);
	if (!status)
		status = search(&s, args);
	free(s.found);
	return status;
}

const struct command command_find = {
	"find",
	"TRACE",
	"the next, last or every step at which a condition holds",
	"Finds the next step (--back: the last one) at which one of the conditions holds, for\n"
	"one cache, slab or object if one is named. Conditions: touched, alloc, free, new-slab,\n"
	"slab-freed, empty-freed (a free empties a slab, which is discarded at once),\n"
	"slab-moved, remote-node, order-fallback, slow-path, lock-wait, large, anomaly,\n"
	"first-use; or any decision by the name that slabscope steps prints. Events are\n"
	"numbered from 1; `op` in --json counts them from 0. --cpu N: only events on that CPU.\n"
	"--ptr finds the events that have a recorded pointer, which costs 12 bytes of memory\n"
	"an event; with --all each of them.",
	"  slabscope find trace.txt --ptr 0xffff888003a9d040 --all\n"
	"  slabscope find trace.txt --when new-slab,order-fallback --from 1200\n"
	"  slabscope find trace.txt --when slab-freed --cache dentry --back --all",
	OPTIONS_TRACE | OPTION(CACHE) | OPTION(SLAB) | OPTION(THING) | OPTION(PTR) |
		OPTION(ON_CPU) | OPTION(WHEN) | OPTION(FROM) | OPTION(BACK) | OPTION(EACH) |
		OPTION(MOST) | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTIONS_MACHINE,
	run,
};
