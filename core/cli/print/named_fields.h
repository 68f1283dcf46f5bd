/*
 * named_fields.h - writes fields of the structs in abi.def by their names, as JSON members or as CSV cells.
 *
 * A list names fields with commas between: "slabs,partial". A name may have more parts.
 *
 * - `stem=name` has another key than the field's name.
 * - `name_at` is the text at that offset; its key is `name`.
 * - `node?` is -1 if all bits are set, which stands for none or any.
 * - `frozen:bool` is true or false.
 * - `address:hex` has all its hexadecimal digits.
 * - `state:kmem_cell` is the name of a value of that enum.
 */
#ifndef CLI_PRINT_NAMED_FIELDS_H
#define CLI_PRINT_NAMED_FIELDS_H

#include "cli/host/host.h"
#include "cli/text/json.h"

struct field {
	const char *name;
	u8 bytes; /* of one value */
	u8 is_signed;
	u16 count; /* of an array; 1: a single value */
};

#define STRUCT(name, doc) extern const struct field fields_of_##name[];
#include "tables/abi/abi.def"

/* A row with the fields of its struct: two arguments of the functions below. */
#define ROW(type, row) fields_of_##type, (const void *)(1 ? (row) : (const struct type *)NULL)

/* Returns one number. */
u64 field_value(const struct field *fields, const void *row, const char *name);
/* Writes the members that the list names. */
void fields_json(struct json *j, const struct host *h, const struct field *fields, const void *row,
		 const char *list);
/* Writes the array `key`, with one line for each row. */
void rows_json(struct json *j, const char *key, const struct host *h, const struct field *fields,
	       const void *rows, u32 nr, const char *list);
/* Writes the keys, and the cells of a row, with commas between. */
void fields_csv_head(const char *list);
void fields_csv(const struct host *h, const struct field *fields, const void *row,
		const char *list);

#endif
