/*
 * binary.c - what the readers of binary formats share: positions in a file, extents of it, names of tasks and of gfp flags.
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
	if (!binary_window(im, extent, at, len, usual, part))
		return 0;
	*part = reader_part(part, len);
	return 1;
}

int binary_window(struct import *im, struct extent *extent, u64 at, u64 len, u64 usual,
		  struct reader *there)
{
	u64 used = MIN(at - extent->at, extent->len_bytes), left = extent->len_bytes - used;

	if (left < len || at - extent->at > extent->len_bytes) {
		if (used)
			memmove(extent->run.at, extent->bytes + used, left);
		extent->len_bytes = left;
		extent->at = at;
		if (!source_fill(im, extent, at, MAX(len, usual)))
			return 0;
		used = 0;
	}
	*there = (struct reader){ extent->bytes + used, extent->bytes + extent->len_bytes, 0 };
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
	const u8 *extent = im->place_bytes;

	if (extent && at >= extent && at <= extent + im->place_len)
		text_add_number(out, " at byte ", im->place_at + (u64)(at - extent));
	else
		text_add_number(out, " in the data packed at byte ", im->unpacked_from);
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
	text_print(&out, "This %s is damaged", im->format->name);
	add_place(im, &out, at);
	text_print(&out, ": %s", what);
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
	text_print(&out, "the file is cut off%s: it ends", what);
	binary_place(im, &end);
	binary_problem(im, nothing, reason);
}

/* Fills the extents that the readers of binary formats request. */

int source_waits(const struct import *im)
{
	return im->source.filling != NULL;
}

/* Gives the extent a run of at least this size; 0 without memory. */
static int extent_room(struct import *im, struct extent *extent, u64 len_bytes)
{
	struct pool *pool = im->trace->pool;
	u64 need = ALIGN_UP(len_bytes + SCAN_SLACK, (u64)POOL_UNIT_BYTES);

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

/* Returns how many bytes of [at, at + len) exist in the file. */
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

/* Keeps the whole file in one run of the pool. The run usually grows in place, because nothing follows it. */
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
	u64 at, len;

	if (s->keeps) {
		/* From here on the file is read as if the host could read any range of it. */
		s->keeps = 0;
		s->by_range = 1;
		s->file_bytes = im->file_bytes;
		im->format->step(im);
		while (im->status == KMEM_OK && (len = source_range(im, &at)))
			source_take(im, (const u8 *)im->file.at + at, (u32)MIN(len, (u64)1 << 30));
	}
	if (!s->by_range)
		s->file_bytes = s->next_at;
	s->ended = 1;
	s->filling = NULL;
	if (im->status == KMEM_OK)
		im->format->step(im);
}

/*
 * Names of the tasks in a binary trace, which has only a pid with each event.
 *
 *	perf.data	records COMM and FORK, each with its time
 *	trace.dat	one list, "pid comm" a line
 *
 * A task may change its name (execve), so each name is stored with the time from which it is valid.
 */

enum {
	MAX_COMMS = 1 << 20,
	MOST_LOOKED_AT =
		64, /* names of one pid that are compared: pids are reused, names change rarely */
};

static struct comm *row_at(const struct tracepoints *t, u32 row)
{
	return (struct comm *)t->comms.rows.at + row;
}

static void add_row(struct tracepoints *t, u32 pid, u64 time, u32 name)
{
	struct comms *c = &t->comms;

	if (t->im->status != KMEM_OK || c->nr == MAX_COMMS ||
	    !import_grow(t->im, &c->rows, (c->nr + 1) * (u64)sizeof(struct comm)) ||
	    !import_reserve(t->im, &c->by_pid))
		return;
	struct hash_slot *slot = hash_find(&c->by_pid, pid);
	*row_at(t, c->nr++) =
		(struct comm){ .time = time, .pid = pid, .name = name, .older = slot->taken };
	if (slot->taken)
		slot->taken = c->nr;
	else
		hash_put(&c->by_pid, slot, (struct hash_slot){ pid, 0, c->nr });
}

void comms_add(struct tracepoints *t, u32 pid, u64 time, const u8 *comm, const u8 *end)
{
	u64 len = MIN((u64)(end - comm), (u64)MAX_COMM_BYTES);

	if (!(t->im->keep & KMEM_KEEP_TASKS))
		return;
	for (u64 i = 0; i < len; i++)
		if (!comm[i])
			return;
	add_row(t, pid, time, intern_bytes(t->im, comm, len));
}

