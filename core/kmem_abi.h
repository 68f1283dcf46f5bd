/*
 * kmem_abi.h - the enums and structs of kmem.h, from tables/abi/abi.def and tables/steps/steps.def.
 *
 * `make install` installs the same declarations written out, with a comment for each, as gen/header.c prints them; so does
 * `make build/include/kmem_abi.h`. The order of rows and fields is the binary interface.
 */
#ifndef KMEM_ABI_H
#define KMEM_ABI_H

#include <stdint.h>

/* Half a declaration each, so not for the formatter. */
/* clang-format off */
#define ENUM(name, doc) enum name {
#define VALUE(name, key, words) key,
#define ENUM_END(name) };
#include "tables/abi/abi.def"

/* As many bytes as the enum has values. */
#define ENUM(name, doc) struct values_of_##name {
#define VALUE(name, key, words) uint8_t key;
#define ENUM_END(name) };
#include "tables/abi/abi.def"
/* clang-format on */

/* Lengths of arrays in the structs below. */
enum kmem_length {
	NR_COUNTERS = sizeof(struct values_of_kmem_counter),
	NR_KERNEL_COUNTERS = CPU_PARTIAL_DRAIN +
		1, /* of kernels with CONFIG_SLUB_STATS up to 6.17; they come first */
	NR_METRICS = sizeof(struct values_of_kmem_metric),
	NR_MEASURES = sizeof(struct values_of_kmem_measure),
	NR_MEASURED = NR_MEASURES + NR_COUNTERS,
	NR_DOCTOR_MEASURES = sizeof(struct values_of_kmem_doctor_measure),
	NR_ORDERS = 11, /* the page allocator's runs: 2^0 to 2^10 pages */
};

/* clang-format off */
#define KMEM_u8 uint8_t
#define KMEM_u16 uint16_t
#define KMEM_u32 uint32_t
#define KMEM_u64 uint64_t
#define KMEM_bits64 uint64_t
#define KMEM_s32 int32_t
#define KMEM_s64 int64_t
#define STRUCT(name, doc) struct name {
#define FIELD(type, name, doc) KMEM_##type name;
#define FIELDS(type, name, count, doc) KMEM_##type name[count];
#define STRUCT_END(name) };
#include "tables/abi/abi.def"
#undef KMEM_u8
#undef KMEM_u16
#undef KMEM_u32
#undef KMEM_u64
#undef KMEM_bits64
#undef KMEM_s32
#undef KMEM_s64
/* clang-format on */

/* Step kinds have the prefix STEP_, because the counters have the kernel's names. */
enum kmem_step_kind {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) STEP_##kind,
#include "tables/steps/steps.def"
#undef STEP
	NR_STEP_KINDS
};

#endif
