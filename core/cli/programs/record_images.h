/*
 * record_images.h - the processes and programs that were recorded: which follows which, what lives in each, and which are missing.
 */
#ifndef CLI_PROGRAMS_RECORD_IMAGES_H
#define CLI_PROGRAMS_RECORD_IMAGES_H

#include "cli/programs/live_objects.h"
#include "cli/programs/spool_reader.h"

enum { TASK_BYTES = RECORD_NAME_BYTES + 12 };

struct image_state {
	struct live_objects live;
	u64 events_left;
	u32 before; /* the image of the program that ran in its process before it, plus 1; 0: none */
	u32 is_followed; /* another program follows in its process */
	u32 is_last; /* of the first process, or of one that is still running: its objects live at the end of the trace */
	char task[TASK_BYTES]; /* name-pid, without blanks */
};

struct record_images {
	struct image_state *states;
	u32 nr, nr_processes;
	u32 nr_running; /* processes that are still running, on Linux */
};

/* Returns 0 without memory. record_images_close releases it. */
int record_images_open(struct record_images *images, const struct spool_reader *spool);
void record_images_close(struct record_images *images);

/* A program that was started and did not load the library; NULL: no more. *at is 0 at first. */
const struct record_start *record_missing(const struct spool_reader *spool, u32 *at);

#endif
