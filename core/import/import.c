/*
 * import.c - turns a struct event into a struct op: pointers become handles, repeated fields become
 * a site.
 *
 *	pointer ─ open addressing ─ handle (dense, last freed is reused first) and site of the allocation
 *	texts and numbers of the event ─ recipe ─ open addressing ─ site
 *
 * A trace is never complete. The importer fills these gaps, and the report counts each of them:
 *  - a pointer allocated while it is live must have been freed unseen: an implied free is inserted;
 *  - a free of a pointer that was never seen allocated does nothing in the replay, nor does a free
 *    of NULL. From 5.2 to 5.6 the kernel hashed NULL to a constant that looks like any pointer, so such a free counts
 *    as one of an object from before the trace;
 *  - a failed allocation, or kmalloc(0), creates no object.
 */
#include "import/import.h"
#include "import/sites.h"

struct hash_slot *pointer_find(struct import *im, u64 key)
{
	struct hash_slot *slot = hash_find(&im->pointers, key);

	return slot->taken ? slot : NULL;
}

/* Puts a handle on the free list; 0 after a failure. */
ALWAYS_INLINE int give_handle(struct import *im, u32 handle)
{
	u64 need_bytes = (im->nr_free_handles + 1) * (u64)sizeof(u32);

	if (unlikely(need_bytes > im->free_handles.room_bytes) &&
	    !import_grow(im, &im->free_handles, need_bytes))
		return 0;
	((u32 *)im->free_handles.at)[im->nr_free_handles++] = handle;
	return 1;
}

/*
 * Remembers freed objects by pointer, so that a `corrupt` line can name them.
 *
 * A handle is reused as soon as its object is freed. Replay then no longer knows where the object
 * was. An object that a `corrupt` line names therefore gets its own handle, and its earlier events
 * are changed to use it. A ring remembers the latest NR_GRAVES frees. Frees whose pointers have the
 * same hash are linked, latest first. A link that leads out of the ring ends the list.
 */

enum { NR_GRAVES = 8192 };

/* Finds objects by pointer after their free, for slabtrace's `corrupt` */
static void note_birth(struct import *im, u32 handle, u32 op)
{
	u64 need_bytes = ((u64)handle + 1) * sizeof(struct birth);

	if (need_bytes <= im->births.room_bytes || import_grow(im, &im->births, need_bytes))
		((struct birth *)im->births.at)[handle] = (struct birth){ op, 0 };
}

static struct birth *birth_of(const struct import *im, u32 handle)
{
	if (((u64)handle + 1) * sizeof(struct birth) > im->births.room_bytes)
		return NULL;
	return (struct birth *)im->births.at + handle;
}

static struct grave *grave_at(const struct import *im, u32 death)
{
	return (struct grave *)im->graves.at + death % NR_GRAVES;
}

static struct grave *bucket_of(const struct import *im, u64 key)
{
	return (struct grave *)im->graves.at + (key * HASH_MULTIPLIER >> 32) % NR_GRAVES;
}

static struct grave *grave_find(struct import *im, u64 key)
{
	u32 death = im->graves.at ? bucket_of(im, key)->head : 0;

	while (death && im->nr_deaths - (death - 1) <= NR_GRAVES) {
		struct grave *grave = grave_at(im, death - 1);
		if (grave->key == key)
			return grave;
		death = grave->older;
	}
	return NULL;
}

/* Call before the pointer is forgotten. 1 if its handle must not be reused. */
static int note_death(struct import *im, const struct hash_slot *pointer, u32 free_op)
{
	const struct birth *birth = birth_of(im, pointer->more);

	if (!birth ||
	    (!im->graves.at && !import_grow(im, &im->graves, NR_GRAVES * sizeof(struct grave))))
		return 0;
	struct grave *grave = grave_at(im, im->nr_deaths), *bucket = bucket_of(im, pointer->key);
	grave->key = pointer->key;
	grave->handle = pointer->more;
	grave->site = alloc_site_of(pointer);
	grave->alloc_op = birth->op;
	grave->free_op = free_op;
	grave->single = birth->single;
	grave->older = bucket->head;
	bucket->head = ++im->nr_deaths;
	return (int)birth->single;
}

/* Gives an op that was stored earlier another handle. */
static void change_op(struct import *im, u32 i, u32 handle, u8 more_flags)
{
	struct trace *t = im->trace;
	struct op op = trace_op(t, i);

	op.handle = handle;
	op.flags |= more_flags;
	import_pack(im, &op, trace_packed(t, i));
}

