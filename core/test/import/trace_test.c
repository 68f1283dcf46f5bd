/*
 * trace_test.c - the importer by example: the lines of every kernel era, what a recording lacks, slabtrace and its
 * problems, refusals, limits. trace_samples_test.c has the real recordings.
 */
#define _GNU_SOURCE
#include "test/support/check.h"
#include "test/support/trace_text.h"

#include <stdlib.h>
#include <string.h>

/* Compares what is read from a text, as lines; both ways of parsing and small chunks must agree. */
static void reads_as(const char *what, const char *text, const char *expected)
{
	for (u32 way = 0; way < 4; way++) {
		struct imported in;
		import_text(&in, text, strlen(text), way == 2 ? 1 : (way == 3 ? 7 : 0),
			    way == 1 ? GENERAL_ONLY : 0);
		char *lines = trace_lines(&in);
		CHECK(in.status == KMEM_OK, "%s (way %u): %s", what, way, in.trace.error);
		CHECK(strcmp(lines, expected) == 0, "%s (way %u):\n--- read\n%s--- expected\n%s",
		      what, way, lines, expected);
		free(lines);
		imported_drop(&in);
	}
}

/* Reads the same allocation and free as each kernel writes them. */
static void reads_the_lines_of_every_kernel(void)
{
	const char *filp =
		"alloc 0 filp 184 cpu 1 t 3408614000\nfree 0 filp 184 cpu 1 t 3409076000\n";
	const char *sized =
		"alloc 0 size-192 184 cpu 1 t 3408614000\nfree 0 size-192 184 cpu 1 t 3409076000\n";
	const char *node =
		"alloc 0 size-192 184 cpu 1 node 2 t 3408614000\nfree 0 size-192 184 cpu 1 t 3409076000\n";

	reads_as(
		"6.18",
		"    bash-1       [001] .....     3.408614: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ff19a340c2507b90 "
		"name=filp bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=true\n"
		"    bash-1       [001] .....     3.409076: kmem_cache_free: call_site=g+0x1/0x2 ptr=ff19a340c2507b90 name=filp\n",
		filp);
	reads_as(
		"6.1, patched to tell the name last",
		"    bash-1       [001] d.h1.     3.408614: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ff19a340c2507b90 "
		"bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=true name=filp\n"
		"    bash-1       [001] .....     3.409076: kfree: call_site=g+0x1/0x2 [ext4] ptr=ff19a340c2507b90\n",
		filp);
	reads_as(
		"6.1, hash-ptr=0: strings are blank",
		"    bash-1       [001] .....     3.408614: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=ff19a340c2507b90 "
		"bytes_req=184 bytes_alloc=192 gfp_flags= node=-1 accounted=true\n"
		"    bash-1       [001] .....     3.409076: kmem_cache_free: call_site=g+0x1/0x2 ptr=ff19a340c2507b90 name=\n",
		sized);
	reads_as(
		"5.10 with TGID",
		" bash-2417    ( 2417) [001] ....     3.408614: kmem_cache_alloc_node: call_site=ffffffff81086a54 "
		"ptr=ffffa20d21ecb000 bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=2\n"
		" bash-2417    (-----) [001] ....     3.409076: kmem_cache_free: call_site=ffffffff81086a54 ptr=ffffa20d21ecb000\n",
		node);
	reads_as(
		"2.6.31, no flags, 32 bit",
		"  bash-2417  [001] 3.408614: kmem_cache_alloc: call_site=c026c2af ptr=de4e6000 bytes_req=184 bytes_alloc=192 "
		"gfp_flags=000000d0\n  bash-2417  [001] 3.409076: kmem_cache_free: call_site=c026c2af ptr=de4e6000\n",
		sized);
}

