/*
 * infer_test.c - a warm start from the trace's own pointers: slabs that existed according to the events, objects that
 * events free, and the same after every seek.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

#include <stdio.h>
#include <string.h>

enum { OLD = 0x1000, FULL = 0x2000, NEW = 0x3000 };

/* Events fill more than one chunk of the first events: trace/first_events.h. */
enum { MANY_SLABS = 600 };

static char trace[(MANY_SLABS + 1) * 16 * 112];
static size_t trace_bytes;
static u32 lines;

static void line(const char *what, u32 slab, u32 index, const char *more)
{
	trace_bytes += (size_t)snprintf(
		trace + trace_bytes, sizeof(trace) - trace_bytes,
		"task-1 [000] ..... 1.%06u: %s: call_site=f+0x1/0x2 ptr=ffff8881%08x%s name=filp\n",
		++lines, what, slab + index * 256, more);
}

static void alloc(u32 slab, u32 index)
{
	line("kmem_cache_alloc", slab, index,
	     " bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false");
}

static void release(u32 slab, u32 index)
{
	line("kmem_cache_free", slab, index, "");
}

/* The page allocator hands out, or takes back, the page of a slab. */
static void page(const char *what, u32 slab)
{
	trace_bytes += (size_t)snprintf(
		trace + trace_bytes, sizeof(trace) - trace_bytes,
		"task-1 [000] ..... 1.%06u: mm_page_%s: page=ffffea0004040000 pfn=0x%x order=0\n",
		++lines, what, 0x100000 + (slab >> 12));
}

/* Slabs of order 1 with page events: only these show where frame 0 is. */
static void other_pages(void)
{
	for (u32 slab = 0; slab < 5; slab++) {
		u32 at = 0x800000 + slab * 0x2000;
		trace_bytes += (size_t)snprintf(
			trace + trace_bytes, sizeof(trace) - trace_bytes,
			"task-1 [000] ..... 1.%06u: mm_page_alloc: page=ffffea0004040000 pfn=0x%x order=1\n",
			++lines, 0x100000 + (at >> 12));
		trace_bytes += (size_t)snprintf(
			trace + trace_bytes, sizeof(trace) - trace_bytes,
			"task-1 [000] ..... 1.%06u: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ffff8881%08x "
			"bytes_req=512 bytes_alloc=512 gfp_flags=GFP_KERNEL node=-1 accounted=false name=other\n",
			++lines, at);
	}
}

static void begin_trace(void)
{
	trace[0] = 0;
	trace_bytes = 0;
	lines = 0;
}

/* Makes an old slab with two free objects and one in use, an object of a full slab, and a new slab. */
static struct kmem_session *session_of_run(u32 infers)
{
	begin_trace();
	alloc(OLD, 5);
	alloc(OLD, 2);
	release(OLD, 9);
	release(FULL, 1);
	alloc(OLD, 9);
	alloc(FULL, 1);
	for (u32 i = 0; i < 4; i++)
		alloc(NEW, i);
	release(NEW, 0);
	release(OLD, 5);
	struct kmem_session *s = session_of_text(trace);
	kmem_infer_use(s, infers);
	return s;
}

static u32 counter(struct kmem_session *s, u32 which)
{
	u32 nr;

	return kmem_cache_rows(s, &nr)[0].counters[which];
}

static void events_find_their_slabs(void)
{
	struct kmem_session *s = session_of_run(1);

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	const struct kmem_warm *warm = kmem_warm(s);
	CHECK(warm->inferred && warm->slabs == 2 && warm->room == 2, "%u %u", warm->slabs,
	      warm->room);
	CHECK(warm->frees == 2 && warm->unknown == 0 && warm->objects == 14 + 16, "%u %u %llu",
	      warm->frees, warm->unknown, (unsigned long long)warm->objects);
	CHECK(strstr(kmem_warm_text(s), "2 slabs of 1 cache inferred from the trace's pointers"),
	      "%s", kmem_warm_text(s));
	/* As in the kernel: both full slabs go to the per-CPU partial list when an object is freed; one slab is new. */
	CHECK(counter(s, ALLOC_SLAB) == 1 && counter(s, CPU_PARTIAL_FREE) == 2 &&
	      counter(s, CPU_PARTIAL_ALLOC) == 1);
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	u64 end = kmem_hash(s);
	for (u32 at = 0; at <= kmem_nr_ops(s); at++)
		CHECK(kmem_seek(s, at) == 0 && kmem_check(s) == 0, "%u: %s", at, kmem_error(s));
	CHECK(kmem_hash(s) == end);
	CHECK(kmem_steps(s, 3) > 1, "the free of an object of a full slab has steps");
}