static void single_out_live(struct import *im, struct hash_slot *pointer)
{
	const struct birth *birth = birth_of(im, pointer->more);
	u32 old = pointer->more, op;

	if (!birth || birth->single)
		return;
	op = birth->op;
	pointer->more = im->trace->nr_handles++;
	change_op(im, op, pointer->more, 0);
	note_birth(im, pointer->more, op);
	struct birth *own = birth_of(im, pointer->more);
	if (own)
		own->single = 1;
	give_handle(im, old);
}

static void single_out_freed(struct import *im, struct grave *grave)
{
	if (grave->single)
		return;
	grave->single = 1;
	grave->handle = im->trace->nr_handles++;
	change_op(im, grave->alloc_op, grave->handle, 0);
	change_op(im, grave->free_op, grave->handle, OP_KEPT);
}

int single_out(struct import *im, u64 key, u32 *handle, u32 *site, u32 *live)
{
	struct hash_slot *pointer = pointer_find(im, key);
	struct grave *grave = pointer ? NULL : grave_find(im, key);

	if (pointer) {
		single_out_live(im, pointer);
		*handle = pointer->more;
		*site = alloc_site_of(pointer);
	} else if (grave) {
		single_out_freed(im, grave);
		*handle = grave->handle;
		*site = grave->site;
	}
	*live = pointer != NULL;
	return pointer || grave;
}

enum { ZERO_SIZE_PTR = 16 };

/* Ops */

static int more_ops(struct import *im)
{
	struct trace *t = im->trace;
	u32 chunk = t->nr_ops / OPS_PER_CHUNK;

	if (chunk >= POOL_UNIT_BYTES / sizeof(struct packed_op *)) {
		import_fail(im, KMEM_ELIMIT,
			    "The trace has more events than fit in a session: cut it by time.");
		return 0;
	}
	/* At a fork the recorded checkpoints already exist. */
	if (!t->op_chunks[chunk])
		t->op_chunks[chunk] = import_block(im, OPS_PER_CHUNK * sizeof(struct packed_op));
	return t->op_chunks[chunk] != NULL;
}

/* Makes room up to the next checkpoint; 0 once the import has failed. */
NOINLINE int more_room(struct import *im, u64 time)
{
	struct trace *t = im->trace;
	u32 n = t->nr_ops;

	if (!IS_FIRST_VIEW && t->fork.is_on && n - t->fork.at >= KMEM_MAX_FORK_EVENTS) {
		import_fail(im, KMEM_ELIMIT, FORK_IS_FULL);
		return 0;
	}
	if (im->status != KMEM_OK || (n % OPS_PER_CHUNK == 0 && !more_ops(im)))
		return 0;
	if (!times_checkpoint(t, n, time, im->distances)) {
		import_out_of_memory(im);
		return 0;
	}
	im->op_at = trace_packed(t, n);
	im->last_time = time;
	im->room = TIMES_PER_CHECKPOINT;
	if (n == 0)
		t->report.time_first = time;
	return 1;
}

/* Packs a usual allocation or free; 0 if the op has another form. */
ALWAYS_INLINE int pack_plain(const struct op *op, struct packed_op *packed)
{
	packed->object = op->handle | (u32)op->kind << PACKED_KIND_AT;
	packed->place = op->site | (u32)op->cpu << PACKED_CPU_AT;
	return op->kind - 1u < 3 && !op->flags && op->handle < PACKED_HANDLE_MASK &&
	       op->site <= PACKED_SITE_MASK;
}

/* Returns 0 after a failure. */
int import_pack(struct import *im, const struct op *op, struct packed_op *packed)
{
	s32 status = im->status == KMEM_OK ? trace_pack(im->trace, op, packed) : im->status;

	if (status == KMEM_ENOMEM)
		import_out_of_memory(im);
	else if (status == KMEM_ELIMIT)
		import_fail(
			im, KMEM_ELIMIT,
			"The trace has more kinds of events than fit in a session: cut it by time.");
	return status == KMEM_OK;
}

