/*
 * blame_print.c - names the calls of a report, prints it, and leaves it for the command.
 *
 * Without our lock: naming waits for the dynamic linker, which allocates under a lock of its own.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MOST_REPORTS = 1000, FUNCTION_BYTES = 128 };

static u32 printed;

/* The name that the program was started by may say nothing in the folder where it is now. */
static void path_of(const Dl_info *info, char *path, size_t room)
{
	u64 head = (u64)getauxval(AT_PHDR) - (u64)(uintptr_t)info->dli_fbase;
	ssize_t len = head < sizeof(Elf64_Ehdr) + 1 ? readlink("/proc/self/exe", path, room - 1)
						    : -1;

	if (len > 0)
		path[len] = 0;
	else
		snprintf(path, room, "%s", info->dli_fname);
}

/* Names the call that returns to an address. */
static struct run_site name_site(site from)
{
	struct run_site s = { 0 };
	char function[FUNCTION_BYTES];
	const u8 *call = (const u8 *)from - 1;
	u64 start;
	Dl_info info;

	if (!from)
		return s;
	if (!dladdr(call, &info) || !info.dli_fname) {
		snprintf(s.name, sizeof(s.name), "%p", (const void *)call);
		return s;
	}
	path_of(&info, s.file, sizeof(s.file));
	const char *slash = strrchr(s.file, '/'), *file = slash ? slash + 1 : s.file;
	const u8 *base = info.dli_fbase;
	/* The addresses of a program that is not position-independent are those of its file. */
	s.address = ((const Elf64_Ehdr *)info.dli_fbase)->e_type == ET_EXEC ? (u64)(uintptr_t)call
									    : (u64)(call - base);
	unsigned long at = (unsigned long)s.address;
	if (symtab_find(s.file, s.address, function, sizeof(function), &start))
		snprintf(s.name, sizeof(s.name), "%s+0x%lx [%.64s+0x%lx]", function,
			 (unsigned long)(s.address - start), file, at);
	else if (info.dli_sname)
		snprintf(s.name, sizeof(s.name), "%.127s+0x%lx [%.64s+0x%lx]", info.dli_sname,
			 (unsigned long)(call - (const u8 *)info.dli_saddr), file, at);
	else
		snprintf(s.name, sizeof(s.name), "%.200s+0x%lx", file, at);
	return s;
}

static void add_site(struct run_report *r, const char *what, const struct run_site *s)
{
	size_t len = strlen(r->text);

	if (s->name[0])
		snprintf(r->text + len, sizeof(r->text) - len, "\n  %s %s", what, s->name);
}

static void leave_for_command(const struct run_report *r)
{
	int error = errno, fd = preload_open_keyed(run.reports_path, run.key, O_APPEND);

	if (fd >= 0)
		preload_write(fd, r, sizeof(*r));
	preload_close(fd);
	errno = error;
}

static void print(const struct blamed *b, site from)
{
	struct run_report r = {
		.bug = b->bug,
		.requested = b->requested,
		.allocated = name_site(b->allocated),
		.freed = name_site(b->freed),
		.found = name_site(from),
	};

	snprintf(r.cache, sizeof(r.cache), "%s", b->cache);
	snprintf(r.text, sizeof(r.text), "%s", b->text);
	add_site(&r, "Allocated by", &r.allocated);
	add_site(&r, "Freed by", &r.freed);
	add_site(&r, "Found in a call by", &r.found);
	size_t len = strlen(r.text);
	if (!from)
		len += (size_t)snprintf(r.text + len, sizeof(r.text) - len,
					"\n  Found at the end of the program");
	len = MIN(len, sizeof(r.text) - 1);
	leave_for_command(&r);
	r.text[len] = '\n';
	preload_write(STDERR_FILENO, r.text, len + 1);
}

void blame_print(const struct blamed *reports, u32 nr, site from)
{
	for (u32 i = 0; i < nr; i++) {
		u32 before = __atomic_fetch_add(&printed, 1, __ATOMIC_RELAXED);
		if (before == MOST_REPORTS)
			preload_complain("further reports are not printed");
		if (before < MOST_REPORTS)
			print(&reports[i], from);
	}
}
