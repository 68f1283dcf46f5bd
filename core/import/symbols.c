/*
 * symbols.c - see symbols.h. /proc/kallsyms and System.map have lines such as
 *
 *	ffffffff81e8a2d0 T __alloc_skb
 *	ffffffffc0431000 t ext4_alloc_inode	[ext4]
 */
#include "import/importer.h"

#include "import/import.h"
#include "util/heap.h"
#include "util/text.h"

enum {
	LINE_BYTES = 768, /* a symbol has at most 512 bytes; the rest of a longer line is dropped */
	NAME_BYTES = 136,
	MODULE_BYTES = 64, /* MODULE_NAME_LEN with its brackets */
	LARGEST_FUNCTION_BYTES = 1 << 20,
	BARE_DIGITS = 8, /* digits of an address without 0x, or twice as many */
};

/* An address of the trace, and the symbols beside it. */
struct address {
	u64 at;
	u64 below,
		above; /* the last symbol at or below it, and the first one above it; 0: none yet */
	u32 text;      /* symbol+0xoffset, once it is known */
	u8 is_code;    /* the symbol below is code */
	char name[NAME_BYTES], module[MODULE_BYTES];
	char module_above[MODULE_BYTES];
};

struct symbols {
	u32 nr, len; /* addresses; bytes of the line so far */
	u64 nr_symbols, nr_hidden;
	char line[LINE_BYTES];
	struct address at[];
};

static struct symbols *symbols_of(const struct trace *t)
{
	return t->symbols_run.at;
}

/* Addresses */

/* Returns the address that a text is: 0x…, or 8 or 16 digits as older kernels print it. 0 for any other text. */
static u64 address_of(const char *text)
{
	const u8 *p = (const u8 *)text, *end = p + text_length(text);
	int bare = !span_begins(p, end, "0x");
	u64 number;

	if (!bare)
		p += 2;
	else if (end - p != BARE_DIGITS && end - p != 2 * BARE_DIGITS)
		return 0;
	return scan_hex(p, end, &number) ? number : 0;
}

