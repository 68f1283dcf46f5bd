/*
 * format_perfdata.c - what `perf record -e kmem:…` writes, as it is: PERFILE2 in a file, or through a pipe.
 *
 *	file:	| header | ids | attrs | data: records … | features: tracing data, … |
 *	pipe:	| 16 bytes | records …, with attrs and tracing data among them |
 *
 * A record is a sample, or tells of lost ones, or of tasks and maps, which nothing here needs. Samples are laid out
 * as the attr of their id says. They lie one CPU's buffer after the other: their places are noted with their times,
 * sorted, and read in that order. (perf sorts within rounds, which comes to the same.) What -z has compressed is read
 * after the rest.
 */
#include "perfdata.h"

enum {
	RECORD_LOST = 2,
	RECORD_SAMPLE = 9,
	RECORD_LOST_SAMPLES = 13,
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_AUXTRACE = 71,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

/* In a stamp: the record lies in what was unpacked. */
#define AT_UNPACKED ((u64)1 << 63)

enum { PIPE_HEADER_BYTES = 16, FEATURE_TRACING_DATA = 1 };

static int perfdata_begins(const u8 *bytes, u32 len)
{
	return span_begins(bytes, bytes + len, "PERFILE2") ||
	       span_begins(bytes, bytes + len, "2ELIFREP") ||
	       span_begins(bytes, bytes + len, "PERFFILE");
}

/* Records */

static void note_sample(struct perfdata *d, const u8 *record, const u8 *end)
{
	struct import *im = d->im;
	struct sample sample;
	const char *wrong = sample_read(d, record, end, &sample);

	d->attrs_are_final = 1;
	if (wrong) {
		binary_problem(im, record, wrong);
		return;
	}
	if (!run_grow(im, &d->stamps, (d->nr_stamps + 1) * sizeof(struct stamp)))
		return;
	u64 at = (u64)(record - (const u8 *)im->file.at);
	if (d->in_unpacked)
		at = (u64)(record - (const u8 *)d->unpacked.at) | AT_UNPACKED;
	((struct stamp *)d->stamps.at)[d->nr_stamps++] = (struct stamp){ sample.time, at };
}

/* Of a pipe: a record that is followed by the data it announces. */
static int read_announced(struct perfdata *d, struct reader *body, struct reader *records, u32 type)
{
	u64 len = type == RECORD_AUXTRACE ? reader_u64(body) : reader_u32(body);

	if (body->bad || len > reader_left(records))
		return 0;
	struct reader data = reader_part(records, len);
	if (type == RECORD_TRACING_DATA)
		perfdata_read_tracing(d, &data);
	return 1;
}

/*
 * In a pipe: what samples look like, which perf writes ahead of all samples. Samples are read again when they are
 * put in order, so an attribute behind the first sample would change how earlier samples are read.
 */
static void read_attr_record(struct perfdata *d, const u8 *record, struct reader *body)
{
	struct reader attr = *body;

	if (d->attrs_are_final) {
		binary_problem(d->im, record, "an attribute behind the first sample is not used,");
		return;
	}
	reader_take(&attr, 4);
	u32 attr_bytes = reader_u32(&attr);
	attr = reader_part(body, attr_bytes);
	perfdata_add_attr(d, &attr, body);
}

/* One record; 0 if none can follow. */
static int read_record(struct perfdata *d, struct reader *records)
{
	struct kmem_report *report = &d->im->trace->report;
	const u8 *start = records->at;
	struct reader header = *records;
	u32 type = reader_u32(&header);
	u32 len = reader_u32(&header) >> 16;

	if (header.bad || len > reader_left(records)) {
		report->truncated = 1;
		return 0;
	}
	if (len < 8) {
		binary_problem(d->im, start,
			       "a record cannot be that short: the rest is not read, from the one");
		return 0;
	}
	struct reader body = reader_part(records, len);
	reader_take(&body, 8);
	if (type == RECORD_SAMPLE) {
		note_sample(d, start, start + len);
	} else if (type == RECORD_LOST) {
		reader_u64(&body);
		report->lost += reader_u64(&body);
	} else if (type == RECORD_LOST_SAMPLES) {
		report->lost += reader_u64(&body);
	} else if (type == RECORD_ATTR && d->is_pipe) {
		read_attr_record(d, start, &body);
	} else if ((type == RECORD_TRACING_DATA && d->is_pipe) || type == RECORD_AUXTRACE) {
		if (!read_announced(d, &body, records, type)) {
			report->truncated = 1;
			return 0;
		}
	} else if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2) {
		if (type == RECORD_COMPRESSED2)
			body = reader_part(&body, reader_u64(&body));
		perfdata_keep_packed(d, &body);
	}
	return d->im->status == KMEM_OK;
}

static void read_records(struct perfdata *d, struct reader records)
{
	while (d->im->status == KMEM_OK && reader_left(&records) && read_record(d, &records))
		;
}

/* What compressed records hold is a second stream of records. */
static void read_packed(struct perfdata *d)
{
	perfdata_unpack(d);
	const u8 *records = d->unpacked.at;
	d->in_unpacked = 1;
	if (d->unpacked_bytes)
		read_records(d, (struct reader){ records, records + d->unpacked_bytes, 0 });
}

/* Parts of a file */

/* [at, at + len) of the file, empty and bad if it is not there. */
static struct reader part_of(const struct import *im, u64 at, u64 len)
{
	const u8 *file = im->file.at;
	struct reader all = { file, file + im->file_bytes, 0 };

