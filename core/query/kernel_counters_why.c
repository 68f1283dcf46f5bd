/*
 * kernel_counters_why.c - sentences that explain how the model's counters differ from the recorded kernel's, up to
 * the position.
 *
 * A sentence names a cause only as far as the numbers show it.
 */
#include "session/session.h"

enum { ALL_ROWS = 0xffffffff };

enum why { WHY_SHARES, WHY_BEFORE, WHY_NEW_SLABS, WHY_RACES, WHY_START, NR_WHYS };

struct count {
	u64 kernel; /* the recorded kernel's count */
	u64 before; /* part of it: frees of objects allocated before the trace began */
	u64 model;
};

static u64 here(const struct count *c)
{
	return c->kernel - c->before;
}

static void add_share(struct text *t, u64 part, u64 all)
{
	text_add_decimal(t, (s64)((part * 20000 / all + 1) / 2), 2);
	text_add(t, " %");
}

/* Sums one row and its cache, or all rows and the whole model. */
static void count_up(struct kmem_session *s, u32 row, struct count *of)
{
	u32 nr, nr_caches;
	const struct kmem_kernel_counters_row *rows = kmem_kernel_counters(s, &nr);
	const struct kmem_cache_row *caches = kmem_cache_rows(s, &nr_caches);
	const struct kmem_totals *totals = kmem_totals(s);

	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++) {
		of[k] = (struct count){ 0 };
		for (u32 i = 0; i < nr; i++) {
			if (row != ALL_ROWS && row != i)
				continue;
			of[k].kernel += rows[i].all[k];
			of[k].before += rows[i].before[k];
			if (row == i && rows[i].cache < nr_caches)
				of[k].model = caches[rows[i].cache].counters[k];
		}
		if (row == ALL_ROWS)
			of[k].model = totals->counters[k];
	}
}

static void say_shares(struct kmem_session *s, struct text *t, const struct count *of)
{
	const struct kmem_report *r = &s->trace.report;
	u64 allocs = r->allocs - r->failed_allocs,
	    frees = r->frees - r->orphan_frees - r->null_frees + s->import.start.frees.nr;
	const struct count *a = &of[ALLOC_SLOWPATH], *f = &of[FREE_SLOWPATH];

	if (!allocs || !frees)
		return;
	text_add(t, "Slow paths: ");
	add_share(t, a->kernel, allocs);
	text_print(t, " of the kernel's %'ju allocation{s}, ", (uintmax_t)allocs);
	add_share(t, a->model, allocs);
	text_add(t, " of the model's; ");
	add_share(t, here(f), frees);
	text_add(t, " and ");
	add_share(t, f->model, frees);
	text_print(t, " of %'ju free{s}", (uintmax_t)frees);
	text_add(t, s->import.start.frees.nr ? "." : " of objects of the trace.");
}

static void say_before(struct text *t, const struct kmem_report *r, const struct count *of)
{
	u64 before = 0;

	for (u32 k = 0; k < NR_KERNEL_COUNTERS; k++)
		before += of[k].before;
	if (!before)
		return;
	text_print(
		t,
		"%'ju free{s} in the trace {are|is} of objects that were allocated before it started. "
		"No replay has these objects: the %'ju count{s} on their frees {are|is} in the column "
		"\"before\".",
		(uintmax_t)r->orphan_frees, (uintmax_t)before);
}

static void say_new_slabs(struct text *t, const struct count *of, int is_warm)
{
	const struct count *slab = &of[ALLOC_SLAB], *list = &of[ALLOC_FROM_PARTIAL],
			   *cpu_list = &of[CPU_PARTIAL_ALLOC];
	u64 kernel = here(list) + here(cpu_list), model = list->model + cpu_list->model;

	if (slab->model <= here(slab))
		return;
	text_add(
		t,
		is_warm ? "When the trace started, the kernel's slabs had room in other places than "
			  "the inferred ones: the model made "
			: "When the trace started, the kernel had slabs with room and the model had "
			  "none: it made ");
	text_print(t, "%'ju more slab{s} (alloc_slab); the kernel took %'ju",
		   (uintmax_t)(slab->model - here(slab)),
		   (uintmax_t)(MAX(kernel, model) - MIN(kernel, model)));
	text_add(t, kernel < model ? " fewer" : " more");
	text_add(t, " from its partial lists (cpu_partial_alloc, alloc_from_partial).");
}

/* A session's text is one buffer, so the sentence of the start comes last and alone. */
static void say_start(struct kmem_session *s, struct text *t)
{
	if (kmem_warm(s)->slabs) {
		kmem_warm_text(s);
		return;
	}
	text_add(t,
		 "The model started empty, without slabs. Started from a machine state, it has as "
		 "many as the machine had.");
}

static void say_races(struct text *t, const struct count *of)
{
	u64 failed = of[CMPXCHG_DOUBLE_FAIL].kernel + of[CMPXCHG_DOUBLE_CPU_FAIL].kernel;

	if (!failed)
		return;
	text_add(t, "Two CPUs of the kernel wanted the same slab at the same moment ");
	if (failed == 1)
		text_add(t, "once");
	else
		text_print(t, "%'ju times", (uintmax_t)failed);
	text_add(t, " (cmpxchg_double_fail). Events of a replay do not race.");
}

const char *kmem_kernel_counters_why(struct kmem_session *s, u32 row, u32 i)
{
	struct count of[NR_KERNEL_COUNTERS];
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	u32 nr;

	if (!kmem_kernel_counters(s, &nr) || !s->w || i >= NR_WHYS ||
	    (row >= nr && row != ALL_ROWS))
		return NULL;
	const struct kmem_report *r = kmem_report(s);
	count_up(s, row, of);
	switch ((enum why)i) {
	case WHY_SHARES:
		if (row == ALL_ROWS)
			say_shares(s, &t, of);
		break;
	case WHY_BEFORE:
		say_before(&t, r, of);
		break;
	case WHY_NEW_SLABS:
		say_new_slabs(&t, of, kmem_warm(s)->slabs != 0);
		break;
	case WHY_RACES:
		say_races(&t, of);
		break;
	case WHY_START:
	case NR_WHYS:
		if (row == ALL_ROWS)
			say_start(s, &t);
		break;
	}
	return s->out.text;
}

/* The recorded kernel's counters, one row per cache. */

const struct kmem_kernel_counters_row *kmem_kernel_counters(struct kmem_session *s, u32 *nr)
{
	const struct trace *t = &s->trace;
	struct kmem_kernel_counters_row *rows = t->counters_run.at;

	*nr = s->import.imported ? t->nr_counters_rows : 0;
	if (!*nr)
		return NULL;
	for (u32 i = 0; i < *nr; i++)
		rows[i].cache = CACHE_NONE;
	for (u32 id = 0; s->w && id < s->w->nr_caches; id++) {
		const char *name = cache_name(s->w, id);
		u32 row = counters_row_of(t, (const char *)s->pool.base, name);
		if (row)
			rows[row - 1].cache = (u16)id;
	}
	return rows;
}
