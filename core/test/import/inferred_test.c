/*
 * inferred_test.c - what the end of an import infers: names of caches from frees, and whether the kernel has kmalloc caches
 * for accounted objects; what an import keeps: the first event at each address, and tasks.
 */
#include <stdio.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/trace_text.h"

#define EVENT(name) "sh-1 [000] ..... 1.000001: " name ": "
#define ALLOC(site, ptr, bytes)                                                            \
	EVENT("kmem_cache_alloc")                                                          \
	"call_site=" site " ptr=ffff8881000" ptr " bytes_req=" bytes " bytes_alloc=" bytes \
	" gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
#define FREE(ptr, name) \
	EVENT("kmem_cache_free") "call_site=put+0x1/0x2 ptr=ffff8881000" ptr " name=" name "\n"
#define KMALLOC(ptr, bytes, gfp, accounted)                                                   \
	EVENT("kmalloc")                                                                      \
	"call_site=get+0x1/0x2 ptr=ffff8881000" ptr " bytes_req=" bytes " bytes_alloc=" bytes \
	" gfp_flags=" gfp " node=-1 accounted=" accounted "\n"
#define ACCOUNTED(ptr) KMALLOC(ptr, "64", "GFP_KERNEL_ACCOUNT", "true")
#define PLAIN(ptr) KMALLOC(ptr, "64", "GFP_KERNEL", "false")

static const char *site_cache(const struct imported *in, u32 event)
{
	const struct site *site = &in->trace.sites[trace_op(&in->trace, event).site];

	return trace_text(&in->trace, site->cache_name);
}

/* Lists the caches of the report, and the allocations of each. */
static void report_of(const struct imported *in, char *to)
{
	const struct kmem_report *r = &in->trace.report;
	const struct kmem_trace_cache_row *rows = (const void *)imported_text(in, r->caches_at);

	*to = '\0';
	for (u32 i = 0; i < r->nr_caches; i++)
		to += sprintf(to, "%s%s %u+%u", i ? ", " : "", imported_text(in, rows[i].name_at),
			      (u32)rows[i].allocs, (u32)rows[i].frees);
}

static void check_caches(const char *what, const char *text, const char *expected)
{
	struct imported in;
	char found[1000];

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.status == 0, "%s: %s", what, in.trace.error);
	report_of(&in, found);
	CHECK(strcmp(found, expected) == 0, "%s:\n%s\n%s", what, found, expected);
	imported_drop(&in);
}

static void frees_name_the_allocations_of_a_call_site(void)
{
	static const char text[] = ALLOC("a+0x1/0x2", "0000", "256")
		ALLOC("b+0x1/0x2", "0100", "256") ALLOC("a+0x1/0x2", "0200", "256")
			ALLOC("a+0x1/0x2", "0300", "192") FREE("0000", "filp")
				ALLOC("c+0x1/0x2", "0400", "256") FREE("0400", "filp")
					FREE("0300", "dentry");
	struct imported in;

	check_caches("names", text, "filp 3+2, size-256 1+0, dentry 1+1");
	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.nr_caches == 3, "%u caches", in.trace.nr_caches);
	CHECK(strcmp(site_cache(&in, 2), "filp") == 0 && strcmp(site_cache(&in, 5), "filp") == 0);
	CHECK(strcmp(site_cache(&in, 1), "size-256") == 0, "%s", site_cache(&in, 1));
	const struct op first = trace_op(&in.trace, 0), last = trace_op(&in.trace, 6);
	CHECK(in.trace.sites[first.site].cache == in.trace.sites[last.site].cache,
	      "frees are of the same cache");
	imported_drop(&in);
}

static void most_frees_must_agree(void)
{
	check_caches("two of three",
		     ALLOC("a", "0000", "64") ALLOC("a", "0100", "64") ALLOC("a", "0200", "64")
			     FREE("0000", "one") FREE("0100", "two") FREE("0200", "one"),
		     "size-64 3+3");
	check_caches("three of four",
		     ALLOC("a", "0000", "64") ALLOC("a", "0100", "64") ALLOC("a", "0200", "64")
			     ALLOC("a", "0300", "64") FREE("0000", "one") FREE("0100", "two")
				     FREE("0200", "two") FREE("0300", "two"),
		     "two 4+4");
	check_caches("a blank name, as with hash-ptr=0 on 6.1",
		     ALLOC("a", "0000", "64")
			     EVENT("kmem_cache_free") "call_site=b ptr=ffff88810000000 name=\n",
		     "size-64 1+1");
	check_caches("without frees", ALLOC("a", "0000", "64") ALLOC("b", "0100", "64"),
		     "size-64 2+0");
}

