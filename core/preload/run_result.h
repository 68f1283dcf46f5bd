/*
 * run_result.h - what `slabscope run` and the processes that it serves share: a file whose first page every
 * process maps. The first process puts the state of its allocator after it when it ends. The lines of --record and the reports have
 * files of their own.
 *
 * Processes open these files as descriptors of the command, /proc/PID/fd/N. They may outlive it, and another process
 * may get its number. So each file starts with the key of its run, and nothing is written to a file without that key.
 */
#ifndef PRELOAD_RUN_RESULT_H
#define PRELOAD_RUN_RESULT_H

#include <stdint.h>

#include "kmem_types.h"

enum { RUN_STATE_AT = 4096 };

#define RUN_VARIABLE "SLABSCOPE_RUN"

/* In the lines of --record, until the command has named call sites: "#module START END OFFSET IS_PROGRAM PATH", numbers in
 * hexadecimal, before the first line with a site in that code; and the site at the end of a line. */
#define RUN_MODULE "#module "
#define RUN_SITE " site="

struct run_result {
	uint64_t key;	      /* identifies the run, never 0 */
	uint32_t first_pid;   /* the process that reports */
	uint32_t is_refused;  /* a program was ended by the library, with a sentence */
	uint32_t abi_hash;    /* hash of the core that wrote the state */
	uint32_t has_state;   /* 1: the state is complete */
	uint32_t state_error; /* errno, if it could not be written */
	uint64_t state_bytes; /* bytes from RUN_STATE_AT on */
	uint64_t
		processes; /* served, children of fork included; this and the next by all processes */
	uint64_t bad_frees; /* frees of pointers that were no live objects */
	uint64_t reports;   /* reports of debugging, by all processes */
	uint64_t huge_allocs, huge_bytes,
		huge_peak_bytes; /* of the first process: mapped on their own */
	uint64_t full_allocs;	 /* those of huge_allocs that found the machine's memory full */
	uint64_t trace_events,
		trace_lost; /* in the file of --record, and what could not be written */
};

/* A call in the program: its name for people, and what `addr2line -e` takes. */
struct run_site {
	char name[256]; /* "": unknown */
	char file[256];
	uint64_t address; /* address of the call in the file */
};

/* A report of debugging: after the key, a record of a file that every process appends to. */
struct run_report {
	struct kmem_bug bug; /* without names and events of the object */
	uint32_t requested;  /* not 0: the bytes after a request of this many were overwritten */
	char cache[64];
	struct run_site allocated, freed,
		found;	 /* found: the call that noticed; unknown at the end */
	char text[2048]; /* as it was printed */
};

#endif
