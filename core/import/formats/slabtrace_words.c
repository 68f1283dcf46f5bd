/*
 * slabtrace_words.c - splits a line of slabtrace into words, and reads numbers, CPUs, times, IDs
 * and caches.
 *
 * Each line reports at most one problem, with the column of the wrong word.
 */
#include "import/formats/slabtrace.h"
#include "sim/cache.h"
#include "util/text.h"

enum { MAX_NUMBER_DIGITS = 19, MAX_DECODED_BYTES = 1024 };

#define WORD_KEY ((u64)1 << 63) /* set in the key of an ID that is a word; the rest is its text */

static const char *const key_names[NR_KEYS] = {
	"cpu=", "node=",  "t=",	    "req=",  "site=",  "gfp=",	 "kind=",  "type=",
	"why=", "size=",  "slot=",  "name=", "align=", "flags=", "cache=", "at=",
	"len=", "value=", "sheaf=", "task=", "ptr=",   "bulk="
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

int words_read_keys(struct words *w, u32 allowed)
{
	for (struct span word = words_next(w); word.len; word = words_next(w)) {
		u32 k = 0;
		while (k < NR_KEYS && !span_begins(word.at, word.at + word.len, key_names[k]))
			k++;
		if (k == NR_KEYS)
			return words_complain(w, word.at, "expected a known key=value");
		if (!(allowed >> k & 1))
			return words_complain(w, word.at,
					      "this key has no meaning on this kind of line");
		if (w->given[k])
			return words_complain(w, word.at, "this key is given twice");
		const u8 *value = scan_byte(word.at, word.at + word.len, '=') + 1;
		w->value[k] = span_of(value, word.at + word.len);
		w->given[k] = 1;
	}
	return 1;
}

int words_is(const struct span *word, const char *text)
{
	return span_is(word->at, word->at + word->len, text);
}

u32 words_among(const struct span *word, const char *const *texts, u32 nr)
{
	return span_among(word->at, word->at + word->len, texts, nr);
}

int words_read_number(struct words *w, const struct span *word, u64 max, u64 *number,
		      const char *reason)
{
	return scan_decimal(word->at, word->at + word->len, max, number) ||
	       words_complain(w, word->at, reason);
}

int words_read_cpu(struct words *w, u16 *cpu, int required)
{
	u64 number = 0;

	if (!w->given[KEY_CPU])
		return !required || words_complain(w, w->end, "expected cpu=<0 to 4095>");
	if (!words_read_number(w, &w->value[KEY_CPU], MAX_CPUS - 1, &number,
			       "expected cpu=<0 to 4095>"))
		return 0;
	*cpu = (u16)number;
	w->im->max_cpu_plus_1 = MAX(w->im->max_cpu_plus_1, (u32)number + 1);
	return 1;
}

int words_read_time(struct words *w, u64 *time)
{
	*time = w->im->last_time;
	if (!w->given[KEY_T])
		return 1;
	w->im->has_times = 1;
	return words_read_number(w, &w->value[KEY_T], ~(u64)0, time, "expected t=<nanoseconds>");
}

/* The declared cache with that ID, or else with that name; CACHE_NONE if there is none. */
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

/* 1 if the word is the name of a kmalloc cache. */
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

int words_read_any_cache(struct words *w, const struct span *id, struct recipe *recipe)
{
	u32 cache = find_cache(w, id);

	recipe->cache = (u16)cache;
	if (cache != CACHE_NONE || (id->len && find_class(id, recipe)))
		return 1;
	return words_complain(w, id->at,
			      id->len ? "expected a cache of a `cache` line above, or a kmalloc "
					"cache such as kmalloc-192"
				      : "expected the ID of a cache");
}

u32 words_read_cache(struct words *w, const struct span *id)
{
	u32 cache = find_cache(w, id);

	if (cache != CACHE_NONE)
		return cache;
	words_complain(w, id->at,
		       id->len ? "expected the ID of a `cache` line above"
			       : "expected the ID of a cache");
	return CACHE_NONE;
}

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

int words_read_id(struct words *w, u64 *key)
{
	struct span id = words_next(w);

	if (!id.len)
		return words_complain(w, id.at, "expected the ID of an object");
	if (scan_byte(id.at, id.at + id.len, ',') < id.at + id.len)
		return words_complain(w, id.at, "expected one ID: this line takes no list");
	*key = key_of(w, &id);
	return 1;
}

int words_begins_list(const struct words *w)
{
	const u8 *p = skip_blanks(w->next, w->end), *end = scan_word(p, w->end);

	return p < end && *p != '#' && scan_byte(p, end, ',') < end;
}

static int is_listed(const struct id_list *ids, u64 key)
{
	u32 i = 0;

	while (i < ids->nr && ids->key[i] != key)
		i++;
	return i < ids->nr;
}

int words_read_ids(struct words *w, struct id_list *ids)
{
	struct span list = words_next(w);
	const u8 *p = list.at, *end = list.at + list.len;

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

int words_read_slot(struct words *w, const struct span *word, u32 *slot)
{
	u64 number;

	if (!words_read_number(w, word, NR_PREFILLED_SLOTS - 1, &number,
			       "expected the number of a prefilled sheaf, 0 to 15"))
		return 0;
	*slot = (u32)number;
	return 1;
}

int words_read_byte(struct words *w, enum slabtrace_key key, u8 *byte)
{
	const struct span *word = &w->value[key];
	const u8 *end = word->at + word->len;
	u64 number;

	int is_hex = span_begins(word->at, end, "0x") && scan_hex(word->at + 2, end, &number);
	if ((!is_hex && !scan_decimal(word->at, end, 255, &number)) || number > 255)
		return words_complain(w, word->at,
				      "expected value=<byte, 0 to 255 or 0x00 to 0xff>");
	*byte = (u8)number;
	return 1;
}

int words_read_pointer(struct words *w, u64 *ptr)
{
	const struct span *word = &w->value[KEY_PTR];
	const u8 *end = word->at + word->len;

	*ptr = 0;
	return !w->given[KEY_PTR] ||
	       (span_begins(word->at, end, "0x") && scan_hex(word->at + 2, end, ptr)) ||
	       words_complain(w, word->at, "expected ptr=<0x and 1 to 16 hex digits>");
}

int words_read_offset(struct words *w, enum slabtrace_key key, u32 max, s32 *offset)
{
	struct span word = w->value[key];
	int minus = word.len && *word.at == '-';
	u64 number;

	word.at += minus;
	word.len -= (u32)minus;
	if (!words_read_number(w, &word, max, &number,
			       "expected at=<bytes from the start of the object>"))
		return 0;
	*offset = minus ? -(s32)number : (s32)number;
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

/* Reads "#end 12" and nothing else: 1, and the number. */
static int read_count(const u8 *line, const u8 *end, const char *word, u64 *number)
{
	const u8 *p = line;

	if (!span_begins(line, end, word))
		return 0;
	while (*word++)
		p++;
	*number = 0;
	for (; p < end && is_digit(*p) && *number < (u64)1 << 32; p++)
		*number = *number * 10 + (*p - (u64)'0');
	return p == end && is_digit(p[-1]);
}

static void complain_counts(struct import *im, const char *before, u64 here, const char *between,
			    u64 promised, const char *behind)
{
	char reason[MAX_REASON_BYTES];
	struct text out = text_in(reason, sizeof(reason));

	text_add_number(&out, before, here);
	text_add_number(&out, between, promised);
	text_add(&out, behind);
	import_problem(im, im->line, reason);
}

void count_comment(struct import *im, const u8 *line, const u8 *end)
{
	struct slabtrace_count *count = &im->count;
	const u8 *behind = end - line > 4 && span_begins(end - 4, end, " cut") ? end - 4 : end;
	u64 number;

	im->trace->report.ended |= end - line == 5 && span_begins(line, end, "#exit");
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
		complain_counts(im, "", count->events, " events come before this line, which says ",
				number,
				": lines were lost or the file was edited; correct or delete the "
				"lines #events and #end");
}

void count_event(struct words *w, u32 nr)
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

void count_header(struct words *w)
{
	struct import *im = w->im;
	struct slabtrace_count none = { 0 };

	if (im->count.events || im->trace->nr_caches)
		words_complain(
			w, im->line,
			"a second slabtrace begins here: replay joined files one by one, as each "
			"has its own names of caches and objects");
	im->count = none;
}

void count_finish(struct import *im)
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
		complain_counts(
			im, "", count->events, " events, where the line #events says ",
			count->promised,
			", and the line #end is missing: the file was edited; correct or delete "
			"the line #events");
	else
		complain_counts(
			im, "cut off: ", count->events, " of ", count->promised,
			count->events < count->promised
				? " events"
				: " events; the line #end is missing, so the last of them may be cut");
}