static void every_format_infers_the_same_names(void)
{
	check_caches(
		"trace-cmd report",
		"cpus=1\n sh-1 [000]  1.000001: kmem_cache_alloc:     (f+0x1) call_site=f+0x1 ptr=0xffff888100000100 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
		" sh-1 [000]  1.000002: kmem_cache_free:      (g+0x1) call_site=g+0x1 ptr=0xffff888100000100 name=filp\n",
		"filp 1+1");
	check_caches(
		"perf script",
		"sh 1 [000] 1.000001: kmem:kmem_cache_alloc: call_site=f+0x1 ptr=0xffff888100000100 bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
		"sh 1 [000] 1.000002:  kmem:kmem_cache_free: call_site=g+0x1 ptr=0xffff888100000100 name=filp\n",
		"filp 1+1");
	check_caches(
		"perf trace",
		"     0.001 sh/1 kmem:kmem_cache_alloc(call_site: -2096405261, ptr: 0xffff888100000100, bytes_req: 64, bytes_alloc: 64, gfp_flags: 3264, node: 4294967295)\n"
		"     0.002 sh/1 kmem:kmem_cache_free(call_site: -2096405000, ptr: 0xffff888100000100, name: \"filp\")\n",
		"filp 1+1");
	check_caches("CSV",
		     "time,cpu,event,call_site,ptr,bytes_req,bytes_alloc,name\n"
		     "1,0,kmem_cache_alloc,f,0xffff888100000100,64,64,\n"
		     "2,0,kmem_cache_free,g,0xffff888100000100,,,filp\n",
		     "filp 1+1");
}

static void accounting_caches_need_a_kernel_that_has_them(void)
{
	static char counted[40 * 250];
	char *p = counted;

	check_caches("without a sign", ACCOUNTED("0000") PLAIN("1000"),
		     "kmalloc-cg-64 1+0, kmalloc-64 1+0");
	check_caches("an old release", "# os release : 5.10.0\n" ACCOUNTED("0000") PLAIN("1000"),
		     "kmalloc-64 2+0");
	check_caches("a release that has them",
		     "# os release : 5.15.0\n" ACCOUNTED("0000") PLAIN("1000"),
		     "kmalloc-cg-64 1+0, kmalloc-64 1+0");
	check_caches("a free of a plain cache", ACCOUNTED("0000") FREE("0000", "kmalloc-64"),
		     "kmalloc-64 1+1");
	check_caches("a free of such a cache",
		     ACCOUNTED("0000") PLAIN("0040") FREE("2000", "kmalloc-cg-96"),
		     "kmalloc-cg-64 1+0, kmalloc-64 1+0, kmalloc-cg-96 0+1");
	check_caches("a shared page", ACCOUNTED("0000") PLAIN("0040"), "kmalloc-64 2+0");
	check_caches("a page that was free between them",
		     ACCOUNTED("0000") FREE("0000", "") PLAIN("0040"),
		     "kmalloc-cg-64 1+1, kmalloc-64 1+0");
	check_caches(
		"frees without names and events of nodes: before 5.12",
		ACCOUNTED("0000") EVENT("kmem_cache_free") "call_site=f ptr=ffff8881000f000\n" EVENT(
			"kmalloc_node") "call_site=f ptr=ffff88810005000 bytes_req=64 bytes_alloc=64 "
					"gfp_flags=GFP_KERNEL node=0\n",
		"kmalloc-64 2+0");
	for (u32 i = 0; i < 32; i++)
		p += sprintf(p,
			     EVENT("kmalloc") "call_site=f ptr=ffff888100%02x000 bytes_req=64 "
					      "bytes_alloc=64 gfp_flags=GFP_KERNEL_ACCOUNT "
					      "node=-1 accounted=true\n",
			     i);
	check_caches("not counted yet", counted, "kmalloc-cg-64 32+0");
	sprintf(p, EVENT("slub_stat") "op=alloc_slab name=kmalloc-64\n");
	check_caches("the kernel counts plain caches only", counted, "kmalloc-64 32+0");
	sprintf(p, EVENT("slub_stat") "op=alloc_slab name=kmalloc-64\n" EVENT(
			   "slub_stat") "op=alloc_slab name=kmalloc-cg-64\n");
	check_caches("the kernel counts both", counted, "kmalloc-cg-64 32+0");
}

