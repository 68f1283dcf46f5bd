/*
 * binary.c - the whole file in one run of the pool, and what is said of a place in it.
 */
#include "binary.h"

enum { FILE_STEP_BYTES = 1 << 20 };

/* At least need bytes: in place if nothing lies behind, as is usual, else in a new run. */
static int more_file(struct import *im, u64 need_bytes)
{
	struct trace_run *file = &im->file;

	if (file->at && need_bytes > file->run_bytes) {
		u64 more = ALIGN_UP(need_bytes - file->run_bytes, (u64)FILE_STEP_BYTES);
		if (pool_extend(im->trace->pool, file->at, file->run_bytes, more))
			file->run_bytes += more;
	}
	return run_grow(im, file, need_bytes);
}

void binary_keep(struct import *im, const u8 *p, u32 len)
{
	u64 need_bytes = im->file_bytes + len + SCAN_SLACK;

	if (need_bytes > im->file.room_bytes && !more_file(im, need_bytes))
		return;
	memcpy((u8 *)im->file.at + im->file_bytes, p, len);
	im->file_bytes += len;
}

static void add_place(const struct import *im, struct text *out, const u8 *at)
{
	const u8 *file = im->file.at;
	int inside = at >= file && at <= file + im->file_bytes;

	text_add(out, inside ? " at byte " : " in what is packed at byte ");
	text_add_u64(out, inside ? (u64)(at - file) : im->unpacked_from);
}

const char *binary_reason(const struct import *im, const char *reason, char *buf, u32 room)
{
	struct text out = text_in(buf, room);

	text_add(&out, reason);
	add_place(im, &out, im->event_at);
	return buf;
}

void binary_problem(struct import *im, const u8 *at, const char *reason)
{
	im->event_at = at;
	import_problem(im, NULL, reason);
}

void binary_damaged(struct import *im, const u8 *at, const char *what)
{
	char sentence[sizeof(im->trace->error)];
	struct text out = text_in(sentence, sizeof(sentence));

	text_add(&out, "This ");
	text_add(&out, im->format->name);
	text_add(&out, " is damaged");
	add_place(im, &out, at);
	text_add(&out, ": ");
	text_add(&out, what);
	import_fail(im, KMEM_EINPUT, sentence);
}
