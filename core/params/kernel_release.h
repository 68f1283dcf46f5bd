/*
 * kernel_release.h - releases of the kernel as numbers, and the preset that is nearest to one.
 */
#ifndef PARAMS_KERNEL_RELEASE_H
#define PARAMS_KERNEL_RELEASE_H

#include "params/params.h"

enum { NR_PARTS = 3 };

/* "6.18.15+deb13-amd64" as 6, 18, 15; returns how many numbers it begins with. */
u32 release_version(const char *release, u32 *part);
/* Compares two versions, each of NR_PARTS numbers. */
int release_is_newer(const u32 *a, const u32 *b);
/* The version in a preset's name. */
void preset_version(u32 preset, u32 *part);
/* 1 if the release belongs to the preset: linux-6.18 covers 6.18 and every 6.18.x. */
int release_is_of_preset(const char *name, const char *release);
/* 1 if it begins as a version of the kernel does: 6.18, or 6.18.15+deb13-amd64. */
int kernel_is_release(const char *release);
/* Applies the nearest preset that is not newer than the release. */
s32 kernel_choose(struct params *p, const char *release);

#endif
