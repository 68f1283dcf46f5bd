/*
 * params.h - the values of params.def: origins, parsing, presets.
 *
 * Each value has several possible origins. In rising order they are the default, the preset of the
 * kernel that recorded the trace, and the preset on the trace's machine line. Above these come the
 * user's preset, the trace (machine and set lines before the first event), and the user. The
 * highest origin that sets a value decides.
 */
#ifndef PARAMS_PARAMS_H
#define PARAMS_PARAMS_H

#include "kmem_types.h"
#include "sim/world.h"
#include "util/text.h"

enum params_origin {
	FROM_DEFAULT,
	FROM_KERNEL,
	FROM_TRACE_PRESET,
	FROM_PRESET,
	FROM_TRACE,
	FROM_USER,
	NR_ORIGINS
};

enum {
	PARAM_AUTOMATIC = -1,
	PARAM_LIST_MAX = 4096,
	NR_PARAM_LISTS = 4,
	PARAMS_JSON_MAX = 128 << 10, /* bytes; four full lists and all meanings fit */
};

struct params {
	s64 value[NR_ORIGINS]
		 [NR_PARAMS]; /* NUMBER, SIZE: the number; CHOICE: index; LIST: length */
	u8 present[NR_ORIGINS][NR_PARAMS];
	u8 preset_plus_1
		[NR_ORIGINS]; /* the preset applied by each origin, as a row of presets.def; 0: none */
	/* cpu_node, zones, distance (row by row), llc_groups: the trace's and the user's */
	u16 list[2][NR_PARAM_LISTS][PARAM_LIST_MAX];
	/* cost.NAME by enum cost, + 1; 0 if the origin sets none */
	u32 cost_plus_1[NR_ORIGINS][NR_COSTS];
	char error[256];		/* one sentence after KMEM_EPARAM */
	u32 fault;			/* enum kmem_fault_kind, after KMEM_EPARAM */
	char fault_key[MAX_NAME_BYTES]; /* the name at fault */
};

void params_init(struct params *p);
/* Records the fault; the caller writes the sentence. */
void params_fault(struct params *p, enum kmem_fault_kind kind, const char *key, u32 key_len);
/* The key has length key_len, the value value_len; neither needs a NUL. An empty value removes the
 * origin's value. */
s32 params_set(struct params *p, enum params_origin origin, const char *key, u32 key_len,
	       const char *value, u32 value_len);
/* Applies the user's preset. The name may omit "linux-"; "" removes it. */
s32 params_preset(struct params *p, const char *name);
/* Applies a preset's settings as if the origin had set each of them. */
s32 params_apply_preset(struct params *p, enum params_origin origin, const char *name,
			u32 name_len);
/* Removes everything that the origin has set, before another trace is imported. */
void params_forget(struct params *p, enum params_origin origin);
/* If the key does not exist: KMEM_EPARAM, with a sentence in p->error. */
s32 params_find(struct params *p, const char *key, u32 key_len, enum kmem_param *param);
/* Parses without setting, for `set` lines while running. */
s32 params_parse(struct params *p, const char *key, u32 key_len, const char *value, u32 value_len,
		 enum kmem_param *param, s64 *parsed);
/* Returns the value in force; PARAM_AUTOMATIC if it is automatic. */
s64 params_get(const struct params *p, enum kmem_param param);
/* Returns a LIST in force and its length; NULL if it is automatic. */
const u16 *params_list(const struct params *p, enum kmem_param param, u32 *len);
/* Returns the cost in force, in model cycles. */
u32 params_cost(const struct params *p, u32 cost);
/* Returns 1 if the key names a cost, cost.NAME. */
int params_is_cost(const char *key, u32 key_len);
/* params_names.c: the row of enum cost, or KMEM_EPARAM with a sentence in p->error. */
s32 params_find_cost(struct params *p, const char *key, u32 key_len, u32 *cost);
s32 params_set_cost(struct params *p, enum params_origin origin, const char *key, u32 key_len,
		    const char *value, u32 value_len);
enum params_origin params_origin(const struct params *p, enum kmem_param param);
/* Returns 1 if the user, the trace, or a preset that either of them named has set the value. */
int params_is_chosen(const struct params *p, enum kmem_param param);
/* Returns the name of the preset that an origin has applied; NULL: none. */
const char *params_preset_of(const struct params *p, enum params_origin origin);
/* Returns 1 if the parameter belongs to the current allocator, or to every allocator. */
int params_is_used(const struct params *p, enum kmem_param param);
/* Adds the allocators that have it, or "machine" or "all". */
void params_add_owners(enum kmem_param param, const char *between, struct text *t);
/* Adds its meaning, and the differences for allocators that share it. */
void params_add_meaning(enum kmem_param param, struct text *t);
int params_is_runtime(enum kmem_param param);
const char *params_key(enum kmem_param param);
/* Checks that lists fit the machine: KMEM_EPARAM if one is too short or too long, or names a node
 * that does not exist. A count of 0 is not known yet and is not checked. */
s32 params_check(struct params *p, u32 nr_cpus, u32 nr_nodes);
/* Adds a value in the form a person would type; not for a LIST. */
void params_add_value(struct text *t, enum kmem_param param, s64 value);
/* Adds the value in force in the form a person would type. */
void params_add_text(const struct params *p, enum kmem_param param, struct text *t);
/* For kmem_params_json: writes every parameter with its value in force and its origin, and the presets.
 * NULL if it does not fit room; PARAMS_JSON_MAX is enough. */
const char *params_json(const struct params *p, char *buf, u32 room);
/* params_names.c: what a person reads first, and the group of the machine sheet: allocator, topology, proposals, rules or
 * debugging. */
const char *params_name(enum kmem_param param);
const char *params_group(enum kmem_param param);
void params_add_cost_name(u32 cost, struct text *t);
void params_add_cost_meaning(u32 cost, struct text *t);
/* For kmem_param_names_json: writes the names of parameters, and every cost. NULL if it does not fit room;
 * PARAMS_JSON_MAX is enough. */
const char *params_names_json(const struct params *p, char *buf, u32 room);

/* Kernel releases, and the nearest preset; params_names.c. */
enum { NR_RELEASE_PARTS = 3 };

/* Parses "6.18.15+deb13-amd64" into 6, 18, 15. Returns how many numbers it found. */
u32 release_version(const char *release, u32 *part);
/* Returns 1 if version a is newer than b. Each has NR_RELEASE_PARTS numbers. */
int release_is_newer(const u32 *a, const u32 *b);
/* Reads the version in a preset's name. */
void preset_version(u32 preset, u32 *part);
/* Returns 1 if the release belongs to the preset: linux-6.18 covers 6.18 and every 6.18.x. */
int release_is_of_preset(const char *name, const char *release);
/* Returns 1 if the text starts like a kernel version: 6.18, or 6.18.15+deb13-amd64. */
int kernel_is_release(const char *release);
/* Applies the nearest preset that is not newer than the release. */
s32 kernel_choose(struct params *p, const char *release);

#endif
