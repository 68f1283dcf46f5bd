/*
 * elf_file.c - see elf_file.h.
 */
#define _GNU_SOURCE
#include "preload/elf_file.h"

#ifdef __linux__
#include <elf.h>
#endif
#include <sys/mman.h>
#include <sys/stat.h>

#ifdef __linux__

/* Returns len bytes of the file at an offset; NULL if they are not there. */
static const void *at(const struct elf_file *elf, u64 offset, u64 len)
{
	return offset <= elf->len_bytes && len <= elf->len_bytes - offset ? elf->file + offset
									  : NULL;
}

static const Elf64_Ehdr *header_of(const struct elf_file *elf)
{
	const u16 one = 1;
	const Elf64_Ehdr *h = at(elf, 0, sizeof(*h));
	const u8 order = *(const u8 *)&one ? ELFDATA2LSB : ELFDATA2MSB;

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != order)
		return NULL;
	return h;
}

/* Tables of a file may start at odd offsets, so rows are copied. */
static int read_section(const struct elf_file *elf, const Elf64_Ehdr *h, u32 i, Elf64_Shdr *s)
{
	const void *row = i < h->e_shnum && h->e_shentsize == sizeof(*s)
				  ? at(elf, h->e_shoff, (u64)h->e_shnum * sizeof(*s))
				  : NULL;

	if (row)
		memcpy(s, (const u8 *)row + (u64)i * sizeof(*s), sizeof(*s));
	return row != NULL;
}

static void find_symbols(struct elf_file *elf)
{
	const Elf64_Ehdr *h = header_of(elf);
	const u32 types[] = { SHT_SYMTAB, SHT_DYNSYM };
	Elf64_Shdr table, strings;

	for (u32 k = 0; h && k < ARRAY_SIZE(types) && !elf->nr_rows; k++) {
		for (u32 i = 0; i < h->e_shnum && !elf->nr_rows; i++) {
			if (!read_section(elf, h, i, &table) || table.sh_type != types[k] ||
			    !read_section(elf, h, table.sh_link, &strings))
				continue;
			elf->rows = at(elf, table.sh_offset, table.sh_size);
			elf->names = at(elf, strings.sh_offset, strings.sh_size);
			elf->names_bytes = strings.sh_size;
			elf->nr_rows = elf->rows && elf->names ? table.sh_size / sizeof(Elf64_Sym)
							       : 0;
		}
	}
}

int elf_function(const struct elf_file *elf, u64 i, struct elf_symbol *function)
{
	Elf64_Sym s;

	memcpy(&s, elf->rows + i * sizeof(s), sizeof(s));
	u32 type = ELF64_ST_TYPE(s.st_info);
	const u8 *name = elf->names + s.st_name;
	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !s.st_value || s.st_shndx == SHN_UNDEF ||
	    s.st_name >= elf->names_bytes || !*name ||
	    /* A name ends inside its table of names. */
	    !memchr(name, 0, elf->names_bytes - s.st_name))
		return 0;
	*function = (struct elf_symbol){ s.st_value, s.st_size, (const char *)name };
	return 1;
}

u64 elf_address(const struct elf_file *elf, u64 offset)
{
	const Elf64_Ehdr *h = elf->file ? header_of(elf) : NULL;
	const u8 *rows = h && h->e_phentsize == sizeof(Elf64_Phdr)
				 ? at(elf, h->e_phoff, (u64)h->e_phnum * sizeof(Elf64_Phdr))
				 : NULL;

	for (u32 i = 0; rows && i < h->e_phnum; i++) {
		Elf64_Phdr p;
		memcpy(&p, rows + (u64)i * sizeof(p), sizeof(p));
		if (p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz)
			return offset - p.p_offset + p.p_vaddr;
	}
	return offset;
}

#else

static void find_symbols(struct elf_file *elf)
{
	(void)elf;
}

int elf_function(const struct elf_file *elf, u64 i, struct elf_symbol *function)
{
	(void)elf;
	(void)i;
	(void)function;
	return 0;
}

u64 elf_address(const struct elf_file *elf, u64 offset)
{
	(void)elf;
	return offset;
}

#endif

void elf_map(struct elf_file *elf, int fd)
{
	struct stat st;

	*elf = (struct elf_file){ 0 };
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return;
	elf->file = file;
	elf->len_bytes = (u64)st.st_size;
	find_symbols(elf);
}

void elf_unmap(struct elf_file *elf)
{
	if (elf->file)
		munmap((void *)(uintptr_t)elf->file, elf->len_bytes);
}
