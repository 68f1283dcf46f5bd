/*
 * kept.h - what an import keeps of each event beyond the packed op: the recorded pointer and the task.
 *
 * Both are optional. Each has its own chunks beside the packed ops, and a replay never reads them.
 */
#ifndef IMPORT_KEPT_H
#define IMPORT_KEPT_H

#include "import/import.h"

enum {
	MAX_COMM_BYTES = 64, /* kernels write at most 15; bytes kept of a longer comm */
	MAX_TASK_BYTES = MAX_COMM_BYTES + 16,
};

/* The number of the text "comm-pid". */
u32 task_text(struct import *im, const u8 *comm, const u8 *end, s64 pid);
typedef void (*import_sink)(struct import *im, const struct event *ev);

/* The sink of recorded events: it imports them, keeps what was asked for, and notes the first event at each address. */
import_sink import_usual_sink(const struct import *im);
/* Keeps these of the ops from `first` to the last one. */
void kept_put(struct import *im, u32 first, u64 ptr, u32 task);
/* Notes an event as the first one at its address, if it is that: the start is inferred from these. */
void kept_note_first(struct import *im, u32 op, u64 ptr);

#endif
