/*
 * bulk_groups_test.c - the objects of recorded bulk requests: which events belong to one, in every format that
 * announces them, how SLUB serves them, and that they survive an export.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

#define ALLOC(cpu, time, site, ptr)                                                      \
	"    sh-1  [00" cpu "] .....  1.0000" time ": kmem_cache_alloc: call_site=" site \
	" ptr=ffff88810000" ptr                                                          \
	" bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false"    \
	" name=maple_node\n"
#define FREE(cpu, time, site, ptr)                                                      \
	"    sh-1  [00" cpu "] .....  1.0000" time ": kmem_cache_free: call_site=" site \
	" ptr=ffff88810000" ptr " name=maple_node\n"
#define BULK(cpu, time, what, site, nr)                                                          \
	"    sh-1  [00" cpu "] .....  1.0000" time ": kmem_cache_" what "_bulk: call_site=" site \
	" nr=" nr " name=maple_node\n"

/* Compares each event as a letter: - alone, f first, m in the middle, l last, o first and last. */
static void check_groups(const char *what, const char *text, size_t len, const char *expected)
{
	struct imported in;

	import_text(&in, text, len, 0, 0);
	CHECK(in.status == 0 && in.trace.nr_ops == strlen(expected), "%s: %u events, %s", what,
	      in.trace.nr_ops, in.trace.error);
	for (u32 i = 0; i < MIN(in.trace.nr_ops, (u32)strlen(expected)); i++) {
		const struct op op = trace_op(&in.trace, i);
		int is_in = in.trace.sites[op.site].request == SITE_GROUP,
		    ends = op.flags & (OP_GROUP_FIRST | OP_GROUP_LAST);
		char found = !is_in		      ? '-'
			     : ends == OP_GROUP_FIRST ? 'f'
			     : ends == OP_GROUP_LAST  ? 'l'
			     : ends		      ? 'o'
						      : 'm';
		CHECK(found == expected[i], "%s: event %u is %c, not %c", what, i + 1, found,
		      expected[i]);
		CHECK(!is_in == !(op.flags & (OP_BY_REQUEST | OP_GROUP_FIRST | OP_GROUP_LAST)) ||
			      op.kind == OP_NOTHING,
		      "%s: flags %u of event %u", what, op.flags, i + 1);
	}
	imported_drop(&in);
}

