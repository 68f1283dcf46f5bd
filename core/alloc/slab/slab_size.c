/*
 * slab_size.c - implements slab_size.h.
 *
 * A slab of Linux 6.1 needs one index for each object. The kernel tries three places for them: the
 * last free object, a separate kmalloc object, the end of the slab. In 2.6.24 a header and one link
 * per object precede the objects. They move out of the slab if a slot is at least 1/8 of a page.
 */
#include "alloc/slab/slab_size.h"

enum {
	WORD = 8,
	CACHE_LINE = 64,
	SMALLEST_SLOT = 16, /* SLAB_OBJ_MIN_SIZE */
	SMALLEST_KMALLOC = 32,
	WASTE_FRACTION = 8, /* up to 1/8 of the slab may be tail waste */
	HEADER_2_6_24 = 48, /* size of struct slab on 64 bits */
	LINK_2_6_24 = 4,    /* kmem_bufctl_t */
	LARGEST_LIMITED = 131072,
};

struct trial {
	const struct slab_wish *wish;
	u32 size, page_shift, max_order;
	struct order_tries *tries;
};

static u64 slab_bytes(const struct trial *t, u32 order)
{
	return (u64)1 << (t->page_shift + order);
}

/* One byte numbers every object of a 4 KiB page; larger pages need two. */
static u32 index_bytes(const struct trial *t)
{
	return t->page_shift == 12 ? 1 : 2;
}

/* There are few orders, hence few tries, so the array is large enough. */
static void note(const struct trial *t, const struct slab_sizing *tried, u32 outcome)
{
	struct kmem_order_try row = {
		tried->num, WASTE_FRACTION, tried->order,     tried->left_over,
		0,	    outcome,	    tried->management
	};

	if (t->tries)
		t->tries->row[t->tries->nr++] = row;
}

/* Records the result of the best try of each kind. */
static void judge(const struct trial *t, const struct slab_sizing *s, u32 outcome)
{
	for (u32 i = t->tries && s->num ? t->tries->nr : 0; i-- > 0;) {
		struct kmem_order_try *row = &t->tries->row[i];
		if (row->management != s->management || row->order != s->order)
			continue;
		row->outcome = outcome;
		row->accepted = outcome == OUTCOME_ACCEPTED;
	}
}

/* Whether a kmalloc object can hold an array of num indices. No kmalloc cache is itself off-slab.
 * Classes up to a page fill an order-0 slab to 7/8; if their array does not fit an object, it
 * exceeds half of one. */
static int array_fits_off(const struct trial *t, u32 num)
{
	u32 class = kmalloc_class(MAX(num * index_bytes(t), SMALLEST_KMALLOC), 2u << t->page_shift);

	if (class == KMALLOC_TOO_LARGE)
		return 0;
	u32 bytes = kmalloc_class_size(class);
	return ALIGN_UP(bytes, slab_kmalloc_align(bytes)) <= t->size / 2;
}

static void estimate(const struct trial *t, struct slab_sizing *s)
{
	u64 bytes = slab_bytes(t, s->order);
	u32 each = t->size + (s->management == MANAGEMENT_ON ? index_bytes(t) : 0);
	u64 num = bytes / each;

	s->num = (u32)MIN(num, (u64)0xffffffff);
	s->left_over = (u32)(bytes - num * each);
}

/* Returns the first order that wastes little enough; `num` is 0 if none does. */
static struct slab_sizing try_orders(const struct trial *t, u32 management)
{
	u32 max_num = (1u << index_bytes(t) * 8) - 1;
	struct slab_sizing best = { 0 };

	for (u32 o = 0; o <= MAX_ORDER; o++) {
		struct slab_sizing s = { .order = o, .management = management };
		estimate(t, &s);
		if (!s.num)
			continue;
		u32 outcome = s.num > max_num ? OUTCOME_TOO_MANY
			      : management == MANAGEMENT_OFF && !array_fits_off(t, s.num)
				      ? OUTCOME_NO_ROOM
				      : OUTCOME_TOO_WASTEFUL;
		note(t, &s, outcome);
		if (outcome == OUTCOME_TOO_MANY)
			break;
		if (outcome == OUTCOME_NO_ROOM)
			continue;
		best = s;
		if (t->wish->flags & CACHE_RECLAIM || o >= t->max_order ||
		    (u64)s.left_over * WASTE_FRACTION <= slab_bytes(t, o))
			break;
	}
	return best;
}

static struct slab_sizing size_6_1(const struct trial *t)
{
	struct slab_sizing s = { 0 };

	if (!(t->wish->flags & (CACHE_CTOR | CACHE_TYPESAFE_BY_RCU))) {
		s = try_orders(t, MANAGEMENT_OBJ);
		if (s.num && s.num * index_bytes(t) <= t->wish->object_size)
			return s;
		judge(t, &s, OUTCOME_NO_ROOM);
	}
	s = try_orders(t, MANAGEMENT_OFF);
	if (s.num && s.left_over < s.num * index_bytes(t))
		return s;
	judge(t, &s, OUTCOME_NOT_NEEDED);
	return try_orders(t, MANAGEMENT_ON);
}

