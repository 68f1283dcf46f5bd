/*
 * ids.c - collects the names that a slabtrace gives its objects, in the order of its lines.
 */
#include "cli/files/ids.h"

#include <stdlib.h>

static void keep(struct ids *ids, const char *name, size_t len)
{
	if (ids->len + len + 1 > ids->room) {
		ids->room = MAX(ids->room * 2, (u64)1 << 16);
		char *text = realloc(ids->text, ids->room);
		KASSERT(text);
		ids->text = text;
	}
	memcpy(ids->text + ids->len, name, len);
	ids->text[ids->len + len] = 0;
	ids->len += len + 1;
	ids->nr++;
}

static void take_line(struct ids *ids)
{
	const char *blank = " \t\r", *word = ids->line;

	ids->line[ids->line_len] = 0;
	ids->line[strcspn(ids->line, "#")] = 0;
	ids->line_len = 0;
	word += strspn(word, blank);
	size_t len = strcspn(word, blank);
	if (!len)
		return;
	if (ids->nr_lines++ == 0)
		ids->is_slabtrace = len == 9 && memcmp(word, "slabtrace", len) == 0;
	if (!ids->is_slabtrace || len != 1 || !strchr("akfr", *word))
		return;
	word += len;
	word += strspn(word, blank);
	/* A list has commas, even a list of one. */
	for (len = strcspn(word, blank); len;) {
		size_t id = strcspn(word, ", \t\r"), more = id < len;
		keep(ids, word, id);
		word += id + more;
		len -= id + more;
	}
}

void ids_see(void *arg, const u8 *bytes, u32 len_bytes)
{
	struct ids *ids = arg;

	for (u32 i = 0; i < len_bytes && (ids->is_slabtrace || !ids->nr_lines); i++) {
		/* The byte order mark of UTF-8 is not part of the first word. */
		if (!ids->nr_lines && ids->line_len == 3 && !memcmp(ids->line, "\xef\xbb\xbf", 3))
			ids->line_len = 0;
		if (bytes[i] == '\n')
			take_line(ids);
		else if (ids->line_len < sizeof(ids->line) - 1)
			ids->line[ids->line_len++] = (char)bytes[i];
	}
}

void ids_end(struct ids *ids)
{
	if (ids->line_len)
		take_line(ids);
}

const char *ids_next(struct ids *ids)
{
	const char *name = "";

	if (ids->at < ids->len) {
		name = ids->text + ids->at;
		ids->at += strlen(name) + 1;
	}
	return name;
}
