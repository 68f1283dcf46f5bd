/*
 * print_kernel.h - prints the modelled kernel, for every command that runs a machine.
 */
#ifndef CLI_PRINT_PRINT_KERNEL_H
#define CLI_PRINT_PRINT_KERNEL_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* A copy, because the session may build another machine. */
struct kernel {
	struct kmem_kernel row;
	char preset[64], recorded[128], words[256];
	char caches[512]; /* which part of --cache-params is in force, "" without it */
};

struct kernel kernel_of(const struct host *h);
/* Prints "kernel modelled: linux-6.18, as the trace was recorded on Linux 6.18.15", indented by that many blanks. */
void kernel_print(const struct kernel *k, u32 indent);
/* The same on standard error, when standard output has rows of a fixed shape; prints nothing with --quiet. */
void kernel_note(const struct kernel *k, int quiet);
/* Writes the member `kernel`. */
void kernel_json(struct json *j, const struct kernel *k);

/* Prints the kernel of a session as it is now. */
void kernel_print_now(const struct host *h, u32 indent);
void kernel_note_now(const struct host *h);
void kernel_json_now(struct json *j, const struct host *h);

#endif
