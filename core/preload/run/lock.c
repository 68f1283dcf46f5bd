/*
 * lock.c - the lock of the allocator: a futex that holds the number of its owner, a thread.
 *
 * A signal handler may call malloc at any instruction. So a single instruction takes the lock and stores the number.
 * glibc's recursive mutex stores it afterwards, and a handler in between would wait for its own thread.
 */
#define _GNU_SOURCE
#include "preload/run/run.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Waits briefly inside a loop that spins on a lock, like the kernel's cpu_relax(). */
static void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

enum { LOCK_TRIES = 40, PAUSES_BETWEEN_TRIES = 10 };

/* Others sleep until the lock is released. */
#define IS_AWAITED (1u << 31)

/* The thread that holds the lock, 0 if none, and IS_AWAITED. */
static u32 holder;
/* How often its thread took it again. */
static u32 nr_nested;
static __thread u32 own_id __attribute__((tls_model("initial-exec")));

static u32 this_thread(void)
{
	if (unlikely(!own_id))
		own_id = (u32)syscall(SYS_gettid);
	return own_id;
}

static int replace(u32 expected, u32 value)
{
	return __atomic_compare_exchange_n(&holder, &expected, value, 0, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Most requests hold the lock for less time than a sleep and a wake-up take. */
static int take_soon(u32 id)
{
	for (u32 i = 0; i < LOCK_TRIES; i++) {
		if (!__atomic_load_n(&holder, __ATOMIC_RELAXED) && replace(0, id))
			return 1;
		for (u32 pauses = 0; pauses < PAUSES_BETWEEN_TRIES; pauses++)
			cpu_relax();
	}
	return 0;
}

static void sleep_until_taken(u32 id)
{
	int error = errno;

	for (;;) {
		u32 now = __atomic_load_n(&holder, __ATOMIC_RELAXED);
		/* Keeps the mark, because others may be sleeping too. */
		if (!now && replace(0, id | IS_AWAITED))
			break;
		if (now && ((now & IS_AWAITED) || replace(now, now | IS_AWAITED)))
			syscall(SYS_futex, &holder, FUTEX_WAIT_PRIVATE, now | IS_AWAITED, NULL,
				NULL, 0);
	}
	errno = error;
}

void run_lock(void)
{
	u32 id = this_thread();

	if ((__atomic_load_n(&holder, __ATOMIC_RELAXED) & ~IS_AWAITED) == id)
		nr_nested++;
	else if (!take_soon(id))
		sleep_until_taken(id);
}

void run_unlock(void)
{
	if (nr_nested) {
		nr_nested--;
		return;
	}
	if (__atomic_exchange_n(&holder, 0, __ATOMIC_RELEASE) & IS_AWAITED) {
		int error = errno;
		syscall(SYS_futex, &holder, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		errno = error;
	}
}

void run_lock_reset(void)
{
	own_id = 0;
	nr_nested = 0;
	__atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}
