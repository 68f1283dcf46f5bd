/*
 * print_report.h - what an import saw, as JSON members and as text: the part that info, replay and
 * convert share.
 */
#ifndef CLI_PRINT_PRINT_REPORT_H
#define CLI_PRINT_PRINT_REPORT_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* The members of info, without the braces and without `caches`. */
void report_json(struct json *j, const struct host *h);
void report_print(const struct host *h);

#endif