/* Reads the same from other recorders and with other options, and whatever else a line may hold. */
static void reads_the_lines_of_every_recorder(void)
{
	const char *filp =
		"alloc 0 filp 184 cpu 1 t 3408614000\nfree 0 filp 184 cpu 1 t 3409076000\n";
	const char *sized =
		"alloc 0 size-192 184 cpu 1 t 3408614000\nfree 0 size-192 184 cpu 1 t 3409076000\n";

	reads_as(
		"trace-cmd report",
		"cpus=2\n            make-20365 [001]     3.408614: kmem_cache_alloc:     (f+0x24) call_site=f+0x24 "
		"ptr=0xffff888152f29000 name=filp bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
		"            make-20365 [001]     3.409076: kmem_cache_free:      (g+0x24) call_site=g+0x24 ptr=0xffff888152f29000 name=filp\n",
		filp);
	reads_as(
		"trace-cmd report -l and -R, buffer foo",
		"foo:  rrpong-145     1d.s..     3.408614: kmem_cache_alloc:      call_site=f+0x29 ptr=0xffff98921c228000 "
		"bytes_req=184 bytes_alloc=192 gfp_flags=3264\n"
		"foo:  rrpong-145     1d.s..     3.409076: kmem_cache_free:       call_site=f+0x29 ptr=0xffff98921c228000\n",
		sized);
	reads_as(
		"latency-format",
		"# tracer: nop\n    bash-1         1..... 3408614us+: kmem_cache_alloc: call_site=f+0x1/0x2 ptr=0000000026598908 name=filp "
		"bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=true\n"
		"    bash-1         1..... 3409076us : kmem_cache_free: call_site=f+0x1/0x2 ptr=0000000026598908 name=filp\n",
		filp);
	reads_as(
		"options/fields",
		"  bash-1       [001] .....     3.408614: kmem_cache_alloc: call_site=f+0x26/0x1d0 (-1781138906) ptr=0xff19a340c1faf000 "
		"(-64841221092478976) name=filp bytes_req=0xb8 (184) bytes_alloc=0xc0 (192) gfp_flags=0xcc0 (3264) "
		"node=0xffffffff (-1) accounted=(0)\n"
		"  bash-1       [001] .....     3.409076: kmem_cache_free: call_site=f+0x1/0x2 (-17) ptr=0xff19a340c1faf000 (-648) name=filp\n",
		filp);
	reads_as(
		"perf script",
		"            perf   161 [001]     3.408614: kmem:kmem_cache_alloc: call_site=f+0x1b ptr=0xffff98918134c0a0 name=filp "
		"bytes_req=184 bytes_alloc=192 gfp_flags=GFP_KERNEL node=-1 accounted=false\n\tffffffffb9aaa03d kfree+0x17d "
		"([kernel.kallsyms])\n\n            perf   161 [001]     3.409076:  kmem:kmem_cache_free: call_site=g+0x1 "
		"ptr=0xffff98918134c0a0 name=filp\n",
		filp);
	reads_as(
		"perf script of 3.x, without CPU",
		"  bash  2417 1.000001: kmem_cache_alloc: call_site=ffffffff8126c2af ptr=0xffff8800aaecb000 bytes_req=184 "
		"bytes_alloc=192 gfp_flags=GFP_KERNEL\n",
		"alloc 0 size-192 184 cpu 0 t 1000001000\n");
	reads_as(
		"nanoseconds, CRLF, a comm with everything in it",
		" a: b [001] c-77      [003] d.h2.   3.000000007: kmalloc: call_site=f+0x1/0x2 ptr=ffff888109a2b000 bytes_req=704 "
		"bytes_alloc=1024 gfp_flags=GFP_ATOMIC|__GFP_RECLAIMABLE node=0 accounted=false\r\n",
		"kmalloc 0 - 704 cpu 3 node 0 type 1 t 3000000007\n");
	reads_as(
		"a clock that counts",
		" bash-1 [000] ....   60125241158: kfree: call_site=f+0x1/0x2 ptr=ffff9891812ef5b8\n",
		"nothing(free,5) - 0 cpu 0 t 60125241158\n");
}

