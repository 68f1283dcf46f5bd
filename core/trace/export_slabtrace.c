/*
 * export_slabtrace.c - writes a trace as slabtrace, which reads back to the same events.
 *
 * In a word of slabtrace, blanks, control characters and % become %20, %1b, %25. The objects of a bulk request are on one
 * line together.
 */
#include "sim/cache.h"
#include "trace/export.h"
#include "util/scan.h"
#include "util/text.h"

const struct slabtrace_flag slabtrace_flags[NR_SLABTRACE_FLAGS] = {
	{ "hwcache_align", CACHE_HWCACHE_ALIGN },
	{ "reclaim", CACHE_RECLAIM },
	{ "ctor", CACHE_CTOR },
	{ "typesafe_by_rcu", CACHE_TYPESAFE_BY_RCU },
	{ "red_zone", CACHE_RED_ZONE },
	{ "poison", CACHE_POISON },
	{ "store_user", CACHE_STORE_USER },
	{ "nomerge", CACHE_NOMERGE },
	{ "sanity_checks", CACHE_SANITY },
	{ "sanity", CACHE_SANITY },
	{ "account", CACHE_ACCOUNT },
	{ "dma", CACHE_DMA },
	{ "dma32", CACHE_DMA32 },
	{ "lowmem", CACHE_LOWMEM },
};

const char *const slabtrace_ops[] = { "",	 "a",	     "k",      "f",	 "flush",
				      "shrink",	 "tick",     "reap",   "expire", "set",
				      "corrupt", "validate", "a",      "f",	 "grace",
				      "dead",	 "prefill",  "refill", "return" };
const char *const slabtrace_reasons[] = { "null", "orphan", "zero-size", "failed", "kept" };
const char *const slabtrace_types[] = { "normal", "reclaimable", "accounted", "dma" };

_Static_assert((int)NR_SLABTRACE_TYPES == (int)NR_KMALLOC_TYPES, "each type has a word");

static void add_word(struct text *out, const char *word)
{
	static const char hex[] = "0123456789abcdef";

	for (; *word; word++) {
		u8 c = (u8)*word;
		char code[3] = { '%', hex[c >> 4], hex[c & 15] };
		if (c <= ' ' || c == '%' || c == 0x7f)
			text_add_n(out, code, 3);
		else
			text_add_n(out, word, 1);
	}
}

static void add_key(struct text *out, const char *key, const char *word)
{
	if (!*word)
		return;
	text_add(out, key);
	add_word(out, word);
}

static void add_machine(const struct trace *t, struct text *out)
{
	const struct params *params = t->params;
	const char *preset = NULL;

	if (params)
		preset = params_preset_of(params, FROM_TRACE);
	if (params && !preset)
		preset = params_preset_of(params, FROM_TRACE_PRESET);
	/* A kernel without a name is known by signs that a slabtrace lacks. */
	if (params && !preset && !t->kernel[0])
		preset = params_preset_of(params, FROM_KERNEL);
	text_add(out, "slabtrace 1\nmachine");
	add_key(out, " kernel=", t->kernel);
	add_key(out, " preset=", preset ? preset : "");
	for (u32 p = 0; p < NR_PARAMS; p++) {
		if (params && params_origin(params, (enum kmem_param)p) == FROM_TRACE) {
			text_print(out, " %s=", params_key((enum kmem_param)p));
			params_add_text(params, (enum kmem_param)p, out);
		} else if (p == PARAM_CPUS) {
			text_add_number(out, " cpus=", t->report.cpus);
		}
	}
}

/* An excerpt says which events it has, for people: other readers take these lines as comments. */
static void add_excerpt(const struct trace_filter *f, struct text *out)
{
	text_print(out, "# excerpt: %u of events %u to %u of %u", f->nr_events, f->from + 1, f->to,
		   f->nr_ops);
	if (f->nr_before)
		text_print(
			out,
			"; the first %u happen before it: kind=live_before allocates objects that live then",
			f->nr_before);
	text_add(out, "\n");
}

