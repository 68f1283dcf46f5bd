/*
 * record_modules.c - puts the modules of call sites into the spool: the files that their code comes from.
 */
#include "preload/mappings.h"
#include "preload/record/recorder.h"

enum { MAX_KNOWN = 1024 };

/* The modules of this program that are in the spool. A child of fork goes on with those of its parent. */
static struct {
	u64 start, end;
} known[MAX_KNOWN];
static u32 nr_known;

static int is_known(u64 address)
{
	for (u32 i = nr_known; i--;)
		if (address >= known[i].start && address < known[i].end)
			return 1;
	return 0;
}

void recorder_learn_module(u32 image, u64 address)
{
	struct record_module found;

	if (!address || is_known(address) || nr_known == MAX_KNOWN ||
	    !mapping_find(address, &found))
		return;
	known[nr_known].start = found.start;
	known[nr_known++].end = found.end;
	u32 at = __atomic_fetch_add(&recorder_head->nr_modules, 1, __ATOMIC_RELAXED);
	if (at >= MAX_RECORD_MODULES)
		return;
	u64 end = found.end;
	found.end = 0;
	found.image = image;
	recorder_head->modules[at] = found;
	__atomic_store_n(&recorder_head->modules[at].end, end, __ATOMIC_RELEASE);
}
