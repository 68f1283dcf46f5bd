/*
 * inferred_names.c - names the caches of allocations whose events do not.
 *
 *	kmem_cache_alloc: call_site=getname_flags+0x24/0x60 ptr=…a000 bytes_req=4096 bytes_alloc=4096	no name before 6.18
 *	kmem_cache_free: call_site=putname+0x4f/0x60 ptr=…a000 name=names_cache				since 5.12
 *
 * While a trace is read, the allocations of each call site and slot size share one cache, whose id is the
 * call site. At the end it gets the name given in the frees of its objects, if at least three of four such frees agree.
 * Otherwise the snapshot of the machine may name it (below), or it stays a nameless cache, such as size-4096. Then
 * caches of the same name and slot size become one, and so do those that the machine has merged.
 */
#include "util/text.h"
#include "import/sites.h"
#include "sim/cache.h"

/*
 * Uses the snapshot of the machine to name caches that neither their allocations nor their frees name.
 *
 *	kmem_cache_alloc: call_site=vm_area_dup+0x12 … bytes_req=200 bytes_alloc=200	before 6.18, without a name
 *	/sys/kernel/slab/vm_area_struct -> :A-0000200, object_size 200			the machine's only cache of that size
 *
 * Where several caches of the machine have that size, the function that allocates may decide: in every kernel it takes its
 * objects from the same cache. The machine must have a cache of that name with slots of the recorded size.
 *
 * Sources: the callers of kmem_cache_alloc() in Linux 4.19 to 6.12, with their caches.
 */

/* Functions, and the caches from which they allocate. */
static const struct {
	const char *functions[4], *caches[4];
} known_sites[] = {
	{ { "alloc_buffer_head" }, { "buffer_head" } },
	{ { "__alloc_file", "alloc_empty_file" }, { "filp" } },
	{ { "alloc_inode" }, { "inode_cache" } },
	{ { "alloc_pid" }, { "pid" } },
	{ { "__alloc_skb" }, { "skbuff_head_cache", "skbuff_fclone_cache" } },
	{ { "alloc_vmap_area" }, { "vmap_area" } },
	{ { "anon_vma_clone" }, { "anon_vma_chain" } },
	{ { "__anon_vma_prepare", "anon_vma_fork" }, { "anon_vma", "anon_vma_chain" } },
	{ { "__build_skb", "build_skb", "napi_build_skb", "skb_clone" }, { "skbuff_head_cache" } },
	{ { "copy_fs_struct" }, { "fs_cache" } },
	{ { "copy_process" }, { "task_struct", "signal_cache", "sighand_cache", "mm_struct" } },
	{ { "create_nsproxy" }, { "nsproxy" } },
	{ { "create_task_io_context" }, { "blkdev_ioc" } },
	{ { "cred_alloc_blank", "prepare_creds", "prepare_kernel_cred" }, { "cred_jar" } },
	{ { "__d_alloc" }, { "dentry" } },
	{ { "__delayacct_tsk_init" }, { "task_delay_info" } },
	{ { "dst_alloc" }, { "ip_dst_cache", "ip6_dst_cache" } },
	{ { "dup_fd" }, { "files_cache" } },
	{ { "dup_mm", "mm_alloc" }, { "mm_struct" } },
	{ { "dup_task_struct" }, { "task_struct" } },
	{ { "ep_insert" }, { "eventpoll_epi" } },
	{ { "__es_insert_extent" }, { "ext4_extent_status" } },
	{ { "ext4_alloc_inode" }, { "ext4_inode_cache" } },
	{ { "ext4_init_io_end" }, { "ext4_io_end" } },
	{ { "getname_flags", "getname_kernel" }, { "names_cache" } },
	{ { "inet_bind_bucket_create" }, { "tcp_bind_bucket" } },
	{ { "__inet_hash_connect", "inet_csk_get_port" },
	  { "tcp_bind_bucket", "tcp_bind2_bucket" } },
	{ { "inet_reqsk_alloc", "reqsk_alloc" }, { "request_sock_TCP" } },
	{ { "inet_twsk_alloc" }, { "tw_sock_TCP" } },
	{ { "jbd2__journal_start" }, { "jbd2_journal_handle" } },
	{ { "jbd2_journal_add_journal_head" }, { "jbd2_journal_head" } },
	{ { "__kernfs_new_node" }, { "kernfs_node_cache" } },
	{ { "__khugepaged_enter" }, { "khugepaged_mm_slot", "mm_slot" } },
	{ { "kmalloc_reserve" }, { "skbuff_small_head" } },
	{ { "locks_alloc_lock" }, { "file_lock_cache" } },
	{ { "locks_get_lock_context" }, { "file_lock_ctx" } },
	{ { "lsm_file_alloc", "security_file_alloc" }, { "lsm_file_cache" } },
	{ { "lsm_inode_alloc", "security_inode_alloc" }, { "lsm_inode_cache" } },
	{ { "mas_alloc_nodes" }, { "maple_node" } },
	{ { "proc_alloc_inode" }, { "proc_inode_cache" } },
	{ { "__proc_create" }, { "proc_dir_entry" } },
	{ { "proc_reg_open" }, { "pde_opener" } },
	{ { "radix_tree_node_alloc", "xas_alloc", "xas_nomem" }, { "radix_tree_node" } },
	{ { "__send_signal", "__send_signal_locked", "__sigqueue_alloc" }, { "sigqueue" } },
	{ { "seq_open" }, { "seq_file" } },
	{ { "shmem_alloc_inode" }, { "shmem_inode_cache" } },
	{ { "sk_prot_alloc" }, { "UNIX", "TCP", "UDP", "RAW" } },
	{ { "sock_alloc_inode" }, { "sock_inode_cache" } },
	{ { "start_this_handle" }, { "jbd2_transaction_s" } },
	{ { "taskstats_exit" }, { "taskstats" } },
	{ { "vm_area_alloc", "vm_area_dup" }, { "vm_area_struct" } },
};

