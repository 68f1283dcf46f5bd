/*
 * session_trace.c - what becomes a session's trace: columns of a CSV file, several files, a workload, a fork; and its
 * call sites.
 */
#include "import/csv.h"
#include "import/merge.h"
#include "import/importer.h"
#include "session/job.h"
#include "session/session.h"
#include "trace/trace.h"
#include "workload/workload.h"

/*
 * The columns of a CSV file: the names that callers use and those in the
 * header.
 */

s32 kmem_import_columns(struct kmem_session *s, const char *mapping)
{
	struct trace_columns *columns = &s->trace.columns;
	u32 len = mapping ? text_length(mapping) : 0;
	struct range bad;

	if (!s->import.importing || s->trace.report.bytes)
		return session_fail(
			s, KMEM_ESTATE,
			"set the columns after the start of an import, before its first chunk");
	if (len >= MAX_MAPPING_BYTES)
		return session_fail(s, KMEM_EPARAM,
				    "expected at most 1023 bytes of ROLE=COLUMN pairs");
	memcpy(columns->mapping, mapping ? mapping : "", len + 1);
	if (columns_check(columns, &bad))
		return KMEM_OK;
	struct text out = text_in(s->out.error, sizeof(s->out.error));
	text_add_quoted(&out, CHARS_OF(bad));
	text_add(&out,
		 " is not ROLE=COLUMN with a role of: time, cpu, event, ptr (or id), req, alloc, "
		 "node, name, gfp, site, accounted; nor unit=ns, us, ms, s or ticks");
	columns->mapping[0] = 0;
	return session_failed(s, KMEM_EPARAM);
}

const struct kmem_columns *kmem_columns(struct kmem_session *s)
{
	const struct trace_columns *columns = &s->trace.columns;
	struct kmem_columns *to = &s->out.columns;

	memset(to, 0, sizeof(*to));
	for (u32 i = 0; i < columns->nr; i++) {
		const struct trace_column *from = &columns->at[i];
		s->out.column_rows[i] = (struct kmem_column){
			.name_at = session_offset(s, trace_text(&s->trace, from->name)),
			.sample_at = session_offset(s, trace_text(&s->trace, from->sample)),
			.role = from->role,
			.given = from->given,
		};
	}
	to->columns_at = session_offset(s, s->out.column_rows);
	to->nr_columns = columns->nr;
	to->missing = columns->missing;
	to->separator = columns->separator;
	return to;
}

/*
 * Several files of one machine as one trace: the calls of the public header.
 */

static s32 failed(struct kmem_session *s, s32 status)
{
	struct merge *m = s->import.merge;

	if (!status)
		return KMEM_OK;
	merge_drop(&s->pool, m);
	s->import.importing = IMPORTING_NOTHING;
	return session_fail(s, status, s->trace.error);
}

s32 kmem_merge_begin(struct kmem_session *s)
{
	if (s->import.merge) {
		merge_drop(&s->pool, s->import.merge);
		pool_free(&s->pool, s->import.merge, sizeof(struct merge));
		s->import.merge = NULL;
	}
	s32 status = kmem_import_begin(s);
	if (status)
		return status;
	s->import.merge = pool_alloc(&s->pool, sizeof(struct merge));
	if (!s->import.merge)
		return session_fail(s, KMEM_ENOMEM, "Not enough memory to merge files.");
	return failed(s, merge_open(&s->trace, s->import.merge));
}

/* Whether a merge has started and every file so far was used. */
static int is_merging(const struct kmem_session *s)
{
	return s->import.importing == IMPORTING_BYTES && s->import.merge && s->trace.import &&
	       s->trace.import->merge == s->import.merge;
}

static s32 no_merge(struct kmem_session *s)
{
	return session_fail(s, KMEM_ESTATE, "no merge has started: call kmem_merge_begin first");
}

s32 kmem_merge_file(struct kmem_session *s, const char *name)
{
	struct merge *m = s->import.merge;

	if (!is_merging(s))
		return no_merge(s);
	s32 status = m->is_reading ? merge_file_end(&s->trace, m) : KMEM_OK;
	if (!status && name)
		status = merge_file_begin(&s->trace, m, name);
	return failed(s, status);
}

