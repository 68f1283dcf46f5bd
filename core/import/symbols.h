/*
 * symbols.h - names the call sites that a trace has as addresses, from the symbols of the kernel that recorded it.
 *
 *	kallsyms ─ lines ─ the nearest symbol on both sides of each address ─ symbol+0xoffset/0xsize
 *
 * Only the symbols beside an address are kept, so memory depends on the trace and not on the file.
 */
#ifndef IMPORT_SYMBOLS_H
#define IMPORT_SYMBOLS_H

#include "trace/trace.h"

/* Collects the addresses of an imported trace; KMEM_ENOMEM without memory for them. */
s32 symbols_begin(struct trace *t);
/* Reads bytes of the file, cut anywhere. 0 unless symbols_begin() was called. */
int symbols_chunk(struct trace *t, const u8 *bytes, u32 len_bytes);
/* Names the call sites and forgets the symbols. Returns the addresses with a name; KMEM_ESTATE unless symbols_begin()
 * was called; KMEM_EINPUT or KMEM_ENOMEM with t->error, and nothing has changed. Texts may have moved. */
s64 symbols_end(struct trace *t);

#endif