/* Uses a slab with a shuffled freelist: index 7, 2, … of a new one, in no order. */
static void use_shuffled(u32 slab, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		alloc(slab, (7 + 11 * i) % 16);
}

static struct kmem_session *infer(void)
{
	struct kmem_session *s = session_of_text(trace);

	kmem_infer_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	return s;
}

/*
 * Freelists are shuffled on most machines. A slab that the trace shows completely is new, and so is one that nothing is
 * known about.
 */
static void a_shuffled_slab_is_new(void)
{
	begin_trace();
	release(OLD, 3);
	use_shuffled(NEW, 16);
	use_shuffled(NEW + 0x1000, 5);
	struct kmem_session *s = infer();
	CHECK(kmem_warm(s)->slabs == 1 && kmem_warm(s)->room == 0, "%u %u", kmem_warm(s)->slabs,
	      kmem_warm(s)->room);
	CHECK(counter(s, ALLOC_SLAB) == 2, "%u", counter(s, ALLOC_SLAB));
}

/* If every slab that the trace shows completely is used in the order of indices, a slab that is not existed before. */
static void learns_the_order_of_slabs_from_the_trace(void)
{
	begin_trace();
	release(OLD, 3);
	for (u32 slab = 0; slab < 4; slab++)
		for (u32 i = 0; i < 16; i++)
			alloc(NEW + slab * 0x1000, i);
	use_shuffled(FULL, 2);
	struct kmem_session *s = infer();
	CHECK(kmem_warm(s)->slabs == 2 && kmem_warm(s)->room == 2, "%u %u", kmem_warm(s)->slabs,
	      kmem_warm(s)->room);
}

/* A page that was handed out during the trace has no old slab; any other has one, even if only allocations show it. */
static void page_events_distinguish_old_slabs_from_new(void)
{
	begin_trace();
	use_shuffled(OLD, 5);
	for (u32 slab = 0; slab < 5; slab++) {
		page("alloc", NEW + slab * 0x1000);
		use_shuffled(NEW + slab * 0x1000, 3);
	}
	release(NEW, 15); /* allocated without an event */
	struct kmem_session *s = infer();
	CHECK(kmem_warm(s)->slabs == 1 && kmem_warm(s)->room == 5, "%u %u", kmem_warm(s)->slabs,
	      kmem_warm(s)->room);
}

/* A trace may lack page events: each second one, those before they were switched on, those after, or all of slabs' order.
 * Slabs that it shows whole are new then, too. */
static void missing_page_events_invent_no_slab(void)
{
	enum { NR = 160, VARIANTS = 4 };

	for (u32 variant = 0; variant < VARIANTS; variant++) {
		begin_trace();
		release(OLD, 3);
		for (u32 slab = 0; slab < NR; slab++) {
			u32 has[VARIANTS] = { slab & 1, slab >= NR / 2, slab < NR / 2, 0 };
			if (has[variant])
				page("alloc", NEW + slab * 0x1000);
			use_shuffled(NEW + slab * 0x1000, 16);
		}
		if (variant + 1 == VARIANTS)
			other_pages();
		struct kmem_session *s = infer();
		CHECK(kmem_warm(s)->slabs == 1, "variant %u: %u", variant, kmem_warm(s)->slabs);
		CHECK(counter(s, ALLOC_SLAB) == NR, "variant %u", variant);
	}
}

/*
 * Objects of a page that is returned have been freed, with or without an event. What was there before says nothing
 * about the start after that.
 */
