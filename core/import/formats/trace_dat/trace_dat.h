/*
 * trace_dat.h - what the files of trace.dat share: format_trace_dat.c reads the file, trace_dat_7.c the sections
 * of version 7, trace_dat_ring.c pages of the kernel's ring buffer.
 */
#ifndef IMPORT_FORMATS_TRACE_DAT_TRACE_DAT_H
#define IMPORT_FORMATS_TRACE_DAT_TRACE_DAT_H

#include "import/binary.h"
#include "codec/inflate.h"
#include "codec/zstd.h"

enum {
	MAX_STREAMS = 65536,
	MAX_UNPACKED_BYTES = 64 << 20, /* of one section or chunk */
	MAX_PACKING = 40000,	       /* nothing that is packed becomes so many times smaller */
	MIN_PAGE_BYTES = 64,
	MAX_PAGE_BYTES = 64 << 20,
	NR_PARTS = 4,
	MAX_EXTENTS = 256,
	FRONT_BYTES = 1 << 20,	  /* looked at first; more if the header is longer */
	WINDOWS_BYTES = 16 << 20, /* of all CPUs together, unless their pages are very large */
	LEAST_CHUNKS_BYTES = 64 << 10,
	MOST_WINDOW_BYTES = 512 << 10,
};

enum packer { PACKER_NONE, PACKER_ZSTD, PACKER_ZLIB };

/* How a page of the ring buffer begins, as its header_page says. */
struct page_layout {
	u32 commit_at, commit_bytes, data_at;
};

/* One CPU of one buffer: its pages, in the file or packed in chunks, and the event that is its next. */
struct stream {
	struct extent window;	/* of the file, at hand */
	u64 at, end;		/* what has not been read of the file's part: pages, or chunks */
	struct reader pages;	/* at hand */
	struct reader events;	/* of the page at work */
	struct buffer unpacked; /* the chunk at work */
	struct raw_event event;
	u64 chunk_at; /* where in the file the chunk is */
	u64 time;     /* of the last entry */
	u32 chunks;   /* that are to come */
	u32 has_chunks;
	u32 page_bytes;
	u32 cpu;
};

enum stream_state { STREAM_END, STREAM_EVENT, STREAM_WAITS };

enum tracedat_phase {
	PHASE_HEADER,
	PHASE_SCAN,
	PHASE_STREAMS,
	PHASE_FIRST,
	PHASE_MERGE,
	PHASE_DONE
};

/* Going through a file whose last options are missing (trace_dat_cut.c). */
struct scan {
	struct extent window;
	u64 at;		 /* section, chunk or page */
	u64 section_end; /* of the section at work */
	u64 last_time;	 /* of the page before */
	u32 is_needed, is_done;
	u32 in_buffer, is_packed;
	u32 cpu;    /* how many have been found in the buffer */
	u32 chunks; /* of the CPU at work, that are to come */
};

struct tracedat {
	struct import *im;
	struct tracepoints *tracepoints;
	struct zstd *zstd;     /* scratch, once something is packed */
	struct buffer streams; /* struct stream */
	struct buffer heap;    /* struct heap_item: streams, by the event that each has */
	u32 nr_streams, nr_heap;
	struct page_layout layout;
	struct buffer parts[NR_PARTS];	    /* unpacked sections, and the options at work */
	u32 parts_read;			    /* bit by bit */
	struct extent extents[MAX_EXTENTS]; /* of the header, until the end: formats lie there */
	u32 nr_extents;
	u32 phase;	 /* enum tracedat_phase */
	u32 is_longer;	 /* the header did not end in what was looked at: again, with more */
	u32 is_cut;	 /* the file ends before its events do */
	const u8 *front; /* the first byte of the file */
	u64 front_bytes, tail_bytes; /* looked at of the header's two halves */
	struct buffer windows;	     /* of the streams whose pages are not packed */
	struct scan scan;
	u32 next_stream; /* whose first event is read next */
	u32 has_event;	 /* the stream on top of the heap has one that has not been emitted */
	u32 page_bytes, long_bytes, nr_cpus;
	u32 packer; /* enum packer: of sections and chunks that say they are packed */
};

/* What lies in the file at [at, at + len), bad if that is not there, or not yet. */
struct reader tracedat_part(struct tracedat *d, u64 at, u64 len);
/* "header_page", and "header_event" behind it, which says what every kernel's says. */
void tracedat_read_layout(struct tracedat *d, struct reader *r);
/* The option that says on which machine and kernel it was recorded. */
enum { OPTION_UNAME = 5 };
/* Clocks that do not tell nanoseconds. */
void tracedat_read_clock(struct tracedat *d, const struct reader *name);
void tracedat_add_stream(struct tracedat *d, const struct stream *stream);
/* Into run: out_bytes from what is packed at `in`; 0 if that cannot be. */
int tracedat_unpack(struct tracedat *d, struct reader in, u64 out_bytes, struct buffer *run);

/* trace_dat_cut.c: finds the CPUs of a file whose last options are missing; 0 while bytes are awaited. */
int tracedat_scan(struct tracedat *d);

/* trace_dat_7.c: what follows the version and the page size. */
void tracedat_read_7(struct tracedat *d, struct reader *r);

/* trace_dat_ring.c */

/* Windows for all streams; 0 without memory. */
int streams_open(struct tracedat *d);
/* The next event of the stream, if it has one. */
enum stream_state stream_next(struct tracedat *d, struct stream *s);
/* Places in its bytes are told as bytes of the file from now on. */
void place_stream(struct import *im, const struct stream *s);

#endif
