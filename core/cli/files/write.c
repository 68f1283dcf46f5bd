/*
 * write.c - writes the session's trace to a file or to standard output, and reports what it wrote.
 */
#include "cli/files/write.h"

#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"

enum { PIECE_BYTES = 1 << 18 };

int write_check(const struct args *args)
{
	if (!GIVEN(args, JSON) || (GIVEN(args, OUTPUT) && strcmp(args->text[OPT_OUTPUT], "-") != 0))
		return EXIT_DONE;
	complain("with --json the trace needs a file of its own: -o FILE");
	return EXIT_CALL;
}

int write_events(struct host *h, u32 to, struct output *out, u64 *bytes)
{
	u8 *buf = malloc(PIECE_BYTES);
	u32 op = 0, all = kmem_nr_ops(h->session);
	s32 got = 0;

	if (!buf) {
		complain("no memory to write with");
		return EXIT_INPUT;
	}
	while ((got = kmem_export(h->session, to, &op, buf, PIECE_BYTES)) > 0) {
		*bytes += (u64)got;
		if (!output_write(out, buf, (size_t)got))
			break;
		progress(h, "writing", MIN(op, all), all);
	}
	progress_end(h);
	free(buf);
	return got < 0 ? host_failed(h, got) : EXIT_DONE;
}

/* A replay infers the slabs of before event 1 from what a converted trace may lack. */
static void print_left_out(const struct host *h)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_kind_row *kinds = host_rows(h, r->kinds_at);
	int is_of_kernel = 0, has_pages = 0;

	for (u32 i = 0; i < r->nr_kinds; i++) {
		const char *name = host_text(h, kinds[i].name_at);
		is_of_kernel |= !strncmp(name, "kmem_cache_", 11) || !strncmp(name, "kmalloc", 7);
		has_pages |= !strncmp(name, "mm_page_", 8);
	}
	if (strcmp(host_text(h, r->format_at), "slabtrace") == 0)
		return;
	if (is_of_kernel && !(kmem_kept(h->session)->flags & KMEM_KEEP_POINTERS))
		puts("  left out: pointers, which show the slabs of before event 1 (--keep pointers,tasks keeps them)");
	if (has_pages)
		puts("  left out: events of the page allocator, which show the new slabs");
}

static void print_counts(const struct host *h, const struct args *args, u64 bytes, const char *path)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_filter *f = kmem_filter(h->session);
	struct json j = json_to(stdout);

	if (GIVEN(args, JSON)) {
		json_object(&j, NULL);
		report_json(&j, h);
		if (f) {
			json_number(&j, "chosen_events", f->events);
			json_number(&j, "events_before", f->before);
		}
		json_text(&j, "output", path);
		json_number(&j, "output_bytes", bytes);
		json_end(&j);
	} else if (!h->quiet) {
		printf("%s: %s, %s\n", plain(path),
		       counted(f ? (u64)f->events + f->before : r->ops, "event").s,
		       counted(bytes, "byte").s);
		print_left_out(h);
	}
}

int write_trace(struct host *h, const struct args *args, u32 to, struct output *out)
{
	u64 bytes = 0;
	int status = write_events(h, to, out, &bytes);

	status = output_end(out, status);
	if (status)
		return status;
	if (!out->is_stdout)
		print_counts(h, args, bytes, out->name);
	return host_verdict(h);
}

int write_made(struct made_file *f, const struct args *args, int status,
	       int (*make)(struct made_file *f))
{
	*f = (struct made_file){ .args = args };
	if (!status)
		status = output_begin(&f->out, args, args->nr_operands);
	return status ? status : output_end(&f->out, make(f));
}
