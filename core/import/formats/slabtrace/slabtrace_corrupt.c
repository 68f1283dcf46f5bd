/*
 * slabtrace_corrupt.c - `corrupt KIND ID [at=OFFSET] [len=N] [value=0xNN] cpu=N`: code writes or
 * frees memory that it does not own.
 */
#include "import/formats/slabtrace/slabtrace.h"

enum {
	DEFAULT_WRITE_BYTES = 8,
	DEFAULT_WRITE_VALUE = 0x41,
	DEFAULT_WILD_OFFSET = 8,
	MAX_WRITE_BYTES = 1 << 20,
};

static const struct {
	const char *word;
	u32 keys; /* allowed besides cpu= and t= */
} kinds[] = {
	[CORRUPT_WRITE] = { "write", 1u << KEY_AT | 1u << KEY_LEN | 1u << KEY_VALUE },
	[CORRUPT_DOUBLE_FREE] = { "double-free", 0 },
	[CORRUPT_WILD_FREE] = { "wild-free", 1u << KEY_AT },
	[CORRUPT_FREELIST] = { "freelist", 1u << KEY_VALUE },
};

static u32 read_kind(struct words *w)
{
	struct span word = words_next(w);
	u32 kind = 0;

	while (kind < ARRAY_SIZE(kinds) && !words_is(&word, kinds[kind].word))
		kind++;
	if (kind == ARRAY_SIZE(kinds))
		words_complain(w, word.at, "expected write, double-free, wild-free or freelist");
	return kind;
}

static int read_values(struct words *w, struct trace_corruption *c)
{
	u64 len = DEFAULT_WRITE_BYTES;

	c->at = c->kind == CORRUPT_WILD_FREE ? DEFAULT_WILD_OFFSET : 0;
	c->value = DEFAULT_WRITE_VALUE;
	if (w->given[KEY_AT] && !words_read_offset(w, KEY_AT, MAX_CACHE_OBJECT_BYTES, &c->at))
		return 0;
	if (w->given[KEY_LEN] &&
	    (!words_read_number(w, &w->value[KEY_LEN], MAX_WRITE_BYTES, &len,
				"expected len=<number of bytes, at most 1048576>") ||
	     !len))
		return words_complain(w, w->value[KEY_LEN].at,
				      "expected len=<number of bytes, 1 to 1048576>");
	c->len = (u32)len;
	return !w->given[KEY_VALUE] || words_read_byte(w, KEY_VALUE, &c->value);
}

/* The number of the corruption in the trace. Many lines may share one. */
static u32 keep(struct import *im, const struct trace_corruption *c)
{
	struct trace *t = im->trace;
	u32 nr = t->nr_corruptions;

	if (nr && memcmp(&t->corruptions[nr - 1], c, sizeof(*c)) == 0)
		return nr - 1;
	if (!import_grow(im, &t->corruption_run, (nr + 1) * (u64)sizeof(*c)))
		return 0;
	t->corruptions = t->corruption_run.at;
	t->corruptions[nr] = *c;
	return t->nr_corruptions++;
}

void line_corrupt(struct words *w, const struct span *word)
{
	struct import *im = w->im;
	struct trace_corruption c = { 0 };
	struct op op = { .kind = OP_CORRUPT };
	u64 key = 0, time = 0;
	u32 kind = read_kind(w), alloc_site = 0, live = 0;

	if (kind == ARRAY_SIZE(kinds) || !words_read_id(w, &key) ||
	    !words_read_keys(w, 1u << KEY_CPU | 1u << KEY_T | kinds[kind].keys) ||
	    !words_read_cpu(w, &op.cpu, 1) || !words_read_time(w, &time))
		return;
	c.kind = (u8)kind;
	if (!read_values(w, &c))
		return;
	if (kind == CORRUPT_DOUBLE_FREE && pointer_find(im, key)) {
		words_complain(w, im->line, "the object with this ID is live: free it once first");
		return;
	}
	if (!single_out(im, key, &op.handle, &alloc_site, &live)) {
		words_complain(w, im->line,
			       "no object with this ID is live, and none was freed lately");
		return;
	}
	const struct site *alloc = &im->trace->sites[alloc_site];
	c.live = (u16)live;
	c.bytes = alloc->bytes;
	struct recipe recipe = { .op = OP_CORRUPT,
				 .node = (u16)NODE_ANY,
				 .cache = alloc->cache,
				 .kmalloc_type = alloc->kmalloc_type,
				 .kind_name = intern_span(im, word) };
	recipe.bytes_req = keep(im, &c);
	if (im->status != KMEM_OK)
		return;
	words_count_kind(w, word);
	op.site = import_site(im, &recipe);
	import_op(im, &op, time);
}
