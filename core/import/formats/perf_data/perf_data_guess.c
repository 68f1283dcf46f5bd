/*
 * perf_data_guess.c - finds the tracepoints of the samples in a perf.data that is cut off.
 *
 * perf writes the description of events behind all records. It is missing if a copy was cut off or
 * perf was killed. Then only the ids of the tracepoints and the bytes of their samples remain. The
 * kernel has used a few layouts for the allocators' events. They differ in length and in the
 * offsets of sizes and names:
 *
 *	Frees		| call_site ptr |, since 5.12 kmem_cache_free with a name.
 *	Allocations	| call_site ptr bytes_req bytes_alloc gfp (4 bytes) | node |	until 6.0
 *			| call_site ptr bytes_req bytes_alloc gfp (8 bytes) | node | accounted |	since 6.1
 *			| call_site ptr name bytes_req bytes_alloc gfp node accounted |	since 6.18
 *
 * Until 6.0 kmalloc and kmem_cache_alloc look alike, and so do their frees. Then sizes decide, and
 * the order of the ids: the kernel numbers the events of one header in order. Only 64-bit kernels
 * are recognised.
 */
#include "import/formats/perf_data/perf_data.h"

enum { COMMON_BYTES = 8, MAX_GUESSES = 32, FEW_SAMPLES = 4096 };

/* Possible layouts of an id's events, judging by its samples. */
enum shape {
	SHAPE_NONE,
	SHAPE_FREE,
	SHAPE_FREE_NAMED,
	SHAPE_ALLOC_4,
	SHAPE_ALLOC_8,
	SHAPE_ALLOC_NAMED
};

struct guess {
	u64 id;
	u32 nr, longest;	      /* number of samples, and bytes of the longest */
	u32 may_be;		      /* bit mask by enum shape */
	u32 has_other_sizes;	      /* allocations with a size that kmalloc does not have */
	u32 has_node_44, has_node_48; /* -1 was found at that offset */
	u32 shape;
	const char *name;
};

/* 1 for an address with page tables of four or five levels. */
static int kernel_address(u64 value)
{
	return value >> 56 == 0xff;
}

static int is_class(u64 bytes)
{
	return bytes >= 8 && (!(bytes & (bytes - 1)) || bytes == 96 || bytes == 192);
}

static int are_sizes(const u8 *raw, u32 at)
{
	u64 req = load8(raw + at), alloc = load8(raw + at + 8);

	return req <= alloc && alloc && alloc <= MAX_OBJECT_BYTES;
}

/* Offset of the name, from the word at byte 24 (__data_loc); 0 if there can be no name. */
static u32 name_place(const u8 *raw, u32 len)
{
	u32 where = load4(raw + 24), at = where & 0xffff, bytes = where >> 16;

	if (len < 32 || at < 28 || bytes < 2 || at + bytes > len || raw[at + bytes - 1])
		return 0;
	for (u32 i = 0; i < bytes - 1; i++) {
		if (raw[at + i] < ' ' || raw[at + i] > '~')
			return 0;
	}
	return at;
}

static u32 shapes_of(const u8 *raw, u32 len)
{
	u64 ptr = load8(raw + 16);
	u32 name = len >= 32 ? name_place(raw, len) : 0, shapes = 0;

	if (len < 24 || !kernel_address(load8(raw + 8)) || (ptr > 16 && !kernel_address(ptr)))
		return 0;
	if (len <= 28)
		shapes |= 1 << SHAPE_FREE;
	if (name >= 28 && name < 36)
		shapes |= 1 << SHAPE_FREE_NAMED;
	if (name >= 60 && are_sizes(raw, 32))
		shapes |= 1 << SHAPE_ALLOC_NAMED;
	if (len >= 44 && len <= 52 && are_sizes(raw, 24))
		shapes |= 1 << SHAPE_ALLOC_4;
	if (len >= 52 && len <= 60 && are_sizes(raw, 24) && !load4(raw + 44))
		shapes |= 1 << SHAPE_ALLOC_8;
	return shapes;
}

