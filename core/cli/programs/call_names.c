/*
 * call_names.c - the names of calls in recorded programs, by the symbols of the files that they have mapped.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/programs/record.h"
#include "preload/elf_file.h"

/* Symbols of a file */

struct elf_symbols {
	struct elf_file of;
	struct elf_symbol *symbols; /* by address, each address once */
	u32 nr_symbols;
};

/* At the same address the better name comes first: `malloc` before `__libc_malloc`. */
static int compare_symbols(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;
	size_t marks = strspn(x->name, "_"), others = strspn(y->name, "_");

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (marks != others)
		return marks < others ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void sort_symbols(struct elf_symbols *elf)
{
	u32 kept = 0;

	if (!elf->nr_symbols)
		return;
	qsort(elf->symbols, elf->nr_symbols, sizeof(*elf->symbols), compare_symbols);
	for (u32 i = 1; i < elf->nr_symbols; i++)
		if (elf->symbols[i].address != elf->symbols[kept].address)
			elf->symbols[++kept] = elf->symbols[i];
	elf->nr_symbols = kept + 1;
}

static void elf_open(struct elf_symbols *elf, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*elf = (struct elf_symbols){ 0 };
	elf_map(&elf->of, fd);
	if (fd >= 0)
		close(fd);
	if (elf->of.nr_rows && elf->of.nr_rows <= 1u << 28)
		elf->symbols = calloc(elf->of.nr_rows, sizeof(*elf->symbols));
	for (u64 i = 0; elf->symbols && i < elf->of.nr_rows; i++)
		elf->nr_symbols += (u32)elf_function(&elf->of, i, &elf->symbols[elf->nr_symbols]);
	sort_symbols(elf);
}

static const struct elf_symbol *elf_find(const struct elf_symbols *elf, u64 address)
{
	u32 low = 0, high = elf->nr_symbols;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (elf->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct elf_symbol *s = low ? &elf->symbols[low - 1] : NULL;
	/* The gap between two functions may be code of others, because functions of a stripped file have no symbols. */
	return s && address - s->address < s->size_bytes ? s : NULL;
}

/* Names */

enum { FIRST_SLOTS = 1024, MAX_FILES = 4096 };

struct named_call {
	u64 key; /* image and address; 0: free */
	char *name;
};

/* A file of one or several modules. */
struct named_file {
	const char *path;
	struct elf_symbols elf;
};

struct call_names {
	struct call_modules all;
	u64 *order;		  /* image << 32 and a module's number, sorted */
	struct named_call *calls; /* open addressing, a power of two of slots */
	u32 nr_calls, nr_slots;
	struct named_file files[MAX_FILES];
	u32 nr_files;
};

static int compare_order(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct call_names *call_names_open(const struct call_modules *modules)
{
	struct call_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->all = *modules;
	names->nr_slots = FIRST_SLOTS;
	names->calls = calloc(FIRST_SLOTS, sizeof(*names->calls));
	names->order = calloc(modules->nr_modules + 1ul, sizeof(*names->order));
	if (!names->calls || !names->order) {
		call_names_close(names);
		return NULL;
	}
	for (u32 i = 0; i < modules->nr_modules; i++)
		names->order[i] = (u64)modules->modules[i].image << 32 | i;
	qsort(names->order, modules->nr_modules, sizeof(*names->order), compare_order);
	return names;
}

static struct named_call *slot_of(struct call_names *names, u64 key)
{
	u64 i = key * 0x9e3779b97f4a7c15ull >> 32;

	for (;; i++) {
		struct named_call *slot = &names->calls[i % names->nr_slots];
		if (!slot->key || slot->key == key)
			return slot;
	}
}

static int grow(struct call_names *names)
{
	struct named_call *old = names->calls;
	u32 nr = names->nr_slots;
	struct named_call *more = calloc(2ul * nr, sizeof(*more));

	if (!more)
		return 0;
	names->calls = more;
	names->nr_slots = 2 * nr;
	for (u32 i = 0; i < nr; i++)
		if (old[i].key)
			*slot_of(names, old[i].key) = old[i];
	free(old);
	return 1;
}

/* How many modules belong to images below this one. */
static u32 modules_below(const struct call_names *names, u64 image)
{
	u32 from = 0, to = names->all.nr_modules;

	while (from < to) {
		u32 middle = from + (to - from) / 2;
		if (names->order[middle] >> 32 < image)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The last module wins: a library may be loaded where another one was. */
static const struct record_module *module_in(const struct call_names *names, u32 image, u64 address)
{
	u32 first = modules_below(names, image);

	for (u32 i = modules_below(names, (u64)image + 1); i-- > first;) {
		const struct record_module *m = &names->all.modules[(u32)names->order[i]];
		if (address >= m->start && address < m->end)
			return m;
	}
	return NULL;
}

/* A child of fork has the modules of its parent too. */
static const struct record_module *module_of(const struct call_names *names, u32 image, u64 address)
{
	for (;;) {
		const struct record_module *m = module_in(names, image, address);
		u32 parent = image < names->all.nr_images ? names->all.images[image].parent : 0;
		if (m || !parent || parent > image)
			return m;
		image = parent - 1;
	}
}

static const struct elf_symbols *symbols_of(struct call_names *names, const char *path)
{
	static const struct elf_symbols none;
	u32 i = 0;

	while (i < names->nr_files && strcmp(names->files[i].path, path) != 0)
		i++;
	if (i == MAX_FILES)
		return &none;
	if (i == names->nr_files) {
		names->files[names->nr_files++].path = path;
		elf_open(&names->files[i].elf, path);
	}
	return &names->files[i].elf;
}

static void write_name(struct call_names *names, u32 image, u64 address, char out[CALL_NAME_BYTES])
{
	const struct record_module *m = module_of(names, image, address);

	if (!m || m->path[0] != '/' || !memchr(m->path, 0, sizeof(m->path))) {
		snprintf(out, CALL_NAME_BYTES, "0x%llx", (unsigned long long)address);
		return;
	}
	const char *base = strrchr(m->path, '/') + 1;
	const struct elf_symbols *elf = symbols_of(names, m->path);
	u64 at = elf_address(&elf->of, address - m->start + m->offset);
	/* The address is the one after the call, and a call may be the last thing that a function does. */
	const struct elf_symbol *s = elf_find(elf, at - 1);
	if (s)
		snprintf(out, CALL_NAME_BYTES, "%.150s+0x%llx%s%.60s%s", s->name,
			 (unsigned long long)(at - s->address), m->is_program ? "" : "[",
			 m->is_program ? "" : base, m->is_program ? "" : "]");
	else
		snprintf(out, CALL_NAME_BYTES, "%.150s+0x%llx", base, (unsigned long long)at);
}

const char *call_name(struct call_names *names, u32 image, u64 address)
{
	char text[CALL_NAME_BYTES];
	u64 key = address | (u64)(image + 1) << 48;
	struct named_call *slot = slot_of(names, key);

	if (slot->key)
		return slot->name;
	if (2 * (names->nr_calls + 1) > names->nr_slots) {
		if (!grow(names))
			return "";
		slot = slot_of(names, key);
	}
	write_name(names, image, address, text);
	/* Words of slabtrace have no blanks; a file's name may have any. */
	for (char *p = text; *p; p++)
		if ((u8)*p <= ' ' || *p == '%' || *p == 0x7f)
			*p = '_';
	char *name = strdup(text);
	if (!name)
		return "";
	*slot = (struct named_call){ key, name };
	names->nr_calls++;
	return name;
}

void call_names_close(struct call_names *names)
{
	if (!names)
		return;
	for (u32 i = 0; names->calls && i < names->nr_slots; i++)
		free(names->calls[i].name);
	for (u32 i = 0; i < names->nr_files; i++) {
		elf_unmap(&names->files[i].elf.of);
		free(names->files[i].elf.symbols);
	}
	free(names->calls);
	free(names->order);
	free(names);
}
