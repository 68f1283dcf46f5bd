/*
 * cmd_params.c - `slabscope params`: every parameter and preset with its meaning, from params.def and presets.def.
 */
#include "cli/host/host.h"
#include "cli/text/json.h"
#include "cli/text/names.h"
#include "tables/allocator_names.h"
#include "tables/preset_settings.h"

enum param_type { NUMBER, CHOICE, SIZE, LIST };

enum { NR_COSTS = NR_STEP_KINDS + 2 };

#define COST_VALUES "0..1000000"

static const struct param_def {
	const char *key, *values, *def, *since;
	int type, runtime;
} defs[NR_PARAMS] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) \
	{ key, values, def, since, type, runtime },
#include "tables/params.def"
#undef PARAM
};

static const struct preset {
	const char *name, *meaning;
} presets[] = {
#define PRESET(name, changes, meaning) { name, meaning },
#include "tables/presets.def"
#undef PRESET
};

const char *preset_named(const char *name)
{
	static const char stem[] = "linux-";

	for (u32 i = 0; i < ARRAY_SIZE(presets); i++) {
		const char *full = presets[i].name;
		if (strcmp(name, full) == 0)
			return full;
		if (strncmp(full, stem, sizeof(stem) - 1) == 0 &&
		    strcmp(name, full + sizeof(stem) - 1) == 0)
			return full;
	}
	return NULL;
}

const char *preset_names(void)
{
	static const char names[] =
#define PRESET(name, changes, meaning) ", " name
#include "tables/presets.def"
#undef PRESET
		;

	return names + 2;
}

/* Writes words separated by blanks as an array. */
static void words_json(struct json *j, const char *key, const char *words, const char *first)
{
	char word[64];

	json_list(j, key);
	if (first)
		json_text(j, NULL, first);
	while (*words) {
		size_t len = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		json_text(j, NULL, word);
		words += len;
		words += strspn(words, " ");
	}
	json_end(j);
}

static void param_json(struct json *j, const struct host *h, u32 param)
{
	const struct param_def *d = &defs[param];
	const char *automatic = strcmp(d->def, "automatic") == 0 ? d->def : NULL;

	json_object(j, NULL);
	json_text(j, "key", d->key);
	json_text(j, "name", kmem_param_name(h->session, param));
	json_text(j, "group", kmem_param_group(h->session, param));
	words_json(j, "allocators", kmem_param_allocators(h->session, param), NULL);
	if (d->type == CHOICE) {
		words_json(j, "values", d->values, NULL);
	} else {
		json_list(j, "values");
		if (automatic)
			json_text(j, NULL, automatic);
		json_text(j, NULL, d->values);
		json_end(j);
	}
	json_text(j, "default", d->def);
	json_text(j, "since", d->since);
	json_bool(j, "runtime", d->runtime);
	json_text(j, "value", kmem_param(h->session, d->key));
	json_text(j, "meaning", kmem_param_meaning(h->session, param));
	json_end(j);
}

static void param_csv(const struct host *h, u32 param)
{
	const struct param_def *d = &defs[param];
	const char *cells[] = { d->key, NULL, d->values, d->def, d->since, NULL };

	for (u32 k = 0; k < ARRAY_SIZE(cells); k++) {
		fputs(k ? "," : "", stdout);
		csv_text(stdout, cells[k] ? cells[k]
				 : k == 1 ? kmem_param_allocators(h->session, param)
					  : kmem_param_meaning(h->session, param));
	}
	putchar('\n');
}

/* The core's text lasts until its next call, so each text has its own printf. */
static void param_text(const struct host *h, u32 param)
{
	const struct param_def *d = &defs[param];

	printf("%s=%s\n", d->key, kmem_param(h->session, d->key));
	printf("    %s: %s; default %s%s%s%s\n", kmem_param_allocators(h->session, param),
	       d->values, d->def, d->since[0] ? "; since Linux " : "", d->since,
	       d->runtime ? "; may change while running" : "");
	printf("    %s\n", kmem_param_meaning(h->session, param));
}

/* The costs in model cycles: of each step, then those of enum cost. */
struct cost_row {
	char key[80], name[80], value[16], def[16], meaning[256];
};

static struct cost_row cost_row(const struct host *h, u32 cost)
{
	static const char *const names[] = { "LOCK", "REMOTE_LINE" };
	const struct step_def *step = cost < NR_STEP_KINDS ? &step_defs[cost] : NULL;
	struct cost_row row;

