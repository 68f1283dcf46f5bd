/*
 * golden_test.c - every decision of small traces, in words and numbers, against texts that are
 * kept.
 *
 * golden/NAME.slabtrace is replayed op by op; what it says must be golden/NAME.txt. gcc, clang,
 * each level of optimisation and the sanitizers must come to the same text, so it is also the
 * test that the core does not depend on the compiler. golden/hashes.txt has the hash of each
 * world at the end: it also changes when only the layout of the world does. `make golden` writes
 * all anew after a change that is meant.
 */
#define _GNU_SOURCE /* open_memstream, scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "../kmem.h"
#include "check.h"
#include "session_util.h"

#define DIRECTORY "test/golden/"

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "../steps.def"
#undef STEP
};

static char *read_text(const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t len = 0, room = 1 << 20;
	char *text = calloc(1, room + 1);

	if (in && text)
		len = fread(text, 1, room, in);
	if (in)
		fclose(in);
	if (!text || !in || len == room) {
		fprintf(stderr, "%s: %s\n", path,
			in ? "too large for a golden file" : "cannot be read");
		free(text);
		return NULL;
	}
	return text;
}

static void put_op(FILE *out, struct kmem_session *s, u32 op)
{
	struct kmem_op_row row = *kmem_op(s, op);
	s32 nr;

	fprintf(out, "\n%u %s\n", op, kmem_op_sentence(s, op));
	nr = kmem_steps(s, op);
	CHECK(nr >= 0, "%s", kmem_error(s));
	for (s32 k = 0; k < nr; k++) {
		struct kmem_step step = kmem_step_rows(s)[k];
		fprintf(out, "  %s cpu=%u cache=%d node=%d %u,%u,%u,%u,%u: %s\n",
			step_names[step.kind], step.cpu, (s16)step.cache, (s16)step.node,
			step.args[0], step.args[1], step.args[2], step.args[3], step.args[4],
			kmem_step_sentence(s, &step));
	}
	row = *kmem_op(s, op);
	if (row.slab != 0xffffffff)
		fprintf(out, "  -> slab %u, index %u\n", row.slab, row.index);
	CHECK(kmem_check(s) == KMEM_OK, "op %u: %s", op, kmem_error(s));
}

static void put_end(FILE *out, struct kmem_session *s)
{
	struct kmem_totals t = *kmem_totals(s);

	fprintf(out, "\nend: %u slabs, %u partial, %u live objects, %llu cycles\n", t.slabs,
		t.partial, t.live_objects, (unsigned long long)t.cycles);
}

/* What the replay of a trace says; malloc'ed. *hash becomes that of the world at the end. */
static char *tell(const char *trace, u64 *hash)
{
	struct kmem_session *s = session_of_text(trace);
	const struct kmem_report *r = kmem_report(s);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	u32 nr_ops = kmem_nr_ops(s);

	CHECK(r->skipped_lines == 0, "%llu lines are wrong", (unsigned long long)r->skipped_lines);
	CHECK(kmem_build(s, 0) == KMEM_OK, "%s", kmem_error(s));
	*hash = kmem_hash(s);
	CHECK(kmem_seek(s, 0) == KMEM_OK, "%s", kmem_error(s));
	fprintf(out, "%s\n", kmem_machine_text(s));
	for (u32 op = 0; op < nr_ops; op++)
		put_op(out, s, op);
	put_end(out, s);
	CHECK(kmem_hash(s) == *hash, "a run with recording ends elsewhere than one without");
	fclose(out);
	return text;
}

/* Number of the first line in which the texts differ, and both lines. */
static void show_difference(const char *name, const char *want, const char *have)
{
	u32 line = 1;
	const char *w = want, *h = have;

	for (size_t i = 0; want[i] && want[i] == have[i]; i++) {
		if (want[i] != '\n')
			continue;
		line++;
		w = want + i + 1;
		h = have + i + 1;
	}
	fprintf(stderr,
		"%s.txt:%u:\n  kept: %.*s\n  now:  %.*s\n(make golden keeps what is said now)\n",
		name, line, (int)strcspn(w, "\n"), w, (int)strcspn(h, "\n"), h);
}

/* Compares a text with the one that is kept, or keeps it. */
static void check_text(const char *name, const char *text, int write)
{
	char path[512];

	snprintf(path, sizeof(path), DIRECTORY "%s.txt", name);
	if (write) {
		FILE *out = fopen(path, "wb");
		CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0, "%s", path);
		return;
	}
	char *kept = read_text(path);
	int same = kept && strcmp(kept, text) == 0;
	CHECK(same, "%s", path);
	if (kept && !same)
		show_difference(name, kept, text);
	free(kept);
}

static void run(const char *name, FILE *hashes, int write)
{
	char path[512];
	u64 hash = 0;

	snprintf(path, sizeof(path), DIRECTORY "%s.slabtrace", name);
	char *trace = read_text(path), *text = trace ? tell(trace, &hash) : NULL;
	CHECK(text != NULL, "%s", path);
	if (text)
		check_text(name, text, write);
	fprintf(hashes, "%016llx %s\n", (unsigned long long)hash, name);
	free(trace);
	free(text);
}

static int is_trace(const struct dirent *entry)
{
	return strstr(entry->d_name, ".slabtrace") != NULL;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int nr = scandir(DIRECTORY, &entries, is_trace, alphasort);
	int write = argc > 1 && strcmp(argv[1], "--write") == 0;
	char *text = NULL;
	size_t len = 0;
	FILE *hashes = open_memstream(&text, &len);

	CHECK(nr > 0, "no traces in " DIRECTORY);
	for (int i = 0; i < nr; i++) {
		*strstr(entries[i]->d_name, ".slabtrace") = 0;
		run(entries[i]->d_name, hashes, write);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	fclose(hashes);
	check_text("hashes", text, write);
	free(text);
	return check_summary();
}
