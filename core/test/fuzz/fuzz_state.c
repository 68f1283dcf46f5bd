/*
 * fuzz_state.c - any bytes as the state of a kernel and a trace from it: it never crashes, and a refusal has a
 * sentence.
 *
 * The file is a state, a line TRACE, and a trace. A libFuzzer target; linked with fuzz_replay.c instead, a program that
 * replays a corpus.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kmem_own.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(int what, const char *law)
{
	if (what)
		return;
	fprintf(stderr, "broken: %s\n", law);
	abort();
}

static int read_state(struct kmem_session *s, uint32_t which, const uint8_t *bytes, size_t len)
{
	int32_t err = kmem_state_begin(s, which);

	for (size_t at = 0; !err && at < len; at += 1000)
		err = kmem_state_chunk(s, bytes + at,
				       (uint32_t)(len - at < 1000 ? len - at : 1000));
	return err ? err : kmem_state_end(s);
}

static void check(struct kmem_session *s, uint32_t infer_order)
{
	int32_t failed = kmem_job(s, JOB_CHECK, &(struct kmem_check_args){ infer_order });
	const struct kmem_checked *found = failed ? NULL : kmem_checked(s);

	must(found || kmem_error(s)[0], "a refusal has a sentence");
	must(!found || found->right <= found->allocations, "no more is right than there is");
	must(!found || found->moves <= found->events, "no more is moved than there is");
}

/* A replay of the trace from the state passes every check at its end, and is the same after a seek. */
static void replay(struct kmem_session *s)
{
	int32_t err = kmem_start_use(s, 1);

	err = err ? err : kmem_build(s, 0);
	must(!err || kmem_error(s)[0], "a refusal has a sentence");
	if (err)
		return;
	uint64_t hash = kmem_hash(s);
	must(kmem_check(s) == 0, kmem_error(s));
	must(kmem_seek(s, kmem_nr_ops(s) / 2) == 0 && kmem_check(s) == 0, kmem_error(s));
	must(kmem_seek(s, kmem_nr_ops(s)) == 0 && kmem_hash(s) == hash, "seek equals run");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const uint8_t *trace = memmem(bytes, len, "\nTRACE\n", 7);
	size_t state_len = trace ? (size_t)(trace + 1 - bytes) : len;
	size_t region_bytes = (size_t)512 << 20;
	void *region = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = kmem_open(region, region_bytes);

	int start = read_state(s, KMEM_STATE_START, bytes, state_len),
	    stop = read_state(s, KMEM_STATE_STOP, bytes, state_len);
	must(start == stop, "the verdict does not depend on what the state is for");
	must(!start || kmem_error(s)[0], "a refusal has a sentence");
	must(kmem_import_begin(s) == 0 &&
		     kmem_import_keep(s, KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS) == 0,
	     kmem_error(s));
	int32_t err = trace ? kmem_import_chunk(s, trace + 7, (uint32_t)(len - state_len - 6)) : 0;
	if (!err)
		err = kmem_import_end(s);
	if (!err) {
		check(s, 0);
		check(s, 1);
		replay(s);
	}
	kmem_close(s);
	munmap(region, region_bytes);
	return 0;
}
