/*
 * fuzz_trace.c - any bytes through the importer: it never crashes, chunks of any size give the same trace, an export
 * reads back, and a session answers every call.
 *
 * A libFuzzer target (clang -fsanitize=fuzzer,address,undefined); linked with fuzz_replay.c instead, a program that
 * replays a corpus.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_state/machine_state.h"
#include "test/model/every_call.h"
#include "test/support/trace_text.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(int what, const char *law)
{
	if (what)
		return;
	fprintf(stderr, "broken: %s\n", law);
	abort();
}

/* An export of what was read gives the same events when read again. */
static void there_and_back(const struct imported *in)
{
	size_t len;
	char *text = export_text(in, 0, &len);
	struct imported back;

	import_text(&back, text, len, 0, 0);
	must(back.status == KMEM_OK || in->trace.nr_ops == 0, "what is written is a trace");
	must(back.trace.nr_ops == in->trace.nr_ops, "no operation is lost or invented");
	for (u32 i = 0; i < back.trace.nr_ops; i++) {
		const struct op a = trace_op(&in->trace, i), b = trace_op(&back.trace, i);
		must(a.handle == b.handle && a.kind == b.kind && a.cpu == b.cpu &&
			     a.flags == b.flags,
		     "operations read back as they were");
		must(!in->trace.has_times ||
			     trace_time(&in->trace, i) == trace_time(&back.trace, i),
		     "times read back as they were");
	}
	imported_drop(&back);
	free(text);
}

/* Reads the bytes as a snapshot of a machine: it can make caches of these names, whatever it says. */
static void as_state(const uint8_t *bytes, size_t len)
{
	static const char trace[] =
		"slabtrace 1\nmachine cpus=2\ncache f size=184 name=filp\na 1 f cpu=0\n"
		"k 2 60 cpu=1\nf 1 cpu=1\nshrink f\n";
	u64 region_bytes = (u64)256 << 20;
	void *region = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = kmem_open(region, region_bytes);

	must(kmem_import_begin(s) == 0 &&
		     !kmem_import_chunk(s, (const u8 *)trace, sizeof(trace) - 1) &&
		     kmem_import_end(s) == 0,
	     "the trace is one");
	kmem_machine_state_use(s, 1);
	must(kmem_machine_state_begin(s) == 0 && !kmem_machine_state_chunk(s, bytes, (u32)len),
	     "it is read");
	kmem_machine_state_end(s);
	must(kmem_build(s, 0) == 0 && kmem_check(s) == 0, kmem_error(s));
	kmem_close(s);
	munmap(region, region_bytes);
}

/* Runs a session with those bytes: every query, and the replay by clocks. */
static void in_a_session(const uint8_t *bytes, size_t len)
{
	struct dice dice = dice_of_bytes(bytes, len);
	u64 region_bytes = (u64)512 << 20;
	void *region = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = kmem_open(region, region_bytes);

	must(kmem_import_begin(s) == 0, kmem_error(s));
	s32 status = kmem_import_chunk(s, bytes, (u32)len);
	if (!status)
		status = kmem_import_end(s);
	const char *broken = status ? NULL : every_call(s, &dice);
	must(!broken, broken);
	kmem_close(s);
	munmap(region, region_bytes);
}

/*
 * A host that reads the requested ranges gets the same result. So does one with little memory, with two exceptions:
 * problems come in another order, and samples may be older than a finished round allows.
 */
static void by_range(const uint8_t *bytes, size_t len, const struct imported *whole)
{
	const struct kmem_report *report = &whole->trace.report;

	for (int flags = BY_RANGE; flags <= (BY_RANGE | TINY); flags += TINY) {
		struct imported in;
		import_text(&in, (const char *)bytes, len, flags & TINY ? 1 + (u32)(len % 97) : 0,
			    flags);
		must(in.status == whole->status, "the verdict does not depend on the ranges");
		int is_same = !(flags & TINY) || (!report->skipped_lines && !report->truncated);
		if (in.status == KMEM_OK && is_same && !in.trace.report.late)
			must(trace_digest(&in) == trace_digest(whole),
			     "the operations do not depend on the ranges");
		must(in.status != KMEM_OK || ((flags & TINY) && report->truncated) ||
			     in.trace.report.events == report->events,
		     "no event depends on the ranges");
		imported_drop(&in);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct imported whole, pieces;

	import_text(&whole, (const char *)bytes, len, 0, 0);
	import_text(&pieces, (const char *)bytes, len, 1 + (u32)(len % 13), 0);
	must(whole.status == pieces.status, "the verdict does not depend on the chunks");
	by_range(bytes, len, &whole);
	if (whole.status == KMEM_OK) {
		must(trace_digest(&whole) == trace_digest(&pieces),
		     "the operations do not depend on the chunks");
		for (u32 i = 0; i < whole.trace.nr_ops; i++)
			must(trace_op(&whole.trace, i).site < whole.trace.nr_sites,
			     "every operation has a site");
		there_and_back(&whole);
	} else {
		must(whole.trace.error[0] != 0, "a refusal has a sentence");
	}
	if (len > 16 && strstr(whole.trace.error, "state of a machine"))
		as_state(bytes, len);
	int is_trace = whole.status == KMEM_OK;
	imported_drop(&whole);
	imported_drop(&pieces);
	if (is_trace)
		in_a_session(bytes, len);
	return 0;
}