/* Evidence */

static void look_at(struct guess *g, const u8 *raw, u32 len)
{
	u32 shapes = shapes_of(raw, len);

	g->may_be = g->nr ? g->may_be & shapes : shapes;
	g->nr++;
	g->longest = MAX(g->longest, len);
	if (len >= 44 && !(shapes & 1 << SHAPE_FREE_NAMED))
		g->has_other_sizes |= !is_class(load8(raw + 32));
	if (len >= 52) {
		g->has_node_44 |= load4(raw + 44) == 0xffffffff;
		g->has_node_48 |= load4(raw + 48) == 0xffffffff;
	}
}

static struct guess *guess_of(struct guess *guesses, u32 *nr, u64 id)
{
	for (u32 i = 0; i < *nr; i++) {
		if (guesses[i].id == id)
			return &guesses[i];
	}
	if (*nr == MAX_GUESSES)
		return NULL;
	guesses[*nr] = (struct guess){ .id = id };
	return &guesses[(*nr)++];
}

static void look_at_segment(const struct perfdata *d, const struct segment *s,
			    struct guess *guesses, u32 *nr)
{
	const struct stamp *stamps = segment_stamps(s);

	for (u32 i = 0; i < s->nr; i++) {
		const u8 *record = s->extent.bytes + stamps[i].at, *raw;
		u32 len = sample_raw(d, record, load4(record + 4) >> 16, &raw);
		if (len < 2)
			continue;
		struct guess *g = guess_of(guesses, nr, (u64)(raw[0] | raw[1] << 8));
		if (g && g->nr < FEW_SAMPLES)
			look_at(g, raw, len);
	}
}

/* Verdict */

enum rank { RANK_ALONE, RANK_FIRST, RANK_SECOND };

/*
 * Which of two like tracepoints the kernel declares first. It numbers events as they are declared,
 * allocations before frees. Some compilers reverse that.
 */
static enum rank rank_of(const struct guess *guesses, u32 nr, const struct guess *g)
{
	u64 alloc = 0, free = 0;

	for (u32 i = 0; i < nr; i++) {
		if (guesses[i].shape >= SHAPE_ALLOC_4)
			alloc = guesses[i].id;
		else if (guesses[i].shape != SHAPE_NONE)
			free = guesses[i].id;
	}
	int is_turned = !alloc || !free || alloc > free;
	for (u32 i = 0; i < nr; i++) {
		const struct guess *other = &guesses[i];
		if (other != g && other->shape == g->shape && other->has_node_44 == g->has_node_44)
			return (g->id > other->id) == is_turned ? RANK_FIRST : RANK_SECOND;
	}
	return RANK_ALONE;
}

static int has_shape(const struct guess *guesses, u32 nr, u32 shape)
{
	for (u32 i = 0; i < nr; i++) {
		if (guesses[i].shape == shape)
			return 1;
	}
	return 0;
}

static void choose_shape(struct guess *g)
{
	static const u8 by_rank[] = { SHAPE_ALLOC_NAMED, SHAPE_FREE_NAMED, SHAPE_FREE };

	g->shape = SHAPE_NONE;
	for (u32 i = 0; i < ARRAY_SIZE(by_rank); i++) {
		if (g->shape == SHAPE_NONE && g->may_be >> by_rank[i] & 1)
			g->shape = by_rank[i];
	}
	if (g->shape != SHAPE_NONE || !(g->may_be >> SHAPE_ALLOC_4 & 3))
		return;
	int is_new = (g->may_be >> SHAPE_ALLOC_8 & 1) &&
		     (g->longest > 52 || g->has_node_48 || !(g->may_be >> SHAPE_ALLOC_4 & 1));
	g->shape = is_new ? SHAPE_ALLOC_8 : SHAPE_ALLOC_4;
}

