/*
 * machine_state_test.c - a real machine's caches: every way in which a kernel shows them, next to the model and as the
 * settings of its caches.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

#include <stdio.h>
#include <string.h>

static const char *const trace =
	"slabtrace 1\ncache f size=184 name=filp\ncache m size=256 name=map\n"
	"a 1 f cpu=0\na 2 m cpu=0\n";

static const char *const slabinfo =
	"slabinfo - version: 2.1\n"
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables "
	"<limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n"
	"filp                1200   1216    256   32    2 : tunables    0    0    0 : slabdata     76     "
	"77      0\n";

static const char *const dump =
	"/sys/kernel/slab/filp/order:1\n/sys/kernel/slab/filp/objects:1200 N0=1200\n"
	"/sys/kernel/slab/filp/slab_size:256\n/sys/kernel/slab/filp/min_partial:9\n"
	"/sys/kernel/slab/filp/cpu_partial:30\n/sys/kernel/slab/filp/alloc_calls:No data\n"
	"/sys/kernel/slab/filp/cgroup/filp(12:a)/order:7\n"
	"/sys/kernel/slab/:0000512/objs_per_slab:16\n";

static const char *const table =
	"cache,order,objs_per_slab,object_size,slab_size,min_partial,cpu_partial,sheaf_capacity,align,"
	"hwcache_align,reclaim_account,cache_dma,destroy_by_rcu\n"
	":0000512,2,32,500,512,5,-1,-1,64,1,1,0,0\n"
	"sysfs_name,sysfs_dir\nmap,:0000512\nelse,:0000512\n";

/* Reads a file in pieces of n bytes. */
static s32 machine_state(struct kmem_session *s, const char *const *texts, u32 n)
{
	s32 status = kmem_machine_state_begin(s);

	for (; !status && *texts; texts++) {
		u32 len = (u32)strlen(*texts);
		for (u32 at = 0; !status && at < len; at += n)
			status = kmem_machine_state_chunk(s, (const u8 *)*texts + at,
							  MIN(n, len - at));
	}
	return status ? status : kmem_machine_state_end(s);
}

static const char *name_of(struct kmem_session *s, const struct kmem_machine_state_row *row)
{
	return (const char *)s + row->name_at;
}

static void reads_what_each_kernel_shows(void)
{
	const char *const texts[] = { slabinfo, dump, table, NULL };
	struct kmem_session *s = session_of_text(trace);
	u32 nr;

	for (u32 piece = 1; piece < 200; piece += 66) {
		CHECK(machine_state(s, texts, piece) == 0, "%s", kmem_error(s));
		CHECK(kmem_build(s, 0) == 0);
		const struct kmem_machine_state_row *rows = kmem_machine_state_rows(s, &nr);
		CHECK(nr == 2 && strcmp(name_of(s, &rows[0]), "filp") == 0);
		CHECK(rows[0].cache == 0 && rows[0].objects == 1200 &&
		      rows[0].total_objects == 1216);
		CHECK(rows[0].size == 256 && rows[0].objects_per_slab == 32 && rows[0].order == 1);
		CHECK(rows[0].slabs == 77 && rows[0].min_partial == 9 && rows[0].cpu_partial == 30);
		CHECK(rows[0].partial == 0xffffffff && rows[0].object_size == 0xffffffff);
		CHECK(rows[1].cache == 1 && rows[1].order == 2 &&
		      rows[1].cpu_partial == 0xffffffff);
		CHECK(kmem_machine_state_of(s, 1) == &rows[1] && !kmem_machine_state_of(s, 2));
	}
}

static const struct kmem_cache_row *cache_row(struct kmem_session *s, u32 cache)
{
	u32 nr;

	return kmem_cache_rows(s, &nr) + cache;
}

static void makes_caches_as_in_the_snapshot(void)
{
	const char *const texts[] = { dump, table, NULL };
	struct kmem_session *s = session_of_text(trace);

	CHECK(kmem_build(s, 0) == 0);
	u64 without = kmem_hash(s);
	CHECK(machine_state(s, texts, 100) == 0 && kmem_build(s, 0) == 0);
	CHECK(kmem_hash(s) == without, "an overlay alone changes nothing");
	kmem_machine_state_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	const struct kmem_cache_row *row = cache_row(s, 0);
	CHECK(row->size == 256 && row->order == 1 && row->objects_per_slab == 32);
	CHECK(row->min_partial == 9 && row->cpu_partial == 30);
	row = cache_row(s, 1);
	CHECK(row->size == 512 && row->object_size == 500 && row->order == 2 && row->align == 64);
	for (u32 n = 0; n <= kmem_nr_ops(s); n++)
		CHECK(kmem_seek(s, n) == 0);
	kmem_machine_state_use(s, 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == without);
}

