/*
 * outcome.c - the results of a replay: totals, caches as the model, sysfs and slabinfo have them, reports of debugging, and
 * a real machine's caches beside the model's.
 */
#include <stdlib.h>

#include "cli/print.h"
#include "doc/doc.h"

static void *copied(const void *rows, u32 nr, size_t row_bytes)
{
	void *copy = memory_for(nr, row_bytes);

	return nr ? memcpy(copy, rows, nr * row_bytes) : copy;
}

struct kmem_cache_row *caches_take(const struct host *h, u32 *nr)
{
	const struct kmem_cache_row *rows = kmem_cache_rows(h->session, nr);

	return copied(rows, *nr, sizeof(*rows));
}

struct slabinfo slabinfo_take(const struct host *h)
{
	struct slabinfo info = { NULL, 0 };
	const struct kmem_slabinfo_row *rows = kmem_slabinfo(h->session, &info.nr);

	info.rows = copied(rows, info.nr, sizeof(*rows));
	return info;
}

void doc_sysfs(struct doc *d, const struct host *h, const struct slabinfo *info, u32 cache)
{
	u32 nr;
	const struct kmem_attribute_row *file = kmem_attributes(h->session, cache, &nr);

	if (nr)
		doc_object(d, "sysfs");
	else
		doc_null(d, "sysfs");
	for (u32 k = 0; k < nr; k++)
		doc_text(d, host_text(h, file[k].name_at), host_text(h, file[k].value_at));
	if (nr)
		doc_end(d);
	/* slabinfo lists the newest cache first. */
	if (cache >= info->nr) {
		doc_null(d, "slabinfo");
		return;
	}
	doc_row(d, "slabinfo");
	doc_fields(
		d, ROW(kmem_slabinfo_row, &info->rows[info->nr - 1 - cache]),
		"active_objs,num_objs,objsize,objperslab,pagesperslab,limit,batchcount,sharedfactor,"
		"active_slabs,num_slabs,sharedavail,slabs,partial,cpu_slabs,percent_partial,"
		"percent_efficient,space,loss");
	doc_end(d);
}

void doc_track(struct doc *d, const char *key, u32 op, u32 cpu, u64 time, u32 site_at)
{
	if (op == NO_TRACK) {
		doc_null(d, key);
		return;
	}
	doc_row(d, key);
	doc_number(d, "op", op);
	doc_number(d, "cpu", cpu);
	doc_number(d, "time", time);
	doc_text(d, "call_site", site_at ? (const char *)d->base + site_at : "");
	doc_end(d);
}

void doc_bug_values(struct doc *d, const struct kmem_bug *bug)
{
	doc_text(d, "check", enum_words("kmem_check", bug->check));
	doc_fields(
		d, ROW(kmem_bug, bug),
		"slab,index?,address:hex,fault:hex,refused:hex,offset,len,expected,found,counter,"
		"counted,slab_objects,slab_used");
}

void doc_bug_fixes(struct doc *d, const struct kmem_bug *bug)
{
	doc_list(d, "fixes");
	for (u32 fix = 0; fix <= FIX_COUNT; fix++)
		if (bug->fixes >> fix & 1)
			doc_text(d, NULL, enum_words("kmem_fix", fix));
	doc_end(d);
}

void doc_bugs(struct doc *d, const struct host *h)
{
	u32 nr, all;
	const struct kmem_bug *bug = kmem_reports(h->session, &nr, &all);

	doc_number(d, "reports_found", all);
	doc_array(d, "reports");
	if (nr)
		doc_line(d, "\n%s of debugging%s", counted(all, "report").s,
			 nr < all ? "; the first of them:" : ":");
	for (u32 i = 0; i < nr; i++, bug++) {
		doc_line(d, "in event %s: %s", event_number(bug->op).s,
			 plain_lines(kmem_report_text(h->session, bug)));
		doc_object(d, NULL);
		doc_fields(d, ROW(kmem_bug, bug), "op,cpu,cache=name_at");
		doc_bug_values(d, bug);
		doc_track(d, "allocated", bug->alloc_op, bug->alloc_cpu, bug->alloc_time,
			  bug->alloc_site_at);
		doc_track(d, "freed", bug->free_op, bug->free_cpu, bug->free_time,
			  bug->free_site_at);
		doc_bug_fixes(d, bug);
		doc_text(d, "text", kmem_report_text(h->session, bug));
		doc_end(d);
	}
	doc_end(d);
}

