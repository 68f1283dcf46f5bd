/*
 * write.c - writes the session's trace to a file or to standard output, and tells what it wrote.
 */
#define _POSIX_C_SOURCE 200809L
#include "write.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

enum { PIECE_BYTES = 1 << 18 };

int write_check(const struct args *args)
{
	if (!GIVEN(args, JSON) || (GIVEN(args, OUTPUT) && strcmp(args->text[OPT_OUTPUT], "-") != 0))
		return EXIT_DONE;
	complain("with --json the trace needs a file of its own: -o FILE");
	return EXIT_CALL;
}

static int write_all(struct host *h, u32 to, FILE *out, u64 *bytes)
{
	u8 *buf = malloc(PIECE_BYTES);
	u32 op = 0;
	s32 got = 0;

	if (!buf) {
		complain("no memory to write with");
		return EXIT_INPUT;
	}
	while ((got = kmem_export(h->session, to, &op, buf, PIECE_BYTES)) > 0) {
		*bytes += (u64)got;
		if (fwrite(buf, 1, (size_t)got, out) != (size_t)got)
			break;
		progress(h, "writing", op, kmem_nr_ops(h->session));
	}
	progress_end(h);
	free(buf);
	return got < 0 ? host_failed(h, got) : EXIT_DONE;
}

static void print_counts(const struct host *h, const struct args *args, u64 bytes, const char *path)
{
	const struct kmem_report *r = kmem_report(h->session);
	struct json j = json_to(stdout);

	if (GIVEN(args, JSON)) {
		json_object(&j, NULL);
		report_json(&j, h);
		json_text(&j, "output", path);
		json_number(&j, "output_bytes", bytes);
		json_end(&j);
	} else if (!h->quiet) {
		printf("%s: %s, %s\n", path, counted(r->ops, "operation").s,
		       counted(bytes, "byte").s);
	}
}

/* Half a file is worse than none; a device is not ours to remove. */
static void remove_regular(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

int write_trace(struct host *h, const struct args *args, u32 to)
{
	const char *path = GIVEN(args, OUTPUT) ? args->text[OPT_OUTPUT] : "-";
	int to_stdout = strcmp(path, "-") == 0;
	FILE *out = to_stdout ? stdout : fopen(path, "wb");
	u64 bytes = 0;

	if (!out) {
		complain("%s: cannot be written: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	int status = write_all(h, to, out, &bytes), bad = ferror(out);
	if (to_stdout)
		return status ? status : host_verdict(h);
	bad |= fclose(out) != 0;
	if (bad && !status) {
		complain("%s: could not be written to the end; is the disk full?", path);
		status = EXIT_INPUT;
	}
	if (status) {
		remove_regular(path);
		return status;
	}
	print_counts(h, args, bytes, path);
	return host_verdict(h);
}
