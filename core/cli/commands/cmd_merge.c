/*
 * cmd_merge.c - `slabscope merge`: joins several files of one machine on one clock to one slabtrace.
 */
#include "cli/output.h"
#include "doc/doc.h"
#include "cli/print.h"

static void read_files(struct host *h, const struct args *args)
{
	int damaged = 0;

	host_must(h, kmem_merge_begin(h->session));
	h->is_merging = 1;
	for (u32 i = 0; i < args->nr_operands; i++) {
		h->trace = args->operands[i];
		h->is_damaged = 0;
		input_import(h, args->operands[i], NULL);
		damaged |= h->is_damaged;
		progress_end(h);
	}
	h->is_damaged = damaged;
	h->trace = "the merged trace";
	host_must(h, kmem_merge_end(h->session));
	if (given(args, "kallsyms"))
		input_symbols(h, option_text(args, "kallsyms"));
}

static const char *name_of(const struct host *h, u32 file)
{
	u32 nr;

	return plain(host_text(h, kmem_merge_files(h->session, &nr)[file].name_at));
}

/* A time in the unit of the clock. */
static struct grouped time_words(u64 time, u32 is_ns)
{
	return is_ns ? seconds(time) : counted(time, "tick");
}

static const char *name_a(const struct doc *d, const void *row)
{
	return name_of(d->about, ((const struct kmem_merge_pair *)row)->a);
}

static const char *name_b(const struct doc *d, const void *row)
{
	return name_of(d->about, ((const struct kmem_merge_pair *)row)->b);
}

static const struct column pair_columns[] = {
	CELL_SAID("a", name_a, IN_JSON),
	CELL_SAID("b", name_b, IN_JSON),
	CELL("from", kmem_merge_pair, from, DIGITS, IN_JSON),
	CELL("to", kmem_merge_pair, to, DIGITS, IN_JSON),
	CELL("cpus", kmem_merge_pair, cpus, DIGITS, IN_JSON),
};

/* Text sorts overlaps and gaps by time; JSON keeps them apart. */
static void answer_pairs(struct doc *d, const struct host *h, const char *key, u32 overlaps)
{
	u32 nr, nr_files;
	const struct kmem_merge_file *files = kmem_merge_files(h->session, &nr_files);
	const struct kmem_merge_pair *pairs = kmem_merge_pairs(h->session, &nr);
	u32 is_ns = files[0].time_is_ns;

	doc_array(d, key);
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_merge_pair *p = &pairs[i];
		if (d->form == DOC_JSON && p->overlaps == overlaps)
			doc_cells(d, pair_columns, ARRAY_SIZE(pair_columns), p);
		if (overlaps)
			doc_line(d, "  %s of %s between %s and %s on %s, from %s",
				 p->overlaps ? "overlap" : "gap",
				 time_words(p->to - p->from, is_ns).s, name_of(h, p->a),
				 name_of(h, p->b), counted(p->cpus, "CPU").s,
				 time_words(p->from, is_ns).s);
	}
	doc_end(d);
}

static const struct column file_columns[] = {
	CELL("trace", kmem_merge_file, name_at, TEXT_AT, IN_JSON),
	CELL("format", kmem_merge_file, format_at, TEXT_AT, IN_JSON),
	CELL("events", kmem_merge_file, events, DIGITS, IN_JSON),
	CELL("duplicates", kmem_merge_file, duplicates, DIGITS, IN_JSON),
	CELL("cpus", kmem_merge_file, cpus, DIGITS, IN_JSON),
	CELL("time_first", kmem_merge_file, time_first, DIGITS, IN_JSON),
	CELL("time_last", kmem_merge_file, time_last, DIGITS, IN_JSON),
};

static void answer(struct doc *d, const struct host *h, const char *output, u64 bytes)
{
	u32 nr;
	const struct kmem_merge_file *files = kmem_merge_files(h->session, &nr);
	u64 duplicates = 0;

	d->about = h;
	doc_object(d, NULL);
	doc_rows(d, "files", ROWS(file_columns, files, nr));
	for (u32 i = 0; i < nr; i++) {
		doc_say(d, "  %s: %s on %s, %s to %s", name_of(h, i),
			counted(files[i].events, "event").s, counted(files[i].cpus, "CPU").s,
			time_words(files[i].time_first, files[i].time_is_ns).s,
			time_words(files[i].time_last, files[i].time_is_ns).s);
		if (files[i].duplicates)
			doc_say(d, "; %s, which an earlier file has too",
				counted(files[i].duplicates, "duplicate").s);
		doc_gap(d);
		duplicates += files[i].duplicates;
	}
	answer_pairs(d, h, "overlaps", 1);
	answer_pairs(d, h, "gaps", 0);
	if (d->form == DOC_JSON)
		doc_report(d, h);
	doc_text(d, "output", output);
	doc_number(d, "output_bytes", bytes);
	doc_say(d, "%s: %s of %s, %s", plain(output), counted(kmem_nr_ops(h->session), "event").s,
		counted(nr, "file").s, counted(bytes, "byte").s);
	if (duplicates)
		doc_say(d, "; %s count once", counted(duplicates, "duplicate").s);
	doc_gap(d);
	doc_end(d);
}

static int run(struct args *args)
{
	struct output out;
	struct host h;

	if (args->nr_operands < 2)
		refuse_call("merge needs at least two files: slabscope merge A B -o OUT.slabtrace");
	for (u32 i = 0; i < args->nr_operands; i++)
		for (u32 k = 0; k < i; k++)
			if (strcmp(args->operands[i], args->operands[k]) == 0)
				refuse_call("%s: you gave this file twice", args->operands[i]);
	write_check(args);
	output_begin(&out, args, args->nr_operands);
	host_prepare(&h, args);
	read_files(&h, args);
	u64 bytes = write_events(&h, KMEM_EXPORT_SLABTRACE, &out);
	struct doc d = host_doc(&h, asked_form(args));
	if (d.form == DOC_JSON || (!out.is_stdout && !h.quiet))
		answer(&d, &h, out.name, bytes);
	h.trace = "the files";
	return host_verdict(&h);
}

static const struct option options[] = {
	OPTION_OUTPUT,
	OPTION_CACHE_NAMES,
	OPTIONS_END,
};

const struct command command_merge = {
	GROUP_FILES,
	"merge",
	"FILE...",
	"merge files that one machine recorded into one trace",
	"Joins files that one machine recorded, such as one for each CPU, or one after another.\n"
	"Events are sorted by time, and objects are matched across the files. Events with the\n"
	"same time keep the order of their file, and an object is allocated before its free. An\n"
	"event that is in two files counts once. Reports overlaps and gaps between files that\n"
	"have events of the same CPUs. Refuses files with different clocks or kernels, files of\n"
	"which only one has hashed pointers, and formats without times or pointers, such as\n"
	"slabtrace.",
	"  slabscope merge cpu0.txt cpu1.txt -o all.slabtrace\n"
	"  slabscope merge monday.txt.gz tuesday.txt.gz -o week.slabtrace --json",
	TAKES_JSON | TAKES_TRACE,
	options,
	.run = run,
};
