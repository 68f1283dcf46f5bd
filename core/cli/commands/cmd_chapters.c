/*
 * cmd_chapters.c - `slabscope chapters`: the events of a trace that are worth seeing, and the levels at which its
 * allocations end.
 */
#include "cli/cli.h"
#include "cli/print.h"
#include "doc/doc.h"

static void answer_levels(struct doc *d, const struct kmem_level_row *rows, u32 nr)
{
	doc_field_rows(d, "levels", ROW(kmem_level_row, rows), nr,
		       "level:kmem_level,allocations=allocs,share,cycles,least_cycles,most_cycles");
	doc_line(d, "\nwhere its allocations end");
	for (u32 i = 0; i < nr; i++) {
		if (!rows[i].is_asked)
			continue;
		u64 mean = rows[i].allocs ? rows[i].cycles / rows[i].allocs : 0;
		doc_say(d, "  %-28s %3u.%02u %%  %11s allocation%s",
			enum_words("kmem_level", rows[i].level), rows[i].share / 100,
			rows[i].share % 100, grouped(rows[i].allocs).s,
			rows[i].allocs == 1 ? "" : "s");
		if (rows[i].allocs)
			doc_say(d, ", %s on average", counted(mean, "cycle").s);
		doc_gap(d);
	}
}

static void answer(struct doc *d, struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 cache = asked_cache(&names, h, args), nr, nr_levels;
	const struct kmem_chapter *chapters = kmem_chapters(h->session, &nr);
	const struct kmem_level_row *levels = kmem_levels(h->session, cache, &nr_levels);
	if (!chapters || !levels)
		host_failed(h, KMEM_ESTATE);
	doc_object(d, NULL);
	if (d->form == DOC_JSON) {
		doc_kernel(d, h, 0);
	} else {
		kernel_note_now(h);
		kernel_head(d, h);
	}
	doc_field_rows(d, "chapters", ROW(kmem_chapter, chapters), nr,
		       "kind:kmem_chapter_kind,op,last_op,cache=name_at,cpu,node?,number,title_at");
	for (u32 i = 0; i < nr; i++)
		doc_line(d, "%12s  %s", event_number(chapters[i].op).s,
			 plain(host_text(h, chapters[i].title_at)));
	answer_levels(d, levels, nr_levels);
	doc_end(d);
}

static const struct option options[] = {
	OPTION_CACHE,
	OPTIONS_END,
};

const struct command command_chapters = {
	GROUP_LOOK,
	"chapters",
	"TRACE",
	"list the events worth seeing, and how deep allocations go",
	"Finds a run of fast allocations, the costliest allocation among those that go\n"
	"deepest, a free from another node, the first drain, the longest list, the longest\n"
	"search and the costliest event, in order of time.\n"
	"\n"
	"Then shows where the allocations of the trace, or of one cache, end: from what the CPU\n"
	"can serve by itself down to the page allocator, with the model cycles that they took.\n"
	"`op` in --json counts events from 0.",
	"  slabscope chapters trace.txt --cache filp",
	TAKES_REPLAY,
	options,
	.needs = NEEDS_INDEX,
	.answer = answer,
};
