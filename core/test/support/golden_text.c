/*
 * golden_text.c - see golden_text.h.
 */
#define _GNU_SOURCE /* open_memstream */
#include "test/support/golden_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/support/check.h"

enum { FIRST_OPS = 50 };

static const char *const step_names[NR_STEP_KINDS] = {
#define STEP(kind, cycles, function, a0, a1, a2, a3, a4, sentence) #kind,
#include "tables/steps/steps.def"
#undef STEP
};

/* Values of all enums, in the order of abi.def: counters are the first NR_COUNTERS. */
static const char *const value_names[] = {
#define VALUE(name, key, words) #key,
#include "tables/abi/abi.def"
};

char *golden_read(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), GOLDEN_DIRECTORY "%s", name);
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

static void put_step(FILE *out, struct kmem_session *s, u32 k)
{
	struct kmem_step step = kmem_step_rows(s)[k];

	fprintf(out, "  %s cpu=%u cache=%d node=%d %u,%u,%u,%u,%u: %s\n", step_names[step.kind],
		step.cpu, (s16)step.cache, (s16)step.node, step.args[0], step.args[1], step.args[2],
		step.args[3], step.args[4], kmem_step_sentence(s, &step));
}

/* Writes an op with all numbers, or in words only. */
static void put_op(FILE *out, struct kmem_session *s, u32 op, int numbers)
{
	struct kmem_op_row row = *kmem_op(s, op);
	s32 nr;

	fprintf(out, "\n%u %s\n", op, kmem_op_sentence(s, op));
	nr = kmem_steps(s, op);
	CHECK(nr >= 0, "%s", kmem_error(s));
	for (s32 k = 0; k < nr; k++) {
		struct kmem_step step = kmem_step_rows(s)[k];
		if (numbers)
			put_step(out, s, (u32)k);
		else
			fprintf(out, "  %s\n", kmem_step_sentence(s, &step));
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

/* Mixes by FNV-1a, word by word. */
static void mix(u32 *hash, u32 word)
{
	*hash = (*hash ^ word) * 16777619u;
}

/* Kinds by name: their numbers change whenever an allocator gets a new one. */
static void mix_step(u32 *hash, const struct kmem_step *step)
{
	for (const char *p = step_names[step->kind]; *p; p++)
		mix(hash, (u32)*p);
	mix(hash, step->cpu);
	mix(hash, step->cache);
	mix(hash, step->node);
	for (u32 i = 0; i < ARRAY_SIZE(step->args); i++)
		mix(hash, step->args[i]);
}

/* The first few steps of each event: a search of SLOB has thousands, and TypeScript reads them one by one. */
enum { HASHED_STEPS = 16 };

static void put_hash_of_steps(FILE *out, struct kmem_session *s)
{
	u32 hash = 2166136261u, nr_ops = kmem_nr_ops(s);
	u64 steps = 0;

	for (u32 op = 0; op < nr_ops; op++) {
		s32 nr = kmem_steps(s, op);
		CHECK(nr >= 0, "%s", kmem_error(s));
		for (s32 k = 0; k < MIN(nr, (s32)HASHED_STEPS); k++)
			mix_step(&hash, &kmem_step_rows(s)[k]);
		steps += (u64)MAX(nr, 0);
	}
	fprintf(out, "\nall: %u operations, %llu steps, %08x\n", nr_ops, (unsigned long long)steps,
		hash);
}

static void put_counters(FILE *out, struct kmem_session *s)
{
	const struct kmem_totals t = *kmem_totals(s);

	for (u32 i = 0; i < NR_COUNTERS; i++)
		if (t.counters[i])
			fprintf(out, "%s %u\n", value_names[i], t.counters[i]);
}

/* Builds, goes back to the start, and opens the text with the machine. */
static FILE *begin(struct kmem_session *s, char **text, size_t *len, u64 *hash)
{
	FILE *out = open_memstream(text, len);

	CHECK(kmem_build(s, 0) == KMEM_OK, "%s", kmem_error(s));
	*hash = kmem_hash(s);
	CHECK(kmem_seek(s, 0) == KMEM_OK, "%s", kmem_error(s));
	fprintf(out, "%s\n", kmem_machine_text(s));
	return out;
}

char *golden_tell(struct kmem_session *s, u64 *hash)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = begin(s, &text, &len, hash);

	for (u32 op = 0, nr_ops = kmem_nr_ops(s); op < nr_ops; op++)
		put_op(out, s, op, 1);
	put_end(out, s);
	CHECK(kmem_hash(s) == *hash, "a run with recording ends elsewhere than one without");
	fclose(out);
	return text;
}

char *golden_tell_short(struct kmem_session *s, u64 *hash)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = begin(s, &text, &len, hash);

	for (u32 op = 0; op < MIN(kmem_nr_ops(s), (u32)FIRST_OPS); op++)
		put_op(out, s, op, 0);
	put_hash_of_steps(out, s);
	CHECK(kmem_check(s) == KMEM_OK, "%s", kmem_error(s));
	put_end(out, s);
	put_counters(out, s);
	CHECK(kmem_hash(s) == *hash, "a run with recording ends elsewhere than one without");
	fclose(out);
	return text;
}

/* Shows the number of the first line in which the texts differ, and both lines. */
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

/* Compares a text with the stored one, or stores it. */
void golden_check(const char *name, const char *text, int write)
{
	char path[512];

	snprintf(path, sizeof(path), GOLDEN_DIRECTORY "%s.txt", name);
	if (write) {
		FILE *out = fopen(path, "wb");
		CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0, "%s", path);
		return;
	}
	snprintf(path, sizeof(path), "%s.txt", name);
	char *kept = golden_read(path);
	int same = kept && strcmp(kept, text) == 0;
	CHECK(same, "%s", path);
	if (kept && !same)
		show_difference(name, kept, text);
	free(kept);
}
