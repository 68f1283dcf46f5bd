/*
 * reproduce.h - shared by `slabscope reproduce` and the file that prints its tables for people.
 */
#ifndef CLI_COMMANDS_REPRODUCE_H
#define CLI_COMMANDS_REPRODUCE_H

#include "cli/host/host.h"

/* A number with its decimals as text: "23.46", "4,141,798". */
struct figure_text {
	char s[48];
};
struct figure_text figure_text(s64 value, u32 decimals, int with_commas);

/* The note for a run with another scale than 1. */
#define SCALED_RUN \
	"A scaled run judges nothing: the figures are of another amount of work than the proposal's."

/* Prints the tables of one proposal and, with whys, the sentences below each. */
void reproduce_print(const struct host *h, const struct kmem_experiment *e,
		     const struct kmem_figure_row *rows, int is_scaled, int whys);

#endif
