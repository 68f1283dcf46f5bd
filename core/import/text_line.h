/*
 * text_line.h - the text before the event's name on every line of ftrace, trace-cmd and
 * perf.
 */
#ifndef IMPORT_TEXT_LINE_H
#define IMPORT_TEXT_LINE_H

#include "import/import.h"

enum prefix_style {
	STYLE_FTRACE, /* comm-pid */
	STYLE_PERF,   /* comm pid */
};

struct prefix {
	u64 time;
	const u8 *rest;	    /* after the colon after the time */
	const u8 *bracket;  /* "[" of the CPU; NULL if the CPU is missing or in another form */
	const u8 *dot;	    /* dot of the time; NULL unless it has a fraction of six digits */
	const u8 *comm_end; /* NULL without a task */
	s64 pid;	    /* pid of the thread; perf writes -1 for exited tasks */
	u32 cpu;
	u8 style; /* enum prefix_style */
	u8 ticks; /* the time is a bare number */
};

/* Returns 1 and *prefix if the line has a prefix. */
int prefix_read(const u8 *line, const u8 *end, struct prefix *prefix);
/* Returns 1 and the fields of the task if [line, end) is the text before the CPU. */
int prefix_read_task(const u8 *line, const u8 *end, struct prefix *prefix);
/* Returns the number of the task's text on that line, 0 if it has none. */
u32 prefix_task(struct import *im, const u8 *line, const struct prefix *prefix);
/* Remembers the offsets for usual_line.c. */
void prefix_learn(struct import *im, const struct prefix *prefix);
/* Counts the event called `name`. Hands it to the sink if it is a kmem event. */
void prefix_event(struct import *im, const struct prefix *prefix, const struct span *name,
		  const u8 *end);

#endif