static void a_returned_page_frees_its_objects(void)
{
	begin_trace();
	for (u32 slab = 0; slab < 5; slab++) {
		page("alloc", NEW + slab * 0x1000);
		use_shuffled(NEW + slab * 0x1000, 16);
	}
	release(OLD, 4);
	page("free", OLD);
	page("free", NEW);
	page("alloc", OLD);
	use_shuffled(OLD, 16);
	struct kmem_session *s = infer();
	CHECK(kmem_report(s)->unseen_frees == 16, "%llu",
	      (unsigned long long)kmem_report(s)->unseen_frees);
	CHECK(kmem_warm(s)->slabs == 1 && kmem_warm(s)->frees == 1, "%u", kmem_warm(s)->slabs);
	/* Its others were free all along. */
	CHECK(kmem_warm(s)->objects == 1 && kmem_warm(s)->room == 15, "%u", kmem_warm(s)->room);
}

static void read_snapshot(struct kmem_session *s, const char *state)
{
	CHECK(kmem_warm_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)state, (u32)strlen(state)) == 0);
	CHECK(kmem_machine_state_end(s) == 0, "%s", kmem_error(s));
}

/* A snapshot counts 14 slabs, and pointers show what two of them held. Their objects are freed and used again. */
static void counts_and_pointers_make_one_start(void)
{
	static const char counts[] =
		"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/object_size:256\n"
		"/sys/kernel/slab/filp/order:0\n/sys/kernel/slab/filp/objs_per_slab:16\n"
		"/sys/kernel/slab/filp/slabs:14 N0=14\n/sys/kernel/slab/filp/partial:5 N0=5\n"
		"/sys/kernel/slab/filp/objects_partial:31 N0=31\n"
		"/sys/kernel/slab/filp/cpu_slabs:1 N0=1\n";
	struct kmem_session *s = session_of_run(1);

	read_snapshot(s, counts);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	const struct kmem_warm *warm = kmem_warm(s);
	CHECK(warm->slabs == 14 && warm->frees == 2 && warm->partial == 5, "%u %u %u", warm->slabs,
	      warm->frees, warm->partial);
	CHECK(kmem_start_from(s) == START_SNAPSHOT);
	/* Everything that the events take was free at the start. */
	CHECK(counter(s, ALLOC_SLAB) == 0, "%u", counter(s, ALLOC_SLAB));
	u64 end = kmem_hash(s);
	for (u32 at = 0; at <= kmem_nr_ops(s); at++)
		CHECK(kmem_seek(s, at) == 0 && kmem_check(s) == 0, "%u: %s", at, kmem_error(s));
	CHECK(kmem_hash(s) == end);
}

/* A snapshot of the start contradicts nothing in the trace. One of another kernel, machine or run does, and is a guess. */
static void a_snapshot_that_contradicts_is_a_guess(void)
{
	enum { NR_OLD = 9, NR_NEW = 5, MOST_BYTES = 2048 };
	static const char file[] =
		"/sys/kernel/slab/filp/slab_size:%u\n/sys/kernel/slab/filp/object_size:256\n"
		"/sys/kernel/slab/filp/order:0\n/sys/kernel/slab/filp/objs_per_slab:%u\n"
		"/sys/kernel/slab/filp/slabs:%u N0=%u\n/sys/kernel/slab/filp/partial:0\n"
		"/sys/kernel/slab/filp/objects_partial:0\n/sys/kernel/slab/filp/cpu_slabs:0\n%s";
	static const char sheaf[] = "/sys/kernel/slab/filp/sheaf_capacity:0\n";
	static const struct {
		const char *release, *sheaves;
		u32 size, slabs;
		const char *doubt;
	} rows[] = {
		{ "6.12.107", "", 256, 14, "" },
		{ "6.18.15", sheaf, 256, 14, "" },
		{ "6.12.107", sheaf, 256, 14, "has sheaf_capacity, which Linux 6.12.107 lacks." },
		{ "6.18.15", "", 256, 14, "lacks sheaf_capacity, which Linux 6.18.15 has." },
		{ "6.12.107", "", 320, 14,
		  "filp has slots of 320 bytes there and of 256 in the trace." },
		/* Some slabs may be made between the snapshot and the trace. */
		{ "6.12.107", "", 256, 8, "" },
		{ "6.12.107", "", 256, 2,
		  "counts 2 slabs of filp, and the trace uses 9 that were there before it." },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		char state[MOST_BYTES];
		begin_trace();
		trace_bytes = (size_t)snprintf(trace, sizeof(trace), "# os release : %s\n",
					       rows[i].release);
		for (u32 slab = 0; slab < NR_NEW; slab++) {
			page("alloc", NEW + (NR_OLD + slab) * 0x1000);
			use_shuffled(NEW + (NR_OLD + slab) * 0x1000, 16);
		}
		for (u32 slab = 0; slab < NR_OLD; slab++)
			release(NEW + slab * 0x1000, 4);
		struct kmem_session *s = session_of_text(trace);
		snprintf(state, sizeof(state), file, rows[i].size, 4096 / rows[i].size,
			 rows[i].slabs, rows[i].slabs, rows[i].sheaves);
		read_snapshot(s, state);
		kmem_infer_use(s, 1);
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
		const char *doubt = kmem_start_doubt(s);
		CHECK(rows[i].doubt[0] ? strstr(doubt, rows[i].doubt) != NULL : !doubt[0],
		      "row %u: %s", i, doubt);
		CHECK(kmem_start_from(s) == START_SNAPSHOT);
		CHECK(kmem_from(s) == (doubt[0] ? FROM_GUESS : FROM_KNOWN_START), "row %u", i);
		CHECK(!doubt[0] || strstr(kmem_warm_text(s), "So this start is a guess."), "%s",
		      kmem_warm_text(s));
	}
}

