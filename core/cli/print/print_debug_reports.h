/*
 * print_debug_reports.h - prints debug reports as JSON and as text.
 */
#ifndef CLI_PRINT_PRINT_DEBUG_REPORTS_H
#define CLI_PRINT_PRINT_DEBUG_REPORTS_H

#include "cli/host/host.h"
#include "cli/text/json.h"

enum { NO_TRACK = 0xffffffff };

/* Writes the member `key`: which process allocated or freed an object, from where and when; null if op is
 * NO_TRACK. */
void track_json(struct json *j, const struct host *h, const char *key, u32 op, u32 cpu, u64 time,
		u32 site_at);
/* Writes the members "reports_found" and "reports". */
void bugs_json(struct json *j, const struct host *h);
/* Prints nothing if there are no reports. */
void print_bugs(const struct host *h);

#endif
