/*
 * params.h - the values of params.def: who set what, parsing, presets.
 *
 * A value comes from, in rising order: the default, the preset of the kernel that the trace was recorded on, the preset
 * that the trace's machine line names, the user's preset, the trace (machine and set lines before the first op), the
 * user. The highest that is present is in force.
 */
#ifndef PARAMS_PARAMS_H
#define PARAMS_PARAMS_H

#include "kmem_types.h"
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
	u8 preset_plus_1[NR_ORIGINS]; /* row of presets.def that an origin has applied; 0: none */
	/* cpu_node, zones, distance (row by row), llc_groups: the trace's and the user's */
	u16 list[2][NR_PARAM_LISTS][PARAM_LIST_MAX];
	char error[256];		/* one sentence after KMEM_EPARAM */
	u32 fault;			/* enum kmem_fault_kind, after KMEM_EPARAM */
	char fault_key[MAX_NAME_BYTES]; /* what it names */
};

void params_init(struct params *p);
/* Records what is at fault; the caller writes the sentence. */
void params_fault(struct params *p, enum kmem_fault_kind kind, const char *key, u32 key_len);
/* Key of len key_len and so on: need not be NUL-terminated. Empty value: take origin's value
 * away. */
s32 params_set(struct params *p, enum params_origin origin, const char *key, u32 key_len,
	       const char *value, u32 value_len);
/* The user's; "linux-" may be left out of a name. "": none. */
s32 params_preset(struct params *p, const char *name);
/* A preset's settings as if origin had made them one by one. */
s32 params_apply_preset(struct params *p, enum params_origin origin, const char *name,
			u32 name_len);
/* Takes away all that the origin has set: before another trace is imported. */
void params_forget(struct params *p, enum params_origin origin);
/* KMEM_EPARAM and a sentence if there is no such key. */
s32 params_find(struct params *p, const char *key, u32 key_len, enum kmem_param *param);
/* Parses without setting, for `set` lines while running. */
s32 params_parse(struct params *p, const char *key, u32 key_len, const char *value, u32 value_len,
		 enum kmem_param *param, s64 *parsed);
/* In force. PARAM_AUTOMATIC where it is automatic. */
s64 params_get(const struct params *p, enum kmem_param param);
/* A LIST in force and its length; NULL where it is automatic. */
const u16 *params_list(const struct params *p, enum kmem_param param, u32 *len);
enum params_origin params_origin(const struct params *p, enum kmem_param param);
/* 1 if somebody asked for the value: the user, the trace, or a preset that either of them named. */
int params_is_chosen(const struct params *p, enum kmem_param param);
/* Name of the preset that an origin has applied; NULL: none. */
const char *params_preset_of(const struct params *p, enum params_origin origin);
/* 1 if the allocator in force has the parameter, or every allocator. */
int params_is_used(const struct params *p, enum kmem_param param);
/* The allocators that have it, or "machine" or "all". */
void params_add_owners(enum kmem_param param, const char *between, struct text *t);
/* Its meaning, and what is different about it for allocators that share it. */
void params_add_meaning(enum kmem_param param, struct text *t);
int params_is_runtime(enum kmem_param param);
const char *params_key(enum kmem_param param);
/* Lists must fit the machine: KMEM_EPARAM if one is too short or too long, or names a node that
 * is not there. 0: how many there are is not known yet, so nothing is said against it. */
s32 params_check(struct params *p, u32 nr_cpus, u32 nr_nodes);
/* A value as struct params stores it, as one would write it; not for a LIST. */
void params_add_value(struct text *t, enum kmem_param param, s64 value);
/* The value in force, as one would write it. */
void params_add_text(const struct params *p, enum kmem_param param, struct text *t);
/* For kmem_params_json: every parameter with its value in force and who set it, and the presets.
 * NULL if room (PARAMS_JSON_MAX is enough) does not hold it. */
const char *params_json(const struct params *p, char *buf, u32 room);

#endif
