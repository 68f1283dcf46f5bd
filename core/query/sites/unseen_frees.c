/*
 * unseen_frees.c - names the caches whose frees the trace does not show, and how many of their objects may be free in fact.
 *
 * kfree_rcu(), bulk frees and prefilled sheaves have no tracepoint. Some of these frees are proved by what follows: the memory
 * is allocated again, or its page is freed. Each object that is live at the end may have been freed as well, without a proof.
 */
#include "session/session.h"

enum {
	/* From that many proved frees on, and one for so many recorded ones, the trace does not show how a cache frees. */
	ENOUGH_UNSEEN = 8,
	SEEN_PER_UNSEEN = 10,
	LEAST_BYTES = 4096, /* less is not worth a word */
	NAMED_CACHES = 3,   /* in the text */
};

static int is_unseen(const struct kmem_trace_cache_row *c)
{
	return (u64)c->live_objects * MAX(c->size, c->object_size) >= LEAST_BYTES &&
	       c->unseen_frees >= ENOUGH_UNSEEN &&
	       (u64)c->unseen_frees * SEEN_PER_UNSEEN >= c->frees;
}

/* The slabs that the cache's live objects fill, if a build says how many a slab has. */
static u32 slabs_of(struct kmem_session *s, const struct kmem_trace_cache_row *c)
{
	const char *name = (const char *)s->pool.base + c->name_at;

	for (u32 id = 0; s->w && id < s->w->nr_caches; id++) {
		const struct kmem_cache *cache = cache_at(s->w, id);
		if (cache->objects && text_is((const char *)cache->name, name))
			return DIV_ROUND_UP(c->live_objects, cache->objects);
	}
	return 0;
}

const struct kmem_unseen_row *kmem_unseen(struct kmem_session *s, u32 *nr)
{
	const struct kmem_report *r = &s->trace.report;
	const struct kmem_trace_cache_row *c = (const void *)(s->pool.base + r->caches_at);
	struct kmem_unseen_row *rows = s->out.unseen;

	*nr = 0;
	for (u32 i = 0; !r->sampling && i < r->nr_caches; i++) {
		const struct kmem_unseen_row row = {
			.name_at = c[i].name_at,
			.bytes = (u64)c[i].live_objects * MAX(c[i].size, c[i].object_size),
			.frees = (u32)c[i].frees,
			.unseen_frees = c[i].unseen_frees,
			.live_objects = c[i].live_objects,
		};
		u32 at = *nr;
		if (!is_unseen(&c[i]))
			continue;
		for (; at && rows[at - 1].bytes < row.bytes; at--)
			if (at < MAX_UNSEEN_ROWS)
				rows[at] = rows[at - 1];
		if (at == MAX_UNSEEN_ROWS)
			continue;
		rows[at] = row;
		rows[at].slabs = slabs_of(s, &c[i]);
		*nr = MIN(*nr + 1, (u32)MAX_UNSEEN_ROWS);
	}
	return rows;
}

const char *kmem_unseen_text(struct kmem_session *s)
{
	u32 nr;
	const struct kmem_unseen_row *rows = kmem_unseen(s, &nr);
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	for (u32 i = 0; i < MIN(nr, (u32)NAMED_CACHES); i++) {
		text_print(
			&t,
			i ? " %s has %'u recorded free{s} and %'u that {follow|follows} so: "
			  : "Most frees of %s have no event: %'u {were|was} recorded, and %'u more "
			    "{follow|follows} from memory that was used again. So ",
			(const char *)s->pool.base + rows[i].name_at, rows[i].frees,
			rows[i].unseen_frees);
		text_print(&t, "up to %'u of its live objects, %'ju bytes", rows[i].live_objects,
			   (uintmax_t)rows[i].bytes);
		if (rows[i].slabs)
			text_print(&t, " or %'u slab{s}", rows[i].slabs);
		text_add(&t,
			 i ? "." : ", may be free in fact, and the model has so much too much.");
	}
	if (nr > NAMED_CACHES)
		text_print(&t, " %'u more cache{s are| is} alike.", nr - NAMED_CACHES);
	if (nr)
		text_add(&t, " record.sh records such frees.");
	return s->out.text;
}
