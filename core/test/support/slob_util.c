/*
 * slob_util.c - see slob_util.h.
 */
#include "test/support/slob_util.h"

#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"

static const char *allocator = "slob";
static char drawn[65536];

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "tables/steps/steps.def"
#undef STEP
};

/* Runs all lines after `slabtrace 1`. */
struct kmem_session *session_of(const char *machine, const char *lines)
{
	static char text[1 << 24];
	struct kmem_session *s;

	snprintf(text, sizeof(text), "slabtrace 1\nmachine allocator=%s %s\n%s", allocator, machine,
		 lines);
	s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0, "in %s", lines);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	CHECK(kmem_check(s) == 0, "%s", kmem_error(s));
	return s;
}

struct kmem_session *after(const char *lines)
{
	return session_of("cpus=1", lines);
}

/* Kinds of the last event's steps, without those of the page allocator. */
const char *steps_of_last(struct kmem_session *s)
{
	s32 nr = kmem_steps(s, kmem_nr_ops(s) - 1);
	u32 len = 0;

	drawn[0] = 0;
	for (s32 i = 0; i < nr; i++) {
		const char *name = step_names[kmem_step_rows(s)[i].kind];
		if (strncmp(name, "PAGES_", 6) != 0)
			len += (u32)snprintf(drawn + len, sizeof(drawn) - len, "%s%s",
					     len ? "+" : "", name);
	}
	return drawn;
}

void decides(const char *lines, const char *want)
{
	const char *got = steps_of_last(after(lines));

	CHECK(strcmp(got, want) == 0, "\n%s\n  want %s\n  got  %s", lines, want, got);
}

static u32 draw_blocks(const struct kmem_session *s, const struct kmem_frame *f,
		       const struct kmem_slab_row *slab, u32 len)
{
	const u8 *cell = (const u8 *)s + f->cells_at + slab->first_cell;
	const struct kmem_extent *e = (const struct kmem_extent *)((const u8 *)s + f->extents_at) +
				      slab->first_extent;
	u32 end = 0;

	for (u32 i = 0; i < slab->objects; i++) {
		CHECK(e[i].offset == end, "blocks cover the page");
		end += e[i].bytes;
		len += (u32)snprintf(drawn + len, sizeof(drawn) - len, "%c%u",
				     cell[i] == CELL_FREE ? '.' : '#', e[i].bytes);
	}
	CHECK(end == 4096u << slab->order, "to its end");
	return len;
}

/* Blocks of one page; nothing if there is no such page. */
const char *page_of(struct kmem_session *s, u32 serial)
{
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	const struct kmem_slab_row *slab =
		(const struct kmem_slab_row *)((const u8 *)s + f->slabs_at);

	drawn[0] = 0;
	for (u32 i = 0; i < f->nr_slabs; i++)
		if (slab[i].serial == serial)
			draw_blocks(s, f, &slab[i], 0);
	return drawn;
}

static u32 free_bytes(const struct kmem_session *s, const struct kmem_frame *f,
		      const struct kmem_slab_row *slab)
{
	const u8 *cell = (const u8 *)s + f->cells_at + slab->first_cell;
	const struct kmem_extent *e = (const struct kmem_extent *)((const u8 *)s + f->extents_at) +
				      slab->first_extent;
	u32 sum = 0;

	for (u32 i = 0; i < slab->objects; i++)
		sum += cell[i] == CELL_FREE ? e[i].bytes : 0;
	return sum;
}

/* Draws a place with its name, unless it is one of the many classes and has no pages. Returns the new length. */
static u32 draw_place(const struct kmem_place *p, u32 len)
{
	static const char *const names[] = { [PLACE_SMALL_PAGES] = "small",
					     [PLACE_MEDIUM_PAGES] = "medium",
					     [PLACE_LARGE_PAGES] = "large",
					     [PLACE_LOOSE] = "loose" };
	const char *space = len ? " " : "";
	char *end = drawn + len;
	size_t room = sizeof(drawn) - len;

	if (p->kind != PLACE_CLASS_PAGES)
		return len + (u32)snprintf(end, room, "%s%s:", space, names[p->kind]);
	if (!p->nr_slabs)
		return len;
	if (p->node)
		return len + (u32)snprintf(end, room, "%snode%u/%u:", space, p->node, p->bytes);
	return len + (u32)snprintf(end, room, "%s%u:", space, p->bytes);
}