s32 kmem_merge_end(struct kmem_session *s)
{
	struct merge *m = s->import.merge;
	s32 status = kmem_merge_file(s, NULL);

	if (status)
		return status;
	if (!m->nr_files)
		return failed(s, session_fail(s, KMEM_ESTATE, "no file to merge"));
	status = merge_all(&s->trace, m);
	if (status)
		return failed(s, status);
	for (u32 i = 0; i < m->nr_files; i++) {
		m->rows[i] = m->files[i].row;
		m->rows[i].name_at =
			(u32)((const u8 *)s->trace.text + m->rows[i].name_at - s->pool.base);
		m->rows[i].format_at =
			(u32)((const u8 *)s->trace.text + m->rows[i].format_at - s->pool.base);
	}
	merge_drop(&s->pool, m);
	return kmem_import_end(s);
}

const struct kmem_merge_file *kmem_merge_files(struct kmem_session *s, u32 *nr)
{
	const struct merge *m = s->import.merge;

	*nr = m ? m->nr_files : 0;
	return *nr ? m->rows : NULL;
}

const struct kmem_merge_pair *kmem_merge_pairs(struct kmem_session *s, u32 *nr)
{
	const struct merge *m = s->import.merge;

	*nr = m ? m->nr_pairs : 0;
	return *nr ? m->pairs : NULL;
}

/*
 * Kmem.h's functions for generated traces, and for the statistics of any
 * trace.
 */

s32 begin_workload(struct kmem_session *s, const void *args)
{
	const struct kmem_workload_args *a = args;
	s32 status = kmem_import_begin(s);

	if (status)
		return status;
	s->import.importing = IMPORTING_WORKLOAD;
	status = workload_begin(&s->trace, a->name, a->settings ? a->settings : "");
	if (!status)
		return 0;
	session_fail_params(s, status, s->trace.error);
	s->import.importing = IMPORTING_NOTHING;
	trace_drop(&s->trace);
	return status;
}

s64 work_workload(struct kmem_session *s, u32 max_ops)
{
	if (s->import.importing != IMPORTING_WORKLOAD)
		return session_fail(s, KMEM_ESTATE, "no workload has started");
	s32 left = workload_run(&s->trace, max_ops);
	return left > 0 ? left : kmem_import_end(s);
}

const char *kmem_workloads_json(struct kmem_session *s)
{
	return workload_json(s->out.workloads_json, sizeof(s->out.workloads_json));
}

const struct kmem_shape *kmem_shape(struct kmem_session *s)
{
	u64 len_bytes = shape_bytes(&s->trace);

	if (!s->import.imported)
		return session_none(s, KMEM_ESTATE, "no trace to look at: import one first");
	void *births = session_borrow(s, len_bytes);
	if (!births)
		return session_none(s, KMEM_ENOMEM, "not enough memory to follow the objects");
	shape_of(&s->trace, births, &s->out.shape, s->out.shape_sizes, MAX_SHAPE_SIZES);
	s->out.shape.sizes_at = session_offset(s, s->out.shape_sizes);
	session_give_back(s, births, len_bytes);
	return &s->out.shape;
}

/*
 * Kmem.h's functions for call sites: their names, and the next event of each.
 */

const char *kmem_call_site(struct kmem_session *s, u32 i)
{
	const struct trace *t = &s->trace;

	return s->import.imported && i < t->nr_sites ? trace_text(t, t->sites[i].call_site) : NULL;
}

u32 kmem_next_call(struct kmem_session *s, const char *call_site, u32 op, u32 back)
{
	const struct trace *t = &s->trace;
	u32 text = 0;

	/* Each text is stored once, so sites with equal text share its number. */
	for (u32 i = 0; s->import.imported && i < t->nr_sites && !text; i++)
		if (text_is(trace_text(t, t->sites[i].call_site), call_site))
			text = t->sites[i].call_site;
	if (!text)
		return NO_OP;
	/* Backwards from event 0 the number wraps, and is past the end too. */
	for (u32 i = back ? MIN(op, t->nr_ops) - 1 : op + 1; i < t->nr_ops; i += back ? -1u : 1u)
		if (t->sites[trace_op(t, i).site].call_site == text)
			return i;
	return NO_OP;
}

