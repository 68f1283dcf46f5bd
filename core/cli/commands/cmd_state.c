/*
 * cmd_state.c - `slabscope state`: where every slab is, and the state of every object, at one position.
 */
#include <stdlib.h>

#include "cli/host/cache_names.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

/* The objects that a place holds one by one, from the one that leaves it next. */
static void objects_json(struct json *j, const struct kmem_place *p, const struct kmem_entry *e)
{
	json_list(j, "objects");
	for (u32 i = p->nr_entries; i-- > 0;) {
		json_row(j, NULL);
		json_number(j, "slab", e[i].slab);
		json_number(j, "index", e[i].index);
		if (p->sheaves)
			json_number(j, "sheaf", e[i].sheaf);
		json_end(j);
	}
	json_end(j);
}

static void places_json(struct json *j, const struct host *h, const struct kmem_frame *f)
{
	const struct kmem_place *p = host_rows(h, f->places_at);
	const struct kmem_entry *e = host_rows(h, f->entries_at);

	json_array(j, "places");
	for (u32 i = 0; i < f->nr_places; i++) {
		json_row(j, NULL);
		fields_json(
			j, h, ROW(kmem_place, p + i),
			"kind:kmem_place_kind,cache,cpu?,node?,target?,nr_slabs,first_slab,limit,"
			"free_objects,nr_entries,sheaves");
		objects_json(j, p + i, e + p[i].first_entry);
		json_end(j);
	}
	json_end(j);
}

static void slabs_json(struct json *j, const struct host *h, const struct kmem_frame *f)
{
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);

	rows_json(j, "slabs", h, ROW(kmem_slab_row, s), f->nr_slabs,
		  "cache,serial,address:hex,place,position,node,order,objects,inuse,free_on_slab,"
		  "free_on_cpu,owner_cpu?,frozen:bool,inferred,first_cell,first_extent?");
}

static void cells_json(struct json *j, const struct host *h, const struct kmem_frame *f)
{
	const u8 *cell = host_rows(h, f->cells_at);

	json_array(j, "cell_kinds");
	for (u32 i = CELL_FREE; i <= CELL_INFERRED; i++)
		json_text(j, NULL, enum_name("kmem_cell", i).s);
	json_end(j);
	json_list(j, "cells");
	for (u32 i = 0; i < f->nr_cells; i++)
		json_number(j, NULL, cell[i]);
	json_end(j);
}

/* Writes each cell's place in its slab, where cells differ in size. */
static void extents_json(struct json *j, const struct host *h, const struct kmem_frame *f)
{
	const struct kmem_extent *e = host_rows(h, f->extents_at);

	rows_json(j, "extents", h, ROW(kmem_extent, e), f->nr_extents, "offset,bytes");
}

static void caches_json(struct json *j, const struct cache_names *names)
{
	json_list(j, "caches");
	for (u32 i = 0; i < names->nr; i++)
		json_text(j, NULL, names->of[i]);
	json_end(j);
}

/* Writes each cache as the kernel's files show it. It comes last, because these calls overwrite other rows. */
static void views_json(struct json *j, const struct host *h, const struct cache_names *names)
{
	struct slabinfo info = slabinfo_take(h);

	json_array(j, "cache_views");
	for (u32 i = 0; i < names->nr; i++) {
		json_object(j, NULL);
		json_text(j, "name", names->of[i]);
		sysfs_json(j, h, &info, i);
		json_end(j);
	}
	json_end(j);
	free(info.rows);
}

static void print_json(const struct host *h, const struct kmem_frame *f,
		       const struct cache_names *names)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_number(&j, "op", f->op);
	json_number(&j, "step", f->step);
	places_json(&j, h, f);
	slabs_json(&j, h, f);
	cells_json(&j, h, f);
	extents_json(&j, h, f);
	caches_json(&j, names);
	json_text(&j, "machine", kmem_machine_text(h->session));
	kernel_json_now(&j, h);
	json_hex64(&j, "state_hash", kmem_hash(h->session));
	views_json(&j, h, names);
	json_end(&j);
}

static void print_csv(const struct host *h, const struct kmem_frame *f,
		      const struct cache_names *names)
{
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);
	const struct kmem_place *p = host_rows(h, f->places_at);

	kernel_note_now(h);
	puts("cache,slab,place,cpu,position,node,order,objects,inuse,free_on_slab,free_on_cpu,frozen,address,from");
	for (u32 i = 0; i < f->nr_slabs; i++) {
		csv_text(stdout, names->of[s[i].cache]);
		printf(",%u,", s[i].serial);
		fields_csv(h, ROW(kmem_place, &p[s[i].place]), "kind:kmem_place_kind,cpu?");
		putchar(',');
		fields_csv(h, ROW(kmem_slab_row, &s[i]),
			   "position,node,order,objects,inuse,free_on_slab,free_on_cpu,frozen,"
			   "address:hex");
		from_csv(kmem_from_of(h->session, s[i].cache));
	}
}