static const char *name_of(const struct guess *guesses, u32 nr, const struct guess *g)
{
	enum rank rank = rank_of(guesses, nr, g);

	switch (g->shape) {
	case SHAPE_FREE:
		return rank == RANK_SECOND ? "kmem_cache_free" : "kfree";
	case SHAPE_FREE_NAMED:
		return "kmem_cache_free";
	case SHAPE_ALLOC_NAMED:
		return "kmem_cache_alloc";
	case SHAPE_ALLOC_8:
		if (g->has_other_sizes)
			return "kmem_cache_alloc";
		/* Here the kernel declares kmem_cache_alloc first; until 6.0 it declared kmalloc
		 * first. */
		return rank == RANK_FIRST && !has_shape(guesses, nr, SHAPE_ALLOC_NAMED)
			       ? "kmem_cache_alloc"
			       : "kmalloc";
	case SHAPE_ALLOC_4:
		if (g->has_other_sizes || rank == RANK_SECOND)
			return g->has_node_44 ? "kmem_cache_alloc_node" : "kmem_cache_alloc";
		return g->has_node_44 ? "kmalloc_node" : "kmalloc";
	default:
		return "a tracepoint without a description";
	}
}

/* Description */

static struct field number_at(u32 offset, u32 size)
{
	return (struct field){ size < 8 ? ((u64)1 << 8 * size) - 1 : ~(u64)0, (u16)offset,
			       (u16)size, FIELD_NUMBER, 1 };
}

static void describe(struct perfdata *d, const struct guess *g)
{
	struct tracepoint tp = { .fields = { { 0 } } };
	struct field *f = tp.fields;
	u32 shape = g->shape, sizes_at = shape == SHAPE_ALLOC_NAMED ? 32 : 24;
	u32 gfp_at = sizes_at + 16, gfp_bytes = shape == SHAPE_ALLOC_4 ? 4 : 8;

	int is_kmalloc = text_is(g->name, "kmalloc");

	f[FIELD_CALL_SITE] = number_at(COMMON_BYTES, 8);
	f[FIELD_PTR] = number_at(16, 8);
	if (shape == SHAPE_FREE_NAMED || shape == SHAPE_ALLOC_NAMED)
		f[FIELD_NAME] = (struct field){ 0, 24, 4, FIELD_DATA_LOC, 1 };
	f[FIELD_PID] = number_at(4, 4);
	tp.need_bytes = shape == SHAPE_FREE_NAMED ? 28 : 24;
	if (shape >= SHAPE_ALLOC_4) {
		f[FIELD_REQ] = number_at(sizes_at, 8);
		f[FIELD_ALLOC] = number_at(sizes_at + 8, 8);
		f[FIELD_GFP] = number_at(gfp_at, gfp_bytes);
		tp.need_bytes = gfp_at + gfp_bytes;
	}
	if (shape > SHAPE_ALLOC_4 || (shape == SHAPE_ALLOC_4 && g->has_node_44)) {
		f[FIELD_NODE] = number_at(gfp_at + gfp_bytes, 4);
		tp.need_bytes += 4;
	}
	if (shape == SHAPE_ALLOC_NAMED || (shape == SHAPE_ALLOC_8 && !is_kmalloc)) {
		f[FIELD_ACCOUNTED] = number_at(gfp_at + gfp_bytes + 4, 1);
		tp.need_bytes += 1;
	}
	tracepoints_define(d->tracepoints, (u32)g->id, g->name, shape == SHAPE_NONE ? NULL : &tp);
}

void perfdata_guess(struct perfdata *d)
{
	struct guess guesses[MAX_GUESSES];
	u32 nr = 0;
	const struct heap_item *heap = d->heap.at;

	for (u32 i = 0; i < d->nr_heap; i++) {
		const struct segment *s = (const struct segment *)d->segments.at + heap[i].value;
		if (!s->is_away)
			look_at_segment(d, s, guesses, &nr);
	}
	for (u32 i = 0; i < nr; i++)
		choose_shape(&guesses[i]);
	for (u32 i = 0; i < nr; i++) {
		guesses[i].name = name_of(guesses, nr, &guesses[i]);
		describe(d, &guesses[i]);
	}
}
