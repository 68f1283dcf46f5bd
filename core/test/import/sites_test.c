/*
 * sites_test.c - call sites: the same rows however the pass is sliced and whatever else the session holds, and the
 * verdict about what each cache has left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/sites/call_sites.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

enum { BOTH = 1 << SITES_BY_SITE | 1 << SITES_BY_CACHE, NR_OPS = 20000 };

static s32 begin(struct kmem_session *s, u32 by, const char *cache)
{
	return kmem_begin(
		s, JOB_SITES,
		&(struct kmem_sites_args){ cache, NULL, by, KMEM_ANY, KMEM_ANY, 0, KMEM_NONE32 });
}

static u64 rows_hash(struct kmem_session *s, u32 by, u32 slice)
{
	s64 left = begin(s, by, NULL);
	u32 slices = 0;

	CHECK(left == 0, "%s", kmem_error(s));
	do {
		left = kmem_work(s, JOB_SITES, slice);
		slices++;
	} while (left > 0);
	CHECK(left == 0, "%s", kmem_error(s));
	CHECK(slices > (slice < NR_OPS), "in slices");
	const struct kmem_sites *sites = kmem_sites(s);
	CHECK(sites != NULL && sites->nr_rows, "%s", kmem_error(s));
	const struct kmem_site_row *rows = (const void *)(s->pool.base + sites->rows_at);
	u64 hash = sites->nr_rows, allocs = 0;
	for (u32 i = 0; i < sites->nr_rows; i++) {
		allocs += rows[i].allocations;
		hash = (hash ^ rows[i].bytes_allocated ^ (u64)rows[i].frees << 32) *
		       HASH_MULTIPLIER;
		hash = (hash ^ rows[i].peak_live_bytes ^ rows[i].lifetime_events_mean) *
		       HASH_MULTIPLIER;
		CHECK(rows[i].allocations ==
			      rows[i].frees + rows[i].unseen_frees + rows[i].live_objects,
		      "every object ends or lives");
	}
	CHECK(allocs == kmem_report(s)->allocs, "all allocations are in one row");
	return hash;
}

static void neither_depends_on_the_replay_nor_disturbs_it(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, 500, 4, 2));
	u64 alone = rows_hash(s, BOTH, 0xffffffff), by_cpu = rows_hash(s, 1 << SITES_BY_CPU, 77);

	CHECK(rows_hash(s, BOTH, 77) == alone, "slices");
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 321) == 0, "%s", kmem_error(s));
	u64 state = kmem_hash(s);
	CHECK(rows_hash(s, BOTH, 77) == alone, "beside a world");
	CHECK(rows_hash(s, 1 << SITES_BY_CPU, 77) == by_cpu, "by CPU beside a world");
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 321) == 0, "%s", kmem_error(s));
	CHECK(rows_hash(s, BOTH, 77) == alone, "behind an index");
	CHECK(kmem_position(s) == 321 && kmem_hash(s) == state, "the position is kept");
	CHECK(begin(s, BOTH, NULL) == 0, "%s", kmem_error(s));
	CHECK(kmem_sites(s) == NULL, "not complete");
	CHECK(kmem_work(s, JOB_SITES, 10) > 0, "%s", kmem_error(s));
	CHECK(kmem_view(s, KMEM_ANY) && kmem_steps(s, 100) > 0, "%s", kmem_error(s));
	while (kmem_work(s, JOB_SITES, 1000) > 0)
		;
	CHECK(kmem_sites(s) != NULL, "%s", kmem_error(s));
}

/* Tables in the pool survive a build; those after the world do not, and the calls say so. */
static void fails_once_its_memory_is_taken(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, 500, 4, 2));
	u32 nr = 1;

	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(begin(s, BOTH, NULL) == 0, "%s", kmem_error(s));
	CHECK(kmem_job(s, JOB_INDEX, NULL) == 0, "%s", kmem_error(s));
	CHECK(kmem_work(s, JOB_SITES, 10) == KMEM_ESTATE, "the index took its memory");
	CHECK(begin(s, 0, NULL) == KMEM_EPARAM, "nothing kept");
	rows_hash(s, 1 << SITES_BY_CPU, NR_OPS);
	CHECK(kmem_pprof_begin(s) == KMEM_EPARAM, "no call sites");
	CHECK(kmem_pprof_next(s, &nr) == NULL && nr == 0, "not begun");
	CHECK(begin(s, BOTH, "no such") == KMEM_EPARAM, "unknown cache");
	CHECK(kmem_work(s, JOB_SITES, 10) == KMEM_ESTATE, "not begun");
	CHECK(kmem_fork(s, 100, (const u8 *)"k z 64 cpu=0\n", 13) == 0, "%s", kmem_error(s));
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(begin(s, BOTH, NULL) == 0, "%s", kmem_error(s));
	CHECK(kmem_work(s, JOB_SITES, 0xffffffff) > 0 && kmem_work(s, JOB_SITES, 0xffffffff) == 0,
	      "%s", kmem_error(s));
	CHECK(kmem_sites(s)->ops == 101, "the fork's events");
}