/* Recorder options that change the text before the event. */
static void reads_the_trace_options(void)
{
	reads_as("trace-cmd report --raw-ts",
		 "cpus=1\n make-2 [000]5255815008063: kfree: call_site=f ptr=(nil)\n",
		 "nothing(free,4) - 0 cpu 0 t 5255815008063\n");
	reads_as("trace-cmd report --ts-diff",
		 "cpus=1\n make-2 [000]  5.815008: (+3)     kfree:     (f) call_site=f ptr=(nil)\n",
		 "nothing(free,4) - 0 cpu 0 t 5815008000\n");
	reads_as("perf script -F time,event,trace",
		 " 5.815008: kmem:kfree: call_site=f ptr=(nil)\n",
		 "nothing(free,4) - 0 cpu 0 t 5815008000\n");
	reads_as("perf script -F cpu,time,event,trace",
		 "[003]  5.815008007: kmem:kfree: call_site=f ptr=(nil)\n",
		 "nothing(free,4) - 0 cpu 3 t 5815008007\n");
	reads_as("perf script -F -cpu --ns",
		 " rrpong 20631  5.815008007: kmem:kfree: call_site=f ptr=(nil)\n",
		 "nothing(free,4) - 0 cpu 0 t 5815008007\n");
}

#define ALLOC(ptr)                                                 \
	" x-1 [000] ..... 1.000000: kmalloc: call_site=f ptr=" ptr \
	" bytes_req=8 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
#define FREE(ptr) " x-1 [000] ..... 1.000000: kfree: call_site=f ptr=" ptr "\n"

/*
 * NULL, ZERO_SIZE_PTR, frees of objects from before the trace, unseen frees, pointers that were not printed, failed
 * allocations.
 */
static void counts_frees_and_allocations_without_objects(void)
{
	char null[40];

	snprintf(null, sizeof(null), "nothing(free,%u) - 0 cpu 0 t 1000000000\n", REASON_NULL_FREE);
	reads_as("(null)", FREE("(null)"), null);
	reads_as("(null), padded", FREE("          (null)"), null);
	reads_as("(nil)", FREE("(nil)"), null);
	reads_as("zeros", FREE("0000000000000000"), null);
	reads_as("0x0", FREE("0x0"), null);
	reads_as(
		"unseen free",
		ALLOC("ffff888109a2b000") ALLOC("ffff888109a2b000") FREE("ffff888109a2b000"),
		"kmalloc 0 - 8 cpu 0 t 1000000000\nfree 0 - 8 cpu 0 flags 1 t 1000000000\nkmalloc 0 - 8 cpu 0 t 1000000000\n"
		"free 0 - 8 cpu 0 t 1000000000\n");
	reads_as(
		"handles are used again, the last one first",
		ALLOC("ffff888109a2b000") ALLOC("ffff888109a2b008") ALLOC("ffff888109a2b010")
			FREE("ffff888109a2b000") FREE("ffff888109a2b008") ALLOC("ffff888109a2b018"),
		"kmalloc 0 - 8 cpu 0 t 1000000000\nkmalloc 1 - 8 cpu 0 t 1000000000\nkmalloc 2 - 8 cpu 0 t 1000000000\n"
		"free 0 - 8 cpu 0 t 1000000000\nfree 1 - 8 cpu 0 t 1000000000\nkmalloc 1 - 8 cpu 0 t 1000000000\n");
	reads_as(
		"a pointer that was not printed lives on",
		ALLOC("(____ptrval____)") FREE("(____ptrval____)") ALLOC("ffff888109a2b018"),
		"kmalloc 0 - 8 cpu 0 t 1000000000\nnothing(free,5) - 0 cpu 0 t 1000000000\nkmalloc 1 - 8 cpu 0 t 1000000000\n");
	reads_as("failed", ALLOC("0000000000000000"),
		 "nothing(kmalloc,7) - 8 cpu 0 t 1000000000\n");
	reads_as(
		"kmalloc(0) and its free",
		" x-1 [000] ..... 1.000000: kmalloc: call_site=f ptr=00000000fd996129 bytes_req=0 bytes_alloc=0 gfp_flags=GFP_KERNEL\n" FREE(
			"00000000fd996129") FREE("0000000000000010"),
		"nothing(kmalloc,6) - 0 cpu 0 t 1000000000\nnothing(free,6) - 0 cpu 0 t 1000000000\nnothing(free,6) - 0 cpu 0 t 1000000000\n");
}

