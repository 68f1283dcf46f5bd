/*
 * input.c - reads a trace into the session, or a small file into memory: files, standard input, packed or not.
 *
 * A plain regular file is mapped and passed on in large pieces. Everything else comes through a pipe or read(). That
 * includes the files of tracefs, whose size reads as 0. Compressed data are recognised by their first bytes; a child
 * (streams.c) unpacks them while the parent reads. Formats that need reads at any offset go through a file without a name.
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

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/streams.h"

enum {
	MAPPED_PIECE_BYTES = 4 << 20,
	READ_PIECE_BYTES = 1 << 20,
	MAGIC_BYTES = 4,
	DAMAGE_BYTES = 256
};

struct input {
	struct host *host;
	/* kmem_import_chunk, or where the bytes go instead */
	s32 (*chunk)(struct kmem_session *s, const u8 *bytes, u32 len_bytes);
	struct whole *whole; /* where the bytes go instead; NULL: to chunk */
	const struct watcher *watcher;
	const char *path;
	int fd;
	int is_regular;
	u64 len_bytes; /* of a regular file */
	u64 done_bytes;
	u8 head[MAGIC_BYTES]; /* first bytes; already taken from the pipe unless is_regular */
	u32 head_bytes;
	u8 *tail; /* read but not passed on yet: a line whose end is still missing */
	u32 tail_bytes;
	enum stream_kind kind;	   /* of data that come through a pipe or read() */
	char damage[DAMAGE_BYTES]; /* why packed data could not be unpacked to the end */
	u32 is_refused;		   /* the data are not damaged: a new copy would not help */
};

static const char *path_shown; /* for the signal handler only */

/* Handles a mapped file that another process truncates while we read it. */
static void on_bus_error(int number)
{
	const char *const parts[] = {
		"slabscope: ", path_shown,
		": the file shrank while it was being read: copy it first\n"
	};

	(void)number;
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		(void)!write(STDERR_FILENO, parts[i], strlen(parts[i]));
	output_discard();
	_exit(EXIT_INPUT);
}

static int is_trace(const struct input *in)
{
	return in->chunk == kmem_import_chunk;
}

/* Grows the buffer while reading, because the size of packed data, of a pipe or of a device is not known. */
static s32 keep(struct whole *to, const u8 *bytes, u64 len_bytes)
{
	u64 need = to->len_bytes + len_bytes;

	if (need > to->most_bytes)
		return KMEM_ELIMIT;
	if (need > to->room_bytes) {
		u64 room_bytes = MAX(need, 2 * to->room_bytes);
		u8 *text = realloc(to->text, room_bytes);
		if (!text)
			return KMEM_ENOMEM;
		to->text = text;
		to->room_bytes = room_bytes;
	}
	memcpy(to->text + to->len_bytes, bytes, len_bytes);
	to->len_bytes = need;
	return KMEM_OK;
}

static s32 take(struct input *in, const u8 *bytes, u64 len_bytes)
{
	if (in->whole && keep(in->whole, bytes, len_bytes) == KMEM_OK)
		return KMEM_OK;
	if (in->whole)
		give_up("%s: larger than %u MiB: give %s", in->path,
			(u32)(in->whole->most_bytes >> 20), in->whole->expected);
	if (in->watcher)
		in->watcher->see(in->watcher->arg, bytes, (u32)len_bytes);
	in->done_bytes += len_bytes;
	s32 err = in->chunk(in->host->session, bytes, (u32)len_bytes);
	/* As soon as the trace's own settings are known, an invalid machine ends the reading. */
	return err || in->host->is_incomplete || !is_trace(in)
		       ? err
		       : kmem_check_settings(in->host->session);
}

/* Returns 0 if the file cannot be mapped. */
static int import_mapped(struct input *in)
{
	u8 *text = mmap(NULL, in->len_bytes, PROT_READ, MAP_PRIVATE, in->fd, 0);
	u64 since_bytes = 0;
	s32 err;

	if (text == MAP_FAILED)
		return 0;
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
		/* Drops pages that have been read, so that a large trace does not fill the memory. The kernel maps
		 * more pages than were touched, so all of them are dropped. */
		since_bytes += len_bytes;
		if (since_bytes >= MAPPED_PIECE_BYTES) {
			madvise(text, in->len_bytes, MADV_DONTNEED);
			since_bytes = 0;
		}
		progress(in->host, "reading", MIN(in->done_bytes, in->len_bytes), in->len_bytes);
	}
	munmap(text, in->len_bytes);
	signal(SIGBUS, SIG_DFL);
	host_must(in->host, err);
	return 1;
}

/* Passes on all complete lines. The last, incomplete line stays, unless it fills the buffer. */
static void take_lines(struct input *in, u32 got)
{
	u32 all = in->tail_bytes + got, whole = all;

	while (in->kind == STREAM_OF_LINES && whole > in->tail_bytes && in->tail[whole - 1] != '\n')
		whole--;
	if (whole == in->tail_bytes)
		whole = all == READ_PIECE_BYTES ? all : 0;
	if (whole)
		host_must(in->host, take(in, in->tail, whole));
	memmove(in->tail, in->tail + whole, all - whole);
	in->tail_bytes = all - whole;
}

