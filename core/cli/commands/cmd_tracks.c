/*
 * cmd_tracks.c - `slabscope tracks`: the replay's memory over time, as counter tracks of a Perfetto trace.
 */
#include "cli/output.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "doc/doc.h"

enum { DEFAULT_TOP = 8, OPS_AT_ONCE = 20000 };

static void check_call(const struct args *args)
{
	u64 top = option_number(args, "top"), every = option_number(args, "every");

	if (!given(args, "output"))
		refuse_call(
			"a Perfetto trace is binary: name a file with -o FILE, or -o - for standard output");
	if (given(args, "json") && strcmp(option_text(args, "output"), "-") == 0)
		refuse_call("with --json, name a file for the tracks: -o FILE");
	if (top > KMEM_MAX_TRACKED_CACHES)
		refuse_call("--top %llu: expected 0 to %d caches", (unsigned long long)top,
			    KMEM_MAX_TRACKED_CACHES);
	if (given(args, "top") && given(args, "cache"))
		refuse_call("--top and --cache both choose caches: give only one of them");
	if (given(args, "every") && (!every || every >> 32))
		refuse_call("--every: expected a number of events, 1 or more");
}

/* Writes what each run finds; returns the bytes. */
static u64 write_tracks(struct host *h, const struct args *args, struct output *out)
{
	static struct cache_names names;
	u32 nr, all = kmem_nr_ops(h->session), cache = asked_cache(&names, h, args);
	u64 bytes = 0;
	s64 left;

	host_must(h, kmem_begin(h->session, JOB_TRACKS,
				&(struct kmem_tracks_args){
					cache, (u32)option_or(args, "top", DEFAULT_TOP),
					(u32)option_number(args, "every") }));
	do {
		left = kmem_work(h->session, JOB_TRACKS, OPS_AT_ONCE);
		host_must(h, left);
		const u8 *at = kmem_tracks_bytes(h->session, &nr);
		bytes += nr;
		if (!output_write(out, at, nr))
			break;
		progress(h, "measuring", all - (u64)left, all);
	} while (left);
	progress_end(h);
	output_end(out);
	return bytes;
}

static void print_counts(const struct host *h, const struct args *args, u64 bytes,
			 const struct output *out)
{
	struct doc d = host_doc(h, asked_form(args));

	doc_object(&d, NULL);
	if (d.form == DOC_JSON)
		doc_report(&d, h);
	doc_text(&d, "output", out->name);
	doc_number(&d, "output_bytes", bytes);
	doc_end(&d);
	if (!h->quiet && !out->is_stdout)
		doc_line(&d, "%s: %s; open it in Perfetto", plain(out->name),
			 counted(bytes, "byte").s);
}

static int run(struct args *args)
{
	struct output out;
	struct host h;

	check_call(args);
	output_begin(&out, args, args->nr_operands);
	host_import(&h, args, NULL);
	host_build(&h);
	print_counts(&h, args, write_tracks(&h, args, &out), &out);
	return host_verdict(&h);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTION("top", WHOLE, "N",
	       "how many caches get tracks, largest first (default 8, at most 16)"),
	OPTION("every", WHOLE, "N",
	       "write a value after every N events (default: about 4,096 values)"),
	OPTION_OUTPUT,
	OPTIONS_END,
};

const struct command command_tracks = {
	GROUP_FILES,
	"tracks",
	"TRACE",
	"write memory over time as counter tracks for Perfetto",
	"Replays the trace and writes a Perfetto trace with counter tracks: slab bytes, slab bytes\n"
	"that nobody requested, live objects, slabs, partial slabs on nodes, and slow paths so\n"
	"far. One group of tracks is for all caches together; --top N adds the N caches whose\n"
	"slabs took most memory, --cache a single one. Times are those of the trace, so the tracks\n"
	"line up with a Perfetto trace recorded at the same time.",
	"  slabscope tracks trace.txt -o memory.perfetto-trace\n"
	"  slabscope tracks trace.txt --cache filp --every 1 -o filp.perfetto-trace",
	TAKES_REPLAY,
	options,
	.run = run,
};
