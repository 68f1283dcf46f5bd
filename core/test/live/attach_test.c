/*
 * attach_test.c - the core as an allocator: objects on real memory never overlap, keep what is written to them, and
 * leave the same state as a replay of the same requests.
 */
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/model/ops_text.h"
#include "test/support/session_util.h"

enum { NR_OBJECTS = 400, NR_REQUESTS = 6000, REGION_BYTES = 256 << 20 };

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

/* Nothing else starts inside an object, and nothing starts where a freed one was. */
static void check_live(struct kmem_session *s, const struct object *o, int is_live)
{
	CHECK((kmem_asked(s, o->p) != 0) == is_live);
	for (u32 i = 8; i < o->bytes; i += 8)
		if (kmem_asked(s, o->p + i)) {
			CHECK(0, "%u bytes: a live object at byte %u", o->bytes, i);
			return;
		}
}

/* Lines of the same requests, for a replay. */
static char lines[NR_REQUESTS * 32];

static void allocate(struct kmem_session *s, struct dice *d, struct object *o, u32 cpu, u32 pattern)
{
	u32 align = 8u << roll(d, roll(d, 8) ? 2 : 12);

	o->bytes = 1 + roll(d, roll(d, 50) ? 700 : 40000);
	o->pattern = pattern;
	o->p = kmem_alloc(s, KMEM_ANY, o->bytes, align, cpu);
	CHECK(o->p && (uintptr_t)o->p % align == 0, "%u bytes: %s", o->bytes, kmem_error(s));
	for (u32 k = 0; o->p && k < o->bytes; k++)
		o->p[k] = (u8)(pattern + k);
}

/* The bytes written depend on `pattern`; the requests do not. */
static void play(struct kmem_session *s, u32 seed, u32 pattern)
{
	static struct object objects[NR_OBJECTS];
	struct dice d = { .seed = seed };
	char *line = lines;

	memset(objects, 0, sizeof(objects));
	line += sprintf(line, "slabtrace 1\n%s\n", kmem_machine_text(s));
	for (u32 i = 0; i < NR_REQUESTS; i++) {
		u32 nr = roll(&d, NR_OBJECTS), cpu = roll(&d, 4);
		struct object *o = &objects[nr];
		if (!o->p) {
			allocate(s, &d, o, cpu, i * pattern);
			line += sprintf(line, "k %u %u cpu=%u\n", nr, kmem_asked(s, o->p), cpu);
			continue;
		}
		check_pattern(o);
		check_live(s, o, 1);
		CHECK(kmem_usable(s, o->p) >= o->bytes);
		CHECK(kmem_free(s, o->p, cpu) == 0, "%s", kmem_error(s));
		check_live(s, o, 0);
		o->p = NULL;
		line += sprintf(line, "f %u cpu=%u\n", nr, cpu);
	}
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
}

static struct kmem_totals totals_of(struct kmem_session *s)
{
	return *kmem_totals(s);
}

/* On two memories with other contents, and as a trace. */
static void gives_the_same_bytes_everywhere(const char *machine, u32 seed)
{
	void *regions[] = { map(REGION_BYTES), map(REGION_BYTES) };
	u64 hashes[2], bytes;
	struct kmem_totals totals;

	for (u32 i = 0; i < 2; i++) {
		struct kmem_session *s = attach(regions[i], machine);
		play(s, seed, i + 1);
		hashes[i] = kmem_hash(s);
		totals = totals_of(s);
		const void *state = kmem_state(s, &bytes);
		if (i)
			break;
		struct kmem_session *copy = attach(regions[1], machine);
		CHECK(kmem_restore(copy, state, bytes) == 0, "%s", kmem_error(copy));
		CHECK(kmem_hash(copy) == hashes[0]);
		CHECK(kmem_restore(copy, state, bytes - 8) == KMEM_EINPUT);
		kmem_close(copy);
		munmap(regions[1], REGION_BYTES);
		regions[1] = map(REGION_BYTES);
	}
	CHECK(hashes[0] == hashes[1], "%s: the state depends on memory", machine);
	struct kmem_session *replay = session_of_text(lines);
	CHECK(kmem_build(replay, 0) == 0, "%s", kmem_error(replay));
	struct kmem_totals replayed = totals_of(replay);
	CHECK(memcmp(&totals, &replayed, sizeof(totals)) == 0, "%s: a replay has other totals",
	      machine);
	for (u32 i = 0; i < 2; i++)
		munmap(regions[i], REGION_BYTES);
}

