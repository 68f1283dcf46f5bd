/*
 * call_sites_leaks.c - objects that the trace never frees: whether they leak, and caches whose frees it lacks.
 */
#include "query/sites/call_sites.h"
#include "session/session.h"

/*
 * Decides per cache what the objects are that the trace never frees, and says why.
 *
 * An object is a suspect if it is older than nearly all objects of its cache that were freed. That needs recorded frees.
 * A trace of a program up to its end shows what was never freed: many objects of one call site are suspects, too.
 * A pointer that is allocated again without a free proves that the trace does not show all of them.
 */

enum {
	USUAL_PER_CENT = 99,
	/* From one unseen free per this many recorded ones on, the trace does not show how a cache frees. */
	SEEN_PER_UNSEEN = 10,
	/* Fewer recorded frees than this do not show how long an object usually lives. */
	ENOUGH_FREES = 8,
	/* If more objects are left for each recorded free, most frees may be of a kind that has no event. */
	LIVE_PER_FREE = 4,
	/* Programs keep a few objects to their end: tables of a locale have up to 42 of one call site, of 64 bytes. A
	 * call site left many if it left this many, or fewer that fill a page; and one in this many of its own allocations. */
	MANY_LEFT = 48,
	FEWEST_LEFT = 16,
	LEFT_BYTES = 4096,
	MOST_PER_LEFT = 10,
};

int sites_are_left(const struct sites *x, const struct site_note *note)
{
	const struct site_note *group = &x->notes[note->group];
	u64 live = group->group_live;

	return x->has_ended && live * MOST_PER_LEFT >= group->group_allocs &&
	       (live >= MANY_LEFT || (live >= FEWEST_LEFT && live * group->slot >= LEFT_BYTES));
}

/* Returns the power of two that is more events than the lifetimes of 99 of 100 freed objects. */
static u32 usual_lifetime(const struct site_lives *lives, u32 frees)
{
	u64 seen = 0;

	for (u32 i = 0; i < NR_LIFETIMES; i++) {
		seen += lives->frees[i];
		if (seen * 100 >= (u64)frees * USUAL_PER_CENT)
			return i + 1 < NR_LIFETIMES ? (u32)1 << (i + 1) : 0xffffffff;
	}
	return 0xffffffff;
}

static int frees_are_seen(const struct kmem_site_cache *c)
{
	/* Live objects are not yet counted at the first call. */
	return c->frees >= ENOUGH_FREES &&
	       c->allocations <= (u64)c->frees * (LIVE_PER_FREE + 1) + c->unseen_frees &&
	       (u64)c->unseen_frees * SEEN_PER_UNSEEN < c->frees;
}

static u32 leak_of(const struct kmem_site_cache *c, int is_sampled)
{
	if (!c->live_objects)
		return LEAK_NONE;
	if (is_sampled)
		return LEAK_SAMPLED;
	if (c->leak_suspects)
		return LEAK_SUSPECT;
	if (c->unseen_frees && (u64)c->unseen_frees * SEEN_PER_UNSEEN >= c->frees)
		return LEAK_UNSEEN;
	if (!frees_are_seen(c))
		return LEAK_FEW_FREES;
	return c->rcu_frees > c->frees / 2 ? LEAK_RCU : LEAK_IN_USE;
}

/* Called twice: before the live objects are dated it finds what is usual, and after that what they are. */
void sites_judge(struct kmem_session *s)
{
	struct sites *x = sites_of(s);
	const struct kmem_report *report = &s->trace.report;
	int is_sampled = report->sampling != 0;

	x->has_ended = report->ended && !report->lost && !report->truncated && !is_sampled &&
		       !s->trace.fork.is_on;
	for (u32 i = 0; i < x->nr_caches; i++) {
		struct kmem_site_cache *cache = &x->caches[i];
		cache->usual_lifetime = !is_sampled && frees_are_seen(cache)
						? usual_lifetime(&x->lives[i], cache->frees)
						: 0;
		cache->leak = leak_of(cache, is_sampled);
	}
}

static void add_usual(struct text *t, const struct kmem_site_cache *c)
{
	text_print(t, "99 of 100 recorded frees came within %u event{s}", c->usual_lifetime);
}

static void add_unseen(struct kmem_session *s, struct text *t, const struct kmem_site_cache *c)
{
	u32 nr, i = 0;
	const struct kmem_unseen_row *rows = kmem_unseen(s, &nr);

	text_print(
		t,
		"The memory of %u object{s} was allocated again without a recorded free, and %u "
		"free{s} {were|was} recorded. So the trace does not show how this cache frees: by "
		"RCU in bulk, through sheaves, or in events that were not recorded. Nobody can say "
		"which of the live objects are leaks.",
		c->unseen_frees, c->frees);
	while (i < nr && !text_is(session_text(s, rows[i].name_at), session_text(s, c->name_at)))
		i++;
	if (i == nr)
		return;
	text_print(t, " Up to %'u of them, %'ju bytes", rows[i].live_objects,
		   (uintmax_t)rows[i].bytes);
	if (rows[i].slabs)
		text_print(t, " or %'u slab{s}", rows[i].slabs);
	text_add(t, ", may in fact be free: the cache may grow by that much less.");
}

static void add_few_frees(struct text *t, const struct kmem_site_cache *c, u32 has_ended)
{
	if (c->frees)
		text_print(t, "The trace frees %u", c->frees);
	else
		text_add(t, "The trace frees none");
	text_print(t, " of the %u object{s} that it allocates here", c->allocations);
	if (c->orphan_frees)
		text_print(t, ", and %u older object{s}", c->orphan_frees);
	text_add(t, ". That is too few to know how long an object usually lives");
	text_add(t, has_ended ? ", and no call site left many of them behind."
			      : ". A longer trace would help, or one of the whole machine.");
}

