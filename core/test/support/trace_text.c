/*
 * trace_text.c - importing texts in pieces, and traces as readable lines.
 */
#define _GNU_SOURCE
#include "test/support/trace_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define REGION_BYTES ((u64)1 << 30)

static void give(struct imported *in, const char *text, u64 at, u64 n, int is_copied)
{
	/* A copy of exactly these bytes, so reading past the chunk is reading past an allocation. */
	u8 *copy = is_copied ? malloc(n) : NULL;

	if (copy)
		memcpy(copy, text + at, n);
	in->status = trace_chunk(&in->trace, copy ? copy : (const u8 *)text + at, (u32)n);
	free(copy);
}

static void give_all(struct imported *in, const char *text, size_t len, u32 chunk_bytes)
{
	u64 step = chunk_bytes ? chunk_bytes : len;

	for (u64 at = 0; at < len; at += step)
		give(in, text, at, MIN(step, len - at), chunk_bytes != 0);
}

static void give_ranges(struct imported *in, const char *text, size_t len, u32 chunk_bytes)
{
	u64 at, n;

	trace_by_range(&in->trace, len);
	while ((n = trace_range(&in->trace, &at)))
		give(in, text, at, chunk_bytes ? MIN(n, (u64)chunk_bytes) : n, chunk_bytes != 0);
}

void import_text(struct imported *in, const char *text, size_t len, u32 chunk_bytes, int flags)
{
	static struct params params;
	void *region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memset(in, 0, sizeof(*in));
	params_init(&params);
	pool_init(&in->pool, region, REGION_BYTES, 64);
	in->status = trace_begin(&in->trace, &in->pool, &params);
	if (in->status != KMEM_OK)
		return;
	in->trace.import->no_fast = flags & GENERAL_ONLY;
	in->trace.import->source.tiny = (flags & TINY) != 0;
	if (flags & KEEP_ALL)
		trace_keep(&in->trace, KMEM_KEEP_TASKS | KMEM_KEEP_POINTERS);
	if (flags & BY_RANGE)
		give_ranges(in, text, len, chunk_bytes);
	else
		give_all(in, text, len, chunk_bytes);
	s32 status = trace_end(&in->trace);
	in->status = in->status ? in->status : status;
}

void imported_drop(struct imported *in)
{
	trace_drop(&in->trace);
	pool_close(&in->pool);
	munmap(in->pool.base, REGION_BYTES);
}

const char *imported_text(const struct imported *in, u32 offset)
{
	return (const char *)in->pool.base + offset;
}

static const char *cache_name(const struct trace *t, const struct site *site)
{
	if (site->was == OP_KMALLOC || site->cache >= t->nr_caches)
		return "-";
	return trace_text(t, t->caches[site->cache].name);
}

static void print_op(const struct trace *t, u32 i, FILE *out)
{
	static const char *const names[] = { "nothing", "alloc", "kmalloc", "free",   "flush",
					     "shrink",	"tick",	 "reap",    "expire", "set" };
	const struct op op = trace_op(t, i);
	const struct site *site = &t->sites[op.site];

	fprintf(out, "%s", names[op.kind]);
	if (op.kind == OP_NOTHING)
		fprintf(out, "(%s,%u)", names[site->was], site->reason);
	if (op.handle != HANDLE_NONE)
		fprintf(out, " %u", op.handle);
	fprintf(out, " %s %u cpu %u", cache_name(t, site), site->bytes, op.cpu);
	if (site->node != NODE_ANY)
		fprintf(out, " node %u", site->node);
	if (site->kmalloc_type)
		fprintf(out, " type %u", site->kmalloc_type);
	if (op.flags)
		fprintf(out, " flags %u", op.flags);
	fprintf(out, " t %llu\n", (unsigned long long)trace_time(t, i));
}

char *trace_lines(const struct imported *in)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (u32 i = 0; i < in->trace.nr_ops; i++)
		print_op(&in->trace, i, out);
	fclose(out);
	return text;
}

