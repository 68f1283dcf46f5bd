/*
 * step_levels_test.c - every step says at which level it happens, or that it has none: on the stairs of every cache, in
 * the samples and the golden traces, by every allocator.
 */
#define _GNU_SOURCE /* scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/index/stairs.h"
#include "session/session.h"
#include "test/support/check.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

static const struct {
	const char *allocator, *preset;
} machines[] = {
#define ALLOCATOR(id, name, label, ops) { name, NULL },
#include "tables/allocators.def"
	{ "slub", "linux-6.18" },
	{ "slub", "linux-7.2" },
};

static const char *const step_names[] = {
#define STEP(kind, ...) #kind,
#include "tables/allocators.def"
};

static int is_trace(const struct dirent *entry)
{
	const char *end = strchr(entry->d_name, '.');

	return end && (strstr(end, ".slabtrace") || strstr(end, ".txt.gz"));
}

static void steps_are_said(struct kmem_session *s, const char *file, const char *allocator)
{
	u32 nr_ops = MIN(kmem_nr_ops(s), tries(9000, 900));

	for (u32 op = 0; op < nr_ops; op++) {
		const struct kmem_path *path = kmem_path(s, op);
		CHECK(path != NULL, "%s: %s", file, kmem_error(s));
		if (!path)
			return;
		u32 stairs = stairs_of(s, path->cache);
		for (u32 k = 0; k < path->nr_steps; k++) {
			u32 kind = s->timeline.steps[k].kind;
			CHECK(stairs_say(stairs, kind), "%s, %s, event %u: %s on stairs %u", file,
			      allocator, op + 1, step_names[kind], stairs);
		}
	}
}

static void said_by_all(const char *folder, const char *file)
{
	char path[512];
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	char *trace = file_text(path, &len);
	CHECK(len > 0, "%s", path);
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++) {
		struct kmem_session *s = session_of_text(trace);
		CHECK(!machines[i].preset || !kmem_preset(s, machines[i].preset), "%s",
		      kmem_error(s));
		CHECK(!kmem_set(s, "allocator", machines[i].allocator), "%s", kmem_error(s));
		CHECK(!kmem_build(s, 1 << 20), "%s: %s", file, kmem_error(s));
		steps_are_said(s, file, machines[i].allocator);
	}
	free(trace);
}

static void said_in_all_of(const char *folder)
{
	struct dirent **entries;
	int nr = scandir(folder, &entries, is_trace, alphasort);

	CHECK(nr > 0, "no traces in %s", folder);
	for (int i = 0; i < nr; i++) {
		RUN(said_by_all(folder, entries[i]->d_name));
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

/* The level of the first step of that kind in the trace's last event, under SLUB; the session's stairs have five. */
static void last_event_has(const char *text, u32 kind, u32 level, u32 end)
{
	struct kmem_session *s = session_of_text(text);

	CHECK(!kmem_set(s, "allocator", "slub") && !kmem_build(s, 1 << 20), "%s", kmem_error(s));
	const struct kmem_path *path = kmem_path(s, kmem_nr_ops(s) - 1);
	const u8 *levels = (const u8 *)s + path->steps_at;
	u32 k = 0;
	while (k < path->nr_steps && s->timeline.steps[k].kind != kind)
		k++;
	CHECK(k < path->nr_steps && levels[k] == level, "%s: step %u of %u, level %u", text, k,
	      path->nr_steps, k < path->nr_steps ? levels[k] : 0);
	CHECK(path->end == end, "%s: ends at level %u", text, path->end);
}

enum { CPU_FREELIST, CPU_PARTIAL, OTHER_NODES = 3 };

/* CPU 0 fills two slabs with the objects 0 to 31 and has object 32 of another; then comes the rest. CPUs 0 and 1 are of node 0. */
static const char *three_slabs(const char *rest)
{
	static char text[4096];

	strcpy(text, "slabtrace 1\nmachine cpus=4 nodes=2\ncache c size=512\n");
	for (u32 i = 0; i < 33; i++)
		snprintf(text + strlen(text), 64, "a %u c cpu=0\n", i);
	return strcat(text, rest);
}

static void a_free_is_where_its_slab_is(void)
{
	last_event_has(three_slabs("f 1 cpu=0\n"), STEP_FREE_SLOWPATH, CPU_FREELIST, CPU_PARTIAL);
	last_event_has(three_slabs("f 1 cpu=1\nf 2 cpu=0\n"), STEP_FREE_SLOWPATH, CPU_PARTIAL,
		       CPU_PARTIAL);
	last_event_has(three_slabs("f 32 cpu=1\n"), STEP_FREE_SLOWPATH, CPU_FREELIST, CPU_FREELIST);
	last_event_has(three_slabs("f 32 cpu=2\n"), STEP_FREE_SLOWPATH, OTHER_NODES, OTHER_NODES);
}

/* CPU 2 of node 1 puts slabs of node 0 on its own list, and compares the length of that list. */
static void a_comparison_is_where_its_list_is(void)
{
	last_event_has(three_slabs("f 1 cpu=2\nf 17 cpu=2\n"), STEP_THRESHOLD, CPU_PARTIAL,
		       OTHER_NODES);
}

int main(void)
{
	RUN(a_free_is_where_its_slab_is());
	RUN(a_comparison_is_where_its_list_is());
	said_in_all_of("../traces");
	said_in_all_of("test/golden");
	return check_summary();
}
