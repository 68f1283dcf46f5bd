/*
 * run_sites.c - see run_sites.h. The modules are read first, because a name is looked up among all of them.
 */
#define _GNU_SOURCE
#include "cli/programs/run_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/programs/call_names.h"
#include "preload/run_result.h"

struct lines {
	FILE *file;
	char *text;
	size_t room;
	struct record_module *modules;
	u32 nr_modules;
};

static ssize_t next_line(struct lines *l)
{
	return getline(&l->text, &l->room, l->file);
}

/* Goes behind the key. */
static int from_first(struct lines *l)
{
	return fseek(l->file, sizeof((struct run_result){ 0 }.key), SEEK_SET) == 0;
}

static int is_module(const char *line)
{
	return strncmp(line, RUN_MODULE, strlen(RUN_MODULE)) == 0;
}

/* Returns 0 without memory. */
static int add_module(struct lines *l)
{
	struct record_module m = { 0 };
	unsigned long long start, end, offset;
	int path = 0;

	if (sscanf(l->text, RUN_MODULE "%llx %llx %llx %u %n", &start, &end, &offset, &m.is_program,
		   &path) < 4 ||
	    !path || l->nr_modules == MAX_RECORD_MODULES)
		return 1;
	m.start = start;
	m.end = end;
	m.offset = offset;
	memcpy(m.path, l->text + path, MIN(strcspn(l->text + path, "\n"), sizeof(m.path) - 1));
	struct record_module *more = realloc(l->modules, (l->nr_modules + 1ul) * sizeof(m));
	if (!more)
		return 0;
	l->modules = more;
	l->modules[l->nr_modules++] = m;
	return 1;
}

static int read_modules(struct lines *l)
{
	while (next_line(l) >= 0)
		if (is_module(l->text) && !add_module(l))
			return 0;
	return from_first(l);
}

static int write_line(struct output *out, struct call_names *names, char *line, size_t len)
{
	char *site = line[0] == '#' ? NULL : strstr(line, RUN_SITE);

	if (!site)
		return output_write(out, line, len);
	u64 address = strtoull(site + strlen(RUN_SITE), NULL, 16) &
		      (((u64)1 << RECORD_KIND_SHIFT) - 1);
	const char *name = call_name(names, 0, address);
	site += strlen(" site=");
	return output_write(out, line, (size_t)(site - line)) &&
	       output_write(out, *name ? name : "unknown", strlen(*name ? name : "unknown")) &&
	       output_write(out, "\n", 1);
}

static int write_lines(struct lines *l, struct output *out)
{
	struct call_names *names = call_names_open(
		&(struct call_modules){ .modules = l->modules, .nr_modules = l->nr_modules });
	int done = names != NULL;
	ssize_t len;

	while (done && (len = next_line(l)) >= 0)
		done = is_module(l->text) || write_line(out, names, l->text, (size_t)len);
	call_names_close(names);
	return done;
}

int run_sites_write(int fd, struct output *out)
{
	int own = dup(fd);
	struct lines l = { .file = own < 0 ? NULL : fdopen(own, "r") };

	if (!l.file)
		return 0;
	int done = from_first(&l) && read_modules(&l) && write_lines(&l, out) && !ferror(l.file);
	fclose(l.file);
	free(l.text);
	free(l.modules);
	return done;
}
