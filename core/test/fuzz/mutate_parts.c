/*
 * mutate_parts.c - finds the parts of a perf.data, a trace.dat, a Perfetto trace or a text.
 *
 * Of a file that is already damaged, it finds the parts before the damage.
 */
#include <string.h>

#include "test/fuzz/mutate.h"

struct walk {
	struct structure *s;
	const u8 *bytes;
	size_t at, len;
};

static u64 plain_number(const u8 *at, u32 len_bytes)
{
	u64 value = 0;

	for (u32 i = len_bytes; i--;)
		value = value << 8 | at[i];
	return value;
}

u64 number_read(const u8 *bytes, const struct number *n)
{
	u64 value = 0;

	if (!n->is_varint)
		return plain_number(bytes + n->at, n->len_bytes);
	for (u32 i = 0; i < n->len_bytes && i < MAX_VARINT_BYTES; i++)
		value |= (u64)(bytes[n->at + i] & 0x7f) << 7 * i;
	return value;
}

/* A varint never gets shorter: bits of zero may follow its last. */
u32 number_bytes(const struct number *n, u64 value, u8 *to)
{
	u32 len = 0;

	if (n->is_varint) {
		for (; len < n->len_bytes || value; value >>= 7)
			to[len++] = (u8)(value & 0x7f) | 0x80;
		to[len - 1] &= 0x7f;
		return len;
	}
	for (; len < n->len_bytes; len++)
		to[len] = (u8)(value >> 8 * len);
	return len;
}

static void add_part(struct walk *w, size_t at, u64 len)
{
	if (w->s->nr_parts < MAX_PARTS && at < w->len && len && len <= w->len - at)
		w->s->parts[w->s->nr_parts++] = (struct part){ at, (size_t)len };
}

static void add_number(struct walk *w, struct number n)
{
	if (w->s->nr_numbers < MAX_NUMBERS)
		w->s->numbers[w->s->nr_numbers++] = n;
}

/* Returns the number at `at`, 0 where the file ends before it. */
static u64 number(struct walk *w, size_t at, u32 len_bytes, u32 kind, size_t base)
{
	if (at > w->len || w->len - at < len_bytes)
		return 0;
	add_number(w, (struct number){ at, base, (u8)len_bytes, (u8)kind, 0 });
	return plain_number(w->bytes + at, len_bytes);
}

/* The same at the walk's position, which moves on. */
static u64 next_number(struct walk *w, u32 len_bytes)
{
	u64 value = number(w, w->at, len_bytes, NUMBER_PLAIN, 0);

	w->at += len_bytes;
	return value;
}

static void skip_string(struct walk *w)
{
	while (w->at < w->len && w->bytes[w->at])
		w->at++;
	w->at++;
}

/* Walks over something that follows its own size. */
static void sized(struct walk *w, u32 len_bytes)
{
	u64 len = number(w, w->at, len_bytes, NUMBER_SIZE, w->at + len_bytes);

	add_part(w, w->at, len + len_bytes);
	w->at = len < w->len ? w->at + len_bytes + (size_t)len : w->len;
}

/* Walks the formats, which come after magic, version and sizes in both kinds of files. */
static void walk_pages_formats(struct walk *w)
{
	for (u32 i = 0; i < 2; i++) {
		skip_string(w);
		sized(w, 8);
	}
}

static void walk_some_formats(struct walk *w)
{
	u64 nr = next_number(w, 4);

	for (u64 i = 0; i < nr && w->at < w->len; i++)
		sized(w, 8);
}

static void walk_systems(struct walk *w)
{
	u64 nr = next_number(w, 4);

	for (u64 i = 0; i < nr && w->at < w->len; i++) {
		skip_string(w);
		walk_some_formats(w);
	}
}

/* perf.data */

enum { PERF_SAMPLE = 9, PERF_TRACING_DATA = 66, NUMBERS_TO = 128 };

static void walk_tracing_data(struct walk *w, size_t at)
{
	w->at = at + 10;
	skip_string(w);
	w->at += 6;
	walk_pages_formats(w);
	walk_some_formats(w);
	walk_systems(w);
}

/* The tracepoint's data ends the sample, except for up to 7 bytes, and follows its own size. */
static void walk_sample(struct walk *w, size_t at, size_t len)
{
	for (size_t i = 8; i + 4 < len && at + len <= w->len; i += 4) {
		u64 raw = plain_number(w->bytes + at + i, 4), end = i + 4 + raw;
		if (raw < 8 || end > len || end + 8 <= len)
			continue;
		number(w, at + i, 4, NUMBER_SIZE, at + i + 4);
		add_part(w, at + i + 4, raw);
		return;
	}
}

