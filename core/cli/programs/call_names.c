/*
 * call_names.c - names call sites by modules and their symbols. Each address is looked up once.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/programs/call_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/programs/elf_symbols.h"

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

/* The module that was learnt last wins: a library may be loaded where another one was. */
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
	u64 at = elf_address(elf, address - m->start + m->offset);
	/* The address is the one behind the call, and a call may be the last thing that a function does. */
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
	for (u32 i = 0; i < names->nr_files; i++)
		elf_close(&names->files[i].elf);
	free(names->calls);
	free(names->order);
	free(names);
}
