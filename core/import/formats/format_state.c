/*
 * format_state.c - recognises a machine state in place of a trace, and refuses it with advice on
 * its use.
 */
#include "import/import.h"
#include "machine_state/machine_state.h"

static u32 state_guess(const u8 *bytes, u32 len_bytes)
{
	/* No trace begins like this, whatever its lines look like. */
	return machine_state_recognises(bytes, len_bytes) ? 100000 : 0;
}

static void state_refuse(struct import *im, const u8 *bytes, u32 len_bytes)
{
	(void)bytes;
	(void)len_bytes;
	import_fail(
		im, KMEM_EINPUT,
		"This is a machine state, not a trace: open a trace and add the state to it "
		"(slabscope replay TRACE --machine-state FILE), or give its caches their real sizes "
		"(--cache-params FILE).");
}

const struct trace_format format_state = { .name = "state of caches",
					   .guess = state_guess,
					   .start = state_refuse };
