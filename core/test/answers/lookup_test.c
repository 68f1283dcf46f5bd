/*
 * lookup_test.c - reports of dmesg in every form that kernels print, damaged ones, and pointers kept through a fork.
 */
#include "kmem.h"
#include "test/support/check.h"
#include "test/support/session_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trace[] =
	"slabtrace 1\n"
	"cache c0 size=64 slot=64 name=widget\n"
	"a 1 c0 cpu=0 t=1000000000 site=make+0x10/0x20 task=init-1 ptr=0xffff888003a9d000\n"
	"a 2 c0 cpu=1 t=1000001000 site=make+0x10/0x20 task=sh-7 ptr=0xffff888003a9d040\n"
	"a 3 c0 cpu=1 t=1000002000 site=other+0x4/0x9 task=sh-7 ptr=0xffff888003a9d080\n"
	"f 2 cpu=3 t=1012000000 site=drop+0x8/0x30 task=rm-9 ptr=0xffff888003a9d040\n"
	"a 4 c0 cpu=2 t=1500000000 site=make+0x10/0x20 task=sh-8 ptr=0xffff888003a9d040\n"
	"f 4 cpu=2 t=1600000000 site=drop+0x8/0x30 task=sh-8 ptr=0xffff888003a9d040\n"
	"a 5 c0 cpu=2 t=1700000000 site=last+0x1/0x2 task=sh-8 ptr=0xf4ff888003b00000\n";

static const char slub[] =
	"[    1.550000] =============================================================================\n"
	"[    1.550000] BUG widget (Tainted: G    B   W  O ): Poison overwritten\n"
	"[    1.550000] -----------------------------------------------------------------------------\n"
	"\n"
	"[    1.550000] 0xffff888003a9d048-0xffff888003a9d04b @offset=72. First byte 0x41 instead of 0x6b\n"
	"[    1.550000] Allocated in make+0x10/0x20 [mod] age=53 cpu=1 pid=7\n"
	"[    1.550000]  kmem_cache_alloc+0x1/0x2\n"
	"[    1.550000] Freed in drop+0x8/0x30 age=50 cpu=3 pid=9\n"
	"[    1.550000] Slab 0xffffea00000ea740 objects=64 used=5 fp=0xffff888003a9d080 flags=0x200(slab|node=0)\n"
	"[    1.550000] Object 0xffff888003a9d040 @offset=64 fp=0x0000000000000000\n";

static const char kasan[] = "==================================================================\r\n"
			    "BUG: KASAN: slab-use-after-free in reader+0x5/0x10 [mod]\r\n"
			    "Read of size 8 at addr ffff888003a9d050 by task a/b/77\r\n"
			    "\r\n"
			    "Allocated by task 8 on cpu 2 at 1.500000s:\r\n"
			    " kasan_save_stack+0x1/0x2\r\n"
			    " __kasan_slab_alloc+0x1/0x2\r\n"
			    " kmem_cache_alloc_noprof+0x1/0x2\r\n"
			    " make+0x10/0x20\r\n"
			    " caller+0x1/0x2\r\n"
			    "\r\n"
			    "Freed by task 8 on cpu 2 at 1.600000s:\r\n"
			    " kfree+0x1/0x2\r\n"
			    " drop+0x8/0x30\r\n"
			    "\r\n"
			    "The buggy address belongs to the object at ffff888003a9d040\r\n"
			    " which belongs to the cache widget of size 64\r\n"
			    "The buggy address is located 16 bytes inside of\r\n"
			    " freed 64-byte region [ffff888003a9d040, ffff888003a9d080)\r\n";

static const char *text_of(struct kmem_session *s, uint32_t at)
{
	return at ? (const char *)s + at : "";
}

static struct kmem_session *session_keeping(uint32_t what)
{
	struct kmem_session *s = session_of_text("slabtrace 1\n");

	CHECK(kmem_import_begin(s) == 0 && kmem_import_keep(s, what) == 0);
	kmem_import_chunk(s, (const uint8_t *)trace, sizeof(trace) - 1);
	CHECK(kmem_import_end(s) == 0);
	return s;
}

static const struct kmem_lookup *look(struct kmem_session *s, const char *text)
{
	return kmem_lookup(s, (const uint8_t *)text, (uint32_t)strlen(text));
}

