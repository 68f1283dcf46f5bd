/*
 * keyframe.c - snapshots of the world along the trace, in a fixed budget.
 *
 * A snapshot stores the world's 64-byte lines that are not zero, after one bit per line. The larger
 * a snapshot, the longer the gap until the next one is due. At that rate the whole trace fills the
 * budget, so small worlds have frequent snapshots and keep them all. If the budget still runs out,
 * every second one is dropped, as in Box2D's replays. Any position is at most one gap of replay
 * away.
 */
#include "util/poison.h"
#include "session/session.h"

enum { LINE_BYTES = 64, LINES_PER_WORD = 32, LEAST_KEYFRAMES = 4 };

/* Bytes after the last whole line are stored unpacked. */
static u32 nr_lines(u32 bytes)
{
	return bytes / LINE_BYTES;
}

/* Returns the bytes of the bits that precede the lines. */
static u32 bits_bytes(u32 bytes)
{
	return ALIGN_UP(DIV_ROUND_UP(nr_lines(bytes), (u32)LINES_PER_WORD) * 4, (u32)LINE_BYTES);
}

u64 keyframe_most_bytes(u32 world_bytes)
{
	return (u64)bits_bytes(world_bytes) + ALIGN_UP(world_bytes, (u32)LINE_BYTES);
}

IGNORES_POISON static u32 is_line_used(const u8 *line)
{
	u64 word, any = 0;

	for (u32 i = 0; i < LINE_BYTES; i += 8) {
		memcpy(&word, line + i, 8);
		any |= word;
	}
	return any != 0;
}

/* With the address sanitizer, a line also stores which of its bytes are poisoned. */
static u32 pack(u8 *to, const u8 *world, u32 bytes)
{
	u32 *bits = (u32 *)to, lines = nr_lines(bytes);
	u8 *end = to + bits_bytes(bytes);

	region_unpoison(to, bits_bytes(bytes));
	for (u32 i = 0; i < lines; i++) {
		const u8 *line = world + (u64)i * LINE_BYTES;
		u32 used = is_line_used(line) | region_has_poison(line, LINE_BYTES);
		if (i % LINES_PER_WORD == 0)
			bits[i / LINES_PER_WORD] = 0;
		bits[i / LINES_PER_WORD] |= used << i % LINES_PER_WORD;
		/* Copies every line, to avoid a branch; the next line overwrites an unwanted one. */
		region_copy(end, line, LINE_BYTES);
		end += used * LINE_BYTES;
	}
	region_copy(end, world + (u64)lines * LINE_BYTES, bytes % LINE_BYTES);
	end += ALIGN_UP(bytes % LINE_BYTES, (u32)LINE_BYTES);
	return (u32)(end - to);
}

static void unpack(u8 *world, const u8 *from, u32 bytes)
{
	const u32 *bits = (const u32 *)from;
	const u8 *line = from + bits_bytes(bytes);
	u32 lines = nr_lines(bytes);

	for (u32 i = 0; i < lines; i++) {
		u32 used = bits[i / LINES_PER_WORD] >> i % LINES_PER_WORD & 1;
		u8 *to = world + (u64)i * LINE_BYTES;
		if (used) {
			region_copy(to, line, LINE_BYTES);
		} else {
			region_unpoison(to, LINE_BYTES);
			memset(to, 0, LINE_BYTES);
		}
		line += used * LINE_BYTES;
	}
	region_copy(world + (u64)lines * LINE_BYTES, line, bytes % LINE_BYTES);
}

u64 keyframe_bytes(const struct world *w)
{
	u64 bytes = bits_bytes(w->used) + ALIGN_UP(w->used % LINE_BYTES, (u32)LINE_BYTES);

	for (u32 i = 0; i < nr_lines(w->used); i++)
		bytes += is_line_used((const u8 *)w + (u64)i * LINE_BYTES) * LINE_BYTES;
	return bytes;
}

int keyframes_hold(struct kmem_session *s)
{
	struct keyframes *k = &s->timeline.keyframes;

	k->start_bytes = LEAST_KEYFRAMES * keyframe_most_bytes(s->w->used);
	return k->start_bytes <= k->area_bytes;
}

static void free_area(struct kmem_session *s, struct keyframes *k)
{
	pool_free(&s->pool, k->area, k->area_bytes);
	k->area = NULL;
	k->area_bytes = 0;
}

