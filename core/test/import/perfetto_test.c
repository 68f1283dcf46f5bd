/*
 * perfetto_test.c - Perfetto traces that the test writes itself: every event sorted by time, on its CPU, with the name
 * of its call site; and a damaged file gives a status, whatever it contains.
 */
#include "test/support/check.h"
#include "test/support/put_protobuf.h"
#include "test/support/trace_text.h"

#include <stdlib.h>
#include <string.h>

/* The events of the tests: object i is allocated on CPU i % 3 at one time and freed on CPU (i + 1) % 3 later. */
enum { OBJECTS = 60, CPUS = 3, TIME_OF_FREE = 100 };

static unsigned long long pointer(unsigned i)
{
	return 0xffff888000000000ull + i * 256ull;
}

static void put_alloc(struct message *bundle, unsigned i, unsigned long long site)
{
	struct message event = { 0 }, body = { 0 };
	unsigned is_node = i % 4 == 3, is_cache = i % 2;

	put_number(&body, 1, 128);
	put_number(&body, 2, 100 + i % 3);
	put_number(&body, 3, site);
	put_number(&body, 4, 0xcc0);
	if (is_node)
		put_number(&body, 5, i % 8 == 3 ? 1 : ~0ull);
	put_number(&body, is_node ? 6 : 5, pointer(i));
	put_number(&event, 1, 1000 + i);
	put_number(&event, 2, 42);
	put_message(&event, is_cache ? 301 + is_node : 299, &body);
	put_message(bundle, 2, &event);
}

static void put_free(struct message *bundle, unsigned i)
{
	struct message event = { 0 }, body = { 0 };

	put_number(&body, 1, 0xffffffff81000000ull);
	put_number(&body, 2, pointer(i));
	put_number(&event, 1, 1000 + i + TIME_OF_FREE);
	put_message(&event, i % 2 ? 303 : 298, &body);
	put_message(bundle, 2, &event);
}

/* Packets with the events of one CPU in [from, to) of the time. The CPU's number lies after the events. */
static void put_packet(struct message *file, unsigned cpu, unsigned from, unsigned to,
		       unsigned sequence)
{
	struct message packet = { 0 }, bundle = { 0 };

	for (unsigned time = from; time < to; time++) {
		if (time < OBJECTS && time % CPUS == cpu)
			put_alloc(&bundle, time, time % 5 ? 0xffffffff81000000ull + time : 7);
		if (time >= TIME_OF_FREE && time - TIME_OF_FREE < OBJECTS &&
		    (time - TIME_OF_FREE + 1) % CPUS == cpu)
			put_free(&bundle, time - TIME_OF_FREE);
	}
	put_number(&bundle, 1, cpu);
	put_number(&bundle, 3, cpu == 1 && !from);
	put_message(&packet, 1, &bundle);
	put_number(&packet, 10, sequence);
	put_message(file, 1, &packet);
}

static void put_symbol(struct message *file, unsigned sequence, unsigned number, const char *name)
{
	struct message packet = { 0 }, interned = { 0 }, symbol = { 0 };

	put_number(&symbol, 1, number);
	put_bytes(&symbol, 2, name, strlen(name));
	put_message(&interned, 26, &symbol);
	put_message(&packet, 12, &interned);
	put_number(&packet, 10, sequence);
	put_message(file, 1, &packet);
}

static void put_release(struct message *file)
{
	struct message packet = { 0 }, system = { 0 }, uname = { 0 };

	put_bytes(&uname, 1, "Linux", 5);
	put_bytes(&uname, 3, "6.12.30", 7);
	put_message(&system, 1, &uname);
	put_message(&packet, 45, &system);
	put_message(file, 1, &packet);
}

/* Writes one CPU after another, in rounds of this much time. */
static struct message packets(unsigned round)
{
	struct message file = { 0 };

	put_release(&file);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		put_symbol(&file, 5 + cpu, 7, cpu == 2 ? "alloc_skb" : "copy_process");
	for (unsigned from = 0; from < TIME_OF_FREE + OBJECTS; from += round)
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			put_packet(&file, cpu, from, from + round, 5 + cpu);
	return file;
}

