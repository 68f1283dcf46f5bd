/*
 * source.h - where the bytes of perf.data and trace.dat come from, in extents that their readers ask for.
 *
 *	reader ─ source_fill(extent, at, len) ─┬─ the host reads that range of the file	(kmem_import_range)
 *	                                      ├─ the next bytes of a stream
 *	                                      └─ the file as it was kept in memory
 *
 * Neither format can be read from front to back: perf.data describes its events behind them, trace.dat has one CPU after
 * the other. A reader therefore asks for the extents that it needs. When an extent is not there yet, source_fill() returns 0,
 * the reader returns to its caller, and its step() is called again once the extent has been filled. Where the host cannot
 * read at any place, the whole file is kept, unless its reader needs it from front to back only.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include "trace/trace.h"

struct import;

#define SOURCE_UNKNOWN 0xffffffffffffffffull

/* A part of the file. In memory of its own, or where the whole file is kept. */
struct extent {
	const u8 *bytes;
	u64 at, len_bytes;  /* which part of the file it is, as far as it has been filled */
	u64 want_bytes;	    /* how long it is going to be */
	struct buffer run;  /* its own memory */
	u64 reserved_bytes; /* at the end of the run, for its reader */
	u32 is_fixed; /* the run belongs to somebody else, and is as long as the extent may be */
};

struct source {
	u64 file_bytes;		/* SOURCE_UNKNOWN until the host or the end of the stream says */
	u64 next_at;		/* where in the file the next chunk lies */
	struct extent *filling; /* not complete yet, or NULL */
	u32 by_range;		/* the host reads any range of the file */
	u32 keeps;		/* the file is kept from its first byte on, in im->file */
	u32 ended;		/* the host has no more bytes */
	u32 tiny; /* tests: as little as possible is read at once and kept, so that small files show what large ones do */
};

/* 1 if the extent is there: [at, at + len), or less where the file is shorter. 0: not yet, or the import has failed. Bytes
 * that an extent has are kept when it is asked to be longer. */
int source_fill(struct import *im, struct extent *extent, u64 at, u64 len_bytes);
/* A run of at least this size for the extent, plus what is reserved; 0 without memory. */
int extent_room(struct import *im, struct extent *extent, u64 len_bytes);
void extent_drop(struct import *im, struct extent *extent);
/* 1 while bytes that the reader has asked for are on their way: what it has found so far is no verdict. */
int source_waits(const struct import *im);
/* 1 if the file goes on behind the extent. */
int source_has_more(const struct import *im, const struct extent *extent);

/* A chunk of the file, at source.next_at, to whoever asked for it. */
void source_take(struct import *im, const u8 *bytes, u32 len_bytes);
/* There are no more chunks: the reader goes on to its end with what there is. */
void source_end(struct import *im);
/* The range that the host is to read next; 0 if none. */
u64 source_range(const struct import *im, u64 *at);

#endif
