/*
 * golden_test.c - every decision of small traces, and of the samples by every allocator, against stored texts.
 *
 * golden/NAME.slabtrace is replayed op by op; the output must equal golden/NAME.txt. For ../traces/NAME each allocator
 * must give golden/samples/ALLOCATOR/NAME.txt: all of a lesson, a short form of a recording. gcc, clang, each level of
 * optimisation and the sanitizers must give the same text, so this also tests that the core does not depend on the
 * compiler. golden/hashes.txt has the hash of each world at the end: it also changes when only the layout of the world
 * does, so builds in which blocks have red zones between them leave it out. `make golden` writes all of these files.
 */
#define _GNU_SOURCE /* open_memstream, scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tables/allocator_names.h"
#include "util/poison.h"
#include "test/support/check.h"
#include "test/support/golden_text.h"
#include "test/support/session_util.h"
#include "test/support/trace_text.h"

enum { NAME_BYTES = 256 };

/* The words of params.def, "slub slab …". */
static const char *const param_values[NR_PARAMS] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) values,
#include "tables/params.def"
#undef PARAM
};

static int has_end(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static int is_slabtrace(const struct dirent *entry)
{
	return has_end(entry->d_name, ".slabtrace");
}

static int is_sample(const struct dirent *entry)
{
	return is_slabtrace(entry) || has_end(entry->d_name, ".txt.gz");
}

static void run_small_trace(const char *file, FILE *hashes, int write)
{
	char name[NAME_BYTES];
	u64 hash = 0;
	char *trace = golden_read(file);

	CHECK(trace != NULL, "%s", file);
	if (!trace)
		return;
	struct kmem_session *s = session_of_text(trace);
	CHECK(kmem_report(s)->skipped_lines == 0, "%s: lines are wrong", file);
	char *text = golden_tell(s, &hash);
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(".slabtrace")), file);
	golden_check(name, text, write);
	fprintf(hashes, "%016llx %s\n", (unsigned long long)hash, name);
	free(trace);
	free(text);
}

/* Runs the sample under the allocator, on the machine on which the page first shows it. */
static void run_sample(struct kmem_session *s, const char *file, const char *allocator,
		       FILE *hashes, int write)
{
	char name[NAME_BYTES];
	u64 hash = 0;

	/* As traces/index.json has it. */
	if (strstr(file, "-4-nodes"))
		CHECK(kmem_set(s, "nodes", "4") == KMEM_OK, "%s", kmem_error(s));
	CHECK(kmem_set(s, "allocator", allocator) == KMEM_OK, "%s", kmem_error(s));
	char *text = has_end(file, ".slabtrace") ? golden_tell(s, &hash)
						 : golden_tell_short(s, &hash);
	snprintf(name, sizeof(name), GOLDEN_DIRECTORY "samples/%s", allocator);
	if (write)
		mkdir(name, 0777);
	snprintf(name, sizeof(name), "samples/%s/%s", allocator, file);
	golden_check(name, text, write);
	fprintf(hashes, "%016llx %s\n", (unsigned long long)hash, name);
	free(text);
}

static void run_sample_by_all(const char *file, FILE *hashes, int write)
{
	char path[NAME_BYTES + 16], allocators[256], *rest = allocators;
	size_t len = 0;

	snprintf(path, sizeof(path), "../traces/%s", file);
	snprintf(allocators, sizeof(allocators), "%s", param_values[PARAM_ALLOCATOR]);
	char *trace = file_text(path, &len);
	CHECK(len > 0, "%s", path);
	struct kmem_session *s = session_of_text(trace);
	for (char *name = strsep(&rest, " "); name; name = strsep(&rest, " "))
		run_sample(s, file, name, hashes, write);
	free(trace);
}

static void run_all(const char *directory, int (*takes)(const struct dirent *),
		    void (*run)(const char *, FILE *, int), FILE *hashes, int write)
{
	struct dirent **entries;
	int nr = scandir(directory, &entries, takes, alphasort);

	CHECK(nr > 0, "no traces in %s", directory);
	for (int i = 0; i < nr; i++) {
		RUN(run(entries[i]->d_name, hashes, write));
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	int write = argc > 1 && strcmp(argv[1], "--write") == 0;
	char *text = NULL;
	size_t len = 0;
	FILE *hashes = open_memstream(&text, &len);

	RUN(run_all(GOLDEN_DIRECTORY, is_slabtrace, run_small_trace, hashes, write));
	RUN(run_all("../traces", is_sample, run_sample_by_all, hashes, write));
	fclose(hashes);
	if (!WORLD_RED_ZONE_BYTES)
		golden_check("hashes", text, write);
	free(text);
	return check_summary();
}
