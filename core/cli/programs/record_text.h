/*
 * record_text.h - writes the events of a spool as a slabtrace.
 */
#ifndef CLI_PROGRAMS_RECORD_TEXT_H
#define CLI_PROGRAMS_RECORD_TEXT_H

#include "cli/files/output.h"
#include "cli/programs/spool_reader.h"

struct record_counts {
	u64 events;    /* lines of the trace */
	u64 lost;      /* events behind the limit */
	u64 too_large; /* requests of more than a slabtrace can have */
	u32 threads, processes;
	/* Missing: programs that did not load the library, processes whose end was not waited for, and those for which there
	 * was no room. */
	u32 not_loaded, running, no_room;
	char first_not_loaded[128];
};

/* Writes at most `most` events; begun: the name of the program. Returns 0 without memory, or if nothing can be written. */
int record_write(struct spool_reader *spool, const char *program, u64 most, struct output *out,
		 struct record_counts *counts);

#endif
