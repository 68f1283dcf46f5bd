/*
 * trace_text.h - what the tests of the importer share: importing a text in pieces, and a trace as readable lines.
 */
#ifndef TEST_SUPPORT_TRACE_TEXT_H
#define TEST_SUPPORT_TRACE_TEXT_H

#include "import/import.h"

/* An import of its own, with its own region and parameters. */
struct imported {
	struct trace trace;
	struct pool pool;
	s32 status;
};

enum { GENERAL_ONLY = 1, BY_RANGE = 2, TINY = 4, KEEP_ALL = 8 };

/*
 * Imports len bytes in chunks of chunk_bytes (0: in one). With GENERAL_ONLY the fast parser is off; with BY_RANGE the
 * importer says which bytes it wants; with TINY it keeps as little of a file in memory as it can; with KEEP_ALL each
 * event's pointer and task are kept.
 */
void import_text(struct imported *in, const char *text, size_t len, u32 chunk_bytes, int flags);
void imported_drop(struct imported *in);
const char *imported_text(const struct imported *in, u32 offset);

/* Returns the ops as lines, "alloc 0 filp 184/192 cpu 1 node -1 t 3408614000", NUL-terminated; free() it. */
char *trace_lines(const struct imported *in);
/* Returns everything that import keeps and reports, but not how it is stored, as one number. */
u64 trace_digest(const struct imported *in);
/* Returns the whole trace as text; free() it. */
char *export_text(const struct imported *in, u32 to, size_t *len);

/*
 * Contents of a file, unpacked if its name ends in .gz, with a NUL after them; NULL if there is no such file. free()
 * it.
 */
char *file_text(const char *path, size_t *len);

#endif
