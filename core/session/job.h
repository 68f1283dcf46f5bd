/*
 * job.h - the two functions of each job that kmem_begin and kmem_work call; args points to the job's struct in kmem.h.
 */
#ifndef SESSION_JOB_H
#define SESSION_JOB_H

#include "kmem_types.h"

#define JOB(id, name, words)                                        \
	s32 begin_##name(struct kmem_session *s, const void *args); \
	s64 work_##name(struct kmem_session *s, u32 max_ops);
#include "tables/abi/abi.def"

#endif
