/*
 * probes_test.c - the dynamic events of record.sh: kfree_rcu(), prefilled sheaves and bulk requests that no tracepoint
 * shows. One run written in each format gives the same events, and an object is freed once, however many events mention
 * it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "import/binary.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/put_protobuf.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

enum what { ALLOC, FREE, RCU, PREFILL, TAKE, RETURN, GRACE };

/* Row i happens at i + 1 microseconds. */
static const struct row {
	u32 what, cpu, object; /* or sheaf */
} run[] = {
	{ ALLOC, 0, 1 }, { PREFILL, 0, 77 }, { TAKE, 0, 77 }, { ALLOC, 0, 2 },
	{ TAKE, 0, 77 }, { ALLOC, 1, 3 },    { ALLOC, 0, 4 }, { RCU, 1, 1 },
	{ RCU, 1, 1 },	 { RETURN, 0, 77 },  { FREE, 1, 1 },  { RCU, 1, 3 },
	{ GRACE, 1, 0 }, { ALLOC, 1, 3 },    { FREE, 0, 4 },  { PREFILL, 1, 78 },
};

/*
 * The first object of a sheaf reveals its cache; the other CPU's object is not from the sheaf. kfree() after
 * kfree_rcu() frees nothing.
 */
#define EXPECTED "alloc alloc prefill alloc sheaf rcu return rcu grace alloc free "

static const char *const names[] = { "kmem_cache_alloc",       "kmem_cache_free",
				     "probe_kfree_rcu",	       "probe_prefill_sheaf",
				     "probe_alloc_from_sheaf", "probe_return_sheaf",
				     "probe_rcu_sheaf_done" };

static unsigned long long pointer_of(const struct row *r)
{
	return 0xffff888100000000ull + 256 * r->object;
}

static int is_note(const struct row *r)
{
	return r->what >= PREFILL;
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
	if (r->what == GRACE)
		print(file, "(rcu_free_sheaf+0x0/0x1b0)\n");
	else if (is_note(r))
		print(file, "(f+0x1/0x2 <- kmem_cache_f) sheaf=0x%llx%s\n", pointer_of(r),
		      r->what == PREFILL ? " nr=3" : "");
	else if (r->what == RCU)
		print(file, "(kvfree_call_rcu+0x0/0x3c0) head=0x%llx ptr=0x%llx\n",
		      pointer_of(r) + 16, pointer_of(r));
	else
		print(file, "call_site=0x1 ptr=0x%llx%s\n", pointer_of(r),
		      r->what == ALLOC ? " bytes_req=256 bytes_alloc=256 gfp_flags=0xcc0" : "");
}

static void put_ftrace(struct message *file, const struct row *r, u32 us)
{
	print(file, "    sh-1  [%03u] .....  1.%06u: %s: ", r->cpu, us, names[r->what]);
	put_payload(file, r);
}

static void put_script(struct message *file, const struct row *r, u32 us)
{
	print(file, "sh 1 [%03u] 1.%06u: %s:%s: ", r->cpu, us, r->what < RCU ? "kmem" : "slabscope",
	      names[r->what]);
	put_payload(file, r);
}

static void put_csv(struct message *file, const struct row *r, u32 us)
{
	if (us == 1)
		print(file, "usecs,cpu,event,ptr,size,gfp,nr\n");
	print(file, "%u,%u,%s,", 1000000 + us, r->cpu, names[r->what]);
	print(file, "0x%llx,%s,%s,%s\n", pointer_of(r), r->what == ALLOC ? "256" : "",
	      r->what == ALLOC ? "0xcc0" : "", r->what == PREFILL ? "3" : "");
}

