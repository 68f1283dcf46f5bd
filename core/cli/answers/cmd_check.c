/*
 * cmd_check.c - `slabscope check`: the model against a real kernel's run, allocation by allocation.
 */
#include <stdio.h>

#include "cli/print/print.h"
#include "cli/text/json.h"

static void causes_json(struct json *j, const struct kmem_checked *c)
{
	json_row(j, "left_out");
	json_number(j, "large", c->large);
	json_number(j, "other_caches", c->other_caches);
	json_number(j, "odd_pointers", c->odd_pointers);
	json_number(j, "unknown_frees", c->unknown_frees);
	json_number(j, "unseen_frees", c->unseen_frees);
	json_number(j, "beside", c->beside);
	json_end(j);
}

static void moves_json(struct json *j, const struct kmem_checked *c)
{
	json_array(j, "moved");
	for (u32 i = 0; i < c->nr_moved; i++) {
		const struct kmem_checked_move *move = &c->moved[i];
		json_row(j, NULL);
		json_number(j, "event", (u64)move->op + 1);
		json_text(j, "cache", move->cache);
		if (move->skips_nodes || move->next_op == KMEM_NONE32)
			json_null(j, "before_event");
		else
			json_number(j, "before_event", (u64)move->next_op + 1);
		json_bool(j, "skips_nodes", (int)move->skips_nodes);
		json_end(j);
	}
	json_end(j);
}

/* "fallback": {"0": [1, 2, 3], ...} */
static void fallback_json(struct json *j, const struct kmem_checked *c)
{
	char node[16];

	if (!c->nr_fallback)
		return;
	json_object(j, "fallback");
	for (u32 i = 0; i < c->nr_fallback; i++) {
		snprintf(node, sizeof(node), "%u", i);
		json_list(j, node);
		for (u32 k = 0; k + 1 < c->nr_fallback; k++)
			json_number(j, NULL, c->fallback[i][k]);
		json_end(j);
	}
	json_end(j);
}

static void rows_of_caches_json(struct json *j, const struct kmem_checked *c)
{
	json_array(j, "by_cache");
	for (u32 i = 0; i < c->nr_rows; i++) {
		json_row(j, NULL);
		json_text(j, "name", c->rows[i].name);
		json_number(j, "events", c->rows[i].events);
		json_number(j, "allocations", c->rows[i].allocations);
		json_number(j, "right", c->rows[i].right);
		if (c->rows[i].has_kernel_slabs)
			json_signed(j, "kernel_slabs", c->rows[i].kernel_slabs);
		else
			json_null(j, "kernel_slabs");
		json_signed(j, "model_slabs", c->rows[i].model_slabs);
		json_end(j);
	}
	json_end(j);
}

static void print_json(const struct host *h, const struct kmem_checked *c)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", h->trace);
	from_json(&j, FROM_KNOWN_START);
	from_of_json(&j, "kernel_slabs=machine");
	json_number(&j, "events", c->events);
	json_number(&j, "allocations", c->allocations);
	json_number(&j, "right", c->right);
	json_number(&j, "right_in_recorded_order", c->recorded_right);
	json_number(&j, "right_by_slab", c->by_slab);
	json_number(&j, "resynchronised", c->resynchronised);
	json_number(&j, "moves", c->moves);
	json_number(&j, "given_up", c->given_up);
	if (c->given_up)
		json_number(&j, "given_up_event", (u64)c->given_up_op + 1);
	else
		json_null(&j, "given_up_event");
	json_row(&j, "parts");
	json_number(&j, "all", c->parts);
	json_number(&j, "refused", c->parts_refused);
	json_end(&j);
	json_row(&j, "counters");
	json_number(&j, "cells", c->cells);
	json_number(&j, "within_1_percent", c->within_1_percent);
	json_number(&j, "within_10_percent", c->within_10_percent);
	json_end(&j);
	json_row(&j, "caches");
	json_number(&j, "all", c->caches);
	json_number(&j, "within_2", c->within_2);
	json_end(&j);
	json_row(&j, "stop_lists");
	json_number(&j, "all", c->lists);
	json_number(&j, "equal", c->lists_equal);
	json_end(&j);
	json_array(&j, "controls");
	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++) {
		json_row(&j, NULL);
		json_text(&j, "setting", kmem_control_name(h->session, i));
		json_number(&j, "right", c->control_right[i]);
		json_bool(&j, "proves_nothing", (int)(c->proves_nothing >> i & 1));
		json_end(&j);
	}
	json_end(&j);
	if (c->has_divergence) {
		json_object(&j, "divergence");
		json_number(&j, "event", (u64)c->divergence_op + 1);
		json_text(&j, "kernel", c->kernel);
		json_text(&j, "model", c->model);
		json_text(&j, "why", c->why);
		json_end(&j);
	} else {
		json_null(&j, "divergence");
	}
	moves_json(&j, c);
	fallback_json(&j, c);
	causes_json(&j, c);
	rows_of_caches_json(&j, c);
	json_end(&j);
}

