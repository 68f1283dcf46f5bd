/*
 * record_images.c - see record_images.h.
 */
#include "cli/programs/record_images.h"

#include <stdio.h>
#include <stdlib.h>

static void write_task(char task[TASK_BYTES], const struct record_image *image)
{
	snprintf(task, TASK_BYTES, "%.*s-%u", RECORD_NAME_BYTES - 1, image->name, image->pid);
	/* Words of slabtrace have no blanks. */
	for (char *p = task; *p; p++)
		if ((u8)*p <= ' ' || *p == '%' || *p == 0x7f)
			*p = '_';
}

/* Finds the images that exec began in a process which had one before. */
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

int record_images_open(struct record_images *images, const struct spool_reader *spool)
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

void record_images_close(struct record_images *images)
{
	for (u32 i = 0; images->states && i < images->nr; i++)
		live_close(&images->states[i].live);
	free(images->states);
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

const struct record_start *record_missing(const struct spool_reader *spool, u32 *at)
{
	while (*at < spool->nr_starts) {
		const struct record_start *start = &spool->head->starts[(*at)++];
		if (start->time && !has_loaded(spool, start))
			return start;
	}
	return NULL;
}
