/*
 * print_object.c - `slabscope state --object CACHE/SLAB/INDEX`: prints one object as it lies in memory.
 */
#include "cli/host/target.h"
#include "cli/print/named_fields.h"
#include "cli/print/print.h"
#include "cli/text/names.h"

enum { NONE = 0xffffffff };

static void link_json(struct json *j, const struct host *h, const struct kmem_object_row *o)
{
	if (!o->link_address) {
		json_null(j, "link");
		return;
	}
	json_row(j, "link");
	fields_json(
		j, h, ROW(kmem_object_row, o),
		"offset=link_offset,address=link_address:hex,pointer:hex,secret:hex,swapped:hex,"
		"stored:hex,next?");
	json_end(j);
}

static void byte_json(struct json *j, const char *key, u32 byte)
{
	if (byte > 0xff)
		json_null(j, key);
	else
		json_number(j, key, byte);
}

/* Writes the overwritten bytes, by their offset from the object. */
static void overwritten_json(struct json *j, const struct host *h, const struct kmem_object_row *o)
{
	u32 nr;
	const struct kmem_byte_run *runs = kmem_object_bytes(h->session, o->cache, o->slab,
							     o->index, &nr);

	json_array(j, "overwritten");
	for (u32 i = 0; i < nr; i++) {
		if (!runs[i].overwritten)
			continue;
		json_row(j, NULL);
		json_signed(j, "at", (s64)runs[i].start - o->left_bytes);
		json_number(j, "bytes", runs[i].end - runs[i].start);
		byte_json(j, "found", runs[i].found);
		byte_json(j, "expected", runs[i].expected);
		json_end(j);
	}
	json_end(j);
}

static void print_overwritten(const struct host *h, const struct kmem_object_row *o)
{
	u32 nr;
	const struct kmem_byte_run *runs = kmem_object_bytes(h->session, o->cache, o->slab,
							     o->index, &nr);

	for (u32 i = 0; i < nr; i++) {
		if (!runs[i].overwritten)
			continue;
		printf("  %+6lld  overwritten    %s of 0x%02x",
		       (long long)runs[i].start - o->left_bytes,
		       counted(runs[i].end - runs[i].start, "byte").s, runs[i].found);
		if (runs[i].expected <= 0xff)
			printf(" instead of 0x%02x", runs[i].expected);
		puts("");
	}
}

static void print_json(struct host *h, const struct kmem_object_row *o, const char *name)
{
	struct json j = json_to(stdout);

	json_object(&j, NULL);
	json_text(&j, "cache", name);
	fields_json(&j, h, ROW(kmem_object_row, o),
		    "slab,index,state:kmem_cell,damaged:bool,address:hex,slab_address:hex");
	json_row(&j, "layout");
	fields_json(&j, h, ROW(kmem_object_row, o),
		    "slot,slot_bytes,left_bytes,object_bytes,right_bytes,link_offset,tracks_offset,"
		    "tracks_bytes,padding_offset,padding_bytes");
	json_end(&j);
	link_json(&j, h, o);
	overwritten_json(&j, h, o);
	fields_json(&j, h, ROW(kmem_object_row, o), "requested,handle?");
	track_json(&j, h, "allocated", o->alloc_op, o->alloc_cpu, o->alloc_time, o->alloc_site_at);
	track_json(&j, h, "freed", o->free_op, o->free_cpu, o->free_time, o->free_site_at);
	json_end(&j);
}

static void print_part(const char *what, s64 from, u32 bytes)
{
	if (bytes)
		printf("  %+6lld  %-14s %s\n", (long long)from, what, counted(bytes, "byte").s);
}

/* Prints the offset of each part from the object. */
static void print_layout(const struct kmem_object_row *o)
{
	printf("  slot of %s, %s from the start of the slab:\n", counted(o->slot_bytes, "byte").s,
	       counted(o->slot, "byte").s);
	print_part("red zone", -(s64)o->left_bytes, o->left_bytes);
	print_part("object", 0, o->object_bytes);
	print_part("to its end", o->object_bytes, o->right_bytes);
	if (o->link_address && o->link_offset >= o->object_bytes + o->right_bytes)
		print_part("free pointer", o->link_offset, 8);
	print_part("tracks", o->tracks_offset, o->tracks_bytes);
	print_part("padding", o->padding_offset, o->padding_bytes);
}

static void print_link(const struct kmem_object_row *o)
{
	printf("  free pointer at %+d, address 0x%016llx\n", (int)o->link_offset,
	       (unsigned long long)o->link_address);
	if (o->state == CELL_ALLOCATED || o->state == CELL_LOST || o->state == CELL_INFERRED)
		return;
	printf("    pointer   0x%016llx  ", (unsigned long long)o->pointer);
	if (o->next != NONE)
		printf("object %u is next\n", o->next);
	else
		puts(o->pointer ? "no object of this slab" : "the list ends here");
	if (o->secret) {
		printf("    ^ secret  0x%016llx  of the cache\n", (unsigned long long)o->secret);
		printf("    ^ swapped 0x%016llx  its address, last byte first\n",
		       (unsigned long long)o->swapped);
	}
	printf("    = stored  0x%016llx\n", (unsigned long long)o->stored);
}

static void print_owner(const struct host *h, const char *what, u32 op, u32 cpu, u32 site_at)
{
	if (op == NONE)
		return;
	printf("  last %s by event %s on CPU %u", what, event_number(op).s, cpu);
	if (site_at)
		printf(" in %s", plain(host_text(h, site_at)));
	puts("");
}

static void print_text(const struct host *h, const struct kmem_object_row *o, const char *name)
{
	printf("object %u of slab %u of %s: %s\n", o->index, o->slab, plain(name),
	       enum_words("kmem_cell", o->state));
	printf("  address 0x%016llx\n", (unsigned long long)o->address);
	print_layout(o);
	if (o->link_address)
		print_link(o);
	if (o->requested)
		printf("  %s asked for\n", counted(o->requested, "byte").s);
	print_overwritten(h, o);
	print_owner(h, "allocated", o->alloc_op, o->alloc_cpu, o->alloc_site_at);
	print_owner(h, "freed", o->free_op, o->free_cpu, o->free_site_at);
}

int check_object(const struct args *args)
{
	char name[MAX_NAME_BYTES];
	u32 number[2];

	if (!GIVEN(args, OBJECT) || parse_place(args->text[OPT_OBJECT], name, number, 2))
		return EXIT_DONE;
	complain("--object %.80s is not CACHE/SLAB/INDEX, as in dentry/3/7",
		 args->text[OPT_OBJECT]);
	return EXIT_CALL;
}

int show_object(struct host *h, const struct args *args, const struct cache_names *names)
{
	const char *word = args->text[OPT_OBJECT];
	char name[MAX_NAME_BYTES];
	u32 cache, number[2];

	parse_place(word, name, number, 2);
	int status = find_cache(names, name, &cache);
	if (status)
		return status;
	const struct kmem_object_row *o = kmem_object(h->session, cache, number[0], number[1]);
	if (!o) {
		complain("--object %.80s: %s", word, kmem_error(h->session));
		return EXIT_CALL;
	}
	kernel_note_now(h);
	if (GIVEN(args, JSON))
		print_json(h, o, names->of[cache]);
	else
		print_text(h, o, names->of[cache]);
	return host_verdict(h);
}
