/*
 * cmd_lookup.c - `slabscope lookup`: a pointer or a report of dmesg, and the events of the trace that match it.
 */
#include <errno.h>
#include <stdlib.h>

#include "doc/doc.h"
#include "cli/print.h"

enum { NO_EVENT = 0xffffffff };

static void answer_track(struct doc *d, const struct host *h, const char *key,
			 const struct kmem_lookup_track *track)
{
	if (!track->is_there) {
		doc_null(d, key);
		return;
	}
	doc_row(d, key);
	doc_fields(d, ROW(kmem_lookup_track, track), "site_at,cpu?,pid?,age_jiffies=age?,time");
	doc_end(d);
	doc_say(d, "  %s in%*s%s", key, (int)(10 - strlen(key)), "",
		plain(host_text(h, track->site_at)));
	if (track->cpu != NO_EVENT)
		doc_say(d, " cpu=%u", track->cpu);
	if (track->pid != NO_EVENT)
		doc_say(d, " pid=%u", track->pid);
	if (track->age != NO_EVENT)
		doc_say(d, " age=%u jiffies", track->age);
	if (track->time)
		doc_say(d, " at %s", seconds(track->time).s);
	doc_gap(d);
}

static void answer_life(struct doc *d, const struct host *h, const struct kmem_lookup_life *life)
{
	const char *between = "";

	doc_object(d, NULL);
	doc_fields(d, ROW(kmem_lookup_life, life),
		   "pointer:hex,alloc_op?,free_op?,alloc_time,free_time,cache_at,slot_bytes,"
		   "alloc_cpu?,free_cpu?,alloc_task_at,free_task_at,alloc_site_at,free_site_at");
	doc_say(d, "%12s %12s  %016llx  %-20s",
		life->alloc_op == NO_EVENT ? "-" : event_number(life->alloc_op).s,
		life->free_op == NO_EVENT ? "-" : event_number(life->free_op).s,
		(unsigned long long)life->pointer, plain(host_text(h, life->cache_at)));
	doc_list(d, "matched");
	for (u32 bit = 0; bit < NR_VALUES(kmem_lookup_match); bit++) {
		if (!(life->matched >> bit & 1))
			continue;
		doc_text(d, NULL, enum_words("kmem_lookup_match", bit));
		doc_say(d, "%s%s", between, enum_words("kmem_lookup_match", bit));
		between = ", ";
	}
	doc_end(d);
	doc_gap(d);
	doc_end(d);
}

static void answer_lives(struct doc *d, const struct host *h, const struct kmem_lookup *found)
{
	const struct kmem_lookup_life *lives = host_rows(h, found->lives_at);

	if (found->nr_lives)
		doc_line(d, "\n%12s %12s  %-16s  %-20s%s", "allocated", "freed", "pointer", "cache",
			 "fits");
	doc_array(d, "lives");
	for (u32 i = 0; i < found->nr_lives; i++)
		answer_life(d, h, &lives[i]);
	doc_end(d);
	if (found->nr_all > found->nr_lives)
		doc_line(d, "%12s  and %s", "...",
			 counted(found->nr_all - found->nr_lives, "more object").s);
}

static const struct column neighbours[] = {
	COLUMN("slot", kmem_lookup_neighbour, slot, CHANGE, IN_JSON, "slot", 4),
	COLUMN("pointer", kmem_lookup_neighbour, pointer, HEX, IN_JSON, "pointer", -18),
	CELL_OF("kmem_slot_state", "state", kmem_lookup_neighbour, state, IN_JSON),
	COLUMN_OF("kmem_slot_state", NULL, kmem_lookup_neighbour, state, WORDS, 0, "state", -28),
	COLUMN("alloc_op", kmem_lookup_neighbour, alloc_op, EVENT, IN_JSON, "allocated", 13),
	COLUMN("free_op", kmem_lookup_neighbour, free_op, EVENT, IN_JSON, "freed", 13),
	COLUMN("cache", kmem_lookup_neighbour, cache_at, TEXT_AT, IN_JSON, "cache", 0),
};

