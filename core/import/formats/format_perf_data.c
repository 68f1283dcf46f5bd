/*
 * format_perf_data.c - reads what `perf record -e kmem:…` writes: PERFILE2 in a file, or through a
 * pipe.
 *
 *	file:	| header | ids | attrs | data: records … | features: tracing data, … |
 *	pipe:	| 16 bytes | records …, with attrs and tracing data among them |
 *
 * Samples cannot be understood without the features, so the features are read before the records.
 * A file that is cut off has no features, and is refused.
 * A pipe is read from front to back.
 */
#include "import/formats/perf_data.h"

enum {
	PIPE_HEADER_BYTES = 16,
	FILE_HEADER_BYTES = 104,
	FEATURE_TRACING_DATA = 1,
	MAX_RELEASE_FEATURE_BYTES = 4096,
	MAX_FRONT_BYTES = 16 << 20,
	MAX_TRACING_BYTES = 64 << 20,
	ENOUGH_EVENTS = 32768,
	MOST_EVENTS = 1 << 19, /* the most events of a stream */
	MOST_EVENTS_TINY = 512,
	HELD_BYTES = 100, /* what an event that waits takes */
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

static int refuse_cut(struct perfdata *d)
{
	binary_refuse(
		d->im,
		"This perf.data is cut off: the description of its events, which perf writes after them, is missing. Copy the whole file, or record again and let perf finish.");
	return 0;
}

/* Returns 0 after a refusal. */
static int read_magic(struct perfdata *d, struct reader header)
{
	const u8 *magic = reader_take(&header, 8);

	if (*magic != '2' && span_begins(magic, magic + 8, "PERFILE2"))
		return 1;
	binary_refuse(
		d->im,
		*magic == '2'
			? "This perf.data comes from a big-endian machine, which Slabscope does not read: run `perf "
			  "script > trace.txt` there and open that."
			: "This perf.data was written before Linux 2.6.32: run `perf script > trace.txt` "
			  "where it was recorded and open that.");
	return 0;
}

/* Returns the bytes of the front part at `at`; bad if they are missing. */
static struct reader front_part(const struct perfdata *d, u64 at, u64 len)
{
	struct reader all = all_of(&d->front);

