/*
 * outcome.h - how a replay has ended, as JSON members: what replay and compare share.
 */
#ifndef CLI_HOST_OUTCOME_H
#define CLI_HOST_OUTCOME_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* The members of replay, without the braces and without those of info. */
void outcome_json(struct json *j, const struct host *h);

#endif
