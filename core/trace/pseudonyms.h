/*
 * pseudonyms.h - stable names in the place of call sites and tasks: site-1, task-1, … in the order in which the trace first
 * has them.
 *
 * A number reveals nothing of the name, unlike a hash, which anybody with a list of the kernel's functions could reverse. The
 * same file always gives the same pseudonyms, also for a part of it.
 */
#ifndef TRACE_PSEUDONYMS_H
#define TRACE_PSEUDONYMS_H

#include "kmem_types.h"
#include "util/buffer.h"

struct trace;

enum { PSEUDONYM_BYTES = 24 };

/* Which texts are names of one kind, in a bitmap by their offsets; the rank of a name is its number. */
struct pseudonym_set {
	u64 *names;
	u32 *before; /* names before each word of the bitmap */
};

struct pseudonyms {
	struct buffer run; /* the tables below */
	struct pseudonym_set sites, tasks;
};

/* Takes the memory before the world takes what is left. */
void pseudonyms_reserve(struct trace *t);
/* Numbers the call sites and tasks of a trace; 0 without memory for it. */
int pseudonyms_make(struct trace *t);
/* The prefix and the number of a name, in room of PSEUDONYM_BYTES; "" for no name. */
const char *pseudonym_of(const struct pseudonym_set *set, const char *prefix, u32 text, char *room);

#endif
