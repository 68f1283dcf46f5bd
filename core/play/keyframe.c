/*
 * keyframe.c - snapshots of the world along the trace, in a fixed budget.
 *
 * A snapshot is one memcpy. When the area is full every second one is dropped and the spacing doubles (as
 * Box2D's recordings do), so that any position is at most one gap of replay away.
 */
#include "session.h"

void keyframes_drop(struct kmem_session *s)
{
	struct keyframes *k = &s->keyframes;

	pool_free(&s->pool, k->area, k->area_bytes);
	k->area = NULL;
	k->area_bytes = 0;
}

s32 keyframes_reserve(struct kmem_session *s, u64 budget_bytes)
{
	struct keyframes *k = &s->keyframes;
	u64 bytes = budget_bytes;

	if (!bytes)
		bytes = CLAMP((u64)s->trace.nr_ops * 25, (u64)4 << 20, (u64)256 << 20);
	/* The empty machine is the first keyframe, whatever the budget. */
	u64 nodes = (u64)params_get(&s->params, PARAM_NODES);
	bytes = MAX(bytes, ((u64)4 << 20) + nodes * nodes * MAX_ZONES_PER_NODE * 2 * 5 / 4 +
				   replay_tables_bytes(&s->trace));
	if (k->area_bytes != bytes) {
		keyframes_drop(s);
		k->area = pool_alloc(&s->pool, bytes);
		k->area_bytes = k->area ? bytes : 0;
	}
	k->used_bytes = 0;
	k->nr = 0;
	k->spacing_ops = FIRST_SPACING_OPS;
	return k->area ? 0 : KMEM_ENOMEM;
}

/* To a lower address; the two may overlap. */
static void move_down(u8 *to, const u8 *from, u64 bytes)
{
	u64 gap = (u64)(from - to);

	for (u64 done = 0; done < bytes && gap; done += gap)
		memcpy(to + done, from + done, MIN(gap, bytes - done));
}

static void drop_every_second(struct keyframes *k)
{
	u32 kept = 1;

	k->used_bytes = ALIGN_UP(k->at[0].bytes, 64u);
	for (u32 i = 2; i < k->nr; i += 2) {
		struct keyframe *f = &k->at[i];
		move_down(k->area + k->used_bytes, k->area + f->start, f->bytes);
		f->start = k->used_bytes;
		k->used_bytes += ALIGN_UP(f->bytes, 64u);
		k->at[kept++] = *f;
	}
	k->nr = kept;
	k->spacing_ops *= 2;
}

static int is_due(const struct keyframes *k, const struct world *w)
{
	if (!k->nr)
		return 1;
	return w->op >=
	       (u64)k->at[k->nr - 1].op + MAX(k->spacing_ops, w->used / KEYFRAME_BYTES_PER_OP);
}

void keyframes_note(struct kmem_session *s)
{
	struct keyframes *k = &s->keyframes;
	const struct world *w = s->w;

	if (!is_due(k, w))
		return;
	while (k->nr > 1 && (k->used_bytes + w->used > k->area_bytes || k->nr == MAX_KEYFRAMES))
		drop_every_second(k);
	/* A world that has outgrown the budget leaves only the first keyframe. */
	if (!is_due(k, w) || k->used_bytes + w->used > k->area_bytes)
		return;
	struct keyframe f = { w->op, w->used, k->used_bytes };
	memcpy(k->area + f.start, w, w->used);
	k->used_bytes += ALIGN_UP(f.bytes, 64u);
	k->at[k->nr++] = f;
}

u32 keyframes_nearest(const struct kmem_session *s, u32 n)
{
	const struct keyframes *k = &s->keyframes;
	u32 lo = 0, hi = k->nr;

	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;
		if (k->at[mid].op <= n)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void keyframes_restore(struct kmem_session *s, u32 nr)
{
	const struct keyframe *f = &s->keyframes.at[nr];

	memcpy(s->w, s->keyframes.area + f->start, f->bytes);
	/* What lies beyond is stale now. */
	s->world_high_bytes = MAX(s->world_high_bytes, world_host(s->w)->zeroed_bytes);
	world_host(s->w)->zeroed_bytes = s->w->used;
}
