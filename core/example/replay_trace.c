/* replay_trace.c - replays a trace on 8 CPUs, goes to the middle, and prints what the next event does. */
#include <kmem.h>
#include <stdio.h>

static _Alignas(KMEM_REGION_ALIGN_BYTES) char region[256 << 20];
static uint8_t chunk[65536];

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct kmem_session *s = kmem_open(region, sizeof(region));
	int status = kmem_import_begin(s);

	if (!in)
		return fprintf(stderr, "usage: replay_trace FILE\n"), 2;
	for (size_t n; !status && (n = fread(chunk, 1, sizeof(chunk), in)) > 0;)
		status = kmem_import_chunk(s, chunk, (uint32_t)n);
	if (status || kmem_import_end(s) || kmem_set(s, "cpus", "8") || kmem_build(s, 0))
		return fprintf(stderr, "%s\n", kmem_error(s)), 1;
	uint32_t half = kmem_nr_ops(s) / 2;
	kmem_seek(s, half);
	printf("%llu bytes in slabs\n", (unsigned long long)kmem_totals(s)->slab_bytes);
	int steps = kmem_steps(s, half);
	for (int i = 0; i < steps; i++)
		puts(kmem_step_sentence(s, &kmem_step_rows(s)[i]));
	return 0;
}