/* Without page events a CPU's last slab may be a new one that the trace leaves unfinished; those before it were there. */
static void an_unfinished_slab_existed_unless_it_is_the_last(void)
{
	begin_trace();
	use_shuffled(OLD, 2);
	use_shuffled(FULL, 3);
	use_shuffled(NEW, 4);
	release(0x8000, 0);
	struct kmem_session *s = infer();
	CHECK(kmem_warm(s)->slabs == 3 && kmem_warm(s)->room == 5, "%u %u", kmem_warm(s)->slabs,
	      kmem_warm(s)->room);
}

/* In kernels of 7.x the CPU's sheaves have what it takes first; the last object of the main sheaf is the first. */
static void sheaves_hold_what_the_cpu_takes(void)
{
	begin_trace();
	use_shuffled(OLD, 16);
	use_shuffled(FULL, 16);
	for (u32 slab = 0; slab < 5; slab++) {
		page("alloc", NEW + slab * 0x1000);
		use_shuffled(NEW + slab * 0x1000, 16);
	}
	struct kmem_session *s = session_of_text(trace);
	kmem_infer_use(s, 1);
	CHECK(kmem_preset(s, "linux-7.2") == 0 && kmem_set(s, "sheaf_capacity", "12") == 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	CHECK(kmem_warm(s)->slabs == 2 && kmem_warm(s)->room == 32, "%u", kmem_warm(s)->room);
	for (u32 at = 0; at < 32; at++) {
		CHECK(kmem_seek(s, at + 1) == 0 && kmem_check(s) == 0, "%u: %s", at, kmem_error(s));
		/* Eight objects in the main sheaf, twelve in the spare and in a full one of the barn. */
		CHECK(counter(s, ALLOC_FASTPATH) == at + 1 && counter(s, ALLOC_SLAB) == 0, "%u: %u",
		      at, counter(s, ALLOC_FASTPATH));
	}
}

/*
 * Events before 6.18 name no cache. Either the machine has only one of that size, or the allocating function shows
 * which one it is.
 */
static void a_snapshot_names_caches(void)
{
	static const char sizes[] = "cache,object_size,slab_size,order,objs_per_slab,slabs\n"
				    "mm_struct,1040,1088,2,15,4\n:0001088,1056,1088,2,15,0\n"
				    ":A-0000064,64,64,0,64,9\n:0000064,64,64,0,64,3\n"
				    "sysfs_name,sysfs_dir\nfs_cache,:A-0000064\n"
				    "anon_vma_chain,:A-0000064\nvmap_area,:0000064\n";
	static const char events[] =
		"t-1 [000] 1.000001: kmem_cache_alloc: call_site=dup+0x1 ptr=ffff888100001000 bytes_req=1040 bytes_alloc=1088 gfp_flags=GFP_KERNEL\n"
		"t-1 [000] 1.000002: kmem_cache_alloc: call_site=anon_vma_clone+0x1 ptr=ffff888100003000 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL\n"
		"t-1 [000] 1.000003: kmem_cache_alloc: call_site=copy_fs_struct.isra.0+0x1 ptr=ffff888100003040 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL\n"
		"t-1 [000] 1.000004: kmem_cache_alloc: call_site=anyone+0x1 ptr=ffff888100004040 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL\n";
	static const char *const names[] = { "mm_struct", "anon_vma_chain", "size-64" };
	struct kmem_session *s = session_of_text("slabtrace 1\n");
	u32 nr;

	CHECK(kmem_machine_state_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)sizes, sizeof(sizes) - 1) == 0);
	CHECK(kmem_machine_state_end(s) == 0, "%s", kmem_error(s));
	CHECK(kmem_import_begin(s) == 0 &&
		      kmem_import_chunk(s, (const u8 *)events, sizeof(events) - 1) == 0 &&
		      kmem_import_end(s) == 0 && kmem_build(s, 0) == 0,
	      "%s", kmem_error(s));
	const struct kmem_cache_row *rows = kmem_cache_rows(s, &nr);
	CHECK(nr == ARRAY_SIZE(names), "%u caches", nr);
	for (u32 i = 0; i < nr && i < ARRAY_SIZE(names); i++)
		CHECK(strcmp((const char *)s + rows[i].name_at, names[i]) == 0, "%s",
		      (const char *)s + rows[i].name_at);
}

