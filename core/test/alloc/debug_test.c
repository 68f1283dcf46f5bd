/*
 * debug_test.c - debugging: for each check a trace that it must catch, with the report it must write; what is caught
 * without debugging; and random corruption, after which every law holds.
 *
 * Slots of `full` (100 bytes, all options): left red zone 8, object 100, red zone 4, free pointer 8, tracks 48,
 * padding 8: 176, so object N is at 176 N + 8. A report is drawn as its first line, then the byte found and expected.
 */
#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/session_util.h"

#define FULL "cache c0 size=100 name=full flags=red_zone,poison,store_user,sanity_checks\n"

static struct kmem_session *run(const char *script)
{
	static char text[1 << 16];

	snprintf(text, sizeof(text), "slabtrace 1\nmachine cpus=2\n%s", script);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0, "a line of the script is wrong: %s", script);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		CHECK(kmem_steps(s, op) >= 0, "%s", kmem_error(s));
		CHECK(kmem_check(s) == 0, "%s after op %u of %s", kmem_error(s), op, script);
	}
	return s;
}

static struct kmem_bug reports(struct kmem_session *s, u32 want)
{
	u32 nr, all;
	const struct kmem_bug *bug = kmem_reports(s, &nr, &all);

	CHECK(nr == want && all == want, "%u reports instead of %u", all, want);
	return nr ? bug[nr - 1] : (struct kmem_bug){ 0 };
}

/* The script ends in one report: this check, of this object, at this offset, these bytes. */
static struct kmem_session *catches(const char *script, u32 check, u32 index, u32 offset, u32 len,
				    u32 found, u32 expected)
{
	struct kmem_session *s = run(script);
	struct kmem_bug bug = reports(s, 1);

	CHECK(bug.check == check && bug.index == index, "check %u of %u: %s", bug.check, bug.index,
	      kmem_report_text(s, &bug));
	CHECK(bug.offset == offset && bug.len == len && bug.found == found &&
		      bug.expected == expected,
	      "%u bytes at %u, %02x instead of %02x", bug.len, bug.offset, bug.found, bug.expected);
	return s;
}

/* |left 8|object 100|red 4|pointer 8|tracks 48|padding 8| */
static void the_layout_grows_as_in_the_kernel(void)
{
	static const struct {
		const char *flags;
		u32 object, size, offset;
	} want[] = {
		{ "", 100, 104, 48 },
		{ "flags=red_zone", 64, 88, 32 },
		{ "flags=red_zone,poison,store_user", 100, 176, 104 },
		{ "flags=poison", 64, 72, 64 },
		{ "flags=store_user", 64, 112, 32 },
		{ "flags=sanity_checks", 64, 64, 32 },
		{ "flags=red_zone", 4, 32, 8 },
	};
	char script[200];

	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		snprintf(script, sizeof(script), "cache c0 size=%u %s\na 1 c0 cpu=0\n",
			 want[i].object, want[i].flags);
		u32 nr;
		const struct kmem_cache_row *row = kmem_cache_rows(run(script), &nr);
		CHECK(nr == 1 && row->size == want[i].size && row->offset == want[i].offset,
		      "%s: slot %u, pointer at %u", script, row->size, row->offset);
	}
}

static void a_write_past_the_end_is_found_by_the_free(void)
{
	struct kmem_session *s = catches(FULL "a 1 c0 cpu=0 t=5\na 2 c0 cpu=0\n"
					      "corrupt write 2 at=102 len=1 cpu=0\nf 2 cpu=1\n",
					 CHECK_RIGHT_REDZONE, 1, 184 + 102, 1, 0x41, 0xcc);
	struct kmem_bug bug = reports(s, 1);

	CHECK(bug.alloc_op == 1 && bug.free_op == 0xffffffff && bug.alloc_cpu == 0);
	CHECK(bug.fixes == (1 << FIX_RESTORED | 1 << FIX_NOT_FREED), "fixes %x", bug.fixes);
	CHECK(strstr(kmem_report_text(s, &bug), "BUG full: Right Redzone overwritten\n") != NULL &&
		      strstr(kmem_report_text(s, &bug), "First byte 0x41 instead of 0xcc") != NULL,
	      "%s", kmem_report_text(s, &bug));
	CHECK(kmem_totals(s)->live_objects == 1, "the object is nobody's any more");
}

