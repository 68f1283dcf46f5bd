/*
 * fuzz_mutator.c - libFuzzer's changes for targets whose files have a structure that mutate.h knows.
 */
#include <stdint.h>
#include <string.h>

#include "test/fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned random_seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
				 uint8_t *out, size_t room, unsigned random_seed);
/* libFuzzer's own, on bytes. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t room);

/* Most changes follow the file's structure, because changed bytes rarely pass the checks of a header. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t room, unsigned random_seed)
{
	if (random_seed % 4 == 0)
		return LLVMFuzzerMutate(bytes, len, room);
	for (unsigned i = 0; i <= random_seed / 4 % 3; i++)
		len = mutate(bytes, len, room, random_seed + i, NULL, 0);
	return len;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
				 uint8_t *out, size_t room, unsigned random_seed)
{
	size_t len = a_len < room ? a_len : room;

	memcpy(out, a, len);
	for (unsigned i = 0; i < 4; i++)
		len = mutate(out, len, room, random_seed + i, b, b_len);
	return len;
}
