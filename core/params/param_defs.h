/*
 * param_defs.h - params.def as a table, and functions that parse values by it.
 */
#ifndef PARAMS_PARAM_DEFS_H
#define PARAMS_PARAM_DEFS_H

#include "params/params.h"
#include "util/scan.h"

enum param_type { NUMBER, CHOICE, SIZE, LIST };

/* The owner of a parameter: an enum allocator, or one of the two after them. */
enum param_owner {
#define ALLOCATOR(id, name, label, ops) OWNER_##id,
#include "tables/allocators.def"
	OWNER_MACHINE,
	OWNER_ALL,
};

struct param_def {
	const char *key, *type_name, *values, *def, *since, *meaning;
	u8 type;  /* enum param_type */
	u8 owner; /* enum param_owner */
	u8 runtime;
};

extern const struct param_def param_defs[NR_PARAMS];

/* Returns the index of a LIST: 0..NR_PARAM_LISTS-1. */
u32 param_list_slot(enum kmem_param param);
/* Returns the number of elements, or -1. out may be NULL. */
s64 param_parse_list(enum kmem_param param, struct range v, u16 *out);
int param_allows_automatic(const struct param_def *d);
/* Finds the smallest and the largest value of a NUMBER or SIZE. */
void param_bounds(const struct param_def *d, u64 *min, u64 *max);
/* Returns 1 and *parsed in the form that struct params stores, or 0. */
int param_parse_value(enum kmem_param param, struct range v, s64 *parsed);
/* Adds `values`, with `between` between the words of a CHOICE. */
void param_add_values(const struct param_def *d, const char *between, struct text *t);

/* params_names.c: return KMEM_EPARAM, with the sentence in p->error and the fault recorded. */
s32 params_unknown_key(struct params *p, const char *key, u32 key_len);
s32 params_unknown_value(struct params *p, enum kmem_param param, const char *value, u32 value_len);
s32 params_unknown_preset(struct params *p, const char *name, u32 name_len);
s32 params_wrong_length(struct params *p, enum kmem_param param, u32 len, u32 want,
			const char *what);
s32 params_no_such_node(struct params *p, u32 cpu, u32 node, u32 nr_nodes);

/* presets.def. */
struct preset {
	const char *name, *meaning;
};
struct preset_setting;

enum {
#define PRESET(name, changes, meaning) +1
	NR_PRESETS = 0
#include "tables/presets.def"
#undef PRESET
};

extern const struct preset presets[NR_PRESETS];
/* Finds the nth setting of a preset in tables/preset_settings.h; 0 after the last. */
int params_preset_setting(u32 preset, u32 nth, struct preset_setting *setting);

_Static_assert(NR_PRESETS < 0x100, "params.preset_plus_1 has a byte for a preset");
_Static_assert((u32)PARAM_LIST_MAX >= (u32)MAX_CPUS && (u32)PARAM_LIST_MAX >= (u32)MAX_NODES,
	       "a list has room for a value of each CPU or node");

#endif
