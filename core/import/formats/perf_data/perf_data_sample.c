/*
 * perf_data_sample.c - reads attrs and samples of perf.data.
 *
 *	| header | id | ip | pid tid | time | addr | id | stream | cpu | period | read values | call chain | raw | … |
 *
 * A sample has each part whose bit is set in the attr's sample_type. The raw part of a tracepoint's
 * sample is the event as the kernel laid it out.
 */
#include "import/formats/perf_data/perf_data.h"

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

/* Bytes of the parts that a sample has of a set: each is one word. */
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

/* Finds the offsets of time, CPU and raw data, unless a part in front of them varies in size. */
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

/* Finds the time behind records that are no samples. It has the parts of a sample that this set names, in this order. */
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

/* perf records a tracepoint every `period` events, or so many times a second (-F). Then each sample has its period. */
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
	d->time_at = !d->nr_attrs || d->time_at == a.time_at ? a.time_at : 0;
	attrs[d->nr_attrs++] = a;
	while (reader_left(ids) >= 8)
		add_id(d, reader_u64(ids));
}

/* Tracing data: the magic of trace.dat, version, byte order, then files and formats as in
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

/* The attr of a sample, by its id. perf puts the id at one offset in all samples. If all attrs have
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
#define TOO_SHORT "a sample ends before all its fields,"

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

const char *sample_time(const struct perfdata *d, const u8 *record, u32 len, u64 *time)
{
	struct sample sample;
	const char *wrong = read_sample(d, record, record + len, &sample);

	*time = sample.time;
	return wrong;
}

u32 sample_raw(const struct perfdata *d, const u8 *record, u32 len, const u8 **raw)
{
	struct sample sample;

	if (read_sample(d, record, record + len, &sample) || !sample.attr->is_tracepoint)
		return 0;
	*raw = sample.raw;
	return sample.raw ? sample.raw_bytes : 0;
}

/* An allocation or free counts for as many as its period says; a damaged file may claim any. */
NOINLINE void emit_weighted(struct perfdata *d, struct raw_event *raw, u64 period)
{
	const struct kmem_report *report = &d->im->trace->report;
	u64 allocs = report->allocs, frees = report->frees;

	period = MIN(MAX(period, (u64)1), (u64)MAX_PERIOD);
	tracepoints_event(d->tracepoints, raw);
	d->im->sampled.is_on = 1;
	d->im->sampled.allocs += (report->allocs - allocs) * period;
	d->im->sampled.frees += (report->frees - frees) * period;
}

const char *sample_emit(struct perfdata *d, const u8 *record, u32 len)
{
	struct sample sample;
	const char *wrong = read_sample(d, record, record + len, &sample);

	if (unlikely(wrong != NULL))
		return wrong;
	if (unlikely(!sample.attr->is_tracepoint || !sample.raw)) {
		/* An event that is not a tracepoint describes no allocation. */
		kind_count_text(d->im, "other samples");
		return NULL;
	}
	struct raw_event raw = { sample.raw, sample.raw_bytes, sample.time, sample.cpu };
	if (unlikely(d->guesses) && raw.len_bytes >= 2 &&
	    !tracepoints_knows(d->tracepoints, (u32)(raw.at[0] | raw.at[1] << 8)))
		perfdata_guess(d);
	if (likely(!d->is_sampled))
		tracepoints_event(d->tracepoints, &raw);
	else
		emit_weighted(d, &raw, sample.period);
	return NULL;
}