/* Appends, unless the import has failed. */
ALWAYS_INLINE void put_op(struct import *im, struct op op, u64 time)
{
	struct trace *t = im->trace;

	if (unlikely(!im->room) && !more_room(im, time))
		return;
	if (unlikely(!pack_plain(&op, im->op_at)) && !import_pack(im, &op, im->op_at))
		return;
	im->op_at++;
	im->distances[TIMES_PER_CHECKPOINT - im->room] = (s64)(time - im->last_time);
	im->last_time = time;
	im->room--;
	((struct site_use *)im->uses.at)[op.site].ops++;
	t->nr_ops++;
	if (unlikely(time < t->report.time_first))
		t->report.time_first = time;
	if (time > t->report.time_last)
		t->report.time_last = time;
}

void import_op(struct import *im, const struct op *op, u64 time)
{
	put_op(im, *op, time);
}

void import_request(struct import *im, struct recipe recipe, u32 kind, u32 cpu, u64 time)
{
	struct op op = { .handle = HANDLE_NONE, .kind = (u8)kind, .cpu = (u16)cpu };

	recipe.op = (u8)kind;
	op.site = find_site(im, recipe);
	put_op(im, op, time);
}

/* Pointers */

static u32 take_handle(struct import *im)
{
	if (im->nr_free_handles)
		return ((u32 *)im->free_handles.at)[--im->nr_free_handles];
	return im->trace->nr_handles++;
}

ALWAYS_INLINE void put_object(struct import *im, struct hash_slot *slot, u64 key, u32 site,
			      struct op op, u64 time)
{
	op.handle = take_handle(im);
	op.site = site;
	hash_put(&im->pointers, slot, (struct hash_slot){ key, op.handle, site + 1 });
	put_op(im, op, time);
}

/* Registers an object under a key that is not live. */
void import_alloc(struct import *im, u64 key, u32 site, struct op *op, u64 time)
{
	if (!import_reserve(im, &im->pointers))
		return;
	struct hash_slot *slot = hash_find(&im->pointers, key);
	put_object(im, slot, key, site, *op, time);
	note_birth(im, slot->more, im->trace->nr_ops - 1);
}

ALWAYS_INLINE void take_object(struct import *im, struct hash_slot *pointer, u32 site, struct op op,
			       u64 time)
{
	op.handle = pointer->more;
	op.site = site;
	op.kind = OP_FREE;
	if (!give_handle(im, op.handle))
		return;
	hash_remove(&im->pointers, pointer);
	put_op(im, op, time);
}

void import_free(struct import *im, struct hash_slot *pointer, u32 site, struct op *op, u64 time)
{
	if (note_death(im, pointer, im->trace->nr_ops)) {
		/* The handle is on top of the list of free handles. Take it back. */
		op->flags |= OP_KEPT;
		take_object(im, pointer, site, *op, time);
		im->nr_free_handles -= im->nr_free_handles != 0;
		return;
	}
	take_object(im, pointer, site, *op, time);
}

/* Events */

/*
 * The address without the tag that arm64 kernels with MTE or KASAN keep in bits 56 to 63. A kernel address has bit 55
 * and all bits above it set. Two events may give the same memory different tags, or none.
 */
ALWAYS_INLINE u64 untagged(u64 ptr)
{
	return ptr | (0 - (ptr >> 55 & 1)) << 56;
}

static void forget_waiting(struct import *im, struct hash_slot *pointer)
{
	hash_remove(&im->pointers, pointer);
	im->nr_waiting--;
}

/*
 * An event at a pointer that kfree_rcu() got. That was its free, so a second event, such as the kfree() at the end of
 * the grace period, does not count as another. An allocation there shows that the grace period has ended, unless an
 * event said so.
 */
NOINLINE void event_waiting(struct import *im, struct hash_slot *pointer, const struct event *ev)
{
	struct recipe recipe = { .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };

	if (ev->kind == KIND_KFREE_RCU)
		return;
	forget_waiting(im, pointer);
	if (ev->what == WHAT_FREE || kind_at(im, KIND_GRACE)->lines)
		return;
	recipe.kind_name = intern_text(im, "grace");
	import_request(im, recipe, OP_GRACE, 0, ev->time);
}

/* kfree_rcu() of a live object */
NOINLINE void event_free_rcu(struct import *im, struct hash_slot *pointer, const struct event *ev,
			     struct recipe recipe)
{
	struct op op = { .cpu = (u16)ev->cpu, .flags = OP_BY_REQUEST };
	u32 alloc_site = alloc_site_of(pointer);
	u64 key = pointer->key;

