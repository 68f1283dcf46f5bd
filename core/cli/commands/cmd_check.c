/*
 * cmd_check.c - `slabscope check`: the model against a real kernel's run, allocation by allocation.
 */
#include <stdio.h>

#include "cli/print.h"

/* "12,345 of 12,346 (99.992 %)" */
static void say_share(struct doc *d, const char *what, u64 part, u64 all)
{
	u64 thousandths = all ? part * 100000 / all : 100000;

	doc_line(d, "%-44s %s of %s (%llu.%03llu %%)", what, grouped(part).s, grouped(all).s,
		 (unsigned long long)(thousandths / 1000),
		 (unsigned long long)(thousandths % 1000));
}

static void answer_left_out(struct doc *d, const struct kmem_checked *c)
{
	const struct {
		u64 nr;
		const char *key, *words;
	} reasons[] = {
		{ c->large, "large", "served by whole pages" },
		{ c->other_caches, "other_caches", "of caches that are not in the start state" },
		{ c->odd_pointers, "odd_pointers",
		  "with a pointer between two objects of its slab" },
		{ c->unknown_frees, "unknown_frees", "free a slab that nobody named" },
		{ c->unseen_frees, "unseen_frees",
		  "frees missing from the trace: the pointer is allocated again" },
		{ c->beside, "beside",
		  "before the start state or after the stop state, by trace markers" },
	};

	doc_row(d, "left_out");
	for (u32 i = 0; i < ARRAY_SIZE(reasons); i++) {
		doc_number(d, reasons[i].key, reasons[i].nr);
		if (reasons[i].nr)
			doc_line(d, "%-44s %s %s", "not compared", grouped(reasons[i].nr).s,
				 reasons[i].words);
	}
	doc_end(d);
}

static void answer_moves(struct doc *d, const struct kmem_checked *c)
{
	doc_array(d, "moved");
	for (u32 i = 0; i < c->nr_moved; i++) {
		const struct kmem_checked_move *move = &c->moved[i];
		doc_row(d, NULL);
		doc_number(d, "event", (u64)move->op + 1);
		doc_text(d, "cache", move->cache);
		doc_number_or_null(d, "before_event",
				   move->skips_nodes ? 0 : (u64)(u32)(move->next_op + 1), 0);
		doc_bool(d, "skips_nodes", (int)move->skips_nodes);
		doc_end(d);
	}
	doc_end(d);
}

/* "fallback": {"0": [1, 2, 3], ...} */
static void answer_fallback(struct doc *d, const struct kmem_checked *c)
{
	char node[16];

	if (!c->nr_fallback)
		return;
	doc_say(d, "other nodes are asked, inferred             ");
	doc_object(d, "fallback");
	for (u32 i = 0; i < c->nr_fallback; i++) {
		snprintf(node, sizeof(node), "%u", i);
		doc_list(d, node);
		for (u32 k = 0; k + 1 < c->nr_fallback; k++) {
			doc_number(d, NULL, c->fallback[i][k]);
			doc_say(d, "%s%u", k ? "," : i ? "  " : " ", c->fallback[i][k]);
		}
		doc_end(d);
	}
	doc_end(d);
	doc_gap(d);
}

static const char *per_cent(const struct doc *d, const void *row)
{
	const struct kmem_checked_cache *r = row;
	u64 tenths = r->allocations ? (u64)r->right * 1000 / r->allocations : 1000;
	static char text[24];

	snprintf(text, sizeof(text), "%llu.%llu", (unsigned long long)(tenths / 10),
		 (unsigned long long)(tenths % 10));
	(void)d;
	return text;
}

static const char *kernel_slabs(const struct doc *d, const void *row)
{
	const struct kmem_checked_cache *r = row;
	static char text[16];

	snprintf(text, sizeof(text), "%+d", r->kernel_slabs);
	(void)d;
	return r->has_kernel_slabs ? text : NO_NUMBER;
}

static const struct column columns[] = {
	COLUMN("name", kmem_checked_cache, name, TEXT, IN_JSON, "cache", -24),
	CELL("events", kmem_checked_cache, events, DIGITS, IN_JSON),
	COLUMN("allocations", kmem_checked_cache, allocations, COUNT, IN_JSON, "allocations", 13),
	COLUMN("right", kmem_checked_cache, right, COUNT, IN_JSON, "right", 13),
	COLUMN_SAID(NULL, per_cent, 0, "per cent", 11),
	COLUMN_SAID(NULL, kernel_slabs, 0, "slabs", 11),
	COLUMN(NULL, kmem_checked_cache, model_slabs, CHANGE, 0, "model", 11),
};