static const struct kmem_lookup_life *lives(struct kmem_session *s, const struct kmem_lookup *found)
{
	return (const void *)((const char *)s + found->lives_at);
}

static void test_kept(void)
{
	struct kmem_session *s = session_keeping(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS);

	CHECK(kmem_pointer(s, 1) == 0xffff888003a9d040 && !strcmp(kmem_task(s, 1), "sh-7"));
	CHECK(kmem_pointer(s, 7) == 0 && !strcmp(kmem_task(s, 7), ""));
	CHECK(kmem_kept(s)->flags == 3 && kmem_kept(s)->bytes == 65536 * 12);
	CHECK(kmem_import_keep(s, 1) == KMEM_ESTATE);
	CHECK(kmem_find_pointer(s, 0xffff888003a9d040, 2, KMEM_FORWARD) == 3);
	CHECK(kmem_find_pointer(s, 0xffff888003a9d040, 3, KMEM_BACK) == 1);
	CHECK(kmem_find_pointer(s, 0x1234, 0, KMEM_FORWARD) == KMEM_NONE32);
	/* A fork's own events were not recorded. */
	const char *line = "f 1 cpu=0 t=1000003000\n";
	CHECK(kmem_fork(s, 2, (const uint8_t *)line, (uint32_t)strlen(line)) == 0);
	CHECK(kmem_pointer(s, 1) == 0xffff888003a9d040 && kmem_pointer(s, 2) == 0);
	CHECK(kmem_fork_leave(s) == 0 && kmem_pointer(s, 2) == 0xffff888003a9d080);
	s = session_keeping(0);
	CHECK(kmem_pointer(s, 1) == 0 && !*kmem_task(s, 1) && !kmem_kept(s)->bytes);
	CHECK(kmem_import_begin(s) == 0 && kmem_import_keep(s, 8) == KMEM_EPARAM);
}

static void test_pointers(void)
{
	struct kmem_session *s = session_keeping(3);
	const struct kmem_lookup *found = look(s, " 0xffff888003a9d040\n");

	CHECK(found->kind == LOOKUP_POINTER && found->by_address && found->nr_all == 2);
	CHECK(lives(s, found)->alloc_op == 4 && lives(s, found)->free_op == 5);
	found = look(s, "ffff888003a9d0bf");
	CHECK(found->nr_lives == 1 && lives(s, found)->alloc_op == 2 &&
	      lives(s, found)->matched == 1u << LOOKUP_BY_INSIDE);
	found = look(s, "ffff888003a9dff0");
	CHECK(found->nr_all == 4 && lives(s, found)->matched == 1u << LOOKUP_BY_PAGE);
	/* A tag of arm64 in the top byte: the same object. Below 48 bits nothing is a tag. */
	CHECK(look(s, "0xf2ff888003a9d040")->nr_all == 2 &&
	      look(s, "0xf2ff888003a9d040")->address == 0xffff888003a9d040);
	CHECK(kmem_find_pointer(s, 0xfaff888003a9d040, 2, KMEM_FORWARD) == 3);
	CHECK(look(s, "ffff888003b00010")->nr_lives == 1);
	CHECK(look(s, "0xf20f888003a9d040")->nr_lives == 0);
	CHECK(look(s, "hello")->kind == LOOKUP_NOTHING && look(s, "")->kind == LOOKUP_NOTHING);
	CHECK(look(s, "1234567")->kind == LOOKUP_NOTHING);
}

static void test_slub(void)
{
	struct kmem_session *s = session_keeping(3);
	const struct kmem_lookup *found = look(s, slub);
	const struct kmem_lookup_track *track = (const void *)((const char *)s + found->tracks_at);
	const struct kmem_lookup_life *life = lives(s, found);

	CHECK(found->kind == LOOKUP_BUG && found->address == 0xffff888003a9d048 &&
	      found->offset == 8);
	CHECK(!strcmp(text_of(s, found->title_at), "Poison overwritten"));
	CHECK(!strcmp(text_of(s, found->cache_at), "widget") && found->time == 1550000000);
	CHECK(track[0].cpu == 1 && track[0].pid == 7 && track[0].age == 53 && track[1].pid == 9);
	CHECK(!strcmp(text_of(s, track[0].site_at), "make+0x10/0x20 [mod]"));
	CHECK(found->by_address && found->nr_all == 2 && life->alloc_op == 1 && life->free_op == 3);
	/* 12 ms are 3 jiffies at 250 Hz. */
	CHECK(life->matched >> LOOKUP_BY_LIFETIME & 1 && life->matched >> LOOKUP_BY_FREE_PID & 1);
	/* The slab has 64 objects from 64 bytes before the object on. */
	const struct kmem_lookup_neighbour *n =
		(const void *)((const char *)s + found->neighbours_at);
	CHECK(found->moment == 5 && found->nr_neighbours == 10);
	CHECK(n[0].slot == -1 && n[0].alloc_op == 0 && n[0].state == SLOT_LIVE);
	CHECK(n[1].slot == 0 && n[1].alloc_op == 4 && n[1].state == SLOT_LIVE);
	CHECK(n[2].alloc_op == 2 && n[3].state == SLOT_UNKNOWN);
}

