/*
 * picture_test.c - after every step of every sample, under every allocator, the picture shows what the sentences so far
 * have said, no more and no less.
 *
 * This program has a step_turn() of its own, which looks at the world after each step while the operation is at work: the
 * world that kmem_peek() would copy there. Every so often kmem_peek() is asked too and must show the same rows. The
 * samples are golden/NAME.slabtrace and ../traces; rules are in picture_rules.c.
 */
#define _GNU_SOURCE /* scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/step.h"

void step_turn_of_core(struct world *w);

/* The core's own, with another name for the function that this program has instead. */
#define step_turn step_turn_of_core
#include "sim/step.c"
#undef step_turn

#include "session/session.h"
#include "test/support/check.h"
#include "test/picture/picture_rules.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

/* PEEK_*: how often kmem_peek() is asked, in operations; SLOB's have hundreds of steps. */
enum {
	NAME_BYTES = 256,
	PEEK_EVERY = 37,
	PEEK_SLOB_EVERY = 1009,
	SLOB_SHALLOWER = 24,
	RECORDING_SHALLOWER = 97,
	MOST_STEPS = 64
};

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "tables/steps/steps.def"
#undef STEP
};

static const char *const allocators[] = { "slub", "slab", "unified", "slob", "slob-segregated" };

/* Who watches, and where. */
static struct {
	const char *sample, *allocator;
	struct kmem_session *s;
	struct picture last[MAX_CACHES];
	struct picture next;
	u64 rows[MOST_STEPS]; /* a number for the rows after each step of the operation at work */
	u32 nr;
} watch;

static u64 rows_number(const struct kmem_place *place, u32 nr_places,
		       const struct kmem_slab_row *slab, u32 nr_slabs, const u8 *cell)
{
	u64 n = nr_places;

	for (u32 i = 0; i < nr_places; i++)
		n = (n ^ place[i].nr_slabs ^ (u64)place[i].nr_entries << 20 ^
		     (u64)place[i].kind << 40) *
		    0x100000001b3;
	for (u32 i = 0; i < nr_slabs; i++) {
		n = (n ^ slab[i].serial ^ (u64)slab[i].position << 24 ^
		     (u64)slab[i].free_on_slab << 48) *
		    0x100000001b3;
		for (u32 k = 0; k < slab[i].objects; k++)
			n = (n ^ cell[slab[i].first_cell + k]) * 0x100000001b3;
	}
	return n;
}

static void look(struct world *w, const struct kmem_step *step)
{
	const struct kmem_ops *ops = watch.s->replay.ops;
	u32 id = ops->shared_slabs ? 0 : step->cache;
	struct claims claims;

	if (id >= w->nr_caches)
		return;
	struct picture *last = &watch.last[id];
	picture_take(&watch.next, w, ops, cache_at(w, id));
	if (watch.nr < MOST_STEPS)
		watch.rows[watch.nr] = rows_number(watch.next.place, watch.next.nr_places,
						   watch.next.slab, watch.next.nr_slabs,
						   watch.next.cell);
	if (last->is_there) {
		const char *broken = picture_claims(w, step, last, &watch.next, &claims);
		if (!broken)
			broken = picture_judge(last, &watch.next, &claims);
		CHECK(!broken, "%s, %s, op %u, step %u, %s: %s\n\t%s", watch.allocator,
		      watch.sample, w->op, watch.nr, step_names[step->kind], broken,
		      kmem_step_sentence(watch.s, step));
	}
	struct picture swap = *last;
	*last = watch.next;
	watch.next = swap;
}

static int is_peeked(u32 op)
{
	return op % (watch.s->replay.ops->shared_slabs ? PEEK_SLOB_EVERY : PEEK_EVERY) == 0;
}

/* SLOB's walks are long, and what their steps pass over is looked at again in the step that ends them. */
static int is_walk(const struct kmem_step *step)
{
	return step->kind == STEP_NEXT_PAGE || step->kind == STEP_BLOCK_TOO_SMALL;
}

/* After each step, with the step written. */
void step_turn(struct world *w)
{
	struct world_host *host = world_host(w);

	if (!watch.s || !host->camera_copy || host->camera_step != NO_ROW) {
		step_turn_of_core(w);
		return;
	}
	if (watch.nr < MOST_STEPS)
		watch.rows[watch.nr] = 0;
	if (!is_walk(host->next - 1) || is_peeked(w->op))
		look(w, host->next - 1);
	watch.nr++;
	host->next = host->steps;
	host->turn = host->next + 1;
}

/* One operation, every step of it looked at. */
static void run_watched(struct kmem_session *s)
{
	struct world_host *host = world_host(s->w);
	static struct world nobody;

	step_begin(s->w, RECORD_LIST, 0, NULL);
	/* A camera is there, so that what only a picture shows is kept up to date; it is never used. */
	host->camera_copy = &nobody;
	host->camera_step = NO_ROW;
	host->turn = host->next + 1;
	watch.nr = 0;
	replay_run(&s->replay, 1);
	host->camera_copy = NULL;
	host->recording = RECORD_OFF;
}