static void a_write_before_the_start_hits_the_left_red_zone(void)
{
	catches(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=-8 len=8 value=0xee cpu=0\nf 1 cpu=0\n",
		CHECK_LEFT_REDZONE, 0, 0, 8, 0xee, 0xcc);
}

/* 23 slots of 176 leave 48 bytes. */
static void the_end_of_the_slab_is_watched_too(void)
{
	struct kmem_session *s =
		catches(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=4050 len=3 cpu=0\nf 1 cpu=0\n",
			CHECK_SLAB_PADDING, 0xffffffff, 4058, 3, 0x41, 0x5a);

	CHECK(kmem_totals(s)->live_objects == 0 && reports(s, 1).refused == 0,
	      "padding is restored and the free goes on");
}

static void padding_after_an_object_is_restored_and_the_free_goes_on(void)
{
	struct kmem_session *s =
		catches(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=160 len=2 cpu=0\nf 1 cpu=0\n",
			CHECK_OBJECT_PADDING, 0, 168, 2, 0x41, 0x5a);

	CHECK(reports(s, 1).fixes == 1 << FIX_RESTORED);
	catches("cache c0 size=100 flags=poison,sanity_checks\na 1 c0 cpu=0\n"
		"corrupt write 1 at=101 len=2 cpu=0\nf 1 cpu=0\n",
		CHECK_ALIGNMENT, 0, 101, 2, 0x41, 0x5a);
}

static void a_use_after_free_is_found_by_the_next_allocation(void)
{
	struct kmem_session *s = catches(FULL "a 1 c0 cpu=0\nf 1 cpu=1\n"
					      "corrupt write 1 at=20 len=4 value=0 cpu=0\n"
					      "a 2 c0 cpu=0\n",
					 CHECK_POISON, 0, 28, 4, 0, 0x6b);
	struct kmem_bug bug = reports(s, 1);

	CHECK(bug.alloc_op == 0 && bug.free_op == 1 && bug.free_cpu == 1);
	CHECK(bug.fixes == (1 << FIX_RESTORED | 1 << FIX_MARKED_USED), "fixes %x", bug.fixes);
	CHECK(kmem_totals(s)->slabs == 2 && kmem_totals(s)->live_objects == 1,
	      "the slab is out of use, the object comes from another");
	catches(FULL "a 1 c0 cpu=0\nf 1 cpu=1\ncorrupt write 1 at=99 len=1 value=0 cpu=0\n"
		     "a 2 c0 cpu=0\n",
		CHECK_END_POISON, 0, 107, 1, 0, 0xa5);
}

static void a_slab_out_of_use_accepts_no_frees(void)
{
	struct kmem_session *s = run(FULL "a 1 c0 cpu=0\na 2 c0 cpu=0\nf 1 cpu=1\n"
					  "corrupt write 1 at=20 cpu=0\na 3 c0 cpu=0\nf 2 cpu=0\n"
					  "f 3 cpu=0\nshrink c0\n");
	struct kmem_bug bug = reports(s, 2);

	CHECK(bug.check == CHECK_DISABLED && bug.refused != 0);
	CHECK(kmem_totals(s)->slabs == 1, "only the slab that is out of use stays");
	const struct kmem_frame *frame = kmem_view(s, 0);
	const struct kmem_place *place = (const void *)((const u8 *)s + frame->places_at);
	u32 loose = 0;
	for (u32 i = 0; i < frame->nr_places; i++)
		loose += place[i].kind == PLACE_LOOSE ? place[i].nr_slabs : 0;
	CHECK(loose == 1, "it is on no list");
}

static void a_double_free_is_refused(void)
{
	struct kmem_session *s = catches(FULL
					 "a 1 c0 cpu=0\nf 1 cpu=0\ncorrupt double-free 1 cpu=1\n",
					 CHECK_ALREADY_FREE, 0, 8, 0, 0, 0);

	CHECK(reports(s, 1).fixes == 1 << FIX_NOT_FREED);
	/* The object was handed out again in between, so nothing can tell. */
	s = run(FULL "a 1 c0 cpu=0\nf 1 cpu=0\na 2 c0 cpu=0\ncorrupt double-free 1 cpu=1\n");
	reports(s, 0);
	CHECK(kmem_totals(s)->live_objects == 1);
}

