/*
 * kernel.c - which kernel is modelled: the preset that the user or the trace names, else the one that is nearest to the
 * kernel on which the trace was recorded, else the default.
 */
#include "kernel.h"

#include "../alloc/ops.h"
#include "param_defs.h"
#include "session.h"

enum { NR_PARTS = 3 };

static const char default_preset[] = "linux-6.1";

/* "6.18.15+deb13-amd64" as 6, 18, 15; returns how many numbers it begins with. */
static u32 version_of(const char *release, u32 *part)
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

static int is_newer(const u32 *a, const u32 *b)
{
	u32 i = 0;

	while (i < NR_PARTS && a[i] == b[i])
		i++;
	return i < NR_PARTS && a[i] > b[i];
}

static void preset_version(u32 preset, u32 *part)
{
	version_of(presets[preset].name + sizeof("linux-") - 1, part);
}

int kernel_is_release(const char *release)
{
	u32 part[NR_PARTS];

	return version_of(release, part) >= 2;
}

/* The newest preset that is not newer than the release; the oldest one if all are. */
static const char *nearest_preset(const char *release)
{
	u32 want[NR_PARTS], part[NR_PARTS], best = 0;

	version_of(release, want);
	for (u32 i = 1; i < NR_PRESETS; i++) {
		preset_version(i, part);
		if (!is_newer(part, want))
			best = i;
	}
	return presets[best].name;
}

s32 kernel_choose(struct params *p, const char *release)
{
	const char *name = nearest_preset(release);

	return params_apply_preset(p, FROM_KERNEL, name, text_length(name));
}

/* Whether the release is one of the preset's: linux-6.18 is 6.18 and all that is 6.18.something. */
static int is_of_preset(const char *name, const char *release)
{
	u32 have[NR_PARTS], want[NR_PARTS];
	u32 nr = version_of(name + sizeof("linux-") - 1, want);

	version_of(release, have);
	for (u32 i = 0; i < nr; i++)
		if (have[i] != want[i])
			return 0;
	return 1;
}

static void add_reason(struct text *t, enum params_origin origin, const char *name,
		       const char *recorded)
{
	u32 part[NR_PARTS], oldest[NR_PARTS];

	if (origin == FROM_DEFAULT) {
		text_add(t, ", the default: the trace does not name its kernel");
		return;
	}
	if (origin != FROM_KERNEL) {
		text_add(t, origin == FROM_PRESET ? ", the preset that is set"
						  : ", which the trace asks for");
		if (recorded[0]) {
			text_add(t, "; the trace was recorded on Linux ");
			text_add(t, recorded);
		}
		return;
	}
	version_of(recorded, part);
	preset_version(0, oldest);
	if (is_of_preset(name, recorded)) {
		text_add(t, ", as the trace was recorded on Linux ");
	} else if (is_newer(oldest, part)) {
		text_add(t, ", the oldest preset; the trace was recorded on Linux ");
	} else {
		text_add(t, ", the newest preset that is not newer than the trace's Linux ");
	}
	text_add(t, recorded);
}

const struct kmem_kernel *kmem_kernel(struct kmem_session *s)
{
	/* As values win over each other, params.h. */
	static const u8 origins[] = { FROM_TRACE, FROM_PRESET, FROM_TRACE_PRESET, FROM_KERNEL };
	struct text t = text_in(s->kernel_text, sizeof(s->kernel_text));
	enum params_origin origin = FROM_DEFAULT;
	const char *name = default_preset;
	u32 allocator = (u32)params_get(&s->params, PARAM_ALLOCATOR);

	for (u32 i = 0; i < ARRAY_SIZE(origins) && origin == FROM_DEFAULT; i++) {
		if (!params_preset_of(&s->params, (enum params_origin)origins[i]))
			continue;
		origin = (enum params_origin)origins[i];
		name = params_preset_of(&s->params, origin);
	}
	text_add(&t, name);
	add_reason(&t, origin, name, s->trace.kernel);
	if (allocator != ALLOCATOR_SLUB && allocator != ALLOCATOR_SLAB) {
		text_add(&t, "; presets do not change ");
		text_add(&t, ops_of(allocator)->name);
	}
	s->kernel.preset_at = session_offset(s, s->kernel_name);
	struct text copy = text_in(s->kernel_name, sizeof(s->kernel_name));
	text_add(&copy, name);
	s->kernel.recorded_at = s->trace.kernel[0] ? session_offset(s, s->trace.kernel) : 0;
	s->kernel.words_at = session_offset(s, s->kernel_text);
	s->kernel.chosen_by = origin == FROM_DEFAULT  ? KERNEL_BY_DEFAULT
			      : origin == FROM_KERNEL ? KERNEL_BY_RECORDING
			      : origin == FROM_PRESET ? KERNEL_BY_USER
						      : KERNEL_BY_TRACE;
	return &s->kernel;
}
