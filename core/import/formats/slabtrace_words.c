/*
 * slabtrace_words.c - reads the words of a line of slabtrace: IDs, caches and numbers, then key=value. It also counts the events.
 *
 * Each line reports at most one problem, with the column of the wrong word.
 */
#include "import/formats/slabtrace_words.h"
#include "sim/cache.h"
#include "util/text.h"

enum { MAX_NUMBER_DIGITS = 19, MAX_DECODED_BYTES = 1024, MAX_GROUP_OBJECTS = 1 << 20 };

#define WORD_KEY ((u64)1 << 63) /* set in the key of an ID that is a word; the rest is its text */

/* A decimal number, and what to say of any other word. */
struct number_form {
	u64 least, most;
	const char *expected; /* NULL: no number */
};

static const struct number_form slots = {
	0, NR_PREFILLED_SLOTS - 1,
	"expected the number of a prefilled sheaf, 0 to 15, and if another CPU "
	"prefilled it, @ and that CPU: 3@1"
};

static const struct number_form positions[NR_POSITIONS] = {
	[POSITION_BYTES] = { 0, MAX_OBJECT_BYTES, "expected a number of bytes, at most 64 MiB" },
	[POSITION_SECONDS] = { 0, 1 << 30, "expected a number of seconds, at most 2^30" },
	[POSITION_OBJECTS] = { 1, MAX_BULK_OBJECTS, "expected a number of objects, 1 to 512" },
};

static const struct number_form numbers[NR_KEYS] = {
	[KEY_CPU] = { 0, MAX_CPUS - 1, "expected cpu=<0 to 4095>" },
	[KEY_NODE] = { 0, MAX_NODES - 1, "expected node=<0 to 1023>" },
	[KEY_T] = { 0, ~(u64)0, "expected t=<nanoseconds>" },
	[KEY_REQ] = { 0, MAX_CACHE_OBJECT_BYTES,
		      "expected req=<number of bytes, at most the size of the cache>" },
	[KEY_BULK] = { 1, MAX_GROUP_OBJECTS, "expected bulk=<number of objects, 1 to 1048576>" },
	[KEY_LEN] = { 1, 1 << 20, "expected len=<number of bytes, 1 to 1048576>" },
	[KEY_SIZE] = { 0, MAX_CACHE_OBJECT_BYTES, "expected size=<number of bytes, 1 to 4194304>" },
	[KEY_SLOT] = { 0, MAX_CACHE_OBJECT_BYTES,
		       "expected slot=<number of bytes, at most 4194304>" },
	[KEY_ALIGN] = { 0, 65536, "expected align=<power of two, at most 65536>" },
};

int words_complain(struct words *w, const u8 *at, const char *reason)
{
	if (!w->bad)
		import_problem(w->im, at, reason);
	w->bad = 1;
	return 0;
}

struct span words_next(struct words *w)
{
	const u8 *p = skip_blanks(w->next, w->end), *start = p;

	if (p < w->end && *p == '#')
		p = start = w->next = w->end;
	w->next = scan_word(p, w->end);
	return span_of(start, w->next);
}

int words_is(const struct span *word, const char *text)
{
	return span_is(word->at, word->at + word->len, text);
}

int words_has(const struct words *w, enum slabtrace_key key)
{
	return (w->given >> key & 1) != 0;
}

static int read_number(struct words *w, const struct span *word, const struct number_form *form,
		       u64 *number)
{
	return (scan_decimal(word->at, word->at + word->len, form->most, number) &&
		*number >= form->least) ||
	       words_complain(w, word->at, form->expected);
}

/* Caches */

static u32 find_cache(struct words *w, const struct span *id)
{
	const struct trace *t = w->im->trace;
	u32 text = intern_span(w->im, id), named = CACHE_NONE;

	for (u32 i = 0; id->len && i < t->nr_caches; i++) {
		if (t->caches[i].id == text)
			return i;
		if (t->caches[i].name == text && named == CACHE_NONE)
			named = i;
	}
	return named;
}

/* Returns 1 if the word is the name of a kmalloc cache. */
static int find_class(const struct span *id, struct recipe *recipe)
{
	char name[MAX_NAME_BYTES];

	for (u32 type = 0; type < NR_KMALLOC_TYPES; type++) {
		for (u32 class = 0; class < NR_KMALLOC_CLASSES; class ++) {
			kmalloc_spec(LAYOUT_LINUX_6_1, type, class, name);
			if (!words_is(id, name))
				continue;
			recipe->cache = SITE_CACHE_KMALLOC;
			recipe->bytes_req = kmalloc_class_size(class);
			recipe->kmalloc_type = (u8)type;
			return 1;
		}
	}
	return 0;
}

