/*
 * record_text.c - writes the recorded events of all processes as one slabtrace.
 *
 * The images of programs come first: which of them ran in which process, and what lives in each.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "cli/programs/record.h"

/* Images of programs */

static void write_task(char task[TASK_BYTES], const struct record_image *image)
{
	snprintf(task, TASK_BYTES, "%.*s-%u", RECORD_NAME_BYTES - 1, image->name, image->pid);
	/* Words of slabtrace have no blanks. */
	for (char *p = task; *p; p++)
		if ((u8)*p <= ' ' || *p == '%' || *p == 0x7f)
			*p = '_';
}

/* Finds the images that exec started in a process that had one before. */
static void find_followers(struct record_images *images, const struct spool_reader *spool)
{
	const struct record_image *all = spool->head->images;
	u32 last = 0;

	for (u32 i = 0; i < images->nr; i++) {
		struct image_state *state = &images->states[i];
		for (u32 k = all[i].parent ? 0 : i; k--;) {
			if (all[k].pid != all[i].pid || all[k].has_ended)
				continue;
			state->before = k + 1;
			images->states[k].is_followed = 1;
			break;
		}
		images->nr_processes += !state->before;
		if (all[i].pid == spool->head->pid)
			last = i;
	}
	if (images->nr)
		images->states[last].is_last = 1;
}

