/*
 * abi.c - prints wasm/src/abi.ts: every enum, struct, step kind and parameter key of the core, for TypeScript.
 *
 * The names come from abi.def, steps.def, params.def and sites.def, the offsets from the C compiler, so nothing is copied by
 * hand. The file that it prints is committed; a test prints it again and compares. C names are kept where they
 * are values (ALLOC_FASTPATH); types and fields take TypeScript's spelling: struct kmem_slab_row is SlabRow, its
 * first_cell is firstCell. A struct becomes a function that reads it from memory, its size, and the type of its copy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kmem_types.h"

enum { MAX_FIELDS = 64, MAX_VALUES = 128 };

/* clang-format off */
#define ENUM_END(name) _Static_assert(NR_VALUES(name) <= MAX_VALUES, "raise MAX_VALUES: " #name);
#define STRUCT(name, doc) struct fields_of_##name {
#define FIELD(type, name, doc) u8 name;
#define FIELDS(type, name, count, doc) u8 name;
#define STRUCT_END(name) }; _Static_assert(sizeof(struct fields_of_##name) <= MAX_FIELDS, "raise MAX_FIELDS: " #name);
/* clang-format on */
#include "tables/abi/abi.def"

struct field {
	const char *type, *name, *doc;
	u32 at, size_bytes, count;
};

struct value {
	const char *key, *words;
};

/* The struct or enum whose members are being collected. */
static struct field fields[MAX_FIELDS];
static struct value values[MAX_VALUES];
static u32 nr_fields, nr_values;

/* Those of struct kmem_site_row: what a column of call sites means. */
static struct field site_fields[MAX_FIELDS];

