/*
 * session_machine_state.c - a session's machine states: one to show, one whose settings caches use, one to start with.
 */
#include "util/scan.h"
#include "session/session.h"

s32 session_machine_state_begin(struct kmem_session *s, struct machine_state *o)
{
	if (o->tables)
		pool_free(&s->pool, o->tables, sizeof(*o->tables));
	u32 is_used = o->is_used;
	memset(o, 0, sizeof(*o));
	o->is_used = is_used;
	o->tables = pool_alloc(&s->pool, sizeof(*o->tables));
	if (!o->tables && s->w) {
		/* The world follows the pool, so a growing pool invalidates it. */
		session_drop_world(s);
		o->tables = pool_alloc(&s->pool, sizeof(*o->tables));
	}
	if (!o->tables)
		return session_fail(s, KMEM_ENOMEM, "not enough memory for the machine state");
	o->is_reading = 1;
	o->file = 1;
	return 0;
}

s32 kmem_machine_state_begin(struct kmem_session *s)
{
	s->import.cache_params.is_reading = s->import.warm.is_reading = 0;
	return session_machine_state_begin(s, &s->import.machine_state);
}

s32 kmem_cache_params_begin(struct kmem_session *s)
{
	s->import.machine_state.is_reading = s->import.warm.is_reading = 0;
	s->import.cache_params.is_used = 1;
	return session_machine_state_begin(s, &s->import.cache_params);
}

void kmem_cache_params_name(struct kmem_session *s)
{
	s->import.names_by_params = 1;
}

s32 kmem_machine_state_is_before(struct kmem_session *s, u32 on)
{
	struct session_import *im = &s->import;

	if (on && (!im->machine_state.nr_rows || im->machine_state.is_reading))
		return session_fail(
			s, KMEM_ESTATE,
			"no machine state is shown: first read the one from before the trace");
	if (im->before.tables)
		pool_free(&s->pool, im->before.tables, sizeof(*im->before.tables));
	memset(&im->before, 0, sizeof(im->before));
	if (!on)
		return 0;
	im->before = im->machine_state;
	memset(&im->machine_state, 0, sizeof(im->machine_state));
	im->machine_state.is_used = im->before.is_used;
	return 0;
}

const struct machine_state *session_machine_before(const struct kmem_session *s)
{
	const struct session_import *im = &s->import;
	const struct machine_state *const states[] = { &im->cache_params, &im->warm, &im->before,
						       &im->machine_state };

	for (u32 i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i]->nr_rows && !states[i]->is_reading)
			return states[i];
	return NULL;
}

static const char *cache_of_size(const void *machine, u32 object_size, u32 slot)
{
	const struct kmem_session *s = machine;

	return machine_state_of_size(session_machine_before(s), &s->import.machine_state,
				     object_size, slot);
}

static int has_cache(const void *machine, const char *name, u32 slot)
{
	const struct kmem_machine_state_row *row =
		machine_state_find(session_machine_before(machine), name);

	return row && row->size == slot;
}

static const char *target_of(const void *machine, const char *name)
{
	return machine_state_target(session_machine_before(machine), name);
}

struct machine_names session_machine_names(const struct kmem_session *s)
{
	if (!session_machine_before(s))
		return (struct machine_names){ 0 };
	return (struct machine_names){ s, cache_of_size, has_cache, target_of };
}

const char *kmem_machine_aliases(struct kmem_session *s, const char *cache)
{
	const struct session_import *im = &s->import;
	const struct machine_state *o = im->machine_state.tables  ? &im->machine_state
					: im->cache_params.tables ? &im->cache_params
								  : &im->warm;
	struct text t = text_in(s->out.text, sizeof(s->out.text));

	text_add(&t, "");
	if (o->tables)
		machine_state_add_aliases(o, cache, &t);
	return s->out.text;
}

/* Returns the machine state that receives chunks. */
static struct machine_state *at_work(struct kmem_session *s)
{
	if (s->import.warm.is_reading)
		return &s->import.warm;
	return s->import.cache_params.is_reading ? &s->import.cache_params
						 : &s->import.machine_state;
}

u32 kmem_machine_state_file(struct kmem_session *s)
{
	struct machine_state *o = at_work(s);
	u32 replaced = o->replaced;

	if (!o->is_reading)
		return 0;
	/* A file starts on its own line. */
	kmem_machine_state_chunk(s, (const u8 *)"\n", 1);
	o->kind = 0;
	o->replaced = 0;
	/* Rows from before the first call count as a file. */
	o->file += o->nr_rows || o->nr_aliases;
	return replaced;
}

