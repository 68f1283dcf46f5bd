/*
 * notes_test.c - announced bulk requests and trace markers: one run written in each format gives the same events, the same
 * markers and the same state.
 */
#include <stdarg.h>
#include <stdio.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/put_protobuf.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

enum what { ALLOC, FREE, BULK_ALLOC, BULK_FREE, MARK, FRAME_ALLOC, FRAME_FREE };

/* Row i happens at i + 1 microseconds. */
static const struct row {
	u32 what, cpu, site;
	u32 object; /* or how many, or the order of a page's block */
	const char *text;
} run[] = {
	{ ALLOC, 0, 1, 1, "" },
	{ FRAME_ALLOC, 0, 0, 3, "" },
	{ ALLOC, 0, 1, 2, "" },
	{ ALLOC, 1, 2, 3, "" },
	{ FRAME_FREE, 1, 0, 0, "" },
	{ ALLOC, 0, 1, 4, "" },
	{ FREE, 1, 4, 9, "" },
	{ MARK, 1, 0, 0, "state-begins" },
	{ MARK, 1, 0, 0, "other" },
	{ FREE, 1, 4, 10, "" },
	{ MARK, 1, 0, 0, "state-ends" },
	{ BULK_FREE, 0, 3, 3, "" },
	{ FREE, 0, 3, 1, "" },
	{ FREE, 1, 4, 3, "" },
	{ FREE, 0, 4, 11, "" },
	{ FREE, 0, 3, 4, "" },
	{ FREE, 0, 3, 2, "" },
	{ BULK_ALLOC, 0, 1, 2, "" },
	{ ALLOC, 0, 2, 5, "" },
	{ ALLOC, 0, 1, 2, "" },
	{ ALLOC, 1, 1, 3, "" },
	{ ALLOC, 0, 1, 4, "" },
	{ MARK, 0, 0, 0, "state-begins" },
	{ ALLOC, 0, 1, 6, "" },
	{ MARK, 0, 0, 0, "state-ends" },
};

static const char *const names[] = { "kmem_cache_alloc",      "kmem_cache_free",
				     "kmem_cache_alloc_bulk", "kmem_cache_free_bulk",
				     "tracing_mark_write",    "mm_page_alloc",
				     "mm_page_free" };

enum { FRAME = 0x12345 };

static unsigned long long site_of(const struct row *r)
{
	return 0xffffffff81000000ull + 16 * r->site;
}

static unsigned long long pointer_of(const struct row *r)
{
	return 0xffff888100000000ull + 256 * r->object;
}

__attribute__((format(printf, 2, 3))) static void print(struct message *file, const char *format,
							...)
{
	char line[300];
	va_list args;

	va_start(args, format);
	put(file, line, (size_t)vsnprintf(line, sizeof(line), format, args));
	va_end(args);
}

/* Writes ftrace's payload, which perf script prints too. */
static void put_payload(struct message *file, const struct row *r)
{
	if (r->what == MARK)
		print(file, "%s\n", r->text);
	else if (r->what >= FRAME_ALLOC)
		print(file, "page=0x%x pfn=0x%x order=%u\n", 64 * FRAME, FRAME, r->object);
	else if (r->what >= BULK_ALLOC)
		print(file, "call_site=0x%llx nr=%u\n", site_of(r), r->object);
	else
		print(file, "call_site=0x%llx ptr=0x%llx%s\n", site_of(r), pointer_of(r),
		      r->what == ALLOC ? " bytes_req=256 bytes_alloc=256 gfp_flags=0xcc0" : "");
}

static void put_ftrace(struct message *file, const struct row *r, u32 us)
{
	print(file, "    sh-1  [%03u] .....  1.%06u: %s: ", r->cpu, us, names[r->what]);
	put_payload(file, r);
}

/* In trace-cmd's and perf's lists the event of trace markers has a different name. */
static void put_script(struct message *file, const struct row *r, u32 us)
{
	print(file, "sh 1 [%03u] 1.%06u: %s: ", r->cpu, us,
	      r->what == MARK ? "ftrace:print" : names[r->what]);
	if (r->what == MARK)
		print(file, "tracing_mark_write: ");
	put_payload(file, r);
}

static void put_csv(struct message *file, const struct row *r, u32 us)
{
	if (us == 1)
		print(file, "usecs,cpu,event,ptr,size,call_site,gfp,nr,text\n");
	if (r->what >= FRAME_ALLOC)
		return;
	print(file, "%u,%u,%s,", 1000000 + us, r->cpu, names[r->what]);
	if (r->what == MARK)
		print(file, ",,,,,%s\n", r->text);
	else if (r->what >= BULK_ALLOC)
		print(file, ",,0x%llx,,%u,\n", site_of(r), r->object);
	else
		print(file, "0x%llx,%s,0x%llx,%s,,\n", pointer_of(r), r->what == ALLOC ? "256" : "",
		      site_of(r), r->what == ALLOC ? "0xcc0" : "");
}

