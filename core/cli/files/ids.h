/*
 * ids.h - the names that a slabtrace gives its objects, in the order of its lines.
 *
 * The core keeps a dense number for each object and forgets what the file called it. Whoever
 * wants to print the file's own names watches the text as it is read.
 */
#ifndef CLI_FILES_IDS_H
#define CLI_FILES_IDS_H

#include "cli/host/host.h"

struct ids {
	char *text;    /* names, each with its NUL, in the order of the a, k and f lines */
	u64 len, room; /* bytes */
	u64 at;	       /* of the next name to hand out */
	u32 nr;	       /* names */
	u32 is_slabtrace;
	char line[128]; /* start of the line in progress: the name is in its first two words */
	u32 line_len;
	u32 nr_lines;
};

/* Watches for the struct ids in arg. */
void ids_see(void *arg, const u8 *bytes, u32 len_bytes);
/* The last line may have no newline. */
void ids_end(struct ids *ids);
/* Next name in order; "" when there are no more. */
const char *ids_next(struct ids *ids);

#endif
