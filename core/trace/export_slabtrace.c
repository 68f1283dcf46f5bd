/*
 * export_slabtrace.c - writes a trace as slabtrace, which reads back to the same events.
 *
 * In a word of slabtrace, blanks, control characters and % become %20, %1b, %25. The objects of a bulk request are on one
 * line together.
 */
#include "sim/cache.h"
#include "trace/export.h"
#include "trace/slabtrace.h"
#include "util/scan.h"
#include "util/text.h"

const struct slabtrace_word slabtrace_flags[] = {
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

const struct slabtrace_word slabtrace_faults[] = {
	[CORRUPT_WRITE] = { "write", KEY(AT) | KEY(LEN) | KEY(VALUE) },
	[CORRUPT_DOUBLE_FREE] = { "double-free", 0 },
	[CORRUPT_WILD_FREE] = { "wild-free", KEY(AT) },
	[CORRUPT_FREELIST] = { "freelist", KEY(VALUE) },
};

enum {
	PLACE_KEYS = KEY(CPU) | KEY(T),
	BULK_KEYS = PLACE_KEYS | KEY(SITE) | KEY(GFP) | KEY(KIND) | KEY(TASK),
	OBJECT_KEYS = BULK_KEYS | KEY(WHY) | KEY(PTR),
	ALLOC_KEYS = OBJECT_KEYS | KEY(NODE) | KEY(REQ) | KEY(SHEAF) | KEY(BULK),
};

const struct slabtrace_line slabtrace_lines[] = {
	[OP_NOTHING] = { "", { 0 }, 0, 0 },
	[OP_ALLOC] = { "a", { POSITION_ID, POSITION_CACHE }, 1, ALLOC_KEYS },
	[OP_KMALLOC] = { "k",
			 { POSITION_ID, POSITION_BYTES },
			 1,
			 OBJECT_KEYS | KEY(NODE) | KEY(TYPE) },
	[OP_FREE] = { "f", { POSITION_ID }, 1, OBJECT_KEYS | KEY(BULK) },
	[OP_FLUSH] = { "flush", { POSITION_ANY_CACHE }, 0, PLACE_KEYS },
	[OP_SHRINK] = { "shrink", { POSITION_ANY_CACHE }, 0, KEY(T) },
	[OP_TICK] = { "tick", { POSITION_SECONDS }, 0, KEY(T) },
	[OP_REAP] = { "reap", { 0 }, 1, PLACE_KEYS },
	[OP_EXPIRE] = { "expire", { 0 }, 0, PLACE_KEYS | KEY(NODE) },
	[OP_SET] = { "set", { POSITION_WISH }, 0, KEY(CACHE) },
	[OP_CORRUPT] = { "corrupt",
			 { POSITION_FAULT, POSITION_ID },
			 1,
			 PLACE_KEYS | KEY(AT) | KEY(LEN) | KEY(VALUE) },
	[OP_VALIDATE] = { "validate", { POSITION_ANY_CACHE }, 0, KEY(T) },
	[OP_BULK_ALLOC] = { "a", { POSITION_IDS, POSITION_CACHE }, 1, BULK_KEYS | KEY(REQ) },
	[OP_BULK_FREE] = { "f", { POSITION_IDS }, 1, BULK_KEYS },
	[OP_GRACE] = { "grace", { 0 }, 0, KEY(T) },
	[OP_CPU_DEAD] = { "dead", { 0 }, 1, PLACE_KEYS },
	[OP_PREFILL] = { "prefill",
			 { POSITION_SLOT, POSITION_CACHE, POSITION_OBJECTS },
			 1,
			 PLACE_KEYS },
	[OP_REFILL] = { "refill",
			{ POSITION_SLOT, POSITION_CACHE, POSITION_OBJECTS },
			1,
			PLACE_KEYS },
	[OP_RETURN] = { "return", { POSITION_SLOT, POSITION_CACHE }, 1, PLACE_KEYS },
	[OP_BARRIER] = { "barrier", { 0 }, 0, KEY(T) },
};

const char *const slabtrace_keys[] = { "at=",	"len=",	  "value=", "cpu=",  "node=",  "t=",
				       "req=",	"sheaf=", "why=",   "kind=", "site=",  "gfp=",
				       "type=", "bulk=",  "task=",  "ptr=",  "cache=", "size=",
				       "slot=", "name=",  "align=", "flags=" };
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

/* Adds a key and its value, unless that is empty. */
static void add_key(struct text *out, u32 key, const char *word)
{
	if (!*word)
		return;
	text_print(out, " %s", slabtrace_keys[key]);
	add_word(out, word);
}

static void add_key_number(struct text *out, u32 key, u64 number)
{
	text_print(out, " %s%ju", slabtrace_keys[key], number);
}

static void add_machine(const struct trace *t, struct text *out)
{
	const struct params *params = t->params;
	const char *preset = NULL;

	if (params)
		preset = params_preset_of(params, FROM_TRACE);
	if (params && !preset)
		preset = params_preset_of(params, FROM_TRACE_PRESET);
	/* The signs by which we recognise an unnamed kernel are lost in a slabtrace. */
	if (params && !preset && !t->kernel[0])
		preset = params_preset_of(params, FROM_KERNEL);
	text_add(out, "slabtrace 1\nmachine");
	text_add(out, *t->kernel ? " kernel=" : "");
	add_word(out, t->kernel);
	if (preset)
		text_print(out, " preset=%s", preset);
	for (u32 p = 0; p < NR_PARAMS; p++) {
		if (params && params_origin(params, (enum kmem_param)p) == FROM_TRACE) {
			text_print(out, " %s=", params_key((enum kmem_param)p));
			params_add_text(params, (enum kmem_param)p, out);
		} else if (p == PARAM_CPUS) {
			text_add_number(out, " cpus=", t->report.cpus);
		}
	}
}

/* An excerpt says which events it contains. This is for people: other readers treat these lines as comments. */
static void add_excerpt(const struct trace_filter *f, struct text *out)
{
	text_print(out, "# excerpt: %u of events %u to %u of %u", f->nr_events, f->from + 1, f->to,
		   f->nr_ops);
	if (f->nr_before)
		text_print(
			out,
			"; the first %u happen before it: kind=live_before allocates the objects that are live then",
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
		if (!(flags & slabtrace_flags[i].bits))
			continue;
		flags &= ~slabtrace_flags[i].bits;
		text_add(out, nr++ ? "," : " flags=");
		text_add(out, slabtrace_flags[i].name);
	}
}

static void add_cache(const struct trace *t, u32 i, struct text *out)
{
	const struct trace_cache *cache = &t->caches[i];

	text_print(out, "cache c%u", i);
	add_key_number(out, KEY_SIZE, cache->object_size);
	if (cache->size)
		add_key_number(out, KEY_SLOT, cache->size);
	add_key(out, KEY_NAME, trace_text(t, cache->name));
	if (cache->align)
		add_key_number(out, KEY_ALIGN, cache->align);
	add_flags(out, cache->flags);
	text_add(out, "\n");
}

static const char *reason_word(const struct op *op, const struct site *site)
{
	u32 nr = site->reason - (u32)REASON_NULL_FREE;

	if (op->flags & OP_IMPLIED)
		return "unseen";
	return nr < NR_SLABTRACE_REASONS ? slabtrace_reasons[nr] : "";
}

static void add_wish(const struct trace_set *set, struct text *out)
{
	text_print(out, " %s=", params_key((enum kmem_param)set->param));
	params_add_value(out, (enum kmem_param)set->param, set->value);
}

static void add_cache_id(const struct site *site, struct text *out)
{
	char name[MAX_NAME_BYTES];

	if (site->cache != SITE_CACHE_KMALLOC) {
		text_print(out, " c%u", site->cache);
		return;
	}
	kmalloc_spec(LAYOUT_LINUX_6_1, site->kmalloc_type,
		     kmalloc_class(site->bytes, LARGEST_KMALLOC_CLASS), name);
	text_print(out, " %s", name);
}

static void add_slot(const struct site *site, struct text *out)
{
	text_add_u64(out, site->request - (u64)SITE_PREFILLED);
	if (site->sheaf_cpu)
		text_add_number(out, "@", site->sheaf_cpu - 1);
}

static void add_position(const struct trace *t, u32 position, const struct op *op,
			 const struct site *site, struct text *out)
{
	switch (position) {
	case POSITION_ID:
		if (op->handle == HANDLE_NONE)
			text_add(out, " -");
		else
			text_add_number(out, " ", op->handle);
		break;
	case POSITION_CACHE:
	case POSITION_ANY_CACHE:
		add_cache_id(site, out);
		break;
	case POSITION_FAULT:
		text_print(out, " %s", slabtrace_faults[t->corruptions[site->bytes].kind].name);
		break;
	case POSITION_WISH:
		add_wish(&t->sets[site->bytes], out);
		break;
	case POSITION_SLOT:
		text_add(out, " ");
		add_slot(site, out);
		break;
	default:
		text_add_number(out, " ", site->bytes);
	}
}

/* Event `i` as a line has it: of a bulk request, `op` is its first object, and the request has its time. */
struct line {
	const struct exporter *x;
	u32 i, nr; /* nr: of op */
	struct op op;
	const struct site *site;
	const char *word;
};

/* Adds the value of a fault, if it has one. */
static void add_fault_value(u32 key, const struct trace_corruption *c, struct text *out)
{
	if (!(slabtrace_faults[c->kind].bits >> key & 1))
		return;
	text_print(out, " %s", slabtrace_keys[key]);
	if (key == KEY_VALUE)
		text_add_hex(out, c->value, 2);
	else
		text_add_s32(out, key == KEY_AT ? c->at : (s32)c->len);
}

static void add_number(const struct line *l, u32 key, struct text *out)
{
	const struct trace *t = l->x->t;
	const struct site *site = l->site;
	u64 ptr = trace_pointer(t, l->i), nr;

	if (key == KEY_CPU && !(l->op.flags & OP_ALL_CPUS))
		add_key_number(out, key, site->was == OP_CPU_DEAD ? site->bytes : l->op.cpu);
	else if (key == KEY_NODE && site->node != NODE_ANY)
		add_key_number(out, key, site->node);
	else if (key == KEY_T && t->has_times)
		add_key_number(out, key, trace_time(t, l->i));
	else if (key == KEY_REQ && site->bytes != t->caches[site->cache].object_size)
		add_key_number(out, key, site->bytes);
	/* The sheaf was filled before the excerpt starts, so the object comes from elsewhere. */
	else if (key == KEY_SHEAF && site->request >= SITE_PREFILLED &&
		 !exporter_is_before(l->x, l->i)) {
		text_print(out, " %s", slabtrace_keys[key]);
		add_slot(site, out);
	} else if (key == KEY_BULK && (nr = exporter_group(l->x, l->i)))
		add_key_number(out, key, nr);
	else if (key == KEY_CACHE && t->sets[site->bytes].cache != CACHE_NONE)
		text_print(out, " cache=c%u", t->sets[site->bytes].cache);
	/* A recorded pointer may reveal where the kernel is in memory. */
	else if (key == KEY_PTR && ptr && !l->x->pseudonyms) {
		text_add(out, " ptr=");
		text_add_hex(out, ptr, 1);
	}
}

static const char *text_of(const struct line *l, u32 key, char *room)
{
	const struct trace *t = l->x->t;
	const struct site *site = l->site;
	const char *gfp = trace_text(t, site->gfp), *kind = trace_text(t, site->name);

	switch (key) {
	case KEY_WHY:
		return reason_word(&l->op, site);
	case KEY_KIND:
		if (exporter_is_before(l->x, l->i))
			return "live_before";
		return text_is(kind, l->word) ? "" : kind;
	case KEY_SITE:
		return exporter_call_site(l->x, site, room);
	case KEY_GFP:
		return gfp;
	case KEY_TYPE:
		return site->kmalloc_type == kmalloc_type_of(gfp, 0)
			       ? ""
			       : slabtrace_types[site->kmalloc_type % NR_KMALLOC_TYPES];
	case KEY_TASK:
		return exporter_task(l->x, l->nr, room);
	default:
		return "";
	}
}

static void add_keys(const struct line *l, u32 keys, struct text *out)
{
	char room[PSEUDONYM_BYTES];

	for (; keys; keys &= keys - 1) {
		u32 key = (u32)__builtin_ctz(keys);
		if (key <= KEY_VALUE)
			add_fault_value(key, &l->x->t->corruptions[l->site->bytes], out);
		else
			add_number(l, key, out);
		add_key(out, key, text_of(l, key, room));
	}
	text_add(out, "\n");
}

/* Returns how many objects of one bulk request follow from op i on. */
static u32 members_from(const struct trace *t, u32 i, u32 kind, u32 most)
{
	u32 nr = 0, cpu = i < t->nr_ops ? trace_op(t, i).cpu : 0;

	for (; nr < most && i + nr < t->nr_ops; nr++) {
		const struct op op = trace_op(t, i + nr);
		if (op.kind != kind || op.cpu != cpu || t->sites[op.site].request != SITE_BULK)
			break;
	}
	return nr;
}

/* Writes the bulk request that starts with op i as one line. Returns how many ops that are; 0 if op i starts none.
 * If a new order of events (cpu_schedule.h) has split a request, each of its objects has its own line. */
static u32 add_bulk(const struct exporter *x, u32 i, struct text *out)
{
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
	const struct slabtrace_line *is = &slabtrace_lines[is_alloc ? OP_BULK_ALLOC : OP_BULK_FREE];
	struct line l = { .x = x, .i = i, .nr = first, .op = trace_op(t, first), .word = is->word };
	l.site = &t->sites[l.op.site];
	text_print(out, "%s ", is->word);
	for (u32 k = first; k < end; k++) {
		text_add_u64(out, trace_op(t, k).handle);
		/* A list of one ends with a comma. */
		text_add(out, k + 1 < end || nr == 1 ? "," : "");
	}
	if (is_alloc)
		add_cache_id(site, out);
	add_keys(&l, is->keys, out);
	return nr + 1;
}

u32 add_slabtrace_op(const struct exporter *x, u32 i, struct text *out)
{
	const struct trace *t = x->t;
	struct line l = { .x = x, .i = i, .nr = i, .op = trace_op(t, i) };
	const struct slabtrace_line *is;

	l.site = &t->sites[l.op.site];
	is = &slabtrace_lines[l.site->was];
	l.word = l.site->was == OP_FREE && l.site->request == SITE_RCU ? "r" : is->word;
	if (l.site->request == SITE_BULK) {
		u32 nr = l.site->was == OP_BULK_FREE ? 0 : add_bulk(x, i, out);
		if (nr)
			return nr;
	}
	if (is->positions[0] == POSITION_IDS) {
		/* For people: each object of a split request has its own line. */
		text_print(out, "# %s", l.word);
		add_keys(&l, KEY(CPU) | KEY(T), out);
		return 1;
	}
	text_add(out, l.word);
	for (u32 k = 0; k < ARRAY_SIZE(is->positions) && is->positions[k]; k++)
		add_position(t, is->positions[k], &l.op, l.site, out);
	add_keys(&l, is->keys, out);
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

/* Marks a trace that was cut off: more was recorded. */
void add_slabtrace_end(const struct exporter *x, struct text *out)
{
	if (x->t->report.ended && !x->filter && !x->t->fork.is_on)
		text_add(out, "#exit\n");
	text_print(out, "#end %u%s", exporter_events(x),
		   x->t->report.truncated && !x->filter ? " cut" : "");
	text_add(out, "\n");
}