static void put_bpftrace(struct message *file, const struct row *r, u32 us)
{
	if (r->what >= FRAME_ALLOC)
		return;
	print(file, "%u %u sh 1 %s ", 1000000000 + 1000 * us, r->cpu, names[r->what]);
	if (r->what == MARK)
		print(file, "%s\n", r->text);
	else if (r->what >= BULK_ALLOC)
		print(file, "%u 0x%llx\n", r->object, site_of(r));
	else
		print(file, "0x%llx %s0x%llx\n", pointer_of(r),
		      r->what == ALLOC ? "256 256 0xcc0 " : "", site_of(r));
}

static void put_field(struct message *to, const char *name, unsigned number,
		      unsigned long long value)
{
	struct message field = { 0 };

	put_bytes(&field, 1, name, strlen(name));
	put_number(&field, number, value);
	put_message(to, 2, &field);
}

static void put_perfetto(struct message *file, const struct row *r, u32 us, int is_described)
{
	struct message packet = { 0 }, bundle = { 0 }, event = { 0 }, body = { 0 }, text = { 0 };
	u32 is_bulk = r->what == BULK_ALLOC || r->what == BULK_FREE, field = 303;

	if (r->what == ALLOC) {
		const unsigned long long values[] = { 256, 256, site_of(r), 0xcc0, pointer_of(r) };
		for (u32 i = 0; i < ARRAY_SIZE(values); i++)
			put_number(&body, i + 1, values[i]);
		field = 301;
	} else if (r->what == FREE) {
		put_number(&body, 1, site_of(r));
		put_number(&body, 2, pointer_of(r));
	} else if (r->what == MARK) {
		print(&text, "%s\n", r->text);
		put_number(&body, 1, 7);
		put_message(&body, 2, &text);
		field = 3;
	} else if (r->what >= FRAME_ALLOC) {
		/* Its schema numbers the parts of the two events differently. */
		put_number(&body, r->what == FRAME_ALLOC ? 5 : 3, FRAME);
		put_number(&body, r->what == FRAME_ALLOC ? 3 : 1, r->object);
		field = r->what == FRAME_ALLOC ? 307 : 310;
	} else if (is_described) {
		put_number(&body, 2, site_of(r));
		put_number(&body, 1, r->object);
		field = 65536 + r->what;
	} else {
		put_bytes(&body, 1, names[r->what], strlen(names[r->what]));
		put_field(&body, "call_site", 5, site_of(r));
		put_field(&body, "nr", r->what == BULK_FREE ? 4 : 5, r->object);
		field = 327;
	}
	put_number(&event, 1, 1000000000 + 1000 * us);
	put_message(&event, field, &body);
	put_message(&bundle, 2, &event);
	put_number(&bundle, 1, r->cpu);
	if (is_described && is_bulk) {
		struct message type = { 0 }, description = { 0 };
		put_bytes(&type, 1, names[r->what], strlen(names[r->what]));
		put_field(&type, "nr", 3, 1);
		put_field(&type, "call_site", 3, 2);
		put_number(&description, 1, field);
		put_message(&description, 2, &type);
		put_message(&bundle, 11, &description);
	}
	put_message(&packet, 1, &bundle);
	put_message(file, 1, &packet);
}

static void put_perfetto_52(struct message *file, const struct row *r, u32 us)
{
	put_perfetto(file, r, us, 0);
}

static void put_perfetto_53(struct message *file, const struct row *r, u32 us)
{
	put_perfetto(file, r, us, 1);
}

static const struct {
	const char *name;
	void (*put)(struct message *file, const struct row *r, u32 us);
	u32 is_sorted; /* on import: CPU 1 may come first */
	u32 has_pages;
} formats[] = { { "ftrace", put_ftrace, 0, 1 },
		{ "perf script", put_script, 0, 1 },
		{ "CSV", put_csv, 1, 0 },
		{ "bpftrace", put_bpftrace, 1, 0 },
		{ "Perfetto, generic", put_perfetto_52, 1, 1 },
		{ "Perfetto, described", put_perfetto_53, 1, 1 } };

static struct message written(u32 format)
{
	struct message file = { 0 };

	for (u32 pass = 0; pass <= formats[format].is_sorted; pass++)
		for (u32 i = 0; i < ARRAY_SIZE(run); i++)
			/* The header of CSV comes with the first row. */
			if (!formats[format].is_sorted || (run[i].cpu || !i) == !pass)
				formats[format].put(&file, &run[i], i + 1);
	put(&file, "", 1);
	file.len--;
	return file;
}