/* kmem_peek() shows the rows that were seen. The position stays where it was. */
static void compare_peeks(struct kmem_session *s, u32 op)
{
	u64 seen[MOST_STEPS];
	u32 nr = MIN(watch.nr, (u32)MOST_STEPS);
	s32 steps;

	memcpy(seen, watch.rows, sizeof(seen));
	steps = kmem_steps(s, op);
	CHECK(steps == (s32)watch.nr, "op %u: %d steps, %u were seen", op, steps, watch.nr);
	for (u32 k = 0; k < nr; k++) {
		u32 cache = kmem_step_rows(s)[k].cache;
		if (s->replay.ops->shared_slabs)
			cache = 0;
		if (cache == CACHE_NONE)
			continue;
		const struct kmem_frame *f = kmem_peek(s, op, k, cache);
		if (!f) {
			CHECK(f, "op %u, step %u: %s", op, k, kmem_error(s));
			break;
		}
		const u8 *base = (const u8 *)s;
		u64 number = rows_number((const void *)(base + f->places_at), f->nr_places,
					 (const void *)(base + f->slabs_at), f->nr_slabs,
					 base + f->cells_at);
		CHECK(number == seen[k], "%s, %s, op %u, step %u: peek shows other rows",
		      watch.allocator, watch.sample, op, k);
		kmem_steps(s, op);
	}
	CHECK(kmem_seek(s, op + 1) == 0, "%s", kmem_error(s));
}

/* A slow build looks at every Nth operation: of SLOB, whose pages are all looked at after each step, and of the kernels' own
 * recordings, which are long. */
static u32 watched_every(const struct kmem_session *s, const char *sample)
{
	if (!getenv("SHALLOWER"))
		return 1;
	if (strstr(sample, ".txt.gz"))
		return RECORDING_SHALLOWER;
	return s->replay.ops->shared_slabs ? SLOB_SHALLOWER : 1;
}

/* The operations before were not watched: their changes are no claim of the next steps. */
static void take_all(struct kmem_session *s)
{
	u32 nr = s->replay.ops->shared_slabs ? MIN(s->w->nr_caches, 1U) : s->w->nr_caches;

	for (u32 id = 0; id < nr; id++)
		picture_take(&watch.last[id], s->w, s->replay.ops, cache_at(s->w, id));
}

/* Their objects pass between the sheaf and its caller without a step of their own. */
static int is_of_prefilled_sheaf(const struct kmem_session *s, u32 nr)
{
	const struct op op = trace_op(&s->trace, nr);

	return op.kind == OP_PREFILL || op.kind == OP_REFILL || op.kind == OP_RETURN;
}

static void watch_session(struct kmem_session *s, const char *sample, const char *allocator)
{
	watch.s = s;
	watch.sample = sample;
	watch.allocator = allocator;
	for (u32 i = 0; i < MAX_CACHES; i++)
		watch.last[i].is_there = 0;
	CHECK(kmem_build(s, 0) == 0 && kmem_seek(s, 0) == 0, "%s: %s", sample, kmem_error(s));
	u32 every = watched_every(s, sample);
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		if (op % every || is_of_prefilled_sheaf(s, op)) {
			replay_run(&s->replay, 1);
			continue;
		}
		if (every > 1 || (op && is_of_prefilled_sheaf(s, op - 1)))
			take_all(s);
		run_watched(s);
		if (is_peeked(op))
			compare_peeks(s, op);
	}
	watch.s = NULL;
}

static int is_sample(const struct dirent *entry)
{
	return strstr(entry->d_name, ".slabtrace") || strstr(entry->d_name, ".txt.gz");
}

static void run_sample(const char *directory, const char *file, const char *only)
{
	char path[2 * NAME_BYTES];
	size_t len = 0;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	char *text = file_text(path, &len);
	CHECK(len > 0, "%s", path);
	for (u32 a = 0; a < ARRAY_SIZE(allocators); a++) {
		struct kmem_session *s = session_of_text(text);
		if (only && strcmp(only, allocators[a]))
			continue;
		if (strstr(file, "-4-nodes"))
			CHECK(kmem_set(s, "nodes", "4") == KMEM_OK, "%s", kmem_error(s));
		CHECK(kmem_set(s, "allocator", allocators[a]) == KMEM_OK, "%s", kmem_error(s));
		RUN(watch_session(s, file, allocators[a]));
	}
	free(text);
}

static void run_all(const char *directory, const char *only)
{
	struct dirent **entries;
	int nr = scandir(directory, &entries, is_sample, alphasort);

	CHECK(nr > 0, "no traces in %s", directory);
	for (int i = 0; i < nr; i++) {
		run_sample(directory, entries[i]->d_name, only);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;

	RUN(run_all("test/golden", only));
	RUN(run_all("../traces", only));
	return check_summary();
}
