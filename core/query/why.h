/*
 * why.h - an answer of kmem_why while it is worked out: why.c explains a place, a CPU, a node or the
 * page allocator, and why_text.c writes the sentences.
 */
#ifndef QUERY_WHY_H
#define QUERY_WHY_H

#include "query/index/query.h"

struct text;

enum {
	MAX_SOURCES = 64,
	MAX_EVENTS = 64, /* events of the first source, and the most that are looked at */
	MAX_PARTS = 16,	 /* kinds of places of a CPU or a node */
	MAX_SHARES = 3,	 /* caches that are named */
};

/* A cache with most of the pages. */
struct page_share {
	u64 pages;
	u32 cache, slabs;
};

struct answer {
	struct kmem_why why;
	struct kmem_why_source sources[MAX_SOURCES];
	u32 events[MAX_EVENTS];
	struct kmem_place parts[MAX_PARTS]; /* all places of one kind in a row */
	u32 nr_parts;
	struct kmem_next_object next;
	u32 has_next;
	u64 total_pages;
	struct page_share shares[MAX_SHARES];
	u32 nr_shares, other_caches;
};

/* why.c */
struct asked {
	u32 cache, kind, cpu, node, which;
};

/* why_text.c: the question, its facts one a line, and a setting to try (enum kmem_param, NOWHERE if there is none). */
void why_title(const struct kmem_session *s, const struct answer *a, struct text *t);
void why_facts(const struct kmem_session *s, const struct answer *a, struct text *t);
u32 why_what_if(const struct kmem_session *s, const struct answer *a, const char **value);

#endif
