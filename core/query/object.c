/*
 * object.c - one object, its bytes, and the reports about objects.
 */
#include "query/index/query.h"
#include "session/session.h"
#include "sim/world.h"

/*
 * One object for a person: its row from the walk, its state in the allocator, and the event that allocated
 * it.
 *
 * The index knows which event last allocated in a slot. Without it, object.c searches the live handles for the
 * object. A table of each handle's events, built once, then gives the allocation.
 */

enum { NOTHING = 0xffffffff };

static const char no_cache[] =
	"no such cache at this position: caches appear with their first event";
static const char no_object[] =
	"no such object at this position: its slab does not exist, or has fewer objects";

/* Returns 1 if the object of a handle is there. Slabs that serve all caches count as the first cache's. */
static int is_at(const struct kmem_session *s, u32 nr, const struct kmem_object_row *row)
{
	const struct kmem_ops *ops = s->replay.ops;
	u32 cache;
	object_loc loc = replay_locate(&s->replay, nr, &cache);

	if (!loc || (!ops->shared_slabs && cache != row->cache))
		return 0;
	if (!ops->cell && LOC_INDEX(loc) != row->index)
		return 0;
	return ops->serial(s->w, LOC_SLAB(loc)) == row->slab &&
	       (!ops->cell || ops->cell(s->w, cache, loc) == row->index);
}

static u32 find_handle(const struct kmem_session *s, const struct kmem_object_row *row)
{
	for (u32 i = 0; i < s->trace.nr_handles; i++)
		if (is_at(s, i, row))
			return i;
	return NOTHING;
}

/* Returns the latest event before the position that allocated the object of a handle. */
static u32 find_alloc(struct kmem_session *s, u32 nr)
{
	if (index_handles(s))
		return index_alloc_op(s, nr, s->w->op);
	for (u32 op = s->w->op; op-- > 0;) {
		const struct op o = trace_op(&s->trace, op);
		if (o.handle == nr && op_allocates(o.kind))
			return op;
	}
	return NOTHING;
}

/* Asks the index: returns 1 if it knows the object in the slot now. The index finds objects by location; a row of
 * the view names a cell. */
static int look_up_owner(const struct kmem_session *s, struct kmem_object_row *row)
{
	u32 op = query_of(s)->index.state == INDEX_READY && !s->replay.ops->cell
			 ? index_alloc_at(s, row->cache, row->slab, row->index, s->w->op)
			 : NOTHING;
	u32 nr = op == NOTHING ? HANDLE_NONE : trace_op(&s->trace, op).handle;

	if (nr == HANDLE_NONE || !is_at(s, nr, row))
		return 0;
	row->handle = nr;
	row->alloc_op = op;
	return 1;
}

static void fill_owner(struct kmem_session *s, struct kmem_object_row *row)
{
	if (!look_up_owner(s, row)) {
		row->handle = find_handle(s, row);
		if (row->handle == NOTHING)
			return;
		row->alloc_op = find_alloc(s, row->handle);
	}
	if (row->alloc_op != NOTHING)
		row->requested = s->trace.sites[trace_op(&s->trace, row->alloc_op).site].bytes;
}

/* Fills in the CPU, time and call site of an event, where known. */
static void session_fill_track(struct kmem_session *s, u32 op, u16 *cpu, u64 *time, u32 *site_at)
{
	if (op >= s->trace.nr_ops)
		return;
	const struct op o = trace_op(&s->trace, op);
	u32 site = s->trace.sites[o.site].call_site;
	*cpu = (u16)(o.cpu % s->w->machine.nr_cpus);
	*time = trace_time(&s->trace, op);
	*site_at = site ? session_offset(s, trace_text(&s->trace, site)) : 0;
}

const struct kmem_object_row *kmem_object(struct kmem_session *s, u32 cache, u32 slab, u32 index)
{
	struct kmem_object_row *row = &s->out.object_row;

	if (!s->w || cache >= s->w->nr_caches)
		return session_none(s, KMEM_ESTATE, no_cache);
	const struct kmem_cache *c = cache_at(s->w, cache);
	memset(row, 0, sizeof(*row));
	row->cache = (u16)cache;
	row->slab = slab;
	row->index = index;
	row->object_bytes = c->object_size;
	row->slot_bytes = c->size;
	row->next = row->handle = row->alloc_op = row->free_op = NOTHING;
	row->alloc_cpu = row->free_cpu = CPU_NONE;
	struct slab_finder f = slab_find(s->replay.ops, s->w, c, slab, index);
	if (!f.is_found || f.slab.cache != cache || index >= f.slab.objects)
		return session_none(s, KMEM_ESTATE, no_object);
	row->state = (u16)f.cell;
	row->slab_address = f.slab.address;
	row->slot = f.slab.start + index * row->slot_bytes;
	if (f.extent.bytes) {
		row->slot = f.extent.offset;
		row->slot_bytes = f.extent.bytes;
	}
	row->address = f.slab.address + row->slot;
	if (s->replay.ops->object)
		s->replay.ops->object(s->w, c, slab, index, row);
	if (row->state == CELL_ALLOCATED)
		fill_owner(s, row);
	session_fill_track(s, row->alloc_op, &row->alloc_cpu, &row->alloc_time,
			   &row->alloc_site_at);
	session_fill_track(s, row->free_op, &row->free_cpu, &row->free_time, &row->free_site_at);
	return row;
}

