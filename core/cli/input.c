/*
 * input.c - brings a trace into the session: files, standard input, gzip and zstd.
 *
 * A plain regular file is mapped and handed over in large pieces. Everything else comes through a
 * pipe or read(), the files of tracefs among them: they say that they are empty. Compressed data
 * are recognised by their first bytes and unpacked by the gzip or zstd program, so that building
 * slabscope needs no library.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "output.h"

enum {
	MAPPED_PIECE_BYTES = 4 << 20,
	READ_PIECE_BYTES = 1 << 20,
	MAGIC_BYTES = 4,
	DAMAGE_BYTES = 256,
	NO_PROGRAM = 127
};

struct packer {
	const char *program;
	u8 magic[MAGIC_BYTES];
	u32 magic_bytes;
};

static const struct packer packers[] = {
	{ "gzip", { 0x1f, 0x8b }, 2 },
	{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4 },
};

struct input {
	struct host *host;
	const struct watcher *watcher;
	const char *path;
	int fd;
	int is_regular;
	u64 len_bytes; /* of a regular file */
	u64 done_bytes;
	u8 head[MAGIC_BYTES]; /* first bytes; already taken from the pipe unless is_regular */
	u32 head_bytes;
	u8 *tail; /* read and not handed over yet: a line of which the end is to come */
	u32 tail_bytes;
	const char *packed_by;	   /* of damaged data: the program that could not unpack them */
	char damage[DAMAGE_BYTES]; /* what it said */
};

static const char *path_shown; /* for the signal handler only */

static void take_piece_of_text(const char *text)
{
	ssize_t done = write(STDERR_FILENO, text, strlen(text));

	(void)done;
}

/* A mapped file that somebody cuts short while we read it. */
static void on_bus_error(int number)
{
	(void)number;
	take_piece_of_text("slabscope: ");
	take_piece_of_text(path_shown);
	take_piece_of_text(": the file became shorter while it was read; copy it first\n");
	output_discard();
	_exit(EXIT_INPUT);
}

static s32 take(struct input *in, const u8 *bytes, u64 len_bytes)
{
	if (in->watcher)
		in->watcher->see(in->watcher->arg, bytes, (u32)len_bytes);
	in->done_bytes += len_bytes;
	return kmem_import_chunk(in->host->session, bytes, (u32)len_bytes);
}

static int import_mapped(struct input *in)
{
	u8 *text = mmap(NULL, in->len_bytes, PROT_READ, MAP_PRIVATE, in->fd, 0);
	u64 since_bytes = 0;
	s32 err;

	if (text == MAP_FAILED)
		return -1;
	path_shown = plain(in->path);
	signal(SIGBUS, on_bus_error);
	madvise(text, in->len_bytes, MADV_SEQUENTIAL);
	err = kmem_import_by_range(in->host->session, in->len_bytes);
	while (!err) {
		const struct kmem_range *range = kmem_import_range(in->host->session);
		u64 at = range->at, len_bytes = MIN(range->len_bytes, (u64)MAPPED_PIECE_BYTES);
		if (!len_bytes)
			break;
		err = take(in, text + at, len_bytes);
		/* What has been read is rarely needed again: a large trace does not fill the memory. The kernel maps more
		 * than was touched, so all of it goes. */
		since_bytes += len_bytes;
		if (since_bytes >= MAPPED_PIECE_BYTES) {
			madvise(text, in->len_bytes, MADV_DONTNEED);
			since_bytes = 0;
		}
		progress(in->host, "reading", MIN(in->done_bytes, in->len_bytes), in->len_bytes);
	}
	munmap(text, in->len_bytes);
	signal(SIGBUS, SIG_DFL);
	return err ? host_failed(in->host, err) : EXIT_DONE;
}