/* A process that nobody waited for is a zombie, and has ended. */
static int is_running(u32 pid)
{
	char path[32], text[256];
	size_t len = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	FILE *file = fopen(path, "r");
	if (file) {
		len = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[len] = 0;
	const char *state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

static void find_running(struct record_images *images, const struct spool_reader *spool)
{
	for (u32 i = 0; i < images->nr; i++) {
		const struct record_image *image = &spool->head->images[i];
		struct image_state *state = &images->states[i];
		if (!state->events_left || state->is_followed || state->is_last ||
		    image->has_ended || !is_running(image->pid))
			continue;
		state->is_last = 1;
		images->nr_running++;
	}
}

static int record_images_open(struct record_images *images, const struct spool_reader *spool)
{
	*images = (struct record_images){ .nr = spool->nr_images };
	images->states = calloc(images->nr + 1ul, sizeof(*images->states));
	if (!images->states)
		return 0;
	for (u32 i = 0; i < spool->nr_cursors; i++)
		images->states[spool->cursors[i].image].events_left += spool->cursors[i].nr_events;
	for (u32 i = 0; i < images->nr; i++)
		if (images->states[i].events_left)
			write_task(images->states[i].task, &spool->head->images[i]);
	find_followers(images, spool);
	find_running(images, spool);
	return 1;
}

static int has_loaded(const struct spool_reader *spool, const struct record_start *start)
{
	for (u32 i = spool->nr_images; i--;) {
		const struct record_image *image = &spool->head->images[i];
		if (image->pid == start->pid && !image->parent && image->time >= start->time)
			return 1;
	}
	return 0;
}

/* Lines of the trace */

#define MAX_KMALLOC_BYTES ((u64)64 << 20)
/* The key of an object while a thread resizes it; pointers of programs are smaller. */
#define RESIZED_BY ((u64)1 << 63)

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 1024, COUNT_DIGITS = 10, MOST_NAMED = 100 };

static const char *const kind_names[NR_RECORD_KINDS] = {
#define RECORD_KIND(id, name) name,
	RECORD_KINDS
#undef RECORD_KIND
};

struct writer {
	struct spool_reader *spool;
	struct call_names *names;
	struct record_images images;
	struct thread_cpus cpus;
	struct image_state *image; /* of the event at work */
	struct output *out;
	struct record_counts *counts;
	u64 most, start;
	u32 last_id;
	int failed; /* no memory, or the file is not writable */
	u32 used;
	char buffer[BUFFER_BYTES];
};

/* Text. Each line has room: flush() is called between lines. */

static inline void put_bytes(struct writer *w, const char *text, size_t len)
{
	memcpy(w->buffer + w->used, text, len);
	w->used += (u32)len;
}

/* Inline, so that lengths of constants are constants. */
static inline __attribute__((always_inline)) void put(struct writer *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

/* Most lines are numbers: two digits at a time. */
static void put_digits(struct writer *w, u64 n)
{
	static const char pairs[201] = "00010203040506070809101112131415161718192021222324"
				       "25262728293031323334353637383940414243444546474849"
				       "50515253545556575859606162636465666768697071727374"
				       "75767778798081828384858687888990919293949596979899";
	char digits[20];
	u32 at = sizeof(digits);

	for (; n >= 100; n /= 100)
		memcpy(&digits[at -= 2], &pairs[n % 100 * 2], 2);
	if (n >= 10)
		memcpy(&digits[at -= 2], &pairs[n * 2], 2);
	else
		digits[--at] = (char)('0' + n);
	put_bytes(w, digits + at, sizeof(digits) - at);
}

static inline __attribute__((always_inline)) void put_number(struct writer *w, const char *before,
							     u64 n)
{
	put(w, before);
	put_digits(w, n);
}

static void flush(struct writer *w, u32 least)
{
	if (w->used < least)
		return;
	if (!output_write(w->out, w->buffer, w->used))
		w->failed = 1;
	w->used = 0;
}

/* Starts an event's line; 0 after the limit. */
static int begin_line(struct writer *w)
{
	if (w->counts->events >= w->most) {
		w->counts->lost++;
		return 0;
	}
	w->counts->events++;
	return 1;
}

/* cpu= and all that follows it. why: NULL if there is nothing to say. */
static void end_line(struct writer *w, const struct spool_event *e, const char *why)
{
	put_number(w, " cpu=", thread_cpu(&w->cpus, e->thread));
	put_number(w, " t=", e->time - w->start);
	if (why) {
		put(w, " why=");
		put(w, why);
	}
	put(w, " kind=");
	put(w, kind_names[e->kind]);
	if (w->images.nr > 1) {
		put(w, " task=");
		put(w, w->images.states[e->image].task);
	}
	const char *site = e->site ? call_name(w->names, e->image, e->site) : "";
	if (*site) {
		put(w, " site=");
		put(w, site);
	}
	put(w, "\n");
	flush(w, BUFFER_BYTES - LINE_BYTES);
}

static void free_line(struct writer *w, const struct spool_event *e, u32 id, const char *why)
{
	if (!begin_line(w))
		return;
	if (id)
		put_number(w, "f ", id);
	else
		put(w, "f -");
	end_line(w, e, why);
}

static void alloc_line(struct writer *w, const struct spool_event *e, u32 id, const char *why)
{
	if (!begin_line(w))
		return;
	if (id)
		put_number(w, "k ", id);
	else
		put(w, "k -");
	put_number(w, " ", e->bytes);
	end_line(w, e, why);
}

static void add(struct writer *w, u64 key, struct live_object object)
{
	object.key = key;
	if (!live_add(&w->image->live, object))
		w->failed = 1;
}

/* A free that was not recorded, at this event. Without a line, or a byte, there is nothing to free. */
static void unseen(struct writer *w, const struct spool_event *e, const struct live_object *o)
{
	struct spool_event free = *e;

	free.kind = RECORD_FREE;
	free.site = 0;
	if (o->id && o->slot_bytes)
		free_line(w, &free, o->id, "unseen");
}

/* The object whose memory an event got, although no free of it was recorded. */
static void replace(struct writer *w, const struct spool_event *e)
{
	struct live_object old = live_take(&w->image->live, e->ptr);

	unseen(w, e, &old);
}

static void too_large(struct writer *w, const struct spool_event *e)
{
	w->counts->too_large++;
	put(w, "# left out, as a kmalloc has at most 64 MiB: ");
	put(w, kind_names[e->kind]);
	put_number(w, " of ", e->bytes);
	put_number(w, " bytes, t=", e->time - w->start);
	put(w, "\n");
	flush(w, BUFFER_BYTES - LINE_BYTES);
}

static void allocate(struct writer *w, const struct spool_event *e)
{
	u32 id = 0;

	if (e->ptr)
		replace(w, e);
	if (e->bytes > MAX_KMALLOC_BYTES)
		too_large(w, e);
	else
		alloc_line(w, e, id = e->ptr ? ++w->last_id : 0, e->ptr ? NULL : "failed");
	if (e->ptr)
		add(w, e->ptr,
		    (struct live_object){ .ptr = e->ptr,
					  .id = id,
					  .slot_bytes = id ? kmem_kmalloc_slot((u32)e->bytes)
							   : 1 });
}

static void release(struct writer *w, const struct spool_event *e, const struct live_object *o)
{
	if (!o->key)
		free_line(w, e, 0, "orphan");
	else if (o->id)
		free_line(w, e, o->id, o->slot_bytes ? NULL : "zero-size");
}

/* The second half of a realloc; `old` as its first half found it. */
static void resize(struct writer *w, const struct spool_event *e, struct live_object old)
{
	if (!e->ptr && !e->bytes) {
		release(w, e, &old);
		return;
	}
	if (!e->ptr) {
		add(w, old.ptr, old);
		allocate(w, e);
		return;
	}
	if (!e->bytes || e->bytes > old.slot_bytes || !old.id) {
		allocate(w, e);
		release(w, e, &old);
		return;
	}
	replace(w, e);
	alloc_line(w, e, old.id, "kept");
	old.ptr = e->ptr;
	add(w, e->ptr, old);
}

static int compare_ids(const void *a, const void *b)
{
	const struct live_object *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The memory of an image is gone, at this event. */
static void end_image(struct writer *w, const struct spool_event *e, u32 image)
{
	struct live_objects *live = &w->images.states[image].live;
	struct spool_event at = *e;
	u64 nr = 0;
	struct live_object *objects = malloc((live->nr + 1) * sizeof(*objects));

	if (!objects) {
		w->failed = 1;
		return;
	}
	at.image = image;
	for (u64 i = 0; i < live->nr_slots; i++)
		if (live->slots[i].key)
			objects[nr++] = live->slots[i];
	/* In the order of their allocation, so that equal programs give equal traces. */
	qsort(objects, nr, sizeof(*objects), compare_ids);
	for (u64 i = 0; i < nr; i++)
		unseen(w, &at, &objects[i]);
	free(objects);
	live_close(live);
	*live = (struct live_objects){ 0 };
}

static void write_event(struct writer *w, const struct spool_event *e)
{
	u64 resized = RESIZED_BY | e->thread;
	struct live_object o;

	switch (e->kind) {
	case RECORD_NOTHING:
	case RECORD_EXIT:
		break;
	case RECORD_EXEC:
		if (w->image->before)
			end_image(w, e, w->image->before - 1);
		break;
	case RECORD_FREE:
		o = live_take(&w->image->live, e->ptr);
		release(w, e, &o);
		break;
	case RECORD_RESIZE:
		o = live_take(&w->image->live, e->ptr);
		live_take(&w->image->live, resized);
		if (o.key)
			add(w, resized, o);
		break;
	case RECORD_REALLOC:
	case RECORD_REALLOCARRAY:
		o = live_take(&w->image->live, resized);
		if (o.key)
			resize(w, e, o);
		else if (e->ptr || e->bytes)
			allocate(w, e);
		break;
	default:
		allocate(w, e);
		break;
	}
}

static void write_lines(struct writer *w)
{
	const u64 full_at = w->spool->head->full_at;
	struct spool_event e;

	while (!w->failed && spool_next(w->spool, &e)) {
		if (!w->start)
			w->start = e.time;
		w->image = &w->images.states[e.image];
		/* Other threads may still have had room, but without everyone's events the order says nothing. */
		if (full_at && e.time > full_at)
			w->counts->lost += (u64)(e.kind != RECORD_RESIZE && e.kind != RECORD_EXEC &&
						 e.kind != RECORD_EXIT);
		else
			write_event(w, &e);
		if (--w->image->events_left == 0 && !w->image->is_followed && !w->image->is_last)
			end_image(w, &e, e.image);
	}
}

static void put_plain(struct writer *w, const char *text, u32 most)
{
	for (const char *p = text; *p && p - text < most; p++)
		w->buffer[w->used++] = (u8)*p < ' ' || *p == 0x7f ? '_' : *p;
}

/* Programs that are missing, as comments. */
static void write_missing(struct writer *w)
{
	struct record_counts *counts = w->counts;

	for (u32 i = 0; i < w->spool->nr_starts; i++) {
		const struct record_start *start = &w->spool->head->starts[i];
		if (!start->time || has_loaded(w->spool, start))
			continue;
		char path[sizeof(start->path) + 1] = { 0 };
		memcpy(path, start->path, sizeof(start->path));
		if (!counts->not_loaded++)
			memcpy(counts->first_not_loaded, path, sizeof(path));
		if (counts->not_loaded > MOST_NAMED)
			continue;
		put_number(w, "# not recorded, as it did not load the library: process ",
			   start->pid);
		put(w, ", ");
		put_plain(w, path, sizeof(path));
		put(w, "\n");
		flush(w, BUFFER_BYTES - LINE_BYTES);
	}
	counts->running = w->images.nr_running;
	counts->processes = w->images.nr_processes;
	counts->no_room = w->spool->head->nr_images - MIN(w->spool->head->nr_images, w->images.nr);
	counts->threads = w->cpus.nr_threads;
	/* The program that follows another in a process goes on with its thread. */
	counts->threads -= MIN(counts->threads, w->images.nr - w->images.nr_processes);
	if (counts->running)
		put_number(
			w,
			"# still running when the first process ended, so not recorded to the end: processes ",
			counts->running);
	if (counts->no_room)
		put_number(w,
			   counts->running ? "\n# not recorded, as there was no room: processes "
					   : "# not recorded, as there was no room: processes ",
			   counts->no_room);
	if (counts->running || counts->no_room)
		put(w, "\n");
}

/* Writes the number of events where zeros stand for it. */
static void write_count(struct writer *w, long at)
{
	char digits[COUNT_DIGITS + 1];

	snprintf(digits, sizeof(digits), "%0*llu", COUNT_DIGITS,
		 (unsigned long long)w->counts->events);
	if (at >= 0 &&
	    (fseek(w->out->file, at, SEEK_SET) < 0 || !output_write(w->out, digits, COUNT_DIGITS) ||
	     fseek(w->out->file, 0, SEEK_END) < 0))
		w->failed = 1;
}

static void write_all(struct writer *w, const char *program)
{
	/* You can't seek back in a pipe. */
	long at = ftell(w->out->file);

	put_number(w, "slabtrace 1\nmachine cpus=", w->cpus.nr_cpus);
	put(w, "\n# malloc and free of a program, recorded by slabscope record: ");
	put_plain(w, program, 100);
	put(w, "\n");
	if (at >= 0) {
		at += (long)w->used + (long)strlen("#events ");
		put(w, "#events 0000000000\n");
	}
	write_lines(w);
	write_missing(w);
	w->counts->lost += w->spool->lost;
	if (w->counts->lost)
		put_number(w, "#lost ", w->counts->lost);
	else if (!w->counts->no_room && !w->counts->not_loaded)
		put(w, "#exit\n");
	put_number(w, w->counts->lost ? "\n#end " : "#end ", w->counts->events);
	put(w, w->counts->lost ? " cut\n" : "\n");
	flush(w, 0);
	write_count(w, at);
}

int record_write(struct spool_reader *spool, const char *program, u64 most, struct output *out,
		 struct record_counts *counts)
{
	struct writer *w = calloc(1, sizeof(*w));
	int done = 0;

	*counts = (struct record_counts){ 0 };
	if (w) {
		w->spool = spool;
		w->out = out;
		w->counts = counts;
		w->most = most;
		w->names = call_names_open(
			&(struct call_modules){ spool->head->modules, spool->head->images,
						spool->nr_modules, spool->nr_images });
		if (w->names && record_images_open(&w->images, spool) &&
		    thread_cpus_open(&w->cpus, spool)) {
			write_all(w, program);
			done = !w->failed;
		}
		thread_cpus_close(&w->cpus);
		for (u32 i = 0; w->images.states && i < w->images.nr; i++)
			live_close(&w->images.states[i].live);
		free(w->images.states);
		call_names_close(w->names);
	}
	free(w);
	return done;
}
