/*
 * blame.c - reports of debugging as the program runs: the core's text, and which code of the program owned the object.
 *
 * A table has two call sites for each 16 bytes of memory: who allocated and who freed the object that starts there.
 * After a request that is smaller than its object the rest is filled with the byte of an active red zone. We check it
 * when the object is freed, as the kernel does for kmalloc, or at the end of the program.
 */
#define _GNU_SOURCE
#include "preload/run/run.h"
#include "preload/elf_file.h"
#include "preload/preload.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	GRANULE = 16,
	ADDRESS_BITS = 48,
	MOST_ASKED = 0xffff,
	REST_BYTE = 0xcc,
	CHUNK_BYTES = 1 << 20,
	MOST_ROUNDS = 64
};

struct owner {
	u64 allocated; /* call site; above it the bytes asked for */
	u64 freed;
};

static struct {
	struct owner *owners; /* NULL: not enough memory for them */
	u8 *used;	      /* a byte for each chunk of memory: it has had an owner */
	u64 checked_bytes;    /* how much memory is checked, at the end of the program */
	u32 rounds;	      /* rounds of checking all objects */
	u32 seen;	      /* reports of the core that were taken */
	u32 is_red;
	struct blamed rest; /* the damage after the object that is being freed */
} blame;

void blame_begin(void)
{
	u64 owners = ALIGN_UP(run.memory_bytes, (u64)CHUNK_BYTES) / GRANULE * sizeof(struct owner);
	void *p = mmap(NULL, owners + run.memory_bytes / CHUNK_BYTES + 1, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	blame.owners = p == MAP_FAILED ? NULL : p;
	blame.used = (u8 *)blame.owners + owners;
	blame.is_red = strcmp(kmem_param(run.session, "red_zone"), "on") == 0;
}

static struct owner *owner_of(const void *p)
{
	u64 at = (u64)((const u8 *)p - run.memory);

	return blame.owners && at < run.memory_bytes ? &blame.owners[at / GRANULE] : NULL;
}

static site allocated_by(const struct owner *o)
{
	return (site)(uintptr_t)(o->allocated & (((u64)1 << ADDRESS_BITS) - 1));
}

void blame_alloc(void *p, u32 bytes, site from)
{
	struct owner *o = owner_of(p);
	u32 usable = kmem_usable(run.session, p);

	if (!o || ((uintptr_t)p & (GRANULE - 1)))
		return;
	o->allocated = (u64)(uintptr_t)from | (u64)MIN(bytes, (u32)MOST_ASKED) << ADDRESS_BITS;
	o->freed = 0;
	blame.used[(u64)((u8 *)p - run.memory) / CHUNK_BYTES] = 1;
	if (blame.is_red && bytes && bytes < MOST_ASKED && usable > bytes)
		memset((u8 *)p + bytes, REST_BYTE, usable - bytes);
}

static const char *name_cache(struct blamed *b, u32 cache)
{
	u32 nr;
	const struct kmem_cache_row *rows = kmem_cache_rows(run.session, &nr);

	snprintf(b->cache, sizeof(b->cache), "%s",
		 cache < nr ? (const char *)run.session + rows[cache].name_at : "kmalloc");
	return b->cache;
}

/* Notes that the rest after a request was overwritten; the core knows only whole objects. */
static void check_rest(const u8 *p, u32 asked, const struct owner *o)
{
	u32 usable = kmem_usable(run.session, p), first = asked, last = usable, slab, index;

	while (first < last && p[first] == REST_BYTE)
		first++;
	while (last > first && p[last - 1] == REST_BYTE)
		last--;
	u32 cache = first < last ? kmem_pointed(run.session, p, &slab, &index) : KMEM_NONE;
	if (cache == KMEM_NONE)
		return;
	u64 at = (u64)(p - run.memory);
	blame.rest = (struct blamed){ .allocated = allocated_by(o), .requested = asked };
	blame.rest.bug = (struct kmem_bug){ .op = kmem_position(run.session),
					    .cache = cache,
					    .slab = slab,
					    .index = index,
					    .address = at,
					    .fault = at + first,
					    .len = last - first,
					    .found = p[first],
					    .expected = REST_BYTE };
	const char *name = name_cache(&blame.rest, cache);
	snprintf(blame.rest.text, sizeof(blame.rest.text),
		 "BUG %s: kmalloc Redzone overwritten\n"
		 "  0x%016llx-0x%016llx. First byte 0x%02x instead of 0x%02x\n"
		 "  Requested %u bytes of %u\n"
		 "  Slab %u\n"
		 "  Object %u at 0x%016llx",
		 name, (unsigned long long)(at + first), (unsigned long long)(at + last - 1),
		 p[first], REST_BYTE, asked, usable, slab, index, (unsigned long long)at);
}

void blame_free(void *p, site from)
{
	struct owner *o = owner_of(p);

	if (!o || (uintptr_t)p & (GRANULE - 1))
		return;
	u32 asked = (u32)(o->allocated >> ADDRESS_BITS);
	if (!kmem_asked(run.session, p))
		return;
	o->freed = (u64)(uintptr_t)from;
	if (blame.is_red && asked && asked < MOST_ASKED)
		check_rest(p, asked, o);
}

u64 blame_usable(const void *p)
{
	const struct owner *o = owner_of(p);
	u32 usable = kmem_usable(run.session, p),
	    asked = o && usable ? (u32)(o->allocated >> ADDRESS_BITS) : 0;

	return blame.is_red && asked && asked < MOST_ASKED ? asked : usable;
}

static u32 nr_reports(void)
{
	u32 nr, all;

	kmem_reports(run.session, &nr, &all);
	return all;
}

int blame_is_due(void)
{
	return blame.rest.text[0] || nr_reports() != blame.seen;
}

/* Takes a report of the core. */
static void take_bug(struct blamed *b, struct kmem_bug bug)
{
	struct owner *o = owner_of(run.memory + bug.address);

	/* A refused free is not a free. */
	if (o && bug.refused && bug.check != CHECK_ALREADY_FREE)
		o->freed = 0;
	*b = (struct blamed){ .allocated = o ? allocated_by(o) : NULL,
			      .freed = o ? (site)(uintptr_t)o->freed : NULL };
	bug.alloc_op = bug.free_op = KMEM_NONE32;
	snprintf(b->text, sizeof(b->text), "%s", kmem_report_text(run.session, &bug));
	name_cache(b, bug.cache);
	b->bug = bug;
}

void blame_take(struct blamed *out, u32 *nr)
{
	u32 kept = 0, all = 0, lost = 0;

	*nr = 0;
	if (blame.rest.text[0])
		out[(*nr)++] = blame.rest;
	blame.rest.text[0] = 0;
	while (*nr < MOST_BLAMED && blame.seen < nr_reports()) {
		/* The rows last until the next call. */
		const struct kmem_bug *bugs = kmem_reports(run.session, &kept, &all);
		if (blame.seen < kept) {
			take_bug(&out[(*nr)++], bugs[blame.seen++]);
			continue;
		}
		lost = all - blame.seen;
		blame.seen = all;
	}
	if (run.result)
		__atomic_fetch_add(&run.result->reports, *nr + lost, __ATOMIC_RELAXED);
}

/* Finds the next live object after whose request something was written. */
static void check_next_rest(void)
{
	while (blame.is_red && blame.owners && blame.checked_bytes < run.memory_bytes &&
	       !blame.rest.text[0]) {
		u64 at = blame.checked_bytes;
		if (at % CHUNK_BYTES == 0 && !blame.used[at / CHUNK_BYTES]) {
			blame.checked_bytes += CHUNK_BYTES;
			continue;
		}
		const struct owner *o = &blame.owners[at / GRANULE];
		u32 asked = (u32)(o->allocated >> ADDRESS_BITS);
		blame.checked_bytes += GRANULE;
		if (asked && asked < MOST_ASKED && kmem_asked(run.session, run.memory + at))
			check_rest(run.memory + at, asked, o);
	}
}

void blame_check_all(void)
{
	/* A round finds one fault in each slab and repairs it. */
	if (!blame_is_due() && blame.rounds < MOST_ROUNDS) {
		blame.rounds = blame.rounds + 1;
		kmem_validate(run.session);
		if (!blame_is_due())
			blame.rounds = MOST_ROUNDS;
	}
	if (!blame_is_due())
		check_next_rest();
}

/*
 * The function at an address of a file, by the file's whole table of symbols: the dynamic linker knows only exported
 * ones.
 */
static int function_at(const char *path, u64 address, char *name, size_t room, u64 *start)
{
	struct elf_file elf;
	struct elf_symbol s;
	u64 i = 0;
	int fd = preload_open(path, O_RDONLY | O_NONBLOCK);

	elf_map(&elf, fd);
	preload_close(fd);
	while (i < elf.nr_rows &&
	       !(elf_function(&elf, i, &s) && address - s.address < s.size_bytes))
		i++;
	int is_found = i < elf.nr_rows;
	if (is_found) {
		snprintf(name, room, "%s", s.name);
		*start = s.address;
	}
	elf_unmap(&elf);
	return is_found;
}

/*
 * Names the calls of a report, prints it, and leaves it for the command.
 *
 * Without our lock: naming waits for the dynamic linker, which allocates while it holds its own lock.
 */

enum { MOST_REPORTS = 1000, FUNCTION_BYTES = 128 };

static u32 printed;

/* The name the program was started by may be meaningless in its current folder. */
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
	/* If a program is not position-independent, its addresses match its file's. */
	s.address = ((const Elf64_Ehdr *)info.dli_fbase)->e_type == ET_EXEC ? (u64)(uintptr_t)call
									    : (u64)(call - base);
	unsigned long at = (unsigned long)s.address;
	if (function_at(s.file, s.address, function, sizeof(function), &start))
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
