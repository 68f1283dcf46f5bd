/*
 * sentence.c - steps and events as sentences: fills in the templates of steps.def.
 *
 * {name} stands for the argument of that name; enum arguments appear as the words of abi.def. {name|one|many} is a
 * number and its noun, {pages} the pages of the step's order. Command and page show the same text.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "util/scan.h"

struct step_info {
	const char *args[5];
	const char *sentence;
};

/* Sentences of an allocator that uses another allocator's step with a different meaning. */
static const struct {
	u32 allocator, kind;
	const char *sentence;
} own_sentences[] = {
#define SENTENCE(allocator, kind, sentence) { ALLOCATOR_##allocator, STEP_##kind, sentence },
#include "tables/steps/steps_said.def"
};

#ifndef KMEM_FIRST_VIEW
/* Sentences of caches whose levels give a step of another cache a different meaning. */
static const struct {
	u32 levels, kind;
	const char *sentence;
} said_on_levels[] = {
#define SAYS(levels, kind, sentence) { LEVELS_##levels, STEP_##kind, sentence },
#include "tables/steps/steps_said.def"
};
#endif

/* Sentences of THRESHOLD, by the numbers that it compares; without one it has that of its row. */
static const char *const comparisons[] = {
#define COMPARES(what, sentence) [what] = sentence,
#include "tables/steps/steps_said.def"
};

static const char *const no_counter_read[] = {
#define UNREAD(has_ratio, sentence) [has_ratio] = sentence,
#include "tables/steps/steps_said.def"
};

static const struct step_info infos[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	[STEP_##kind] = { { #a0, #a1, #a2, #a3, #a4 }, sentence },
#include "tables/steps/steps_said.def"
#undef STEP
};

const char *const *step_args(u32 kind)
{
	return infos[kind].args;
}

/* The words of one enum, by value. */
#define ENUM(name, doc) static const char *const name##_words[] = {
#define VALUE(name, key, words) [key] = words,
#define ENUM_END(name) \
	}              \
	;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "tables/abi/abi.def"
#pragma GCC diagnostic pop

static const struct {
	const char *arg;
	const char *const *words;
	u32 nr;
} enum_args[] = {
#define ENUM_ARG(arg, type) { #arg, type##_words, ARRAY_SIZE(type##_words) },
#include "tables/steps/steps_said.def"
};

const char *report_check_words(u32 check)
{
	return kmem_check_words[check];
}

const char *report_fix_words(u32 fix)
{
	return kmem_fix_words[fix];
}

const char *place_words(u32 kind)
{
	return kmem_place_kind_words[kind];
}

const char *from_words(u32 from)
{
	return kmem_from_words[from];
}

static int same(const char *a, u32 a_len, const char *b)
{
	return span_is((const u8 *)a, (const u8 *)a + a_len, b);
}

static void add_node(struct text *t, u32 node)
{
	text_print(t, node == NODE_ANY ? "any" : "%u", node);
}

/* Returns the value of an argument; 0 with *found unset if the step has none of that name. */
static u32 arg_value(const struct kmem_step *step, const char *name, u32 len, int *found)
{
	for (u32 i = 0; i < 5; i++) {
		if (len && same(name, len, infos[step->kind].args[i])) {
			*found = 1;
			return step->args[i];
		}
	}
	*found = 0;
	return 0;
}

static void add_value(struct text *t, const char *name, u32 len, u32 value)
{
	for (u32 i = 0; i < ARRAY_SIZE(enum_args); i++) {
		if (same(name, len, enum_args[i].arg)) {
			text_add(t, value < enum_args[i].nr ? enum_args[i].words[value] : "?");
			return;
		}
	}
	/* The steps of the first view are without those of debugging. */
	if (!IS_FIRST_VIEW && (same(name, len, "at") || same(name, len, "counted")))
		text_add_s32(t, (s32)value);
	else if (!IS_FIRST_VIEW && (same(name, len, "value") || same(name, len, "found") ||
				    same(name, len, "expected")))
		text_add_hex(t, value, 2);
	else if (!IS_FIRST_VIEW && same(name, len, "by_op"))
		text_add_grouped(t, (u64)value + 1); /* people count events from 1 */
	else if (same(name, len, "want_node") || same(name, len, "asked_node"))
		add_node(t, value);
	else if (same(name, len, "param"))
		text_add(t, value < NR_PARAMS ? params_key((enum kmem_param)value) : "?");
	else if (same(name, len, "slab") || same(name, len, "index") || same(name, len, "pfn"))
		text_add_u64(t, value); /* a name, not a number of things */
	else
		text_add_grouped(t, value);
}