/* Each cache has the same sheaves as in the snapshot; on another machine or under another allocator it has none. */
static void sheaves_match_those_of_the_snapshot(void)
{
	const char *const texts[] = { "cache,order,sheaf_capacity\nfilp,0,8\nmap,0,-1\n", NULL };
	struct kmem_session *s = session_of_text(trace);

	CHECK(machine_state(s, texts, 100) == 0 && kmem_build(s, 0) == 0);
	CHECK(!kmem_has_counter(s, ALLOC_PCS));
	kmem_machine_state_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0 && kmem_has_counter(s, ALLOC_PCS));
	CHECK(cache_row(s, 0)->counters[ALLOC_PCS] == 1, "filp");
	CHECK(cache_row(s, 1)->counters[ALLOC_PCS] == 0, "map");
	CHECK(kmem_set(s, "allocator", "slab") == 0 && kmem_build(s, 0) == 0);
	CHECK(kmem_check(s) == 0 && !kmem_has_counter(s, ALLOC_PCS));
}

/* Returns the value of a cache's file under /sys/kernel/slab; NULL if it has no such file. */
static const char *attribute(struct kmem_session *s, u32 cache, const char *name)
{
	u32 nr;
	const struct kmem_attribute_row *row = kmem_attributes(s, cache, &nr);

	for (u32 i = 0; i < nr; i++)
		if (strcmp((const char *)s + row[i].name_at, name) == 0)
			return (const char *)s + row[i].value_at;
	return NULL;
}

static int is_number(const char *value, const char *number)
{
	size_t len = strlen(number);

	return value && strncmp(value, number, len) == 0 && (!value[len] || value[len] == '\n');
}

static const char *const full =
	"cache,order,objs_per_slab,object_size,slab_size,min_partial,cpu_partial,sheaf_capacity,align\n"
	"filp,1,32,184,256,9,77,8,64\nmap,2,64,256,256,8,66,0,64\n";

static struct kmem_session *session_with_params(const char *text, const char *file)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_cache_params_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)file, (u32)strlen(file)) == 0);
	CHECK(kmem_machine_state_end(s) == 0, "%s", kmem_error(s));
	return s;
}

static void sheaves_of_the_file_have_their_attributes(void)
{
	struct kmem_session *s = session_with_params(trace, full);

	CHECK(kmem_build(s, 0) == 0);
	CHECK(is_number(attribute(s, 0, "sheaf_capacity"), "8"));
	CHECK(is_number(attribute(s, 0, "alloc_pcs"), "1 C0=1"));
	CHECK(is_number(attribute(s, 1, "sheaf_capacity"), "0"));
	CHECK(kmem_set(s, "sheaf_capacity", "0") == 0 && kmem_build(s, 0) == 0);
	CHECK(!attribute(s, 0, "sheaf_capacity"));
}

/* What a parameter changes when it is set, in the first cache: everything else stays as in the file. */
static const struct wins {
	const char *key, *value;
	u32 order, min_partial, cpu_partial, sheaf_capacity;
} wins[] = {
	{ NULL, NULL, 1, 9, 77, 8 },
	{ "min_partial", "3", 1, 3, 77, 8 },
	{ "min_partial_rule", "static", 1, 5, 77, 8 },
	{ "cpu_partial", "4", 1, 9, 4, 8 },
	{ "cpu_partial_lists", "off", 1, 9, 0, 8 },
	{ "max_order", "0", 0, 9, 77, 8 },
	{ "min_order", "3", 3, 9, 77, 8 },
	{ "min_objects", "128", 3, 9, 77, 8 },
	{ "sheaf_capacity", "4", 1, 9, 77, 4 },
	{ "sheaf_capacity", "0", 1, 9, 77, 0 },
	{ "sheaf_caches", "linux-6.18", 1, 9, 77, 0 },
	{ "cpus", "2", 1, 9, 77, 8 },
	{ "node_search", "skip-checked", 1, 9, 77, 8 },
};

static void check_wins(struct kmem_session *s, const struct wins *want)
{
	const struct kmem_cache_row *row;
	const char *key = want->key ? want->key : "nothing", *capacity;
	char number[16];

	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	row = cache_row(s, 0);
	CHECK(row->size == 256 && row->align == 64, "%s", key);
	CHECK(row->order == want->order, "%s: order %u", key, row->order);
	CHECK(row->min_partial == want->min_partial, "%s: %u", key, row->min_partial);
	CHECK(row->cpu_partial == want->cpu_partial, "%s: %u", key, row->cpu_partial);
	snprintf(number, sizeof(number), "%u", want->sheaf_capacity);
	capacity = attribute(s, 0, "sheaf_capacity");
	CHECK(want->sheaf_capacity ? is_number(capacity, number)
				   : !capacity || is_number(capacity, number),
	      "%s", key);
}