	reader_take(&all, at);
	return reader_part(&all, len);
}

/* Reads attributes and their ids: perf writes them before the data. A pipe has records for
 * them and for the features. */
static void read_attrs(struct perfdata *d, struct reader attrs, u64 attr_bytes)
{
	binary_place(d->im, &d->front);
	while (!attrs.bad && attr_bytes >= 16 && reader_left(&attrs) >= attr_bytes &&
	       d->im->status == KMEM_OK) {
		struct reader attr = reader_part(&attrs, attr_bytes - 16);
		u64 ids_at = reader_u64(&attrs), ids_bytes = reader_u64(&attrs);
		struct reader ids = front_part(d, ids_at, ids_bytes);
		perfdata_add_attr(d, &attr, &ids);
	}
}

/* Reads a feature, whose place is in the table after the data, in the order of the features' bits: 1 once it is there, or
 * if the file has none. */
static int fill_feature(struct perfdata *d, struct extent *extent, u64 features, u32 feature,
			u64 most_bytes)
{
	u64 before = features & (((u64)1 << feature) - 1);
	struct reader table = all_of(&d->table);

	if (!(features >> feature & 1))
		return 1;
	reader_take(&table, (u64)__builtin_popcountll(before) * 16);
	u64 at = reader_u64(&table), len = reader_u64(&table);
	len = MIN(len, most_bytes);
	if (!len || table.bad)
		return !table.bad || feature == FEATURE_OSRELEASE || refuse_cut(d);
	if (!source_fill(d->im, extent, at, len))
		return 0;
	return extent->len_bytes == len || feature == FEATURE_OSRELEASE || refuse_cut(d);
}

/* Requests everything that describes the records, then reads it. */
static int read_header(struct perfdata *d)
{
	struct import *im = d->im;

	if (!source_fill(im, &d->front, 0, d->is_pipe ? PIPE_HEADER_BYTES : FILE_HEADER_BYTES) ||
	    !read_magic(d, all_of(&d->front)))
		return 0;
	d->at = d->data_at = PIPE_HEADER_BYTES;
	d->data_end = SOURCE_UNKNOWN;
	if (d->is_pipe)
		return 1;
	struct reader header = front_part(d, 16, FILE_HEADER_BYTES - 16);
	u64 attr_bytes = reader_u64(&header), attrs_at = reader_u64(&header),
	    attrs_bytes = reader_u64(&header);
	d->at = d->data_at = reader_u64(&header);
	u64 data_bytes = reader_u64(&header);
	reader_take(&header, 16);
	u64 features = reader_u64(&header);
	d->data_end = d->data_at + data_bytes;
	/* perf writes the size of the data when it ends. */
	if (header.bad || d->data_end < d->data_at || !data_bytes ||
	    d->data_end > im->source.file_bytes)
		return refuse_cut(d);
	u64 front_bytes = MIN(MAX(d->data_at, attrs_at + attrs_bytes), (u64)MAX_FRONT_BYTES);
	if (!source_fill(im, &d->front, 0, MAX(front_bytes, (u64)FILE_HEADER_BYTES)) ||
	    !source_fill(im, &d->table, d->data_end, (u64)__builtin_popcountll(features) * 16) ||
	    !fill_feature(d, &d->release, features, FEATURE_OSRELEASE, MAX_RELEASE_FEATURE_BYTES) ||
	    !fill_feature(d, &d->tracing, features, FEATURE_TRACING_DATA, MAX_TRACING_BYTES))
		return 0;
	read_attrs(d, front_part(d, attrs_at, attrs_bytes), attr_bytes);
	if (d->release.len_bytes)
		perfdata_read_release(d, all_of(&d->release));
	binary_place(im, &d->tracing);
	if (d->tracing.len_bytes && !perfdata_read_tracing(d, all_of(&d->tracing)))
		binary_damaged(im, d->tracing.bytes, "the description of its events is not valid");
	return im->status == KMEM_OK;
}

void perfdata_read_release(struct perfdata *d, struct reader feature)
{
	u32 len = reader_u32(&feature);
	struct reader text = reader_part(&feature, len);

	if (!text.bad)
		import_kernel(d->im, text.at, text.end);
}

static int read_records(struct perfdata *d)
{
	if (!perfdata_records(d))
		return 0;
	if (!d->tracepoints->nr_types)
		binary_refuse(
			d->im,
			"This perf.data describes no tracepoints: record with `perf record -e 'kmem:*'`.");
	return 1;
}

static void perfdata_step(struct import *im)
{
	static int (*const phases[])(struct perfdata *d) = { read_header, read_records };
	struct perfdata *d = im->binary;

	while (im->status == KMEM_OK && d->phase < ARRAY_SIZE(phases) && phases[d->phase](d))
		d->phase++;
}

static u32 task_of(struct import *im, const struct event *held)
{
	const struct perfdata *d = im->binary;

	return held->task ? comms_task(d->tracepoints, held->task - 1, held->time) : 0;
}

static void perfdata_open(struct import *im)
{
	struct perfdata *d = import_block(im, sizeof(*d));

	im->binary = d;
	if (!d)
		return;
	d->im = im;
	d->is_pipe = im->head_len >= PIPE_HEADER_BYTES && load8(im->head + 8) == PIPE_HEADER_BYTES;
	im->source.keeps = !im->source.by_range && !d->is_pipe;
	d->enough = im->source.tiny ? 0 : ENOUGH_EVENTS;
	d->sink = im->sink;
	im->sink = perfdata_hold;
	im->order.task_of = task_of;
	/* The events of a file may take a quarter of the region, those of a stream less. */
	im->order.most = im->source.tiny ? MOST_EVENTS_TINY : MOST_EVENTS;
	if (im->source.keeps || im->source.by_range)
		im->order.most = (u32)MIN(im->trace->pool->size_bytes / 4 / HELD_BYTES, 1u << 30);
	im->order.keep = im->order.most / 2;
	d->tracepoints = tracepoints_open(im);
	if (d->tracepoints) {
		d->tracepoints->comms.idle = "swapper";
		d->tracepoints->keeps_pids = 1;
	}
	if (!im->source.keeps && im->status == KMEM_OK)
		perfdata_step(im);
}

static void perfdata_drop(struct import *im)
{
	struct perfdata *d = im->binary;
	struct pool *pool = im->trace->pool;
	struct buffer *runs[] = { &d->attrs, &d->ids.run, &d->packed, &d->window, &d->unpacked };
	struct extent *extents[] = { &d->front, &d->table, &d->release, &d->tracing, &d->reading };

	if (d->tracepoints)
		tracepoints_close(d->tracepoints);
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++)
		buffer_free(pool, runs[i]);
	for (u32 i = 0; i < ARRAY_SIZE(extents); i++)
		extent_drop(im, extents[i]);
	for (u32 i = 0; i < d->nr_tracings; i++)
		buffer_free(pool, &d->tracings[i]);
	pool_free(pool, d->zstd, sizeof(*d->zstd));
	pool_free(pool, d, sizeof(*d));
	im->binary = NULL;
}

