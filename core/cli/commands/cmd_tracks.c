/*
 * cmd_tracks.c - `slabscope tracks`: the replay's memory over time, as counter tracks of a Perfetto trace.
 */
#include "cli/output.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "doc/doc.h"

enum { DEFAULT_TOP = 8, OPS_AT_ONCE = 20000 };

static int check_call(const struct args *args)
{
	if (!given(args, "output"))
		return refuse_call(
			"a Perfetto trace is binary: name a file with -o FILE, or -o - for standard output");
	if (given(args, "json") && strcmp(option_text(args, "output"), "-") == 0)
		return refuse_call("with --json, name a file for the tracks: -o FILE");
	if (given(args, "top") && option_number(args, "top") > KMEM_MAX_TRACKED_CACHES)
		return refuse_call("--top %llu is not possible; expected 0 to %d caches",
				   (unsigned long long)option_number(args, "top"),
				   KMEM_MAX_TRACKED_CACHES);
	if (given(args, "top") && given(args, "cache"))
		return refuse_call("--top and --cache both choose caches: use one of them");
	if (given(args, "every") &&
	    (!option_number(args, "every") || option_number(args, "every") >> 32))
		return refuse_call("--every is a number of events, 1 or more");
	return EXIT_DONE;
}

static int begin(struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache, top = given(args, "top") ? (u32)option_number(args, "top") : DEFAULT_TOP;
	u32 every = given(args, "every") ? (u32)option_number(args, "every") : 0;
	int status = asked_cache(&names, h, args, &cache);

	if (status)
		return status;
	s32 err = kmem_begin(h->session, JOB_TRACKS,
			     &(struct kmem_tracks_args){ cache, top, every });
	return err ? host_failed(h, err) : EXIT_DONE;
}

/* Writes what each run finds. */
static int write_tracks(struct host *h, struct output *out, u64 *bytes)
{
	u32 nr, all = kmem_nr_ops(h->session);
	s64 left;

	do {
		left = kmem_work(h->session, JOB_TRACKS, OPS_AT_ONCE);
		if (left < 0) {
			progress_end(h);
			return host_failed(h, (s32)left);
		}
		const u8 *at = kmem_tracks_bytes(h->session, &nr);
		*bytes += nr;
		if (!output_write(out, at, nr))
			break;
		progress(h, "measuring", all - (u64)left, all);
	} while (left);
	progress_end(h);
	return EXIT_DONE;
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

static int replay(struct made_file *f)
{
	struct host *h = &f->host;
	int status = host_import(h, f->args, NULL);

	if (!status)
		status = host_build(h);
	if (!status)
		status = begin(h, f->args);
	return status ? status : write_tracks(h, &f->out, &f->bytes);
}

static int run(struct args *args)
{
	static struct made_file f;
	int status = write_made(&f, args, check_call(args), replay);

	if (status)
		return status;
	print_counts(&f.host, args, f.bytes, &f.out);
	return host_verdict(&f.host);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTION("top", WHOLE, "N",
	       "how many caches have tracks, largest first (default 8, at most 16)"),
	OPTION("every", WHOLE, "N", "a value after every N events (default: about 4,096 values)"),
	OPTION_OUTPUT,
	OPTIONS_END,
};

const struct command command_tracks = {
	"tracks",
	"TRACE",
	"memory over time, as counter tracks for Perfetto",
	"Replays the trace and writes a Perfetto trace with counter tracks: slab bytes, bytes in\n"
	"no request, live objects, slabs, partial slabs on nodes and slow paths so far. One group is\n"
	"all caches together; --top N adds the caches whose slabs took most memory, --cache one of\n"
	"them. Times are those of the trace, so the tracks fit beside a recorded Perfetto trace.",
	"  slabscope tracks trace.txt.gz -o memory.perfetto-trace\n"
	"  slabscope tracks trace.txt.gz --cache dentry --every 1 -o dentry.perfetto-trace",
	TAKES_REPLAY,
	options,
	.run = run,
};
