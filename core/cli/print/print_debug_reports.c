/*
 * print_debug_reports.c - prints debug reports as JSON and as text.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

#include "cli/text/names.h"

void track_json(struct json *j, const struct host *h, const char *key, u32 op, u32 cpu, u64 time,
		u32 site_at)
{
	if (op == NO_TRACK) {
		json_null(j, key);
		return;
	}
	json_row(j, key);
	json_number(j, "op", op);
	json_number(j, "cpu", cpu);
	json_number(j, "time", time);
	json_text(j, "call_site", site_at ? host_text(h, site_at) : "");
	json_end(j);
}

void bug_values_json(struct json *j, const struct host *h, const struct kmem_bug *bug)
{
	json_text(j, "check", enum_words("kmem_check", bug->check));
	fields_json(
		j, h, ROW(kmem_bug, bug),
		"slab,index?,address:hex,fault:hex,refused:hex,offset,len,expected,found,counter,"
		"counted,slab_objects,slab_used");
}

void bug_fixes_json(struct json *j, const struct kmem_bug *bug)
{
	json_list(j, "fixes");
	for (u32 fix = 0; fix <= FIX_COUNT; fix++)
		if (bug->fixes >> fix & 1)
			json_text(j, NULL, enum_words("kmem_fix", fix));
	json_end(j);
}

static void bug_json(struct json *j, const struct host *h, const struct kmem_bug *bug)
{
	json_object(j, NULL);
	fields_json(j, h, ROW(kmem_bug, bug), "op,cpu,cache=name_at");
	bug_values_json(j, h, bug);
	track_json(j, h, "allocated", bug->alloc_op, bug->alloc_cpu, bug->alloc_time,
		   bug->alloc_site_at);
	track_json(j, h, "freed", bug->free_op, bug->free_cpu, bug->free_time, bug->free_site_at);
	bug_fixes_json(j, bug);
	json_text(j, "text", kmem_report_text(h->session, bug));
	json_end(j);
}

void bugs_json(struct json *j, const struct host *h)
{
	u32 nr, all;
	const struct kmem_bug *bug = kmem_reports(h->session, &nr, &all);

	json_number(j, "reports_found", all);
	json_array(j, "reports");
	for (u32 i = 0; i < nr; i++)
		bug_json(j, h, &bug[i]);
	json_end(j);
}

void print_bugs(const struct host *h)
{
	u32 nr, all;
	const struct kmem_bug *bug = kmem_reports(h->session, &nr, &all);

	if (!nr)
		return;
	printf("\n%s of debugging", counted(all, "report").s);
	puts(nr < all ? "; the first of them:" : ":");
	for (u32 i = 0; i < nr; i++)
		printf("in event %s: %s\n", event_number(bug[i].op).s,
		       plain_lines(kmem_report_text(h->session, &bug[i])));
}
