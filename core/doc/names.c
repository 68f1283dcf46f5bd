/*
 * names.c - the names in abi.def, steps.def and params.def, as the command prints them.
 */
#include "doc/names.h"

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