static void settings_win_over_the_snapshot(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(wins); i++) {
		struct kmem_session *s = session_with_params(trace, full);
		if (wins[i].key)
			CHECK(kmem_set(s, wins[i].key, wins[i].value) == 0);
		check_wins(s, &wins[i]);
		if (wins[i].key)
			CHECK(kmem_set(s, wins[i].key, "") == 0);
		check_wins(s, &wins[0]);
	}
}

/* The trace sets them on its machine line, or on a line before the first operation. */
static void settings_of_the_trace_win_over_the_snapshot(void)
{
	char text[512];

	for (u32 i = 1; i < ARRAY_SIZE(wins); i++) {
		snprintf(text, sizeof(text), "slabtrace 1\nmachine %s=%s\n%s", wins[i].key,
			 wins[i].value, trace + strlen("slabtrace 1\n"));
		check_wins(session_with_params(text, full), &wins[i]);
	}
	/* While the trace runs: for existing caches and for those still to come. */
	struct kmem_session *s = session_with_params(
		"slabtrace 1\ncache f size=184 name=filp\ncache m size=256 name=map\n"
		"a 1 m cpu=0\nset min_partial=2\nset cpu_partial=1\na 2 f cpu=0\n",
		full);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0);
	for (u32 cache = 0; cache < 2; cache++) {
		const struct kmem_cache_row *row = cache_row(s, cache);
		CHECK(row->min_partial == 2 && row->cpu_partial == 1, "cache %u", cache);
	}
	u64 hash = kmem_hash(s);
	CHECK(kmem_seek(s, 1) == 0 && kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_hash(s) == hash);
}

/* A chosen preset decides order, thresholds and sheaves, as it would without the file. */
static void a_chosen_preset_wins_over_the_snapshot(void)
{
	static const struct wins linux_6_1 = { "linux-6.1", NULL, 0, 5, 52, 0 };
	static const struct wins linux_2_6_26 = { "linux-2.6.26", NULL, 0, 5, 0, 0 };
	struct kmem_session *s = session_with_params(trace, full);

	CHECK(kmem_preset(s, "linux-6.1") == 0);
	check_wins(s, &linux_6_1);
	CHECK(!kmem_has_counter(s, SHEAF_REFILL));
	CHECK(kmem_preset(s, "linux-2.6.26") == 0);
	check_wins(s, &linux_2_6_26);
	CHECK(strstr(kmem_cache_params_text(s), "win over the snapshot"));
	CHECK(kmem_preset(s, "") == 0);
	check_wins(s, &wins[0]);
	CHECK(!strstr(kmem_cache_params_text(s), "win over"));
}

/* An order for another page size does not apply. */
static void ignores_orders_for_another_page_size(void)
{
	struct kmem_session *s = session_with_params(trace, full);

	CHECK(kmem_set(s, "page_size", "65536") == 0 && kmem_build(s, 0) == 0);
	CHECK(cache_row(s, 0)->size == 256 && cache_row(s, 0)->order == 0);
}

/* The state that is shown and the one that caches are made of are separate; the later of several files counts. */
static void states_do_not_mix(void)
{
	static const char *const after = "cache,order,slab_size,min_partial\nfilp,3,512,2\n";
	struct kmem_session *s = session_with_params(trace, full);
	const char *const texts[] = { after, NULL };
	u32 nr;

	CHECK(machine_state(s, texts, 100) == 0 && kmem_build(s, 0) == 0);
	check_wins(s, &wins[0]);
	const struct kmem_machine_state_row *rows = kmem_machine_state_rows(s, &nr);
	CHECK(nr == 1 && rows[0].order == 3 && rows[0].objects_per_slab == 0xffffffff);

	CHECK(kmem_machine_state_begin(s) == 0);
	CHECK(kmem_machine_state_file(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)full, (u32)strlen(full)) == 0);
	CHECK(kmem_machine_state_file(s) == 0, "nothing was there to replace");
	CHECK(kmem_machine_state_chunk(s, (const u8 *)table, (u32)strlen(table)) == 0);
	CHECK(kmem_machine_state_file(s) == 1);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)after, (u32)strlen(after)) == 0);
	CHECK(kmem_machine_state_file(s) == 1);
	CHECK(kmem_machine_state_end(s) == 0);
	rows = kmem_machine_state_rows(s, &nr);
	CHECK(nr == 1 && rows[0].order == 3 && rows[0].min_partial == 2);
	CHECK(rows[0].cpu_partial == 0xffffffff && rows[0].objects_per_slab == 0xffffffff);
}

