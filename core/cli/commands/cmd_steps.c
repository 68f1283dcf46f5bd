/*
 * cmd_steps.c - `slabscope steps`: the decisions of one event, or of a few in a row.
 */
#include "doc/doc.h"
#include "cli/print.h"

/* One step of the event that the session has replayed last. */
struct stop {
	const struct kmem_step *step;
	u32 number; /* from 0 */
	const struct kmem_path_step *at;
	const struct kmem_level_row *level; /* its level, NULL if it has none */
	const struct kmem_caption
		*caption; /* of the event, for its first step; NULL for the others */
};

/* A slab whose pages came from the page allocator, or went back there, is in no place. */
static void answer_place(struct doc *d, const char *key, u32 kind, u32 cpu, u32 node)
{
	doc_row(d, key);
	doc_text(d, "kind", kind == KMEM_NONE ? "pages" : enum_name("kmem_place_kind", kind).s);
	doc_signed(d, "cpu", cpu == CPU_NONE ? -1 : (s32)cpu);
	doc_signed(d, "node", node == NODE_ANY ? -1 : (s32)node);
	doc_end(d);
}

static void answer_move(struct doc *d, const struct kmem_path_step *at)
{
	if (at->slab == KMEM_NONE32) {
		doc_null(d, "moved");
		return;
	}
	doc_object(d, "moved");
	doc_number(d, "slab", at->slab);
	answer_place(d, "from", at->from_kind, at->from_cpu, at->from_node);
	answer_place(d, "to", at->to_kind, at->to_cpu, at->to_node);
	doc_end(d);
}

/* Step arguments that are enums, and those that are nodes or CPUs. */
static const struct arg_type {
	const char *arg, *type;
} arg_types[] = {
	{ "reason", "kmem_reason" },
	{ "what", "kmem_what" },
	{ "outcome", "kmem_outcome" },
	{ "owner", "kmem_owner" },
	{ "zone_kind", "kmem_zone_kind" },
	{ "param", "param" },
	{ "list", "kmem_place_kind" },
	{ "end", "kmem_end" },
	{ "queue", "kmem_queue" },
	{ "touched", "kmem_touched" },
	{ "sheaf", "kmem_sheaf" },
	{ "management", "kmem_management" },
	{ "want_node", "place" },
	{ "asked_node", "place" },
	{ "slab_node", "place" },
	{ "owner_cpu", "place" },
	{ "flushed_cpu", "place" },
	{ "check", "kmem_check" },
	{ "fix", "kmem_fix" },
	{ "effect", "kmem_effect" },
	{ "at", "signed" },
	{ "counted", "signed" },
};

static const char *type_of_arg(const char *arg)
{
	for (u32 i = 0; i < ARRAY_SIZE(arg_types); i++)
		if (strcmp(arg_types[i].arg, arg) == 0)
			return arg_types[i].type;
	return NULL;
}

/* Writes the step's arguments by name: numbers, names of enums, -1 for no or any node or CPU. */
static void answer_args(struct doc *d, const char *key, const struct kmem_step *step)
{
	const struct step_def *def = &step_defs[step->kind];

	doc_row(d, key);
	for (u32 i = 0; i < STEP_ARGS && def->args[i][0]; i++) {
		const char *type = type_of_arg(def->args[i]);
		u32 value = step->args[i];
		if (!type)
			doc_number(d, def->args[i], value);
		else if (strcmp(type, "param") == 0)
			doc_text(d, def->args[i], value < NR_PARAMS ? param_key(value) : "");
		else if (strcmp(type, "signed") == 0)
			doc_signed(d, def->args[i], (s32)value);
		else if (strcmp(type, "place") == 0)
			doc_signed(d, def->args[i], value == NODE_ANY ? -1 : (s64)value);
		else
			doc_text(d, def->args[i], enum_name(type, value).s);
	}
	doc_end(d);
}

static void answer_step(struct doc *d, const struct host *h, const struct stop *stop)
{
	const struct kmem_step *step = stop->step;
	const struct step_def *def = &step_defs[step->kind];

	doc_object(d, NULL);
	doc_number(d, "op", step->op);
	doc_number(d, "step", stop->number);
	if (stop->caption)
		doc_fields(d, ROW(kmem_caption, stop->caption), "caption_at,consequence_at");
	doc_text(d, "kind", def->kind);
	doc_text(d, "function", def->function);
	doc_fields(d, ROW(kmem_step, step), "cpu,cache?,node?");
	doc_text(d, "sentence", kmem_step_sentence(h->session, step));
	answer_args(d, "args", step);
	doc_number(d, "cycles", stop->at->cycles);
	doc_text_or_null(d, "level",
			 stop->level ? enum_name("kmem_level", stop->level->level).s : NULL);
	doc_text(d, "verb", enum_name("kmem_verb", stop->at->verb).s);
	doc_fields(d, ROW(kmem_path_step, stop->at), "at_node=node?,at_cpu=cpu?,at_target=target?");
	answer_move(d, stop->at);
	doc_end(d);
	doc_line(d, "  %3u  %-24s %5u  %s", stop->number + 1, def->kind, stop->at->cycles,
		 plain(kmem_step_sentence(h->session, step)));
}

