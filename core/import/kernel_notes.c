/*
 * kernel_notes.c - what a trace says about the kernel that recorded it: its release, how many events it recorded, and
 * its own counters.
 *
 *	perf.data			feature HEADER_OSRELEASE
 *	perf script --header		# os release : 6.18.15+deb13-amd64
 *	trace.dat			option UNAME: Linux host 6.18.15+deb13-amd64 x86_64
 *	trace-cmd report --uname	the same as a line
 *	ftrace, latency format		# nop latency trace v1.1.5 on 6.18.15+deb13-amd64
 *	slabtrace			machine kernel=6.18.15+deb13-amd64
 */
#include "import/import.h"
#include "import/text_line.h"
#include "sim/cache.h"

/* Returns 1 for letters and marks in releases. None of them needs quotes on a machine line or in a
 * terminal. */
static int is_release_byte(u8 c)
{
	return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '+' || c == '_' ||
	       c == '~';
}

int import_kernel(struct import *im, const u8 *p, const u8 *end)
{
	char release[MAX_RELEASE_BYTES] = { 0 };
	u32 len = 0;

	while (p < end && is_release_byte(*p) && len + 1 < sizeof(release))
		release[len++] = (char)*p++;
	if ((p < end && is_release_byte(*p)) || !kernel_is_release(release))
		return 0;
	memcpy(im->trace->kernel, release, sizeof(release));
	return 1;
}

int import_uname(struct import *im, const u8 *p, const u8 *end)
{
	if (!span_begins(p, end, "Linux "))
		return 0;
	p = scan_byte(p + 6, end, ' ');
	return p < end && import_kernel(im, p + 1, end);
}

u32 import_kernel_sign(const struct import *im)
{
	if (im->has_early_names)
		return SIGN_NAMED_ALLOCATIONS;
	if (!(kind_at(im, KIND_KMALLOC_NODE)->lines + kind_at(im, KIND_CACHE_ALLOC_NODE)->lines))
		return SIGN_NONE;
	return im->has_free_names ? SIGN_NODE_EVENTS : SIGN_NAMELESS_FREES;
}

/* Reads "# os release : 6.18.15", and the text after " on " in a latency tracer's header. */
void import_kernel_comment(struct import *im, const u8 *line, const u8 *end)
{
	static const char perf[] = "# os release : ";
	const u8 *at;

	if (span_begins(line, end, perf))
		import_kernel(im, line + sizeof(perf) - 1, end);
	else if ((at = span_find(line, end, " latency trace v")) &&
		 (at = span_find(at, end, " on ")))
		import_kernel(im, at + 4, end);
}

/*
 * Sampled traces: how many events of the machine the recorded ones stand for.
 *
 * perf samples a tracepoint only by frequency (-F). With a period (-c) the kernel still records every event if the
 * samples have a period, and perf requests that. So we look at the periods of the samples, not at the options perf was
 * given.
 */

/* Returns the average period, rounded; 1: sampled, at an unknown rate. */
static u32 average(u64 sum, u64 nr)
{
	u64 period = nr ? (sum + nr / 2) / nr : 0;

	return (u32)MIN(MAX(period, (u64)1), (u64)MAX_PERIOD);
}

void estimate_events(struct import *im)
{
	const struct sampled *sampled = &im->sampled;
	struct kmem_report *report = &im->trace->report;
	u64 recorded = report->allocs + report->frees;

	if (!recorded)
		return;
	if (sampled->allocs + sampled->frees) {
		report->estimated_allocs = sampled->allocs;
		report->estimated_frees = sampled->frees;
		report->sampling = average(sampled->allocs + sampled->frees, recorded);
	} else {
		report->sampling = average(sampled->periods, sampled->nr);
		report->estimated_allocs = report->allocs * report->sampling;
		report->estimated_frees = report->frees * report->sampling;
	}
	/* Every sample stands for itself: the trace has every event. */
	if (report->estimated_allocs + report->estimated_frees == recorded &&
	    sampled->nr + sampled->allocs)
		report->sampling = 0;
	if (report->sampling <= 1)
		report->estimated_allocs = report->estimated_frees = 0;
}

