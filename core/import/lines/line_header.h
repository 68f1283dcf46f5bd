/*
 * line_header.h - what stands in front of the event's name on every line of ftrace, trace-cmd and perf.
 */
#ifndef IMPORT_LINES_LINE_HEADER_H
#define IMPORT_LINES_LINE_HEADER_H

#include "import/import.h"

enum prefix_style {
	STYLE_FTRACE, /* comm-pid */
	STYLE_PERF,   /* comm pid */
};

struct prefix {
	u64 time;
	const u8 *rest;	   /* behind the colon of the time */
	const u8 *bracket; /* "[" of the CPU, NULL if it is told in another way or not at all */
	const u8 *dot;	   /* of the time, NULL if it has no fraction of six digits */
	u32 cpu;
	u8 style; /* enum prefix_style */
	u8 ticks; /* the time is a bare number */
};

/* 1 and *prefix if the line has one. */
int prefix_read(const u8 *line, const u8 *end, struct prefix *prefix);
/* Remembers where things were, for usual_line.c. */
void prefix_learn(struct import *im, const struct prefix *prefix);
/* The event called `name` with this prefix and payload: counts it, and hands it to the sink if it is kmem's. */
void prefix_event(struct import *im, const struct prefix *prefix, const struct span *name,
		  const u8 *end);
/* The number at p; 0 if there is none. Ends at the first byte that is no digit. */
u64 prefix_number(const u8 *p, const u8 *end);
/* Where `text` begins in [p, end), or NULL. */
const u8 *prefix_find(const u8 *p, const u8 *end, const char *text);

#endif
