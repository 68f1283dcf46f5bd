/*
 * user_malloc.c - imports calls of malloc as calls of kmalloc; user_malloc.h explains the rules.
 *
 * Each malloc(0) returns a different address, while kmalloc(0) always returns the same one. The
 * importer remembers those addresses without creating objects, so that it recognises their frees.
 */
#include "import/user_malloc.h"

enum { ZERO_SIZE_PTR = 16 };

/* The key of an object while its replacement is allocated. */
#define MOVING_KEY (~(u64)0)

u64 malloc_key(u64 number)
{
	return (number + 1) << 12;
}

static int is_kept(const struct import *im)
{
	return im->sink == import_event || im->trace->first_events.is_on || im->keep;
}

static int is_zero_size(const struct import *im, const struct hash_slot *pointer)
{
	return im->trace->sites[alloc_site_of(pointer)].reason == REASON_ZERO_SIZE;
}

/* Addresses of programs have bit 55 clear, so that no tag is cut off and none is MOVING_KEY. */
static int is_program_address(struct import *im, u64 ptr)
{
	if (!(ptr >> 55 & 1))
		return 1;
	import_problem(im, NULL, "expected an address of a program; kernel addresses have bit 55");
	return 0;
}

/* 1 if the pointer came from malloc(0); forgets it. */
static int forget_zero_size(struct import *im, u64 ptr)
{
	struct hash_slot *pointer = pointer_find(im, ptr);

	if (!pointer || !is_zero_size(im, pointer))
		return 0;
	hash_remove(&im->pointers, pointer);
	im->nr_zero_size--;
	return 1;
}

static struct event event_of(const struct call *call, u32 what)
{
	return (struct event){ .time = call->time,
			       .call_site = call->site,
			       .kind = call->kind,
			       .node = NODE_ANY,
			       .what = (u8)what };
}

void malloc_new(struct import *im, const struct call *call, u64 ptr, u64 bytes)
{
	struct event ev = event_of(call, WHAT_KMALLOC);
	u32 before = im->trace->nr_ops;

	if (im->status != KMEM_OK || !is_program_address(im, ptr))
		return;
	if (bytes > MAX_OBJECT_BYTES) {
		import_problem(im, NULL, "expected a size of at most 64 MiB, as kmalloc allows");
		return;
	}
	ev.bytes_req = (u32)bytes;
	ev.bytes_alloc = kmalloc_slot((u32)bytes);
	ev.ptr = bytes || !ptr ? ptr : ZERO_SIZE_PTR;
	if (ptr && is_kept(im))
		forget_zero_size(im, ptr);
	im->sink(im, &ev);
	if (bytes || !ptr || im->trace->nr_ops == before || pointer_find(im, ptr))
		return;
	import_remember(im, ptr, trace_op(im->trace, im->trace->nr_ops - 1).site);
	im->nr_zero_size++;
}

static void free_key(struct import *im, const struct call *call, u64 key)
{
	struct event ev = event_of(call, WHAT_FREE);

	ev.ptr = key && is_kept(im) && forget_zero_size(im, key) ? ZERO_SIZE_PTR : key;
	im->sink(im, &ev);
}

void malloc_free(struct import *im, const struct call *call, u64 ptr)
{
	if (im->status == KMEM_OK && is_program_address(im, ptr))
		free_key(im, call, ptr);
}

/* krealloc finds enough room: the size changes, perhaps the address too, but the slot stays. */
static void keep(struct import *im, const struct call *call, u64 old, u64 new, u32 bytes)
{
	struct op op = { .handle = HANDLE_NONE };
	struct recipe recipe = { .op = OP_KMALLOC,
				 .reason = REASON_KEPT,
				 .node = (u16)NODE_ANY,
				 .cache = (u16)CACHE_NONE,
				 .bytes_req = bytes,
				 .bytes_alloc = kmalloc_slot(bytes),
				 .call_site = intern_span(im, &call->site),
				 .kind_name = kind_at(im, call->kind)->name };

	op.site = import_site(im, &recipe);
	if (im->status != KMEM_OK || op.site == SITE_FULL)
		return;
	/* This event allocates nothing. */
	((struct site_use *)im->uses.at)[op.site].row = ROW_NONE;
	if (old != new) {
		forget_zero_size(im, new);
		import_rename(im, old, new, call->time);
	}
	import_op(im, &op, call->time);
}

/* krealloc allocates the new object before it frees the old one. In the program both may have had
 * one address. */
static void move(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes)
{
	import_rename(im, old, MOVING_KEY, call->time);
	malloc_new(im, call, new, bytes);
	if (im->status == KMEM_OK)
		free_key(im, call, MOVING_KEY);
}

void malloc_resize(struct import *im, const struct call *call, u64 old, u64 new, u64 bytes)
{
	struct hash_slot *pointer = old && is_kept(im) ? pointer_find(im, old) : NULL;

	if (im->status != KMEM_OK || !is_program_address(im, old) || !is_program_address(im, new))
		return;
	if (pointer && is_zero_size(im, pointer))
		pointer = NULL;
	if (old && bytes && new &&
	    pointer &&bytes <= kmalloc_slot(im->trace->sites[alloc_site_of(pointer)].bytes)) {
		keep(im, call, old, new, (u32)bytes);
		return;
	}
	if (pointer && bytes && new) {
		move(im, call, old, new, bytes);
		return;
	}
	if (old && (new || !bytes))
		malloc_free(im, call, old);
	if (!old || bytes || new)
		malloc_new(im, call, new, bytes);
}
