/*
 * call_names.h - names the call sites of a recorded program by the symbols of its files.
 */
#ifndef CLI_PROGRAMS_CALL_NAMES_H
#define CLI_PROGRAMS_CALL_NAMES_H

#include "preload/record_spool.h"

enum { CALL_NAME_BYTES = 256 };

struct call_names;

/* The modules, and the images that they belong to, which may be NULL if there is only one. */
struct call_modules {
	const struct record_module *modules;
	const struct record_image *images;
	u32 nr_modules, nr_images;
};

/* NULL without memory. The modules last until call_names_close. */
struct call_names *call_names_open(const struct call_modules *modules);
/*
 * The name of a call site in an image: add_row+0x2e in the program, strdup+0x1c[libc.so.6] in a library,
 * libz.so.1+0x4c10 without a symbol, as `addr2line -e` reads it. Valid until call_names_close. It contains no blank and no `%`.
 */
const char *call_name(struct call_names *names, u32 image, u64 address);
void call_names_close(struct call_names *names);

#endif
