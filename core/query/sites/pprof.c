/*
 * pprof.c - call sites as a profile that pprof reads: profile.proto in gzip.
 *
 *	strings 0 to NR_WORDS - 1, four sample types
 *	for each row: the strings that are new; its location, unless another row has had it; its sample
 *
 * A location and its function have the number of the call site's string. Field numbers come from pprof's public schema.
 * Each piece of the file is packed by itself, so that nothing has to be kept but its bytes.
 */
#include "codec/deflate.h"
#include "query/sites/call_sites.h"
#include "util/checksum.h"
#include "util/protobuf.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
};

/* Strings with fixed numbers. */
enum word {
	WORD_NONE,
	WORD_ALLOC_OBJECTS,
	WORD_COUNT,
	WORD_ALLOC_SPACE,
	WORD_BYTES,
	WORD_INUSE_OBJECTS,
	WORD_INUSE_SPACE,
	WORD_CACHE,
	WORD_CPU,
	WORD_NODE,
	WORD_TASK,
	WORD_IS_GUESS,
	NR_WORDS
};

static const char *const words[NR_WORDS] = {
	[WORD_NONE] = "",
	[WORD_ALLOC_OBJECTS] = "alloc_objects",
	[WORD_COUNT] = "count",
	[WORD_ALLOC_SPACE] = "alloc_space",
	[WORD_BYTES] = "bytes",
	[WORD_INUSE_OBJECTS] = "inuse_objects",
	[WORD_INUSE_SPACE] = "inuse_space",
	[WORD_CACHE] = "cache",
	[WORD_CPU] = "cpu",
	[WORD_NODE] = "node",
	[WORD_TASK] = "task",
	[WORD_IS_GUESS] = "Events were lost or cut off: live objects may have been freed.",
};

enum {
	GZIP_HEAD_BYTES = 10,
	GZIP_TAIL_BYTES = 8,
	MAX_TEXT_BYTES = 1024,
	/* A row: three texts, and messages. */
	MOST_ROW_BYTES = 3 * MAX_TEXT_BYTES + 8 * MAX_MESSAGE_BYTES,
	PIECE_BYTES = 16 << 10,
};

enum pprof_state { PPROF_NONE, PPROF_HEAD, PPROF_ROWS, PPROF_DONE };

struct pprof {
	u32 state; /* enum pprof_state */
	u32 row, nr_strings;
	u32 nr_bytes, all_bytes; /* bytes of the piece, and of the file, both before gzip */
	struct crc32 crc;
	struct deflate deflate;
	u8 bytes[PIECE_BYTES];
	u8 packed[GZIP_HEAD_BYTES + DEFLATE_ROOM_BYTES(PIECE_BYTES) + GZIP_TAIL_BYTES];
};

u64 pprof_bytes(void)
{
	return sizeof(struct pprof);
}

static void add_bytes(struct pprof *p, const void *bytes, u32 len)
{
	KASSERT(p->nr_bytes + len <= sizeof(p->bytes));
	memcpy(p->bytes + p->nr_bytes, bytes, len);
	p->nr_bytes += len;
}

static void add_message(struct pprof *p, u32 field, const struct message *m)
{
	struct message head = { .len = 0 };

	put_head(&head, field, m->len);
	add_bytes(p, head.bytes, head.len);
	add_bytes(p, m->bytes, m->len);
}

static u32 add_string(struct pprof *p, const char *text)
{
	struct message head = { .len = 0 };
	u32 len = MIN(text_length(text), (u32)MAX_TEXT_BYTES);

	put_head(&head, PROFILE_STRING, len);
	add_bytes(p, head.bytes, head.len);
	add_bytes(p, text, len);
	return p->nr_strings++;
}

/* Returns the number of a text of the session; *is_new: this is its first use of that kind. */
static u32 string_of(struct kmem_session *s, u32 text_at, enum word kind, int *is_new)
{
	struct sites *x = sites_of(s);
	u64 key = (u64)kind << 40 | (u64)1 << 63 | text_at;
	struct site_slot *slot = sites_slot(x, key, 0);
	const char *text = session_text(s, text_at);

	*is_new = !slot->row;
	if (!slot->row) {
		u32 nr = add_string(x->pprof, *text		  ? text
					      : kind == WORD_NONE ? "(unknown call site)"
								  : "(unknown)");
		*slot = (struct site_slot){ key, nr + 1, 0 };
	}
	return slot->row - 1;
}

static u32 location_of(struct kmem_session *s, const struct kmem_site_row *row)
{
	struct pprof *p = sites_of(s)->pprof;
	struct message location = { .len = 0 }, line = { .len = 0 }, function = { .len = 0 };
	int is_new;
	u32 nr = string_of(s, row->call_site_at, WORD_NONE, &is_new);

	if (!is_new)
		return nr;
	put_number(&function, FUNCTION_ID, nr);
	put_number(&function, FUNCTION_NAME, nr);
	add_message(p, PROFILE_FUNCTION, &function);
	put_number(&line, LINE_FUNCTION, nr);
	put_number(&location, LOCATION_ID, nr);
	put_bytes(&location, LOCATION_LINE, line.bytes, line.len);
	add_message(p, PROFILE_LOCATION, &location);
	return nr;
}

