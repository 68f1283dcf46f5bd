/*
 * matrix.c - where objects are allocated and where they are freed: a matrix of CPUs or of nodes, counted in one pass over
 * the events, in slices, without a replay.
 *
 * Each handle remembers the CPU of its allocation. These tables lie after the world, as the index does.
 */
#include "session/job.h"
#include "query/memory/memory.h"

/* Returns the CPU on which the replay runs the event. */
static u32 cpu_of(const struct kmem_session *s, const struct op *op)
{
	u32 nr_cpus = s->w->machine.nr_cpus;

	return op->cpu < nr_cpus ? op->cpu : op->cpu % nr_cpus;
}

static u32 line_of(const struct kmem_session *s, const struct matrix *m, u32 cpu)
{
	return (m->by_cpu ? cpu : node_of_cpu(s->w, cpu)) / m->per_row;
}

/* Chooses rows of CPUs, else of nodes, else of several nodes. */
static void choose_rows(const struct kmem_session *s, struct matrix *m)
{
	u32 cpus = s->w->machine.nr_cpus, nodes = s->w->machine.nr_nodes;

	m->by_cpu = cpus <= MATRIX_MOST_ROWS;
	m->per_row = m->by_cpu ? 1 : DIV_ROUND_UP(nodes, (u32)MATRIX_MOST_ROWS);
	m->nr_rows = m->by_cpu ? cpus : DIV_ROUND_UP(nodes, m->per_row);
}

static s32 no_memory(struct kmem_session *s)
{
	memory_of(s)->matrix.state = MATRIX_NONE;
	return session_fail(s, KMEM_ENOMEM,
			    "not enough memory to note where each object was allocated: cut the "
			    "trace by time or cache, or use the native command");
}

/* Returns 0 if memory is short. */
static int make_tables(struct kmem_session *s, struct matrix *m)
{
	struct index *x = &query_of(s)->index;
	const struct trace *t = &s->trace;
	u32 was_full = x->full;

	if (!s->timeline.behind.base)
		index_place_memory(s, 0);
	x->full = 0;
	m->born = index_alloc(x, MAX(t->nr_handles, 1u) * (u64)sizeof(*m->born));
	m->cells = index_alloc(x, (u64)m->nr_rows * m->nr_rows * sizeof(*m->cells));
	m->cache_of = m->sum.cache == KMEM_NONE
			      ? NULL
			      : index_alloc(x, MAX(t->nr_sites, 1u) * (u64)sizeof(u16));
	int fits = !x->full;
	x->full = was_full;
	m->drops = query_of(s)->index_drops;
	return fits;
}

static s32 begin(struct kmem_session *s, struct matrix *m, u32 cache)
{
	/* All caches exist at the end, so each call site has its cache there. */
	s32 status = s->timeline.built ? kmem_seek(s, s->trace.nr_ops) : 0;

	if (status)
		return status;
	memset(m, 0, sizeof(*m));
	m->sum.cache = cache;
	choose_rows(s, m);
	if (!make_tables(s, m))
		return no_memory(s);
	for (u32 i = 0; m->cache_of && i < s->trace.nr_sites; i++)
		m->cache_of[i] = (u16)replay_cache_of_site(&s->replay, &s->trace.sites[i]);
	m->state = MATRIX_RUNNING;
	return 0;
}

/* A replay without keyframes is at the end and cannot go back. */
static int is_replayed(const struct kmem_session *s)
{
	return s->timeline.built || (s->w && s->w->op == s->trace.nr_ops);
}

s32 begin_matrix(struct kmem_session *s, const void *args)
{
	const struct kmem_cache_args *a = args;

	if (!is_replayed(s))
		return session_fail(s, KMEM_ESTATE, "nothing is built yet: build the trace first");
	return begin(s, &memory_of(s)->matrix, a->cache);
}

static void count_free(const struct kmem_session *s, struct matrix *m, const struct op *op,
		       u32 bytes)
{
	u32 from = m->born[op->handle] - 1u, to = cpu_of(s, op);

	m->born[op->handle] = 0;
	if (op->flags & OP_IMPLIED) {
		m->sum.unseen++;
		return;
	}
	struct matrix_count *cell = &m->cells[line_of(s, m, from) * m->nr_rows + line_of(s, m, to)];
	cell->objects++;
	cell->bytes += bytes;
	m->sum.frees++;
	m->sum.bytes += bytes;
	if (from == to)
		return;
	m->sum.other_cpu++;
	m->sum.other_node += node_of_cpu(s->w, from) != node_of_cpu(s->w, to);
}

/* Nearly all events are plain; unpacking them here halves the time of the pass. */
static struct op op_at(const struct trace *t, u32 i)
{
	const struct packed_op packed = *trace_packed(t, i);

	if (!is_plain_op(packed))
		return trace_unpack(t, packed);
	u32 kind = packed.object >> PACKED_KIND_AT;
	int is_implied = kind == PACKED_IMPLIED_FREE;
	return (struct op){ .handle = packed.object & PACKED_HANDLE_MASK,
			    .site = packed.place & PACKED_SITE_MASK,
			    .cpu = (u16)(packed.place >> PACKED_CPU_AT),
			    .kind = (u8)(is_implied ? OP_FREE : kind),
			    .flags = is_implied ? OP_IMPLIED : 0 };
}

