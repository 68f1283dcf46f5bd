/*
 * ops_text.c - see ops_text.h.
 */
#include "test/model/ops_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/params.h"
#include "tables/allocator_names.h"
#include "tables/preset_settings.h"

enum { TEXT_ROOM = 1 << 20, LINE_ROOM = 512, MAX_TEXT_CACHES = 4, NOBODY = 0xffffffff };

enum param_type { NUMBER, CHOICE, SIZE, LIST };

static const struct param {
	const char *key, *values, *automatic;
	enum param_type type;
	u32 runtime;
} params[] = {
#define PARAM(id, key, name, type, owner, values, def, since, runtime, meaning) \
	{ key, values, def, type, runtime },
#include "tables/params.def"
#undef PARAM
};

enum {
#define PRESET(name, changes, meaning) +1
	NR_PRESETS = 0
#include "tables/presets.def"
#undef PRESET
};

struct writer {
	struct dice *d;
	const char *allocator;
	u32 cpus, nodes, nr_caches, next_id, nr_live, last_freed;
	u32 corrupts; /* somebody does what he must not */
	u32 requests; /* bulk requests, kfree_rcu() and prefilled sheaves occur */
	u32 live[OPS_TEXT_LIVE];
	u32 len;
	char text[TEXT_ROOM];
};

u32 roll(struct dice *d, u32 below)
{
	if (d->bytes) {
		u32 value = 0;
		for (u32 room = 1; room < below && d->at < d->len; room <<= 8)
			value = value << 8 | d->bytes[d->at++];
		return value % below;
	}
	d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)((d->seed >> 33) % below);
}

__attribute__((format(printf, 2, 3))) static void put(struct writer *o, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	o->len += (u32)vsnprintf(o->text + o->len, TEXT_ROOM - o->len, format, list);
	va_end(list);
}