/* A kmalloc's type follows the flags, in every notation. */
static void distinguishes_types_of_kmalloc_caches(void)
{
	static const struct {
		const char *flags;
		u32 type;
	} cases[] = { { "GFP_KERNEL|__GFP_ACCOUNT", 2 },
		      { "GFP_KERNEL_ACCOUNT|__GFP_RECLAIMABLE", 1 },
		      { "GFP_KERNEL|GFP_DMA", 3 },
		      { "4197824", 2 },
		      { "0xcc0", 0 },
		      { "000000d0", 0 },
		      { "0x400dc0", 2 },
		      { "none", 0 },
		      { "", 2 } };

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[300], expected[100], type[16];
		snprintf(
			text, sizeof(text),
			" x-1 [000] ..... 1.000000: kmalloc: call_site=f ptr=ffff888109a2b000 bytes_req=9 bytes_alloc=16 "
			"gfp_flags=%s node=-1 accounted=true\n",
			cases[i].flags);
		snprintf(type, sizeof(type), " type %u", cases[i].type);
		snprintf(expected, sizeof(expected), "kmalloc 0 - 9 cpu 0%s t 1000000000\n",
			 cases[i].type ? type : "");
		reads_as(cases[i].flags, text, expected);
	}
}

static void counts_lost_events(void)
{
	static const struct {
		const char *text;
		u64 lost;
		u32 cpus;
	} cases[] = {
		{ "CPU:3 [LOST 12 EVENTS]\n" ALLOC("ffff888109a2b000"), 12, 1 },
		{ ALLOC("ffff888109a2b000") "CPU:0 [989 EVENTS DROPPED]\nCPU:0 [EVENTS DROPPED]\n",
		  990, 1 },
		{ "# entries-in-buffer/entries-written: 3442/5867   #P:8\n" ALLOC(
			  "ffff888109a2b000"),
		  2425, 8 },
		{ "# latency: 0 us, #591/600, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:2)\n" ALLOC(
			  "ffff888109a2b000"),
		  9, 2 },
		{ "cpus=6\n" ALLOC("ffff888109a2b000"), 0, 6 },
		{ " a 2 [001] 9.268759: PERF_RECORD_LOST lost 344\n a 2 [001] 9.268759: kmem:kfree: call_site=f ptr=(nil)\n",
		  344, 2 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct imported in;
		import_text(&in, cases[i].text, strlen(cases[i].text), 0, 0);
		CHECK(in.trace.report.lost == cases[i].lost, "case %u: %llu", i,
		      (unsigned long long)in.trace.report.lost);
		CHECK(in.trace.report.cpus == cases[i].cpus, "case %u: %u", i,
		      in.trace.report.cpus);
		CHECK(in.trace.report.skipped_lines == 0, "case %u", i);
		imported_drop(&in);
	}
}

/* What is wrong with a line: where it is reported, and in which words. */
static void reports_where_a_line_is_wrong_and_what_was_expected(void)
{
	static const struct {
		const char *text;
		u32 line, column;
		const char *reason;
	} cases[] = {
		{ ALLOC("ffff888109a2b000") "what is this\n", 2, 1,
		  "expected \"comm-pid [cpu] time: event:\", found \"what\"; line skipped" },
		{ FREE("zzz"), 1, 51, "expected ptr=<pointer>, found \"zzz\"; line skipped" },
		{ " x-1 [000] ..... 1.0: kmalloc: call_site=f ptr=ffff888109a2b000 bytes_rq=192 bytes_alloc=192 gfp_flags=0\n",
		  1, 65, "expected bytes_req=<integer>, found \"bytes_rq=192\"; line skipped" },
		{ " x-1 [000] ..... 1.0: kmalloc: call_site=f ptr=ffff888109a2b000 bytes_req=8\n",
		  1, 76,
		  "expected bytes_alloc=<integer>, found the end of the line; line skipped" },
		{ " x-1 [000] ..... 1.0: kmalloc: call_site=f ptr=ffff888109a2b000 bytes_req=-8 bytes_alloc=8 gfp_flags=0\n",
		  1, 75, "bytes_req" },
		{ " x-1 [4096] ..... 1.0: kfree: call_site=f ptr=ffff888109a2b000\n", 1, 1, "CPU" },
		{ "slabtrace 1\nf 1 cpu=0\n", 2, 1, "never allocated" },
		{ "slabtrace 1\nk 1 8 cpu=0\nk 1 8 cpu=0\n", 3, 1, "still live" },
		{ "slabtrace 1\nk 1 8\n", 2, 6, "expected cpu=<0 to 4095>, found the end" },
		{ "slabtrace 1\nk 1 8 cpu=4096\n", 2, 11, "0 to 4095" },
		{ "slabtrace 1\nk 1 8 cpu=0 node=1024\n", 2, 18, "0 to 1023" },
		{ "slabtrace 1\nk 1 eight cpu=0\n", 2, 5, "number of bytes" },
		{ "slabtrace 1\nk 1 8 cpu=0 colour=blue\n", 2, 13,
		  "known key=value, found \"colour=blue\"" },
		{ "slabtrace 1\nk 1 8 cpu=0 size=4\n", 2, 13, "no meaning" },
		{ "slabtrace 1\nk 1 8 cpu=0 cpu=0\n", 2, 13, "twice" },
		{ "slabtrace 1\na 1 c0 cpu=0\n", 2, 5, "ID of a `cache` line above, found \"c0\"" },
		{ "slabtrace 1\ncache c0 size=0\n", 2, 15, "size" },
		{ "slabtrace 1\ncache c0 size=8\ncache c0 size=8\n", 3, 7,
		  "already exists; line skipped" },
		{ "slabtrace 1\ncache c0 size=8 align=3\n", 2, 23, "power of two" },
		{ "slabtrace 1\ncache c0 size=8 flags=shiny\n", 2, 23, "flag" },
		{ "slabtrace 1\nmalloc 1 8\n", 2, 1, "expected a, k, f, r, cache" },
		{ "slabtrace 1\nmachine warp=9\n", 2, 9, "warp" },
		{ "slabtrace 1\nk 1 8 cpu=0\nset page_size=4096\n", 3, 5, "cannot change" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct imported in;
		import_text(&in, cases[i].text, strlen(cases[i].text), 0, 0);
		const struct kmem_report *r = &in.trace.report;
		const struct kmem_problem *p = (const void *)imported_text(&in, r->problems_at);
		CHECK(in.status == KMEM_OK && r->nr_problems == 1, "%s: %u problems, %s",
		      cases[i].text, r->nr_problems, in.trace.error);
		if (in.status == KMEM_OK && r->nr_problems) {
			const char *reason = imported_text(&in, p->reason_at);
			CHECK(p->line == cases[i].line && p->column == cases[i].column,
			      "%s: %llu:%u", cases[i].text, (unsigned long long)p->line, p->column);
			CHECK(strstr(reason, cases[i].reason) != NULL, "%s: %s", cases[i].text,
			      reason);
		}
		imported_drop(&in);
	}
}

static void reads_slabtrace(void)
{
	reads_as(
		"the example of traces.md",
		"slabtrace 1\nmachine cpus=4 nodes=2 page_size=4096\n\ncache c0 size=256 name=filp align=8 # a comment\n"
		"a 1 c0 cpu=0\na 2 c0 cpu=3 node=1 t=4582696626000 req=200\nk 3 100 cpu=1\nf 1 cpu=2\nflush c0\nflush c0 cpu=1\n"
		"shrink c0\ntick 2\nreap cpu=0\nexpire\nset min_partial=7 cache=c0\n",
		"alloc 0 filp 256 cpu 0 t 0\nalloc 1 filp 200 cpu 3 node 1 t 4582696626000\nkmalloc 2 - 100 cpu 1 t 4582696626000\n"
		"free 0 filp 256 cpu 2 t 4582696626000\nflush filp 0 cpu 0 flags 2 t 4582696626000\n"
		"flush filp 0 cpu 1 t 4582696626000\nshrink filp 0 cpu 0 flags 2 t 4582696626000\ntick - 2 cpu 0 t 4582696626000\n"
		"reap - 0 cpu 0 t 4582696626000\nexpire - 0 cpu 0 flags 2 t 4582696626000\nset filp 0 cpu 0 t 4582696626000\n");
	reads_as(
		"words as IDs; 7 and 007 are two",
		"slabtrace 1\nk seven 7 cpu=0\nk 7 7 cpu=0\nk 007 7 cpu=0\nf seven cpu=0\nf 007 cpu=0\n",
		"kmalloc 0 - 7 cpu 0 t 0\nkmalloc 1 - 7 cpu 0 t 0\nkmalloc 2 - 7 cpu 0 t 0\nfree 0 - 7 cpu 0 t 0\nfree 2 - 7 cpu 0 t 0\n");
}

static void refuses_what_is_not_a_trace(void)
{
	static const struct {
		const char *bytes;
		u32 len;
		const char *words;
	} cases[] = {
		{ "", 0, "empty" },
		{ " \n\n", 3, "empty" },
		{ "\x1f\x8b\x08", 3, "gzip" },
		{ "PERFILE2\0\0\0\0", 12, "cut off" },
		{ "\x17\x08\x44tracing6\0", 12, "its header is cut off" },
		{ "\x89PNG\r\n\x1a\n", 8, "PNG" },
		{ "\x7f"
		  "ELF\2\1",
		  6, "ELF" },
		{ "\n {\"a\": 1}", 10, "JSON" },
		{ "<!doctype html>", 15, "HTML" },
		{ "time,cpu,tid,comm\n1,2,3,4\n", 26, "CSV" },
		{ "\1\2\3\4\0\0\0\5", 8, "binary" },
		{ "Dear diary,\n", 12, "slabtrace 1" },
		{ "slabtrace 2\n", 12, "version" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct imported in;
		import_text(&in, cases[i].bytes, cases[i].len, i % 2, 0);
		CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, cases[i].words),
		      "case %u: %d %s", i, in.status, in.trace.error);
		imported_drop(&in);
	}
}

/* Imports a line of n bytes between two others. The line of n bytes would be valid except for its length. */
static void long_line(u32 n, u32 chunk)
{
	const char *before = ALLOC("ffff888109a2b000"),
		   *head = " x-1 [000] ..... 1.000000: kfree: call_site=",
		   *tail = " ptr=ffff888109a2b000";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct imported in;

	fprintf(out, "%s%s", before, head);
	for (u32 i = (u32)(strlen(head) + strlen(tail)); i < n; i++)
		fputc('z', out);
	fprintf(out, "%s\n%s", tail, before);
	fclose(out);
	for (int flags = 0; flags <= GENERAL_ONLY; flags++) {
		import_text(&in, text, len, chunk, flags);
		const struct kmem_report *r = &in.trace.report;
		const struct kmem_problem *p = (const void *)imported_text(&in, r->problems_at);
		const char *reason = r->nr_problems ? imported_text(&in, p->reason_at) : "";
		int too_long = n > MAX_LINE_BYTES;
		CHECK(in.trace.nr_ops == 3 && r->lines == 3 && r->skipped_lines == (u64)too_long,
		      "%u bytes in chunks of %u: %u ops", n, chunk, in.trace.nr_ops);
		CHECK((strstr(reason, "64 KiB") != NULL) == too_long, "%u: %s", n, reason);
		imported_drop(&in);
	}
	free(text);
}

static void skips_lines_that_are_too_long(void)
{
	static const u32 lengths[] = { MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1,
				       1 << 20 };

	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (u32 chunk = 0; chunk < 200000; chunk += 65521)
			long_line(lengths[i], chunk);
	}
}