u32 words_cache(struct words *w, const struct span *id)
{
	u32 cache = find_cache(w, id);

	if (cache == CACHE_NONE)
		words_complain(w, id->at,
			       id->len ? "expected the ID of a `cache` line above"
				       : "expected the ID of a cache");
	return cache;
}

static int read_any_cache(struct words *w, const struct span *id)
{
	u32 cache = find_cache(w, id);

	w->recipe.cache = (u16)cache;
	return cache != CACHE_NONE || (id->len && find_class(id, &w->recipe)) ||
	       words_complain(w, id->at,
			      id->len ? "expected a cache from a `cache` line above, or a kmalloc "
					"cache such as kmalloc-192"
				      : "expected the ID of a cache");
}

/* IDs */

/* Returns an ID as a key: its value if it is a plain decimal number, else its text. */
static u64 key_of(struct words *w, const struct span *id)
{
	u64 number = 0;
	u32 i = 0;

	while (i < id->len && i < MAX_NUMBER_DIGITS - 1 && is_digit(id->at[i]))
		number = number * 10 + (id->at[i++] - (u64)'0');
	if (i == id->len && (id->len == 1 || id->at[0] != '0'))
		return number;
	return WORD_KEY | intern_span(w->im, id);
}

int words_begins_list(const struct words *w)
{
	const u8 *p = skip_blanks(w->next, w->end), *end = scan_word(p, w->end);

	return p < end && *p != '#' && scan_byte(p, end, ',') < end;
}

static int read_id(struct words *w, const struct span *id)
{
	if (!id->len)
		return words_complain(w, id->at, "expected the ID of an object");
	if (scan_byte(id->at, id->at + id->len, ',') < id->at + id->len)
		return words_complain(w, id->at, "expected one ID: this line takes no list");
	w->id = key_of(w, id);
	return 1;
}

static int is_listed(const struct id_list *ids, u64 key)
{
	u32 i = 0;

	while (i < ids->nr && ids->key[i] != key)
		i++;
	return i < ids->nr;
}

static int read_ids(struct words *w, const struct span *list)
{
	struct id_list *ids = w->ids;
	const u8 *p = list->at, *end = list->at + list->len;

	for (ids->nr = 0; p < end;) {
		const u8 *comma = scan_byte(p, end, ',');
		struct span id = span_of(p, comma);
		if (!id.len)
			return words_complain(w, p, "expected the ID of an object");
		if (ids->nr == MAX_BULK_OBJECTS)
			return words_complain(w, p, "expected at most 512 IDs in a list");
		u64 key = key_of(w, &id);
		if (is_listed(ids, key))
			return words_complain(w, p, "this ID is in the list twice");
		ids->at[ids->nr] = p;
		ids->key[ids->nr++] = key;
		p = comma + (comma < end);
	}
	return 1;
}

static int read_fault(struct words *w, const struct span *word)
{
	while (w->fault < NR_SLABTRACE_FAULTS && !words_is(word, slabtrace_faults[w->fault].name))
		w->fault++;
	return w->fault < NR_SLABTRACE_FAULTS ||
	       words_complain(w, word->at, "expected write, double-free, wild-free or freelist");
}

/* Reads SLOT or SLOT@CPU. */
static int read_slot(struct words *w, const struct span *word)
{
	const u8 *end = word->at + word->len, *at = scan_byte(word->at, end, '@');
	const struct span slot = span_of(word->at, at), cpu = span_of(at + (at < end), end);
	u64 number, of = 0;

	if (!read_number(w, &slot, &slots, &number) ||
	    (at < end &&
	     !read_number(w, &cpu,
			  &(struct number_form){ 0, MAX_CPUS - 1, "expected a CPU, 0 to 4095" },
			  &of)))
		return 0;
	w->slot = (u32)number;
	w->sheaf_cpu = at < end ? (u32)of + 1 : 0;
	return 1;
}

int words_read_position(struct words *w, u32 position)
{
	struct span word = words_next(w);
	u64 number;

	switch (position) {
	case POSITION_ID:
		return read_id(w, &word);
	case POSITION_IDS:
		return read_ids(w, &word);
	case POSITION_CACHE:
		w->recipe.cache = (u16)words_cache(w, &word);
		return !w->bad;
	case POSITION_ANY_CACHE:
		return read_any_cache(w, &word);
	case POSITION_FAULT:
		return read_fault(w, &word);
	case POSITION_WISH:
		w->wish = word;
		return 1;
	case POSITION_SLOT:
		return read_slot(w, &word);
	}
	if (!read_number(w, &word, &positions[position], &number))
		return 0;
	w->recipe.bytes_req = (u32)number;
	return 1;
}

