/*
 * every_call.c - see every_call.h. All that a call returns is read, so that the address sanitizer sees it.
 */
#include "test/model/every_call.h"

#include <string.h>

#include "session/session.h"
#include "test/support/session_util.h"

enum { ANY = 0xffffffff, PLACES = 4, OBJECTS = 6, SLOW_OPS = 3000, TEXT_ROOM = 1 << 16 };

static volatile u32 seen;

static void look(const void *rows, u64 len_bytes)
{
	static u8 copy[1 << 16];
	const u8 *bytes = rows;

	for (u64 n; rows && len_bytes; bytes += n, len_bytes -= n) {
		n = MIN(len_bytes, (u64)sizeof(copy));
		memcpy(copy, bytes, n);
		seen += copy[n - 1];
	}
}

/* The call first, then how many rows it found. */
#define LOOK(rows, nr)                                     \
	do {                                               \
		const __typeof__(*(rows)) *first = (rows); \
		look(first, (u64)(nr) * sizeof(*first));   \
	} while (0)

static void look_at_text(const char *text)
{
	if (text)
		look(text, strlen(text));
}

struct dice dice_of_bytes(const u8 *bytes, size_t len)
{
	u64 hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return (struct dice){ .seed = hash };
}

/* Mostly a number below `nr`, now and then one that is not. */
static u32 some(struct dice *d, u32 nr)
{
	u32 which = roll(d, 16);

	return which == 0 ? nr : which == 1 ? (u32)ANY : roll(d, MAX(nr, 1u));
}

static void look_at_objects(struct kmem_session *s, struct dice *d, const struct kmem_frame *f)
{
	for (u32 i = 0; i < OBJECTS && f->nr_slabs; i++) {
		const struct kmem_slab_row row = ((
			const struct kmem_slab_row
				*)(const void *)(s->pool.base + f->slabs_at))[roll(d, f->nr_slabs)];
		u32 index = some(d, row.objects), nr = 0;
		const struct kmem_object_row *o = kmem_object(s, row.cache, row.serial, index);
		LOOK(o, 1);
		const struct kmem_byte_run *runs = kmem_object_bytes(s, row.cache, row.serial,
								     index, &nr);
		LOOK(runs, nr);
		/* The rows of the view are gone with the next call. */
		f = kmem_view(s, CACHE_NONE);
		if (!f)
			return;
	}
}

static void look_at_frame(struct kmem_session *s, const struct kmem_frame *f)
{
	const u8 *base = s->pool.base;

	if (!f)
		return;
	look(base + f->places_at, f->nr_places * sizeof(struct kmem_place));
	look(base + f->slabs_at, f->nr_slabs * sizeof(struct kmem_slab_row));
	look(base + f->cells_at, f->nr_cells);
	look(base + f->entries_at, f->nr_entries * sizeof(struct kmem_entry));
	look(base + f->extents_at, f->nr_extents * sizeof(struct kmem_extent));
}

static void look_at_reports(struct kmem_session *s)
{
	u32 nr = 0, all;
	const struct kmem_bug *bugs = kmem_reports(s, &nr, &all);

	LOOK(bugs, nr);
	for (u32 i = 0; i < MIN(nr, (u32)PLACES); i++) {
		struct kmem_bug bug = bugs[i];
		look_at_text(kmem_report_text(s, &bug));
		bugs = kmem_reports(s, &nr, &all);
	}
}

