/*
 * fuzz_replay.c - a main for fuzz targets: gives the files and folders of the command line to the target, to replay a
 * corpus without a fuzzer.
 *
 * With --mutations=N each file is also changed N times, record by record and from a fixed random seed. The changes are the
 * same everywhere, so a fault that one machine finds is found on all of them.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/fuzz/mutate.h"
#include "test/support/trace_text.h"

enum { GROWS_BY_BYTES = 8192, CHANGES_AT_ONCE = 6, MAX_PATHS = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static unsigned replayed, mutations, nr_paths;
static char *paths[MAX_PATHS];
/* The previous file, whose parts are spliced into this one. */
static char *donor;
static size_t donor_len;

/* The current mutation is written to the file that KEEP_MUTATION names, so you have it after a crash. */
static void keep_last(const uint8_t *bytes, size_t len)
{
	const char *path = getenv("KEEP_MUTATION");
	FILE *file = path ? fopen(path, "wb") : NULL;

	if (!file)
		return;
	fwrite(bytes, 1, len, file);
	fclose(file);
}

static void replay_mutations(const char *text, size_t len)
{
	size_t room = len + GROWS_BY_BYTES;
	uint8_t *bytes = malloc(room);

	for (unsigned i = 0; i < mutations; i++) {
		size_t now = len;
		memcpy(bytes, text, len);
		for (unsigned k = 0; k <= i % CHANGES_AT_ONCE; k++)
			now = mutate(bytes, now, room, i * CHANGES_AT_ONCE + k,
				     (const uint8_t *)donor, donor_len);
		/* A copy of exactly this length, so reading past the end is reading past an allocation. */
		uint8_t *copy = malloc(now ? now : 1);
		memcpy(copy, bytes, now);
		keep_last(copy, now);
		LLVMFuzzerTestOneInput(copy, now);
		free(copy);
		replayed++;
	}
	free(bytes);
}

static void replay(const char *path)
{
	size_t len = 0;
	char *text = file_text(path, &len);

	if (!text)
		return;
	LLVMFuzzerTestOneInput((const uint8_t *)text, len);
	replayed++;
	replay_mutations(text, len);
	free(donor);
	donor = text;
	donor_len = len;
}

static int note_path(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)where;
	if (type == FTW_F && nr_paths < MAX_PATHS)
		paths[nr_paths++] = strdup(path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--mutations=", 12) == 0)
			mutations = (unsigned)atoi(argv[i] + 12);
		else
			nftw(argv[i], note_path, 8, FTW_PHYS);
	}
	/* Folders list their files in any order; donors must be the same everywhere. */
	qsort(paths, nr_paths, sizeof(paths[0]), by_name);
	for (unsigned i = 0; i < nr_paths; i++) {
		replay(paths[i]);
		free(paths[i]);
	}
	free(donor);
	printf("checks: %u passed, 0 failed\n", replayed);
	printf("%d passed, %d failed\n", replayed != 0, replayed == 0);
	return replayed == 0;
}
