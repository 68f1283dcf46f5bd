/*
 * sysfs_test.c - a cache as /sys/kernel/slab and /proc/slabinfo show it: a worked example of SLUB, and what holds for
 * every cache of a random trace.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"

static const char *text_at(struct kmem_session *s, u32 at)
{
	return (const char *)s + at;
}

/* Returns what a file of the first cache contains; "?" if there is no such file. */
static const char *reads(struct kmem_session *s, u32 cache, const char *name)
{
	static char value[4096];
	u32 nr;
	const struct kmem_attribute_row *file = kmem_attributes(s, cache, &nr);

	for (u32 i = 0; i < nr; i++) {
		if (strcmp(text_at(s, file[i].name_at), name))
			continue;
		snprintf(value, sizeof(value), "%s", text_at(s, file[i].value_at));
		return value;
	}
	return "?";
}

#define READS(s, name, want)                                      \
	do {                                                      \
		const char *have = reads(s, 0, name);             \
		CHECK(!strcmp(have, want), "%s: %s", name, have); \
	} while (0)

/*
 * 128 objects of 1024 bytes, 16 a slab, from CPU 0; freed by CPU 1; 64 more from CPU 0. In the end: slabs 7, 2, 0 full,
 * slab 1 is CPU 0's and all taken, slabs 5 and 4 empty on the node's list, slab 6 empty on CPU 1's per-CPU partial
 * list.
 */
static struct kmem_session *crossing(const char *machine)
{
	static char text[1 << 16];
	u32 len = (u32)snprintf(text, sizeof(text),
				"slabtrace 1\nmachine cpus=2 %s\ncache c0 size=1024\n", machine);

	for (u32 i = 0; i < 320; i++)
		len += (u32)snprintf(text + len, sizeof(text) - len,
				     i < 128   ? "a %u c0 cpu=0\n"
				     : i < 256 ? "f %u cpu=1\n"
					       : "a %u c0 cpu=0\n",
				     i < 128 ? i : i - 128);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	return s;
}

static void attributes_read_as_the_kernel_writes_them(void)
{
	struct kmem_session *s = crossing("");

	READS(s, "slab_size", "1024");
	READS(s, "objs_per_slab", "16");
	READS(s, "order", "2");
	READS(s, "slabs", "7 N0=7");
	READS(s, "total_objects", "112 N0=112");
	READS(s, "partial", "2 N0=2");
	READS(s, "objects_partial", "0");
	READS(s, "objects", "80 N0=80");
	READS(s, "cpu_slabs", "2 N0=2");
	READS(s, "slabs_cpu_partial", "8(1) C1=8(1)");
	READS(s, "min_partial", "5");
	READS(s, "cpu_partial", "24");
	READS(s, "alloc_slab", "8 C0=8");
	READS(s, "free_slab", "1 C1=1");
	READS(s, "shrink", "");
	READS(s, "red_zone", "0");
	READS(s, "remote_node_defrag_ratio", "100");
	READS(s, "no_such_file", "?");
}

static void slabinfo_has_the_columns_of_the_kernels_file(void)
{
	struct kmem_session *s = crossing("");
	u32 nr;
	const struct kmem_slabinfo_row *line = kmem_slabinfo(s, &nr);

	CHECK(nr == 1 && line->active_objs == 80 && line->num_objs == 112 && line->num_slabs == 7);
	CHECK(line->slabs == 5 && line->partial == 2 && line->cpu_slabs == 2);
	CHECK(line->percent_partial == 28 && line->percent_efficient == 71 && line->loss == 32768,
	      "%u %u %llu", line->percent_partial, line->percent_efficient,
	      (unsigned long long)line->loss);
	CHECK(strstr(kmem_slabinfo_text(s),
		     "\nc0                    80    112   1024   16    4 : tunables    0    0    0"
		     " : slabdata      7      7      0\n") != NULL,
	      "%s", kmem_slabinfo_text(s));
}

static void other_allocators_have_their_own_attributes(void)
{
	struct kmem_session *s = crossing("allocator=slab");
	u32 nr;

	kmem_attributes(s, 0, &nr);
	CHECK(nr == 0, "SLAB has no files under /sys/kernel/slab");
	const struct kmem_slabinfo_row *line = kmem_slabinfo(s, &nr);
	CHECK(nr == 1 && line && line->limit == 54 && line->batchcount == 27 &&
	      line->sharedfactor == 8);
}

