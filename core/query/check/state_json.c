/*
 * state_json.c - reads the state of a kernel's caches as JSON, the output of traces/state.drgn.py --json.
 *
 * Bytes arrive in pieces, so this is a machine with a stack of brackets and one word. The keys of a row are the fields of a
 * line of text. A row becomes that line when its bracket closes, and state_text.c checks it like any other. docs/formats.md
 * has the document; keys that it does not have are skipped.
 */
#include "query/check/check_model.h"
#include "util/scan.h"
#include "util/text.h"

/* Depths of the brackets that mean something. */
enum { IN_DOCUMENT = 1, IN_CACHES, IN_CACHE, IN_ROWS, IN_ROW, IN_LIST, MOST_DEPTH };
enum { EXPECT_VALUE, EXPECT_FIRST, EXPECT_KEY, EXPECT_COLON, EXPECT_COMMA, EXPECT_NOTHING };

static const char *const expected[] = {
	[EXPECT_VALUE] = "expected a value",
	[EXPECT_FIRST] = "expected a value, a key or a closing bracket",
	[EXPECT_KEY] = "expected a key in quotation marks",
	[EXPECT_COLON] = "expected : behind the key",
	[EXPECT_COMMA] = "expected a comma or a closing bracket",
	[EXPECT_NOTHING] = "expected nothing behind the document",
};

_Static_assert((int)MOST_DEPTH <= (int)MOST_STATE_JSON_DEPTH, "the stack has room");

static s32 refuse(struct state_reader *r, const char *what)
{
	return state_refuse(r, what, NULL);
}

static int key_is(const struct state_json *j, u32 depth, const char *key)
{
	return text_is(j->key[depth], key);
}

/* The kind of the row at this depth: 'C', 'P', 'N' or 'L'; 0: nothing of the state. */
static u8 kind_of_row(const struct state_json *j)
{
	if (j->depth < IN_CACHE || !key_is(j, IN_DOCUMENT, "caches") ||
	    j->brackets[IN_CACHES] != '[' || j->brackets[IN_CACHE] != '{')
		return 0;
	if (j->depth == IN_CACHE)
		return 'C';
	if (j->depth < IN_ROW || j->brackets[IN_ROWS] != '[' || j->brackets[IN_ROW] != '{')
		return 0;
	return key_is(j, IN_CACHE, "cpus")    ? 'P'
	       : key_is(j, IN_CACHE, "nodes") ? 'N'
	       : key_is(j, IN_CACHE, "slabs") ? 'L'
					      : 0;
}

static s32 put(struct state_reader *r, struct state_json_words *words, const char *text, u32 len)
{
	/* The scanner of lines reads past their end. */
	if (words->len + len > MOST_STATE_LINE)
		return refuse(r, "the list is longer than 16 MiB");
	if (!buffer_grow(&r->s->pool, &words->run, MAX(words->len + len + SCAN_SLACK, 4096u)))
		return state_no_memory(r);
	memcpy((u8 *)words->run.at + words->len, text, len);
	words->len += len;
	return 0;
}

static s32 put_text(struct state_reader *r, struct state_json_words *words, const char *text)
{
	return put(r, words, text, text_length(text));
}

/* Reads "X name first fields" as a line of text. */
static s32 read_line(struct state_reader *r, u8 kind, struct state_json_words *fields)
{
	struct state_json *j = &r->state->json;
	char head[MAX_NAME_BYTES + STATE_JSON_WORD + 8];
	struct text t = text_in(head, sizeof(head));
	u32 before = fields->len;
	s32 err;

	char letter[2] = { (char)kind, 0 };
	text_add(&t, letter);
	text_add(&t, " ");
	text_add(&t, j->name);
	text_add(&t, " ");
	text_add(&t, kind == 'C' ? "" : j->first);
	/* Fields come first in memory: their head is appended, then all turned round. */
	err = put(r, fields, head, t.len);
	if (err)
		return err;
	u8 *line = fields->run.at;
	memmove(line + t.len, line, before);
	memcpy(line, head, t.len);
	line[fields->len] = '\n';
	r->at = line;
	r->end = line + fields->len;
	fields->len = 0;
	return state_line(r);
}

