/*
 * format_perf_data.c - reads what `perf record -e kmem:…` writes: PERFILE2 in a file, or through a
 * pipe.
 *
 *	file:	| header | ids | attrs | data: records … | features: tracing data, … |
 *	pipe:	| 16 bytes | records …, with attrs and tracing data among them |
 *
 * Samples cannot be understood without the features, so the features are read before the records.
 * If the file is cut off and has no features, perf_data_guess.c recognises samples by their bytes.
 * A pipe is read from front to back.
 */
#include "import/formats/perf_data/perf_data.h"

enum {
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	FEATURE_TRACING_DATA = 1,
	MAX_RELEASE_FEATURE_BYTES = 4096,
	MAX_FRONT_BYTES = 16 << 20,
	MAX_TRACING_BYTES = 64 << 20,
	ENOUGH_BYTES = 4 << 20,
	MOST_BYTES = 32 << 20,
};

static int perfdata_begins(const u8 *bytes, u32 len)
{
	return span_begins(bytes, bytes + len, "PERFILE2") ||
	       span_begins(bytes, bytes + len, "2ELIFREP") ||
	       span_begins(bytes, bytes + len, "PERFFILE");
}

static struct reader all_of(const struct extent *extent)
{
	return (struct reader){ extent->bytes, extent->bytes + extent->len_bytes, 0 };
}

/* Header */

static void read_sections(struct perfdata *d, struct reader header)
{
	struct import *im = d->im;

	d->attr_bytes = reader_u64(&header);
	d->attrs_at = reader_u64(&header);
	d->attrs_bytes = reader_u64(&header);
	d->data_at = reader_u64(&header);
	u64 data_bytes = reader_u64(&header);
	reader_take(&header, 16);
	d->features = reader_u64(&header);
	d->data_end = d->data_at + data_bytes;
	if (header.bad || d->data_at > im->source.file_bytes) {
		import_fail(
			im, KMEM_EINPUT,
			"This perf.data is cut off before its first event: perf record had not begun, or the copy is "
			"not complete.");
		return;
	}
	/* perf writes the size of the data when it ends. */
	d->is_cut = d->data_end < d->data_at || !data_bytes || d->data_end > im->source.file_bytes;
	d->guesses = d->is_cut;
	if (d->is_cut)
		d->data_end = im->source.file_bytes;
}

static int read_header(struct perfdata *d)
{
	struct import *im = d->im;

	if (!source_fill(im, &d->front, 0, d->is_pipe ? PIPE_HEADER_BYTES : FILE_HEADER_BYTES))
		return 0;
	struct reader header = all_of(&d->front);
	const u8 *magic = reader_take(&header, 8);
	reader_u64(&header);
	if (*magic == '2' || !span_begins(magic, magic + 8, "PERFILE2")) {
		binary_refuse(
			im,
			*magic == '2'
				? "This perf.data comes from a big-endian machine, which is not read: run `perf "
				  "script > trace.txt` there and open that."
				: "This perf.data was written before Linux 2.6.32: run `perf script > trace.txt` "
				  "where it was recorded and open that.");
		return 0;
	}
	if (d->is_pipe) {
		d->data_at = PIPE_HEADER_BYTES;
		d->data_end = SOURCE_UNKNOWN;
		return 1;
	}
	read_sections(d, header);
	return 1;
}

/* The bytes of the front part at `at`; bad if they are missing. */
static struct reader front_part(const struct perfdata *d, u64 at, u64 len)
{
	struct reader all = all_of(&d->front);

	reader_take(&all, at);
	return reader_part(&all, len);
}

/* Reads attributes and their ids: perf writes them in front of the data. A pipe has records for
 * them and for the features. */
static int read_attrs(struct perfdata *d)
{
	struct import *im = d->im;
	u64 end = MAX(d->data_at, d->attrs_at + d->attrs_bytes);

	if (!source_fill(im, &d->front, 0, MIN(end, (u64)MAX_FRONT_BYTES)))
		return 0;
	binary_place(im, &d->front);
	struct reader attrs = front_part(d, d->attrs_at, d->attrs_bytes);
	while (!attrs.bad && d->attr_bytes >= 16 && reader_left(&attrs) >= d->attr_bytes &&
	       im->status == KMEM_OK) {
		struct reader attr = reader_part(&attrs, d->attr_bytes - 16);
		u64 ids_at = reader_u64(&attrs), ids_bytes = reader_u64(&attrs);
		struct reader ids = front_part(d, ids_at, ids_bytes);
		perfdata_add_attr(d, &attr, &ids);
	}
	return 1;
}

/* Finds a feature's offset and length. Their table is in the order of their bits. */
static int find_feature(const struct perfdata *d, u32 feature, u64 *at, u64 *len_bytes)
{
	u64 before = d->features & (((u64)1 << feature) - 1);
	struct reader table = all_of(&d->table);

	reader_take(&table, (u64)__builtin_popcountll(before) * 16);
	*at = reader_u64(&table);
	*len_bytes = reader_u64(&table);
	return !table.bad;
}

/* All records are there, but the features behind them are missing. */
static void guess_instead(struct perfdata *d)
{
	d->is_cut = d->guesses = 1;
	d->tracing_bytes = 0;
}

