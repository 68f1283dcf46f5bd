/*
 * query.h - everything that queries keep about a trace on a machine: the part of a session that query/ owns.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "query/index/find.h"
#include "query/index/index.h"
#include "query/index/step_subject.h"
#include "session/session.h"
#include "sim/order.h"

enum { MEMORY_STATE_BYTES = 32 << 10 };

enum cache_series_state { CACHE_SERIES_NONE, CACHE_SERIES_RUNNING, CACHE_SERIES_READY };

/* Metrics of one cache over the whole trace; see query/cache_series.c. */
struct cache_series {
	struct series series;
	u32 state; /* enum { MEMORY_STATE_BYTES = 32 << 10 };

enum cache_series_state */
	u32 cache, next_op;
	u32 slow_paths; /* of the cache, since the last sample */
	u64 room[SERIES_NUMBERS];
};

enum tracks_state { TRACKS_NONE, TRACKS_RUNNING };

/* Counter tracks of a replay; see query/tracks/tracks.c. Group 0 is all caches together. */
struct tracks {
	u32 state; /* enum tracks_state */
	u32 nr_caches, every, next_op;
	u32 has_begun, has_sample;
	u32 nr_bytes; /* of the last run */
	u16 caches[KMEM_MAX_TRACKED_CACHES];
	u64 slow_paths[KMEM_MAX_TRACKED_CACHES + 1]; /* since the beginning */
	u64 last[KMEM_MAX_TRACKED_CACHES + 1][NR_METRICS];
	u8 bytes[40 << 10];
};

struct query {
	u32 generation; /* of the world that the fields below describe */
	struct index index;
	struct find find;
	struct cache_series cache_series;
	struct tracks tracks;
	struct order_tries tries;
	struct kmem_life life;
	struct kmem_lifetime lifetime;
	struct touch_kind touch_kinds[NR_STEP_KINDS];
	struct kmem_level_row levels[MAX_LEVELS];
	struct kmem_path path;
	struct kmem_move move;
	char move_text[192];
	struct kmem_caption caption;
	char caption_text[CHAPTER_TITLE_BYTES], consequence_text[CHAPTER_TITLE_BYTES];
	struct kmem_chapter chapters[NR_VALUES(kmem_chapter_kind)];
	char no_name[8]; /* "" */
	char chapter_titles[NR_VALUES(kmem_chapter_kind)][CHAPTER_TITLE_BYTES];
	u32 index_drops; /* how often the memory behind the world was given up, and all in it with it */
	u64 memory[MEMORY_STATE_BYTES / 8]; /* struct memory_state of query/memory */
};

_Static_assert(sizeof(struct query) <= sizeof(((struct session_room *)0)->query),
	       "a session has room for it");

/* Forgets everything about an earlier world. */
static inline struct query *query_of(const struct kmem_session *s)
{
	struct query *q = (struct query *)(u64 *)s->room.query;

	if (q->generation != s->generation) {
		memset(&q->index, 0, sizeof(q->index));
		q->find.nr = q->find.last.nr_steps = 0;
		q->cache_series.state = CACHE_SERIES_NONE;
		q->tracks.state = TRACKS_NONE;
		q->generation = s->generation;
	}
	return q;
}

/* sentence.c: adds a sentence about a step, with its numbers in place of what stands in braces. */
void sentence_add(struct text *t, const struct kmem_session *s, const struct kmem_step *step,
		  const char *words);

/* cache_series.c: metrics of one cache now, but for METRIC_SLOW_PATHS. */
void cache_series_measure(struct kmem_session *s, u32 cache, u64 *value);

#endif