static void look_at_tables(struct kmem_session *s, struct dice *d)
{
	u32 nr, caches;

	LOOK(kmem_cache_rows(s, &caches), caches);
	const struct kmem_attribute_row *files = kmem_attributes(s, some(d, caches), &nr);
	LOOK(files, nr);
	const struct kmem_slabinfo_row *lines = kmem_slabinfo(s, &nr);
	LOOK(lines, nr);
	look_at_text(kmem_slabinfo_text(s));
	const struct kmem_zone_row *zones = kmem_zone_rows(s, &nr);
	LOOK(zones, nr);
	const struct kmem_cpu_row *cpus = kmem_cpu_rows(s, &nr);
	LOOK(cpus, nr);
	const struct kmem_lock_row *locks = kmem_lock_rows(s, &nr);
	LOOK(locks, nr);
	LOOK(kmem_totals(s), 1);
	const struct kmem_machine_state_row *rows = kmem_machine_state_rows(s, &nr);
	LOOK(rows, nr);
	LOOK(kmem_machine_state_of(s, some(d, caches)), 1);
	const struct kmem_growth_row *growth = kmem_growth(s, &nr);
	LOOK(growth, nr);
	look_at_text(kmem_growth_why(s, some(d, nr)));
	LOOK(kmem_machine_aliases(s, "kmalloc-64"), 1);
	const struct kmem_kernel_counters_row *told = kmem_kernel_counters(s, &nr);
	LOOK(told, nr);
	u32 row = roll(d, 2) ? (u32)ANY : some(d, nr);
	for (u32 i = 0; i < 8; i++)
		look_at_text(kmem_kernel_counters_why(s, row, i));
	look_at_reports(s);
	for (u32 i = 0; i <= NR_COUNTERS; i++)
		kmem_has_counter(s, i);
	kmem_node_of_cpu(s, some(d, kmem_nr_cpus(s)));
	look_at_text(kmem_machine_text(s));
	LOOK(kmem_order(s, some(d, 9000)), 1);
	LOOK(kmem_order_tries(s, &nr), nr);
	kmem_state_bytes(s);
}

static void look_at_series(struct kmem_session *s, struct dice *d)
{
	kmem_work(s, JOB_CACHE_SERIES, 1);
	if (!kmem_begin(s, JOB_CACHE_SERIES,
			&(struct kmem_cache_args){ roll(d, 2) ? roll(d, 8) : ANY }))
		kmem_work(s, JOB_CACHE_SERIES, ANY);
	for (u32 m = 0; m <= NR_METRICS; m++) {
		const struct kmem_series *row = kmem_series(s, m);
		look(s->pool.base + row->min_at, row->nr_buckets * sizeof(u64));
		look(s->pool.base + row->max_at, row->nr_buckets * sizeof(u64));
		row = kmem_cache_series(s, m);
		look(s->pool.base + row->max_at, row->nr_buckets * sizeof(u64));
	}
}

/* One operation, from outside and from inside. */
static void look_at_op(struct kmem_session *s, struct dice *d, u32 op)
{
	s32 nr = kmem_steps(s, op);

	for (s32 k = 0; k < MIN(nr, 64); k++) {
		struct kmem_step step = kmem_step_rows(s)[k];
		look_at_text(kmem_step_sentence(s, &step));
	}
	if (op < kmem_nr_ops(s)) {
		LOOK(kmem_op(s, op), 1);
		look_at_text(kmem_op_sentence(s, op));
	}
	look_at_frame(s, kmem_peek(s, op, some(d, (u32)MAX(nr, 1)), CACHE_NONE));
	look_at_frame(s, kmem_peek(s, op, 0, some(d, 4)));
}

static const char *look_at_positions(struct kmem_session *s, struct dice *d)
{
	u32 nr_ops = kmem_nr_ops(s), nr;

	for (u32 i = 0; i < PLACES; i++) {
		u32 op = some(d, nr_ops);
		if (kmem_seek(s, op))
			continue;
		if (kmem_check(s))
			return kmem_error(s);
		const struct kmem_frame *f = kmem_view(s, CACHE_NONE);
		look_at_frame(s, f);
		if (f)
			look_at_objects(s, d, f);
		look_at_tables(s, d);
		look_at_op(s, d, op);
		kmem_next(s, roll(d, 6), some(d, 8));
		kmem_previous(s, roll(d, 6), some(d, 8));
		LOOK(kmem_fingerprints(s, op, 40, &nr), nr);
	}
	return NULL;
}