/* Returns 1 for "vm_area_dup", "vm_area_dup+0x12/0x70" and "vm_area_dup.isra.0+0x12". */
static int is_in(const char *call_site, const char *const *functions)
{
	for (u32 i = 0; i < 4 && functions[i]; i++) {
		u32 len = text_length(functions[i]);
		char behind = span_begins((const u8 *)call_site,
					  (const u8 *)call_site + text_length(call_site),
					  functions[i])
				      ? call_site[len]
				      : '?';
		if (!behind || behind == '+' || behind == '.')
			return 1;
	}
	return 0;
}

static const char *import_machine_name(const struct import *im, const char *call_site,
				       const struct trace_cache *cache)
{
	const struct machine_names *m = &im->trace->machine_names;
	const char *only = m->of_size(m->machine, cache->object_size, cache->size);

	for (u32 i = 0; !only && i < ARRAY_SIZE(known_sites); i++) {
		const char *const *names = known_sites[i].caches;
		if (!is_in(call_site, known_sites[i].functions))
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(known_sites[i].caches) && names[k]; k++)
			if (m->has(m->machine, names[k], cache->size))
				return names[k];
	}
	return only;
}

/*
 * Finds out whether the kernel has kmalloc caches for accounted objects, kmalloc-cg-….
 *
 * Linux has had them since 5.14, unless it was built without memory cgroups or booted without their accounting. An
 * event that names one proves it. A kernel has none if its release is older, if its kmem_cache_free lacks name= (before
 * 5.12), if a free names kmalloc-64 for an accounted object, if its own counters name only plain kmalloc caches, or if
 * an accounted object shares a page with others. Without any such sign we assume that it has them, as most machines do.
 * The caches of the machine itself, if the caller knows them, decide before all of this.
 */