static void add_label(struct message *sample, enum word key, u32 field, u64 value)
{
	struct message label = { .len = 0 };

	put_number(&label, LABEL_KEY, key);
	put_number(&label, field, value);
	put_bytes(sample, SAMPLE_LABEL, label.bytes, label.len);
}

static void add_row(struct kmem_session *s, const struct kmem_site_row *row)
{
	const struct sites *x = sites_of(s);
	struct message sample = { .len = 0 };
	int is_new;

	put_number(&sample, SAMPLE_LOCATION, location_of(s, row));
	put_number(&sample, SAMPLE_VALUE, row->allocations);
	put_number(&sample, SAMPLE_VALUE, row->bytes_allocated);
	put_number(&sample, SAMPLE_VALUE, row->live_objects);
	put_number(&sample, SAMPLE_VALUE, row->live_bytes);
	if (x->by & SITES_BY_BIT(SITES_BY_CACHE))
		add_label(&sample, WORD_CACHE, LABEL_TEXT,
			  string_of(s, row->cache_at, WORD_CACHE, &is_new));
	if (x->by & SITES_BY_BIT(SITES_BY_CPU))
		add_label(&sample, WORD_CPU, LABEL_NUMBER, row->cpu);
	if (row->node != NODE_ANY)
		add_label(&sample, WORD_NODE, LABEL_NUMBER, row->node);
	if (x->by & SITES_BY_BIT(SITES_BY_TASK))
		add_label(&sample, WORD_TASK, LABEL_TEXT,
			  string_of(s, row->task_at, WORD_TASK, &is_new));
	add_message(x->pprof, PROFILE_SAMPLE, &sample);
}

static void add_head(const struct sites *x, struct pprof *p)
{
	static const u8 types[][2] = { { WORD_ALLOC_OBJECTS, WORD_COUNT },
				       { WORD_ALLOC_SPACE, WORD_BYTES },
				       { WORD_INUSE_OBJECTS, WORD_COUNT },
				       { WORD_INUSE_SPACE, WORD_BYTES } };
	struct message rest = { .len = 0 };

	for (u32 i = 0; i < NR_WORDS; i++)
		add_string(p, words[i]);
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		struct message type = { .len = 0 };
		put_number(&type, TYPE_TYPE, types[i][0]);
		put_number(&type, TYPE_UNIT, types[i][1]);
		add_message(p, PROFILE_SAMPLE_TYPE, &type);
	}
	put_number(&rest, PROFILE_DEFAULT_TYPE, WORD_INUSE_SPACE);
	if (x->result.is_guess)
		put_number(&rest, PROFILE_COMMENT, WORD_IS_GUESS);
	add_bytes(p, rest.bytes, rest.len);
}

static u32 put_u32(u8 *at, u32 n)
{
	const u8 bytes[] = { (u8)n, (u8)(n >> 8), (u8)(n >> 16), (u8)(n >> 24) };

	memcpy(at, bytes, sizeof(bytes));
	return sizeof(bytes);
}

/* Packs the piece with what gzip has around the first and the last one; returns the length. */
static u32 pack_piece(struct pprof *p, u32 is_first, u32 is_last)
{
	static const u8 gzip[GZIP_HEAD_BYTES] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff };
	u32 len = is_first ? GZIP_HEAD_BYTES : 0;

	memcpy(p->packed, gzip, len);
	len += deflate_piece(&p->deflate, p->packed + len, p->bytes, p->nr_bytes, is_last);
	crc32_add(&p->crc, p->bytes, p->nr_bytes);
	p->all_bytes += p->nr_bytes;
	if (!is_last)
		return len;
	len += put_u32(p->packed + len, p->crc.value);
	return len + put_u32(p->packed + len, p->all_bytes);
}

s32 kmem_pprof_begin(struct kmem_session *s)
{
	struct sites *x = sites_of(s);

	if (x->state != SITES_READY || !sites_are_kept(s))
		return session_fail(s, KMEM_ESTATE, "the call sites are not complete");
	if (!(x->by & SITES_BY_BIT(SITES_BY_SITE)))
		return session_fail(s, KMEM_EPARAM, "a profile needs rows by call site");
	memset(x->slots, 0, ((u64)x->slots_mask + 1) * sizeof(*x->slots));
	memset(x->pprof, 0, sizeof(*x->pprof));
	crc32_open(&x->pprof->crc);
	x->pprof->state = PPROF_HEAD;
	return KMEM_OK;
}

const u8 *kmem_pprof_next(struct kmem_session *s, u32 *nr)
{
	struct sites *x = sites_of(s);
	struct pprof *p = x->pprof;
	u32 is_first = p && p->state == PPROF_HEAD;

	*nr = 0;
	if (x->state != SITES_READY || !sites_are_kept(s) || p->state == PPROF_NONE)
		return session_none(s, KMEM_ESTATE,
				    "no profile has started: call kmem_pprof_begin");
	p->nr_bytes = 0;
	if (p->state == PPROF_DONE)
		return p->packed;
	if (is_first)
		add_head(x, p);
	const struct kmem_site_row *rows = session_at(s, x->result.rows_at);
	while (p->row < x->result.nr_rows && p->nr_bytes <= PIECE_BYTES - MOST_ROW_BYTES)
		add_row(s, &rows[p->row++]);
	u32 is_last = p->row >= x->result.nr_rows;
	p->state = is_last ? PPROF_DONE : PPROF_ROWS;
	*nr = pack_piece(p, is_first, is_last);
	return p->packed;
}
