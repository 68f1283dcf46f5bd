/*
 * sizing_test.c - from an object's size to a slab: layout of a slot, kmalloc classes, merging, the order rules and
 * their thresholds. Worked examples first, then every row of the tables that real kernels gave, where the oracle
 * is at hand ($SLABSCOPE_SHARED or ../../shared).
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/small_world.h"

#include "alloc/slab/slab_size.h"
#include "sim/cache.h"

static u32 slot_size(u32 object_size, u32 flags)
{
	return small_world_flags(1, 1, object_size, flags, small_world_policy())->s->size;
}

static void a_slot_holds_object_pointer_and_debugging(void)
{
	struct small_world *sw = small_world(1, 1, 100, small_world_policy());

	CHECK(sw->s->size == 104 && sw->s->offset == 48 && sw->s->inuse == 104);
	CHECK(slot_size(100, CACHE_RED_ZONE | CACHE_POISON | CACHE_STORE_USER) == 176);
	CHECK(slot_size(64, CACHE_RED_ZONE) == 88);
	CHECK(slot_size(64, CACHE_CTOR) == 72);
	CHECK(slot_size(20, CACHE_HWCACHE_ALIGN) == 32);
	CHECK(slot_size(1, 0) == 8);
}

static void kmalloc_has_96_and_192(void)
{
	static const u32 want[][2] = { { 1, 8 },     { 8, 8 },	     { 9, 16 },	    { 65, 96 },
				       { 97, 128 },  { 129, 192 },   { 193, 256 },  { 256, 256 },
				       { 257, 512 }, { 4097, 8192 }, { 8192, 8192 } };
	char name[MAX_NAME_BYTES];

	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK(kmalloc_class_size(kmalloc_class(want[i][0], 8192)) == want[i][1],
		      "kmalloc(%u)", want[i][0]);
	CHECK(kmalloc_class(8193, 8192) == KMALLOC_TOO_LARGE);
	CHECK(kmalloc_class(4097, 4096) == KMALLOC_TOO_LARGE, "2.6.25 to 2.6.29: one page");
	CHECK(kmalloc_class_size(kmalloc_class(131072, 131072)) == 131072);
	CHECK(kmalloc_class(131073, 131072) == KMALLOC_TOO_LARGE);
	CHECK(!strcmp(
		kmalloc_spec(LAYOUT_LINUX_6_1, KMALLOC_NORMAL, kmalloc_class(90, 8192), name).name,
		"kmalloc-96"));
	CHECK(!strcmp(
		kmalloc_spec(LAYOUT_LINUX_6_1, KMALLOC_CGROUP, kmalloc_class(2000, 8192), name)
			.name,
		"kmalloc-cg-2k"));
	CHECK(!strcmp(
		kmalloc_spec(LAYOUT_LINUX_6_1, KMALLOC_RECLAIM, kmalloc_class(131072, 131072), name)
			.name,
		"kmalloc-rcl-128k"));
	CHECK(!strcmp(kmalloc_spec(LAYOUT_LINUX_6_1, KMALLOC_NORMAL,
				   kmalloc_class(3000000, 1 << 22), name)
			      .name,
		      "kmalloc-4M"));
}

static void nearly_equal_caches_merge(void)
{
	struct small_world *sw = small_world(1, 1, 196, small_world_policy());
	struct cache_spec same = { "same", 200, 0, 0, 0 }, smaller = { "smaller", 190, 0, 0, 0 };
	struct cache_spec larger = { "larger", 201, 0, 0, 0 },
			  aligned = { "aligned", 196, 0, 64, 0 };
	struct cache_spec reclaim = { "reclaim", 196, 0, 0, CACHE_RECLAIM },
			  ctor = { "ctor", 196, 0, 0, CACHE_CTOR };

	CHECK(sw->s->size == 200);
	CHECK(cache_find_mergeable(sw->w, &same) == sw->s);
	CHECK(!cache_find_mergeable(sw->w, &smaller), "8 bytes of slack are too many");
	CHECK(!cache_find_mergeable(sw->w, &larger));
	CHECK(!cache_find_mergeable(sw->w, &aligned), "200 is no multiple of 64");
	CHECK(!cache_find_mergeable(sw->w, &reclaim));
	CHECK(!cache_find_mergeable(sw->w, &ctor));
}

static void alignment_explains_recorded_sizes(void)
{
	CHECK(cache_guess_align(168, 192) == 64);
	CHECK(cache_guess_align(96, 104) == 8);
	CHECK(cache_guess_align(232, 256) == 64);
	CHECK(cache_guess_align(1096, 1152) == 64);
	CHECK(cache_guess_align(4096, 4096) == 8);
}

static u32 order_by(u32 rule, u32 shift, u32 cpus, u32 size)
{
	struct policy p = small_world_policy();

	p.order_rule = (u8)rule;
	return order_calculate(&p, shift, cpus, size, NULL);
}

static void the_rules_differ_where_the_proposal_says(void)
{
	CHECK(order_by(ORDER_MAINLINE, 12, 2, 192) == 0 &&
	      order_by(ORDER_MAINLINE, 12, 2, 1024) == 2);
	CHECK(order_by(ORDER_MAINLINE, 12, 2, 11008) == 2 &&
	      order_by(ORDER_LINUX_6_7, 12, 2, 11008) == 3);
	CHECK(order_by(ORDER_MAINLINE, 16, 16, 2264) == 0 &&
	      order_by(ORDER_RFC_2023, 16, 16, 2264) == 1);
	CHECK(order_by(ORDER_MAINLINE, 14, 8, 32776) == 3 &&
	      order_by(ORDER_RFC_2023, 14, 8, 32776) == 2);
	/* On the proposal's own machine its rule changes nothing. */
	for (u32 size = 8; size <= 65536; size += 8)
		CHECK(order_by(ORDER_RFC_2023, 16, 160, size) ==
			      order_by(ORDER_MAINLINE, 16, 160, size),
		      "%u", size);
}

