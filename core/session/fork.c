/*
 * fork.c - a fork: the trace up to an event, then events of the caller. The recorded future is kept.
 */
#include "session/session.h"

#include "trace/trace.h"

s32 kmem_fork(struct kmem_session *s, u32 n, const u8 *lines, u32 len_bytes)
{
	u32 nr_ops = s->trace.fork.is_on ? s->trace.fork.nr_ops : s->trace.nr_ops;

	if (!s->import.imported)
		return session_fail(s, KMEM_ESTATE, "no trace to fork: import one first");
	if (n == 0 || n > nr_ops)
		return session_fail(
			s, KMEM_ESTATE,
			"a fork begins after an event of the trace, from the first to the last");
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
	if (!t->fork.is_on || !s->timeline.built) {
		session_fail(s, KMEM_ESTATE, "the trace is not forked, or not built");
		return NULL;
	}
	scratch_reset(s);
	u32 words = t->fork.nr_handles / 64 + 1;
	u32 *ops = scratch_alloc(s, MAX(max, 1u) * (u64)sizeof(*ops));
	u64 *seen = ops ? scratch_alloc(s, words * (u64)sizeof(*seen)) : NULL;
	if (!seen) {
		session_fail(s, KMEM_ENOMEM, "not enough memory to list the objects of a fork");
		return NULL;
	}
	memset(seen, 0, words * sizeof(*seen));
	for (u32 i = t->fork.at; i-- > 0 && *nr < max;) {
		const struct op op = trace_op(t, i);
		int is_alloc = op.kind == OP_ALLOC || op.kind == OP_KMALLOC;
		if (op.handle == HANDLE_NONE || (!is_alloc && op.kind != OP_FREE))
			continue;
		if (is_first_seen(seen, op.handle) && is_alloc)
			ops[(*nr)++] = i;
	}
	return ops;
}
