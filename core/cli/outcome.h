/*
 * outcome.h - how a replay has ended, as JSON members: what replay and compare share.
 */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "host.h"
#include "json.h"

/* The members of replay, without the braces and without those of info. */
void outcome_json(struct json *j, const struct host *h);

#endif
