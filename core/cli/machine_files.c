/*
 * machine_files.c - reads the files of a real machine's kernel that describe its caches.
 */
#include "cli/cli.h"

enum {
	PIECE_BYTES = 65536,
	MAX_PATH_BYTES = 4096,
	MAX_FILES = 16,
	MAX_FILE_BYTES = 256 << 20,
};

/* A file that an option names. It is read once, whatever the number of sessions, because it may be a pipe. */
struct file {
	char path[MAX_PATH_BYTES];
	struct whole text;
};

struct files {
	struct file at[MAX_FILES];
	u32 nr;
	int is_read;
	int is_said; /* the replaced rows were reported */
};

static void load_file(struct host *h, struct files *files, const char *path, size_t len)
{
	struct file *file = &files->at[files->nr];

	if (files->nr == MAX_FILES || len >= sizeof(file->path))
		refuse_call("%.40s: %s", path,
			    len < sizeof(file->path) ? "at most 16 files can be named here"
						     : "this path is too long");
	memcpy(file->path, path, len);
	file->path[len] = 0;
	file->text = (struct whole){ .most_bytes = MAX_FILE_BYTES,
				     .expected = "/proc/slabinfo or `grep -r . "
						 "/sys/kernel/slab`, which take a few megabytes" };
	files->nr++;
	input_whole(h, file->path, &file->text);
}

/* Loads files named as "a.csv,b.csv". */
static void load_files(struct host *h, struct files *files, const char *paths)
{
	for (size_t len; *paths; paths += len + (paths[len] == ',')) {
		len = strcspn(paths, ",");
		if (len)
			load_file(h, files, paths, len);
	}
	files->is_read = 1;
}

/* Starts the next file, and reports if the previous one replaced rows of the files before it. */
static void next_file(struct host *h, const char *option, const struct files *files, u32 i)
{
	if (kmem_machine_state_file(h->session) && !h->quiet && !files->is_said)
		complain("--%s: %s replaces caches of the files before it", option,
			 files->at[i - 1].path);
}

static void read_option(struct host *h, const char *option, const char *paths, struct files *files,
			s32 (*begin)(struct kmem_session *s))
{
	if (!files->is_read)
		load_files(h, files, paths);
	s32 err = begin(h->session);
	for (u32 i = 0; i < files->nr && !err; i++) {
		next_file(h, option, files, i);
		const struct whole *text = &files->at[i].text;
		for (u64 at = 0, len; at < text->len_bytes && !err; at += len) {
			len = MIN(text->len_bytes - at, (u64)PIECE_BYTES);
			err = kmem_machine_state_chunk(h->session, text->text + at, (u32)len);
		}
	}
	if (!err)
		next_file(h, option, files, files->nr);
	files->is_said = 1;
	if (err || kmem_machine_state_end(h->session))
		give_up("--%s %s: %s", option, paths, kmem_error(h->session));
}

void machine_state_read(struct host *h, const struct args *args)
{
	static struct files params, before, shown, machine, warm;
	const char *caches = option_text(args, "cache-params"), *start = option_text(args, "warm");

	if (given(args, "before") && !given(args, "machine-state"))
		refuse_call("--before needs --machine-state too, for the caches after the trace");
	if (start && given(args, "start"))
		refuse_call("--warm and --start exclude each other: give only one of them");
	/* A replay sends such objects to the plain caches itself, whatever the import calls them. */
	if (given_as(args, "cache-params", NAMES))
		kmem_cache_params_name(h->session);
	if (start)
		read_option(h, "warm", start, &warm, kmem_warm_begin);
	/* The machine's slabs are only right with the machine's orders. */
	if (caches || start)
		read_option(h, caches ? "cache-params" : "warm", caches ? caches : start,
			    caches ? &params : &warm, kmem_cache_params_begin);
	if (given(args, "before")) {
		read_option(h, "before", option_text(args, "before"), &before,
			    kmem_machine_state_begin);
		host_must(h, kmem_machine_state_is_before(h->session, 1));
	}
	if (given(args, "machine-state"))
		read_option(h, "machine-state", option_text(args, "machine-state"), &shown,
			    kmem_machine_state_begin);
	if (given(args, "machine"))
		read_option(h, "machine", option_text(args, "machine"), &machine,
			    kmem_machine_state_begin);
}
