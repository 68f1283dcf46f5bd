/*
 * params_names.c - what a person reads of parameters and costs: names, groups, meanings, and sentences about invalid
 * ones. It also finds the preset nearest to a kernel's release.
 *
 * The first-view module omits this file: nobody changes a machine before the whole module is loaded.
 */
#include "params/param_defs.h"
#include "params/params.h"

static const char *const names[NR_PARAMS] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) name,
#include "tables/params.def"
#undef PARAM
};

/* Parameters that set a flag of debugging. */
static const u8 debugs[NR_PARAMS] = {
#define DEBUG_FLAG(flag, param) [PARAM_##param] = 1,
#include "tables/allocators.def"
};

/* Parameters that switch a proposal on. */
static const char *const switches[] = {
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) parameter,
#include "tables/proposals/proposals.def"
#undef PROPOSAL
};

/* Costs by enum cost: a step's name is its kind. */
static const struct cost_words {
	const char *key, *name, *function, *meaning;
} costs[NR_COSTS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	[STEP_##kind] = { #kind, #kind, function, NULL },
#include "tables/steps/steps.def"
#undef STEP
	[COST_LOCK] = { "LOCK", "Lock", "", "to take and release a lock." },
	[COST_REMOTE_LINE] = { "REMOTE_LINE", "Cache line from another CPU", "",
			       "to fetch a cache line from another CPU of the node. From another node the cost grows with its distance." },
};

void params_add_cost_meaning(u32 cost, struct text *t)
{
	const struct cost_words *c = &costs[cost];

	if (c->meaning)
		text_print(t, "Model cycles %s", c->meaning);
	else if (c->function[0])
		text_print(t, "Model cycles of the step %s (%s).", c->key, c->function);
	else
		text_print(t, "Model cycles of the step %s.", c->key);
}

const char *params_name(enum kmem_param param)
{
	return names[param];
}

const char *params_group(enum kmem_param param)
{
	const struct param_def *d = &param_defs[param];

	if (param == PARAM_ALLOCATOR)
		return "allocator";
	if (d->owner == OWNER_MACHINE)
		return "topology";
	for (u32 i = 0; i < ARRAY_SIZE(switches); i++)
		if (text_is(switches[i], d->key))
			return "proposals";
	return debugs[param] ? "debugging" : "rules";
}

/* Adds "ALLOC_FASTPATH" as "Alloc fastpath"; names of two cases stay as they are. */
static void add_plain(struct text *t, const char *name)
{
	for (u32 i = 0; name[i]; i++) {
		char c = name[i];
		if (c == '_')
			c = ' ';
		else if (i && c >= 'A' && c <= 'Z' && name[i - 1] != ' ')
			c = (char)(c | 32);
		text_add_n(t, &c, 1);
	}
}

void params_add_cost_name(u32 cost, struct text *t)
{
	if (costs[cost].meaning)
		text_add(t, costs[cost].name);
	else
		add_plain(t, costs[cost].name);
}

/* Neither names nor meanings contain a character that JSON must escape. */
static void json_cost(const struct params *p, u32 cost, struct text *t)
{
	text_print(t, "\"key\":\"cost.%s\",\"name\":\"", costs[cost].key);
	params_add_cost_name(cost, t);
	text_add(t, "\",\"meaning\":\"");
	params_add_cost_meaning(cost, t);
	text_json(t, "','default':'%u','value':'%u'}", default_costs[cost], params_cost(p, cost));
}

const char *params_names_json(const struct params *p, char *buf, u32 room)
{
	struct text t = text_in(buf, room);

	text_add(&t, "{\"params\":[");
	for (u32 i = 0; i < NR_PARAMS; i++) {
		text_add(&t, i ? ",\n" : "\n");
		text_json(&t, "{'key':%s,'name':%s,'group':%s,'debugs':%c}",
			  params_key((enum kmem_param)i), names[i],
			  params_group((enum kmem_param)i), debugs[i]);
	}
	text_add(&t, "],\n\"costs\":[");
	for (u32 i = 0; i < NR_COSTS; i++) {
		text_add(&t, i ? ",\n{" : "\n{");
		json_cost(p, i, &t);
	}
	text_add(&t, "]}\n");
	return t.cut ? NULL : buf;
}

/* Parses kernel releases, and finds the nearest preset. */

u32 release_version(const char *release, u32 *part)
{
	u32 nr = 0;

	for (u32 i = 0; i < NR_RELEASE_PARTS; i++)
		part[i] = 0;
	while (nr < NR_RELEASE_PARTS && *release >= '0' && *release <= '9') {
		for (; *release >= '0' && *release <= '9'; release++)
			part[nr] = MIN(part[nr] * 10 + (u32)(*release - '0'), 99999u);
		nr++;
		if (*release != '.')
			break;
		release++;
	}
	return nr;
}

int release_is_newer(const u32 *a, const u32 *b)
{
	u32 i = 0;

	while (i < NR_RELEASE_PARTS && a[i] == b[i])
		i++;
	return i < NR_RELEASE_PARTS && a[i] > b[i];
}

void preset_version(u32 preset, u32 *part)
{
	release_version(presets[preset].name + sizeof("linux-") - 1, part);
}

int kernel_is_release(const char *release)
{
	u32 part[NR_RELEASE_PARTS];

	return release_version(release, part) >= 2;
}

/* Returns the newest preset that is not newer than the release; the oldest preset if all are newer. */
static const char *nearest_preset(const char *release)
{
	u32 want[NR_RELEASE_PARTS], part[NR_RELEASE_PARTS], best = 0;

	release_version(release, want);
	for (u32 i = 1; i < NR_PRESETS; i++) {
		preset_version(i, part);
		if (!release_is_newer(part, want))
			best = i;
	}
	return presets[best].name;
}

s32 kernel_choose(struct params *p, const char *release)
{
	const char *name = nearest_preset(release);

	return params_apply_preset(p, FROM_KERNEL, name, text_length(name));
}

int release_is_of_preset(const char *name, const char *release)
{
	u32 have[NR_RELEASE_PARTS], want[NR_RELEASE_PARTS];
	u32 nr = release_version(name + sizeof("linux-") - 1, want);

	release_version(release, have);
	for (u32 i = 0; i < nr; i++)
		if (have[i] != want[i])
			return 0;
	return 1;
}

/*
 * Reports an invalid key, value, list or preset: a sentence for people, a fault
 * for programs.
 *
 * After that, costs.
 */

/* Returns how many single-letter changes turn a into b, for "did you mean". */
static u32 edit_distance(const char *a, u32 len, const char *b)
{
	u32 row[MAX_NAME_BYTES + 1];

	for (u32 i = 0; i <= len; i++)
		row[i] = i;
	for (u32 j = 0; b[j]; j++) {
		u32 diagonal = row[0];
		row[0] = j + 1;
		for (u32 i = 0; i < len; i++) {
			u32 change = diagonal + (a[i] != b[j]);
			diagonal = row[i + 1];
			row[i + 1] = MIN(change, MIN(row[i], row[i + 1]) + 1);
		}
	}
	return row[len];
}

void params_fault(struct params *p, enum kmem_fault_kind kind, const char *key, u32 key_len)
{
	struct text t = text_in(p->fault_key, sizeof(p->fault_key));

	p->fault = kind;
	text_add_n(&t, key, key_len);
}

s32 params_unknown_key(struct params *p, const char *key, u32 key_len)
{
	struct text t = text_in(p->error, sizeof(p->error));
	u32 len = MIN(key_len, (u32)MAX_NAME_BYTES), best = 0, best_distance = ~0u;

	for (u32 i = 0; i < NR_PARAMS; i++) {
		u32 distance = edit_distance(key, len, param_defs[i].key);
		if (distance < best_distance) {
			best_distance = distance;
			best = i;
		}
	}
	params_fault(p, FAULT_KEY, key, key_len);
	text_add(&t, "unknown parameter ");
	text_add_quoted(&t, key, key_len);
	/* If more than a third of the letters differ, it is another word, not a typing error. */
	if (best_distance * 3 > MAX(len, 3u)) {
		text_add(&t, ": run `slabscope params` for a list");
		return KMEM_EPARAM;
	}
	text_print(&t, ": did you mean %s?", param_defs[best].key);
	return KMEM_EPARAM;
}

s32 params_unknown_value(struct params *p, enum kmem_param param, const char *value, u32 value_len)
{
	static const char *const kinds[] = { "a number in ", "", "a size in ",
					     "numbers joined by commas: " };
	const struct param_def *d = &param_defs[param];
	struct text t = text_in(p->error, sizeof(p->error));

	params_fault(p, FAULT_VALUE, d->key, text_length(d->key));
	text_print(&t, "%s: expected %s", d->key, kinds[d->type]);
	param_add_values(d, ", ", &t);
	if (param_allows_automatic(d))
		text_add(&t, ", or automatic");
	text_add(&t, "; found ");
	text_add_quoted(&t, value, value_len);
	return KMEM_EPARAM;
}

s32 params_unknown_preset(struct params *p, const char *name, u32 name_len)
{
	struct text t = text_in(p->error, sizeof(p->error));

	params_fault(p, FAULT_PRESET, name, name_len);
	text_add(&t, "unknown preset ");
	text_add_quoted(&t, name, name_len);
	text_add(&t, ": expected ");
	for (u32 i = 0; i < NR_PRESETS; i++)
		text_print(&t, i ? ", %s" : "%s", presets[i].name);
	return KMEM_EPARAM;
}

static void value_fault(struct params *p, enum kmem_param param)
{
	params_fault(p, FAULT_VALUE, param_defs[param].key, text_length(param_defs[param].key));
}

s32 params_wrong_length(struct params *p, enum kmem_param param, u32 len, u32 want,
			const char *what)
{
	struct text t = text_in(p->error, sizeof(p->error));

	value_fault(p, param);
	text_print(&t, "%s: expected %u entries%s; found %u", param_defs[param].key, want, what,
		   len);
	return KMEM_EPARAM;
}

s32 params_no_such_node(struct params *p, u32 cpu, u32 node, u32 nr_nodes)
{
	struct text t = text_in(p->error, sizeof(p->error));

	value_fault(p, PARAM_CPU_NODE);
	text_print(&t, "cpu_node puts CPU %u on node %u, but the last node is %u", cpu, node,
		   nr_nodes - 1);
	return KMEM_EPARAM;
}

/*
 * The parameters cost.NAME: model cycles of each step kind, of a lock, and of moving a cache line.
 */

enum { STEM_BYTES = 5 }; /* "cost." */

static u8 lower(u8 c)
{
	return c >= 'A' && c <= 'Z' ? (u8)(c | 32) : c;
}

/* Whether the name is the step's, in capitals or not. */
static int is_named(const char *key, u32 key_len, const char *name)
{
	u32 len = text_length(name);

	if (key_len - STEM_BYTES != len)
		return 0;
	for (u32 i = 0; i < len; i++)
		if (lower((u8)key[STEM_BYTES + i]) != lower((u8)name[i]))
			return 0;
	return 1;
}

s32 params_find_cost(struct params *p, const char *key, u32 key_len, u32 *cost)
{
	for (*cost = 0; *cost < NR_COSTS; ++*cost)
		if (is_named(key, key_len, costs[*cost].key))
			return KMEM_OK;
	struct text t = text_in(p->error, sizeof(p->error));
	params_fault(p, FAULT_KEY, key, key_len);
	text_add(&t, "unknown cost ");
	text_add_quoted(&t, key, MIN(key_len, (u32)MAX_NAME_BYTES));
	text_add(
		&t,
		": expected cost.LOCK, cost.REMOTE_LINE or the name of a step, such as cost.PAGES_ALLOC (run `slabscope params` for a list)");
	return KMEM_EPARAM;
}

s32 params_set_cost(struct params *p, enum params_origin origin, const char *key, u32 key_len,
		    const char *value, u32 value_len)
{
	u32 cost;
	u64 cycles;
	s32 err = params_find_cost(p, key, key_len, &cost);

	if (err)
		return err;
	if (value_len == 0) {
		p->cost_plus_1[origin][cost] = 0;
		return KMEM_OK;
	}
	struct range v = range_of(value, value_len);
	if (scan_decimal(v.at, v.end, LARGEST_COST, &cycles)) {
		p->cost_plus_1[origin][cost] = (u32)cycles + 1;
		return KMEM_OK;
	}
	struct text t = text_in(p->error, sizeof(p->error));
	params_fault(p, FAULT_VALUE, key, key_len);
	text_add_n(&t, key, key_len);
	text_add(&t, ": expected a number of model cycles in 0..1000000; found ");
	text_add_quoted(&t, value, MIN(value_len, (u32)MAX_NAME_BYTES));
	return KMEM_EPARAM;
}