/* Files of two machines, C: caches, A: aliases of them. Only the last machine's caches remain, with its aliases. */
static void the_later_of_two_snapshots_counts(void)
{
	static const char *const caches[] = { "cache,order,slab_size\n:0000512,2,512\n",
					      "cache,order,slab_size\n:0000512,2,1024\n" };
	static const char *const aliases[] = { "sysfs_name,sysfs_dir\nmap,:0000512\n",
					       "sysfs_name,sysfs_dir\nfilp,:0000512\n" };
	static const struct {
		const char *order; /* capital letters: the first machine's */
		u32 filp, map;	   /* size of the slot, 0: not there */
	} orders[] = { { "CA", 0, 512 },    { "AC", 0, 512 },	 { "CAc", 0, 0 },
		       { "CAca", 1024, 0 }, { "ACac", 1024, 0 }, { "ACc", 0, 0 } };

	for (u32 i = 0; i < ARRAY_SIZE(orders); i++) {
		struct kmem_session *s = session_of_text(trace);
		CHECK(kmem_machine_state_begin(s) == 0 && kmem_build(s, 0) == 0);
		for (const char *p = orders[i].order; *p; p++) {
			const char *text = ((*p | 32) == 'c' ? caches : aliases)[*p >= 'a'];
			kmem_machine_state_file(s);
			CHECK(kmem_machine_state_chunk(s, (const u8 *)text, (u32)strlen(text)) ==
			      0);
		}
		CHECK(kmem_machine_state_end(s) == 0);
		const struct kmem_machine_state_row *filp = kmem_machine_state_of(s, 0),
						    *map = kmem_machine_state_of(s, 1);
		CHECK((filp ? filp->size : 0) == orders[i].filp, "%s", orders[i].order);
		CHECK((map ? map->size : 0) == orders[i].map, "%s", orders[i].order);
	}
}

/* Ignores a row whose name means something else on that machine. */
static void ignores_a_slot_too_small_for_its_objects(void)
{
	const char *const texts[] = { "cache,order,slab_size\nfilp,3,64\n", NULL };
	struct kmem_session *s = session_of_text(trace);

	kmem_machine_state_use(s, 1);
	CHECK(machine_state(s, texts, 7) == 0 && kmem_build(s, 0) == 0);
	CHECK(cache_row(s, 0)->size == 184 && cache_row(s, 0)->order == 0);
}

static void refuses_files_that_are_not_a_snapshot(void)
{
	const char *const texts[] = { "a,b,c\n1,2,3\n", NULL };
	struct kmem_session *s = session_of_text(trace);
	const char *const states[] = { slabinfo, dump, table };

	CHECK(kmem_machine_state_end(s) == KMEM_ESTATE);
	CHECK(machine_state(s, texts, 100) == KMEM_EINPUT && kmem_error(s)[0]);
	for (u32 i = 0; i < ARRAY_SIZE(states); i++) {
		CHECK(kmem_import_begin(s) == 0);
		kmem_import_chunk(s, (const u8 *)states[i], (u32)strlen(states[i]));
		CHECK(kmem_import_end(s) == KMEM_EINPUT && strstr(kmem_error(s), "not a trace"));
	}
}

/* However the file is cut, and however long its lines are, nothing past its end is read. */
static void a_snapshot_cut_anywhere_is_harmless(void)
{
	struct kmem_session *s = session_of_text(trace);
	u32 len = (u32)strlen(table);
	char line[10000];

	for (u32 n = 0; n < len; n++) {
		CHECK(kmem_machine_state_begin(s) == 0);
		CHECK(kmem_machine_state_chunk(s, (const u8 *)table, n) == 0);
		s32 status = kmem_machine_state_end(s);
		CHECK(status == 0 || status == KMEM_EINPUT, "cut at %u", n);
	}
	memset(line, 'x', sizeof(line));
	CHECK(kmem_machine_state_begin(s) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)line, sizeof(line)) == 0);
	CHECK(kmem_machine_state_chunk(s, (const u8 *)dump, (u32)strlen(dump)) == 0);
	CHECK(kmem_machine_state_end(s) == 0);
}

int main(void)
{
	RUN(reads_what_each_kernel_shows());
	RUN(makes_caches_as_in_the_snapshot());
	RUN(sheaves_match_those_of_the_snapshot());
	RUN(sheaves_of_the_file_have_their_attributes());
	RUN(settings_win_over_the_snapshot());
	RUN(settings_of_the_trace_win_over_the_snapshot());
	RUN(a_chosen_preset_wins_over_the_snapshot());
	RUN(ignores_orders_for_another_page_size());
	RUN(states_do_not_mix());
	RUN(the_later_of_two_snapshots_counts());
	RUN(ignores_a_slot_too_small_for_its_objects());
	RUN(refuses_files_that_are_not_a_snapshot());
	RUN(a_snapshot_cut_anywhere_is_harmless());
	return check_summary();
}