/*
 * Kernel counters: lines of a tracepoint that was added to a kernel for this
 * purpose,
 *
 *	sh-90 [004] .....     9.763285: slub_stat: op=alloc_slowpath name=task_struct
 *
 * Allocations are traced at their end and frees at their start. On each CPU a counter therefore
 * belongs to the free before it. If ALLOC_SLOWPATH came since then, it belongs to the next
 * allocation. Counters of frees of objects allocated before the trace started are kept separately: a
 * replay never has these objects.
 */

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

/* Returns the latest event of the CPU; NO_OP_YET if it is not among the last few. */
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

/* Returns the slot of the row with this name, or a free slot. Row names are offsets from `base`. */
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
		import_problem(im, op.at, "expected a kernel counter: op=COUNTER name=CACHE");
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

/*
 * Keeps the lines of two tracepoints that were added to a kernel for a laboratory: which counters an event
 * raised, and each change of SLUB's sheaves, barns and slabs.
 *
 *	sh-90 [004] .....     9.763285: slub_stat: op=alloc_slab name=task_struct n=1
 *	sh-90 [004] d..1.     9.763281: slub_op: op=slab_take name=filp p=ffff888100b4b000 q=ffff888100b4b0c0 n=7 node=0
 *
 * `slabscope check` reads them. docs/command/check.md has the words of op=.
 */

static const char *const part_names[NR_KERNEL_PARTS] = {
#define PART(name, key) [name] = #key,
#include "sim/kernel_parts.def"
};

static u32 part_of(const struct span *name)
{
	u32 k = 0;

	while (k < NR_KERNEL_PARTS && !span_is(name->at, name->at + name->len, part_names[k]))
		k++;
	return k;
}

static u64 hex_value(const u8 *p, const u8 *end, const char *key)
{
	struct span digits = note_value(p, end, key);
	u64 value = 0;

	for (u32 i = 0; i < digits.len && hex_digit(digits.at[i]) < 16; i++)
		value = value << 4 | hex_digit(digits.at[i]);
	return value;
}

static s32 number_value(const u8 *p, const u8 *end, const char *key, s32 otherwise)
{
	struct span digits = note_value(p, end, key);
	u64 value;

	if (!digits.len || !scan_decimal(digits.at, digits.at + digits.len, 0x7fffffff, &value))
		return otherwise;
	return (s32)value;
}

enum { PART_OF_REGION = 4 };

/* As with pointers and tasks, the trace is worth more than these lines once they exceed their part of the region. */
static int make_room(struct import *im, u64 bytes)
{
	struct trace *t = im->trace;

	if (bytes <= t->pool->size_bytes / PART_OF_REGION &&
	    buffer_grow(t->pool, &t->kept.effects, bytes))
		return 1;
	buffer_free(t->pool, &t->kept.effects);
	t->kept.nr_effects = t->kept.nr_parts = 0;
	t->kept.flags &= ~(u32)KMEM_KEEP_EFFECTS;
	t->kept.dropped |= KMEM_KEEP_EFFECTS;
	im->keep &= ~(u32)KMEM_KEEP_EFFECTS;
	return 0;
}

void kernel_line(struct import *im, u32 kind, const u8 *p, const u8 *end, u32 cpu, u32 task)
{
	struct trace_kept *kept = &im->trace->kept;
	struct span op = note_value(p, end, "op="), name = note_value(p, end, "name=");
	u32 what = kind == KIND_SLUB_OP ? part_of(&op) : PART_COUNTER + counter_of(&op);
	u64 need = (kept->nr_effects + 1) * (u64)sizeof(struct kernel_line);

	if (what == NR_KERNEL_PARTS || what == PART_COUNTER + NR_COUNTERS || !name.len ||
	    cpu >= MAX_CPUS)
		return;
	if (need > kept->effects.room_bytes &&
	    !make_room(im, MAX(need, 2 * kept->effects.room_bytes)))
		return;
	((struct kernel_line *)kept->effects.at)[kept->nr_effects++] = (struct kernel_line){
		.p = hex_value(p, end, " p="),
		.q = hex_value(p, end, " q="),
		.name = intern_span(im, &name),
		.task = task,
		.before = im->trace->nr_ops,
		.n = number_value(p, end, " n=", 1),
		.cpu = (u16)cpu,
		.what = (u16)what,
		.node = (s16)number_value(p, end, "node=", -1),
	};
	kept->nr_parts += kind == KIND_SLUB_OP;
}