	recipe.marks = SITE_RCU << RECIPE_REQUEST_AT;
	import_free(im, pointer, find_free_site(im, recipe, alloc_site), &op, ev->time);
	import_remember(im, key, alloc_site);
	im->nr_waiting++;
}

ALWAYS_INLINE void event_free(struct import *im, const struct event *ev, struct recipe recipe,
			      struct op op)
{
	struct kmem_report *report = &im->trace->report;
	struct hash_slot *pointer;

	recipe.op = OP_FREE;
	report->frees++;
	if (ev->ptr_state == PTR_VALUE && ev->ptr == 0) {
		recipe.reason = REASON_NULL_FREE;
		report->null_frees++;
	} else if (ev->ptr_state == PTR_VALUE &&
		   (ev->ptr == ZERO_SIZE_PTR || ev->ptr == im->zero_size_ptr)) {
		recipe.reason = REASON_ZERO_SIZE;
	} else if (ev->ptr_state == PTR_VALUE && (pointer = pointer_find(im, untagged(ev->ptr)))) {
		if (!IS_FIRST_VIEW && unlikely(pointer->more == HANDLE_NONE)) {
			report->frees--;
			event_waiting(im, pointer, ev);
			return;
		}
		if (!IS_FIRST_VIEW)
			freed_as(im, alloc_site_of(pointer), ev->cache);
		if (!IS_FIRST_VIEW && unlikely(ev->kind == KIND_KFREE_RCU)) {
			event_free_rcu(im, pointer, ev, recipe);
			return;
		}
		take_object(im, pointer, find_free_site(im, recipe, alloc_site_of(pointer)), op,
			    ev->time);
		return;
	} else {
		recipe.reason = REASON_ORPHAN_FREE;
		recipe.marks = !IS_FIRST_VIEW && ev->kind == KIND_KFREE_RCU
				       ? SITE_RCU << RECIPE_REQUEST_AT
				       : 0;
		recipe.cache_name = ev->cache;
		report->orphan_frees++;
	}
	op.site = find_site(im, recipe);
	put_op(im, op, ev->time);
}

/* Inserts the missing free of an object. */
NOINLINE void imply_free(struct import *im, struct hash_slot *pointer, u32 cpu, u64 time)
{
	struct op free_op = { .cpu = (u16)cpu, .flags = OP_IMPLIED };
	struct recipe recipe = { .kind_name = intern_text(im, "free"), .node = (u16)NODE_ANY };

	u32 site = free_site(im, &recipe, alloc_site_of(pointer));
	struct site_use *uses = im->uses.at;
	uses[site].row = ROW_NONE; /* the trace has no such free */
	if (!IS_FIRST_VIEW)
		uses[alloc_site_of(pointer)].unseen++;
	im->trace->report.unseen_frees++;
	import_free(im, pointer, site, &free_op, time);
}

void import_imply_free(struct import *im, struct hash_slot *pointer, u32 cpu, u64 time)
{
	if (pointer->more == HANDLE_NONE)
		forget_waiting(im, pointer);
	else
		imply_free(im, pointer, cpu, time);
}

void import_rename(struct import *im, u64 old, u64 new, u64 time)
{
	struct hash_slot *there = pointer_find(im, new), *pointer;

	if (there)
		imply_free(im, there, 0, time);
	pointer = pointer_find(im, old);
	if (!pointer)
		return;
	struct hash_slot moved = *pointer;
	hash_remove(&im->pointers, pointer);
	moved.key = new;
	hash_put(&im->pointers, hash_find(&im->pointers, new), moved);
}

void import_remember(struct import *im, u64 key, u32 site)
{
	if (!import_reserve(im, &im->pointers))
		return;
	hash_put(&im->pointers, hash_find(&im->pointers, key),
		 (struct hash_slot){ key, HANDLE_NONE, site + 1 });
}

ALWAYS_INLINE void event_alloc(struct import *im, const struct event *ev, struct recipe recipe,
			       struct op op)
{
	struct kmem_report *report = &im->trace->report;
	struct hash_slot *pointer;