static void search(struct kmem_session *s, struct dice *d)
{
	struct kmem_condition c[2] = {
		{ some(d, 9), some(d, 40), (u16)roll(d, WHEN_STEP + 2), (u16)roll(d, NR_STEP_KINDS),
		  (u16)some(d, 6), 0 },
		{ ANY, ANY, (u16)roll(d, WHEN_STEP + 1), (u16)roll(d, NR_STEP_KINDS), CACHE_NONE,
		  0 },
	};
	s64 left = kmem_begin(s, JOB_FIND,
			      &(struct kmem_find_args){ c, 1 + roll(d, 2), some(d, kmem_nr_ops(s)),
							roll(d, 9), roll(d, 2) });

	for (left = left ? left : 1; left > 0;)
		left = kmem_work(s, JOB_FIND, 500);
	LOOK(kmem_found(s), 1);
}

static void look_at_levels(struct kmem_session *s, struct dice *d)
{
	u32 nr_ops = kmem_nr_ops(s), cache = some(d, s->w->nr_caches), nr;
	const struct kmem_path *path = kmem_path(s, some(d, nr_ops));

	if (path) {
		look((const u8 *)s + path->cycles_at, path->nr_steps * sizeof(u32));
	}
	LOOK(kmem_path_steps(s, some(d, nr_ops), &nr), nr);
	const struct kmem_caption *caption = kmem_caption(s, some(d, nr_ops));
	if (caption) {
		look_at_text((const char *)s + caption->caption_at);
		look_at_text((const char *)s + caption->consequence_at);
	}
	LOOK(kmem_levels(s, roll(d, 2) ? cache : CACHE_NONE, &nr), nr);
	LOOK(kmem_next_objects(s, cache, some(d, 5), &nr), nr);
	const struct kmem_chapter *chapters = kmem_chapters(s, &nr);
	for (u32 i = 0; i < nr; i++) {
		look_at_text((const char *)s + chapters[i].name_at);
		look_at_text((const char *)s + chapters[i].title_at);
	}
	const struct kmem_lanes *lanes = kmem_lanes(s);
	if (lanes)
		look((const u8 *)s + lanes->depths_at, lanes->nr_lanes * lanes->nr_buckets);
	const struct kmem_move *move = kmem_move(s, cache, some(d, 9), some(d, 40),
						 some(d, nr_ops));
	if (move)
		look_at_text((const char *)s + move->text_at);
	const struct kmem_why *why = kmem_why(s, roll(d, 2) ? cache : CACHE_NONE, roll(d, 24),
					      roll(d, 2) ? some(d, 4) : CPU_NONE,
					      roll(d, 2) ? some(d, 3) : NODE_ANY);
	if (!roll(d, 2))
		why = kmem_why_about(s, roll(d, 6), roll(d, 2) ? cache : CACHE_NONE, roll(d, 24),
				     some(d, 4), some(d, 3), roll(d, 2) ? some(d, 3) : KMEM_NONE32);
	if (why) {
		look_at_text((const char *)s + why->text_at);
		look_at_text((const char *)s + why->title_at);
		LOOK((const u32 *)(const void *)((const u8 *)s + why->events_at), why->nr_events);
		LOOK((const struct kmem_why_source *)(const void *)((const u8 *)s +
								    why->sources_at),
		     why->nr_sources);
	}
}

