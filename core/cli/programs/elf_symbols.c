/*
 * elf_symbols.c - reads the symbol table of an ELF file: .symtab, or else .dynsym.
 *
 * The file may be any file that a program has mapped. Each offset is checked against its length, so a damaged file has
 * fewer symbols.
 */
#define _GNU_SOURCE
#include "cli/programs/elf_symbols.h"

#ifdef __linux__
#include <elf.h>
#endif
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__

/* len bytes of the file at an offset; NULL if it does not have them. */
static const void *at(const struct elf_symbols *elf, u64 offset, u64 len)
{
	return offset <= elf->len_bytes && len <= elf->len_bytes - offset ? elf->file + offset
									  : NULL;
}

static const Elf64_Ehdr *header_of(const struct elf_symbols *elf)
{
	const u16 one = 1;
	const Elf64_Ehdr *h = at(elf, 0, sizeof(*h));
	const u8 order = *(const u8 *)&one ? ELFDATA2LSB : ELFDATA2MSB;

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != order)
		return NULL;
	return h;
}

/* Tables of a file may begin at odd offsets, so rows are copied. */
static int read_section(const struct elf_symbols *elf, const Elf64_Ehdr *h, u32 i, Elf64_Shdr *s)
{
	const void *row = i < h->e_shnum && h->e_shentsize == sizeof(*s)
				  ? at(elf, h->e_shoff, (u64)h->e_shnum * sizeof(*s))
				  : NULL;

	if (row)
		memcpy(s, (const u8 *)row + (u64)i * sizeof(*s), sizeof(*s));
	return row != NULL;
}

/* Lower is better: `malloc` before `__libc_malloc`. */
static int compare_names(const char *a, const char *b)
{
	size_t x = strspn(a, "_"), y = strspn(b, "_");

	if (x != y)
		return x < y ? -1 : 1;
	return strcmp(a, b);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return compare_names(x->name, y->name);
}

/* A name ends inside its table of names. */
static const char *name_at(const u8 *names, u64 names_bytes, u64 offset)
{
	if (!names || offset >= names_bytes || !names[offset] ||
	    !memchr(names + offset, 0, names_bytes - offset))
		return NULL;
	return (const char *)names + offset;
}

static void read_symbols(struct elf_symbols *elf, const Elf64_Shdr *table,
			 const Elf64_Shdr *strings)
{
	u64 nr = table->sh_size / sizeof(Elf64_Sym);
	const u8 *rows = at(elf, table->sh_offset, nr * sizeof(Elf64_Sym));
	const u8 *names = at(elf, strings->sh_offset, strings->sh_size);

	if (!rows || !names || nr > 1u << 28)
		return;
	elf->symbols = calloc(nr + 1, sizeof(*elf->symbols));
	for (u64 i = 0; elf->symbols && i < nr; i++) {
		Elf64_Sym s;
		memcpy(&s, rows + i * sizeof(s), sizeof(s));
		const char *name = name_at(names, strings->sh_size, s.st_name);
		u32 type = ELF64_ST_TYPE(s.st_info);
		if (name && s.st_value && s.st_shndx != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC))
			elf->symbols[elf->nr_symbols++] = (struct elf_symbol){ s.st_value,
									       s.st_size, name };
	}
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

static void read_file(struct elf_symbols *elf)
{
	const Elf64_Ehdr *h = header_of(elf);
	Elf64_Shdr section, strings;

	for (u32 type = SHT_SYMTAB; h && !elf->nr_symbols;
	     type = type == SHT_SYMTAB ? SHT_DYNSYM : SHT_NULL) {
		for (u32 i = 0; type && i < h->e_shnum && !elf->nr_symbols; i++) {
			if (!read_section(elf, h, i, &section) || section.sh_type != type ||
			    !read_section(elf, h, section.sh_link, &strings))
				continue;
			free(elf->symbols);
			elf->symbols = NULL;
			read_symbols(elf, &section, &strings);
		}
		if (!type)
			break;
	}
	sort_symbols(elf);
}

u64 elf_address(const struct elf_symbols *elf, u64 offset)
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

static void read_file(struct elf_symbols *elf)
{
	(void)elf;
}

u64 elf_address(const struct elf_symbols *elf, u64 offset)
{
	(void)elf;
	return offset;
}

#endif

void elf_open(struct elf_symbols *elf, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*elf = (struct elf_symbols){ 0 };
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			elf->file = file;
			elf->len_bytes = (u64)st.st_size;
			read_file(elf);
		}
	}
	close(fd);
}

const struct elf_symbol *elf_find(const struct elf_symbols *elf, u64 address)
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
	/* Between two functions there is code of others: those of a stripped file have no symbols. */
	return s && address - s->address < s->size_bytes ? s : NULL;
}

void elf_close(struct elf_symbols *elf)
{
	if (elf->file)
		munmap((void *)(uintptr_t)elf->file, elf->len_bytes);
	free(elf->symbols);
}