/* The line of the cache: when the first of its lists begins, or at its end. */
static s32 end_cache(struct state_reader *r)
{
	struct state_json *j = &r->state->json;

	if (j->has_cache)
		return 0;
	j->has_cache = 1;
	if (!j->name[0])
		return refuse(r, "expected the name of a cache in front of its lists");
	return read_line(r, 'C', &j->fields);
}

static s32 end_row(struct state_reader *r, u8 kind)
{
	struct state_json *j = &r->state->json;
	s32 err = 0;

	if (kind == 'C')
		return end_cache(r);
	if (!j->first[0])
		return refuse(r, kind == 'P'   ? "expected cpu in each row of cpus"
				 : kind == 'N' ? "expected node in each row of nodes"
					       : "expected address in each row of slabs");
	if (j->counters.len)
		err = read_line(r, 'T', &j->counters);
	return err ? err : read_line(r, kind, &j->fields);
}

static s32 open_bracket(struct state_reader *r, u8 bracket)
{
	struct state_json *j = &r->state->json;
	s32 err = 0;

	if (j->depth + 1 >= MOST_DEPTH)
		return refuse(r, "expected at most six brackets in each other");
	if (kind_of_row(j) == 'C')
		err = end_cache(r);
	j->brackets[++j->depth] = bracket;
	j->key[j->depth][0] = 0;
	j->expects = EXPECT_FIRST;
	u8 kind = kind_of_row(j);
	if (kind && j->depth == IN_CACHE)
		j->name[0] = j->has_cache = 0;
	if (kind && j->depth != IN_LIST) {
		j->first[0] = 0;
		j->fields.len = j->counters.len = 0;
	}
	/* key= of a list, whose items follow. */
	int is_list = kind && j->depth == IN_LIST && !key_is(j, IN_ROW, "counters");
	err = err || !is_list ? err : put_text(r, &j->fields, " ");
	err = err || !is_list ? err : put_text(r, &j->fields, j->key[IN_ROW]);
	err = err || !is_list ? err : put_text(r, &j->fields, "=");
	j->items = 0;
	return err;
}

static s32 close_bracket(struct state_reader *r, u8 bracket)
{
	struct state_json *j = &r->state->json;
	u8 kind = kind_of_row(j);
	s32 err = 0;

	if (!j->depth || j->brackets[j->depth] != bracket)
		return refuse(r, "expected the closing bracket of the other kind");
	if (kind && (j->depth == IN_CACHE || j->depth == IN_ROW))
		err = end_row(r, kind);
	j->expects = --j->depth ? EXPECT_COMMA : EXPECT_NOTHING;
	r->state->is_complete = !err && !j->depth;
	return err;
}

/* A number, a string or a literal that stands in a row. */
static s32 take_field(struct state_reader *r, u8 kind)
{
	struct state_json *j = &r->state->json;
	const char *key = j->key[j->depth];
	s32 err;

	if (kind == 'C' && text_is(key, "name")) {
		if (text_length(j->word) >= sizeof(j->name))
			return refuse(r, "expected the name of a cache, shorter than 64 bytes");
		memcpy(j->name, j->word, text_length(j->word) + 1);
		return 0;
	}
	if (kind == 'C' && text_is(key, "sheaf_capacity") && !text_is(j->word, "0"))
		return refuse(r,
			      "a cache has sheaves, as kernels since 6.18 do; only the state of a "
			      "kernel without them can be read");
	if (kind == 'C' && j->has_cache)
		return refuse(r, "expected the numbers of a cache in front of its lists");
	if (kind != 'C' &&
	    (text_is(key, "cpu") || text_is(key, "node") || text_is(key, "address"))) {
		if (text_length(j->word) >= sizeof(j->first))
			return refuse(r, "expected a CPU, a node or an address");
		memcpy(j->first, j->word, text_length(j->word) + 1);
		return 0;
	}
	err = put_text(r, &j->fields, " ");
	err = err ? err : put_text(r, &j->fields, key);
	err = err ? err : put_text(r, &j->fields, "=");
	return err ? err : put_text(r, &j->fields, j->word);
}

/* An item of a list. */
static s32 take_item(struct state_reader *r)
{
	struct state_json *j = &r->state->json;
	int is_counter = key_is(j, IN_ROW, "counters");
	struct state_json_words *to = is_counter ? &j->counters : &j->fields;
	s32 err = is_counter || j->items ? put_text(r, to, is_counter ? " " : ",") : 0;

	j->items = 1;
	return err ? err : put_text(r, to, j->word);
}

