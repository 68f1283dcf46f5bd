/*
 * debug_report_rows.c - debug reports for people: adds the times, CPUs and call sites of the trace, and formats them
 * as text.
 *
 * An object's tracks hold event numbers; the trace has everything else about those events.
 */
#include "sim/debug_reports.h"

#include "session/session.h"

enum { NO_INDEX = 0xffffffff };

void session_fill_track(struct kmem_session *s, u32 op, u16 *cpu, u64 *time, u32 *site_at)
{
	if (op >= s->trace.nr_ops)
		return;
	const struct op o = trace_op(&s->trace, op);
	u32 site = s->trace.sites[o.site].call_site;
	*cpu = (u16)(o.cpu % s->w->machine.nr_cpus);
	*time = trace_time(&s->trace, op);
	*site_at = site ? session_offset(s, trace_text(&s->trace, site)) : 0;
}

const struct kmem_bug *kmem_reports(struct kmem_session *s, u32 *nr, u32 *all)
{
	*nr = *all = s->w ? s->w->nr_bugs : 0;
	if (!*nr)
		return NULL;
	*nr = MIN(*nr, (u32)MAX_BUGS);
	scratch_reset(s);
	struct kmem_bug *rows = scratch_alloc(s, *nr * sizeof(*rows));
	if (!rows) {
		*nr = 0;
		return NULL;
	}
	memcpy(rows, at(s->w, s->w->bugs), *nr * sizeof(*rows));
	for (u32 i = 0; i < *nr; i++) {
		struct kmem_bug *bug = &rows[i];
		bug->name_at = session_offset(s, cache_at(s->w, bug->cache)->name);
		session_fill_track(s, bug->alloc_op, &bug->alloc_cpu, &bug->alloc_time,
				   &bug->alloc_site_at);
		session_fill_track(s, bug->free_op, &bug->free_cpu, &bug->free_time,
				   &bug->free_site_at);
	}
	return rows;
}

/* Adds the kernel's name for the bytes: the words of the check without the last one. */
static void add_subject(struct text *t, const char *words)
{
	u32 n = text_length(words);

	while (n && words[n - 1] != ' ')
		n--;
	text_add_n(t, words, n ? n - 1 : 0);
}

static void add_address(struct text *t, const char *before, u64 address)
{
	text_add(t, before);
	text_add_hex(t, address, 16);
}

static void add_bytes(struct text *t, const struct kmem_bug *bug)
{
	add_address(t, "\n  ", bug->fault);
	add_address(t, "-", bug->fault + bug->len - 1);
	text_print(t, " @offset=%u. First byte ", bug->offset);
	text_add_hex(t, bug->found, 1);
	text_add(t, " instead of ");
	text_add_hex(t, bug->expected, 1);
}

static void add_track(struct text *t, const struct kmem_session *s, const char *what, u32 op,
		      u32 cpu, u32 site_at)
{
	if (op == NO_INDEX)
		return;
	text_print(t, "\n  %s in %s cpu=%u event=%u", what,
		   site_at ? (const char *)s->pool.base + site_at : "unknown", cpu,
		   op + 1); /* people count events from 1 */
}

static void add_fix(struct text *t, const struct kmem_bug *bug, const char *name, enum kmem_fix fix)
{
	text_print(t, "\nFIX %s: ", name);
	if (fix == FIX_RESTORED) {
		text_add(t, "Restoring ");
		add_subject(t, report_check_words(bug->check));
		add_address(t, " ", bug->fault);
		add_address(t, "-", bug->fault + bug->len - 1);
		text_add(t, "=");
		text_add_hex(t, bug->expected, 1);
	} else if (fix == FIX_NOT_FREED) {
		add_address(t, "Object at ", bug->refused);
		text_add(t, " not freed");
	} else {
		text_add(t, report_fix_words(fix));
	}
}

const char *kmem_report_text(struct kmem_session *s, const struct kmem_bug *bug)
{
	struct text out = text_in(s->out.text, sizeof(s->out.text)), *t = &out;
	const char *name = (const char *)s->pool.base + bug->name_at;

	text_print(t, "BUG %s: %s", name, report_check_words(bug->check));
	if (bug->check == CHECK_INVALID_POINTER)
		add_address(t, " ", bug->fault);
	if (bug->check == CHECK_COUNT)
		text_print(t, ". Counter is %u but counted were %d", bug->counter, bug->counted);
	if (bug->len)
		add_bytes(t, bug);
	add_track(t, s, "Allocated", bug->alloc_op, bug->alloc_cpu, bug->alloc_site_at);
	add_track(t, s, "Freed", bug->free_op, bug->free_cpu, bug->free_site_at);
	text_print(t, "\n  Slab %u objects=%u used=%u", bug->slab, bug->slab_objects,
		   bug->slab_used);
	if (bug->index != NO_INDEX) {
		text_add_number(t, "\n  Object ", bug->index);
		add_address(t, " at ", bug->address);
		add_address(t, " fp=", bug->pointer);
	}
	for (u32 fix = 0; fix <= FIX_COUNT; fix++)
		if (bug->fixes >> fix & 1)
			add_fix(t, bug, name, (enum kmem_fix)fix);
	return s->out.text;
}
