/*
 * overlay_test.c - a real machine's caches: every way in which a kernel shows them, beside the model and as what its caches
 * are made of.
 */
#include "check.h"
#include "session_util.h"

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

/* In pieces of n bytes. */
static s32 overlay(struct kmem_session *s, const char *const *texts, u32 n)
{
	s32 status = kmem_overlay_begin(s);

	for (; !status && *texts; texts++) {
		u32 len = (u32)strlen(*texts);
		for (u32 at = 0; !status && at < len; at += n)
			status = kmem_overlay_chunk(s, (const u8 *)*texts + at, MIN(n, len - at));
	}
	return status ? status : kmem_overlay_end(s);
}

static const char *name_of(struct kmem_session *s, const struct kmem_overlay_row *row)
{
	return (const char *)s + row->name_at;
}

static void what_kernels_show_is_read(void)
{
	const char *const texts[] = { slabinfo, dump, table, NULL };
	struct kmem_session *s = session_of_text(trace);
	u32 nr;

	for (u32 piece = 1; piece < 200; piece += 66) {
		CHECK(overlay(s, texts, piece) == 0, "%s", kmem_error(s));
		CHECK(kmem_build(s, 0) == 0);
		const struct kmem_overlay_row *rows = kmem_overlay_rows(s, &nr);
		CHECK(nr == 2 && strcmp(name_of(s, &rows[0]), "filp") == 0);
		CHECK(rows[0].cache == 0 && rows[0].objects == 1200 &&
		      rows[0].total_objects == 1216);
		CHECK(rows[0].size == 256 && rows[0].objects_per_slab == 32 && rows[0].order == 1);
		CHECK(rows[0].slabs == 77 && rows[0].min_partial == 9 && rows[0].cpu_partial == 30);
		CHECK(rows[0].partial == 0xffffffff && rows[0].object_size == 0xffffffff);
		CHECK(rows[1].cache == 1 && rows[1].order == 2 &&
		      rows[1].cpu_partial == 0xffffffff);
		CHECK(kmem_overlay_of(s, 1) == &rows[1] && !kmem_overlay_of(s, 2));
	}
}

static const struct kmem_cache_row *cache_row(struct kmem_session *s, u32 cache)
{
	u32 nr;

	return kmem_cache_rows(s, &nr) + cache;
}

static void caches_are_made_as_the_machine_has_them(void)
{
	const char *const texts[] = { dump, table, NULL };
	struct kmem_session *s = session_of_text(trace);

	CHECK(kmem_build(s, 0) == 0);
	u64 without = kmem_hash(s);
	CHECK(overlay(s, texts, 100) == 0 && kmem_build(s, 0) == 0);
	CHECK(kmem_hash(s) == without, "an overlay alone changes nothing");
	kmem_overlay_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
	const struct kmem_cache_row *row = cache_row(s, 0);
	CHECK(row->size == 256 && row->order == 1 && row->objects_per_slab == 32);
	CHECK(row->min_partial == 9 && row->cpu_partial == 30);
	row = cache_row(s, 1);
	CHECK(row->size == 512 && row->object_size == 500 && row->order == 2 && row->align == 64);
	for (u32 n = 0; n <= kmem_nr_ops(s); n++)
		CHECK(kmem_seek(s, n) == 0);
	kmem_overlay_use(s, 0);
	CHECK(kmem_build(s, 0) == 0 && kmem_hash(s) == without);
}

/* Each cache has the sheaves that it has there; on another machine, and under another allocator, none. */
static void sheaves_are_those_of_the_machine(void)
{
	const char *const texts[] = { "cache,order,sheaf_capacity\nfilp,0,8\nmap,0,-1\n", NULL };
	struct kmem_session *s = session_of_text(trace);

	CHECK(overlay(s, texts, 100) == 0 && kmem_build(s, 0) == 0);
	CHECK(!kmem_has_counter(s, ALLOC_PCS));
	kmem_overlay_use(s, 1);
	CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0 && kmem_has_counter(s, ALLOC_PCS));
	CHECK(cache_row(s, 0)->counters[ALLOC_PCS] == 1, "filp");
	CHECK(cache_row(s, 1)->counters[ALLOC_PCS] == 0, "map");
	CHECK(kmem_set(s, "allocator", "slab") == 0 && kmem_build(s, 0) == 0);
	CHECK(kmem_check(s) == 0 && !kmem_has_counter(s, ALLOC_PCS));
}

/* A name that stands for something else on that machine is not followed. */
static void a_slot_too_small_is_not_taken(void)
{
	const char *const texts[] = { "cache,order,slab_size\nfilp,3,64\n", NULL };
	struct kmem_session *s = session_of_text(trace);

	kmem_overlay_use(s, 1);
	CHECK(overlay(s, texts, 7) == 0 && kmem_build(s, 0) == 0);
	CHECK(cache_row(s, 0)->size == 184 && cache_row(s, 0)->order == 0);
}

static void what_is_no_state_is_refused(void)
{
	const char *const texts[] = { "a,b,c\n1,2,3\n", NULL };
	struct kmem_session *s = session_of_text(trace);
	const char *const states[] = { slabinfo, dump, table };

	CHECK(kmem_overlay_end(s) == KMEM_ESTATE);
	CHECK(overlay(s, texts, 100) == KMEM_EINPUT && kmem_error(s)[0]);
	for (u32 i = 0; i < ARRAY_SIZE(states); i++) {
		CHECK(kmem_import_begin(s) == 0);
		kmem_import_chunk(s, (const u8 *)states[i], (u32)strlen(states[i]));
		CHECK(kmem_import_end(s) == KMEM_EINPUT && strstr(kmem_error(s), "not a trace"));
	}
}

/* Cut off anywhere, and with lines of any length: no more than what is there is read. */
static void cut_anywhere(void)
{
	struct kmem_session *s = session_of_text(trace);
	u32 len = (u32)strlen(table);
	char line[10000];

	for (u32 n = 0; n < len; n++) {
		CHECK(kmem_overlay_begin(s) == 0);
		CHECK(kmem_overlay_chunk(s, (const u8 *)table, n) == 0);
		s32 status = kmem_overlay_end(s);
		CHECK(status == 0 || status == KMEM_EINPUT, "cut at %u", n);
	}
	memset(line, 'x', sizeof(line));
	CHECK(kmem_overlay_begin(s) == 0);
	CHECK(kmem_overlay_chunk(s, (const u8 *)line, sizeof(line)) == 0);
	CHECK(kmem_overlay_chunk(s, (const u8 *)dump, (u32)strlen(dump)) == 0);
	CHECK(kmem_overlay_end(s) == 0);
}

int main(void)
{
	what_kernels_show_is_read();
	caches_are_made_as_the_machine_has_them();
	sheaves_are_those_of_the_machine();
	a_slot_too_small_is_not_taken();
	what_is_no_state_is_refused();
	cut_anywhere();
	return check_summary();
}