static void walk_records(struct walk *w, size_t at, size_t end)
{
	while (at < end && end - at >= 8) {
		u64 type = number(w, at, 4, NUMBER_PLAIN, 0);
		u64 len = number(w, at + 6, 2, NUMBER_SIZE, at);
		u64 behind = 0;
		if (len < 8)
			return;
		if (type == PERF_TRACING_DATA) {
			behind = number(w, at + 8, 4, NUMBER_SIZE, at + (size_t)len);
			walk_tracing_data(w, at + (size_t)len);
		}
		add_part(w, at, len + behind);
		if (type == PERF_SAMPLE)
			walk_sample(w, at, (size_t)len);
		for (size_t i = 8; i < MIN(len, (u64)NUMBERS_TO); i += 8)
			number(w, at + i, 8, NUMBER_PLAIN, 0);
		if (behind >= end || len + behind > end - at)
			return;
		at += (size_t)(len + behind);
	}
}

static void walk_section(struct walk *w, size_t at, size_t *start, size_t *len)
{
	u64 from = number(w, at, 8, NUMBER_OFFSET, 0);
	u64 n = number(w, at + 8, 8, NUMBER_SIZE, (size_t)from);

	*start = from < w->len ? (size_t)from : w->len;
	*len = (size_t)MIN(n, (u64)(w->len - *start));
	add_part(w, *start, *len);
}

static void walk_perf_file(struct walk *w)
{
	size_t attrs, attrs_len, data, data_len, start, len;
	u64 attr_bytes = number(w, 16, 8, NUMBER_PLAIN, 0);

	number(w, 8, 8, NUMBER_PLAIN, 0);
	number(w, 72, 8, NUMBER_PLAIN, 0);
	walk_section(w, 24, &attrs, &attrs_len);
	walk_section(w, 40, &data, &data_len);
	for (size_t at = attrs;
	     attr_bytes >= 32 && attrs_len >= attr_bytes && at <= attrs + attrs_len - attr_bytes;
	     at += (size_t)attr_bytes) {
		add_part(w, at, attr_bytes);
		number(w, at, 4, NUMBER_PLAIN, 0);
		number(w, at + 24, 8, NUMBER_PLAIN, 0);
		walk_section(w, at + (size_t)attr_bytes - 16, &start, &len);
		for (size_t id = start; id + 8 <= start + len; id += 8)
			number(w, id, 8, NUMBER_PLAIN, 0);
	}
	walk_records(w, data, data + data_len);
	u64 bits = w->len >= 80 ? plain_number(w->bytes + 72, 8) : 0;
	for (size_t at = data + data_len; bits; bits &= bits - 1, at += 16)
		walk_section(w, at, &start, &len);
	if (w->len > 80 && w->bytes[72] & 2) {
		size_t table = data + data_len + 16 * (size_t)(w->bytes[72] & 1);
		if (table + 8 <= w->len)
			walk_tracing_data(
				w, (size_t)MIN(plain_number(w->bytes + table, 8), (u64)w->len));
	}
}

/* trace.dat */

enum { ENTRY_PADDING = 29, DAT_BUFFER = 3, PAGE_DATA_AT = 16 };

static void walk_page(struct walk *w, size_t at, size_t page_bytes)
{
	size_t entry = at + PAGE_DATA_AT;

	number(w, at, 8, NUMBER_PLAIN, 0);
	u64 end = entry + (number(w, at + 8, 8, NUMBER_PLAIN, 0) & 0xffff);
	end = MIN(end, (u64)MIN(at + page_bytes, w->len));
	add_part(w, at, page_bytes);
	while (entry < end && end - entry >= 4) {
		u32 word = (u32)number(w, entry, 4, NUMBER_PLAIN, 0), kind = word & 31;
		size_t len = kind >= ENTRY_PADDING ? 8 : 4 + (size_t)kind * 4;
		if (!kind && end - entry >= 8)
			len = 4 +
			      (size_t)(number(w, entry + 4, 4, NUMBER_SIZE, entry + 4) & 0xffff);
		add_part(w, entry, len);
		entry += ALIGN_UP(len, 4);
	}
}

static void walk_cpu(struct walk *w, size_t at, u64 page_bytes)
{
	size_t start, len;

	walk_section(w, at, &start, &len);
	for (; page_bytes >= 64 && len >= page_bytes; len -= (size_t)page_bytes) {
		walk_page(w, start, (size_t)page_bytes);
		start += (size_t)page_bytes;
	}
}

static void walk_dat_options(struct walk *w, size_t end, u64 page_bytes)
{
	while (w->at + 6 <= MIN(end, w->len)) {
		size_t at = w->at;
		u64 id = next_number(w, 2);
		if (!id && !page_bytes)
			return;
		u64 len = number(w, at + 2, 4, NUMBER_SIZE, at + 6);
		add_part(w, at, len + 6);
		number(w, at + 6, 8, NUMBER_OFFSET, 0);
		w->at = at + 14;
		if (id == DAT_BUFFER && len >= 8 && page_bytes) {
			skip_string(w);
			skip_string(w);
			next_number(w, 4);
			u64 nr = next_number(w, 4);
			for (u64 i = 0; i < nr && w->at + 20 <= w->len; i++) {
				next_number(w, 4);
				walk_cpu(w, w->at, page_bytes);
				w->at += 16;
			}
		}
		if (len > w->len)
			return;
		w->at = at + 6 + (size_t)len;
	}
}

