/*
 * lookup.c - recorded pointers and tasks, and the lives of objects that match a report of the kernel.
 */
#include "query/lookup/lookup.h"

#include "import/import.h"
#include "session/session.h"
#include "util/text.h"

/*
 * The recorded pointer and task of an event, if the import kept them.
 */

s32 kmem_import_keep(struct kmem_session *s, u32 what)
{
	const struct import *im = s->trace.import;

	if (s->import.importing != IMPORTING_BYTES || im->format || im->head_len)
		return session_fail(
			s, KMEM_ESTATE,
			"choose what to keep between kmem_import_begin and the first chunk");
	if (what & ~(u32)(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS | KMEM_KEEP_EFFECTS))
		return session_fail(s, KMEM_EPARAM,
				    "expected KMEM_KEEP_POINTERS, KMEM_KEEP_TASKS or both");
	s32 status = trace_keep(&s->trace, what);
	return status ? session_fail(s, status, s->trace.error) : 0;
}

const struct kmem_kept *kmem_kept(struct kmem_session *s)
{
	const struct trace_kept *kept = &s->trace.kept;

	s->out.kept = (struct kmem_kept){ .bytes = kept->bytes,
					  .flags = kept->flags,
					  .dropped = kept->dropped };
	return &s->out.kept;
}

u64 kmem_pointer(struct kmem_session *s, u32 op)
{
	return trace_pointer(&s->trace, op);
}

const char *kmem_task(struct kmem_session *s, u32 op)
{
	return s->trace.text ? trace_text(&s->trace, trace_task(&s->trace, op)) : "";
}

/*
 * Kmem_lookup: from a text of dmesg to the events that match it, and the answer in sentences.
 */

enum { SENTENCE_BYTES = 3 << 10 }; /* kept free for the answer and the note */

u32 lookup_text(struct kmem_session *s, const u8 *p, const u8 *end)
{
	struct lookup *l = lookup_of(s);
	u32 len = end > p ? (u32)MIN((u64)(end - p), (u64)LOOKUP_WORD_BYTES) : 0;
	char *to = l->text + l->text_used;

	while (len && p[len - 1] <= ' ')
		len--;
	if (!len || l->text_used + len + 1 > LOOKUP_TEXT_BYTES - SENTENCE_BYTES)
		return session_offset(s, l->text);
	for (u32 i = 0; i < len; i++)
		to[i] = (char)(p[i] < ' ' || p[i] == 0x7f ? '?' : p[i]);
	to[len] = 0;
	l->text_used += len + 1;
	return session_offset(s, to);
}

static struct text sentence(struct lookup *l, u32 room)
{
	return text_in(l->text + l->text_used, MIN(room, LOOKUP_TEXT_BYTES - l->text_used));
}

static u32 sentence_end(struct kmem_session *s, struct text *out)
{
	struct lookup *l = lookup_of(s);
	u32 at = session_offset(s, out->buf);

	l->text_used += out->len + 1;
	return at;
}

/* Returns how many events come before the report: up to its time, or up to what it needs. */
static u32 moment_of(const struct kmem_session *s, const struct lookup *l)
{
	const struct trace *t = &s->trace;
	const struct kmem_lookup_life *life = l->lives;
	u32 first = 0, behind = t->nr_ops;
	u64 time = l->out.time;

	if (time && t->has_times && t->report.time_is_ns && time >= t->report.time_first &&
	    time <= t->report.time_last) {
		while (first < behind) {
			u32 middle = first + (behind - first) / 2;
			if (trace_time(t, middle) <= time)
				first = middle + 1;
			else
				behind = middle;
		}
		return first;
	}
	if (!l->out.nr_lives)
		return 0;
	if (l->out.kind == LOOKUP_POINTER && life->alloc_op != NO_NUMBER32)
		return life->free_op == NO_NUMBER32 ? t->nr_ops : life->free_op;
	return life->free_op == NO_NUMBER32 ? t->nr_ops : life->free_op + 1;
}

