/*
 * perf_data.h - what the perf.data files share. format_perf_data.c reads the header, the
 * sections around the records, and samples. perf_data_records.c reads records, also compressed ones.
 * perf_data_order.c sorts samples by time.
 */
#ifndef IMPORT_FORMATS_PERF_DATA_H
#define IMPORT_FORMATS_PERF_DATA_H

#include "import/binary.h"
#include "codec/zstd.h"
#include "util/heap.h"

enum {
	TINY_SEGMENT_BYTES = 300,
	SEGMENT_BYTES = (256 << 10) - SCAN_SLACK,
	STAMPS_BYTES = 64 << 10, /* behind the records of a segment */
	SEGMENT_SAMPLES = STAMPS_BYTES / sizeof(struct stamp),
	MAX_SPARES = 40,
	MAX_TRACINGS = 8, /* descriptions of events in one pipe */
	RECORD_HEADER_BYTES = 8,
};

/* An event that perf was asked for: a tracepoint, or another event that is only counted. */
struct perf_attr {
	u64 sample_type; /* bit mask: the parts of its samples, in order */
	u64 read_format;
	u64 config; /* id of the tracepoint */
	u64 period; /* events for which each sample stands, unless the sample says it */
	u32 is_tracepoint;
	u32 id_bytes; /* other records end with this many bytes that identify the sample; 0: they do not */
	u32 id_time_back; /* their time lies this far in front of the record's end; 0: it is not there */
	u32 is_fixed; /* 1: these parts of its samples always lie at these offsets in the record: */
	u32 time_at, cpu_at, raw_at, period_at; /* 0: not there */
};

/* Consecutive records, sorted by time once all of them have been read. */
struct segment {
	struct extent extent;
	u32 nr, next;  /* stamps behind the records */
	u32 is_packed; /* unpacked records: the extent is not part of the file */
	u32 is_away;   /* its memory was freed; it is read again when needed */
};

struct perfdata {
	struct import *im;
	struct tracepoints *tracepoints;
	u32 phase; /* which part of the file is read next */
	u32 is_pipe;
	u32 samples_began; /* attributes and descriptions of events must not change any more */

	/* header */
	struct extent front, table, release, tracing;
	struct buffer tracings[MAX_TRACINGS]; /* of a pipe */
	u32 nr_tracings;
	u64 attr_bytes, attrs_at, attrs_bytes, data_at, data_end, features;
	u64 release_at, release_bytes; /* release of the kernel that recorded the trace */
	u64 tracing_at, tracing_bytes;

	/* attributes */
	struct buffer attrs; /* struct perf_attr */
	struct hash ids;     /* ids of samples; taken: the attribute's number + 1 */
	u32 nr_attrs;
	u32 alike;	/* 1 while all attrs have one sample_type and read_format */
	u32 is_sampled; /* a tracepoint is recorded every few events only */
	u32 time_at;	/* offset in any sample's record; 0: it depends on the attr */

	/* records */
	struct segment reading, unpacking; /* still growing */
	u64 segment_bytes;		   /* SEGMENT_BYTES */
	u64 at, want_bytes;		   /* of `reading` */
	u64 unpacked_used;		   /* of `unpacking`: how far its records have been read */
	u64 skip_bytes;			   /* bytes behind it that are not read */
	u32 at_end;			   /* no more records */
	u32 again;			   /* records are read again: count only samples */

	/* compressed records */
	struct zstd *zstd;
	struct buffer packed, window;
	u64 packed_bytes, packed_total, unpacked_total;
	u32 in_unpacked; /* the current records were compressed */
	u32 in_frame, unpacking_failed;

	/* order */
	struct buffer segments, free_slots, scratch; /* struct segment, u32 */
	struct buffer heap; /* struct heap_item: slots, by their next sample */
	u32 nr_segments, nr_free, nr_heap, nr_spares, nr_closed;
	struct buffer spares[MAX_SPARES]; /* memory for the next segments */
	u64 held_bytes;
	u64 enough_bytes; /* with fewer bytes, no sample is emitted before the end */
	u64 most_bytes;	  /* with more bytes, segments are read again later, or emitted early */
	u64 newest, round_newest; /* latest time of all samples, and at the end of the last round */
	u64 settled;		  /* no sample before this time can follow */
	u64 emitted;		  /* latest time emitted */
};

/* Adds a struct perf_event_attr, and the ids that its samples carry. */
void perfdata_add_attr(struct perfdata *d, struct reader *attr, struct reader *ids);
/* Reads the tracing data: formats of all tracepoints. 0 if they are incomplete. */
int perfdata_read_tracing(struct perfdata *d, struct reader data);
/* Finds the time of a sample that has none at d->time_at. Returns NULL, or why the record is not a
 * sample. */
const char *sample_time(const struct perfdata *d, const u8 *record, u32 len, u64 *time);
/* Hands a sample to the sink. Returns NULL, or why the record is not a sample. */
const char *sample_emit(struct perfdata *d, const u8 *record, u32 len);

/* format_perf_data.c: the feature OSRELEASE: a length and a text. */
enum { FEATURE_OSRELEASE = 4 };
void perfdata_read_release(struct perfdata *d, struct reader feature);

/* perf_data_records.c: 1 once all records have been read, 0 while it waits for bytes. */
int perfdata_records(struct perfdata *d);
/* Reads whole records of the segment from `used` on. Returns where the first incomplete record
 * begins, or the first one without room in this segment. */
u64 perfdata_walk(struct perfdata *d, struct segment *s, u64 used);

/* perf_data_order.c */

ALWAYS_INLINE struct stamp *segment_stamps(const struct segment *s)
{
	return (struct stamp *)((u8 *)s->extent.run.at + s->extent.run.room_bytes - STAMPS_BYTES);
}

/* Gets memory for a new segment's records; 0 if there is none. */
int segment_room(struct perfdata *d, struct segment *s, u64 len_bytes);
/* Ends a segment that has all its records, up to len_bytes, and adds it to the order. A new segment
 * begins with the remaining bytes. */
void segment_close(struct perfdata *d, struct segment *s, u64 len_bytes);
/* Ends a round, in which perf has written the buffers of all CPUs. */
void segments_round(struct perfdata *d);
/* Emits samples that are final, when too many wait; 0 while it waits for bytes. */
int segments_settle(struct perfdata *d);
/* Emits all samples; 0 while it waits for bytes. */
int segments_finish(struct perfdata *d);
void segments_drop(struct perfdata *d);

#endif
