/* work.c - long work: starts a job and continues it in slices. */
#include "session/job.h"
#include "session/session.h"

static const struct job {
	s32 (*begin)(struct kmem_session *s, const void *args);
	s64 (*work)(struct kmem_session *s, u32 max_ops);
} jobs[] = {
#define JOB(id, name, words) { begin_##name, work_##name },
#include "tables/abi/abi.def"
};

static s32 no_job(struct kmem_session *s)
{
	return session_fail(s, KMEM_EPARAM, "expected an enum kmem_job");
}

s32 kmem_begin(struct kmem_session *s, u32 job, const void *args)
{
	static const u64 all_0[8];

	return job < ARRAY_SIZE(jobs) ? jobs[job].begin(s, args ? args : all_0) : no_job(s);
}

s64 kmem_work(struct kmem_session *s, u32 job, u32 max_ops)
{
	return job < ARRAY_SIZE(jobs) ? jobs[job].work(s, max_ops) : no_job(s);
}

s32 kmem_job(struct kmem_session *s, u32 job, const void *args)
{
	s64 left = kmem_begin(s, job, args);

	if (!left)
		do
			left = kmem_work(s, job, 0xffffffff);
		while (left > 0);
	return (s32)left;
}
