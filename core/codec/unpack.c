/*
 * unpack.c - takes packed bytes in and hands unpacked bytes out. Each call hands out a bounded number, however well the
 * data compress, so the host can show progress and stop.
 */
#include "codec/unpack.h"
#include "util/text.h"

enum { WINDOW_MOVES_AFTER_BYTES = 1 << 20, MOST_BLOCK_BYTES = ZSTD_MAX_BLOCK };

_Static_assert((int)MOST_BLOCK_BYTES >= (int)INFLATE_LONGEST_MATCH,
	       "one step fits behind a full output");

/* Errors */

int unpack_fail(struct kmem_unpack *u, s32 status, const char *sentence)
{
	struct text t = text_in(u->error, sizeof(u->error));

	u->status = status;
	text_add(&t, sentence);
	return 0;
}

static int refuse(struct kmem_unpack *u, const char *fault, const char *why)
{
	struct text t = text_in(u->error, sizeof(u->error));

	u->status = KMEM_EINPUT;
	text_print(&t, "The %s%s%s.", u->kind->name, fault, why);
	return 0;
}

int unpack_damaged(struct kmem_unpack *u, const char *why)
{
	return refuse(u, " data are damaged: ", why);
}

int unpack_wait(struct kmem_unpack *u)
{
	return u->is_last ? refuse(u, " data are cut off", "") : 0;
}

/* Output */

/* Makes room for one call's bytes and one more block. Moves the window to the front if
 * necessary. */
static int make_room(struct kmem_unpack *u)
{
	u64 need = UNPACK_OUTPUT_BYTES + MOST_BLOCK_BYTES;
	u64 most = u->window_bytes + MAX(u->window_bytes / 4, (u64)WINDOW_MOVES_AFTER_BYTES) + need;

	if (u->out_bytes + need > MIN(most, u->out_room)) {
		u64 keep = MIN(u->window_bytes, u->out_bytes);
		memmove(u->out, u->out + u->out_bytes - keep, keep);
		u->out_bytes = keep;
	}
	u->from = u->out_bytes;
	if (u->out_bytes + need <= u->out_room && host_commit(u->out + u->out_bytes + need))
		return 1;
	return unpack_fail(u, KMEM_ENOMEM,
			   "Not enough memory to unpack this file: unpack it first.");
}

int unpack_begin_frame(struct kmem_unpack *u, u64 window_bytes)
{
	u->window_bytes = window_bytes;
	u->out_bytes = 0;
	u->frame_bytes = 0;
	crc32_begin(&u->crc);
	xxh64_begin(&u->xxh);
	u->at = UNPACK_BODY;
	return make_room(u);
}

/* The host */

struct kmem_unpack *kmem_unpack_open(void *base, u64 size)
{
	struct kmem_unpack *u = base;
	u64 head_bytes = ALIGN_UP(sizeof(*u), 64) + UNPACK_INPUT_BYTES;

	if (size < (u64)1 << 20 || !host_commit((u8 *)base + head_bytes))
		return NULL;
	memset(u, 0, sizeof(*u));
	u->in = (u8 *)base + ALIGN_UP(sizeof(*u), 64);
	u->out = u->in + UNPACK_INPUT_BYTES;
	u->out_room = size - head_bytes;
	crc32_open(&u->crc);
	return u;
}

u8 *kmem_unpack_input(struct kmem_unpack *u, u32 *room_bytes)
{
	memmove(u->in, u->in + u->in_at, unpack_left(u));
	u->in_end = unpack_left(u);
	u->in_at = 0;
	*room_bytes = UNPACK_INPUT_BYTES - u->in_end;
	return u->in + u->in_end;
}

static int choose_kind(struct kmem_unpack *u)
{
	const u8 *in = u->in + u->in_at;

	if (unpack_left(u) < 4 && !u->is_last)
		return 0;
	if (unpack_left(u) >= 2 && in[0] == 0x1f && in[1] == 0x8b)
		u->kind = &unpack_gzip;
	else if (unpack_left(u) >= 4 && in[0] == 'P' && in[1] == 'K')
		u->kind = &unpack_zip; /* which its head() recognises too */
	else if (unpack_left(u) >= 4)
		u->kind = &unpack_zstd; /* its head() refuses anything else */
	return u->kind ? 1 : unpack_fail(u, KMEM_EINPUT, "This is neither gzip nor zstd nor zip.");
}

static int advance(struct kmem_unpack *u)
{
	switch (u->at) {
	case UNPACK_HEAD:
		/* A new frame overwrites bytes that the previous one has not handed out yet. */
		if (u->out_bytes != u->from)
			return 0;
		if (!unpack_left(u) && u->is_last && u->nr_frames)
			u->at = UNPACK_END;
		else if (unpack_left(u) >= u->kind->head_bytes || u->is_last)
			return u->kind->head(u);
		return 0;
	case UNPACK_SKIPPED:
		return u->kind->skip(u);
	case UNPACK_BODY:
		return u->kind->body(u);
	case UNPACK_TAIL:
		return u->kind->tail(u);
	default:
		return 0;
	}
}

s32 kmem_unpack_run(struct kmem_unpack *u, u32 len_bytes, u32 is_last)
{
	if (u->status)
		return u->status;
	if (len_bytes > UNPACK_INPUT_BYTES - u->in_end) {
		unpack_fail(u, KMEM_ESTATE, "More data was put in than there is room for.");
		return u->status;
	}
	u->in_end += len_bytes;
	u->is_last |= is_last;
	u->from = u->out_bytes;
	if (!u->kind && !choose_kind(u))
		return u->status;
	if (u->at == UNPACK_BODY && !make_room(u))
		return u->status;
	while (u->out_bytes - u->from < UNPACK_OUTPUT_BYTES && !u->status && advance(u)) {
	}
	/* Hand out the good bytes first. The next call reports the error. */
	return u->out_bytes > u->from ? (s32)(u->out_bytes - u->from) : u->status;
}

const u8 *kmem_unpack_output(struct kmem_unpack *u)
{
	return u->out + u->from;
}

u32 kmem_unpack_left(struct kmem_unpack *u)
{
	return unpack_left(u);
}

const char *kmem_unpack_error(struct kmem_unpack *u)
{
	return u->error;
}
