/*
 * cmd_sites.c - `slabscope sites`: what each call site allocates, what becomes of it, and what is left at the end.
 */
#include <stdlib.h>

#include "cli/files/output.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { SHOWN_ROWS = 40, SHOWN_REASONS = 8 };

static const char row_keys[] =
	"call_site_at,cache_at,cpu?,node?,task_at,allocations,frees,unseen_frees,bytes_requested,"
	"bytes_allocated,live_objects,live_bytes,live_bytes_requested,peak_live_objects,"
	"peak_live_bytes,peak_op,cross_cpu_frees,cross_node_frees,lifetime_events_min?,"
	"lifetime_events_mean,lifetime_events_max,lifetime_events_p50,lifetime_events_p90,"
	"lifetime_events_p99,lifetime_time_min,lifetime_time_mean,lifetime_time_max,"
	"lifetime_time_p50,lifetime_time_p90,lifetime_time_p99,leak_suspects,first_op,last_op,oldest_live_op?";

static const char *const things[] = { "site", "cache", "cpu", "node", "task" };
_Static_assert(ARRAY_SIZE(things) == NR_VALUES(kmem_sites_by), "each thing has its word");

/* Parses "site,cpu"; 0 after a mistake. */
static u32 parse_by(const char *words)
{
	u32 by = 0;

	for (const char *p = words;; p++) {
		size_t len = strcspn(p, ",");
		u32 i = 0;
		while (i < ARRAY_SIZE(things) &&
		       (strlen(things[i]) != len || strncmp(things[i], p, len) != 0))
			i++;
		if (i == ARRAY_SIZE(things)) {
			complain("--by %s: expected site, cache, cpu, node or task, with "
				 "commas between; found `%.*s`",
				 words, (int)len, p);
			return 0;
		}
		by |= 1u << i;
		p += len;
		if (!*p)
			return by;
	}
}

/* Most live bytes first, then most allocated bytes, then in the order of the trace. */
static int compare_rows(const void *a, const void *b)
{
	const struct kmem_site_row *x = a, *y = b;

	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? 1 : -1;
	if (x->bytes_allocated != y->bytes_allocated)
		return x->bytes_allocated < y->bytes_allocated ? 1 : -1;
	return x->first_op < y->first_op ? -1 : x->first_op > y->first_op;
}

static struct kmem_site_row *sorted(const struct host *h, const struct kmem_sites *sites)
{
	size_t bytes = sites->nr_rows * sizeof(struct kmem_site_row);
	struct kmem_site_row *rows = malloc(bytes + 1);

	if (!rows) {
		complain("not enough memory for the rows");
		return NULL;
	}
	memcpy(rows, host_rows(h, sites->rows_at), bytes);
	qsort(rows, sites->nr_rows, sizeof(*rows), compare_rows);
	return rows;
}

/* Hundredths as a number with a point. */
static void hundredths_json(struct json *j, const char *key, u32 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%u.%02u", value / 100, value % 100);
	json_raw(j, key, text);
}

static void caches_json(struct json *j, const struct host *h, const struct kmem_sites *sites)
{
	const struct kmem_site_cache *rows = host_rows(h, sites->caches_at);

	json_array(j, "caches");
	for (u32 i = 0; i < sites->nr_caches; i++) {
		if (!rows[i].allocations)
			continue;
		json_row(j, NULL);
		fields_json(j, h, ROW(kmem_site_cache, &rows[i]),
			    "name_at,leak:kmem_leak,allocations,frees,unseen_frees,orphan_frees,"
			    "rcu_frees,live_objects,leak_suspects,usual_lifetime,oldest_live_op?");
		json_text(j, "why", kmem_sites_why(h->session, i));
		const char *aliases = kmem_machine_aliases(h->session,
							   host_text(h, rows[i].name_at));
		if (*aliases)
			json_text(j, "aliases", aliases);
		json_end(j);
	}
	json_end(j);
}

