/*
 * report.c - writes the import's report into one run of the pool, as the rows of abi.def.
 */
#include "import/import.h"

static u32 at_of(const struct import *im, const void *p)
{
	return (u32)((const u8 *)p - im->trace->pool->base);
}

static u32 text_at(const struct import *im, u32 text)
{
	return at_of(im, im->trace->text + text);
}

static void count_live(struct import *im)
{
	const struct hash_slot *slots = im->pointers.run.at;
	struct site_use *uses = im->uses.at;

	for (u64 i = 0; slots && i <= im->pointers.mask; i++)
		if (slots[i].taken && slots[i].more != HANDLE_NONE)
			uses[alloc_site_of(&slots[i])].live++;
}

/* Adds the uses of each site to its cache and its row. */
static void add_up_caches(struct import *im)
{
	struct trace *t = im->trace;
	struct kmem_trace_cache_row *rows = im->rows.at;
	const struct site_use *uses = im->uses.at;

	for (u32 s = 0; s < t->nr_sites; s++) {
		const struct site *site = &t->sites[s];
		int is_free = site->was == OP_FREE;
		if (uses[s].row != ROW_NONE) {
			struct kmem_trace_cache_row *row = &rows[uses[s].row];
			*(is_free ? &row->frees : &row->allocs) += uses[s].ops;
			if (!is_free)
				row->object_size = MAX(row->object_size, site->bytes);
			row->live_objects += IS_FIRST_VIEW ? 0 : uses[s].live;
			row->unseen_frees += IS_FIRST_VIEW ? 0 : uses[s].unseen;
		}
		if (site->cache < t->nr_caches && site->kind == OP_ALLOC)
			t->caches[site->cache].allocs += uses[s].ops;
		if (site->cache < t->nr_caches && site->kind == OP_FREE)
			t->caches[site->cache].frees += uses[s].ops;
	}
}

static void put_kinds(struct import *im, struct kmem_kind_row *to)
{
	struct kmem_report *report = &im->trace->report;

	report->kinds_at = at_of(im, to);
	for (u32 k = 0; k < im->nr_kinds; k++) {
		const struct kind *kind = kind_at(im, k);
		if (!kind->lines)
			continue;
		to[report->nr_kinds].lines = kind->lines;
		to[report->nr_kinds++].name_at = text_at(im, kind->name);
	}
}

static void put_caches(struct import *im, struct kmem_trace_cache_row *to)
{
	struct kmem_report *report = &im->trace->report;
	const struct kmem_trace_cache_row *rows = im->rows.at;

	report->caches_at = at_of(im, to);
	for (u32 i = 0; i < im->nr_rows; i++) {
		to[i] = rows[i];
		to[i].name_at = text_at(im, rows[i].name_at);
	}
	report->nr_caches = im->nr_rows;
}

static void put_problems(struct import *im, struct kmem_problem *to)
{
	struct kmem_report *report = &im->trace->report;
	const struct kmem_problem *problems = im->problems.at;

	report->problems_at = at_of(im, to);
	for (u32 i = 0; i < im->nr_problems; i++) {
		to[i] = problems[i];
		to[i].reason_at = text_at(im, problems[i].reason_at);
		to[i].text_at = text_at(im, problems[i].text_at);
	}
	report->nr_problems = im->nr_problems;
}

/* Returns a number from the trace's machine line, or 0 if the line does not set it. */
static u32 announced(const struct params *params, enum kmem_param param)
{
	if (!params || !params->present[FROM_TRACE][param] || params->value[FROM_TRACE][param] < 0)
		return 0;
	return (u32)params->value[FROM_TRACE][param];
}

static void put_counts(struct import *im)
{
	struct trace *t = im->trace;
	struct kmem_report *report = &t->report;

	report->events = report->allocs + report->frees;
	if (unlikely(im->sampled.is_on))
		estimate_events(im);
	report->live_at_end = im->pointers.nr - im->nr_zero_size -
			      (IS_FIRST_VIEW ? 0 : im->nr_waiting) + im->unknown_live;
	report->ops = t->nr_ops;
	report->handles = t->nr_handles;
	u32 cpus = MAX(im->cpus_announced, announced(t->params, PARAM_CPUS));
	report->cpus = MAX(MAX(im->max_cpu_plus_1, cpus), 1u);
	report->nodes = MAX(MAX(im->max_node_plus_1, announced(t->params, PARAM_NODES)), 1u);
	report->time_is_ns = !im->ticks;
	report->format_at = text_at(im, intern_text(im, im->format->name));
	t->has_times = im->has_times || !im->format->may_lack_times;
}

/* Texts until now. */
static void put_kernel_counters(const struct trace *t, const struct import *im)
{
	struct kmem_kernel_counters_row *rows = t->counters_run.at;

	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		rows[i].name_at = text_at(im, rows[i].name_at);
		rows[i].cache = CACHE_NONE;
	}
}

void report_build(struct import *im)
{
	struct trace *t = im->trace;
	u64 kinds = im->nr_kinds * sizeof(struct kmem_kind_row);
	u64 caches = im->nr_rows * sizeof(struct kmem_trace_cache_row);
	u64 problems = im->nr_problems * sizeof(struct kmem_problem);

	intern_text(
		im,
		im->format
			->name); /* texts may still move here, but not once offsets have been taken */
	if (im->status != KMEM_OK || !import_grow(im, &t->report_run, kinds + caches + problems))
		return;
	u8 *at = t->report_run.at;
	if (!IS_FIRST_VIEW)
		count_live(im);
	add_up_caches(im);
	put_counts(im);
	put_kinds(im, (struct kmem_kind_row *)at);
	put_caches(im, (struct kmem_trace_cache_row *)(at + kinds));
	put_problems(im, (struct kmem_problem *)(at + kinds + caches));
	put_kernel_counters(t, im);
}
