/*
 * export.c - writes the trace as text: slabtrace, which reads back to the same ops, or ftrace.
 *
 * The caller gets the text piece by piece, always in whole lines. *op is the position to continue
 * from: an event, or HEADER and the next cache while the header is written. In a word of slabtrace,
 * blanks, control characters and % become %20, %1b, %25. ftrace has no line for flush, shrink,
 * tick, reap, expire and set, nor for a realloc that keeps its object. These events become
 * comments. The objects of a bulk request have lines of their own in ftrace, and in slabtrace one
 * line together.
 */
#include "sim/cache.h"
#include "trace/gfp.h"
#include "trace/trace.h"
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

#define HEADER 0x80000000u

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

/* slabtrace */

static void add_machine(const struct trace *t, struct text *out)
{
	static const struct params none;
	const struct params *params = t->params ? t->params : &none;

	const char *preset = params_preset_of(params, FROM_TRACE);

	if (!preset)
		preset = params_preset_of(params, FROM_TRACE_PRESET);
	text_add(out, "slabtrace 1\nmachine");
	add_key(out, " kernel=", t->kernel);
	add_key(out, " preset=", preset ? preset : "");
	for (u32 p = 0; p < NR_PARAMS; p++) {
		if (params_origin(params, (enum kmem_param)p) == FROM_TRACE) {
			text_add(out, " ");
			text_add(out, params_key((enum kmem_param)p));
			text_add(out, "=");
			params_add_text(params, (enum kmem_param)p, out);
		} else if (p == PARAM_CPUS) {
			text_add_number(out, " cpus=", t->report.cpus);
		}
	}
	text_add_number(out, "\n#events ", t->nr_ops);
	text_add(out, "\n");
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
static void add_details(const struct trace *t, const struct op *op, const struct site *site,
			const char *word, struct text *out)
{
	const char *kind = trace_text(t, site->name), *gfp = trace_text(t, site->gfp);

	add_key(out, " why=", reason_word(op, site));
	if (kind[0] != word[0] || kind[1])
		add_key(out, " kind=", kind);
	add_key(out, " site=", trace_text(t, site->call_site));
	add_key(out, " gfp=", gfp);
	if (site->was == OP_KMALLOC && site->kmalloc_type != kmalloc_type_of(gfp, 0))
		add_key(out, " type=", slabtrace_types[site->kmalloc_type % NR_KMALLOC_TYPES]);
}

/* Adds what was kept of an event beside the op. */
static void add_kept(const struct trace *t, u32 i, struct text *out)
{
	u64 ptr = trace_pointer(t, i);

	add_key(out, " task=", trace_text(t, trace_task(t, i)));
	if (!ptr)
		return;
	text_add(out, " ptr=");
	text_add_hex(out, ptr, 1);
}

static void add_set(const struct trace *t, const struct site *site, struct text *out)
{
	const struct trace_set *set = &t->sets[site->bytes];

	text_add(out, "set ");
	text_add(out, params_key((enum kmem_param)set->param));
	text_add(out, "=");
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
static u32 add_bulk(const struct trace *t, u32 i, struct text *out)
{
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

	if (!is_whole)
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
	add_details(t, &member, member_site, is_alloc ? "a" : "f", out);
	add_key(out, " task=", trace_text(t, trace_task(t, first)));
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

/* Returns how many ops the line holds. */
static u32 add_slabtrace_op(const struct trace *t, u32 i, struct text *out)
{
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
		u32 nr = was == OP_BULK_FREE ? 0 : add_bulk(t, i, out);
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
	if (was == OP_ALLOC && site->request >= SITE_PREFILLED)
		text_add_number(out, " sheaf=", site->request - (u32)SITE_PREFILLED);
	if (was == OP_ALLOC || was == OP_KMALLOC || was == OP_FREE)
		add_details(t, &op, site, word, out);
	if (was == OP_ALLOC || was == OP_KMALLOC || was == OP_FREE)
		add_kept(t, i, out);
	text_add(out, "\n");
	return 1;
}

/* ftrace */

static void add_padded(struct text *out, u64 number, u32 width, u32 base)
{
	char digits[16];

	for (u32 i = width; i--; number /= base)
		digits[i] = "0123456789abcdef"[number % base];
	text_add_n(out, digits, width);
}

static void add_prefix(const struct trace *t, u32 i, const struct op *op, struct text *out)
{
	u64 time = trace_time(t, i);

	text_add(out, "       slabscope-1       [");
	add_padded(out, op->cpu, op->cpu < 1000 ? 3 : 4, 10);
	text_add(out, "] ..... ");
	if (!t->report.time_is_ns) {
		text_add_u64(out, time);
	} else {
		text_add_u64(out, time / 1000000000);
		text_add(out, ".");
		if (time % 1000)
			add_padded(out, time % 1000000000, 9, 10);
		else
			add_padded(out, time % 1000000000 / 1000, 6, 10);
	}
	text_add(out, ": ");
}

/* The pointer written for an object. Any number works that no other live object has. */
static u64 pointer_of(const struct op *op, const struct site *site)
{
	if (op->handle != HANDLE_NONE)
		return 0xffff888000000000 + ((u64)op->handle << 6);
	if (site->reason == REASON_ORPHAN_FREE)
		return 0xffffc90000000000;
	return site->reason == REASON_ZERO_SIZE ? 16 : 0;
}

static void add_alloc(const struct trace *t, const struct op *op, const struct site *site,
		      struct text *out)
{
	static const char *const flags[] = { "GFP_KERNEL", "GFP_KERNEL|__GFP_RECLAIMABLE",
					     "GFP_KERNEL_ACCOUNT", "GFP_KERNEL|GFP_DMA" };
	const char *gfp = trace_text(t, site->gfp);
	u32 type = site->was == OP_KMALLOC ? site->kmalloc_type % NR_KMALLOC_TYPES : 0;

	text_add(out, " ptr=");
	add_padded(out, pointer_of(op, site), 16, 16);
	if (site->was == OP_ALLOC) {
		text_add(out, " name=");
		text_add(out, trace_text(t, t->caches[site->cache].name));
	}
	text_add_number(out, " bytes_req=", site->bytes);
	text_add_number(out, " bytes_alloc=", trace_slot(t, site));
	text_add(out, " gfp_flags=");
	text_add(out, *gfp ? gfp : flags[type]);
	if (site->node == NODE_ANY)
		text_add(out, " node=-1");
	else
		text_add_number(out, " node=", site->node);
	text_add(out, " accounted=");
	text_add(out, type == KMALLOC_CGROUP ? "true" : "false");
}

/* 1 for an implied free whose pointer the next op allocates. That allocation implies it again, so
 * ftrace has no line for it. */
static int implied_again(const struct trace *t, u32 i)
{
	const struct op op = trace_op(t, i);

	return (op.flags & OP_IMPLIED) && i + 1 < t->nr_ops &&
	       trace_op(t, i + 1).handle == op.handle;
}

static void add_ftrace_op(const struct trace *t, u32 i, struct text *out)
{
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];
	const char *name = trace_text(t, site->name), *call_site = trace_text(t, site->call_site);
	u32 was = site->was;

	if ((was != OP_ALLOC && was != OP_KMALLOC && was != OP_FREE) ||
	    site->reason == REASON_KEPT) {
		text_add(out, was == OP_BULK_FREE ? "" : "# ");
		add_slabtrace_op(t, i, out);
		return;
	}
	if (implied_again(t, i))
		return;
	add_prefix(t, i, &op, out);
	/* No tracepoint belongs to a bulk request, kfree_rcu() or a prefilled sheaf. */
	if (site->request ||
	    !span_begins((const u8 *)name, (const u8 *)name + text_length(name), "k") || !name[1])
		name = was == OP_ALLOC ? "kmem_cache_alloc"
				       : (was == OP_KMALLOC ? "kmalloc" : "kfree");
	text_add(out, name);
	text_add(out, ": call_site=");
	text_add(out, *call_site ? call_site : "0");
	if (was == OP_FREE) {
		text_add(out, " ptr=");
		add_padded(out, pointer_of(&op, site), 16, 16);
	} else {
		add_alloc(t, &op, site, out);
	}
	text_add(out, "\n");
}

static void add_header(const struct trace *t, u32 to, u32 part, struct text *out)
{
	if (to == 0 && part == 0) {
		add_machine(t, out);
	} else if (to == 0) {
		add_cache(t, part - 1, out);
	} else if (part == 0) {
		text_add(out, "# tracer: nop\n#\n");
		if (t->kernel[0]) {
			text_add(out, "# os release : ");
			text_add(out, t->kernel);
			text_add(out, "\n#\n");
		}
		text_add_number(out, "# entries-in-buffer/entries-written: ", t->nr_ops);
		text_add_number(out, "/", t->nr_ops);
		text_add_number(out, "   #P:", t->report.cpus);
		text_add(out, "\n#\n");
	}
}

/* Marks the end of a trace that was cut off, since it is not the end of what was recorded. */
static void add_end(const struct trace *t, struct text *out)
{
	text_add_number(out, "#end ", t->nr_ops);
	text_add(out, t->report.truncated ? " cut\n" : "\n");
}

/* Writes part of the header, an op or the end. Returns where to continue; *at itself at the end. */
static u32 add_part(const struct trace *t, u32 to, u32 at, struct text *out)
{
	u32 header_parts = to == 0 ? t->nr_caches + 1 : 1, op = at;

	if (at & HEADER && (at & ~HEADER) < header_parts) {
		add_header(t, to, at & ~HEADER, out);
		return at + 1;
	}
	if (at & HEADER)
		op = 0;
	/* One more line follows the last event. */
	if (op > t->nr_ops || (op == t->nr_ops && to != 0))
		return at;
	if (op == t->nr_ops)
		add_end(t, out);
	else if (to == 0)
		return op + add_slabtrace_op(t, op, out);
	else
		add_ftrace_op(t, op, out);
	return op + 1;
}

s32 trace_export(const struct trace *t, u32 to, u32 *op, u8 *buf, u32 len_bytes)
{
	struct text out = text_in((char *)buf, MIN(len_bytes, 1u << 30));
	u32 at = *op ? *op : HEADER, whole = 0;

	if (to > 1)
		return KMEM_EPARAM;
	for (;;) {
		u32 next = add_part(t, to, at, &out);
		if (out.cut || next == at)
			break;
		whole = out.len;
		at = next;
	}
	*op = at;
	/* A line longer than the buffer could never be written. */
	return out.cut && !whole ? KMEM_ELIMIT : (s32)whole;
}