static void a_pointer_that_is_not_an_object_is_refused(void)
{
	struct kmem_session *s = catches(FULL
					 "a 1 c0 cpu=0\ncorrupt wild-free 1 cpu=0\nf 1 cpu=0\n",
					 CHECK_INVALID_POINTER, 0xffffffff, 16, 0, 0, 0);

	CHECK(reports(s, 1).refused == reports(s, 1).fault && kmem_totals(s)->live_objects == 0);
	/* The start of the next object, which is free: that is a double free. */
	catches(FULL "a 1 c0 cpu=0\ncorrupt wild-free 1 at=176 cpu=0\n", CHECK_ALREADY_FREE, 1, 184,
		0, 0, 0);
}

static void a_damaged_pointer_is_found_where_it_is_read(void)
{
	struct kmem_session *s =
		catches(FULL "a 1 c0 cpu=0\nf 1 cpu=0\ncorrupt freelist 1 cpu=0\na 2 c0 cpu=0\n",
			CHECK_FREEPOINTER, 0, 8 + 104, 0, 0, 0);

	CHECK(reports(s, 1).pointer == 0x4141414141414141);
	/* In the middle of the list it is found by a free, and what comes after it is lost. */
	s = run(FULL
		"a 1 c0 cpu=0\na 2 c0 cpu=0\nf 1 cpu=0\ncorrupt freelist 1 cpu=0\nf 2 cpu=0\n");
	struct kmem_bug bug = reports(s, 2);
	CHECK(bug.check == CHECK_COUNT && bug.counter == 1 && bug.counted == 22, "%u, %d",
	      bug.counter, bug.counted);
	u32 nr;
	const struct kmem_cache_row *row = kmem_cache_rows(s, &nr);
	CHECK(row->total_objects - row->objects == 2, "two can still be had, not %u",
	      row->total_objects - row->objects);
}

/* Zeroes are the end of a list where pointers are stored as they are, and a wild pointer where they are not. */
static void hardening_turns_zeroes_into_a_wild_pointer(void)
{
	const char *script = FULL "a 1 c0 cpu=0\nf 1 cpu=0\ncorrupt freelist 1 value=0 cpu=0\n"
				  "a 2 c0 cpu=0\na 3 c0 cpu=0\n";
	char hardened[600];

	struct kmem_session *s = run(script);
	reports(s, 0);
	CHECK(kmem_totals(s)->slabs == 2, "the rest of the first slab is lost");
	snprintf(hardened, sizeof(hardened), "machine freelist_hardened=on\n%s", script);
	CHECK(reports(run(hardened), 1).check == CHECK_FREEPOINTER);
}

static void a_hardened_kernel_stops_at_a_naive_double_free(void)
{
	const char *script = "cache c0 size=64\na 1 c0 cpu=0\na 2 c0 cpu=0\nf 1 cpu=0\n"
			     "corrupt double-free 1 cpu=0\n";
	char hardened[300];

	reports(run(script), 0);
	snprintf(hardened, sizeof(hardened), "machine freelist_hardened=on\n%s", script);
	CHECK(reports(run(hardened), 1).check == CHECK_DOUBLE_FREE_BUG);
	snprintf(hardened, sizeof(hardened),
		 "machine freelist_hardened=on\ncache c0 size=64\na 1 c0 cpu=0\na 2 c0 cpu=0\n"
		 "f 1 cpu=0\nf 2 cpu=0\ncorrupt double-free 1 cpu=0\n");
	reports(run(hardened), 0);
}

static void without_sanity_checks_only_validation_finds_damage(void)
{
	const char *script = "cache c0 size=100 flags=red_zone,poison\na 1 c0 cpu=0\na 2 c0 cpu=0\n"
			     "corrupt write 2 at=100 cpu=0\n";
	char longer[300];

	snprintf(longer, sizeof(longer), "%sf 2 cpu=0\n", script);
	reports(run(longer), 0);
	snprintf(longer, sizeof(longer), "%svalidate c0\n", script);
	CHECK(reports(run(longer), 1).check == CHECK_RIGHT_REDZONE);
}