/*
 * No allocation shows how large an object is, but the snapshot does. If it is from before the trace, it also says how
 * many slabs there were: an object of a later slab may be freed too, if the trace lacks its allocation.
 */
static void a_cache_may_have_only_frees(void)
{
	static const char two
		[] = "slabinfo - version: 2.1\nfilp 32 32 256 16 1 : tunables 0 0 0 : slabdata 2 2 0\n",
	     one[] = "slabinfo - version: 2.1\nfilp 16 16 256 16 1 : tunables 0 0 0 : slabdata 1 1 0\n";
	static const struct {
		const char *state;
		u32 is_before, slabs, left;
	} cases[] = { { NULL, 0, 0, 0 }, { two, 0, 2, 1 }, { two, 1, 2, 1 }, { one, 1, 1, 1 } };

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *state = cases[i].state;
		struct kmem_session *s = session_of_text("slabtrace 1\n");
		begin_trace();
		for (u32 k = 0; k < 16; k++) {
			release(OLD, k);
			release(FULL, k);
		}
		if (state)
			CHECK(kmem_machine_state_begin(s) == 0 &&
				      kmem_machine_state_chunk(s, (const u8 *)state,
							       (u32)strlen(state)) == 0 &&
				      kmem_machine_state_end(s) == 0 &&
				      kmem_machine_state_is_before(s, cases[i].is_before) == 0,
			      "%s", kmem_error(s));
		CHECK(kmem_import_begin(s) == 0 &&
			      kmem_import_chunk(s, (const u8 *)trace, (u32)trace_bytes) == 0 &&
			      kmem_import_end(s) == 0,
		      "%s", kmem_error(s));
		kmem_infer_use(s, 1);
		CHECK(kmem_set(s, "min_partial", "1") == 0 &&
			      kmem_set(s, "cpu_partial", "0") == 0 && kmem_build(s, 0) == 0,
		      "%s", kmem_error(s));
		const struct kmem_warm *warm = kmem_warm(s);
		CHECK(warm->slabs == cases[i].slabs && warm->frees == cases[i].slabs * 16,
		      "%u: %u slabs, %u frees", i, warm->slabs, warm->frees);
		CHECK(kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
		u32 nr;
		const struct kmem_cache_row *rows = kmem_cache_rows(s, &nr);
		u32 left = nr ? rows->slabs : 0;
		CHECK(left == cases[i].left, "%u: %u slabs left", i, left);
	}
}

static void a_cold_start_is_empty(void)
{
	struct kmem_session *s = session_of_run(0);

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_warm(s)->slabs == 0 && kmem_warm(s)->frees == 0);
	u64 cold = kmem_hash(s);
	CHECK(counter(s, CPU_PARTIAL_FREE) == 0);
	/* A machine's choice, not the import's. */
	kmem_infer_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) != cold);
	kmem_infer_use(s, 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == cold);
}

