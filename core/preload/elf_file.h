/*
 * elf_file.h - the functions of a program or library: a 64-bit ELF file of this machine's byte order.
 *
 * The file may be any file that a program has mapped. It is mapped and each offset is checked against its length, so a
 * damaged file only has fewer symbols. It allocates nothing, because the library inside the program also uses it to
 * name calls.
 */
#ifndef PRELOAD_ELF_FILE_H
#define PRELOAD_ELF_FILE_H

#include "kmem_types.h"

struct elf_file {
	const u8 *file; /* NULL: it cannot be read */
	u64 len_bytes;
	const u8 *rows,
		*names; /* its table of symbols, .symtab or else .dynsym, and their names; NULL: none */
	u64 nr_rows, names_bytes;
};

struct elf_symbol {
	u64 address, size_bytes;
	const char *name; /* points into the mapped file */
};

/* A file that is not ELF or is damaged has no symbols, and neither has fd -1. elf_unmap() ends it. */
void elf_map(struct elf_file *elf, int fd);
/* Whether row i is a function of the file; if so, which. */
int elf_function(const struct elf_file *elf, u64 i, struct elf_symbol *function);
/* Returns the address, as the symbols have it, of a byte of the file; the offset itself if no segment has it. */
u64 elf_address(const struct elf_file *elf, u64 offset);
void elf_unmap(struct elf_file *elf);

#endif