static void put_bpftrace(struct message *file, const struct row *r, u32 us)
{
	print(file, "%u %u sh 1 %s ", 1000000000 + 1000 * us, r->cpu, names[r->what]);
	if (r->what != GRACE)
		print(file, "0x%llx%s", pointer_of(r),
		      r->what == ALLOC	   ? " 256 256 0xcc0"
		      : r->what == PREFILL ? " 3"
					   : "");
	print(file, "\n");
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
	struct message packet = { 0 }, bundle = { 0 }, event = { 0 }, body = { 0 };
	const char *ptr = is_note(r) ? "sheaf" : "ptr";
	u32 field = r->what == ALLOC ? 301 : 303;

	if (r->what == ALLOC) {
		const unsigned long long values[] = { 256, 256, 1, 0xcc0, pointer_of(r) };
		for (u32 i = 0; i < ARRAY_SIZE(values); i++)
			put_number(&body, i + 1, values[i]);
	} else if (r->what == FREE) {
		put_number(&body, 1, 1);
		put_number(&body, 2, pointer_of(r));
	} else if (is_described) {
		put_number(&body, 2, pointer_of(r));
		put_number(&body, 1, 3);
		field = 65536 + r->what;
	} else {
		put_bytes(&body, 1, names[r->what], strlen(names[r->what]));
		put_field(&body, ptr, 5, pointer_of(r));
		put_field(&body, "nr", 5, 3);
		field = 327;
	}
	put_number(&event, 1, 1000000000 + 1000 * us);
	put_message(&event, field, &body);
	put_message(&bundle, 2, &event);
	put_number(&bundle, 1, r->cpu);
	if (is_described && r->what >= RCU) {
		struct message type = { 0 }, description = { 0 };
		put_bytes(&type, 1, names[r->what], strlen(names[r->what]));
		put_field(&type, "nr", 3, 1);
		put_field(&type, ptr, 3, 2);
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
} formats[] = { { "ftrace", put_ftrace, 0 },
		{ "perf script", put_script, 0 },
		{ "CSV", put_csv, 1 },
		{ "bpftrace", put_bpftrace, 1 },
		{ "Perfetto, generic", put_perfetto_52, 1 },
		{ "Perfetto, described", put_perfetto_53, 1 } };

/* Returns the events as words; those of kmem_cache_free_bulk() are in brackets. */
static const char *described(const struct trace *t)
{
	static char words[1024];
	struct text out = text_in(words, sizeof(words));

	for (u32 i = 0; i < t->nr_ops; i++) {
		const struct op op = trace_op(t, i);
		const struct site *site = &t->sites[op.site];
		const char *word = site->was == OP_PREFILL		? "prefill"
				   : site->was == OP_REFILL		? "refill"
				   : site->was == OP_RETURN		? "return"
				   : site->was == OP_GRACE		? "grace"
				   : site->request >= SITE_PREFILLED	? "sheaf"
				   : op.flags & OP_IMPLIED		? "unseen"
				   : site->reason == REASON_ORPHAN_FREE ? "orphan"
				   : site->request == SITE_RCU		? "rcu"
				   : op.kind == OP_FREE			? "free"
									: "alloc";
		text_add(&out, op.flags & OP_GROUP_FIRST ? "[" : "");
		text_add(&out, word);
		text_add(&out, op.flags & OP_GROUP_LAST ? "] " : " ");
	}
	return words;
}

static void each_format_gives_the_same_events(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(formats); i++) {
		struct message file = { 0 };
		struct imported in;
		for (u32 pass = 0; pass <= formats[i].is_sorted; pass++)
			for (u32 k = 0; k < ARRAY_SIZE(run); k++)
				/* The header of CSV comes with the first row. */
				if (!formats[i].is_sorted || (run[k].cpu || !k) == !pass)
					formats[i].put(&file, &run[k], k + 1);
		put(&file, "", 1);
		import_text(&in, file.bytes, file.len - 1, 0, 0);
		CHECK(in.status == KMEM_OK && in.trace.report.skipped_lines == 0, "%s: %s",
		      formats[i].name, in.trace.error);
		CHECK(strcmp(described(&in.trace), EXPECTED) == 0, "%s: %s", formats[i].name,
		      described(&in.trace));
		CHECK(in.trace.report.live_at_end == 2 && in.trace.report.frees == 3,
		      "%s: %llu live, %llu frees", formats[i].name,
		      (unsigned long long)in.trace.report.live_at_end,
		      (unsigned long long)in.trace.report.frees);
		imported_drop(&in);
		free(file.bytes);
	}
}

