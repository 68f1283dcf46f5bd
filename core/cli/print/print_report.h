/*
 * print_report.h - prints the results of an import as JSON members and as text, for info, replay and convert.
 */
#ifndef CLI_PRINT_PRINT_REPORT_H
#define CLI_PRINT_PRINT_REPORT_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Writes the members of info, without the braces and without `caches`. */
void report_json(struct json *j, const struct host *h);
void report_print(const struct host *h);

#endif