/* "12,345 of 12,346 (99.992 %)" */
static void print_share(const char *what, u64 part, u64 all)
{
	u64 thousandths = all ? part * 100000 / all : 100000;

	printf("%-44s %s of %s (%llu.%03llu %%)\n", what, grouped(part).s, grouped(all).s,
	       (unsigned long long)(thousandths / 1000), (unsigned long long)(thousandths % 1000));
}

static void print_left_out(const struct kmem_checked *c)
{
	const struct {
		u64 nr;
		const char *words;
	} reasons[] = {
		{ c->large, "served by whole pages" },
		{ c->other_caches, "of caches that the start state does not have" },
		{ c->odd_pointers, "with a pointer between two objects of its slab" },
		{ c->unknown_frees, "free a slab that nobody named" },
		{ c->unseen_frees, "frees that the trace lacks, at a pointer allocated again" },
		{ c->beside, "before the start state or after the stop state, by trace markers" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(reasons); i++)
		if (reasons[i].nr)
			printf("%-44s %s %s\n", "not compared", grouped(reasons[i].nr).s,
			       reasons[i].words);
}

/* The controls, and whether they prove anything about the run. */
static void print_proof(const struct kmem_checked *c)
{
	u32 all = (1u << NR_CONTROLS) - (1u << (CONTROL_NONE + 1));

	if (!c->allocations || (c->proves_nothing & all) == all)
		puts("  These controls prove nothing: a figure that a wrong model reaches too says nothing about\n"
		     "  the right one. Record more, or choose a run that fills and empties more slabs.");
	else if (c->proves_nothing)
		puts("  A control that is as right as the model proves nothing: this run does not use that setting.");
}

static void print_caches(const struct kmem_checked *c)
{
	printf("\n%-24s %12s %12s %10s %10s %10s\n", "cache", "allocations", "right", "per cent",
	       "slabs", "model");
	for (u32 i = 0; i < c->nr_rows; i++) {
		const struct kmem_checked_cache *row = &c->rows[i];
		u64 tenths = row->allocations ? (u64)row->right * 1000 / row->allocations : 1000;
		char slabs[16] = NO_NUMBER;
		if (row->has_kernel_slabs)
			snprintf(slabs, sizeof(slabs), "%+d", row->kernel_slabs);
		printf("%-24s %12s %12s %8llu.%llu ", plain(row->name), grouped(row->allocations).s,
		       grouped(row->right).s, (unsigned long long)(tenths / 10),
		       (unsigned long long)(tenths % 10));
		print_right(slabs, 10);
		printf(" %+10d\n", row->model_slabs);
	}
}

static void print_text(const struct host *h, const struct kmem_checked *c)
{
	print_share("allocations in the recorded slab and index", c->right, c->allocations);
	if (c->by_slab)
		printf("%-44s %s\n", "  by slab alone, not named by the start state",
		       grouped(c->by_slab).s);
	for (u32 i = CONTROL_NONE + 1; i < NR_CONTROLS; i++) {
		char what[72];
		snprintf(what, sizeof(what), "  wrong on purpose: %s",
			 kmem_control_name(h->session, i));
		print_share(what, c->control_right[i], c->allocations);
	}
	print_proof(c);
	if (c->parts)
		printf("%-44s %s as the trace reports them; the model refused %s\n", "  in parts",
		       counted(c->parts, "part").s, grouped(c->parts_refused).s);
	if (c->right != c->recorded_right)
		print_share("  in recorded order", c->recorded_right, c->allocations);
	if (c->nr_moved)
		printf("%-44s %s moved, %s without a search of other nodes\n", "  for that",
		       counted(c->moves, "event").s, grouped(c->resynchronised).s);
	if (c->given_up)
		printf("  The search gave up %s, first at event %s: no order of the events in their intervals, and no\n"
		       "  skipped search of other nodes, explains the kernel's choice there. These allocations count\n"
		       "  as wrong, and the model went on from the kernel's objects.\n",
		       c->given_up == 1 ? "once" : counted(c->given_up, "time").s,
		       event_number(c->given_up_op).s);
	if (c->cells) {
		print_share("counters within 1 % of the kernel's", c->within_1_percent, c->cells);
		print_share("counters within 10 %", c->within_10_percent, c->cells);
	}
	if (c->caches) {
		print_share("caches with the kernel's slabs, within 2", c->within_2, c->caches);
		print_share("lists at the end, slab for slab", c->lists_equal, c->lists);
	}
	if (c->nr_fallback) {
		fputs("other nodes are asked, inferred             ", stdout);
		for (u32 i = 0; i < c->nr_fallback; i++)
			for (u32 k = 0; k + 1 < c->nr_fallback; k++)
				printf("%s%u", k ? "," : i ? "  " : " ", c->fallback[i][k]);
		puts("");
	}
	print_left_out(c);
	if (c->has_divergence) {
		printf("\nfirst elsewhere: event %s\n", event_number(c->divergence_op).s);
		printf("  kernel  %s\n", plain(c->kernel));
		printf("  model   %s\n", plain(c->model));
		printf("  %s\n", plain(c->why));
	}
	print_caches(c);
}

static int run(struct args *args)
{
	struct host h;

	if (!GIVEN(args, START)) {
		complain("--start STATE is missing: the kernel's state when the trace began");
		return EXIT_CALL;
	}
	host_keep(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS | KMEM_KEEP_EFFECTS);
	int status = host_prepare(&h, args);
	if (!status && GIVEN(args, STOP))
		status = input_state(&h, args->text[OPT_STOP], KMEM_STATE_STOP);
	if (!status)
		status = host_read(&h, args, NULL);
	if (status)
		return status;
	const struct kmem_check_args how = { GIVEN(args, INFER_ORDER) };
	if (kmem_job(h.session, JOB_CHECK, &how))
		return host_failed(&h, KMEM_EINPUT);
	const struct kmem_checked *found = kmem_checked(h.session);
	if (GIVEN(args, JSON))
		print_json(&h, found);
	else
		print_text(&h, found);
	return host_verdict(&h);
}

const struct command command_check = {
	"check",
	"TRACE",
	"the model against a real kernel's run, allocation by allocation",
	"Begins with the state that the kernel had when the trace began, replays the trace, and\n"
	"compares the slab and the index of every allocation with the recorded pointer. With the\n"
	"state at the end it also compares counters, slabs and lists. Three settings that are\n"
	"wrong on purpose are measured in the same way: a figure that they reach too proves\n"
	"nothing. docs/command.md describes the state's text.",
	"  slabscope check run.trace.gz --start run.start.state --stop run.stop.state",
	OPTIONS_TRACE | OPTION(START) | OPTION(STOP) | OPTION(INFER_ORDER) | OPTION(PRESET) |
		OPTION(SET),
	run,
};
