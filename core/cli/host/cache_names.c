/*
 * cache_names.c - finds caches by the names that the replay gives them.
 */
#include "cli/host/cache_names.h"

#include <stdlib.h>

#include "cli/text/names.h"

int take_names(struct cache_names *names, struct host *h)
{
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &names->nr);

	for (u32 i = 0; i < names->nr; i++) {
		snprintf(names->text[i], MAX_NAME_BYTES, "%s", host_text(h, c[i].name_at));
		names->of[i] = names->text[i];
	}
	return c ? EXIT_DONE : host_failed(h, KMEM_ENOMEM);
}

/* Returns 1 for kmalloc-4096 if the kernel calls the cache kmalloc-4k. */
static int is_name_in_bytes(const char *asked, const char *name)
{
	const char *dash = strrchr(asked, '-');
	char *end;
	u64 bytes = dash ? strtoull(dash + 1, &end, 10) : 0;
	char short_name[MAX_NAME_BYTES];

	if (!bytes || *end || bytes % 1024 || !strstr(asked, "kmalloc"))
		return 0;
	snprintf(short_name, sizeof(short_name), "%.*s-%lluk", (int)(dash - asked), asked,
		 (unsigned long long)bytes / 1024);
	return strcmp(short_name, name) == 0;
}

/* Finds the number of the cache that --cache names, or complains. */
int find_cache(const struct cache_names *names, const char *name, u32 *cache)
{
	for (*cache = 0; *cache < names->nr; ++*cache)
		if (strcmp(names->of[*cache], name) == 0)
			return EXIT_DONE;
	for (*cache = 0; *cache < names->nr; ++*cache)
		if (is_name_in_bytes(name, names->of[*cache]))
			return EXIT_DONE;
	const char *nearest = nearest_word(name, names->of, names->nr);
	if (nearest)
		complain("no cache `%.60s` in this replay; the nearest is %s", name, nearest);
	else
		complain("no cache `%.60s` in this replay; slabscope replay lists them", name);
	return EXIT_CALL;
}

int asked_cache(struct cache_names *names, struct host *h, const struct args *args, u32 *cache)
{
	int status = take_names(names, h);

	*cache = CACHE_NONE;
	return status || !GIVEN(args, CACHE) ? status
					     : find_cache(names, args->text[OPT_CACHE], cache);
}
