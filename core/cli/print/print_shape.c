/*
 * print_shape.c - prints the shape of a trace, as a member of info's JSON and as tables.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

enum { BAR_WIDTH = 40 };

static double share(u64 part, u64 all)
{
	return all ? (double)part / (double)all : 0;
}

int shape_json(struct json *j, struct host *h)
{
	const struct kmem_shape *s = kmem_shape(h->session);

	if (!s)
		return host_failed(h, KMEM_ENOMEM);
	const struct kmem_shape_size *size = host_rows(h, s->sizes_at);
	json_object(j, "shape");
	fields_json(
		j, h, ROW(kmem_shape, s),
		"operations=ops,allocs,kmallocs,frees,seen_frees,remote_frees,cpu_changes,live_peak,"
		"live_at_end=live_now,requested_peak,requested_at_end=requested_now");
	rows_json(j, "sizes", h, ROW(kmem_shape_size, size), s->nr_sizes, "bytes,allocs");
	json_number(j, "other_sizes", s->other_sizes);
	json_array(j, "lifetimes");
	for (u32 i = 0; i < s->nr_lifetimes; i++) {
		if (!s->lifetimes[i])
			continue;
		json_row(j, NULL);
		json_number(j, "at_least", (u64)1 << i);
		json_number(j, "frees", s->lifetimes[i]);
		json_end(j);
	}
	json_end(j);
	json_list(j, "live");
	for (u32 i = 0; i < s->nr_live; i++)
		json_number(j, NULL, s->live[i]);
	json_end(j);
	json_end(j);
	return EXIT_DONE;
}

static void print_bar(u64 part, u64 most)
{
	char bar[BAR_WIDTH + 1];
	u32 n = most ? (u32)(part * BAR_WIDTH / most) : 0;

	memset(bar, '#', n);
	bar[n] = 0;
	puts(bar);
}

static void print_sizes(const struct host *h, const struct kmem_shape *s)
{
	const struct kmem_shape_size *size = host_rows(h, s->sizes_at);
	u64 most = 0, left = s->other_sizes;
	u32 more = 0;

	for (u32 i = 0; i < s->nr_sizes; i++)
		most = MAX(most, size[i].allocs);
	puts("\n  bytes of a slot, share of allocations");
	for (u32 i = 0; i < s->nr_sizes; i++) {
		/* A tenth of a percent is not worth a line. */
		if (size[i].allocs * 1000 < s->allocs) {
			left += size[i].allocs;
			more++;
			continue;
		}
		printf("  %10u %7.2f %%  ", size[i].bytes, 100 * share(size[i].allocs, s->allocs));
		print_bar(size[i].allocs, most);
	}
	if (left)
		printf("  %10s %7.2f %%  (%s, each less than 0.1 %%)\n", "others",
		       100 * share(left, s->allocs), counted(more, "size").s);
}

static void print_lifetimes(const struct kmem_shape *s)
{
	u64 most = 0;
	u32 first = 0, last = 0;

	for (u32 i = 0; i < s->nr_lifetimes; i++) {
		most = MAX(most, s->lifetimes[i]);
		if (s->lifetimes[i])
			last = i + 1;
		else if (!last)
			first = i + 1;
	}
	puts("\n  lifetime in events, share of frees");
	for (u32 i = first; i < last; i++) {
		printf("  %10llu %7.2f %%  ", 1ull << i,
		       100 * share(s->lifetimes[i], s->seen_frees));
		print_bar(s->lifetimes[i], most);
	}
}

/* Prints every fourth of the 64 parts: enough to show where the number grows. */
static void print_live(const struct kmem_shape *s)
{
	puts("\n  live objects, from the first event to the last");
	for (u32 i = 3; i < s->nr_live; i += 4) {
		printf("  %10s            ", grouped(s->live[i]).s);
		print_bar(s->live[i], s->live_peak);
	}
}

int shape_print(struct host *h)
{
	const struct kmem_shape *s = kmem_shape(h->session);

	if (!s)
		return host_failed(h, KMEM_ENOMEM);
	printf("\nshape: %s, ", counted(s->allocs, "allocation").s);
	printf("%.1f %% by kmalloc; ", 100 * share(s->kmallocs, s->allocs));
	printf("%.1f %% of frees on another CPU,\n  %.1f %% of events on another CPU than the "
	       "one before; most objects live %s\n",
	       100 * share(s->remote_frees, s->seen_frees), 100 * share(s->cpu_changes, s->ops),
	       grouped(s->live_peak).s);
	print_sizes(h, s);
	print_lifetimes(s);
	print_live(s);
	return EXIT_DONE;
}