static void add_header(const struct exporter *x, struct text *out)
{
	add_machine(x->t, out);
	text_print(out, "\n#events %u\n", exporter_events(x));
	if (x->t->report.sampling)
		text_print(out, "#sampled %u\n", x->t->report.sampling);
	if (x->t->report.lost && !x->filter)
		text_print(out, "#lost %ju\n", x->t->report.lost);
	if (x->filter)
		add_excerpt(x->filter, out);
}

static void add_flags(struct text *out, u32 flags)
{
	u32 nr = 0;

	for (u32 i = 0; i < NR_SLABTRACE_FLAGS; i++) {
		if (!(flags & slabtrace_flags[i].flag))
			continue;
		flags &= ~slabtrace_flags[i].flag;
		text_add(out, nr++ ? "," : " flags=");
		text_add(out, slabtrace_flags[i].name);
	}
}

static void add_cache(const struct trace *t, u32 i, struct text *out)
{
	const struct trace_cache *cache = &t->caches[i];

	text_add_number(out, "cache c", i);
	text_add_number(out, " size=", cache->object_size);
	if (cache->size)
		text_add_number(out, " slot=", cache->size);
	add_key(out, " name=", trace_text(t, cache->name));
	if (cache->align)
		text_add_number(out, " align=", cache->align);
	add_flags(out, cache->flags);
	text_add(out, "\n");
}

static void add_id(struct text *out, const struct op *op)
{
	text_add(out, " ");
	if (op->handle == HANDLE_NONE)
		text_add(out, "-");
	else
		text_add_u64(out, op->handle);
}

static const char *reason_word(const struct op *op, const struct site *site)
{
	u32 nr = site->reason - (u32)REASON_NULL_FREE;

	if (op->flags & OP_IMPLIED)
		return "unseen";
	return nr < NR_SLABTRACE_REASONS ? slabtrace_reasons[nr] : "";
}

/* Adds what the trace records about an allocation or a free beyond the op. */
static void add_details(const struct exporter *x, u32 i, const struct op *op,
			const struct site *site, const char *word, struct text *out)
{
	const struct trace *t = x->t;
	const char *kind = exporter_is_before(x, i) ? "live_before" : trace_text(t, site->name),
		   *gfp = trace_text(t, site->gfp);
	char room[PSEUDONYM_BYTES];

	add_key(out, " why=", reason_word(op, site));
	if (kind[0] != word[0] || kind[1])
		add_key(out, " kind=", kind);
	add_key(out, " site=", exporter_call_site(x, site, room));
	add_key(out, " gfp=", gfp);
	if (site->was == OP_KMALLOC && site->kmalloc_type != kmalloc_type_of(gfp, 0))
		add_key(out, " type=", slabtrace_types[site->kmalloc_type % NR_KMALLOC_TYPES]);
}

/* Adds what was kept of an event beside the op. A recorded pointer may reveal where the kernel lies in memory. */
static void add_kept(const struct exporter *x, u32 i, struct text *out)
{
	u64 ptr = x->pseudonyms ? 0 : trace_pointer(x->t, i);
	char room[PSEUDONYM_BYTES];

	add_key(out, " task=", exporter_task(x, i, room));
	if (!ptr)
		return;
	text_add(out, " ptr=");
	text_add_hex(out, ptr, 1);
}

static void add_set(const struct trace *t, const struct site *site, struct text *out)
{
	const struct trace_set *set = &t->sets[site->bytes];

	text_print(out, "set %s=", params_key((enum kmem_param)set->param));
	params_add_value(out, (enum kmem_param)set->param, set->value);
	if (set->cache != CACHE_NONE)
		text_add_number(out, " cache=c", set->cache);
}

