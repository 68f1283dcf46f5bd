/*
 * bytes_test.c - the bytes of an object's slot: drawn for each state and each kind of damage, and laws that hold under
 * random damage.
 *
 * Slots of `full` (100 bytes, all options): left red zone 8, object 100, red zone 4, free pointer 8, tracks 48,
 * padding 8. A slot is drawn as one word for each run: `START-END=FOUND`, `/EXPECTED` where that differs, ?? for
 * bytes that the model does not keep.
 */
#include "test/support/check.h"
#include "test/support/session_util.h"

#define FULL "cache c0 size=100 name=full flags=red_zone,poison,store_user,sanity_checks\n"

static struct kmem_session *run(const char *script)
{
	static char text[1 << 15];

	snprintf(text, sizeof(text), "slabtrace 1\nmachine cpus=2\n%s", script);
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_report(s)->skipped_lines == 0, "a line of the script is wrong: %s", script);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	return s;
}

static u32 put_byte(char *to, u32 room, u32 byte)
{
	return (u32)snprintf(to, room, byte == 0xffff ? "??" : "%02x", byte);
}

/* Neighbouring runs that look the same are one word; the free pointer is one too. */
static const char *drawn(struct kmem_session *s, u32 index)
{
	static char text[4096];
	u32 nr, len = 0;
	const struct kmem_byte_run *runs = kmem_object_bytes(s, 0, 0, index, &nr);

	CHECK(runs != NULL, "%s", kmem_error(s));
	for (u32 i = 0, last; i < nr; i = last + 1) {
		for (last = i; last + 1 < nr && runs[last + 1].found == runs[i].found &&
			       runs[last + 1].expected == runs[i].expected;)
			last++;
		len += (u32)snprintf(text + len, sizeof(text) - len, "%s%u-%u=", i ? " " : "",
				     runs[i].start, runs[last].end - 1);
		len += put_byte(text + len, (u32)sizeof(text) - len, runs[i].found);
		if (!runs[i].overwritten)
			continue;
		len += (u32)snprintf(text + len, sizeof(text) - len, "/");
		len += put_byte(text + len, (u32)sizeof(text) - len, runs[i].expected);
	}
	return text;
}

static void is(struct kmem_session *s, u32 index, const char *want)
{
	const char *text = drawn(s, index);

	CHECK(strcmp(text, want) == 0, "%s\ninstead of %s", text, want);
}

/* The object's own bytes are the owner's. The first object of the slab is at 0x…000, the second at +176. */
static void an_allocated_object_has_red_zones_and_padding(void)
{
	is(run(FULL "a 1 c0 cpu=0\n"), 0, "0-7=cc 8-107=?? 108-111=cc 112-167=?? 168-175=5a");
}

