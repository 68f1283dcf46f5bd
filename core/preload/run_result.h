/*
 * run_result.h - what `slabscope run` and the processes that it serves share: a file whose first page every
 * process maps. The first process puts the state of its allocator behind it when it ends.
 */
#ifndef PRELOAD_RUN_RESULT_H
#define PRELOAD_RUN_RESULT_H

#include <stdint.h>

enum { RUN_STATE_AT = 4096 };

#define RUN_VARIABLE "SLABSCOPE_RUN"

/* In the lines of --record, until the command has named call sites: "#module START END OFFSET IS_PROGRAM PATH", numbers in hexadecimal,
 * before the first line with a site in that code; and the site at the end of a line. */
#define RUN_MODULE "#module "
#define RUN_SITE " site=0x"

struct run_result {
	uint32_t first_pid;   /* of the process that reports */
	uint32_t is_refused;  /* a program was ended by the library, with a sentence */
	uint32_t abi_hash;    /* of the core that wrote the state */
	uint32_t has_state;   /* 1: the state is complete */
	uint64_t state_bytes; /* from RUN_STATE_AT on */
	uint64_t
		processes; /* served, children of fork included; this and the next by all processes */
	uint64_t bad_frees; /* of pointers that were no live objects */
	uint64_t reports;   /* of debugging */
	uint64_t huge_allocs, huge_bytes,
		huge_peak_bytes; /* of the first process: mapped on their own */
	uint64_t trace_events,
		trace_lost; /* in the file of --record, and what could not be written */
};

#endif
