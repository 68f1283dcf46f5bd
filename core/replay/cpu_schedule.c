/*
 * cpu_schedule.c - implements cpu_schedule.h. It appends the next event to those that have run, and
 * replay runs it there.
 */
#include "replay/cpu_schedule.h"

enum { NO_TURN = 0xffffffff, NOT_YET = 0xffffffff, ANY_NAME = 0xfffffffe };

static void free_ops(struct trace *t, struct packed_op **chunks, u32 nr_ops)
{
	for (u32 i = 0; i < DIV_ROUND_UP(nr_ops, OPS_PER_CHUNK); i++)
		pool_free(t->pool, chunks[i], OPS_PER_CHUNK * sizeof(struct packed_op));
	pool_free(t->pool, chunks, POOL_UNIT_BYTES);
}

static struct packed_op **new_ops(struct trace *t)
{
	struct packed_op **chunks = pool_alloc(t->pool, POOL_UNIT_BYTES);
	u32 nr = DIV_ROUND_UP(t->nr_ops, OPS_PER_CHUNK);

	for (u32 i = 0; chunks && i < nr; i++) {
		chunks[i] = pool_alloc(t->pool, OPS_PER_CHUNK * sizeof(struct packed_op));
		if (chunks[i])
			continue;
		free_ops(t, chunks, i * OPS_PER_CHUNK);
		return NULL;
	}
	return chunks;
}

static int is_birth(struct op op)
{
	return op_allocates(op.kind);
}

static struct packed_op old_packed(const struct turns *turns, u32 i)
{
	return turns->from[i / OPS_PER_CHUNK][i % OPS_PER_CHUNK];
}

static struct op old_op(const struct turns *turns, u32 i)
{
	return trace_unpack(turns->trace, old_packed(turns, i));
}

static u32 cpu_of(const struct turns *turns, const struct world *w, u32 i)
{
	return old_op(turns, i).cpu % w->machine.nr_cpus;
}

/* Returns the bytes of the tables that turns_begin() takes from the block. */
static u64 block_bytes(u64 list_bytes, u64 large_bytes)
{
	return 4 * PART_BYTES(list_bytes) + PART_BYTES(MAX_CPUS * sizeof(struct turns_cpu)) +
	       PART_BYTES(MAX_CPUS * sizeof(struct heap_item)) + PART_BYTES(large_bytes);
}

int turns_begin(struct turns *turns, struct trace *t)
{
	u64 list = MAX(t->nr_ops, (u64)t->nr_handles * 2) * sizeof(u32);
	u64 large = t->nr_large_ops * (u64)sizeof(struct op);
	struct packed_op **chunks = new_ops(t);

	memset(turns, 0, sizeof(*turns));
	turns->block_bytes = block_bytes(list, large);
	turns->block = chunks ? pool_alloc(t->pool, turns->block_bytes) : NULL;
	if (!turns->block) {
		if (chunks)
			free_ops(t, chunks, t->nr_ops);
		return 0;
	}
	u8 *at = turns->block;
	turns->queue = pool_cut(&at, list);
	turns->next = pool_cut(&at, list);
	turns->name = pool_cut(&at, list);
	turns->free_names = pool_cut(&at, list);
	turns->cpu = pool_cut(&at, MAX_CPUS * sizeof(struct turns_cpu));
	turns->due = pool_cut(&at, MAX_CPUS * sizeof(struct heap_item));
	turns->large = pool_cut(&at, large);
	KASSERT(at == (u8 *)turns->block + turns->block_bytes);
	if (large)
		memcpy(turns->large, t->large_run.at, large);
	turns->trace = t;
	turns->from = t->op_chunks;
	turns->nr_ops = t->nr_ops;
	turns->nr_handles = t->nr_handles;
	t->op_chunks = chunks;
	turns->most_live = t->report.handles;
	t->nr_handles = MAX(t->nr_handles, turns->most_live * 2);
	turns->is_on = 1;
	return 1;
}

