/*
 * merge_pairs.c - overlaps and gaps between the files of a merge, on the CPUs that they share.
 *
 * A file for each CPU overlaps with no other one. Files after one another have a gap between them, or an overlap that holds
 * some events twice.
 */
#include "import/merge/merge.h"

/* Returns the file whose events on this CPU begin next after file `after`, KMEM_NONE32 if none does. */
static u32 next_on(const struct merge *m, u32 cpu, u32 after)
{
	u32 best = KMEM_NONE32;

	for (u32 i = 0; i < m->nr_files; i++) {
		const struct cpu_span *span = &m->files[i].cpus[cpu];
		if (span->first > span->last || i == after)
			continue;
		if (after != KMEM_NONE32) {
			const struct cpu_span *before = &m->files[after].cpus[cpu];
			if (span->first < before->first ||
			    (span->first == before->first && i < after))
				continue;
		}
		if (best == KMEM_NONE32 || span->first < m->files[best].cpus[cpu].first)
			best = i;
	}
	return best;
}

static struct kmem_merge_pair *pair_of(struct merge *m, u32 a, u32 b, u32 overlaps)
{
	for (u32 i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].a == a && m->pairs[i].b == b && m->pairs[i].overlaps == overlaps)
			return &m->pairs[i];
	if (m->nr_pairs == KMEM_MAX_MERGE_PAIRS)
		return NULL;
	struct kmem_merge_pair *pair = &m->pairs[m->nr_pairs++];
	*pair = (struct kmem_merge_pair){ .a = a, .b = b, .overlaps = overlaps };
	return pair;
}

/* Joins what one CPU shows with what others have shown of the same two files. */
static void note_pair(struct merge *m, u32 a, u32 b, u32 cpu)
{
	const struct cpu_span *x = &m->files[a].cpus[cpu], *y = &m->files[b].cpus[cpu];
	u32 overlaps = y->first < x->last;
	struct kmem_merge_pair *pair = y->first == x->last ? NULL : pair_of(m, a, b, overlaps);

	if (!pair)
		return;
	u64 from = overlaps ? y->first : x->last, to = overlaps ? MIN(x->last, y->last) : y->first;
	if (!pair->cpus++) {
		pair->from = from;
		pair->to = to;
	} else if (overlaps) {
		pair->from = MIN(pair->from, from);
		pair->to = MAX(pair->to, to);
	} else {
		pair->from = MAX(pair->from, from);
		pair->to = MIN(pair->to, to);
	}
}

void merge_find_pairs(struct merge *m)
{
	u32 nr = 0;

	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		/* The file that lasts longest so far: a shorter one may lie inside it. */
		u32 a = next_on(m, cpu, KMEM_NONE32);
		for (u32 b = a; a != KMEM_NONE32;) {
			b = next_on(m, cpu, b);
			if (b == KMEM_NONE32)
				break;
			note_pair(m, a, b, cpu);
			if (m->files[b].cpus[cpu].last > m->files[a].cpus[cpu].last)
				a = b;
		}
	}
	/* On one CPU nothing was recorded, on another one something was: no gap. */
	for (u32 i = 0; i < m->nr_pairs; i++)
		if (m->pairs[i].overlaps || m->pairs[i].from < m->pairs[i].to)
			m->pairs[nr++] = m->pairs[i];
	m->nr_pairs = nr;
}