static void slob_has_no_attributes(void)
{
	struct kmem_session *s = crossing("allocator=slob");
	u32 nr;

	kmem_attributes(s, 0, &nr);
	CHECK(nr == 0);
	kmem_slabinfo(s, &nr);
	CHECK(nr == 0 && !*kmem_slabinfo_text(s), "kernels with SLOB have no /proc/slabinfo");
}

/* Files of one cache agree with each other and with slabinfo, and the parts add up to the whole. */
static void attributes_agree_with_the_view(void)
{
	static const char *const files[] = { "slabs",	"objects",	  "total_objects",
					     "partial", "alloc_slowpath", "free_frozen" };
	struct kmem_session *s = session_of_text(synthetic_trace(4000, 500, 4, 2));
	u32 nr, nr_lines;

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	const struct kmem_slabinfo_row *rows = kmem_slabinfo(s, &nr_lines);
	struct kmem_slabinfo_row *line = malloc(nr_lines * sizeof(*line));
	memcpy(line, rows, nr_lines * sizeof(*line));
	kmem_cache_rows(s, &nr);
	CHECK(nr == nr_lines && nr > 5);
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_slabinfo_row *of = &line[nr - 1 - i];
		CHECK(of->cache == i, "latest first");
		CHECK(strtoul(reads(s, i, "slabs"), NULL, 10) == of->num_slabs);
		CHECK(strtoul(reads(s, i, "total_objects"), NULL, 10) == of->num_objs);
		CHECK(strtoul(reads(s, i, "objects"), NULL, 10) == of->active_objs);
		for (u32 k = 0; k < ARRAY_SIZE(files); k++) {
			const char *p = reads(s, i, files[k]);
			u64 whole = strtoull(p, NULL, 10), sum = 0;
			for (p = strchr(p, '='); p; p = strchr(p + 1, '='))
				sum += strtoull(p + 1, NULL, 10);
			CHECK(sum == whole, "%s of cache %u", files[k], i);
		}
	}
	free(line);
}

/*
 * 7.2: 40 objects of 1024 bytes from CPU 0, of which CPU 1 frees 17. Four refills of 12 took all objects of three slabs.
 */
static struct kmem_session *sheaves(const char *more)
{
	static char text[1 << 14];
	u32 len = (u32)snprintf(text, sizeof(text),
				"slabtrace 1\nmachine cpus=2 preset=linux-7.2\n"
				"cache c0 size=1024\n%s",
				more);

	for (u32 i = 0; i < 57; i++)
		len += (u32)snprintf(text + len, sizeof(text) - len,
				     i < 40 ? "a %u c0 cpu=0\n" : "f %u cpu=1\n", i % 40);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	return s;
}

static void only_counters_show_sheaves(void)
{
	struct kmem_session *s = sheaves("");
	u32 nr;

	READS(s, "sheaf_capacity", "12");
	READS(s, "cpu_partial", "0");
	READS(s, "cpu_slabs", "0");
	READS(s, "slabs_cpu_partial", "0(0)");
	READS(s, "slabs", "3 N0=3");
	READS(s, "partial", "0");
	READS(s, "objects", "48 N0=48");
	READS(s, "total_objects", "48 N0=48");
	READS(s, "alloc_fastpath", "40 C0=40");
	READS(s, "free_fastpath", "17 C1=17");
	READS(s, "sheaf_refill", "48 C0=48");
	READS(s, "barn_get_fail", "4 C0=4");
	/* A main sheaf for each CPU with the cache, and one each when it needed a second. */
	READS(s, "sheaf_alloc", "4 C0=3 C1=1");
	const struct kmem_slabinfo_row *line = kmem_slabinfo(s, &nr);
	CHECK(nr == 1 && line->active_objs == 48 && line->num_objs == 48 && line->num_slabs == 3);
	CHECK(line->cpu_slabs == 0 && line->slabs == 3);
}

/* Of a list of more than 10,000 slabs, slabinfo counts 5,000 at either end. Here these have one free object of two, and 2,000
 * in the middle have both; a file of sysfs counts all. */
