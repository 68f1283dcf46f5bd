/*
 * cmd_steps.c - `slabscope steps`: the decisions of one event, or of a few in a row.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

/* One step of the event that the session has replayed last. */
struct stop {
	const struct kmem_step *step;
	u32 number;
	const struct kmem_path_step *at;
	const struct kmem_level_row *level; /* its level, NULL if it has none */
	const struct kmem_caption
		*caption; /* of the event, for its first step; NULL for the others */
};

/* A slab whose pages came from the page allocator, or went back there, is in no place. */
static void place_json(struct json *j, const char *key, u32 kind, u32 cpu, u32 node)
{
	json_row(j, key);
	json_text(j, "kind", kind == KMEM_NONE ? "pages" : enum_name("kmem_place_kind", kind).s);
	json_signed(j, "cpu", cpu == CPU_NONE ? -1 : (s32)cpu);
	json_signed(j, "node", node == NODE_ANY ? -1 : (s32)node);
	json_end(j);
}

static void move_json(struct json *j, const struct kmem_path_step *at)
{
	if (at->slab == KMEM_NONE32) {
		json_null(j, "moved");
		return;
	}
	json_object(j, "moved");
	json_number(j, "slab", at->slab);
	place_json(j, "from", at->from_kind, at->from_cpu, at->from_node);
	place_json(j, "to", at->to_kind, at->to_cpu, at->to_node);
	json_end(j);
}

static void step_json(struct json *j, const struct host *h, const struct stop *stop)
{
	const struct kmem_step *step = stop->step;
	const struct step_def *def = &step_defs[step->kind];

	json_object(j, NULL);
	json_number(j, "op", step->op);
	json_number(j, "step", stop->number);
	if (stop->caption)
		fields_json(j, h, ROW(kmem_caption, stop->caption), "caption_at,consequence_at");
	json_text(j, "kind", def->kind);
	json_text(j, "function", def->function);
	fields_json(j, h, ROW(kmem_step, step), "cpu,cache?,node?");
	json_text(j, "sentence", kmem_step_sentence(h->session, step));
	json_step_args(j, "args", step);
	json_number(j, "cycles", stop->at->cycles);
	json_text_or_null(j, "level",
			  stop->level ? enum_name("kmem_level", stop->level->level).s : NULL);
	json_text(j, "verb", enum_name("kmem_verb", stop->at->verb).s);
	fields_json(j, h, ROW(kmem_path_step, stop->at),
		    "at_node=node?,at_cpu=cpu?,at_target=target?");
	move_json(j, stop->at);
	json_end(j);
}

static void step_csv(const struct host *h, const struct stop *stop)
{
	const struct kmem_step *step = stop->step;

	printf("%u,%u,%s,%u,%u,", step->op, stop->number, step_defs[step->kind].kind, step->cpu,
	       stop->at->cycles);
	csv_text(stdout, kmem_step_sentence(h->session, step));
	putchar('\n');
}

static void step_text(const struct host *h, const struct stop *stop)
{
	printf("  %3u  %-24s %5u  %s\n", stop->number, step_defs[stop->step->kind].kind,
	       stop->at->cycles, plain(kmem_step_sentence(h->session, stop->step)));
}

