/*
 * params.c - keeps the value of each parameter, its origin, and presets.
 */
#include "alloc/ops.h"
#include "sim/cache.h"
#include "params/param_defs.h"
#include "tables/preset_settings.h"

const struct preset presets[NR_PRESETS] = {
#define PRESET(name, changes, meaning) { name, meaning },
#include "tables/presets.def"
#undef PRESET
};

s32 params_set(struct params *p, enum params_origin origin, const char *key, u32 key_len,
	       const char *value, u32 value_len)
{
	enum kmem_param param;
	s64 parsed;

	if (params_is_cost(key, key_len))
		return params_set_cost(p, origin, key, key_len, value, value_len);
	s32 err = params_find(p, key, key_len, &param);

	if (err)
		return err;
	if (value_len == 0) {
		p->present[origin][param] = 0;
		return KMEM_OK;
	}
	err = params_parse(p, key, key_len, value, value_len, &param, &parsed);
	if (err)
		return err;
	if (param_defs[param].type == LIST && parsed >= 0) {
		KASSERT(origin >= FROM_TRACE);
		param_parse_list(param, range_of(value, value_len),
				 p->list[origin - FROM_TRACE][param_list_slot(param)]);
	}
	p->value[origin][param] = parsed;
	p->present[origin][param] = 1;
	return KMEM_OK;
}

void params_init(struct params *p)
{
	memset(p, 0, sizeof(*p));
	for (u32 i = 0; i < NR_PARAMS; i++) {
		const char *def = param_defs[i].def;
		KASSERT(param_parse_value((enum kmem_param)i, range_of(def, text_length(def)),
					  &p->value[FROM_DEFAULT][i]));
		p->present[FROM_DEFAULT][i] = 1;
	}
}

void params_forget(struct params *p, enum params_origin origin)
{
	KASSERT(origin != FROM_DEFAULT);
	memset(p->present[origin], 0, sizeof(p->present[origin]));
	memset(p->cost_plus_1[origin], 0, sizeof(p->cost_plus_1[origin]));
	p->preset_plus_1[origin] = 0;
}

/* Returns its row + 1; 0 if no preset has the name, with or without "linux-" before it. */
static u32 find_preset(const char *name, u32 name_len)
{
	static const char stem[] = "linux-";
	struct range asked = range_of(name, name_len);

	for (u32 i = 0; i < NR_PRESETS; i++)
		if (span_is(asked.at, asked.end, presets[i].name) ||
		    span_is(asked.at, asked.end, presets[i].name + sizeof(stem) - 1))
			return i + 1;
	return 0;
}

s32 params_apply_preset(struct params *p, enum params_origin origin, const char *name, u32 name_len)
{
	u32 row_plus_1 = find_preset(name, name_len);

	if (!row_plus_1)
		return params_unknown_preset(p, name, name_len);
	/* All presets set the same keys, so one replaces another entirely. */
	struct preset_setting set;
	for (u32 i = 0; preset_setting(row_plus_1 - 1, i, &set); i++) {
		s32 err = params_set(p, origin, set.key, set.key_bytes, set.value, set.value_bytes);
		if (err)
			return err;
	}
	p->preset_plus_1[origin] = (u8)row_plus_1;
	return KMEM_OK;
}

int params_preset_setting(u32 preset, u32 nth, struct preset_setting *setting)
{
	return preset_setting(preset, nth, setting);
}

const char *params_preset_of(const struct params *p, enum params_origin origin)
{
	return p->preset_plus_1[origin] ? presets[p->preset_plus_1[origin] - 1].name : NULL;
}

s32 params_preset(struct params *p, const char *name)
{
	if (name[0])
		return params_apply_preset(p, FROM_PRESET, name, text_length(name));
	params_forget(p, FROM_PRESET);
	return KMEM_OK;
}

enum params_origin params_origin(const struct params *p, enum kmem_param param)
{
	for (u32 o = NR_ORIGINS; o-- > 0;)
		if (p->present[o][param])
			return (enum params_origin)o;
	return FROM_DEFAULT;
}

u32 params_cost(const struct params *p, u32 cost)
{
	for (u32 o = NR_ORIGINS; o-- > 0;)
		if (p->cost_plus_1[o][cost])
			return p->cost_plus_1[o][cost] - 1;
	return default_costs[cost];
}

int params_is_cost(const char *key, u32 key_len)
{
	return key_len > 5 && memcmp(key, "cost.", 5) == 0;
}

int params_is_chosen(const struct params *p, enum kmem_param param)
{
	return params_origin(p, param) > FROM_KERNEL;
}

/* An allocator's default for a parameter. It wins over presets and the general default. */
static const struct own_default {
	u32 allocator;
	enum kmem_param param;
	s64 value;
} own_defaults[] = {
#define OWN_DEFAULT(allocator, param, value) { ALLOCATOR_##allocator, PARAM_##param, value },
#include "tables/allocators.def"
};