/* A zero byte is reported in text that would be kept; elsewhere it does no harm. */
static void reports_zero_bytes_as_damage(void)
{
	char text[] = ALLOC("ffff888109a2b000")
		FREE("ffff888109a2b000") " x-1 [000] ..... 1.000000: mark: zero\n"
					 " x-1 [000] ..... 1.000000: mark: zero\n";
	struct imported in;

	strstr(text, "kfree: call")[11] = 0;
	text[sizeof(text) - 4] = 0;
	for (int flags = 0; flags <= GENERAL_ONLY; flags++) {
		import_text(&in, text, sizeof(text) - 1, 0, flags);
		CHECK(in.trace.nr_ops == 1 && in.trace.report.skipped_lines == 1, "%u ops",
		      in.trace.nr_ops);
		const struct kmem_kind_row *kinds =
			(const void *)imported_text(&in, in.trace.report.kinds_at);
		CHECK(in.trace.report.nr_kinds == 3 && kinds[2].lines == 2, "%u kinds",
		      in.trace.report.nr_kinds);
		imported_drop(&in);
	}
}

static void refuses_what_exceeds_a_limit(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct imported in;

	for (u32 i = 0; i < 4100; i++)
		fprintf(out,
			" x-1 [000] ..... %u.000000: kmem_cache_alloc: call_site=f ptr=%016x name=c%u bytes_req=8 bytes_alloc=8 "
			"gfp_flags=0 node=-1 accounted=false\n",
			i * 5, 0x1000 + i * 8, i);
	fclose(out);
	import_text(&in, text, len, 0, 0);
	CHECK(in.trace.nr_caches == 4096 && in.trace.nr_ops == 4096, "%u caches",
	      in.trace.nr_caches);
	CHECK(in.trace.report.skipped_lines == 4, "%llu",
	      (unsigned long long)in.trace.report.skipped_lines);
	/* Five seconds apart: more nanoseconds than fit in 32 bits. */
	for (u32 i = 0; i < in.trace.nr_ops; i += 7)
		CHECK(trace_time(&in.trace, i) == i * 5000000000ull, "op %u", i);
	imported_drop(&in);
	free(text);
}

