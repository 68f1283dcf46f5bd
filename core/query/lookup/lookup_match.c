/*
 * lookup_match.c - finds the lives of objects that match a pointer or a report, in one pass over the events.
 *
 *	by address	the recorded pointer is the object's, or the object contains the address, or lies in its page
 *	candidates	no address can match: cache, call sites, CPUs, pids and times decide, and the best lives are listed
 *
 * A life is weighed once it is complete: at its free, or at the end of the trace.
 */
#include "query/lookup/lookup.h"
#include "sim/cache.h"
#include "util/text.h"

enum {
	PAGE_MASK = 4095,
	NEAR_NS = 1000000, /* KASAN reads the same clock as the tracer, a little earlier or later */
	AGE_SLACK = 2,	   /* jiffies */
};

#define BIT(match) (1u << LOOKUP_BY_##match)

/* The object of a search. */
struct search {
	struct kmem_session *s;
	const struct trace *t;
	struct lookup *l;
	u64 address;
	u32 by; /* BIT(POINTER), BIT(INSIDE), BIT(PAGE); 0: candidates */
};

/* Texts */

/* Returns the length of the function's name in "foo+0x1/0x2 [mod]". */
static u32 function_length(const char *site)
{
	u32 n = 0;

	while (site[n] && site[n] != '+' && site[n] != ' ' && site[n] != '/')
		n++;
	return n;
}

