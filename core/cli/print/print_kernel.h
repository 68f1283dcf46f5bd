/*
 * print_kernel.h - the kernel that is modelled, which every command that runs a machine says.
 */
#ifndef CLI_PRINT_PRINT_KERNEL_H
#define CLI_PRINT_PRINT_KERNEL_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* A copy: the session may go on to another machine. */
struct kernel {
	struct kmem_kernel row;
	char preset[64], recorded[128], words[256];
	char caches[512]; /* what of --cache-params is in force, "" without */
};

struct kernel kernel_of(const struct host *h);
/* "kernel modelled: linux-6.18, as the trace was recorded on Linux 6.18.15", indented by that many blanks. */
void kernel_print(const struct kernel *k, u32 indent);
/* The same on standard error, where standard output has rows of a fixed shape; nothing with --quiet. */
void kernel_note(const struct kernel *k, int quiet);
/* A member `kernel`. */
void kernel_json(struct json *j, const struct kernel *k);

/* The same of a session as it is now. */
void kernel_print_now(const struct host *h, u32 indent);
void kernel_note_now(const struct host *h);
void kernel_json_now(struct json *j, const struct host *h);

#endif