static void answer_caches(struct doc *d, const struct kmem_checked *c)
{
	doc_gap(d);
	if (d->form == DOC_TEXT)
		doc_rows(d, NULL, ROWS(columns, c->rows, c->nr_rows));
	doc_array(d, "by_cache");
	for (u32 i = 0; i < c->nr_rows; i++) {
		doc_row(d, NULL);
		doc_members(d, columns, ARRAY_SIZE(columns), &c->rows[i]);
		if (c->rows[i].has_kernel_slabs)
			doc_signed(d, "kernel_slabs", c->rows[i].kernel_slabs);
		else
			doc_null(d, "kernel_slabs");
		doc_signed(d, "model_slabs", c->rows[i].model_slabs);
		doc_end(d);
	}
	doc_end(d);
}

/* Two or three numbers on one line. */
static void answer_pair(struct doc *d, const char *key, u64 all, const char *part, u64 nr)
{
	doc_row(d, key);
	doc_number(d, "all", all);
	doc_number(d, part, nr);
	doc_end(d);
}

static void answer_figures(struct doc *d, const struct kmem_checked *c)
{
	doc_number(d, "events", c->events);
	doc_number(d, "allocations", c->allocations);
	doc_number(d, "right", c->right);
	doc_number(d, "right_in_recorded_order", c->recorded_right);
	doc_number(d, "right_by_slab", c->by_slab);
	doc_number(d, "resynchronised", c->resynchronised);
	doc_number(d, "moves", c->moves);
	doc_number(d, "given_up", c->given_up);
	doc_number_or_null(d, "given_up_event", c->given_up ? (u64)c->given_up_op + 1 : 0, 0);
	answer_pair(d, "parts", c->parts, "refused", c->parts_refused);
	doc_row(d, "counters");
	doc_number(d, "cells", c->cells);
	doc_number(d, "within_1_percent", c->within_1_percent);
	doc_number(d, "within_10_percent", c->within_10_percent);
	doc_end(d);
	answer_pair(d, "caches", c->caches, "within_2", c->within_2);
	answer_pair(d, "stop_lists", c->lists, "equal", c->lists_equal);
	say_share(d, "allocations in the recorded slab and index", c->right, c->allocations);
	if (c->by_slab)
		doc_line(d, "%-44s %s", "  by slab alone, not named by the start state",
			 grouped(c->by_slab).s);
}

/* The settings that are wrong on purpose, and whether they prove anything about the run. */
static void answer_controls(struct doc *d, const struct host *h, const struct kmem_checked *c)
{
	u32 all = (1u << NR_CONTROLS) - (1u << (CONTROL_NONE + 1));
	char what[72];

	doc_array(d, "controls");
	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++) {
		doc_row(d, NULL);
		doc_text(d, "setting", kmem_control_name(h->session, i));
		doc_number(d, "right", c->control_right[i]);
		doc_bool(d, "proves_nothing", (int)(c->proves_nothing >> i & 1));
		doc_end(d);
		snprintf(what, sizeof(what), "  wrong on purpose: %s",
			 kmem_control_name(h->session, i));
		say_share(d, what, c->control_right[i], c->allocations);
	}
	doc_end(d);
	if (!c->allocations || (c->proves_nothing & all) == all)
		doc_line(
			d,
			"  These controls prove nothing: a figure that a wrong model reaches too says nothing about\n"
			"  the right one. Record more, or choose a run that fills and empties more slabs.");
	else if (c->proves_nothing)
		doc_line(
			d,
			"  A control that is as right as the model proves nothing: this run does not use that setting.");
}

