/*
 * trace_dat.h - what the trace.dat files share. format_trace_dat.c reads the file, trace_dat_7.c
 * the sections of version 7, trace_dat_ring.c pages of the kernel's ring buffer.
 */
#ifndef IMPORT_FORMATS_TRACE_DAT_H
#define IMPORT_FORMATS_TRACE_DAT_H

#include "import/binary.h"
#include "codec/deflate.h"
#include "codec/zstd.h"

enum {
	MAX_STREAMS = 65536,
	MAX_UNPACKED_BYTES = 64 << 20, /* the most for one section or chunk */
	MAX_PACKING = 40000,	       /* no packed data shrink by more than this factor */
	MIN_PAGE_BYTES = 64,
	MAX_PAGE_BYTES = 64 << 20,
	NR_PARTS = 5,
	MAX_EXTENTS = 256,
	FRONT_BYTES = 1 << 20,	  /* read first; more if the header is longer */
	WINDOWS_BYTES = 16 << 20, /* for all CPUs together, unless their pages are very large */
	LEAST_CHUNKS_BYTES = 64 << 10,
	MOST_WINDOW_BYTES = 512 << 10,
};

enum packer { PACKER_NONE, PACKER_ZSTD, PACKER_ZLIB };

/* How a page of the ring buffer starts, according to its header_page. */
struct page_layout {
	u32 commit_at, commit_bytes, data_at;
};

/* One CPU of one buffer: its pages, in the file or packed in chunks, and its next event. */
struct stream {
	struct extent window;	/* the part of the file in memory */
	u64 at, end;		/* unread part of the file: pages, or chunks */
	struct reader pages;	/* the pages in memory */
	struct reader events;	/* the events of the current page */
	struct buffer unpacked; /* the current chunk */
	struct raw_event event;
	u64 chunk_at; /* where the chunk lies in the file */
	u64 time;     /* time of the last entry */
	u32 chunks;   /* chunks still to read */
	u32 has_chunks;
	u32 page_bytes;
	u32 cpu;
};

enum stream_state { STREAM_END, STREAM_EVENT, STREAM_WAITS };

/* The state of a search through a file without its last options (trace_dat_7.c). */
struct scan {
	struct extent window;
	u64 at;		 /* current section, chunk or page */
	u64 section_end; /* end of the current section */
	u64 last_time;	 /* time of the previous page */
	u32 is_needed, is_done;
	u32 in_buffer, is_packed;
	u32 cpu;    /* CPUs found so far in the buffer */
	u32 chunks; /* chunks of the current CPU still to read */
};

struct tracedat {
	struct import *im;
	struct tracepoints *tracepoints;
	struct zstd *zstd;     /* allocated once something is packed */
	struct buffer streams; /* struct stream */
	struct buffer heap;    /* struct heap_item: streams, by their next event */
	u32 nr_streams, nr_heap;
	struct page_layout layout;
	struct buffer parts[NR_PARTS]; /* unpacked sections, and the current options */
	u32 parts_read;		       /* bit mask of parts */
	struct extent extents
		[MAX_EXTENTS]; /* extents of the header; kept until the end, as formats lie there */
	u32 nr_extents;
	u32 phase;	 /* which part of the work is next */
	u32 is_longer;	 /* the header did not end within these bytes: read it again, with more */
	u32 is_cut;	 /* the file ends before its events do */
	const u8 *front; /* the first byte of the file */
	u64 front_bytes, tail_bytes; /* bytes read of the header's two halves */
	struct buffer windows;	     /* for the streams whose pages are not packed */
	struct scan scan;
	u32 next_stream; /* the stream whose first event is read next */
	u32 has_event;	 /* the top stream of the heap has an event that has not been emitted */
	u32 page_bytes, long_bytes, nr_cpus;
	u32 packer; /* enum packer, for sections and chunks marked as packed */
};

/* Returns the bytes of the file at [at, at + len); bad if they are missing or have not arrived. */
struct reader tracedat_part(struct tracedat *d, u64 at, u64 len);
/* Reads "header_page", and "header_event" after it, which is the same in every kernel. */
void tracedat_read_layout(struct tracedat *d, struct reader *r);
/* The option that names the machine and the kernel that recorded the trace. */
enum { OPTION_UNAME = 5 };
/* Recognises clocks that do not count nanoseconds. */
void tracedat_read_clock(struct tracedat *d, const struct reader *name);
void tracedat_add_stream(struct tracedat *d, const struct stream *stream);
/* Unpacks `in` into run, to out_bytes; 0 if it is damaged. */
int tracedat_unpack(struct tracedat *d, struct reader in, u64 out_bytes, struct buffer *run);

/* trace_dat_7.c: if the last options are missing, finds the CPUs of the file; 0 while it waits
 * for bytes. */
int tracedat_scan(struct tracedat *d);

/* trace_dat_7.c: reads on after the version and the page size. */
void tracedat_read_7(struct tracedat *d, struct reader *r);

/* trace_dat_ring.c */

/* Gives all streams their windows; 0 without memory. */
int streams_open(struct tracedat *d);
/* Reads the next event of the stream, if it has one. */
enum stream_state stream_next(struct tracedat *d, struct stream *s);
/* Problems report positions in the stream as bytes of the file from now on. */
void place_stream(struct import *im, const struct stream *s);

#endif
