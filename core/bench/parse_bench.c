/*
 * parse_bench.c - measures how fast text is read: parse (line to struct event) and import (line to op).
 *
 * The baseline is the speed of the machine itself: memchr from newline to newline over the same bytes.
 *
 * Usage: parse_bench FILE [PAIRS [ONLY]]. The three run in turn, PAIRS times (9), after a warm-up; it prints medians
 * of process CPU time. With ONLY (split, parse or import) only that one runs, PAIRS times: for callgrind.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "import/import.h"

enum { WANTED_BYTES = 64 << 20, CHUNK_BYTES = 1 << 20, MAX_PAIRS = 99, REGION_BITS = 32 };

struct bench {
	u8 *text;
	size_t len_bytes;
	u64 sum; /* checksum of the results, so that the compiler removes nothing */
	u8 *region;
	size_t dirty_bytes; /* dirty bytes of the region in the last run */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_split(struct bench *b)
{
	const u8 *p = b->text, *end = p + b->len_bytes;

	while (p < end) {
		const u8 *newline = memchr(p, '\n', (size_t)(end - p));
		b->sum += (u64)(newline - p);
		p = newline + 1;
	}
}

static u64 seen;

static void count_event(struct import *im, const struct event *ev)
{
	(void)im;
	seen += ev->ptr + ev->time + ev->call_site.hash + ev->cache.len;
	if (ev->what != WHAT_FREE)
		seen += ev->bytes_alloc + ev->gfp.len;
}

static void run_trace(struct bench *b, int parse_only)
{
	static struct trace trace;
	static struct params params;
	struct pool pool = { 0 };

	pool_init(&pool, b->region, ((u64)1 << REGION_BITS) - POOL_UNIT_BYTES, 64);
	if (trace_begin(&trace, &pool, &params) != KMEM_OK)
		exit(1);
	if (parse_only)
		trace.import->sink = count_event;
	for (size_t at = 0; at < b->len_bytes; at += CHUNK_BYTES)
		trace_chunk(&trace, b->text + at, (u32)MIN((size_t)CHUNK_BYTES, b->len_bytes - at));
	trace_end(&trace);
	b->sum += seen + trace.nr_ops;
	trace_drop(&trace);
	b->dirty_bytes = MAX(b->dirty_bytes, (size_t)pool.dirty_bytes);
}

static void run_parse(struct bench *b)
{
	run_trace(b, 1);
}

static void run_import(struct bench *b)
{
	run_trace(b, 0);
}

static const struct {
	const char *name;
	void (*run)(struct bench *b);
} parts[] = { { "split", run_split }, { "parse", run_parse }, { "import", run_import } };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Loads the file, repeated until there are enough bytes. */
static int load(struct bench *b, const char *path, size_t wanted)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return 0;
	fseek(f, 0, SEEK_END);
	size_t len = (size_t)ftell(f);
	size_t times = MAX((size_t)1, wanted / MAX(len, (size_t)1));
	rewind(f);
	b->text = malloc(len * times);
	if (!b->text || !len || fread(b->text, 1, len, f) != len)
		return 0;
	fclose(f);
	for (size_t i = 1; i < times; i++)
		memcpy(b->text + i * len, b->text, len);
	b->len_bytes = len * times;
	return b->text[b->len_bytes - 1] == '\n';
}

static void run_all(struct bench *b, int pairs)
{
	static double seconds[3][MAX_PAIRS];

	for (int i = -1; i < pairs; i++) {
		for (int part = 0; part < 3; part++) {
			memset(b->region, 0, b->dirty_bytes);
			double start = now();
			parts[part].run(b);
			if (i >= 0)
				seconds[part][i] = now() - start;
		}
	}
	for (int part = 0; part < 3; part++)
		qsort(seconds[part], (size_t)pairs, sizeof(double), compare);
	for (int part = 0; part < 3; part++)
		printf("%-7s %8.0f MB/s   %.3f x split\n", parts[part].name,
		       (double)b->len_bytes / seconds[part][pairs / 2] / 1e6,
		       seconds[0][pairs / 2] / seconds[part][pairs / 2]);
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	int pairs = argc > 2 ? MIN(MAX(atoi(argv[2]), 1), MAX_PAIRS) : 9;

	if (argc < 2 || !load(&bench, argv[1], argc > 3 ? 0 : WANTED_BYTES)) {
		fprintf(stderr,
			"usage: parse_bench FILE [PAIRS [split|parse|import]]; FILE is text and ends in a newline\n");
		return 2;
	}
	bench.region = mmap(NULL, (size_t)1 << REGION_BITS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bench.region == MAP_FAILED)
		return 1;
	if (argc < 4)
		run_all(&bench, pairs);
	for (size_t part = 0; argc > 3 && part < ARRAY_SIZE(parts); part++) {
		for (int i = 0; i < pairs && strcmp(argv[3], parts[part].name) == 0; i++) {
			memset(bench.region, 0, bench.dirty_bytes);
			parts[part].run(&bench);
		}
	}
	printf("%zu bytes, sum %llu\n", bench.len_bytes, (unsigned long long)bench.sum);
	return 0;
}
