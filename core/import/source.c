/*
 * source.c - fills the extents that the readers of binary formats request.
 */
#include "import/binary.h"

int source_waits(const struct import *im)
{
	return im->source.filling != NULL;
}

int source_has_more(const struct import *im, const struct extent *extent)
{
	return !im->source.ended && extent->at + extent->len_bytes < im->source.file_bytes;
}

int extent_room(struct import *im, struct extent *extent, u64 len_bytes)
{
	struct pool *pool = im->trace->pool;
	u64 need = ALIGN_UP(len_bytes + SCAN_SLACK + extent->reserved_bytes, (u64)POOL_UNIT_BYTES);

	if (need > extent->run.room_bytes && !extent->is_fixed) {
		u8 *at = import_block(im, need);
		if (!at)
			return 0;
		if (extent->bytes)
			memcpy(at, extent->bytes, extent->len_bytes);
		buffer_free(pool, &extent->run);
		extent->run = (struct buffer){ at, need, need };
	}
	KASSERT(!extent->is_fixed || len_bytes <= extent->run.room_bytes);
	extent->bytes = extent->run.at;
	return 1;
}

void extent_drop(struct import *im, struct extent *extent)
{
	if (im->source.filling == extent)
		im->source.filling = NULL;
	buffer_free(im->trace->pool, &extent->run);
	extent->bytes = NULL;
	extent->len_bytes = 0;
}

/* How many bytes of [at, at + len) the file has. */
static u64 there(const struct source *s, u64 at, u64 len_bytes)
{
	return at < s->file_bytes ? MIN(len_bytes, s->file_bytes - at) : 0;
}

int source_fill(struct import *im, struct extent *extent, u64 at, u64 len_bytes)
{
	struct source *s = &im->source;
	u64 want = there(s, at, len_bytes);

	if (im->status != KMEM_OK)
		return 0;
	if (s->keeps) {
		extent->at = at;
		extent->bytes = (const u8 *)im->file.at + MIN(at, s->file_bytes);
		extent->len_bytes = want;
		return 1;
	}
	if (!extent->bytes || extent->at != at) {
		extent->at = at;
		extent->len_bytes = 0;
	}
	if (!extent_room(im, extent, want))
		return 0;
	if (extent->len_bytes >= want || s->ended)
		return 1;
	extent->want_bytes = want;
	s->filling = extent;
	return 0;
}

u64 source_range(const struct import *im, u64 *at)
{
	const struct extent *extent = im->source.filling;

	if (!extent)
		return 0;
	*at = extent->at + extent->len_bytes;
	return extent->want_bytes - extent->len_bytes;
}

/* Keeps the whole file in one run of the pool. The run usually grows in place, as nothing lies
 * behind it. */
static void keep(struct import *im, const u8 *bytes, u32 len_bytes)
{
	enum { FILE_STEP_BYTES = 1 << 20 };
	struct buffer *file = &im->file;
	u64 need = im->file_bytes + len_bytes + SCAN_SLACK;

	if (file->at && need > file->block_bytes) {
		u64 more = ALIGN_UP(need - file->block_bytes, (u64)FILE_STEP_BYTES);
		if (pool_extend(im->trace->pool, file->at, file->block_bytes, more))
			file->block_bytes += more;
	}
	if (!import_grow(im, file, need))
		return;
	memcpy((u8 *)file->at + im->file_bytes, bytes, len_bytes);
	im->file_bytes += len_bytes;
}

void source_take(struct import *im, const u8 *bytes, u32 len_bytes)
{
	struct source *s = &im->source;

	if (s->keeps) {
		keep(im, bytes, len_bytes);
		return;
	}
	while (len_bytes && s->filling && im->status == KMEM_OK) {
		struct extent *extent = s->filling;
		u64 at = extent->at + extent->len_bytes;
		if (s->by_range)
			s->next_at = at;
		if (s->next_at < at) {
			/* No reader needs the bytes before `at`. */
			u32 skipped = (u32)MIN((u64)len_bytes, at - s->next_at);
			s->next_at += skipped;
			bytes += skipped;
			len_bytes -= skipped;
			continue;
		}
		u32 n = (u32)MIN((u64)len_bytes, extent->want_bytes - extent->len_bytes);
		memcpy((u8 *)extent->run.at + extent->len_bytes, bytes, n);
		extent->len_bytes += n;
		s->next_at += n;
		bytes += n;
		len_bytes -= n;
		if (extent->len_bytes == extent->want_bytes) {
			s->filling = NULL;
			im->format->step(im);
		}
		if (s->by_range)
			return;
	}
	s->next_at += len_bytes;
}

void source_end(struct import *im)
{
	struct source *s = &im->source;

	if (s->keeps)
		s->file_bytes = im->file_bytes;
	else if (!s->by_range)
		s->file_bytes = s->next_at;
	s->ended = 1;
	s->filling = NULL;
	if (im->status == KMEM_OK)
		im->format->step(im);
}
