/*
 * cmd_lookup.c - `slabscope lookup`: a pointer or a report of dmesg, and the events of the trace that match it.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { NO_EVENT = 0xffffffff };

static const char report_keys[] =
	"kind:kmem_lookup_kind,title_at,cache_at,site_at,task_at,size,access_bytes,is_write:bool,"
	"slab_objects,slab_used,slab_offset?";
static const char track_keys[] = "site_at,cpu?,pid?,age_jiffies=age?,time";

/* Reads the report into buf; returns its length, or -1 after a complaint. */
static s64 read_report(const char *path, u8 *buf, u32 room)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	size_t len = in ? fread(buf, 1, room, in) : 0;
	int is_bad = !in || ferror(in), is_long = in && len == room && fgetc(in) != EOF;

	if (in && in != stdin)
		fclose(in);
	if (is_bad || is_long) {
		complain("%s: %s", path,
			 is_bad ? strerror(errno)
				: "expected a report of at most 64 KiB: give one report only");
		return -1;
	}
	return (s64)len;
}

static void matched_json(struct json *j, u32 matched)
{
	json_list(j, "matched");
	for (u32 bit = 0; bit < NR_VALUES(kmem_lookup_match); bit++)
		if (matched >> bit & 1)
			json_text(j, NULL, enum_words("kmem_lookup_match", bit));
	json_end(j);
}

static void tracks_json(struct json *j, const struct host *h, const struct kmem_lookup *found)
{
	static const char *const keys[] = { "allocated", "freed" };
	const struct kmem_lookup_track *track = host_rows(h, found->tracks_at);

	for (u32 i = 0; i < 2; i++) {
		if (!track[i].is_there) {
			json_null(j, keys[i]);
			continue;
		}
		json_row(j, keys[i]);
		fields_json(j, h, ROW(kmem_lookup_track, &track[i]), track_keys);
		json_end(j);
	}
}

static void lives_json(struct json *j, const struct host *h, const struct kmem_lookup *found)
{
	const struct kmem_lookup_life *life = host_rows(h, found->lives_at);

	json_array(j, "lives");
	for (u32 i = 0; i < found->nr_lives; i++) {
		json_object(j, NULL);
		fields_json(
			j, h, ROW(kmem_lookup_life, &life[i]),
			"pointer:hex,alloc_op?,free_op?,alloc_time,free_time,cache_at,slot_bytes,"
			"alloc_cpu?,free_cpu?,alloc_task_at,free_task_at,alloc_site_at,free_site_at");
		matched_json(j, life[i].matched);
		json_end(j);
	}
	json_end(j);
}

static void print_json(const struct host *h, const struct kmem_lookup *found)
{
	struct json j = json_to(stdout);
	const struct kmem_lookup_neighbour *rows = host_rows(h, found->neighbours_at);

	json_object(&j, NULL);
	json_row(&j, "report");
	fields_json(&j, h, ROW(kmem_lookup, found), report_keys);
	json_hex64(&j, "address", found->address);
	json_hex64(&j, "object", found->object);
	json_number(&j, "time", found->time);
	tracks_json(&j, h, found);
	json_end(&j);
	fields_json(
		&j, h, ROW(kmem_lookup, found),
		"by_address:bool,can_match:bool,moment,all=nr_all,alike=nr_alike,answer_at,note_at");
	lives_json(&j, h, found);
	rows_json(&j, "neighbours", h, ROW(kmem_lookup_neighbour, rows), found->nr_neighbours,
		  "slot,pointer:hex,state:kmem_slot_state,alloc_op?,free_op?,cache_at");
	json_end(&j);
}

static void print_track(const struct host *h, const char *what,
			const struct kmem_lookup_track *track)
{
	if (!track->is_there)
		return;
	printf("  %-12s %s", what, plain(host_text(h, track->site_at)));
	if (track->cpu != NO_EVENT)
		printf(" cpu=%u", track->cpu);
	if (track->pid != NO_EVENT)
		printf(" pid=%u", track->pid);
	if (track->age != NO_EVENT)
		printf(" age=%u jiffies", track->age);
	if (track->time)
		printf(" at %llu.%06llu s", (unsigned long long)(track->time / 1000000000),
		       (unsigned long long)(track->time % 1000000000 / 1000));
	puts("");
}

static void print_life(const struct host *h, const struct kmem_lookup_life *life)
{
	const char *between = "";

	printf("%12s %12s  %016llx  %-20s",
	       life->alloc_op == NO_EVENT ? "-" : event_number(life->alloc_op).s,
	       life->free_op == NO_EVENT ? "-" : event_number(life->free_op).s,
	       (unsigned long long)life->pointer, plain(host_text(h, life->cache_at)));
	for (u32 bit = 0; bit < NR_VALUES(kmem_lookup_match); bit++) {
		if (!(life->matched >> bit & 1))
			continue;
		printf("%s%s", between, enum_words("kmem_lookup_match", bit));
		between = ", ";
	}
	puts("");
}