#define AT(time) "    sh-1  [000] .....  1.0000" time ": "
#define NEW(time, ptr)                                                          \
	AT(time)                                                                \
	"kmem_cache_alloc: call_site=f ptr=ffff88810000" ptr " name=maple_node" \
	" bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 accounted=false\n"
#define OLD(time, ptr) AT(time) "kfree: call_site=f ptr=ffff88810000" ptr "\n"
#define HANDED(time, ptr) AT(time) "probe_kfree_rcu: (f+0x0/0x1) ptr=0xffff88810000" ptr "\n"
#define SHEAF(time, what, more) \
	AT(time) "probe_" what ": (f+0x0/0x1) sheaf=0xffff888100ab0000" more "\n"
#define NAME " name=\"maple_node\""

static void a_free_reported_twice_counts_once(void)
{
	static const struct {
		const char *what, *text, *events;
	} cases[] = {
		{ "a grace period has ended where its object is allocated again",
		  NEW("01", "0100") HANDED("02", "0100") NEW("03", "0100") OLD("04", "0100"),
		  "alloc rcu grace alloc free " },
		{ "two probes and the kfree() behind the grace period",
		  NEW("01", "0100") HANDED("02", "0100") HANDED("03", "0100") OLD("04", "0100")
			  OLD("05", "0100"),
		  "alloc rcu orphan " },
		{ "an object from before the trace", HANDED("02", "0100") OLD("03", "0200"),
		  "orphan orphan " },
		{ "before 6.2: the place of the rcu_head in its object",
		  NEW("01", "0100") AT(
			  "02") "probe_kfree_rcu: (f+0x0/0x1) head=0xffff888100000110 ptr=0x10\n",
		  "alloc rcu " },
		{ "the objects of a bulk request; what lies after them is no object",
		  NEW("01", "0100") NEW("02", "0200") NEW("03", "0300") AT(
			  "04") "probe_free_bulk: (f+0x0/0x1) nr=2 ptrs={0xffff888100000200,0xffff888100000100,"
				"0xffff888100000300,0x7} name=\"(fault)\"\n",
		  "alloc alloc alloc [free free] " },
		{ "a bulk request frees what kfree_rcu() got",
		  NEW("01", "0100") NEW("02", "0200") HANDED("03", "0100") AT(
			  "04") "probe_free_bulk: (f+0x0/0x1) nr=2 ptrs={0xffff888100000100,0xffff888100000200}\n",
		  "alloc alloc rcu [free] " },
		{ "a bulk allocation",
		  AT("01") "probe_alloc_bulk: (f+0x0/0x1) nr=2 ptrs={0xffff888100000100,0xffff888100000200}"
			   " bytes_alloc=256 name=\"skbuff_head_cache\"\n" OLD("02", "0200"),
		  "[alloc alloc] free " },
	};
	struct imported in;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		import_text(&in, cases[i].text, strlen(cases[i].text), 0, 0);
		CHECK(in.trace.report.skipped_lines == 0 &&
			      strcmp(described(&in.trace), cases[i].events) == 0,
		      "%s: %s", cases[i].what, described(&in.trace));
		imported_drop(&in);
	}
}

