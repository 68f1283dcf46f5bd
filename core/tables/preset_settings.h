/*
 * preset_settings.h - the settings of a preset. presets.def lists them as changes since the previous preset.
 */
#ifndef TABLES_PRESET_SETTINGS_H
#define TABLES_PRESET_SETTINGS_H

#include <string.h>

#include "kmem_types.h"

/* Neither string ends in NUL. */
struct preset_setting {
	const char *key, *value;
	u32 key_bytes, value_bytes;
};

/* Reads the setting at *at and moves *at behind it; returns 0 at the end. */
static inline int preset_read(const char **at, struct preset_setting *setting)
{
	const char *p = *at, *equals;

	while (*p == ' ')
		p++;
	for (equals = p; *equals && *equals != '='; equals++) {
	}
	if (!*equals)
		return 0;
	for (*at = equals; **at && **at != ' '; ++*at) {
	}
	*setting = (struct preset_setting){ p, equals + 1, (u32)(equals - p),
					    (u32)(*at - equals) - 1 };
	return 1;
}

/* Reads the nth setting of a preset. The first row has every key; the latest row up to the preset's own that sets
 * it has the value. Returns 0 after the last one. */
static inline int preset_setting(u32 preset, u32 nth, struct preset_setting *setting)
{
	static const char *const changes[] = {
#define PRESET(name, changes, meaning) changes,
#include "tables/presets.def"
#undef PRESET
	};
	const char *at = changes[0];
	struct preset_setting change;

	for (u32 i = 0; i <= nth; i++)
		if (!preset_read(&at, setting))
			return 0;
	for (u32 row = 1; row <= preset; row++)
		for (at = changes[row]; preset_read(&at, &change);)
			if (change.key_bytes == setting->key_bytes &&
			    !memcmp(change.key, setting->key, change.key_bytes))
				*setting = change;
	return 1;
}

#endif
