/*
 * formats_test.c - the text formats beside those of the kernel's own tools: bpftrace's lines, perf trace, and calls of
 * malloc as classrooms write them down. trace_samples_test.c tests what all formats share: chunks, cuts, and reading
 * back an export.
 */
#include "test/support/check.h"
#include "test/support/trace_text.h"

#include <stdlib.h>
#include <string.h>

static void reads(const char *format, const char *text, const char *wanted)
{
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.status == KMEM_OK, "%s: %s", format, in.trace.error);
	CHECK(in.trace.report.nr_problems == 0, "%s: %llu lines are skipped", format,
	      (unsigned long long)in.trace.report.skipped_lines);
	CHECK(strcmp(imported_text(&in, in.trace.report.format_at), format) == 0);
	char *lines = trace_lines(&in);
	CHECK(strcmp(lines, wanted) == 0, "%s\ngives\n%snot\n%s", text, lines, wanted);
	free(lines);
	imported_drop(&in);
}

/* Generates lines by kind and count, "malloc 3 free 2". */
static void counts(const char *file, const char *wanted, u64 allocs, u64 frees, u64 skipped)
{
	char path[200], seen[2000];
	size_t len, at = 0;
	struct imported in;

	snprintf(path, sizeof(path), "test/corpus/trace/%s", file);
	char *text = file_text(path, &len);
	CHECK(text != NULL, "%s is missing", path);
	if (!text)
		return;
	import_text(&in, text, len, 0, 0);
	const struct kmem_report *r = &in.trace.report;
	const struct kmem_kind_row *kinds = (const void *)imported_text(&in, r->kinds_at);
	for (u32 k = 0; k < r->nr_kinds && at < sizeof(seen) - 100; k++)
		at += (size_t)sprintf(seen + at, "%s%s %llu", k ? " " : "",
				      imported_text(&in, kinds[k].name_at),
				      (unsigned long long)kinds[k].lines);
	CHECK(strcmp(seen, wanted) == 0, "%s: %s", file, seen);
	CHECK(r->allocs == allocs && r->frees == frees && r->skipped_lines == skipped,
	      "%s: %llu allocations, %llu frees, %llu skipped", file, (unsigned long long)r->allocs,
	      (unsigned long long)r->frees, (unsigned long long)r->skipped_lines);
	imported_drop(&in);
	free(text);
}

static void recorded_files_have_their_known_counts(void)
{
	counts("recorded.bpftrace", "kmalloc 6 kmem_cache_alloc 19 kfree 12 kmem_cache_free 5", 25,
	       17, 0);
	counts("recorded.perf-trace",
	       "kmalloc 4 kmem_cache_alloc 12 kfree 5 kmem_cache_free 1 mm_page_alloc 5", 16, 6, 0);
	counts("recorded.csv", "kmalloc 5 kmem_cache_alloc 25 kfree 4 kmem_cache_free 7", 30, 11,
	       0);
	counts("home-made.csv", "alloc 3 free 2 nothing 1", 2, 2, 2);
	counts("glibc.mtrace", "malloc 13 realloc 5 free 11", 14, 14, 2);
	counts("threads.ltrace", "malloc 16 calloc 1 free 1 puts 1", 16, 1, 2);
	counts("malloc.ostep", "malloc 6 free 4", 6, 4, 1);
	counts("short.rep", "malloc 3 realloc 3 free 4", 5, 6, 0);
}

static void sorts_the_lines_of_bpftrace(void)
{
	reads("bpftrace",
	      "Attaching 4 probes...\n"
	      "30 1 kworker/1:2 ev 33 kmem_cache_free 0xff2dea6a41e67000 filp\n"
	      "10 0 a 1 kmem_cache_alloc 0xff2dea6a41e67000 184 192 0xcc0 filp\n"
	      "20 0 b c 2 kmalloc (nil) 8 8 0xcc0\n@count: 3\n",
	      "alloc 0 filp 184 cpu 0 t 10\nnothing(kmalloc,7) - 8 cpu 0 t 20\n"
	      "free 0 filp 184 cpu 1 t 30\n");
}

