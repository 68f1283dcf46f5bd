/*
 * record_modules.c - puts the modules of call sites into the spool: the files that their code comes from.
 */
#include "preload/mappings.h"
#include "preload/record/recorder.h"

void recorder_learn_module(u32 image, u64 address)
{
	struct record_module found;

	if (!mapping_learn(address, &found))
		return;
	u32 at = __atomic_fetch_add(&recorder_head->nr_modules, 1, __ATOMIC_RELAXED);
	if (at >= MAX_RECORD_MODULES)
		return;
	u64 end = found.end;
	found.end = 0;
	found.image = image;
	recorder_head->modules[at] = found;
	__atomic_store_n(&recorder_head->modules[at].end, end, __ATOMIC_RELEASE);
}
