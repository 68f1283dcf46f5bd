/*
 * kernel.h - the kernel on which a trace was recorded, and the preset that follows from it.
 */
#ifndef PLAY_KERNEL_H
#define PLAY_KERNEL_H

#include "params.h"

/* 1 if it begins as a version of the kernel does: 6.18, or 6.18.15+deb13-amd64. */
int kernel_is_release(const char *release);
/* Applies the nearest preset that is not newer than the release. */
s32 kernel_choose(struct params *p, const char *release);

#endif
