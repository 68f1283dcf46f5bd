/*
 * cpu_schedule_test.c - invariants of the order in which CPUs that run at the same time execute their events, on random
 * traces, machines and allocators.
 */
#include <stdio.h>
#include <stdlib.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { NR_OPS = 4000, LIVE = 150 };

/*
 * Identifies an event, whatever its place in the list: its object is named by the CPU that allocated it and its number
 * there.
 */
struct who {
	u32 birth_cpu, birth, site, kind;
};

static u32 cpu_of(const struct kmem_session *s, struct op op)
{
	return op.cpu % s->w->machine.nr_cpus;
}

/*
 * Writes every event of a list in terms of its objects, CPU by CPU. Checks that a handle belongs to one live object at
 * a time.
 */
static void tell(const struct kmem_session *s, struct who *who)
{
	u32 nr_cpus = s->w->machine.nr_cpus, nr_ops = s->trace.nr_ops, n = 0;
	u32 *births = calloc(nr_cpus, sizeof(u32));
	struct who *of = calloc(s->trace.nr_handles, sizeof(*of)),
		   *all = calloc(nr_ops, sizeof(*all));

	for (u32 i = 0; i < nr_ops; i++) {
		const struct op op = trace_op(&s->trace, i);
		if (op.kind != OP_FREE) {
			CHECK(of[op.handle].kind == 0, "operation %u takes a handle in use", i);
			of[op.handle] = (struct who){ cpu_of(s, op), ++births[cpu_of(s, op)], 0,
						      1 };
		}
		CHECK(of[op.handle].kind == 1, "operation %u comes before its object", i);
		all[i] = of[op.handle];
		all[i].site = op.site;
		all[i].kind = op.kind;
		if (op.kind == OP_FREE)
			of[op.handle].kind = 0;
	}
	for (u32 cpu = 0; cpu < nr_cpus; cpu++)
		for (u32 i = 0; i < nr_ops; i++)
			if (cpu_of(s, trace_op(&s->trace, i)) == cpu)
				who[n++] = all[i];
	free(births);
	free(of);
	free(all);
}

/* The rules again, in the simplest way: it looks at every CPU before every event. */
enum { NONE = 0xffffffff, MAX_TEST_CPUS = 64 };

enum state { READY, NO_OBJECT, NO_ROOM, OVER };

struct plain {
	u32 nr_ops, nr_cpus, live, most_live, nr_room_waits, nr_passes;
	struct op op[NR_OPS];
	u32 before[NR_OPS]; /* the operation on the same object before it */
	u8 done[NR_OPS];
	u32 head[MAX_TEST_CPUS]; /* NONE: nothing left */
	enum state state[MAX_TEST_CPUS];
	u64 at[MAX_TEST_CPUS];
	u32 passes[MAX_TEST_CPUS];
};

static u32 next_of(const struct plain *p, u32 cpu, u32 from)
{
	for (u32 i = from; i < p->nr_ops; i++)
		if (p->op[i].cpu % p->nr_cpus == cpu)
			return i;
	return NONE;
}

static int waits_for_object(const struct plain *p, u32 i)
{
	return p->before[i] != NONE && !p->done[p->before[i]];
}

static void plain_head(struct plain *p, const struct world *w, u32 cpu, u32 from)
{
	p->head[cpu] = next_of(p, cpu, from);
	p->at[cpu] = clock_of(w, cpu) + w->policy.work;
	p->state[cpu] = p->head[cpu] == NONE		    ? OVER
			: waits_for_object(p, p->head[cpu]) ? NO_OBJECT
							    : READY;
}

static void plain_begin(struct plain *p, const struct kmem_session *s, const struct op *ops)
{
	u32 *last = malloc(s->trace.nr_handles * sizeof(u32));

	memset(p, 0, sizeof(*p));
	memset(last, 0xff, s->trace.nr_handles * sizeof(u32));
	p->nr_ops = s->trace.nr_ops;
	p->nr_cpus = s->w->machine.nr_cpus;
	p->most_live = s->trace.report.handles;
	for (u32 i = 0; i < p->nr_ops; i++) {
		p->op[i] = ops[i];
		p->before[i] = ops[i].kind == OP_FREE ? last[ops[i].handle] : NONE;
		last[ops[i].handle] = i;
	}
	for (u32 cpu = 0; cpu < p->nr_cpus; cpu++)
		plain_head(p, s->w, cpu, 0);
	free(last);
}

static void plain_ready(struct plain *p, const struct world *w, u32 cpu)
{
	p->state[cpu] = READY;
	p->at[cpu] = MAX(clock_of(w, cpu) + w->policy.work, w->op_start);
}

