/*
 * experiment_test.c - the proposals' experiments: the same figures whatever the slices, rows in the proposal's words,
 * and verdicts that follow the measurements.
 *
 * golden/seeds.txt has every row of each, some at a tenth of their work: it is the same for every compiler, and in wasm
 * (wasm/test/studies.test.ts). `make golden` rewrites it.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kmem_types.h"
#include "test/support/check.h"
#include "test/support/golden_text.h"

enum { TEXT_BYTES = 1 << 20, MAX_ROWS = 256 };

static const struct {
	const char *number;
} seeds[] = {
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup) { number },
#include "tables/proposals/proposals.def"
#undef PROPOSAL
};

static u8 *region;

static struct kmem_session *open_session(void)
{
	const u64 len = ((u64)1 << 32) - 65536;

	if (region) {
		kmem_close((struct kmem_session *)(void *)region);
		munmap(region, len);
	}
	region = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = (void *)region == MAP_FAILED ? NULL : kmem_open(region, len);
	if (!s) {
		fputs("not enough memory for a session\n", stderr);
		exit(1);
	}
	return s;
}

static void run_part(struct kmem_session *s, const char *seed, u32 scale, u32 slice)
{
	s32 left = kmem_begin(s, JOB_EXPERIMENT, &(struct kmem_experiment_args){ seed, scale });

	CHECK(left == 0, "%s: %s", seed, kmem_error(s));
	while ((left = kmem_work(s, JOB_EXPERIMENT, slice)) > 0)
		CHECK(left <= 1000, "%s: %d thousandths", seed, left);
	CHECK(left == 0, "%s: %s", seed, kmem_error(s));
	CHECK(kmem_work(s, JOB_EXPERIMENT, slice) == 0, "it stays over");
}

static void run(struct kmem_session *s, const char *seed, u32 slice)
{
	run_part(s, seed, 100, slice);
}

static const struct kmem_figure_row *rows_of(struct kmem_session *s, u32 *nr)
{
	const struct kmem_experiment *e = kmem_experiment(s);

	*nr = e->nr_rows;
	return (const struct kmem_figure_row *)(void *)(region + e->rows_at);
}

static const char *text_at(u32 at)
{
	return (const char *)region + at;
}

/* Writes one line per figure that is measured. */
static char *tell(struct kmem_session *s, u32 scale, char *at, const char *end)
{
	static const char *const agrees[] = { "-", "yes", "no" };
	const char *id = text_at(kmem_experiment(s)->id_at);
	u32 nr;
	const struct kmem_figure_row *f = rows_of(s, &nr);

	for (u32 i = 0; i < nr; i++) {
		char ours[40] = "-";
		if (f[i].has_ours)
			snprintf(ours, sizeof(ours), "%lld/%u", (long long)f[i].ours_value,
				 f[i].ours_decimals);
		at += snprintf(at, (size_t)(end - at), "%s | %u | %s | %s | %s | %s | %s | %s\n",
			       id, scale, text_at(f[i].table_at), text_at(f[i].row_at),
			       text_at(f[i].column_at), ours, agrees[f[i].agrees],
			       text_at(f[i].why_at));
	}
	return at;
}

/* Checks what holds for every experiment when it is over. */
static void complete(struct kmem_session *s)
{
	const struct kmem_experiment *e = kmem_experiment(s);
	u32 nr, verdicts = 0;
	const struct kmem_figure_row *f = rows_of(s, &nr);

	CHECK(e->runs_done == e->runs);
	for (u32 i = 0; i < nr; i++) {
		verdicts += f[i].agrees != AGREEMENT_OPEN;
		CHECK(text_at(f[i].why_at)[0], "%s, %s, %s does not say why",
		      text_at(f[i].table_at), text_at(f[i].row_at), text_at(f[i].column_at));
		CHECK(f[i].agrees == AGREEMENT_OPEN || f[i].has_ours, "a verdict on nothing");
		CHECK(f[i].agrees == AGREEMENT_OPEN || f[i].has_seed || f[i].has_real,
		      "a verdict against nothing");
		CHECK(f[i].agrees == AGREEMENT_OPEN || text_at(f[i].rule_at)[0],
		      "a verdict by no rule");
		CHECK(!f[i].has_spread ||
		      (f[i].real_least <= f[i].real_value && f[i].real_value <= f[i].real_most));
	}
	CHECK(verdicts > 0);
}

/* Before anything has run, only the proposal's figures exist. */
static void starts_with_the_figures_of_the_proposal(void)
{
	for (u32 k = 0; k < ARRAY_SIZE(seeds); k++) {
		struct kmem_session *s = open_session();
		u32 nr, seed = 0;
		CHECK(kmem_experiment(s) == NULL);
		CHECK(kmem_begin(s, JOB_EXPERIMENT,
				 &(struct kmem_experiment_args){ seeds[k].number, 100 }) == 0,
		      "%s", kmem_error(s));
		const struct kmem_figure_row *f = rows_of(s, &nr);
		for (u32 i = 0; i < nr; i++) {
			seed += f[i].has_seed;
			CHECK(!f[i].has_ours && f[i].agrees == AGREEMENT_OPEN &&
			      !text_at(f[i].why_at)[0]);
			CHECK(f[i].has_real || !text_at(f[i].real_from_at)[0]);
		}
		CHECK(seed > 0, "seed %s prints figures", seeds[k].number);
	}
	struct kmem_session *s = open_session();
	CHECK(kmem_begin(s, JOB_EXPERIMENT, &(struct kmem_experiment_args){ "nothing", 100 }) ==
	      KMEM_EPARAM);
	CHECK(strstr(kmem_error(s), "000 (min-partial)") != NULL, "%s", kmem_error(s));
	CHECK(kmem_work(s, JOB_EXPERIMENT, 1) == KMEM_ESTATE);
}