static void look_at_memory(struct kmem_session *s, struct dice *d)
{
	u32 cache = roll(d, 2) ? KMEM_ANY : some(d, s->w->nr_caches), nr;
	u64 values[NR_MEASURED] = { 0 };

	const struct kmem_memory_row *rows = kmem_memory(s, cache, &nr);
	LOOK(rows, nr);
	/* Free objects beyond those that the caches count would make a part larger than the whole. */
	for (u32 i = 0; cache == KMEM_ANY && i < nr; i++)
		KASSERT(rows[i].bytes <= rows[nr - 1].bytes);
	KASSERT(cache != KMEM_ANY || rows[nr - 1].bytes == (u64)s->w->machine.pages_in_use
								   << s->w->machine.page_shift);
	look_at_text(kmem_memory_sentences(s));
	s64 left = kmem_begin(s, JOB_MATRIX, &(struct kmem_cache_args){ cache });
	for (left = left ? left : 1; left > 0;)
		left = kmem_work(s, JOB_MATRIX, 500);
	const struct kmem_matrix *m = kmem_matrix(s, roll(d, 3));
	if (m)
		LOOK((const struct kmem_matrix_cell *)(const void *)((const u8 *)s + m->cells_at),
		     m->nr_cells);
	s32 changes = kmem_doctor_begin(s);
	LOOK(kmem_doctor_changes(s, &nr), nr);
	kmem_doctor_result(s, KMEM_NONE32, values);
	for (u32 i = 0; i < PLACES && changes > 0; i++) {
		for (u32 k = 0; k < NR_MEASURED; k++)
			values[k] = roll(d, 9);
		kmem_doctor_result(s, some(d, (u32)changes), roll(d, 4) ? values : NULL);
	}
	LOOK(kmem_doctor_base(s), NR_DOCTOR_MEASURES);
	LOOK(kmem_doctor_best(s, some(d, 9), &nr), nr);
}

static void look_at_lives(struct kmem_session *s, struct dice *d)
{
	u32 nr_ops = kmem_nr_ops(s), nr;

	search(s, d);
	look_at_levels(s, d);
	look_at_memory(s, d);
	if (kmem_job(s, JOB_INDEX, &(struct kmem_build_args){ roll(d, 8) ? 0 : 100000, 0 }))
		return;
	for (u32 i = 0; i < PLACES; i++) {
		u32 cache = some(d, s->w->nr_caches), slab = some(d, 9), index = some(d, 40);
		LOOK(kmem_life(s, cache, slab, index), 1);
		LOOK(kmem_life_rows(s, cache, slab, index, some(d, nr_ops), roll(d, 2), some(d, 60),
				    &nr),
		     nr);
		LOOK(kmem_life_rows(s, cache, ANY, ANY, some(d, nr_ops), roll(d, 2), 60, &nr), nr);
		LOOK(kmem_lifetime(s, some(d, nr_ops)), 1);
		kmem_alloc_at(s, cache, slab, index, some(d, nr_ops));
		look_at_levels(s, d);
		search(s, d);
	}
}

static const char *write_as(struct kmem_session *s, u32 to)
{
	static u8 text[TEXT_ROOM];
	u32 op = 0;
	s32 got;

	while ((got = kmem_export(s, to, &op, text, sizeof(text))) > 0)
		look(text, (u64)got);
	/* A piece that cannot hold a line. */
	op = 0;
	kmem_export(s, to, &op, text, 3);
	return got ? "an export ends" : NULL;
}

/* The machine's own /proc/slabinfo, laid over it. */
static const char *lay_over(struct kmem_session *s)
{
	static char text[TEXT_ROOM];
	const char *own = kmem_slabinfo_text(s);

	if (!own || strlen(own) >= sizeof(text))
		return NULL;
	strcpy(text, own);
	if (kmem_machine_state_begin(s) ||
	    kmem_machine_state_chunk(s, (const u8 *)text, (u32)strlen(text)))
		return kmem_error(s);
	kmem_machine_state_end(s);
	kmem_machine_state_use(s, 1);
	return NULL;
}

static const char *in_order_of_clocks(struct kmem_session *s, struct dice *d)
{
	u32 nr_ops = kmem_nr_ops(s);

	/* Given up in the middle: by another build, which has the trace as it was. */
	if (begin_by_clocks(s) == 0) {
		kmem_work(s, JOB_BUILD, roll(d, nr_ops + 1));
		look_at_frame(s, kmem_view(s, CACHE_NONE));
	}
	if (kmem_build(s, 0) == 0 && kmem_check(s))
		return kmem_error(s);
	if (begin_by_clocks(s) || kmem_work(s, JOB_BUILD, ANY))
		return NULL;
	u64 by_clocks = kmem_hash(s);
	if (kmem_check(s) || kmem_build(s, (u64)1 << 20))
		return kmem_error(s);
	return kmem_hash(s) == by_clocks ? NULL : "a plain run of the new order is the same run";
}