s32 kmem_symbols_begin(struct kmem_session *s)
{
	if (!s->import.imported || s->trace.fork.is_on)
		return session_fail(s, KMEM_ESTATE,
				    "only an imported trace without a fork can get symbols");
	session_drop_world(s);
	filter_off(&s->trace);
	return symbols_begin(&s->trace)
		       ? session_fail(s, KMEM_ENOMEM, "Not enough memory for the call sites.")
		       : KMEM_OK;
}

static s32 no_symbols(struct kmem_session *s)
{
	return session_fail(s, KMEM_ESTATE, "no symbols are read: call kmem_symbols_begin first");
}

s32 kmem_symbols_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	return symbols_chunk(&s->trace, bytes, len_bytes) ? KMEM_OK : no_symbols(s);
}

s64 kmem_symbols_end(struct kmem_session *s)
{
	struct merge *m = s->import.merge;
	const char *before = s->trace.text;
	s64 named = symbols_end(&s->trace);

	for (u32 i = 0; m && i < m->nr_files; i++) {
		m->rows[i].name_at += (u32)(s->trace.text - before);
		m->rows[i].format_at += (u32)(s->trace.text - before);
	}
	if (named == KMEM_ESTATE)
		return no_symbols(s);
	return named < 0 ? session_fail(s, (s32)named, s->trace.error) : named;
}

/*
 * A fork: the trace up to an event, then events of the caller. The recorded future is kept.
 */

s32 kmem_fork(struct kmem_session *s, u32 n, const u8 *lines, u32 len_bytes)
{
	u32 nr_ops = s->trace.fork.is_on ? s->trace.fork.nr_ops : s->trace.nr_ops;

	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace to fork: import one first");
	if (n == 0 || n > nr_ops)
		return session_fail(
			s, KMEM_ESTATE,
			"a fork starts after an event of the trace, from the first to the last");
	session_drop_world(s);
	filter_off(&s->trace);
	s32 status = trace_fork(&s->trace, n, lines, len_bytes);
	if (status == KMEM_ENOMEM)
		return session_fail(s, status, "the region has no room for a fork");
	return status ? session_fail(s, status, s->trace.error) : 0;
}

s32 kmem_fork_leave(struct kmem_session *s)
{
	if (!s->trace.fork.is_on)
		return session_fail(s, KMEM_ESTATE, "the trace is not forked");
	session_drop_world(s);
	filter_off(&s->trace);
	trace_unfork(&s->trace);
	return 0;
}

/* A bit for each handle whose latest event is known. */
static int is_first_seen(u64 *seen, u32 nr)
{
	u64 bit = (u64)1 << nr % 64;
	int is_first = !(seen[nr / 64] & bit);

	seen[nr / 64] |= bit;
	return is_first;
}

const u32 *kmem_fork_objects(struct kmem_session *s, u32 max, u32 *nr)
{
	const struct trace *t = &s->trace;

	*nr = 0;
	if (!t->fork.is_on || !s->timeline.built)
		return session_none(s, KMEM_ESTATE, "the trace is not forked, or not built");
	scratch_reset(s);
	u32 words = t->fork.nr_handles / 64 + 1;
	u32 *ops = scratch_alloc(s, MAX(max, 1u) * (u64)sizeof(*ops));
	u64 *seen = ops ? scratch_alloc(s, words * (u64)sizeof(*seen)) : NULL;
	if (!seen)
		return NULL;
	memset(seen, 0, words * sizeof(*seen));
	for (u32 i = t->fork.at; i-- > 0 && *nr < max;) {
		const struct op op = trace_op(t, i);
		int is_alloc = op_allocates(op.kind);
		if (op.handle == HANDLE_NONE || (!is_alloc && op.kind != OP_FREE))
			continue;
		if (is_first_seen(seen, op.handle) && is_alloc)
			ops[(*nr)++] = i;
	}
	return ops;
}
