/*
 * print_shape.h - `slabscope info --shape`: the sizes, lifetimes and live objects of a trace.
 */
#ifndef CLI_PRINT_PRINT_SHAPE_H
#define CLI_PRINT_PRINT_SHAPE_H

#include "cli/host/host.h"
#include "cli/text/json.h"

/* Writes the member `shape`. */
int shape_json(struct json *j, struct host *h);
int shape_print(struct host *h);

#endif