/* A whole word: a key, or a value without brackets. */
static s32 take_word(struct state_reader *r, int is_string)
{
	struct state_json *j = &r->state->json;
	int is_object = j->brackets[j->depth] == '{';
	u8 kind = kind_of_row(j);

	if (is_object && (j->expects == EXPECT_KEY || j->expects == EXPECT_FIRST)) {
		if (!is_string || text_length(j->word) >= sizeof(j->key[0]))
			return refuse(r, expected[EXPECT_KEY]);
		memcpy(j->key[j->depth], j->word, text_length(j->word) + 1);
		j->expects = EXPECT_COLON;
		return 0;
	}
	if (j->expects != EXPECT_VALUE && (is_object || j->expects != EXPECT_FIRST))
		return refuse(r, expected[j->expects]);
	j->expects = EXPECT_COMMA;
	if (!kind || (j->depth == IN_ROW) + (j->depth == IN_CACHE) + (j->depth == IN_LIST) == 0)
		return 0;
	/* Frozen is true or false. */
	if (text_is(j->word, "true") || text_is(j->word, "false")) {
		j->word[0] = j->word[0] == 't' ? '1' : '0';
		j->word[1] = 0;
	}
	return j->depth == IN_LIST ? take_item(r) : take_field(r, kind);
}

static s32 punctuation(struct state_reader *r, u8 c)
{
	struct state_json *j = &r->state->json;
	int is_object = j->brackets[j->depth] == '{';

	if (c == ':' && j->expects == EXPECT_COLON)
		return j->expects = EXPECT_VALUE, 0;
	if (c == ',' && j->expects == EXPECT_COMMA)
		return j->expects = is_object ? EXPECT_KEY : EXPECT_VALUE, 0;
	if ((c == '}' || c == ']') && (j->expects == EXPECT_COMMA || j->expects == EXPECT_FIRST))
		return close_bracket(r, c == '}' ? '{' : '[');
	if ((c == '{' || c == '[') &&
	    (j->expects == EXPECT_VALUE || (j->expects == EXPECT_FIRST && j->depth && !is_object)))
		return open_bracket(r, c);
	return refuse(r, expected[j->expects]);
}

static int is_letter_of_word(u8 c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '+' || c == '.';
}

static s32 end_word(struct state_reader *r, int is_string)
{
	struct state_json *j = &r->state->json;

	j->word[j->word_len] = 0;
	j->in_word = 0;
	return take_word(r, is_string);
}

static s32 add_letter(struct state_reader *r, u8 c)
{
	struct state_json *j = &r->state->json;

	if (j->word_len + 1 >= sizeof(j->word))
		return refuse(r, "expected no word of more than 126 bytes");
	/* A blank, comma or equals sign would be read as the end of a field. */
	if (kind_of_row(j) && (c <= ' ' || c == ',' || c == '=' || c == '\\'))
		return refuse(r, "expected words without blanks, commas, = and backslashes");
	j->word[j->word_len++] = (char)c;
	return 0;
}

s32 state_json_byte(struct state_reader *r, u8 c)
{
	struct state_json *j = &r->state->json;
	s32 err = 0;

	r->state->line_nr += c == '\n';
	if (j->in_word == IN_STRING) {
		int is_escaped = j->is_escaped;
		j->is_escaped = !is_escaped && c == '\\';
		return c == '"' && !is_escaped ? end_word(r, 1) : add_letter(r, c);
	}
	if (j->in_word == IN_PLAIN_WORD && is_letter_of_word(c))
		return add_letter(r, c);
	if (j->in_word == IN_PLAIN_WORD)
		err = end_word(r, 0);
	if (err || c == ' ' || c == '\t' || c == '\r' || c == '\n')
		return err;
	if (c != '"' && !is_letter_of_word(c))
		return punctuation(r, c);
	if (!j->depth)
		return refuse(r, expected[j->expects]);
	j->word_len = 0;
	j->is_escaped = 0;
	j->in_word = c == '"' ? IN_STRING : IN_PLAIN_WORD;
	return c == '"' ? 0 : add_letter(r, c);
}
