/*
 * params_parse.c - parses values by the rules in params.def, and writes parameters and presets as JSON.
 *
 * params.def has bounds and choices as text, and the parser reads that text when it needs them. So the text that a
 * person reads is the rule itself.
 */
#include "params/param_defs.h"
#include "tables/allocator_names.h"
#include "tables/preset_settings.h"

const struct param_def param_defs[NR_PARAMS] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) \
	{ key, #type, values, def, since, meaning, type, OWNER_##owner, runtime },
#include "tables/params.def"
#undef PARAM
};

/* Bounds for the elements of a list. params.def has them only in words. */
static const struct list_def {
	enum kmem_param param;
	u32 min, max;
} list_defs[NR_PARAM_LISTS] = {
	{ PARAM_CPU_NODE, 0, MAX_NODES - 1 },
	{ PARAM_ZONES, 1, MAX_ZONES_PER_NODE },
	{ PARAM_DISTANCE, 10, 255 },
	{ PARAM_LLC_GROUPS, 0, MAX_CPUS - 1 },
};

enum {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) +(type == LIST)
	LIST_PARAMS = 0
#include "tables/params.def"
#undef PARAM
};

_Static_assert((u32)LIST_PARAMS == (u32)NR_PARAM_LISTS, "struct params keeps every list");

static int parse_number(struct range v, u64 *n)
{
	return v.end - v.at <= 18 && scan_decimal(v.at, v.end, ~(u64)0, n);
}

/* Reads bytes, with K, M, G or T for powers of 1024. Also accepts "GiB" and the like. */
static int parse_size(struct range v, u64 *n)
{
	static const char units[] = "KMGT";
	u32 shift = 0;

	if (v.end - v.at > 2 && v.end[-2] == 'i' && v.end[-1] == 'B')
		v.end -= 2;
	for (u32 i = 0; v.at < v.end && units[i]; i++)
		if ((v.end[-1] & ~32) == units[i])
			shift = 10 * (i + 1);
	v.end -= shift != 0;
	if (!parse_number(v, n) || *n > ~(u64)0 >> shift)
		return 0;
	*n <<= shift;
	return 1;
}

static int parse_scaled(const struct param_def *d, struct range v, u64 *n)
{
	return d->type == SIZE ? parse_size(v, n) : parse_number(v, n);
}

/* Reads "min..max" of params.def. */
void param_bounds(const struct param_def *d, u64 *min, u64 *max)
{
	struct range rest = range_of(d->values, text_length(d->values)),
		     low = scan_part(&rest, '.');

	scan_part(&rest, '.');
	KASSERT(parse_scaled(d, low, min) && parse_scaled(d, rest, max));
}

static int is_same(struct range a, struct range b)
{
	return a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (u64)(a.end - a.at)) == 0;
}

/* Older traces, scripts and links use the old spelling of rfc-2008 and rfc-2023. */
static int is_older_spelling(struct range v, struct range word)
{
	static const char older[] = "seed-20", newer[] = "rfc-20";

	if (!span_begins(v.at, v.end, older) || !span_begins(word.at, word.end, newer))
		return 0;
	v.at += sizeof(older) - 1;
	word.at += sizeof(newer) - 1;
	return is_same(v, word);
}

/* Returns the index of the choice, or -1. Sizes may be written with a unit: page_size=64K. */
static s64 parse_choice(const struct param_def *d, struct range v)
{
	struct range rest = range_of(d->values, text_length(d->values));
	u64 want, have;
	int is_size = parse_size(v, &want);

	for (s64 i = 0; rest.at < rest.end; i++) {
		struct range word = scan_part(&rest, ' ');
		if (is_same(word, v) || is_older_spelling(v, word))
			return i;
		if (is_size && parse_size(word, &have) && have == want)
			return i;
	}
	return -1;
}

u32 param_list_slot(enum kmem_param param)
{
	for (u32 i = 0; i < NR_PARAM_LISTS; i++)
		if (list_defs[i].param == param)
			return i;
	KASSERT(0);
	return 0;
}

