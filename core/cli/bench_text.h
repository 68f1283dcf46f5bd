/*
 * bench_text.h - the recording that `slabscope bench` uses when it is given none.
 */
#ifndef CLI_BENCH_TEXT_H
#define CLI_BENCH_TEXT_H

#include "../base/types.h"

/* ftrace text of nr_events events with up to nr_live objects at once; malloc'ed, NULL when there
 * is no memory. */
char *bench_text_make(u32 nr_events, u32 nr_live, u64 *len_bytes);

#endif
