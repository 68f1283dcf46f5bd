/*
 * experiment_min_partial.c - the 2008 proposal: netio under SLAB and under two kinds of SLUB.
 *
 * One SLUB keeps 5 empty slabs of any object size; the other keeps more of them the larger the objects are.
 *
 * The proposal's times come from 50 runs and ours from 50 traces, the same 50 under every allocator. The kernel of
 * the proposal checked min_partial only when a CPU deactivated an empty slab. Since 3.1 a free that empties a slab
 * checks it too; there the model, like the real 6.1, shows the difference.
 */
#include "sim/step.h"
#include "studies/experiment.h"

enum variant {
	SLAB,
	STATIC,
	DYNAMIC,
	MAINLINE,
	SMALL_STATIC,
	SMALL_DYNAMIC,
	OLD_STATIC,
	OLD_DYNAMIC,
	NR_VARIANTS
};

enum { SEEDS = 50, FEW_SEEDS = 10, FULL_VARIANTS = MAINLINE + 1 };

/* Columns of the proposal's tables. */
enum column { LEAST, MOST, AVERAGE, SD, COLUMNS };

static const char *const settings[NR_VARIANTS] = {
	[SLAB] = "allocator=slab",
	[STATIC] = "min_partial_rule=static",
	[DYNAMIC] = "min_partial_rule=rfc-2008",
	[MAINLINE] = "min_partial_rule=mainline",
	[SMALL_STATIC] = "min_partial_rule=static payload=1400",
	[SMALL_DYNAMIC] = "min_partial_rule=rfc-2008 payload=1400",
	[OLD_STATIC] = "preset=linux-2.6.26 min_partial_rule=static",
	[OLD_DYNAMIC] = "preset=linux-2.6.26 min_partial_rule=rfc-2008",
};

static u32 first_run(u32 variant)
{
	return MIN(variant, (u32)FULL_VARIANTS) * SEEDS +
	       (MAX(variant, (u32)FULL_VARIANTS) - FULL_VARIANTS) * FEW_SEEDS;
}

static void plan(struct experiment *e, u32 run, struct experiment_run *to)
{
	u32 variant = 0;

	(void)e;
	while (run >= first_run(variant + 1))
		variant++;
	to->workload = "netio";
	text_print(&to->settings, "kernel=6.1 work=%u seed=%u %s", (u32)COST_WORK_SEGMENT,
		   run - first_run(variant) + 1, settings[variant]);
}

static u64 elapsed_of(const struct kmem_totals *t)
{
	return t->elapsed_cycles;
}

static u64 inside_of(const struct kmem_totals *t)
{
	return t->cycles;
}

/* Gets a value of each run of a variant. */
static void values_of(const struct experiment *e, enum variant variant,
		      u64 (*value)(const struct kmem_totals *t), u64 values[SEEDS])
{
	for (u32 i = 0; i < SEEDS; i++)
		values[i] = value(totals_of(e, first_run(variant) + i));
}

/* Returns the standard error of a column, the proposal's or ours: of an average, of an extreme, of a standard
 * deviation. */
static u64 error_ppm(s64 value, s64 sd, enum column column)
{
	u64 ppm = (u64)(sd * 1000000 / MAX(value, (s64)1));

	return column == SD	   ? 1000000 / square_root(2 * SEEDS)
	       : column == AVERAGE ? ppm * 1000 / square_root(SEEDS * 1000000)
				   : ppm;
}

/* In hundredths of a per cent. */
static intmax_t deviation(u64 sd, u64 mean)
{
	return (intmax_t)(share_of(sd * 10, mean) + 5) / 10;
}

/* Explains the noise in extremes and deviations: our traces differ, while the proposal ran one program. */
static void say_deviation(struct experiment *e, u32 first, const u64 *cycles)
{
	struct spread s = spread_of(cycles, SEEDS);

	text_print(&e->texts,
		   "Our traces alone differ by %.2jd %% (SLAB, one standard deviation), the "
		   "proposal's runs by %.2jd %%. This is ",
		   deviation(s.sd, s.mean),
		   deviation((u64)figure_seed_value(first + SD),
			     (u64)figure_seed_value(first + AVERAGE)));
}

/* Fills one table of the proposal: min, max, avg, sd of SLAB, of SLUB, of SLUB with the change, from figure
 * `first` on. */
static void fill_times(struct experiment *e, u32 first, u64 (*time)(const struct kmem_totals *t))
{
	struct timed times[COLUMNS][3];
	u64 cycles[3][SEEDS];

	for (u32 row = 0; row < 3; row++) {
		values_of(e, row, time, cycles[row]);
		struct spread s = spread_of(cycles[row], SEEDS);
		const u64 value[COLUMNS] = { s.least, s.most, s.mean, s.sd };
		for (u32 i = 0; i < COLUMNS; i++) {
			u32 figure = first + row * COLUMNS + i;
			figure_ours(e, figure, (s64)(value[i] / 1000), 3);
			times[i][row] = (struct timed){
				.figure = figure,
				.ours = (s64)value[i],
				.seed_ppm = error_ppm(figure_seed_value(figure),
						      figure_seed_value(figure - i + SD), i),
				.ours_ppm = error_ppm((s64)value[i], (s64)s.sd, i),
				.runs = i == AVERAGE ? cycles[row] : NULL,
				.nr_runs = SEEDS,
			};
		}
	}
	for (u32 i = 0; i < COLUMNS; i++) {
		for (u32 row = 0; row < 3; row++) {
			if (i != AVERAGE)
				say_deviation(e, first, cycles[SLAB]);
			else
				text_add(
					&e->texts,
					"Our averages are compared pair by pair, on the same traces: this is ");
			judge_time(e, times[i], 3, row);
		}
	}
}