/* Writes the counters of the chosen allocator as members of an object. */
static void doc_counters(struct doc *d, const char *key, struct kmem_session *s,
			 const u32 *counters)
{
	doc_row(d, key);
	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (kmem_has_counter(s, i))
			doc_number(d, lower_case(counter_name(i)).s, counters[i]);
	doc_end(d);
}

static void totals_json(struct doc *d, const struct host *h)
{
	const struct kmem_totals t =
		*kmem_totals(h->session); /* a copy: the calls below reuse its memory */

	doc_hex64(d, "state_hash", kmem_hash(h->session));
	doc_text(d, "machine", kmem_machine_text(h->session));
	doc_text_or_null(d, "preset", h->preset);
	doc_kernel(d, h, 0);
	doc_from_of(d, "requested_bytes=measured,large_bytes=measured,live_objects=measured,"
		       "live_at_end=measured");
	doc_fields(
		d, ROW(kmem_totals, &t),
		"pages_in_use,pages_peak,slab_bytes,requested_bytes,in_use_before_bytes,large_bytes");
	doc_row(d, "waste");
	doc_fields(d, ROW(kmem_totals, &t),
		   "rounding=waste_rounding,tail=waste_tail,free_objects=waste_free");
	doc_end(d);
	doc_fields(d, ROW(kmem_totals, &t),
		   "cycles,lock_wait_cycles,elapsed_cycles,live_objects,slabs,partial,"
		   "get_any_partial_entered=any_node_entered,zones_visited=any_node_zones,searches,"
		   "pages_visited,most_pages_visited,blocks_visited,most_blocks_visited,"
		   "head_fragment_bytes");
	doc_counters(d, "totals", h->session, t.counters);
}

static void cache_json(struct doc *d, const struct host *h, const struct kmem_cache_row *c,
		       const struct slabinfo *info)
{
	doc_object(d, NULL);
	doc_fields(
		d, ROW(kmem_cache_row, c),
		"name_at,object_size,size,align,order,objects_per_slab,slabs,slabs_peak,objects,"
		"total_objects,live_objects,partial,cpu_slabs,min_partial,cpu_partial,"
		"cpu_partial_slabs,slab_bytes,requested_bytes,in_use_before_bytes,cycles,lock_wait_cycles");
	if (kmem_from_of(h->session, c->cache) != kmem_from(h->session))
		doc_from(d, kmem_from_of(h->session, c->cache));
	doc_counters(d, "counters", h->session, c->counters);
	doc_sysfs(d, h, info, c->cache);
	doc_end(d);
}

void outcome_rows(struct doc *d, const struct host *h)
{
	u32 nr;

	d->base = h->base;
	totals_json(d, h);
	struct slabinfo info = slabinfo_take(h);
	struct kmem_cache_row *c = caches_take(h, &nr);
	doc_array(d, "caches");
	for (u32 i = 0; i < nr; i++)
		cache_json(d, h, &c[i], &info);
	doc_end(d);
	free(c);
	free(info.rows);
	const struct kmem_cpu_row *cpus = kmem_cpu_rows(h->session, &nr);
	doc_field_rows(d, "cpu_rows", ROW(kmem_cpu_row, cpus), nr,
		       "cpu,node,clock,cycles,lock_wait_cycles");
	const struct kmem_lock_row *locks = kmem_lock_rows(h->session, &nr);
	doc_field_rows(d, "locks", ROW(kmem_lock_row, locks), nr,
		       "kind:kmem_lock_kind,cache?,node?,target?,takes,contended,wait_cycles");
}

void outcome(struct doc *d, const struct host *h)
{
	outcome_rows(d, h);
	doc_bugs(d, h);
	doc_unseen(d, h);
}