s64 param_parse_list(enum kmem_param param, struct range v, u16 *out)
{
	const struct list_def *d = &list_defs[param_list_slot(param)];
	struct range part;
	s64 nr = 0;
	u64 n;

	do {
		part = scan_part(&v, ',');
		if (!parse_number(part, &n) || n < d->min || n > d->max || nr == PARAM_LIST_MAX)
			return -1;
		if (out)
			out[nr] = (u16)n;
		nr++;
	} while (part.end < v.end);
	return nr;
}

int param_allows_automatic(const struct param_def *d)
{
	return text_is(d->def, "automatic");
}

int param_parse_value(enum kmem_param param, struct range v, s64 *parsed)
{
	const struct param_def *d = &param_defs[param];
	u64 n, min, max;

	if (span_is(v.at, v.end, "automatic") && param_allows_automatic(d)) {
		*parsed = PARAM_AUTOMATIC;
		return 1;
	}
	if (d->type == CHOICE) {
		*parsed = parse_choice(d, v);
		return *parsed >= 0;
	}
	if (d->type == LIST) {
		*parsed = param_parse_list(param, v, NULL);
		return *parsed >= 0;
	}
	if (!parse_scaled(d, v, &n))
		return 0;
	param_bounds(d, &min, &max);
	*parsed = (s64)n;
	return n >= min && n <= max;
}

s32 params_find(struct params *p, const char *key, u32 key_len, enum kmem_param *param)
{
	struct range asked = range_of(key, key_len);

	for (u32 i = 0; i < NR_PARAMS; i++) {
		if (span_is(asked.at, asked.end, param_defs[i].key)) {
			*param = (enum kmem_param)i;
			return KMEM_OK;
		}
	}
	return params_unknown_key(p, key, key_len);
}

s32 params_parse(struct params *p, const char *key, u32 key_len, const char *value, u32 value_len,
		 enum kmem_param *param, s64 *parsed)
{
	s32 err = params_find(p, key, key_len, param);

	if (err)
		return err;
	return param_parse_value(*param, range_of(value, value_len), parsed)
		       ? KMEM_OK
		       : params_unknown_value(p, *param, value, value_len);
}

/* Writes parameters and presets as JSON, for the command and the page. */

void param_add_values(const struct param_def *d, const char *between, struct text *t)
{
	for (const char *c = d->values; *c; c++) {
		int is_between = d->type == CHOICE && *c == ' ';
		text_add_n(t, is_between ? between : c, is_between ? text_length(between) : 1);
	}
}

/* Neither names nor meanings nor values contain a character that JSON must escape. */
static void json_param(const struct params *p, enum kmem_param param, struct text *t)
{
	static const char *const origins[NR_ORIGINS] = { "default", "kernel", "trace",
							 "preset",  "trace",  "user" };
	static const char *const types[] = { "number", "choice", "size", "list" };
	const struct param_def *d = &param_defs[param];
	u64 min, max;

	text_json(t, "{'key':%s,'type':%s,'allocators':['", d->key, types[d->type]);
	params_add_owners(param, "\",\"", t);
	text_json(t, param_allows_automatic(d) ? "'],'values':['automatic','" : "'],'values':['");
	param_add_values(d, "\",\"", t);
	text_json(t, "'],'default':%s,'since':%s,'meaning':'", d->def, d->since);
	params_add_meaning(param, t);
	text_json(t, "','origin':%s,", origins[params_origin(p, param)]);
	if (d->type == NUMBER || d->type == SIZE) {
		param_bounds(d, &min, &max);
		text_json(t, "'min':%ju,'max':%ju,", (uintmax_t)min, (uintmax_t)max);
	}
	text_json(t, "'runtime':%c,'value':'", d->runtime);
	params_add_text(p, param, t);
	text_add(t, "\"}");
}

static void json_preset(u32 preset, struct text *t)
{
	struct preset_setting set;

	text_json(t, "{'name':%s,'meaning':%s,'set':{", presets[preset].name,
		  presets[preset].meaning);
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
