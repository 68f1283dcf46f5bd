/*
 * kernel_part.h - the parts in which a kernel with sheaves changes its state, as lines of slub_op report them.
 */
#ifndef SIM_KERNEL_PART_H
#define SIM_KERNEL_PART_H

enum kernel_part {
#define PART(name, key) name,
#include "sim/kernel_parts.def"
	NR_KERNEL_PARTS,
	PART_COUNTER = 64, /* + a counter: a line of slub_stat */
};

#endif
