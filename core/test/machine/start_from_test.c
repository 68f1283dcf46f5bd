/*
 * start_from_test.c - what a replay starts from, how far its figures can be trusted, and that objects from before the
 * trace are their own part of memory: neither free nor waste.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

#include <stdio.h>
#include <string.h>

static char text[16384];

/*
 * A recording of a kernel: frees of objects from before the trace, allocations in old and new slabs, and frees of
 * these.
 */
static const char *recording(void)
{
	static const struct {
		u32 is_free, at;
	} events[] = { { 0, 0x1500 }, { 0, 0x1200 }, { 1, 0x1900 }, { 1, 0x2100 }, { 1, 0x2200 },
		       { 0, 0x1900 }, { 0, 0x2100 }, { 0, 0x3000 }, { 0, 0x3100 }, { 1, 0x3000 },
		       { 1, 0x1500 }, { 1, 0x2300 }, { 0, 0x1500 }, { 1, 0x1700 }, { 1, 0x3100 } };
	size_t len = 0;

	for (u32 i = 0; i < ARRAY_SIZE(events); i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"task-1 [00%u] ..... 1.0000%02u: kmem_cache_%s: call_site=f+0x1/0x2 "
			"ptr=ffff8881%08x%s name=filp\n",
			i & 1, i + 1, events[i].is_free ? "free" : "alloc", events[i].at,
			events[i].is_free ? ""
					  : " bytes_req=250 bytes_alloc=256 gfp_flags=GFP_KERNEL "
					    "node=-1 accounted=false");
	return text;
}

static const char *const snapshot =
	"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/object_size:256\n"
	"/sys/kernel/slab/filp/order:0\n/sys/kernel/slab/filp/objs_per_slab:16\n"
	"/sys/kernel/slab/filp/slabs:14 N0=14\n/sys/kernel/slab/filp/partial:5 N0=5\n"
	"/sys/kernel/slab/filp/objects_partial:31 N0=31\n/sys/kernel/slab/filp/cpu_slabs:2 N0=2\n";

/* Two slabs of the recording as a kernel had them: objects 2 and 5 of the first are free. */
static const char *const state =
	"V 1 start 0\n"
	"C filp size=256 object_size=256 order=0 objs=16 min_objs=16 min_partial=5 cpu_partial=52 "
	"cpu_partial_slabs=7 defrag=1000\n"
	"P filp 0 slab=0 free= nfree=0 partial=\nP filp 1 slab=0 free= nfree=0 partial=\n"
	"N filp 0 nr_partial=1 partial=ffff888100001000\n"
	"L filp ffff888100001000 nid=0 order=0 objects=16 inuse=14 frozen=0 free=5,2\n"
	"L filp ffff888100002000 nid=0 order=0 objects=16 inuse=16 frozen=0 free=\n"
	"E complete\n";

static void use_snapshot(struct kmem_session *s)
{
	CHECK(kmem_warm_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)snapshot, (u32)strlen(snapshot)) == 0);
	CHECK(kmem_machine_state_end(s) == 0, "%s", kmem_error(s));
}

static int use_state(struct kmem_session *s)
{
	return kmem_state_begin(s, KMEM_STATE_START) == 0 &&
	       kmem_state_chunk(s, (const u8 *)state, (u32)strlen(state)) == 0 &&
	       kmem_state_end(s) == 0 && kmem_start_use(s, 1) == 0;
}

static struct kmem_session *start_from(u32 start, const char *trace)
{
	struct kmem_session *s = session_of_text("slabtrace 1\n");

	CHECK(kmem_import_begin(s) == 0 && kmem_import_keep(s, KMEM_KEEP_POINTERS) == 0);
	CHECK(kmem_import_chunk(s, (const u8 *)trace, (u32)strlen(trace)) == 0 &&
	      kmem_import_end(s) == 0);
	/* The pointers say more about a snapshot's slabs. */
	if (start == START_POINTERS || start == START_SNAPSHOT)
		kmem_infer_use(s, 1);
	if (start == START_SNAPSHOT)
		use_snapshot(s);
	else if (start == START_KERNEL_STATE)
		CHECK(use_state(s), "%s", kmem_error(s));
	return s;
}

/* Counts the objects that the view shows as in use before the trace. */
static u64 seen_before(struct kmem_session *s)
{
	const struct kmem_frame *f = kmem_view(s, 0);
	const struct kmem_slab_row *slabs = (const void *)((const u8 *)s + f->slabs_at);
	u64 nr = 0;

	for (u32 i = 0; i < f->nr_slabs; i++)
		nr += slabs[i].inferred;
	return nr;
}

