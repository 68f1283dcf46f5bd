/*
 * result.c - the file that the command reads when the program has ended.
 */
#define _DEFAULT_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

void result_open(void)
{
	int fd = preload_open_keyed(run.result_path, run.key, 0);
	void *page = fd < 0 ? MAP_FAILED
			    : mmap(NULL, RUN_STATE_AT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	preload_close(fd);
	if (page == MAP_FAILED)
		return;
	run.result = page;
	run.is_first = run.result->first_pid == (u32)getpid();
	__atomic_fetch_add(&run.result->processes, 1, __ATOMIC_RELAXED);
}

void result_write(void)
{
	u64 bytes;
	const void *state = kmem_state(run.session, &bytes);
	int fd = preload_open_keyed(run.result_path, run.key, 0);

	if (fd < 0)
		return;
	if (lseek(fd, RUN_STATE_AT, SEEK_SET) == RUN_STATE_AT && preload_write(fd, state, bytes)) {
		run.result->abi_hash = kmem_abi_hash();
		run.result->state_bytes = bytes;
		run.result->has_state = 1;
	} else {
		run.result->state_error = (u32)errno;
	}
	preload_close(fd);
}
