/*
 * elf_symbols.h - the functions of a program or library: a 64-bit ELF file of this machine's byte order.
 */
#ifndef CLI_PROGRAMS_ELF_SYMBOLS_H
#define CLI_PROGRAMS_ELF_SYMBOLS_H

#include "kmem_types.h"

struct elf_symbol {
	u64 address, size_bytes;
	const char *name; /* in the mapped file */
};

struct elf_symbols {
	const u8 *file; /* NULL: it cannot be read */
	u64 len_bytes;
	struct elf_symbol *symbols; /* by address, each address once */
	u32 nr_symbols;
};

/* A file that is not ELF, or damaged, has no symbols. elf_close unmaps it. */
void elf_open(struct elf_symbols *elf, const char *path);
/* The address, as the symbols have it, of a byte of the file; the offset itself if no segment has it. */
u64 elf_address(const struct elf_symbols *elf, u64 offset);
/* The function at an address; NULL: none. */
const struct elf_symbol *elf_find(const struct elf_symbols *elf, u64 address);
void elf_close(struct elf_symbols *elf);

#endif
