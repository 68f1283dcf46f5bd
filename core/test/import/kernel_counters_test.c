/*
 * kernel_counters_test.c - the recorded kernel's own counters (import/kernel_notes.c): each line belongs to its cache
 * and to the event before it on its CPU, checked against rules that search back through all events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

enum {
	NR_EVENTS = 60000,
	NR_NAMES = 700,
	NR_CPUS = 5,
	QUIET_CPU = NR_CPUS -
		1, /* has an operation now and then: mostly more than LOOK_BACK apart */
	LOOK_BACK = 4096,
	NONE = -1,
	LINE_ROOM = 240,
};

static const struct {
	const char *name;
	u32 counter;
} counters[] = { { "alloc_slowpath", ALLOC_SLOWPATH },
		 { "alloc_slab", ALLOC_SLAB },
		 { "free_slowpath", FREE_SLOWPATH },
		 { "free_slab", FREE_SLAB } };

/* What the rules say about the lines. */
static struct {
	u32 cpu[NR_EVENTS], is_orphan[NR_EVENTS], nr_ops;
	s32 alloc_after[NR_CPUS];
	u8 has_alloc[NR_CPUS];
	u32 all[NR_NAMES][NR_COUNTERS], before[NR_NAMES][NR_COUNTERS];
} expected;

static s32 latest_of(u32 cpu)
{
	for (s32 op = (s32)expected.nr_ops - 1, left = LOOK_BACK; op >= 0 && left; op--, left--)
		if (expected.cpu[op] == cpu)
			return op;
	return NONE;
}

static void expect_count(u32 cpu, u32 name, u32 counter)
{
	s32 latest = latest_of(cpu);

	if (counter == ALLOC_SLOWPATH) {
		expected.has_alloc[cpu] = 1;
		expected.alloc_after[cpu] = latest;
	}
	int is_allocation = expected.has_alloc[cpu] && expected.alloc_after[cpu] == latest;
	expected.all[name][counter]++;
	expected.before[name][counter] += !is_allocation &&
					  (latest == NONE || expected.is_orphan[latest]);
}

static char *add_event(char *p, struct dice *d, u32 i, u32 *live)
{
	u32 cpu = roll(d, 9000) ? roll(d, NR_CPUS - 1) : (u32)QUIET_CPU, what = roll(d, 8);

	p += sprintf(p, "  sh-1  [%03u] .....  %u.%06u: ", cpu, 1 + i / 1000000, i % 1000000);
	if (what < 3 && cpu != QUIET_CPU) {
		u32 name = roll(d, NR_NAMES), k = roll(d, ARRAY_SIZE(counters));
		expect_count(cpu, name, counters[k].counter);
		return p + sprintf(p, "slub_stat: op=%s name=cache-%u\n", counters[k].name, name);
	}
	expected.cpu[expected.nr_ops] = cpu;
	expected.is_orphan[expected.nr_ops++] = what > 5;
	if (what > 5)
		return p +
		       sprintf(p,
			       "kmem_cache_free: call_site=f+0x1/0x2 ptr=ffff999%09x name=cache-0\n",
			       i);
	if (what == 5 && *live)
		return p +
		       sprintf(p,
			       "kmem_cache_free: call_site=f+0x1/0x2 ptr=ffff888%09x name=cache-1\n",
			       --*live);
	return p +
	       sprintf(p,
		       "kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ffff888%09x bytes_req=64 "
		       "bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false name=cache-%u\n",
		       (*live)++, roll(d, 9));
}

static char *make_text(void)
{
	char *text = malloc((size_t)NR_EVENTS * LINE_ROOM), *p = text;
	struct dice d = { .seed = 11 };
	u32 live = 0;

	for (u32 i = 0; i < NR_EVENTS; i++) {
		p = add_event(p, &d, i, &live);
		/* On the quiet CPU, whose last event is long ago. */
		if (roll(&d, 50) == 0) {
			u32 name = roll(&d, NR_NAMES);
			expect_count(QUIET_CPU, name, FREE_SLOWPATH);
			p += sprintf(p, "  sh-1  [%03u] .....  %u.%06u: ", (u32)QUIET_CPU,
				     1 + i / 1000000, i % 1000000);
			p += sprintf(p, "slub_stat: op=free_slowpath name=cache-%u\n", name);
		}
	}
	return text;
}

static void check_rows(const struct kmem_kernel_counters_row *rows, u32 nr, const char *base)
{
	u32 nr_before = 0, nr_not = 0;

	CHECK(nr == NR_NAMES, "%u caches", nr);
	for (u32 i = 0; i < nr; i++) {
		u32 name = (u32)strtoul(base + rows[i].name_at + strlen("cache-"), NULL, 10);
		for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
			CHECK(rows[i].all[k] == expected.all[name][k], "cache-%u, counter %u", name,
			      k);
			CHECK(rows[i].before[k] == expected.before[name][k],
			      "cache-%u, counter %u: %u, not %u", name, k, rows[i].before[k],
			      expected.before[name][k]);
			nr_before += rows[i].before[k];
			nr_not += rows[i].all[k] - rows[i].before[k];
		}
	}
	CHECK(nr_before > 1000 && nr_not > 1000, "%u, %u", nr_before, nr_not);
}

int main(void)
{
	char *text = make_text();
	struct kmem_session *s = session_of_text(text);
	u32 nr, nr_known = 0;

	CHECK(kmem_report(s)->skipped_lines == 0 && kmem_nr_ops(s) == expected.nr_ops,
	      "%u operations, not %u", kmem_nr_ops(s), expected.nr_ops);
	const struct kmem_kernel_counters_row *rows = kmem_kernel_counters(s, &nr);
	RUN(check_rows(rows, nr, (const char *)s));
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	rows = kmem_kernel_counters(s, &nr);
	for (u32 i = 0; i < nr; i++) {
		struct kmem_kernel_counters_row row = rows[i];
		const char *name = (const char *)s + row.name_at;
		u32 nr_caches;
		const struct kmem_cache_row *caches = kmem_cache_rows(s, &nr_caches);
		nr_known += row.cache != CACHE_NONE;
		if (row.cache != CACHE_NONE)
			CHECK(strcmp((const char *)s + caches[row.cache].name_at, name) == 0, "%s",
			      name);
	}
	CHECK(nr_known == 9, "%u caches of the model have counters", nr_known);
	free(text);
	return check_summary();
}