static void print_json(const struct host *h, const struct kmem_sites *sites,
		       const struct kmem_site_row *rows)
{
	const struct kmem_site_cache *caches = host_rows(h, sites->caches_at);
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "trace", h->trace);
	from_json(&j, FROM_MEASURED);
	json_number(&j, "ops", sites->ops);
	json_number(&j, "lost", sites->lost);
	json_bool(&j, "is_guess", (int)sites->is_guess);
	sampling_json(&j, h);
	json_text_or_null(&j, "time_unit",
			  !sites->time_is_known			? NULL
			  : kmem_report(h->session)->time_is_ns ? "ns"
								: "ticks");
	json_number(&j, "lifetime_parts", sites->lifetime_parts);
	json_array(&j, "sites");
	for (u32 i = 0; i < sites->nr_rows; i++) {
		json_row(&j, NULL);
		fields_json(&j, h, ROW(kmem_site_row, &rows[i]), row_keys);
		hundredths_json(&j, "fragmentation_percent", rows[i].fragmentation);
		if (rows[i].cache != KMEM_NONE32)
			json_text(&j, "leak", enum_name("kmem_leak", caches[rows[i].cache].leak).s);
		json_end(&j);
	}
	json_end(&j);
	caches_json(&j, h, sites);
	unseen_json(&j, h);
	json_end(&j);
}

static void print_csv(const struct host *h, const struct kmem_sites *sites,
		      const struct kmem_site_row *rows)
{
	fputs("trace,", stdout);
	fields_csv_head(row_keys);
	puts(",from");
	for (u32 i = 0; i < sites->nr_rows; i++) {
		csv_text(stdout, h->trace);
		putchar(',');
		fields_csv(h, ROW(kmem_site_row, &rows[i]), row_keys);
		from_csv(FROM_MEASURED);
	}
}

static void print_name(const struct host *h, const struct kmem_sites *sites,
		       const struct kmem_site_row *row)
{
	const char *site = host_text(h, row->call_site_at), *task = host_text(h, row->task_at);

	if (sites->by & 1u << SITES_BY_CPU)
		printf("  CPU %-4u", row->cpu);
	if (sites->by & 1u << SITES_BY_NODE)
		printf("  node %-3u", row->node);
	if (sites->by & 1u << SITES_BY_TASK)
		printf("  %-16s", task[0] ? plain(task) : "(unknown task)");
	if (sites->by & 1u << SITES_BY_CACHE)
		printf("  %-24s", plain(host_text(h, row->cache_at)));
	if (sites->by & 1u << SITES_BY_SITE)
		printf("  %s", site[0] ? plain(site) : "(unknown call site)");
	puts("");
}

static void print_row(const struct host *h, const struct kmem_sites *sites,
		      const struct kmem_site_row *row)
{
	print_right(grouped(row->live_bytes).s, 15);
	print_right(grouped(row->live_objects).s, 11);
	print_right(row->leak_suspects ? grouped(row->leak_suspects).s : NO_NUMBER, 10);
	print_right(grouped(row->allocations).s, 13);
	print_right(grouped(row->frees).s, 13);
	print_right(grouped(row->bytes_allocated).s, 16);
	printf("%6u.%u %%", row->fragmentation / 100, row->fragmentation / 10 % 10);
	print_right(row->frees ? grouped(row->lifetime_events_mean).s : NO_NUMBER, 12);
	print_right(grouped(row->cross_cpu_frees).s, 11);
	print_right(grouped(row->cross_node_frees).s, 11);
	print_name(h, sites, row);
}

/* Finds the cache with one verdict that has most live objects of those behind `last`; nr_caches if there is none. */
static u32 next_reason(const struct kmem_site_cache *rows, u32 nr_caches, u32 leak, u32 last)
{
	u32 best = nr_caches;

	for (u32 i = 0; i < nr_caches; i++) {
		u32 live = rows[i].live_objects;
		int is_behind = last == nr_caches || live < rows[last].live_objects ||
				(live == rows[last].live_objects && i > last);
		if (rows[i].leak == leak && rows[i].allocations && is_behind &&
		    (best == nr_caches || live > rows[best].live_objects))
			best = i;
	}
	return best;
}