/* Keys */

static int read_flags(struct words *w, const u8 *p, const u8 *end)
{
	for (const u8 *comma; p < end; p = comma + 1) {
		u32 i = 0;
		comma = scan_byte(p, end, ',');
		while (i < NR_SLABTRACE_FLAGS && !span_is(p, comma, slabtrace_flags[i].name))
			i++;
		if (i == NR_SLABTRACE_FLAGS)
			return words_complain(
				w, p,
				"expected one of the flags hwcache_align, reclaim, ctor, typesafe_by_rcu, "
				"red_zone, poison, store_user, sanity_checks, nomerge, account, dma, "
				"dma32, lowmem");
		w->number[KEY_FLAGS] |= slabtrace_flags[i].bits;
	}
	return 1;
}

/* Reads a word from a list, as its index there. */
static int read_word(struct words *w, u32 key, const char *const *texts, u32 nr)
{
	const u8 *at = w->value[key].at;

	w->number[key] = span_among(at, at + w->value[key].len, texts, nr);
	return w->number[key] < nr;
}

static int read_offset(const u8 *p, const u8 *end, u64 *number)
{
	int minus = p < end && *p == '-';

	if (!scan_decimal(p + minus, end, MAX_CACHE_OBJECT_BYTES, number))
		return 0;
	*number = minus ? 0 - *number : *number;
	return 1;
}

static int read_value(struct words *w, u32 key)
{
	const struct span *word = &w->value[key];
	const u8 *p = word->at, *end = p + word->len;
	u64 *number = &w->number[key];

	switch (key) {
	case KEY_NODE:
		*number = NODE_ANY;
		return span_is(p, end, "-1") || read_number(w, word, &numbers[key], number);
	case KEY_WHY:
		return read_word(w, key, slabtrace_reasons, NR_SLABTRACE_REASONS) || p == end ||
		       span_is(p, end, "unseen") ||
		       words_complain(
			       w, p,
			       "expected why=<null, orphan, zero-size, failed, kept or unseen>");
	case KEY_TYPE:
		return read_word(w, key, slabtrace_types, NR_SLABTRACE_TYPES) ||
		       words_complain(w, p,
				      "expected type=<normal, reclaimable, accounted or dma>");
	case KEY_FLAGS:
		return read_flags(w, p, end);
	case KEY_AT:
		return read_offset(p, end, number) ||
		       words_complain(w, p + (p < end && *p == '-'),
				      "expected at=<bytes from the start of the object>");
	case KEY_VALUE:
		return (((span_begins(p, end, "0x") && scan_hex(p + 2, end, number)) ||
			 scan_decimal(p, end, 255, number)) &&
			*number <= 255) ||
		       words_complain(w, p, "expected value=<byte, 0 to 255 or 0x00 to 0xff>");
	case KEY_SHEAF:
		return read_slot(w, word);
	case KEY_PTR:
		return (span_begins(p, end, "0x") && scan_hex(p + 2, end, number)) ||
		       words_complain(w, p, "expected ptr=<0x and 1 to 16 hex digits>");
	}
	return !numbers[key].expected || read_number(w, word, &numbers[key], number);
}

/* Cuts the rest of the line into keys and values. Only the keys in the bit mask are allowed. */
static int cut_keys(struct words *w, u32 allowed)
{
	for (struct span word = words_next(w); word.len; word = words_next(w)) {
		const u8 *end = word.at + word.len;
		u32 k = 0;
		while (k < NR_KEYS && !span_begins(word.at, end, slabtrace_keys[k]))
			k++;
		if (k == NR_KEYS)
			return words_complain(w, word.at, "expected a known key=value");
		if (!(allowed >> k & 1))
			return words_complain(w, word.at,
					      "this key has no meaning on this kind of line");
		if (words_has(w, k))
			return words_complain(w, word.at, "this key is given twice");
		w->value[k] = span_of(scan_byte(word.at, end, '=') + 1, end);
		w->given |= 1u << k;
	}
	return 1;
}

int words_read_keys(struct words *w, u32 allowed, int needs_cpu)
{
	if (!cut_keys(w, allowed))
		return 0;
	if (needs_cpu && !words_has(w, KEY_CPU))
		return words_complain(w, w->end, numbers[KEY_CPU].expected);
	for (u32 left = w->given; left; left &= left - 1)
		if (!read_value(w, (u32)__builtin_ctz(left)))
			return 0;
	return 1;
}