	recipe.op = ev->what == WHAT_KMALLOC ? OP_KMALLOC : OP_ALLOC;
	recipe.gfp = ev->gfp;
	recipe.cache_name = ev->cache;
	recipe.bytes_req = ev->bytes_req;
	recipe.bytes_alloc = ev->bytes_alloc;
	recipe.node = (u16)ev->node;
	recipe.marks = ev->accounted;
	recipe.kmalloc_type = ev->what == WHAT_KMALLOC ? TYPE_BY_GFP : 0;
	if (ev->what == WHAT_KMALLOC && ev->bytes_req == 0) {
		recipe.reason = REASON_ZERO_SIZE;
		im->zero_size_ptr = ev->ptr ? ev->ptr : ZERO_SIZE_PTR;
	} else if (ev->ptr_state == PTR_VALUE && ev->ptr == 0) {
		recipe.reason = REASON_FAILED_ALLOC;
	}
	u32 site = find_site(im, recipe);
	if (site == SITE_FULL) {
		import_problem(im, ev->cache ? im->name_at : NULL,
			       "more than 4096 caches: cut the trace by cache");
		return;
	}
	report->allocs++;
	op.site = site;
	if (recipe.reason) {
		report->failed_allocs += recipe.reason == REASON_FAILED_ALLOC;
		put_op(im, op, ev->time);
		return;
	}
	op.kind = recipe.op;
	if (ev->ptr_state == PTR_UNKNOWN) {
		op.handle = take_handle(im);
		im->unknown_live++;
		put_op(im, op, ev->time);
		return;
	}
	if (!import_reserve(im, &im->pointers))
		return;
	u64 key = untagged(ev->ptr);
	pointer = hash_find(&im->pointers, key);
	if (unlikely(pointer->taken)) {
		if (!IS_FIRST_VIEW && pointer->more == HANDLE_NONE)
			event_waiting(im, pointer, ev);
		else
			imply_free(im, pointer, ev->cpu, ev->time);
		pointer = hash_find(&im->pointers, key);
	}
	put_object(im, pointer, key, site, op, ev->time);
}

/* The caller below inlines this. reorder_window.c calls it before an event waits. */
const char *refuse_event(const struct event *ev)
{
	if (ev->cpu >= MAX_CPUS)
		return "expected a CPU number below 4096";
	if (ev->node != NODE_ANY && ev->node >= MAX_NODES)
		return "expected a node number below 1024";
	if (ev->what <= WHAT_FREE)
		return NULL;
	if (ev->bytes_req > ev->bytes_alloc)
		return "bytes_req is larger than bytes_alloc: the line is damaged";
	if (ev->what == WHAT_CACHE_ALLOC && ev->bytes_req == 0)
		return "an object of a cache has bytes_req=0: the line is damaged";
	if (ev->bytes_alloc >
	    (ev->what == WHAT_KMALLOC ? MAX_OBJECT_BYTES : MAX_CACHE_OBJECT_BYTES))
		return "bytes_alloc is larger than any kernel allocates: the line is damaged";
	return NULL;
}

void import_event(struct import *im, const struct event *ev)
{
	struct trace *t = im->trace;
	struct op op = { .handle = HANDLE_NONE, .cpu = (u16)ev->cpu };
	struct recipe recipe = { .node = (u16)NODE_ANY, .cache = (u16)CACHE_NONE };
	const char *why = refuse_event(ev);

	if (unlikely(why != NULL)) {
		import_problem(im, NULL, why);
		return;
	}
	im->max_cpu_plus_1 = MAX(im->max_cpu_plus_1, ev->cpu + 1);
	if (ev->node != NODE_ANY)
		im->max_node_plus_1 = MAX(im->max_node_plus_1, ev->node + 1);
	t->report.hashed |= ev->hashed;
	recipe.call_site = ev->call_site;
	recipe.kind_name = kind_at(im, ev->kind)->name;
	if (ev->what == WHAT_FREE)
		event_free(im, ev, recipe, op);
	else
		event_alloc(im, ev, recipe, op);
}

s32 import_init(struct import *im)
{
	struct trace *t = im->trace;

	t->op_chunks = import_block(im, POOL_UNIT_BYTES);
	if (!t->op_chunks || !import_grow(im, &t->text_run, 16) ||
	    !import_reserve(im, &im->texts) || !import_reserve(im, &im->sites) ||
	    !import_reserve(im, &im->pointers))
		return im->status;
	if (!times_open(t))
		return import_out_of_memory(im);
	t->text = t->text_run.at;
	return KMEM_OK;
}

int import_close_times(struct import *im)
{
	if (times_close(im->trace, im->distances))
		return 1;
	import_out_of_memory(im);
	return 0;
}
