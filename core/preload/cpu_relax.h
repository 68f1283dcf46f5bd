/*
 * cpu_relax.h - a short wait inside a loop that asks for a lock again and again, as the kernel's cpu_relax().
 */
#ifndef PRELOAD_CPU_RELAX_H
#define PRELOAD_CPU_RELAX_H

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