static void with_nothing_to_infer_the_start_is_empty(void)
{
	u64 hash[2];

	for (u32 infers = 0; infers < 2; infers++) {
		begin_trace();
		for (u32 i = 0; i < 20; i++)
			alloc(NEW + i / 16 * 4096, i % 16);
		struct kmem_session *s = session_of_text(trace);
		kmem_infer_use(s, infers);
		CHECK(kmem_build(s, 0) == 0 && kmem_warm(s)->slabs == 0);
		hash[infers] = kmem_hash(s);
	}
	CHECK(hash[0] == hash[1]);
}

static void other_machines_take_the_slabs_that_fit(void)
{
	static const char *const settings[][2] = {
		{ "allocator", "slab" },    { "allocator", "slob" },
		{ "allocator", "unified" }, { "cpu_partial_lists", "off" },
		{ "page_size", "65536" },   { "min_order", "2" },
		{ "cpu_slabs", "off" },	    { "sanity_checks", "on" },
		{ "nodes", "2" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(settings); i++) {
		struct kmem_session *s = session_of_run(1);
		CHECK(kmem_set(s, settings[i][0], settings[i][1]) == 0, "%s", kmem_error(s));
		CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s: %s", settings[i][0],
		      kmem_error(s));
	}
}

/* A fork's events lie where recorded ones were, and those still show the start. */
static void finds_many_slabs(void)
{
	begin_trace();
	alloc(0, 0);
	for (u32 slab = 0; slab < MANY_SLABS; slab++)
		for (u32 i = 0; i < 16; i++)
			release(OLD * (slab + 1), i);
	struct kmem_session *s = session_of_text(trace);
	kmem_infer_use(s, 1);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	const struct kmem_warm *warm = kmem_warm(s);
	CHECK(warm->slabs == MANY_SLABS && warm->frees == MANY_SLABS * 16 && !warm->room, "%u %u",
	      warm->slabs, warm->frees);
	CHECK(counter(s, FREE_SLAB) > MANY_SLABS / 2, "%u", counter(s, FREE_SLAB));
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
}

/* No object starts at an odd address: these pointers do not come from a machine. */
static void odd_pointers_infer_nothing(void)
{
	begin_trace();
	alloc(OLD, 5);
	release(OLD, 9);
	for (u32 i = 0; i < 4; i++)
		alloc(NEW + 1, i);
	struct kmem_session *s = session_of_text(trace);
	kmem_infer_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && !kmem_warm(s)->inferred, "%s", kmem_error(s));
}

static void a_fork_starts_from_the_same_slabs(void)
{
	static const u8 lines_of_fork[] = "f 1 cpu=0\nf 2 cpu=0\n";
	struct kmem_session *s = session_of_run(1);

	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 2) == 0, "%s", kmem_error(s));
	u64 hash = kmem_hash(s);
	CHECK(kmem_fork(s, 2, lines_of_fork, sizeof(lines_of_fork) - 1) == 0, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 2) == 0 && kmem_hash(s) == hash);
	CHECK(kmem_fork_leave(s) == 0 && kmem_build(s, 0) == 0 && kmem_seek(s, 2) == 0);
	CHECK(kmem_hash(s) == hash);
}

int main(void)
{
	RUN(events_find_their_slabs());
	RUN(a_shuffled_slab_is_new());
	RUN(learns_the_order_of_slabs_from_the_trace());
	RUN(page_events_distinguish_old_slabs_from_new());
	RUN(missing_page_events_invent_no_slab());
	RUN(a_returned_page_frees_its_objects());
	RUN(a_snapshot_that_contradicts_is_a_guess());
	RUN(counts_and_pointers_make_one_start());
	RUN(an_unfinished_slab_existed_unless_it_is_the_last());
	RUN(sheaves_hold_what_the_cpu_takes());
	RUN(a_snapshot_names_caches());
	RUN(a_cache_may_have_only_frees());
	RUN(a_cold_start_is_empty());
	RUN(with_nothing_to_infer_the_start_is_empty());
	RUN(other_machines_take_the_slabs_that_fit());
	RUN(finds_many_slabs());
	RUN(odd_pointers_infer_nothing());
	RUN(a_fork_starts_from_the_same_slabs());
	return check_summary();
}