static void perf_trace_omits_fields_that_are_0(void)
{
	reads("perf trace",
	      "     0.000 a b/1 kmem:kmalloc(call_site: -1, ptr: 0xff40, bytes_req: 8, bytes_alloc: 8, "
	      "gfp_flags: 3264)\n"
	      "     1.500 c/2 kmem:kmalloc(call_site: 77, ptr: 0xff48, bytes_req: 8, bytes_alloc: 8, "
	      "node: 4294967295)\n"
	      "     1.501 c/2 kmem:kmalloc(ptr: 0xff50, bytes_req: 8, bytes_alloc: 8)\n"
	      "     2.000 c/2 kmem:kfree(call_site: 77)\n"
	      "     2.001 c/2 kmem:mm_page_alloc(pfn: 77)\n"
	      "     3.000 d/3 kmem:kmem_cache_free(ptr: 0xff40, name: \"a, b\")\n",
	      "kmalloc 0 - 8 cpu 0 t 0\nkmalloc 1 - 8 cpu 0 t 1500000\n"
	      "kmalloc 2 - 8 cpu 0 node 0 t 1501000\nnothing(free,4) - 0 cpu 0 t 2000000\n"
	      "free 0 - 8 cpu 0 t 3000000\n");
}

static void realloc_does_what_krealloc_does(void)
{
	/*
	 * 20 bytes lie in a slot of 32, where 30 have room; 100 do not, and the new object is allocated before the old
	 * one is freed.
	 */
	reads("mtrace",
	      "= Start\n@ ./a b:(f+0x1)[0x1] + 0x5000 0x14\n@ ./a:[0x2] < 0x5000\n"
	      "@ ./a:[0x2] > 0x6000 0x1e\n< 0x6000\n> 0x6000 0x64\n- 0x6000\n= End\n",
	      "kmalloc 0 - 20 cpu 0 t 0\nnothing(kmalloc,8) - 30 cpu 0 t 0\n"
	      "kmalloc 1 - 100 cpu 0 t 0\nfree 0 - 20 cpu 0 t 0\nfree 1 - 100 cpu 0 t 0\n");
	reads("mtrace", "+ 0x5000 0x14\n! 0x5000 0x100\n- 0x5000\n",
	      "kmalloc 0 - 20 cpu 0 t 0\nnothing(kmalloc,7) - 256 cpu 0 t 0\nfree 0 - 20 cpu 0 t 0\n");
	reads("ltrace",
	      "realloc(0, 20) = 0x5000\nrealloc(0x5000, 0) = nil\nrealloc(0x7000, 9) = 0x5000\n"
	      "free(0x5000) = <void>\n",
	      "kmalloc 0 - 20 cpu 0 t 0\nfree 0 - 20 cpu 0 t 0\nnothing(free,5) - 0 cpu 0 t 0\n"
	      "kmalloc 0 - 9 cpu 0 t 0\nfree 0 - 9 cpu 0 t 0\n");
}

static void the_result_of_malloc_0_can_be_freed(void)
{
	reads("mtrace",
	      "+ 0x5000 0\n+ 0x5020 0\n- 0x5000\n+ 0x5000 0x8\n- 0x5000\n- 0x5020\n- 0x5020\n",
	      "nothing(kmalloc,6) - 0 cpu 0 t 0\nnothing(kmalloc,6) - 0 cpu 0 t 0\n"
	      "nothing(free,6) - 0 cpu 0 t 0\nkmalloc 0 - 8 cpu 0 t 0\nfree 0 - 8 cpu 0 t 0\n"
	      "nothing(free,6) - 0 cpu 0 t 0\nnothing(free,5) - 0 cpu 0 t 0\n");
}

/* 0x1000, 0xc520 and 0x17a40 have one home in the table of pointers: the first one's removal moves the others. */
static void realloc_finds_its_object_after_others_have_moved(void)
{
	reads("mtrace",
	      "+ 0x1000 0\n+ 0xc520 0x14\n+ 0x17a40 0x64\n< 0xc520\n> 0x1000 0x1e\n- 0x1000\n- 0x17a40\n",
	      "nothing(kmalloc,6) - 0 cpu 0 t 0\nkmalloc 0 - 20 cpu 0 t 0\nkmalloc 1 - 100 cpu 0 t 0\n"
	      "nothing(kmalloc,8) - 30 cpu 0 t 0\nfree 0 - 20 cpu 0 t 0\nfree 1 - 100 cpu 0 t 0\n");
}