	reader_take(&all, at);
	return reader_part(&all, len);
}

static void read_attrs(struct perfdata *d, u64 at, u64 len, u64 attr_bytes)
{
	struct import *im = d->im;
	struct reader attrs = part_of(im, at, len);

	while (!attrs.bad && attr_bytes >= 16 && reader_left(&attrs) >= attr_bytes &&
	       im->status == KMEM_OK) {
		struct reader attr = reader_part(&attrs, attr_bytes - 16);
		u64 ids_at = reader_u64(&attrs), ids_bytes = reader_u64(&attrs);
		struct reader ids = part_of(im, ids_at, ids_bytes);
		perfdata_add_attr(d, &attr, &ids);
	}
}

/* Features lie behind the data, in the order of their bits. */
static void read_features(struct perfdata *d, u64 at, u64 bits)
{
	struct reader table = part_of(d->im, at, (u64)__builtin_popcountll(bits) * 16);

	if (!(bits >> FEATURE_TRACING_DATA & 1))
		return;
	if (bits & 1)
		reader_take(&table, 16);
	u64 data_at = reader_u64(&table), data_bytes = reader_u64(&table);
	struct reader data = part_of(d->im, data_at, data_bytes);
	if (!table.bad && !data.bad)
		perfdata_read_tracing(d, &data);
	else
		binary_damaged(d->im, table.at,
			       "the description of its events, at its end, is missing");
}

static void read_file(struct perfdata *d, struct reader header)
{
	struct import *im = d->im;

	u64 attr_bytes = reader_u64(&header);
	u64 attrs_at = reader_u64(&header), attrs_bytes = reader_u64(&header);
	u64 data_at = reader_u64(&header), data_bytes = reader_u64(&header);
	reader_take(&header, 16);
	u64 features = reader_u64(&header);
	if (header.bad || data_at + data_bytes < data_at || data_at + data_bytes > im->file_bytes ||
	    !data_bytes) {
		import_fail(
			im, KMEM_EINPUT,
			"This perf.data is cut off: the description of its events, which comes after them, is "
			"missing. perf record had not ended, or the copy is not complete.");
		return;
	}
	read_attrs(d, attrs_at, attrs_bytes, attr_bytes);
	if (im->status == KMEM_OK)
		read_features(d, data_at + data_bytes, features);
	struct reader records = part_of(im, data_at, data_bytes);
	read_records(d, records);
}

/* The samples in the order of their times. */
static void emit_samples(struct perfdata *d)
{
	struct import *im = d->im;
	const u8 *file = im->file.at, *unpacked = d->unpacked.at;

	stamps_sort(im, d->stamps.at, d->nr_stamps);
	for (u64 i = 0; i < d->nr_stamps && im->status == KMEM_OK; i++) {
		u64 at = ((struct stamp *)d->stamps.at)[i].at;
		const u8 *record = at & AT_UNPACKED ? unpacked + (at & ~AT_UNPACKED) : file + at;
		struct sample sample;
		const char *wrong = sample_read(d, record, record + (record[6] | record[7] << 8),
						&sample);
		if (wrong)
			binary_problem(im, record, wrong);
		else
			perfdata_emit(d, &sample);
	}
}

static void read_all(struct perfdata *d)
{
	struct import *im = d->im;
	const u8 *file = im->file.at;
	struct reader header = { file, file + im->file_bytes, 0 };
	const u8 *magic = reader_take(&header, 8);
	u64 header_bytes = reader_u64(&header);

	if (!magic || *magic == '2' || !span_begins(magic, magic + 8, "PERFILE2")) {
		import_fail(
			im, KMEM_EINPUT,
			magic && *magic == '2'
				? "This perf.data comes from a big-endian machine, which is not read: run `perf "
				  "script > trace.txt` there and open that."
				: "This perf.data was written before Linux 2.6.32: run `perf script > trace.txt` "
				  "where it was recorded and open that.");
		return;
	}
	d->is_pipe = header_bytes == PIPE_HEADER_BYTES;
	if (d->is_pipe)
		read_records(d, header);
	else
		read_file(d, header);
	if (im->status == KMEM_OK && d->packed_bytes)
		read_packed(d);
	if (im->status == KMEM_OK && !d->tracepoints->nr_types)
		import_fail(
			im, KMEM_EINPUT,
			"This perf.data describes no tracepoints: record with `perf record -e 'kmem:*'`.");
	if (im->status == KMEM_OK)
		emit_samples(d);
}

static void perfdata_whole(struct import *im)
{
	struct perfdata *d = pool_alloc(im->trace->pool, sizeof(*d));

	if (!d) {
		import_out_of_memory(im);
		return;
	}
	d->im = im;
	d->tracepoints = tracepoints_open(im);
	if (d->tracepoints) {
		read_all(d);
		tracepoints_close(d->tracepoints);
	}
	run_free(im->trace->pool, &d->stamps);
	run_free(im->trace->pool, &d->attrs);
	run_free(im->trace->pool, &d->ids);
	run_free(im->trace->pool, &d->packed);
	run_free(im->trace->pool, &d->unpacked);
	pool_free(im->trace->pool, d, sizeof(*d));
}

const struct trace_format format_perfdata = { .name = "perf.data",
					      .begins = perfdata_begins,
					      .whole = perfdata_whole };