static void add_corruption(const struct trace *t, const struct op *op, const struct site *site,
			   struct text *out)
{
	static const char *const kinds[] = { " write", " double-free", " wild-free", " freelist" };
	const struct trace_corruption *c = &t->corruptions[site->bytes];

	text_add(out, kinds[c->kind]);
	add_id(out, op);
	if (c->kind == CORRUPT_WRITE || c->kind == CORRUPT_WILD_FREE) {
		text_add(out, c->at < 0 ? " at=-" : " at=");
		text_add_u64(out, (u64)(c->at < 0 ? -(s64)c->at : c->at));
	}
	if (c->kind == CORRUPT_WRITE)
		text_add_number(out, " len=", c->len);
	if (c->kind == CORRUPT_WRITE || c->kind == CORRUPT_FREELIST) {
		text_add(out, " value=");
		text_add_hex(out, c->value, 2);
	}
}

static void add_cache_id(const struct site *site, struct text *out)
{
	char name[MAX_NAME_BYTES];

	if (site->cache != SITE_CACHE_KMALLOC) {
		text_add_number(out, " c", site->cache);
		return;
	}
	kmalloc_spec(LAYOUT_LINUX_6_1, site->kmalloc_type,
		     kmalloc_class(site->bytes, LARGEST_KMALLOC_CLASS), name);
	text_add(out, " ");
	text_add(out, name);
}

/* Whether op `nr` is one of the objects of a bulk request of that kind, on that CPU. */
static int is_member(const struct trace *t, u32 nr, u32 kind, u32 cpu)
{
	const struct op op = trace_op(t, nr);

	return op.kind == kind && op.cpu == cpu && t->sites[op.site].request == SITE_BULK;
}

/* How many objects of one bulk request follow from op i on. */
static u32 members_from(const struct trace *t, u32 i, u32 kind, u32 most)
{
	u32 nr = 0, cpu = i < t->nr_ops ? trace_op(t, i).cpu : 0;

	while (nr < most && i + nr < t->nr_ops && is_member(t, i + nr, kind, cpu))
		nr++;
	return nr;
}

/* Writes the bulk request that begins with op i as one line. Returns how many ops that are; 0 if op i begins none.
 * A new order of events (cpu_schedule.h) may have torn a request apart. Then its objects have lines of their own. */
static u32 add_bulk(const struct exporter *x, u32 i, struct text *out)
{
	char room[PSEUDONYM_BYTES];
	const struct trace *t = x->t;
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	int is_alloc = op.kind == OP_BULK_ALLOC;
	u32 first = i + (u32)is_alloc;
	u32 nr = members_from(t, first, is_alloc ? OP_ALLOC : OP_FREE,
			      is_alloc ? site->bytes : MAX_BULK_OBJECTS);
	u32 end = first + nr;
	int is_whole = is_alloc ? nr == site->bytes && trace_op(t, first).cpu == op.cpu
				: nr && end < t->nr_ops && trace_op(t, end).kind == OP_BULK_FREE &&
					  trace_op(t, end).cpu == op.cpu;

	if (!is_whole || (x->filter && !filter_has(x->filter, is_alloc ? i : end)))
		return 0;
	const struct op member = trace_op(t, first);
	const struct site *member_site = &t->sites[member.site];
	text_add(out, is_alloc ? "a " : "f ");
	for (u32 k = first; k < end; k++) {
		text_add_u64(out, trace_op(t, k).handle);
		/* A list of one ends with a comma. */
		text_add(out, k + 1 < end || nr == 1 ? "," : "");
	}
	if (is_alloc)
		add_cache_id(site, out);
	text_add_number(out, " cpu=", op.cpu);
	if (t->has_times)
		text_add_number(out, " t=", trace_time(t, i));
	if (is_alloc && member_site->bytes != t->caches[site->cache].object_size)
		text_add_number(out, " req=", member_site->bytes);
	add_details(x, i, &member, member_site, is_alloc ? "a" : "f", out);
	add_key(out, " task=", exporter_task(x, first, room));
	text_add(out, "\n");
	return nr + 1;
}

