/*
 * told.c - what the recorded kernel counted itself: lines of a tracepoint that a kernel was given for that,
 *
 *	sh-90 [004] .....     9.763285: slub_stat: op=alloc_slowpath name=task_struct
 *
 * Allocations are traced at their end and frees at their beginning, so on each CPU a counter belongs to the free before
 * it, or to the allocation that comes, if ALLOC_SLOWPATH was among those since. Counters on frees of objects that were
 * allocated before the recording are kept apart: a replay never has these objects.
 */
#include "../base/cache.h"
#include "import.h"
#include "prefix.h"
#include "session.h"

enum { LOOK_BACK_OPS = 4096, NO_OP_YET = 0xffffffff, MAX_TOLD_CACHES = 4096 };

/* Names of the counters. */
#define ENUM(name, doc) static const char *const name##_names[] = {
#define VALUE(name, key, words) [key] = #key,
#define ENUM_END(name) \
	}              \
	;
#define STRUCT(name, doc)
#define FIELD(type, name, doc)
#define FIELDS(type, name, count, doc)
#define STRUCT_END(name)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "../abi.def"
#pragma GCC diagnostic pop

/* Of each CPU: the latest operation when an allocation was last seen to leave the fast path, + 2, which leaves 1 for
 * none yet; 0: no allocation has. */
struct told_cpu {
	u32 alloc_after_plus_2;
};

static int is_named(const u8 *p, u32 len, const char *upper)
{
	u32 i = 0;

	while (i < len && upper[i] && (p[i] == upper[i] || p[i] == (upper[i] | 0x20)))
		i++;
	return i == len && !upper[i];
}

static u32 counter_of(const struct span *name)
{
	u32 k = 0;

	while (k < NR_SLUB_COUNTERS && !is_named(name->at, name->len, kmem_counter_names[k]))
		k++;
	return k;
}

static int same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* The value behind `key`, up to a blank; its length is 0 if there is none. */
static struct span value_of(const u8 *p, const u8 *end, const char *key)
{
	const u8 *at = prefix_find(p, end, key), *behind;

	if (!at)
		return (struct span){ p, 0, 0 };
	at += text_length(key);
	behind = at;
	while (behind < end && *behind > ' ')
		behind++;
	return span_of(at, behind);
}

/* The latest operation of the CPU, NO_OP_YET if it is not among the last few. */
static u32 latest_op(const struct trace *t, u32 cpu)
{
	for (u32 back = 0; back < t->nr_ops && back < LOOK_BACK_OPS; back++) {
		u32 op = t->nr_ops - 1 - back;
		const struct op o = trace_op(t, op);
		if (o.cpu == cpu && !(o.flags & OP_IMPLIED))
			return op;
	}
	return NO_OP_YET;
}

static int is_of_before(struct import *im, u32 cpu, u32 counter)
{
	const struct trace *t = im->trace;
	struct told_cpu *told = (struct told_cpu *)im->told_cpus.at + cpu;
	u32 latest = latest_op(t, cpu);

	if (counter == ALLOC_SLOWPATH)
		told->alloc_after_plus_2 = latest + 2;
	if (told->alloc_after_plus_2 == latest + 2)
		return 0;
	return latest == NO_OP_YET ||
	       t->sites[trace_op(t, latest).site].reason == REASON_ORPHAN_FREE;
}

static struct kmem_told_row *told_row(struct import *im, u32 name)
{
	struct trace *t = im->trace;
	struct kmem_told_row *rows = t->told_run.at;

	for (u32 i = 0; i < t->nr_told; i++)
		if (rows[i].name_at == name)
			return &rows[i];
	if (t->nr_told == MAX_TOLD_CACHES ||
	    !run_grow(im, &t->told_run, (t->nr_told + 1) * (u64)sizeof(*rows)))
		return NULL;
	rows = t->told_run.at;
	rows[t->nr_told].name_at = name;
	return &rows[t->nr_told++];
}

void told_line(struct import *im, const u8 *p, const u8 *end, u32 cpu)
{
	struct span op = value_of(p, end, "op="), name = value_of(p, end, "name=");
	u32 counter = counter_of(&op);

	if (!op.len || !name.len || counter == NR_SLUB_COUNTERS) {
		import_problem(im, op.at, "no counter of SLUB (op=, name=) that is known here");
		return;
	}
	if (cpu >= MAX_CPUS || !run_grow(im, &im->told_cpus, MAX_CPUS * sizeof(struct told_cpu)))
		return;
	struct kmem_told_row *row = told_row(im, intern_span(im, &name));
	if (!row)
		return;
	row->all[counter]++;
	row->before[counter] += (u32)is_of_before(im, cpu, counter);
}

const struct kmem_told_row *kmem_told(struct kmem_session *s, u32 *nr)
{
	const struct kmem_told_row *rows = s->trace.told_run.at;

	*nr = s->imported ? s->trace.nr_told : 0;
	if (!*nr || !s->w)
		return *nr ? rows : NULL;
	for (u32 i = 0; i < *nr; i++) {
		struct kmem_told_row *row = (struct kmem_told_row *)s->trace.told_run.at + i;
		const char *name = (const char *)s->pool.base + row->name_at;
		row->cache = CACHE_NONE;
		for (u32 id = 0; id < s->w->nr_caches; id++)
			if (same_name(name, (const char *)cache_at(s->w, id)->name))
				row->cache = (u16)id;
	}
	return rows;
}
