/*
 * named.c - caches, slabs, slots and pointers as the command line names them.
 */
#include <stdlib.h>

#include "cli/cli.h"
#include "doc/names.h"

void take_names(struct cache_names *names, struct host *h)
{
	const struct kmem_cache_row *c = kmem_cache_rows(h->session, &names->nr);

	for (u32 i = 0; i < names->nr; i++) {
		snprintf(names->text[i], MAX_NAME_BYTES, "%s", host_text(h, c[i].name_at));
		names->of[i] = names->text[i];
	}
	if (!c)
		host_failed(h, KMEM_ENOMEM);
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

u32 find_cache(const struct cache_names *names, const char *name)
{
	for (u32 i = 0; i < names->nr; i++)
		if (strcmp(names->of[i], name) == 0)
			return i;
	for (u32 i = 0; i < names->nr; i++)
		if (is_name_in_bytes(name, names->of[i]))
			return i;
	const char *nearest = nearest_word(name, names->of, names->nr);
	if (nearest)
		refuse_call("no cache `%.60s` in this replay: did you mean %s?", name, nearest);
	refuse_call("no cache `%.60s` in this replay: run `slabscope replay` for a list", name);
}

u32 asked_cache(struct cache_names *names, struct host *h, const struct args *args)
{
	take_names(names, h);
	return given(args, "cache") ? find_cache(names, option_text(args, "cache")) : CACHE_NONE;
}

/* Returns the slash before the last `nr` parts, NULL if there are fewer parts. */
static const char *last_parts(const char *word, u32 nr)
{
	const char *p = word + strlen(word);

	while (nr && p > word)
		nr -= *--p == '/';
	return nr ? NULL : p;
}

int parse_place(const char *word, char *name, u32 *number, u32 nr)
{
	const char *p = last_parts(word, nr);
	char *end;

	if (!p || p == word || p - word >= MAX_NAME_BYTES)
		return 0;
	memcpy(name, word, (size_t)(p - word));
	name[p - word] = 0;
	for (u32 i = 0; i < nr; i++, p = end) {
		u64 n = strtoull(p + 1, &end, 10);
		if (p[1] < '0' || p[1] > '9' || n >= NO_THING || (*end != '/' && *end))
			return 0;
		number[i] = (u32)n;
	}
	return !*p;
}

struct thing parse_thing(const struct args *args)
{
	const char *object = option_text(args, "object"), *slab = option_text(args, "slab"),
		   *cache = option_text(args, "cache");
	struct thing thing = { CACHE_NONE, NO_THING, NO_THING, NO_THING, "" };
	u32 number[2] = { NO_THING, NO_THING };
	char *end;

	if ((object != NULL) + (slab != NULL) + (cache != NULL) > 1)
		refuse_call("give only one of --cache, --slab and --object");
	if (object) {
		u64 event = strtoull(object, &end, 10);
		if (!*end && object[0] >= '1' && object[0] <= '9' && event < NO_THING)
			thing.op = (u32)event - 1;
		else if (strcmp(object, "0") == 0)
			refuse_0("object");
		else if (!parse_place(object, thing.name, number, 2))
			refuse_call(
				"--object %.80s: expected the number of an event, or CACHE/SLAB/INDEX as in dentry/3/7",
				object);
	} else if (slab && !parse_place(slab, thing.name, number, 1)) {
		refuse_call("--slab %.80s: expected CACHE/N, as in dentry/3", slab);
	} else if (cache) {
		snprintf(thing.name, sizeof(thing.name), "%s", cache);
	}
	thing.slab = number[0];
	thing.index = number[1];
	return thing;
}

void find_thing(struct host *h, struct thing *thing)
{
	static struct cache_names names;

	if (!thing->name[0])
		return;
	take_names(&names, h);
	thing->cache = find_cache(&names, thing->name);
	snprintf(thing->name, sizeof(thing->name), "%s", names.of[thing->cache]);
}

const char *condition_name(u32 when)
{
	static char name[MAX_KEY_BYTES];
	struct lower lower = enum_name("kmem_when", when);

	snprintf(name, sizeof(name), "%s", lower.s);
	for (char *p = name; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return name;
}

u64 parse_pointer(const struct args *args)
{
	const char *word = option_text(args, "ptr");
	const char *digits = word + (word[0] == '0' && (word[1] | 0x20) == 'x' ? 2 : 0);
	size_t len = strspn(digits, "0123456789abcdefABCDEF");

	if (!len || digits[len] || len > 16)
		refuse_call("--ptr %.40s: expected a pointer of 1 to 16 hex digits, such as "
			    "0xffff888003a9d040",
			    word);
	host_keep(KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS);
	return strtoull(digits, NULL, 16);
}

u32 find_pointer(struct host *h, const struct args *args, u64 pointer)
{
	u32 nr_ops = kmem_nr_ops(h->session);
	u32 near = given(args, "at") ? (u32)MIN(option_number(args, "at") - 1, nr_ops) : nr_ops;
	u32 before = kmem_find_pointer(h->session, pointer, MIN(near + 1, nr_ops), KMEM_BACK);
	u32 behind = kmem_find_pointer(h->session, pointer, near, KMEM_FORWARD);

	if (before == NO_THING && behind == NO_THING)
		refuse_call(
			"--ptr %.40s: no event of %s has this pointer; `slabscope lookup` also finds "
			"addresses inside objects",
			option_text(args, "ptr"), h->trace);
	if (before == NO_THING || behind == NO_THING)
		return before == NO_THING ? behind : before;
	/* An object that lives at that event contains it. */
	const struct kmem_op_row *row = kmem_op(h->session, before);
	int lives = row && (row->kind == OP_ALLOC || row->kind == OP_KMALLOC);
	return lives || near - before <= behind - near ? before : behind;
}
