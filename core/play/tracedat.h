/*
 * tracedat.h - what the files of trace.dat share: format_tracedat.c reads the file, format_tracedat_7.c the sections
 * of version 7, format_tracedat_ring.c pages of the kernel's ring buffer.
 */
#ifndef PLAY_TRACEDAT_H
#define PLAY_TRACEDAT_H

#include "binary.h"
#include "inflate.h"
#include "zstd.h"

enum {
	MAX_STREAMS = 65536,
	MAX_UNPACKED_BYTES = 64 << 20, /* of one section or chunk */
	MAX_PACKING = 40000,	       /* nothing that is packed becomes so many times smaller */
	MIN_PAGE_BYTES = 64,
	MAX_PAGE_BYTES = 64 << 20,
	NR_PARTS = 4,
};

enum packer { PACKER_NONE, PACKER_ZSTD, PACKER_ZLIB };

/* How a page of the ring buffer begins, as its header_page says. */
struct page_layout {
	u32 commit_at, commit_bytes, data_at;
};

/* One CPU of one buffer: its pages, in the file or packed in chunks, and the event that is its next. */
struct stream {
	struct reader rest;  /* of the file's part: chunks, once all pages at hand have been read */
	struct reader pages; /* at hand */
	struct reader events;	   /* of the page at work */
	struct trace_run unpacked; /* the chunk at work */
	struct raw_event event;
	u64 chunk_at; /* where in the file the chunk is */
	u64 time;     /* of the last entry */
	u32 chunks;   /* that are to come */
	u32 page_bytes;
	u32 cpu;
	u32 reserved;
};

struct tracedat {
	struct import *im;
	struct tracepoints *tracepoints;
	struct zstd *zstd;	  /* scratch, once something is packed */
	struct trace_run streams; /* struct stream */
	struct trace_run heap;	  /* u32: streams, the one with the earliest event on top */
	u32 nr_streams, nr_heap;
	struct page_layout layout;
	struct trace_run parts[NR_PARTS]; /* unpacked sections, and the options at work */
	u32 page_bytes, long_bytes, nr_cpus;
	u32 packer; /* enum packer: of sections and chunks that say they are packed */
};

/* What lies in the file at [at, at + len), bad if that is not there. */
struct reader tracedat_part(const struct tracedat *d, u64 at, u64 len);
/* "header_page", and "header_event" behind it, which says what every kernel's says. */
void tracedat_read_layout(struct tracedat *d, struct reader *r);
/* Clocks that do not tell nanoseconds. */
void tracedat_read_clock(struct tracedat *d, const struct reader *name);
void tracedat_add_stream(struct tracedat *d, const struct stream *stream);
/* Into run: out_bytes from what is packed at `in`; 0 if that cannot be. */
int tracedat_unpack(struct tracedat *d, struct reader in, u64 out_bytes, struct trace_run *run);

/* format_tracedat_7.c: what follows the version and the page size. */
void tracedat_read_7(struct tracedat *d, struct reader *r);

/* format_tracedat_ring.c: 1 and the next event of the stream, or 0 at its end. */
int stream_next(struct tracedat *d, struct stream *s);

#endif