s32 kmem_machine_state_chunk(struct kmem_session *s, const u8 *bytes, u32 len_bytes)
{
	struct machine_state *o = at_work(s);

	if (!o->is_reading)
		return session_fail(s, KMEM_ESTATE, "no machine state has been started");
	for (u32 i = 0; i < len_bytes; i++) {
		u8 *line = o->tables->line;
		if (bytes[i] != '\n' && o->line_len <= MAX_MACHINE_STATE_LINE)
			line[o->line_len++] = bytes[i];
		if (bytes[i] != '\n')
			continue;
		u32 len = o->line_len;
		o->line_len = 0;
		while (len && line[len - 1] <= ' ')
			len--;
		/* The parser loads words past the end of a line; the newline stops it from reading
		 * stale bytes. */
		line[len] = '\n';
		/* Any of the files may start with a UTF-8 byte order mark. */
		u32 mark = span_begins(line, line + len, "\xef\xbb\xbf") ? 3 : 0;
		if (len > mark && len <= MAX_MACHINE_STATE_LINE)
			machine_state_line(o, line + mark, line + len);
	}
	return 0;
}

s32 kmem_machine_state_end(struct kmem_session *s)
{
	struct machine_state *o = at_work(s);
	s32 status = kmem_machine_state_chunk(s, (const u8 *)"\n", 1);

	o->is_reading = 0;
	for (u32 i = 0; !status && i < o->nr_rows; i++)
		o->tables->rows[i].name_at = session_offset(s, o->tables->names[i]);
	if (!status && o->nr_rows && !s->import.importing)
		status = session_choose_kernel(s);
	if (status || o->nr_rows)
		return status;
	return session_fail(
		s, KMEM_EINPUT,
		"No machine state found: expected /proc/slabinfo, `grep -r . /sys/kernel/slab` "
		"or a table with the header cache,order,…, plain or packed with gzip, zstd, zip or xz.");
}

const struct kmem_machine_state_row *kmem_machine_state_rows(struct kmem_session *s, u32 *nr)
{
	struct machine_state *o = &s->import.machine_state;

	*nr = o->nr_rows;
	for (u32 i = 0; i < o->nr_rows; i++)
		o->tables->rows[i].cache = CACHE_NONE;
	for (u32 id = s->w ? s->w->nr_caches : 0; id-- > 0;) {
		const struct kmem_machine_state_row *row = kmem_machine_state_of(s, id);
		if (row)
			o->tables->rows[row - o->tables->rows].cache = id;
	}
	return o->nr_rows ? o->tables->rows : NULL;
}

const struct kmem_machine_state_row *kmem_machine_state_of(struct kmem_session *s, u32 cache)
{
	if (!s->w || cache >= s->w->nr_caches || !s->import.machine_state.tables)
		return NULL;
	return machine_state_find(&s->import.machine_state, cache_name(s->w, cache));
}

void kmem_machine_state_use(struct kmem_session *s, u32 on)
{
	s->import.machine_state.is_used = s->import.before.is_used = on != 0;
}

/* Names as in a table of caches. */
static const struct {
	const char *name;
	u32 bit; /* enum held_by_parameters */
} held_names[] = {
	{ "order", HELD_ORDER },
	{ "min_partial", HELD_MIN_PARTIAL },
	{ "cpu_partial", HELD_CPU_PARTIAL },
	{ "sheaf_capacity", HELD_SHEAVES },
};

static void add_names(struct text *t, u32 bits)
{
	u32 nr = 0, all = (u32)__builtin_popcount(bits);

	for (u32 i = 0; i < ARRAY_SIZE(held_names); i++) {
		if (!(bits & held_names[i].bit))
			continue;
		text_add(t, nr == 0 ? "" : nr + 1 == all ? " and " : ", ");
		text_add(t, held_names[i].name);
		nr++;
	}
}

const char *kmem_cache_params_text(struct kmem_session *s)
{
	struct text t = text_in(s->out.text, sizeof(s->out.text));
	const struct machine_state *o = session_cache_params(s);
	const u32 all = HELD_ORDER | HELD_MIN_PARTIAL | HELD_CPU_PARTIAL | HELD_SHEAVES;
	u32 held = machine_state_held(&s->params);

	if (!o->is_used || !o->nr_rows)
		return text_add(&t, ""), s->out.text;
	text_add(&t, "Caches in the snapshot of the machine use its sizes, alignment and flags");
	if (all & ~held) {
		text_add(&t, ", and its ");
		add_names(&t, all & ~held);
	}
	if (held) {
		text_add(&t, "; ");
		add_names(&t, held);
		text_add(&t, held & (held - 1) ? " follow" : " follows");
		text_add(&t, " the parameters and preset you set, which win over the snapshot");
	}
	text_add(&t, ".");
	return s->out.text;
}
