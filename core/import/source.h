/*
 * source.h - where the bytes of perf.data and trace.dat come from. Their readers request extents.
 *
 *	reader ─ source_fill(extent, at, len) ─┬─ the host reads that range of the file	(kmem_import_range)
 *	                                      └─ the next bytes of a stream
 *
 * Neither format can be read from front to back: perf.data describes its events after them, and trace.dat stores one
 * CPU after another. A reader therefore requests the extents it needs. If an extent is missing, source_fill() returns 0
 * and the reader returns to its caller. Once the extent is filled, the importer calls step() again. If the host cannot
 * read at any position, the whole file is kept and its ranges are read from memory, unless the reader goes from front
 * to back.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include "trace/trace.h"

struct import;

#define SOURCE_UNKNOWN 0xffffffffffffffffull

/* A part of the file, in its own memory or inside the kept file. */
struct extent {
	const u8 *bytes;
	u64 at, len_bytes; /* which part of the file it holds so far */
	u64 want_bytes;	   /* how long it will be */
	struct buffer run; /* its own memory */
	u32 is_fixed;	   /* another owner's run, as long as the extent may become */
};

struct source {
	u64 file_bytes;		/* SOURCE_UNKNOWN until the host reports it or the stream ends */
	u64 next_at;		/* where in the file the next chunk lies */
	struct extent *filling; /* the extent that is incomplete, or NULL */
	u32 by_range;		/* the host reads any range of the file */
	u32 keeps;		/* the file is kept from its first byte on, in im->file */
	u32 ended;		/* the host has no more bytes */
	u32 tiny; /* tests: read and keep as little as possible at once, so that small files behave like large ones */
};

/* Returns 1 if the extent holds [at, at + len), or less where the file is shorter. 0: not yet, or the
 * import has failed. A longer request keeps the bytes that are already there. */
int source_fill(struct import *im, struct extent *extent, u64 at, u64 len_bytes);
void extent_drop(struct import *im, struct extent *extent);
/* Returns 1 while the reader waits for bytes: what it has found so far is not final. */
int source_waits(const struct import *im);

/* Takes a chunk of the file at source.next_at. */
void source_take(struct import *im, const u8 *bytes, u32 len_bytes);
/* No more chunks will come: the reader finishes with what it has. */
void source_end(struct import *im);
/* Returns the range that the host must read next; 0 if none. */
u64 source_range(const struct import *im, u64 *at);

#endif