static void slabinfo_estimates_long_lists(void)
{
	enum { NR_SLABS = 12000, MIDDLE = 5000, MIDDLE_END = 7000, LINE = 16 };
	static char text[NR_SLABS * 4 * LINE + 200];
	u32 nr, len = (u32)sprintf(text,
				   "slabtrace 1\nmachine cpus=1 preset=linux-7.2 min_objects=1 "
				   "sheaf_capacity=0 min_partial=20000\n"
				   "cache c0 size=2048 align=2048\n");

	for (u32 id = 0; id < 2 * NR_SLABS; id++)
		len += (u32)sprintf(text + len, "a %u c0 cpu=0\n", id);
	for (u32 slab = 0; slab < NR_SLABS; slab++)
		len += (u32)sprintf(text + len, "f %u cpu=0\n", 2 * slab);
	for (u32 slab = MIDDLE; slab < MIDDLE_END; slab++)
		len += (u32)sprintf(text + len, "f %u cpu=0\n", 2 * slab + 1);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, kmem_nr_ops(s)) == 0, "%s", kmem_error(s));
	READS(s, "partial", "12000 N0=12000");
	READS(s, "objects", "10000 N0=10000");
	const struct kmem_slabinfo_row *line = kmem_slabinfo(s, &nr);
	CHECK(nr == 1 && line->active_objs == 24000 - 10000 * 12000 / 10000, "%u",
	      line->active_objs);
}

/* cpu_partial is there, reads 0 and takes 0. */
static void with_sheaves_cpu_partial_reads_0_and_takes_only_0(void)
{
	static const struct {
		const char *set;
		u32 step;
	} cases[] = { { "set cpu_partial=0 cache=c0\n", STEP_SET },
		      { "set cpu_partial=30 cache=c0\n", STEP_NOTHING },
		      { "set cpu_partial=30\n", STEP_NOTHING } };
	char trace[64];

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(trace, sizeof(trace), "shrink c0\n%s", cases[i].set);
		struct kmem_session *s = sheaves(trace);
		READS(s, "cpu_partial", "0");
		s32 nr = kmem_steps(s, 1);
		CHECK(nr > 0 && kmem_step_rows(s)[nr - 1].kind == cases[i].step, "%s",
		      cases[i].set);
		/* The cache was made for the shrink, before any CPU used it. */
		READS(s, "sheaf_alloc", "2 C0=2");
	}
}

/* Checks the names and order of 7.2's counters. Those of cpu slabs are gone. */
static void counters_of_linux_7_2(void)
{
	static const char *const want[] = {
		"alloc_fastpath",      "alloc_slowpath",
		"free_rcu_sheaf",      "free_rcu_sheaf_fail",
		"free_fastpath",       "free_slowpath",
		"free_add_partial",    "free_remove_partial",
		"alloc_slab",	       "alloc_node_mismatch",
		"free_slab",	       "order_fallback",
		"cmpxchg_double_fail", "sheaf_flush",
		"sheaf_refill",	       "sheaf_alloc",
		"sheaf_free",	       "barn_get",
		"barn_get_fail",       "barn_put",
		"barn_put_fail",       "sheaf_prefill_fast",
		"sheaf_prefill_slow",  "sheaf_prefill_oversize",
		"sheaf_return_fast",   "sheaf_return_slow",
	};
	static const char *const gone[] = {
		"alloc_from_partial", "alloc_refill",	    "free_frozen",
		"cpuslab_flush",      "deactivate_full",    "deactivate_empty",
		"deactivate_to_head", "deactivate_to_tail", "deactivate_remote_frees",
		"deactivate_bypass",  "cpu_partial_alloc",  "cpu_partial_free",
		"cpu_partial_node",   "cpu_partial_drain",  "cmpxchg_double_cpu_fail",
		"sheaf_swap",	      "alloc_pcs",	    "free_pcs",
	};
	struct kmem_session *s = sheaves("");
	u32 nr, next = 0;
	const struct kmem_attribute_row *file = kmem_attributes(s, 0, &nr);

	for (u32 i = 0; i < nr && next < ARRAY_SIZE(want); i++)
		next += !strcmp(text_at(s, file[i].name_at), want[next]);
	CHECK(next == ARRAY_SIZE(want), "%s is missing, or not in its place", want[next]);
	for (u32 i = 0; i < ARRAY_SIZE(gone); i++)
		READS(s, gone[i], "?");
}

int main(void)
{
	RUN(attributes_read_as_the_kernel_writes_them());
	RUN(slabinfo_has_the_columns_of_the_kernels_file());
	RUN(other_allocators_have_their_own_attributes());
	RUN(slob_has_no_attributes());
	RUN(attributes_agree_with_the_view());
	RUN(only_counters_show_sheaves());
	RUN(slabinfo_estimates_long_lists());
	RUN(with_sheaves_cpu_partial_reads_0_and_takes_only_0());
	RUN(counters_of_linux_7_2());
	return check_summary();
}
