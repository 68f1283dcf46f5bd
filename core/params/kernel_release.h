/*
 * kernel_release.h - parses kernel releases, and finds the nearest preset.
 */
#ifndef PARAMS_KERNEL_RELEASE_H
#define PARAMS_KERNEL_RELEASE_H

#include "params/params.h"

enum { NR_PARTS = 3 };

/* Parses "6.18.15+deb13-amd64" into 6, 18, 15. Returns how many numbers it found. */
u32 release_version(const char *release, u32 *part);
/* 1 if version a is newer than b. Each has NR_PARTS numbers. */
int release_is_newer(const u32 *a, const u32 *b);
/* The version in a preset's name. */
void preset_version(u32 preset, u32 *part);
/* 1 if the release belongs to the preset: linux-6.18 covers 6.18 and every 6.18.x. */
int release_is_of_preset(const char *name, const char *release);
/* 1 if the text begins like a kernel version: 6.18, or 6.18.15+deb13-amd64. */
int kernel_is_release(const char *release);
/* Applies the nearest preset that is not newer than the release. */
s32 kernel_choose(struct params *p, const char *release);

#endif
