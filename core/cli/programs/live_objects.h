/*
 * live_objects.h - the objects of a recorded program that live, by their pointers: open addressing, a power of two of slots.
 */
#ifndef CLI_PROGRAMS_LIVE_OBJECTS_H
#define CLI_PROGRAMS_LIVE_OBJECTS_H

#include "kmem_types.h"

struct live_object {
	u64 key; /* its pointer, or what stands for it; 0: the slot is free */
	u64 ptr;
	u32 id;		/* 0: it has no line in the trace */
	u32 slot_bytes; /* 0: nothing was requested */
};

struct live_objects {
	struct live_object *slots;
	u64 nr, nr_slots;
	u32 shift; /* leaves as many bits as a slot's number has */
};

/* NULL: no such object lives. Valid until the next call. */
struct live_object *live_find(const struct live_objects *live, u64 key);
/* Adds an object whose key is not there yet. Returns 0 without memory. */
int live_add(struct live_objects *live, struct live_object object);
/* Removes an object and returns it; its id and key are 0 if there is none. */
struct live_object live_take(struct live_objects *live, u64 key);
void live_close(struct live_objects *live);

#endif