/* Prints why the caches with one verdict have live objects, most objects first. */
static void print_reasons(const struct host *h, const struct kmem_sites *sites, u32 leak)
{
	const struct kmem_site_cache *rows = host_rows(h, sites->caches_at);
	u32 nr = 0, none = sites->nr_caches, i = none;

	for (u32 k = 0; k < none; k++)
		nr += rows[k].leak == leak && rows[k].allocations;
	if (nr)
		printf("\n%s\n", enum_words("kmem_leak", leak));
	for (u32 shown = 0; shown < MIN(nr, (u32)SHOWN_REASONS); shown++) {
		i = next_reason(rows, none, leak, i);
		printf("  %s, %s. ", plain(host_text(h, rows[i].name_at)),
		       counted(rows[i].live_objects, "live object").s);
		puts(kmem_sites_why(h->session, i));
	}
	if (nr > SHOWN_REASONS)
		printf("  ... and %s more: --json\n", counted(nr - SHOWN_REASONS, "cache").s);
}

/* Names what the kernel has merged: the trace calls all of these by the first one. */
static void print_aliases(const struct host *h, const struct kmem_sites *sites)
{
	const struct kmem_site_cache *rows = host_rows(h, sites->caches_at);
	u32 nr = 0;

	for (u32 i = 0; i < sites->nr_caches; i++) {
		const char *name = host_text(h, rows[i].name_at),
			   *aliases = kmem_machine_aliases(h->session, name);
		if (!*aliases || !rows[i].allocations)
			continue;
		printf("%s  %s is merged with %s\n", nr++ ? "" : "\n", plain(name), aliases);
	}
}

static void print_text(const struct host *h, const struct args *args,
		       const struct kmem_sites *sites, const struct kmem_site_row *rows)
{
	u64 most = GIVEN(args, MOST) ? args->number[OPT_MOST] : SHOWN_ROWS;
	u32 shown = (u32)MIN(most, (u64)sites->nr_rows);

	sampling_print(h);
	printf("%15s%11s%10s%13s%13s%16s%10s%12s%11s%11s\n", "live bytes", "objects", "suspects",
	       "allocations", "frees", "bytes", "unused", "mean life", "other CPU", "other node");
	for (u32 i = 0; i < shown; i++)
		print_row(h, sites, &rows[i]);
	if (shown < sites->nr_rows)
		printf("%15s  and %s: --count K\n", "...",
		       counted(sites->nr_rows - shown, "more row").s);
	puts("\nunused: part of the slots that was not requested. mean life: events from an allocation "
	     "to its free.\nother CPU, other node: frees there.");
	print_reasons(h, sites, LEAK_SUSPECT);
	print_reasons(h, sites, LEAK_UNSEEN);
	print_reasons(h, sites, LEAK_FEW_FREES);
	print_reasons(h, sites, LEAK_RCU);
	print_reasons(h, sites, LEAK_SAMPLED);
	print_aliases(h, sites);
}

static int show(struct host *h, const struct args *args)
{
	const struct kmem_sites *sites = kmem_sites(h->session);
	struct kmem_site_row *rows = sites ? sorted(h, sites) : NULL;

	if (!sites)
		return host_failed(h, KMEM_ESTATE);
	if (!rows)
		return EXIT_INPUT;
	if (GIVEN(args, JSON))
		print_json(h, sites, rows);
	else if (GIVEN(args, CSV))
		print_csv(h, sites, rows);
	else
		print_text(h, args, sites, rows);
	free(rows);
	return host_verdict(h);
}

static u32 number_or_any(const struct args *args, int is_given, u32 option)
{
	return is_given ? (u32)MIN(args->number[option], (u64)KMEM_ANY - 1) : KMEM_ANY;
}

static int check_call(const struct args *args, u32 *by)
{
	*by = 1u << SITES_BY_SITE | 1u << SITES_BY_CACHE;
	if (GIVEN(args, BY))
		*by = parse_by(args->text[OPT_BY]);
	if (!*by)
		return EXIT_CALL;
	if (!GIVEN(args, PPROF) && !GIVEN(args, OUTPUT))
		return EXIT_DONE;
	if (!GIVEN(args, PPROF) || !GIVEN(args, OUTPUT)) {
		complain("a profile is binary: use --pprof and -o FILE together, or -o - for "
			 "standard output");
		return EXIT_CALL;
	}
	if (GIVEN(args, JSON) || GIVEN(args, CSV)) {
		complain("--pprof, --json and --csv are three forms of one answer: use one of "
			 "them");
		return EXIT_CALL;
	}
	return EXIT_DONE;
}