static void add_who(struct kmem_session *s, struct text *out, u32 cpu, u32 task_at, u32 site_at)
{
	const char *base = (const char *)s->pool.base;

	text_print(out, " on CPU %u", cpu);
	if (task_at && base[task_at])
		text_print(out, " in task %s", base + task_at);
	if (site_at && base[site_at])
		text_print(out, " at %s", base + site_at);
}

/* People count events from 1. */
static void add_life(struct kmem_session *s, struct text *out, const struct kmem_lookup_life *life)
{
	const char *base = (const char *)s->pool.base;
	u32 is_freed = life->free_op != NO_NUMBER32;

	if (life->alloc_op == NO_NUMBER32) {
		text_print(out, "The trace started after this allocation; event %u frees it",
			   life->free_op + 1);
	} else {
		text_print(out, "Allocated by event %u", life->alloc_op + 1);
		if (life->cache_at && base[life->cache_at])
			text_print(out, " from %s", base + life->cache_at);
		add_who(s, out, life->alloc_cpu, life->alloc_task_at, life->alloc_site_at);
		if (is_freed)
			text_print(out, "; freed by event %u", life->free_op + 1);
		else
			text_add(out, "; not freed in the trace");
	}
	if (is_freed)
		add_who(s, out, life->free_cpu, life->free_task_at, life->free_site_at);
	text_add(out, ".");
}

/* "The address lies 8 bytes inside it." */
static void add_offset(struct text *out, const struct kmem_lookup *l,
		       const struct kmem_lookup_life *life)
{
	u64 object = l->object ? l->object : life->pointer;
	s64 offset = (s64)(l->address - object);

	if (!l->address || !object || !offset || !life->slot_bytes)
		return;
	if (offset < 0)
		text_print(out, " The address is %ju byte{s} before it.", (uintmax_t)-offset);
	else
		text_print(out,
			   (u64)offset < life->slot_bytes
				   ? " The address is byte %ju of its slot of %u bytes."
				   : " The address is byte %ju, past its slot of %u bytes.",
			   (uintmax_t)offset, life->slot_bytes);
}

static u32 answer(struct kmem_session *s)
{
	struct lookup *l = lookup_of(s);
	const struct kmem_lookup *out = &l->out;
	struct text text = sentence(l, 1536);

	if (out->kind == LOOKUP_NOTHING) {
		text_add(
			&text,
			"Expected a pointer (0xffff888003a9d040), a line \"BUG kmalloc-64 (…): …\" of "
			"slab debugging with what follows it, or a KASAN report.");
	} else if (!out->nr_lives) {
		text_add(&text, "No event of the trace matches.");
	} else if (out->by_address && l->lives[0].matched >> LOOKUP_BY_PAGE & 1) {
		text_print(&text,
			   "No recorded object contains the address. The trace has %u object{s} of "
			   "the same page. The latest: ",
			   out->nr_all);
		add_life(s, &text, l->lives);
	} else if (out->by_address) {
		add_life(s, &text, l->lives);
		add_offset(&text, out, l->lives);
		if (out->nr_all > 1)
			text_print(
				&text,
				out->nr_alike > 1
					? " The address belonged to %u objects in turn; this is "
					  "the latest of those that fit best."
					: " The address belonged to %u objects in turn; this one "
					  "fits best.",
				out->nr_all);
	} else {
		text_print(&text,
			   "Candidates: %u object{s} {fit equally well. The latest:|fits best.} ",
			   out->nr_alike);
		add_life(s, &text, l->lives);
	}
	return sentence_end(s, &text);
}

