/*
 * session_columns.c - the columns of a CSV file: the names that callers use and those in the
 * header.
 */
#include "import/csv.h"
#include "session/session.h"

s32 kmem_import_columns(struct kmem_session *s, const char *mapping)
{
	struct trace_columns *columns = &s->trace.columns;
	u32 len = mapping ? text_length(mapping) : 0;
	struct range bad;

	if (!s->import.importing || s->trace.report.bytes)
		return session_fail(
			s, KMEM_ESTATE,
			"expected the columns between the start of an import and its first chunk");
	if (len >= MAX_MAPPING_BYTES)
		return session_fail(s, KMEM_EPARAM,
				    "expected at most 1023 bytes of ROLE=COLUMN pairs");
	memcpy(columns->mapping, mapping ? mapping : "", len + 1);
	if (columns_check(columns, &bad))
		return KMEM_OK;
	struct text out = text_in(s->out.error, sizeof(s->out.error));
	text_add_quoted(&out, (const char *)bad.at, (u32)(bad.end - bad.at));
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
