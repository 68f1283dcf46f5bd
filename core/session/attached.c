/*
 * attached.c - the core as an allocator: memory behind the page frames of a machine, and single requests for it.
 *
 *	memory: | page frames: objects at their own addresses … | sizes, a byte for each 8 bytes |
 *
 * The world does not know about this memory; only debugging reads and writes it (alloc/slub/slub_memory.c). The size of
 * a request is in the table of sizes, at its pointer. So a free finds the size of the request, and a pointer that is
 * not live is recognised.
 */
#include "session/job.h"
#include "session/session.h"
#include "sim/page.h"
#include "sim/cache.h"

/* A byte of the table, an entry: 0 for no object, a size up to SIZE_INLINE, or how many entries after it have the digits of
 * the size. Digits are marked, because other objects may start at their entries later, and pointers to them are not live.
 * */
enum {
	GRANULE_SHIFT = 3,
	SIZE_INLINE = 125,
	SIZE_IN_2,
	SIZE_IN_4,
	DIGIT = 0x80,
	DIGIT_BITS = 7,
	LEAST_ALIGN = 8
};

static u64 frame_bytes(const struct kmem_session *s)
{
	u64 page = (u64)1 << session_page_shift(s);

	return session_memory_bytes(s) & ~(page - 1);
}

u64 kmem_attach_bytes(struct kmem_session *s)
{
	return frame_bytes(s) + (frame_bytes(s) >> GRANULE_SHIFT);
}

/* Makes a machine that has replayed an empty trace. */
static s32 begin(struct kmem_session *s)
{
	static const char nothing[] = "slabtrace 1\n";
	s32 status = kmem_import_begin(s);

	s->attached = (struct attached){ 0 };
	if (!status)
		status = kmem_import_chunk(s, (const u8 *)nothing, sizeof(nothing) - 1);
	if (!status)
		status = kmem_import_end(s);
	return status ? status : begin_build(s, &(struct kmem_build_args){ 0 });
}

s32 kmem_attach(struct kmem_session *s, void *memory, u64 bytes)
{
	u64 page = (u64)1 << session_page_shift(s);

	if (!memory || (uintptr_t)memory & (page - 1) || bytes < kmem_attach_bytes(s))
		return session_fail(
			s, KMEM_EPARAM,
			"the memory is not aligned to a page, or shorter than kmem_attach_bytes()");
	s32 status = begin(s);
	if (status)
		return status;
	if (!s->replay.ops->address)
		return session_fail(s, KMEM_EPARAM, "this allocator cannot serve memory");
	s->attached = (struct attached){ memory, (u8 *)memory + frame_bytes(s), frame_bytes(s) };
	world_host(s->w)->memory = memory;
	return KMEM_OK;
}

static int is_attached(struct kmem_session *s)
{
	if (s->w && s->attached.base)
		return 1;
	session_fail(s, KMEM_ESTATE, "no memory is attached: call kmem_attach first");
	return 0;
}

static s32 no_memory(struct kmem_session *s)
{
	return session_fail(s, KMEM_ENOMEM, "the machine's memory is full");
}

s32 kmem_create(struct kmem_session *s, const char *name, u32 object_bytes, u32 align)
{
	struct cache_spec spec = { .name = name, .object_size = object_bytes, .align = align };

	if (!is_attached(s))
		return KMEM_ESTATE;
	if (s->replay.ops->shared_slabs)
		return session_fail(
			s, KMEM_EPARAM,
			"this allocator's pages do not know their caches: allocate from KMEM_ANY");
	if (!object_bytes || object_bytes > (u32)LARGEST_KMALLOC_CLASS || align & (align - 1) ||
	    align > 1u << session_page_shift(s))
		return session_fail(
			s, KMEM_EPARAM,
			"expected a size from 1 to 4 MiB, and a power of two up to a page");
	ref cache = world_has_room(s->w) ? replay_create_cache(&s->replay, &spec) : 0;
	if (!cache)
		return session_fail(s, KMEM_ELIMIT, "no room for another cache");
	return ((struct kmem_cache *)at(s->w, cache))->id;
}

/* Returns where a live object is. */
static u64 address_of(const struct kmem_session *s, handle h)
{
	const struct world *w = s->w;
	u32 shift = w->machine.page_shift;

	if (HANDLE_CACHE(h) == HANDLE_LARGE)
		return (u64)(LOC_SLAB(h) - 1) << shift;
	return s->replay.ops->address(w, cache_at(w, HANDLE_CACHE(h)), h);
}

static u32 nr_digits(u8 entry)
{
	return entry == SIZE_IN_2 ? 2 : entry == SIZE_IN_4 ? 4 : 0;
}

static u8 *entry_at(const struct kmem_session *s, u64 address)
{
	return s->attached.sizes + (address >> GRANULE_SHIFT);
}