/* Copies the whole stream to the spool; its first bytes are in the tail. Returns 0 when the disk is full: the tail
 * then has the bytes read last. */
static int fill_spool(struct input *in, int from, int to, u64 *spooled_bytes)
{
	ssize_t got;

	do {
		if (!spool_write(to, in->tail, in->tail_bytes))
			return 0;
		*spooled_bytes += in->tail_bytes;
		in->tail_bytes = 0;
		progress(in->host, "reading, bytes:", *spooled_bytes, 0);
		got = read_some(from, in->tail, READ_PIECE_BYTES);
		in->tail_bytes = got > 0 ? (u32)got : 0;
	} while (got > 0);
	return 1;
}

/* Reads the part that was spooled before the disk was full, from start to end. */
static void take_spool(struct input *in, int spool_fd, u64 spooled_bytes)
{
	u8 *bytes = mmap(NULL, spooled_bytes, PROT_READ, MAP_PRIVATE, spool_fd, 0);
	s32 err = bytes == MAP_FAILED ? KMEM_ENOMEM : KMEM_OK;

	for (u64 at = 0; !err && at < spooled_bytes; at += MAPPED_PIECE_BYTES)
		err = take(in, bytes + at, MIN(spooled_bytes - at, (u64)MAPPED_PIECE_BYTES));
	host_must(in->host, err);
	munmap(bytes, spooled_bytes);
}

/* Imports a stream that needs reads at any offset. If there is a tail, more of the stream follows. */
static void import_spooled(struct input *in, int fd)
{
	struct input file = *in;
	u64 spooled_bytes = 0;

	file.fd = spool_open();
	if (file.fd < 0)
		return;
	int is_whole = fill_spool(in, fd, file.fd, &spooled_bytes), is_done = 0;
	file.len_bytes = spooled_bytes;
	if (is_whole && spooled_bytes) {
		is_done = import_mapped(&file);
		in->done_bytes = spooled_bytes;
	}
	if (spooled_bytes && !is_done)
		take_spool(in, file.fd, spooled_bytes);
	close(file.fd);
}

/* Reads the first bytes into the tail and recognises the kind of stream by them. */
static ssize_t read_first(struct input *in, int fd)
{
	ssize_t got = 1;

	while (in->tail_bytes < SPOOL_MAGIC_BYTES && got > 0) {
		got = read_some(fd, in->tail + in->tail_bytes, READ_PIECE_BYTES - in->tail_bytes);
		in->tail_bytes += got > 0 ? (u32)got : 0;
	}
	in->kind = is_trace(in) ? stream_kind(in->tail, in->tail_bytes) : STREAM_OF_LINES;
	return got;
}

/* An incomplete last line stays in in->tail. */
static void import_stream(struct input *in, int fd)
{
	ssize_t got = read_first(in, fd);

	if (in->kind == STREAM_TO_SPOOL)
		import_spooled(in, fd);
	u32 first = in->tail_bytes;
	in->tail_bytes = 0;
	take_lines(in, first);
	while (got > 0 && (got = read_some(fd, in->tail + in->tail_bytes,
					   READ_PIECE_BYTES - in->tail_bytes)) > 0) {
		take_lines(in, (u32)got);
		progress(in->host, "reading, bytes:", in->done_bytes, 0);
	}
	if (got < 0)
		give_up("%s: cannot be read: %s", in->path, strerror(errno));
}

static void import_plain(struct input *in)
{
	if (in->is_regular && in->len_bytes && is_trace(in) && import_mapped(in))
		return;
	if (!in->is_regular) {
		memcpy(in->tail, in->head, in->head_bytes);
		in->tail_bytes = in->head_bytes;
	}
	import_stream(in, in->fd);
}

/* Damaged data are not a failure here: the data before the damage may still be a trace. */
static void import_packed(struct input *in)
{
	int text[2], words[2], how = 0;
	pid_t child = pipe(text) < 0 || pipe(words) < 0 ? -1 : fork();

	in->host->is_packed = 1;
	if (child < 0)
		give_up("%s: cannot be unpacked: %s", in->path, strerror(errno));
	if (child == 0) {
		close(text[0]);
		close(words[0]);
		unpack_here(in->fd, in->head, in->head_bytes, in->is_regular, text[1], words[1]);
	}
	close(text[1]);
	close(words[1]);
	import_stream(in, text[0]);
	close(text[0]);
	/* The child's sentence about why it could not unpack the data to the end. */
	ssize_t got = read_some(words[0], in->damage, sizeof(in->damage) - 1);
	in->damage[got > 0 ? got : 0] = 0;
	close(words[0]);
	waitpid(child, &how, 0);
	if (WIFEXITED(how) && WEXITSTATUS(how) == UNPACKED)
		return;
	in->host->is_damaged = 1;
	in->is_refused = WIFEXITED(how) && WEXITSTATUS(how) == UNPACK_REFUSED;
	if (!in->damage[0])
		snprintf(in->damage, sizeof(in->damage), "Unpacking it was stopped.");
}