/* Returns which CPU's turn it is. */
static u32 plain_turn(struct plain *p, const struct world *w)
{
	for (;;) {
		u32 best = NONE, earliest = NONE;
		for (u32 cpu = 0; cpu < p->nr_cpus; cpu++) {
			if (p->state[cpu] == READY && (best == NONE || p->at[cpu] < p->at[best]))
				best = cpu;
			if (p->state[cpu] != OVER &&
			    (earliest == NONE || p->head[cpu] < p->head[earliest]))
				earliest = cpu;
		}
		if (best == NONE) {
			p->passes[earliest] = 1;
			p->nr_passes++;
			plain_ready(p, w, earliest);
			continue;
		}
		if (p->op[p->head[best]].kind == OP_FREE || p->live < p->most_live ||
		    p->passes[best])
			return best;
		p->state[best] = NO_ROOM;
		p->nr_room_waits++;
	}
}

static void plain_done(struct plain *p, const struct world *w, u32 cpu)
{
	u32 i = p->head[cpu], longest = NONE;

	p->done[i] = 1;
	p->live += p->op[i].kind == OP_FREE ? 0xffffffff : 1;
	p->passes[cpu] = 0;
	plain_head(p, w, cpu, i + 1);
	for (u32 other = 0; other < p->nr_cpus; other++) {
		if (p->state[other] == NO_OBJECT && p->before[p->head[other]] == i)
			plain_ready(p, w, other);
		if (p->state[other] == NO_ROOM &&
		    (longest == NONE || clock_of(w, other) < clock_of(w, longest)))
			longest = other;
	}
	if (p->op[i].kind == OP_FREE && longest != NONE)
		plain_ready(p, w, longest);
}

/* Every turn follows the simple rules, no event starts before the previous one, and no clock goes back. */
static void turns_are_right(struct kmem_session *s, const struct op *ops, struct plain *p)
{
	u64 last = 0;

	plain_begin(p, s, ops);
	while (s->w->op < s->trace.nr_ops) {
		u32 cpu = plain_turn(p, s->w);
		u64 clock = clock_of(s->w, cpu), begins = p->at[cpu];
		CHECK(kmem_run(s, 1, 0) == 0, "%s", kmem_error(s));
		CHECK(s->w->cpu == cpu, "operation %u is CPU %u's, not CPU %u's", s->w->op - 1, cpu,
		      s->w->cpu);
		CHECK(s->w->op_start == begins, "operation %u starts when its CPU gets to it",
		      s->w->op - 1);
		CHECK(begins >= last && clock_of(s->w, cpu) >= clock);
		last = begins;
		if (s->w->cpu != cpu)
			return;
		plain_done(p, s->w, cpu);
	}
}

/* Some CPUs waited for room, and some waited at all. */
static u32 waits[2];

static void laws(u32 cpus, u32 nodes, const char *allocator, const char *work)
{
	static struct who before[NR_OPS], after[NR_OPS];
	static struct op ops[NR_OPS];
	static struct plain rules;
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, LIVE, cpus, nodes));
	u32 handles = s->trace.nr_handles;

	CHECK(kmem_set(s, "allocator", allocator) == 0 && kmem_set(s, "work", work) == 0, "%s",
	      kmem_error(s));
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u64 plain = kmem_hash(s);
	tell(s, before);
	for (u32 i = 0; i < NR_OPS; i++)
		ops[i] = trace_op(&s->trace, i);
	/* If it is abandoned halfway, nothing has changed. */
	CHECK(begin_by_clocks(s) == 0 && kmem_run(s, NR_OPS / 2, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == plain && s->trace.nr_handles == handles);

	CHECK(begin_by_clocks(s) == 0, "%s", kmem_error(s));
	turns_are_right(s, ops, &rules);
	waits[0] += rules.nr_room_waits;
	waits[1] += rules.nr_passes;
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	u64 by_clocks = kmem_hash(s);
	tell(s, after);
	CHECK(memcmp(before, after, sizeof(before)) == 0,
	      "every CPU does the same to the same objects (%s, %u CPUs)", allocator, cpus);
	/* A plain run of the new order is the same run. */
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == by_clocks, "%s, %u CPUs", allocator, cpus);
	/* And it is already in order. */
	CHECK(begin_by_clocks(s) == 0 && kmem_work(s, JOB_BUILD, 0xffffffff) == 0, "%s",
	      kmem_error(s));
	tell(s, before);
	CHECK(memcmp(before, after, sizeof(before)) == 0);
}

/*
 * CPU 1 allocates one large slab's worth of work while CPU 0 has little to do: the recording has CPU 1 first, but by
 * the clocks CPU 0's second event comes long before CPU 1's second.
 */