static void test_candidates(void)
{
	struct kmem_session *s = session_keeping(KMEM_KEEP_TASKS);
	const struct kmem_lookup *found = look(s, slub);

	CHECK(!found->by_address && !found->can_match && found->nr_alike == 1);
	CHECK(lives(s, found)->alloc_op == 1 && found->nr_neighbours == 0);
	CHECK(strstr(text_of(s, found->note_at), "kept no pointers") != NULL);
}

static void test_kasan(void)
{
	struct kmem_session *s = session_keeping(3);
	const struct kmem_lookup *found = look(s, kasan);
	const struct kmem_lookup_track *track = (const void *)((const char *)s + found->tracks_at);

	CHECK(found->kind == LOOKUP_KASAN && found->access_bytes == 8 && !found->is_write);
	CHECK(!strcmp(text_of(s, found->title_at), "slab-use-after-free"));
	CHECK(!strcmp(text_of(s, found->site_at), "reader+0x5/0x10 [mod]"));
	CHECK(!strcmp(text_of(s, found->task_at), "a/b-77"));
	CHECK(!strcmp(text_of(s, track[0].site_at), "make+0x10/0x20"));
	CHECK(!strcmp(text_of(s, track[1].site_at), "drop+0x8/0x30") &&
	      track[1].time == 1600000000);
	CHECK(found->size == 64 && found->offset == 16);
	CHECK(lives(s, found)->alloc_op == 4 && lives(s, found)->free_op == 5);
}

/* Reads damaged reports; the sanitizers watch. */
static void test_damaged(void)
{
	struct kmem_session *s = session_keeping(3);
	const char *const reports[] = { slub, kasan };
	static char text[KMEM_MAX_LOOKUP_BYTES + 1];
	unsigned nr_read = 0, nr = tries(20000, 3000);
	const char *more = getenv("LOOKUP_TRIES");

	nr = more ? (unsigned)atoi(more) : nr;
	srand(1);
	for (unsigned i = 0; i < nr; i++) {
		const char *from = reports[i % 2];
		uint32_t len = (uint32_t)strlen(from), cuts = (uint32_t)rand() % 6;
		memcpy(text, from, len);
		for (uint32_t k = 0; k < cuts; k++) {
			uint32_t at = (uint32_t)rand() % len, other = (uint32_t)rand() % len;
			uint32_t n = (uint32_t)rand() % 40;
			if (k % 3 == 0)
				text[at] = (char)rand();
			else if (k % 3 == 1 && at + n < len && other + n < len)
				memmove(text + at, text + other, n);
			else
				len = len > n + 1 ? len - n : len;
		}
		const struct kmem_lookup *found = kmem_lookup(s, (const uint8_t *)text, len);
		nr_read += found && found->kind != LOOKUP_NOTHING;
		CHECK(found && found->nr_lives <= 16 && strlen(text_of(s, found->answer_at)) > 10);
	}
	CHECK(nr_read > nr / 2, "%u of %u", nr_read, nr);
	memset(text, ' ', sizeof(text));
	CHECK(kmem_lookup(s, (const uint8_t *)text, KMEM_MAX_LOOKUP_BYTES)->kind == LOOKUP_NOTHING);
	CHECK(!kmem_lookup(s, (const uint8_t *)text, KMEM_MAX_LOOKUP_BYTES + 1));
}

int main(void)
{
	RUN(test_kept());
	RUN(test_pointers());
	RUN(test_slub());
	RUN(test_candidates());
	RUN(test_kasan());
	RUN(test_damaged());
	return check_summary();
}