enum {
	LEAST_COUNTED = 32,	 /* accounted objects, until missing counters mean something */
	MOST_NEIGHBOURS = 65536, /* objects looked for in the pages of others */
	LARGEST_SHARED = 2048,	 /* bytes: a page has two such objects */
	PAGE_BYTES = 4096,	 /* no kernel has smaller pages */
};

/* Signs that the trace has. */
struct signs {
	u64 accounted; /* kmalloc requests */
	u32 is_named;  /* some cache is called kmalloc-cg-… */
	u32 is_plain;  /* a free names a plain cache for an accounted object */
};

static int begins(const struct import *im, u32 text, const char *with)
{
	const u8 *at = (const u8 *)im->trace->text + text;

	return text && text != NAME_KNOWN &&
	       span_begins(at, at + text_length((const char *)at), with);
}

static int is_accounting(const struct import *im, u32 text)
{
	return begins(im, text, "kmalloc-cg-");
}

static struct signs read_signs(const struct import *im)
{
	const struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;
	struct signs signs = { 0 };

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		int is_request = site->kind == OP_KMALLOC && site->kmalloc_type == KMALLOC_CGROUP;
		signs.is_named |= is_accounting(im, uses[i].freed_as) ||
				  (site->was == OP_FREE && is_accounting(im, site->cache_name));
		if (!is_request)
			continue;
		signs.accounted += uses[i].ops;
		signs.is_plain |= begins(im, uses[i].freed_as, "kmalloc-") &&
				  !is_accounting(im, uses[i].freed_as);
	}
	for (u32 i = 0; i < t->nr_caches; i++)
		signs.is_named |= is_accounting(im, t->caches[i].name);
	return signs;
}

static int is_before_5_14(const struct trace *t)
{
	static const u32 since[NR_RELEASE_PARTS] = { 5, 14, 0 };
	u32 part[NR_RELEASE_PARTS] = { 0 };

	return release_version(t->kernel, part) && release_is_newer(since, part);
}

/* Kernels with the _node events wrote no names before 5.12. */
static int is_before_5_12(const struct import *im)
{
	return !im->has_free_names && kind_at(im, KIND_CACHE_FREE)->lines &&
	       kind_at(im, KIND_KMALLOC_NODE)->lines + kind_at(im, KIND_CACHE_ALLOC_NODE)->lines;
}

/* Whether the kernel's own counters name only plain kmalloc caches: 1, or 0. If they name others, *is_named is 1. */
static int counts_plain_only(const struct import *im, u32 *is_named)
{
	const struct trace *t = im->trace;
	const struct kmem_kernel_counters_row *rows = t->counters_run.at;
	int has_plain = 0;

	for (u32 i = 0; i < t->nr_counters_rows; i++) {
		*is_named |= (u32)is_accounting(im, rows[i].name_at);
		has_plain |= begins(im, rows[i].name_at, "kmalloc-");
	}
	return has_plain && !*is_named;
}

/* Whether a live accounted object shares its page with one that is not, of the same class. */
static int shares_page(const struct import *im, const struct hash_slot *object, u32 *left)
{
	const struct site *sites = im->trace->sites, *own = &sites[alloc_site_of(object)];
	u32 bytes = own->slot;
	u64 page = object->key & ~(u64)(PAGE_BYTES - 1);

	if (!bytes || bytes > LARGEST_SHARED || bytes & (bytes - 1))
		return 0;
	for (u64 at = page; at < page + PAGE_BYTES && *left; at += bytes, --*left) {
		const struct hash_slot *other = hash_find(&im->pointers, at);
		const struct site *site = other->taken ? &sites[alloc_site_of(other)] : own;
		if (site->kind == OP_KMALLOC && site->slot == bytes &&
		    site->kmalloc_type == KMALLOC_NORMAL)
			return 1;
	}
	return 0;
}