/* Returns the allocations of a range of events, and what became of them, within that range. */
static struct kmem_site_row sum_of(struct kmem_session *s, u32 first_op, u32 end_op)
{
	struct kmem_site_row sum = { 0 };

	CHECK(kmem_begin(s, JOB_SITES,
			 &(struct kmem_sites_args){ NULL, NULL, BOTH, KMEM_ANY, KMEM_ANY, first_op,
						    end_op }) == 0,
	      "%s", kmem_error(s));
	while (kmem_work(s, JOB_SITES, 1000) > 0)
		;
	const struct kmem_sites *sites = kmem_sites(s);
	CHECK(sites && sites->nr_rows, "%s", kmem_error(s));
	const struct kmem_site_row *rows = (const void *)(s->pool.base + sites->rows_at);
	for (u32 i = 0; i < sites->nr_rows; i++) {
		CHECK(rows[i].first_op >= first_op && rows[i].last_op < end_op, "of these events");
		sum.allocations += rows[i].allocations;
		sum.frees += rows[i].frees;
		sum.live_objects += rows[i].live_objects;
	}
	return sum;
}

static void counts_part_of_a_trace(void)
{
	struct kmem_session *s = session_of_text(synthetic_trace(NR_OPS, 500, 4, 2));
	struct kmem_site_row all = sum_of(s, 0, KMEM_NONE32), early = sum_of(s, 0, 7000),
			     late = sum_of(s, 7000, NR_OPS);

	CHECK(early.allocations && late.allocations, "in both parts");
	CHECK(early.allocations + late.allocations == all.allocations, "allocations");
	CHECK(early.frees + late.frees == all.frees, "frees, wherever they are");
	CHECK(early.live_objects + late.live_objects == all.live_objects, "live objects");
}

static char text[1 << 18];

static void add_line(const char *site, const char *call, u32 ptr, const char *rest)
{
	static u32 time;
	size_t at = strlen(text);

	snprintf(text + at, sizeof(text) - at,
		 " a-1 [000] .... 1.%06u: %s: call_site=%s+0x1/0x2 ptr=%x%s\n", ++time, call, site,
		 ptr, rest);
}

static void allocate(const char *cache, const char *site, u32 ptr)
{
	char rest[200];

	snprintf(rest, sizeof(rest),
		 " name=%s bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1", cache);
	add_line(site, "kmem_cache_alloc", ptr, rest);
}

static void verdict_is(struct kmem_session *s, const char *cache, u32 leak, u32 suspects,
		       const char *words)
{
	const struct kmem_sites *sites = kmem_sites(s);
	const struct kmem_site_cache *row = (const void *)(s->pool.base + sites->caches_at);
	u32 i = 0;

	while (i < sites->nr_caches && strcmp((const char *)s->pool.base + row[i].name_at, cache))
		i++;
	CHECK(i < sites->nr_caches, "%s", cache);
	CHECK(row[i].leak == leak && row[i].leak_suspects == suspects, "%s: %u, %u suspects", cache,
	      row[i].leak, row[i].leak_suspects);
	CHECK(strstr(kmem_sites_why(s, i), words) != NULL, "%s", kmem_sites_why(s, i));
}