/* Parameters that an allocator shares with their owner. */
static const struct shared_param {
	u8 allocator, param;
	const char *note;
} shared_params[] = {
#define USES_PARAM(allocator, param, note) { ALLOCATOR_##allocator, PARAM_##param, note },
#include "tables/allocators.def"
};

/* Returns the row that gives the parameter to the allocator too, or NULL. */
static const struct shared_param *find_shared(u32 allocator, enum kmem_param param)
{
	for (u32 i = 0; i < ARRAY_SIZE(shared_params); i++)
		if (shared_params[i].param == param && shared_params[i].allocator == allocator)
			return &shared_params[i];
	return NULL;
}

static int has_param(u32 allocator, enum kmem_param param)
{
	u32 owner = param_defs[param].owner;

	return owner >= NR_ALLOCATORS || owner == allocator || find_shared(allocator, param);
}

int params_is_used(const struct params *p, enum kmem_param param)
{
	return has_param((u32)params_get(p, PARAM_ALLOCATOR), param);
}

void params_add_owners(enum kmem_param param, const char *between, struct text *t)
{
	u32 owner = param_defs[param].owner, nr = 0;

	if (owner >= NR_ALLOCATORS)
		text_add(t, owner == OWNER_MACHINE ? "machine" : "all");
	for (u32 i = 0; owner < NR_ALLOCATORS && i < NR_ALLOCATORS; i++) {
		if (!has_param(i, param))
			continue;
		text_add(t, nr++ ? between : "");
		params_add_value(t, PARAM_ALLOCATOR, i);
	}
}

void params_add_meaning(enum kmem_param param, struct text *t)
{
	text_add(t, param_defs[param].meaning);
	for (u32 i = 0; i < NR_ALLOCATORS; i++) {
		const struct shared_param *shared = find_shared(i, param);
		if (!shared || !shared->note[0])
			continue;
		text_add(t, " ");
		text_add(t, shared->note);
	}
}

s64 params_get(const struct params *p, enum kmem_param param)
{
	enum params_origin origin = params_origin(p, param);

	for (u32 i = 0; origin < FROM_TRACE && i < ARRAY_SIZE(own_defaults); i++)
		if (own_defaults[i].param == param &&
		    params_get(p, PARAM_ALLOCATOR) == own_defaults[i].allocator)
			return own_defaults[i].value;
	return p->value[origin][param];
}

const u16 *params_list(const struct params *p, enum kmem_param param, u32 *len)
{
	enum params_origin origin = params_origin(p, param);
	s64 nr = p->value[origin][param];

	*len = nr > 0 ? (u32)nr : 0;
	return nr > 0 ? p->list[origin - FROM_TRACE][param_list_slot(param)] : NULL;
}

int params_is_runtime(enum kmem_param param)
{
	return param_defs[param].runtime;
}

const char *params_key(enum kmem_param param)
{
	return param_defs[param].key;
}

static s32 check_length(struct params *p, enum kmem_param param, u32 want, const char *what)
{
	u32 len;

	if (!want || !params_list(p, param, &len) || len == want)
		return KMEM_OK;
	return params_wrong_length(p, param, len, want, what);
}

s32 params_check(struct params *p, u32 nr_cpus, u32 nr_nodes)
{
	u32 len;
	s32 err = check_length(p, PARAM_CPU_NODE, nr_cpus, ", one for each CPU");
	const u16 *node = params_list(p, PARAM_CPU_NODE, &len);

	if (!err)
		err = check_length(p, PARAM_LLC_GROUPS, nr_cpus, ", one for each CPU");
	if (!err)
		err = check_length(p, PARAM_ZONES, nr_nodes, ", one for each node");
	if (!err)
		err = check_length(p, PARAM_DISTANCE, nr_nodes * nr_nodes,
				   ", one for each pair of nodes");
	for (u32 i = 0; !err && node && nr_nodes && i < len; i++)
		if (node[i] >= nr_nodes)
			err = params_no_such_node(p, i, node[i], nr_nodes);
	return err;
}

void params_add_value(struct text *t, enum kmem_param param, s64 value)
{
	const struct param_def *d = &param_defs[param];

	if (value == PARAM_AUTOMATIC) {
		text_add(t, "automatic");
	} else if (d->type == CHOICE) {
		struct range rest = range_of(d->values, text_length(d->values)), word;
		do
			word = scan_part(&rest, ' ');
		while (value-- > 0);
		text_add_n(t, CHARS_OF(word));
	} else {
		text_add_u64(t, (u64)value);
	}
}

void params_add_text(const struct params *p, enum kmem_param param, struct text *t)
{
	s64 value = params_get(p, param);
	u32 len;
	const u16 *list;

	if (value == PARAM_AUTOMATIC || param_defs[param].type != LIST) {
		params_add_value(t, param, value);
		return;
	}
	list = params_list(p, param, &len);
	for (u32 i = 0; i < len; i++) {
		text_add(t, i ? "," : "");
		text_add_u64(t, list[i]);
	}
}
