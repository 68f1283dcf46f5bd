/*
 * machine_state_files.c - a real machine's caches beside the model's: reads the files of its kernel, and prints both
 * in one table.
 */
#include "cli/host/machine_state_files.h"

#include <errno.h>
#include <stdlib.h>

enum {
	NOT_TOLD = -1,
	PIECE_BYTES = 65536,
	MAX_PATH_BYTES = 4096,
	MAX_FILES = 16,
	FIRST_ROOM_BYTES = 1 << 20,
	MAX_FILE_BYTES = 256 << 20,
};

static s64 told(u32 number)
{
	return number == 0xffffffff ? NOT_TOLD : (s64)number;
}

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
	if (kmem_overlay_file(h->session) && !h->quiet && !files->is_said)
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
			err = kmem_overlay_chunk(h->session, files->at[i].text + at, (u32)len);
		}
	}
	if (status)
		return status;
	if (!err)
		next_file(h, option, files, files->nr);
	files->is_said = 1;
	if (!err)
		err = kmem_overlay_end(h->session);
	if (!err)
		return EXIT_DONE;
	complain("--%s %s: %s", option, paths, kmem_error(h->session));
	return EXIT_INPUT;
}

int machine_state_read(struct host *h, const struct args *args)
{
	static struct files params, shown;
	int status = EXIT_DONE;

	if (GIVEN(args, CACHE_PARAMS))
		status = read_option(h, "cache-params", args->text[OPT_CACHE_PARAMS], &params,
				     kmem_cache_params_begin);
	if (!status && GIVEN(args, MACHINE_STATE))
		status = read_option(h, "machine-state", args->text[OPT_MACHINE_STATE], &shown,
				     kmem_overlay_begin);
	return status;
}

/* A cache that both have: the model's number, and the location of the machine's row. */
struct pair {
	const char *key;
	u32 model, machine;
};

enum { NR_PAIRS = 10 };

static void pairs_of(const struct kmem_cache_row *c, const struct kmem_overlay_row *o,
		     struct pair *pairs)
{
	const struct pair all[NR_PAIRS] = {
		{ "object_size", c->object_size, o->object_size },
		{ "size", c->size, o->size },
		{ "objects_per_slab", c->objects_per_slab, o->objects_per_slab },
		{ "order", c->order, o->order },
		{ "objects", c->objects, o->objects },
		{ "total_objects", c->total_objects, o->total_objects },
		{ "slabs", c->slabs, o->slabs },
		{ "partial", c->partial, o->partial },
		{ "min_partial", c->min_partial, o->min_partial },
		{ "cpu_partial", c->cpu_partial, o->cpu_partial },
	};

	memcpy(pairs, all, sizeof(all));
}

/* A copy: the calls in between reuse their place. */
static struct kmem_cache_row *caches_of(const struct host *h, u32 *nr)
{
	const struct kmem_cache_row *rows = kmem_cache_rows(h->session, nr);
	struct kmem_cache_row *copy = *nr ? malloc(*nr * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, rows, *nr * sizeof(*copy));
	else
		*nr = 0;
	return copy;
}

void machine_state_json(struct json *j, const struct host *h, const struct args *args)
{
	struct pair pairs[NR_PAIRS];
	u32 nr;

	if (!GIVEN(args, MACHINE_STATE))
		return;
	struct kmem_cache_row *c = caches_of(h, &nr);
	json_array(j, "overlay");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_overlay_row *o = kmem_overlay_of(h->session, c[i].cache);
		if (!o)
			continue;
		pairs_of(&c[i], o, pairs);
		json_object(j, NULL);
		json_text(j, "name", host_text(h, c[i].name_at));
		json_text(j, "machine_name", host_text(h, o->name_at));
		for (u32 k = 0; k < NR_PAIRS; k++) {
			json_row(j, pairs[k].key);
			json_number(j, "model", pairs[k].model);
			if (told(pairs[k].machine) == NOT_TOLD)
				json_null(j, "machine");
			else
				json_number(j, "machine", pairs[k].machine);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
	free(c);
}

static void print_pair(u32 model, u32 machine)
{
	if (told(machine) == NOT_TOLD)
		printf(" %6u %-9s", model, NO_NUMBER); /* three bytes, one character */
	else
		printf(" %6u %-7u", model, machine);
}

void machine_state_print(const struct host *h, const struct args *args)
{
	u32 nr, missing = 0;

	if (!GIVEN(args, MACHINE_STATE))
		return;
	struct kmem_cache_row *c = caches_of(h, &nr);
	puts("\nmodel beside machine; " NO_NUMBER ": the machine's file does not say");
	printf("  %-24s %14s %14s %14s %14s %14s\n", "cache", "size", "order", "objects", "slabs",
	       "partial");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_overlay_row *o = kmem_overlay_of(h->session, c[i].cache);
		if (!o) {
			missing++;
			continue;
		}
		printf("  %-24s", plain(host_text(h, c[i].name_at)));
		print_pair(c[i].size, o->size);
		print_pair(c[i].order, o->order);
		print_pair(c[i].objects, o->objects);
		print_pair(c[i].slabs, o->slabs);
		print_pair(c[i].partial, o->partial);
		puts("");
	}
	if (missing)
		printf("  %s of the model: the machine has none of that name\n",
		       counted(missing, "cache").s);
	free(c);
}