/* Whether `word` is one of the blank-separated words. */
static int has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; (p = strstr(p, word)) != NULL; p += len)
		if ((p == words || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return 1;
	return 0;
}

/* Whether it is a parameter of that allocator, and not of machines. */
static int has_param(const char *allocator, u32 param)
{
	char words[MAX_NAME_BYTES];
	struct text t = text_in(words, sizeof(words));

	params_add_owners((enum kmem_param)param, " ", &t);
	return has_word(words, allocator);
}

/* Mostly small numbers, within "min..max". */
static u32 roll_number(struct dice *d, const char *values)
{
	char *end;
	u64 min = strtoull(values, &end, 10), max = strtoull(end + 2, NULL, 10);
	u32 number = roll(d, roll(d, 8) ? 12 : 700);

	return (u32)(min + MIN(number, max - min));
}

static void put_choice(struct writer *o, const char *values)
{
	u32 nr = 1;

	for (const char *p = values; *p; p++)
		nr += *p == ' ';
	for (nr = roll(o->d, nr); nr; nr--)
		values = strchr(values, ' ') + 1;
	put(o, "%.*s", (int)strcspn(values, " "), values);
}

static void put_setting(struct writer *o, const struct param *p)
{
	put(o, "%s=", p->key);
	if (p->type == CHOICE)
		put_choice(o, p->values);
	else if (!strcmp(p->automatic, "automatic") && roll(o->d, 3) == 0)
		put(o, "automatic");
	else
		put(o, "%u", roll_number(o->d, p->values));
}

static void put_list(struct writer *o, const char *key, u32 nr, u32 least, u32 below)
{
	put(o, " %s=", key);
	for (u32 i = 0; i < nr; i++)
		put(o, "%s%u", i ? "," : "", least + roll(o->d, below));
}

static void put_preset(struct writer *o, u32 preset)
{
	struct preset_setting set;

	for (u32 i = 0; preset_setting(preset, i, &set); i++)
		put(o, " %.*s=%.*s", (int)set.key_bytes, set.key, (int)set.value_bytes, set.value);
}

/* The latest kernel, where sheaves replace cpu slabs, as often as all others together. */
static void put_some_preset(struct writer *o)
{
	u32 kind = roll(o->d, 4);

	if (kind == 0)
		put_preset(o, roll(o->d, NR_PRESETS));
	if (kind == 1)
		put_preset(o, NR_PRESETS - 1);
	/* Small sheaves fill the barn with few objects. */
	if (kind == 1 && roll(o->d, 2))
		put(o, " sheaf_capacity=%u", roll(o->d, 5));
}

static void put_machine(struct writer *o)
{
	static const u32 pages[] = { 4096, 4096, 4096, 4096, 4096, 4096, 16384, 65536 };
	struct dice *d = o->d;

	o->cpus = 1 + roll(d, roll(d, 8) ? 4 : 9);
	o->nodes = 1 + roll(d, 4);
	put(o, "slabtrace 1\nmachine allocator=%s cpus=%u nodes=%u page_size=%u", o->allocator,
	    o->cpus, o->nodes, pages[roll(d, ARRAY_SIZE(pages))]);
	if (roll(d, 8) == 0)
		put(o, " memory=%uM", 16 * o->nodes << roll(d, 3));
	if (roll(d, 8) == 0)
		put(o, " fail_order=%u", roll(d, 12));
	if (roll(d, 4) == 0)
		put_list(o, "cpu_node", o->cpus, 0, o->nodes);
	if (roll(d, 4) == 0)
		put_list(o, "llc_groups", o->cpus, 0, 3);
	if (roll(d, 8) == 0)
		put_list(o, "zones", o->nodes, 1, 3);
	if (!strcmp(o->allocator, "slub"))
		put_some_preset(o);
	for (u32 i = 0; i < ARRAY_SIZE(params); i++) {
		const struct param *p = &params[i];
		/* min_order above max_order is refused. */
		if (!has_param(o->allocator, i) || !strcmp(p->key, "min_order") ||
		    (p->type != NUMBER && p->type != CHOICE) || roll(d, 6))
			continue;
		put(o, " ");
		put_setting(o, p);
	}
	put(o, "\n");
}

static u32 roll_size(struct dice *d)
{
	static const u32 sizes[] = { 64,   96,	 192,  256,  512,  700,	 1000, 1024,
				     1500, 2048, 2100, 3000, 4096, 4097, 8192, 9000 };
	u32 how = roll(d, 16);

	/* Thousands of tiny objects in a slab take long to judge, and show no more. */
	if (how == 0)
		return 1 + roll(d, 300000);
	if (how == 1)
		return 1 + roll(d, 32);
	return how < 9 ? sizes[roll(d, ARRAY_SIZE(sizes))] : 33 + roll(d, how < 12 ? 200 : 4500);
}

static void put_cache(struct writer *o, u32 nr)
{
	static const char *const flags[] = { "hwcache_align",	   "reclaim",  "ctor",
					     "typesafe_by_rcu",	   "red_zone", "poison",
					     "store_user",	   "nomerge",  "sanity_checks",
					     "red_zone,store_user" };
	struct dice *d = o->d;

	put(o, "cache c%u size=%u", nr, roll_size(d));
	if (roll(d, 4) == 0)
		put(o, " align=%u", 1u << roll(d, 9));
	if (roll(d, 4) == 0)
		put(o, " flags=%s", flags[roll(d, ARRAY_SIZE(flags))]);
	put(o, "\n");
}

static void put_alloc(struct writer *o)
{
	struct dice *d = o->d;
	u32 id = o->next_id++;

	if (roll(d, 4))
		put(o, "a %u c%u", id, roll(d, o->nr_caches));
	else
		put(o, "k %u %u", id, roll_size(d));
	put(o, " cpu=%u", roll(d, o->cpus));
	if (roll(d, 4) == 0)
		put(o, " node=%u", roll(d, o->nodes));
	put(o, "\n");
	o->live[o->nr_live++] = id;
}

static void forget_live(struct writer *o, u32 i)
{
	memmove(&o->live[i], &o->live[i + 1], (--o->nr_live - i) * sizeof(o->live[0]));
}

static void put_free(struct writer *o)
{
	struct dice *d = o->d;
	u32 near = MIN(o->nr_live, 8u);
	u32 i = roll(d, 3) ? o->nr_live - 1 - roll(d, near) : roll(d, o->nr_live);

	o->last_freed = o->live[i];
	put(o, "f %u cpu=%u\n", o->live[i], roll(d, o->cpus));
	forget_live(o, i);
}

static void put_set(struct writer *o)
{
	struct dice *d = o->d;
	u32 nr = 0;

	for (u32 i = 0; i < ARRAY_SIZE(params); i++)
		nr += params[i].runtime && has_param(o->allocator, i);
	u32 which = nr ? roll(d, nr) : 0;
	for (u32 i = 0; i < ARRAY_SIZE(params); i++) {
		if (!params[i].runtime || !has_param(o->allocator, i) || which--)
			continue;
		put(o, "set ");
		put_setting(o, &params[i]);
		if (roll(d, 2))
			put(o, " cache=c%u", roll(d, o->nr_caches));
		put(o, "\n");
		return;
	}
}

/* Of a live object, or of the one that was freed last. */
static void put_corruption(struct writer *o)
{
	struct dice *d = o->d;
	u32 cpu = roll(d, o->cpus), kind = roll(d, 5);

	if (kind == 0 && o->last_freed != NOBODY) {
		put(o, "corrupt double-free %u cpu=%u\n", o->last_freed, cpu);
		return;
	}
	u32 id = o->nr_live && roll(d, 2) ? o->live[roll(d, o->nr_live)] : o->last_freed;
	if (id == NOBODY)
		return;
	if (kind < 3)
		put(o, "corrupt write %u at=%d len=%u value=%u cpu=%u\n", id, (s32)roll(d, 64) - 16,
		    1 + roll(d, 40), roll(d, 256), cpu);
	else if (kind == 3)
		put(o, "corrupt wild-free %u at=%u cpu=%u\n", id, roll(d, 40), cpu);
	else
		put(o, "corrupt freelist %u value=%u cpu=%u\n", id, roll(d, 256), cpu);
}

static void put_control(struct writer *o)
{
	struct dice *d = o->d;
	u32 kind = o->corrupts && roll(d, 2) ? 8 : roll(d, 10);

	if (kind == 0)
		put(o, "shrink c%u\n", roll(d, o->nr_caches));
	else if (kind == 1)
		put(o, "flush c%u\n", roll(d, o->nr_caches));
	else if (kind == 2)
		put(o, "flush c%u cpu=%u\n", roll(d, o->nr_caches), roll(d, o->cpus));
	else if (kind == 3)
		put(o, "tick %u\n", roll(d, 9));
	else if (kind == 4)
		put(o, "reap cpu=%u\n", roll(d, o->cpus));
	else if (kind == 5)
		put(o, "expire\n");
	else if (kind == 6)
		put(o, "expire cpu=%u\n", roll(d, o->cpus));
	else if (kind == 7)
		put(o, "validate c%u\n", roll(d, o->nr_caches));
	else if (kind == 8 && o->corrupts)
		put_corruption(o);
	else
		put_set(o);
}

/* A list of one has a comma too, to be a list. */
static void put_bulk(struct writer *o)
{
	struct dice *d = o->d;
	u32 most = roll(d, 4) ? 8 : 60, nr = 1 + roll(d, most);

	if (roll(d, 2) && o->nr_live + nr <= OPS_TEXT_LIVE) {
		put(o, "a ");
		for (u32 i = 0; i < nr; i++) {
			put(o, "%s%u", i ? "," : "", o->next_id);
			o->live[o->nr_live++] = o->next_id++;
		}
		put(o, "%s c%u cpu=%u\n", nr == 1 ? "," : "", roll(d, o->nr_caches),
		    roll(d, o->cpus));
	} else if (o->nr_live) {
		nr = MIN(nr, o->nr_live);
		put(o, "f ");
		for (u32 i = 0; i < nr; i++) {
			u32 one = roll(d, o->nr_live);
			put(o, "%s%u", i ? "," : "", o->live[one]);
			o->last_freed = o->live[one];
			forget_live(o, one);
		}
		put(o, "%s cpu=%u\n", nr == 1 ? "," : "", roll(d, o->cpus));
	}
}

static void put_prefilled(struct writer *o)
{
	struct dice *d = o->d;
	u32 kind = roll(d, 6), slot = roll(d, 3), cache = roll(d, o->nr_caches),
	    cpu = roll(d, o->cpus), number = 1 + roll(d, roll(d, 4) ? 12 : 100);

	if (kind == 0)
		put(o, "prefill %u c%u %u cpu=%u\n", slot, cache, number, cpu);
	else if (kind == 1)
		put(o, "refill %u c%u %u cpu=%u\n", slot, cache, number, cpu);
	else if (kind == 2)
		put(o, "return %u c%u cpu=%u\n", slot, cache, cpu);
	else if (o->nr_live < OPS_TEXT_LIVE) {
		put(o, "a %u c%u cpu=%u sheaf=%u\n", o->next_id, cache, cpu, slot);
		o->live[o->nr_live++] = o->next_id++;
	}
}

/* Requests of kernels with sheaves; other allocators take them apart, or do nothing. */
static void put_request(struct writer *o)
{
	struct dice *d = o->d;
	u32 kind = roll(d, 16);

	if (kind == 0) {
		put(o, "grace\n");
	} else if (kind == 1) {
		put(o, "dead cpu=%u\n", roll(d, o->cpus));
	} else if (kind < 7) {
		put_bulk(o);
	} else if (kind < 11) {
		put_prefilled(o);
	} else if (o->nr_live) {
		u32 one = roll(d, o->nr_live);
		put(o, "r %u cpu=%u\n", o->live[one], roll(d, o->cpus));
		o->last_freed = o->live[one];
		forget_live(o, one);
	}
}

/* Grows for a while, then dwindles. */
static void put_op(struct writer *o, u32 nr)
{
	u32 lean = nr / 300 % 2 ? 6 : 9, dice = roll(o->d, 16);

	if (dice == 15 && roll(o->d, 3) == 0)
		put_control(o);
	else if (dice == 14 && o->requests && roll(o->d, 2))
		put_request(o);
	else if (o->nr_live < OPS_TEXT_LIVE && (dice < lean || !o->nr_live))
		put_alloc(o);
	else
		put_free(o);
}

const char *ops_text(struct dice *d, const char *allocator, u32 max_ops)
{
	static struct writer o;

	o.d = d;
	o.allocator = allocator;
	o.nr_caches = 1;
	o.next_id = o.nr_live = o.len = 0;
	o.last_freed = NOBODY;
	o.corrupts = roll(d, 8) == 0;
	o.requests = roll(d, 2);
	put_machine(&o);
	o.nr_caches = 1 + roll(d, MAX_TEXT_CACHES);
	for (u32 i = 0; i < o.nr_caches; i++)
		put_cache(&o, i);
	for (u32 i = 0; i < max_ops && o.len + LINE_ROOM < TEXT_ROOM; i++) {
		if (d->bytes && d->at == d->len)
			break;
		put_op(&o, i);
	}
	/* A trace has an operation at least. */
	put(&o, "shrink c0\n");
	return o.text;
}
