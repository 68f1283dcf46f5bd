/*
 * slabtrace_requests_test.c - the lines of slabtrace for bulk requests, kfree_rcu(), grace periods, prefilled sheaves
 * and dying CPUs: which events they become, that they are written as they were read, and what is wrong with a bad one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/trace_text.h"

#define HEAD "slabtrace 1\nmachine cpus=4\n"
#define CACHES "cache c0 size=64 name=filp\ncache c1 size=256 name=node\n"

static const char *first_problem(const struct imported *in)
{
	const struct kmem_report *r = &in->trace.report;
	const struct kmem_problem *p = (const void *)imported_text(in, r->problems_at);

	return r->nr_problems ? imported_text(in, p[0].reason_at) : "";
}

static void check_op(const struct imported *in, u32 nr, u32 kind, u32 cpu, u32 request, u32 bytes)
{
	const struct op op = trace_op(&in->trace, nr);
	const struct site *site = &in->trace.sites[op.site];
	int is_member = kind == OP_ALLOC || kind == OP_FREE;

	CHECK(op.kind == kind && site->was == kind && op.cpu == cpu, "op %u: kind %u, CPU %u", nr,
	      op.kind, op.cpu);
	CHECK(site->request == request && site->bytes == bytes, "op %u: request %u, %u bytes", nr,
	      site->request, site->bytes);
	CHECK((op.handle == HANDLE_NONE) == !is_member, "op %u: handle %u", nr, op.handle);
	CHECK(!is_plain_op(*trace_packed(&in->trace, nr)) &&
		      !(op.flags & OP_BY_REQUEST) == !is_member,
	      "op %u goes the unusual way: flags %u", nr, op.flags);
}

static void a_list_is_a_request_and_its_objects(void)
{
	static const char text[] = HEAD CACHES "a 1,2 c0 cpu=3 req=60\nk 3 200 cpu=0\n"
					       "f 2,1,3 cpu=1\n";
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.nr_ops == 9 && !in.trace.report.nr_problems, "%u: %s", in.trace.nr_ops,
	      first_problem(&in));
	check_op(&in, 0, OP_BULK_ALLOC, 3, SITE_BULK, 2);
	check_op(&in, 1, OP_ALLOC, 3, SITE_BULK, 60);
	check_op(&in, 2, OP_ALLOC, 3, SITE_BULK, 60);
	check_op(&in, 4, OP_FREE, 1, SITE_BULK, 60);
	check_op(&in, 5, OP_FREE, 1, SITE_BULK, 60);
	check_op(&in, 6, OP_BULK_FREE, 1, SITE_BULK, 60);
	/* An object of another cache is a request of its own. */
	check_op(&in, 7, OP_FREE, 1, SITE_BULK, 200);
	check_op(&in, 8, OP_BULK_FREE, 1, SITE_BULK, 200);
	CHECK(trace_op(&in.trace, 4).handle == trace_op(&in.trace, 2).handle);
	CHECK(in.trace.report.allocs == 3 && in.trace.report.frees == 3 &&
	      in.trace.report.live_at_end == 0);
	imported_drop(&in);
}

static void every_other_request_is_an_event(void)
{
	static const char text[] = HEAD CACHES
		"a 1 c1 cpu=1\nr 1 cpu=2\ngrace\nprefill 15 c1 512 cpu=0\n"
		"a 2 c1 cpu=0 sheaf=15\nrefill 15 c1 9 cpu=0\nreturn 15 c1 cpu=0\n"
		"dead cpu=3\ndead cpu=0\nbarrier\na 3 c1 cpu=2 sheaf=15@0\n"
		"refill 15@0 c1 9 cpu=0\n";
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.nr_ops == 12 && !in.trace.report.nr_problems, "%u: %s", in.trace.nr_ops,
	      first_problem(&in));
	check_op(&in, 1, OP_FREE, 2, SITE_RCU, 256);
	check_op(&in, 2, OP_GRACE, 0, SITE_SINGLE, 0);
	check_op(&in, 3, OP_PREFILL, 0, SITE_PREFILLED + 15, 512);
	check_op(&in, 4, OP_ALLOC, 0, SITE_PREFILLED + 15, 256);
	check_op(&in, 5, OP_REFILL, 0, SITE_PREFILLED + 15, 9);
	check_op(&in, 6, OP_RETURN, 0, SITE_PREFILLED + 15, 0);
	/* Another CPU does the work. */
	check_op(&in, 7, OP_CPU_DEAD, 0, SITE_SINGLE, 3);
	check_op(&in, 8, OP_CPU_DEAD, 1, SITE_SINGLE, 0);
	check_op(&in, 9, OP_BARRIER, 0, SITE_SINGLE, 0);
	check_op(&in, 10, OP_ALLOC, 2, SITE_PREFILLED + 15, 256);
	CHECK(in.trace.sites[trace_op(&in.trace, 10).site].sheaf_cpu == 1, "CPU 0 prefilled it");
	CHECK(in.trace.sites[trace_op(&in.trace, 11).site].sheaf_cpu == 0,
	      "a CPU's own sheaf needs no CPU");
	imported_drop(&in);
}