static void print_neighbours(const struct host *h, const struct kmem_lookup *found)
{
	const struct kmem_lookup_neighbour *n = host_rows(h, found->neighbours_at);

	if (!found->nr_neighbours)
		return;
	printf("\nslots beside it, after %s:\n", counted(found->moment, "event").s);
	printf("%6s  %-16s  %-28s %12s %12s  %s\n", "slot", "pointer", "state", "allocated",
	       "freed", "cache");
	for (u32 i = 0; i < found->nr_neighbours; i++) {
		printf("%+6d  %016llx  %-28s ", n[i].slot, (unsigned long long)n[i].pointer,
		       enum_words("kmem_slot_state", n[i].state));
		printf("%12s ", n[i].alloc_op == NO_EVENT ? "-" : event_number(n[i].alloc_op).s);
		printf("%12s  %s\n", n[i].free_op == NO_EVENT ? "-" : event_number(n[i].free_op).s,
		       plain(host_text(h, n[i].cache_at)));
	}
}

static void print_text(const struct host *h, const struct kmem_lookup *found)
{
	const struct kmem_lookup_track *tracks = host_rows(h, found->tracks_at);
	const struct kmem_lookup_life *lives = host_rows(h, found->lives_at);

	if (found->kind != LOOKUP_POINTER)
		printf("%s: %s\n", plain(host_text(h, found->cache_at)),
		       plain(host_text(h, found->title_at)));
	print_track(h, "allocated in", &tracks[0]);
	print_track(h, "freed in", &tracks[1]);
	printf("%s\n", plain(host_text(h, found->answer_at)));
	if (*host_text(h, found->note_at))
		printf("%s\n", plain(host_text(h, found->note_at)));
	if (found->nr_lives)
		printf("\n%12s %12s  %-16s  %-20s%s\n", "allocated", "freed", "pointer", "cache",
		       "fits");
	for (u32 i = 0; i < found->nr_lives; i++)
		print_life(h, &lives[i]);
	if (found->nr_all > found->nr_lives)
		printf("%12s  and %s\n", "...",
		       counted(found->nr_all - found->nr_lives, "more object").s);
	print_neighbours(h, found);
}

static int run(struct args *args)
{
	static u8 report[KMEM_MAX_LOOKUP_BYTES];
	const char *file = args->nr_operands > 1 ? args->operands[1] : "-";
	const u8 *text = report;
	struct host h;
	s64 len;

	if (GIVEN(args, PTR) && args->nr_operands > 1) {
		complain("one of both: --ptr, or a file with a report");
		return EXIT_CALL;
	}
	if (!GIVEN(args, PTR) && strcmp(file, "-") == 0 && strcmp(args->trace, "-") == 0) {
		complain("the trace and the report cannot both come from standard input");
		return EXIT_CALL;
	}
	if (GIVEN(args, PTR)) {
		text = (const u8 *)args->text[OPT_PTR];
		len = (s64)strlen(args->text[OPT_PTR]);
	} else {
		len = read_report(file, report, sizeof(report));
		if (len < 0)
			return EXIT_INPUT;
	}
	host_keep(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS);
	int status = host_import(&h, args, NULL);
	if (status)
		return status;
	const struct kmem_lookup *found = kmem_lookup(h.session, text, (u32)len);
	if (!found)
		return host_failed(&h, KMEM_ESTATE);
	if (found->kind == LOOKUP_NOTHING) {
		complain("%s: %s", GIVEN(args, PTR) ? "--ptr" : file,
			 host_text(&h, found->answer_at));
		return GIVEN(args, PTR) ? EXIT_CALL : EXIT_INPUT;
	}
	if (GIVEN(args, JSON))
		print_json(&h, found);
	else
		print_text(&h, found);
	return host_verdict(&h);
}

const struct command command_lookup = {
	"lookup",
	"TRACE [FILE]",
	"what dmesg says: a pointer or a bug report, and the events that match it",
	"Reads a report of slab debugging (BUG kmalloc-64 ...), a report of KASAN, or a pointer\n"
	"from FILE or standard input, and shows the object: which event allocated it, which freed\n"
	"it, by which task, CPU and call site, and the slots beside it at that time. Times of\n"
	"dmesg in front of the lines may stay. Without a common address (hashed pointers) it lists\n"
	"candidates by cache, call sites, CPUs, pids, times and lifetime, and says so. Recorded\n"
	"pointers and tasks are kept: 12 bytes of memory an event.",
	"  dmesg | grep -A40 'BUG kmalloc' | slabscope lookup trace.txt.gz -\n"
	"  slabscope lookup trace.txt.gz --ptr 0xffff888003a9d040",
	OPTIONS_TRACE | OPTION(PTR) | OPTION(CACHE_NAMES),
	run,
};