/* Returns the name that is valid at that time; the earliest one if all are later. NULL if there is none. */
static struct comm *name_at(struct tracepoints *t, u32 pid, u64 time)
{
	const struct comms *c = &t->comms;
	struct comm *best = NULL;
	u32 row = c->nr ? hash_find(&c->by_pid, pid)->taken : 0;

	for (u32 i = 0; row && i < MOST_LOOKED_AT; i++) {
		struct comm *comm = row_at(t, row - 1);
		int counts = comm->time <= time, best_counts = best && best->time <= time;
		if (!best || (counts && (!best_counts || comm->time > best->time)) ||
		    (!counts && !best_counts && comm->time < best->time))
			best = comm;
		row = comm->older;
	}
	return best;
}

void comms_fork(struct tracepoints *t, u32 pid, u32 parent, u64 time)
{
	if (!(t->im->keep & KMEM_KEEP_TASKS) || pid == parent)
		return;
	const struct comm *of = name_at(t, parent, time);
	if (of)
		add_row(t, pid, time, of->name);
}

void comms_list(struct tracepoints *t, const u8 *p, const u8 *end)
{
	while (p < end && t->im->status == KMEM_OK) {
		const u8 *newline = scan_byte(p, end, '\n'), *at = skip_blanks(p, newline);
		const u8 *behind = scan_digits(at, newline);
		u64 pid;
		if (scan_decimal(at, behind, 0xffffffffu, &pid) && behind < newline)
			comms_add(t, (u32)pid, 0, behind + 1, newline);
		p = newline + 1;
	}
}

/* Returns the text that the recorder prints for a task without a name. */
static u32 nameless(struct tracepoints *t, u32 pid)
{
	static const u8 unknown[16] = "<...>";
	const char *idle = t->comms.idle ? t->comms.idle : "<idle>";
	u8 copy[24] = { 0 };
	u32 len = MIN(text_length(idle), 15u);

	if (pid)
		return task_text(t->im, unknown, unknown + 5, pid);
	memcpy(copy, idle, len);
	return task_text(t->im, copy, copy + len, 0);
}

u32 comms_task(struct tracepoints *t, u32 pid, u64 time)
{
	struct comm *comm = name_at(t, pid, time);

	if (!comm)
		return nameless(t, pid);
	if (!comm->task) {
		const u8 *name = (const u8 *)trace_text(t->im->trace, comm->name);
		u8 copy[MAX_COMM_BYTES + 8] = { 0 };
		u32 len = MIN(text_length((const char *)name), (u32)MAX_COMM_BYTES);
		/* Texts may move while a new one is stored. */
		memcpy(copy, name, len);
		comm->task = task_text(t->im, copy, copy + len, pid);
	}
	return comm->task;
}

void comms_drop(struct tracepoints *t)
{
	struct pool *pool = t->im->trace->pool;

	buffer_free(pool, &t->comms.rows);
	hash_free(pool, &t->comms.by_pid);
	t->comms.nr = 0;
}

static struct number_text *number_slot(struct number_text *slots, u32 shift, u64 number)
{
	return &slots[number * HASH_MULTIPLIER >> (64 - shift)];
}

/*
 * Prints gfp flags as names, as the kernel of this trace would.
 *
 *	print fmt: … __print_flags(REC->gfp_flags, "|", {(unsigned long)((( gfp_t)0x40u) | …), "GFP_KERNEL"}, …
 *
 * The expressions are constant: numbers, casts, brackets and the operators ~ << & |. The reader stops at any other
 * expression: it uses the names before it and prints the remaining bits as a number.
 */

enum { MAX_BRACKETS = 64, MAX_NAME = 40 };

struct expression {
	const u8 *p, *end;
	u32 brackets;
	u32 bad;
};