/* A machine's caches */

enum { NOT_KNOWN = 0xffffffff, GROWTH_ROWS = 30 };

/* Fields that caches of the model and of the machine share. Text shows those with a width. */
static const struct {
	const char *name;
	int is_in_text;
} shared[] = {
	{ "object_size", 0 }, { "size", 1 },	{ "objects_per_slab", 0 },
	{ "order", 1 },	      { "objects", 1 }, { "total_objects", 0 },
	{ "slabs", 1 },	      { "partial", 1 }, { "min_partial", 0 },
	{ "cpu_partial", 0 },
};

/* The number before, the one after, and the change; null if the file does not say. */
static void doc_change(struct doc *d, const char *key, u32 before, u32 after)
{
	int is_known = before != NOT_KNOWN && after != NOT_KNOWN;

	doc_row(d, key);
	doc_number_or_null(d, "before", before, NOT_KNOWN);
	doc_number_or_null(d, "after", after, NOT_KNOWN);
	if (is_known)
		doc_signed(d, "change", (s64)after - before);
	else
		doc_null(d, "change");
	doc_end(d);
}

/* "  1,200 → 1,216   +16" */
static void say_change(struct doc *d, u32 before, u32 after)
{
	if (before == NOT_KNOWN || after == NOT_KNOWN)
		doc_say(d, "  %7s    %7s %7s", "-", "-", "-");
	else
		doc_say(d, "  %7u -> %7u %+7lld", before, after, (long long)after - before);
}

/* The mark of the model's figures in a row of growth. */
static u32 growth_from(const struct host *h, const struct kmem_growth_row *g,
		       const struct kmem_cache_row *c, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (c[i].name_at == g->name_at)
			return kmem_from_of(h->session, c[i].cache);
	return kmem_from(h->session);
}

static void doc_growth_row(struct doc *d, const struct host *h, const struct kmem_growth_row *g,
			   u32 i, u32 from)
{
	int is_other = from != kmem_from(h->session);

	doc_object(d, NULL);
	doc_text(d, "name", host_text(h, g->name_at));
	if (is_other)
		doc_from(d, from);
	doc_from_of(d, "objects=machine,slabs=machine");
	doc_number(d, "order", g->order);
	doc_change(d, "objects", g->objects_before, g->objects_after);
	doc_change(d, "slabs", g->slabs_before, g->slabs_after);
	doc_change(d, "model_objects", g->model_objects_before, g->model_objects_after);
	doc_change(d, "model_slabs", g->model_slabs_before, g->model_slabs_after);
	doc_number(d, "allocs", g->allocs);
	doc_number(d, "frees", g->frees);
	doc_text(d, "why", kmem_growth_why(h->session, i));
	doc_end(d);
	doc_say(d, "  %-24s", plain(host_text(h, g->name_at)));
	say_change(d, g->slabs_before, g->slabs_after);
	say_change(d, g->model_slabs_before, g->model_slabs_after);
	say_change(d, g->objects_before, g->objects_after);
	say_change(d, g->model_objects_before, g->model_objects_after);
	doc_line(d, "%s%s", is_other ? "  " : "", is_other ? mark(from) : "");
	const char *why = d->form == DOC_TEXT ? kmem_growth_why(h->session, i) : "";
	if (*why)
		doc_line(d, "      %s", why);
}