/* Lines of a fork: some that suit a trace, some that name what it may not have, and some that nothing can read. */
static u32 fork_lines(struct dice *d, char *text, u32 room)
{
	static const char *const lines[] = {
		"cache mine size=300 align=64\n",
		"a w1 mine cpu=0\n",
		"k w2 512 cpu=1\n",
		"k w2 0 cpu=65535\n",
		"f w1 cpu=1\n",
		"f w2 cpu=0\n",
		"f 1 cpu=0\n",
		"f 2 cpu=1\n",
		"f 4294967295 cpu=0\n",
		"a 3 c0 cpu=1\n",
		"cache c0 size=8 name=again\n",
		"cache wide size=4194304 align=4096\n",
		"k w3 4194304 cpu=0\n",
		"corrupt write w2 cpu=0 len=8\n",
		"corrupt double-free w1 cpu=1\n",
		"set min_partial=2\n",
		"set cpus=9\n",
		"flush mine\n",
		"shrink c0\n",
		"validate mine\n",
		"reap cpu=1\n",
		"expire\n",
		"tick 4294967295\n",
		"machine cpus=3\n",
		"#events 3\n",
		"\xff\n",
		"k w4 64 cpu=0",
	};
	u32 len = 0;

	for (u32 n = roll(d, 12); n > 0; n--) {
		const char *line = lines[roll(d, ARRAY_SIZE(lines))];
		u32 more = (u32)strlen(line);
		if (len + more > room)
			break;
		memcpy(text + len, line, more);
		len += more;
	}
	return len;
}

static void look_at_fork(struct kmem_session *s, struct dice *d)
{
	u32 nr, nr_ops = kmem_nr_ops(s);

	LOOK(kmem_fork_objects(s, some(d, 100), &nr), nr);
	for (u32 i = 0; i < PLACES; i++) {
		u32 op = some(d, nr_ops);
		if (kmem_seek(s, op) == 0)
			look_at_frame(s, kmem_view(s, CACHE_NONE));
		look_at_op(s, d, op);
	}
}

/* Forks of forks, questions about them before and after they are built, and the recorded future again. */
static const char *fork_and_leave(struct kmem_session *s, struct dice *d)
{
	static char text[1 << 10];
	u32 recorded = kmem_nr_ops(s);

	if (kmem_build(s, 0))
		return NULL;
	u64 end = kmem_hash(s);
	for (u32 i = 0; i < PLACES; i++) {
		u32 len = fork_lines(d, text, sizeof(text));
		s32 status = kmem_fork(s, some(d, recorded + 2), (const u8 *)text, len);
		if (roll(d, 4) == 0)
			look_at_fork(s, d);
		if (kmem_build(s, roll(d, 2) ? (u64)1 << 20 : 0))
			continue;
		if (kmem_check(s))
			return kmem_error(s);
		look_at_fork(s, d);
		if (status == KMEM_EINPUT && kmem_nr_ops(s) != recorded)
			return "a refused fork leaves the recorded trace";
	}
	kmem_fork_leave(s);
	if (kmem_nr_ops(s) != recorded)
		return "the recorded events are there again";
	if (kmem_build(s, 0))
		return kmem_error(s);
	return kmem_hash(s) == end ? NULL : "the recorded end after a fork";
}

/* A refusal for what cannot be built is no fault. */
static int is_fault(s32 status)
{
	return status && status != KMEM_EPARAM && status != KMEM_ENOMEM;
}