static ssize_t read_some(int fd, void *buf, size_t len_bytes)
{
	ssize_t got;

	do
		got = read(fd, buf, len_bytes);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Hands over what is read but for its last line, unless that fills the buffer. */
static s32 take_lines(struct input *in, u32 got)
{
	u32 all = in->tail_bytes + got, whole = all;
	s32 err = KMEM_OK;

	while (whole > in->tail_bytes && in->tail[whole - 1] != '\n')
		whole--;
	if (whole == in->tail_bytes)
		whole = all == READ_PIECE_BYTES ? all : 0;
	if (whole)
		err = take(in, in->tail, whole);
	memmove(in->tail, in->tail + whole, all - whole);
	in->tail_bytes = all - whole;
	return err;
}

/* Leaves the last line in in->tail if it has no end. */
static int import_stream(struct input *in, int fd)
{
	ssize_t got;
	s32 err = KMEM_OK;

	in->tail = malloc(READ_PIECE_BYTES);
	if (!in->tail) {
		complain("%s: no memory to read it", in->path);
		return EXIT_INPUT;
	}
	while (!err && (got = read_some(fd, in->tail + in->tail_bytes,
					READ_PIECE_BYTES - in->tail_bytes)) > 0) {
		err = take_lines(in, (u32)got);
		progress(in->host, "reading, bytes:", in->done_bytes, 0);
	}
	if (err)
		return host_failed(in->host, err);
	if (got < 0) {
		complain("%s: cannot be read: %s", in->path, strerror(errno));
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

static int import_plain(struct input *in)
{
	int status = in->is_regular && in->len_bytes ? import_mapped(in) : -1;

	if (status >= 0)
		return status;
	if (!in->is_regular) {
		s32 err = take(in, in->head, in->head_bytes);
		if (err)
			return host_failed(in->host, err);
	}
	return import_stream(in, in->fd);
}

/* In a child: what was read of the pipe already, then the rest of it. */
static void feed(const struct input *in, int to)
{
	static u8 buf[65536];
	ssize_t got = (ssize_t)in->head_bytes;

	memcpy(buf, in->head, in->head_bytes);
	do {
		for (ssize_t at = 0, put; at < got; at += put) {
			put = write(to, buf + at, (size_t)(got - at));
			if (put < 0)
				_exit(1);
		}
		got = read_some(in->fd, buf, sizeof(buf));
	} while (got > 0);
	_exit(got != 0);
}

/* A descriptor that gives the compressed bytes from the first one on; *feeder is the child behind
 * it or 0. */
static int compressed_source(const struct input *in, pid_t *feeder)
{
	int ends[2];

	*feeder = 0;
	if (in->is_regular)
		return in->fd;
	if (pipe(ends) < 0)
		return -1;
	*feeder = fork();
	if (*feeder == 0) {
		close(ends[0]);
		feed(in, ends[1]);
	}
	close(ends[1]);
	return ends[0];
}

static pid_t start_unpacking(const char *program, int from, int text[2], int words[2])
{
	pid_t child;

	if (pipe(text) < 0 || pipe(words) < 0)
		return -1;
	child = fork();
	if (child != 0)
		return child;
	dup2(from, STDIN_FILENO);
	dup2(text[1], STDOUT_FILENO);
	dup2(words[1], STDERR_FILENO);
	close(text[0]);
	close(words[0]);
	setenv("LC_ALL", "C", 1);
	execlp(program, program, "-dc", (char *)NULL);
	_exit(NO_PROGRAM);
}

/* What the program said, without its own name and "stdin". */
static void read_words(int fd, char *buf, size_t room)
{
	ssize_t got = read_some(fd, buf, room - 1);
	char *start = buf;

	buf[got > 0 ? got : 0] = 0;
	char *name = strstr(buf, "stdin"), *colon = name ? strstr(name, ": ") : NULL;
	if (colon)
		start = colon + 2;
	start += strspn(start, " \n");
	start[strcspn(start, "\n")] = 0;
	for (size_t len = strlen(start); len && start[len - 1] == ' '; len--)
		start[len - 1] = 0;
	memmove(buf, start, strlen(start) + 1);
}

/* Damaged data are no failure here: what came before them may still be a trace. */
static int unpacking_ended(struct input *in, const char *program, int how)
{
	int code = WIFEXITED(how) ? WEXITSTATUS(how) : 1;

	/* gzip's 2 is a warning: something that is not gzip follows the last member. */
	if (code == 0 || (code == 2 && strcmp(program, "gzip") == 0))
		return EXIT_DONE;
	if (code == NO_PROGRAM) {
		complain(
			"%s: is compressed, but the program %s is not there; install it, or unpack the file first",
			in->path, program);
		return EXIT_INPUT;
	}
	in->host->is_damaged = 1;
	in->packed_by = program;
	return EXIT_DONE;
}

static int import_packed(struct input *in, const char *program)
{
	int text[2], words[2], how = 0;
	pid_t feeder, child;
	int from = compressed_source(in, &feeder);

	in->host->is_packed = 1;
	child = from < 0 ? -1 : start_unpacking(program, from, text, words);
	if (child < 0 || feeder < 0) {
		complain("%s: %s could not be started: %s", in->path, program, strerror(errno));
		return EXIT_INPUT;
	}
	close(text[1]);
	close(words[1]);
	if (from != in->fd)
		close(from);
	int status = import_stream(in, text[0]);
	close(text[0]);
	read_words(words[0], in->damage, sizeof(in->damage));
	close(words[0]);
	/* After a failure the feeder may be waiting for a pipe that never ends. */
	if (feeder && status)
		kill(feeder, SIGTERM);
	if (feeder)
		waitpid(feeder, NULL, 0);
	waitpid(child, &how, 0);
	return status ? status : unpacking_ended(in, program, how);
}

static int open_input(struct input *in)
{
	struct stat st;

	in->fd = strcmp(in->path, "-") == 0 ? STDIN_FILENO : open(in->path, O_RDONLY);
	if (in->fd < 0 || fstat(in->fd, &st) < 0) {
		complain("%s: cannot be opened: %s", in->path, strerror(errno));
		return EXIT_INPUT;
	}
	if (S_ISDIR(st.st_mode)) {
		complain("%s: is a directory; name a trace in it", in->path);
		return EXIT_INPUT;
	}
	in->is_regular = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
	in->len_bytes = in->is_regular ? (u64)st.st_size : 0;
	while (in->head_bytes < MAGIC_BYTES) {
		u8 *to = in->head + in->head_bytes;
		size_t room = MAGIC_BYTES - in->head_bytes;
		ssize_t got = in->is_regular ? pread(in->fd, to, room, in->head_bytes)
					     : read_some(in->fd, to, room);
		if (got < 0) {
			complain("%s: cannot be read: %s", in->path, strerror(errno));
			return EXIT_INPUT;
		}
		if (got == 0)
			break;
		in->head_bytes += (u32)got;
	}
	return EXIT_DONE;
}

static int import_by_kind(struct input *in)
{
	for (u32 i = 0; i < ARRAY_SIZE(packers); i++) {
		const struct packer *p = &packers[i];
		if (in->head_bytes >= p->magic_bytes &&
		    memcmp(in->head, p->magic, p->magic_bytes) == 0)
			return import_packed(in, p->program);
	}
	return import_plain(in);
}

/* One sentence for damaged data, whether what came before them is a trace or not. */
static int damage_told(struct input *in, s32 err)
{
	complain("%s: the %s data are damaged or cut off after %s of text (%s); %s", in->path,
		 in->packed_by, counted(in->done_bytes, "byte").s,
		 in->damage[0] ? in->damage : "no reason given",
		 err ? "that is too little to show anything, so copy the file again"
		     : "this is of what came before");
	return err ? EXIT_INPUT : EXIT_DONE;
}

int input_import(struct host *h, const char *path, const struct watcher *watcher)
{
	struct input in = { .host = h, .watcher = watcher, .path = path };
	int status = open_input(&in);
	s32 err;

	if (status)
		return status;
	err = kmem_import_begin(h->session);
	if (err)
		return host_failed(h, err);
	if (kmem_import_columns(h->session, h->columns)) {
		complain("--columns: %s", kmem_error(h->session));
		return EXIT_CALL;
	}
	status = import_by_kind(&in);
	if (in.fd != STDIN_FILENO)
		close(in.fd);
	/* Where data are damaged the line that they break off in is not the one that was written. */
	if (!status && !h->is_damaged && in.tail_bytes)
		err = take(&in, in.tail, in.tail_bytes);
	free(in.tail);
	if (status)
		return status;
	if (!err)
		err = kmem_import_end(h->session);
	if (h->is_damaged)
		return damage_told(&in, err);
	return err ? host_failed(h, err) : EXIT_DONE;
}
