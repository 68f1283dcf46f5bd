/*
 * object_bytes.c - the bytes of one object's slot for a person, as the allocator's model has them.
 */
#include "session.h"

const struct kmem_byte_run *kmem_object_bytes(struct kmem_session *s, u32 cache, u32 slab,
					      u32 index, u32 *nr)
{
	*nr = 0;
	if (!s->w || cache >= s->w->nr_caches) {
		session_fail(s, KMEM_ESTATE, "there is no such cache at this position");
		return NULL;
	}
	if (!s->replay.ops->bytes)
		return NULL;
	scratch_reset(s);
	struct kmem_byte_run *runs = scratch_alloc(s, MAX_BYTE_RUNS * sizeof(*runs));
	if (!runs) {
		session_fail(s, KMEM_ENOMEM, "no memory for the bytes of an object");
		return NULL;
	}
	*nr = s->replay.ops->bytes(s->w, cache_at(s->w, cache), slab, index, runs);
	if (*nr)
		return runs;
	session_fail(s, KMEM_ESTATE, "there is no such object at this position");
	return NULL;
}