/* Returns the first address that is at least `at`; x->nr if there is none. */
static u32 first_from(const struct symbols *x, u64 at)
{
	u32 low = 0, high = x->nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		if (x->at[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

s32 symbols_begin(struct trace *t)
{
	struct buffer heap = { 0 };
	u32 nr = 0;

	if (!buffer_grow(t->pool, &heap, (t->nr_sites + (u64)1) * sizeof(struct heap_item)))
		return KMEM_ENOMEM;
	for (u32 i = 0; i < t->nr_sites; i++) {
		u64 at = address_of(trace_text(t, t->sites[i].call_site));
		if (at)
			heap_push(heap.at, &nr, (struct heap_item){ at, 0, 0 });
	}
	buffer_free(t->pool, &t->symbols_run);
	int has_room = buffer_grow(t->pool, &t->symbols_run,
				   sizeof(struct symbols) + (u64)nr * sizeof(struct address));
	struct symbols *x = symbols_of(t);
	while (has_room && nr) {
		u64 at = heap_pop(heap.at, &nr).at;
		if (!x->nr || x->at[x->nr - 1].at != at)
			x->at[x->nr++].at = at;
	}
	buffer_free(t->pool, &heap);
	return has_room ? KMEM_OK : KMEM_ENOMEM;
}

/* Lines */

/* Returns the end of the word at p, or NULL if it has bytes that a text must not have. */
static const u8 *word_end(const u8 *p, const u8 *end)
{
	while (p < end && *p > ' ' && *p < 0x7f)
		p++;
	return p == end || *p == ' ' || *p == '\t' ? p : NULL;
}

static void put(char *to, u32 room, const u8 *p, const u8 *end)
{
	struct text out = text_in(to, room);

	text_add_n(&out, (const char *)p, (u32)(end - p));
}

/* Symbols at one address: the first of the file names it, as in the kernel. */
static void add_symbol(struct symbols *x, u64 at, u8 type, struct range name, struct range module)
{
	u32 i = first_from(x, at);
	struct address *below = i < x->nr ? &x->at[i] : NULL, *above = i ? &x->at[i - 1] : NULL;

	if (below && at > below->below) {
		below->below = at;
		below->is_code = (type | 0x20) == 't' || (type | 0x20) == 'w';
		put(below->name, sizeof(below->name), name.at, name.end);
		put(below->module, sizeof(below->module), module.at, module.end);
	}
	if (above && (!above->above || at < above->above)) {
		above->above = at;
		put(above->module_above, sizeof(above->module_above), module.at, module.end);
	}
}

static void read_line(struct symbols *x)
{
	const u8 *p = (const u8 *)x->line, *end = p + x->len, *digits = word_end(p, end);
	struct range name, module = { end, end };
	u64 at;

	if (!digits || !scan_hex(p, digits, &at) || end - digits < 4 || digits[2] != ' ')
		return;
	name = (struct range){ digits + 3, word_end(digits + 3, end) };
	if (!name.end || name.end == name.at)
		return;
	x->nr_symbols++;
	x->nr_hidden += !at;
	if (name.end < end && name.end[1] == '[')
		module = (struct range){ name.end + 1, word_end(name.end + 1, end) };
	if (at && module.end)
		add_symbol(x, at, digits[1], name, module);
}

int symbols_chunk(struct trace *t, const u8 *bytes, u32 len_bytes)
{
	struct symbols *x = symbols_of(t);

	for (u32 i = 0; x && i < len_bytes; i++) {
		if (bytes[i] == '\n') {
			read_line(x);
			x->len = 0;
		} else if (x->len < LINE_BYTES) {
			x->line[x->len++] = (char)bytes[i];
		}
	}
	return x != NULL;
}

/* Names */

/* A symbol next to an address is also next to its neighbours, if no other symbol lies between them. */
static void spread(struct symbols *x)
{
	for (u32 i = 1; i < x->nr; i++) {
		struct address *a = &x->at[i], *before = a - 1;
		if (a->below || !before->below)
			continue;
		a->below = before->below;
		a->is_code = before->is_code;
		memcpy(a->name, before->name, sizeof(a->name));
		memcpy(a->module, before->module, sizeof(a->module));
	}
	for (u32 i = x->nr; i-- > 1;) {
		struct address *a = &x->at[i], *before = a - 1;
		if (before->above)
			continue;
		before->above = a->above;
		memcpy(before->module_above, a->module_above, sizeof(a->module_above));
	}
}

/* Returns 1 if the address lies in a function of the file. */
static int is_named(const struct address *a)
{
	return a->below && a->is_code && a->at - a->below < LARGEST_FUNCTION_BYTES;
}

/* Writes the name as ftrace prints it. The end of a module's last function is unknown. */
static void name_of(const struct address *a, char *buf, u32 room)
{
	struct text out = text_in(buf, room);

	text_print(&out, "%s+", a->name);
	text_add_hex(&out, a->at - a->below, 1);
	if (a->above && a->above - a->below < LARGEST_FUNCTION_BYTES &&
	    text_is(a->module, a->module_above)) {
		text_add(&out, "/");
		text_add_hex(&out, a->above - a->below, 1);
	}
	if (a->module[0])
		text_print(&out, " %s", a->module);
}

static s64 refuse_symbols(struct trace *t, const struct symbols *x, u32 named)
{
	struct text out = text_in(t->error, sizeof(t->error));

	if (!x->nr_symbols) {
		text_add(
			&out,
			"No symbols found: expected lines such as `ffffffff81e8a2d0 T __alloc_skb`; use /proc/kallsyms of the machine that recorded the "
			"trace.");
	} else if (x->nr_hidden == x->nr_symbols) {
		text_add(&out, "All addresses are 0, because the kernel hides them from users "
			       "(kptr_restrict): read /proc/kallsyms as root.");
	} else {
		text_print(
			&out,
			"These symbols do not fit the trace: only %u of its %u call-site addresses "
			"lie in a function. Use /proc/kallsyms from the same boot, because the kernel moves with each boot (KASLR).",
			named, x->nr);
	}
	return KMEM_EINPUT;
}

/* Stores the names as texts of the trace, then puts them into the sites. */
static s64 name_sites(struct trace *t)
{
	struct symbols *x = symbols_of(t);
	char name[NAME_BYTES + MODULE_BYTES + 48];
	struct import *im = import_new(t);
	s64 status = im && import_knows_texts(im) ? KMEM_OK : KMEM_ENOMEM;

	for (u32 i = 0; i < x->nr && !status; i++) {
		if (!is_named(&x->at[i]))
			continue;
		name_of(&x->at[i], name, sizeof(name));
		x->at[i].text = intern_text(im, name);
		status = im->status;
	}
	for (u32 i = 0; i < t->nr_sites && !status; i++) {
		u64 at = address_of(trace_text(t, t->sites[i].call_site));
		u32 text = at ? x->at[first_from(x, at)].text : 0;
		if (text)
			t->sites[i].call_site = text;
	}
	if (im)
		import_drop(t);
	return status;
}

s64 symbols_end(struct trace *t)
{
	struct symbols *x = symbols_of(t);
	const char *before = t->text;
	u32 named = 0;

	if (!x)
		return KMEM_ESTATE;
	read_line(x);
	spread(x);
	for (u32 i = 0; i < x->nr; i++)
		named += (u32)is_named(&x->at[i]);
	s64 status = x->nr_symbols == x->nr_hidden || named < x->nr - named
			     ? refuse_symbols(t, x, named)
			     : name_sites(t);
	report_moves(t, before);
	buffer_free(t->pool, &t->symbols_run);
	return status ? status : named;
}
