/*
 * held_objects_test.c - the objects that arrays, queues and sheaves hold one by one: the last entry of a place leaves it
 * next, and each sheaf of a barn has its number.
 */
#include <string.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

/* What a CPU takes objects from first. */
static const u32 first_places[] = { PLACE_SHEAF_MAIN, PLACE_CPU_ARRAY, PLACE_CPU_QUEUE };

static struct kmem_session *built(const char *text, const char *allocator, const char *preset)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!preset || !kmem_preset(s, preset), "%s", kmem_error(s));
	CHECK(!kmem_set(s, "allocator", allocator), "%s", kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20), "%s: %s", allocator, kmem_error(s));
	return s;
}

/* Returns the entries of the place of that kind, oldest first; none if the machine has no such place. */
static const struct kmem_entry *entries_of(struct kmem_session *s, u32 cache, u32 kind, u32 cpu,
					   u32 node, u32 *nr)
{
	const struct kmem_frame *f = kmem_view(s, cache);
	const struct kmem_place *p = (const void *)((const u8 *)s + f->places_at);
	const struct kmem_entry *e = (const void *)((const u8 *)s + f->entries_at);

	*nr = 0;
	for (u32 i = 0; i < f->nr_places; i++) {
		if (p[i].kind != kind || p[i].cpu != cpu || (node != NODE_ANY && p[i].node != node))
			continue;
		*nr = p[i].nr_entries;
		return e + p[i].first_entry;
	}
	return NULL;
}

/* Finds the object that the CPU takes next from what it holds. Returns 0 if it holds none. */
static int next_of(struct kmem_session *s, u32 cache, u32 cpu, struct kmem_entry *next)
{
	for (u32 i = 0; i < ARRAY_SIZE(first_places); i++) {
		u32 nr;
		const struct kmem_entry *e = entries_of(s, cache, first_places[i], cpu, NODE_ANY,
							&nr);
		if (nr)
			*next = e[nr - 1];
		if (nr)
			return 1;
	}
	return 0;
}

static void the_last_entry_is_taken_next(const char *allocator, const char *preset)
{
	const char *text = synthetic_trace(tries(3000, 800), 300, 4, 2);
	struct kmem_session *s = built(text, allocator, preset);
	u32 tried = 0;

	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		struct kmem_entry next;
		s32 nr_steps = kmem_steps(s, op);
		const struct kmem_op_row row = *kmem_op(s, op);
		kmem_seek(s, op);
		if (row.kind != OP_ALLOC || row.cache >= s->w->nr_caches ||
		    !next_of(s, row.cache, row.cpu, &next))
			continue;
		CHECK(nr_steps == 1 && row.slab == next.slab && row.index == next.index,
		      "%s, event %u: slab %u object %u, not slab %u object %u", allocator, op + 1,
		      row.slab, row.index, next.slab, next.index);
		tried++;
	}
	CHECK(tried > tries(300, 60), "%s: %u", allocator, tried);
}

/* CPU 0 allocates 200 objects, CPU 1 of the same node frees them, and CPU 0 allocates them once more. */
static const char *handed_over(void)
{
	static char text[16384] = "slabtrace 1\nmachine cpus=2 nodes=1\ncache c size=512\n";
	char *p = text + strlen(text);

	for (u32 i = 0; i < 600; i++)
		p += sprintf(p, i / 200 == 1 ? "f %u cpu=1\n" : "a %u c cpu=0\n",
			     i / 200 == 1 ? i - 200 : i);
	return text;
}

/* A full sheaf that leaves the barn is number 0 there, and keeps its objects in the same order. */
static void sheaf_0_of_a_barn_is_taken_next(const char *preset)
{
	static struct kmem_entry barn[4096];
	struct kmem_session *s = built(handed_over(), "slub", preset);
	u32 tried = 0, nr, nr_barn;

	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		if (kmem_steps(s, op) < 2 || kmem_step_rows(s)->kind != STEP_BARN_GET)
			continue;
		const struct kmem_op_row row = *kmem_op(s, op);
		u32 objects = kmem_step_rows(s)->args[0], node = kmem_node_of_cpu(s, row.cpu);
		kmem_seek(s, op);
		const struct kmem_entry *e = entries_of(s, row.cache, PLACE_BARN_FULL, CPU_NONE,
							node, &nr_barn);
		memcpy(barn, e, MIN(nr_barn, ARRAY_SIZE(barn)) * sizeof(*e));
		kmem_seek(s, op + 1);
		e = entries_of(s, row.cache, PLACE_SHEAF_MAIN, row.cpu, NODE_ANY, &nr);
		CHECK(nr == objects - 1 && nr_barn >= objects, "%u of %u objects", nr, objects);
		for (u32 i = 0; i < nr_barn; i++)
			CHECK((barn[i].sheaf == 0) == (i + objects >= nr_barn), "object %u", i);
		for (u32 i = 0; i < nr && nr_barn >= objects; i++)
			CHECK(e[i].slab == barn[nr_barn - objects + i].slab &&
				      e[i].index == barn[nr_barn - objects + i].index,
			      "event %u, object %u", op + 1, i);
		tried++;
	}
	CHECK(tried, "no sheaf left a barn");
}

int main(void)
{
	RUN(the_last_entry_is_taken_next("slub", "linux-7.0"));
	RUN(the_last_entry_is_taken_next("slub", "linux-7.2"));
	RUN(the_last_entry_is_taken_next("slab", NULL));
	RUN(the_last_entry_is_taken_next("unified", NULL));
	RUN(sheaf_0_of_a_barn_is_taken_next("linux-7.2"));
	return check_summary();
}