static void members_follow_their_line(void)
{
	static const struct {
		const char *what, *groups, *text;
	} cases[] = {
		{ "events of other CPUs, kinds and call sites lie between", "-f--l-",
		  ALLOC("0", "01", "x", "0100") BULK("0", "02", "alloc", "mas", "2")
			  ALLOC("0", "03", "mas", "0200") ALLOC("1", "04", "mas", "0300")
				  FREE("0", "05", "mas", "0100") ALLOC("0", "06", "mas", "0400")
					  ALLOC("0", "07", "mas", "0500") },
		{ "an interrupt's request lies within another one", "--fol",
		  ALLOC("0", "01", "x", "0100") ALLOC("0", "02", "x", "0200")
			  BULK("0", "03", "free", "a", "2") FREE("0", "04", "a", "0100")
				  BULK("0", "05", "free", "b", "1") FREE("0", "06", "b", "0300")
					  FREE("0", "07", "a", "0200") },
		{ "objects from before the trace are members too", "fml",
		  BULK("0", "01", "free", "a", "3") FREE("0", "02", "a", "0100")
			  FREE("0", "03", "a", "0200") FREE("0", "04", "a", "0300") },
		{ "a request whose objects are missing ends at the end", "fl-",
		  BULK("0", "01", "free", "a", "9") FREE("0", "02", "a", "0100")
			  FREE("0", "03", "a", "0200") FREE("0", "04", "b", "0300") },
		{ "no number, no objects, or a CPU that does not exist", "-",
		  BULK("0", "01", "free", "a", "many") BULK("0", "01", "free", "a", "0")
			  FREE("0", "02", "a", "0100") },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		check_groups(cases[i].what, cases[i].text, strlen(cases[i].text), cases[i].groups);
}

/* The same three events in other formats. */
static void every_text_format_announces_bulk_requests(void)
{
	static const char report[] =
		"cpus=1\n sh-1 [000]  1.000001: kmem_cache_alloc_bulk: call_site=mas+0x1 nr=2 name=n\n"
		" sh-1 [000]  1.000002: kmem_cache_alloc:     (mas+0x1) call_site=mas+0x1 ptr=0xffff888100000100 name=n bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
		" sh-1 [000]  1.000003: kmem_cache_alloc:     (mas+0x1) call_site=mas+0x1 ptr=0xffff888100000200 name=n bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
		" sh-1 [000]  1.000004: kfree:                (mas+0x1) call_site=mas+0x1 ptr=0xffff888100000200\n";
	static const char script[] =
		"sh 1 [000] 1.000001: kmem:kmem_cache_free_bulk: call_site=mas+0x1 nr=2 name=n\n"
		"sh 1 [000] 1.000002:      kmem:kmem_cache_free: call_site=mas+0x1 ptr=0xffff888100000100 name=n\n"
		"sh 1 [000] 1.000003:      kmem:kmem_cache_free: call_site=mas+0x1 ptr=0xffff888100000200 name=n\n"
		"sh 1 [000] 1.000004:                kmem:kfree: call_site=mas+0x1 ptr=0xffff888100000300\n";
	static const char perf_trace[] =
		"     0.001 sh/1 kmem:kmem_cache_free_bulk(call_site: -2096405261, nr: 2, name: \"n\")\n"
		"     0.002 sh/1 kmem:kmem_cache_free(call_site: -2096405261, ptr: 0xffff888100000100, name: \"n\")\n"
		"     0.003 sh/1 kmem:kmem_cache_free(call_site: -2096405261, ptr: 0xffff888100000200, name: \"n\")\n"
		"     0.004 sh/1 kmem:kfree(call_site: -2096405261, ptr: 0xffff888100000300)\n";
	static const char slabtrace[] = "slabtrace 1\nmachine cpus=1\ncache c0 size=64 name=n\n"
					"a 1 c0 cpu=0 site=mas bulk=2\na 2 c0 cpu=0 site=mas\n"
					"a 3 c0 cpu=0 site=mas\n";

	check_groups("trace-cmd report", report, sizeof(report) - 1, "fl-");
	check_groups("perf script", script, sizeof(script) - 1, "fl-");
	check_groups("perf trace", perf_trace, sizeof(perf_trace) - 1, "fl-");
	check_groups("slabtrace", slabtrace, sizeof(slabtrace) - 1, "fl-");
}

/* Adds a number of `bytes` bytes, the lowest first. */
static void put_number(char **p, u64 number, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		*(*p)++ = (char)(number >> 8 * i);
}

static void put_sized(char **p, const char *text, u32 bytes_of_size)
{
	put_number(p, strlen(text), bytes_of_size);
	memcpy(*p, text, strlen(text));
	*p += strlen(text);
}

/* Makes the smallest trace.dat of version 6: one CPU, one page with the events. */
static size_t make_trace_dat(char *to)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	static const char head[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n";
	char bulk[600], one[600], *p = to, *at;

	snprintf(bulk, sizeof(bulk),
		 "name: kmem_cache_free_bulk\nID: 7\nformat:\n%s"
		 "\tfield:size_t nr;\toffset:16;\tsize:8;\tsigned:0;\n",
		 head);
	snprintf(one, sizeof(one),
		 "name: kfree\nID: 8\nformat:\n%s"
		 "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n",
		 head);
	memcpy(p, "\x17\x08\x44tracing6\0\0\x08", 14);
	p += 14;
	put_number(&p, 4096, 4);
	memcpy(p, "header_page", 12);
	p += 12;
	put_sized(&p, page, 8);
	memcpy(p, "header_event", 13);
	p += 13;
	put_sized(&p, "", 8);
	put_number(&p, 0, 4); /* ftrace formats */
	put_number(&p, 1, 4); /* systems */
	memcpy(p, "kmem", 5);
	p += 5;
	put_number(&p, 2, 4);
	put_sized(&p, bulk, 8);
	put_sized(&p, one, 8);
	put_sized(&p, "", 4); /* kallsyms */
	put_sized(&p, "", 4); /* printk */
	put_sized(&p, "", 8); /* cmdlines */
	put_number(&p, 1, 4); /* CPUs */
	memcpy(p, "flyrecord", 10);
	p += 10;
	u64 data = ((u64)(p - to) + 16 + 4095) / 4096 * 4096;
	put_number(&p, data, 8);
	put_number(&p, 4096, 8);
	memset(p, 0, (size_t)(to + data + 4096 - p));
	p = to + data;
	put_number(&p, 1000, 8);
	at = p;
	p += 8;
	for (u32 i = 0; i < 4; i++) {
		put_number(&p, 24 / 4 | 1 << 5, 4); /* length in words, one nanosecond later */
		put_number(&p, i ? 8 : 7, 4);
		put_number(&p, 1, 4);
		put_number(&p, 0xffffffff81000000, 8);
		put_number(&p, i ? 0xffff888100000000 + 0x100 * i : 2, 8);
	}
	put_number(&at, (u64)(p - to) - data - 16, 8);
	return data + 4096;
}

static void trace_dat_announces_bulk_requests(void)
{
	static char file[3 * 4096 + SCAN_SLACK];

	check_groups("trace.dat", file, make_trace_dat(file), "fl-");
}

static const char story[] = "# tracer: nop\n#\n" ALLOC("0", "01", "x", "0100")
	ALLOC("0", "02", "x", "0200") ALLOC("0", "03", "x", "0300") ALLOC("0", "04", "x", "0400")
		BULK("0", "05", "free", "mas", "3") FREE("0", "06", "mas", "0100")
			FREE("0", "07", "mas", "0300") FREE("0", "08", "mas", "0200")
				BULK("0", "09", "alloc", "mas", "2") ALLOC("0", "10", "mas", "0200")
					ALLOC("0", "11", "mas", "0300");

static u64 count_of(struct kmem_session *s, u32 counter)
{
	return kmem_totals(s)->counters[counter];
}

/* The kernel frees the three objects as one list, the last one at its head, and counts once. A bulk allocation takes from the
 * cpu freelist without counting. */
static void slub_serves_a_group_at_once(void)
{
	struct kmem_session *s = session_of_text(story);
	u32 before = 0;

	CHECK(kmem_preset(s, "linux-6.1") == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 6) == 0);
	CHECK(count_of(s, FREE_FASTPATH) == 0, "objects wait for the last one");
	CHECK(kmem_seek(s, 7) == 0);
	CHECK(count_of(s, FREE_FASTPATH) == 1 && count_of(s, FREE_SLOWPATH) == 0);
	before = (u32)count_of(s, ALLOC_FASTPATH);
	CHECK(kmem_seek(s, 9) == 0);
	CHECK(count_of(s, ALLOC_FASTPATH) == before && count_of(s, ALLOC_SLOWPATH) == 1,
	      "%u fast paths", (u32)count_of(s, ALLOC_FASTPATH));
	/* Objects 0, 2 and 1 were freed in this order, so the last one is taken first. */
	for (u32 i = 0; i < 2; i++) {
		CHECK(kmem_steps(s, 7 + i) == 1, "%s", kmem_error(s));
		const struct kmem_step *step = kmem_step_rows(s);
		CHECK(step->kind == STEP_OBJECT_TAKEN && step->args[1] == 1 + i, "object %u",
		      step->args[1]);
	}
}

