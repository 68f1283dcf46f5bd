/*
 * sysfs.c - a cache as files of /sys/kernel/slab and as a line of /proc/slabinfo, in the kernel's formats.
 *
 * Kernel: mm/slub.c, cache_show() and print_slabinfo_header() in mm/slab_common.c, 6.1; the derived columns are those
 * of tools/vm/slabinfo.c.
 */
#include "session/session.h"

enum { MAX_ATTRIBUTES = 128, SLABINFO_LINE_BYTES = MAX_NAME_BYTES + 160 };

static void add_amount(struct text *t, const struct attribute *a)
{
	text_add_u64(t, a->value);
	if (a->shape == ATTRIBUTE_CPU_SLABS)
		text_print(t, "(%u)", a->slabs);
}

/* Formats "total N0=1 N2=4"; nodes that have nothing are left out. */
static void add_attribute(struct kmem_session *s, const struct kmem_cache *c, u32 nr,
			  const struct attribute *whole, struct text *t)
{
	u32 by_node = whole->shape == ATTRIBUTE_NODES;
	struct attribute a;

	if (whole->shape == ATTRIBUTE_TEXT) {
		text_add(t, whole->text);
		return;
	}
	add_amount(t, whole);
	if (whole->shape == ATTRIBUTE_NUMBER)
		return;
	for (u32 i = 0; i < (by_node ? s->w->machine.nr_nodes : s->w->machine.nr_cpus); i++) {
		s->replay.ops->attribute(s->w, c, nr, i, &a);
		if (!a.value && !a.slabs)
			continue;
		text_print(t, by_node ? " N%u=" : " C%u=", i);
		add_amount(t, &a);
	}
}

const struct kmem_attribute_row *kmem_attributes(struct kmem_session *s, u32 cache, u32 *nr)
{
	struct attribute a;

	*nr = 0;
	if (!s->w || cache >= s->w->nr_caches || !s->replay.ops->attribute)
		return NULL;
	const struct kmem_cache *c = cache_at(s->w, cache);
	struct kmem_attribute_row *rows = scratch_rows(s, MAX_ATTRIBUTES, sizeof(*rows));
	if (!rows)
		return NULL;
	for (u32 i = 0; i < MAX_ATTRIBUTES; i++) {
		if (!s->replay.ops->attribute(s->w, c, i, WHOLE, &a))
			break;
		struct text t = text_in(s->out.text, sizeof(s->out.text));
		if (a.shape == ATTRIBUTE_WRITTEN)
			a.write(s->w, c, s->out.text, sizeof(s->out.text));
		else
			add_attribute(s, c, i, &a, &t);
		rows[i] = (struct kmem_attribute_row){ .writable = a.writable };
		rows[i].name_at = scratch_text(s, a.name);
		rows[i].value_at = scratch_text(s, s->out.text);
		if (!rows[i].name_at || !rows[i].value_at)
			break;
		*nr = i + 1;
	}
	return rows;
}

static u32 percent(u64 part, u64 whole)
{
	return whole ? (u32)(part * 100 / whole) : 100;
}

static void fill_line(const struct kmem_session *s, const struct kmem_cache_row *c,
		      struct kmem_slabinfo_row *line)
{
	const struct kmem_cache *cache = cache_at(s->w, c->cache);
	const struct kmem_ops *ops = s->replay.ops;
	u64 active_bytes = (u64)c->objects * c->object_size;
	u32 active_objs = ops->slabinfo_objects ? ops->slabinfo_objects(s->w, cache) : c->objects;

	*line = (struct kmem_slabinfo_row){ .name_at = c->name_at,
					    .cache = c->cache,
					    .active_objs = active_objs,
					    .num_objs = c->total_objects,
					    .objsize = c->size,
					    .objperslab = c->objects_per_slab,
					    .pagesperslab = 1u << c->order,
					    .limit = c->limit,
					    .batchcount = c->batchcount,
					    .sharedfactor = c->sharedfactor,
					    .active_slabs = c->active_slabs,
					    .num_slabs = c->slabs,
					    .sharedavail = c->sharedavail,
					    .slabs = c->slabs - MIN(c->slabs, c->cpu_slabs),
					    .partial = c->partial,
					    .cpu_slabs = c->cpu_slabs };
	/* Calculates as the tool does: it assumes that every slab has the preferred order. */
	line->space = (u64)c->slabs << (s->w->machine.page_shift + c->order);
	line->loss = line->space - MIN(line->space, active_bytes);
	line->percent_partial = percent(c->partial, c->slabs);
	line->percent_efficient = percent(active_bytes, line->space);
}

const struct kmem_slabinfo_row *kmem_slabinfo(struct kmem_session *s, u32 *nr)
{
	const struct kmem_cache_row *caches = kmem_cache_rows(s, nr);

	if (!caches || s->replay.ops->no_slabinfo) {
		*nr = 0;
		return NULL;
	}
	struct kmem_slabinfo_row *lines = scratch_alloc(s, MAX(*nr, 1u) * sizeof(*lines));
	for (u32 i = 0; lines && i < *nr; i++)
		fill_line(s, &caches[*nr - 1 - i], &lines[i]);
	if (!lines)
		*nr = 0;
	return lines;
}

/* Pads a word to at least `width` characters: aligned left or right. */
static void add_left(struct text *t, const char *word, u32 width)
{
	u32 len = text_length(word);

	text_add_name(t, word);
	for (; len < width; len++)
		text_add(t, " ");
}

static void add_right(struct text *t, u32 number, u32 width)
{
	u32 digits = 1;

	for (u32 rest = number; rest >= 10; rest /= 10)
		digits++;
	text_add(t, " ");
	for (; digits < width; digits++)
		text_add(t, " ");
	text_add_u64(t, number);
}

static void add_line(struct text *t, const char *name, const struct kmem_slabinfo_row *line)
{
	add_left(t, name, 17);
	add_right(t, line->active_objs, 6);
	add_right(t, line->num_objs, 6);
	add_right(t, line->objsize, 6);
	add_right(t, line->objperslab, 4);
	add_right(t, line->pagesperslab, 4);
	text_add(t, " : tunables");
	add_right(t, line->limit, 4);
	add_right(t, line->batchcount, 4);
	add_right(t, line->sharedfactor, 4);
	text_add(t, " : slabdata");
	add_right(t, line->active_slabs, 6);
	add_right(t, line->num_slabs, 6);
	add_right(t, line->sharedavail, 6);
	text_add(t, "\n");
}

const char *kmem_slabinfo_text(struct kmem_session *s)
{
	u32 nr;
	const struct kmem_slabinfo_row *lines = kmem_slabinfo(s, &nr);
	u64 room = (u64)(nr + 2) * SLABINFO_LINE_BYTES;
	char *buf = lines ? scratch_alloc(s, room) : NULL;

	if (!buf)
		return "";
	struct text t = text_in(buf, (u32)room);
	text_add(&t,
		 "slabinfo - version: 2.1\n"
		 "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>"
		 " : tunables <limit> <batchcount> <sharedfactor>"
		 " : slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	for (u32 i = 0; i < nr; i++)
		add_line(&t, session_text(s, lines[i].name_at), &lines[i]);
	return buf;
}