static int count(struct host *h, const struct args *args, u32 by)
{
	if (by & 1u << SITES_BY_TASK || GIVEN(args, SITE_TASK))
		host_keep(KMEM_KEEP_TASKS);
	int status = host_import(h, args, NULL);
	if (status)
		return status;
	u32 cpu = number_or_any(args, GIVEN(args, SITE_CPU), OPT_SITE_CPU),
	    node = number_or_any(args, GIVEN(args, SITE_NODE), OPT_SITE_NODE);
	u64 first = GIVEN(args, SITE_FROM) ? args->number[OPT_SITE_FROM] - 1 : 0,
	    end = GIVEN(args, SITE_TO) ? args->number[OPT_SITE_TO] : KMEM_NONE32;
	const struct kmem_sites_args asked = {
		args->text[OPT_SITE_CACHE],	   args->text[OPT_SITE_TASK],	   by, cpu, node,
		(u32)MIN(first, (u64)KMEM_NONE32), (u32)MIN(end, (u64)KMEM_NONE32)
	};
	return host_finish(h, JOB_SITES, &asked, "counting call sites");
}

static int write_profile(struct host *h, struct output *out)
{
	s32 err = kmem_pprof_begin(h->session);
	const u8 *at;
	u32 nr;

	if (err)
		return host_failed(h, err);
	do {
		at = kmem_pprof_next(h->session, &nr);
		if (!at)
			return host_failed(h, KMEM_ESTATE);
	} while (nr && output_write(out, at, nr));
	return EXIT_DONE;
}

static int run_pprof(struct host *h, const struct args *args, u32 by)
{
	struct output out;
	int status = output_begin(&out, args, args->nr_operands);

	if (status)
		return status;
	status = count(h, args, by);
	if (!status)
		status = write_profile(h, &out);
	status = output_end(&out, status);
	if (status)
		return status;
	if (!h->quiet && !out.is_stdout)
		printf("%s: %s; open it with pprof\n", plain(out.name),
		       counted(kmem_sites(h->session)->nr_rows, "sample").s);
	return host_verdict(h);
}

static int run(struct args *args)
{
	struct host h;
	u32 by;
	int status = check_call(args, &by);

	if (status)
		return status;
	if (GIVEN(args, PPROF))
		return run_pprof(&h, args, by);
	status = count(&h, args, by);
	return status ? status : show(&h, args);
}

const struct command command_sites = {
	"sites",
	"TRACE",
	"call sites: who allocates, how long objects live, and what is left",
	"Counts for each call site and cache: allocations, frees of these objects wherever they\n"
	"were freed, bytes requested and bytes of their slots, lifetimes, frees on another CPU or\n"
	"node, and the objects that live at the end. An object is a leak suspect if it is older\n"
	"than nearly all objects of its cache that the trace frees; in a trace of a program up to\n"
	"its end also if its call site left many objects. For each cache the command\n"
	"says whether the trace shows the frees at all, and how it knows. A node is that of the\n"
	"CPU, by --nodes or the trace's own machine line. Tasks take 4 bytes of memory an event.\n"
	"Nothing is replayed. --cache-params names the caches that the kernel has merged. --pprof writes the rows as a profile for pprof, speedscope and others.",
	"  slabscope sites trace.txt.gz\n"
	"  slabscope sites trace.txt.gz --cache kmalloc-64 --by site,cpu --csv\n"
	"  slabscope sites trace.txt.gz --pprof -o sites.pb.gz",
	OPTIONS_TRACE | OPTION(CSV) | OPTION(PPROF) | OPTION(OUTPUT) | OPTION(SITE_CACHE) |
		OPTION(SITE_CPU) | OPTION(SITE_NODE) | OPTION(SITE_TASK) | OPTION(SITE_FROM) |
		OPTION(SITE_TO) | OPTION(BY) | OPTION(MOST) | OPTION(CPUS) | OPTION(NODES) |
		OPTION(SET) | OPTION(CACHE_PARAMS) | OPTION(START),
	run,
};