static void put_size(struct kmem_session *s, u64 address, u32 bytes)
{
	u8 *entry = entry_at(s, address);

	entry[0] = (u8)(bytes <= SIZE_INLINE	    ? bytes
			: bytes >> (2 * DIGIT_BITS) ? (u32)SIZE_IN_4
						    : (u32)SIZE_IN_2);
	for (u32 i = nr_digits(entry[0]); i; i--, bytes >>= DIGIT_BITS)
		entry[i] = (u8)(DIGIT | bytes);
}

static void clear_size(struct kmem_session *s, u64 address)
{
	u8 *entry = entry_at(s, address);

	memset(entry, 0, 1 + nr_digits(entry[0]));
}

/* Returns the size of the request at a pointer, 0 if no live object starts there. */
static u32 size_at(const struct kmem_session *s, const void *p)
{
	u64 address = (u64)((const u8 *)p - s->attached.base);
	u32 bytes = 0;

	if ((const u8 *)p < s->attached.base || address >= s->attached.bytes ||
	    address & (LEAST_ALIGN - 1))
		return 0;
	const u8 *entry = entry_at(s, address);
	if (entry[0] & DIGIT)
		return 0;
	if (entry[0] <= SIZE_INLINE)
		return entry[0];
	for (u32 i = 1; i <= nr_digits(entry[0]); i++)
		bytes = bytes << DIGIT_BITS | (entry[i] & (DIGIT - 1u));
	return bytes;
}

/*
 * Whether the objects that serve the request lie at multiples of 16. Looks only at caches in use; a class that is a
 * power of two is aligned to its size.
 */
static int is_aligned_to_16(const struct kmem_session *s, u32 bytes)
{
	ref cache = replay_known_kmalloc(&s->replay, bytes);

	if (!cache)
		return bytes > 192 || (bytes > 96 && bytes <= 128) || bytes <= 64;
	const struct kmem_cache *of = at(s->w, cache);
	if (s->replay.ops->alignment)
		return s->replay.ops->alignment(s->w, of, bytes) % 16 == 0;
	return (of->size | of->red_left_pad) % 16 == 0;
}

/* Returns the bytes to request so that they contain an aligned place. */
static u32 with_room(const struct kmem_session *s, u32 bytes, u32 align)
{
	u32 page = 1u << s->w->machine.page_shift, power = align;

	if (align <= LEAST_ALIGN)
		return bytes;
	if (align <= 16) {
		bytes = MAX(bytes, LEAST_ALIGN + 1u);
		return is_aligned_to_16(s, bytes) ? bytes : bytes + align - LEAST_ALIGN;
	}
	if (align > page)
		return MAX(bytes, page) + align - LEAST_ALIGN;
	while (power < bytes)
		power *= 2;
	/* Requests larger than a page start at a page. */
	return power <= page ? power : MAX(bytes, page);
}

void *kmem_alloc(struct kmem_session *s, u32 cache, u32 bytes, u32 align, u32 cpu)
{
	u32 most = 1u << (session_page_shift(s) + MAX_ORDER);
	ref from = 0;

	if (!is_attached(s))
		return NULL;
	if (!world_has_room(s->w)) {
		no_memory(s);
		return NULL;
	}
	align = MAX(align, (u32)LEAST_ALIGN);
	if (cache == KMEM_ANY) {
		if (bytes > most || align > most || align & (align - 1))
			return session_none(s, KMEM_EPARAM,
					    "more bytes than the largest run of pages holds");
		bytes = with_room(s, MAX(bytes, 1u), align);
	} else if (cache >= s->w->nr_caches) {
		return session_none(s, KMEM_EPARAM, "expected a cache number");
	} else {
		from = ref_of(s->w, cache_at(s->w, cache));
		bytes = cache_at(s->w, cache)->object_size;
		align = LEAST_ALIGN;
	}
	if (bytes > most) {
		no_memory(s);
		return NULL;
	}
	cpu %= s->w->machine.nr_cpus;
	replay_begin(&s->replay, cpu);
	handle h = replay_alloc(&s->replay, cpu, from, bytes);
	if (!h) {
		no_memory(s);
		return NULL;
	}
	u64 address = ALIGN_UP(address_of(s, h), (u64)align);
	put_size(s, address, bytes);
	return s->attached.base + address;
}

/* Returns the handle of the object that contains the byte at p; 0: none. */
static handle handle_with(const struct kmem_session *s, const void *p)
{
	const struct world *w = s->w;
	u64 address = (u64)((const u8 *)p - s->attached.base);

	if ((const u8 *)p < s->attached.base || address >= s->attached.bytes)
		return 0;
	u32 pfn = (u32)(address >> w->machine.page_shift), owner = page_owner(w, pfn);
	if (owner <= 1)
		return owner ? LOC(pfn + 1, 0) | (u64)HANDLE_LARGE << 48 : 0;
	return s->replay.ops->object_with(w, owner, address);
}