static int is_word(u8 c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static int next_is(struct expression *e, u8 c)
{
	e->p = skip_blanks(e->p, e->end);
	return e->p < e->end && *e->p == c;
}

/* Takes this byte, after blanks; 0 if a different one is next. */
static int take(struct expression *e, u8 c)
{
	int is_next = next_is(e, c);

	e->p += is_next;
	return is_next;
}

static u64 number(struct expression *e)
{
	u64 value = 0, digit;
	u32 base = 10;

	if (e->p == e->end || !is_digit(*e->p)) {
		e->bad = 1;
		return 0;
	}
	if (e->end - e->p > 2 && e->p[0] == '0' && (e->p[1] | 0x20) == 'x') {
		base = 16;
		e->p += 2;
	}
	for (; e->p < e->end && (digit = hex_digit(*e->p)) < base; e->p++)
		value = value * base + digit;
	while (e->p < e->end && ((*e->p | 0x20) == 'u' || (*e->p | 0x20) == 'l'))
		e->p++;
	return value;
}

/* Returns the end of "(unsigned long)" at p, or NULL. */
static const u8 *cast_end(const u8 *p, const u8 *end)
{
	p = skip_blanks(p + 1, end);
	if (p == end || !is_word(*p) || is_digit(*p))
		return NULL;
	while (p < end && (is_word(*p) || is_blank(*p)))
		p++;
	return p < end && *p == ')' ? p + 1 : NULL;
}

static u64 any_of(struct expression *e);

static u64 unary(struct expression *e)
{
	u32 inverted = 0;
	u64 value;

	for (;;) {
		if (take(e, '~')) {
			inverted ^= 1;
			continue;
		}
		const u8 *behind = next_is(e, '(') ? cast_end(e->p, e->end) : NULL;
		if (!behind)
			break;
		e->p = behind;
	}
	if (take(e, '(')) {
		e->bad |= ++e->brackets > MAX_BRACKETS;
		value = e->bad ? 0 : any_of(e);
		e->bad |= !take(e, ')');
		e->brackets--;
	} else {
		value = number(e);
	}
	return inverted ? ~value : value;
}

static u64 shifted(struct expression *e)
{
	u64 value = unary(e);

	while (!e->bad && next_is(e, '<') && e->end - e->p > 1 && e->p[1] == '<') {
		e->p += 2;
		u64 by = unary(e);
		value = by < 64 ? value << by : 0;
	}
	return value;
}

static u64 all_of(struct expression *e)
{
	u64 value = shifted(e);

	while (!e->bad && take(e, '&'))
		value &= shifted(e);
	return value;
}

static u64 any_of(struct expression *e)
{
	u64 value = all_of(e);

	while (!e->bad && take(e, '|'))
		value |= all_of(e);
	return value;
}

/* Reads `{ expression , "NAME" }` at e->p: 1 and the name. */
static int read_name(struct expression *e, struct gfp_name *name)
{
	if (!take(e, '{'))
		return 0;
	name->bits = any_of(e);
	if (e->bad || !take(e, ',') || !take(e, '"'))
		return 0;
	name->at = e->p;
	while (e->p < e->end && is_word(*e->p))
		e->p++;
	name->len = (u32)(e->p - name->at);
	return name->len <= MAX_NAME && take(e, '"') && take(e, '}');
}

void gfp_names_read(struct tracepoints *t, const u8 *p, const u8 *end)
{
	static const char start[] = "__print_flags(REC->gfp_flags, \"|\",";
	struct gfp_name name;

	p = span_find(p, end, start);
	if (!p)
		return;
	struct expression e = { .p = p + sizeof(start) - 1, .end = end };
	while (t->nr_gfp_names < MAX_GFP_NAMES && read_name(&e, &name)) {
		/* Skip names without bits, which would match every value: debugging flags that are off. */
		if (name.bits)
			t->gfp_names[t->nr_gfp_names++] = name;
		if (!take(&e, ','))
			break;
	}
}

u32 gfp_text(struct tracepoints *t, u64 value)
{
	struct number_text *slot = number_slot(t->gfp_texts, GFP_TEXTS_SHIFT, value);
	char room[MAX_GFP_TEXT];
	struct text out = text_in(room, sizeof(room));
	u64 left = value;

	if (slot->text && slot->number == value)
		return slot->text;
	for (u32 i = 0; i < t->nr_gfp_names && left; i++) {
		const struct gfp_name *name = &t->gfp_names[i];
		if ((left & name->bits) != name->bits)
			continue;
		left &= ~name->bits;
		text_add(&out, out.len ? "|" : "");
		text_add_n(&out, (const char *)name->at, name->len);
	}
	if (left) {
		text_add(&out, out.len ? "|" : "");
		text_add_hex(&out, left, 1);
	}
	*slot = (struct number_text){ value, intern_text(t->im, value ? room : "none") };
	return slot->text;
}

u32 hex_text(struct import *im, struct number_text *slots, u32 shift, u64 number)
{
	struct number_text *slot = number_slot(slots, shift, number);
	char hex[24];

	if (!slot->text || slot->number != number) {
		struct text out = text_in(hex, sizeof(hex));
		text_add_hex(&out, number, 1);
		*slot = (struct number_text){ number, intern_text(im, hex) };
	}
	return slot->text;
}
