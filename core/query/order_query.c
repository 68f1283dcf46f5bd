/*
 * order_query.c - the order rule asked: for one slot size, and for every cache of a real machine.
 */
#include "alloc/ops.h"
#include "query/index/query.h"
#include "util/text.h"

/*
 * How many pages a slab of a given slot size gets under the settings, and which orders were tried.
 */

const struct kmem_order_row *kmem_order(struct kmem_session *s, u32 size)
{
	struct kmem_order_row *row = &s->out.order_row;
	u32 shift = session_page_shift(s), nr_cpus = session_nr_cpus(s);
	struct policy p;

	if (!size)
		session_fail(s, KMEM_EPARAM, "an object has at least one byte");
	if (!size || session_policy(s, &p))
		return NULL;
	memset(row, 0, sizeof(*row));
	row->size = size;
	row->nr_cpus = nr_cpus;
	const struct kmem_ops *ops = ops_of(p.allocator);
	if (ops->order_row)
		ops->order_row(&p, shift, nr_cpus, size, row, &query_of(s)->tries);
	else
		row->order = order_calculate(&p, shift, nr_cpus, size, &query_of(s)->tries);
	row->nr_tries = query_of(s)->tries.nr;
	if (row->order == ORDER_NONE)
		return session_none(s, KMEM_EPARAM, "no order can hold an object of that size");
	if (ops->order_row)
		return row;
	row->aligned_size = size;
	row->objects = order_objects(shift, row->order, size);
	row->waste = (u32)(((u64)1 << (shift + row->order)) - (u64)row->objects * size);
	row->min_partial = min_partial_of(&p, size);
	row->cpu_partial_objects = p.cpu_partial_lists ? cpu_partial_of(&p, shift, size) : 0;
	row->sheaf_capacity = p.no_cpu_slabs ? sheaf_capacity_of(&p, shift, size) : 0;
	row->cpu_partial_slabs = cpu_partial_slabs_of(row->cpu_partial_objects, row->objects);
	return row;
}

const struct kmem_order_try *kmem_order_tries(struct kmem_session *s, u32 *nr)
{
	*nr = MIN(query_of(s)->tries.nr, (u32)ORDER_MAX_TRIES);
	return query_of(s)->tries.row;
}

/*
 * The caches of a real machine under two order rules: which orders differ, and how many pages that takes.
 *
 * The caches come from the machine state that is shown, so no trace and no build are needed. A rule knows slot sizes,
 * the page size and the number of CPUs; how full the machine's slabs are under another rule it does not know. So pages
 * are counted twice: for the objects in use in full slabs, which is the least that they need, and for as many slots as
 * the machine has, which keeps its share of free slots.
 */

enum { LEAST_PAGE_BYTES = 4096, LARGEST_PAGE_BYTES = 65536 };

/* One of the two rules, on the machine that is asked about. */
struct asked {
	struct policy policy;
	u32 page_shift, nr_cpus;
};

static s32 read_rule(struct kmem_session *s, const char *name, struct asked *a)
{
	static const char key[] = "order_rule";
	enum kmem_param param;
	s64 rule;
	s32 status = params_parse(&s->params, key, sizeof(key) - 1, name, text_length(name), &param,
				  &rule);

	if (status)
		return session_fail_params(s, status, s->params.error);
	a->policy.order_rule = (u8)rule;
	return 0;
}

/* Returns 0 if no order holds a slot. */
static int choose(const struct asked *a, u32 size, u32 *order, u32 *objects)
{
	*order = order_calculate(&a->policy, a->page_shift, a->nr_cpus, size, NULL);
	*objects = *order == ORDER_NONE ? 0 : order_objects(a->page_shift, *order, size);
	return *objects != 0;
}

static u64 pages_for(u32 number, u32 objects_per_slab, u32 order)
{
	if (number == NOT_REPORTED)
		return 0;
	return DIV_ROUND_UP((u64)number, objects_per_slab) << order;
}

/* Returns the bytes of slab for one object, in thousandths. */
static u64 bytes_per_object(const struct asked *a, u32 order, u32 objects)
{
	return ((u64)1000 << (a->page_shift + order)) / objects;
}