static s32 print_op(const struct host *h, struct json *j, int as_csv, u32 op)
{
	u32 nr_levels, nr;

	if (!j && !as_csv)
		printf("%s  %s\n", event_number(op).s, plain(kmem_op_sentence(h->session, op)));
	const struct kmem_caption *caption = kmem_caption(h->session, op);
	if (!caption)
		return KMEM_ENOMEM;
	if (!j && !as_csv) {
		printf("       %s.\n", plain(host_text(h, caption->caption_at)));
		if (*host_text(h, caption->consequence_at))
			printf("       %s\n", plain(host_text(h, caption->consequence_at)));
	}
	const struct kmem_path *path = kmem_path(h->session, op);
	const struct kmem_path_step *at = path ? kmem_path_steps(h->session, op, &nr) : NULL;
	if (!at)
		return KMEM_ENOMEM;
	const struct kmem_level_row *levels = kmem_levels(h->session, path->cache, &nr_levels);
	for (u32 k = 0; k < nr; k++) {
		const struct stop stop = { kmem_step_rows(h->session) + k, k, at + k,
					   at[k].level == KMEM_NONE ? NULL : levels + at[k].level,
					   k ? NULL : caption };
		if (j)
			step_json(j, h, &stop);
		else if (as_csv)
			step_csv(h, &stop);
		else
			step_text(h, &stop);
	}
	if (!j && !as_csv)
		printf("       %-24s %5u  model cycles; deepest level: %s\n", "", path->cycles,
		       enum_words("kmem_level", levels[path->end].level));
	return KMEM_OK;
}

/* Counts from 0, as the core does. */
static u64 first_of(const struct args *args)
{
	return GIVEN(args, EVENT) ? args->number[OPT_EVENT] - 1 : args->number[OPT_OP];
}

static void past_the_end(const struct host *h, const struct args *args, u32 nr_ops)
{
	const char *option = GIVEN(args, EVENT) ? "event" : "op";
	u64 asked = args->number[GIVEN(args, EVENT) ? OPT_EVENT : OPT_OP],
	    from = GIVEN(args, EVENT);

	if (!nr_ops)
		complain("--%s %s: %s has no events", option, grouped(asked).s, h->trace);
	else
		complain("--%s %s is past the end: %s has %s, numbered from %llu to %s", option,
			 grouped(asked).s, h->trace, counted(nr_ops, "event").s,
			 (unsigned long long)from, grouped(nr_ops - 1 + from).s);
}

static int print_ops(struct host *h, const struct args *args)
{
	u32 nr_ops = kmem_nr_ops(h->session);
	u64 first = first_of(args), count = GIVEN(args, COUNT) ? args->number[OPT_COUNT] : 1;
	struct json j = json_to(stdout);
	s32 err = KMEM_OK;

	if (first >= nr_ops) {
		past_the_end(h, args, nr_ops);
		return EXIT_CALL;
	}
	kernel_note_now(h);
	if (GIVEN(args, JSON))
		json_array(&j, NULL);
	else if (GIVEN(args, CSV))
		puts("op,step,kind,cpu,cycles,sentence");
	else
		kernel_head(h);
	for (u64 op = first; !err && op < nr_ops && op - first < count; op++)
		err = print_op(h, GIVEN(args, JSON) ? &j : NULL, GIVEN(args, CSV), (u32)op);
	if (err)
		return host_failed(h, err);
	if (GIVEN(args, JSON))
		json_end(&j);
	return host_verdict(h);
}

static int check_event(const struct args *args)
{
	if (!GIVEN(args, OP) && !GIVEN(args, EVENT)) {
		complain("which event? --event N, counted from 1");
		return EXIT_CALL;
	}
	if (GIVEN(args, OP) && GIVEN(args, EVENT)) {
		complain(
			"--event and --op name the same thing, counted from 1 and from 0: give one of them");
		return EXIT_CALL;
	}
	return EXIT_DONE;
}

static int run(struct args *args)
{
	int status = check_event(args);

	return status ? status : host_answer(args, NEEDS_REPLAY, print_ops);
}

const struct command command_steps = {
	"steps",
	"TRACE",
	"every decision that the allocator takes in an event, in words",
	"Shows what happened inside event N: each decision with the kernel's name for it, the\n"
	"numbers that were compared, and one sentence. Events are numbered from 1; `op` in\n"
	"--json and --csv counts them from 0, and so does --op N, for scripts.",
	"  slabscope steps trace.txt --event 1200 --count 3",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CSV) | OPTION(EVENT) |
		OPTION(OP) | OPTION(COUNT) | OPTIONS_MACHINE,
	run,
};
