/*
 * run_trace.c - `run --record`: every request that the core serves, as a line of a slabtrace, except that a call site is an address,
 * and that lines #module say which code is where (preload/run_result.h).
 *
 * Lines are collected and appended to the file when they fill a buffer. The file is opened each time, because a program
 * may close descriptors it does not know.
 */
#define _DEFAULT_SOURCE
#include "preload/preload.h"
#include "preload/run/run.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, PAGE_BYTES = 4096, KNOWN_PAGES = 256 };

static struct {
	u32 is_on;
	struct text text; /* the lines in the buffer */
	u64 events, lost, in_buffer;
	u64 began_ns;
	u64 pages[KNOWN_PAGES]; /* pages of code whose module has a line */
	char buffer[1 << 16];
} trace;

static void flush(void)
{
	if (!run_reports()) {
		run_trace_forget();
		return;
	}
	int error = errno, fd = preload_open_keyed(run.trace_path, run.key, O_APPEND);

	if (fd < 0 || !preload_write(fd, trace.buffer, trace.text.len))
		trace.lost += trace.in_buffer;
	else
		trace.events += trace.in_buffer;
	preload_close(fd);
	trace.text = text_in(trace.buffer, sizeof(trace.buffer));
	trace.in_buffer = 0;
	errno = error;
}

void run_trace_begin(void)
{
	int fd = run.trace_path[0] && run.is_first ? preload_open_keyed(run.trace_path, run.key, 0)
						   : -1;

	if (fd < 0)
		return;
	/* A program that this one replaces, by exec, may have left lines. */
	(void)!ftruncate(fd, sizeof(run.key));
	preload_close(fd);
	trace.is_on = 1;
	trace.began_ns = preload_time();
	trace.text = text_in(trace.buffer, sizeof(trace.buffer));
	text_add(&trace.text, "slabtrace 1\n");
	text_add(&trace.text, kmem_machine_text(run.session));
	text_add(&trace.text, "\n");
}

static void learn(u64 address)
{
	u64 page = address / PAGE_BYTES;
	struct record_module m;

	if (trace.pages[page % KNOWN_PAGES] == page)
		return;
	trace.pages[page % KNOWN_PAGES] = page;
	if (!mapping_learn(address, &m))
		return;
	text_add(&trace.text, RUN_MODULE);
	const u64 numbers[] = { m.start, m.end, m.offset };
	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++) {
		text_add_hex(&trace.text, numbers[i], 1);
		text_add(&trace.text, " ");
	}
	text_add(&trace.text, m.is_program ? "1 " : "0 ");
	text_add(&trace.text, m.path);
	text_add(&trace.text, "\n");
}

static void end_line(u32 cpu, site from)
{
	text_add_number(&trace.text, " cpu=", cpu);
	text_add_number(&trace.text, " t=", preload_time() - trace.began_ns);
	if (from) {
		text_add(&trace.text, RUN_SITE);
		text_add_hex(&trace.text, (u64)(uintptr_t)from, 1);
	}
	text_add(&trace.text, "\n");
	trace.in_buffer++;
	if (trace.text.len > sizeof(trace.buffer) - LINE_BYTES)
		flush();
}

void run_trace_alloc(u64 id, u32 bytes, u32 cpu, site from)
{
	if (!trace.is_on)
		return;
	learn((u64)(uintptr_t)from);
	text_add_number(&trace.text, "k ", id);
	text_add_number(&trace.text, " ", bytes);
	end_line(cpu, from);
}

void run_trace_free(u64 id, u32 cpu, site from)
{
	if (!trace.is_on)
		return;
	learn((u64)(uintptr_t)from);
	text_add_number(&trace.text, "f ", id);
	end_line(cpu, from);
}

void run_trace_end(void)
{
	if (!trace.is_on)
		return;
	flush();
	if (!trace.lost)
		text_add(&trace.text, "#exit\n");
	text_add_number(&trace.text, "#end ", trace.events + trace.lost);
	text_add(&trace.text, "\n");
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