/* Counts again, from how the events were made. */
static void check_events(const struct imported *in)
{
	const struct trace *t = &in->trace;

	CHECK(in->status == KMEM_OK, "%s", t->error);
	CHECK(t->nr_ops == 2 * OBJECTS && t->report.live_at_end == 0, "%u", t->nr_ops);
	CHECK(t->report.allocs == OBJECTS && t->report.frees == OBJECTS && t->report.late == 0 &&
	      t->report.skipped_lines == 0 && t->report.lost == 1 && t->report.cpus == CPUS);
	CHECK(strcmp(t->kernel, "6.12.30") == 0, "%s", t->kernel);
	for (u32 i = 0; i < MIN(t->nr_ops, (u32)OBJECTS * 2); i++) {
		const struct op op = trace_op(t, i);
		const struct site *site = &t->sites[op.site];
		u32 object = i % OBJECTS, is_free = i >= OBJECTS;
		char name[40];
		snprintf(name, sizeof(name), "0x%llx",
			 0xffffffff81000000ull + (is_free ? 0 : object));
		if (!is_free && object % 5 == 0)
			strcpy(name, object % CPUS == 2 ? "alloc_skb" : "copy_process");
		CHECK(op.cpu == (object + is_free) % CPUS, "event %u: CPU %u", i, op.cpu);
		CHECK(trace_time(t, i) == 1000 + object + (is_free ? TIME_OF_FREE : 0), "event %u",
		      i);
		CHECK(strcmp(trace_text(t, site->call_site), name) == 0, "event %u: %s, not %s", i,
		      trace_text(t, site->call_site), name);
		CHECK(is_free || (site->bytes == 100 + object % 3 &&
				  site->node == (object % 8 == 3 ? 1 : NODE_ANY) &&
				  strcmp(trace_text(t, site->gfp), "0xcc0") == 0),
		      "event %u", i);
	}
}

static void check_file(const struct message *file)
{
	struct imported in;
	u64 digest = 0;

	for (u32 chunk = 0; chunk < 600; chunk += 199)
		for (int flags = 0; flags <= BY_RANGE; flags += BY_RANGE) {
			import_text(&in, file->bytes, file->len, chunk, flags);
			check_events(&in);
			CHECK(!digest || digest == trace_digest(&in));
			digest = trace_digest(&in);
			imported_drop(&in);
		}
}

static void sorts_the_events_of_all_cpus_by_time(void)
{
	for (unsigned round = 10; round <= 200; round += 95) {
		struct message file = packets(round);
		check_file(&file);
		free(file.bytes);
	}
}

/* With room for only a few events, those that come in time are sorted; the others are counted and kept. */
static void events_that_come_too_late_are_counted(void)
{
	for (unsigned round = 20; round <= 200; round += 180) {
		struct message file = packets(round);
		struct imported in;
		import_text(&in, file.bytes, file.len, 0, BY_RANGE | TINY);
		CHECK(in.status == KMEM_OK && in.trace.report.events == 2 * OBJECTS, "%s",
		      in.trace.error);
		CHECK((in.trace.report.late != 0) == (round == 200), "%llu are late",
		      (unsigned long long)in.trace.report.late);
		imported_drop(&in);
		free(file.bytes);
	}
}

/* Write zlib with plain blocks, and a frame of zstd with plain blocks. */
static void put_zlib(struct message *packed, const struct message *plain)
{
	put(packed, "\x78\x01", 2);
	for (size_t at = 0; at < plain->len; at += 60000) {
		size_t n = MIN(plain->len - at, (size_t)60000);
		char head[5] = { at + n == plain->len, (char)n, (char)(n >> 8), (char)~n,
				 (char)(~n >> 8) };
		put(packed, head, 5);
		put(packed, plain->bytes + at, n);
	}
	put(packed, "\0\0\0\0", 4);
}

static void put_zstd(struct message *packed, const struct message *plain)
{
	put(packed, "\x28\xb5\x2f\xfd\x00\x58", 6);
	for (size_t at = 0; at < plain->len; at += 1000) {
		size_t n = MIN(plain->len - at, (size_t)1000);
		unsigned head = (unsigned)n << 3 | (at + n == plain->len);
		char bytes[3] = { (char)head, (char)(head >> 8), (char)(head >> 16) };
		put(packed, bytes, 3);
		put(packed, plain->bytes + at, n);
	}
}

static struct message packed_file(unsigned field)
{
	struct message plain = packets(50), file = { 0 }, packet = { 0 }, packed = { 0 };

	(field == 50 ? put_zlib : put_zstd)(&packed, &plain);
	put_message(&packet, field, &packed);
	put_message(&file, 1, &packet);
	free(plain.bytes);
	return file;
}

static void compressed_packets_are_read(void)
{
	const unsigned fields[] = { 50, 133 };

	for (u32 i = 0; i < ARRAY_SIZE(fields); i++) {
		struct message file = packed_file(fields[i]), packet = { 0 }, nested = { 0 };
		struct imported in;
		check_file(&file);
		/* Compressed packets cannot contain other compressed packets. */
		if (fields[i] == 50) {
			struct message again = { 0 };
			put_zlib(&again, &file);
			put_message(&packet, 50, &again);
			put_message(&nested, 1, &packet);
			import_text(&in, nested.bytes, nested.len, 0, 0);
			CHECK(in.trace.report.skipped_lines == 1 && in.trace.nr_ops == 0);
			imported_drop(&in);
			free(nested.bytes);
		}
		free(file.bytes);
	}
}

static void check_verdict(const struct message *file, size_t len, size_t at)
{
	struct imported in;

	import_text(&in, file->bytes, len, 0, 0);
	CHECK(in.status == KMEM_OK || (in.status == KMEM_EINPUT && in.trace.error[0]),
	      "at %zu: %d %s", at, in.status, in.trace.error);
	CHECK(in.trace.report.events <= len / 8 + OBJECTS * 2, "at %zu", at);
	imported_drop(&in);
}

