/*
 * filter_test.c - whatever a filter chooses is a trace: it reads back without problems and with as many events as the
 * filter counts, it replays, and it has a free if and only if it has the allocation. Anonymous text contains no call
 * site of the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { TEXT_ROOM = 1 << 20, MAX_OBJECTS = 4096 };

/* Requests of every kind that slabtrace has, two caches, and similar names. */
static const char every_kind[] =
	"slabtrace 1\nmachine cpus=4 nodes=2\n"
	"cache c0 size=256 name=filp\ncache c1 size=64 name=fil,p\n"
	"set min_partial=3 cache=c0\nset min_partial=4 cache=c1\n"
	"a 1 c0 cpu=0 site=open+0x1/0x9\na 2 c1 cpu=1 site=open_more+0x1/0x9\nk 3 100 cpu=2 site=read\n"
	"a 4,5,6 c0 cpu=3 site=bulk\nprefill 1 c1 4 cpu=1\na 7 c1 cpu=1 sheaf=1\n"
	"f 1 cpu=3\nr 2 cpu=0\nf 4,6 cpu=2\ngrace\nflush c0 cpu=1\nshrink c1\nvalidate c0\n"
	"k 8 5000000 cpu=0\na 9 c0 cpu=0\nset min_partial=6 cache=c0\ncorrupt write 9 cpu=0 len=4\n"
	"tick 2\nreap cpu=1\nexpire\na 10,11 c1 cpu=1\na 12 c1 cpu=1 sheaf=1\nreturn 1 c1 cpu=1\n"
	"dead cpu=3\nf 3 cpu=0\nf 10,11,5 cpu=1\nf - cpu=1 why=null\nf - cpu=1 why=orphan\n"
	"a - c0 cpu=2 why=failed\nf 8 cpu=1\nf 9 cpu=1\ncorrupt double-free 9 cpu=1\na 13 c0 cpu=2 node=1\n";

static s32 apply(struct kmem_session *s, const struct kmem_choice *c, u32 nr)
{
	s64 status = kmem_begin(s, JOB_FILTER, &(struct kmem_filter_args){ c, nr });

	if (!status)
		do
			status = kmem_work(s, JOB_FILTER, 7);
		while (status > 0);
	return (s32)status;
}

static char *exported(struct kmem_session *s, u32 format)
{
	char *text = calloc(TEXT_ROOM, 1);
	u32 at = 0, len = 0;
	s32 more;

	while ((more = kmem_export(s, format, &at, (u8 *)text + len,
				   MIN((u32)4096, TEXT_ROOM - 1 - len))) > 0)
		len += (u32)more;
	CHECK(more == 0, "%s", kmem_error(s));
	return text;
}

static void reads_back(const struct kmem_filter *f, const char *text)
{
	struct kmem_session *s = session_of_text(text);
	const struct kmem_report *r = kmem_report(s);

	CHECK(r->nr_problems == 0 && r->skipped_lines == 0, "%s in\n%s",
	      r->nr_problems
		      ? (const char *)s->pool.base +
				((const struct kmem_problem *)(s->pool.base + r->problems_at))
					->reason_at
		      : "lines",
	      text);
	CHECK(kmem_nr_ops(s) == f->events + f->before, "%u events, chosen %u and %u",
	      kmem_nr_ops(s), f->events, f->before);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
}

/* Finds the events of a window [from, to) for a filter by CPU by checking every op. */
static void counts_agree(struct kmem_session *s, const struct kmem_filter *f, u32 cpu)
{
	static u8 lives[MAX_OBJECTS];
	const struct trace *t = &s->trace;
	u32 allocs = 0, frees = 0, before = 0;

	memset(lives, 0, sizeof(lives));
	CHECK(t->nr_handles <= MAX_OBJECTS);
	for (u32 i = 0; i < f->to; i++) {
		const struct op op = trace_op(t, i);
		if (i == f->from)
			for (u32 h = 0; h < t->nr_handles; h++)
				before += lives[h];
		if (op.kind == OP_ALLOC || op.kind == OP_KMALLOC) {
			lives[op.handle] = cpu == KMEM_ANY || op.cpu == cpu;
			allocs += i >= f->from && lives[op.handle];
		} else if (op.kind == OP_FREE) {
			frees += i >= f->from && lives[op.handle];
			lives[op.handle] = 0;
		}
	}
	CHECK(f->allocs == allocs && f->frees == frees && f->before == before,
	      "%u %u %u, recounted %u %u %u", f->allocs, f->frees, f->before, allocs, frees,
	      before);
}

