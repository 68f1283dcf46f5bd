/*
 * cmd_params.c - `slabscope params`: every parameter and preset with its meaning, from params.def and presets.def.
 */
#include "cli/cli.h"
#include "doc/doc.h"
#include "doc/names.h"
#include "tables/allocator_names.h"
#include "tables/preset_settings.h"

enum param_type { NUMBER, CHOICE, SIZE, LIST };

enum { NR_COSTS = NR_STEP_KINDS + 2 };

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

/* A parameter, or a cost in model cycles. Copies: the core's text lasts until its next call. */
struct param_row {
	char key[80], name[80], group[24], allocators[64], values[512], def[48], value[256],
		meaning[640];
	const char *since;
	int runtime, is_choice;
};

static const struct column columns[] = {
	CELL("key", param_row, key, STRING, IN_CSV),
	CELL("allocators", param_row, allocators, STRING, IN_CSV),
	CELL("values", param_row, values, STRING, IN_CSV),
	CELL("default", param_row, def, STRING, IN_CSV),
	CELL("since", param_row, since, TEXT, IN_CSV),
	CELL("meaning", param_row, meaning, STRING, IN_CSV),
};

#define COPY(to, text) snprintf(to, sizeof(to), "%s", text)

static void fill_param(const struct host *h, u32 param, struct param_row *row)
{
	const struct param_def *d = &defs[param];

	COPY(row->key, d->key);
	COPY(row->name, kmem_param_name(h->session, param));
	COPY(row->group, kmem_param_group(h->session, param));
	COPY(row->allocators, kmem_param_allocators(h->session, param));
	COPY(row->values, d->values);
	COPY(row->def, d->def);
	COPY(row->value, kmem_param(h->session, d->key));
	COPY(row->meaning, kmem_param_meaning(h->session, param));
	row->since = d->since;
	row->runtime = d->runtime;
	row->is_choice = d->type == CHOICE;
}

/* The costs of each step, then those of enum cost. */
static void fill_cost(const struct host *h, u32 cost, struct param_row *row)
{
	static const char *const names[] = { "LOCK", "REMOTE_LINE" };
	const struct step_def *step = cost < NR_STEP_KINDS ? &step_defs[cost] : NULL;

	*row = (struct param_row){
		.group = "costs", .allocators = "all", .values = "0..1000000", .since = ""
	};
	snprintf(row->key, sizeof(row->key), "cost.%s",
		 step ? step->kind : names[cost - NR_STEP_KINDS]);
	COPY(row->name, kmem_cost_name(h->session, cost));
	snprintf(row->def, sizeof(row->def), "%u", kmem_default_cost(h->session, cost));
	COPY(row->value, kmem_param(h->session, row->key));
	COPY(row->meaning, kmem_cost_meaning(h->session, cost));
}

/* Writes words separated by blanks as an array. */
static void answer_words(struct doc *d, const char *key, const char *words, const char *first)
{
	char word[64];

	doc_list(d, key);
	if (first)
		doc_text(d, NULL, first);
	while (*words) {
		size_t len = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		doc_text(d, NULL, word);
		words += len;
		words += strspn(words, " ");
	}
	doc_end(d);
}

static void answer_param(struct doc *d, const struct param_row *row)
{
	doc_object(d, NULL);
	doc_text(d, "key", row->key);
	doc_text(d, "name", row->name);
	doc_text(d, "group", row->group);
	answer_words(d, "allocators", row->allocators, NULL);
	if (row->is_choice) {
		answer_words(d, "values", row->values, NULL);
	} else {
		doc_list(d, "values");
		if (strcmp(row->def, "automatic") == 0)
			doc_text(d, NULL, row->def);
		doc_text(d, NULL, row->values);
		doc_end(d);
	}
	doc_text(d, "default", row->def);
	doc_text(d, "since", row->since);
	doc_bool(d, "runtime", row->runtime);
	doc_text(d, "value", row->value);
	doc_text(d, "meaning", row->meaning);
	doc_end(d);
	doc_say(d, "%s=%s\n    %s: %s; default %s%s%s%s\n    %s\n", row->key, row->value,
		row->allocators, row->values, row->def, row->since[0] ? "; since Linux " : "",
		row->since, row->runtime ? "; may change while running" : "", row->meaning);
	if (doc_has_rows(d))
		doc_cells(d, columns, ARRAY_SIZE(columns), row);
}

static void answer_params(struct doc *d, const struct host *h)
{
	struct param_row row;

	doc_array(d, NULL);
	doc_head(d, columns, ARRAY_SIZE(columns));
	for (u32 i = 0; i < NR_PARAMS + NR_COSTS; i++) {
		if (i < NR_PARAMS)
			fill_param(h, i, &row);
		else
			fill_cost(h, i - NR_PARAMS, &row);
		answer_param(d, &row);
	}
	doc_end(d);
}

static void answer_presets(struct doc *d)
{
	char key[64], value[64];
	struct preset_setting set;

	doc_array(d, NULL);
	for (u32 preset = 0; preset < ARRAY_SIZE(presets); preset++) {
		doc_object(d, NULL);
		doc_text(d, "name", presets[preset].name);
		doc_text(d, "meaning", presets[preset].meaning);
		doc_say(d, "%s\n    %s\n   ", presets[preset].name, presets[preset].meaning);
		doc_row(d, "set");
		for (u32 i = 0; preset_setting(preset, i, &set); i++) {
			snprintf(key, sizeof(key), "%.*s", (int)set.key_bytes, set.key);
			snprintf(value, sizeof(value), "%.*s", (int)set.value_bytes, set.value);
			doc_text(d, key, value);
			doc_say(d, " %s=%s", key, value);
		}
		doc_end(d);
		doc_end(d);
		doc_gap(d);
	}
	doc_end(d);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	if (given(args, "presets"))
		answer_presets(d);
	else
		answer_params(d, h);
}

static const struct option options[] = {
	{ "presets", .help = "list the presets instead of the parameters" },
	OPTION_COLD,
	OPTIONS_END,
};

const struct command command_params = {
	GROUP_MACHINE,
	"params",
	"",
	"list every parameter: values, default, kernel version, meaning",
	"Lists the parameters that --set, the `machine` and `set` lines of a slabtrace, and the\n"
	"page understand. With --preset or --set it shows the values that result; --presets lists\n"
	"the presets. In --json each has what the page's machine sheet shows: its `name` in words,\n"
	"its `group` (allocator, topology, proposals, rules, debugging, costs), and in `since` the\n"
	"first kernel version that has it.",
	"  slabscope params --preset linux-4.19\n"
	"  slabscope params --presets",
	TAKES_JSON | TAKES_MACHINE | TAKES_ROWS,
	options,
	.needs = NEEDS_SESSION,
	.answer = answer,
};