u32 words_text(struct words *w, enum slabtrace_key key)
{
	const struct span *word = &w->value[key];
	const u8 *p = word->at, *end = p + word->len;
	u8 decoded[MAX_DECODED_BYTES + 8] = { 0 };
	u32 n = 0;

	if (!word->len || scan_byte(p, end, '%') == end || word->len > MAX_DECODED_BYTES)
		return intern_span(w->im, word);
	while (p < end) {
		u32 high = end - p > 2 ? hex_digit(p[1]) : 16,
		    low = end - p > 2 ? hex_digit(p[2]) : 16;
		if (*p == '%' && high < 16 && low < 16 && (high | low)) {
			decoded[n++] = (u8)(high << 4 | low);
			p += 3;
		} else {
			decoded[n++] = *p++;
		}
	}
	struct span span = span_of(decoded, decoded + n);
	return intern_span(w->im, &span);
}

/*
 * Counts events against the number that slabscope writes into a slabtrace, to
 * notice a cut.
 *
 *	slabtrace 1
 *	machine cpus=2
 *	#events 3
 *	…
 *	#end 3
 *
 * `#exit` before the last line says that the trace is a program's from its start to its end.
 *
 * Other readers treat these lines as comments. A file without them counts as complete. `#events`
 * states the expected number, so missing events are noticed. `#end` proves that the last line is
 * whole. `#end 3 cut` ends the copy of a trace that was itself cut off.
 */

enum { MAX_REASON_BYTES = 240 };

/* The number of `#events` is itself cut off. */
#define UNKNOWN (~(u64)0)

static void complain_counts(struct import *im, const char *format, u64 here, u64 promised)
{
	char reason[MAX_REASON_BYTES];
	struct text out = text_in(reason, sizeof(reason));

	text_print(&out, format, here, promised);
	import_problem(im, im->line, reason);
}

/* Reads "#end 12" and nothing else: 1, and the number. */
static int read_count(const u8 *line, const u8 *end, const char *word, u64 *number)
{
	return span_begins(line, end, word) &&
	       scan_decimal(line + text_length(word), end, (u64)1 << 33, number);
}

void words_comment(struct import *im, const u8 *line, const u8 *end)
{
	struct slabtrace_count *count = &im->count;
	const u8 *behind = end - line > 4 && span_begins(end - 4, end, " cut") ? end - 4 : end;
	u64 number;

	im->trace->report.ended |= span_is(line, end, "#exit");
	if (span_begins(line, end, "#sampled "))
		sampled_note(im, scan_number(line + 9, end));
	if (span_begins(line, end, "#lost "))
		im->trace->report.lost += scan_number(line + 6, end);
	if (read_count(line, end, "#events ", &number)) {
		count->promised = im->unterminated ? UNKNOWN : number;
		count->has_promise = 1;
		return;
	}
	/* A last line cut off inside its number is not an end. The finish reports that. */
	if (!read_count(line, behind, "#end ", &number) ||
	    (im->unterminated && number != count->events))
		return;
	count->has_end = 1;
	im->trace->report.truncated |= behind < end;
	if (number != count->events)
		complain_counts(
			im,
			"%ju events come before this line, which says %ju: lines were lost "
			"or the file was edited; correct or delete the lines #events and #end",
			count->events, number);
}

void words_count_event(struct words *w, u32 nr)
{
	struct slabtrace_count *count = &w->im->count;

	/* A bad line counts as one event, unless it is a last line that was cut off. */
	count->events += w->im->unterminated && w->bad ? 0 : MAX(nr, 1u);
	w->im->trace->report.ended = 0;
	if (!count->has_end)
		return;
	count->has_end = count->has_promise = 0;
	words_complain(w, w->im->line,
		       "an event after the line #end: the file was edited or files were joined; "
		       "delete the lines #events and #end");
}

void words_finish(struct import *im)
{
	struct slabtrace_count *count = &im->count;

	if (!count->has_promise || count->has_end)
		return;
	im->trace->report.truncated |= count->events <= count->promised;
	/* The buffer no longer has the last line. */
	im->line = (const u8 *)"\n";
	im->line_nr = im->trace->report.lines;
	if (count->promised == UNKNOWN)
		import_problem(im, im->line, "cut off inside the line #events");
	else if (count->events > count->promised)
		complain_counts(im,
				"%ju events, where the line #events says %ju, and the line #end is "
				"missing: the file was edited; correct or delete the line #events",
				count->events, count->promised);
	else if (count->events < count->promised)
		complain_counts(im, "cut off: %ju of %ju events", count->events, count->promised);
	else
		complain_counts(im,
				"cut off: %ju of %ju events; the line #end is missing, so the last "
				"of them may be cut",
				count->events, count->promised);
}
