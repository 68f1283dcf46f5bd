/*
 * allocator_names.h - the values of the parameter `allocator`, for files that read that column of params.def.
 */
#ifndef TABLES_ALLOCATOR_NAMES_H
#define TABLES_ALLOCATOR_NAMES_H

#define ALLOCATOR(id, name, label, ops) " " name
static const char allocator_words[] =
#include "tables/allocators.def"
	;

/* The first name alone, in a field of exactly its length. */
#define ALLOCATOR(id, name, label, ops) char id[sizeof(name)];
static const struct {
#include "tables/allocators.def"
} allocator_rows = {
#define ALLOCATOR(id, name, label, ops) name,
#include "tables/allocators.def"
};

#define ALLOCATOR_NAMES (allocator_words + 1)
#define DEFAULT_ALLOCATOR ((const char *)&allocator_rows)

#endif