	snprintf(row.key, sizeof(row.key), "cost.%s",
		 step ? step->kind : names[cost - NR_STEP_KINDS]);
	snprintf(row.name, sizeof(row.name), "%s", kmem_cost_name(h->session, cost));
	snprintf(row.value, sizeof(row.value), "%s", kmem_param(h->session, row.key));
	snprintf(row.def, sizeof(row.def), "%u", kmem_default_cost(h->session, cost));
	snprintf(row.meaning, sizeof(row.meaning), "%s", kmem_cost_meaning(h->session, cost));
	return row;
}

static void cost_json(struct json *j, const struct host *h, u32 cost)
{
	const struct cost_row row = cost_row(h, cost);

	json_object(j, NULL);
	json_text(j, "key", row.key);
	json_text(j, "name", row.name);
	json_text(j, "group", "costs");
	words_json(j, "allocators", "all", NULL);
	words_json(j, "values", COST_VALUES, NULL);
	json_text(j, "default", row.def);
	json_text(j, "since", "");
	json_bool(j, "runtime", 0);
	json_text(j, "value", row.value);
	json_text(j, "meaning", row.meaning);
	json_end(j);
}

static void cost_csv(const struct host *h, u32 cost)
{
	const struct cost_row row = cost_row(h, cost);

	printf("%s,all,%s,%s,,", row.key, COST_VALUES, row.def);
	csv_text(stdout, row.meaning);
	putchar('\n');
}

static void cost_text(const struct host *h, u32 cost)
{
	const struct cost_row row = cost_row(h, cost);

	printf("%s=%s\n    all: %s; default %s\n    %s\n", row.key, row.value, COST_VALUES, row.def,
	       row.meaning);
}

static void print_params(const struct host *h, const struct args *args)
{
	struct json j = json_to(stdout);

	if (GIVEN(args, JSON)) {
		json_array(&j, NULL);
		for (u32 i = 0; i < NR_PARAMS; i++)
			param_json(&j, h, i);
		for (u32 i = 0; i < NR_COSTS; i++)
			cost_json(&j, h, i);
		json_end(&j);
		return;
	}
	if (GIVEN(args, CSV))
		puts("key,allocators,values,default,since,meaning");
	for (u32 i = 0; i < NR_PARAMS; i++) {
		(GIVEN(args, CSV) ? param_csv : param_text)(h, i);
	}
	for (u32 i = 0; i < NR_COSTS; i++)
		(GIVEN(args, CSV) ? cost_csv : cost_text)(h, i);
}

static void settings_json(struct json *j, u32 preset)
{
	char key[64], value[64];
	struct preset_setting set;

	json_row(j, "set");
	for (u32 i = 0; preset_setting(preset, i, &set); i++) {
		snprintf(key, sizeof(key), "%.*s", (int)set.key_bytes, set.key);
		snprintf(value, sizeof(value), "%.*s", (int)set.value_bytes, set.value);
		json_text(j, key, value);
	}
	json_end(j);
}

static void preset_text(u32 preset)
{
	struct preset_setting set;

	printf("%s\n    %s\n   ", presets[preset].name, presets[preset].meaning);
	for (u32 i = 0; preset_setting(preset, i, &set); i++)
		printf(" %.*s=%.*s", (int)set.key_bytes, set.key, (int)set.value_bytes, set.value);
	printf("\n");
}

static void print_presets(const struct args *args)
{
	struct json j = json_to(stdout);

	if (!GIVEN(args, JSON)) {
		for (u32 i = 0; i < ARRAY_SIZE(presets); i++)
			preset_text(i);
		return;
	}
	json_array(&j, NULL);
	for (u32 i = 0; i < ARRAY_SIZE(presets); i++) {
		json_object(&j, NULL);
		json_text(&j, "name", presets[i].name);
		json_text(&j, "meaning", presets[i].meaning);
		settings_json(&j, i);
		json_end(&j);
	}
	json_end(&j);
}

static int run(struct args *args)
{
	struct host h;
	int status = host_open(&h, args);

	if (status)
		return status;
	if (GIVEN(args, PRESETS))
		print_presets(args);
	else
		print_params(&h, args);
	return EXIT_DONE;
}

const struct command command_params = {
	"params",
	"",
	"every parameter: its values, default, kernel version and meaning",
	"Lists the parameters that --set, `machine` and `set` lines of a slabtrace and\n"
	"the page understand. With --preset or --set it shows the values they lead to;\n"
	"--presets lists the presets. With --json each has what the page's machine sheet\n"
	"shows: its `name` in words, its `group` (allocator, topology, proposals, rules,\n"
	"debugging, costs) and in `since` the first kernel version that has it.",
	"  slabscope params --preset linux-4.19\n"
	"  slabscope params --presets",
	OPTIONS_COMMON | OPTION(CSV) | OPTION(PRESETS) | OPTIONS_MACHINE,
	run,
};