static void print_slab(const struct host *h, const struct kmem_frame *f,
		       const struct kmem_slab_row *s)
{
	static const char glyphs[] = { [CELL_FREE] = '.',	[CELL_ALLOCATED] = '#',
				       [CELL_FREE_CPU] = 'o',	[CELL_FREE_SHARED] = 's',
				       [CELL_FREE_ALIEN] = 'x', [CELL_LOST] = '!',
				       [CELL_INFERRED] = 'i' };
	const u8 *cell = (const u8 *)host_rows(h, f->cells_at) + s->first_cell;

	printf("    slab %-5u %3u of %-3u used  ", s->serial,
	       s->objects - s->free_on_slab - s->free_on_cpu, s->objects);
	for (u32 i = 0; i < s->objects; i++)
		putchar(glyphs[cell[i]]);
	putchar('\n');
}

static void print_place(const struct kmem_place *p, const struct cache_names *names)
{
	printf("\n  %s: %s", plain(names->of[p->cache]), enum_words("kmem_place_kind", p->kind));
	if (p->cpu != CPU_NONE)
		printf(" of CPU %u", p->cpu);
	if (p->node != NODE_ANY)
		printf(" on node %u", p->node);
	printf(", %s, %s\n", counted(p->nr_slabs, "slab").s,
	       counted(p->free_objects, "free object").s);
}

static void print_text(const struct host *h, const struct kmem_frame *f,
		       const struct cache_names *names)
{
	const struct kmem_place *p = host_rows(h, f->places_at);
	const struct kmem_slab_row *s = host_rows(h, f->slabs_at);

	printf("after %s", counted(f->op, "event").s);
	if (f->step)
		printf(" and %s of the next", counted(f->step, "step").s);
	puts("; # allocated, i in use before the trace, o free, held by a CPU, . free on the slab");
	kernel_print_now(h, 0);
	for (u32 i = 0; i < f->nr_places; i++) {
		if (!p[i].nr_slabs)
			continue;
		print_place(&p[i], names);
		for (u32 k = 0; k < p[i].nr_slabs; k++)
			print_slab(h, f, &s[p[i].first_slab + k]);
	}
}

static int show_slabinfo(struct host *h)
{
	const char *text;

	kernel_note_now(h);
	text = kmem_slabinfo_text(h->session);
	if (!*text)
		complain("the kernels that have this allocator have no /proc/slabinfo");
	fputs(plain_lines(text), stdout);
	return *text ? host_verdict(h) : EXIT_CALL;
}

static int show(struct host *h, const struct args *args)
{
	static struct cache_names names;
	u32 nr_ops = kmem_nr_ops(h->session), cache;
	u64 at = GIVEN(args, AT) ? args->number[OPT_AT] : nr_ops;
	const struct kmem_frame *frame;

	if (at > nr_ops || (GIVEN(args, STEP) && at == nr_ops)) {
		complain("--at %llu is past the end: %s has %llu events", (unsigned long long)at,
			 h->trace, (unsigned long long)nr_ops);
		return EXIT_CALL;
	}
	int status = asked_cache(&names, h, args, &cache);
	if (status)
		return status;
	s32 err = kmem_seek(h->session, (u32)at);
	if (err)
		return host_failed(h, err);
	if (GIVEN(args, OBJECT))
		return show_object(h, args, &names);
	if (GIVEN(args, SLABINFO))
		return show_slabinfo(h);
	frame = GIVEN(args, STEP)
			? kmem_peek(h->session, (u32)at, (u32)args->number[OPT_STEP], cache)
			: kmem_view(h->session, cache);
	if (!frame && GIVEN(args, STEP)) {
		complain("--step %s: %s", args->text[OPT_STEP], kmem_error(h->session));
		return EXIT_CALL;
	}
	if (!frame)
		return host_failed(h, KMEM_ENOMEM);
	if (GIVEN(args, JSON))
		print_json(h, frame, &names);
	else if (GIVEN(args, CSV))
		print_csv(h, frame, &names);
	else
		print_text(h, frame, &names);
	return host_verdict(h);
}

static int run(struct args *args)
{
	int status = check_object(args);

	return status ? status : host_answer(args, NEEDS_REPLAY, show);
}

const struct command command_state = {
	"state",
	"TRACE",
	"where every slab is and what every object is, after N events",
	"Shows the simulated memory after N events (--at, default: at the end): the\n"
	"cpu slabs, the per-CPU partial lists, the nodes' partial lists, each slab with its\n"
	"objects. --step K looks inside event N + 1, right after its step K. --object shows\n"
	"one object with its slot's layout and the arithmetic of its free pointer, --slabinfo\n"
	"all caches as /proc/slabinfo would list them.",
	"  slabscope state trace.txt --at 5000 --cache dentry\n"
	"  slabscope state trace.txt --at 5000 --object dentry/3/7",
	OPTIONS_TRACE | OPTION(CACHE_PARAMS) | OPTIONS_BEGIN | OPTION(CSV) | OPTION(AT) |
		OPTION(STEP) | OPTION(CACHE) | OPTION(OBJECT) | OPTION(SLABINFO) | OPTIONS_MACHINE,
	run,
};