static void count(const struct kmem_session *s, struct matrix *m, u32 i)
{
	const struct op op = op_at(&s->trace, i);

	if (!op_allocates(op.kind) && op.kind != OP_FREE)
		return;
	if (m->cache_of && m->cache_of[op.site] != m->sum.cache)
		return;
	if (op.kind == OP_FREE) {
		if (m->born[op.handle])
			count_free(s, m, &op, s->trace.sites[op.site].bytes);
		return;
	}
	m->born[op.handle] = (u16)(cpu_of(s, &op) + 1);
	m->sum.allocations++;
}

/* Scales a sampled trace to estimates of what the machine did. */
static void scale(struct matrix *m, u32 by)
{
	u64 *const sums[] = { &m->sum.allocations, &m->sum.frees, &m->sum.bytes, &m->sum.other_cpu,
			      &m->sum.other_node,  &m->sum.live,  &m->sum.unseen };

	for (u32 i = 0; by && i < ARRAY_SIZE(sums); i++)
		*sums[i] *= by;
	for (u32 i = 0; by && i < m->nr_rows * m->nr_rows; i++) {
		m->cells[i].objects *= by;
		m->cells[i].bytes *= by;
	}
}

s64 work_matrix(struct kmem_session *s, u32 max_ops)
{
	struct matrix *m = &memory_of(s)->matrix;
	u32 nr_ops = s->trace.nr_ops;

	if (!is_replayed(s) || (m->state == MATRIX_NONE && !m->cells))
		return session_fail(s, KMEM_ESTATE, "no matrix of frees has started");
	/* An index has taken the memory of the tables. */
	if (m->state == MATRIX_NONE) {
		s32 status = begin(s, m, m->sum.cache);
		if (status)
			return status;
	}
	u32 end = (u32)MIN((u64)m->next_op + max_ops, (u64)nr_ops);
	for (; m->next_op < end; m->next_op++)
		count(s, m, m->next_op);
	if (m->next_op == nr_ops) {
		m->sum.live = m->sum.allocations - m->sum.frees - m->sum.unseen;
		scale(m, s->trace.report.sampling);
		m->state = MATRIX_READY;
	}
	return nr_ops - m->next_op;
}

/* Adds up the rows of CPUs by node, into a matrix that has `wide` rows. */
static void by_node(const struct kmem_session *s, const struct matrix *m, u32 per_row, u32 wide,
		    struct matrix_count *to)
{
	for (u32 from = 0; from < m->nr_rows; from++)
		for (u32 cpu = 0; cpu < m->nr_rows; cpu++) {
			const struct matrix_count *cell = &m->cells[from * m->nr_rows + cpu];
			struct matrix_count *sum = &to[node_of_cpu(s->w, from) / per_row * wide +
						       node_of_cpu(s->w, cpu) / per_row];
			sum->objects += cell->objects;
			sum->bytes += cell->bytes;
		}
}

static const struct kmem_matrix *list_cells(struct kmem_session *s, struct matrix *m,
					    const struct matrix_count *cells, u32 wide, u32 per_row)
{
	u32 nr = 0;

	for (u32 i = 0; i < wide * wide; i++)
		nr += cells[i].objects != 0;
	struct kmem_matrix_cell *row = scratch_alloc(s, MAX(nr, 1u) * (u64)sizeof(*row));
	if (!row)
		return NULL;
	m->sum.cells_at = session_offset(s, row);
	m->sum.nr_cells = nr;
	m->sum.nr_rows = wide;
	m->sum.per_row = per_row;
	for (u32 i = 0; i < wide * wide; i++)
		if (cells[i].objects)
			*row++ = (struct kmem_matrix_cell){ cells[i].objects, cells[i].bytes,
							    i / wide * per_row,
							    i % wide * per_row };
	return &m->sum;
}

const struct kmem_matrix *kmem_matrix(struct kmem_session *s, u32 by)
{
	struct matrix *m = &memory_of(s)->matrix;

	if (m->state != MATRIX_READY)
		return session_none(s, KMEM_ESTATE, "the matrix of frees is not complete");
	scratch_reset(s);
	m->sum.by = by == BY_CPU && m->by_cpu ? BY_CPU : BY_NODE;
	if (m->sum.by == BY_CPU || !m->by_cpu)
		return list_cells(s, m, m->cells, m->nr_rows, m->per_row);
	u32 nodes = s->w->machine.nr_nodes, per_row = DIV_ROUND_UP(nodes, (u32)MATRIX_MOST_ROWS),
	    wide = DIV_ROUND_UP(nodes, per_row);
	u64 len_bytes = (u64)wide * wide * sizeof(struct matrix_count);
	struct matrix_count *sums = scratch_alloc(s, len_bytes);
	if (!sums)
		return NULL;
	memset(sums, 0, len_bytes);
	by_node(s, m, per_row, wide, sums);
	return list_cells(s, m, sums, wide, per_row);
}