/* Reads the features, which lie behind the data. */
static int read_features(struct perfdata *d)
{
	struct import *im = d->im;

	if (d->is_pipe || d->is_cut)
		return 1;
	if (!source_fill(im, &d->table, d->data_end, (u64)__builtin_popcountll(d->features) * 16))
		return 0;
	binary_place(im, &d->table);
	if (d->features >> FEATURE_OSRELEASE & 1 &&
	    !find_feature(d, FEATURE_OSRELEASE, &d->release_at, &d->release_bytes))
		d->release_bytes = 0;
	if (d->features >> FEATURE_TRACING_DATA & 1 &&
	    !find_feature(d, FEATURE_TRACING_DATA, &d->tracing_at, &d->tracing_bytes))
		guess_instead(d);
	return 1;
}

void perfdata_read_release(struct perfdata *d, struct reader feature)
{
	u32 len = reader_u32(&feature);
	struct reader text = reader_part(&feature, len);

	if (!text.bad)
		import_kernel(d->im, text.at, text.end);
}

static int read_release(struct perfdata *d)
{
	u64 len_bytes = MIN(d->release_bytes, (u64)MAX_RELEASE_FEATURE_BYTES);

	if (len_bytes && !source_fill(d->im, &d->release, d->release_at, len_bytes))
		return 0;
	if (d->release.len_bytes)
		perfdata_read_release(d, all_of(&d->release));
	return 1;
}

static int read_formats(struct perfdata *d)
{
	struct import *im = d->im;

	if (d->tracing_bytes) {
		if (!source_fill(im, &d->tracing, d->tracing_at,
				 MIN(d->tracing_bytes, (u64)MAX_TRACING_BYTES)))
			return 0;
		binary_place(im, &d->tracing);
		if (d->tracing.len_bytes < MIN(d->tracing_bytes, (u64)MAX_TRACING_BYTES))
			guess_instead(d);
		else if (!perfdata_read_tracing(d, all_of(&d->tracing)))
			binary_damaged(im, d->tracing.bytes,
				       "the description of its events is not valid");
	}
	d->at = d->data_at;
	return 1;
}

static int read_records(struct perfdata *d)
{
	if (!perfdata_records(d))
		return 0;
	if (!d->tracepoints->nr_types && !d->guesses)
		binary_refuse(
			d->im,
			"This perf.data describes no tracepoints: record with `perf record -e 'kmem:*'`.");
	return 1;
}

static int emit_rest(struct perfdata *d)
{
	if (!segments_finish(d))
		return 0;
	if (d->guesses)
		binary_cut_off(
			d->im,
			", and the description of its events with it: they are recognised by their sizes, "
			"and flags stay numbers");
	return 1;
}

static void perfdata_step(struct import *im)
{
	static int (*const phases[])(
		struct perfdata *d) = { read_header,  read_attrs,   read_features, read_release,
					read_formats, read_records, emit_rest };
	struct perfdata *d = im->binary;

	while (im->status == KMEM_OK && d->phase < ARRAY_SIZE(phases) && phases[d->phase](d))
		d->phase++;
}

static void perfdata_open(struct import *im)
{
	struct perfdata *d = import_block(im, sizeof(*d));

	im->binary = d;
	if (!d)
		return;
	d->im = im;
	d->reading.extent.reserved_bytes = d->unpacking.extent.reserved_bytes = STAMPS_BYTES;
	d->unpacking.is_packed = 1;
	d->segment_bytes = im->source.tiny ? TINY_SEGMENT_BYTES : SEGMENT_BYTES;
	d->enough_bytes = im->source.tiny ? 0 : ENOUGH_BYTES;
	d->most_bytes = im->source.tiny ? STAMPS_BYTES * 16 : MOST_BYTES;
	d->tracepoints = tracepoints_open(im);
	if (d->tracepoints)
		d->tracepoints->comms.idle = "swapper";
	d->is_pipe = im->head_len >= PIPE_HEADER_BYTES && load8(im->head + 8) == PIPE_HEADER_BYTES;
	im->source.keeps = !im->source.by_range && !d->is_pipe;
	if (!im->source.keeps && im->status == KMEM_OK)
		perfdata_step(im);
}

static void perfdata_drop(struct import *im)
{
	struct perfdata *d = im->binary;
	struct pool *pool = im->trace->pool;
	struct buffer *runs[] = { &d->attrs, &d->ids.run, &d->packed, &d->window };
	struct extent *extents[] = { &d->front, &d->table, &d->release, &d->tracing };

	if (d->tracepoints)
		tracepoints_close(d->tracepoints);
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(pool, runs[i]);
	for (u32 i = 0; i < ARRAY_SIZE(extents); i++)
		extent_drop(im, extents[i]);
	for (u32 i = 0; i < d->nr_tracings; i++)
		buffer_free(pool, &d->tracings[i]);
	segments_drop(d);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
	im->binary = NULL;
}

const struct trace_format format_perfdata = { .name = "perf.data",
					      .begins = perfdata_begins,
					      .open = perfdata_open,
					      .step = perfdata_step,
					      .drop = perfdata_drop };