/* kmem_slab_row -> SlabRow, first_cell -> firstCell. */
static void print_camel(const char *name, int upper)
{
	for (; *name; name++) {
		if (*name == '_') {
			upper = 1;
			continue;
		}
		putchar(upper && *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
		upper = 0;
	}
}

static void print_type(const char *name)
{
	print_camel(strncmp(name, "kmem_", 5) == 0 ? name + 5 : name, 1);
}

/* slab_row -> SLAB_ROW */
static void print_upper(const char *name)
{
	for (name += strncmp(name, "kmem_", 5) == 0 ? 5 : 0; *name; name++)
		putchar(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
}

static void print_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

static void add_value(const char *key, const char *words)
{
	KASSERT(nr_values < MAX_VALUES);
	values[nr_values++] = (struct value){ key, words };
}

/* The enums whose words TypeScript shows to a person; the words of others are comments. */
static int has_words(const char *name)
{
	static const char *const shown[] = {
		"kmem_cell",	     "kmem_chapter_kind", "kmem_corruption", "kmem_counter",
		"kmem_from",	     "kmem_start_from",	  "kmem_leak",	     "kmem_level",
		"kmem_lookup_match", "kmem_matrix_by",	  "kmem_measure",    "kmem_memory_part",
		"kmem_outcome",	     "kmem_owner",	  "kmem_place_kind", "kmem_reason",
		"kmem_role",	     "kmem_set_by",	  "kmem_slot_state", "kmem_doctor_measure",
		"kmem_what",	     "kmem_when",	  "kmem_zone_kind",
	};

	for (u32 i = 0; i < ARRAY_SIZE(shown); i++)
		if (strcmp(shown[i], name) == 0)
			return 1;
	return 0;
}

static void print_const_object(const char *name, const char *doc, int with_comments)
{
	printf("\n/** %s. */\nexport const ", doc);
	print_type(name);
	printf(" = {\n");
	for (u32 i = 0; i < nr_values; i++) {
		putchar('\t');
		if (with_comments)
			printf("/** %s */ ", values[i].words);
		printf("%s: %u,\n", values[i].key, i);
	}
	printf("} as const;\nexport type ");
	print_type(name);
	printf(" = (typeof ");
	print_type(name);
	printf(")[keyof typeof ");
	print_type(name);
	printf("];\n");
}

static void print_words(const char *name)
{
	printf("export const ");
	print_upper(name);
	printf("_WORDS: readonly string[] = [\n");
	for (u32 i = 0; i < nr_values; i++) {
		putchar('\t');
		print_string(values[i].words);
		printf(",\n");
	}
	printf("];\n");
}

static void print_enum(const char *name, const char *doc)
{
	print_const_object(name, doc, !has_words(name));
	printf("export const ");
	print_upper(name);
	printf("_NAMES = [");
	for (u32 i = 0; i < nr_values; i++)
		printf("%s\"%s\"", i ? ", " : "", values[i].key);
	printf("] as const;\n");
	if (has_words(name))
		print_words(name);
	nr_values = 0;
}

static void add_field(const char *type, const char *name, u32 at, u32 size_bytes, u32 count,
		      const char *doc)
{
	KASSERT(nr_fields < MAX_FIELDS);
	fields[nr_fields++] = (struct field){ type, name, doc, at, size_bytes, count };
}

/* Prints the expression that reads one element of a field, `at` bytes from the start of the struct. */
static void print_read(const char *type, u32 at)
{
	if (strcmp(type, "u64") == 0)
		printf("u64(view, at + %u)", at);
	else if (strcmp(type, "s64") == 0)
		printf("s64(view, at + %u)", at);
	else if (strcmp(type, "bits64") == 0)
		printf("view.getBigUint64(at + %u, true)", at);
	else if (strcmp(type, "u32") == 0)
		printf("view.getUint32(at + %u, true)", at);
	else if (strcmp(type, "s32") == 0)
		printf("view.getInt32(at + %u, true)", at);
	else if (strcmp(type, "u16") == 0)
		printf("view.getUint16(at + %u, true)", at);
	else if (strcmp(type, "u8") == 0)
		printf("view.getUint8(at + %u)", at);
	else {
		fprintf(stderr, "abi.def: %s is no type that TypeScript could read\n", type);
		exit(1);
	}
}

/* The type of a row is what its reader returns, so each field is written only once. */
static void print_row(const char *name, u32 size_bytes, const char *doc)
{
	printf("\n/** %s. */\nexport type ", doc);
	print_type(name);
	printf(" = ReturnType<typeof read");
	print_type(name);
	printf(">;\nexport const ");
	print_upper(name);
	printf("_SIZE = %u;\nexport function read", size_bytes);
	print_type(name);
	printf("(view: DataView, at: number) {\n\treturn {\n");
	for (u32 i = 0; i < nr_fields; i++) {
		const struct field *f = &fields[i];

		if (strcmp(f->name, "reserved") == 0)
			continue;
		printf("\t\t/** %s */\n\t\t", f->doc);
		print_camel(f->name, 0);
		printf(f->count > 1 ? ": [" : ": ");
		for (u32 k = 0; k < f->count; k++) {
			printf("%s", k ? ", " : "");
			print_read(f->type, f->at + k * (f->size_bytes / f->count));
		}
		printf(f->count > 1 ? "] as readonly number[],\n" : ",\n");
	}
	printf("\t} as const;\n}\n");
}

/* Rejects padding: nobody writes those bytes, so native and wasm memory might differ in them. */
static void check_padding(const char *name, u32 size_bytes)
{
	u32 end = 0;

	for (u32 i = 0; i < nr_fields; i++) {
		if (fields[i].at != end) {
			fprintf(stderr, "abi.def: struct %s has padding before %s\n", name,
				fields[i].name);
			exit(1);
		}
		end += fields[i].size_bytes;
	}
	if (end != size_bytes) {
		fprintf(stderr, "abi.def: struct %s has padding at its end\n", name);
		exit(1);
	}
}

static void print_struct(const char *name, u32 size_bytes, const char *doc)
{
	check_padding(name, size_bytes);
	if (strcmp(name, "kmem_site_row") == 0)
		memcpy(site_fields, fields, sizeof(fields));
	print_row(name, size_bytes, doc);
	nr_fields = 0;
}

static void print_enums(void)
{
#define ENUM(name, doc) \
	{               \
		const char *about = (doc);
#define VALUE(name, key, words) add_value(#key, words);
#define ENUM_END(name)            \
	print_enum(#name, about); \
	}
#include "tables/abi/abi.def"
}

static void print_structs(void)
{
#define STRUCT(name, doc)              \
	{                              \
		typedef struct name S; \
		const char *about = (doc);
#define FIELD(type, name, doc) add_field(#type, #name, offsetof(S, name), sizeof(type), 1, doc);
#define FIELDS(type, name, count, doc) \
	add_field(#type, #name, offsetof(S, name), sizeof(type) * (count), count, doc);
#define STRUCT_END(name)                       \
	print_struct(#name, sizeof(S), about); \
	}
#include "tables/abi/abi.def"
}

struct step_kind {
	const char *key, *function, *args[5];
};

static void print_steps(void)
{
	static const struct step_kind kinds[] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	{ #kind, function, { #a0, #a1, #a2, #a3, #a4 } },
#include "tables/steps/steps.def"
#undef STEP
	};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("%s\t%s: %u,\n",
		       i ? "" : "\n/** Kinds of steps. */\nexport const StepKind = {\n",
		       kinds[i].key, i);
	printf("} as const;\nexport type StepKindName = keyof typeof StepKind;\n"
	       "export type StepKind = (typeof StepKind)[StepKindName];\n"
	       "\n/** A kind of step: its kernel function and its arguments' names; sentences are the core's. */\n"
	       "export interface StepKindInfo {\n\treadonly name: StepKindName;\n"
	       "\treadonly function: string;\n\treadonly args: readonly string[];\n}\n"
	       "export const STEP_KINDS: readonly StepKindInfo[] = [\n");
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		printf("\t{ name: \"%s\", function: \"%s\", args: [", kinds[i].key,
		       kinds[i].function);
		for (u32 k = 0; k < 5 && *kinds[i].args[k]; k++)
			printf("%s\"%s\"", k ? ", " : "", kinds[i].args[k]);
		printf("] },\n");
	}
	printf("];\n");
}

static void print_allocators(void)
{
	printf("\n/** The allocators by the values of the parameter `allocator`, with the names that a page shows. */\n"
	       "export const ALLOCATORS = {\n");
#define ALLOCATOR(id, name, label, ops) printf("\t\"%s\": \"%s\",\n", name, label);
#include "tables/allocators.def"
	printf("} as const;\n");
}

static void print_params(void)
{
	printf("\n/** Keys of parameters, as `set` lines, the command line and the URL write them. */\n"
	       "export const PARAM_KEYS = [\n");
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) \
	printf("\t\"%s\",\n", key);
#include "tables/params.def"
#undef PARAM
	printf("] as const;\nexport type ParamKey = (typeof PARAM_KEYS)[number];\n");
}

static void print_seed_text(const char *key, const char *text)
{
	printf("\t\t%s: ", key);
	print_string(text);
	printf(",\n");
}

static void print_seeds(void)
{
	printf("\n/** The proposals that have an experiment, for JOB_EXPERIMENT. */\nexport const SEEDS = [\n");
#define PROPOSAL(id, number, name, year, parameter, shape, title, setup)                        \
	printf("\t{\n\t\tid: \"%s\",\n\t\tname: \"%s\",\n\t\tyear: %d,\n", number, name, year); \
	print_seed_text("parameter", parameter);                                                \
	print_seed_text("title", title);                                                        \
	print_seed_text("setup", setup);                                                        \
	printf("\t},\n");
#include "tables/proposals/proposals.def"
#undef PROPOSAL
	printf("] as const;\n");
}

static void print_workload(u32 id, const char *name, const char *meaning)
{
	printf("\t{\n\t\tname: \"%s\",\n", name);
	print_seed_text("meaning", meaning);
	printf("\t\tkeys: [");
#define VALUES(...) { __VA_ARGS__ }
#define WORKLOAD_KEY(key_id, key, hundredths, least, most, defaults, meaning) \
	{                                                                     \
		static const s64 usual[] = defaults;                          \
		if (usual[id] != -1) {                                        \
			printf("%s\"%s\"", comma, key);                       \
			comma = ", ";                                         \
		}                                                             \
	}
	const char *comma = "";
#include "tables/workload.def"
#undef WORKLOAD_KEY
#undef VALUES
	printf("],\n\t},\n");
}

static void print_workloads(void)
{
	u32 id = 0;

	printf("\n/** Traces that JOB_WORKLOAD makes, and their keys. */\nexport const WORKLOADS = [\n");
#define WORKLOAD(workload_id, name, machine, kernel, meaning) print_workload(id++, name, meaning);
#include "tables/workload.def"
#undef WORKLOAD
	printf("] as const;\n");
}

static void print_site_column(const char *name, const char *key, const char *form, const char *head)
{
	const struct field *field = site_fields;

	while (strcmp(field->name, name) != 0)
		field++;
	if (!head)
		return;
	printf("\t{\n\t\tfield: \"");
	print_camel(name, 0);
	printf("\",\n\t\tkey: \"%s\",\n\t\tform: \"%s\",\n\t\tname: \"%s\",\n\t\ttitle: ", key,
	       form, head);
	print_string(field->doc);
	printf(",\n\t},\n");
}

static void print_site_columns(void)
{
	printf("\n/** The columns of call sites that `slabscope sites` and the page show, by sites.def. */\n"
	       "export const SITE_COLUMNS = [\n");
#define SITE_COLUMN(field, key, form, head, width) print_site_column(#field, key, #form, head);
#include "tables/sites.def"
	printf("] as const;\n");
}

static void print_status(void)
{
	static const struct {
		const char *name;
		s32 code;
	} statuses[] = {
#define STATUS(name) { #name, name }
		STATUS(KMEM_OK),     STATUS(KMEM_EINPUT), STATUS(KMEM_ELIMIT),	STATUS(KMEM_ENOMEM),
		STATUS(KMEM_EPARAM), STATUS(KMEM_ESTATE), STATUS(KMEM_EBROKEN),
#undef STATUS
	};

	printf("\n/** What calls return: 0, or why they failed (kmem.h). */\nexport const Status = {\n");
	for (u32 i = 0; i < ARRAY_SIZE(statuses); i++)
		printf("\t%s: %d,\n", statuses[i].name, statuses[i].code);
	printf("} as const;\nexport type Status = (typeof Status)[keyof typeof Status];\n");
}

int main(void)
{
	printf("// abi.ts - what crosses between C and TypeScript. Printed by core/gen/abi.c from abi.def, steps.def and\n"
	       "// params.def: do not edit, run `node wasm/build.mjs`.\n\n"
	       "/** Hash of the names and offsets below; the module reports its own (kmem_abi_hash). */\n"
	       "export const ABI_HASH = 0x%08x;\n\n"
	       "/** 64 bits as a number: exact up to 2^53. */\n"
	       "function u64(view: DataView, at: number): number {\n"
	       "\treturn view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;\n}\n"
	       "function s64(view: DataView, at: number): number {\n"
	       "\treturn view.getUint32(at, true) + view.getInt32(at + 4, true) * 2 ** 32;\n}\n",
	       kmem_abi_hash());
	print_status();
	print_enums();
	print_structs();
	print_steps();
	print_allocators();
	print_params();
	print_seeds();
	print_site_columns();
	print_workloads();
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