/* Adds a setting's value as a person would write it, not as it is stored. */
static void add_setting(struct text *t, u32 param, u32 value)
{
	if (param < NR_PARAMS)
		params_add_value(t, (enum kmem_param)param, (s64)value);
	else
		text_add_u64(t, value);
}

/* Adds one {…} of a template, given without its braces. */
static void add_field(struct text *t, const struct kmem_session *s, const struct kmem_step *step,
		      const char *field, u32 len)
{
	u32 name = 0;
	int found;

	while (name < len && field[name] != '|')
		name++;
	if (same(field, name, "cpu")) {
		text_add_u64(t, step->cpu);
	} else if (same(field, name, "node")) {
		add_node(t, step->node);
	} else if (same(field, name, "cache")) {
		text_add(t, name_or(s, step->cache, "?"));
	} else if (same(field, name, "pages")) {
		text_print(t, "%'u page{s}", 1u << arg_value(step, "order", 5, &found));
	} else if (name < len) {
		u32 bar = name + 1, value = arg_value(step, field, name, &found);
		while (field[bar] != '|')
			bar++;
		u32 from = value == 1 ? name + 1 : bar + 1, to = value == 1 ? bar : len;
		text_print(t, "%'u ", value);
		text_add_n(t, field + from, to - from);
	} else {
		u32 value = arg_value(step, field, len, &found);
		KASSERT(found);
		if ((step->kind == STEP_SET || step->kind == STEP_SET_REFUSED) &&
		    !same(field, len, "param"))
			add_setting(t, step->args[0], value);
		else
			add_value(t, field, len, value);
	}
}

static const char *template_of(const struct kmem_session *s, const struct kmem_step *step)
{
	u32 kind = step->kind;

#ifndef KMEM_FIRST_VIEW
	u32 levels = s->w ? levels_of(s, step->cache) : NR_LEVEL_SETS;
	for (u32 i = 0; i < ARRAY_SIZE(said_on_levels); i++)
		if (said_on_levels[i].kind == kind && said_on_levels[i].levels == levels)
			return said_on_levels[i].sentence;
#endif
	for (u32 i = 0; s->w && i < ARRAY_SIZE(own_sentences); i++)
		if (own_sentences[i].kind == kind &&
		    own_sentences[i].allocator == s->w->policy.allocator)
			return own_sentences[i].sentence;
	if (kind == STEP_THRESHOLD && step->args[0] < ARRAY_SIZE(comparisons) &&
	    comparisons[step->args[0]])
		return comparisons[step->args[0]];
	/* As in the kernel, a ratio of 0 closes the gate before the counter is read. */
	if (kind == STEP_ANY_NODE_ENTER && s->w &&
	    (!s->w->policy.gate_by_cycles || step->args[0] == 0))
		return no_counter_read[step->args[0] != 0];
	return kind < NR_STEP_KINDS ? infos[kind].sentence : "";
}

void sentence_add(struct text *t, const struct kmem_session *s, const struct kmem_step *step,
		  const char *p)
{
	for (u32 n = 1; *p; p += n, n = 1) {
		if (*p == '{') {
			while (p[n - 1] != '}')
				n++;
			add_field(t, s, step, p + 1, n - 2);
		} else {
			while (p[n] && p[n] != '{')
				n++;
			text_add_n(t, p, n);
		}
	}
}

const char *kmem_step_sentence(struct kmem_session *s, const struct kmem_step *step)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	sentence_add(&t, s, step, template_of(s, step));
	return s->out.text;
}

