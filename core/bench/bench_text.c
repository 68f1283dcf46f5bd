/*
 * bench_text.c - generates a trace: ftrace text of random allocations and frees, the same on every computer.
 *
 * The number of live objects first rises to the requested one and then stays near it: each turn allocates into an
 * empty slot of the table, or frees the object of a full one. The trace has four CPUs and eight caches; a third of
 * the frees are remote.
 */
#include "bench/bench_text.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_EVENT_BYTES = 256, NR_CPUS = 4 };

static const struct shape {
	const char *name;
	u32 bytes;
} shapes[] = {
	{ "dentry", 192 },
	{ "filp", 256 },
	{ "vm_area_struct", 176 },
	{ "anon_vma_chain", 64 },
	{ "skbuff_head_cache", 256 },
	{ "maple_node", 256 },
	{ "inode_cache", 592 },
	{ "task_struct", 4096 },
};

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1d;
}

static u32 put_event(char *to, u32 i, struct bench_object *o, u64 r)
{
	const struct shape *s;
	u32 cpu = (u32)(r >> 8) % NR_CPUS, us = 4 * i;
	int n;

	if (o->shape) {
		cpu = (r >> 16) % 3 == 0 ? cpu : o->cpu;
		s = &shapes[o->shape - 1];
		n = snprintf(
			to, MAX_EVENT_BYTES,
			"           bench-%-7u [%03u] ..... %5u.%06u: kmem_cache_free: call_site=bench_free+0x24/0x60 "
			"ptr=%016llx name=%s\n",
			1000 + cpu, cpu, 100 + us / 1000000, us % 1000000,
			(unsigned long long)o->address, s->name);
		o->shape = 0;
		return (u32)n;
	}
	o->shape = (u32)(r >> 24) % ARRAY_SIZE(shapes) + 1;
	o->cpu = cpu;
	s = &shapes[o->shape - 1];
	n = snprintf(
		to, MAX_EVENT_BYTES,
		"           bench-%-7u [%03u] ..... %5u.%06u: kmem_cache_alloc: call_site=bench_alloc+0x1a/0x90 "
		"ptr=%016llx name=%s bytes_req=%u bytes_alloc=%u gfp_flags=GFP_KERNEL node=-1 accounted=false\n",
		1000 + cpu, cpu, 100 + us / 1000000, us % 1000000, (unsigned long long)o->address,
		s->name, s->bytes, s->bytes);
	return (u32)n;
}

int bench_text_begin(struct bench_text *t, u32 nr_events, u32 nr_live)
{
	/* Half of the slots are empty at any time once the random walk has settled. */
	t->nr_slots = 2 * nr_live;
	t->objects = calloc(t->nr_slots, sizeof(*t->objects));
	t->state = 0x9e3779b97f4a7c15;
	t->next = 0;
	t->nr_events = nr_events;
	return t->objects != NULL;
}

u32 bench_text_more(struct bench_text *t, char *to, u32 room_bytes)
{
	u32 len = 0;

	for (; t->next < t->nr_events && len + MAX_EVENT_BYTES <= room_bytes; t->next++) {
		u64 r = next_random(&t->state);
		u32 slot = (u32)(r >> 32) % t->nr_slots;
		t->objects[slot].address = 0xffff888000000000 + (u64)slot * 4096;
		len += put_event(to + len, t->next, &t->objects[slot], next_random(&t->state));
	}
	return len;
}

void bench_text_end(struct bench_text *t)
{
	free(t->objects);
	t->objects = NULL;
}

char *bench_text_make(u32 nr_events, u32 nr_live, u64 *len_bytes)
{
	struct bench_text t;
	char *text = malloc((u64)nr_events * MAX_EVENT_BYTES);
	u32 more;

	*len_bytes = 0;
	if (text && bench_text_begin(&t, nr_events, nr_live)) {
		while ((more = bench_text_more(&t, text + *len_bytes, 1 << 20)) > 0)
			*len_bytes += more;
		bench_text_end(&t);
	}
	return text;
}
