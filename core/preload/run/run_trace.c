/*
 * run_trace.c - `run --record`: every request that the core serves, as a line of a slabtrace.
 *
 * Lines are collected and appended to the file when they fill a buffer. The file is opened each time, because a program
 * may close descriptors that it does not know.
 */
#define _DEFAULT_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 96 };

static struct {
	u32 is_on;
	u32 len;
	u64 events, lost, in_buffer;
	u64 began_ns;
	char buffer[1 << 16];
} trace;

static u64 clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void add_text(const char *text)
{
	while (*text && trace.len < sizeof(trace.buffer))
		trace.buffer[trace.len++] = *text++;
}

static void add_number(const char *before, u64 n)
{
	char digits[24];
	u32 at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	add_text(before);
	add_text(digits + at);
}

static void flush(void)
{
	int error = errno, fd = open(run.trace_path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || !preload_write(fd, trace.buffer, trace.len))
		trace.lost += trace.in_buffer;
	else
		trace.events += trace.in_buffer;
	if (fd >= 0)
		close(fd);
	trace.len = 0;
	trace.in_buffer = 0;
	errno = error;
}

void run_trace_begin(void)
{
	int fd = run.trace_path[0] && run.is_first
			 ? open(run.trace_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			 : -1;

	if (fd < 0)
		return;
	close(fd);
	trace.is_on = 1;
	trace.began_ns = clock_ns();
	add_text("slabtrace 1\n");
	add_text(kmem_machine_text(run.session));
	add_text("\n");
}

static void end_line(u32 cpu)
{
	add_number(" cpu=", cpu);
	add_number(" t=", clock_ns() - trace.began_ns);
	add_text("\n");
	trace.in_buffer++;
	if (trace.len > sizeof(trace.buffer) - LINE_BYTES)
		flush();
}

void run_trace_alloc(u64 id, u32 bytes, u32 cpu)
{
	if (!trace.is_on)
		return;
	add_number("k ", id);
	add_number(" ", bytes);
	end_line(cpu);
}

void run_trace_free(u64 id, u32 cpu)
{
	if (!trace.is_on)
		return;
	add_number("f ", id);
	end_line(cpu);
}

void run_trace_end(void)
{
	if (!trace.is_on)
		return;
	flush();
	add_number("#end ", trace.events + trace.lost);
	add_text("\n");
	flush();
	trace.is_on = 0;
	if (!run.result)
		return;
	run.result->trace_events = trace.events;
	run.result->trace_lost = trace.lost;
}

void run_trace_forget(void)
{
	trace.is_on = 0;
}