static void matches_a_schedule_worked_out_by_hand(void)
{
	static const char text[] =
		"slabtrace 1\nmachine cpus=2\n"
		"k 1 64 cpu=1\nk 2 64 cpu=1\nf 2 cpu=1\nf 1 cpu=0\nk 3 64 cpu=0\n";
	struct kmem_session *s = session_of_text(text);
	static const u16 expected[] = { 1, 0, 0, 1, 1 };

	CHECK(begin_by_clocks(s) == 0 && kmem_work(s, JOB_BUILD, 0xffffffff) == 0);
	/* CPU 0 waits for object 1; then both are free, and CPU 0 is the lower one of the two that start first. */
	for (u32 i = 0; i < ARRAY_SIZE(expected); i++)
		CHECK(trace_op(&s->trace, i).cpu == expected[i], "operation %u is CPU %u's", i,
		      trace_op(&s->trace, i).cpu);
	CHECK(trace_time(&s->trace, 4) == 0);
}

/* Events that are stored unpacked, because they do not fit in eight bytes: a corruption of a freed object waits for
 * the free, which waits for the allocation. */
static void events_too_large_for_eight_bytes_wait_for_their_object(void)
{
	static const char text[] =
		"slabtrace 1\nmachine cpus=3\ncache c size=64 flags=red_zone,poison\n"
		"a 1 c cpu=2\nk 2 64 cpu=2\nf 1 cpu=1\n"
		"corrupt write 1 at=20 len=4 value=0x00 cpu=0\nk 3 64 cpu=0\nf 2 cpu=0\n";
	struct kmem_session *s = session_of_text(text);

	CHECK(s->trace.nr_large_ops > 0 && s->trace.report.skipped_lines == 0);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u64 plain = kmem_hash(s);
	CHECK(begin_by_clocks(s) == 0 && kmem_run(s, 3, 0) == 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == plain, "given up, it is as it was");
	CHECK(begin_by_clocks(s) == 0 && kmem_work(s, JOB_BUILD, 0xffffffff) == 0);
	u64 by_clocks = kmem_hash(s);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == by_clocks && kmem_check(s) == 0, "%s",
	      kmem_error(s));
	u32 at[8] = { 0 };
	for (u32 i = 0; i < s->trace.nr_ops; i++)
		at[trace_op(&s->trace, i).kind == OP_CORRUPT ? 0 : 1 + trace_op(&s->trace, i).cpu] =
			i;
	CHECK(at[0] > at[2], "the corruption comes after the free on CPU 1");
}

/*
 * Thousands of events that do not fit in eight bytes, on one CPU: they keep the recorded order, and their stored copies
 * get in nobody's way.
 */
static void thousands_of_large_events_keep_their_order(void)
{
	enum { PAIRS = 2000, LINE_ROOM = 40 };
	static char text[64 + PAIRS * 2 * LINE_ROOM];
	char *p = text + sprintf(text, "slabtrace 1\nmachine cpus=1\ncache c size=64\n");

	for (u32 i = 0; i < PAIRS; i++)
		p += sprintf(p, "a %u c cpu=0 site=s%u\nshrink c\n", i, i);
	struct kmem_session *s = session_of_text(text);
	CHECK(s->trace.nr_large_ops >= PAIRS && kmem_nr_ops(s) == 2 * PAIRS);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u64 plain = kmem_hash(s);
	CHECK(begin_by_clocks(s) == 0 && kmem_run(s, PAIRS, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == plain, "given up, it is as it was");
	CHECK(begin_by_clocks(s) == 0 && kmem_work(s, JOB_BUILD, 0xffffffff) == 0, "%s",
	      kmem_error(s));
	u64 by_clocks = kmem_hash(s);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == by_clocks, "%s", kmem_error(s));
	for (u32 i = 0; i < 2 * PAIRS; i++) {
		const struct op op = trace_op(&s->trace, i);
		CHECK(op.kind == (i % 2 ? OP_SHRINK : OP_ALLOC) && op.cpu == 0, "operation %u", i);
	}
}