/* A kernel address is the key of no program's object, whatever its tag: each of these lines is skipped. */
static void rejects_kernel_addresses_in_a_trace_of_a_program(void)
{
	static const char text[] =
		"+ 0xffffffffffffffff 0\n- 0x80ffffffffffffff\n+ 0x1000 0x20\n< 0x1000\n"
		"> 0x2000 0x2000\n! 0xffffffffffffffff 0x20\n- 0x2000\n";
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.report.skipped_lines == 3, "%llu lines are skipped",
	      (unsigned long long)in.trace.report.skipped_lines);
	char *lines = trace_lines(&in);
	CHECK(strcmp(lines, "kmalloc 0 - 32 cpu 0 t 0\nkmalloc 1 - 8192 cpu 0 t 0\n"
			    "free 0 - 32 cpu 0 t 0\nfree 1 - 8192 cpu 0 t 0\n") == 0,
	      "%s", lines);
	free(lines);
	imported_drop(&in);
}

static void ltrace_joins_calls_that_were_interrupted(void)
{
	reads("ltrace",
	      "[pid 7] malloc(24 <unfinished ...>\n[pid 8] calloc(3, 8 <unfinished ...>\n"
	      "[pid 7] <... malloc resumed> )      = 0x5000\n[pid 8] free(0x5000 <unfinished ...>\n"
	      "[pid 8] <... calloc resumed> )      = 0x5000\n[pid 8] <... free resumed> ) = <void>\n"
	      "+++ exited (status 0) +++\n",
	      "kmalloc 0 - 24 cpu 0 t 0\nfree 0 - 24 cpu 0 t 0\nkmalloc 0 - 24 cpu 0 t 0\n");
	reads("ltrace",
	      "12 10:00:01.5 a.out->malloc@libc.so.6(24) = 0x5000 <0.0001>\n"
	      "12 10:00:02.000001 [0x401193] free(0x5000) = <void>\n",
	      "kmalloc 0 - 24 cpu 0 t 36001500000000\nfree 0 - 24 cpu 0 t 36002000001000\n");
	reads("ltrace", "0.000001 malloc(1) = 0x5000\n0.000002 malloc(1) = 0x5010\n",
	      "kmalloc 0 - 1 cpu 0 t 1000\nkmalloc 1 - 1 cpu 0 t 3000\n");
}

static void reads_the_malloc_lists_of_courses(void)
{
	reads("OSTEP malloc list", "+10,-0,+20\n+5, -1",
	      "kmalloc 0 - 10 cpu 0 t 0\nfree 0 - 10 cpu 0 t 0\nkmalloc 0 - 20 cpu 0 t 0\n"
	      "kmalloc 1 - 5 cpu 0 t 0\nfree 0 - 20 cpu 0 t 0\n");
	reads("OSTEP malloc list",
	      "seed 0\n\nptr[0] = Alloc(3) returned 1000 (searched 1 elements)\n"
	      "Free List [ Size 1 ]: [ addr:1003 sz:97 ]\n\nFree(ptr[0])\nreturned 0\n",
	      "kmalloc 0 - 3 cpu 0 t 0\nfree 0 - 3 cpu 0 t 0\n");
	reads("CS:APP malloc lab", "20000\n2\n4\n1\na 0 512\nr 0 640\nf -1\nf 0\n",
	      "kmalloc 0 - 512 cpu 0 t 0\nkmalloc 1 - 640 cpu 0 t 0\nfree 0 - 512 cpu 0 t 0\n"
	      "nothing(free,4) - 0 cpu 0 t 0\nfree 1 - 640 cpu 0 t 0\n");
}

static void a_rep_file_shorter_than_announced_is_cut_off(void)
{
	struct imported in;
	const char *text = "20000\n2\n4\n1\na 0 512\nf 0\n";

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.report.truncated == 1);
	imported_drop(&in);
}

int main(void)
{
	RUN(recorded_files_have_their_known_counts());
	RUN(sorts_the_lines_of_bpftrace());
	RUN(perf_trace_omits_fields_that_are_0());
	RUN(realloc_does_what_krealloc_does());
	RUN(the_result_of_malloc_0_can_be_freed());
	RUN(realloc_finds_its_object_after_others_have_moved());
	RUN(rejects_kernel_addresses_in_a_trace_of_a_program());
	RUN(ltrace_joins_calls_that_were_interrupted());
	RUN(reads_the_malloc_lists_of_courses());
	RUN(a_rep_file_shorter_than_announced_is_cut_off());
	return check_summary();
}
