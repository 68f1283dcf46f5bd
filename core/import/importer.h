/*
 * importer.h - what a session asks of the import: it starts, gets the bytes of a file in chunks, and ends with a trace.
 */
#ifndef IMPORT_IMPORTER_H
#define IMPORT_IMPORTER_H

#include "trace/trace.h"

s32 trace_begin(struct trace *t, struct pool *pool, struct params *params);
s32 trace_chunk(struct trace *t, const u8 *bytes, u32 len_bytes);
/* Call after start. The host has a file of this size and gives the chunks that trace_range()
 * requests. */
void trace_by_range(struct trace *t, u64 file_bytes);
/* Returns how many bytes the import needs next, and from where; 0: no more. */
u64 trace_range(const struct trace *t, u64 *at);
s32 trace_end(struct trace *t);
/* Call after start: drops every event as soon as it has been read. */
void trace_read_only(struct trace *t);
/* Call after start: each event's pointer and task are kept, as far as a quarter of the region holds them. */
s32 trace_keep(struct trace *t, u32 flags);
/* Returns every run to the pool, before another trace is imported. */
void trace_drop(struct trace *t);

/* resume.c: continues the trace after its first `at` events with lines of slabtrace, in place of the recorded ones. After a
 * failure the trace is as it was recorded. */
s32 trace_fork(struct trace *t, u32 at, const u8 *lines, u32 len_bytes);

/* kernel_notes.c: the number of a cache's row of the kernel's own counters + 1; 0 if it has none. */
u32 counters_row_of(const struct trace *t, const char *base, const char *name);

/*
 * symbols.c names the call sites that a trace has as addresses, from the symbols of the kernel that recorded it.
 *
 *	kallsyms ─ lines ─ the nearest symbol on both sides of each address ─ symbol+0xoffset/0xsize
 *
 * Only the symbols next to an address are kept, so memory depends on the trace, not on the file.
 */
/* Collects the addresses of an imported trace; KMEM_ENOMEM without memory for them. */
s32 symbols_begin(struct trace *t);
/* Reads bytes of the file, cut anywhere. 0 unless symbols_begin() was called. */
int symbols_chunk(struct trace *t, const u8 *bytes, u32 len_bytes);
/* Names the call sites and forgets the symbols. Returns the addresses with a name; KMEM_ESTATE unless symbols_begin()
 * was called; KMEM_EINPUT or KMEM_ENOMEM with t->error, and nothing has changed. Texts may have moved. */
s64 symbols_end(struct trace *t);

#endif