static void every_window_is_a_trace(void)
{
	const char *text = synthetic_trace(600, 60, 3, 1);
	char from[16], to[16], cpu[16];

	for (u32 i = 0; i < tries(60, 25); i++) {
		struct kmem_session *s = session_of_text(text);
		u32 first = 1 + i * 97 % 500, on = i % 4;
		snprintf(from, sizeof(from), "%u", first);
		snprintf(to, sizeof(to), "%u", first + i * 31 % 300);
		snprintf(cpu, sizeof(cpu), "%u", on);
		const struct kmem_choice c[] = { { "from-event", from },
						 { "to-event", to },
						 { "cpu", cpu } };
		CHECK(apply(s, c, on < 3 ? 3 : 2) == 0, "%s", kmem_error(s));
		const struct kmem_filter f = *kmem_filter(s);
		counts_agree(s, &f, on < 3 ? on : KMEM_ANY);
		char *excerpt = exported(s, KMEM_EXPORT_SLABTRACE | KMEM_EXPORT_CHOSEN);
		reads_back(&f, excerpt);
		free(excerpt);
	}
}

static void keeps_requests_of_every_kind(void)
{
	static const struct kmem_choice c[] = {
		{ "cache", "filp" },	  { "cache", "fil,p" },	   { "cache", "fil*" },
		{ "cache", "kmalloc-*" }, { "call-site", "open" }, { "call-site", "bulk,read" },
		{ "cpu", "1,3" },	  { "node", "1" },	   { "from-event", "4" },
		{ "from-event", "8" },	  { "from-event", "12" },  { "from-event", "25" },
		{ "to-event", "7" },	  { "to-event", "16" }
	};
	struct kmem_session *s = session_of_text(every_kind);
	u32 nr_ops = kmem_nr_ops(s);

	CHECK(kmem_report(s)->nr_problems == 0);
	for (u32 i = 0; i <= nr_ops; i++) {
		char from[16];
		snprintf(from, sizeof(from), "%u", MAX(i, 1u));
		const struct kmem_choice window[] = { { "from-event", from } };
		s = session_of_text(every_kind);
		CHECK(apply(s, window, 1) == 0, "%s", kmem_error(s));
		const struct kmem_filter f = *kmem_filter(s);
		char *excerpt = exported(s, KMEM_EXPORT_SLABTRACE | KMEM_EXPORT_CHOSEN);
		reads_back(&f, excerpt);
		free(excerpt);
	}
	for (u32 i = 0; i < ARRAY_SIZE(c); i++) {
		s = session_of_text(every_kind);
		CHECK(apply(s, &c[i], 1) == 0, "%s", kmem_error(s));
		const struct kmem_filter f = *kmem_filter(s);
		CHECK(f.events > 0 && f.events < nr_ops, "%s=%s: %u", c[i].key, c[i].value,
		      f.events);
		char *excerpt = exported(s, KMEM_EXPORT_SLABTRACE | KMEM_EXPORT_CHOSEN |
						    KMEM_EXPORT_ANONYMOUS);
		CHECK(!strstr(excerpt, "open") && !strstr(excerpt, "=bulk") &&
			      !strstr(excerpt, "=read"),
		      "%s", excerpt);
		reads_back(&f, excerpt);
		free(excerpt);
	}
}

