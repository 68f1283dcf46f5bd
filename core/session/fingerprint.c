/*
 * fingerprint.c - a number for the decisions of each event: two machines decide alike while their
 * numbers are equal.
 *
 * The number covers the kinds of steps in order, their nodes, and the object's location. It leaves
 * out thresholds and list lengths, which may differ long before they change a decision.
 */
#include "session/session.h"

static u32 mixed(u32 hash, u32 value)
{
	hash = (hash ^ value) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

static u32 print_of(const struct kmem_session *s)
{
	u32 hash = mixed(mixed(0x811c9dc5u, s->timeline.op_slab), s->timeline.op_index);

	for (u32 i = 0; i < s->timeline.nr_steps; i++)
		hash = mixed(hash,
			     s->timeline.steps[i].kind | (u32)s->timeline.steps[i].node << 16);
	return hash;
}

const u32 *kmem_fingerprints(struct kmem_session *s, u32 op, u32 n, u32 *nr)
{
	*nr = 0;
	s->timeline.steps_op = NO_OP;
	if (kmem_seek(s, op))
		return NULL;
	scratch_reset(s);
	u32 most = MIN(MIN(n, (u32)MAX_FINGERPRINTS), s->trace.nr_ops - op);
	u32 *prints = scratch_alloc(s, MAX(most, 1u) * sizeof(*prints));
	if (!prints) {
		session_fail(s, KMEM_ENOMEM, "not enough memory to compare events");
		return NULL;
	}
	while (*nr < most) {
		if (session_record(s, op + *nr, 0, NULL))
			return NULL;
		prints[(*nr)++] = print_of(s);
	}
	s->timeline.steps_op = NO_OP;
	return prints;
}
