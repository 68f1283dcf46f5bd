/*
 * cmd_chapters.c - `slabscope chapters`: the events of a trace that are worth seeing, and the levels at which its
 * allocations end.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

static void print_levels(const struct kmem_level_row *rows, u32 nr)
{
	puts("\nwhere its allocations end");
	for (u32 i = 0; i < nr; i++) {
		if (!rows[i].is_asked)
			continue;
		u64 mean = rows[i].allocs ? rows[i].cycles / rows[i].allocs : 0;
		printf("  %-28s %3u.%02u %%  ", enum_words("kmem_level", rows[i].level),
		       rows[i].share / 100, rows[i].share % 100);
		print_right(grouped(rows[i].allocs).s, 11);
		printf(" allocation%s", rows[i].allocs == 1 ? "" : "s");
		if (rows[i].allocs)
			printf(", %s on average", counted(mean, "cycle").s);
		puts("");
	}
}

static int show(struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache, nr, nr_levels;
	int status = asked_cache(&names, h, args, &cache);

	if (status)
		return status;
	const struct kmem_chapter *chapters = kmem_chapters(h->session, &nr);
	const struct kmem_level_row *levels = kmem_levels(h->session, cache, &nr_levels);
	if (!chapters || !levels)
		return host_failed(h, KMEM_ESTATE);
	if (GIVEN(args, JSON)) {
		struct json j = json_to(stdout);
		json_object(&j, NULL);
		kernel_json_now(&j, h);
		rows_json(
			&j, "chapters", h, ROW(kmem_chapter, chapters), nr,
			"kind:kmem_chapter_kind,op,last_op,cache=name_at,cpu,node?,number,title_at");
		rows_json(
			&j, "levels", h, ROW(kmem_level_row, levels), nr_levels,
			"level:kmem_level,allocations=allocs,share,cycles,least_cycles,most_cycles");
		json_end(&j);
		return host_verdict(h);
	}
	kernel_note_now(h);
	kernel_head(h);
	for (u32 i = 0; i < nr; i++)
		printf("%12s  %s\n", event_number(chapters[i].op).s,
		       plain(host_text(h, chapters[i].title_at)));
	print_levels(levels, nr_levels);
	return host_verdict(h);
}

static int run(struct args *args)
{
	return host_answer(args, NEEDS_INDEX, show);
}

const struct command command_chapters = {
	"chapters",
	"TRACE",
	"the events worth seeing, and how deep the allocations go",
	"Finds a run of fast allocations, the costliest allocation among those that go\n"
	"deepest, a free from another node, the first drain, the longest list, the longest\n"
	"search and the costliest event, in the order of time.\n"
	"Then shows where the allocations of the trace, or of one cache, end: from what the\n"
	"CPU has at hand down to the page allocator, with the model cycles that they took.\n"
	"Events are numbered from 1; `op` in --json counts them from 0.",
	"  slabscope chapters trace.txt --cache dentry",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CACHE) | OPTIONS_MACHINE,
	run,
};