static int same_bytes(const char *a, const char *b, u32 len)
{
	for (u32 i = 0; i < len; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

/* Returns 1 if both call sites are the same function, at the same offset where both have one. perf leaves out the
 * function's size. */
static int same_site(const char *a, const char *b)
{
	u32 len = function_length(a);

	if (!len || len != function_length(b) || !same_bytes(a, b, len))
		return 0;
	a += len;
	b += len;
	if (*a != '+' || *b != '+')
		return 1;
	while (*a && *a != '/' && *a != ' ' && *a == *b)
		a++, b++;
	return (!*a || *a == '/' || *a == ' ') && (!*b || *b == '/' || *b == ' ');
}

/* Returns what follows the last dash: "64" of kmalloc-rcl-64, "123" of task-123. */
static const char *last_part(const char *name)
{
	const char *last = name;

	for (const char *p = name; *p; p++)
		if (*p == '-')
			last = p + 1;
	return last;
}

/* Returns 1 if these name one cache. Kernels divide kmalloc caches by what they are for, a trace does not always show
 * that. */
static int same_cache(const char *a, const char *b)
{
	if (text_is(a, b))
		return 1;
	return same_bytes(a, "kmalloc-", MIN(8u, text_length(a))) &&
	       same_bytes(b, "kmalloc-", MIN(8u, text_length(b))) && text_length(a) > 8 &&
	       text_length(b) > 8 && text_is(last_part(a), last_part(b));
}

static const char *text_at(const struct search *q, u32 at)
{
	return at ? session_text(q->s, at) : "";
}

static u32 pid_of(const struct trace *t, u32 op)
{
	const char *task = trace_text(t, trace_task(t, op)), *digits = last_part(task);
	u64 pid;

	return digits > task && scan_decimal((const u8 *)digits,
					     (const u8 *)digits + text_length(digits), 0xfffffffe,
					     &pid)
		       ? (u32)pid
		       : NO_NUMBER32;
}

/* Returns the name of an allocation's cache, as an offset like lookup_text(). */
static u32 lookup_cache_name(struct kmem_session *s, const struct site *site)
{
	const struct trace *t = &s->trace;
	char name[MAX_NAME_BYTES];

	if (site->cache < t->nr_caches)
		return session_offset(s, trace_text(t, t->caches[site->cache].name));
	if (site->cache != SITE_CACHE_KMALLOC)
		return 0;
	u32 class = kmalloc_class(trace_slot(t, site), LARGEST_KMALLOC_CLASS);
	if (class == KMALLOC_TOO_LARGE)
		return 0;
	kmalloc_spec(LAYOUT_LINUX_6_1, site->kmalloc_type, class, name);
	return lookup_text(s, (const u8 *)name, (const u8 *)name + text_length(name));
}

/* Lives */

/* Returns which facts of one side fit: of the allocation, or of the free. */
static u32 weigh_track(const struct search *q, u32 op, u32 which)
{
	const struct kmem_lookup_track *track = &q->l->tracks[which];
	const struct op o = trace_op(q->t, op);
	const char *site = trace_text(q->t, q->t->sites[o.site].call_site);
	u32 bits = 0;

	if (!track->is_there)
		return 0;
	if (same_site(site, text_at(q, track->site_at)))
		bits |= which ? BIT(FREE_SITE) : BIT(SITE);
	if (track->cpu == o.cpu)
		bits |= which ? BIT(FREE_CPU) : BIT(CPU);
	if (track->pid != NO_NUMBER32 && track->pid == pid_of(q->t, op))
		bits |= which ? BIT(FREE_PID) : BIT(PID);
	return bits;
}

/* The jiffies between allocation and free fit one of the kernel's clock rates. */
static int fits_lifetime(const struct search *q, u64 ns)
{
	static const u32 rates[] = { 100, 250, 300, 1000 };
	u32 born = q->l->tracks[0].age, freed = q->l->tracks[1].age;

	if (born == NO_NUMBER32 || freed == NO_NUMBER32 || born < freed || ns >> 56)
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(rates); i++) {
		u64 jiffies = ns / 1000 * rates[i] / 1000000;
		if (jiffies + AGE_SLACK >= born - freed && jiffies <= born - freed + (u64)AGE_SLACK)
			return 1;
	}
	return 0;
}

static void weigh(const struct search *q, struct kmem_lookup_life *life)
{
	const struct trace *t = q->t;
	const struct kmem_lookup *out = &q->l->out;
	int in_ns = t->has_times && t->report.time_is_ns;

	life->alloc_time = trace_time(t, life->alloc_op);
	life->matched |= weigh_track(q, life->alloc_op, 0);
	life->pointer = lookup_pointer(t, life->alloc_op);
	if (life->free_op != NO_NUMBER32) {
		life->free_time = trace_time(t, life->free_op);
		life->matched |= weigh_track(q, life->free_op, 1);
		if (in_ns && fits_lifetime(q, life->free_time - life->alloc_time))
			life->matched |= BIT(LIFETIME);
	}
	u64 born = q->l->tracks[0].time;
	if (in_ns && (born ? life->alloc_time < born + NEAR_NS && born < life->alloc_time + NEAR_NS
			   : out->time && out->time >= life->alloc_time))
		life->matched |= BIT(TIME);
}

static int is_better(const struct kmem_lookup_life *a, const struct kmem_lookup_life *b)
{
	int more = __builtin_popcount(a->matched) - __builtin_popcount(b->matched);

	return more ? more > 0 : a->alloc_op > b->alloc_op;
}

/* Adds a complete life to the list, the best first. */
static void list_life(const struct search *q, struct kmem_lookup_life *life)
{
	struct kmem_lookup *out = &q->l->out;
	struct kmem_lookup_life *lives = q->l->lives;
	u32 at;

	weigh(q, life);
	u32 bits = (u32)__builtin_popcount(life->matched);
	u32 best = out->nr_lives ? (u32)__builtin_popcount(lives[0].matched) : 0;
	out->nr_all++;
	out->nr_alike = bits > best ? 1 : out->nr_alike + (bits == best);
	for (at = out->nr_lives; at && is_better(life, &lives[at - 1]); at--)
		if (at < LOOKUP_LIVES)
			lives[at] = lives[at - 1];
	if (at == LOOKUP_LIVES)
		return;
	lives[at] = *life;
	out->nr_lives = MIN(out->nr_lives + 1, (u32)LOOKUP_LIVES);
}

static struct kmem_lookup_life begun(u32 op, u32 matched)
{
	return (struct kmem_lookup_life){ .alloc_op = op,
					  .free_op = NO_NUMBER32,
					  .matched = matched,
					  .alloc_cpu = KMEM_NONE,
					  .free_cpu = KMEM_NONE };
}

/* By address */

/* Returns 1 if the object of that allocation is one that the search is looking for. */
static int is_at(const struct search *q, u64 pointer, u32 op)
{
	if (q->by == BIT(POINTER))
		return pointer == q->address;
	if (q->by == BIT(PAGE))
		return pointer && (pointer ^ q->address) <= PAGE_MASK;
	if (pointer > q->address || q->address - pointer >= MAX_OBJECT_BYTES)
		return 0;
	const struct op o = trace_op(q->t, op);
	return q->address - pointer < trace_slot(q->t, &q->t->sites[o.site]);
}

/* Follows the objects that match, at most LOOKUP_LIVES at once. */
static void find_by_address(struct search *q, u32 by)
{
	struct kmem_lookup_life open[LOOKUP_LIVES];
	u64 pointers[LOOKUP_LIVES];
	u32 nr = 0;

	q->by = by;
	for (u32 op = 0; op < q->t->nr_ops; op++) {
		u64 pointer = lookup_pointer(q->t, op);
		u32 i = 0;
		while (i < nr && pointers[i] != pointer)
			i++;
		if (i == nr && !is_at(q, pointer, op))
			continue;
		const struct op o = trace_op(q->t, op);
		if (o.kind == OP_FREE && i < nr) {
			open[i].free_op = op;
			list_life(q, &open[i]);
			open[i] = open[--nr];
			pointers[i] = pointers[nr];
		} else if (op_allocates(o.kind) && i == nr && nr < LOOKUP_LIVES) {
			open[nr] = begun(op, by);
			pointers[nr++] = pointer;
		}
	}
	for (u32 i = 0; i < nr; i++)
		list_life(q, &open[i]);
}

/* Handles a free without its allocation: the trace started later. */
static void find_orphan(struct search *q)
{
	struct kmem_lookup *out = &q->l->out;

	for (u32 op = q->t->nr_ops; op-- && !out->nr_lives;) {
		if (lookup_pointer(q->t, op) != q->address)
			continue;
		struct kmem_lookup_life *life = &q->l->lives[out->nr_lives++];
		*life = begun(NO_NUMBER32, BIT(POINTER));
		life->pointer = q->address;
		life->free_op = op;
		life->free_time = trace_time(q->t, op);
		out->nr_all = out->nr_alike = 1;
	}
}

/* Candidates */

/* Returns 1 if the allocations of a site may be the object's: the cache fits, or none is named. */
static int may_be(const struct search *q, const struct site *site)
{
	u32 used = q->l->text_used;
	const char *cache = text_at(q, q->l->out.cache_at);

	if (!op_allocates(site->kind))
		return 0;
	int fits = !*cache || same_cache(cache, text_at(q, lookup_cache_name(q->s, site)));
	q->l->text_used = used;
	return fits;
}

static void candidate(const struct search *q, u32 alloc_op, u32 free_op)
{
	struct kmem_lookup_life life = begun(alloc_op, q->l->out.cache_at ? BIT(CACHE) : 0);
	u32 bits = weigh_track(q, alloc_op, 0);

	if (free_op != NO_NUMBER32)
		bits |= weigh_track(q, free_op, 1);
	/* A CPU or a pid alone fits many. */
	if (!(bits & (BIT(SITE) | BIT(FREE_SITE))) &&
	    (bits & (BIT(CPU) | BIT(PID))) != (BIT(CPU) | BIT(PID)))
		return;
	life.free_op = free_op;
	list_life(q, &life);
}

static s32 find_candidates(struct search *q)
{
	const struct trace *t = q->t;
	u64 handles = (u64)t->nr_handles * sizeof(u32), sites = t->nr_sites;
	u32 *born = session_borrow(q->s, handles + sites + 8);

	if (!born)
		return session_fail(q->s, KMEM_ENOMEM, "the region has no room for a look-up");
	u8 *fits = (u8 *)(born + t->nr_handles);
	for (u32 i = 0; i < t->nr_sites; i++)
		fits[i] = (u8)may_be(q, &t->sites[i]);
	q->by = 0;
	for (u32 op = 0; op < t->nr_ops; op++) {
		const struct op o = trace_op(t, op);
		if (o.handle >= t->nr_handles)
			continue;
		if (op_allocates(o.kind)) {
			born[o.handle] = fits[o.site] ? op + 1 : 0;
		} else if (o.kind == OP_FREE && born[o.handle]) {
			candidate(q, born[o.handle] - 1, op);
			born[o.handle] = 0;
		}
	}
	for (u32 i = 0; i < t->nr_handles; i++)
		if (born[i])
			candidate(q, born[i] - 1, NO_NUMBER32);
	session_give_back(q->s, born, handles + sites + 8);
	return KMEM_OK;
}

/* Fills in what a reader wants to know of the lives that are listed. */
static void describe_lives(struct search *q)
{
	for (u32 i = 0; i < q->l->out.nr_lives; i++) {
		struct kmem_lookup_life *life = &q->l->lives[i];
		u32 ops[2] = { life->alloc_op, life->free_op };
		for (u32 k = 0; k < 2; k++) {
			if (ops[k] == NO_NUMBER32)
				continue;
			const struct op o = trace_op(q->t, ops[k]);
			const struct site *site = &q->t->sites[o.site];
			u32 where = session_offset(q->s, trace_text(q->t, site->call_site));
			u32 task = session_offset(q->s, trace_text(q->t, trace_task(q->t, ops[k])));
			*(k ? &life->free_site_at : &life->alloc_site_at) = where;
			*(k ? &life->free_task_at : &life->alloc_task_at) = task;
			*(k ? &life->free_cpu : &life->alloc_cpu) = o.cpu;
			if (k && life->cache_at)
				continue;
			life->cache_at = lookup_cache_name(q->s, site);
			life->slot_bytes = life->alloc_op == NO_NUMBER32 ? 0
									 : trace_slot(q->t, site);
		}
	}
}

s32 lookup_find(struct kmem_session *s)
{
	struct search q = { .s = s, .t = &s->trace, .l = lookup_of(s) };
	struct kmem_lookup *out = &q.l->out;
	s32 status = KMEM_OK;

	q.address = out->object ? out->object : out->address;
	if (q.address && out->can_match) {
		find_by_address(&q, BIT(POINTER));
		if (!out->nr_lives)
			find_orphan(&q);
		/* A hash is not an address: only equal ones mean anything. */
		if (!out->nr_lives && !s->trace.report.hashed)
			find_by_address(&q, BIT(INSIDE));
		if (!out->nr_lives && !s->trace.report.hashed)
			find_by_address(&q, BIT(PAGE));
	}
	out->by_address = out->nr_lives != 0;
	if (!out->nr_lives && (q.l->tracks[0].is_there || q.l->tracks[1].is_there))
		status = find_candidates(&q);
	describe_lives(&q);
	return status;
}

/* Neighbours */

static void see_slot(struct lookup *l, const struct trace *t, u32 op, s64 slot)
{
	struct kmem_lookup_neighbour *n = &l->neighbours[slot + LOOKUP_SIDE];
	const struct op o = trace_op(t, op);

	if (op_allocates(o.kind)) {
		n->alloc_op = op;
		n->free_op = NO_NUMBER32;
		n->state = SLOT_LIVE;
	} else if (o.kind == OP_FREE || o.kind == OP_NOTHING) {
		n->free_op = op;
		n->state = SLOT_FREE;
	}
}

/* Finds which slots lie in the object's slab: [first, last]. The report knows; otherwise the page is certain. */
static void slots_of_slab(const struct lookup *l, u64 object, u32 slot_bytes, s64 *first, s64 *last)
{
	const struct kmem_lookup *out = &l->out;
	u64 into = object & PAGE_MASK, bytes = PAGE_MASK + 1;

	if (out->slab_offset != NO_NUMBER32 && out->slab_objects && out->by_address) {
		into = out->slab_offset;
		bytes = (u64)out->slab_objects * slot_bytes;
	}
	*first = -(s64)MIN(into / slot_bytes, (u64)LOOKUP_SIDE);
	*last = bytes > into + slot_bytes
			? (s64)MIN((bytes - into) / slot_bytes - 1, (u64)LOOKUP_SIDE)
			: 0;
}

void lookup_neighbours(struct kmem_session *s)
{
	struct lookup *l = lookup_of(s);
	const struct trace *t = &s->trace;
	const struct kmem_lookup_life *life = l->lives;
	s64 first, last;
	u32 nr = 0;

	if (!l->out.nr_lives || t->report.hashed || !life->pointer || !life->slot_bytes)
		return;
	slots_of_slab(l, life->pointer, life->slot_bytes, &first, &last);
	for (s64 slot = -LOOKUP_SIDE; slot <= LOOKUP_SIDE; slot++)
		l->neighbours[slot + LOOKUP_SIDE] = (struct kmem_lookup_neighbour){
			.pointer = life->pointer + (u64)(slot * (s64)life->slot_bytes),
			.slot = (s32)slot,
			.alloc_op = NO_NUMBER32,
			.free_op = NO_NUMBER32,
		};
	u64 from = l->neighbours[first + LOOKUP_SIDE].pointer;
	for (u32 op = 0; op < MIN(l->out.moment, t->nr_ops); op++) {
		u64 into = lookup_pointer(t, op) - from;
		if (into <= (u64)(last - first) * life->slot_bytes && into % life->slot_bytes == 0)
			see_slot(l, t, op, first + (s64)(into / life->slot_bytes));
	}
	for (s64 slot = first; slot <= last; slot++) {
		struct kmem_lookup_neighbour *n = &l->neighbours[slot + LOOKUP_SIDE];
		u32 op = n->alloc_op == NO_NUMBER32 ? n->free_op : n->alloc_op;
		if (op != NO_NUMBER32)
			n->cache_at = lookup_cache_name(s, &t->sites[trace_op(t, op).site]);
		l->neighbours[nr++] = *n;
	}
	l->out.nr_neighbours = nr;
}
