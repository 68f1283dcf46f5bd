/* requests_test.c - kmem_has_request is 1 exactly for the events on which an allocator acts: the others give a step with
 * their reason. */
#include <string.h>

#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

/* A cache with debugging and two objects, one of them freed, before the line in question. */
static const char before[] = "slabtrace 1\nmachine cpus=2\n"
			     "cache c0 size=256 name=mine flags=red_zone,poison,store_user\n"
			     "a 1 c0 cpu=0\na 2 c0 cpu=1\nf 2 cpu=1\n";

static const struct {
	u32 kind;
	const char *line;
} requests[] = {
	{ OP_FLUSH, "flush c0\n" },
	{ OP_SHRINK, "shrink c0\n" },
	{ OP_TICK, "tick 2\n" },
	{ OP_REAP, "reap cpu=0\n" },
	{ OP_EXPIRE, "expire\n" },
	{ OP_CORRUPT, "corrupt write 1 cpu=0\n" },
	{ OP_VALIDATE, "validate c0\n" },
	{ OP_BULK_ALLOC, "a 3,4 c0 cpu=0\n" },
	{ OP_GRACE, "grace\n" },
	{ OP_BARRIER, "barrier\n" },
	{ OP_CPU_DEAD, "dead cpu=1\n" },
	{ OP_PREFILL, "prefill 0 c0 3 cpu=0\n" },
	{ OP_REFILL, "refill 0 c0 3 cpu=0\n" },
	{ OP_RETURN, "return 0 c0 cpu=0\n" },
};

static int does_nothing(struct kmem_session *s, u32 op)
{
	s32 nr = kmem_steps(s, op);

	CHECK(nr >= 0, "%s", kmem_error(s));
	for (s32 i = 0; i < nr; i++)
		if (kmem_step_rows(s)[i].kind == STEP_NOTHING)
			return 1;
	return 0;
}

static void every_request_has_a_name(const char *allocator, const char *preset)
{
	char text[1024];

	for (u32 i = 0; i < ARRAY_SIZE(requests); i++) {
		strcpy(text, before);
		strcat(text, requests[i].line);
		struct kmem_session *s = session_of_text(text);
		CHECK(kmem_set(s, "allocator", allocator) == 0 && kmem_preset(s, preset) == 0 &&
			      kmem_build(s, 0) == 0,
		      "%s", kmem_error(s));
		CHECK(kmem_nr_ops(s) == (requests[i].kind == OP_BULK_ALLOC ? 6 : 4), "%s",
		      requests[i].line);
		CHECK(does_nothing(s, 3) == !kmem_has_request(s, requests[i].kind), "%s: %s",
		      allocator, requests[i].line);
	}
}

/* kmalloc caches need no `cache` line, and a text that is written again has the same name. */
static void kmalloc_caches_have_names(void)
{
	static const char text[] = "slabtrace 1\nmachine cpus=2\nk 1 500 cpu=0\nf 1 cpu=0\n"
				   "flush kmalloc-512\nshrink kmalloc-rcl-64\n";
	char again[1024] = { 0 };
	u32 at = 0;
	struct kmem_session *s = session_of_text(text);

	CHECK(kmem_build(s, 0) == 0 && kmem_nr_ops(s) == 4, "%s", kmem_error(s));
	CHECK(strstr(kmem_op_sentence(s, 2), "kmalloc-512") != NULL, "%s", kmem_op_sentence(s, 2));
	CHECK(kmem_steps(s, 2) > 0, "the cpu slab of CPU 0 is flushed");
	CHECK(kmem_export(s, KMEM_EXPORT_SLABTRACE, &at, (u8 *)again, sizeof(again) - 1) > 0);
	CHECK(strstr(again, "flush kmalloc-512\n") && strstr(again, "shrink kmalloc-rcl-64\n"),
	      "%s", again);
}

int main(void)
{
	static const char *const allocators[] = { "slub", "slab", "unified", "slob",
						  "slob-segregated" };

	for (u32 i = 0; i < ARRAY_SIZE(allocators); i++)
		RUN(every_request_has_a_name(allocators[i], "linux-6.1"));
	RUN(every_request_has_a_name("slub", "linux-7.0"));
	RUN(every_request_has_a_name("slub", "linux-7.2"));
	RUN(kmalloc_caches_have_names());
	return check_summary();
}