static void a_sheaf_is_one_request(void)
{
	static const struct {
		const char *what, *text, *events;
	} cases[] = {
		{ "with a name",
		  NEW("01", "0100") SHEAF("02", "prefill_sheaf", " nr=3" NAME) SHEAF(
			  "03", "alloc_from_sheaf", "") NEW("04", "0200") NEW("05", "0300")
			  SHEAF("06", "refill_sheaf", " nr=9") SHEAF("07", "return_sheaf", NAME),
		  "alloc prefill sheaf alloc refill return " },
		{ "a return that was lost",
		  NEW("01", "0100") SHEAF("02", "prefill_sheaf", " nr=3" NAME)
			  SHEAF("03", "prefill_sheaf", " nr=4" NAME),
		  "alloc prefill return prefill " },
		{ "from before the trace",
		  SHEAF("01", "alloc_from_sheaf", "") NEW("02", "0200")
			  SHEAF("03", "return_sheaf", NAME),
		  "alloc " },
		{ "an interrupt allocates from another cache",
		  NEW("01", "0100") SHEAF("02", "prefill_sheaf",
					  " nr=3" NAME) SHEAF("03", "alloc_from_sheaf", "")
			  AT("04") "kmem_cache_alloc: call_site=f ptr=ffff888100000700 name=filp bytes_req=184"
				   " bytes_alloc=192 gfp_flags=GFP_ATOMIC\n" NEW("05", "0200"),
		  "alloc prefill alloc sheaf " },
	};
	struct imported in;

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		import_text(&in, cases[i].text, strlen(cases[i].text), 0, 0);
		CHECK(in.trace.report.skipped_lines == 0 &&
			      strcmp(described(&in.trace), cases[i].events) == 0,
		      "%s: %s", cases[i].what, described(&in.trace));
		imported_drop(&in);
	}
}

/* Each event stays on its CPU: a task takes its sheaf along, and the slot stays one of the CPU that filled it. */
static void a_sheaf_moves_with_its_task(void)
{
	static const char text[] = NEW("01", "0100") SHEAF(
		"02", "prefill_sheaf",
		" nr=3" NAME) "    sh-1  [001] .....  1.000003: probe_alloc_from_sheaf: (f+0x0/0x1) "
			      "sheaf=0xffff888100ab0000\n"
			      "    sh-1  [001] .....  1.000004: kmem_cache_alloc: call_site=f ptr=ffff888100000200"
			      " name=maple_node bytes_req=256 bytes_alloc=256 gfp_flags=GFP_KERNEL node=-1 "
			      "accounted=false\n"
			      "    sh-1  [001] .....  1.000005: probe_return_sheaf: (f+0x0/0x1) "
			      "sheaf=0xffff888100ab0000" NAME "\n";
	struct imported in;

	import_text(&in, text, strlen(text), 0, 0);
	CHECK(!strcmp(described(&in.trace), "alloc prefill sheaf return "), "%s",
	      described(&in.trace));
	for (u32 i = 2; i < in.trace.nr_ops; i++) {
		const struct op op = trace_op(&in.trace, i);
		CHECK(op.cpu == 1 && in.trace.sites[op.site].sheaf_cpu == 1, "op %u: CPU %u", i,
		      op.cpu);
	}
	imported_drop(&in);
}

/* The export to slabtrace preserves all of this. */
static void an_exported_trace_replays_to_the_same_state(void)
{
	static const char text[] = "# os release : 7.2.12\n" NEW("01", "0100")
		SHEAF("02", "prefill_sheaf", " nr=3" NAME) SHEAF("03", "alloc_from_sheaf", "")
			NEW("04", "0200") HANDED("05", "0100") SHEAF("06", "return_sheaf", NAME)
				NEW("07", "0100");
	struct kmem_session *s = session_of_bytes(text, sizeof(text) - 1);
	struct imported in;
	size_t len;

	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, kmem_nr_ops(s)) == 0, "%s", kmem_error(s));
	u64 hash = kmem_hash(s);
	import_text(&in, text, sizeof(text) - 1, 0, 0);
	char *lines = export_text(&in, KMEM_EXPORT_SLABTRACE, &len);
	s = session_of_bytes(lines, len);
	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_hash(s) == hash,
	      "%s", lines);
	free(lines);
	imported_drop(&in);
}

enum { NR_TYPES = 5 };

