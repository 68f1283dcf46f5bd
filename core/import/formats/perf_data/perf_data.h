/*
 * perf_data.h - what the files of perf.data share: format_perf_data.c reads the header and the sections around the records,
 * perf_data_records.c the records, perf_data_sample.c attributes and samples, perf_data_packed.c
 * compressed records, and perf_data_order.c puts samples in the order of their times.
 */
#ifndef IMPORT_FORMATS_PERF_DATA_PERF_DATA_H
#define IMPORT_FORMATS_PERF_DATA_PERF_DATA_H

#include "import/binary.h"
#include "codec/zstd.h"

enum {
	TINY_SEGMENT_BYTES = 300,
	SEGMENT_BYTES = (256 << 10) - SCAN_SLACK,
	STAMPS_BYTES = 64 << 10, /* behind the records of a segment */
	SEGMENT_SAMPLES = STAMPS_BYTES / sizeof(struct stamp),
	MAX_SPARES = 40,
	MAX_TRACINGS = 8, /* descriptions of events in one pipe */
	RECORD_HEADER_BYTES = 8,
};

/* What was asked of perf: a tracepoint, or something else that is only counted. */
struct perf_attr {
	u64 sample_type; /* bits: what samples are made of, in their order */
	u64 read_format;
	u64 config; /* id of the tracepoint */
	u32 is_tracepoint;
	u32 is_fixed; /* the parts of its samples always lie at these places in the record: */
	u32 time_at, cpu_at, raw_at; /* 0: not there */
	u32 reserved;
};

/* Records that follow each other, in order by time once all of them have been looked at. */
struct segment {
	struct extent extent;
	u64 order;     /* segments of the same time: as they lie in the file */
	u64 first;     /* time of the next sample */
	u32 nr, next;  /* stamps behind the records */
	u32 is_packed; /* it was unpacked: its extent is no part of the file */
	u32 is_away;   /* its memory has been given back; it is read again when it is needed */
};

enum perf_phase {
	PHASE_HEADER,
	PHASE_ATTRS,
	PHASE_FEATURES,
	PHASE_RELEASE,
	PHASE_FORMATS,
	PHASE_RECORDS,
	PHASE_REST,
	PHASE_DONE,
	NR_PERF_PHASES
};

struct perfdata {
	struct import *im;
	struct tracepoints *tracepoints;
	u32 phase; /* enum perf_phase */
	u32 is_pipe;
	u32 attrs_are_final;   /* a sample has been read: what samples look like changes no more */
	u32 other_kind_plus_1; /* of samples that are no tracepoint's */

	/* header */
	struct extent front, table, release, tracing;
	struct buffer tracings[MAX_TRACINGS]; /* of a pipe */
	u32 nr_tracings;
	u32 is_cut;  /* the file is shorter than it says, or perf did not end */
	u32 guesses; /* the description of events is missing */
	u64 attr_bytes, attrs_at, attrs_bytes, data_at, data_end, features;
	u64 release_at, release_bytes; /* of the kernel on which it was recorded */
	u64 tracing_at, tracing_bytes;

	/* attributes */
	struct buffer attrs; /* struct perf_attr */
	struct hash ids;     /* of samples; taken: the attribute's number + 1 */
	u32 nr_attrs;
	u32 alike;   /* 1 while all attrs have one sample_type and read_format */
	u32 time_at; /* of any sample, in the record; 0: it depends on the attr */

	/* records */
	struct segment reading, unpacking; /* that grow still */
	u64 segment_bytes;		   /* SEGMENT_BYTES */
	u64 at, want_bytes;		   /* of the reading one */
	u64 unpacked_used;		   /* of the other: how far its records have been read */
	u64 skip_bytes;			   /* behind it, not to be read */
	u32 at_end;			   /* no more records */
	u32 again;			   /* records are read a second time: only samples count */

	/* compressed records */
	struct zstd *zstd;
	struct buffer packed, window;
	u64 packed_bytes, packed_total, unpacked_total;
	u32 in_unpacked; /* the records at work were compressed */
	u32 in_frame, unpacking_failed;

	/* order */
	struct buffer segments, free_slots, heap, scratch; /* struct segment, u32, u32 */
	u32 nr_segments, nr_free, nr_heap, nr_spares;
	struct buffer spares[MAX_SPARES]; /* memory for the next segments */
	u64 nr_closed, held_bytes;
	u64 enough_bytes;	  /* below this nothing leaves before the end */
	u64 most_bytes;		  /* above this segments are read again later, or leave early */
	u64 newest, round_newest; /* latest time of all samples, and when the last round ended */
	u64 settled;		  /* no sample before this is to come */
	u64 emitted;		  /* latest time that has left */
};

/* perf_data_sample.c */

/* A struct perf_event_attr, and the ids that samples of it bear. */
void perfdata_add_attr(struct perfdata *d, struct reader *attr, struct reader *ids);
/* The tracing data: formats of all tracepoints. 0 if they are not complete. */
int perfdata_read_tracing(struct perfdata *d, struct reader data);
/* The time of a sample where it does not lie at d->time_at. NULL, or why the record is no sample. */
const char *sample_time(const struct perfdata *d, const u8 *record, u32 len, u64 *time);
/* A sample to the sink: NULL, or why it is none. */
const char *sample_emit(struct perfdata *d, const u8 *record, u32 len);

/* format_perf_data.c: the feature OSRELEASE: a length and a text. */
enum { FEATURE_OSRELEASE = 4 };
void perfdata_read_release(struct perfdata *d, struct reader feature);

/* The raw data of a sample, 0 bytes if it has none. */
u32 sample_raw(const struct perfdata *d, const u8 *record, u32 len, const u8 **raw);

/* perf_data_guess.c: describes tracepoints by what the samples in memory look like. */
void perfdata_guess(struct perfdata *d);

/* perf_data_records.c: 1 once all records have been read, 0 while bytes are awaited. */
int perfdata_records(struct perfdata *d);
/* Reads whole records of the segment from `used` on. Where the first one begins that is not whole, or has no room in this
 * segment any more. */
u64 perfdata_walk(struct perfdata *d, struct segment *s, u64 used);

/* perf_data_packed.c: unpacks what a compressed record holds; its records go to the segment `unpacking`. */
void perfdata_unpack(struct perfdata *d, struct reader *body);
/* All unpacked samples so far take part in the order. */
void perfdata_unpack_pause(struct perfdata *d);
/* There are no more of them. */
void perfdata_unpack_end(struct perfdata *d);

/* perf_data_order.c */

ALWAYS_INLINE struct stamp *segment_stamps(const struct segment *s)
{
	return (struct stamp *)((u8 *)s->extent.run.at + s->extent.run.room_bytes - STAMPS_BYTES);
}

/* Memory for a new segment's records; 0 if there is none. */
int segment_room(struct perfdata *d, struct segment *s, u64 len_bytes);
/* The segment has all its records, up to len_bytes: it takes part in the order from now on, and gives its place to a new
 * one that begins with what is left. */
void segment_close(struct perfdata *d, struct segment *s, u64 len_bytes);
/* The end of a round: what perf has written of all CPUs since the round before. */
void segments_round(struct perfdata *d);
/* Emits samples, while it may and there are too many; 0 while bytes are awaited. */
int segments_settle(struct perfdata *d);
/* Emits all samples; 0 while bytes are awaited. */
int segments_finish(struct perfdata *d);
void segments_drop(struct perfdata *d);

#endif
