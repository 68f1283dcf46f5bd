/*
 * slob_util.h - SLOB and the segregated one by example: a few lines of slabtrace, what they decide and how it looks then.
 *
 * A page is drawn as its blocks in address order, `#` taken and `.` free, each with its bytes: `#58.62#72.3904`. Lists
 * are drawn head first as page(free bytes), then pages on no list; of the segregated one only those with pages, as
 * `128:3(3968) node1/64:4(64)`.
 */
#ifndef TEST_SUPPORT_SLOB_UTIL_H
#define TEST_SUPPORT_SLOB_UTIL_H

#include "kmem_types.h"

/* Which of both what follows is about; slob at first. */
void use_allocator(const char *name);
/* The lines after `slabtrace 1`, all of them done, laws checked. */
struct kmem_session *session_of(const char *machine, const char *lines);
/* On one CPU. */
struct kmem_session *after(const char *lines);
/* Kinds of the steps of the last operation, those of the page allocator left out. */
const char *steps_of_last(struct kmem_session *s);
/* Blocks of one page; nothing if there is no such page. */
const char *page_of(struct kmem_session *s, u32 serial);
const char *lists_of(struct kmem_session *s);
/* The three as checks. */
void decides(const char *lines, const char *want);
void looks(const char *lines, const char *want);
void blocks(const char *lines, u32 page, const char *want);
/* Random operations: every law after every operation, and every way to a position ends in the same world. */
void laws_hold(const char *machine, u32 nr_ops);

#endif
