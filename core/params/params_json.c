/*
 * params_json.c - writes parameters and presets as JSON, for the command and the page.
 */
#include "params/param_defs.h"
#include "tables/preset_settings.h"

static void json_member(struct text *t, const char *name, const char *value)
{
	text_add_json(t, name);
	text_add(t, ":");
	text_add_json(t, value);
	text_add(t, ",");
}

/* Adds words that blanks separate, as elements of an array. */
static void json_words(struct text *t, const char *words)
{
	struct span rest = span_of(words);

	while (rest.len) {
		struct span word = span_next(&rest, ' ');
		text_add(t, "\"");
		text_add_n(t, word.s, word.len);
		text_add(t, rest.len ? "\"," : "\"");
	}
}

static void json_param(const struct params *p, enum kmem_param param, struct text *t)
{
	static const char *const origins[NR_ORIGINS] = { "default", "kernel", "trace",
							 "preset",  "trace",  "user" };
	static const char *const types[] = { "number", "choice", "size", "list" };
	const struct param_def *d = &param_defs[param];
	u64 min, max;

	text_add(t, "{");
	json_member(t, "key", d->key);
	json_member(t, "type", types[d->type]);
	/* Names and meanings contain no character that JSON must escape. */
	text_add(t, "\"allocators\":[\"");
	params_add_owners(param, "\",\"", t);
	text_add(t, "\"],\"values\":[");
	if (param_allows_automatic(d))
		text_add(t, "\"automatic\",");
	if (d->type == CHOICE)
		json_words(t, d->values);
	else
		text_add_json(t, d->values);
	text_add(t, "],");
	json_member(t, "default", d->def);
	json_member(t, "since", d->since);
	text_add(t, "\"meaning\":\"");
	params_add_meaning(param, t);
	text_add(t, "\",");
	json_member(t, "origin", origins[params_origin(p, param)]);
	if (d->type == NUMBER || d->type == SIZE) {
		param_bounds(d, &min, &max);
		text_add(t, "\"min\":");
		text_add_u64(t, min);
		text_add(t, ",\"max\":");
		text_add_u64(t, max);
		text_add(t, ",");
	}
	text_add(t, d->runtime ? "\"runtime\":true," : "\"runtime\":false,");
	/* The text of a value contains no character that JSON must escape. */
	text_add(t, "\"value\":\"");
	params_add_text(p, param, t);
	text_add(t, "\"}");
}

static void json_preset(u32 preset, struct text *t)
{
	struct preset_setting set;

	text_add(t, "{");
	json_member(t, "name", presets[preset].name);
	json_member(t, "meaning", presets[preset].meaning);
	text_add(t, "\"set\":{");
	for (u32 i = 0; params_preset_setting(preset, i, &set); i++) {
		text_add(t, i ? ",\"" : "\"");
		text_add_n(t, set.key, set.key_bytes);
		text_add(t, "\":\"");
		text_add_n(t, set.value, set.value_bytes);
		text_add(t, "\"");
	}
	text_add(t, "}}");
}

const char *params_json(const struct params *p, char *buf, u32 room)
{
	struct text t = text_in(buf, room);

	text_add(&t, "{\"params\":[");
	for (u32 i = 0; i < NR_PARAMS; i++) {
		text_add(&t, i ? ",\n" : "\n");
		json_param(p, (enum kmem_param)i, &t);
	}
	text_add(&t, "],\n\"presets\":[");
	for (u32 i = 0; i < NR_PRESETS; i++) {
		text_add(&t, i ? ",\n" : "\n");
		json_preset(i, &t);
	}
	text_add(&t, "]}\n");
	return t.cut ? NULL : buf;
}