static void push_due(struct turns *turns, u32 cpu, u64 at)
{
	heap_push(turns->due, &turns->nr_due, (struct heap_item){ at, cpu, cpu });
}

/* Lifetimes of objects */

/* Links each event to the next one on the same object, which waits for it. */
static void link_lives(struct turns *turns)
{
	u32 *last = turns->free_names; /* [handles]; the table is unused until objects need names */

	for (u32 i = 0; i < turns->nr_handles; i++)
		last[i] = NO_TURN;
	for (u32 i = 0; i < turns->nr_ops; i++) {
		const struct op op = old_op(turns, i);
		turns->next[i] = NO_TURN;
		turns->name[i] = ANY_NAME;
		if (op.handle == HANDLE_NONE)
			continue;
		if (!is_birth(op) && last[op.handle] != NO_TURN) {
			turns->next[last[op.handle]] = i;
			turns->name[i] = NOT_YET;
		}
		last[op.handle] = i;
	}
}

/* Whether event i belongs to the bulk request that the CPU's previous event is part of. */
static int goes_on(const struct turns *turns, const struct turns_cpu *c, u32 i)
{
	const struct op op = old_op(turns, i);

	u32 request = turns->trace->sites[op.site].request;
	if (!c->has_begun || (request != SITE_BULK && request != SITE_GROUP))
		return 0;
	const struct op before = old_op(turns, turns->queue[c->first - 1]);
	return turns->trace->sites[before.site].request == request &&
	       !(before.flags & OP_GROUP_LAST) && !(op.flags & OP_GROUP_FIRST) &&
	       before.kind != OP_BULK_FREE && op.kind != OP_BULK_ALLOC &&
	       (op.kind == OP_ALLOC) == (before.kind == OP_ALLOC || before.kind == OP_BULK_ALLOC);
}

/* Reads the CPU's next event, if there is one: it is due, or it waits for its object. No other CPU comes between the
 * events of a bulk request, unless one of its objects is not there yet. */
static void look_ahead(struct turns *turns, const struct world *w, u32 cpu)
{
	struct turns_cpu *c = &turns->cpu[cpu];

	if (c->first == c->end)
		return;
	c->waits = turns->name[turns->queue[c->first]] == NOT_YET ? WAITS_FOR_OBJECT : WAITS_NOT;
	if (c->waits)
		return;
	int at_once = goes_on(turns, c, turns->queue[c->first]);
	push_due(turns, cpu, at_once ? 0 : clock_of(w, cpu) + w->policy.work);
}

void turns_deal(struct turns *turns, const struct replay *r)
{
	u32 nr_cpus = r->w->machine.nr_cpus, first = 0;

	link_lives(turns);
	for (u32 i = 0; i < turns->nr_ops; i++)
		turns->cpu[cpu_of(turns, r->w, i)].end++;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++) {
		struct turns_cpu *c = &turns->cpu[cpu];
		u32 nr = c->end;
		c->first = c->end = first;
		first += nr;
	}
	for (u32 i = 0; i < turns->nr_ops; i++)
		turns->queue[turns->cpu[cpu_of(turns, r->w, i)].end++] = i;
	for (u32 cpu = 0; cpu < nr_cpus; cpu++)
		look_ahead(turns, r->w, cpu);
}

/* Room */

/* CPU `cpu`, which waited, resumes. */
static void go_on(struct turns *turns, const struct world *w, u32 cpu)
{
	turns->nr_waiting -= turns->cpu[cpu].waits == WAITS_FOR_ROOM;
	turns->cpu[cpu].waits = WAITS_NOT;
	push_due(turns, cpu, MAX(clock_of(w, cpu) + w->policy.work, w->op_start));
}

/* An object was freed: the CPU that has waited longest for room resumes. */
static void give_room(struct turns *turns, const struct world *w)
{
	u32 longest = CPU_NONE;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		if (turns->cpu[cpu].waits != WAITS_FOR_ROOM)
			continue;
		if (longest == CPU_NONE || clock_of(w, cpu) < clock_of(w, longest))
			longest = cpu;
	}
	go_on(turns, w, longest);
}

