/*
 * sheaf_levels_test.c - the levels of SLUB without cpu slabs (7.x): levels, next objects and Why cards of sheaves.
 */
#include <string.h>

#include "alloc/ops.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

static struct kmem_session *built(const char *text, const char *capacity)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!kmem_preset(s, "linux-7.2"), "%s", kmem_error(s));
	CHECK(!capacity || !kmem_set(s, "sheaf_capacity", capacity), "%s", kmem_error(s));
	CHECK(!kmem_build(s, 1 << 20), "%s", kmem_error(s));
	CHECK(!kmem_job(s, JOB_INDEX, NULL), "%s", kmem_error(s));
	return s;
}

static void levels_are(struct kmem_session *s, u32 cache, const char *want)
{
	static const char *const words[] = {
		[LEVEL_PAGES] = "page allocator",
#define LEVEL(key, words, nodes) [LEVEL_##key] = words,
#include "tables/allocators.def"
	};
	u32 nr;
	const struct kmem_level_row *rows = kmem_levels(s, cache, &nr);
	char text[512] = "";

	for (u32 i = 0; rows && i < nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " > " : "",
			 words[rows[i].level]);
	CHECK(strcmp(text, want) == 0, "%s, not %s", text, want);
}

static const char few[] = "slabtrace 1\nmachine cpus=2 nodes=1\ncache c size=1024\n"
			  "a 1 c cpu=0\na 2 c cpu=0\nf 1 cpu=0\n";

static void main_comes_first_and_pages_last(void)
{
	levels_are(built(few, NULL), 0,
		   "main sheaf > spare sheaf > barn > own node's partial list > "
		   "other nodes > full slabs > page allocator");
	levels_are(built(few, "0"), 0,
		   "own node's partial list > other nodes > full slabs > page allocator");
}

/* A wrong number, state or level fails here for every allocation of a random trace. */
static void the_next_object_lands_where_it_was_announced(const char *capacity)
{
	struct kmem_session *s = built(synthetic_trace(tries(400, 200), 120, 4, 2), capacity);
	u32 nr_ops = kmem_nr_ops(s), tried = 0, nr;

	for (u32 op = 0; op < nr_ops; op++) {
		CHECK(!kmem_seek(s, op), "%s", kmem_error(s));
		const u64 hash = kmem_hash(s);
		const struct kmem_op_row row = *kmem_op(s, op);
		const struct kmem_next_object *rows = kmem_next_objects(s, CACHE_NONE, row.cpu,
									&nr);
		struct kmem_next_object next = { .is_event = 0 };
		for (u32 i = 0; rows && i < nr; i++)
			if (rows[i].is_event)
				next = rows[i];
		CHECK(rows && kmem_hash(s) == hash && kmem_position(s) == op, "event %u", op);
		const struct kmem_path path = *kmem_path(s, op);
		if ((row.kind != OP_ALLOC && row.kind != OP_KMALLOC) || path.cache == CACHE_NONE)
			continue;
		const struct kmem_lifetime *object = kmem_lifetime(s, op);
		tried++;
		CHECK(next.is_event && object && next.slab == object->slab &&
			      next.index == object->index && next.cycles == path.cycles &&
			      next.end == path.end,
		      "event %u: slab %u object %u, announced slab %u object %u", op,
		      object ? object->slab : 0, object ? object->index : 0, next.slab, next.index);
	}
	CHECK(tried > tries(100, 50), "%u", tried);
}

static void why_has(struct kmem_session *s, u32 kind, u32 cpu, u32 node, const char *title,
		    const char *fact)
{
	const struct kmem_why *why = kmem_why(s, 0, kind, cpu, node);

	CHECK(why != NULL, "%s", kmem_error(s));
	if (!why)
		return;
	const char *text = (const char *)s + why->text_at;
	CHECK(strcmp((const char *)s + why->title_at, title) == 0, "%s, not %s",
	      (const char *)s + why->title_at, title);
	CHECK(strstr(text, fact) != NULL, "%s: no `%s`", text, fact);
}

static void distinguishes_a_missing_sheaf_from_an_empty_one(void)
{
	struct kmem_session *s = built(few, NULL);

	CHECK(!kmem_seek(s, 1), "%s", kmem_error(s));
	why_has(s, PLACE_SHEAF_MAIN, 0, NODE_ANY, "Why are 11 objects here?",
		"All 11 objects were put here by CPU 0 in event 1.");
	why_has(s, PLACE_SHEAF_SPARE, 0, NODE_ANY, "Why is the sheaf empty?", "but empty.");
	why_has(s, PLACE_SHEAF_MAIN, 1, NODE_ANY, "Why is the sheaf empty?", "but empty.");
	why_has(s, PLACE_SHEAF_SPARE, 1, NODE_ANY, "Why is the sheaf missing here?",
		"There is no sheaf here.");
	why_has(s, PLACE_BARN_FULL, CPU_NONE, 0, "Why is nothing here?", "There is no sheaf here.");
}

/* CPU 1 of node 1 frees an object of node 0 into its slab. A later refill takes it. */
static void an_object_freed_past_the_sheaves_came_with_the_refill(void)
{
	struct kmem_session *s = built("slabtrace 1\nmachine cpus=2 nodes=2\ncache c size=4096\n"
				       "a 1 c cpu=0\na 2 c cpu=0\na 3 c cpu=0\na 4 c cpu=0\n"
				       "f 1 cpu=1\nf 2 cpu=1\na 5 c cpu=0\n",
				       NULL);

	CHECK(!kmem_seek(s, 7), "%s", kmem_error(s));
	why_has(s, PLACE_SHEAF_MAIN, 0, NODE_ANY, "Why are 3 objects here?",
		"All 3 objects were put here by CPU 0 of node 0 in event 7.");
}

int main(void)
{
	RUN(main_comes_first_and_pages_last());
	RUN(the_next_object_lands_where_it_was_announced(NULL));
	RUN(the_next_object_lands_where_it_was_announced("4"));
	RUN(the_next_object_lands_where_it_was_announced("0"));
	RUN(distinguishes_a_missing_sheaf_from_an_empty_one());
	RUN(an_object_freed_past_the_sheaves_came_with_the_refill());
	return check_summary();
}
