/*
 * machine_state_files.c - reads the files of a real machine's kernel that describe its caches.
 */
#include "cli/host/machine_state_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	PIECE_BYTES = 65536,
	MAX_PATH_BYTES = 4096,
	MAX_FILES = 16,
	FIRST_ROOM_BYTES = 1 << 20,
	MAX_FILE_BYTES = 256 << 20,
};

/* A file that an option names. It is read once, whatever the number of sessions, because it may be a pipe. */
struct file {
	char path[MAX_PATH_BYTES];
	u8 *text;
	size_t len_bytes;
};

struct files {
	struct file at[MAX_FILES];
	u32 nr;
	int is_read;
	int is_said; /* the replaced rows were reported */
};

/* Grows the buffer while reading, because the size of a pipe or device is not known. */
static int read_all(struct file *file, FILE *in)
{
	size_t room_bytes = 0, got;

	do {
		if (file->len_bytes == room_bytes) {
			room_bytes = room_bytes ? 2 * room_bytes : FIRST_ROOM_BYTES;
			u8 *text = room_bytes <= MAX_FILE_BYTES ? realloc(file->text, room_bytes)
								: NULL;
			if (!text) {
				complain(
					"%s: is larger than any state of caches, which takes a few "
					"megabytes; give /proc/slabinfo or `grep -r . "
					"/sys/kernel/slab`",
					file->path);
				return EXIT_INPUT;
			}
			file->text = text;
		}
		got = fread(file->text + file->len_bytes, 1, room_bytes - file->len_bytes, in);
		file->len_bytes += got;
	} while (got);
	if (!ferror(in))
		return EXIT_DONE;
	complain("%s: cannot be read: %s", file->path, strerror(errno));
	return EXIT_INPUT;
}

static int load_file(struct files *files, const char *path, size_t len)
{
	struct file *file = &files->at[files->nr];

	if (files->nr == MAX_FILES || len >= sizeof(file->path)) {
		complain("%.40s: %s", path,
			 len < sizeof(file->path) ? "at most 16 files can be named here"
						  : "this path is too long");
		return EXIT_CALL;
	}
	memcpy(file->path, path, len);
	file->path[len] = 0;
	FILE *in = fopen(file->path, "rb");
	if (!in) {
		complain("%s: cannot be opened: %s", file->path, strerror(errno));
		return EXIT_INPUT;
	}
	int status = read_all(file, in);
	fclose(in);
	files->nr++;
	return status;
}

/* Loads files named as "a.csv,b.csv". */
static int load_files(struct files *files, const char *paths)
{
	int status = EXIT_DONE;

	while (*paths && !status) {
		size_t len = strcspn(paths, ",");
		if (len)
			status = load_file(files, paths, len);
		paths += len + (paths[len] == ',');
	}
	files->is_read = 1;
	return status;
}

/* Begins the next file, and reports if the previous one replaced rows of the files before it. */
static void next_file(struct host *h, const char *option, const struct files *files, u32 i)
{
	if (kmem_machine_state_file(h->session) && !h->quiet && !files->is_said)
		complain("--%s: %s replaces what the files before it have", option,
			 files->at[i - 1].path);
}

static int read_option(struct host *h, const char *option, const char *paths, struct files *files,
		       s32 (*begin)(struct kmem_session *s))
{
	int status = files->is_read ? EXIT_DONE : load_files(files, paths);
	s32 err = status ? 0 : begin(h->session);

	for (u32 i = 0; i < files->nr && !status && !err; i++) {
		next_file(h, option, files, i);
		for (size_t at = 0, len; at < files->at[i].len_bytes && !err; at += len) {
			len = MIN(files->at[i].len_bytes - at, (size_t)PIECE_BYTES);
			err = kmem_machine_state_chunk(h->session, files->at[i].text + at,
						       (u32)len);
		}
	}
	if (status)
		return status;
	if (!err)
		next_file(h, option, files, files->nr);
	files->is_said = 1;
	if (!err)
		err = kmem_machine_state_end(h->session);
	if (!err)
		return EXIT_DONE;
	complain("--%s %s: %s", option, paths, kmem_error(h->session));
	return EXIT_INPUT;
}

int machine_state_read(struct host *h, const struct args *args)
{
	static struct files params, before, shown, machine, warm;
	const char *caches = GIVEN(args, CACHE_PARAMS)	? args->text[OPT_CACHE_PARAMS]
			     : GIVEN(args, CACHE_NAMES) ? args->text[OPT_CACHE_NAMES]
							: NULL;
	int status = EXIT_DONE;

	if (GIVEN(args, BEFORE) && !GIVEN(args, MACHINE_STATE)) {
		complain("--before: expected --machine-state too, the caches after the trace");
		return EXIT_CALL;
	}
	if (GIVEN(args, WARM) && GIVEN(args, START)) {
		complain("--warm and --start exclude each other: give the one to begin with");
		return EXIT_CALL;
	}
	/* A replay sends such objects to the plain caches itself, whatever the import calls them. */
	if (GIVEN(args, CACHE_NAMES))
		kmem_cache_params_name(h->session);
	if (GIVEN(args, WARM))
		status = read_option(h, "warm", args->text[OPT_WARM], &warm, kmem_warm_begin);
	/* The machine's slabs are right with the machine's orders. */
	if (!status && (caches || GIVEN(args, WARM)))
		status = read_option(h, caches ? "cache-params" : "warm",
				     caches ? caches : args->text[OPT_WARM],
				     caches ? &params : &warm, kmem_cache_params_begin);
	if (!status && GIVEN(args, BEFORE)) {
		status = read_option(h, "before", args->text[OPT_BEFORE], &before,
				     kmem_machine_state_begin);
		if (!status && kmem_machine_state_is_before(h->session, 1))
			status = EXIT_INPUT;
	}
	if (!status && GIVEN(args, MACHINE_STATE))
		status = read_option(h, "machine-state", args->text[OPT_MACHINE_STATE], &shown,
				     kmem_machine_state_begin);
	if (!status && GIVEN(args, MACHINE))
		status = read_option(h, "machine", args->text[OPT_MACHINE], &machine,
				     kmem_machine_state_begin);
	return status;
}
