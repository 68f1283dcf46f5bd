/*
 * bugs.h - what debugging reported, as JSON and as text.
 */
#ifndef CLI_BUGS_H
#define CLI_BUGS_H

#include "host.h"
#include "json.h"

/* The members "reports_found" and "reports". */
void bugs_json(struct json *j, const struct host *h);
/* Nothing if there are no reports. */
void print_bugs(const struct host *h);

#endif
