/*
 * cmd_merge.c - `slabscope merge`: joins several files of one machine on one clock to one slabtrace.
 */
#include "cli/files/write.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

static int read_files(struct host *h, const struct args *args)
{
	int status = EXIT_DONE, damaged = 0;
	s32 err = kmem_merge_begin(h->session);

	if (err)
		return host_failed(h, err);
	h->is_merging = 1;
	for (u32 i = 0; i < args->nr_operands && !status; i++) {
		h->trace = args->operands[i];
		h->is_damaged = 0;
		status = input_import(h, args->operands[i], NULL);
		damaged |= h->is_damaged;
		progress_end(h);
	}
	h->is_damaged = damaged;
	if (status)
		return status;
	err = kmem_merge_end(h->session);
	h->trace = "the merged trace";
	if (err)
		return host_failed(h, err);
	return GIVEN(args, KALLSYMS) ? input_symbols(h, args->text[OPT_KALLSYMS]) : EXIT_DONE;
}

static const char *name_of(const struct host *h, u32 file)
{
	u32 nr;

	return plain(host_text(h, kmem_merge_files(h->session, &nr)[file].name_at));
}

/* A time in the unit of the clock. */
static struct grouped time_words(u64 time, u32 is_ns)
{
	struct grouped g;

	if (!is_ns)
		return counted(time, "tick");
	snprintf(g.s, sizeof(g.s), "%llu.%06llu s", (unsigned long long)(time / 1000000000),
		 (unsigned long long)(time / 1000 % 1000000));
	return g;
}

static void print_pairs(const struct host *h)
{
	u32 nr, nr_files;
	const struct kmem_merge_file *files = kmem_merge_files(h->session, &nr_files);
	const struct kmem_merge_pair *pairs = kmem_merge_pairs(h->session, &nr);
	u32 is_ns = files[0].time_is_ns;

	for (u32 i = 0; i < nr; i++) {
		const struct kmem_merge_pair *p = &pairs[i];
		printf("  %s of %s between %s and %s on %s, from %s\n",
		       p->overlaps ? "overlap" : "gap", time_words(p->to - p->from, is_ns).s,
		       name_of(h, p->a), name_of(h, p->b), counted(p->cpus, "CPU").s,
		       time_words(p->from, is_ns).s);
	}
}

static void print_text(const struct host *h, const char *output, u64 bytes)
{
	u32 nr;
	const struct kmem_merge_file *files = kmem_merge_files(h->session, &nr);
	u64 duplicates = 0;

	for (u32 i = 0; i < nr; i++) {
		printf("  %s: %s on %s, %s to %s", name_of(h, i),
		       counted(files[i].events, "event").s, counted(files[i].cpus, "CPU").s,
		       time_words(files[i].time_first, files[i].time_is_ns).s,
		       time_words(files[i].time_last, files[i].time_is_ns).s);
		if (files[i].duplicates)
			printf("; %s, which an earlier file has too",
			       counted(files[i].duplicates, "duplicate").s);
		puts("");
		duplicates += files[i].duplicates;
	}
	print_pairs(h);
	printf("%s: %s of %s, %s", plain(output), counted(kmem_nr_ops(h->session), "event").s,
	       counted(nr, "file").s, counted(bytes, "byte").s);
	if (duplicates)
		printf("; %s count once", counted(duplicates, "duplicate").s);
	puts("");
}

static void pairs_json(struct json *j, const struct host *h, const char *key, u32 overlaps)
{
	u32 nr;
	const struct kmem_merge_pair *pairs = kmem_merge_pairs(h->session, &nr);

	json_array(j, key);
	for (u32 i = 0; i < nr; i++) {
		if (pairs[i].overlaps != overlaps)
			continue;
		json_row(j, NULL);
		json_text(j, "a", name_of(h, pairs[i].a));
		json_text(j, "b", name_of(h, pairs[i].b));
		json_number(j, "from", pairs[i].from);
		json_number(j, "to", pairs[i].to);
		json_number(j, "cpus", pairs[i].cpus);
		json_end(j);
	}
	json_end(j);
}

static void print_json(const struct host *h, const char *output, u64 bytes)
{
	u32 nr;
	const struct kmem_merge_file *files = kmem_merge_files(h->session, &nr);
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_array(&j, "files");
	for (u32 i = 0; i < nr; i++) {
		json_row(&j, NULL);
		json_text(&j, "trace", host_text(h, files[i].name_at));
		json_text(&j, "format", host_text(h, files[i].format_at));
		json_number(&j, "events", files[i].events);
		json_number(&j, "duplicates", files[i].duplicates);
		json_number(&j, "cpus", files[i].cpus);
		json_number(&j, "time_first", files[i].time_first);
		json_number(&j, "time_last", files[i].time_last);
		json_end(&j);
	}
	json_end(&j);
	pairs_json(&j, h, "overlaps", 1);
	pairs_json(&j, h, "gaps", 0);
	report_json(&j, h);
	json_text(&j, "output", output);
	json_number(&j, "output_bytes", bytes);
	json_end(&j);
}

static int check_call(const struct args *args)
{
	if (args->nr_operands < 2) {
		complain("merge joins two files or more: slabscope merge A B -o OUT.slabtrace");
		return EXIT_CALL;
	}
	for (u32 i = 0; i < args->nr_operands; i++)
		for (u32 k = 0; k < i; k++)
			if (strcmp(args->operands[i], args->operands[k]) == 0) {
				complain("%s is given twice", args->operands[i]);
				return EXIT_CALL;
			}
	return write_check(args);
}

static int merge(struct made_file *f)
{
	int status = host_prepare(&f->host, f->args);

	if (!status)
		status = read_files(&f->host, f->args);
	return status ? status : write_events(&f->host, KMEM_EXPORT_SLABTRACE, &f->out, &f->bytes);
}

static int run(struct args *args)
{
	static struct made_file f;
	int status = write_made(&f, args, check_call(args), merge);

	if (status)
		return status;
	if (GIVEN(args, JSON))
		print_json(&f.host, f.out.name, f.bytes);
	else if (!f.out.is_stdout && !f.host.quiet)
		print_text(&f.host, f.out.name, f.bytes);
	f.host.trace = "the files";
	return host_verdict(&f.host);
}

const struct command command_merge = {
	"merge",
	"FILE...",
	"several files of one machine on one clock, joined to one slabtrace",
	"Joins files that one machine recorded, such as one for each CPU, or one after another.\n"
	"Events are sorted by time, and objects are matched across the files. Events of one time\n"
	"keep the order of their file, and an object is allocated before its free. An event that\n"
	"two files have counts once. Reports overlaps and gaps between files that have events of\n"
	"the same CPUs. Refuses files with different clocks or kernels, hashed pointers in one\n"
	"file alone, and formats without times or pointers, such as slabtrace.",
	"  slabscope merge cpu0.txt cpu1.txt -o all.slabtrace\n"
	"  slabscope merge monday.txt.gz tuesday.txt.gz -o week.slabtrace --json",
	OPTIONS_TRACE | OPTION(OUTPUT) | OPTION(CACHE_NAMES),
	run,
};