static void tries_show_the_whole_search(void)
{
	struct policy p = small_world_policy();
	struct order_tries tries;

	order_calculate(&p, 12, 2, 1400, &tries);
	const struct kmem_order_try *last = &tries.row[tries.nr - 1];
	CHECK(tries.nr > 0 && last->accepted &&
	      last->order == order_by(ORDER_MAINLINE, 12, 2, 1400));
	for (u32 i = 0; i + 1 < tries.nr; i++)
		CHECK(!tries.row[i].accepted &&
		      tries.row[i].remainder >
			      (4096u << tries.row[i].order) / tries.row[i].fraction);
}

static FILE *oracle(const char *name)
{
	char path[512], line[256];

	snprintf(path, sizeof(path), "test/oracle/tables/%s.csv", name);
	FILE *f = fopen(path, "r");
	CHECK(f && fgets(line, sizeof(line), f), "%s cannot be read from core/", path);
	return f;
}

static void every_row_of(const char *name, u32 rule)
{
	struct policy p = small_world_policy(), fixed = p;
	FILE *f = oracle(name);
	char line[256];
	u32 page, cpus, size, order, objects, min_partial, objs, slabs;

	p.order_rule = (u8)rule;
	p.min_partial_rule = rule == ORDER_LINUX_2_6_26 ? MIN_PARTIAL_RFC_2008
							: MIN_PARTIAL_MAINLINE;
	fixed.min_partial_rule = MIN_PARTIAL_STATIC;
	while (f && fgets(line, sizeof(line), f)) {
		int fields = sscanf(line, "%u,%u,%u,%u,%u,%u,%u,%u", &page, &cpus, &size, &order,
				    &objects, &min_partial, &objs, &slabs);
		u32 shift = page == 4096 ? 12 : page == 16384 ? 14 : 16;
		u32 got = order_calculate(&p, shift, cpus, size, NULL);
		CHECK(got == order && order_objects(shift, got, size) == objects, "%s: %s", name,
		      line);
		if (fields == 7) /* 2008: static and dynamic threshold */
			CHECK(min_partial_of(&fixed, size) == min_partial &&
				      min_partial_of(&p, size) == objs,
			      "%s: %s", name, line);
		else
			CHECK(min_partial_of(&p, size) == min_partial &&
				      cpu_partial_of(&p, shift, size) == objs &&
				      cpu_partial_slabs_of(objs, objects) == slabs,
			      "%s: %s", name, line);
	}
	if (f)
		fclose(f);
}

