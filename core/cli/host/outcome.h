/*
 * outcome.h - the outcome of a replay as JSON members, shared by replay and compare.
 */
#ifndef CLI_HOST_OUTCOME_H
#define CLI_HOST_OUTCOME_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Writes the members of replay, without the braces and without those of info. */
void outcome_json(struct json *j, const struct host *h);

#endif
