/*
 * fuzz_ops.c - any bytes as a machine, caches and operations (ops_text.h), replayed and checked by the oracle: every
 * invariant after each event, sometimes after each step, back and forth in time, and every call of kmem.h.
 *
 * A libFuzzer target (clang -fsanitize=fuzzer,address,undefined); linked with fuzz_replay.c instead, a program that
 * replays a corpus. $ALLOCATOR names the allocator, slub if it is not set. When an invariant breaks, it prints the
 * events as slabtrace, so you can keep them as a test.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/model/every_call.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"
#include "test/model/watch.h"

enum { FUZZ_MAX_OPS = 600 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const u8 nothing;
	const char *allocator = getenv("ALLOCATOR");
	struct dice d = { .bytes = len ? bytes : &nothing, .len = len };
	struct watch how = { 1, 5, 31 };
	const char *text = ops_text(&d, allocator && *allocator ? allocator : "slub", FUZZ_MAX_OPS);
	struct kmem_session *s = session_of_text(text);
	u32 op;

	if (kmem_report(s)->skipped_lines) {
		fprintf(stderr, "%sbroken: a line of this is not slabtrace\n", text);
		abort();
	}
	const char *broken = watch_replay(s, &how, &op);
	if (broken) {
		fprintf(stderr, "%sbroken after operation %u: %s\n", text, op, broken);
		abort();
	}
	struct dice calls = dice_of_bytes(bytes, len);
	broken = every_call(s, &calls);
	if (broken) {
		fprintf(stderr, "%sbroken by some call: %s\n", text, broken);
		abort();
	}
	return 0;
}