/* Whether objects that live at the end show that they share pages. Hashed pointers show nothing. */
static int pages_are_shared(const struct import *im)
{
	const struct trace *t = im->trace;
	const struct hash_slot *slots = im->pointers.run.at;
	u32 left = MOST_NEIGHBOURS;

	for (u64 i = 0; !t->report.hashed && slots && i <= im->pointers.mask && left; i++) {
		const struct site *site = &t->sites[slots[i].taken ? alloc_site_of(&slots[i]) : 0];
		if (slots[i].taken && site->kind == OP_KMALLOC &&
		    site->kmalloc_type == KMALLOC_CGROUP && shares_page(im, &slots[i], &left))
			return 1;
	}
	return 0;
}

static int has_no_accounting(const struct import *im)
{
	struct signs signs = read_signs(im);
	int counts_plain = counts_plain_only(im, &signs.is_named);

	if (!signs.accounted || signs.is_named)
		return 0;
	return im->trace->lacks_accounting || is_before_5_14(im->trace) || is_before_5_12(im) ||
	       signs.is_plain || (counts_plain && signs.accounted >= LEAST_COUNTED) ||
	       pages_are_shared(im);
}

static int import_accounting(struct import *im)
{
	struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;

	if (!has_no_accounting(im))
		return 0;
	for (u32 i = 0; i < t->nr_sites && im->status == KMEM_OK; i++) {
		struct site *site = &t->sites[i];
		if (site->kmalloc_type != KMALLOC_CGROUP)
			continue;
		site->kmalloc_type = KMALLOC_NORMAL;
		if (site->kind != OP_KMALLOC)
			continue;
		site->cache_name = kmalloc_name(im, KMALLOC_NORMAL, site->slot);
		struct kmem_trace_cache_row *rows = im->rows.at;
		if (uses[i].row != ROW_NONE && is_accounting(im, rows[uses[i].row].name_at))
			rows[uses[i].row].name_at = site->cache_name;
	}
	return 1;
}

/* A cache of allocations without a name. */
struct nameless {
	u32 cache;	 /* number; they ascend */
	u32 row;	 /* row of the report, or ROW_NONE */
	u32 name;	 /* text: the candidate for its name, 0: none yet */
	u32 lead, named; /* frees with that name less the others; all frees with a name */
};

void import_freed_as(struct site_use *use, u32 name)
{
	use->named_frees++;
	if (use->freed_as == name) {
		use->lead++;
	} else if (!use->lead) {
		use->freed_as = name;
		use->lead = 1;
	} else {
		use->lead--;
	}
}

int import_nameless(struct import *im, u32 cache, u32 row)
{
	if (!import_grow(im, &im->nameless, (im->nr_nameless + 1) * sizeof(struct nameless)))
		return 0;
	((struct nameless *)im->nameless.at)[im->nr_nameless++] = (struct nameless){ .cache = cache,
										     .row = row };
	return 1;
}

/* Adds one site's vote. The candidate that is left has the majority, if there is one. */
static void add_vote(struct nameless *n, const struct site_use *use)
{
	n->named += use->named_frees;
	if (!n->name || n->name == use->freed_as) {
		n->name = use->freed_as;
		n->lead += use->lead;
	} else if (n->lead >= use->lead) {
		n->lead -= use->lead;
	} else {
		n->name = use->freed_as;
		n->lead = use->lead - n->lead;
	}
}

static struct nameless *nameless_of(const struct import *im, u32 cache)
{
	struct nameless *all = im->nameless.at;
	u32 low = 0, high = im->nr_nameless;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		if (all[middle].cache < cache)
			low = middle + 1;
		else
			high = middle;
	}
	return low < im->nr_nameless && all[low].cache == cache ? &all[low] : NULL;
}

/* While it has no name, its id is its call site. */
static void name_by_machine(struct import *im, struct trace_cache *cache)
{
	const char *name = import_machine_name(im, trace_text(im->trace, cache->id), cache);

	if (name)
		cache->name = intern_text(im, name);
}