/* Describes events, groups and markers as text. */
static void describe(const struct trace *t, char *to, size_t room)
{
	size_t at = 0;

	for (u32 i = 0; i < t->nr_ops && at < room; i++) {
		const struct op op = trace_op(t, i);
		const struct site *site = &t->sites[op.site];
		at += (size_t)snprintf(to + at, room - at, "%u:%u:%u:%x:%u:%s:%s:%llu ", op.kind,
				       op.handle, op.cpu, op.flags, site->request,
				       trace_text(t, site->call_site), trace_text(t, site->gfp),
				       (unsigned long long)(trace_time(t, i) - trace_time(t, 0)));
	}
	for (u32 i = 0; i < t->nr_state_marks && at < room; i++)
		at += (size_t)snprintf(to + at, room - at, "mark %u ", t->state_marks[i]);
}

/* Checks the page allocator's events, each before the trace's event of that number. */
static void check_pages(const struct trace *t, u32 format)
{
	const struct page_event expected[] = { { 1, FRAME, 0, 3, 1 }, { 3, FRAME, 1, 0, 0 } };
	u32 nr = formats[format].has_pages ? ARRAY_SIZE(expected) : 0;

	CHECK(t->page_events.nr == nr, "%s: %u", formats[format].name, t->page_events.nr);
	for (u32 i = 0; i < nr && i < t->page_events.nr; i++) {
		struct page_event e = page_event_at(&t->page_events, i);
		CHECK(memcmp(&e, &expected[i], sizeof(e)) == 0, "%s: %u %x %u %u %u",
		      formats[format].name, e.op, e.pfn, e.cpu, e.order, e.is_alloc);
	}
}

static void each_format_gives_the_same_events(void)
{
	static char first[4096], found[4096];
	u32 nr_grouped = 0;
	u64 hash = 0;

	for (u32 i = 0; i < ARRAY_SIZE(formats); i++) {
		struct message file = written(i);
		struct kmem_session *s = session_of_bytes(file.bytes, file.len);
		const struct trace *t = &s->trace;
		describe(t, i ? found : first, sizeof(found));
		check_pages(t, i);
		CHECK(t->nr_state_marks == 4 && t->report.skipped_lines == 0, "%s",
		      formats[i].name);
		for (u32 op = 0; op < t->nr_ops; op++)
			nr_grouped += t->sites[trace_op(t, op).site].request == SITE_GROUP;
		CHECK(!i || strcmp(first, found) == 0, "%s:\n%s\nftrace:\n%s", formats[i].name,
		      found, first);
		CHECK(kmem_preset(s, "linux-6.1") == 0 && kmem_build(s, 0) == 0 &&
			      kmem_seek(s, t->nr_ops) == 0,
		      "%s", kmem_error(s));
		CHECK(!i || kmem_hash(s) == hash, "%s", formats[i].name);
		hash = kmem_hash(s);
		free(file.bytes);
	}
	/* The event after a marker; three objects are freed together, two allocated together. */
	CHECK(strstr(first, "mark 5 mark 6 mark ") != NULL, "%s", first);
	CHECK(nr_grouped == 5 * ARRAY_SIZE(formats), "%u objects", nr_grouped);
}

/* A number that is not one, or a request without objects, leaves events as they are. */
static void malformed_notes_are_ignored(void)
{
	static const char *const texts[] = {
		"time,cpu,event,ptr,size,nr\n1,0,kmem_cache_free_bulk,,,many\n"
		"2,0,kmem_cache_alloc,0x50,8,\n3,0,kmem_cache_free,0x50,,\n",
		"time,cpu,event,ptr,size,nr\n1,0,kmem_cache_free_bulk,,,9\n"
		"2,5000,kmem_cache_free_bulk,,,9\n"
		"2,1,kmem_cache_alloc,0x50,8,\n3,1,kmem_cache_free,0x50,,\n",
		"1 0 sh 1 kmem_cache_free_bulk x\n1 0 sh 1 tracing_mark_write state\n"
		"2 0 sh 1 kmem_cache_alloc 0x50 8 8 0xcc0\n3 0 sh 1 kmem_cache_free 0x50\n",
	};
	struct imported in;

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
		import_text(&in, texts[i], strlen(texts[i]), 0, 0);
		CHECK(in.status == KMEM_OK && in.trace.nr_ops == 2, "%u: %s", i, in.trace.error);
		for (u32 op = 0; op < in.trace.nr_ops; op++)
			CHECK(in.trace.sites[trace_op(&in.trace, op).site].request == 0, "%u", i);
		imported_drop(&in);
	}
}

int main(void)
{
	RUN(each_format_gives_the_same_events());
	RUN(malformed_notes_are_ignored());
	return check_summary();
}
