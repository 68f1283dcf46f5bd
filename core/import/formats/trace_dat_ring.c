/*
 * trace_dat_ring.c - reads pages of the kernel's ring buffer, as trace-cmd copies them.
 *
 *	page:	| time | commit: bytes of data, and whether events were lost before | data … |
 *	entry:	| 5 bits: length in words, or its type | 27 bits: time since the previous entry | payload |
 */
#include "import/formats/trace_dat.h"

enum {
	ENTRY_LONG = 0, /* the first word holds the length */
	ENTRY_PADDING = 29,
	ENTRY_TIME_EXTEND = 30, /* a time difference that needs more than 27 bits */
	ENTRY_TIME_STAMP = 31,	/* the time itself, without its top bits */
};

enum { COMMIT_LENGTH = (1 << 27) - 1, COMMIT_STORED = 1 << 30, COMMIT_MISSED = 31 };

#define STAMP_BITS 59

/* Notes where the stream's bytes lie in the file, for problems. */
void place_stream(struct import *im, const struct stream *s)
{
	binary_place(im, &s->window);
	if (s->has_chunks)
		im->place_bytes = NULL;
	im->unpacked_from = s->chunk_at;
}

static u64 stamp_time(u64 before, u64 stamp)
{
	return (before & ~(((u64)1 << STAMP_BITS) - 1)) | (stamp & (((u64)1 << STAMP_BITS) - 1));
}

/* Reads the next entry: 1 if it is an event. */
static int read_entry(struct stream *s)
{
	struct reader *r = &s->events;
	u32 word = reader_u32(r), kind = word & 31, delta = word >> 5, len;

	switch (kind) {
	case ENTRY_PADDING:
		s->time += delta;
		if (!delta)
			r->at = r->end;
		else
			reader_take(r, reader_u32(r) - (u64)4);
		return 0;
	case ENTRY_TIME_EXTEND:
		s->time += delta + ((u64)reader_u32(r) << 27);
		return 0;
	case ENTRY_TIME_STAMP:
		s->time = stamp_time(s->time, delta + ((u64)reader_u32(r) << 27));
		return 0;
	case ENTRY_LONG:
		len = reader_u32(r);
		r->bad |= len < 4;
		len = len < 4 ? 0 : len - 4;
		break;
	default:
		len = kind * 4;
	}
	s->time += delta;
	s->event.len_bytes = len;
	s->event.time = s->time;
	s->event.cpu = s->cpu;
	s->event.at = reader_take(r, ALIGN_UP((u64)len, (u64)4));
	return !r->bad;
}

/* Windows */

/* Returns how many bytes of the file each CPU keeps in memory. */
static u64 share_of(const struct tracedat *d)
{
	u64 share = MIN((u64)WINDOWS_BYTES / d->nr_streams, (u64)MOST_WINDOW_BYTES);

	return d->im->source.tiny ? 1 : share;
}

static u64 window_of(const struct tracedat *d, const struct stream *s)
{
	u64 pages = MAX(share_of(d) / s->page_bytes, (u64)1);

	return MIN(pages * s->page_bytes, s->end - s->at);
}

int streams_open(struct tracedat *d)
{
	struct stream *streams = d->streams.at;
	u64 all = 0;

	for (u32 i = 0; i < d->nr_streams; i++)
		all += streams[i].has_chunks ? 0 : window_of(d, &streams[i]) + SCAN_SLACK;
	if (!all || !import_grow(d->im, &d->windows, all))
		return !all;
	u8 *at = d->windows.at;
	for (u32 i = 0; i < d->nr_streams; i++) {
		if (streams[i].has_chunks)
			continue;
		u64 room = window_of(d, &streams[i]);
		streams[i].window.run = (struct buffer){ at, room, room };
		streams[i].window.is_fixed = 1;
		at += room + SCAN_SLACK;
	}
	return 1;
}

/* Reads more pages as they lie in the file. */
static enum stream_state more_pages(struct tracedat *d, struct stream *s)
{
	u64 len = MIN(s->window.run.room_bytes, s->end - s->at);

	if (!len)
		return STREAM_END;
	if (!source_fill(d->im, &s->window, s->at, len))
		return STREAM_WAITS;
	const u8 *bytes = s->window.bytes;
	s->at += len;
	s->pages = (struct reader){ bytes, bytes + s->window.len_bytes, 0 };
	return reader_left(&s->pages) ? STREAM_EVENT : STREAM_END;
}