/* The file is cut off or damaged at any byte. */
static void a_damaged_file_is_reported_and_never_crashes(void)
{
	size_t step = getenv("SHALLOWER") ? 37 : 5;
	struct message files[] = { packets(50), packed_file(50), packed_file(133) };

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		struct message *file = &files[i];
		for (size_t n = 0; n < file->len; n += step) {
			check_verdict(file, n, n);
			for (int bit = 0; bit < 8; bit += 7) {
				file->bytes[n] ^= (char)(1 << bit);
				check_verdict(file, file->len, n);
				file->bytes[n] ^= (char)(1 << bit);
			}
		}
		free(file->bytes);
	}
}

static void a_file_cut_off_keeps_the_events_before_the_cut(void)
{
	struct message file = packets(20);
	struct imported in;

	import_text(&in, file.bytes, file.len - 3, 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.report.truncated == 1);
	CHECK(in.trace.nr_ops > OBJECTS && in.trace.nr_ops < 2 * OBJECTS, "%u", in.trace.nr_ops);
	imported_drop(&in);
	free(file.bytes);
}

static void check_sentence(struct message *file, const char *words)
{
	struct imported in;

	import_text(&in, file->bytes, file->len, 0, 0);
	CHECK(in.status == KMEM_EINPUT && strstr(in.trace.error, words), "%s", in.trace.error);
	imported_drop(&in);
	free(file->bytes);
}

static void a_trace_without_kmem_events_is_refused(void)
{
	struct message empty = { 0 }, others = { 0 }, packet = { 0 }, bundle = { 0 }, event = { 0 };

	put_release(&empty);
	check_sentence(&empty, "no ftrace events");
	put_number(&event, 1, 1000);
	put_bytes(&event, 4, "", 0);
	put_message(&bundle, 2, &event);
	put_message(&packet, 1, &bundle);
	put_message(&others, 1, &packet);
	check_sentence(&others, "none of kmem");
}

static void put_thread(struct message *file, unsigned pid, const char *name)
{
	struct message packet = { 0 }, tree = { 0 }, thread = { 0 };

	put_number(&thread, 1, pid);
	put_bytes(&thread, 2, name, strlen(name));
	put_message(&tree, 2, &thread);
	put_message(&packet, 2, &tree);
	put_message(file, 1, &packet);
}

static void put_rename(struct message *file, unsigned pid, const char *name, unsigned time)
{
	struct message packet = { 0 }, bundle = { 0 }, event = { 0 }, body = { 0 };

	put_number(&body, 1, pid);
	put_bytes(&body, 2, "sh", 2);
	put_bytes(&body, 3, name, strlen(name));
	put_number(&event, 1, time);
	put_message(&event, 236, &body);
	put_message(&bundle, 2, &event);
	put_message(&packet, 1, &bundle);
	put_message(file, 1, &packet);
}

/* Task 42 allocates, and an unnamed task frees. */
static void a_task_keeps_the_name_it_had_at_the_time(void)
{
	struct message file = packets(50);
	struct imported in;

	put_thread(&file, 42, "sh");
	put_rename(&file, 42, "make", 1010);
	import_text(&in, file.bytes, file.len, 0, KEEP_ALL);
	CHECK(in.status == KMEM_OK, "%s", in.trace.error);
	for (u32 i = 0; i < MIN(in.trace.nr_ops, (u32)OBJECTS * 2); i++) {
		const char *task = trace_text(&in.trace, trace_task(&in.trace, i));
		const char *expected = i >= OBJECTS ? "<idle>-0" : i < 10 ? "sh-42" : "make-42";
		CHECK(strcmp(task, expected) == 0, "event %u: %s, not %s", i, task, expected);
		CHECK(trace_pointer(&in.trace, i) == pointer(i % OBJECTS), "event %u", i);
	}
	imported_drop(&in);
	free(file.bytes);
}

/* A text that starts with an empty line is not a Perfetto trace. */
static void text_is_not_taken_for_perfetto(void)
{
	static const char text[] =
		"\n# tracer: nop\n#\n"
		"  bash-1 [000] .... 1.000001: kfree: call_site=f+0x1/0x2 ptr=00000000abcdef01\n";
	struct imported in;

	import_text(&in, text, sizeof(text) - 1, 0, 0);
	CHECK(in.status == KMEM_OK && in.trace.report.frees == 1, "%s", in.trace.error);
	imported_drop(&in);
}

int main(void)
{
	RUN(sorts_the_events_of_all_cpus_by_time());
	RUN(events_that_come_too_late_are_counted());
	RUN(compressed_packets_are_read());
	RUN(a_damaged_file_is_reported_and_never_crashes());
	RUN(a_file_cut_off_keeps_the_events_before_the_cut());
	RUN(a_trace_without_kmem_events_is_refused());
	RUN(a_task_keeps_the_name_it_had_at_the_time());
	RUN(text_is_not_taken_for_perfetto());
	return check_summary();
}