static struct slab_sizing slab_of_size(u32 era, u32 shift, u32 size, u32 flags)
{
	struct policy p = small_world_policy();
	struct slab_wish wish = { size, ALIGN_UP(size, 8u), 8, flags };

	p.slab_era = (u8)era;
	if (flags & CACHE_KMALLOC)
		wish.align = slab_kmalloc_align(size);
	return slab_size_of(&p, shift, &wish, NULL);
}

static void slab_keeps_its_indices_in_one_of_three_places(void)
{
	static const u32 want[][5] = { { 8, MANAGEMENT_ON, 0, 240, 16 },
				       { 32, MANAGEMENT_ON, 0, 124, 4 },
				       { 64, MANAGEMENT_OBJ, 0, 64, 0 },
				       { 600, MANAGEMENT_OBJ, 0, 6, 496 },
				       { 1400, MANAGEMENT_OBJ, 1, 5, 1192 } };

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		struct slab_sizing s = slab_of_size(SLAB_LINUX_6_1, 12, want[i][0], 0);
		CHECK(s.management == want[i][1] && s.order == want[i][2] && s.num == want[i][3] &&
			      s.left_over == want[i][4],
		      "%u", want[i][0]);
	}
	/* What a constructor has made must stay as it is: no index array inside. */
	CHECK(slab_of_size(SLAB_LINUX_6_1, 12, 256, CACHE_CTOR).management == MANAGEMENT_OFF);
	CHECK(slab_of_size(SLAB_LINUX_6_1, 12, 600, CACHE_CTOR).management == MANAGEMENT_ON);
	CHECK(slab_of_size(SLAB_LINUX_6_1, 12, 96, CACHE_KMALLOC).size == 128);
	CHECK(slab_of_size(SLAB_LINUX_2_6_24, 12, 600, 0).management == MANAGEMENT_MOVED_ON);
	for (u32 shift = 12; shift <= 16; shift += 2)
		for (u32 class = kmalloc_class(32, 2u << shift);
		     class < NR_KMALLOC_CLASSES && kmalloc_class_size(class) <= 2u << shift;
		     class ++)
			CHECK(slab_of_size(SLAB_LINUX_6_1, shift, kmalloc_class_size(class),
					   CACHE_KMALLOC)
				      .management != MANAGEMENT_OFF);
}

static void every_row_of_slab(void)
{
	struct policy p = small_world_policy();
	struct kmem_order_row row = { 0 };
	FILE *f = oracle("slab_order");
	char line[256], mgmt[16];
	u32 page, cpus, size, w[10];

	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "%u,%u,%u,%u,%15[^,],%u,%u,%u,%u,%u,%u,%u,%u", &page, &cpus, &size,
		       &w[0], mgmt, &w[1], &w[2], &w[3], &w[4], &w[5], &w[6], &w[7], &w[8]);
		slab_order_row(&p, 12, cpus, size, &row, NULL);
		w[9] = mgmt[1] == 'b'	? MANAGEMENT_OBJ
		       : mgmt[1] == 'n' ? MANAGEMENT_ON
					: MANAGEMENT_OFF;
		CHECK(page == 4096 && row.aligned_size == w[0] && row.order == w[1] &&
			      row.objects == w[2] && row.waste == w[3] && row.colours == w[4] &&
			      row.limit == w[5] && row.batchcount == w[6] && row.shared == w[7] &&
			      row.free_limit == w[8] && row.management == w[9],
		      "%s", line);
	}
	if (f)
		fclose(f);
}

int main(void)
{
	RUN(a_slot_holds_object_pointer_and_debugging());
	RUN(kmalloc_has_96_and_192());
	RUN(nearly_equal_caches_merge());
	RUN(alignment_explains_recorded_sizes());
	RUN(the_rules_differ_where_the_proposal_says());
	RUN(tries_show_the_whole_search());
	RUN(slab_keeps_its_indices_in_one_of_three_places());
	RUN(every_row_of_slab());
	RUN(every_row_of("slub_order", ORDER_MAINLINE));
	RUN(every_row_of("slub_order_patched", ORDER_RFC_2023));
	RUN(every_row_of("slub_order_67", ORDER_LINUX_6_7));
	RUN(every_row_of("slub_order_2008", ORDER_LINUX_2_6_26));
	return check_summary();
}