static const struct kmem_figure_row *figure(struct kmem_session *s, const char *table,
					    const char *row, const char *column)
{
	u32 nr;
	const struct kmem_figure_row *f = rows_of(s, &nr);

	for (u32 i = 0; i < nr; i++)
		if (strncmp(text_at(f[i].table_at), table, strlen(table)) == 0 &&
		    strcmp(text_at(f[i].row_at), row) == 0 &&
		    strcmp(text_at(f[i].column_at), column) == 0)
			return &f[i];
	fprintf(stderr, "no figure %s, %s, %s\n", table, row, column);
	exit(1);
}

/* Work outside the allocator changes times, and on one CPU no counters. */
static void work_outside_changes_only_times(void)
{
	static struct kmem_figure_row with[MAX_ROWS];
	struct kmem_session *s = open_session();
	u32 nr, times = 0, counts = 0;

	run(s, "003", 1 << 20);
	const struct kmem_figure_row *f = rows_of(s, &nr);
	CHECK(nr <= MAX_ROWS);
	memcpy(with, f, nr * sizeof(*f));
	s = open_session();
	CHECK(kmem_set(s, "work", "0") == 0);
	run(s, "003", 1 << 20);
	f = rows_of(s, &nr);
	for (u32 i = 0; i < nr; i++) {
		if (strstr(text_at(f[i].table_at), "searches, one CPU")) {
			CHECK(f[i].ours_value == with[i].ours_value, "%s, %s", text_at(f[i].row_at),
			      text_at(f[i].column_at));
			counts++;
		}
		if (f[i].kind == FIGURE_TIME && f[i].has_ours &&
		    strncmp(text_at(f[i].row_at), "Time", 4) == 0) {
			CHECK(f[i].ours_value < with[i].ours_value, "%s, %s", text_at(f[i].row_at),
			      text_at(f[i].column_at));
			times++;
		}
	}
	CHECK(counts == 12 && times == 2, "%u, %u", counts, times);
}

/* A machine without the change shows no gain, so the verdict is not a constant. */
static void without_the_change_there_is_no_gain(void)
{
	static const char table[] = "slabs from the page allocator, buffers up to 4 KiB";
	struct kmem_session *s = open_session();

	CHECK(kmem_set(s, "min_partial_rule", "static") == 0);
	run(s, "000", 1 << 20);
	complete(s);
	CHECK(figure(s, table, "SLUB", "static")->ours_value ==
	      figure(s, table, "SLUB", "dynamic")->ours_value);
	CHECK(figure(s, table, "static to dynamic", "fall")->ours_value == 0);
	CHECK(figure(s, table, "static to dynamic", "fall")->agrees == AGREEMENT_NO);
	CHECK(figure(s, "real time", "SLUB (dynamic)", "avg")->agrees == AGREEMENT_NO);
	CHECK(strcmp(text_at(figure(s, table, "static to dynamic", "fall")->rule_at),
		     "Agrees between the least and the most of several rounds of the real kernel's code.") ==
	      0);
}

/* Checks what the proposals' rules say exactly. */
static void exact(struct kmem_session *s)
{
	const char *new = "SLOB with segregated free list";

	CHECK(figure(s, "the longest search by one allocation", "pages looked at", new)
		      ->ours_value == 1);
	CHECK(figure(s, "the longest search by one allocation", "free blocks looked at", new)
		      ->ours_value == 1);
	CHECK(figure(s, "how far an allocation searches, one CPU, 40,000", "pages looked at", new)
		      ->ours_value == 100);
	CHECK(figure(s, "memory usage", "increase", new)->agrees == AGREEMENT_YES);
}

int main(int argc, char **argv)
{
	/* The whole experiment, or enough of it to notice a change. */
	static const struct {
		const char *seed;
		u32 scale;
	} told[] = { { "000", 100 }, { "001", 10 }, { "002", 10 }, { "003", 100 }, { "004", 10 } };
	static char text[TEXT_BYTES], again[TEXT_BYTES];
	const u32 divisor = getenv("SHALLOWER") ? 10 : 1;
	char *at = text;

	RUN(starts_with_the_figures_of_the_proposal());
	for (u32 i = 0; i < ARRAY_SIZE(told); i++) {
		struct kmem_session *s = open_session();
		run_part(s, told[i].seed, told[i].scale / divisor, 1 << 20);
		if (divisor > 1)
			continue;
		complete(s);
		if (strcmp(told[i].seed, "003") == 0)
			exact(s);
		at = tell(s, told[i].scale, at, text + sizeof(text));
	}
	if (divisor == 1) {
		struct kmem_session *s = open_session();
		golden_check("seeds", text, argc > 1 && strcmp(argv[1], "--write") == 0);
		run(s, "003", 1000);
		tell(s, 100, again, again + sizeof(again));
		CHECK(strstr(text, again) != NULL, "slices change nothing");
		RUN(work_outside_changes_only_times());
		RUN(without_the_change_there_is_no_gain());
	}
	return check_summary();
}