static void a_parameter_debugs_every_cache(void)
{
	struct kmem_session *s = run(
		"machine sanity_checks=on red_zone=on poison=on store_user=on\n"
		"k 1 100 cpu=0\ncorrupt write 1 at=128 cpu=0\nf 1 cpu=0\n");

	CHECK(reports(s, 1).check == CHECK_RIGHT_REDZONE);
	CHECK(kmem_seek(s, 2) == 0);
	reports(s, 0);
	CHECK(kmem_seek(s, 3) == 0);
	reports(s, 1);
}

static void damage_that_nothing_sees_changes_nothing(void)
{
	static const char *const lines[] = {
		"corrupt write 1 at=0 len=64 cpu=0\n",
		"corrupt write 1 at=60 len=64 cpu=1\n",
		"corrupt write 3 cpu=0\n",
		"corrupt freelist 3 cpu=0\n",
		"corrupt double-free 3 cpu=0\n",
		"corrupt wild-free 1 cpu=0\n",
		"corrupt wild-free 1 at=-9000 cpu=0\n",
		"corrupt write 1 at=8000 cpu=0\n",
		"corrupt freelist 4 cpu=0\n",
		"corrupt double-free 5 cpu=0\n",
	};
	char script[400];

	for (u32 i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(script, sizeof(script),
			 "cache c0 size=64\na 1 c0 cpu=0\na 2 c0 cpu=0\na 3 c0 cpu=0\nf 3 cpu=1\n"
			 "k 4 100000 cpu=0\nk 5 90000 cpu=0\nf 5 cpu=0\n%s"
			 "f 2 cpu=0\na 6 c0 cpu=0\na 7 c0 cpu=1\n",
			 lines[i]);
		reports(run(script), 0);
	}
}

static struct kmem_object_row object_at(struct kmem_session *s, u32 slab, u32 index)
{
	const struct kmem_object_row *row = kmem_object(s, 0, slab, index);

	CHECK(row != NULL, "%s", kmem_error(s));
	return row ? *row : (struct kmem_object_row){ 0 };
}

static u64 swap(u64 x)
{
	u64 swapped = 0;

	for (u32 i = 0; i < 8; i++, x >>= 8)
		swapped = swapped << 8 | (x & 0xff);
	return swapped;
}

/* Every free pointer of a slab, by the kernel's formula; the links lead through all free objects. */
static void pointers_are_stored_as_in_the_kernel(void)
{
	struct kmem_session *s = run("machine freelist_hardened=on freelist_random=on\n"
				     "cache c0 size=256\na 1 c0 cpu=0 req=200\na 2 c0 cpu=1\n");
	u32 free = 0, ends = 0;

	for (u32 i = 0; i < 16; i++) {
		struct kmem_object_row o = object_at(s, 0, i);
		CHECK(o.address == o.slab_address + 256 * i && o.link_address == o.address + 128);
		CHECK(o.secret != 0 && o.swapped == swap(o.link_address));
		if (o.state == CELL_ALLOCATED) {
			CHECK(o.handle == 0 && o.alloc_op == 0 && o.requested == 200);
			continue;
		}
		free++;
		ends += o.pointer == 0;
		CHECK(o.stored == (o.pointer ^ o.secret ^ o.swapped));
		CHECK(o.next == 0xffffffff ? !o.pointer
					   : o.pointer == object_at(s, 0, o.next).address);
	}
	CHECK(free == 15 && ends == 1, "%u free, %u ends", free, ends);
	CHECK(kmem_object(s, 0, 0, 16) == NULL && kmem_object(s, 0, 7, 0) == NULL);
	CHECK(kmem_object(s, 1, 0, 0) == NULL);
}

/* |left 8|object 100|red 4|pointer 8|tracks 48|padding 8| */
static void an_object_shows_its_slot(void)
{
	struct kmem_session *s = run(FULL "a 1 c0 cpu=1\nf 1 cpu=0\n");
	struct kmem_object_row o = object_at(s, 0, 0);

	CHECK(o.left_bytes == 8 && o.right_bytes == 4 && o.link_offset == 104);
	CHECK(o.tracks_offset == 112 && o.tracks_bytes == 48 && o.padding_offset == 160 &&
	      o.padding_bytes == 8);
	CHECK(o.alloc_op == 0 && o.alloc_cpu == 1 && o.free_op == 1 && o.free_cpu == 0);
	CHECK(o.next == 1 && o.stored == o.pointer && !o.damaged);
	CHECK(o.zone == 0xbb && o.poison == 0x6b);
}

