/*
 * reproduce.h - what `slabscope reproduce` answers: the tables of a proposal beside ours.
 */
#ifndef CLI_STUDIES_REPRODUCE_H
#define CLI_STUDIES_REPRODUCE_H

#include "cli/print.h"

enum { FULL_SCALE = 100 }; /* the scale of a run that is compared, in hundredths */

/* The document around the proposals. */
void reproduced_begin(struct doc *d);
void reproduced_end(struct doc *d);
/* One proposal; with whys, text has sentences below each table. */
void reproduced(struct doc *d, const struct host *h, const struct kmem_figure_row *rows, u32 scale,
		int whys);

#endif
