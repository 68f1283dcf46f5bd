/*
 * perf_data.h - what the perf.data files share. format_perf_data.c reads the header, the sections around the records, and
 * samples. perf_data_records.c reads records, also compressed ones, and hands the events on in the order of their times.
 */
#ifndef IMPORT_FORMATS_PERF_DATA_H
#define IMPORT_FORMATS_PERF_DATA_H

#include "import/binary.h"
#include "codec/zstd.h"

enum {
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
	u32 id_time_back; /* their time lies this far before the record's end; 0: it is not there */
	u32 is_fixed; /* 1: these parts of its samples always lie at these offsets in the record: */
	u32 time_at, cpu_at, raw_at, period_at; /* 0: not there */
};

struct perfdata {
	struct import *im;
	struct tracepoints *tracepoints;
	u32 phase; /* which part of the file is read next */
	u32 is_pipe;
	u32 samples_began; /* attributes and descriptions of events must no longer change */

	/* header */
	struct extent front, table, release, tracing;
	struct buffer tracings[MAX_TRACINGS]; /* one for each description in a pipe */
	u32 nr_tracings;
	u64 data_at, data_end;

	/* attributes */
	struct buffer attrs; /* struct perf_attr */
	struct hash ids;     /* ids of samples; taken: the attribute's number + 1 */
	u32 nr_attrs;
	u32 alike;	/* 1 while all attrs have one sample_type and read_format */
	u32 is_sampled; /* a tracepoint is recorded every few events only */

	/* records */
	struct extent reading;
	u64 at;	    /* the next record */
	u32 at_end; /* no more records */

	/* compressed records */
	struct zstd *zstd;
	struct buffer packed, window, unpacked;
	u64 packed_bytes, packed_total, unpacked_bytes, unpacked_total;
	u32 in_unpacked; /* the current records were compressed */
	u32 in_frame, unpacking_failed;

	/* order */
	import_sink sink;	  /* gets the events in order */
	u64 newest, round_newest; /* latest time of all samples, and at the end of the last round */
	u64 period;		  /* period of the current sample */
	u32 enough;		  /* with fewer events, none is handed on before the end */
};

/* Adds a struct perf_event_attr, and the ids that its samples carry. */
void perfdata_add_attr(struct perfdata *d, struct reader *attr, struct reader *ids);
/* Reads the tracing data: formats of all tracepoints. 0 if they are incomplete. */
int perfdata_read_tracing(struct perfdata *d, struct reader data);
/* Hands a sample to the sink. Returns NULL, or why the record is not a sample. */
const char *perfdata_sample(struct perfdata *d, const u8 *record, u32 len);

/* format_perf_data.c: the feature OSRELEASE: a length and a text. */
enum { FEATURE_OSRELEASE = 4 };
void perfdata_read_release(struct perfdata *d, struct reader feature);

/* perf_data_records.c */

/* The sink of samples: keeps the event until all earlier ones have come. */
void perfdata_hold(struct import *im, const struct event *ev);
/* Returns 1 once all records have been read, 0 while it waits for bytes. */
int perfdata_records(struct perfdata *d);

#endif
