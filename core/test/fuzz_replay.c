/*
 * fuzz_replay.c - a main for fuzz targets: gives the files and folders of the command line to the target, so that
 * a corpus is replayed where there is no fuzzer.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static unsigned replayed;

static int replay(const char *path, const struct stat *st, int type, struct FTW *where)
{
	size_t len = 0;

	(void)st;
	(void)where;
	char *text = type == FTW_F ? file_text(path, &len) : NULL;
	if (text) {
		LLVMFuzzerTestOneInput((const uint8_t *)text, len);
		replayed++;
	}
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		nftw(argv[i], replay, 8, FTW_PHYS);
	printf("%u passed, 0 failed\n", replayed);
	return replayed == 0;
}
