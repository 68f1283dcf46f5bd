/*
 * session_merge.c - several files of one machine as one trace: the calls of the public header.
 */
#include "import/merge.h"
#include "session/session.h"

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

/* Whether a merge has begun and every file so far was used. */
static int is_merging(const struct kmem_session *s)
{
	return s->import.importing == IMPORTING_BYTES && s->import.merge && s->trace.import &&
	       s->trace.import->merge == s->import.merge;
}

static s32 no_merge(struct kmem_session *s)
{
	return session_fail(s, KMEM_ESTATE, "no merge has begun: call kmem_merge_begin first");
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
