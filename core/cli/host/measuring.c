/*
 * measuring.c - one replay for its numbers alone, for commands that replay a trace many times.
 */
#include "cli/host/measuring.h"

enum { SLICE_OPS = 1 << 20 };

const struct kmem_measured *measure_replay(struct kmem_session *s, s32 *err)
{
	s64 left = kmem_measure_begin(s);
	u32 nr;

	if (!left)
		do
			left = kmem_measure_run(s, SLICE_OPS);
		while (left > 0);
	*err = left ? (s32)left : kmem_check(s);
	return *err ? NULL : kmem_measured(s, &nr);
}
