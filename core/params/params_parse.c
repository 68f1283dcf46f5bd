/*
 * params_parse.c - parses values by the rules in params.def, and writes parameters and presets as JSON.
 *
 * params.def has bounds and choices as text, and the parser reads that text when it needs them. The
 * text that a person reads is therefore the rule.
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

struct span span_of(const char *s)
{
	return (struct span){ s, text_length(s) };
}

int span_is(struct span a, const char *b)
{
	return a.len == text_length(b) && memcmp(a.s, b, a.len) == 0;
}

struct span span_next(struct span *rest, char separator)
{
	struct span part = { rest->s, 0 };

	while (part.len < rest->len && rest->s[part.len] != separator)
		part.len++;
	u32 skip = part.len + (part.len < rest->len);
	rest->s += skip;
	rest->len -= skip;
	return part;
}

static int parse_number(struct span v, u64 *n)
{
	*n = 0;
	if (v.len == 0 || v.len > 18)
		return 0;
	for (u32 i = 0; i < v.len; i++) {
		if (v.s[i] < '0' || v.s[i] > '9')
			return 0;
		*n = *n * 10 + (u64)(v.s[i] - '0');
	}
	return 1;
}

/* Bytes, with K, M, G or T for powers of 1024. Also accepts "GiB" and the like. */
static int parse_size(struct span v, u64 *n)
{
	static const char units[] = "KMGT";
	u32 shift = 0;

	if (v.len > 2 && v.s[v.len - 2] == 'i' && v.s[v.len - 1] == 'B')
		v.len -= 2;
	for (u32 i = 0; v.len && units[i]; i++)
		if ((v.s[v.len - 1] & ~32) == units[i])
			shift = 10 * (i + 1);
	v.len -= shift != 0;
	if (!parse_number(v, n) || *n > ~(u64)0 >> shift)
		return 0;
	*n <<= shift;
	return 1;
}

static int parse_scaled(const struct param_def *d, struct span v, u64 *n)
{
	return d->type == SIZE ? parse_size(v, n) : parse_number(v, n);
}

/* Reads "min..max" of params.def. */
void param_bounds(const struct param_def *d, u64 *min, u64 *max)
{
	struct span rest = span_of(d->values), low = span_next(&rest, '.');

	span_next(&rest, '.');
	KASSERT(parse_scaled(d, low, min) && parse_scaled(d, rest, max));
}

/* Older traces, scripts and links use the old spelling of rfc-2008 and rfc-2023. */
static int is_older_spelling(struct span v, struct span word)
{
	static const char older[] = "seed-20", newer[] = "rfc-20";
	const u32 cut = sizeof(older) - 1, stem = sizeof(newer) - 1;

	return v.len > cut && v.len - cut == word.len - stem && memcmp(v.s, older, cut) == 0 &&
	       memcmp(word.s, newer, stem) == 0 &&
	       memcmp(v.s + cut, word.s + stem, v.len - cut) == 0;
}

/* Index of the choice, or -1. Sizes may be written with a unit: page_size=64K. */
static s64 parse_choice(const struct param_def *d, struct span v)
{
	struct span rest = span_of(d->values);
	u64 want, have;
	int is_size = parse_size(v, &want);

	for (s64 i = 0; rest.len; i++) {
		struct span word = span_next(&rest, ' ');
		if (word.len == v.len && memcmp(word.s, v.s, v.len) == 0)
			return i;
		if (is_older_spelling(v, word))
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

s64 param_parse_list(enum kmem_param param, struct span v, u16 *out)
{
	const struct list_def *d = &list_defs[param_list_slot(param)];
	s64 nr = 0;

	do {
		int more = 0;
		for (u32 i = 0; i < v.len; i++)
			more |= v.s[i] == ',';
		u64 n;
		if (!parse_number(span_next(&v, ','), &n) || n < d->min || n > d->max ||
		    nr == PARAM_LIST_MAX)
			return -1;
		if (out)
			out[nr] = (u16)n;
		nr++;
		if (!more)
			return nr;
	} while (1);
}

int param_allows_automatic(const struct param_def *d)
{
	return span_is(span_of("automatic"), d->def);
}

int param_parse_value(enum kmem_param param, struct span v, s64 *parsed)
{
	const struct param_def *d = &param_defs[param];
	u64 n, min, max;

	if (span_is(v, "automatic") && param_allows_automatic(d)) {
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

s32 param_find(struct params *p, struct span key, enum kmem_param *param)
{
	for (u32 i = 0; i < NR_PARAMS; i++) {
		if (span_is(key, param_defs[i].key)) {
			*param = (enum kmem_param)i;
			return KMEM_OK;
		}
	}
	return params_unknown_key(p, key);
}

s32 params_parse(struct params *p, const char *key, u32 key_len, const char *value, u32 value_len,
		 enum kmem_param *param, s64 *parsed)
{
	struct span v = { value, value_len };
	s32 err = param_find(p, (struct span){ key, key_len }, param);

	if (err)
		return err;
	return param_parse_value(*param, v, parsed) ? KMEM_OK : params_unknown_value(p, *param, v);
}

/* Writes parameters and presets as JSON, for the command and the page. */

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
	text_json(t, param_allows_automatic(d) ? "'],'values':['automatic'," : "'],'values':[");
	if (d->type == CHOICE)
		json_words(t, d->values);
	else
		text_add_json(t, d->values);
	text_json(t, "],'default':%s,'since':%s,'meaning':'", d->def, d->since);
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
