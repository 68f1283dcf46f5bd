/*
 * names.c - the names in abi.def, steps.def and params.def, as the command prints them.
 */
#include "cli/text/names.h"

#include <ctype.h>

const struct step_def step_defs[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	{ #kind, function, { #a0, #a1, #a2, #a3, #a4 }, cycles },
#include "tables/steps/steps.def"
#undef STEP
};

/* Every value of every enum, in the order of abi.def. */
static const struct enum_value {
	const char *type, *key, *words;
	u32 value;
} values[] = {
#define VALUE(name, key, words) { #name, #key, words, key },
#include "tables/abi/abi.def"
};

static const char *const param_keys[NR_PARAMS] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) key,
#include "tables/params.def"
#undef PARAM
};

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

struct lower lower_case(const char *name)
{
	struct lower out = { "" };

	for (u32 i = 0; name[i] && i < MAX_KEY_BYTES - 1; i++)
		out.s[i] = (char)tolower((unsigned char)name[i]);
	return out;
}

static const struct enum_value *find_value(const char *type, u32 value)
{
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i].value == value && strcmp(values[i].type, type) == 0)
			return &values[i];
	return NULL;
}

struct lower enum_name(const char *type, u32 value)
{
	const struct enum_value *v = find_value(type, value);
	const char *prefix_end = v ? strchr(v->key, '_') : NULL;

	return lower_case(prefix_end ? prefix_end + 1 : "unknown");
}

const char *enum_words(const char *type, u32 value)
{
	const struct enum_value *v = find_value(type, value);

	return v ? v->words : "unknown";
}

const char *counter_name(u32 counter)
{
	const struct enum_value *v = find_value("kmem_counter", counter);

	return v ? v->key : "";
}

const char *param_key(u32 param)
{
	return param_keys[param];
}

s32 counter_of_step(u32 kind)
{
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (strcmp(step_defs[kind].kind, counter_name(i)) == 0)
			return (s32)i;
	return -1;
}

static const char *type_of_arg(const char *arg)
{
	for (u32 i = 0; i < ARRAY_SIZE(arg_types); i++)
		if (strcmp(arg_types[i].arg, arg) == 0)
			return arg_types[i].type;
	return NULL;
}

void json_step_args(struct json *j, const char *key, const struct kmem_step *step)
{
	const struct step_def *def = &step_defs[step->kind];

	json_row(j, key);
	for (u32 i = 0; i < STEP_ARGS && def->args[i][0]; i++) {
		const char *type = type_of_arg(def->args[i]);
		u32 value = step->args[i];
		if (!type)
			json_number(j, def->args[i], value);
		else if (strcmp(type, "param") == 0)
			json_text(j, def->args[i], value < NR_PARAMS ? param_keys[value] : "");
		else if (strcmp(type, "signed") == 0)
			json_signed(j, def->args[i], (s32)value);
		else if (strcmp(type, "place") == 0)
			json_signed(j, def->args[i], value == NODE_ANY ? -1 : (s64)value);
		else
			json_text(j, def->args[i], enum_name(type, value).s);
	}
	json_end(j);
}

void json_counters(struct json *j, const char *key, struct kmem_session *s, const u32 *counters)
{
	json_row(j, key);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(s, i))
			json_number(j, lower_case(counter_name(i)).s, counters[i]);
	json_end(j);
}
