/*
 * names.h - the names in abi.def, steps.def and params.def, as the command prints them.
 */
#ifndef DOC_NAMES_H
#define DOC_NAMES_H

#include "kmem_types.h"

enum { MAX_KEY_BYTES = 48, STEP_ARGS = 5 };

/* A name in lower case, without the prefix of its enum. */
struct lower {
	char s[MAX_KEY_BYTES];
};

struct step_def {
	const char *kind, *function, *args[STEP_ARGS]; /* args: "" when unused */
	u32 cycles;
};

extern const struct step_def step_defs[NR_STEP_KINDS];
/* Returns ALLOC_FASTPATH and so on. */
const char *counter_name(u32 counter);
/* The key of an enum kmem_param. */
const char *param_key(u32 param);

/* Formats a value of the enum `type` of abi.def: REASON_NO_CPU_SLAB becomes no_cpu_slab. */
struct lower enum_name(const char *type, u32 value);
/* The same in words for a person. */
const char *enum_words(const char *type, u32 value);
struct lower lower_case(const char *name);
/* Returns the counter that a step of this kind increments, or -1. */
s32 counter_of_step(u32 kind);

#endif
