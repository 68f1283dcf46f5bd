/*
 * header.c - prints kmem_abi.h as it is installed: every enum and struct of kmem.h written out, each with its
 * comment.
 *
 * In the source tree kmem_abi.h expands the same tables by macros. Readers of the installed header should not have to
 * expand macros.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kmem_types.h"

static void print_comment(const char *doc)
{
	if (strstr(doc, "*/") || strstr(doc, "/*")) {
		fprintf(stderr, "abi.def: a comment cannot contain \"%s\"\n", doc);
		exit(1);
	}
	printf("/* %s */", doc);
}

static void print_value(const char *key, const char *words)
{
	printf("\t%s, ", key);
	print_comment(words);
	printf("\n");
}

static const char *public_type(const char *type)
{
	static const struct {
		const char *type, *public;
	} types[] = {
		{ "u8", "uint8_t" },	  { "u16", "uint16_t" }, { "u32", "uint32_t" },
		{ "u64", "uint64_t" },	  { "s32", "int32_t" },	 { "s64", "int64_t" },
		{ "bits64", "uint64_t" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i].type) == 0)
			return types[i].public;
	fprintf(stderr, "abi.def: unknown type %s\n", type);
	exit(1);
}

static void print_field(const char *type, const char *name, const char *count, const char *doc)
{
	printf("\t%s %s", public_type(type), name);
	if (count)
		printf("[%s]", count);
	printf("; ");
	print_comment(doc);
	printf("\n");
}

static void print_head(const char *what, const char *name, const char *doc)
{
	printf("\n");
	print_comment(doc);
	printf("\n%s %s {\n", what, name);
}

static void print_enums(void)
{
#define ENUM(name, doc) print_head("enum", #name, doc);
#define VALUE(name, key, words) print_value(#key, words);
#define ENUM_END(name) printf("};\n");
#include "tables/abi/abi.def"
}

static void print_steps(void)
{
	print_head("enum", "kmem_step_kind", "Kinds of steps, and the kernel function of each");
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	print_value("STEP_" #kind, function);
#include "tables/steps/steps.def"
#undef STEP
	printf("\tNR_STEP_KINDS\n};\n");
}

static void print_lengths(void)
{
	static const struct {
		const char *name;
		u32 length;
	} lengths[] = {
#define LENGTH(name) { #name, name }
		LENGTH(NR_COUNTERS), LENGTH(NR_KERNEL_COUNTERS), LENGTH(NR_METRICS),
		LENGTH(NR_MEASURES), LENGTH(NR_MEASURED),	 LENGTH(NR_DOCTOR_MEASURES),
		LENGTH(NR_ORDERS),
#undef LENGTH
	};

	print_head("enum", "kmem_length", "Lengths of arrays in the structs below");
	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++)
		printf("\t%s = %u,\n", lengths[i].name, lengths[i].length);
	printf("};\n");
}

static void print_structs(void)
{
#define STRUCT(name, doc) print_head("struct", #name, doc);
#define FIELD(type, name, doc) print_field(#type, #name, NULL, doc);
#define FIELDS(type, name, count, doc) print_field(#type, #name, #count, doc);
#define STRUCT_END(name) printf("};\n");
#include "tables/abi/abi.def"
}

int main(void)
{
	printf("/*\n"
	       " * kmem_abi.h - the enums and structs of kmem.h; do not include it directly.\n"
	       " *\n"
	       " * Fields ending in _at are offsets in bytes from the start of the session's region. The names of enum values have\n"
	       " * no common prefix, since most of them are the kernel's own.\n"
	       " */\n"
	       "#ifndef KMEM_ABI_H\n#define KMEM_ABI_H\n\n#include <stdint.h>\n");
	print_enums();
	print_steps();
	print_lengths();
	print_structs();
	printf("\n#endif\n");
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
