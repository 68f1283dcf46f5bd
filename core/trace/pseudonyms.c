/*
 * pseudonyms.c - numbers the call sites and tasks of a trace. See pseudonyms.h.
 */
#include "trace/pseudonyms.h"

#include "trace/trace.h"
#include "util/text.h"

static u32 nr_words(const struct trace *t)
{
	return t->text_bytes / TEXT_STEP / 64 + 1;
}

static u64 set_bytes(const struct trace *t)
{
	return ALIGN_UP((u64)nr_words(t) * (sizeof(u64) + sizeof(u32)), (u64)8);
}

void pseudonyms_reserve(struct trace *t)
{
	struct buffer *run = &t->pseudonyms.run;

	if (run->room_bytes >= 2 * set_bytes(t))
		return;
	buffer_free(t->pool, run);
	buffer_grow(t->pool, run, 2 * set_bytes(t));
}

static void note(struct pseudonym_set *set, u32 text)
{
	set->names[text / TEXT_STEP / 64] |= (u64)1 << text / TEXT_STEP % 64;
}

static void number(const struct trace *t, struct pseudonym_set *set)
{
	u32 nr = 0;

	/* The empty text is not a name. */
	set->names[0] &= ~(u64)1;
	for (u32 i = 0; i < nr_words(t); i++) {
		set->before[i] = nr;
		nr += (u32)__builtin_popcountll(set->names[i]);
	}
}

int pseudonyms_make(struct trace *t)
{
	struct pseudonyms *p = &t->pseudonyms;
	u8 *at;

	pseudonyms_reserve(t);
	if (p->run.room_bytes < 2 * set_bytes(t))
		return 0;
	at = p->run.at;
	memset(at, 0, 2 * set_bytes(t));
	p->sites.names = (u64 *)at;
	p->sites.before = (u32 *)(p->sites.names + nr_words(t));
	p->tasks.names = (u64 *)(at + set_bytes(t));
	p->tasks.before = (u32 *)(p->tasks.names + nr_words(t));
	for (u32 s = 0; s < t->nr_sites; s++)
		note(&p->sites, t->sites[s].call_site);
	for (u32 i = 0; t->kept.tasks && i < t->nr_ops; i++)
		note(&p->tasks, trace_task(t, i));
	number(t, &p->sites);
	number(t, &p->tasks);
	return 1;
}

const char *pseudonym_of(const struct pseudonym_set *set, const char *prefix, u32 text, char *room)
{
	u32 at = text / TEXT_STEP;
	struct text out = text_in(room, PSEUDONYM_BYTES);

	if (!text)
		return "";
	u64 below = set->names[at / 64] & (((u64)1 << at % 64) - 1);
	text_add_number(&out, prefix,
			(u64)set->before[at / 64] + (u64)__builtin_popcountll(below) + 1);
	return room;
}