/* The machine has one cache where these have two names. The first one found stands for both. */
static void merge_as_machine(struct import *im)
{
	struct trace *t = im->trace;
	const struct machine_names *m = &t->machine_names;

	for (u32 i = 0; m->machine && i < t->nr_caches; i++)
		t->caches[i].id =
			intern_text(im, m->target(m->machine, trace_text(t, t->caches[i].name)));
}

/* Counts the votes, and gives each nameless cache and its row the name. */
static void give_names(struct import *im)
{
	struct trace *t = im->trace;
	const struct site_use *uses = im->uses.at;
	struct kmem_trace_cache_row *rows = im->rows.at;
	struct nameless *all = im->nameless.at;

	for (u32 i = 0; i < t->nr_sites; i++) {
		const struct site *site = &t->sites[i];
		struct nameless *n = site->was == OP_ALLOC ? nameless_of(im, site->cache) : NULL;
		if (n && uses[i].freed_as && uses[i].freed_as != NAME_KNOWN)
			add_vote(n, &uses[i]);
	}
	for (u32 i = 0; i < im->nr_nameless; i++) {
		struct trace_cache *cache = &t->caches[all[i].cache];
		/* Three of four agree if they lead the others by half of all. */
		if (all[i].name && all[i].lead >= all[i].named - all[i].named / 2)
			cache->name = all[i].name;
		else if (t->machine_names.machine)
			name_by_machine(im, cache);
		cache->id = cache->name;
		if (all[i].row != ROW_NONE)
			rows[all[i].row].name_at = cache->name;
	}
}

/* Joins caches with the same id and slot size. to[i] is the new number of cache i. */
static void join_caches(struct trace *t, u16 *to)
{
	u32 nr = 0;

	for (u32 i = 0; i < t->nr_caches; i++) {
		const struct trace_cache cache = t->caches[i];
		u32 k = 0;
		while (k < nr && (t->caches[k].id != cache.id || t->caches[k].size != cache.size))
			k++;
		if (k == nr)
			t->caches[nr++] = cache;
		else
			t->caches[k].object_size = MAX(t->caches[k].object_size, cache.object_size);
		to[i] = (u16)k;
	}
	t->nr_caches = nr;
}

static void name_caches(struct import *im)
{
	struct trace *t = im->trace;
	u64 bytes = t->nr_caches * sizeof(u16);
	u32 nr_before = t->nr_caches;
	u16 *to;

	if (!im->nr_nameless || !(to = import_block(im, bytes)))
		return;
	give_names(im);
	merge_as_machine(im);
	join_caches(t, to);
	for (u32 i = 0; i < t->nr_sites; i++) {
		struct site *site = &t->sites[i];
		if (site->cache < nr_before)
			site->cache = to[site->cache];
		if (site->kind == OP_ALLOC)
			site->cache_name = t->caches[site->cache].name;
	}
	pool_free(t->pool, to, bytes);
}

/* Joins rows that now belong to the same cache. */
static void join_rows(struct import *im)
{
	struct site_use *uses = im->uses.at;
	u64 bytes = im->nr_rows * sizeof(u32);
	u32 nr_before = im->nr_rows, *to = bytes ? import_block(im, bytes) : NULL;
	const struct kmem_trace_cache_row *rows = im->rows.at;

	if (!to)
		return;
	im->nr_rows = 0;
	/* A row's new place is never after its old one. */
	for (u32 i = 0; i < nr_before; i++)
		to[i] = row_of(im, rows[i].name_at, rows[i].size);
	for (u32 i = 0; i < im->trace->nr_sites; i++)
		if (uses[i].row != ROW_NONE)
			uses[i].row = to[uses[i].row];
	pool_free(im->trace->pool, to, bytes);
}

void import_settle(struct import *im)
{
	/* A slabtrace or a workload states all of this itself. */
	if (im->status != KMEM_OK || !im->format || im->format == &format_slabtrace ||
	    im->format->is_made)
		return;
	name_caches(im);
	if (import_accounting(im) || im->nr_nameless)
		join_rows(im);
}