static void doc_growth(struct doc *d, const struct host *h, const struct kmem_cache_row *c,
		       u32 nr_caches)
{
	u32 nr, unlisted = 0, rows = 0, most = d->form == DOC_TEXT ? GROWTH_ROWS : ~0u;
	const struct kmem_growth_row *g = kmem_growth(h->session, &nr);

	doc_say(d,
		"\nbefore -> after, and the change: slabs of the machine and of the model, then active objects;\n"
		"those of the model are modelled from a %s, where no other mark follows\n",
		mark(kmem_from(h->session)));
	doc_line(d, "  %-24s  %-26s  %-26s  %-26s  %s", "cache", "slabs, machine", "slabs, model",
		 "objects, machine", "objects, model");
	doc_array(d, "growth");
	for (u32 i = 0; i < nr; i++, g++) {
		/* Nothing to compare: a file need not list all caches of its machine. */
		int is_unlisted = g->slabs_before == NOT_KNOWN && g->slabs_after == NOT_KNOWN;
		unlisted += is_unlisted;
		if (d->form == DOC_TEXT && is_unlisted)
			continue;
		if (rows++ < most)
			doc_growth_row(d, h, g, i, growth_from(h, g, c, nr_caches));
	}
	doc_end(d);
	if (rows > most)
		doc_line(d, "  and %s with smaller changes; --json lists all of them",
			 counted(rows - most, "cache").s);
	if (unlisted)
		doc_line(
			d,
			"  and %s of the model whose slabs neither file lists; --json has the model's change",
			counted(unlisted, "cache").s);
	if (!nr)
		doc_line(d, "  no cache changes");
}

static void doc_pair(struct doc *d, u32 k, u64 model, u64 machine)
{
	doc_row(d, shared[k].name);
	doc_number(d, "model", model);
	doc_number_or_null(d, "machine", machine, NOT_KNOWN);
	doc_end(d);
	if (shared[k].is_in_text && machine == NOT_KNOWN)
		doc_say(d, " %6u %-9s", (u32)model, NO_NUMBER); /* three bytes, one character */
	else if (shared[k].is_in_text)
		doc_say(d, " %6u %-7u", (u32)model, (u32)machine);
}

static void doc_overlaid(struct doc *d, const struct host *h, const struct kmem_cache_row *c,
			 const struct kmem_machine_state_row *o)
{
	const char *name = host_text(h, c->name_at);
	u32 from = kmem_from_of(h->session, c->cache);
	int is_other = from != kmem_from(h->session);

	doc_object(d, NULL);
	doc_text(d, "name", name);
	doc_text(d, "machine_name", host_text(h, o->name_at));
	if (is_other)
		doc_from(d, from);
	doc_from_of(d, "machine=machine");
	doc_text(d, "aliases", kmem_machine_aliases(h->session, name));
	doc_say(d, "  %-24s", plain(name));
	for (u32 k = 0; k < ARRAY_SIZE(shared); k++)
		doc_pair(d, k, field_value(ROW(kmem_cache_row, c), shared[k].name),
			 field_value(ROW(kmem_machine_state_row, o), shared[k].name));
	doc_line(d, "%s%s", is_other ? "  " : "", is_other ? mark(from) : "");
	doc_end(d);
}

void doc_machine_state(struct doc *d, const struct host *h, const struct args *args)
{
	u32 nr, missing = 0;

	if (!given(args, "machine-state"))
		return;
	struct kmem_cache_row *c = caches_take(h, &nr);
	doc_line(d, "\nmodel (%s) beside machine; " NO_NUMBER ": the machine's file does not say",
		 mark(kmem_from(h->session)));
	doc_say(d, "  %-24s", "cache");
	for (u32 k = 0; k < ARRAY_SIZE(shared); k++)
		if (shared[k].is_in_text)
			doc_say(d, " %14s", shared[k].name);
	doc_gap(d);
	doc_array(d, "overlay");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_machine_state_row *o = kmem_machine_state_of(h->session,
									       c[i].cache);
		missing += !o;
		if (o)
			doc_overlaid(d, h, &c[i], o);
	}
	doc_end(d);
	if (missing)
		doc_line(d, "  %s of the model: the machine's file lists none of that name",
			 counted(missing, "cache").s);
	/* The kernel has merged these caches: the trace calls all of them by the first one. */
	for (u32 i = 0; d->form == DOC_TEXT && i < nr; i++) {
		const char *name = host_text(h, c[i].name_at);
		const char *aliases = kmem_machine_aliases(h->session, name);
		if (*aliases)
			doc_line(d, "  %s is merged with %s", plain(name), aliases);
	}
	if (given(args, "before"))
		doc_growth(d, h, c, nr);
	free(c);
}
