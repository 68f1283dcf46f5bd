/*
 * mutate_words.c - one change of a text by its words: a value, an entry of a list, the kind of a line.
 *
 * A slabtrace and the state of a kernel are lines of words, KEY=VALUE among them, and values may be lists. A value
 * comes from a word of the same key, so most changed lines are still lines. Counts in a state that give the length of a
 * list are updated with it, so the result is a state that could exist.
 */
#include "test/fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum change { SET_VALUE, COPY_WORD, DROP_WORD, ADD_WORD, MOVE_ENTRY, SWAP_ENTRIES, NR_CHANGES };

enum { MAX_WORD_BYTES = 512, MAX_TRIES = 40, REPAIRED_OF_8 = 7 };

struct text_change {
	u8 *bytes;
	size_t len, room;
	u32 *random;
};

/* The counts of a state: how many entries `list` has, or how many of `total` it has not. */
static const struct {
	const char *count, *list, *total;
} counts[] = {
	{ "nfree=", "free=", NULL },	   { "nr_partial=", "partial=", NULL },
	{ "npartial=", "partial=", NULL }, { "avail=", "entries=", NULL },
	{ "inuse=", "free=", "objects=" },
};

static int is_between(u8 c)
{
	return c == ' ' || c == '\n';
}

static struct part line_around(const struct text_change *t, size_t at)
{
	size_t start = at, end = at;

	while (start && t->bytes[start - 1] != '\n')
		start--;
	while (end < t->len && t->bytes[end] != '\n')
		end++;
	return (struct part){ start, end - start };
}

/* Returns the word after `at` in the line; empty at its end. */
static struct part next_word(const struct text_change *t, size_t at)
{
	size_t end;

	while (at < t->len && t->bytes[at] == ' ')
		at++;
	for (end = at; end < t->len && !is_between(t->bytes[end]);)
		end++;
	return (struct part){ at, end - at };
}

static struct part any_word(const struct text_change *t)
{
	struct part line = line_around(t, random_below(t->random, (u32)t->len)), word;
	u32 nr = 0, wanted;

	for (word = next_word(t, line.at); word.len; word = next_word(t, word.at + word.len))
		nr++;
	wanted = random_below(t->random, nr);
	word = next_word(t, line.at);
	while (wanted--)
		word = next_word(t, word.at + word.len);
	return word;
}

/* Returns the bytes up to and with the equals sign; 0: the word has none. */
static size_t key_length(const struct text_change *t, struct part word)
{
	const u8 *sign = memchr(t->bytes + word.at, '=', word.len);

	return sign ? (size_t)(sign - t->bytes) - word.at + 1 : 0;
}

static int is_same_key(const struct text_change *t, struct part a, struct part b)
{
	size_t len = key_length(t, a);

	return len == key_length(t, b) && memcmp(t->bytes + a.at, t->bytes + b.at, len) == 0;
}

/* Returns another word with that key; `word` itself if chance finds none. */
static struct part word_like(const struct text_change *t, struct part word)
{
	for (u32 i = 0; i < MAX_TRIES; i++) {
		struct part line = line_around(t, random_below(t->random, (u32)t->len));
		for (struct part w = next_word(t, line.at); w.len; w = next_word(t, w.at + w.len))
			if (w.at != word.at && is_same_key(t, w, word) &&
			    random_below(t->random, key_length(t, w) ? 1 : 3) == 0)
				return w;
	}
	return word;
}

static void replace(struct text_change *t, struct part old, const void *with, size_t added)
{
	if (t->len - old.len + added > t->room)
		return;
	memmove(t->bytes + old.at + added, t->bytes + old.at + old.len, t->len - old.at - old.len);
	memcpy(t->bytes + old.at, with, added);
	t->len = t->len - old.len + added;
}

static struct part value_of(const struct text_change *t, struct part line, const char *key)
{
	size_t len = strlen(key), end = line.at + line.len;

	for (struct part w = next_word(t, line.at); w.len && w.at < end;
	     w = next_word(t, w.at + w.len))
		if (w.len >= len && memcmp(t->bytes + w.at, key, len) == 0)
			return (struct part){ w.at + len, w.len - len };
	return (struct part){ 0, 0 };
}

static u32 nr_entries(const struct text_change *t, struct part list)
{
	u32 nr = list.len != 0;

	for (size_t i = 0; i < list.len; i++)
		nr += t->bytes[list.at + i] == ',';
	return nr;
}

/* Returns the number that the value starts with, which has no NUL at its end. */
static u64 number_in(const struct text_change *t, struct part value)
{
	char digits[32] = { 0 };

	memcpy(digits, t->bytes + value.at, MIN(value.len, sizeof(digits) - 1));
	return strtoull(digits, NULL, 10);
}

static void repair_counts(struct text_change *t, size_t at)
{
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		struct part line = line_around(t, at), count = value_of(t, line, counts[i].count),
			    list = value_of(t, line, counts[i].list);
		char digits[32];
		if (!count.at || !list.at)
			continue;
		long nr = nr_entries(t, list);
		if (counts[i].total) {
			struct part total = value_of(t, line, counts[i].total);
			nr = total.at ? (long)(number_in(t, total) & 0xffff) - nr : -1;
		}
		if (nr >= 0)
			replace(t, count, digits, (size_t)sprintf(digits, "%ld", nr));
	}
}