/* Returns the handle of a live object of this many bytes that contains p. */
static handle live_handle(const struct kmem_session *s, const void *p, u32 bytes)
{
	handle h = handle_with(s, p);
	u32 order = order_of_bytes(s->w->machine.page_shift, bytes);

	KASSERT(h);
	if (HANDLE_CACHE(h) != HANDLE_LARGE)
		return h;
	return LOC(page_run_start(s->w, LOC_SLAB(h) - 1, order) + 1, order) | (u64)HANDLE_LARGE
										      << 48;
}

/* Frees something that is not a live object, as debugging sees it. */
static s32 bad_free(struct kmem_session *s, const void *p, u32 cpu)
{
	handle h = handle_with(s, p);

	if (h && HANDLE_CACHE(h) != HANDLE_LARGE && s->replay.ops->corrupt) {
		s64 from = (s64)((const u8 *)p - s->attached.base) - (s64)address_of(s, h);
		const struct corruption c = { .kind = CORRUPT_WILD_FREE, .at = (s32)from };
		replay_begin(&s->replay, cpu);
		replay_corrupt(&s->replay, HANDLE_CACHE(h), h, &c);
	}
	return session_fail(s, KMEM_EINPUT, "no live object starts there");
}

s32 kmem_free(struct kmem_session *s, void *p, u32 cpu)
{
	if (!is_attached(s))
		return KMEM_ESTATE;
	u32 bytes = size_at(s, p);
	cpu %= s->w->machine.nr_cpus;
	if (!bytes)
		return bad_free(s, p, cpu);
	handle h = live_handle(s, p, bytes);
	clear_size(s, (u64)((u8 *)p - s->attached.base));
	replay_begin(&s->replay, cpu);
	replay_free(&s->replay, cpu, h, bytes);
	return KMEM_OK;
}

u32 kmem_usable(struct kmem_session *s, const void *p)
{
	u32 bytes = is_attached(s) ? size_at(s, p) : 0, all = bytes;

	if (!bytes)
		return 0;
	handle h = live_handle(s, p, bytes);
	if (HANDLE_CACHE(h) == HANDLE_LARGE)
		all = 1u << (LOC_INDEX(h) + s->w->machine.page_shift);
	else if (!s->replay.ops->shared_slabs)
		all = cache_at(s->w, HANDLE_CACHE(h))->object_size;
	u64 end = address_of(s, h) + all;
	return (u32)(end - (u64)((const u8 *)p - s->attached.base));
}

u32 kmem_asked(struct kmem_session *s, const void *p)
{
	return is_attached(s) ? size_at(s, p) : 0;
}

u32 kmem_pointed(struct kmem_session *s, const void *p, u32 *slab, u32 *index)
{
	handle h = is_attached(s) ? handle_with(s, p) : 0;
	const struct kmem_ops *ops = s->replay.ops;

	*slab = *index = KMEM_NONE32;
	if (!h || HANDLE_CACHE(h) == HANDLE_LARGE)
		return KMEM_NONE;
	*slab = ops->serial(s->w, LOC_SLAB(h));
	*index = ops->cell ? ops->cell(s->w, HANDLE_CACHE(h), h) : LOC_INDEX(h);
	return HANDLE_CACHE(h);
}

s32 kmem_validate(struct kmem_session *s)
{
	if (!is_attached(s))
		return KMEM_ESTATE;
	/* Reports need room. */
	for (u32 i = 0; s->replay.ops->validate && i < s->w->nr_caches && world_has_room(s->w); i++)
		s->replay.ops->validate(s->w, cache_at(s->w, i));
	return KMEM_OK;
}

void *kmem_memory_at(struct kmem_session *s, u64 address)
{
	return is_attached(s) && address < s->attached.bytes ? s->attached.base + address : NULL;
}

const void *kmem_state(struct kmem_session *s, u64 *bytes)
{
	*bytes = s->w ? s->w->used : 0;
	return s->w;
}

s32 kmem_restore(struct kmem_session *s, const void *state, u64 bytes)
{
	s32 status = begin(s);
	const struct world *from = state;

	if (status)
		return status;
	if (bytes < sizeof(*from) || from->used != bytes ||
	    bytes + WORLD_HEADROOM_BYTES > world_host(s->w)->limit_bytes ||
	    memcmp(&from->policy, &s->w->policy, sizeof(from->policy)) != 0 ||
	    from->machine.nr_cpus != s->w->machine.nr_cpus)
		return session_fail(s, KMEM_EINPUT,
				    "the state is cut off, or from another machine");
	world_take(s->w, from);
	return KMEM_OK;
}