const struct trace_format format_perfdata = { .name = "perf.data",
					      .begins = perfdata_begins,
					      .open = perfdata_open,
					      .step = perfdata_step,
					      .drop = perfdata_drop };

/*
 * Reads attrs and samples of perf.data.
 *
 *	| header | id | ip | pid tid | time | addr | id | stream | cpu | period | read values | call chain | raw | … |
 *
 * A sample has each part whose bit is set in the attr's sample_type. The raw part of a tracepoint's
 * sample is the event as the kernel laid it out.
 */

enum { TYPE_TRACEPOINT = 2, MAX_ATTRS = 65536 };

enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_IDENTIFIER = 1 << 16,
};

enum {
	READ_TIME_ENABLED = 1 << 0,
	READ_TIME_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

struct sample {
	u64 time, period;
	const u8 *raw; /* NULL: not needed */
	u32 raw_bytes;
	u32 cpu;
	const struct perf_attr *attr;
};

/* Returns the bytes of the parts that a sample has of a set: each is one word. */
static u32 parts_bytes(u64 type, u64 set)
{
	return 8 * (u32)__builtin_popcountll(type & set);
}

/* Ids */

static void add_id(struct perfdata *d, u64 id)
{
	if (!import_reserve(d->im, &d->ids))
		return;
	struct hash_slot *slot = hash_find(&d->ids, id);
	if (slot->taken)
		slot->taken = d->nr_attrs;
	else
		hash_put(&d->ids, slot, (struct hash_slot){ id, 0, d->nr_attrs });
}

/* Finds the offsets of time, CPU and raw data, unless a part before them varies in size. */
static void find_places(struct perf_attr *a)
{
	u64 type = a->sample_type;
	u32 at = RECORD_HEADER_BYTES;

	at += parts_bytes(type, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID);
	a->time_at = type & SAMPLE_TIME ? at : 0;
	at += parts_bytes(type, SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID);
	a->cpu_at = type & SAMPLE_CPU ? at : 0;
	at += parts_bytes(type, SAMPLE_CPU);
	a->period_at = type & SAMPLE_PERIOD ? at : 0;
	at += parts_bytes(type, SAMPLE_PERIOD);
	a->raw_at = type & SAMPLE_RAW ? at : 0;
	a->is_fixed = a->time_at && a->cpu_at && a->raw_at &&
		      !(type & (SAMPLE_READ | SAMPLE_CALLCHAIN));
}

/*
 * Finds the time at the end of records that are not samples. They end with those parts of a sample that are in this
 * set, in this order.
 */
static void find_sample_id(struct perf_attr *a, u64 flags)
{
	enum { SAMPLE_ID_ALL_BIT = 18 };
	u64 type = a->sample_type;

	if (!(flags >> SAMPLE_ID_ALL_BIT & 1))
		return;
	a->id_bytes = parts_bytes(type, SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID |
						SAMPLE_CPU | SAMPLE_IDENTIFIER);
	if (type & SAMPLE_TIME)
		a->id_time_back = a->id_bytes - parts_bytes(type, SAMPLE_TID);
}

/* perf records a tracepoint every `period` events, or a number of times per second (-F). Then each sample has its
 * period. */
static void find_period(struct perfdata *d, struct perf_attr *a, u64 flags)
{
	enum { FREQ_BIT = 10 };
	int has_frequency = (flags >> FREQ_BIT & 1) != 0;

	d->is_sampled |= a->is_tracepoint && (has_frequency || a->period > 1);
	if (has_frequency || !a->period)
		a->period = 1;
}

void perfdata_add_attr(struct perfdata *d, struct reader *attr, struct reader *ids)
{
	struct perf_attr a = { .is_tracepoint = reader_u32(attr) == TYPE_TRACEPOINT };

	reader_take(attr, 4);
	a.config = reader_u64(attr);
	a.period = reader_u64(attr);
	a.sample_type = reader_u64(attr);
	a.read_format = reader_u64(attr);
	u64 flags = reader_u64(attr);
	find_sample_id(&a, flags);
	if (attr->bad) {
		binary_damaged(d->im, attr->at, "the attributes of an event are cut off");
		return;
	}
	find_places(&a);
	find_period(d, &a, flags);
	if (d->nr_attrs == MAX_ATTRS ||
	    !import_grow(d->im, &d->attrs, (d->nr_attrs + 1) * (u64)sizeof(a)))
		return;
	struct perf_attr *attrs = d->attrs.at;
	d->alike = !d->nr_attrs || (d->alike && attrs[0].sample_type == a.sample_type &&
				    attrs[0].read_format == a.read_format &&
				    (attrs[0].period == a.period || a.sample_type & SAMPLE_PERIOD ||
				     !(a.sample_type & (SAMPLE_ID | SAMPLE_IDENTIFIER))) &&
				    attrs[0].is_tracepoint == a.is_tracepoint);
	attrs[d->nr_attrs++] = a;
	while (reader_left(ids) >= 8)
		add_id(d, reader_u64(ids));
}

/* Reads the tracing data: the magic of trace.dat, version, byte order, then files and formats as in
 * trace.dat. */
int perfdata_read_tracing(struct perfdata *d, struct reader data)
{
	const u8 *magic = reader_take(&data, 10);

	reader_string(&data);
	const u8 *order = reader_take(&data, 1 + 1 + 4);
	if (!magic || !order || !span_begins(magic, magic + 10, "\x17\x08\x44tracing") || order[0])
		return 0;
	for (u32 i = 0; i < 2; i++) {
		/* header_page and header_event describe the ring buffer, which perf does not use */
		reader_string(&data);
		reader_take(&data, reader_u64(&data));
	}
	tracepoints_add_some(d->tracepoints, &data, reader_u32(&data));
	tracepoints_add_systems(d->tracepoints, &data);
	return 1;
}

/* Samples */

static void skip_read_values(struct reader *r, u64 format)
{
	u64 each = 8 + parts_bytes(format, READ_ID | READ_LOST);
	u64 times = parts_bytes(format, READ_TIME_ENABLED | READ_TIME_RUNNING);
	u64 nr = format & READ_GROUP ? reader_u64(r) : 1;

	reader_take(r, times);
	if (nr > reader_left(r) / each)
		nr = reader_left(r) / each + 1;
	reader_take(r, nr * each);
}

/* Returns the attr of a sample, by its id. perf puts the id at one offset in all samples. If all attrs have
 * the same layout, any of them will do. */
static const struct perf_attr *attr_of(const struct perfdata *d, struct reader body)
{
	const struct perf_attr *attrs = d->attrs.at;
	u64 type = d->nr_attrs ? attrs[0].sample_type : 0;

	if (d->alike || !d->ids.nr)
		return d->alike ? attrs : NULL;
	if (!(type & SAMPLE_IDENTIFIER))
		reader_take(&body,
			    parts_bytes(type, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR));
	const struct hash_slot *slot = hash_find(&d->ids, reader_u64(&body));
	return slot->taken ? &attrs[slot->taken - 1] : NULL;
}

#define UNKNOWN_ID "a sample whose id belongs to none of the events,"
#define TOO_SHORT "a sample ends before its last field,"

/* The raw data of a sample whose parts all have a fixed size; 0 if the sample is too short. */
ALWAYS_INLINE int read_fixed(const struct perf_attr *attr, const u8 *record, u64 len,
			     struct sample *sample)
{
	if (len < attr->raw_at + (u64)4)
		return 0;
	sample->time = load8(record + attr->time_at);
	sample->cpu = load4(record + attr->cpu_at);
	sample->raw_bytes = load4(record + attr->raw_at);
	sample->raw = record + attr->raw_at + 4;
	if (attr->period_at)
		sample->period = load8(record + attr->period_at);
	return sample->raw_bytes <= len - attr->raw_at - 4;
}

/* Reads a sample part by part. Each part is there if its bit is set. */
NOINLINE const char *read_parts(const struct perf_attr *attr, struct reader r,
				struct sample *sample)
{
	u64 type = attr->sample_type;
	reader_take(&r, parts_bytes(type, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID));
	if (type & SAMPLE_TIME)
		sample->time = reader_u64(&r);
	reader_take(&r, parts_bytes(type, SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID));
	if (type & SAMPLE_CPU) {
		sample->cpu = reader_u32(&r);
		reader_u32(&r);
	}
	if (type & SAMPLE_PERIOD)
		sample->period = reader_u64(&r);
	if (type & SAMPLE_READ)
		skip_read_values(&r, attr->read_format);
	if (type & SAMPLE_CALLCHAIN) {
		u64 nr = reader_u64(&r);
		reader_take(&r, MIN(nr, reader_left(&r) / 8 + 1) * 8);
	}
	if (type & SAMPLE_RAW) {
		sample->raw_bytes = reader_u32(&r);
		sample->raw = reader_take(&r, sample->raw_bytes);
	}
	return r.bad ? TOO_SHORT : NULL;
}

/* NULL, or why the record is not a sample. */
ALWAYS_INLINE const char *read_sample(const struct perfdata *d, const u8 *record, const u8 *end,
				      struct sample *sample)
{
	struct reader r = { record + 8, end, 0 };
	const struct perf_attr *attr = attr_of(d, r);

	*sample = (struct sample){ .attr = attr };
	if (!attr)
		return UNKNOWN_ID;
	sample->period = attr->period;
	if (likely(attr->is_fixed))
		return read_fixed(attr, record, (u64)(end - record), sample) ? NULL : TOO_SHORT;
	return read_parts(attr, r, sample);
}

const char *perfdata_sample(struct perfdata *d, const u8 *record, u32 len)
{
	struct sample sample;
	const char *wrong = read_sample(d, record, record + len, &sample);

	if (unlikely(wrong != NULL))
		return wrong;
	d->newest = MAX(d->newest, sample.time);
	if (unlikely(!sample.attr->is_tracepoint || !sample.raw)) {
		/* An event that is not a tracepoint describes no allocation. */
		kind_count_text(d->im, "other samples");
		return NULL;
	}
	d->period = MIN(MAX(sample.period, (u64)1), (u64)MAX_PERIOD);
	tracepoints_event(d->tracepoints, &(struct raw_event){ sample.raw, sample.raw_bytes,
							       sample.time, sample.cpu });
	return NULL;
}