/* Shows how far SLUB is above SLAB with the same traffic, which excludes the differences between traces. */
static void fill_above(struct experiment *e)
{
	struct spread s[2];
	u64 slab[SEEDS], above[SEEDS];

	values_of(e, SLAB, inside_of, slab);
	for (u32 row = 0; row < 2; row++) {
		values_of(e, STATIC + row, inside_of, above);
		for (u32 i = 0; i < SEEDS; i++)
			above[i] = MAX(above[i], slab[i]) - slab[i];
		s[row] = spread_of(above, SEEDS);
		const u64 column[] = { s[row].least, s[row].most, s[row].mean, s[row].sd };
		for (u32 i = 0; i < 4; i++)
			figure_ours(e, FIG_NETIO_OVER_SLUB_MIN + row * 4 + i,
				    (s64)(column[i] / 1000), 3);
	}
	for (u32 i = 0; i < 8; i++) {
		const u64 column[][2] = { { s[0].least, s[1].least },
					  { s[0].most, s[1].most },
					  { s[0].mean, s[1].mean },
					  { s[0].sd, s[1].sd } };
		const u64 *both = column[i % 4];
		text_add(
			&e->texts,
			"The difference between the traces is left out here. Dynamic is nearer to SLAB and "
			"steadier in the proposal; here it is ");
		text_add_distance(&e->texts, (s64)both[1], (s64)both[0]);
		text_add(&e->texts, " static. The proposal gives no figure for this.");
		figure_judge(e, FIG_NETIO_OVER_SLUB_MIN + i, RULE_OPEN, AGREEMENT_OPEN);
	}
}

static void fill_slabs(struct experiment *e, u32 figure, enum variant variant, u32 seeds)
{
	u64 slabs = 0;

	for (u32 i = 0; i < seeds; i++)
		slabs += totals_of(e, first_run(variant) + i)->counters[ALLOC_SLAB];
	figure_ours(e, figure, (s64)(slabs / seeds), 0);
}

/* Fills in how far dynamic is below static, in tenths of a per cent. */
static void fill_fall(struct experiment *e, u32 figure, u32 with_static, u32 with_dynamic)
{
	s64 from = figure_row(e, with_static)->ours_value,
	    to = figure_row(e, with_dynamic)->ours_value;

	figure_ours(e, figure, from ? (from - to) * 1000 / from : 0, 1);
	judge_value(e, figure, RULE_ROUNDS);
}

static void judge_old_code(struct experiment *e)
{
	const u32 figures[] = { FIG_NETIO_SLABS_2008_STATIC, FIG_NETIO_SLABS_2008_DYNAMIC };
	s64 with_static = figure_row(e, figures[0])->ours_value,
	    with_dynamic = figure_row(e, figures[1])->ours_value;

	for (u32 i = 0; i < 2; i++) {
		struct text *why = &e->texts;
		text_add(
			why,
			"SLUB in 2.6.26 discards every slab that a free empties, and checks min_partial only for slabs that a CPU deactivates empty: dynamic is ");
		text_add_distance(why, with_dynamic, with_static);
		text_add(
			why,
			" static. In the proposal's kernel, interrupts made CPUs deactivate slabs (interrupted_refill); a trace does not show them.");
		figure_judge(e, figures[i], RULE_OPEN, AGREEMENT_OPEN);
	}
}

static void judge(struct experiment *e)
{
	static const char traffic[] =
		"The amount of traffic differs from the real kernel's, so compare the fall.";

	fill_times(e, FIG_NETIO_REAL_SLAB_MIN, elapsed_of);
	fill_times(e, FIG_NETIO_SYS_SLAB_MIN, inside_of);
	fill_above(e);
	judge_open(e, FIG_NETIO_USER_SLAB_MIN, 12,
		   "The model has no time in user space, where no allocator runs.");
	fill_slabs(e, FIG_NETIO_SLABS_4K_STATIC, STATIC, SEEDS);
	fill_slabs(e, FIG_NETIO_SLABS_4K_DYNAMIC, DYNAMIC, SEEDS);
	fill_slabs(e, FIG_NETIO_SLABS_4K_MAINLINE, MAINLINE, SEEDS);
	fill_slabs(e, FIG_NETIO_SLABS_1400_STATIC, SMALL_STATIC, FEW_SEEDS);
	fill_slabs(e, FIG_NETIO_SLABS_1400_DYNAMIC, SMALL_DYNAMIC, FEW_SEEDS);
	judge_open(e, FIG_NETIO_SLABS_4K_STATIC, 3, traffic);
	judge_open(e, FIG_NETIO_SLABS_1400_STATIC, 2, traffic);
	fill_fall(e, FIG_NETIO_FALL_4K, FIG_NETIO_SLABS_4K_STATIC, FIG_NETIO_SLABS_4K_DYNAMIC);
	fill_fall(e, FIG_NETIO_FALL_1400, FIG_NETIO_SLABS_1400_STATIC,
		  FIG_NETIO_SLABS_1400_DYNAMIC);
	fill_slabs(e, FIG_NETIO_SLABS_2008_STATIC, OLD_STATIC, FEW_SEEDS);
	fill_slabs(e, FIG_NETIO_SLABS_2008_DYNAMIC, OLD_DYNAMIC, FEW_SEEDS);
	judge_old_code(e);
}

const struct experiment_shape experiment_min_partial = {
	FULL_VARIANTS * SEEDS + (NR_VARIANTS - FULL_VARIANTS) * FEW_SEEDS,
	plan,
	NULL,
	judge,
};