static u64 sum_of_parts(struct kmem_session *s, u64 *before, u64 *pages)
{
	u32 nr;
	const struct kmem_memory_row *rows = kmem_memory(s, KMEM_ANY, &nr);
	u64 sum = 0;

	*before = *pages = 0;
	for (u32 i = 0; i < nr; i++) {
		if (rows[i].cache != KMEM_NONE)
			continue;
		*(rows[i].part == PART_PAGES ? pages : &sum) += rows[i].bytes;
		*before += rows[i].part == PART_INFERRED ? rows[i].bytes : 0;
	}
	return sum;
}

static void check_here(struct kmem_session *s, const char *what)
{
	const struct kmem_totals t = *kmem_totals(s);
	u64 before, pages, sum = sum_of_parts(s, &before, &pages), seen = seen_before(s),
			   of_caches = 0;
	u32 nr;
	const struct kmem_cache_row *c = kmem_cache_rows(s, &nr);

	for (u32 i = 0; i < nr; i++)
		of_caches += c[i].in_use_before_bytes;
	CHECK(t.requested_bytes + t.waste_rounding + t.waste_tail + t.waste_free +
			      t.in_use_before_bytes ==
		      t.slab_bytes,
	      "%s, event %u", what, t.ops);
	CHECK(t.waste_free <= t.slab_bytes, "%s, event %u: free objects", what, t.ops);
	CHECK(seen * 256 == t.in_use_before_bytes && t.in_use_before_bytes == of_caches &&
		      before == seen * 256,
	      "%s, event %u: %llu objects", what, t.ops, (unsigned long long)seen);
	CHECK(sum == pages && pages == t.pages_in_use * 4096, "%s, event %u: parts", what, t.ops);
}

static void parts_match_the_slabs_after_every_event(void)
{
	static const char *const machines[][3] = {
		{ "slub", "linux-6.1" },  { "slub", "linux-6.18" }, { "slub", "linux-7.2" },
		{ "slub", "linux-4.19" }, { "slab", NULL },	    { "unified", NULL },
		{ "slob", NULL },
	};

	for (u32 m = 0; m < ARRAY_SIZE(machines); m++) {
		for (u32 start = START_EMPTY; start < NR_VALUES(kmem_start_from); start++) {
			struct kmem_session *s = start_from(start, recording());
			char what[64];
			snprintf(what, sizeof(what), "%s %s, start %u", machines[m][0],
				 machines[m][1] ? machines[m][1] : "", start);
			CHECK(kmem_set(s, "allocator", machines[m][0]) == 0);
			CHECK(!machines[m][1] || kmem_preset(s, machines[m][1]) == 0);
			CHECK(kmem_build(s, 0) == 0, "%s: %s", what, kmem_error(s));
			/* Back and forth: a position that goes back counts again. */
			for (u32 at = kmem_nr_ops(s) + 1; at-- > 0;) {
				CHECK(kmem_seek(s, at) == 0);
				check_here(s, what);
			}
			for (u32 at = 0; at <= kmem_nr_ops(s); at++) {
				CHECK(kmem_seek(s, at) == 0);
				check_here(s, what);
			}
			if (!strcmp(machines[m][0], "slub"))
				CHECK(kmem_start_from(s) == start, "%s is %u", what,
				      kmem_start_from(s));
		}
	}
}

/* Checks the words of each start: its mark, and how its sentence starts. */
static void each_start_has_its_mark_and_sentence(void)
{
	static const char program[] = "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0\nf 1 cpu=1\n";
	static const struct {
		u32 start, from;
		const char *sentence;
	} rows[] = {
		{ START_BEGINNING, FROM_KNOWN_START, "Start from empty: the trace contains" },
		{ START_EMPTY, FROM_GUESS, "Start from empty, a guess: " },
		{ START_POINTERS, FROM_GUESS, "Start from pointers, a guess: 2 slabs" },
		{ START_SNAPSHOT, FROM_KNOWN_START, "Start from slabinfo: 1 cache" },
		{ START_KERNEL_STATE, FROM_KNOWN_START, "Start from kernel state: 1 cache" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_session *s = start_from(
			rows[i].start, rows[i].start == START_BEGINNING ? program : recording());
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
		CHECK(kmem_start_from(s) == rows[i].start, "%u is %u", i, kmem_start_from(s));
		CHECK(kmem_from(s) == rows[i].from, "start %u", i);
		CHECK(strncmp(kmem_warm_text(s), rows[i].sentence, strlen(rows[i].sentence)) == 0,
		      "%s", kmem_warm_text(s));
	}
}

/* The pointers show what the machine had, but this machine cannot start from it: the sentence gives the reason. */
static void an_empty_start_has_its_reason(void)
{
	static const struct {
		const char *key, *value, *sentence;
	} rows[] = {
		{ "allocator", "unified", "a guess: this allocator cannot start from the slabs" },
		{ "sanity_checks", "on", "a guess: with debugging on, a replay cannot start" },
		{ "red_zone", "on", "a guess: with debugging on, a replay cannot start" },
	};
	struct kmem_session *s = start_from(START_POINTERS, recording());

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u32 key = kmem_start_key(s), slabs = kmem_warm(s)->slabs;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(kmem_set(s, rows[i].key, rows[i].value) == 0 && kmem_build(s, 0) == 0, "%s",
		      kmem_error(s));
		CHECK(kmem_start_from(s) == START_EMPTY && kmem_start_key(s) != key);
		CHECK(strstr(kmem_warm_text(s), rows[i].sentence), "%s", kmem_warm_text(s));
		CHECK(kmem_set(s, rows[i].key, "") == 0);
	}
	kmem_infer_use(s, 0);
	CHECK(kmem_build(s, 0) == 0 &&
	      strstr(kmem_warm_text(s), "you chose to leave out the slabs"));
	kmem_infer_use(s, 1);
	kmem_start_limit(s, LIMIT_COUNTS);
	CHECK(kmem_build(s, 0) == 0 && strstr(kmem_warm_text(s), "replays are compared"));
	CHECK(kmem_start_from(s) == START_EMPTY && kmem_start_key(s) != key);
	kmem_start_limit(s, LIMIT_NONE);
	CHECK(kmem_build(s, 0) == 0 && kmem_start_key(s) == key && kmem_warm(s)->slabs == slabs);
}

