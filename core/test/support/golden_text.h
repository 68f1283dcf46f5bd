/*
 * golden_text.h - what a replay does, as a text to store: every decision in words and numbers, or a short form.
 *
 * wasm/test/golden.test.ts produces the same texts through wasm and TypeScript.
 */
#ifndef TEST_SUPPORT_GOLDEN_TEXT_H
#define TEST_SUPPORT_GOLDEN_TEXT_H

#include "kmem_types.h"

#define GOLDEN_DIRECTORY "test/golden/"

/* Reads a file of the directory, NUL-terminated; NULL with a message if it cannot be read. free() it. */
char *golden_read(const char *name);
/* Returns everything in a built session, op by op; free() it. *hash becomes that of the world at the end. */
char *golden_tell(struct kmem_session *s, u64 *hash);
/* For recordings: the first events in full, for the others one number for their steps, and the sums. */
char *golden_tell_short(struct kmem_session *s, u64 *hash);
/* Compares a text with the file NAME.txt, or writes that file. */
void golden_check(const char *name, const char *text, int write);

#endif
