/*
 * print_sysfs.c - prints caches as /sys/kernel/slab and /proc/slabinfo show them, as JSON members.
 */
#include "cli/print/named_fields.h"
#include "cli/print/print.h"

#include <stdlib.h>

static void slabinfo_json(struct json *j, const struct host *h,
			  const struct kmem_slabinfo_row *line)
{
	json_row(j, "slabinfo");
	fields_json(
		j, h, ROW(kmem_slabinfo_row, line),
		"active_objs,num_objs,objsize,objperslab,pagesperslab,limit,batchcount,sharedfactor,"
		"active_slabs,num_slabs,sharedavail,slabs,partial,cpu_slabs,percent_partial,"
		"percent_efficient,space,loss");
	json_end(j);
}

static void *copied(const void *rows, u32 nr, size_t row_bytes)
{
	void *copy = memory_for(nr, row_bytes);

	return nr ? memcpy(copy, rows, nr * row_bytes) : copy;
}

struct kmem_cache_row *caches_take(const struct host *h, u32 *nr)
{
	const struct kmem_cache_row *rows = kmem_cache_rows(h->session, nr);

	return copied(rows, *nr, sizeof(*rows));
}

struct slabinfo slabinfo_take(const struct host *h)
{
	struct slabinfo info = { NULL, 0 };
	const struct kmem_slabinfo_row *rows = kmem_slabinfo(h->session, &info.nr);

	info.rows = copied(rows, info.nr, sizeof(*rows));
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
		slabinfo_json(j, h, &info->rows[info->nr - 1 - cache]);
	else
		json_null(j, "slabinfo");
}