/* A region of 4 MiB is too small, and the error says so. */
static void fails_cleanly_without_memory(void)
{
	static struct params params;
	static _Alignas(65536) u8 region[4 << 20];
	struct pool pool = { 0 };
	struct trace trace;
	s32 status = KMEM_OK;

	pool_init(&pool, region, sizeof(region), 64);
	CHECK(trace_begin(&trace, &pool, &params) == KMEM_OK, "%s", trace.error);
	for (u32 i = 0; i < 400000 && status == KMEM_OK; i++) {
		char line[200];
		int n = snprintf(
			line, sizeof(line),
			" x-1 [000] ..... 1.000000: kmalloc: call_site=f ptr=%016x bytes_req=8 bytes_alloc=8 "
			"gfp_flags=0\n",
			0x1000 + i * 8);
		status = trace_chunk(&trace, (const u8 *)line, (u32)n);
	}
	CHECK(status == KMEM_ENOMEM && strstr(trace.error, "too large"), "%d %s", status,
	      trace.error);
	CHECK(trace_end(&trace) == KMEM_ENOMEM, "the end says it again");
	trace_drop(&trace);
}

/* A last line without a newline is used if it is complete. */
static void drops_a_line_that_is_cut_off(void)
{
	const char *text = ALLOC("ffff888109a2b000") FREE("ffff888109a2b000");
	size_t len = strlen(text);

	for (size_t n = len; n > len - 6; n--) {
		struct imported in;
		import_text(&in, text, n, 0, 0);
		CHECK(in.trace.nr_ops == (n >= len - 1 ? 2 : 1), "%zu: %u ops", n, in.trace.nr_ops);
		CHECK(in.trace.report.truncated == (n < len - 1), "%zu", n);
		CHECK(in.trace.report.skipped_lines == 0, "%zu", n);
		imported_drop(&in);
	}
}

int main(void)
{
	RUN(reads_the_lines_of_every_kernel());
	RUN(reads_the_lines_of_every_recorder());
	RUN(reads_the_trace_options());
	RUN(counts_frees_and_allocations_without_objects());
	RUN(distinguishes_types_of_kmalloc_caches());
	RUN(counts_lost_events());
	RUN(reports_where_a_line_is_wrong_and_what_was_expected());
	RUN(reads_slabtrace());
	RUN(refuses_what_is_not_a_trace());
	RUN(skips_lines_that_are_too_long());
	RUN(reports_zero_bytes_as_damage());
	RUN(refuses_what_exceeds_a_limit());
	RUN(fails_cleanly_without_memory());
	RUN(drops_a_line_that_is_cut_off());
	return check_summary();
}