static void say_search(struct doc *d, const struct kmem_checked *c)
{
	if (c->parts)
		doc_line(d, "%-44s %s as the trace reports them; the model refused %s",
			 "  in parts", counted(c->parts, "part").s, grouped(c->parts_refused).s);
	if (c->right != c->recorded_right)
		say_share(d, "  in recorded order", c->recorded_right, c->allocations);
	if (c->nr_moved)
		doc_line(d, "%-44s %s moved, %s without a search of other nodes", "  for that",
			 counted(c->moves, "event").s, grouped(c->resynchronised).s);
	if (c->given_up)
		doc_line(
			d,
			"  The search gave up %s, first at event %s: no order of the events in their intervals, and no\n"
			"  skipped search of other nodes, explains the kernel's choice there. These allocations count\n"
			"  as wrong, and the model went on from the kernel's objects.",
			c->given_up == 1 ? "once" : counted(c->given_up, "time").s,
			event_number(c->given_up_op).s);
	if (c->cells) {
		say_share(d, "counters within 1 % of the kernel's", c->within_1_percent, c->cells);
		say_share(d, "counters within 10 %", c->within_10_percent, c->cells);
	}
	if (c->caches) {
		say_share(d, "caches with the kernel's slabs, within 2", c->within_2, c->caches);
		say_share(d, "lists at the end, slab for slab", c->lists_equal, c->lists);
	}
}

static void answer_divergence(struct doc *d, const struct kmem_checked *c)
{
	if (!c->has_divergence) {
		doc_null(d, "divergence");
		return;
	}
	doc_object(d, "divergence");
	doc_number(d, "event", (u64)c->divergence_op + 1);
	doc_text(d, "kernel", c->kernel);
	doc_text(d, "model", c->model);
	doc_text(d, "why", c->why);
	doc_end(d);
	doc_say(d, "\nfirst difference: event %s\n", event_number(c->divergence_op).s);
	doc_say(d, "  kernel  %s\n  model   %s\n  %s\n", plain(c->kernel), plain(c->model),
		plain(c->why));
}

static void answer(struct doc *d, const struct host *h, const struct kmem_checked *c)
{
	int is_text = d->form == DOC_TEXT;

	doc_object(d, NULL);
	doc_text(d, "trace", h->trace);
	doc_from(d, FROM_KNOWN_START);
	doc_from_of(d, "kernel_slabs=machine");
	answer_figures(d, c);
	answer_controls(d, h, c);
	say_search(d, c);
	if (is_text) {
		answer_fallback(d, c);
		answer_left_out(d, c);
	}
	answer_divergence(d, c);
	answer_moves(d, c);
	if (!is_text) {
		answer_fallback(d, c);
		answer_left_out(d, c);
	}
	answer_caches(d, c);
	doc_end(d);
}

static int run(struct args *args)
{
	struct host h;

	if (!given(args, "start"))
		refuse_call("check needs --start STATE, the kernel's state when the trace started");
	host_keep(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS | KMEM_KEEP_EFFECTS);
	host_prepare(&h, args);
	if (given(args, "stop"))
		input_state(&h, option_text(args, "stop"), KMEM_STATE_STOP);
	host_read(&h, args, NULL);
	const struct kmem_check_args how = { (u32)given(args, "infer-order") };
	if (kmem_job(h.session, JOB_CHECK, &how))
		host_failed(&h, KMEM_EINPUT);
	const struct kmem_checked *found = kmem_checked(h.session);
	struct doc d = host_doc(&h, asked_form(args));
	answer(&d, &h, found);
	return host_verdict(&h);
}

static const struct option options[] = {
	OPTION_START,
	OPTION("stop", FILES, "STATE",
	       "the state when the trace ended, to compare counters, slabs and lists"),
	{ "infer-order",
	  .help = "move events within their own intervals until the model makes the recorded"
		  " choices" },
	OPTION_PRESET,
	OPTION_SET,
	OPTIONS_END,
};

const struct command command_check = {
	GROUP_MEASURE,
	"check",
	"TRACE",
	"check the model against a real kernel, allocation by allocation",
	"Starts from the state that the kernel had when the trace started, replays the trace, and\n"
	"compares the slab and the index of every allocation with the recorded pointer. With the\n"
	"state at the end it also compares counters, slabs and lists. Three settings that are\n"
	"wrong on purpose are measured in the same way: a figure that they reach too proves\n"
	"nothing. docs/command/check.md describes the text of a state.",
	"  slabscope check run.trace.gz --start run.start.state --stop run.stop.state",
	TAKES_JSON | TAKES_TRACE,
	options,
	.run = run,
};