/* All CPUs wait: the trace's earliest event runs. The events that it depends on have already run. */
static void break_wait(struct turns *turns, const struct world *w)
{
	u32 earliest = CPU_NONE, op = NO_TURN;

	for (u32 cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		const struct turns_cpu *c = &turns->cpu[cpu];
		if (c->first == c->end || turns->queue[c->first] >= op)
			continue;
		op = turns->queue[c->first];
		earliest = cpu;
	}
	turns->cpu[earliest].passes = 1;
	go_on(turns, w, earliest);
}

/* Gives the next event's object a handle; returns 0 if its CPU has to wait for room. */
static int find_name(struct turns *turns, u32 i, u32 cpu)
{
	struct turns_cpu *c = &turns->cpu[cpu];

	if (turns->name[i] != ANY_NAME || old_op(turns, i).handle == HANDLE_NONE)
		return 1;
	if (turns->nr_live >= turns->most_live && !c->passes) {
		c->waits = WAITS_FOR_ROOM;
		turns->nr_waiting++;
		return 0;
	}
	c->passes = 0;
	turns->nr_live++;
	turns->name[i] = turns->nr_free ? turns->free_names[--turns->nr_free] : turns->nr_names++;
	return 1;
}

/* Event i has run on `cpu`: resumes the CPU that waited for it or for room. */
static void note_done(struct turns *turns, const struct world *w, u32 i, u32 cpu)
{
	u32 next = turns->next[i];

	if (next != NO_TURN)
		turns->name[next] = turns->name[i];
	turns->cpu[cpu].first++;
	turns->cpu[cpu].has_begun = 1;
	look_ahead(turns, w, cpu);
	if (next != NO_TURN) {
		u32 other = cpu_of(turns, w, next);
		struct turns_cpu *o = &turns->cpu[other];
		if (o->waits == WAITS_FOR_OBJECT && turns->queue[o->first] == next)
			go_on(turns, w, other);
	} else if (old_op(turns, i).kind == OP_FREE) {
		turns->free_names[turns->nr_free++] = turns->name[i];
		turns->nr_live--;
		if (turns->nr_waiting)
			give_room(turns, w);
	}
}

u32 turns_run(struct turns *turns, struct replay *r, u32 n)
{
	u32 done = 0;

	while (done < n && r->w->op < turns->nr_ops) {
		if (!turns->nr_due)
			break_wait(turns, r->w);
		u32 cpu = heap_pop(turns->due, &turns->nr_due).value,
		    i = turns->queue[turns->cpu[cpu].first];
		if (!find_name(turns, i, cpu))
			continue;
		struct packed_op packed = old_packed(turns, i);
		if (turns->name[i] != ANY_NAME)
			packed = trace_renamed(turns->trace, packed, turns->name[i]);
		*trace_packed(turns->trace, r->w->op) = packed;
		if (!replay_run(r, 1))
			break;
		note_done(turns, r->w, i, cpu);
		done++;
	}
	return done;
}

void turns_finish(struct turns *turns, struct trace *t)
{
	free_ops(t, turns->from, turns->nr_ops);
	pool_free(t->pool, turns->block, turns->block_bytes);
	times_forget(t);
	trace_keep_nothing(t);
	first_events_drop(t);
	page_events_drop(t);
	memset(turns, 0, sizeof(*turns));
}

void turns_abandon(struct turns *turns, struct trace *t)
{
	if (!turns->is_on)
		return;
	free_ops(t, t->op_chunks, turns->nr_ops);
	if (t->nr_large_ops)
		memcpy(t->large_run.at, turns->large, t->nr_large_ops * sizeof(struct op));
	t->op_chunks = turns->from;
	t->nr_handles = turns->nr_handles;
	pool_free(t->pool, turns->block, turns->block_bytes);
	memset(turns, 0, sizeof(*turns));
}