const char *lists_of(struct kmem_session *s)
{
	const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
	const struct kmem_place *p = (const struct kmem_place *)((const u8 *)s + f->places_at);
	const struct kmem_slab_row *slab =
		(const struct kmem_slab_row *)((const u8 *)s + f->slabs_at);
	u32 len = 0;

	drawn[0] = 0;
	for (u32 i = 0; i < f->nr_places; i++) {
		len = draw_place(&p[i], len);
		for (u32 k = p[i].first_slab; k < p[i].first_slab + p[i].nr_slabs; k++)
			len += (u32)snprintf(drawn + len, sizeof(drawn) - len, "%u(%u)",
					     slab[k].serial, free_bytes(s, f, &slab[k]));
	}
	return drawn;
}

void looks(const char *lines, const char *want)
{
	const char *got = lists_of(after(lines));

	CHECK(strcmp(got, want) == 0, "\n%s\n  want %s\n  got  %s", lines, want, got);
}

void blocks(const char *lines, u32 page, const char *want)
{
	const char *got = page_of(after(lines), page);

	CHECK(strcmp(got, want) == 0, "\n%s\n  want %s\n  got  %s", lines, want, got);
}

void use_allocator(const char *name)
{
	allocator = name;
}

/* Checks every invariant after every event, and that every way to a position leads to the same world. */
void laws_hold(const char *machine, u32 nr_ops)
{
	char *text = malloc((size_t)nr_ops * 64 + 4096), *p = text;
	u64 seed = nr_ops, hash;
	u32 nr_live = 0, *live = malloc(nr_ops * sizeof(u32));

	p += sprintf(p, "cache a size=1\ncache b size=700 align=64\ncache c size=9000\n"
			"cache d size=4096 align=4096\ncache e size=33 flags=typesafe_by_rcu\n");
	for (u32 i = 0; i < nr_ops; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		u32 dice = (u32)(seed >> 40), cpu = (u32)(seed >> 33) % 4;
		u32 lean = i / 300 % 2 ? 60 : 40;
		if (nr_live && dice % 100 >= lean) {
			u32 k = dice / 128 % nr_live;
			p += sprintf(p, "f %u cpu=%u\n", live[k], cpu);
			live[k] = live[--nr_live];
			continue;
		}
		if (dice % 3)
			p += sprintf(p, "k %u %u cpu=%u", i,
				     1 + (dice >> 8) % (dice % 7 ? 300 : 9000), cpu);
		else
			p += sprintf(p, "a %u %c cpu=%u", i, (int)('a' + dice / 128 % 5), cpu);
		p += sprintf(p, dice / 1024 % 4 ? "\n" : " node=%u\n", dice / 4096 % 3);
		live[nr_live++] = i;
	}
	struct kmem_session *s = session_of(machine, text);
	hash = kmem_hash(s);
	for (u32 op = 0; op < nr_ops; op++) {
		CHECK(kmem_steps(s, op) >= 0);
		CHECK(kmem_check(s) == 0, "%s at %u on %s", kmem_error(s), op, machine);
	}
	CHECK(kmem_hash(s) == hash, "with steps on %s", machine);
	for (u32 op = 0; op < nr_ops; op += 97)
		for (s32 k = 0, nr = kmem_steps(s, op); k < nr; k++)
			CHECK(kmem_peek(s, op, (u32)k, CACHE_NONE) != NULL);
	CHECK(kmem_seek(s, nr_ops / 2) == 0 && kmem_check(s) == 0);
	CHECK(kmem_seek(s, nr_ops) == 0 && kmem_hash(s) == hash, "there and back");
	free(text);
	free(live);
}