static void answer_found(struct doc *d, const struct host *h, const struct kmem_lookup *found)
{
	const struct kmem_lookup_track *tracks = host_rows(h, found->tracks_at);
	const struct kmem_lookup_neighbour *rows = host_rows(h, found->neighbours_at);

	if (found->kind != LOOKUP_POINTER)
		doc_line(d, "%s: %s", plain(host_text(h, found->cache_at)),
			 plain(host_text(h, found->title_at)));
	doc_object(d, NULL);
	doc_row(d, "report");
	doc_fields(d, ROW(kmem_lookup, found),
		   "kind:kmem_lookup_kind,title_at,cache_at,site_at,task_at,size,access_bytes,"
		   "is_write:bool,slab_objects,slab_used,slab_offset?,address:hex,object:hex,time");
	answer_track(d, h, "allocated", &tracks[0]);
	answer_track(d, h, "freed", &tracks[1]);
	doc_end(d);
	doc_fields(
		d, ROW(kmem_lookup, found),
		"by_address:bool,can_match:bool,moment,all=nr_all,alike=nr_alike,answer_at,note_at");
	doc_line(d, "%s", plain(host_text(h, found->answer_at)));
	if (*host_text(h, found->note_at))
		doc_line(d, "%s", plain(host_text(h, found->note_at)));
	answer_lives(d, h, found);
	if (found->nr_neighbours)
		doc_line(d, "\nslots beside it, after %s:", counted(found->moment, "event").s);
	if (found->nr_neighbours || d->form == DOC_JSON)
		doc_rows(d, "neighbours", ROWS(neighbours, rows, found->nr_neighbours));
	doc_end(d);
}

static const char *file_of(const struct args *args)
{
	return args->nr_operands > 1 ? args->operands[1] : "-";
}

/* The pointer that is looked up, or the report of a file. */
static u8 asked[KMEM_MAX_LOOKUP_BYTES];
static u32 asked_bytes;

static void check(const struct args *args)
{
	const char *file = file_of(args), *pointer = option_text(args, "ptr");

	if (pointer && args->nr_operands > 1)
		refuse_call("give either --ptr or a file with a report");
	if (!pointer && strcmp(file, "-") == 0 && strcmp(args->trace, "-") == 0)
		refuse_call("the trace and the report cannot both come from standard input");
	host_keep(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS);
	if (pointer) {
		asked_bytes = (u32)MIN(strlen(pointer), sizeof(asked));
		memcpy(asked, pointer, asked_bytes);
		return;
	}
	FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	asked_bytes = in ? (u32)fread(asked, 1, sizeof(asked), in) : 0;
	if (!in || ferror(in))
		give_up("%s: %s", file, strerror(errno));
	if (asked_bytes == sizeof(asked) && fgetc(in) != EOF)
		give_up("%s: expected a report of at most 64 KiB: give only one report", file);
	if (in != stdin)
		fclose(in);
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	const struct kmem_lookup *found = kmem_lookup(h->session, asked, asked_bytes);

	if (!found)
		host_failed(h, KMEM_ESTATE);
	if (found->kind == LOOKUP_NOTHING && given(args, "ptr"))
		refuse_call("--ptr: %s", host_text(h, found->answer_at));
	if (found->kind == LOOKUP_NOTHING)
		give_up("%s: %s", file_of(args), host_text(h, found->answer_at));
	answer_found(d, h, found);
}

static const struct option options[] = {
	OPTION_PTR,
	OPTION_CACHE_NAMES,
	OPTIONS_END,
};

const struct command command_lookup = {
	GROUP_ASK,
	"lookup",
	"TRACE [FILE]",
	"match a pointer or a bug report from dmesg with its events",
	"Reads a slab debugging report (BUG kmalloc-64 ...), a KASAN report or a pointer from\n"
	"FILE or standard input, and shows the object: which event allocated it and which freed\n"
	"it, by which task, CPU and call site, and the slots beside it at that time. You need not\n"
	"strip dmesg's times from the lines. If no address can match (hashed pointers), it lists\n"
	"candidates by cache, call sites, CPUs, pids, times and lifetime, and says so. Recorded\n"
	"pointers and tasks are kept: 12 bytes of memory an event.",
	"  slabscope lookup trace.txt --ptr 0xffff888003a9d040\n"
	"  dmesg | grep -A40 'BUG kmalloc' | slabscope lookup trace.txt -",
	TAKES_JSON | TAKES_TRACE,
	options,
	.needs = NEEDS_TRACE,
	.check = check,
	.answer = answer,
};