static void refuses_invalid_calls(void)
{
	void *region = map(REGION_BYTES);
	struct kmem_session *s = attach(region, "slub");
	char *p = kmem_alloc(s, KMEM_ANY, 200, 0, 0);

	CHECK(kmem_free(s, p + 8, 0) == KMEM_EINPUT && kmem_usable(s, p + 8) == 0);
	CHECK(kmem_free(s, region, 0) == KMEM_EINPUT && kmem_asked(s, region) == 0);
	CHECK(kmem_free(s, p, 0) == 0 && kmem_free(s, p, 0) == KMEM_EINPUT);
	for (u32 bytes = 1; bytes <= 4 << 20; bytes += bytes / 3 + 1) {
		p = kmem_alloc(s, KMEM_ANY, bytes, 0, 0);
		CHECK(kmem_asked(s, p) == bytes, "%u instead of %u", kmem_asked(s, p), bytes);
		for (u32 i = 8; i <= 40 && i < bytes; i += 8)
			CHECK(kmem_free(s, p + i, 0) == KMEM_EINPUT, "byte %u of %u", i, bytes);
		CHECK(kmem_free(s, p, 0) == 0, "%s", kmem_error(s));
	}
	CHECK(!kmem_alloc(s, KMEM_ANY, 5 << 20, 0, 0) && !kmem_alloc(s, KMEM_ANY, 8, 24, 0));
	CHECK(!kmem_alloc(s, 77, 0, 0, 0) && kmem_create(s, "none", 0, 0) == KMEM_EPARAM);
	CHECK(kmem_attach(s, p + 1, (u64)1 << 40) == KMEM_EPARAM);
	munmap(region, REGION_BYTES);
}

/* Allocates objects of a cache, and goes back from a pointer to the row that the views show. */
static void serves_objects_from_a_cache_of_its_own(void)
{
	void *region = map(REGION_BYTES);
	struct kmem_session *s = attach(region, "slub");
	s32 cache = kmem_create(s, "dentry", 192, 64);
	u8 *p = kmem_alloc(s, (u32)cache, 0, 0, 1);
	u32 slab, index;

	CHECK(cache >= 0 && p && (uintptr_t)p % 64 == 0, "%s", kmem_error(s));
	CHECK(kmem_pointed(s, p + 191, &slab, &index) == (u32)cache);
	const struct kmem_object_row *row = kmem_object(s, (u32)cache, slab, index);
	CHECK(row && kmem_memory_at(s, row->address) == p);
	munmap(region, REGION_BYTES);
}

/* Debugging checks the real bytes in and after objects. */
static void finds_damage_with_debugging_on(void)
{
	void *region = map(REGION_BYTES);
	struct kmem_session *s = attach(region, "slub,red_zone=on,poison=on,sanity_checks=on");
	u8 *p = kmem_alloc(s, KMEM_ANY, 64, 0, 0), *q = kmem_alloc(s, KMEM_ANY, 128, 0, 0);
	u32 nr, all;

	p[64] = 1;
	kmem_free(s, p, 0);
	const struct kmem_bug *bugs = kmem_reports(s, &nr, &all);
	CHECK(all == 1 && bugs && bugs->check == CHECK_RIGHT_REDZONE && bugs->found == 1);
	CHECK(bugs && kmem_memory_at(s, bugs->fault) == p + 64 && p[64] == 0xcc);
	kmem_free(s, q, 0);
	q[5] = 2;
	for (u32 i = 0; i < 40; i++)
		kmem_alloc(s, KMEM_ANY, 128, 0, 0);
	bugs = kmem_reports(s, &nr, &all);
	CHECK(all == 2 && bugs && bugs[1].check == CHECK_POISON && bugs[1].found == 2);
	CHECK(kmem_free(s, p + 24, 0) == KMEM_EINPUT);
	bugs = kmem_reports(s, &nr, &all);
	CHECK(all == 3 && bugs && bugs[2].check == CHECK_INVALID_POINTER);
	/* Damage that nothing touches again. */
	p = kmem_alloc(s, KMEM_ANY, 64, 0, 0);
	q = kmem_alloc(s, KMEM_ANY, 256, 0, 0);
	p[64] = 3;
	kmem_free(s, q, 0);
	q[9] = 4;
	CHECK(kmem_validate(s) == KMEM_OK && kmem_validate(s) == KMEM_OK);
	bugs = kmem_reports(s, &nr, &all);
	CHECK(all == 5 && bugs && bugs[3].found == 3 && bugs[4].found == 4, "%u reports", all);
	munmap(region, REGION_BYTES);
}

int main(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++)
		RUN(gives_the_same_bytes_everywhere(machines[i], i + 1));
	RUN(refuses_invalid_calls());
	RUN(serves_objects_from_a_cache_of_its_own());
	RUN(finds_damage_with_debugging_on());
	return check_summary();
}
