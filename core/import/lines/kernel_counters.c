/*
 * kernel_counters.c - kernel counters: lines of a tracepoint that was added to a kernel for this
 * purpose,
 *
 *	sh-90 [004] .....     9.763285: slub_stat: op=alloc_slowpath name=task_struct
 *
 * Allocations are traced at their end and frees at their beginning. On each CPU a counter therefore
 * belongs to the free before it. If ALLOC_SLOWPATH came since then, it belongs to the next
 * allocation. Counters of frees of objects allocated before the trace began are kept apart: a
 * replay never has these objects.
 */
#include "sim/cache.h"
#include "import/import.h"
#include "import/lines/line_header.h"

enum {
	LOOK_BACK_OPS = 4096,
	NO_OP_YET = 0xffffffff,
	MAX_COUNTERS_ROWS = 4096,
};

/* Names of the counters. */
#define ENUM(name, doc) static const char *const name##_names[] = {
#define VALUE(name, key, words) [key] = #key,
#define ENUM_END(name) \
	}              \
	;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "tables/abi/abi.def"
#pragma GCC diagnostic pop

struct counters_cpu {
	u32 latest_plus_1; /* the CPU's latest recorded event; 0: none so far */
	/* The latest event when an allocation last left the fast path, + 2. 1 stands for no event
	 * yet, 0 for no such allocation. */
	u32 alloc_after_plus_2;
};

static int is_named(const u8 *p, u32 len, const char *upper)
{
	u32 i = 0;

	while (i < len && upper[i] && (p[i] == upper[i] || p[i] == (upper[i] | 0x20)))
		i++;
	return i == len && !upper[i];
}

u32 counter_of(const struct span *name)
{
	u32 k = 0;

	while (k < NR_COUNTERS && !is_named(name->at, name->len, kmem_counter_names[k]))
		k++;
	return k;
}

/* Notes the CPU of each event since the latest line of this kind. Older events are never needed. */
static void note_ops(struct import *im)
{
	const struct trace *t = im->trace;
	struct counters_cpu *cpus = im->counters_cpus.at;
	u32 oldest = t->nr_ops - MIN(t->nr_ops, (u32)LOOK_BACK_OPS);

	for (u32 op = MAX(im->counters_ops, oldest); op < t->nr_ops; op++) {
		const struct op o = trace_op(t, op);
		if (o.cpu < MAX_CPUS && !(o.flags & OP_IMPLIED))
			cpus[o.cpu].latest_plus_1 = op + 1;
	}
	im->counters_ops = t->nr_ops;
}

/* The latest event of the CPU; NO_OP_YET if it is not among the last few. */
static u32 latest_op(struct import *im, u32 cpu)
{
	note_ops(im);
	u32 latest = ((struct counters_cpu *)im->counters_cpus.at)[cpu].latest_plus_1;

	return latest && im->trace->nr_ops - latest < LOOK_BACK_OPS ? latest - 1 : NO_OP_YET;
}

static int is_of_before(struct import *im, u32 cpu, u32 counter)
{
	const struct trace *t = im->trace;
	struct counters_cpu *reported = (struct counters_cpu *)im->counters_cpus.at + cpu;
	u32 latest = latest_op(im, cpu);

	if (counter == ALLOC_SLOWPATH)
		reported->alloc_after_plus_2 = latest + 2;
	if (reported->alloc_after_plus_2 == latest + 2)
		return 0;
	return latest == NO_OP_YET ||
	       t->sites[trace_op(t, latest).site].reason == REASON_ORPHAN_FREE;
}

static u64 name_hash(const char *name)
{
	u32 hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 16777619u;
	return hash;
}

/* The slot of the row with this name, or a free slot. Row names are offsets from `base`. */
static struct hash_slot *slot_of(const struct trace *t, const char *base, const char *name)
{
	const struct kmem_kernel_counters_row *rows = t->counters_run.at;
	struct hash_slot *slot = hash_home(&t->reported, name_hash(name));

	while (slot->taken && !text_is(base + rows[slot->taken - 1].name_at, name))
		slot = hash_behind(&t->reported, slot);
	return slot;
}

static struct kmem_kernel_counters_row *counters_row(struct import *im, u32 name)
{
	struct trace *t = im->trace;

	if (!name || !import_reserve(im, &t->reported))
		return NULL;
	struct hash_slot *slot = slot_of(t, t->text, trace_text(t, name));
	if (!slot->taken) {
		u64 bytes = (t->nr_counters_rows + 1) *
			    (u64)sizeof(struct kmem_kernel_counters_row);
		if (t->nr_counters_rows == MAX_COUNTERS_ROWS ||
		    !import_grow(im, &t->counters_run, bytes))
			return NULL;
		struct kmem_kernel_counters_row *rows = t->counters_run.at;
		rows[t->nr_counters_rows].name_at = name;
		u64 hash = name_hash(trace_text(t, name));
		hash_put(&t->reported, slot, (struct hash_slot){ hash, 0, ++t->nr_counters_rows });
	}
	return (struct kmem_kernel_counters_row *)t->counters_run.at + slot->taken - 1;
}

void counters_line(struct import *im, const u8 *p, const u8 *end, u32 cpu)
{
	struct span op = note_value(p, end, "op="), name = note_value(p, end, "name=");
	u32 counter = counter_of(&op);

	if (!op.len || !name.len || counter == NR_COUNTERS) {
		import_problem(im, op.at,
			       "expected a counter of the kernel, op=COUNTER name=CACHE");
		return;
	}
	/* Those of sheaves are not reported. */
	if (cpu >= MAX_CPUS || counter >= NR_KERNEL_COUNTERS ||
	    !import_grow(im, &im->counters_cpus, MAX_CPUS * sizeof(struct counters_cpu)))
		return;
	struct kmem_kernel_counters_row *row = counters_row(im, intern_span(im, &name));
	if (!row)
		return;
	row->all[counter]++;
	row->before[counter] += (u32)is_of_before(im, cpu, counter);
}

u32 counters_row_of(const struct trace *t, const char *base, const char *name)
{
	return t->reported.run.at ? slot_of(t, base, name)->taken : 0;
}