/* Everything at once: lists of one, details of a recorder, an object that a later line names, an ID used again. */
static const char all[] = HEAD
	"#events 34\n" CACHES
	"a 0,1,2 c0 cpu=0 t=10 req=60 kind=kmem_cache_alloc_bulk site=f+0x1 gfp=GFP_KERNEL\n"
	"k 3 200 cpu=1 t=20\n"
	"k 4 129 cpu=1 t=20\n"
	"a 5, c1 cpu=3 t=30\n"
	"f 3,4 cpu=2 t=40 site=g\n"
	"f 5, cpu=2 t=41\n"
	"corrupt write 0 at=0 len=8 value=0x41 cpu=0 t=50\n"
	"f 0,2 cpu=3 t=60\n"
	"corrupt double-free 0 cpu=0 t=65\n"
	"r 1 cpu=0 t=70 kind=kvfree_call_rcu\n"
	"grace t=80\n"
	"r - cpu=0 t=85 why=null\n"
	"prefill 0 c1 3 cpu=2 t=90\n"
	"a 1 c1 cpu=2 t=100 req=250 sheaf=0\n"
	"refill 0 c1 70 cpu=2 t=110\n"
	"return 0 c1 cpu=2 t=120\n"
	"dead cpu=2 t=130\n"
	"dead cpu=0 t=140\n"
	"f 1, cpu=1 t=150\n"
	"prefill 2 c1 3 cpu=2 t=160\n"
	"a 1 c1 cpu=3 t=170 sheaf=2@2\n"
	"return 2@2 c1 cpu=3 t=180\n"
	"barrier t=190\n"
	"#end 34\n";

static void written_traces_read_back_the_same(void)
{
	struct imported in, again;
	size_t len, len_again;

	import_text(&in, all, strlen(all), 0, 0);
	CHECK(!in.trace.report.nr_problems && !in.trace.report.truncated, "%u ops: %s",
	      in.trace.nr_ops, first_problem(&in));
	char *text = export_text(&in, 0, &len);
	/* Objects have their handles as IDs, so only text that was written before reads back unchanged. */
	import_text(&again, text, len, 7, 0);
	CHECK(in.trace.nr_ops == 34 && again.trace.nr_ops == 34, "%s", text);
	for (u32 i = 0; i < in.trace.nr_ops; i++) {
		const struct op a = trace_op(&in.trace, i), b = trace_op(&again.trace, i);
		const struct site *at = &in.trace.sites[a.site], *bt = &again.trace.sites[b.site];
		CHECK(a.kind == b.kind && a.cpu == b.cpu && a.handle == b.handle &&
			      a.flags == b.flags && at->request == bt->request &&
			      at->bytes == bt->bytes && at->cache == bt->cache &&
			      at->sheaf_cpu == bt->sheaf_cpu &&
			      trace_time(&in.trace, i) == trace_time(&again.trace, i),
		      "op %u: %s", i, text);
	}
	char *text_again = export_text(&again, 0, &len_again);
	CHECK(len == len_again && !strcmp(text, text_again), "%s\n%s", text, text_again);
	CHECK(strstr(text, " c0 cpu=0 t=10 req=60 kind=kmem_cache_alloc_bulk site=f+0x1 "
			   "gfp=GFP_KERNEL\n"),
	      "%s", text);
	CHECK(strstr(text, "dead cpu=0 t=140\n") && strstr(text, "\ngrace t=80\n"), "%s", text);
	free(text_again);
	free(text);
	imported_drop(&again);
	imported_drop(&in);
}

/* Wherever the file ends, the reader knows that the rest is missing. */
static void a_cut_is_noticed(void)
{
	size_t whole = strlen(all), from = strlen(HEAD "#events 34\n");

	for (size_t len = from; len < whole - 1; len++) {
		struct imported in;
		import_text(&in, all, len, 0, 0);
		CHECK(in.status == KMEM_OK && in.trace.report.truncated, "%zu bytes", len);
		imported_drop(&in);
	}
}

/* Allocations and frees stay events of ftrace; the requests are comments. */
static void ftrace_text_lists_the_objects(void)
{
	struct imported in, again;
	size_t len;

	import_text(&in, all, strlen(all), 0, 0);
	char *text = export_text(&in, 1, &len);
	import_text(&again, text, len, 0, 0);
	CHECK(again.trace.report.allocs == in.trace.report.allocs &&
		      again.trace.report.frees == in.trace.report.frees &&
		      !again.trace.report.nr_problems,
	      "%s", text);
	CHECK(strstr(text, "\n# prefill 0 c1 3 cpu=2") && strstr(text, "\n# grace"), "%s", text);
	free(text);
	imported_drop(&again);
	imported_drop(&in);
}

