/*
 * fuzz_spool.c - any bytes as the spool that recorded programs wrote: `record` reads it without a crash, and writes a slabtrace that
 * the core reads to its last line. A libFuzzer target; linked with fuzz_replay.c instead, a program that replays a corpus.
 *
 * A spool is as large as its tables, so the file is a list of patches of an empty one: a kind, a number, and as many bytes as
 * the kind takes. Events are given in full, or short: those are plausible calls of malloc.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cli/programs/record.h"
#include "kmem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum patch {
	PATCH_HEAD,
	PATCH_IMAGE,
	PATCH_START,
	PATCH_MODULE,
	PATCH_CHUNK,
	PATCH_EVENT,
	PATCH_SHORT,
	NR_PATCHES
};
enum {
	CHUNKS = 24,
	MOST_PATCHES = 4096,
	MODULE_BYTES = 64,
	CHUNK_HEAD_BYTES = 16,
	SHORT_BYTES = 6,
	HEAD_BYTES = 56,
	MOST = 2000
};

static const size_t spool_bytes = RECORD_HEAD_BYTES + CHUNKS * sizeof(struct record_chunk);

struct fuzzed {
	u8 *spool;
	const u8 *bytes; /* the rest of the file */
	size_t len;
};

static void must(int what, const char *law)
{
	if (what)
		return;
	fprintf(stderr, "broken: %s\n", law);
	abort();
}

/* record_text.c writes here. */
int output_write(struct output *o, const void *bytes, size_t len_bytes)
{
	return fwrite(bytes, 1, len_bytes, o->file) == len_bytes;
}

static void take(struct fuzzed *f, void *to, size_t len)
{
	size_t most = MIN(len, f->len);

	memcpy(to, f->bytes, most);
	f->bytes += most;
	f->len -= most;
}

static struct record_chunk *chunk_of(struct fuzzed *f, u32 number)
{
	return (struct record_chunk *)(void *)(f->spool + RECORD_HEAD_BYTES) + number % CHUNKS;
}

/* Adds a call with few objects, sizes and threads, in the chunk's next place. */
static void add_short(struct fuzzed *f, struct record_chunk *chunk)
{
	u32 at = MIN(chunk->nr_events, (u32)RECORD_CHUNK_EVENTS - 1);
	u64 time = at ? chunk->events[at - 1].time : 0;
	u8 b[SHORT_BYTES] = { 0 };

	take(f, b, sizeof(b));
	chunk->events[at] = (struct record_event){
		.time = time + b[1],
		.ptr = (u64)b[2] * 64,
		.bytes = ((u64)b[3] << b[4] % 30) | (u64)(b[4] / 30) << RECORD_THREAD_SHIFT,
		.site = (u64)b[5] * 4096 | (u64)(b[0] % (NR_RECORD_KINDS + 1)) << RECORD_KIND_SHIFT,
	};
	chunk->nr_events = at + 1;
}

static void patch(struct fuzzed *f)
{
	struct record_head *head = (void *)f->spool;
	u8 what[2] = { 0 };

	take(f, what, sizeof(what));
	struct record_chunk *chunk = chunk_of(f, what[1]);
	u32 last = MIN(chunk->nr_events, (u32)RECORD_CHUNK_EVENTS - 1);
	switch (what[0] % NR_PATCHES) {
	case PATCH_HEAD:
		take(f, &head->pid, HEAD_BYTES);
		break;
	case PATCH_IMAGE:
		take(f, &head->images[what[1]], sizeof(head->images[0]));
		break;
	case PATCH_START:
		take(f, &head->starts[what[1]], sizeof(head->starts[0]));
		break;
	case PATCH_MODULE:
		take(f, &head->modules[what[1]], MODULE_BYTES);
		break;
	case PATCH_CHUNK:
		take(f, chunk, CHUNK_HEAD_BYTES);
		break;
	case PATCH_EVENT:
		take(f, &chunk->events[last], sizeof(chunk->events[0]));
		chunk->nr_events = last + 1;
		break;
	default:
		add_short(f, chunk);
	}
}

/* Returns the text of the trace. */
static char *written(const struct fuzzed *f, size_t *len, u64 *lines)
{
	struct spool_reader reader;
	struct record_counts counts;
	struct output out = { .file = tmpfile() };
	int done = spool_read(&reader, f->spool, spool_bytes);

	must(out.file != NULL, "there is a temporary file");
	must(done && record_write(&reader, "program \n#", MOST, &out, &counts),
	     "any spool has a trace");
	spool_close(&reader);
	*len = (size_t)ftell(out.file);
	*lines = counts.events;
	char *text = malloc(*len);
	rewind(out.file);
	must(text && fread(text, 1, *len, out.file) == *len, "the trace can be read");
	fclose(out.file);
	must(*lines <= MOST, "no more events than were asked for");
	return text;
}

static const char *problem_text(struct kmem_session *s, const struct kmem_report *report)
{
	const struct kmem_problem *first = (const void *)((const u8 *)s + report->problems_at);

	return report->nr_problems ? (const char *)s + first->reason_at : "";
}

static void read_back(const char *text, size_t len, u64 lines)
{
	size_t region_bytes = (size_t)32 << 20;
	void *region = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kmem_session *s = kmem_open(region, region_bytes);
	int32_t err = kmem_import_begin(s);

	err = err ? err : kmem_import_chunk(s, (const uint8_t *)text, (uint32_t)len);
	err = err ? err : kmem_import_end(s);
	must(!err || !lines, kmem_error(s));
	if (!err) {
		const struct kmem_report *report = kmem_report(s);
		must(report->skipped_lines == 0, problem_text(s, report));
	}
	kmem_close(s);
	munmap(region, region_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct fuzzed f = { .bytes = bytes, .len = len };
	size_t text_len = 0;
	u64 lines;

	f.spool = mmap(NULL, spool_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	must(f.spool != MAP_FAILED, "there is memory for a spool");
	struct record_head *head = (void *)f.spool;
	head->magic = RECORD_MAGIC;
	head->nr_images = head->nr_modules = head->nr_threads = 4;
	head->nr_chunks = CHUNKS;
	for (u32 i = 0; f.len && i < MOST_PATCHES; i++)
		patch(&f);
	char *text = written(&f, &text_len, &lines);
	read_back(text, text_len, lines);
	free(text);
	munmap(f.spool, spool_bytes);
	return 0;
}
