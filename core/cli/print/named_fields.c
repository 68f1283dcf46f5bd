/*
 * named_fields.c - writes fields of the structs in abi.def by their names, as JSON members or as CSV cells.
 */
#include "cli/print/named_fields.h"

#include <inttypes.h>

#include "cli/text/names.h"

/* -1 as a value of the type is less than 1 if the type has a sign. */
#define STRUCT(name, doc) const struct field fields_of_##name[] = {
#define FIELD(type, name, doc) { #name, sizeof(type), (type) - 1 < 1, 1 },
#define FIELDS(type, name, count, doc) { #name, sizeof(type), (type) - 1 < 1, count },
/* clang-format off */
#define STRUCT_END(name) { NULL, 0, 0, 0 } };
/* clang-format on */
#include "tables/abi/abi.def"

/* One word of a list with its value in a row. */
struct cell {
	char key[MAX_KEY_BYTES], form[MAX_KEY_BYTES];
	const char *text; /* NULL: a number */
	u64 value;	  /* of a signed field, or -1 for none: the bits of an s64 */
	int is_signed;
};

static void copy_word(char *to, const char *word, size_t len)
{
	KASSERT(len < MAX_KEY_BYTES);
	memcpy(to, word, len);
	to[len] = 0;
}

/* Structs have no padding, so a field lies behind all those in front of it. *at: its offset. name NULL: the end. */
static const struct field *find_field(const struct field *field, const char *name, size_t *at)
{
	for (*at = 0; field->name && (!name || strcmp(field->name, name) != 0); field++)
		*at += (size_t)field->bytes * field->count;
	KASSERT(!name || field->name);
	return field;
}

u64 field_value(const struct field *fields, const void *row, const char *name)
{
	size_t at;
	const struct field *field = find_field(fields, name, &at);
	u64 value = 0;

	memcpy(&value, (const u8 *)row + at, field->bytes);
	return value;
}

static void read_value(struct cell *c, const struct field *fields, const void *row,
		       const char *name)
{
	size_t at;
	const struct field *field = find_field(fields, name, &at);
	u32 unused_bits = 64 - 8u * field->bytes;

	c->value = field_value(fields, row, name);
	c->is_signed = field->is_signed || (c->form[0] == '?' && !(~c->value << unused_bits));
	if (c->is_signed)
		c->value = (u64)((s64)(c->value << unused_bits) >> unused_bits);
}

/* Reads the next word; returns 0 at the end of the list. row NULL: the key alone. */
static int next_cell(const char **list, const struct host *h, const struct field *fields,
		     const void *row, struct cell *c)
{
	const char *word = *list + (**list == ',');
	size_t len = strcspn(word, ","), end = strcspn(word, ",:?"), key = strcspn(word, ",:?=");
	char name[MAX_KEY_BYTES];

	if (!len)
		return 0;
	*list = word + len;
	*c = (struct cell){ .text = NULL };
	size_t from = key < end ? key + 1 : 0;
	copy_word(name, word + from, end - from);
	copy_word(c->form, word + end, len - end);
	int is_text = end - from > 3 && strcmp(name + (end - from) - 3, "_at") == 0;
	copy_word(c->key, word, is_text && !from ? key - 3 : key);
	if (!row)
		return 1;
	read_value(c, fields, row, name);
	if (is_text)
		c->text = host_text(h, (u32)c->value);
	if (strncmp(c->form, ":kmem_", 6) == 0) {
		struct lower value = enum_name(c->form + 1, (u32)c->value);
		copy_word(c->form, value.s, strlen(value.s));
		c->text = c->form;
	}
	return 1;
}

void fields_json(struct json *j, const struct host *h, const struct field *fields, const void *row,
		 const char *list)
{
	struct cell c;

	while (next_cell(&list, h, fields, row, &c)) {
		if (c.text)
			json_text(j, c.key, c.text);
		else if (strcmp(c.form, ":hex") == 0)
			json_hex64(j, c.key, c.value);
		else if (strcmp(c.form, ":bool") == 0)
			json_bool(j, c.key, c.value != 0);
		else if (c.is_signed)
			json_signed(j, c.key, (s64)c.value);
		else
			json_number(j, c.key, c.value);
	}
}

void rows_json(struct json *j, const char *key, const struct host *h, const struct field *fields,
	       const void *rows, u32 nr, const char *list)
{
	size_t bytes;

	find_field(fields, NULL, &bytes);
	json_array(j, key);
	for (u32 i = 0; i < nr; i++) {
		json_row(j, NULL);
		fields_json(j, h, fields, (const u8 *)rows + i * bytes, list);
		json_end(j);
	}
	json_end(j);
}

void fields_csv_head(const char *list)
{
	const char *comma = "";
	struct cell c;

	for (; next_cell(&list, NULL, NULL, NULL, &c); comma = ",")
		printf("%s%s", comma, c.key);
}

void fields_csv(const struct host *h, const struct field *fields, const void *row, const char *list)
{
	const char *comma = "";
	struct cell c;

	for (; next_cell(&list, h, fields, row, &c); comma = ",") {
		fputs(comma, stdout);
		if (c.text)
			csv_text(stdout, c.text);
		else if (strcmp(c.form, ":hex") == 0)
			printf("%016" PRIx64, c.value);
		else
			printf(c.is_signed ? "%" PRId64 : "%" PRIu64, c.value);
	}
}