static void look_at_sites(struct kmem_session *s, struct dice *d)
{
	struct kmem_sites_args a = { .by = roll(d, 33), .node = KMEM_ANY };

	a.cpu = roll(d, 2) ? KMEM_ANY : roll(d, 5);
	a.task = roll(d, 4) ? NULL : "a*,1";
	a.first_op = roll(d, 3);
	a.end_op = roll(d, 2) ? KMEM_NONE32 : roll(d, 50);
	kmem_begin(s, JOB_SITES, &a);
	while (kmem_work(s, JOB_SITES, 1 + roll(d, 5000)) > 0)
		;
	u32 nr = 0;
	kmem_pprof_begin(s);
	do
		LOOK(kmem_pprof_next(s, &nr), nr);
	while (nr);
	const struct kmem_sites *sites = kmem_sites(s);
	LOOK(sites, 1);
	for (u32 i = 0; sites && i <= sites->nr_caches && i < 9; i++)
		look_at_text(kmem_sites_why(s, i));
	const struct kmem_unseen_row *unseen = kmem_unseen(s, &nr);
	LOOK(unseen, nr);
	look_at_text(kmem_unseen_text(s));
}

static void put_part(struct kmem_compare *c, struct kmem_session *s, u32 which, u32 part)
{
	u32 len;
	const u8 *bytes = kmem_side(s, part, &len);
	u8 *to = bytes ? kmem_compare_part(c, which, part, kmem_position(s), len) : NULL;

	LOOK(bytes, len);
	if (to)
		memcpy(to, bytes, len);
}

/* A trace beside itself: nothing changes. */
static const char *look_beside(struct kmem_session *s, struct dice *d)
{
	static _Alignas(KMEM_REGION_ALIGN_BYTES) u8 region[16 << 20];
	struct kmem_compare *c = kmem_compare_open(region, sizeof(region));
	u32 align = roll(d, NR_VALUES(kmem_align));

	for (u32 which = 0; which < 2; which++) {
		for (u32 i = 0; i < KMEM_COMPARE_POINTS; i++) {
			if (kmem_seek(s, kmem_side_at(s, align, kmem_nr_ops(s), i)))
				return kmem_error(s);
			put_part(c, s, which, SIDE_VALUES);
		}
		put_part(c, s, which, SIDE_ROWS);
		put_part(c, s, which, SIDE_SITES);
	}
	const struct kmem_differences *found = kmem_compare(c);
	const struct kmem_difference *row = found ? (const void *)(region + found->rows_at) : NULL;
	for (u32 i = 0; row && i < found->nr_rows; i++)
		if (row[i].kind != CHANGED_SAME)
			return "a trace beside itself";
	return NULL;
}

const char *every_call(struct kmem_session *s, struct dice *d)
{
	u32 nr;
	const char *broken = write_as(s, 0);

	LOOK(kmem_report(s), 1);
	LOOK(kmem_shape(s), 1);
	for (u32 i = 0; i < 9; i++)
		look_at_text(kmem_call_site(s, i));
	look_at_sites(s, d);
	s32 status = kmem_build(s, roll(d, 2) ? (u64)1 << 20 : 0);
	if (status || broken)
		return is_fault(status) ? kmem_error(s) : broken;
	look_at_series(s, d);
	broken = look_at_positions(s, d);
	if (kmem_nr_ops(s) < SLOW_OPS)
		look_at_lives(s, d);
	LOOK(kmem_shape(s), 1);
	look_at_sites(s, d);
	if (!broken && !roll(d, 8))
		broken = look_beside(s, d);
	kmem_next_call(s, kmem_call_site(s, 0) ? kmem_call_site(s, 0) : "", ANY, 0);
	if (!broken)
		broken = write_as(s, 1);
	if (!broken && roll(d, 4) == 0)
		broken = lay_over(s);
	if (kmem_begin(s, JOB_MEASURE, NULL) == 0 && kmem_work(s, JOB_MEASURE, ANY) == 0)
		LOOK(kmem_measured(s, &nr), nr);
	if (!broken)
		broken = fork_and_leave(s, d);
	if (!broken)
		broken = in_order_of_clocks(s, d);
	return broken;
}