/* Says what a program left at call sites that left many objects of a cache; returns how many that were. */
static u32 add_left(struct text *t, const struct sites *x, u32 cache)
{
	u32 live = 0, allocs = 0;

	for (u32 i = 0; i < x->nr_sites; i++) {
		const struct site_note *note = &x->notes[i];
		if (note->cache != cache || note->group != i || !sites_are_left(x, note))
			continue;
		live += note->group_live;
		allocs += note->group_allocs;
	}
	if (live)
		text_print(t, "%'u of %'u objects {were|was} not freed when the program ended. ",
			   live, allocs);
	return live;
}

static void add_suspects(struct text *t, const struct sites *x, u32 nr)
{
	const struct kmem_site_cache *c = &x->caches[nr];
	u32 older = c->leak_suspects - add_left(t, x, nr);

	if (older) {
		add_usual(t, c);
		text_print(t, "; %u live object{s} {are|is} older. ", older);
	}
	text_add(t, "They may be leaks, or memory that is kept on purpose.");
	if (c->rcu_frees > c->frees / 2)
		text_add(t, " These lifetimes include the wait for RCU.");
}

static void add_young(struct text *t, const struct kmem_site_cache *c)
{
	if (c->leak == LEAK_RCU)
		text_print(t, "%u of %u recorded free{s} came from RCU, after a grace period. ",
			   c->rcu_frees, c->frees);
	add_usual(t, c);
	text_add(t, c->leak == LEAK_RCU
			    ? ", and no live object is older: they are in use, or wait for RCU."
			    : ", and no live object is older: they are in use.");
}

const char *kmem_sites_why(struct kmem_session *s, u32 nr)
{
	const struct sites *x = sites_of(s);
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (x->state != SITES_READY || !sites_are_kept(s) || nr >= x->nr_caches)
		return s->out.text;
	const struct kmem_site_cache *c = &x->caches[nr];
	if (c->leak == LEAK_NONE)
		text_add(&t, "No objects are left.");
	else if (c->leak == LEAK_UNSEEN)
		add_unseen(s, &t, c);
	else if (c->leak == LEAK_SAMPLED)
		text_add(&t, "The trace is sampled, so most frees of its objects have no event. "
			     "Nobody can say which of the live objects are leaks.");
	else if (c->leak == LEAK_FEW_FREES)
		add_few_frees(&t, c, x->has_ended);
	else if (c->leak == LEAK_SUSPECT)
		add_suspects(&t, x, nr);
	else
		add_young(&t, c);
	if (c->leak != LEAK_NONE && x->result.is_guess)
		text_add(&t, x->result.lost ? " The recorder lost events, so this is a guess."
					    : " The trace is cut off, so this is a guess.");
	return s->out.text;
}

/*
 * Names the caches whose frees the trace does not show, and how many of their objects may be free in fact.
 *
 * kfree_rcu(), bulk frees and prefilled sheaves have no tracepoint. Some of these frees are proved by what follows: the memory
 * is allocated again, or its page is freed. Each object that is live at the end may have been freed as well, without a proof.
 */

enum {
	/* From this many proved frees on, and one for SEEN_PER_UNSEEN recorded ones, the trace does not show how a
	 * cache frees. */
	ENOUGH_UNSEEN = 8,
	LEAST_BYTES = 4096, /* less is not worth a word */
	NAMED_CACHES = 3,   /* caches that the text names */
};

static int is_unseen(const struct kmem_trace_cache_row *c)
{
	return (u64)c->live_objects * MAX(c->size, c->object_size) >= LEAST_BYTES &&
	       c->unseen_frees >= ENOUGH_UNSEEN &&
	       (u64)c->unseen_frees * SEEN_PER_UNSEEN >= c->frees;
}

/* Returns the slabs that the cache's live objects fill, if a build says how many a slab has. */
static u32 slabs_of(struct kmem_session *s, const struct kmem_trace_cache_row *c)
{
	u32 id = s->w ? cache_named(s->w, session_text(s, c->name_at)) : CACHE_NONE;
	u32 objects = id == CACHE_NONE ? 0 : cache_at(s->w, id)->objects;

	return objects ? DIV_ROUND_UP(c->live_objects, objects) : 0;
}

const struct kmem_unseen_row *kmem_unseen(struct kmem_session *s, u32 *nr)
{
	const struct kmem_report *r = &s->trace.report;
	const struct kmem_trace_cache_row *c = session_at(s, r->caches_at);
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
			i ? " %s has %'u recorded free{s} and %'u that {follow|follows} in this way: "
			  : "Most frees of %s have no event: %'u {were|was} recorded, and %'u more "
			    "{follow|follows} from memory that was used again. So ",
			session_text(s, rows[i].name_at), rows[i].frees, rows[i].unseen_frees);
		text_print(&t, "up to %'u of its live objects, %'ju bytes", rows[i].live_objects,
			   (uintmax_t)rows[i].bytes);
		if (rows[i].slabs)
			text_print(&t, " or %'u slab{s}", rows[i].slabs);
		text_add(&t,
			 i ? "."
			   : ", may in fact be free, so the model may have that much too much.");
	}
	if (nr > NAMED_CACHES)
		text_print(&t, " The same goes for %'u more cache{s}.", nr - NAMED_CACHES);
	if (nr)
		text_add(&t, " record.sh records such frees.");
	return s->out.text;
}