const struct kmem_op_row *kmem_op(struct kmem_session *s, u32 op)
{
	struct kmem_op_row *row = &s->out.op_row;

	if (op >= kmem_nr_ops(s))
		return NULL;
	const struct op o = trace_op(&s->trace, op);
	const struct site *site = &s->trace.sites[o.site];
	memset(row, 0, sizeof(*row));
	row->time = trace_time(&s->trace, op);
	row->op = op;
	row->handle = o.handle;
	row->bytes = o.kind == OP_SET || o.kind == OP_CORRUPT || o.kind > OP_VALIDATE ? 0
										      : site->bytes;
	row->site_at = site->call_site ? session_offset(s, trace_text(&s->trace, site->call_site))
				       : 0;
	row->name_at = session_offset(s, trace_text(&s->trace, site->name));
	row->kind = o.kind;
	row->cpu = s->w && o.cpu >= s->w->machine.nr_cpus ? (u16)(o.cpu % s->w->machine.nr_cpus)
							  : o.cpu;
	row->node = site->node;
	row->cache = CACHE_NONE;
	row->slab = 0xffffffff;
	if (s->w)
		row->cache = (u16)replay_cache_of_event(&s->replay, op);
	const struct posting *known = query_of(s)->index.state ? index_object(s, op) : NULL;
	if (known) {
		const struct slab_note *slab = index_slab(&query_of(s)->index, known->slab);
		row->slab = slab->serial;
		row->index = known->index;
		row->cache = slab->cache == CACHE_NONE ? row->cache : slab->cache;
	} else if (s->timeline.steps_op == op) {
		row->slab = s->timeline.op_slab;
		row->index = s->timeline.op_index;
		if (s->timeline.op_cache != CACHE_NONE)
			row->cache = (u16)s->timeline.op_cache;
	}
	return row;
}

/* Before its first use only the trace knows the name of a cache. */
static const char *name_of_op(const struct kmem_session *s, const struct kmem_op_row *row)
{
	const struct site *site = &s->trace.sites[trace_op(&s->trace, row->op).site];

	if (row->cache != CACHE_NONE)
		return name_or(s, row->cache, "?");
	return site->cache < s->trace.nr_caches
		       ? trace_text(&s->trace, s->trace.caches[site->cache].name)
		       : "a cache";
}

static void add_alloc(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	if (row->kind == OP_ALLOC)
		text_print(t, " asks for an object of %s, %'u byte{s}", name_of_op(s, row),
			   row->bytes);
	else
		text_print(t, " asks for %'u byte{s}", row->bytes);
	if (row->kind == OP_KMALLOC && row->cache != CACHE_NONE)
		text_print(t, ", served by %s", name_or(s, row->cache, "?"));
	if (row->node != NODE_ANY)
		text_print(t, ", on node %u", row->node);
}

/* An object that no cache serves, or none yet, is named by its size. */
static void add_free(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	if (row->cache != CACHE_NONE)
		text_print(t, " frees an object of %s", name_or(s, row->cache, "?"));
	else
		text_print(t, " frees %'u byte{s}", row->bytes);
}

/* A free of an older object is a request too, although no object of the replay goes. */
static void add_nothing(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	const struct site *site = &s->trace.sites[trace_op(&s->trace, row->op).site];

	if (site->reason != REASON_ORPHAN_FREE) {
		text_print(t, ": %s", kmem_reason_words[site->reason]);
		return;
	}
	text_add(t, " frees an object");
	if (site->cache < s->trace.nr_caches)
		text_print(t, " of %s", name_of_op(s, row));
	text_add(t, " from before the trace, which the replay does not have");
}

static void add_corruption(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	static const char *const words[] = { " writes where it should not, through an object of ",
					     " frees for a second time an object of ",
					     " frees a wrong pointer, through an object of ",
					     " overwrites the free pointer of an object of " };
	const struct site *site = &s->trace.sites[trace_op(&s->trace, row->op).site];

	text_print(t, "%s%s", words[s->trace.corruptions[site->bytes].kind], name_of_op(s, row));
}

#ifndef KMEM_FIRST_VIEW
/* Returns how many objects the bulk free that ends with this event has. */
static u32 freed_in_bulk(const struct trace *trace, u32 end)
{
	u32 nr = 0;

	while (nr < MIN(end, (u32)MAX_BULK_OBJECTS)) {
		const struct op op = trace_op(trace, end - nr - 1);
		if (op.kind != OP_FREE || op.cpu != trace_op(trace, end).cpu ||
		    trace->sites[op.site].request != SITE_BULK)
			break;
		nr++;
	}
	return nr;
}