/* On a built machine too: the bits, the next and the previous chosen event say the same. */
static void finds_events_by_each_condition(void)
{
	static const struct kmem_choice c = { "cpu", "1" };
	struct kmem_session *s = session_of_text(synthetic_trace(600, 60, 3, 1));

	CHECK(kmem_build(s, 0) == 0 && apply(s, &c, 1) == 0, "%s", kmem_error(s));
	CHECK(kmem_position(s) == 600, "the world is still there");
	u32 nr = kmem_filter(s)->events, found = 0, last = KMEM_NONE32;
	for (u32 i = kmem_filter_next(s, 0, KMEM_FORWARD, KMEM_ANY); i != KMEM_NONE32;
	     i = kmem_filter_next(s, i + 1, KMEM_FORWARD, KMEM_ANY)) {
		CHECK(kmem_filter_next(s, i, KMEM_BACK, KMEM_ANY) == last, "behind event %u", i);
		const u32 *bits = kmem_filter_bits(s, i, 1);
		CHECK(bits && *bits == 1, "event %u", i);
		last = i;
		found++;
	}
	CHECK(found == nr && last == kmem_filter(s)->last, "%u of %u", found, nr);
	kmem_filter_end(s);
	CHECK(kmem_filter(s) == NULL &&
	      kmem_filter_next(s, 0, KMEM_FORWARD, KMEM_ANY) == KMEM_NONE32);
}

/*
 * Counts the live objects in slabs that CPU 1 allocated, by checking every event, and finds each one allocated in the
 * view.
 */
static void lists_the_live_objects(void)
{
	static const struct kmem_choice c = { "cpu", "1" };
	static const u32 at[] = { 0, 300, 600, 299, 40, 599, 1 };
	struct kmem_session *s = session_of_text(synthetic_trace(600, 60, 3, 1));

	CHECK(kmem_build(s, 0) == 0 && apply(s, &c, 1) == 0, "%s", kmem_error(s));
	for (u32 k = 0; k < ARRAY_SIZE(at); k++) {
		static u8 lives[MAX_OBJECTS];
		u32 nr, expected = 0, listed = 0;
		memset(lives, 0, sizeof(lives));
		for (u32 i = 0; i < at[k]; i++) {
			const struct op op = trace_op(&s->trace, i);
			int is_large = op.kind == OP_KMALLOC &&
				       s->trace.sites[op.site].bytes > 8192;
			if (op.kind <= OP_FREE)
				lives[op.handle] = op.kind != OP_FREE && op.cpu == 1 && !is_large;
		}
		for (u32 h = 0; h < s->trace.nr_handles; h++)
			expected += lives[h];
		CHECK(kmem_seek(s, at[k]) == 0);
		for (u32 cache = 0; cache < s->w->nr_caches; cache++) {
			const struct kmem_entry *rows = kmem_filter_objects(s, cache, &nr);
			CHECK(rows, "%s", kmem_error(s));
			listed += nr;
			const u32 chosen = nr;
			for (u32 i = 0; i < chosen; i++) {
				const struct kmem_entry row = kmem_filter_objects(s, cache, &nr)[i];
				CHECK(row.cache == cache);
				CHECK(kmem_object(s, cache, row.slab, row.index)->state ==
				      CELL_ALLOCATED);
			}
		}
		CHECK(listed == expected, "%u after %u events, recounted %u", listed, at[k],
		      expected);
	}
}

static void refuses_wrong_conditions(void)
{
	static const struct kmem_choice c[] = {
		{ "colour", "red" },	{ "cpu", "" },		 { "cpu", "1-" },
		{ "cpu", "4096" },	{ "cpu", "3-1" },	 { "node", "0,x" },
		{ "from-event", "0" },	{ "from-event", "601" }, { "to-event", "ten" },
		{ "from-time", "1.2" }, { "cache", "none" },	 { "call-site", "none" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(c); i++) {
		struct kmem_session *s = session_of_text(synthetic_trace(600, 60, 3, 1));
		CHECK(kmem_work(s, JOB_FILTER, 1) == KMEM_ESTATE);
		CHECK(apply(s, &c[i], 1) == KMEM_EPARAM, "%s=%s", c[i].key, c[i].value);
		CHECK(strlen(kmem_error(s)) > 20, "%s", kmem_error(s));
	}
}

int main(void)
{
	RUN(every_window_is_a_trace());
	RUN(keeps_requests_of_every_kind());
	RUN(finds_events_by_each_condition());
	RUN(lists_the_live_objects());
	RUN(refuses_wrong_conditions());
	return check_summary();
}