static void distinguishes_leaks_from_long_lived_objects(void)
{
	text[0] = 0;
	strcat(text, "# tracer: nop\n");
	allocate("leaky", "leaks", 0x1000);
	allocate("old", "once", 0x2000);
	for (u32 i = 0; i < 40; i++) {
		allocate("leaky", "frees", 0x3000);
		add_line("frees", "kmem_cache_free", 0x3000, " name=leaky");
		allocate("tidy", "frees", 0x4000);
		add_line("frees", "kmem_cache_free", 0x4000, " name=tidy");
		allocate("bulk", "bulk", 0x5000); /* never a recorded free */
		allocate("deferred", "rcu_user", 0x6000);
		add_line("rcu_do_batch", "kmem_cache_free", 0x6000, " name=deferred");
	}
	allocate("leaky", "frees", 0x3000);
	allocate("deferred", "rcu_user", 0x6000);
	struct kmem_session *s = session_of_text(text);
	CHECK(begin(s, BOTH, NULL) == 0, "%s", kmem_error(s));
	while (kmem_work(s, JOB_SITES, 1000) > 0)
		;
	verdict_is(s, "leaky", LEAK_SUSPECT, 1, "1 live object is older");
	verdict_is(s, "old", LEAK_FEW_FREES, 0, "too few to know");
	verdict_is(s, "tidy", LEAK_NONE, 0, "No objects are left");
	verdict_is(s, "bulk", LEAK_UNSEEN, 0, "39 objects was allocated again");
	verdict_is(s, "deferred", LEAK_RCU, 0, "40 of 40 recorded frees came from RCU");
}

/* Adds a program with a leak in small sizes, a leak of part of what is allocated, a table, two large blocks and a
 * tidy site. */
static void add_program(const char *last)
{
	u32 id = 0;

	strcpy(text, "slabtrace 1\nmachine cpus=1\n");
	char *at = text + strlen(text);
	for (u32 i = 0; i < 300; i++)
		at += sprintf(at, "k %u 500 cpu=0 site=leak\n", ++id);
	for (u32 i = 0; i < 42; i++)
		at += sprintf(at, "k %u 60 cpu=0 site=locale\n", ++id);
	for (u32 i = 0; i < 16; i++)
		at += sprintf(at, "k %u 250 cpu=0 site=large\n", ++id);
	for (u32 i = 0; i < 15; i++)
		at += sprintf(at, "k %u 9000 cpu=0 site=large\n", ++id);
	u32 nodes = id;
	for (u32 i = 0; i < 200; i++)
		at += sprintf(at, "k %u %u cpu=0 site=nodes\n", ++id, 24 + i % 8);
	for (u32 i = 0; i < 200; i++)
		if (i % 4)
			at += sprintf(at, "f %u cpu=0 site=delete\n", nodes + i + 1);
	strcat(at, last);
}

static struct kmem_session *count_program(const char *last, u32 by)
{
	add_program(last);
	struct kmem_session *s = session_of_text(text);
	CHECK(begin(s, by, NULL) == 0, "%s", kmem_error(s));
	while (kmem_work(s, JOB_SITES, 50) > 0)
		;
	return s;
}