static void walk_dat_6(struct walk *w, u64 page_bytes)
{
	walk_pages_formats(w);
	walk_some_formats(w);
	walk_systems(w);
	sized(w, 4);
	sized(w, 4);
	sized(w, 8);
	u64 nr = next_number(w, 4);
	if (w->at + 10 <= w->len && memcmp(w->bytes + w->at, "options  ", 10) == 0) {
		w->at += 10;
		walk_dat_options(w, w->len, 0);
	}
	w->at += 10;
	for (u64 i = 0; i < nr && w->at + 16 <= w->len; i++, w->at += 16)
		walk_cpu(w, w->at, page_bytes);
}

/* Sections lie one after the other; those that are packed stay closed. */
static void walk_dat_7(struct walk *w, u64 page_bytes)
{
	skip_string(w);
	skip_string(w);
	number(w, w->at, 8, NUMBER_OFFSET, 0);
	for (size_t at = w->at + 8; at + 16 <= w->len;) {
		u64 id = number(w, at, 2, NUMBER_PLAIN, 0);
		u64 is_packed = number(w, at + 2, 2, NUMBER_PLAIN, 0);
		u64 len = number(w, at + 8, 8, NUMBER_SIZE, at + 16);
		add_part(w, at, len + 16);
		w->at = at + 16;
		if (is_packed & 1) {
			number(w, at + 16, 4, NUMBER_PLAIN, 0);
			number(w, at + 20, 4, NUMBER_PLAIN, 0);
		} else if (id == 0) {
			walk_dat_options(w, at + 16 + (size_t)MIN(len, (u64)w->len), page_bytes);
		}
		if (len > w->len)
			return;
		at += 16 + (size_t)len;
	}
}

static void walk_dat(struct walk *w)
{
	w->at = 10;
	size_t version = w->at;
	skip_string(w);
	next_number(w, 2);
	u64 page_bytes = next_number(w, 4);
	if (version < w->len && w->bytes[version] == '7')
		walk_dat_7(w, page_bytes);
	else
		walk_dat_6(w, page_bytes);
}

/* Perfetto: fields of protobuf, some of which hold fields. */

enum { DEEPEST_MESSAGE = 5 };

enum wire { WIRE_VARINT, WIRE_8_BYTES, WIRE_BYTES, WIRE_4_BYTES = 5 };

/* Reads a number with seven bits in each byte; w->at moves after it. */
static struct number varint(struct walk *w, u32 kind)
{
	size_t at = w->at;

	while (w->at < w->len && w->bytes[w->at++] & 0x80)
		if (w->at - at == MAX_VARINT_BYTES)
			break;
	return (struct number){ at, w->at, (u8)(w->at - at), (u8)kind, 1 };
}

/* We do not know whether bytes contain fields: if they do not, a few extra parts do no harm. */
static void walk_fields(struct walk *w, size_t end, u32 depth)
{
	while (w->at < end) {
		struct number tag = varint(w, NUMBER_TAG), value = { w->at, 0, 0, NUMBER_PLAIN, 0 };
		u32 wire = (u32)number_read(w->bytes, &tag) & TAG_WIRE;
		if (wire == WIRE_VARINT || wire == WIRE_BYTES)
			value = varint(w, wire == WIRE_BYTES ? NUMBER_SIZE : NUMBER_PLAIN);
		else if (wire == WIRE_8_BYTES || wire == WIRE_4_BYTES)
			value.len_bytes = wire == WIRE_8_BYTES ? 8 : 4;
		else
			return;
		u64 len = wire == WIRE_BYTES ? number_read(w->bytes, &value) : 0;
		size_t inner = value.at + value.len_bytes;
		if (!value.len_bytes || inner > end || len > end - inner)
			return;
		add_number(w, tag);
		add_number(w, value);
		w->at = inner;
		if (len && depth < DEEPEST_MESSAGE)
			walk_fields(w, inner + (size_t)len, depth + 1);
		w->at = inner + (size_t)len;
		add_part(w, tag.at, w->at - tag.at);
	}
}

static void walk_lines(struct walk *w)
{
	for (size_t at = 0, end; at < w->len; at = end) {
		for (end = at; end < w->len && w->bytes[end] != '\n';)
			end++;
		end += end < w->len;
		add_part(w, at, end - at);
	}
}

void structure_find(struct structure *s, const u8 *bytes, size_t len)
{
	struct walk w = { s, bytes, 0, len };

	s->nr_parts = s->nr_numbers = 0;
	if (len >= 16 && memcmp(bytes, "PERFILE2", 8) == 0 && bytes[8] == 16)
		walk_records(&w, 16, len);
	else if (len >= 16 && memcmp(bytes, "PERFILE2", 8) == 0)
		walk_perf_file(&w);
	else if (len >= 16 && memcmp(bytes, "\x17\x08\x44tracing", 10) == 0)
		walk_dat(&w);
	else if (len && bytes[0] == 0x0a)
		walk_fields(&w, len, 0);
	else
		walk_lines(&w);
}
