/*
 * overlay.c - a real machine's caches beside the model's: reading what its kernel shows, and both in one table.
 */
#include "overlay.h"

#include <errno.h>
#include <stdlib.h>

enum { NOT_TOLD = -1, PIECE_BYTES = 65536, MAX_PATH_BYTES = 4096 };

static s64 told(u32 number)
{
	return number == 0xffffffff ? NOT_TOLD : (s64)number;
}

static int read_file(struct host *h, const char *path)
{
	static u8 piece[PIECE_BYTES];
	FILE *in = fopen(path, "rb");
	size_t got;
	s32 err = 0;

	if (!in) {
		complain("%s: cannot be opened: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	while (!err && (got = fread(piece, 1, sizeof(piece), in)) > 0)
		err = kmem_overlay_chunk(h->session, piece, (u32)got);
	/* The next file begins on a line of its own. */
	if (!err)
		err = kmem_overlay_chunk(h->session, (const u8 *)"\n", 1);
	int bad = ferror(in);
	fclose(in);
	if (!bad && !err)
		return EXIT_DONE;
	complain("%s: %s", path, bad ? "cannot be read" : kmem_error(h->session));
	return EXIT_INPUT;
}

/* "a.csv,b.csv" */
static int read_files(struct host *h, const char *paths)
{
	char path[MAX_PATH_BYTES];

	while (*paths) {
		size_t len = strcspn(paths, ",");
		if (len >= sizeof(path)) {
			complain("%.40s…: this path is too long", paths);
			return EXIT_CALL;
		}
		memcpy(path, paths, len);
		path[len] = 0;
		int status = len ? read_file(h, path) : EXIT_DONE;
		if (status)
			return status;
		paths += len + (paths[len] == ',');
	}
	return EXIT_DONE;
}

int overlay_read(struct host *h, const struct args *args)
{
	static const u32 options[] = { OPT_CACHE_PARAMS, OPT_OVERLAY };
	int status = EXIT_DONE, asked = 0;

	for (u32 i = 0; !status && i < ARRAY_SIZE(options); i++) {
		const char *paths = args->given >> options[i] & 1 ? args->text[options[i]] : NULL;
		if (!paths)
			continue;
		if (!asked && kmem_overlay_begin(h->session)) {
			complain("%s", kmem_error(h->session));
			return EXIT_INPUT;
		}
		asked = 1;
		status = read_files(h, paths);
	}
	if (!status && asked && kmem_overlay_end(h->session)) {
		complain("%s: %s",
			 GIVEN(args, OVERLAY) ? args->text[OPT_OVERLAY]
					      : args->text[OPT_CACHE_PARAMS],
			 kmem_error(h->session));
		status = EXIT_INPUT;
	}
	kmem_overlay_use(h->session, GIVEN(args, CACHE_PARAMS));
	return status;
}

/* What both have: the model's number, and where the machine's is. */
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

void overlay_json(struct json *j, const struct host *h, const struct args *args)
{
	struct pair pairs[NR_PAIRS];
	u32 nr;

	if (!GIVEN(args, OVERLAY))
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
	char text[32] = "-";

	if (told(machine) != NOT_TOLD)
		snprintf(text, sizeof(text), "%u", machine);
	printf(" %6u %-7s", model, text);
}

void overlay_print(const struct host *h, const struct args *args)
{
	u32 nr, missing = 0;

	if (!GIVEN(args, OVERLAY))
		return;
	struct kmem_cache_row *c = caches_of(h, &nr);
	puts("\nmodel beside machine; -: not told");
	printf("  %-24s %14s %14s %14s %14s %14s\n", "cache", "size", "order", "objects", "slabs",
	       "partial");
	for (u32 i = 0; i < nr; i++) {
		const struct kmem_overlay_row *o = kmem_overlay_of(h->session, c[i].cache);
		if (!o) {
			missing++;
			continue;
		}
		printf("  %-24s", host_text(h, c[i].name_at));
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