static void lists_what_a_program_did_not_free(void)
{
	struct kmem_session *s = count_program("#exit\n#end 723\n", BOTH);

	verdict_is(
		s, "kmalloc-512", LEAK_SUSPECT, 300,
		"300 of 300 objects were not freed when the program ended. They may be leaks, or");
	verdict_is(s, "kmalloc-32", LEAK_SUSPECT, 50, "50 of 200 objects were not freed");
	verdict_is(s, "kmalloc-256", LEAK_SUSPECT, 16, "16 of 16 objects");
	verdict_is(s, "kmalloc-64", LEAK_FEW_FREES, 0, "no call site left many of them behind.");
	verdict_is(s, "kmalloc-16k", LEAK_FEW_FREES, 0, "no call site left many of them behind.");
	/* Whatever the rows count separately. */
	verdict_is(count_program("#exit\n", 1 << SITES_BY_CPU), "kmalloc-32", LEAK_SUSPECT, 50,
		   "50 of 200");
	/* Unless the program was still running, events are missing, or a fork adds some. */
	static const char *const others[] = { "",
					      "#end 723\n",
					      "#exit 1\n",
					      "#exit\n#lost 1\n",
					      "#exit\n#end 723 cut\n",
					      "#exit\nk z 500 cpu=0 site=leak\n" };
	for (u32 i = 0; i < ARRAY_SIZE(others); i++)
		verdict_is(count_program(others[i], BOTH), "kmalloc-512", LEAK_FEW_FREES, 0,
			   "A longer trace would help");
	s = session_of_text((add_program("#exit\n"), text));
	CHECK(kmem_report(s)->ended == 1, "said");
	CHECK(kmem_fork(s, 723, (const u8 *)"k z 64 cpu=0\n", 13) == 0, "%s", kmem_error(s));
	CHECK(begin(s, BOTH, NULL) == 0, "%s", kmem_error(s));
	while (kmem_work(s, JOB_SITES, 1000) > 0)
		;
	verdict_is(s, "kmalloc-512", LEAK_FEW_FREES, 0, "A longer trace would help");
}

/* Compares with all values in order. With little room the counters are coarser; with even less there are no
 * percentiles. */
static void percentiles_are_as_exact_as_promised(void)
{
	enum { NR = 4000, ROWS = 3 };
	static u32 pages[ROWS][NR_OCTAVES], counts[8192];
	static u32 shown[ROWS];

	for (u32 room = 16; room <= 8192; room *= 8) {
		struct site_lifetimes l = { .pages = pages, .counts = counts, .nr_counts = room };
		struct lifetime_range all[ROWS];
		u64 at[NR_PERCENTILES], value = 1;
		lifetimes_begin(&l, ROWS);
		memset(all, 0, sizeof(all));
		/* Ascending, so that value number i is the i-th of its row. */
		for (u32 i = 0; i < NR; i++, value += i % 97 ? i / 7 : 12345) {
			u32 row = i % ROWS;
			lifetimes_add(&l, row, LIFETIME_TIME, value);
			lifetimes_add(&l, row, LIFETIME_EVENTS, 5);
			all[row].min = all[row].nr++ ? all[row].min : value;
			all[row].max = value;
		}
		CHECK(l.is_over == (room == 16), "%u counters", room);
		value = 1;
		memset(shown, 0, sizeof(shown));
		for (u32 i = 0; i < NR && !l.is_over; i++, value += i % 97 ? i / 7 : 12345) {
			static const u32 per_cent[] = { 50, 90, 99 };
			u32 row = i % ROWS, nr = ++shown[row];
			lifetimes_rank(&l, row, LIFETIME_TIME, &all[row], at);
			for (u32 k = 0; k < NR_PERCENTILES; k++)
				if (nr == (all[row].nr * per_cent[k] + 99) / 100)
					CHECK((at[k] > value ? at[k] - value : value - at[k]) <=
						      value >> (l.precision + 1),
					      "%u counters: %u of 100 is %llu, not %llu", room,
					      per_cent[k], (unsigned long long)at[k],
					      (unsigned long long)value);
			lifetimes_rank(&l, row, LIFETIME_EVENTS,
				       &(struct lifetime_range){ 5, 5, all[row].nr }, at);
			CHECK(at[0] == 5 && at[2] == 5, "all alike");
		}
		CHECK((l.precision == FINEST_LIFETIMES) == (room >= 1024), "%u", l.precision);
	}
}