/* The bytes of an object's slot, as the allocator's model has them. */

const struct kmem_byte_run *kmem_object_bytes(struct kmem_session *s, u32 cache, u32 slab,
					      u32 index, u32 *nr)
{
	*nr = 0;
	if (!s->w || cache >= s->w->nr_caches)
		return session_none(s, KMEM_ESTATE, no_cache);
	if (!s->replay.ops->bytes)
		return NULL;
	struct kmem_byte_run *runs = scratch_rows(s, MAX_BYTE_RUNS, sizeof(*runs));
	if (!runs)
		return NULL;
	*nr = s->replay.ops->bytes(s->w, cache_at(s->w, cache), slab, index, runs);
	return *nr ? runs : session_none(s, KMEM_ESTATE, no_object);
}

/*
 * Debug reports for people: adds the times, CPUs and call sites of the trace, and formats them
 * as text.
 *
 * An object's tracks hold event numbers; the trace has everything else about those events.
 */

enum { NO_INDEX = 0xffffffff };

const struct kmem_bug *kmem_reports(struct kmem_session *s, u32 *nr, u32 *all)
{
	*nr = *all = s->w ? s->w->nr_bugs : 0;
	if (!*nr)
		return NULL;
	*nr = MIN(*nr, (u32)MAX_BUGS);
	struct kmem_bug *rows = scratch_rows(s, *nr, sizeof(*rows));
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

static void add_bytes(struct text *t, const struct kmem_bug *bug)
{
	text_print(t, "\n  %jx-%jx @offset=%u. First byte %x instead of %x", (uintmax_t)bug->fault,
		   (uintmax_t)bug->fault + bug->len - 1, bug->offset, bug->found, bug->expected);
}

static void add_track(struct text *t, const struct kmem_session *s, const char *what, u32 op,
		      u32 cpu, u32 site_at)
{
	if (op == NO_INDEX)
		return;
	text_print(t, "\n  %s in %s cpu=%u event=%u", what,
		   site_at ? session_text(s, site_at) : "unknown", cpu,
		   op + 1); /* people count events from 1 */
}

static void add_fix(struct text *t, const struct kmem_bug *bug, const char *name, enum kmem_fix fix)
{
	text_print(t, "\nFIX %s: ", name);
	if (fix == FIX_RESTORED) {
		text_add(t, "Restoring ");
		add_subject(t, report_check_words(bug->check));
		text_print(t, " %jx-%jx=%x", (uintmax_t)bug->fault,
			   (uintmax_t)bug->fault + bug->len - 1, bug->expected);
	} else if (fix == FIX_NOT_FREED) {
		text_print(t, "Object at %jx not freed", (uintmax_t)bug->refused);
	} else {
		text_add(t, report_fix_words(fix));
	}
}

const char *kmem_report_text(struct kmem_session *s, const struct kmem_bug *bug)
{
	struct text out = text_in(s->out.text, sizeof(s->out.text)), *t = &out;
	const char *name = session_text(s, bug->name_at);

	text_print(t, "BUG %s: %s", name, report_check_words(bug->check));
	if (bug->check == CHECK_INVALID_POINTER)
		text_print(t, " %jx", (uintmax_t)bug->fault);
	if (bug->check == CHECK_COUNT)
		text_print(t, ". Counter is %u but counted were %d", bug->counter, bug->counted);
	if (bug->len)
		add_bytes(t, bug);
	add_track(t, s, "Allocated", bug->alloc_op, bug->alloc_cpu, bug->alloc_site_at);
	add_track(t, s, "Freed", bug->free_op, bug->free_cpu, bug->free_site_at);
	text_print(t, "\n  Slab %u objects=%u used=%u", bug->slab, bug->slab_objects,
		   bug->slab_used);
	if (bug->index != NO_INDEX)
		text_print(t, "\n  Object %u at %jx fp=%jx", bug->index, (uintmax_t)bug->address,
			   (uintmax_t)bug->pointer);
	for (u32 fix = 0; fix <= FIX_COUNT; fix++)
		if (bug->fixes >> fix & 1)
			add_fix(t, bug, name, (enum kmem_fix)fix);
	return s->out.text;
}
