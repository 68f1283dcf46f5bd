/*
 * ids.h - the names that a slabtrace gives its objects, in the order of its lines.
 *
 * The core keeps a dense number for each object and forgets the file's name for it. A command that prints the file's
 * own names watches the text as it is read.
 */
#ifndef CLI_FILES_IDS_H
#define CLI_FILES_IDS_H

#include "cli/host/host.h"

struct ids {
	char *text;    /* names, each with its NUL, in the order of the a, k, f and r lines */
	u64 len, room; /* bytes */
	u64 at;	       /* offset of the next name to return */
	u32 nr;	       /* number of names */
	u32 is_slabtrace;
	char line[1 << 16]; /* the line in progress: a list of names may fill it */
	u32 line_len;
	u32 nr_lines;
};

/* Reads bytes of the trace; arg is the struct ids. */
void ids_see(void *arg, const u8 *bytes, u32 len_bytes);
/* Ends the text: the last line may have no newline. */
void ids_end(struct ids *ids);
/* Returns the next name in order; "" after the last one. */
const char *ids_next(struct ids *ids);

#endif
