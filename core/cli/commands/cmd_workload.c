/*
 * cmd_workload.c - `slabscope workload`: generates a trace and writes it as slabtrace.
 */
#include <stdio.h>

#include "cli/print.h"
#include "cli/output.h"

enum { SETTINGS_BYTES = 4096 };

static const struct {
	const char *name, *machine, *meaning;
} workloads[] = {
#define WORKLOAD(id, name, machine, kernel, meaning) { name, machine, meaning },
#include "tables/workload.def"
#undef WORKLOAD
};

#define VALUES(...) { __VA_ARGS__ }
/* Every workload has the keys in hundredths and the random seed. */
static const struct {
	const char *key, *meaning;
	int is_common;
	int defaults[ARRAY_SIZE(workloads)];
} keys[] = {
#define WORKLOAD_KEY(id, key, hundredths, least, most, defaults, meaning) \
	{ key, meaning, hundredths || (most) == 0xffffffff, defaults },
#include "tables/workload.def"
#undef WORKLOAD_KEY
};

/* Joins all settings as the core takes them; returns 0 if they are too long. */
static int join_settings(const struct args *args, char *to)
{
	size_t used = 0;

	to[0] = 0;
	if (given(args, "preset")) {
		const char *name = preset_named(option_text(args, "preset"));
		used = (size_t)snprintf(to, SETTINGS_BYTES, "preset=%.80s ",
					name ? name : option_text(args, "preset"));
	}
	for (u32 i = 0; i < args->nr_settings; i++) {
		const struct setting *set = &args->settings[i];
		int n = snprintf(to + used, SETTINGS_BYTES - used, "%s%s=%s", i ? " " : "",
				 set->key, set->value);
		if (n < 0 || used + (size_t)n >= SETTINGS_BYTES)
			return 0;
		used += (size_t)n;
	}
	return 1;
}

static void print_list(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(workloads); i++) {
		printf("%-13s %s\n              (%s)\n", workloads[i].name, workloads[i].meaning,
		       workloads[i].machine);
		for (u32 k = 0; k < ARRAY_SIZE(keys); k++) {
			if (keys[k].defaults[i] < 0 || keys[k].is_common)
				continue;
			printf("  %-13s %5d  %s\n", keys[k].key, keys[k].defaults[i],
			       keys[k].meaning);
		}
		puts("");
	}
	puts("all of them:");
	for (u32 k = 0; k < ARRAY_SIZE(keys); k++)
		if (keys[k].is_common)
			printf("  %-13s        %s\n", keys[k].key, keys[k].meaning);
}

static int run(struct args *args)
{
	static char settings[SETTINGS_BYTES];
	struct output out;
	struct host h;
	struct args without = *args;

	/* The settings belong to the trace, not to the session. */
	without.nr_settings = 0;
	option_put(&without, "preset", NULL);
	host_open(&h, &without);
	if (!args->trace) {
		if (given(args, "json"))
			puts(kmem_workloads_json(h.session));
		else
			print_list();
		return EXIT_DONE;
	}
	if (!join_settings(args, settings))
		refuse_call("the settings are longer than %d bytes", SETTINGS_BYTES);
	write_check(args);
	output_begin(&out, args, 0);
	host_workload(&h, args->trace, settings);
	h.trace = args->trace;
	return write_trace(&h, args, 0, &out);
}

static const struct option options[] = {
	OPTION_COLD,
	OPTION("seed", WORD, "N",
	       "the random seed: each value gives another trace of the same shape", .key = "seed"),
	OPTION("scale", WORD, "X", "how much work: 2 is twice as much, 0.5 half as much",
	       .key = "scale"),
	OPTION_OUTPUT,
	OPTIONS_END,
};

const struct command command_workload = {
	GROUP_FILES,
	"workload",
	"[NAME]",
	"generate a trace: netio, kernel-build, tcp-rr, hackbench, boot",
	"Generates a trace in the shape of recorded ones and writes it as slabtrace, with the\n"
	"machine that it is meant for. The same random seed gives the same trace everywhere.\n"
	"--set takes parameters of the machine and the workload's keys; without a NAME the command\n"
	"lists these. Every command also takes workload:NAME?seed=1&scale=2 instead of a file.",
	"  slabscope workload\n"
	"  slabscope workload hackbench --seed 7 --set groups=4 --cpus 8 -o hackbench.slabtrace\n"
	"  slabscope replay 'workload:netio?seed=3' --set min_partial_rule=rfc-2008",
	TAKES_JSON | TAKES_MACHINE,
	options,
	.run = run,
};