/* Reads the first bytes of the unread chunks; 0 while it waits for them. */
static int chunk_part(struct tracedat *d, struct stream *s, u64 len, struct reader *part)
{
	u64 usual = share_of(d);

	if (!d->im->source.tiny)
		usual = MAX(usual, (u64)LEAST_CHUNKS_BYTES) - SCAN_SLACK;
	return binary_peek(d->im, &s->window, s->at, len, usual, part);
}

static enum stream_state next_chunk(struct tracedat *d, struct stream *s)
{
	enum { CHUNK_HEADER_BYTES = 8 };
	struct import *im = d->im;
	struct reader chunk;

	if (!s->chunks)
		return STREAM_END;
	if (!chunk_part(d, s, CHUNK_HEADER_BYTES, &chunk))
		return STREAM_WAITS;
	u64 packed_bytes = reader_u32(&chunk);
	u32 bytes = reader_u32(&chunk);
	u64 whole = CHUNK_HEADER_BYTES + packed_bytes;
	if (chunk.bad || whole > s->end - s->at) {
		d->is_cut = 1;
		s->chunks = 0;
		return STREAM_END;
	}
	if (!chunk_part(d, s, whole, &chunk))
		return STREAM_WAITS;
	im->unpacked_from = s->chunk_at = s->at;
	reader_take(&chunk, CHUNK_HEADER_BYTES);
	s->chunks--;
	s->at += whole;
	if (!tracedat_unpack(d, chunk, bytes, &s->unpacked)) {
		if (im->status == KMEM_OK)
			binary_problem(im, NULL, "a chunk that cannot be unpacked is skipped,");
		return im->status == KMEM_OK ? STREAM_EVENT : STREAM_END;
	}
	const u8 *unpacked = s->unpacked.at;
	s->pages = (struct reader){ unpacked, unpacked + bytes, 0 };
	return STREAM_EVENT;
}

/* Returns how many events were lost before the page's first, by the page's count. */
static u64 lost_before(const struct tracedat *d, u64 commit, struct reader behind)
{
	if (!(commit >> COMMIT_MISSED & 1))
		return 0;
	if (!(commit & COMMIT_STORED))
		return 1;
	u64 lost = d->long_bytes == 8 ? reader_u64(&behind) : reader_u32(&behind);
	return behind.bad || lost >> 48 ? 1 : lost;
}

static enum stream_state next_page(struct tracedat *d, struct stream *s)
{
	struct import *im = d->im;

	while (!reader_left(&s->pages)) {
		enum stream_state state = s->has_chunks ? next_chunk(d, s) : more_pages(d, s);
		if (state != STREAM_EVENT)
			return state;
	}
	const u8 *start = s->pages.at;
	struct reader page = reader_part(&s->pages,
					 MIN((u64)s->page_bytes, reader_left(&s->pages)));
	struct reader head = page;
	s->time = reader_u64(&head);
	head = page;
	reader_take(&head, d->layout.commit_at);
	u64 commit = d->layout.commit_bytes == 8 ? reader_u64(&head) : reader_u32(&head);
	u64 len = commit & COMMIT_LENGTH;
	reader_take(&page, d->layout.data_at);
	if (head.bad || page.bad) {
		im->trace->report.truncated = 1;
		return STREAM_EVENT;
	}
	if (len > s->page_bytes - d->layout.data_at) {
		place_stream(im, s);
		binary_problem(im, start,
			       "a page that claims more data than it can hold is skipped,");
		return STREAM_EVENT;
	}
	if (len > reader_left(&page))
		im->trace->report.truncated = 1;
	s->events = reader_part(&page, MIN(len, reader_left(&page)));
	im->trace->report.lost += lost_before(d, commit, page);
	return STREAM_EVENT;
}

/* Leaves a page whose end cuts an event off. If the file ends there, the page is not damaged. */
static void leave_page(struct tracedat *d, struct stream *s, const u8 *at)
{
	if (!d->is_cut || reader_left(&s->pages) || s->at < s->end) {
		place_stream(d->im, s);
		binary_problem(d->im, at,
			       "the rest of a page is skipped: an event does not fit in it");
	}
	s->events = (struct reader){ at, at, 0 };
}

enum stream_state stream_next(struct tracedat *d, struct stream *s)
{
	while (d->im->status == KMEM_OK) {
		const u8 *at = s->events.at;
		if (reader_left(&s->events)) {
			if (read_entry(s))
				return STREAM_EVENT;
			if (s->events.bad)
				leave_page(d, s, at);
			continue;
		}
		enum stream_state state = next_page(d, s);
		if (state != STREAM_EVENT)
			return state;
	}
	return STREAM_END;
}
