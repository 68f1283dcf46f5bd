/*
 * binary.c - positions in a binary file, and problems reported at them.
 */
#include "import/binary.h"

struct reader binary_part(const struct extent *extent, u64 at, u64 len)
{
	if (!extent->bytes || at < extent->at || at - extent->at > extent->len_bytes ||
	    len > extent->len_bytes - (at - extent->at))
		return (struct reader){ 0, 0, 1 };
	const u8 *from = extent->bytes + (at - extent->at);
	return (struct reader){ from, from + len, 0 };
}

int binary_peek(struct import *im, struct extent *extent, u64 at, u64 len, u64 usual,
		struct reader *part)
{
	u64 file_bytes = im->source.file_bytes;

	*part = binary_part(extent, at, len);
	if (!part->bad || at > file_bytes || len > file_bytes - at)
		return 1;
	if (!source_fill(im, extent, at, MAX(len, usual)))
		return 0;
	*part = binary_part(extent, at, len);
	return 1;
}

void binary_place(struct import *im, const struct extent *extent)
{
	im->place_bytes = extent->bytes;
	im->place_at = extent->at;
	im->place_len = extent->len_bytes;
}

static void add_place(const struct import *im, struct text *out, const u8 *at)
{
	const u8 *extent = im->place_bytes, *file = im->file.at;

	if (extent && at >= extent && at <= extent + im->place_len)
		text_add_number(out, " at byte ", im->place_at + (u64)(at - extent));
	else if (file && at >= file && at <= file + im->file_bytes)
		text_add_number(out, " at byte ", (u64)(at - file));
	else
		text_add_number(out, " in what is packed at byte ", im->unpacked_from);
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

	if (source_waits(im))
		return;
	text_add(&out, "This ");
	text_add(&out, im->format->name);
	text_add(&out, " is damaged");
	add_place(im, &out, at);
	text_add(&out, ": ");
	text_add(&out, what);
	import_fail(im, KMEM_EINPUT, sentence);
}

void binary_refuse(struct import *im, const char *sentence)
{
	if (!source_waits(im))
		import_fail(im, KMEM_EINPUT, sentence);
}

void binary_cut_off(struct import *im, const char *what)
{
	static const u8 nothing[1];
	const struct extent end = { .bytes = nothing, .at = im->source.file_bytes };
	char reason[MAX_PROBLEM_TEXT];
	struct text out = text_in(reason, sizeof(reason));

	im->trace->report.truncated = 1;
	text_add(&out, "the file is cut off");
	text_add(&out, what);
	text_add(&out, ": it ends");
	binary_place(im, &end);
	binary_problem(im, nothing, reason);
}
