/*
 * slabtrace_count_test.c - recognises a slabtrace that slabscope wrote and that was then cut, joined or edited; and
 * byte order marks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/trace_text.h"

#define HEAD "slabtrace 1\nmachine cpus=2\n"
#define BODY "cache c0 size=64 name=filp\na 1 c0 cpu=0\nk 2 100 cpu=1\nshrink c0\nf 1 cpu=12\n"
#define COUNTED HEAD "#events 4\n" BODY "#end 4\n"

/* Returns the reason of the last problem, "" if there is none. */
static const char *last_problem(const struct imported *in)
{
	const struct kmem_report *r = &in->trace.report;
	const struct kmem_problem *p = (const void *)imported_text(in, r->problems_at);

	return r->nr_problems ? imported_text(in, p[r->nr_problems - 1].reason_at) : "";
}

static void written_files_count_their_events(void)
{
	struct imported in, again;
	size_t len, len_again;

	import_text(&in, HEAD BODY, strlen(HEAD BODY), 0, 0);
	char *text = export_text(&in, 0, &len);
	CHECK(strstr(text, "\n#events 4\n"), "%s", text);
	CHECK(len > 8 && strcmp(text + len - 8, "\n#end 4\n") == 0, "%s", text);
	import_text(&again, text, len, 7, 0);
	CHECK(again.trace.report.skipped_lines == 0 && again.trace.nr_ops == 4, "%s",
	      last_problem(&again));
	char *text_again = export_text(&again, 0, &len_again);
	CHECK(len == len_again && memcmp(text, text_again, len) == 0, "%s", text_again);
	imported_drop(&again);
	imported_drop(&in);
	free(text_again);
	free(text);
}

/* The file is known to be cut off, wherever it ends after the number of events. */
static void a_cut_anywhere_is_noticed(void)
{
	static const char text[] = COUNTED;
	size_t whole = strlen(text), from = strlen(HEAD "#events 4");

	/* Without its newline the last line is still all there. */
	for (size_t len = from; len <= whole; len++) {
		struct imported in;
		import_text(&in, text, len, 5, 0);
		int cut = len < whole - 1;
		CHECK(in.status == KMEM_OK && in.trace.report.truncated == (u32)cut, "%zu bytes",
		      len);
		CHECK((strstr(last_problem(&in), "cut off") != NULL) == cut, "%zu bytes: %s", len,
		      last_problem(&in));
		imported_drop(&in);
	}
}

static void says_what_is_wrong_with_a_count(void)
{
	static const struct {
		const char *text, *reason;
		u32 line;
	} cases[] = {
		{ COUNTED, "", 0 },
		{ HEAD BODY, "", 0 },
		{ COUNTED "\n# all of it\n", "", 0 },
		{ HEAD "# events 9\n#events nine\n#ending 3\n#end\n#end 3 or so\n" BODY, "", 0 },
		{ HEAD "#events 4\n", "cut off: 0 of 4 events", 3 },
		{ HEAD "#events 6\n" BODY, "cut off: 4 of 6 events", 8 },
		{ HEAD "#events 4\n" BODY, "cut off: 4 of 4 events; the line #end is missing", 8 },
		{ HEAD "#events 5\n" BODY "#end 5\n",
		  "4 events come before this line, which says 5", 9 },
		{ HEAD BODY "#end 3\n", "4 events come before this line, which says 3", 8 },
		{ HEAD "#events 3\n" BODY, "4 events, where the line #events says 3", 8 },
		{ COUNTED "tick 1\n", "an event after the line #end", 10 },
		{ COUNTED "slabtrace 1\n", "a second slabtrace starts here", 10 },
		{ HEAD BODY "slabtrace 1\n", "a second slabtrace starts here", 8 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct imported in;
		import_text(&in, cases[i].text, strlen(cases[i].text), 0, 0);
		const struct kmem_problem *p =
			(const void *)imported_text(&in, in.trace.report.problems_at);
		int none = !cases[i].reason[0];
		CHECK(in.status == KMEM_OK && in.trace.report.nr_problems == (none ? 0u : 1u),
		      "case %u: %u problems, %s", i, in.trace.report.nr_problems,
		      last_problem(&in));
		CHECK(strstr(last_problem(&in), cases[i].reason), "case %u: %s", i,
		      last_problem(&in));
		CHECK(none || p->line == cases[i].line, "case %u: line %llu", i,
		      (unsigned long long)p->line);
		imported_drop(&in);
	}
}

/* The mark of UTF-8 is ignored; UTF-16 is recognised and refused, even with a mapping of columns. */
static void ignores_the_mark_of_utf8_and_refuses_utf16(void)
{
	static const char csv[] = "\xef\xbb\xbf"
				  "cpu,event,ptr,req\n0,kmalloc,1,8\n0,kfree,1,\n";
	static const char slabtrace[] = "\xef\xbb\xbf" COUNTED;
	static const char wide[] = "s\0l\0a\0b\0t\0r\0a\0c\0e\0 \0\x31\0\n\0";
	struct imported in;

	for (u32 chunk = 0; chunk < 4; chunk++) {
		import_text(&in, csv, strlen(csv), chunk, 0);
		CHECK(in.status == KMEM_OK && in.trace.nr_ops == 2, "%s", in.trace.error);
		imported_drop(&in);
		import_text(&in, slabtrace, strlen(slabtrace), chunk, 0);
		CHECK(in.status == KMEM_OK && in.trace.nr_ops == 4, "%s", in.trace.error);
		CHECK(in.trace.report.skipped_lines == 0, "%s", last_problem(&in));
		imported_drop(&in);
		import_text(&in, "\xff\xfes\0l\0", 6, chunk, 0);
		CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, "UTF-16"), "%s",
		      in.trace.error);
		imported_drop(&in);
		import_text(&in, wide, sizeof(wide) - 1, chunk, 0);
		CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, "UTF-16"), "%s",
		      in.trace.error);
		imported_drop(&in);
		import_text(&in, "\xef\xbb\xbf", 3, chunk, 0);
		CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, "empty"), "%s",
		      in.trace.error);
		imported_drop(&in);
	}
}

int main(void)
{
	RUN(written_files_count_their_events());
	RUN(a_cut_anywhere_is_noticed());
	RUN(says_what_is_wrong_with_a_count());
	RUN(ignores_the_mark_of_utf8_and_refuses_utf16());
	return check_summary();
}