static u32 header_2_6_24(const struct trial *t, u32 num)
{
	return ALIGN_UP(HEADER_2_6_24 + num * LINK_2_6_24, t->wish->align);
}

static void estimate_2_6_24(const struct trial *t, struct slab_sizing *s)
{
	u64 bytes = slab_bytes(t, s->order);

	if (s->management == MANAGEMENT_OFF) {
		s->num = (u32)(bytes / t->size);
		s->left_over = (u32)(bytes % t->size);
		return;
	}
	s->num = bytes > HEADER_2_6_24 ? (u32)((bytes - HEADER_2_6_24) / (t->size + LINK_2_6_24))
				       : 0;
	/* Rounding up the header may cost one object. */
	if (s->num && header_2_6_24(t, s->num) + (u64)s->num * t->size > bytes)
		s->num--;
	s->front = header_2_6_24(t, s->num);
	s->left_over = s->num ? (u32)(bytes - s->front - (u64)s->num * t->size) : 0;
}

static struct slab_sizing size_2_6_24(const struct trial *t)
{
	u32 off = t->size >= 1u << t->page_shift >> 3;
	u32 max_num = (t->size - MIN(t->size, HEADER_2_6_24)) / LINK_2_6_24;
	struct slab_sizing best = { 0 };

	for (u32 o = 0; o <= MAX_ORDER; o++) {
		struct slab_sizing s = { .order = o,
					 .management = off ? MANAGEMENT_OFF : MANAGEMENT_ON };
		estimate_2_6_24(t, &s);
		if (!s.num)
			continue;
		note(t, &s, off && s.num > max_num ? OUTCOME_TOO_MANY : OUTCOME_TOO_WASTEFUL);
		if (off && s.num > max_num)
			break;
		best = s;
		if (t->wish->flags & CACHE_RECLAIM || o >= t->max_order ||
		    (u64)s.left_over * WASTE_FRACTION <= slab_bytes(t, o))
			break;
	}
	judge(t, &best, OUTCOME_ACCEPTED);
	if (off && best.num && best.left_over >= header_2_6_24(t, best.num)) {
		best.management = MANAGEMENT_MOVED_ON;
		best.front = header_2_6_24(t, best.num);
		best.left_over -= best.front;
	}
	return best;
}

u32 slab_kmalloc_align(u32 bytes)
{
	u32 line = CACHE_LINE;

	while (bytes <= line / 2)
		line /= 2;
	return bytes & (bytes - 1) ? line : bytes;
}

struct slab_sizing slab_size_of(const struct policy *p, u32 page_shift,
				const struct slab_wish *wish, struct order_tries *tries)
{
	u32 smallest = p->slab_era == SLAB_LINUX_6_1 ? SMALLEST_SLOT : WORD;
	struct trial t = { wish, ALIGN_UP(MAX(wish->size, smallest), wish->align), page_shift,
			   p->slab_max_order, tries };

	if (tries)
		tries->nr = 0;
	struct slab_sizing s = p->slab_era == SLAB_LINUX_6_1 ? size_6_1(&t) : size_2_6_24(&t);
	if (p->slab_era == SLAB_LINUX_6_1)
		judge(&t, &s, OUTCOME_ACCEPTED);
	s.size = t.size;
	s.colour_off = MAX((u32)CACHE_LINE, wish->align);
	s.colours = p->no_colour ? 0 : s.left_over / s.colour_off;
	return s;
}

struct slab_tunables slab_tunables_of(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size)
{
	u32 page = 1u << page_shift;
	struct slab_tunables t = { 0, 0, size <= page && nr_cpus > 1 ? 8 : 0 };

	t.limit = size > LARGEST_LIMITED ? 1
		  : size > page		 ? 8
		  : size > 1024		 ? 24
		  : size > 256		 ? 54
					 : 120;
	if (p->limit != AUTOMATIC)
		t.limit = p->limit;
	t.batchcount = (t.limit + 1) / 2;
	/* A batch is never larger than the array. */
	if (p->batchcount != AUTOMATIC)
		t.batchcount = MIN(p->batchcount, t.limit);
	if (p->shared_factor != AUTOMATIC)
		t.shared = p->shared_factor;
	return t;
}

u32 slab_free_limit_of(u32 nr_cpus, u32 batchcount, u32 num)
{
	return (1 + nr_cpus) * batchcount + num;
}

void slab_order_row(const struct policy *p, u32 page_shift, u32 nr_cpus, u32 size,
		    struct kmem_order_row *row, struct order_tries *tries)
{
	struct slab_wish wish = { size, ALIGN_UP(size, (u32)WORD), WORD, 0 };
	struct slab_sizing s = slab_size_of(p, page_shift, &wish, tries);
	struct slab_tunables t = slab_tunables_of(p, page_shift, nr_cpus, s.size);

	row->order = s.num ? s.order : ORDER_NONE;
	row->objects = s.num;
	row->waste = s.left_over;
	row->aligned_size = s.size;
	row->management = s.management;
	row->colours = s.colours;
	row->limit = t.limit;
	row->batchcount = t.batchcount;
	row->shared = t.shared;
	row->free_limit = slab_free_limit_of(nr_cpus, t.batchcount, s.num);
}