/* A trace whose call sites are addresses, and symbols around them. */
static const char addresses[] =
	"x-1 [000] ..... 1.000001: kmalloc: call_site=ffffffff81000110 ptr=ffff888000001000 bytes_req=8 "
	"bytes_alloc=8 gfp_flags=GFP_KERNEL\n"
	"x-1 [000] ..... 1.000002: kfree: call_site=ffffffff81000200 ptr=ffff888000001000\n";
static const char symbols[] =
	"ffffffff81000300 T end\nffffffff81000100 T first\nffffffff81000200 t second\n"
	"ffffffff81000200 t alias\n\n0000000000000000 A cpu\nnot a symbol\n";

static s64 read_symbols(struct kmem_session *s, const char *lines, u32 len, u32 piece)
{
	CHECK(kmem_symbols_begin(s) == 0, "%s", kmem_error(s));
	for (u32 at = 0; at < len; at += piece)
		CHECK(kmem_symbols_chunk(s, (const u8 *)lines + at, MIN(piece, len - at)) == 0,
		      "%s", kmem_error(s));
	return kmem_symbols_end(s);
}

static void names_addresses(void)
{
	for (u32 piece = 1; piece < sizeof(symbols); piece = piece * 3 + 1) {
		struct kmem_session *s = session_of_text(addresses);
		CHECK(kmem_symbols_chunk(s, (const u8 *)symbols, 1) == KMEM_ESTATE, "not begun");
		CHECK(kmem_symbols_end(s) == KMEM_ESTATE, "not begun");
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
		CHECK(read_symbols(s, symbols, sizeof(symbols) - 1, piece) == 2, "two addresses");
		CHECK(!strcmp(kmem_call_site(s, 0), "first+0x10/0x100"), "%s",
		      kmem_call_site(s, 0));
		CHECK(!strcmp(kmem_call_site(s, 1), "second+0x0/0x100"), "%s",
		      kmem_call_site(s, 1));
		CHECK(!strcmp((const char *)s->pool.base + kmem_report(s)->format_at, "ftrace"),
		      "the report's texts are found where they are now");
		CHECK(kmem_next_call(s, "second+0x0/0x100", KMEM_NONE32, 0) == 1, "by its name");
		CHECK(kmem_build(s, 0) == 0 && kmem_check(s) == 0, "%s", kmem_error(s));
		CHECK(read_symbols(s, symbols, sizeof(symbols) - 1, piece) == 0, "all have names");
	}
}

/* Whatever the file holds, the call sites stay as they are or get the name of a whole line. */
static void survives_malformed_symbols(void)
{
	static char bytes[4096];
	u32 seed = 1;

	for (u32 i = 0; i < 200; i++) {
		struct kmem_session *s = session_of_text(addresses);
		for (u32 at = 0; at < sizeof(bytes); at++) {
			seed = seed * 1103515245 + 12345;
			int keep = (seed >> 16) % 64 || i == 0;
			bytes[at] = keep ? symbols[at % (sizeof(symbols) - 1)] : (char)(seed >> 24);
		}
		if (i % 4 == 3) /* one line without an end */
			for (u32 at = 0; at < sizeof(bytes); at++)
				bytes[at] = bytes[at] == '\n' ? 'f' : bytes[at];
		s64 named = read_symbols(s, bytes, sizeof(bytes), 1000);
		CHECK(named == 2 || named == 1 || named == KMEM_EINPUT, "%lld", (long long)named);
		CHECK(named > 0 || !strcmp(kmem_call_site(s, 0), "ffffffff81000110"), "%s",
		      kmem_call_site(s, 0));
		CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	}
}

int main(void)
{
	RUN(percentiles_are_as_exact_as_promised());
	RUN(neither_depends_on_the_replay_nor_disturbs_it());
	RUN(fails_once_its_memory_is_taken());
	RUN(counts_part_of_a_trace());
	RUN(distinguishes_leaks_from_long_lived_objects());
	RUN(lists_what_a_program_did_not_free());
	RUN(names_addresses());
	RUN(survives_malformed_symbols());
	return check_summary();
}