void keyframes_drop(struct kmem_session *s)
{
	free_area(s, &s->timeline.keyframes);
	s->timeline.keyframes.start_bytes = 0;
}

s32 keyframes_reserve(struct kmem_session *s, u64 budget_bytes)
{
	struct keyframes *k = &s->timeline.keyframes;
	u64 bytes = budget_bytes;

	if (!bytes)
		bytes = CLAMP((u64)s->trace.nr_ops * 25, (u64)4 << 20, (u64)256 << 20);
	/* The empty machine is the first keyframe, whatever the budget. */
	u64 nodes = (u64)params_get(&s->params, PARAM_NODES);
	bytes = MAX(bytes, ((u64)4 << 20) + nodes * nodes * MAX_ZONES_PER_NODE * 2 * 5 / 4 +
				   replay_tables_bytes(&s->trace) * 257 / 256);
	if (!IS_FIRST_VIEW)
		bytes = MAX(bytes, k->start_bytes);
	if (k->area_bytes != bytes) {
		free_area(s, k);
		k->area = pool_alloc(&s->pool, bytes);
		k->area_bytes = k->area ? bytes : 0;
	}
	k->used_bytes = 0;
	k->nr = 0;
	k->least_gap_ops = MAX((u32)FIRST_GAP_OPS, s->trace.nr_ops / (MAX_KEYFRAMES / 2));
	k->ops_per_mib = (u64)s->trace.nr_ops * 64 * 1024 * 1024 / 61 / MAX(bytes, 1u);
	return k->area ? 0 : KMEM_ENOMEM;
}

/* Moves to a lower address; the two areas may overlap. */
static void move_down(u8 *to, const u8 *from, u64 bytes)
{
	u64 gap = (u64)(from - to);

	for (u64 done = 0; done < bytes && gap; done += gap)
		region_copy(to + done, from + done, MIN(gap, bytes - done));
}

static void drop_every_second(struct keyframes *k)
{
	u32 kept = 1;

	k->used_bytes = k->at[0].stored_bytes;
	for (u32 i = 2; i < k->nr; i += 2) {
		struct keyframe *f = &k->at[i];
		move_down(k->area + k->used_bytes, k->area + f->start, f->stored_bytes);
		f->start = k->used_bytes;
		k->used_bytes += f->stored_bytes;
		k->at[kept++] = *f;
	}
	k->nr = kept;
	k->least_gap_ops *= 2;
}

static int is_due(const struct keyframes *k, const struct world *w)
{
	if (!k->nr)
		return 1;
	const struct keyframe *last = &k->at[k->nr - 1];
	u64 gap = MAX((u64)k->least_gap_ops, w->used / KEYFRAME_BYTES_PER_OP);
	return w->op >= last->op + MAX(gap, k->ops_per_mib * last->stored_bytes >> 20);
}

void keyframes_note(struct kmem_session *s)
{
	struct keyframes *k = &s->timeline.keyframes;
	const struct world *w = s->w;

	if (!is_due(k, w))
		return;
	u64 room = keyframe_most_bytes(w->used);
	while (k->nr > 1 && (k->used_bytes + room > k->area_bytes || k->nr == MAX_KEYFRAMES))
		drop_every_second(k);
	/* A world that outgrows the budget keeps only the first keyframe. */
	if (!is_due(k, w) || k->used_bytes + room > k->area_bytes)
		return;
	struct keyframe f = { w->op, w->used, 0, 0, k->used_bytes };
	f.stored_bytes = pack(k->area + f.start, (const u8 *)w, w->used);
	k->used_bytes += f.stored_bytes;
	k->at[k->nr++] = f;
}

u32 keyframes_nearest(const struct kmem_session *s, u32 n)
{
	const struct keyframes *k = &s->timeline.keyframes;
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
	const struct keyframe *f = &s->timeline.keyframes.at[nr];
	u64 zeroed_bytes = world_host(s->w)->zeroed_bytes;

	unpack((u8 *)s->w, s->timeline.keyframes.area + f->start, f->bytes);
	/* Memory past this world is stale now. */
	s->timeline.world_high_bytes = MAX(s->timeline.world_high_bytes, zeroed_bytes);
	world_host(s->w)->zeroed_bytes = s->w->used;
	if (zeroed_bytes > s->w->used)
		region_poison((u8 *)s->w + s->w->used, zeroed_bytes - s->w->used);
}
