/*
 * slob_util.h - SLOB and segregated SLOB by example: a few lines of slabtrace, what they decide and how the pages look
 * afterwards.
 *
 * A page is drawn as its blocks in address order, `#` taken and `.` free, each with its bytes: `#58.62#72.3904`. Lists
 * are drawn head first as page(free bytes), then pages on no list; for segregated SLOB only those with pages, as
 * `128:3(3968) node1/64:4(64)`.
 */
#ifndef TEST_SUPPORT_SLOB_UTIL_H
#define TEST_SUPPORT_SLOB_UTIL_H

#include "kmem_types.h"

/* Chooses which of the two the following calls use; slob at first. */
void use_allocator(const char *name);
/* Runs all lines after `slabtrace 1`, and checks the invariants. */
struct kmem_session *session_of(const char *machine, const char *lines);
/* Runs on one CPU. */
struct kmem_session *after(const char *lines);
/* Kinds of the last event's steps, without those of the page allocator. */
const char *steps_of_last(struct kmem_session *s);
/* Blocks of one page; nothing if there is no such page. */
const char *page_of(struct kmem_session *s, u32 serial);
const char *lists_of(struct kmem_session *s);
/* These check the three above. */
void decides(const char *lines, const char *want);
void looks(const char *lines, const char *want);
void blocks(const char *lines, u32 page, const char *want);
/* Random events: checks every invariant after every event, and that every way to a position leads to the same world. */
void laws_hold(const char *machine, u32 nr_ops);

#endif
