/*
 * format_tracedat_ring.c - pages of the kernel's ring buffer, as trace-cmd copies them.
 *
 *	page:	| time | commit: bytes of data, and whether events were lost before | data … |
 *	entry:	| 5 bits: length in words, or what it is | 27 bits: time since the entry before | payload |
 */
#include "tracedat.h"

enum {
	ENTRY_LONG = 0, /* the length stands in the first word */
	ENTRY_PADDING = 29,
	ENTRY_TIME_EXTEND = 30, /* a distance that 27 bits do not hold */
	ENTRY_TIME_STAMP = 31,	/* the time itself, but for its top bits */
};

enum { COMMIT_LENGTH = (1 << 27) - 1, COMMIT_STORED = 1 << 30, COMMIT_MISSED = 31 };

#define STAMP_BITS 59

static u64 stamp_time(u64 before, u64 stamp)
{
	return (before & ~(((u64)1 << STAMP_BITS) - 1)) | (stamp & (((u64)1 << STAMP_BITS) - 1));
}

/* The entry at the reader: 1 if it is an event. */
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

/* Unpacks the next chunk; 0 if there is none. */
static int next_chunk(struct tracedat *d, struct stream *s)
{
	struct import *im = d->im;

	if (!s->chunks)
		return 0;
	s->chunks--;
	s->chunk_at = (u64)(s->rest.at - (const u8 *)im->file.at);
	im->unpacked_from = s->chunk_at;
	const u8 *at = s->rest.at;
	u32 packed_bytes = reader_u32(&s->rest), bytes = reader_u32(&s->rest);
	struct reader packed = reader_part(&s->rest, packed_bytes);
	if (s->rest.bad) {
		im->trace->report.truncated = 1;
		s->chunks = 0;
		return 0;
	}
	if (!tracedat_unpack(d, packed, bytes, &s->unpacked)) {
		if (im->status == KMEM_OK)
			binary_problem(im, at, "a chunk cannot be unpacked: it is left out,");
		return im->status == KMEM_OK;
	}
	const u8 *unpacked = s->unpacked.at;
	s->pages = (struct reader){ unpacked, unpacked + bytes, 0 };
	return 1;
}

/* How many events the page says were lost before its first. */
static u64 lost_before(const struct tracedat *d, u64 commit, struct reader behind)
{
	if (!(commit >> COMMIT_MISSED & 1))
		return 0;
	if (!(commit & COMMIT_STORED))
		return 1;
	u64 lost = d->long_bytes == 8 ? reader_u64(&behind) : reader_u32(&behind);
	return behind.bad || lost >> 48 ? 1 : lost;
}

/* Opens the next page; 0 if there is none. */
static int next_page(struct tracedat *d, struct stream *s)
{
	struct import *im = d->im;

	while (!reader_left(&s->pages)) {
		if (!next_chunk(d, s))
			return 0;
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
		return 1;
	}
	if (len > s->page_bytes - d->layout.data_at) {
		binary_problem(im, start, "a page cannot hold as much as it says: it is left out,");
		return 1;
	}
	if (len > reader_left(&page))
		im->trace->report.truncated = 1;
	s->events = reader_part(&page, MIN(len, reader_left(&page)));
	im->trace->report.lost += lost_before(d, commit, page);
	return 1;
}

int stream_next(struct tracedat *d, struct stream *s)
{
	while (d->im->status == KMEM_OK) {
		const u8 *at = s->events.at;
		if (reader_left(&s->events)) {
			if (read_entry(s))
				return 1;
			if (s->events.bad) {
				d->im->unpacked_from = s->chunk_at;
				binary_problem(
					d->im, at,
					"an event does not fit in its page: the rest of the page is left out,");
				s->events = (struct reader){ at, at, 0 };
			}
		} else if (!next_page(d, s)) {
			return 0;
		}
	}
	return 0;
}