static void open_input(struct input *in)
{
	struct stat st;

	in->fd = strcmp(in->path, "-") == 0 ? STDIN_FILENO : open(in->path, O_RDONLY);
	if (in->fd < 0 || fstat(in->fd, &st) < 0)
		give_up("%s: cannot be opened: %s", in->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		give_up("%s: is a directory: name a file in it", in->path);
	in->is_regular = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
	in->len_bytes = in->is_regular ? (u64)st.st_size : 0;
	while (in->head_bytes < MAGIC_BYTES) {
		u8 *to = in->head + in->head_bytes;
		size_t room = MAGIC_BYTES - in->head_bytes;
		ssize_t got = in->is_regular ? pread(in->fd, to, room, in->head_bytes)
					     : read_some(in->fd, to, room);
		if (got < 0)
			give_up("%s: cannot be read: %s", in->path, strerror(errno));
		if (got == 0)
			break;
		in->head_bytes += (u32)got;
	}
}

/* Prints one sentence for damaged data, whether the part before the damage is a trace or not. */
static void report_damage(struct input *in, s32 err)
{
	const char *again = in->is_refused ? "" : "; copy the file again to see all of it";

	if (err && in->is_refused && !in->done_bytes)
		complain("%s: %s", in->path, in->damage);
	else if (err)
		complain("%s: %s The %s of text before that are not enough to show anything%s.",
			 in->path, in->damage, counted(in->done_bytes, "byte").s, again);
	else
		complain("%s: %s The %s of text before that were read%s.", in->path, in->damage,
			 counted(in->done_bytes, "byte").s, again);
	if (err)
		leave(EXIT_INPUT);
}

/* Reads it to its end. Drops the line in which damaged data end: it is not the line that was written. */
static s32 read_input(struct input *in)
{
	in->tail = memory_for(READ_PIECE_BYTES, 1);
	(is_packed(in->head, in->head_bytes) ? import_packed : import_plain)(in);
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	s32 err = in->tail_bytes && !in->damage[0] ? take(in, in->tail, in->tail_bytes) : KMEM_OK;
	free(in->tail);
	return err;
}

/* The same for a file beside the trace. */
static s32 read_small(struct input *in)
{
	struct host *h = in->host;
	int is_packed_trace = h->is_packed, was_damaged = h->is_damaged;
	s32 err = read_input(in);

	progress_end(h);
	h->is_packed = is_packed_trace;
	h->is_damaged = was_damaged;
	return err;
}

void input_whole(struct host *h, const char *path, struct whole *to)
{
	struct input in = { .host = h, .whole = to, .path = path };

	open_input(&in);
	read_small(&in);
	if (in.damage[0])
		give_up("%s: %s%s", path, in.damage, in.is_refused ? "" : " Copy the file again.");
}

void input_symbols(struct host *h, const char *path)
{
	struct input in = { .host = h, .chunk = kmem_symbols_chunk, .path = path };

	host_must(h, kmem_symbols_begin(h->session));
	open_input(&in);
	read_small(&in);
	s64 named = kmem_symbols_end(h->session);
	if (in.damage[0] || named < 0)
		give_up("--kallsyms %s: %s", path,
			in.damage[0] ? in.damage : kmem_error(h->session));
	if (!named && !h->quiet)
		complain(
			"--kallsyms %s: %s has no call sites that are addresses, so no names change",
			path, h->trace);
}

void input_import(struct host *h, const char *path, const struct watcher *watcher)
{
	struct input in = {
		.host = h, .chunk = kmem_import_chunk, .watcher = watcher, .path = path
	};

	open_input(&in);
	host_must(h, h->is_merging ? kmem_merge_file(h->session, path)
				   : kmem_import_begin(h->session));
	if (h->keep)
		host_must(h, kmem_import_keep(h->session, h->keep));
	if (kmem_import_columns(h->session, h->columns))
		refuse_call("--columns: %s", kmem_error(h->session));
	s32 err = read_input(&in);
	if (!err && h->is_damaged)
		err = kmem_import_cut(h->session);
	if (!err)
		err = h->is_merging ? kmem_merge_file(h->session, NULL)
				    : kmem_import_end(h->session);
	if (h->is_damaged)
		report_damage(&in, err);
	host_must(h, err);
}

void input_state(struct host *h, const char *path, u32 which)
{
	struct input in = { .host = h, .chunk = kmem_state_chunk, .path = path };
	const char *trace = h->trace;

	open_input(&in);
	h->trace = path;
	host_must(h, kmem_state_begin(h->session, which));
	s32 err = read_input(&in);
	if (h->is_damaged)
		report_damage(&in, KMEM_EINPUT);
	host_must(h, err);
	host_must(h, kmem_state_end(h->session));
	h->trace = trace;
}
