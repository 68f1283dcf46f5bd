/*
 * reproduce.h - what `slabscope reproduce` hands to the file that prints tables for people.
 */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "host.h"

/* A number with its decimals as text: "23.46", "4,141,798". */
struct figure_text {
	char s[48];
};
struct figure_text figure_text(s64 value, u32 decimals, int with_commas);

/* The tables of one seed, and with whys the sentences below each. */
void reproduce_print(const struct host *h, const struct kmem_experiment *e, int whys);

#endif
