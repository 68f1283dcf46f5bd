// first_view.mjs - lists the parts of kmem-first.wasm: enough of the core to open an ftrace trace under SLUB and to
// move through it.
//
// The page shows its first trace with it, and fetches kmem.wasm when it needs another function. Both are compiled
// from the same sources. Anything that the other files define is 0 here (tables, see NOT_IN_FIRST_VIEW in
// core/kmem_types.h) or traps. So a trace whose allocations do not name their caches (before 6.18) traps while it is read.

const words = (text) => text.trim().split(/\s+/);

/** Files of the core, without their ending. */
export const FIRST_VIEW_FILES = words(`
	abi_hash cache format_ftrace import intern keyframe lines machine
	navigate op_details ops page params params_parse pool replay report scan sentence series session session_build
	slub slub_deactivate slub_debug_bytes slub_partial slub_slab slub_slowpath slub_sysfs slub_walk step text
	text_line trace usual_line view work world
`);

/** Functions of kmem.h, without `kmem_`. */
export const FIRST_VIEW_EXPORTS = words(`
	abi_hash begin cache_rows error has_counter import_begin import_chunk import_end machine_text next
	node_of_cpu nr_cpus nr_nodes nr_ops op op_sentence open params_json peek previous report seek series set step_rows
	step_sentence steps view work zone_rows
`);