static u32 note(struct kmem_session *s)
{
	struct lookup *l = lookup_of(s);
	const struct kmem_lookup *out = &l->out;
	struct text text = sentence(l, 512);
	int is_hashed = s->trace.report.hashed != 0;

	if (out->kind == LOOKUP_NOTHING)
		return sentence_end(s, &text);
	if (s->trace.kept.dropped & KMEM_KEEP_POINTERS)
		text_add(
			&text,
			"The recorded pointers did not fit beside the events, or the CPUs' clocks changed "
			"their order: cut out a part of the trace (slabscope convert --from-event).");
	else if (!(s->trace.kept.flags & KMEM_KEEP_POINTERS))
		text_add(
			&text,
			"This import kept no pointers, so no address can match: read the trace again "
			"with --keep pointers.");
	else if (!s->trace.kept.nr_pointers)
		text_add(
			&text,
			"The trace has no recorded pointers: open the file that the kernel recorded, or "
			"convert it with --keep pointers,tasks.");
	else if (out->address && !out->can_match)
		text_add(
			&text,
			"The trace has hashed pointers and the report has addresses: none can match. Record "
			"with the boot option no_hash_pointers.");
	else if (is_hashed)
		text_add(
			&text,
			"The trace has hashed pointers: equal ones are the same object, but nothing is known "
			"about neighbours.");
	if (out->nr_lives && !out->by_address)
		text_add(
			&text,
			text.len
				? " These are candidates: objects whose cache, call sites, CPUs, "
				  "pids or times fit the report."
				: "No event has the report's address. These are candidates: objects "
				  "whose cache, call sites, CPUs, pids or times fit the report.");
	if (!out->nr_lives && !l->tracks[0].is_there && !l->tracks[1].is_there &&
	    out->kind == LOOKUP_BUG)
		text_add(
			&text,
			" The report does not say who allocated the object: boot with slab_debug=U.");
	return sentence_end(s, &text);
}

const struct kmem_lookup *kmem_lookup(struct kmem_session *s, const u8 *text, u32 len_bytes)
{
	struct lookup *l = lookup_of(s);
	struct kmem_lookup *out = &l->out;
	u8 *copy = (u8 *)s->room.lookup + ALIGN_UP(sizeof(struct lookup), (u64)8);

	if (!s->import.imported)
		return session_none(s, KMEM_ESTATE, "no trace to search: import one first");
	if (len_bytes > KMEM_MAX_LOOKUP_BYTES)
		return session_none(s, KMEM_ELIMIT,
				    "expected a report of at most 64 KiB: give one report only");
	memset(l, 0, sizeof(*l));
	/* The scanner loads words, and stops at zeros that a line must not have. */
	for (u32 i = 0; i < len_bytes; i++)
		copy[i] = text[i] ? text[i] : '?';
	memset(copy + len_bytes, 0, SCAN_SLACK);
	l->text_used = 1;
	for (u32 i = 0; i < 2; i++)
		l->tracks[i].cpu = l->tracks[i].pid = l->tracks[i].age = KMEM_NONE32;
	out->slab_offset = KMEM_NONE32;
	lookup_read(s, copy, len_bytes);
	out->can_match = (s->trace.kept.flags & KMEM_KEEP_POINTERS) &&
			 !(s->trace.report.hashed && out->address >> 32);
	s32 status = out->kind == LOOKUP_NOTHING ? KMEM_OK : lookup_find(s);
	if (status)
		return NULL;
	out->moment = moment_of(s, l);
	lookup_neighbours(s);
	out->tracks_at = session_offset(s, l->tracks);
	out->lives_at = session_offset(s, l->lives);
	out->neighbours_at = session_offset(s, l->neighbours);
	out->answer_at = answer(s);
	out->note_at = note(s);
	return out;
}

u32 kmem_find_pointer(struct kmem_session *s, u64 pointer, u32 op, u32 direction)
{
	const struct trace *t = &s->trace;

	if (!s->import.imported || !pointer)
		return KMEM_NONE32;
	pointer = untagged(pointer);
	/* Backwards from event 0 the number wraps, and is past the end too. */
	u32 is_back = direction == KMEM_BACK;
	for (u32 i = is_back ? MIN(op, t->nr_ops) - 1 : op; i < t->nr_ops; i += is_back ? -1u : 1u)
		if (lookup_pointer(t, i) == pointer)
			return i;
	return KMEM_NONE32;
}