static u64 mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static u64 mix_text(u64 hash, const char *text)
{
	do
		hash = mix(hash, (u8)*text);
	while (*text++);
	return hash;
}

static u64 digest_report(const struct imported *in, u64 hash)
{
	const struct kmem_report *r = &in->trace.report;
	const u64 counts[] = { r->bytes,	r->lines,	r->events,	  r->allocs,
			       r->frees,	r->null_frees,	r->failed_allocs, r->orphan_frees,
			       r->unseen_frees, r->live_at_end, r->lost,	  r->skipped_lines,
			       r->reordered,	r->late,	r->time_first,	  r->time_last,
			       r->ops,		r->handles,	r->cpus,	  r->nodes,
			       r->time_is_ns,	r->hashed,	r->truncated,	  r->nr_kinds,
			       r->nr_caches,	r->nr_problems };

	for (u32 i = 0; i < ARRAY_SIZE(counts); i++)
		hash = mix(hash, counts[i]);
	const struct kmem_kind_row *kinds = (const void *)imported_text(in, r->kinds_at);
	for (u32 i = 0; i < r->nr_kinds; i++)
		hash = mix_text(mix(hash, kinds[i].lines), imported_text(in, kinds[i].name_at));
	const struct kmem_trace_cache_row *caches = (const void *)imported_text(in, r->caches_at);
	for (u32 i = 0; i < r->nr_caches; i++) {
		hash = mix(mix(mix(hash, caches[i].allocs), caches[i].frees), caches[i].size);
		hash = mix_text(mix(hash, caches[i].object_size),
				imported_text(in, caches[i].name_at));
	}
	const struct kmem_problem *problems = (const void *)imported_text(in, r->problems_at);
	for (u32 i = 0; i < r->nr_problems; i++) {
		hash = mix(mix(hash, problems[i].line), problems[i].column);
		hash = mix_text(hash, imported_text(in, problems[i].reason_at));
	}
	return hash;
}

u64 trace_digest(const struct imported *in)
{
	const struct trace *t = &in->trace;
	u64 hash = mix(0, t->nr_ops);

	for (u32 i = 0; i < t->nr_ops; i++) {
		const struct op op = trace_op(t, i);
		const struct site *site = &t->sites[op.site];
		hash = mix(mix(hash, op.handle), (u64)op.cpu << 16 | (u64)op.kind << 8 | op.flags);
		hash = mix(mix(hash, op.site),
			   (u64)site->bytes << 32 | (u64)site->cache << 16 | site->node);
		if (i % 64 == 0)
			hash = mix(hash, trace_time(t, i));
	}
	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		hash = mix_text(mix_text(hash, trace_text(t, site->call_site)),
				trace_text(t, site->gfp));
		hash = mix_text(mix(hash, site->kmalloc_type), trace_text(t, site->name));
	}
	for (u32 i = 0; i < t->nr_caches; i++) {
		hash = mix(mix(hash, t->caches[i].object_size), t->caches[i].size);
		hash = mix_text(mix(hash, t->caches[i].allocs), trace_text(t, t->caches[i].name));
	}
	return digest_report(in, hash);
}

char *export_text(const struct imported *in, u32 to, size_t *len)
{
	enum { PIECE = 1 << 16 };
	static u8 piece[PIECE];
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	u32 op = 0;
	s32 n;

	while ((n = trace_export(&in->trace, to, &op, piece, PIECE)) > 0)
		fwrite(piece, 1, (size_t)n, out);
	fclose(out);
	return text;
}

char *file_text(const char *path, size_t *len)
{
	size_t path_len = strlen(path);
	int packed = path_len > 3 && strcmp(path + path_len - 3, ".gz") == 0;
	char command[1200], buf[65536], *text = NULL;
	size_t n;

	snprintf(command, sizeof(command), "gzip -dc '%.1000s'", path);
	FILE *in = packed ? popen(command, "r") : fopen(path, "rb");
	if (!in)
		return NULL;
	FILE *out = open_memstream(&text, len);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, n, out);
	fclose(out);
	if (packed)
		pclose(in);
	else
		fclose(in);
	return text;
}
