/*
 * output.c - a file that a command writes: afterwards it is complete under its name, or does not exist; and the trace of a
 * session written to one.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/print.h"

enum { MAX_PATH_BYTES = 4096, MAX_LINKS = 40, MAX_STEM_BYTES = 200, NEW_FILE_MODE = 0666 };

/* Signals that end the process. A signal that the caller ignores gets no handler, so that nohup still works. */
static const int deadly[] = { SIGHUP,  SIGINT, SIGQUIT, SIGPIPE, SIGTERM,
			      SIGXCPU, SIGILL, SIGABRT, SIGFPE,	 SIGSEGV };

/* The one output file of the process. These are static because a signal handler needs them. */
static char target[MAX_PATH_BYTES]; /* what gets the file's content: symbolic links are followed */
static char temporary[MAX_PATH_BYTES + 8]; /* "" while there is none */
static pid_t owner; /* a child that is forked must not remove its parent's file */

void output_discard(void)
{
	if (!temporary[0] || owner != getpid())
		return;
	unlink(temporary);
	temporary[0] = 0;
}

static void on_deadly(int number)
{
	output_discard();
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_signals(void)
{
	struct sigaction ours = { .sa_handler = on_deadly }, before;

	sigemptyset(&ours.sa_mask);
	for (u32 i = 0; i < ARRAY_SIZE(deadly); i++)
		if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(deadly[i], &ours, NULL);
}

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (u32 i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaddset(&set, deadly[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void output_prepare(void)
{
	/* A write past `ulimit -f` then fails with an error, as on a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* Opened in the wrong direction, so that using it fails as with a closed descriptor. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_CALL);
}

_Noreturn static void cannot_write(const char *name, const char *reason)
{
	give_up("%s: cannot be written: %s", name, reason);
}

static int is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* An output that may be one of the call's inputs. */
struct opened {
	const char *name;
	struct stat st;
};

/* For args_find_file: the output must not be that input. */
static int is_input(void *arg, const char *path, const char *option)
{
	const struct opened *output = arg;
	struct stat st;
	int missing = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);

	if (!missing && is_same_file(&output->st, &st))
		refuse_call(
			"%s: is the input itself (%s%s%s%s): write to another file and rename it afterwards",
			output->name, option ? "--" : "", option ? option : "", option ? " " : "",
			path);
	return 0;
}

/* As execvp: the first file of that name in a folder of PATH that can be executed. Returns 0 if there is none. */
static int find_program(const char *name, char path[MAX_PATH_BYTES])
{
	const char *folder = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, MAX_PATH_BYTES, "%s", name) < MAX_PATH_BYTES;
	while (folder) {
		size_t len = strcspn(folder, ":");
		int n = snprintf(path, MAX_PATH_BYTES, "%.*s%s%s", (int)len, folder, len ? "/" : "",
				 name);
		if (n < MAX_PATH_BYTES && access(path, X_OK) == 0)
			return 1;
		folder = folder[len] ? folder + len + 1 : NULL;
	}
	return 0;
}

/* Neither is it the program that the call runs, a file that its arguments name, or its standard input. */
static void check_program(struct opened *output, char *const *words)
{
	char path[MAX_PATH_BYTES];

	is_input(output, "-", NULL);
	if (find_program(*words, path))
		is_input(output, path, NULL);
	while (*++words)
		is_input(output, *words, NULL);
}

/* Only files with content of their own can be overwritten: not a terminal that is both input and output. */
static void check_inputs(struct opened *output, const struct args *args, u32 nr_files)
{
	if (!S_ISREG(output->st.st_mode))
		return;
	args_find_file(args, nr_files, is_input, output);
	if (args->program && *args->program)
		check_program(output, args->program);
}

void output_check(const char *name, const struct args *args, u32 nr_files)
{
	struct opened output = { .name = name };

	if (stat(name, &output.st) == 0)
		check_inputs(&output, args, nr_files);
}

/* Returns the length of a path's folder, with its slash; 0 for the current one. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Follows symbolic links; the last one may point to a file that does not exist yet. Returns 0, or an errno. */
static int find_target(const char *name)
{
	char link[MAX_PATH_BYTES], joined[2 * MAX_PATH_BYTES];

	if (strlen(name) >= sizeof(target))
		return ENAMETOOLONG;
	strcpy(target, name);
	for (u32 i = 0; i < MAX_LINKS; i++) {
		ssize_t len = readlink(target, link, sizeof(link) - 1);
		if (len < 0)
			return 0;
		link[len] = 0;
		size_t folder = link[0] == '/' ? 0 : folder_length(target);
		int n = snprintf(joined, sizeof(joined), "%.*s%s", (int)folder, target, link);
		if (n < 0 || (size_t)n >= sizeof(target))
			return ENAMETOOLONG;
		strcpy(target, joined);
	}
	return ELOOP;
}

/* Sets the same permissions as the file it replaces, or those of any new file. */
static void set_rights(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	/* Not everybody may change a file's owner, and not every file system has rights. The content matters more. */
	int given = !old || fchown(fd, old->st_uid, old->st_gid) == 0;
	mode_t mode = old ? old->st_mode & (given ? 07777 : 0777) : NEW_FILE_MODE & ~mask;
	(void)!fchmod(fd, mode);
}

static void open_temporary(struct output *o, const struct stat *old)
{
	const char *stem = target + folder_length(target);
	char path[sizeof(temporary)];
	sigset_t before;

	int n = snprintf(path, sizeof(path), "%.*s.%.*s.XXXXXX", (int)(stem - target), target,
			 MAX_STEM_BYTES, stem);
	if (n < 0 || (size_t)n >= sizeof(path))
		cannot_write(o->name, strerror(ENAMETOOLONG));
	catch_signals();
	atexit(output_discard);
	block_signals(&before);
	int fd = mkstemp(path), why = errno;
	if (fd >= 0) {
		memcpy(temporary, path, sizeof(path));
		owner = getpid();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (fd < 0)
		cannot_write(o->name, strerror(why));
	set_rights(fd, old);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	o->file = fdopen(fd, "wb");
}

static void open_stdout(struct output *o, const struct args *args, u32 nr_files)
{
	struct opened to = { .name = "standard output" };

	o->is_stdout = 1;
	o->file = stdout;
	if (fstat(STDOUT_FILENO, &to.st) == 0)
		check_inputs(&to, args, nr_files);
}

static void open_file(struct output *o, const struct args *args, u32 nr_files)
{
	struct opened old = { .name = o->name };
	struct stat out;
	int exists = stat(o->name, &old.st) == 0;

	/* /dev/stdout and the like, whatever the descriptor refers to. */
	if (exists && fstat(STDOUT_FILENO, &out) == 0 && is_same_file(&old.st, &out)) {
		open_stdout(o, args, nr_files);
		return;
	}
	if (exists)
		check_inputs(&old, args, nr_files);
	if (exists && S_ISDIR(old.st.st_mode))
		cannot_write(o->name, "it is a directory: name a file in it");
	if (exists && !S_ISREG(old.st.st_mode)) {
		o->file = fopen(o->name, "wb");
	} else {
		int why = find_target(o->name);
		if (why)
			cannot_write(o->name, strerror(why));
		if (!target[folder_length(target)])
			cannot_write(o->name, "it names no file");
		if (exists && access(target, W_OK) < 0)
			cannot_write(o->name, strerror(errno));
		o->replaces = exists;
		open_temporary(o, exists ? &old.st : NULL);
	}
	if (!o->file)
		cannot_write(o->name, strerror(errno));
}

void output_begin(struct output *o, const struct args *args, u32 nr_files)
{
	*o = (struct output){ .name = option_text_or(args, "output", "-") };
	(strcmp(o->name, "-") == 0 ? open_stdout : open_file)(o, args, nr_files);
}

/* Some file systems have no fsync; there is nothing more to do on them. */
static int sync_file(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
}

/* Writes the new name to the disk too. A folder that cannot be synced does not make the output fail. */
static void sync_folder(void)
{
	char path[MAX_PATH_BYTES];

	strcpy(path, target);
	int fd = open(dirname(path), O_RDONLY);
	if (fd < 0)
		return;
	sync_file(fd);
	close(fd);
}

/* Returns 0, or an errno. */
static int give_name(void)
{
	sigset_t before;

	block_signals(&before);
	int failed = rename(temporary, target), why = errno;
	if (!failed)
		temporary[0] = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return why;
	sync_folder();
	return 0;
}

int output_write(struct output *o, const void *bytes, size_t len_bytes)
{
	errno = 0;
	if (fwrite(bytes, 1, len_bytes, o->file) == len_bytes)
		return 1;
	o->error = errno ? errno : EIO;
	return 0;
}

int output_close(struct output *o)
{
	int bad = o->error, why = 0;

	if (o->is_stdout)
		return 1;
	if (!bad && (fflush(o->file) != 0 || (temporary[0] && sync_file(fileno(o->file)))))
		bad = errno;
	if (fclose(o->file) != 0 && !bad)
		bad = errno;
	if (bad)
		complain("%s: could not be written completely: %s%s", o->name, strerror(bad),
			 !temporary[0] ? ""
			 : o->replaces ? "; the file that was there before is unchanged"
				       : "; no file is left");
	else if (temporary[0] && (why = give_name()) != 0)
		complain("%s: cannot be written: %s", o->name, strerror(why));
	output_discard();
	return !bad && !why;
}

void output_end(struct output *o)
{
	if (!output_close(o))
		leave(EXIT_INPUT);
}

/* Traces */

enum { PIECE_BYTES = 1 << 18 };

void write_check(const struct args *args)
{
	if (given(args, "json") && strcmp(option_text_or(args, "output", "-"), "-") == 0)
		refuse_call("with --json the trace must go to a file: -o FILE");
}

u64 write_events(struct host *h, u32 to, struct output *out)
{
	static u8 buf[PIECE_BYTES];
	u32 op = 0, all = kmem_nr_ops(h->session);
	u64 bytes = 0;
	s32 got;

	while ((got = kmem_export(h->session, to, &op, buf, PIECE_BYTES)) > 0) {
		bytes += (u64)got;
		if (!output_write(out, buf, (size_t)got))
			break;
		progress(h, "writing", MIN(op, all), all);
	}
	progress_end(h);
	host_must(h, got);
	output_end(out);
	return bytes;
}

/* A replay infers the slabs from before event 1 from what a converted trace may have lost. */
static void say_left_out(struct doc *d, const struct host *h)
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
		doc_line(
			d,
			"  left out: pointers, which show the slabs of before event 1 (--keep pointers,tasks keeps them)");
	if (has_pages)
		doc_line(d, "  left out: events of the page allocator, which show the new slabs");
}

static void print_counts(const struct host *h, const struct args *args, u64 bytes, const char *path)
{
	const struct kmem_report *r = kmem_report(h->session);
	const struct kmem_filter *f = kmem_filter(h->session);
	struct doc d = host_doc(h, asked_form(args));

	if (d.form == DOC_TEXT && h->quiet)
		return;
	doc_object(&d, NULL);
	if (d.form == DOC_JSON)
		doc_report(&d, h);
	if (f) {
		doc_number(&d, "chosen_events", f->events);
		doc_number(&d, "events_before", f->before);
	}
	doc_text(&d, "output", path);
	doc_number(&d, "output_bytes", bytes);
	doc_end(&d);
	doc_line(&d, "%s: %s, %s", plain(path),
		 counted(f ? (u64)f->events + f->before : r->ops, "event").s,
		 counted(bytes, "byte").s);
	say_left_out(&d, h);
}

int write_trace(struct host *h, const struct args *args, u32 to, struct output *out)
{
	u64 bytes = write_events(h, to, out);

	if (!out->is_stdout)
		print_counts(h, args, bytes, out->name);
	return host_verdict(h);
}