/* Adds the rest of the sentence after "CPU 3" for a request of kernels with sheaves; returns 0 for another event. */
static int add_request(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	const struct site *site = &s->trace.sites[trace_op(&s->trace, row->op).site];
	u32 slot = site->request - (u32)SITE_PREFILLED;
	const char *name = name_of_op(s, row);

	switch (row->kind) {
	case OP_BULK_ALLOC:
		text_print(t, " asks for %'u object{s} of %s at once (kmem_cache_alloc_bulk)",
			   site->bytes, name);
		return 1;
	case OP_BULK_FREE:
		text_print(t, " frees %'u object{s} of %s at once (kmem_cache_free_bulk)",
			   freed_in_bulk(&s->trace, row->op), name);
		return 1;
	case OP_PREFILL:
	case OP_REFILL:
		text_print(t,
			   row->kind == OP_PREFILL
				   ? " prefills sheaf %u of %s, to hold at least %'u object{s}"
				   : " refills sheaf %u of %s, to hold at least %'u object{s}",
			   slot, name, site->bytes);
		return 1;
	case OP_RETURN:
		text_print(t, " returns sheaf %u of %s", slot, name);
		return 1;
	case OP_CPU_DEAD:
		text_print(t, " flushes CPU %u, which goes offline",
			   s->w ? site->bytes % s->w->machine.nr_cpus : site->bytes);
		return 1;
	default:
		return 0;
	}
}

/* Adds how the object of an allocation or a free comes or goes, if not by itself. */
static void add_way(struct text *t, struct kmem_session *s, const struct kmem_op_row *row)
{
	const struct site *site = &s->trace.sites[trace_op(&s->trace, row->op).site];

	if (site->request >= SITE_PREFILLED)
		text_print(t, site->sheaf_cpu ? ", from sheaf %u" : ", from its prefilled sheaf %u",
			   site->request - (u32)SITE_PREFILLED);
	if (site->sheaf_cpu)
		text_print(t, ", which CPU %u prefilled", site->sheaf_cpu - 1u);
	if (site->request == SITE_RCU)
		text_add(t, " after a grace period (kfree_rcu)");
	else if (site->request == SITE_BULK || site->request == SITE_GROUP)
		text_add(t, row->kind == OP_FREE	 ? ", in a bulk free"
			    : site->request == SITE_BULK ? ", from its bulk request"
							 : ", in a bulk allocation");
}
#endif

const char *kmem_op_sentence(struct kmem_session *s, u32 op)
{
	const struct kmem_op_row *row = kmem_op(s, op);
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	if (!row)
		return "";
	text_print(&t, "CPU %u", row->cpu);
#ifndef KMEM_FIRST_VIEW
	if (add_request(&t, s, row))
		return s->out.text;
#endif
	switch (row->kind) {
	case OP_ALLOC:
	case OP_KMALLOC:
		add_alloc(&t, s, row);
		break;
	case OP_FREE:
		add_free(&t, s, row);
		break;
	case OP_CORRUPT:
		add_corruption(&t, s, row);
		break;
	case OP_FLUSH:
	case OP_SHRINK:
	case OP_VALIDATE:
		text_print(&t,
			   row->kind == OP_FLUSH    ? " flushes %s"
			   : row->kind == OP_SHRINK ? " shrinks %s"
						    : " validates %s",
			   name_of_op(s, row));
		break;
	case OP_NOTHING:
		add_nothing(&t, s, row);
		break;
	default:
		text_print(&t, ": %s", kmem_op_kind_words[row->kind]);
	}
#ifndef KMEM_FIRST_VIEW
	if (row->kind == OP_ALLOC || row->kind == OP_FREE)
		add_way(&t, s, row);
#endif
	return s->out.text;
}

const char *kmem_machine_text(struct kmem_session *s)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	text_add(&t, "machine");
	for (u32 p = 0; p < NR_PARAMS; p++) {
		int resolved = s->w && (p == PARAM_CPUS || p == PARAM_NODES);
		if (!resolved && p != PARAM_PAGE_SIZE &&
		    params_origin(&s->params, (enum kmem_param)p) == FROM_DEFAULT)
			continue;
		text_print(&t, " %s=", params_key((enum kmem_param)p));
		if (resolved)
			text_add_u64(&t, p == PARAM_CPUS ? s->w->machine.nr_cpus
							 : s->w->machine.nr_nodes);
		else
			params_add_text(&s->params, (enum kmem_param)p, &t);
	}
	return s->out.text;
}