static void other_kernels_serve_one_object_at_a_time(void)
{
	struct kmem_session *s = session_of_text(story);

	CHECK(kmem_preset(s, "linux-7.2") == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 9) == 0);
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	CHECK(kmem_set(s, "allocator", "slab") == 0 && kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_seek(s, 9) == 0);
}

/* slabtrace and ftrace announce the groups, so they survive an export. */
static void exports_keep_groups(void)
{
	struct imported in, again;

	import_text(&in, story, strlen(story), 0, 0);
	for (u32 to = KMEM_EXPORT_SLABTRACE; to <= KMEM_EXPORT_FTRACE; to++) {
		size_t len;
		char *text = export_text(&in, to, &len);
		CHECK(strstr(text, to == KMEM_EXPORT_FTRACE
					   ? "kmem_cache_free_bulk: call_site=mas nr=3"
					   : " bulk=3") != NULL,
		      "%s", text);
		check_groups("an export", text, len, "----fmlfl");
		import_text(&again, text, len, 0, 0);
		for (u32 i = 0; i < in.trace.nr_ops; i++) {
			const struct op a = trace_op(&in.trace, i), b = trace_op(&again.trace, i);
			CHECK(a.handle == b.handle && a.flags == b.flags, "event %u", i + 1);
		}
		imported_drop(&again);
		free(text);
	}
	imported_drop(&in);
}

int main(void)
{
	RUN(members_follow_their_line());
	RUN(every_text_format_announces_bulk_requests());
	RUN(trace_dat_announces_bulk_requests());
	RUN(slub_serves_a_group_at_once());
	RUN(other_kernels_serve_one_object_at_a_time());
	RUN(exports_keep_groups());
	return check_summary();
}