static void a_bad_line_adds_nothing(void)
{
	static const struct {
		const char *line;
		u32 column;
		const char *reason;
	} cases[] = {
		{ "a 7,,8 c0 cpu=0\n", 5, "expected the ID of an object" },
		{ "a , c0 cpu=0\n", 3, "expected the ID of an object" },
		{ "a 7,8,7 c0 cpu=0\n", 7, "twice" },
		{ "a 7,1 c0 cpu=0\n", 5, "still live" },
		{ "a 7,8 c9 cpu=0\n", 7, "`cache` line above" },
		{ "a 7,8 c0\n", 9, "cpu=" },
		{ "a 7,8 c0 cpu=0 node=1\n", 16, "no meaning" },
		{ "a 7,8 c0 cpu=0 why=failed\n", 16, "no meaning" },
		{ "a 7,8 c0 cpu=0 sheaf=1\n", 16, "no meaning" },
		{ "a 7,8 c0 cpu=0 req=65\n", 20, "at most the size" },
		{ "a 7 c0 cpu=0 sheaf=16\n", 20, "0 to 15" },
		{ "k 7,8 64 cpu=0\n", 3, "takes no list" },
		{ "f 1,9 cpu=0\n", 5, "no object with this ID" },
		{ "f 1,1 cpu=0\n", 5, "twice" },
		{ "r 1,2 cpu=0\n", 3, "takes no list" },
		{ "r 1 cpu=0 why=unseen\n", 15, "as f" },
		{ "r 1 cpu=4096\n", 9, "0 to 4095" },
		{ "grace cpu=0\n", 7, "no meaning" },
		{ "dead\n", 5, "cpu=" },
		{ "prefill c0 3 cpu=0\n", 9, "0 to 15" },
		{ "prefill 16 c0 3 cpu=0\n", 9, "0 to 15" },
		{ "prefill 0 kmalloc-64 3 cpu=0\n", 11, "`cache` line above" },
		{ "prefill 0 c0 cpu=0\n", 14, "1 to 512" },
		{ "prefill 0 c0 0 cpu=0\n", 14, "1 to 512" },
		{ "refill 0 c0 513 cpu=0\n", 13, "1 to 512" },
		{ "refill 0 c0 5\n", 14, "cpu=" },
		{ "return 0 c0 3 cpu=0\n", 13, "key=value" },
		{ "return 0@ c0 cpu=0\n", 10, "expected a CPU" },
		{ "return 0@4096 c0 cpu=0\n", 10, "expected a CPU" },
		{ "return @1 c0 cpu=0\n", 8, "0 to 15" },
		{ "prefill 0@1 c0 3 cpu=0\n", 1, "without @" },
		{ "a 7 c0 cpu=0 node=1 sheaf=0@1\n", 19, "leave it out" },
		{ "barrier cpu=0\n", 9, "no meaning" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct imported in;
		char text[256];
		snprintf(text, sizeof(text), HEAD CACHES "a 1 c0 cpu=0\na 2 c1 cpu=0\n%s",
			 cases[i].line);
		import_text(&in, text, strlen(text), 0, 0);
		const struct kmem_report *r = &in.trace.report;
		const struct kmem_problem *p = (const void *)imported_text(&in, r->problems_at);
		CHECK(in.status == KMEM_OK && r->nr_problems == 1, "%s: %u problems", cases[i].line,
		      r->nr_problems);
		CHECK(r->nr_problems && p->line == 7 && p->column == cases[i].column, "%s: %u",
		      cases[i].line, r->nr_problems ? p->column : 0);
		CHECK(strstr(first_problem(&in), cases[i].reason), "%s: %s", cases[i].line,
		      first_problem(&in));
		CHECK(in.trace.nr_ops == 2 && r->live_at_end == 2, "%s: %u ops", cases[i].line,
		      in.trace.nr_ops);
		imported_drop(&in);
	}
}

/* A list has at most 512 IDs. */
static void a_list_has_at_most_512_objects(void)
{
	static char text[8192];

	for (u32 nr = MAX_BULK_OBJECTS; nr <= MAX_BULK_OBJECTS + 1; nr++) {
		struct imported in;
		size_t len = (size_t)sprintf(text, HEAD CACHES "a 0");
		for (u32 i = 1; i < nr; i++)
			len += (size_t)sprintf(text + len, ",%u", i);
		len += (size_t)sprintf(text + len, " c0 cpu=0\n");
		import_text(&in, text, len, 0, 0);
		int fits = nr == MAX_BULK_OBJECTS;
		CHECK(in.trace.nr_ops == (fits ? nr + 1 : 0), "%u ops", in.trace.nr_ops);
		CHECK(fits || strstr(first_problem(&in), "at most 512"), "%s", first_problem(&in));
		imported_drop(&in);
	}
}

int main(void)
{
	RUN(a_list_is_a_request_and_its_objects());
	RUN(every_other_request_is_an_event());
	RUN(written_traces_read_back_the_same());
	RUN(a_cut_is_noticed());
	RUN(ftrace_text_lists_the_objects());
	RUN(a_bad_line_adds_nothing());
	RUN(a_list_has_at_most_512_objects());
	return check_summary();
}
