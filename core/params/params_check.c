/*
 * params_check.c - reports an invalid key, value, list or preset: a sentence for people, a fault
 * for programs.
 *
 * Behind that, costs. The first-view module omits this file: a refusal and a cost that is set need the whole module.
 */
#include "params/param_defs.h"
#include "params/params.h"

/* How many single-letter changes turn a into b, for "did you mean". */
static u32 edit_distance(struct span a, const char *b)
{
	u32 row[MAX_NAME_BYTES + 1];

	for (u32 i = 0; i <= a.len; i++)
		row[i] = i;
	for (u32 j = 0; b[j]; j++) {
		u32 diagonal = row[0];
		row[0] = j + 1;
		for (u32 i = 0; i < a.len; i++) {
			u32 change = diagonal + (a.s[i] != b[j]);
			diagonal = row[i + 1];
			row[i + 1] = MIN(change, MIN(row[i], row[i + 1]) + 1);
		}
	}
	return row[a.len];
}

void params_fault(struct params *p, enum kmem_fault_kind kind, const char *key, u32 key_len)
{
	struct text t = text_in(p->fault_key, sizeof(p->fault_key));

	p->fault = kind;
	text_add_n(&t, key, key_len);
}

s32 params_unknown_key(struct params *p, struct span key)
{
	struct text t = text_in(p->error, sizeof(p->error));
	struct span shown = { key.s, MIN(key.len, (u32)MAX_NAME_BYTES) };
	u32 best = 0, best_distance = ~0u;

	for (u32 i = 0; i < NR_PARAMS; i++) {
		u32 distance = edit_distance(shown, param_defs[i].key);
		if (distance < best_distance) {
			best_distance = distance;
			best = i;
		}
	}
	params_fault(p, FAULT_KEY, key.s, key.len);
	text_add(&t, "unknown parameter ");
	text_add_quoted(&t, key.s, key.len);
	/* If more than a third of the letters differ, it is another word, not a typing error. */
	if (best_distance * 3 > MAX(shown.len, 3u)) {
		text_add(&t, "; `slabscope params` lists them");
		return KMEM_EPARAM;
	}
	text_print(&t, "; the nearest is %s", param_defs[best].key);
	return KMEM_EPARAM;
}

s32 params_unknown_value(struct params *p, enum kmem_param param, struct span value)
{
	static const char *const kinds[] = { "a number in ", "", "a size in ",
					     "numbers joined by commas: " };
	const struct param_def *d = &param_defs[param];
	struct text t = text_in(p->error, sizeof(p->error));
	struct span rest = span_of(d->values);

	params_fault(p, FAULT_VALUE, d->key, text_length(d->key));
	text_print(&t, "%s: expected %s", d->key, kinds[d->type]);
	if (d->type != CHOICE)
		text_add(&t, d->values);
	while (d->type == CHOICE && rest.len) {
		struct span word = span_next(&rest, ' ');
		text_add_n(&t, word.s, word.len);
		text_add(&t, rest.len ? ", " : "");
	}
	if (param_allows_automatic(d))
		text_add(&t, ", or automatic");
	text_add(&t, "; found ");
	text_add_quoted(&t, value.s, value.len);
	return KMEM_EPARAM;
}

s32 params_unknown_preset(struct params *p, const char *name, u32 name_len)
{
	struct text t = text_in(p->error, sizeof(p->error));

	params_fault(p, FAULT_PRESET, name, name_len);
	text_add(&t, "unknown preset ");
	text_add_quoted(&t, name, name_len);
	text_add(&t, "; expected ");
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
 * The parameters cost.NAME: model cycles of each step kind, of a lock, and of a line that moves.
 */

enum { STEM_BYTES = 5 }; /* "cost." */

static const char *const names[NR_COSTS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) [STEP_##kind] = #kind,
#include "tables/steps/steps.def"
#undef STEP
	[COST_LOCK] = "LOCK",
	[COST_REMOTE_LINE] = "REMOTE_LINE",
};

static u8 lower(u8 c)
{
	return c >= 'A' && c <= 'Z' ? (u8)(c | 32) : c;
}

/* The name is that of the step, in capitals or not. */
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
		if (is_named(key, key_len, names[*cost]))
			return KMEM_OK;
	struct text t = text_in(p->error, sizeof(p->error));
	params_fault(p, FAULT_KEY, key, key_len);
	text_add(&t, "unknown cost ");
	text_add_quoted(&t, key, MIN(key_len, (u32)MAX_NAME_BYTES));
	text_add(&t, ": expected cost.LOCK, cost.REMOTE_LINE or the name of a step, such as "
		     "cost.PAGES_ALLOC; `slabscope params` lists them");
	return KMEM_EPARAM;
}

static int parse_cycles(const char *value, u32 value_len, u32 *cycles)
{
	u64 n = 0;

	for (u32 i = 0; i < value_len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return 0;
		n = n * 10 + (u64)(value[i] - '0');
		if (n > LARGEST_COST)
			return 0;
	}
	*cycles = (u32)n;
	return value_len > 0;
}

s32 params_set_cost(struct params *p, enum params_origin origin, const char *key, u32 key_len,
		    const char *value, u32 value_len)
{
	u32 cost, cycles;
	s32 err = params_find_cost(p, key, key_len, &cost);

	if (err)
		return err;
	if (value_len == 0) {
		p->cost_plus_1[origin][cost] = 0;
		return KMEM_OK;
	}
	if (parse_cycles(value, value_len, &cycles)) {
		p->cost_plus_1[origin][cost] = cycles + 1;
		return KMEM_OK;
	}
	struct text t = text_in(p->error, sizeof(p->error));
	params_fault(p, FAULT_VALUE, key, key_len);
	text_add_n(&t, key, key_len);
	text_add(&t, ": expected a number of model cycles in 0..1000000; found ");
	text_add_quoted(&t, value, MIN(value_len, (u32)MAX_NAME_BYTES));
	return KMEM_EPARAM;
}
