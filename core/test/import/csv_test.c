/* csv_test.c - CSV: columns by name and by mapping, what is refused, and events sorted by time. */
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

#include <stdlib.h>

static void reads(const char *text, const char *wanted)
{
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.status == KMEM_OK, "%s", in.trace.error);
	char *lines = trace_lines(&in);
	CHECK(strcmp(lines, wanted) == 0, "%s\ngives\n%snot\n%s", text, lines, wanted);
	u64 digest = trace_digest(&in);
	free(lines);
	imported_drop(&in);
	for (u32 chunk = 1; chunk < 8; chunk += 2) {
		import_text(&in, text, strlen(text), chunk, 0);
		CHECK(trace_digest(&in) == digest, "in chunks of %u", chunk);
		imported_drop(&in);
	}
}

static void recognises_columns_by_their_names(void)
{
	const char *wanted = "alloc 0 filp 184 cpu 1 t 1000\nfree 0 filp 184 cpu 0 t 2000\n";

	reads("time_ns,cpu,event,ptr,cache,bytes_req,bytes_alloc\n"
	      "1000,1,kmem_cache_alloc,0xff00,filp,184,192\n2000,0,kmem_cache_free,0xff00,filp,,\n",
	      wanted);
	reads("Attaching 5 probes...\n# mine\nsize;\"slot\";Cache Name;address;op;CPU;time (us)\r\n"
	      "184;192;filp;ff00;ALLOC;1;1\r\n;;;ff00;free;0;2\r\n",
	      wanted);
	reads("usecs\tcpu\taction\tobj\tname\tlen\n1\t1\tmalloc\t0xff00\t\"filp\"\t184\n"
	      "2\t0\tfree\t0xff00\t\t\n",
	      wanted);
}

static void a_missing_column_leaves_its_field_open(void)
{
	reads("event,ptr,size\nalloc,0x40,24\nfree,0x40,\nfree,NULL,\n",
	      "kmalloc 0 - 24 cpu 0 t 0\nfree 0 - 24 cpu 0 t 0\nnothing(free,4) - 0 cpu 0 t 0\n");
	reads("op,id,size\na,16,24\na,0,8\na,x,8\nf,16,\nf,0,\nf,x,\n",
	      "kmalloc 0 - 24 cpu 0 t 0\nkmalloc 1 - 8 cpu 0 t 0\nkmalloc 2 - 8 cpu 0 t 0\n"
	      "free 0 - 24 cpu 0 t 0\nfree 1 - 8 cpu 0 t 0\nfree 2 - 8 cpu 0 t 0\n");
}

static void sorts_rows_by_time(void)
{
	reads("time,cpu,event,ptr,size\n30,0,alloc,0x30,8\n10,1,alloc,0x50,8\n20,1,free,0x50,\n",
	      "kmalloc 0 - 8 cpu 1 t 10\nfree 0 - 8 cpu 1 t 20\nkmalloc 0 - 8 cpu 0 t 30\n");
	struct imported in;
	const char *text = "time,event,ptr,size\n30,alloc,0x30,8\n10,alloc,0x50,8\n20,free,0x50,\n";
	import_text(&in, text, strlen(text), 0, 0);
	CHECK(in.trace.report.reordered == 2 && in.trace.report.late == 0);
	imported_drop(&in);
}

/* A late row followed by more rows than the window holds keeps its place and is reported. */
static void a_row_that_comes_too_late_keeps_its_place(void)
{
	enum { ROWS = 33000 };
	char *text = malloc(ROWS * 40), *at = text;
	struct imported in;

	at += sprintf(at, "time,event,ptr,size\n");
	for (u32 i = 0; i < ROWS; i++)
		at += sprintf(at, "%u,alloc,0x%x,8\n", 1000 + i, 4096 + 16 * i);
	at += sprintf(at, "1,alloc,0x50,8\n40000,free,0x50,8\n");
	import_text(&in, text, (size_t)(at - text), 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.report.late == 1, "%s", in.trace.error);
	CHECK(in.trace.nr_ops == ROWS + 2 && in.trace.report.live_at_end == ROWS);
	imported_drop(&in);
	free(text);
}

static void reports_rows_that_cannot_be_used(void)
{
	struct imported in;
	const char *text = "event,ptr,size\nalloc,0x50,24\nalloc,0x20\nalloc,what,3\n"
			   "alloc,0x30,\nmm_page_alloc,0x1,1\nfree,0x50,\n";

	import_text(&in, text, strlen(text), 0, 0);
	const struct kmem_problem *p = (const void *)imported_text(&in,
								   in.trace.report.problems_at);
	CHECK(in.status == KMEM_OK && in.trace.report.skipped_lines == 3);
	CHECK(p[0].line == 3 && p[1].line == 4 && p[1].column == 7 && p[2].line == 5);
	CHECK(in.trace.report.nr_kinds == 3 && in.trace.report.events == 2);
	imported_drop(&in);
}

static s32 import_mapped(struct kmem_session *s, const char *text, const char *mapping)
{
	s32 status = kmem_import_begin(s);

	status = status ? status : kmem_import_columns(s, mapping);
	status = status ? status : kmem_import_chunk(s, (const u8 *)text, (u32)strlen(text));
	return status ? status : kmem_import_end(s);
}

static void a_mapping_names_columns_that_their_headers_do_not(void)
{
	const char *text = "when;what;where;n\n1;alloc;0x50;24\n2;free;0x50;0\n";
	struct kmem_session *s = session_of_text("slabtrace 1\n");

	CHECK(import_mapped(s, text, NULL) == KMEM_EINPUT);
	const struct kmem_columns *columns = kmem_columns(s);
	CHECK(columns->nr_columns == 4 && columns->separator == ';');
	CHECK(columns->missing == (1 << ROLE_EVENT | 1 << ROLE_PTR | 1 << ROLE_REQ));
	const struct kmem_column *c = (const void *)((const u8 *)s + columns->columns_at);
	CHECK(strcmp((const char *)s + c[2].name_at, "where") == 0);
	CHECK(strcmp((const char *)s + c[2].sample_at, "0x50") == 0 && !c[2].role);

	CHECK(import_mapped(s, text, "event=what,ptr=3,req=n,time=WHEN,unit=ms") == 0, "%s",
	      kmem_error(s));
	CHECK(kmem_nr_ops(s) == 2 && kmem_report(s)->time_last == 2000000);
	columns = kmem_columns(s);
	CHECK(columns->missing == 0 && c[1].role == ROLE_EVENT && c[1].given == 1);

	CHECK(import_mapped(s, text, "event=huh,ptr=3,req=n") == KMEM_EPARAM);
	CHECK(import_mapped(s, text, "event=5,ptr=3,req=n") == KMEM_EPARAM);
	CHECK(import_mapped(s, text, "event") == KMEM_EPARAM);
	CHECK(import_mapped(s, text, "evnt=what") == KMEM_EPARAM);
	CHECK(import_mapped(s, text, "unit=weeks") == KMEM_EPARAM);
	CHECK(import_mapped(s, "\n", "event=1") == KMEM_EINPUT, "%s", kmem_error(s));
	CHECK(kmem_import_columns(s, "") == KMEM_ESTATE);
}

int main(void)
{
	RUN(recognises_columns_by_their_names());
	RUN(a_missing_column_leaves_its_field_open());
	RUN(sorts_rows_by_time());
	RUN(a_row_that_comes_too_late_keeps_its_place());
	RUN(reports_rows_that_cannot_be_used());
	RUN(a_mapping_names_columns_that_their_headers_do_not());
	return check_summary();
}