/* A limit excludes the pointers, then the snapshot of the machine too. */
static void limits_take_parts_of_the_start(void)
{
	static const u32 of[][2] = {
		[START_SNAPSHOT] = { START_SNAPSHOT, START_EMPTY },
		[START_KERNEL_STATE] = { START_KERNEL_STATE, START_EMPTY },
	};

	for (u32 start = START_SNAPSHOT; start <= START_KERNEL_STATE; start++) {
		struct kmem_session *s = start_from(start, recording());
		for (u32 limit = LIMIT_COUNTS; limit <= LIMIT_EMPTY; limit++) {
			kmem_start_limit(s, limit);
			CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
			CHECK(kmem_start_from(s) == of[start][limit - 1], "%u: %u", limit,
			      kmem_start_from(s));
			CHECK(!kmem_warm(s)->inferred);
		}
	}
}

/* Whether a trace starts where its machine was empty. */
static void only_some_traces_contain_their_beginning(void)
{
	static const struct {
		u32 start;
		const char *trace;
	} rows[] = {
		{ START_BEGINNING, "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0\n" },
		{ START_BEGINNING, "= Start\n@ a:[0x1] + 0x1000 0x10\n= End\n" },
		/* Nothing says which machine it comes from. */
		{ START_EMPTY, "slabtrace 1\nk 1 100 cpu=0\n" },
		/* Converted from a kernel's recording, cut from one, or with events lost. */
		{ START_EMPTY, "slabtrace 1\nmachine cpus=2 kernel=6.1.0\nk 1 100 cpu=0\n" },
		{ START_EMPTY, "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0 kind=kmalloc_node\n" },
		{ START_EMPTY, "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0 kind=live_before\n" },
		{ START_EMPTY, "slabtrace 1\nmachine cpus=2\n#lost 3\nk 1 100 cpu=0\n" },
		{ START_EMPTY,
		  "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0\nf - why=orphan cpu=0\n" },
		/* A program from its start to its end frees a few objects of its loader. */
		{ START_BEGINNING,
		  "slabtrace 1\nmachine cpus=2\nk 1 100 cpu=0\nf - why=orphan cpu=0\n#exit\n" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_session *s = session_of_text(rows[i].trace);
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
		CHECK(kmem_start_from(s) == rows[i].start, "%s", rows[i].trace);
	}
}

/*
 * All events of the recording belong to filp, even frees of objects from before the trace, which have no object in it.
 */
static void moves_within_a_cache_stop_at_frees_of_older_objects(void)
{
	struct kmem_session *s = start_from(START_POINTERS, recording());
	u32 nr = kmem_nr_ops(s);

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, nr) == 0);
	u32 nr_caches, filp = kmem_cache_rows(s, &nr_caches)->cache;
	CHECK(nr_caches == 1 && kmem_seek(s, 0) == 0);
	for (u32 at = 0; at < nr; at++)
		CHECK(kmem_next(s, GO_EVENT, filp) == at + 1, "after event %u", at);
	CHECK(kmem_seek(s, nr) == 0);
	for (u32 at = nr; at > 1; at--)
		CHECK(kmem_previous(s, GO_EVENT, filp) == at - 1, "before event %u", at);
	CHECK(kmem_seek(s, 0) == 0);
	CHECK(kmem_op(s, 2)->cache == filp, "a free of an older object names its cache");
}

int main(void)
{
	RUN(parts_match_the_slabs_after_every_event());
	RUN(each_start_has_its_mark_and_sentence());
	RUN(an_empty_start_has_its_reason());
	RUN(limits_take_parts_of_the_start());
	RUN(only_some_traces_contain_their_beginning());
	RUN(moves_within_a_cache_stop_at_frees_of_older_objects());
	return check_summary();
}