/* arm64 with MTE or KASAN: the free has a different tag from the allocation's, or none. */
static void tagged_pointers_match_by_their_address(void)
{
	static const char text[] = EVENT(
		"kmalloc") "call_site=f ptr=f4ff000012345600 bytes_req=64 bytes_alloc=64 "
			   "gfp_flags=GFP_KERNEL node=-1 accounted=false\n" EVENT("kfree") "call_site=g ptr=ffff000012345600\n" EVENT(
				   "kmalloc") "call_site=f ptr=f6ff000012345600 bytes_req=64 "
					      "bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 "
					      "accounted=false\n" EVENT(
						      "kmalloc") "call_site=f ptr=f7ff000012345600 "
								 "bytes_req=64 bytes_alloc=64 "
								 "gfp_flags=GFP_KERNEL node=-1 "
								 "accounted=false\n";
	/* Without bit 55 it is no address of such a kernel. */
	static const char other[] =
		EVENT("kmalloc") "call_site=f ptr=c000000012345600 bytes_req=64 bytes_alloc=64 "
				 "gfp_flags=GFP_KERNEL node=-1 accounted=false\n" EVENT(
					 "kfree") "call_site=g ptr=0000000012345600\n";
	struct imported in;

	import_text(&in, text, sizeof(text) - 1, 0, KEEP_ALL);
	CHECK(in.trace.report.orphan_frees == 0 && in.trace.report.unseen_frees == 1 &&
	      in.trace.report.live_at_end == 1);
	CHECK(trace_pointer(&in.trace, 0) == 0xf4ff000012345600, "pointers are kept as recorded");
	imported_drop(&in);
	import_text(&in, other, sizeof(other) - 1, 0, 0);
	CHECK(in.trace.report.orphan_frees == 1);
	imported_drop(&in);
}

/* Returns the nth address: pages with one place, with two and with many, in several blocks of memory. */
static u64 address(u32 n)
{
	u32 page = n * 7 % 37, places = page % 3 == 0 ? 1 : page % 3 == 1 ? 2 : 60;

	return 0xffff888100000000 + page * (u64)20480 + n / 5 % places * 64;
}

static int is_first(u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (address(i) == address(n))
			return 0;
	return 1;
}

static void each_address_has_one_first_event(void)
{
	enum { NR = 1500 };
	static char text[NR * 280];
	struct imported in;
	size_t len = 0;
	u32 nr = 0;

	for (u32 n = 0; n < NR; n++)
		len += (size_t)sprintf(
			text + len,
			EVENT("kmalloc") "call_site=f ptr=%llx bytes_req=64 bytes_alloc=64 "
					 "gfp_flags=GFP_KERNEL\n" EVENT(
						 "kfree") "call_site=g ptr=%llx\n",
			(unsigned long long)address(n), (unsigned long long)address(n));
	import_text(&in, text, len, 0, 0);
	const struct first_events *first = &in.trace.first_events;
	CHECK(in.trace.nr_ops == 2 * NR && first->nr_pages == 37, "%u", first->nr_pages);
	for (u32 n = 0; n < NR; n++) {
		if (!is_first(n))
			continue;
		struct first_event event = first_event_at(first, nr++);
		CHECK(event.ptr == address(n) && event.op == 2 * n, "%u: %llx", n,
		      (unsigned long long)event.ptr);
	}
	CHECK(first->nr == nr && nr > 300, "%u of %u", first->nr, nr);
	imported_drop(&in);
}

/* Usual lines of tasks whose last bytes are alike, and some with more before the CPU than the import remembers. */
static void usual_lines_keep_the_tasks_of_other_lines(void)
{
	static const char *const tasks[] = {
		"    a-7654321",
		"    b-7654321",
		"    b-17654321",
		"a b-7654321",
		"    a-7654321",
		"a-1",
		"b-1",
		"b-2",
		"                                                            far-7654321",
		"                                                            fur-7654321",
	};
	char text[4096];
	struct imported in[2];
	size_t len = 0;

	for (u32 i = 0; i < 3 * ARRAY_SIZE(tasks); i++)
		len += (size_t)sprintf(text + len,
				       "%s [000] ..... 1.000001: kfree: call_site=f ptr=0\n",
				       tasks[i % ARRAY_SIZE(tasks)]);
	for (u32 i = 0; i < 2; i++)
		import_text(&in[i], text, len, 0, KEEP_ALL | (i ? GENERAL_ONLY : 0));
	for (u32 op = 0; op < 3 * ARRAY_SIZE(tasks); op++) {
		const char *expected = tasks[op % ARRAY_SIZE(tasks)];
		expected += strspn(expected, " ");
		for (u32 i = 0; i < 2; i++) {
			const char *task = trace_text(&in[i].trace, trace_task(&in[i].trace, op));
			CHECK(!strcmp(task, expected), "%u: %s, expected %s", op, task, expected);
		}
	}
	imported_drop(&in[0]);
	imported_drop(&in[1]);
}

int main(void)
{
	RUN(each_address_has_one_first_event());
	RUN(usual_lines_keep_the_tasks_of_other_lines());
	RUN(tagged_pointers_match_by_their_address());
	RUN(frees_name_the_allocations_of_a_call_site());
	RUN(most_frees_must_agree());
	RUN(every_format_infers_the_same_names());
	RUN(accounting_caches_need_a_kernel_that_has_them());
	return check_summary();
}
