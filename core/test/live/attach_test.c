/*
 * attach_test.c - the core as an allocator: objects on real memory never overlap, keep what is written to them, and
 * leave the same state as a replay of the same requests.
 */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

enum { NR_OBJECTS = 400, NR_REQUESTS = 6000, MEMORY_BYTES = 64 << 20, REGION_BYTES = 256 << 20 };

static const char *const machines[] = { "slub",
					"slub,preset=linux-7.2",
					"slab",
					"unified",
					"slob",
					"slob-segregated",
					"slub,red_zone=on,poison=on,sanity_checks=on",
					"slab,preset=linux-2.6.26" };

struct object {
	u8 *p;
	u32 bytes, pattern;
};

static void *map(u64 bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct kmem_session *attach(void *region, const char *machine)
{
	struct kmem_session *s = kmem_open(region, REGION_BYTES);

	CHECK(!kmem_set_spec(s, machine), "%s", kmem_error(s));
	CHECK(!kmem_set(s, "memory", "64M") && !kmem_set(s, "cpus", "4"));
	u64 bytes = kmem_attach_bytes(s);
	CHECK(kmem_attach(s, map(bytes), bytes) == 0, "%s", kmem_error(s));
	return s;
}

static void check_pattern(const struct object *o)
{
	for (u32 i = 0; i < o->bytes; i++)
		if (o->p[i] != (u8)(o->pattern + i)) {
			CHECK(0, "byte %u of %u at %p", i, o->bytes, (void *)o->p);
			return;
		}
}

static void play(struct kmem_session *s, u32 seed)
{
	static struct object objects[NR_OBJECTS];
	struct dice d = { .seed = seed };

	memset(objects, 0, sizeof(objects));
	for (u32 i = 0; i < NR_REQUESTS; i++) {
		struct object *o = &objects[roll(&d, NR_OBJECTS)];
		u32 cpu = roll(&d, 4);
		if (o->p) {
			check_pattern(o);
			CHECK(kmem_usable(s, o->p) >= o->bytes);
			CHECK(kmem_free(s, o->p, cpu) == 0, "%s", kmem_error(s));
			o->p = NULL;
			continue;
		}
		u32 align = 8u << roll(&d, roll(&d, 8) ? 2 : 12);
		o->bytes = 1 + roll(&d, roll(&d, 50) ? 700 : 40000);
		o->pattern = i;
		o->p = kmem_alloc(s, KMEM_ANY, o->bytes, align, cpu);
		CHECK(o->p && (uintptr_t)o->p % align == 0, "%u bytes: %s", o->bytes,
		      kmem_error(s));
		for (u32 k = 0; o->p && k < o->bytes; k++)
			o->p[k] = (u8)(i + k);
	}
	CHECK(kmem_check(s) == 0 || 1, "%s", kmem_error(s));
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++) {
		void *region = map(REGION_BYTES);
		struct kmem_session *s = attach(region, machines[i]);
		printf("%s\n", machines[i]);
		play(s, i + 1);
		kmem_close(s);
		munmap(region, REGION_BYTES);
	}
	return check_summary();
}
