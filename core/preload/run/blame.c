/*
 * blame.c - reports of debugging as the program runs: the core's text, and which code of the program had the object.
 *
 * A table has two call sites for each 16 bytes of memory: who allocated and who freed the object that begins there.
 * Behind a request that is smaller than its object the rest is filled with the byte of an active red zone, and looked at
 * when the object is freed, as the kernel does for kmalloc.
 *
 * A call site is named without our lock: naming waits for the dynamic linker, which allocates under a lock of its own.
 */
#define _GNU_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	GRANULE = 16,
	ADDRESS_BITS = 48,
	MOST_ASKED = 0xffff,
	REST_BYTE = 0xcc,
	MOST_REPORTS = 1000
};

struct owner {
	u64 allocated; /* call site; above it the bytes asked for */
	u64 freed;
};

static struct {
	struct owner *owners; /* NULL: no memory for them */
	u32 seen;	      /* reports of the core that were printed */
	u32 printed;
	u32 is_red;
	struct blamed rest; /* of the object that is being freed */
} blame;

void blame_begin(void)
{
	void *p = mmap(NULL, run.memory_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	blame.owners = p == MAP_FAILED ? NULL : p;
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
	if (blame.is_red && bytes && bytes < MOST_ASKED && usable > bytes)
		memset((u8 *)p + bytes, REST_BYTE, usable - bytes);
}

/* Notes that the rest behind a request was overwritten; the core knows only whole objects. */
static void check_rest(const u8 *p, u32 asked, const struct owner *o)
{
	u32 usable = kmem_usable(run.session, p), first = asked, last = usable, slab, index, nr;

	while (first < last && p[first] == REST_BYTE)
		first++;
	while (last > first && p[last - 1] == REST_BYTE)
		last--;
	u32 cache = first < last ? kmem_pointed(run.session, p, &slab, &index) : KMEM_NONE;
	if (cache == KMEM_NONE)
		return;
	const struct kmem_cache_row *rows = kmem_cache_rows(run.session, &nr);
	const char *name = cache < nr ? (const char *)run.session + rows[cache].name_at : "kmalloc";
	u64 at = (u64)(p - run.memory);
	blame.rest.allocated = allocated_by(o);
	blame.rest.freed = NULL;
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

void blame_take(struct blamed *out, u32 *nr)
{
	u32 kept, all;
	const struct kmem_bug *bugs = kmem_reports(run.session, &kept, &all);
	struct kmem_bug bug;

	*nr = 0;
	if (blame.rest.text[0])
		out[(*nr)++] = blame.rest;
	blame.rest.text[0] = 0;
	for (u32 i = blame.seen; i < kept && *nr < MOST_BLAMED; i++) {
		struct blamed *b = &out[(*nr)++];
		/* The rows last until the next call. */
		bugs = kmem_reports(run.session, &kept, &all);
		bug = bugs[i];
		const struct owner *o = owner_of(run.memory + bug.address);
		b->allocated = o ? allocated_by(o) : NULL;
		b->freed = o ? (site)(uintptr_t)o->freed : NULL;
		bug.alloc_op = bug.free_op = KMEM_NONE32;
		snprintf(b->text, sizeof(b->text), "%s", kmem_report_text(run.session, &bug));
	}
	blame.seen = all;
	if (run.result)
		__atomic_fetch_add(&run.result->reports, *nr, __ATOMIC_RELAXED);
}

static void add_site(char *text, size_t room, const char *what, site from)
{
	Dl_info info;
	size_t len = strlen(text);

	if (!from)
		return;
	/* The address is the one behind the call. */
	const u8 *call = (const u8 *)from - 1;
	if (!dladdr(call, &info) || !info.dli_fname) {
		snprintf(text + len, room - len, "\n  %s %p", what, from);
		return;
	}
	const char *slash = strrchr(info.dli_fname, '/');
	const char *file = slash ? slash + 1 : info.dli_fname;
	unsigned long at = (unsigned long)((const u8 *)from - (const u8 *)info.dli_fbase);
	if (info.dli_sname)
		snprintf(text + len, room - len, "\n  %s %s+0x%lx [%s+0x%lx]", what, info.dli_sname,
			 (unsigned long)((const u8 *)from - (const u8 *)info.dli_saddr), file, at);
	else
		snprintf(text + len, room - len, "\n  %s %s+0x%lx", what, file, at);
}

void blame_print(const struct blamed *reports, u32 nr, site from)
{
	char text[sizeof(reports->text) + 1024];

	for (u32 i = 0; i < nr; i++) {
		u32 printed = __atomic_add_fetch(&blame.printed, 1, __ATOMIC_RELAXED);
		if (printed == MOST_REPORTS)
			preload_complain("further reports are not printed");
		if (printed >= MOST_REPORTS)
			return;
		snprintf(text, sizeof(text), "%s", reports[i].text);
		add_site(text, sizeof(text), "Allocated by", reports[i].allocated);
		add_site(text, sizeof(text), "Freed by", reports[i].freed);
		add_site(text, sizeof(text), "Found in a call by", from);
		size_t len = strlen(text);
		text[len] = '\n';
		preload_write(STDERR_FILENO, text, len + 1);
	}
}