/* Adds format files as the kernel writes them for such events. */
static void add_types(struct tracepoints *points)
{
	static const char common[] =
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\n"
		"print fmt: \"(%%lx)\", REC->__probe_ip\n";
	static const struct {
		const char *name, *fields;
	} types[] = {
		{ "kmem_cache_alloc",
		  "\tfield:const void * ptr;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:size_t bytes_req;\toffset:16;\tsize:8;\tsigned:0;\n"
		  "\tfield:size_t bytes_alloc;\toffset:24;\tsize:8;\tsigned:0;\n"
		  "\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n" },
		{ "probe_kfree_rcu",
		  "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:u64 head;\toffset:16;\tsize:8;\tsigned:0;\n"
		  "\tfield:u64 ptr;\toffset:24;\tsize:8;\tsigned:0;\n" },
		{ "probe_prefill_sheaf",
		  "\tfield:u64 sheaf;\toffset:24;\tsize:8;\tsigned:0;\n"
		  "\tfield:u32 nr;\toffset:16;\tsize:4;\tsigned:0;\n"
		  "\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:1;\n" },
		{ "probe_alloc_from_sheaf",
		  "\tfield:u64 sheaf;\toffset:24;\tsize:8;\tsigned:0;\n" },
		{ "probe_free_bulk", "\tfield:u32 nr;\toffset:16;\tsize:4;\tsigned:0;\n"
				     "\tfield:u64 ptrs[2];\toffset:24;\tsize:16;\tsigned:0;\n" },
	};
	enum { FILE_BYTES = 1024 };
	static char files[NR_TYPES][FILE_BYTES];

	_Static_assert(ARRAY_SIZE(types) == NR_TYPES, "a file for each type");
	for (u32 i = 0; i < NR_TYPES; i++) {
		char *file = files[i];
		u64 len = (u64)snprintf(file + 8, FILE_BYTES - 8, common, types[i].name, i + 1,
					types[i].fields);
		struct reader r = { (u8 *)file, (u8 *)file + 8 + len, 0 };
		memcpy(file, &len, 8);
		tracepoints_add_some(points, &r, 1);
	}
}

/* Reads one event of each type. */
static void binary_events_are_read(void)
{
	static const struct trace_format made = { .name = "made" };
	enum { DATA = 40 };
	static struct params params;
	u8 bytes[DATA + 16 + SCAN_SLACK] = { 0 };
	struct imported in;

	import_text(&in, "slabtrace 1\n", 12, 0, 0);
	struct trace *t = &in.trace;
	params_init(&params);
	trace_drop(t);
	CHECK(trace_begin(t, &in.pool, &params) == KMEM_OK, "%s", t->error);
	struct tracepoints *points = tracepoints_open(t->import);
	t->import->format = &made;
	memcpy(bytes + DATA, "maple_node", 11);
	add_types(points);
	const struct {
		u16 type;
		u64 at_8, at_16, at_24, at_32;
	} events[] = {
		{ 1, 0xffff888100000100, 256, 256, 11 << 16 | DATA },
		{ 1, 0xffff888100000200, 256, 256, 11 << 16 | DATA },
		{ 3, 0, 3, 0xffff888100ab0000, 11 << 16 | DATA },
		{ 4, 0, 0, 0xffff888100ab0000, 0 },
		{ 1, 0xffff888100000300, 256, 256, 11 << 16 | DATA },
		{ 2, 0, 0xffff888100000110, 16, 0 },
		{ 5, 0, 1, 0xffff888100000200, 0xffff888100000300 },
	};
	for (u32 i = 0; i < ARRAY_SIZE(events); i++) {
		memcpy(bytes, &events[i].type, 2);
		memcpy(bytes + 8, &events[i].at_8, 32);
		tracepoints_event(points, &(struct raw_event){ bytes, DATA + 16, i + 1, 0 });
	}
	CHECK(strcmp(described(t), "alloc alloc prefill sheaf rcu [free] ") == 0, "%s",
	      described(t));
	tracepoints_close(points);
	CHECK(trace_end(t) == KMEM_OK && t->report.skipped_lines == 0, "%s", t->error);
	imported_drop(&in);
}

int main(void)
{
	RUN(each_format_gives_the_same_events());
	RUN(a_free_reported_twice_counts_once());
	RUN(a_sheaf_is_one_request());
	RUN(a_sheaf_moves_with_its_task());
	RUN(an_exported_trace_replays_to_the_same_state());
	RUN(binary_events_are_read());
	return check_summary();
}
