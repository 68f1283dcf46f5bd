/*
 * kernel_lines.c - keeps the lines of two tracepoints that were added to a kernel for a laboratory: which counters an event
 * raised, and each change of SLUB's sheaves, barns and slabs.
 *
 *	sh-90 [004] .....     9.763285: slub_stat: op=alloc_slab name=task_struct n=1
 *	sh-90 [004] d..1.     9.763281: slub_op: op=slab_take name=filp p=ffff888100b4b000 q=ffff888100b4b0c0 n=7 node=0
 *
 * `slabscope check` reads them. docs/command.md has the words of op=.
 */
#include "import/import.h"
#include "import/lines/line_header.h"

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

/* As for pointers and tasks: beyond its part of the region a trace is worth more than these lines. */
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