/* No other CPU comes between the events of a bulk request, and the world matches the new order. */
static void bulk_requests_stay_together(void)
{
	enum { PAIRS = 40 };
	static char text[64 + PAIRS * 120];
	char *p = text + sprintf(text, "slabtrace 1\nmachine cpus=3 preset=linux-7.2\n"
				       "cache c size=64\n");

	for (u32 i = 0; i < PAIRS; i++) {
		u32 id = 10 * i;
		p += sprintf(p, "k %u 64 cpu=1\na %u,%u,%u c cpu=0\nf %u cpu=1\nk %u 90 cpu=2\n",
			     id, id + 1, id + 2, id + 3, id, id + 4);
		p += sprintf(p, "f %u,%u,%u cpu=0\n", id + 3, id + 1, id + 2);
	}
	struct kmem_session *s = session_of_text(text);
	CHECK(begin_by_clocks(s) == 0 && kmem_work(s, JOB_BUILD, 0xffffffff) == 0, "%s",
	      kmem_error(s));
	u64 by_clocks = kmem_hash(s);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == by_clocks && kmem_check(s) == 0, "%s",
	      kmem_error(s));
	u32 moved = 0;
	for (u32 i = 0; i < s->trace.nr_ops; i++) {
		const struct op op = trace_op(&s->trace, i);
		moved += op.cpu != 0 && i && trace_op(&s->trace, i - 1).cpu == op.cpu;
		if (op.kind == OP_BULK_ALLOC)
			for (u32 k = 1; k <= 3; k++)
				CHECK(trace_op(&s->trace, i + k).cpu == 0, "event %u", i + k + 1);
		if (op.kind == OP_BULK_FREE)
			for (u32 k = 1; k <= 3; k++)
				CHECK(trace_op(&s->trace, i - k).cpu == 0, "event %u", i - k + 1);
	}
	CHECK(moved > 0, "the events have a new order");
}

/* Cycles outside the allocator neither count as work nor delay anybody. */
static void cycles_outside_the_allocator_delay_nobody(void)
{
	struct kmem_session *s =
		session_of_text("slabtrace 1\nmachine cpus=2\nk 1 64 cpu=0\nf 1 cpu=0\n");

	CHECK(kmem_build(s, 0) == 0);
	struct kmem_totals without = *kmem_totals(s);
	CHECK(kmem_set(s, "work", "1000") == 0 && kmem_build(s, 0) == 0);
	struct kmem_totals with = *kmem_totals(s);
	CHECK(with.cycles == without.cycles);
	CHECK(with.elapsed_cycles == without.elapsed_cycles + 2000);
	CHECK(with.work_cycles == 2000 && without.work_cycles == 0);
	with.elapsed_cycles = without.elapsed_cycles;
	with.work_cycles = 0;
	CHECK(memcmp(&with, &without, sizeof(with)) == 0, "work changes clocks and nothing else");
}

/* The cost of a line from another node changes cycles but no counters. On one node it changes nothing. */
static void distance(u32 nodes)
{
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, LIVE, 8, nodes));
	struct kmem_totals t[2];

	for (u32 far = 0; far < 2; far++) {
		const char *four = far ? "10,80,80,80,80,10,80,80,80,80,10,80,80,80,80,10"
				       : "10,20,20,20,20,10,20,20,20,20,10,20,20,20,20,10";
		CHECK(kmem_set(s, "distance", nodes == 4 ? four : "10") == 0 &&
			      kmem_build(s, 0) == 0,
		      "%s", kmem_error(s));
		t[far] = *kmem_totals(s);
	}
	CHECK(nodes == 1 ? t[1].cycles == t[0].cycles : t[1].cycles > t[0].cycles);
	t[1].cycles = t[0].cycles;
	t[1].elapsed_cycles = t[0].elapsed_cycles;
	t[1].lock_wait_cycles = t[0].lock_wait_cycles;
	CHECK(memcmp(&t[0], &t[1], sizeof(t[0])) == 0, "a cost changes cycles and nothing else");
}

/* A machine that is larger before event 1 than the area for its keyframes is built twice. */
static void a_machine_built_again_keeps_its_turns(void)
{
	u64 hash[2];

	for (u32 i = 0; i < 2; i++) {
		struct kmem_session *s = session_of_text(synthetic_trace(400000, 200000, 64, 4));
		const struct kmem_build_args args = { .budget_bytes = i ? 1 << 26 : 1 << 12,
						      .by_clocks = 1 };
		CHECK(!kmem_begin(s, JOB_BUILD, &args) && !kmem_work(s, JOB_BUILD, 0xffffffff),
		      "%s", kmem_error(s));
		hash[i] = kmem_hash(s);
	}
	CHECK(hash[0] == hash[1], "the same machine, whatever its keyframes' room");
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };

	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++) {
		RUN(laws(1, 1, allocators[i], "0"));
		RUN(laws(2, 1, allocators[i], "0"));
		RUN(laws(8, 4, allocators[i], "500"));
		RUN(laws(64, 4, allocators[i], i % 2 ? "0" : "3000"));
	}
	CHECK(waits[0] > 100 && waits[1] > 0, "%u, %u", waits[0], waits[1]);
	RUN(a_machine_built_again_keeps_its_turns());
	RUN(matches_a_schedule_worked_out_by_hand());
	RUN(events_too_large_for_eight_bytes_wait_for_their_object());
	RUN(thousands_of_large_events_keep_their_order());
	RUN(bulk_requests_stay_together());
	RUN(cycles_outside_the_allocator_delay_nobody());
	RUN(distance(1));
	RUN(distance(4));
	return check_summary();
}
