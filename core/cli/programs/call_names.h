/*
 * call_names.h - names the call sites of a recorded program by the symbols of its files.
 */
#ifndef CLI_PROGRAMS_CALL_NAMES_H
#define CLI_PROGRAMS_CALL_NAMES_H

#include "cli/programs/spool_reader.h"

enum { CALL_NAME_BYTES = 256 };

struct call_names;

/* NULL without memory. */
struct call_names *call_names_open(const struct spool_reader *spool);
/*
 * The name of a call site in one of the process's programs: add_row+0x2e in the program, strdup+0x1c[libc.so.6] in a library,
 * libz.so.1+0x4c10 without a symbol, as `addr2line -e` reads it. Valid until call_names_close. It contains no blank and no `%`.
 */
const char *call_name(struct call_names *names, u32 image, u64 address);
void call_names_close(struct call_names *names);

#endif