static void add_sheaf_request(const struct site *site, struct text *out)
{
	text_add_number(out, " ", site->request - (u32)SITE_PREFILLED);
	add_cache_id(site, out);
	if (site->was != OP_RETURN)
		text_add_number(out, " ", site->bytes);
}

/* Whether the op does something on one CPU, so that its line has cpu=. */
static int has_cpu(const struct op *op, u32 was)
{
	return was != OP_TICK && was != OP_GRACE && !(op->flags & OP_ALL_CPUS);
}

u32 add_slabtrace_op(const struct exporter *x, u32 i, struct text *out)
{
	const struct trace *t = x->t;
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	u32 was = site->was;
	const char *word = was == OP_FREE && site->request == SITE_RCU ? "r" : slabtrace_ops[was];

	if (was == OP_SET) {
		add_set(t, site, out);
		text_add(out, "\n");
		return 1;
	}
	if (site->request == SITE_BULK) {
		u32 nr = was == OP_BULK_FREE ? 0 : add_bulk(x, i, out);
		if (nr)
			return nr;
		if (was == OP_BULK_ALLOC || was == OP_BULK_FREE)
			text_add(out, "# ");
	}
	text_add(out, word);
	if (was >= OP_PREFILL)
		add_sheaf_request(site, out);
	if (was == OP_ALLOC || was == OP_KMALLOC || was == OP_FREE)
		add_id(out, &op);
	if (was == OP_CORRUPT)
		add_corruption(t, &op, site, out);
	if (was == OP_KMALLOC || was == OP_TICK)
		text_add_number(out, " ", site->bytes);
	if (was == OP_ALLOC || was == OP_FLUSH || was == OP_SHRINK || was == OP_VALIDATE)
		add_cache_id(site, out);
	if (has_cpu(&op, was))
		text_add_number(out, " cpu=", was == OP_CPU_DEAD ? site->bytes : op.cpu);
	if (site->node != NODE_ANY && (was == OP_ALLOC || was == OP_KMALLOC || was == OP_EXPIRE))
		text_add_number(out, " node=", site->node);
	if (t->has_times)
		text_add_number(out, " t=", trace_time(t, i));
	if (was == OP_ALLOC && site->bytes != t->caches[site->cache].object_size)
		text_add_number(out, " req=", site->bytes);
	/* The sheaf was filled before the excerpt begins, so the object comes from elsewhere. */
	if (was == OP_ALLOC && site->request >= SITE_PREFILLED && !exporter_is_before(x, i))
		text_add_number(out, " sheaf=", site->request - (u32)SITE_PREFILLED);
	if (was == OP_ALLOC || was == OP_KMALLOC || was == OP_FREE)
		add_details(x, i, &op, site, word, out);
	u32 group = exporter_group(x, i);
	if (group)
		text_add_number(out, " bulk=", group);
	if (was == OP_ALLOC || was == OP_KMALLOC || was == OP_FREE)
		add_kept(x, i, out);
	text_add(out, "\n");
	return 1;
}

u32 slabtrace_header_parts(const struct trace *t)
{
	return t->nr_caches + 1;
}

void add_slabtrace_header(const struct exporter *x, u32 part, struct text *out)
{
	if (part == 0)
		add_header(x, out);
	else if (!x->filter || filter_uses_cache(x->filter, part - 1))
		add_cache(x->t, part - 1, out);
}

/* Marks the end of a trace that was cut off, since it is not the end of what was recorded. */
void add_slabtrace_end(const struct exporter *x, struct text *out)
{
	if (x->t->report.ended && !x->filter && !x->t->fork.is_on)
		text_add(out, "#exit\n");
	text_print(out, "#end %u%s", exporter_events(x),
		   x->t->report.truncated && !x->filter ? " cut" : "");
	text_add(out, "\n");
}
