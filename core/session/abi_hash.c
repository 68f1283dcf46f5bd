/*
 * abi_hash.c - one hash of the layout on which C and TypeScript agree. It mixes names, values and
 * offsets of abi.def, steps.def and params.def like FNV-1a, four bytes at a time.
 *
 * Every character is a constant, so an optimising compiler keeps only the number, and the module contains no text. The
 * hash leaves out words and sentences, because wording does not change the layout.
 */
#include "kmem_types.h"

#define MIX(n) hash = (hash ^ (n)) * 16777619u
#define BYTE(i) (u32)(unsigned char) name_[i]
#define MIX4(i) MIX(BYTE(i) | BYTE((i) + 1) << 8 | BYTE((i) + 2) << 16 | BYTE((i) + 3) << 24)
/* NULs follow a name, so that all names take the same number of rounds. A round takes four bytes, since compiling
 * takes longer the more rounds there are. */
#define MIX_NAME(s)                                                                     \
	{                                                                               \
		_Static_assert(sizeof(s) <= 28, "a name that abi_hash.c cuts off: " s); \
		static const char name_[28] = s;                                        \
		MIX4(0);                                                                \
		MIX4(4);                                                                \
		MIX4(8);                                                                \
		MIX4(12);                                                               \
		MIX4(16);                                                               \
		MIX4(20);                                                               \
		MIX4(24);                                                               \
	}

static u32 mix_enums(u32 hash)
{
#define ENUM(name, doc) MIX_NAME(#name)
#define VALUE(name, key, words) MIX_NAME(#key)
#include "tables/abi/abi.def"
	return hash;
}

static u32 mix_structs(u32 hash)
{
#define STRUCT(name, doc)              \
	{                              \
		typedef struct name S; \
		MIX_NAME(#name)
#define FIELD(type, name, doc)    \
	MIX_NAME(#type " " #name) \
	MIX((u32)offsetof(S, name));
#define FIELDS(type, name, count, doc) \
	FIELD(type, name, doc)         \
	MIX(count);
#define STRUCT_END(name)     \
	MIX((u32)sizeof(S)); \
	}
#include "tables/abi/abi.def"
	return hash;
}

static u32 mix_steps(u32 hash)
{
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) \
	MIX_NAME(#kind)                                            \
	MIX_NAME(#a0) MIX_NAME(#a1) MIX_NAME(#a2) MIX_NAME(#a3) MIX_NAME(#a4)
#include "tables/steps/steps.def"
#undef STEP
	return hash;
}

static u32 mix_params(u32 hash)
{
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) MIX_NAME(key)
#include "tables/params.def"
#undef PARAM
	return hash;
}

u32 kmem_abi_hash(void)
{
	return mix_params(mix_steps(mix_structs(mix_enums(2166136261u))));
}
