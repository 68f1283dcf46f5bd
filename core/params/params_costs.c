/*
 * params_costs.c - the parameters cost.NAME: model cycles of each step kind, of a lock, and of a line that moves.
 *
 * The first-view module omits this file: costs that are set need the whole module.
 */
#include "params/param_defs.h"
#include "params/params.h"

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
