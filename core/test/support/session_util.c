/*
 * session_util.c - see session_util.h.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test/support/session_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "session/session.h"
#include "test/support/check.h"

struct kmem_session *session_of_bytes(const void *bytes, size_t len_bytes)
{
	static void *memory;
	const u64 len = ((u64)1 << 32) - 65536;

	if (memory) {
		kmem_close(memory);
		munmap(memory, len);
	}
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = memory == MAP_FAILED ? NULL : kmem_open(memory, len);
	if (!s || kmem_import_begin(s) || kmem_import_chunk(s, bytes, (u32)len_bytes) ||
	    kmem_import_end(s)) {
		fprintf(stderr, "the test's trace does not import: %s\n",
			s ? kmem_error(s) : "no memory");
		exit(1);
	}
	return s;
}

s32 begin_by_clocks(struct kmem_session *s)
{
	return kmem_begin(s, JOB_BUILD, &(struct kmem_build_args){ .by_clocks = 1 });
}

struct kmem_session *session_of_text(const char *text)
{
	return session_of_bytes(text, strlen(text));
}

struct policy policy_of_preset(const char *preset)
{
	struct kmem_session *s = session_of_text("slabtrace 1\n");
	struct policy p;

	if (kmem_preset(s, preset) || session_policy(s, &p)) {
		fprintf(stderr, "%s: %s\n", preset, kmem_error(s));
		exit(1);
	}
	return p;
}

const char *synthetic_trace(u32 nr_ops, u32 live, u32 cpus, u32 nodes)
{
	static const u32 sizes[] = { 32, 64, 192, 1024, 4096 };
	static char *text;
	u32 *free_ids = malloc((live + 1) * sizeof(u32)),
	    *live_ids = malloc((live + 1) * sizeof(u32));
	u32 nr_free = 0, nr_live = 0;
	u64 seed = 42;
	char *p;

	free(text);
	p = text = malloc((u64)nr_ops * 48 + 4096);
	p += sprintf(p, "slabtrace 1\nmachine cpus=%u nodes=%u\n", cpus, nodes);
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		p += sprintf(p, "cache c%u size=%u\n", i, sizes[i]);
	for (u32 i = 0; i < live; i++)
		free_ids[nr_free++] = i;
	for (u32 i = 0; i < nr_ops; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		u32 dice = (u32)(seed >> 40), cpu = (u32)(seed >> 33) % cpus,
		    which = (u32)(seed >> 20) & 7;
		if (nr_live < live && (!nr_live || dice % 100 < (nr_live < live / 2 ? 70 : 50))) {
			u32 id = live_ids[nr_live++] = free_ids[--nr_free];
			if (which < ARRAY_SIZE(sizes))
				p += sprintf(p, "a %u c%u cpu=%u\n", id, which, cpu);
			else
				p += sprintf(p, "k %u %u cpu=%u\n", id, 1 + dice % 9000, cpu);
		} else {
			u32 k = dice % nr_live;
			p += sprintf(p, "f %u cpu=%u\n", live_ids[k], cpu);
			free_ids[nr_free++] = live_ids[k];
			live_ids[k] = live_ids[--nr_live];
		}
	}
	free(free_ids);
	free(live_ids);
	return text;
}

u64 *straight_run(struct kmem_session *s)
{
	u32 nr = kmem_nr_ops(s);
	u64 *hashes = malloc((nr + 1) * sizeof(u64));

	CHECK(kmem_seek(s, 0) == 0);
	for (u32 i = 0; i <= nr; i++) {
		hashes[i] = kmem_hash(s);
		kmem_run(s, 1, 0);
	}
	return hashes;
}