static size_t take_word(const struct text_change *t, struct part word, u8 copy[MAX_WORD_BYTES])
{
	size_t len = MIN(word.len, (size_t)MAX_WORD_BYTES);

	memcpy(copy, t->bytes + word.at, len);
	return len;
}

/* Sets a number near the current one, or at a limit. */
static void set_value(struct text_change *t, struct part word)
{
	size_t key = key_length(t, word);
	struct part value = { word.at + key, word.len - key };
	char digits[32];
	u64 old = number_in(t, value);
	const u64 values[] = { 0,
			       1,
			       old + 1,
			       old - 1,
			       old * 2,
			       old / 2,
			       63,
			       64,
			       4095,
			       4096,
			       0x7fffffff,
			       0xffffffff,
			       ~(u64)0 >> 1,
			       ~(u64)0,
			       t->len,
			       old ^ 1u << random_below(t->random, 32) };
	u64 new = values[random_below(t->random, ARRAY_SIZE(values))];
	replace(t, value, digits, (size_t)sprintf(digits, "%llu", (unsigned long long)new));
}

static void copy_word(struct text_change *t, struct part word)
{
	u8 copy[MAX_WORD_BYTES];
	size_t len = take_word(t, word_like(t, word), copy);

	replace(t, word, copy, len);
}

/* Adds a word of any line after this one. */
static void add_word(struct text_change *t, struct part word)
{
	u8 copy[MAX_WORD_BYTES] = { ' ' };
	struct part from = any_word(t);

	from.len = MIN(from.len, (size_t)MAX_WORD_BYTES - 1);
	memcpy(copy + 1, t->bytes + from.at, from.len);
	replace(t, (struct part){ word.at + word.len, 0 }, copy, from.len + 1);
}

/* Returns an entry of a list, without commas. */
static struct part any_entry(const struct text_change *t, struct part word)
{
	size_t key = key_length(t, word);
	struct part list = { word.at + key, word.len - key }, entry = { list.at, 0 };
	u32 wanted = random_below(t->random, nr_entries(t, list));

	for (;; wanted--) {
		const u8 *from = t->bytes + entry.at, *end = t->bytes + list.at + list.len;
		const u8 *comma = memchr(from, ',', (size_t)(end - from));
		entry.len = (size_t)((comma ? comma : end) - from);
		if (!wanted || !comma)
			return entry;
		entry.at += entry.len + 1;
	}
}

static void drop_entry(struct text_change *t, struct part word)
{
	struct part entry = any_entry(t, word);

	if (entry.at + entry.len < t->len && t->bytes[entry.at + entry.len] == ',')
		entry.len++;
	else if (entry.at && t->bytes[entry.at - 1] == ',')
		entry = (struct part){ entry.at - 1, entry.len + 1 };
	replace(t, entry, "", 0);
}

/* Moves an entry to another list, which may be the same, or copies it there. */
static void move_entry(struct text_change *t, struct part word)
{
	struct part to = word_like(t, word), entry = any_entry(t, word);
	u8 copy[MAX_WORD_BYTES];
	size_t len = take_word(t, entry, copy), key = key_length(t, to);
	int is_empty = to.len == key, is_kept = random_below(t->random, 4) == 0;

	if (!key || len >= sizeof(copy) - 1)
		return;
	if (!is_empty)
		copy[len++] = ',';
	/* What lies after is changed first, so that the other word stays where it is. */
	if (to.at < word.at && !is_kept)
		drop_entry(t, word);
	replace(t, (struct part){ to.at + key, 0 }, copy, len);
	if (random_below(t->random, 8) < REPAIRED_OF_8)
		repair_counts(t, to.at);
	if (to.at > word.at && !is_kept)
		drop_entry(t, word);
}

static void swap_entries(struct text_change *t, struct part word)
{
	struct part a = any_entry(t, word), b = any_entry(t, word);
	u8 first[MAX_WORD_BYTES], second[MAX_WORD_BYTES];

	if (a.at > b.at) {
		struct part before = b;
		b = a;
		a = before;
	}
	if (a.at == b.at)
		return;
	size_t first_len = take_word(t, a, first), second_len = take_word(t, b, second);
	replace(t, b, first, first_len);
	replace(t, a, second, second_len);
}

static void change(struct text_change *t, struct part word)
{
	switch (random_below(t->random, NR_CHANGES)) {
	case SET_VALUE:
		set_value(t, word);
		break;
	case COPY_WORD:
		copy_word(t, word);
		break;
	case DROP_WORD:
		replace(t, word, "", 0);
		break;
	case ADD_WORD:
		add_word(t, word);
		break;
	case MOVE_ENTRY:
		move_entry(t, word);
		break;
	default:
		swap_entries(t, word);
	}
}

size_t mutate_words(u8 *bytes, size_t len, size_t room, u32 *random)
{
	struct text_change t = { bytes, len, room, random };
	struct part word = len ? any_word(&t) : (struct part){ 0, 0 };

	if (!word.len)
		return len;
	change(&t, word);
	if (random_below(random, 8) < REPAIRED_OF_8)
		repair_counts(&t, MIN(word.at, t.len));
	return t.len;
}