static void a_write_after_a_live_object_stays_in_the_red_zone(void)
{
	/* 98 and 99 are the owner's own. */
	is(run(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=98 len=4 value=0x42 cpu=0\n"), 0,
	   "0-7=cc 8-107=?? 108-109=42/cc 110-111=cc 112-167=?? 168-175=5a");
	is(run(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=-3 len=2 value=0 cpu=0\n"), 0,
	   "0-4=cc 5-6=00/cc 7-7=cc 8-107=?? 108-111=cc 112-167=?? 168-175=5a");
}

/* Bytes that are as they should be are not marked, whoever wrote them. */
static void writing_the_expected_byte_is_not_damage(void)
{
	is(run(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=100 len=4 value=0xcc cpu=0\n"), 0,
	   "0-7=cc 8-107=?? 108-111=cc 112-167=?? 168-175=5a");
}

static void tracks_and_padding_are_shown_as_written(void)
{
	is(run(FULL "a 1 c0 cpu=0\ncorrupt write 1 at=158 len=4 value=0x41 cpu=0\n"), 0,
	   "0-7=cc 8-107=?? 108-111=cc 112-165=?? 166-167=41/?? 168-169=41/5a 170-175=5a");
}

/* One object to a slab, so that the free pointer is the end of the list: 0. */
static void a_use_after_free_shows_in_the_poison(void)
{
	const char *one = "cache c0 size=4000 flags=red_zone,poison\na 1 c0 cpu=0\nf 1 cpu=0\n";
	char script[200];

	snprintf(script, sizeof(script), "machine max_order=0 min_partial=5\n%s", one);
	is(run(script), 0, "0-7=bb 8-4006=6b 4007-4007=a5 4008-4015=bb 4016-4023=00 4024-4031=5a");
	snprintf(script, sizeof(script),
		 "machine max_order=0 min_partial=5\n%scorrupt write 1 at=3998 len=3 cpu=1\n", one);
	is(run(script), 0,
	   "0-7=bb 8-4005=6b 4006-4006=41/6b 4007-4007=41/a5 4008-4008=41/bb 4009-4015=bb "
	   "4016-4023=00 4024-4031=5a");
}

static void a_damaged_free_pointer_is_shown_byte_by_byte(void)
{
	const char *first = FULL "a 1 c0 cpu=0\na 2 c0 cpu=0\nf 2 cpu=0\nf 1 cpu=0\n";
	char script[400];
	u32 nr;

	snprintf(script, sizeof(script), "%scorrupt freelist 1 value=0 cpu=0\n", first);
	struct kmem_session *s = run(script);
	const struct kmem_object_row *o = kmem_object(s, 0, 0, 0);
	CHECK(o && o->stored == 0, "the pointer reads %llx",
	      (unsigned long long)(o ? o->stored : 0));
	const struct kmem_byte_run *runs = kmem_object_bytes(s, 0, 0, 0, &nr);
	u64 expected = 0;
	for (u32 i = 0; i < nr; i++)
		for (u32 at = runs[i].start; at < runs[i].end; at++) {
			if (at < 112 || at >= 120)
				continue;
			CHECK(runs[i].found == 0, "byte %u is %x", at, runs[i].found);
			expected |= (u64)runs[i].expected << 8 * (at - 112);
		}
	s = run(first);
	o = kmem_object(s, 0, 0, 0);
	CHECK(o && expected == o->stored, "%llx instead of %llx", (unsigned long long)expected,
	      (unsigned long long)(o ? o->stored : 0));
}

static void a_repair_removes_the_mark(void)
{
	is(run(FULL "a 1 c0 cpu=0\na 2 c0 cpu=0\ncorrupt write 1 at=101 len=2 cpu=0\nf 1 cpu=0\n"),
	   0, "0-7=cc 8-107=?? 108-111=cc 112-167=?? 168-175=5a");
}

static void without_debugging_only_the_free_pointer_is_known(void)
{
	struct kmem_session *s = run("cache c0 size=64\na 1 c0 cpu=0\n"
				     "corrupt write 1 at=60 len=8 cpu=0\n");
	u32 nr;

	is(s, 0, "0-63=??");
	const struct kmem_byte_run *runs = kmem_object_bytes(s, 0, 0, 5, &nr);
	CHECK(runs && nr == 10 && runs[0].end == 32 && runs[9].start == 40, "%u runs", nr);
	s = run("machine allocator=slab\ncache c0 size=64\na 1 c0 cpu=0\n");
	CHECK(kmem_object_bytes(s, 0, 0, 0, &nr) == NULL && nr == 0);
}

static void refuses_objects_that_do_not_exist(void)
{
	struct kmem_session *s = run(FULL "a 1 c0 cpu=0\n");
	u32 nr = 7;

	CHECK(kmem_object_bytes(s, 0, 0, 23, &nr) == NULL && nr == 0);
	CHECK(kmem_object_bytes(s, 0, 9, 0, &nr) == NULL && kmem_error(s)[0]);
	CHECK(kmem_object_bytes(s, 1, 0, 0, &nr) == NULL && kmem_error(s)[0]);
}

static u32 dice;

static u32 roll(u32 below)
{
	dice = dice * 1664525 + 1013904223;
	return (dice >> 8) % below;
}

static u64 bytes_of(const struct kmem_byte_run *runs, u32 nr, u32 from)
{
	u64 word = 0;

	for (u32 i = 0; i < nr; i++)
		for (u32 at = MAX(runs[i].start, from); at < runs[i].end && at < from + 8; at++)
			word |= (u64)(runs[i].found & 0xff) << 8 * (at - from);
	return word;
}

/* Runs follow each other and fill the slot, the free pointer reads the same in both queries, and what is marked is
 * damaged. */
static void holds_at(struct kmem_session *s, u32 index, u32 seed)
{
	const struct kmem_object_row *found = kmem_object(s, 0, 0, index);
	u32 nr, end = 0, overwritten = 0;

	if (!found)
		return;
	struct kmem_object_row o = *found;
	const struct kmem_byte_run *runs = kmem_object_bytes(s, 0, 0, index, &nr);
	CHECK(runs != NULL, "seed %u: %s", seed, kmem_error(s));
	for (u32 i = 0; i < nr; i++) {
		CHECK(runs[i].start == end && runs[i].end > end, "seed %u: run %u", seed, i);
		CHECK(runs[i].overwritten == (runs[i].found != runs[i].expected), "seed %u", seed);
		CHECK(!runs[i].overwritten || runs[i].found <= 0xff, "seed %u", seed);
		overwritten |= runs[i].overwritten;
		end = runs[i].end;
	}
	CHECK(end == o.slot_bytes, "seed %u: %u of %u bytes", seed, end, o.slot_bytes);
	CHECK(!overwritten || o.damaged, "seed %u: object %u", seed, index);
	if (o.state == CELL_FREE)
		CHECK(bytes_of(runs, nr, o.left_bytes + o.link_offset) == o.stored,
		      "seed %u: object %u", seed, index);
}

static void random_damage(u32 seed)
{
	static const char *const kinds[] = { "a %u c0 cpu=0\n", "f %u cpu=1\n",
					     "corrupt write %u at=%d len=%u value=%u cpu=0\n",
					     "corrupt freelist %u cpu=0\n" };
	static char text[1 << 14];
	u32 len = (u32)snprintf(text, sizeof(text),
				"slabtrace 1\nmachine cpus=2 max_order=0 freelist_hardened=%s\n"
				"cache c0 size=%u flags=red_zone,poison%s%s\n",
				seed & 1 ? "on" : "off", 8 + seed * 29 % 500,
				seed & 2 ? ",store_user" : "", seed & 4 ? ",sanity_checks" : "");

	dice = seed;
	for (u32 i = 0; i < 120; i++) {
		u32 id = roll(12), kind = roll(4), at = roll(560), bytes = 1 + roll(40),
		    value = roll(256);
		len += (u32)snprintf(text + len, sizeof(text) - len, kinds[kind], id, (int)at - 30,
				     bytes, value);
	}
	struct kmem_session *s = session_of_text(text);
	CHECK(kmem_build(s, 0) == 0, "%s", kmem_error(s));
	for (u32 op = 0; op <= kmem_nr_ops(s); op++) {
		CHECK(kmem_seek(s, op) == 0);
		for (u32 index = 0; index < 12; index++)
			holds_at(s, index, seed);
	}
}

int main(void)
{
	RUN(an_allocated_object_has_red_zones_and_padding());
	RUN(a_write_after_a_live_object_stays_in_the_red_zone());
	RUN(writing_the_expected_byte_is_not_damage());
	RUN(tracks_and_padding_are_shown_as_written());
	RUN(a_use_after_free_shows_in_the_poison());
	RUN(a_damaged_free_pointer_is_shown_byte_by_byte());
	RUN(a_repair_removes_the_mark());
	RUN(without_debugging_only_the_free_pointer_is_known());
	RUN(refuses_objects_that_do_not_exist());
	RUN(for (u32 seed = 1; seed <= 40; seed++) random_damage(seed));
	return check_summary();
}
