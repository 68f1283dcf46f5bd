/*
 * print_sysfs.c - prints caches as /sys/kernel/slab and /proc/slabinfo show them, as JSON members.
 */
#include "cli/print/print_sysfs.h"

#include <stdlib.h>

static void slabinfo_json(struct json *j, const struct kmem_slabinfo_row *line)
{
	json_row(j, "slabinfo");
	json_number(j, "active_objs", line->active_objs);
	json_number(j, "num_objs", line->num_objs);
	json_number(j, "objsize", line->objsize);
	json_number(j, "objperslab", line->objperslab);
	json_number(j, "pagesperslab", line->pagesperslab);
	json_number(j, "limit", line->limit);
	json_number(j, "batchcount", line->batchcount);
	json_number(j, "sharedfactor", line->sharedfactor);
	json_number(j, "active_slabs", line->active_slabs);
	json_number(j, "num_slabs", line->num_slabs);
	json_number(j, "sharedavail", line->sharedavail);
	json_number(j, "slabs", line->slabs);
	json_number(j, "partial", line->partial);
	json_number(j, "cpu_slabs", line->cpu_slabs);
	json_number(j, "percent_partial", line->percent_partial);
	json_number(j, "percent_efficient", line->percent_efficient);
	json_number(j, "space", line->space);
	json_number(j, "loss", line->loss);
	json_end(j);
}

struct slabinfo slabinfo_take(const struct host *h)
{
	struct slabinfo info = { 0 };
	const struct kmem_slabinfo_row *rows = kmem_slabinfo(h->session, &info.nr);

	info.rows = info.nr ? malloc(info.nr * sizeof(*rows)) : NULL;
	if (!info.rows)
		info.nr = 0;
	else
		memcpy(info.rows, rows, info.nr * sizeof(*rows));
	return info;
}

void sysfs_json(struct json *j, const struct host *h, const struct slabinfo *info, u32 cache)
{
	u32 nr;
	const struct kmem_attribute_row *file = kmem_attributes(h->session, cache, &nr);

	if (nr)
		json_object(j, "sysfs");
	else
		json_null(j, "sysfs");
	for (u32 k = 0; k < nr; k++)
		json_text(j, host_text(h, file[k].name_at), host_text(h, file[k].value_at));
	if (nr)
		json_end(j);
	/* slabinfo lists the newest cache first. */
	if (cache < info->nr)
		slabinfo_json(j, &info->rows[info->nr - 1 - cache]);
	else
		json_null(j, "slabinfo");
}
