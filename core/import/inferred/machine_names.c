/*
 * machine_names.c - names caches that neither their allocations nor their frees name, from the files of the machine.
 *
 *	kmem_cache_alloc: call_site=vm_area_dup+0x12 … bytes_req=200 bytes_alloc=200	before 6.18, without a name
 *	/sys/kernel/slab/vm_area_struct -> :A-0000200, object_size 200			the machine's only cache of that size
 *
 * Where several caches of the machine have that size, the function that allocates may decide: in every kernel it takes its
 * objects from the same cache. The machine must have a cache of that name with slots of the recorded size.
 *
 * Sources: the callers of kmem_cache_alloc() in Linux 4.19 to 6.12, with their caches.
 */
#include "import/inferred/inferred.h"
#include "util/text.h"

/* A function, and the caches from which it allocates. */
static const struct {
	const char *function;
	const char *caches[4];
} known_sites[] = {
	{ "__alloc_file", { "filp" } },
	{ "__alloc_skb", { "skbuff_head_cache", "skbuff_fclone_cache" } },
	{ "__anon_vma_prepare", { "anon_vma", "anon_vma_chain" } },
	{ "__build_skb", { "skbuff_head_cache" } },
	{ "__d_alloc", { "dentry" } },
	{ "__delayacct_tsk_init", { "task_delay_info" } },
	{ "__es_insert_extent", { "ext4_extent_status" } },
	{ "__inet_hash_connect", { "tcp_bind_bucket", "tcp_bind2_bucket" } },
	{ "__kernfs_new_node", { "kernfs_node_cache" } },
	{ "__khugepaged_enter", { "khugepaged_mm_slot", "mm_slot" } },
	{ "__proc_create", { "proc_dir_entry" } },
	{ "__send_signal", { "sigqueue" } },
	{ "__send_signal_locked", { "sigqueue" } },
	{ "__sigqueue_alloc", { "sigqueue" } },
	{ "alloc_buffer_head", { "buffer_head" } },
	{ "alloc_empty_file", { "filp" } },
	{ "alloc_inode", { "inode_cache" } },
	{ "alloc_pid", { "pid" } },
	{ "alloc_vmap_area", { "vmap_area" } },
	{ "anon_vma_clone", { "anon_vma_chain" } },
	{ "anon_vma_fork", { "anon_vma", "anon_vma_chain" } },
	{ "build_skb", { "skbuff_head_cache" } },
	{ "copy_fs_struct", { "fs_cache" } },
	{ "copy_process", { "task_struct", "signal_cache", "sighand_cache", "mm_struct" } },
	{ "create_nsproxy", { "nsproxy" } },
	{ "create_task_io_context", { "blkdev_ioc" } },
	{ "cred_alloc_blank", { "cred_jar" } },
	{ "dst_alloc", { "ip_dst_cache", "ip6_dst_cache" } },
	{ "dup_fd", { "files_cache" } },
	{ "dup_mm", { "mm_struct" } },
	{ "dup_task_struct", { "task_struct" } },
	{ "ep_insert", { "eventpoll_epi" } },
	{ "ext4_alloc_inode", { "ext4_inode_cache" } },
	{ "ext4_init_io_end", { "ext4_io_end" } },
	{ "getname_flags", { "names_cache" } },
	{ "getname_kernel", { "names_cache" } },
	{ "inet_bind_bucket_create", { "tcp_bind_bucket" } },
	{ "inet_csk_get_port", { "tcp_bind_bucket", "tcp_bind2_bucket" } },
	{ "inet_reqsk_alloc", { "request_sock_TCP" } },
	{ "inet_twsk_alloc", { "tw_sock_TCP" } },
	{ "jbd2__journal_start", { "jbd2_journal_handle" } },
	{ "jbd2_journal_add_journal_head", { "jbd2_journal_head" } },
	{ "kmalloc_reserve", { "skbuff_small_head" } },
	{ "locks_alloc_lock", { "file_lock_cache" } },
	{ "locks_get_lock_context", { "file_lock_ctx" } },
	{ "lsm_file_alloc", { "lsm_file_cache" } },
	{ "lsm_inode_alloc", { "lsm_inode_cache" } },
	{ "mas_alloc_nodes", { "maple_node" } },
	{ "mm_alloc", { "mm_struct" } },
	{ "napi_build_skb", { "skbuff_head_cache" } },
	{ "prepare_creds", { "cred_jar" } },
	{ "prepare_kernel_cred", { "cred_jar" } },
	{ "proc_alloc_inode", { "proc_inode_cache" } },
	{ "proc_reg_open", { "pde_opener" } },
	{ "radix_tree_node_alloc", { "radix_tree_node" } },
	{ "reqsk_alloc", { "request_sock_TCP" } },
	{ "security_file_alloc", { "lsm_file_cache" } },
	{ "security_inode_alloc", { "lsm_inode_cache" } },
	{ "seq_open", { "seq_file" } },
	{ "shmem_alloc_inode", { "shmem_inode_cache" } },
	{ "sk_prot_alloc", { "UNIX", "TCP", "UDP", "RAW" } },
	{ "skb_clone", { "skbuff_head_cache" } },
	{ "sock_alloc_inode", { "sock_inode_cache" } },
	{ "start_this_handle", { "jbd2_transaction_s" } },
	{ "taskstats_exit", { "taskstats" } },
	{ "vm_area_alloc", { "vm_area_struct" } },
	{ "vm_area_dup", { "vm_area_struct" } },
	{ "xas_alloc", { "radix_tree_node" } },
	{ "xas_nomem", { "radix_tree_node" } },
};

/* 1 for "vm_area_dup", "vm_area_dup+0x12/0x70" and "vm_area_dup.isra.0+0x12". */
static int is_in(const char *call_site, const char *function)
{
	u32 len = text_length(function);

	return span_begins((const u8 *)call_site, (const u8 *)call_site + text_length(call_site),
			   function) &&
	       (!call_site[len] || call_site[len] == '+' || call_site[len] == '.');
}

const char *import_machine_name(const struct import *im, const char *call_site,
				const struct trace_cache *cache)
{
	const struct machine_names *m = &im->trace->machine_names;
	const char *only = m->of_size(m->machine, cache->object_size, cache->size);

	for (u32 i = 0; !only && i < ARRAY_SIZE(known_sites); i++) {
		const char *const *names = known_sites[i].caches;
		if (!is_in(call_site, known_sites[i].function))
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(known_sites[i].caches) && names[k]; k++)
			if (m->has(m->machine, names[k], cache->size))
				return names[k];
	}
	return only;
}
