/*
 * kernel_release.c - parses kernel releases, and finds the nearest preset.
 */
#include "params/kernel_release.h"

#include "params/param_defs.h"

u32 release_version(const char *release, u32 *part)
{
	u32 nr = 0;

	for (u32 i = 0; i < NR_PARTS; i++)
		part[i] = 0;
	while (nr < NR_PARTS && *release >= '0' && *release <= '9') {
		for (; *release >= '0' && *release <= '9'; release++)
			part[nr] = MIN(part[nr] * 10 + (u32)(*release - '0'), 99999u);
		nr++;
		if (*release != '.')
			break;
		release++;
	}
	return nr;
}

int release_is_newer(const u32 *a, const u32 *b)
{
	u32 i = 0;

	while (i < NR_PARTS && a[i] == b[i])
		i++;
	return i < NR_PARTS && a[i] > b[i];
}

void preset_version(u32 preset, u32 *part)
{
	release_version(presets[preset].name + sizeof("linux-") - 1, part);
}

int kernel_is_release(const char *release)
{
	u32 part[NR_PARTS];

	return release_version(release, part) >= 2;
}

/* The newest preset that is not newer than the release; the oldest preset if all are newer. */
static const char *nearest_preset(const char *release)
{
	u32 want[NR_PARTS], part[NR_PARTS], best = 0;

	release_version(release, want);
	for (u32 i = 1; i < NR_PRESETS; i++) {
		preset_version(i, part);
		if (!release_is_newer(part, want))
			best = i;
	}
	return presets[best].name;
}

s32 kernel_choose(struct params *p, const char *release)
{
	const char *name = nearest_preset(release);

	return params_apply_preset(p, FROM_KERNEL, name, text_length(name));
}

int release_is_of_preset(const char *name, const char *release)
{
	u32 have[NR_PARTS], want[NR_PARTS];
	u32 nr = release_version(name + sizeof("linux-") - 1, want);

	release_version(release, have);
	for (u32 i = 0; i < nr; i++)
		if (have[i] != want[i])
			return 0;
	return 1;
}
