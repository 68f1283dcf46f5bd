/*
 * limits_test.c - every limit at its edge, and regions of every size: what fits is read, and what does not is reported.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

enum { ROOM = 2 << 20 };

static char text[ROOM];

/* Imports `text` and expects this many events and lines with problems, the first of which says `what`. */
static void reads(u32 ops, u32 problems, const char *what)
{
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.status == KMEM_OK, "%s", in.trace.error);
	CHECK(in.trace.nr_ops == ops, "%u operations", in.trace.nr_ops);
	CHECK(in.trace.report.skipped_lines == problems, "%u problems",
	      (u32)in.trace.report.skipped_lines);
	const struct kmem_problem *first = (const void *)imported_text(&in,
								       in.trace.report.problems_at);
	CHECK(!problems || strstr(imported_text(&in, first->reason_at), what), "%s",
	      problems ? imported_text(&in, first->reason_at) : "");
	imported_drop(&in);
}

static void long_lines(void)
{
	static const char form[] =
		" x-1 [000] ..... %d.0: kmalloc: call_site=%s ptr=ffff88810000000%d bytes_req=8 "
		"bytes_alloc=8 gfp_flags=0\n";
	static char site[MAX_LINE_BYTES + 2];
	u32 frame = (u32)snprintf(text, ROOM, form, 1, "", 0) - 1;

	for (u32 len = MAX_LINE_BYTES - 1; len <= MAX_LINE_BYTES + 1; len++) {
		u32 fits = len <= MAX_LINE_BYTES;
		memset(site, 'f', len - frame);
		site[len - frame] = 0;
		int n = snprintf(text, ROOM, form, 1, site, 0);
		snprintf(text + n, ROOM - (size_t)n, form, 2, "g", 8);
		reads(fits ? 2 : 1, !fits, "at most 64 KiB");
	}
}

static void too_many_caches(void)
{
	for (u32 nr = MAX_CACHES; nr <= MAX_CACHES + 1; nr++) {
		char *p = text;
		for (u32 i = 0; i < nr; i++)
			p += sprintf(
				p,
				" x-1 [000] ..... 1.%06u: kmem_cache_alloc: call_site=f "
				"ptr=%016llx bytes_req=8 bytes_alloc=64 gfp_flags=0 name=n%u\n",
				i, 0xffff888100000000ull + i * 64, i);
		reads(MAX_CACHES, nr - MAX_CACHES, "more than 4096 caches");
	}
}

static void cpus_and_nodes_out_of_range(void)
{
	for (u32 over = 0; over < 2; over++) {
		snprintf(text, ROOM,
			 "slabtrace 1\nk 1 8 cpu=%u\nk 2 8 cpu=0 node=%u\nk 3 8 cpu=0\n",
			 MAX_CPUS - 1 + over, MAX_NODES - 1 + over);
		reads(over ? 1 : 3, 2 * over, "0 to 4095");
	}
}

/* Tries the largest allowed numbers, and larger ones. */
static void numbers_out_of_range(void)
{
	snprintf(text, ROOM, "slabtrace 1\nk 1 67108864 cpu=0\nk 2 8 cpu=0\n");
	reads(2, 0, "");
	snprintf(text, ROOM, "slabtrace 1\nk 1 67108865 cpu=0\nk 2 8 cpu=0\n");
	reads(1, 1, "64 MiB");
	snprintf(text, ROOM, "slabtrace 1\nk 1 18446744073709551616 cpu=0\nk 2 8 cpu=0\n");
	reads(1, 1, "");
	snprintf(text, ROOM, "slabtrace 1\nk 18446744073709551615 8 cpu=0 t=9223372036854775807\n");
	reads(1, 0, "");
}

/* A session in a region of that size does as much as it can; returns 1 if that is everything. */
/* Makes sites beyond the last one that an event in eight bytes can name. */
static void many_call_sites(void)
{
	const u32 nr = PACKED_SITE_MASK + 3;
	char *lines = NULL;
	size_t len;
	FILE *out = open_memstream(&lines, &len);
	struct imported in;

	fprintf(out, "slabtrace 1\n");
	for (u32 i = 0; i < nr; i++)
		fprintf(out, "k %u %u cpu=%u\n", i, i + 8, i % 7);
	fprintf(out, "f %u cpu=3\n", nr - 1);
	fclose(out);
	import_text(&in, lines, len, 0, 0);
	CHECK(in.trace.nr_ops == nr + 1 && in.trace.nr_large_ops == 3, "%u operations, %u large",
	      in.trace.nr_ops, in.trace.nr_large_ops);
	for (u32 i = nr - 4; i < nr; i++) {
		struct op op = trace_op(&in.trace, i);
		CHECK(op.kind == OP_KMALLOC && op.handle == i && op.cpu == i % 7 && !op.flags &&
			      in.trace.sites[op.site].bytes == i + 8,
		      "operation %u", i);
	}
	struct op last = trace_op(&in.trace, nr);
	CHECK(last.kind == OP_FREE && last.handle == nr - 1 && last.cpu == 3, "%u", last.kind);
	imported_drop(&in);
	free(lines);
}