/* Everything is tried on everything; whatever is found, every law holds and the same comes out again. */
static u32 dice;

static u32 roll(u32 below)
{
	dice = dice * 1664525 + 1013904223;
	return (dice >> 8) % below;
}

static void random_line(char *line, u32 room)
{
	u32 id = roll(24), cpu = roll(2), at = roll(300), few = 1 + roll(12), many = 1 + roll(400),
	    value = roll(3) ? roll(256) : 0, coin = roll(2), rare = roll(8);

	switch (roll(12)) {
	case 0:
		snprintf(line, room, "corrupt write %u at=%s%u len=%u value=%u cpu=%u\n", id,
			 at % 4 ? "" : "-", at, rare ? few : many, value, cpu);
		break;
	case 1:
		snprintf(line, room, "corrupt %s %u cpu=%u\n", coin ? "double-free" : "wild-free",
			 id, cpu);
		break;
	case 2:
		snprintf(line, room, "corrupt freelist %u value=%u cpu=%u\n", id, value, cpu);
		break;
	case 3:
		snprintf(line, room, "%s c0\n", rare > 1 ? "validate" : "shrink");
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		snprintf(line, room, "f %u cpu=%u\n", id, cpu);
		break;
	default:
		snprintf(line, room, "a %u c0 cpu=%u\n", id, cpu);
	}
}

static void random_corruption(u32 seed)
{
	static const char *const flags[] = { "", "red_zone", "poison", "store_user", "ctor" };
	static char text[1 << 16];
	u32 len = (u32)snprintf(text, sizeof(text),
				"slabtrace 1\nmachine cpus=2 max_order=0 freelist_hardened=%s "
				"freelist_random=%s\ncache c0 size=%u flags=",
				seed & 1 ? "on" : "off", seed & 2 ? "on" : "off",
				1 + seed * 37 % 900);

	dice = seed;
	for (u32 i = 1; i < ARRAY_SIZE(flags); i++)
		if (seed >> (i + 1) & 1)
			len += (u32)snprintf(text + len, sizeof(text) - len, "%s,", flags[i]);
	len += (u32)snprintf(text + len, sizeof(text) - len, "%s\n",
			     seed % 5 ? "sanity_checks" : "nomerge");
	for (u32 i = 0; i < 300; i++) {
		random_line(text + len, (u32)sizeof(text) - len);
		len += (u32)strlen(text + len);
	}
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	u64 hash = kmem_hash(s);
	CHECK(kmem_seek(s, 0) == 0);
	for (u32 op = 0; op < kmem_nr_ops(s); op++) {
		CHECK(kmem_steps(s, op) >= 0, "seed %u: %s", seed, kmem_error(s));
		CHECK(kmem_check(s) == 0, "seed %u, op %u: %s", seed, op, kmem_error(s));
		CHECK(kmem_view(s, 0) != NULL);
	}
	CHECK(kmem_hash(s) == hash, "seed %u: recording changes nothing", seed);
}

int main(void)
{
	RUN(the_layout_grows_as_in_the_kernel());
	RUN(a_write_past_the_end_is_found_by_the_free());
	RUN(a_write_before_the_start_hits_the_left_red_zone());
	RUN(the_end_of_the_slab_is_watched_too());
	RUN(padding_after_an_object_is_restored_and_the_free_goes_on());
	RUN(a_use_after_free_is_found_by_the_next_allocation());
	RUN(a_slab_out_of_use_accepts_no_frees());
	RUN(a_double_free_is_refused());
	RUN(a_pointer_that_is_not_an_object_is_refused());
	RUN(a_damaged_pointer_is_found_where_it_is_read());
	RUN(hardening_turns_zeroes_into_a_wild_pointer());
	RUN(a_hardened_kernel_stops_at_a_naive_double_free());
	RUN(without_sanity_checks_only_validation_finds_damage());
	RUN(a_parameter_debugs_every_cache());
	RUN(damage_that_nothing_sees_changes_nothing());
	RUN(pointers_are_stored_as_in_the_kernel());
	RUN(an_object_shows_its_slot());
	u32 seeds = getenv("SOAK") ? 4096 : 128;
	RUN(for (u32 seed = 1; seed <= seeds; seed++) random_corruption(seed));
	return check_summary();
}
