/*
 * perfdata.h - what the files of perf.data share: format_perfdata.c walks records, format_perfdata_sample.c knows attrs and
 * what a sample looks like, format_perfdata_packed.c unpacks.
 */
#ifndef PLAY_PERFDATA_H
#define PLAY_PERFDATA_H

#include "binary.h"
#include "zstd.h"

/* What was asked of perf: a tracepoint, or something else that is counted only. */
struct perf_attr {
	u64 sample_type; /* bits: what samples are made of, in their order */
	u64 read_format;
	u32 is_tracepoint;
	u32 reserved;
};

struct perf_id {
	u64 id;
	u64 attr_plus_1; /* 0: free slot */
};

struct perfdata {
	struct import *im;
	struct tracepoints *tracepoints;
	struct trace_run attrs;	 /* struct perf_attr */
	struct trace_run ids;	 /* struct perf_id, open addressing */
	struct trace_run stamps; /* struct stamp, one for each sample */
	struct trace_run packed,
		unpacked; /* the payloads of compressed records, and the records in them */
	u64 packed_bytes, unpacked_bytes;
	u64 nr_ids, id_mask, nr_stamps;
	u32 nr_attrs;
	u32 is_pipe;
	u32 attrs_are_final;   /* a sample has been read: what samples look like changes no more */
	u32 in_unpacked;       /* the records at work are those that were compressed */
	u32 alike;	       /* 1 while all attrs have one sample_type and read_format */
	u32 other_kind_plus_1; /* of samples that are no tracepoint's */
};

struct sample {
	u64 time;
	const u8 *raw; /* NULL: not asked for */
	u32 raw_bytes;
	u32 cpu;
	const struct perf_attr *attr;
};

/* A struct perf_event_attr, and the ids that samples of it bear. */
void perfdata_add_attr(struct perfdata *d, struct reader *attr, struct reader *ids);
/* The tracing data: formats of all tracepoints. */
void perfdata_read_tracing(struct perfdata *d, struct reader *data);
/* format_perfdata_packed.c: keeps what a compressed record holds, and unpacks all of it. */
void perfdata_keep_packed(struct perfdata *d, struct reader *body);
void perfdata_unpack(struct perfdata *d);
/* NULL, or why the record is no sample. */
const char *sample_read(const struct perfdata *d, const u8 *record, const u8 *end,
			struct sample *sample);
/* To the sink. */
void perfdata_emit(struct perfdata *d, const struct sample *sample);

#endif