static u64 wild_time(u32 i)
{
	static const u64 wild[] = { 0, 1, 999, 1000, 2000, 1ull << 31, 1ull << 32, ~0ull >> 1 };
	u32 block = i / 700;

	/* Microseconds, then nanoseconds, then any jump backwards and forwards. */
	if (block == 0)
		return i * 1000ull;
	return block == 1 ? i * 1001ull : wild[i * 5 % ARRAY_SIZE(wild)] * 2;
}

static void extreme_times(void)
{
	enum { NR = 2100 };
	struct imported in;
	char *p = text + sprintf(text, "slabtrace 1\n");

	for (u32 i = 0; i < NR; i++)
		p += sprintf(p, "k %u 8 cpu=0 t=%llu\n", i, (unsigned long long)wild_time(i));
	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.nr_ops == NR, "%u operations", in.trace.nr_ops);
	for (u32 i = 0; i < NR; i++)
		CHECK(trace_time(&in.trace, i) == wild_time(i), "operation %u", i);
	for (u32 i = 0, op = 0; i < NR; i++, op = (op + 1307) % NR)
		CHECK(trace_time(&in.trace, op) == wild_time(op), "operation %u", op);
	imported_drop(&in);
}

/* A table that no block of the world can hold is refused, instead of being looked for past the last class of blocks. */
static void more_handles_than_a_block_holds(void)
{
	struct kmem_session *s = session_of_text("slabtrace 1\ncache c size=64\na 1 c cpu=0\n");
	const u32 largest = LARGEST_BLOCK_BYTES / sizeof(handle);

	s->trace.nr_handles = largest + 1;
	CHECK(kmem_build(s, 0) == KMEM_ENOMEM && strlen(kmem_error(s)) > 20, "%s", kmem_error(s));
	s->trace.nr_handles = 1;
	CHECK(kmem_build(s, 0) == KMEM_OK, "%s", kmem_error(s));
}

static int does_what_it_can(const char *trace, u64 len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kmem_session *s = kmem_open(memory, len);
	s32 status = s ? kmem_import_begin(s) : KMEM_ENOMEM;
	int whole = 0;

	if (s && !status)
		status = kmem_import_chunk(s, (const u8 *)trace, (u32)strlen(trace));
	if (s && !status)
		status = kmem_import_end(s);
	if (s && !status)
		status = kmem_build(s, 0);
	CHECK(status == KMEM_OK || status == KMEM_ENOMEM, "%llu bytes: %d", (unsigned long long)len,
	      status);
	CHECK(!s || !status || strlen(kmem_error(s)) > 20, "%llu bytes: nothing is said",
	      (unsigned long long)len);
	if (!status) {
		u32 nr_ops = kmem_nr_ops(s);
		s32 steps = kmem_steps(s, nr_ops / 2);
		const struct kmem_frame *frame = steps >= 0 ? kmem_view(s, 0xffff) : NULL;
		CHECK(steps >= 0 || steps == KMEM_ENOMEM, "%d", steps);
		CHECK(kmem_seek(s, nr_ops) == KMEM_OK && kmem_check(s) == KMEM_OK, "%s",
		      kmem_error(s));
		whole = frame != NULL;
	}
	if (s)
		kmem_close(s);
	munmap(memory, len);
	return whole;
}

static void regions_of_every_size(void)
{
	const char *trace = synthetic_trace(20000, 6000, 8, 2);
	int whole = 0;

	CHECK(kmem_open(text, 0) == NULL);
	for (u64 len = 4 << 20; len <= (u64)96 << 20; len += (u64)tries(1000, 8000) << 10) {
		int enough = does_what_it_can(trace, len);
		CHECK(enough >= whole, "%llu bytes do less than fewer", (unsigned long long)len);
		whole = enough;
	}
	CHECK(whole, "96 MiB are enough for 20,000 operations");
}

int main(void)
{
	RUN(more_handles_than_a_block_holds());
	RUN(long_lines());
	RUN(too_many_caches());
	RUN(cpus_and_nodes_out_of_range());
	RUN(numbers_out_of_range());
	RUN(many_call_sites());
	RUN(extreme_times());
	RUN(regions_of_every_size());
	return check_summary();
}