struct csv_row {
	u32 op, step, cpu, cycles;
	const char *kind, *sentence;
};

static const struct column columns[] = {
	CELL("op", csv_row, op, DIGITS, IN_CSV),
	CELL("step", csv_row, step, DIGITS, IN_CSV),
	CELL("kind", csv_row, kind, TEXT, IN_CSV),
	CELL("cpu", csv_row, cpu, DIGITS, IN_CSV),
	CELL("cycles", csv_row, cycles, DIGITS, IN_CSV),
	CELL("sentence", csv_row, sentence, TEXT, IN_CSV),
};

static void answer_stop(struct doc *d, const struct host *h, const struct stop *stop)
{
	const struct kmem_step *step = stop->step;
	const struct csv_row row = { step->op,
				     stop->number,
				     step->cpu,
				     stop->at->cycles,
				     step_defs[step->kind].kind,
				     kmem_step_sentence(h->session, step) };

	if (doc_has_rows(d))
		doc_cells(d, columns, ARRAY_SIZE(columns), &row);
	else
		answer_step(d, h, stop);
}

static void answer_op(struct doc *d, struct host *h, u32 op)
{
	u32 nr_levels, nr;

	doc_line(d, "%s  %s", event_number(op).s, plain(kmem_op_sentence(h->session, op)));
	const struct kmem_caption *caption = kmem_caption(h->session, op);
	if (!caption)
		host_failed(h, KMEM_ENOMEM);
	doc_line(d, "       %s.", plain(host_text(h, caption->caption_at)));
	if (*host_text(h, caption->consequence_at))
		doc_line(d, "       %s", plain(host_text(h, caption->consequence_at)));
	const struct kmem_path *path = kmem_path(h->session, op);
	const struct kmem_path_step *at = path ? kmem_path_steps(h->session, op, &nr) : NULL;
	if (!at)
		host_failed(h, KMEM_ENOMEM);
	const struct kmem_level_row *levels = kmem_levels(h->session, path->cache, &nr_levels);
	for (u32 k = 0; k < nr; k++) {
		const struct stop stop = { kmem_step_rows(h->session) + k, k, at + k,
					   at[k].level == KMEM_NONE ? NULL : levels + at[k].level,
					   k ? NULL : caption };
		answer_stop(d, h, &stop);
	}
	doc_line(d, "       %-24s %5u  model cycles; deepest level: %s", "", path->cycles,
		 enum_words("kmem_level", levels[path->end].level));
}

static void answer_ops(struct doc *d, struct host *h, const struct args *args)
{
	u32 nr_ops = kmem_nr_ops(h->session), from = (u32)given(args, "event");
	const char *option = from ? "event" : "op";
	u64 asked = option_number(args, option), first = asked - from,
	    count = option_or(args, "count", 1);

	if (!nr_ops)
		refuse_call("--%s %s: %s has no events", option, grouped(asked).s, h->trace);
	if (first >= nr_ops)
		refuse_call("--%s %s is past the end: %s has %s, numbered from %u to %s", option,
			    grouped(asked).s, h->trace, counted(nr_ops, "event").s, from,
			    grouped((u64)nr_ops - 1 + from).s);
	kernel_note_now(h);
	kernel_head(d, h);
	doc_array(d, NULL);
	doc_head(d, columns, ARRAY_SIZE(columns));
	for (u64 op = first; op < nr_ops && op - first < count; op++)
		answer_op(d, h, (u32)op);
	doc_end(d);
}

static void check_event(const struct args *args)
{
	if (!given(args, "op") && !given(args, "event"))
		refuse_call("expected --event N, counted from 1");
	if (given(args, "op") && given(args, "event"))
		refuse_call(
			"--event and --op name the same thing, counted from 1 and from 0: give only one of them");
}

static const struct option options[] = {
	OPTION("event", ORDINAL, "N", "the event, counted from 1"),
	OPTION("op", WHOLE, "N", "the event counted from 0, as `op` in JSON and CSV"),
	OPTION("count", WHOLE, "K", "how many events to show (default 1)", .least = 1,
	       .most = 0xffffffff),
	OPTIONS_END,
};

const struct command command_steps = {
	GROUP_LOOK,
	"steps",
	"TRACE",
	"explain every decision that the allocator takes in an event",
	"Shows what happened inside event N. Each decision has the kernel's name for it, the\n"
	"numbers that were compared, and one sentence. For scripts, --op N counts events from 0,\n"
	"as `op` in --json and --csv does; `step` counts from 0 there too.",
	"  slabscope steps trace.txt --event 1200 --count 3",
	TAKES_REPLAY | TAKES_ROWS,
	options,
	.needs = NEEDS_REPLAY,
	.check = check_event,
	.answer = answer_ops,
};
