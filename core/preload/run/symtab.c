/*
 * symtab.c - the function at an address of a file, by the file's whole table of symbols: the dynamic linker knows only those that a
 * file exports. The file is mapped, and every number in it is checked.
 */
#define _DEFAULT_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct image {
	const u8 *at;
	u64 bytes;
};

/* That many bytes of the file, NULL if it is shorter. */
static const void *part(const struct image *file, u64 from, u64 bytes)
{
	return from <= file->bytes && bytes <= file->bytes - from ? file->at + from : NULL;
}

/* The n-th section, of that type or any (0). */
static int section(const struct image *file, u32 n, u32 type, Elf64_Shdr *out)
{
	Elf64_Ehdr head;

	memcpy(&head, file->at, sizeof(head));
	const void *p = n < head.e_shnum && head.e_shentsize == sizeof(*out)
				? part(file, head.e_shoff, (n + 1ull) * sizeof(*out))
				: NULL;
	if (!p)
		return 0;
	memcpy(out, (const u8 *)p + n * sizeof(*out), sizeof(*out));
	return !type || out->sh_type == type;
}

static int find(const struct image *file, u64 address, char *name, size_t room, u64 *start)
{
	Elf64_Shdr symbols, strings;
	u32 n = 0;

	while (n < 0xffff && !section(file, n, SHT_SYMTAB, &symbols))
		n++;
	if (n == 0xffff || !section(file, symbols.sh_link, SHT_STRTAB, &strings))
		return 0;
	const u8 *rows = part(file, symbols.sh_offset, symbols.sh_size);
	const char *names = part(file, strings.sh_offset, strings.sh_size);
	for (u64 i = 0; rows && names && i < symbols.sh_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym s;
		memcpy(&s, rows + i * sizeof(s), sizeof(s));
		if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || address - s.st_value >= s.st_size ||
		    s.st_name >= strings.sh_size)
			continue;
		snprintf(name, room, "%.*s", (int)MIN(strings.sh_size - s.st_name, (u64)room),
			 names + s.st_name);
		*start = s.st_value;
		return 1;
	}
	return 0;
}

int symtab_find(const char *path, u64 address, char *name, size_t room, u64 *start)
{
	int fd = preload_open(path, O_RDONLY), found = 0;
	struct stat size;

	if (fd < 0)
		return 0;
	if (fstat(fd, &size) == 0 && (u64)size.st_size >= sizeof(Elf64_Ehdr)) {
		struct image file = { NULL, (u64)size.st_size };
		void *p = mmap(NULL, file.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		file.at = p;
		if (p != MAP_FAILED) {
			found = memcmp(p, ELFMAG, SELFMAG) == 0 &&
				file.at[EI_CLASS] == ELFCLASS64 &&
				find(&file, address, name, room, start);
			munmap(p, file.bytes);
		}
	}
	preload_close(fd);
	return found;
}