static u32 slots_of(const struct kmem_machine_state_row *c)
{
	if (c->total_objects != NOT_REPORTED)
		return c->total_objects;
	if (c->slabs == NOT_REPORTED || c->objects_per_slab == NOT_REPORTED)
		return NOT_REPORTED;
	return (u32)MIN((u64)c->slabs * c->objects_per_slab, (u64)NOT_REPORTED);
}

/* Returns 0 if the rules cannot be asked about the cache. */
static int fill_row(const struct asked *a, const struct asked *b,
		    const struct kmem_machine_state_row *c, struct kmem_order_machine_row *row)
{
	*row = (struct kmem_order_machine_row){ .name_at = c->name_at,
						.size = c->size,
						.objects = c->objects,
						.slots = slots_of(c),
						.machine_order = c->order,
						.machine_slabs = c->slabs };
	if (c->size == NOT_REPORTED || !c->size ||
	    !choose(a, c->size, &row->order_a, &row->objects_a) ||
	    !choose(b, c->size, &row->order_b, &row->objects_b))
		return 0;
	row->pages_a = pages_for(row->objects, row->objects_a, row->order_a);
	row->pages_b = pages_for(row->objects, row->objects_b, row->order_b);
	row->slot_pages_a = pages_for(row->slots, row->objects_a, row->order_a);
	row->slot_pages_b = pages_for(row->slots, row->objects_b, row->order_b);
	return 1;
}

static void add_row(struct kmem_order_machine_totals *t, const struct asked *a,
		    const struct asked *b, const struct kmem_order_machine_row *row)
{
	t->caches++;
	t->changed += row->order_a != row->order_b;
	t->counted += row->objects != NOT_REPORTED;
	t->objects += row->objects != NOT_REPORTED ? row->objects : 0;
	t->pages_a += row->pages_a;
	t->pages_b += row->pages_b;
	t->slot_pages_a += row->slot_pages_a;
	t->slot_pages_b += row->slot_pages_b;
	t->per_object_a += bytes_per_object(a, row->order_a, row->objects_a);
	t->per_object_b += bytes_per_object(b, row->order_b, row->objects_b);
}

static s32 check_question(struct kmem_session *s, u32 page_bytes, u32 nr_cpus)
{
	if (page_bytes < LEAST_PAGE_BYTES || page_bytes > LARGEST_PAGE_BYTES ||
	    (page_bytes & (page_bytes - 1)))
		return session_fail(s, KMEM_EPARAM,
				    "a page has 4096, 8192, 16384, 32768 or 65536 bytes");
	if (!nr_cpus || nr_cpus > KMEM_MAX_CPUS)
		return session_fail(s, KMEM_EPARAM, "a machine has 1 to 4096 CPUs");
	if (!s->import.machine_state.nr_rows)
		return session_fail(s, KMEM_ESTATE, "no machine state was read");
	return 0;
}

const struct kmem_order_machine_row *kmem_order_machine(struct kmem_session *s, const char *rule,
							const char *against, u32 page_bytes,
							u32 nr_cpus, u32 *nr)
{
	const struct machine_state *o = &s->import.machine_state;
	struct asked a = { .nr_cpus = nr_cpus };

	*nr = 0;
	if (check_question(s, page_bytes, nr_cpus) || session_policy(s, &a.policy))
		return NULL;
	a.page_shift = 31 - (u32)__builtin_clz(page_bytes);
	struct asked b = a;
	if (read_rule(s, rule, &a) || read_rule(s, against, &b))
		return NULL;
	struct kmem_order_machine_totals *t = &o->tables->order_totals;
	*t = (struct kmem_order_machine_totals){ .page_bytes = page_bytes, .nr_cpus = nr_cpus };
	for (u32 i = 0; i < o->nr_rows; i++) {
		struct kmem_order_machine_row *row = &o->tables->orders[*nr];
		if (fill_row(&a, &b, &o->tables->rows[i], row)) {
			add_row(t, &a, &b, row);
			(*nr)++;
		} else {
			t->unsized++;
		}
	}
	return o->tables->orders;
}

const struct kmem_order_machine_totals *kmem_order_machine_totals(struct kmem_session *s)
{
	static const struct kmem_order_machine_totals none = { 0 };

	return s->import.machine_state.tables ? &s->import.machine_state.tables->order_totals
					      : &none;
}
