// abi.ts - what crosses between C and TypeScript. Printed by core/gen/abi.c from abi.def, steps.def and
// params.def: do not edit, run `node wasm/build.mjs`.

/** Of the names and offsets below; the module says its own (kmem_abi_hash). */
export const ABI_HASH = 0xb23ed24b;

/** 64 bits as a number: exact up to 2^53. */
function u64(view: DataView, at: number): number {
	return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
function s64(view: DataView, at: number): number {
	return view.getUint32(at, true) + view.getInt32(at + 4, true) * 2 ** 32;
}

/** What calls return: 0, or why they failed (kmem.h). */
export const Status = {
	KMEM_OK: 0,
	KMEM_EINPUT: -1,
	KMEM_ELIMIT: -2,
	KMEM_ENOMEM: -3,
	KMEM_EPARAM: -4,
	KMEM_ESTATE: -5,
	KMEM_EBROKEN: -6,
} as const;
export type Status = (typeof Status)[keyof typeof Status];

/** Counters of the allocators. */
export const Counter = {
	ALLOC_FASTPATH: 0,
	ALLOC_SLOWPATH: 1,
	FREE_FASTPATH: 2,
	FREE_SLOWPATH: 3,
	FREE_FROZEN: 4,
	FREE_ADD_PARTIAL: 5,
	FREE_REMOVE_PARTIAL: 6,
	ALLOC_FROM_PARTIAL: 7,
	ALLOC_SLAB: 8,
	ALLOC_REFILL: 9,
	ALLOC_NODE_MISMATCH: 10,
	FREE_SLAB: 11,
	CPUSLAB_FLUSH: 12,
	DEACTIVATE_FULL: 13,
	DEACTIVATE_EMPTY: 14,
	DEACTIVATE_TO_HEAD: 15,
	DEACTIVATE_TO_TAIL: 16,
	DEACTIVATE_REMOTE_FREES: 17,
	DEACTIVATE_BYPASS: 18,
	ORDER_FALLBACK: 19,
	CMPXCHG_DOUBLE_CPU_FAIL: 20,
	CMPXCHG_DOUBLE_FAIL: 21,
	CPU_PARTIAL_ALLOC: 22,
	CPU_PARTIAL_FREE: 23,
	CPU_PARTIAL_NODE: 24,
	CPU_PARTIAL_DRAIN: 25,
	ALLOCHIT: 26,
	ALLOCMISS: 27,
	FREEHIT: 28,
	FREEMISS: 29,
	NODEALLOCS: 30,
	NODEFREES: 31,
	ACOVERFLOW: 32,
	GROWN: 33,
	SLAB_DESTROY: 34,
	ALLOC_SHARED: 35,
	ALLOC_ALIEN: 36,
	ALLOC_ALIEN_SLOW: 37,
	ALLOC_DIRECT: 38,
	FREE_SHARED: 39,
	FREE_ALIEN: 40,
	FREE_ALIEN_SLOW: 41,
	FREE_DIRECT: 42,
	QUEUE_FLUSH: 43,
	PAGE_NEW: 44,
	PAGE_TO_LIST_HEAD: 45,
	PAGE_OFF_LIST: 46,
	NEXT_PAGE: 47,
	ROTATE: 48,
	PAGE_FREE: 49,
	ALLOC_PCS: 50,
	FREE_PCS: 51,
	SHEAF_FLUSH: 52,
	SHEAF_REFILL: 53,
	SHEAF_ALLOC: 54,
	SHEAF_FREE: 55,
	SHEAF_SWAP: 56,
	BARN_GET: 57,
	BARN_GET_FAIL: 58,
	BARN_PUT: 59,
	BARN_PUT_FAIL: 60,
	FREE_RCU_SHEAF: 61,
	FREE_RCU_SHEAF_FAIL: 62,
	SHEAF_PREFILL_FAST: 63,
	SHEAF_PREFILL_SLOW: 64,
	SHEAF_PREFILL_OVERSIZE: 65,
	SHEAF_RETURN_FAST: 66,
	SHEAF_RETURN_SLOW: 67,
} as const;
export type Counter = (typeof Counter)[keyof typeof Counter];
export const COUNTER_NAMES = ["ALLOC_FASTPATH", "ALLOC_SLOWPATH", "FREE_FASTPATH", "FREE_SLOWPATH", "FREE_FROZEN", "FREE_ADD_PARTIAL", "FREE_REMOVE_PARTIAL", "ALLOC_FROM_PARTIAL", "ALLOC_SLAB", "ALLOC_REFILL", "ALLOC_NODE_MISMATCH", "FREE_SLAB", "CPUSLAB_FLUSH", "DEACTIVATE_FULL", "DEACTIVATE_EMPTY", "DEACTIVATE_TO_HEAD", "DEACTIVATE_TO_TAIL", "DEACTIVATE_REMOTE_FREES", "DEACTIVATE_BYPASS", "ORDER_FALLBACK", "CMPXCHG_DOUBLE_CPU_FAIL", "CMPXCHG_DOUBLE_FAIL", "CPU_PARTIAL_ALLOC", "CPU_PARTIAL_FREE", "CPU_PARTIAL_NODE", "CPU_PARTIAL_DRAIN", "ALLOCHIT", "ALLOCMISS", "FREEHIT", "FREEMISS", "NODEALLOCS", "NODEFREES", "ACOVERFLOW", "GROWN", "SLAB_DESTROY", "ALLOC_SHARED", "ALLOC_ALIEN", "ALLOC_ALIEN_SLOW", "ALLOC_DIRECT", "FREE_SHARED", "FREE_ALIEN", "FREE_ALIEN_SLOW", "FREE_DIRECT", "QUEUE_FLUSH", "PAGE_NEW", "PAGE_TO_LIST_HEAD", "PAGE_OFF_LIST", "NEXT_PAGE", "ROTATE", "PAGE_FREE", "ALLOC_PCS", "FREE_PCS", "SHEAF_FLUSH", "SHEAF_REFILL", "SHEAF_ALLOC", "SHEAF_FREE", "SHEAF_SWAP", "BARN_GET", "BARN_GET_FAIL", "BARN_PUT", "BARN_PUT_FAIL", "FREE_RCU_SHEAF", "FREE_RCU_SHEAF_FAIL", "SHEAF_PREFILL_FAST", "SHEAF_PREFILL_SLOW", "SHEAF_PREFILL_OVERSIZE", "SHEAF_RETURN_FAST", "SHEAF_RETURN_SLOW"] as const;
export const COUNTER_WORDS: readonly string[] = [
	"allocations from what the CPU has at hand",
	"allocations that left the fast path",
	"frees to what the CPU has at hand",
	"frees to any other slab",
	"slow frees to a frozen slab",
	"slabs put on a node partial list by a free",
	"empty slabs taken off a node partial list by a free",
	"slabs taken from a node partial list",
	"slabs made from fresh pages",
	"cpu freelists refilled from the slab freelist",
	"cpu slabs deactivated because another node was asked for",
	"slabs discarded",
	"cpu slabs flushed",
	"cpu slabs that were full when deactivated",
	"empty slabs discarded when deactivated",
	"cpu slabs put at the head of a node partial list",
	"cpu slabs put at the tail of a node partial list",
	"deactivated slabs with objects freed by other CPUs",
	"cpu slabs deactivated without a free object",
	"slabs built from the smaller order",
	"always 0: events do not race here",
	"always 0: events do not race here",
	"cpu slabs taken from the per-CPU partial list",
	"full slabs that a free put on the per-CPU partial list",
	"slabs moved from a node partial list to the per-CPU partial list",
	"per-CPU partial lists drained to the nodes",
	"allocations from the CPU's array cache",
	"allocations that found the CPU's array cache empty",
	"frees that found room in the CPU's array cache",
	"frees that found the CPU's array cache full",
	"allocations from another node's slabs",
	"frees of another node's objects",
	"frees that found the alien cache full",
	"slabs made from fresh pages",
	"slabs discarded",
	"refills from the shared queue",
	"allocations from an alien queue",
	"allocations that found the alien queue empty",
	"objects taken straight from another node's slab",
	"batches moved to the shared queue by a free",
	"frees into an alien queue",
	"frees that found the alien queue full",
	"objects put straight back into another node's slab",
	"queues emptied, to be resized",
	"pages taken from the page allocator",
	"pages put at the head of a list",
	"pages taken off a list",
	"pages passed over in a search",
	"lists rotated so that the next search begins where this one ended",
	"pages freed to the page allocator",
	"allocations from the CPU's sheaf",
	"frees into the CPU's sheaf",
	"objects flushed from sheaves to slabs",
	"objects that filled sheaves from slabs",
	"empty sheaves made",
	"sheaves freed",
	"main and spare sheaf swapped",
	"sheaves taken from the node's barn",
	"times that the barn had no full sheaf",
	"sheaves put into the node's barn",
	"times that the barn had no room for a sheaf",
	"objects that kfree_rcu() put into a sheaf",
	"objects that kfree_rcu() could not put into a sheaf",
	"prefilled sheaves that were the spare sheaf",
	"prefilled sheaves that came from the barn or were new",
	"prefilled sheaves larger than the capacity",
	"returned sheaves that became the spare sheaf",
	"returned sheaves that went to the barn or were flushed",
];

/** Kinds of events in a replay. */
export const OpKind = {
	/** an event that asks nothing of the allocator */ OP_NOTHING: 0,
	/** kmem_cache_alloc */ OP_ALLOC: 1,
	/** kmalloc */ OP_KMALLOC: 2,
	/** free */ OP_FREE: 3,
	/** flush of one CPU or of all */ OP_FLUSH: 4,
	/** shrink of a cache */ OP_SHRINK: 5,
	/** the clock advances */ OP_TICK: 6,
	/** the reaper runs on one CPU */ OP_REAP: 7,
	/** memory pressure: idle queues expire */ OP_EXPIRE: 8,
	/** a parameter is set */ OP_SET: 9,
	/** memory is corrupted */ OP_CORRUPT: 10,
	/** every object of a cache is checked */ OP_VALIDATE: 11,
	/** kmem_cache_alloc_bulk */ OP_BULK_ALLOC: 12,
	/** kmem_cache_free_bulk */ OP_BULK_FREE: 13,
	/** an RCU grace period ends */ OP_GRACE: 14,
	/** a CPU goes offline */ OP_CPU_DEAD: 15,
	/** a sheaf is prefilled */ OP_PREFILL: 16,
	/** a prefilled sheaf is refilled */ OP_REFILL: 17,
	/** a prefilled sheaf is returned */ OP_RETURN: 18,
} as const;
export type OpKind = (typeof OpKind)[keyof typeof OpKind];
export const OP_KIND_NAMES = ["OP_NOTHING", "OP_ALLOC", "OP_KMALLOC", "OP_FREE", "OP_FLUSH", "OP_SHRINK", "OP_TICK", "OP_REAP", "OP_EXPIRE", "OP_SET", "OP_CORRUPT", "OP_VALIDATE", "OP_BULK_ALLOC", "OP_BULK_FREE", "OP_GRACE", "OP_CPU_DEAD", "OP_PREFILL", "OP_REFILL", "OP_RETURN"] as const;

/** Where slabs and single objects can be. */
export const PlaceKind = {
	PLACE_CPU_SLAB: 0,
	PLACE_CPU_PARTIAL: 1,
	PLACE_NODE_PARTIAL: 2,
	PLACE_NODE_FULL: 3,
	PLACE_TRANSIT: 4,
	PLACE_NODE_FREE: 5,
	PLACE_LOOSE: 6,
	PLACE_CPU_ARRAY: 7,
	PLACE_SHARED_ARRAY: 8,
	PLACE_ALIEN_ARRAY: 9,
	PLACE_CPU_QUEUE: 10,
	PLACE_SHARED_QUEUE: 11,
	PLACE_ALIEN_QUEUE: 12,
	PLACE_SHEAF_MAIN: 13,
	PLACE_SHEAF_SPARE: 14,
	PLACE_BARN_FULL: 15,
	PLACE_SMALL_PAGES: 16,
	PLACE_MEDIUM_PAGES: 17,
	PLACE_LARGE_PAGES: 18,
	PLACE_CLASS_PAGES: 19,
	PLACE_SHEAF_RCU: 20,
	PLACE_BARN_EMPTY: 21,
	PLACE_SHEAF_WAITING: 22,
} as const;
export type PlaceKind = (typeof PlaceKind)[keyof typeof PlaceKind];
export const PLACE_KIND_NAMES = ["PLACE_CPU_SLAB", "PLACE_CPU_PARTIAL", "PLACE_NODE_PARTIAL", "PLACE_NODE_FULL", "PLACE_TRANSIT", "PLACE_NODE_FREE", "PLACE_LOOSE", "PLACE_CPU_ARRAY", "PLACE_SHARED_ARRAY", "PLACE_ALIEN_ARRAY", "PLACE_CPU_QUEUE", "PLACE_SHARED_QUEUE", "PLACE_ALIEN_QUEUE", "PLACE_SHEAF_MAIN", "PLACE_SHEAF_SPARE", "PLACE_BARN_FULL", "PLACE_SMALL_PAGES", "PLACE_MEDIUM_PAGES", "PLACE_LARGE_PAGES", "PLACE_CLASS_PAGES", "PLACE_SHEAF_RCU", "PLACE_BARN_EMPTY", "PLACE_SHEAF_WAITING"] as const;
export const PLACE_KIND_WORDS: readonly string[] = [
	"cpu slab",
	"per-CPU partial list",
	"partial list",
	"full slabs",
	"in transit",
	"free slabs",
	"slabs on no list",
	"array cache",
	"shared array cache",
	"alien cache",
	"CPU queue",
	"shared queue",
	"alien queue",
	"main sheaf",
	"spare sheaf",
	"full sheaves in the barn",
	"pages for small requests",
	"pages for medium requests",
	"pages for large requests",
	"pages of one size class",
	"RCU sheaf",
	"empty sheaves in the barn",
	"sheaf that waits for a grace period",
];

/** Levels of places, from fast and near to slow and far; tables/steps/stairs.def has the order of each allocator's. */
export const Level = {
	LEVEL_PAGES: 0,
	LEVEL_CPU_FREELIST: 1,
	LEVEL_CPU_PARTIAL: 2,
	LEVEL_OWN_NODE: 3,
	LEVEL_OTHER_NODES: 4,
	LEVEL_CPU_ARRAY: 5,
	LEVEL_SHARED_ARRAY: 6,
	LEVEL_ALIEN_ARRAYS: 7,
	LEVEL_NODE_LISTS: 8,
	LEVEL_CPU_QUEUE: 9,
	LEVEL_SHARED_QUEUE: 10,
	LEVEL_ALIEN_QUEUES: 11,
	LEVEL_PARTIAL_LISTS: 12,
	LEVEL_SHEAF_MAIN: 13,
	LEVEL_SHEAF_SPARE: 14,
	LEVEL_BARN: 15,
	LEVEL_SLABS: 16,
	LEVEL_PAGE_LISTS: 17,
} as const;
export type Level = (typeof Level)[keyof typeof Level];
export const LEVEL_NAMES = ["LEVEL_PAGES", "LEVEL_CPU_FREELIST", "LEVEL_CPU_PARTIAL", "LEVEL_OWN_NODE", "LEVEL_OTHER_NODES", "LEVEL_CPU_ARRAY", "LEVEL_SHARED_ARRAY", "LEVEL_ALIEN_ARRAYS", "LEVEL_NODE_LISTS", "LEVEL_CPU_QUEUE", "LEVEL_SHARED_QUEUE", "LEVEL_ALIEN_QUEUES", "LEVEL_PARTIAL_LISTS", "LEVEL_SHEAF_MAIN", "LEVEL_SHEAF_SPARE", "LEVEL_BARN", "LEVEL_SLABS", "LEVEL_PAGE_LISTS"] as const;
export const LEVEL_WORDS: readonly string[] = [
	"page allocator",
	"cpu freelist",
	"per-CPU partial list",
	"own node's partial list",
	"other nodes' partial lists",
	"array cache",
	"shared array cache",
	"alien caches",
	"slab lists of the nodes",
	"CPU queue",
	"shared queue",
	"alien queues",
	"partial lists of the nodes",
	"main sheaf",
	"spare sheaf",
	"barn",
	"slabs",
	"pages with room",
];

/** Nodes whose places belong to a level. */
export const LevelNodes = {
	/** all nodes */ ANY_NODE: 0,
	/** the CPU's own node */ NEAR_NODE: 1,
	/** the other nodes */ FAR_NODES: 2,
} as const;
export type LevelNodes = (typeof LevelNodes)[keyof typeof LevelNodes];
export const LEVEL_NODES_NAMES = ["ANY_NODE", "NEAR_NODE", "FAR_NODES"] as const;

/** State of an object, one byte each. */
export const Cell = {
	CELL_FREE: 0,
	CELL_ALLOCATED: 1,
	CELL_FREE_CPU: 2,
	CELL_FREE_SHARED: 3,
	CELL_FREE_ALIEN: 4,
	CELL_LOST: 5,
	CELL_INFERRED: 6,
} as const;
export type Cell = (typeof Cell)[keyof typeof Cell];
export const CELL_NAMES = ["CELL_FREE", "CELL_ALLOCATED", "CELL_FREE_CPU", "CELL_FREE_SHARED", "CELL_FREE_ALIEN", "CELL_LOST", "CELL_INFERRED"] as const;
export const CELL_WORDS: readonly string[] = [
	"free, on the slab freelist",
	"allocated",
	"free, cached by a CPU",
	"free, in a shared array cache or queue",
	"free, in an alien cache or queue",
	"lost: debugging took it out of use",
	"inferred: in use before the trace",
];

/** Data that a lock protects. */
export const LockKind = {
	/** the lists of a node */ LOCK_LIST: 0,
	/** a shared array cache or queue */ LOCK_SHARED: 1,
	/** an alien cache or queue */ LOCK_ALIEN: 2,
	/** a node's barn of sheaves */ LOCK_BARN: 3,
	/** everything */ LOCK_ALL: 4,
} as const;
export type LockKind = (typeof LockKind)[keyof typeof LockKind];
export const LOCK_KIND_NAMES = ["LOCK_LIST", "LOCK_SHARED", "LOCK_ALIEN", "LOCK_BARN", "LOCK_ALL"] as const;

/** Zones, lowest first. */
export const ZoneKind = {
	ZONE_DMA: 0,
	ZONE_DMA32: 1,
	ZONE_NORMAL: 2,
} as const;
export type ZoneKind = (typeof ZoneKind)[keyof typeof ZoneKind];
export const ZONE_KIND_NAMES = ["ZONE_DMA", "ZONE_DMA32", "ZONE_NORMAL"] as const;
export const ZONE_KIND_WORDS: readonly string[] = [
	"DMA",
	"DMA32",
	"Normal",
];

/** Why a path was taken. */
export const Reason = {
	REASON_NO_CPU_SLAB: 0,
	REASON_FREELIST_EMPTY: 1,
	REASON_NODE_DIFFERS: 2,
	REASON_DEBUG: 3,
	REASON_NULL_FREE: 4,
	REASON_ORPHAN_FREE: 5,
	REASON_ZERO_SIZE: 6,
	REASON_FAILED_ALLOC: 7,
	REASON_KEPT: 8,
	REASON_NEVER_PLACED: 9,
	REASON_NO_CLOCK: 10,
	REASON_NO_TUNABLE: 11,
	REASON_TOUCHED: 12,
	REASON_UNTOUCHED: 13,
	REASON_SMALL_BATCH: 14,
	REASON_NO_EXPIRY: 15,
	REASON_NO_CORRUPTION: 16,
	REASON_NO_SLAB: 17,
	REASON_NOT_DEBUGGED: 18,
	REASON_INTERRUPTED: 19,
	REASON_NOTHING_KEPT: 20,
	REASON_OTHER_NODE: 21,
	REASON_FEW_UNITS: 22,
	REASON_NO_BLOCK: 23,
	REASON_PAGE_NEW: 24,
	REASON_PAGE_UNFULL: 25,
	REASON_PAGE_FULL: 26,
	REASON_PAGE_EMPTY: 27,
	REASON_QUEUES_EMPTY: 28,
	REASON_ALIEN_EMPTY: 29,
	REASON_NO_ALIEN: 30,
	REASON_OTHER_ZONE: 31,
	REASON_SHEAF_NODE: 32,
	REASON_NO_SHEAVES: 33,
	REASON_SHEAF_NOT_FILLED: 34,
	REASON_ONE_BY_ONE: 35,
	REASON_NO_RCU: 36,
	REASON_NO_CPU_DEATH: 37,
	REASON_NO_PREFILL: 38,
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];
export const REASON_NAMES = ["REASON_NO_CPU_SLAB", "REASON_FREELIST_EMPTY", "REASON_NODE_DIFFERS", "REASON_DEBUG", "REASON_NULL_FREE", "REASON_ORPHAN_FREE", "REASON_ZERO_SIZE", "REASON_FAILED_ALLOC", "REASON_KEPT", "REASON_NEVER_PLACED", "REASON_NO_CLOCK", "REASON_NO_TUNABLE", "REASON_TOUCHED", "REASON_UNTOUCHED", "REASON_SMALL_BATCH", "REASON_NO_EXPIRY", "REASON_NO_CORRUPTION", "REASON_NO_SLAB", "REASON_NOT_DEBUGGED", "REASON_INTERRUPTED", "REASON_NOTHING_KEPT", "REASON_OTHER_NODE", "REASON_FEW_UNITS", "REASON_NO_BLOCK", "REASON_PAGE_NEW", "REASON_PAGE_UNFULL", "REASON_PAGE_FULL", "REASON_PAGE_EMPTY", "REASON_QUEUES_EMPTY", "REASON_ALIEN_EMPTY", "REASON_NO_ALIEN", "REASON_OTHER_ZONE", "REASON_SHEAF_NODE", "REASON_NO_SHEAVES", "REASON_SHEAF_NOT_FILLED", "REASON_ONE_BY_ONE", "REASON_NO_RCU", "REASON_NO_CPU_DEATH", "REASON_NO_PREFILL"] as const;
export const REASON_WORDS: readonly string[] = [
	"it has no cpu slab",
	"its cpu freelist is empty",
	"its cpu slab is on another node",
	"debugging is on for this cache",
	"NULL was freed",
	"the object was allocated before the trace began",
	"zero bytes were requested",
	"the allocation failed in the trace",
	"the new size fits the slot, so krealloc keeps the object",
	"the object got no memory in this replay",
	"this allocator has no clock",
	"this allocator has no such tunable",
	"the array cache was used since it was last reaped",
	"the array cache was not used since it was last reaped, and 16 objects are enough for it",
	"the batch is small",
	"this allocator releases nothing when memory is short",
	"corruption is not modelled for this allocator",
	"the object is not in a slab",
	"debugging is off for this cache: nothing to check",
	"it began before the events in between, found nothing, and was waiting for pages",
	"this allocator keeps neither empty pages nor objects per CPU",
	"it is on another node",
	"it has fewer free units than are needed",
	"none of its free blocks is large enough",
	"it is new",
	"it was full",
	"it has no free block left",
	"all its units are free",
	"its queue and the shared queue are empty",
	"the alien queue of that node is empty",
	"that node has no alien queue",
	"it is in a zone that the request may not use",
	"its sheaf has no object of the requested node",
	"the cache has no sheaves",
	"memory ran out before a sheaf was full",
	"this allocator handles the objects of a bulk request one by one",
	"this allocator frees at once what kfree_rcu() hands it",
	"this allocator does not model that a CPU goes offline",
	"this allocator has no prefilled sheaves",
];

/** Role of a column of a CSV file. */
export const Role = {
	ROLE_NONE: 0,
	ROLE_TIME: 1,
	ROLE_CPU: 2,
	ROLE_EVENT: 3,
	ROLE_PTR: 4,
	ROLE_REQ: 5,
	ROLE_ALLOC: 6,
	ROLE_NODE: 7,
	ROLE_NAME: 8,
	ROLE_GFP: 9,
	ROLE_SITE: 10,
	ROLE_ACCOUNTED: 11,
} as const;
export type Role = (typeof Role)[keyof typeof Role];
export const ROLE_NAMES = ["ROLE_NONE", "ROLE_TIME", "ROLE_CPU", "ROLE_EVENT", "ROLE_PTR", "ROLE_REQ", "ROLE_ALLOC", "ROLE_NODE", "ROLE_NAME", "ROLE_GFP", "ROLE_SITE", "ROLE_ACCOUNTED"] as const;
export const ROLE_WORDS: readonly string[] = [
	"not read",
	"when it happened",
	"on which CPU",
	"what happened: an allocation or a free",
	"the object's address",
	"bytes requested",
	"bytes of the slot",
	"the NUMA node requested",
	"the cache's name",
	"allocation flags",
	"the call site",
	"whether it is charged to a memory cgroup",
];

/** How a test came out. */
export const Outcome = {
	OUTCOME_ACCEPTED: 0,
	OUTCOME_TOO_WASTEFUL: 1,
	OUTCOME_CLOSED: 2,
	OUTCOME_OPEN: 3,
	OUTCOME_EXCLUDED: 4,
	OUTCOME_TOO_FEW: 5,
	OUTCOME_NOTHING_THERE: 6,
	OUTCOME_HIT: 7,
	OUTCOME_KEEP: 8,
	OUTCOME_RELEASE: 9,
	OUTCOME_PUSH: 10,
	OUTCOME_DRAIN: 11,
	OUTCOME_MORE: 12,
	OUTCOME_ENOUGH: 13,
	OUTCOME_TO_HEAD: 14,
	OUTCOME_TO_TAIL: 15,
	OUTCOME_TOO_MANY: 16,
	OUTCOME_NO_ROOM: 17,
	OUTCOME_NOT_NEEDED: 18,
	OUTCOME_OBJECT: 19,
	OUTCOME_DUE: 20,
	OUTCOME_NOT_YET: 21,
} as const;
export type Outcome = (typeof Outcome)[keyof typeof Outcome];
export const OUTCOME_NAMES = ["OUTCOME_ACCEPTED", "OUTCOME_TOO_WASTEFUL", "OUTCOME_CLOSED", "OUTCOME_OPEN", "OUTCOME_EXCLUDED", "OUTCOME_TOO_FEW", "OUTCOME_NOTHING_THERE", "OUTCOME_HIT", "OUTCOME_KEEP", "OUTCOME_RELEASE", "OUTCOME_PUSH", "OUTCOME_DRAIN", "OUTCOME_MORE", "OUTCOME_ENOUGH", "OUTCOME_TO_HEAD", "OUTCOME_TO_TAIL", "OUTCOME_TOO_MANY", "OUTCOME_NO_ROOM", "OUTCOME_NOT_NEEDED", "OUTCOME_OBJECT", "OUTCOME_DUE", "OUTCOME_NOT_YET"] as const;
export const OUTCOME_WORDS: readonly string[] = [
	"accepted",
	"too much waste",
	"closed",
	"open",
	"skipped, it has just failed",
	"too few to spare any",
	"no usable slab there",
	"a slab was found",
	"the slab is kept",
	"the slab is discarded",
	"there is room",
	"the per-CPU partial list is drained to the nodes",
	"one more slab is taken",
	"that is enough",
	"at the head",
	"at the tail",
	"more objects than an index can name",
	"the indices do not fit there",
	"the tail of the slab has room for the indices",
	"an object is taken there",
	"it is due",
	"it is not due yet",
];

/** Numbers that a threshold compares. */
export const What = {
	WHAT_NR_PARTIAL_MIN_PARTIAL: 0,
	WHAT_CHAIN_CPU_PARTIAL: 1,
	WHAT_CHAIN_OBJECTS: 2,
	WHAT_GRAB_HALF: 3,
	WHAT_FREE_LIMIT: 4,
	WHAT_NEXT_REAP: 5,
	WHAT_NR_PARTIAL_ABOVE: 6,
} as const;
export type What = (typeof What)[keyof typeof What];
export const WHAT_NAMES = ["WHAT_NR_PARTIAL_MIN_PARTIAL", "WHAT_CHAIN_CPU_PARTIAL", "WHAT_CHAIN_OBJECTS", "WHAT_GRAB_HALF", "WHAT_FREE_LIMIT", "WHAT_NEXT_REAP", "WHAT_NR_PARTIAL_ABOVE"] as const;
export const WHAT_WORDS: readonly string[] = [
	"Partial slabs on the node against min_partial",
	"Length of the per-CPU partial list against its limit",
	"Free objects on the per-CPU partial list against its limit",
	"Slabs taken against half the limit of the per-CPU partial list",
	"Free objects in the node's slabs against its free_limit",
	"The clock against the node's next reaping, in seconds",
	"Partial slabs on the node, which must be more than min_partial",
];

/** Whose a slab is when somebody else frees to it. */
export const Owner = {
	OWNER_CPU_SLAB: 0,
	OWNER_CHAIN: 1,
	OWNER_NODE_LIST: 2,
	OWNER_FULL: 3,
} as const;
export type Owner = (typeof Owner)[keyof typeof Owner];
export const OWNER_NAMES = ["OWNER_CPU_SLAB", "OWNER_CHAIN", "OWNER_NODE_LIST", "OWNER_FULL"] as const;
export const OWNER_WORDS: readonly string[] = [
	"is another CPU's cpu slab",
	"is on a per-CPU partial list",
	"is on its node's partial list",
	"was full and on no list",
];

/** Where a new slab is. */
export const Fresh = {
	/** it is on no list yet */ FRESH_LOOSE: 0,
	/** it is now the cpu slab */ FRESH_CPU_SLAB: 1,
} as const;
export type Fresh = (typeof Fresh)[keyof typeof Fresh];
export const FRESH_NAMES = ["FRESH_LOOSE", "FRESH_CPU_SLAB"] as const;

/** Which queue objects are in. */
export const Queue = {
	/** the queue of CPU */ QUEUE_CPU: 0,
	/** the shared queue of group */ QUEUE_SHARED: 1,
	/** the alien queue of group */ QUEUE_ALIEN: 2,
} as const;
export type Queue = (typeof Queue)[keyof typeof Queue];
export const QUEUE_NAMES = ["QUEUE_CPU", "QUEUE_SHARED", "QUEUE_ALIEN"] as const;

/** Whether a queue or list was used since the last expiry. */
export const Touched = {
	/** it was not used for a while */ TOUCHED_NO: 0,
	/** it is in use */ TOUCHED_YES: 1,
} as const;
export type Touched = (typeof Touched)[keyof typeof Touched];
export const TOUCHED_NAMES = ["TOUCHED_NO", "TOUCHED_YES"] as const;

/** Which sheaf a step is about. */
export const Sheaf = {
	/** its main sheaf */ SHEAF_OF_MAIN: 0,
	/** its spare sheaf */ SHEAF_OF_SPARE: 1,
	/** a full sheaf of the barn */ SHEAF_OF_BARN: 2,
	/** a sheaf whose grace period is over */ SHEAF_OF_RCU: 3,
	/** a sheaf for which memory ran out */ SHEAF_NOT_FILLED: 4,
	/** a returned sheaf */ SHEAF_RETURNED: 5,
	/** the main sheaf of the offline CPU */ SHEAF_OF_DEAD_MAIN: 6,
	/** the spare sheaf of the offline CPU */ SHEAF_OF_DEAD_SPARE: 7,
} as const;
export type Sheaf = (typeof Sheaf)[keyof typeof Sheaf];
export const SHEAF_NAMES = ["SHEAF_OF_MAIN", "SHEAF_OF_SPARE", "SHEAF_OF_BARN", "SHEAF_OF_RCU", "SHEAF_NOT_FILLED", "SHEAF_RETURNED", "SHEAF_OF_DEAD_MAIN", "SHEAF_OF_DEAD_SPARE"] as const;

/** End of a list. */
export const End = {
	/** head */ END_HEAD: 0,
	/** tail */ END_TAIL: 1,
} as const;
export type End = (typeof End)[keyof typeof End];
export const END_NAMES = ["END_HEAD", "END_TAIL"] as const;

/** Where a slab's indices are kept. */
export const Management = {
	/** inside the last free object */ MANAGEMENT_OBJ: 0,
	/** off the slab, in a kmalloc object */ MANAGEMENT_OFF: 1,
	/** on the slab, beside the objects */ MANAGEMENT_ON: 2,
	/** on the slab after all, since its tail has room for them */ MANAGEMENT_MOVED_ON: 3,
} as const;
export type Management = (typeof Management)[keyof typeof Management];
export const MANAGEMENT_NAMES = ["MANAGEMENT_OBJ", "MANAGEMENT_OFF", "MANAGEMENT_ON", "MANAGEMENT_MOVED_ON"] as const;

/** Series of the timeline. */
export const Metric = {
	/** live objects */ METRIC_LIVE_OBJECTS: 0,
	/** slabs */ METRIC_SLABS: 1,
	/** partial slabs on nodes */ METRIC_PARTIAL_SLABS: 2,
	/** bytes in slabs */ METRIC_SLAB_BYTES: 3,
	/** bytes in slabs but in no request */ METRIC_WASTE_BYTES: 4,
	/** slow paths */ METRIC_SLOW_PATHS: 5,
} as const;
export type Metric = (typeof Metric)[keyof typeof Metric];
export const METRIC_NAMES = ["METRIC_LIVE_OBJECTS", "METRIC_SLABS", "METRIC_PARTIAL_SLABS", "METRIC_SLAB_BYTES", "METRIC_WASTE_BYTES", "METRIC_SLOW_PATHS"] as const;

/** How far one press of a key goes. */
export const Granularity = {
	/** event */ GO_EVENT: 0,
	/** slow path */ GO_SLOW_PATH: 1,
	/** slab made or discarded */ GO_SLAB: 2,
} as const;
export type Granularity = (typeof Granularity)[keyof typeof Granularity];
export const GRANULARITY_NAMES = ["GO_EVENT", "GO_SLOW_PATH", "GO_SLAB"] as const;

/** Ways to corrupt memory, as slabtrace's `corrupt` names them. */
export const Corruption = {
	CORRUPT_WRITE: 0,
	CORRUPT_DOUBLE_FREE: 1,
	CORRUPT_WILD_FREE: 2,
	CORRUPT_FREELIST: 3,
} as const;
export type Corruption = (typeof Corruption)[keyof typeof Corruption];
export const CORRUPTION_NAMES = ["CORRUPT_WRITE", "CORRUPT_DOUBLE_FREE", "CORRUPT_WILD_FREE", "CORRUPT_FREELIST"] as const;
export const CORRUPTION_WORDS: readonly string[] = [
	"write",
	"double-free",
	"wild-free",
	"freelist",
];

/** Findings of a debugging check. */
export const Check = {
	/** Left Redzone overwritten */ CHECK_LEFT_REDZONE: 0,
	/** Right Redzone overwritten */ CHECK_RIGHT_REDZONE: 1,
	/** Alignment padding overwritten */ CHECK_ALIGNMENT: 2,
	/** Poison overwritten */ CHECK_POISON: 3,
	/** End Poison overwritten */ CHECK_END_POISON: 4,
	/** Object padding overwritten */ CHECK_OBJECT_PADDING: 5,
	/** Padding overwritten */ CHECK_SLAB_PADDING: 6,
	/** Freepointer corrupt */ CHECK_FREEPOINTER: 7,
	/** Freechain corrupt */ CHECK_FREECHAIN: 8,
	/** Wrong object count */ CHECK_COUNT: 9,
	/** Object already free */ CHECK_ALREADY_FREE: 10,
	/** Invalid object pointer */ CHECK_INVALID_POINTER: 11,
	/** kernel BUG in set_freepointer */ CHECK_DOUBLE_FREE_BUG: 12,
	/** Slab disabled since SLUB metadata consistency check failed */ CHECK_DISABLED: 13,
} as const;
export type Check = (typeof Check)[keyof typeof Check];
export const CHECK_NAMES = ["CHECK_LEFT_REDZONE", "CHECK_RIGHT_REDZONE", "CHECK_ALIGNMENT", "CHECK_POISON", "CHECK_END_POISON", "CHECK_OBJECT_PADDING", "CHECK_SLAB_PADDING", "CHECK_FREEPOINTER", "CHECK_FREECHAIN", "CHECK_COUNT", "CHECK_ALREADY_FREE", "CHECK_INVALID_POINTER", "CHECK_DOUBLE_FREE_BUG", "CHECK_DISABLED"] as const;

/** Repairs that debugging makes. */
export const Fix = {
	/** Restoring the bytes */ FIX_RESTORED: 0,
	/** Setting the free pointer to NULL */ FIX_ZAPPED: 1,
	/** Marking all objects used */ FIX_MARKED_USED: 2,
	/** Object not freed */ FIX_NOT_FREED: 3,
	/** Object count adjusted */ FIX_COUNT: 4,
} as const;
export type Fix = (typeof Fix)[keyof typeof Fix];
export const FIX_NAMES = ["FIX_RESTORED", "FIX_ZAPPED", "FIX_MARKED_USED", "FIX_NOT_FREED", "FIX_COUNT"] as const;

/** Effect of a corruption that no check has found yet. */
export const Effect = {
	/** The next check there will find it */ EFFECT_WATCHED: 0,
	/** sanity_checks is off, so only a validation of the cache would find it */ EFFECT_VALIDATE: 1,
	/** These are bytes of the object itself: no check looks there */ EFFECT_OWN: 2,
	/** Nothing is stored there and no check looks there */ EFFECT_UNUSED: 3,
	/** Another live object lies there: its owner finds it changed, and debugging does not show by whom */ EFFECT_NEIGHBOUR: 4,
	/** A free pointer lies there: the kernel would follow it after allocating that object; the model keeps the right one */ EFFECT_POINTER: 5,
	/** All of it is outside the slab, in other pages */ EFFECT_OUTSIDE: 6,
	/** The kernel would put the object on a freelist twice and allocate it to two owners; the model ignores this free */ EFFECT_CYCLE: 7,
	/** The kernel would put the pointer on a freelist and allocate memory that overlaps other objects; the model ignores this free */ EFFECT_WILD: 8,
	/** The object has a new owner by now: the kernel would free it unnoticed; the model ignores this free */ EFFECT_REUSED: 9,
	/** The slab was discarded: the bytes are in free pages, where no slab check looks */ EFFECT_GONE: 10,
} as const;
export type Effect = (typeof Effect)[keyof typeof Effect];
export const EFFECT_NAMES = ["EFFECT_WATCHED", "EFFECT_VALIDATE", "EFFECT_OWN", "EFFECT_UNUSED", "EFFECT_NEIGHBOUR", "EFFECT_POINTER", "EFFECT_OUTSIDE", "EFFECT_CYCLE", "EFFECT_WILD", "EFFECT_REUSED", "EFFECT_GONE"] as const;

/** Conditions that a search stops at, and the events of a life (bit 1 << value). */
export const When = {
	WHEN_TOUCHED: 0,
	WHEN_ALLOC: 1,
	WHEN_FREE: 2,
	WHEN_NEW_SLAB: 3,
	WHEN_SLAB_FREED: 4,
	WHEN_EMPTY_FREED: 5,
	WHEN_SLAB_MOVED: 6,
	WHEN_REMOTE_NODE: 7,
	WHEN_ORDER_FALLBACK: 8,
	WHEN_SLOW_PATH: 9,
	WHEN_LOCK_WAIT: 10,
	WHEN_LARGE: 11,
	WHEN_ANOMALY: 12,
	WHEN_FIRST_USE: 13,
	WHEN_STEP: 14,
} as const;
export type When = (typeof When)[keyof typeof When];
export const WHEN_NAMES = ["WHEN_TOUCHED", "WHEN_ALLOC", "WHEN_FREE", "WHEN_NEW_SLAB", "WHEN_SLAB_FREED", "WHEN_EMPTY_FREED", "WHEN_SLAB_MOVED", "WHEN_REMOTE_NODE", "WHEN_ORDER_FALLBACK", "WHEN_SLOW_PATH", "WHEN_LOCK_WAIT", "WHEN_LARGE", "WHEN_ANOMALY", "WHEN_FIRST_USE", "WHEN_STEP"] as const;
export const WHEN_WORDS: readonly string[] = [
	"anything happens to it",
	"an object is allocated",
	"an object is freed",
	"a slab is made",
	"a slab is discarded",
	"a free empties a slab, and it is discarded at once",
	"a slab moves to another list or CPU",
	"an allocation uses a slab of another node",
	"a slab is built from the smaller order",
	"an event leaves the fast path",
	"a CPU waits for a lock",
	"an allocation is too large for slabs",
	"something is wrong: a failed allocation, a bug, or a free of an object that the trace never allocated",
	"a cache is first used",
	"a decision of one kind is taken",
];

/** Subjects of the chapters of a trace, by the short names that links to them have. */
export const ChapterKind = {
	CHAPTER_FAST: 0,
	CHAPTER_SLOW: 1,
	CHAPTER_FAR: 2,
	CHAPTER_DRAIN: 3,
	CHAPTER_LIST: 4,
	CHAPTER_WALK: 5,
	CHAPTER_COST: 6,
} as const;
export type ChapterKind = (typeof ChapterKind)[keyof typeof ChapterKind];
export const CHAPTER_KIND_NAMES = ["CHAPTER_FAST", "CHAPTER_SLOW", "CHAPTER_FAR", "CHAPTER_DRAIN", "CHAPTER_LIST", "CHAPTER_WALK", "CHAPTER_COST"] as const;
export const CHAPTER_KIND_WORDS: readonly string[] = [
	"fast path",
	"slow path",
	"costliest remote free",
	"first drain",
	"longest list",
	"longest search",
	"costliest event",
];

/** Subjects that kmem_why_about explains. */
export const About = {
	/** place */ ABOUT_PLACE: 0,
	/** CPU */ ABOUT_CPU: 1,
	/** node */ ABOUT_NODE: 2,
	/** page allocator */ ABOUT_PAGES: 3,
} as const;
export type About = (typeof About)[keyof typeof About];
export const ABOUT_NAMES = ["ABOUT_PLACE", "ABOUT_CPU", "ABOUT_NODE", "ABOUT_PAGES"] as const;

/** Totals of a replay, each a number, for sweeps. Those that end in _PEAK are measured after every event. */
export const Measure = {
	NUM_SLAB_BYTES_PEAK: 0,
	NUM_SLAB_BYTES: 1,
	NUM_REQUESTED_BYTES: 2,
	NUM_WASTE: 3,
	NUM_WASTE_ROUNDING: 4,
	NUM_WASTE_TAIL: 5,
	NUM_WASTE_FREE_OBJECTS: 6,
	NUM_LARGE_BYTES: 7,
	NUM_PAGES_PEAK: 8,
	NUM_PAGES_IN_USE: 9,
	NUM_SLABS_PEAK: 10,
	NUM_SLABS: 11,
	NUM_PARTIAL_PEAK: 12,
	NUM_PARTIAL: 13,
	NUM_LIVE_OBJECTS: 14,
	NUM_CYCLES: 15,
	NUM_LOCK_WAIT_CYCLES: 16,
	NUM_ELAPSED_CYCLES: 17,
	NUM_OP_CYCLES_PEAK: 18,
	NUM_LOCK_TAKES: 19,
	NUM_LOCK_CONTENDED: 20,
	NUM_PAGE_CALLS: 21,
	NUM_SLOW_PATHS: 22,
	NUM_GET_ANY_PARTIAL_ENTERED: 23,
	NUM_ZONES_VISITED: 24,
	NUM_SEARCHES: 25,
	NUM_PAGES_VISITED: 26,
	NUM_BLOCKS_VISITED: 27,
	NUM_MOST_PAGES_VISITED: 28,
	NUM_MOST_BLOCKS_VISITED: 29,
	NUM_HEAD_FRAGMENT_BYTES: 30,
} as const;
export type Measure = (typeof Measure)[keyof typeof Measure];
export const MEASURE_NAMES = ["NUM_SLAB_BYTES_PEAK", "NUM_SLAB_BYTES", "NUM_REQUESTED_BYTES", "NUM_WASTE", "NUM_WASTE_ROUNDING", "NUM_WASTE_TAIL", "NUM_WASTE_FREE_OBJECTS", "NUM_LARGE_BYTES", "NUM_PAGES_PEAK", "NUM_PAGES_IN_USE", "NUM_SLABS_PEAK", "NUM_SLABS", "NUM_PARTIAL_PEAK", "NUM_PARTIAL", "NUM_LIVE_OBJECTS", "NUM_CYCLES", "NUM_LOCK_WAIT_CYCLES", "NUM_ELAPSED_CYCLES", "NUM_OP_CYCLES_PEAK", "NUM_LOCK_TAKES", "NUM_LOCK_CONTENDED", "NUM_PAGE_CALLS", "NUM_SLOW_PATHS", "NUM_GET_ANY_PARTIAL_ENTERED", "NUM_ZONES_VISITED", "NUM_SEARCHES", "NUM_PAGES_VISITED", "NUM_BLOCKS_VISITED", "NUM_MOST_PAGES_VISITED", "NUM_MOST_BLOCKS_VISITED", "NUM_HEAD_FRAGMENT_BYTES"] as const;
export const MEASURE_WORDS: readonly string[] = [
	"most bytes in slabs",
	"bytes in slabs at the end",
	"bytes asked for in live objects at the end",
	"bytes in slabs but in no request, at the end",
	"of these, live objects: slot minus request",
	"of these, ends of slabs that hold no object",
	"of these, free objects",
	"kmalloc beyond the largest class, at the end",
	"most page frames taken",
	"page frames taken at the end",
	"most slabs",
	"slabs at the end",
	"most slabs on nodes' partial lists",
	"slabs on nodes' partial lists at the end",
	"live objects at the end",
	"model cycles of all CPUs",
	"of these, waiting for locks",
	"clock of the CPU that is furthest on",
	"model cycles of the costliest event",
	"locks taken",
	"of these, with waiting",
	"page allocator calls that took or returned pages, for slabs and large kmalloc",
	"events that left a fast path",
	"SLUB: searches on other nodes (2018 proposal: get_partial_count)",
	"SLUB: zones that they looked at (2018 proposal: get_partial_try_count)",
	"SLOB: allocations from pages that many sizes share",
	"SLOB: pages looked at in them",
	"SLOB: free blocks looked at in those pages",
	"SLOB: pages looked at by one allocation",
	"SLOB: free blocks looked at by one allocation",
	"SLOB: bytes cut off the front of blocks to align objects",
];

/** Things that keep rows of call sites apart (bit 1 << value). */
export const SitesBy = {
	/** call site */ SITES_BY_SITE: 0,
	/** cache */ SITES_BY_CACHE: 1,
	/** CPU that allocated */ SITES_BY_CPU: 2,
	/** node of that CPU */ SITES_BY_NODE: 3,
	/** task that allocated */ SITES_BY_TASK: 4,
} as const;
export type SitesBy = (typeof SitesBy)[keyof typeof SitesBy];
export const SITES_BY_NAMES = ["SITES_BY_SITE", "SITES_BY_CACHE", "SITES_BY_CPU", "SITES_BY_NODE", "SITES_BY_TASK"] as const;

/** Verdicts about the objects that a trace never frees. */
export const Leak = {
	LEAK_NONE: 0,
	LEAK_IN_USE: 1,
	LEAK_RCU: 2,
	LEAK_UNSEEN: 3,
	LEAK_FEW_FREES: 4,
	LEAK_SUSPECT: 5,
	LEAK_SAMPLED: 6,
} as const;
export type Leak = (typeof Leak)[keyof typeof Leak];
export const LEAK_NAMES = ["LEAK_NONE", "LEAK_IN_USE", "LEAK_RCU", "LEAK_UNSEEN", "LEAK_FEW_FREES", "LEAK_SUSPECT", "LEAK_SAMPLED"] as const;
export const LEAK_WORDS: readonly string[] = [
	"nothing left",
	"in use",
	"RCU may free them later",
	"frees not recorded",
	"too few frees to compare with",
	"leak suspects",
	"the trace is sampled",
];

/** The kind of a text. */
export const LookupKind = {
	/** neither a pointer nor a report */ LOOKUP_NOTHING: 0,
	/** a pointer */ LOOKUP_POINTER: 1,
	/** a report of slab debugging */ LOOKUP_BUG: 2,
	/** a report of KASAN */ LOOKUP_KASAN: 3,
} as const;
export type LookupKind = (typeof LookupKind)[keyof typeof LookupKind];
export const LOOKUP_KIND_NAMES = ["LOOKUP_NOTHING", "LOOKUP_POINTER", "LOOKUP_BUG", "LOOKUP_KASAN"] as const;

/** How a life fits; matched has bit 1 << value. */
export const LookupMatch = {
	LOOKUP_BY_POINTER: 0,
	LOOKUP_BY_INSIDE: 1,
	LOOKUP_BY_PAGE: 2,
	LOOKUP_BY_CACHE: 3,
	LOOKUP_BY_SITE: 4,
	LOOKUP_BY_CPU: 5,
	LOOKUP_BY_PID: 6,
	LOOKUP_BY_TIME: 7,
	LOOKUP_BY_FREE_SITE: 8,
	LOOKUP_BY_FREE_CPU: 9,
	LOOKUP_BY_FREE_PID: 10,
	LOOKUP_BY_LIFETIME: 11,
} as const;
export type LookupMatch = (typeof LookupMatch)[keyof typeof LookupMatch];
export const LOOKUP_MATCH_NAMES = ["LOOKUP_BY_POINTER", "LOOKUP_BY_INSIDE", "LOOKUP_BY_PAGE", "LOOKUP_BY_CACHE", "LOOKUP_BY_SITE", "LOOKUP_BY_CPU", "LOOKUP_BY_PID", "LOOKUP_BY_TIME", "LOOKUP_BY_FREE_SITE", "LOOKUP_BY_FREE_CPU", "LOOKUP_BY_FREE_PID", "LOOKUP_BY_LIFETIME"] as const;
export const LOOKUP_MATCH_WORDS: readonly string[] = [
	"pointer",
	"address inside the object",
	"same page",
	"cache",
	"call site",
	"CPU",
	"pid",
	"time",
	"call site of the free",
	"CPU of the free",
	"pid of the free",
	"lifetime",
];

/** The state of a slot, as far as the trace shows it. */
export const SlotState = {
	SLOT_UNKNOWN: 0,
	SLOT_LIVE: 1,
	SLOT_FREE: 2,
} as const;
export type SlotState = (typeof SlotState)[keyof typeof SlotState];
export const SLOT_STATE_NAMES = ["SLOT_UNKNOWN", "SLOT_LIVE", "SLOT_FREE"] as const;
export const SLOT_STATE_WORDS: readonly string[] = [
	"not seen in the trace so far",
	"allocated",
	"free",
];

/** Source of the choice of the kernel that is modelled. */
export const KernelChoice = {
	/** the default */ KERNEL_BY_DEFAULT: 0,
	/** the trace names the kernel on which it was recorded: the nearest preset */ KERNEL_BY_RECORDING: 1,
	/** the trace names the preset */ KERNEL_BY_TRACE: 2,
	/** the user names the preset */ KERNEL_BY_USER: 3,
} as const;
export type KernelChoice = (typeof KernelChoice)[keyof typeof KernelChoice];
export const KERNEL_CHOICE_NAMES = ["KERNEL_BY_DEFAULT", "KERNEL_BY_RECORDING", "KERNEL_BY_TRACE", "KERNEL_BY_USER"] as const;

/** Kind of a figure in a proposal's table. */
export const FigureKind = {
	/** counted */ FIGURE_COUNT: 0,
	/** a ratio of counts */ FIGURE_RATIO: 1,
	/** memory */ FIGURE_BYTES: 2,
	/** a time: ours in model cycles, which compare and do not predict */ FIGURE_TIME: 3,
	/** a rate: ours by model cycles, which compare and do not predict */ FIGURE_RATE: 4,
} as const;
export type FigureKind = (typeof FigureKind)[keyof typeof FigureKind];
export const FIGURE_KIND_NAMES = ["FIGURE_COUNT", "FIGURE_RATIO", "FIGURE_BYTES", "FIGURE_TIME", "FIGURE_RATE"] as const;

/** Whether the measurement agrees with the real kernel, or where that has none with the proposal. */
export const Agreement = {
	/** nothing to agree with */ AGREEMENT_OPEN: 0,
	/** agrees */ AGREEMENT_YES: 1,
	/** does not agree */ AGREEMENT_NO: 2,
} as const;
export type Agreement = (typeof Agreement)[keyof typeof Agreement];
export const AGREEMENT_NAMES = ["AGREEMENT_OPEN", "AGREEMENT_YES", "AGREEMENT_NO"] as const;

/** Why a call was refused, where its status does not say it all. */
export const FaultKind = {
	/** nothing to name */ FAULT_NONE: 0,
	/** unknown parameter */ FAULT_KEY: 1,
	/** value outside the parameter's range */ FAULT_VALUE: 2,
	/** two parameters that exclude each other */ FAULT_CONFLICT: 3,
	/** unknown preset */ FAULT_PRESET: 4,
	/** unknown workload */ FAULT_WORKLOAD: 5,
} as const;
export type FaultKind = (typeof FaultKind)[keyof typeof FaultKind];
export const FAULT_KIND_NAMES = ["FAULT_NONE", "FAULT_KEY", "FAULT_VALUE", "FAULT_CONFLICT", "FAULT_PRESET", "FAULT_WORKLOAD"] as const;

/** Parts of the memory in pages, in the order in which a waterfall adds them up. */
export const MemoryPart = {
	PART_REQUESTED: 0,
	PART_ROUNDING: 1,
	PART_TAIL: 2,
	PART_FREE: 3,
	PART_EMPTY: 4,
	PART_AHEAD: 5,
	PART_LOST: 6,
	PART_INFERRED: 7,
	PART_LARGE: 8,
	PART_PAGES: 9,
} as const;
export type MemoryPart = (typeof MemoryPart)[keyof typeof MemoryPart];
export const MEMORY_PART_NAMES = ["PART_REQUESTED", "PART_ROUNDING", "PART_TAIL", "PART_FREE", "PART_EMPTY", "PART_AHEAD", "PART_LOST", "PART_INFERRED", "PART_LARGE", "PART_PAGES"] as const;
export const MEMORY_PART_WORDS: readonly string[] = [
	"requested, in live objects",
	"rounding up to the slot",
	"tail waste at the ends of slabs",
	"free objects",
	"empty slabs kept",
	"held by callers ahead of use",
	"taken out of use by debugging",
	"in use before the trace began",
	"large kmalloc in whole pages",
	"pages in use",
];

/** Rows and columns of the matrix of frees. */
export const MatrixBy = {
	BY_CPU: 0,
	BY_NODE: 1,
} as const;
export type MatrixBy = (typeof MatrixBy)[keyof typeof MatrixBy];
export const MATRIX_BY_NAMES = ["BY_CPU", "BY_NODE"] as const;
export const MATRIX_BY_WORDS: readonly string[] = [
	"CPU",
	"node",
];

/** Numbers by which single-parameter changes are compared. */
export const DoctorMeasure = {
	DOCTOR_PEAK_BYTES: 0,
	DOCTOR_END_BYTES: 1,
	DOCTOR_SLOW_PATHS: 2,
	DOCTOR_CYCLES: 3,
	DOCTOR_LOCK_WAIT_CYCLES: 4,
} as const;
export type DoctorMeasure = (typeof DoctorMeasure)[keyof typeof DoctorMeasure];
export const DOCTOR_MEASURE_NAMES = ["DOCTOR_PEAK_BYTES", "DOCTOR_END_BYTES", "DOCTOR_SLOW_PATHS", "DOCTOR_CYCLES", "DOCTOR_LOCK_WAIT_CYCLES"] as const;
export const DOCTOR_MEASURE_WORDS: readonly string[] = [
	"bytes of pages in use at the peak",
	"bytes of pages in use at the end",
	"slow paths",
	"model cycles",
	"model cycles of waiting for locks",
];

/** The way to set a parameter. */
export const SetBy = {
	SET_BY_KERNEL: 0,
	SET_BY_BUILD: 1,
	SET_BY_BOOT: 2,
	SET_BY_RUNNING: 3,
} as const;
export type SetBy = (typeof SetBy)[keyof typeof SetBy];
export const SET_BY_NAMES = ["SET_BY_KERNEL", "SET_BY_BUILD", "SET_BY_BOOT", "SET_BY_RUNNING"] as const;
export const SET_BY_WORDS: readonly string[] = [
	"kernel version",
	"build option",
	"boot option",
	"running kernel",
];

/** One decision. */
export interface Step {
	/** event it belongs to, from 0 */
	readonly op: number;
	/** enum kmem_step_kind, steps.def */
	readonly kind: number;
	/** virtual CPU */
	readonly cpu: number;
	/** cache id, KMEM_NONE if none */
	readonly cache: number;
	/** node the step is about, KMEM_NONE if none */
	readonly node: number;
	/** as steps.def names them */
	readonly args: readonly number[];
}
export const STEP_SIZE = 32;
export function readStep(view: DataView, at: number): Step {
	return {
		op: view.getUint32(at + 0, true),
		kind: view.getUint16(at + 4, true),
		cpu: view.getUint16(at + 6, true),
		cache: view.getUint16(at + 8, true),
		node: view.getUint16(at + 10, true),
		args: [view.getUint32(at + 12, true), view.getUint32(at + 16, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 28, true)],
	};
}

/** One event, for a person. */
export interface OpRow {
	/** nanoseconds, or ticks of the trace's clock */
	readonly time: number;
	/** its number, from 0 */
	readonly op: number;
	/** dense number of the object */
	readonly handle: number;
	/** bytes requested */
	readonly bytes: number;
	/** call site, NUL-terminated text, 0 if unknown */
	readonly siteAt: number;
	/** tracepoint or slabtrace word, NUL-terminated text */
	readonly nameAt: number;
	/** enum kmem_op_kind */
	readonly kind: number;
	/** CPU it ran on */
	readonly cpu: number;
	/** cache id, KMEM_NONE if none */
	readonly cache: number;
	/** node asked for, KMEM_NONE for any */
	readonly node: number;
	/** where the object is or was: serial number of the slab in its cache, KMEM_NONE32 if nowhere */
	readonly slab: number;
	/** and its number in the slab; where objects have no number, the unit at which it begins */
	readonly index: number;
}
export const OP_ROW_SIZE = 48;
export function readOpRow(view: DataView, at: number): OpRow {
	return {
		time: u64(view, at + 0),
		op: view.getUint32(at + 8, true),
		handle: view.getUint32(at + 12, true),
		bytes: view.getUint32(at + 16, true),
		siteAt: view.getUint32(at + 20, true),
		nameAt: view.getUint32(at + 24, true),
		kind: view.getUint16(at + 28, true),
		cpu: view.getUint16(at + 30, true),
		cache: view.getUint16(at + 32, true),
		node: view.getUint16(at + 34, true),
		slab: view.getUint32(at + 36, true),
		index: view.getUint32(at + 40, true),
	};
}

/** A place where slabs, or objects taken from slabs, are. */
export interface Place {
	/** enum kmem_place_kind */
	readonly kind: number;
	/** cache id */
	readonly cache: number;
	/** CPU it belongs to, KMEM_NONE if none */
	readonly cpu: number;
	/** node it belongs to, KMEM_NONE if none */
	readonly node: number;
	/** slabs here */
	readonly nrSlabs: number;
	/** index of its first row in slabs; rows are in list order, head first */
	readonly firstSlab: number;
	/** most slabs or objects here, 0 without a limit */
	readonly limit: number;
	/** free objects in the slabs here */
	readonly freeObjects: number;
	/** objects that are here one by one, and not in a slab's own keeping */
	readonly nrEntries: number;
	/** index of the first of them in entries: oldest first, so the last is taken next */
	readonly firstEntry: number;
	/** of a list or class by size: the largest request it serves, 0 elsewhere */
	readonly bytes: number;
	/** sheaves here, 0 in a place of another kind */
	readonly sheaves: number;
	/** of an alien place: the node whose objects it holds; of a shared one: its group of CPUs; KMEM_NONE elsewhere */
	readonly target: number;
	/** 1 if used since the last reaping or expiry */
	readonly touched: number;
}
export const PLACE_SIZE = 44;
export function readPlace(view: DataView, at: number): Place {
	return {
		kind: view.getUint16(at + 0, true),
		cache: view.getUint16(at + 2, true),
		cpu: view.getUint16(at + 4, true),
		node: view.getUint16(at + 6, true),
		nrSlabs: view.getUint32(at + 8, true),
		firstSlab: view.getUint32(at + 12, true),
		limit: view.getUint32(at + 16, true),
		freeObjects: view.getUint32(at + 20, true),
		nrEntries: view.getUint32(at + 24, true),
		firstEntry: view.getUint32(at + 28, true),
		bytes: view.getUint32(at + 32, true),
		sheaves: view.getUint32(at + 36, true),
		target: view.getUint16(at + 40, true),
		touched: view.getUint16(at + 42, true),
	};
}

/** One slab. */
export interface SlabRow {
	/** of its first byte */
	readonly address: number;
	/** number in its cache, 0 = first made; with cache the key of the slab */
	readonly serial: number;
	/** index of its place in places */
	readonly place: number;
	/** in the place, 0 = head */
	readonly position: number;
	/** index of its first cell */
	readonly firstCell: number;
	/** cache id */
	readonly cache: number;
	/** node its memory is on */
	readonly node: number;
	/** cells it has */
	readonly objects: number;
	/** as the kernel counts: objects on a CPU's freelist are in use */
	readonly inuse: number;
	/** objects on the slab freelist */
	readonly freeOnSlab: number;
	/** objects on the owner's freelist */
	readonly freeOnCpu: number;
	/** CPU that holds it, KMEM_NONE if none */
	readonly ownerCpu: number;
	/** 2^order pages */
	readonly order: number;
	/** 1 while a CPU holds it */
	readonly frozen: number;
	/** bytes before its first object: the colour of the slab */
	readonly start: number;
	/** where its cells differ in size: index of the first cell's extent, KMEM_NONE32 if all are alike */
	readonly firstExtent: number;
	/** allocated objects that the machine had before the trace, after a warm start: no event is theirs */
	readonly inferred: number;
}
export const SLAB_ROW_SIZE = 56;
export function readSlabRow(view: DataView, at: number): SlabRow {
	return {
		address: u64(view, at + 0),
		serial: view.getUint32(at + 8, true),
		place: view.getUint32(at + 12, true),
		position: view.getUint32(at + 16, true),
		firstCell: view.getUint32(at + 20, true),
		cache: view.getUint16(at + 24, true),
		node: view.getUint16(at + 26, true),
		objects: view.getUint16(at + 28, true),
		inuse: view.getUint16(at + 30, true),
		freeOnSlab: view.getUint16(at + 32, true),
		freeOnCpu: view.getUint16(at + 34, true),
		ownerCpu: view.getUint16(at + 36, true),
		order: view.getUint8(at + 38),
		frozen: view.getUint8(at + 39),
		start: view.getUint32(at + 40, true),
		firstExtent: view.getUint32(at + 44, true),
		inferred: view.getUint32(at + 48, true),
	};
}

/** An object in an array or queue. */
export interface Entry {
	/** serial number of its slab */
	readonly slab: number;
	/** its place in the slab */
	readonly index: number;
	/** cache id of the slab */
	readonly cache: number;
}
export const ENTRY_SIZE = 8;
export function readEntry(view: DataView, at: number): Entry {
	return {
		slab: view.getUint32(at + 0, true),
		index: view.getUint16(at + 4, true),
		cache: view.getUint16(at + 6, true),
	};
}

/** Where a cell of its own size is in its slab. */
export interface Extent {
	/** bytes from the start of the slab */
	readonly offset: number;
	/** its size */
	readonly bytes: number;
}
export const EXTENT_SIZE = 8;
export function readExtent(view: DataView, at: number): Extent {
	return {
		offset: view.getUint32(at + 0, true),
		bytes: view.getUint32(at + 4, true),
	};
}

/** The world as rows. */
export interface Frame {
	/** events done */
	readonly op: number;
	/** steps done of the event in progress, 0 between events */
	readonly step: number;
	/** struct kmem_place[nr_places] */
	readonly placesAt: number;
	/** rows */
	readonly nrPlaces: number;
	/** struct kmem_slab_row[nr_slabs] */
	readonly slabsAt: number;
	/** rows */
	readonly nrSlabs: number;
	/** u8[nr_cells], enum kmem_cell */
	readonly cellsAt: number;
	/** bytes */
	readonly nrCells: number;
	/** struct kmem_entry[nr_entries] */
	readonly entriesAt: number;
	/** rows */
	readonly nrEntries: number;
	/** struct kmem_extent[nr_extents] */
	readonly extentsAt: number;
	/** rows */
	readonly nrExtents: number;
	/** as in kmem_totals, but counted up to this step */
	readonly anyNodeEntered: number;
	/** as in kmem_totals, but counted up to this step */
	readonly anyNodeZones: number;
}
export const FRAME_SIZE = 56;
export function readFrame(view: DataView, at: number): Frame {
	return {
		op: view.getUint32(at + 0, true),
		step: view.getUint32(at + 4, true),
		placesAt: view.getUint32(at + 8, true),
		nrPlaces: view.getUint32(at + 12, true),
		slabsAt: view.getUint32(at + 16, true),
		nrSlabs: view.getUint32(at + 20, true),
		cellsAt: view.getUint32(at + 24, true),
		nrCells: view.getUint32(at + 28, true),
		entriesAt: view.getUint32(at + 32, true),
		nrEntries: view.getUint32(at + 36, true),
		extentsAt: view.getUint32(at + 40, true),
		nrExtents: view.getUint32(at + 44, true),
		anyNodeEntered: view.getUint32(at + 48, true),
		anyNodeZones: view.getUint32(at + 52, true),
	};
}

/** One cache: slabinfo and more. */
export interface CacheRow {
	/** bytes asked for in its live objects */
	readonly requestedBytes: number;
	/** bytes in its slabs */
	readonly slabBytes: number;
	/** model cycles spent on its events, waiting included */
	readonly cycles: number;
	/** of these, waiting for locks */
	readonly lockWaitCycles: number;
	/** NUL-terminated text */
	readonly nameAt: number;
	/** cache id */
	readonly cache: number;
	/** preferred order */
	readonly order: number;
	/** bytes of the object */
	readonly objectSize: number;
	/** bytes of the slot */
	readonly size: number;
	/** bytes */
	readonly align: number;
	/** in a slab of the preferred order */
	readonly objectsPerSlab: number;
	/** of the free pointer in a free object */
	readonly offset: number;
	/** slabs now */
	readonly slabs: number;
	/** most slabs so far */
	readonly slabsPeak: number;
	/** active objects as slabinfo counts: total minus free on node lists */
	readonly objects: number;
	/** objects in all slabs */
	readonly totalObjects: number;
	/** allocated objects */
	readonly liveObjects: number;
	/** slabs on node partial lists */
	readonly partial: number;
	/** cpu slabs and slabs on per-CPU partial lists */
	readonly cpuSlabs: number;
	/** threshold */
	readonly minPartial: number;
	/** objects that the per-CPU partial list should hold */
	readonly cpuPartial: number;
	/** slabs that the per-CPU partial list may hold */
	readonly cpuPartialSlabs: number;
	/** as slabinfo counts them */
	readonly activeSlabs: number;
	/** slabinfo's tunables: objects that a CPU's array or queue may hold, 0 where there is none */
	readonly limit: number;
	/** objects moved at a time */
	readonly batchcount: number;
	/** the shared array in batches */
	readonly sharedfactor: number;
	/** objects in shared arrays */
	readonly sharedavail: number;
	/** enum kmem_counter */
	readonly counters: readonly number[];
}
export const CACHE_ROW_SIZE = 392;
export function readCacheRow(view: DataView, at: number): CacheRow {
	return {
		requestedBytes: u64(view, at + 0),
		slabBytes: u64(view, at + 8),
		cycles: u64(view, at + 16),
		lockWaitCycles: u64(view, at + 24),
		nameAt: view.getUint32(at + 32, true),
		cache: view.getUint16(at + 36, true),
		order: view.getUint16(at + 38, true),
		objectSize: view.getUint32(at + 40, true),
		size: view.getUint32(at + 44, true),
		align: view.getUint32(at + 48, true),
		objectsPerSlab: view.getUint32(at + 52, true),
		offset: view.getUint32(at + 56, true),
		slabs: view.getUint32(at + 60, true),
		slabsPeak: view.getUint32(at + 64, true),
		objects: view.getUint32(at + 68, true),
		totalObjects: view.getUint32(at + 72, true),
		liveObjects: view.getUint32(at + 76, true),
		partial: view.getUint32(at + 80, true),
		cpuSlabs: view.getUint32(at + 84, true),
		minPartial: view.getUint32(at + 88, true),
		cpuPartial: view.getUint32(at + 92, true),
		cpuPartialSlabs: view.getUint32(at + 96, true),
		activeSlabs: view.getUint32(at + 100, true),
		limit: view.getUint32(at + 104, true),
		batchcount: view.getUint32(at + 108, true),
		sharedfactor: view.getUint32(at + 112, true),
		sharedavail: view.getUint32(at + 116, true),
		counters: [view.getUint32(at + 120, true), view.getUint32(at + 124, true), view.getUint32(at + 128, true), view.getUint32(at + 132, true), view.getUint32(at + 136, true), view.getUint32(at + 140, true), view.getUint32(at + 144, true), view.getUint32(at + 148, true), view.getUint32(at + 152, true), view.getUint32(at + 156, true), view.getUint32(at + 160, true), view.getUint32(at + 164, true), view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true), view.getUint32(at + 208, true), view.getUint32(at + 212, true), view.getUint32(at + 216, true), view.getUint32(at + 220, true), view.getUint32(at + 224, true), view.getUint32(at + 228, true), view.getUint32(at + 232, true), view.getUint32(at + 236, true), view.getUint32(at + 240, true), view.getUint32(at + 244, true), view.getUint32(at + 248, true), view.getUint32(at + 252, true), view.getUint32(at + 256, true), view.getUint32(at + 260, true), view.getUint32(at + 264, true), view.getUint32(at + 268, true), view.getUint32(at + 272, true), view.getUint32(at + 276, true), view.getUint32(at + 280, true), view.getUint32(at + 284, true), view.getUint32(at + 288, true), view.getUint32(at + 292, true), view.getUint32(at + 296, true), view.getUint32(at + 300, true), view.getUint32(at + 304, true), view.getUint32(at + 308, true), view.getUint32(at + 312, true), view.getUint32(at + 316, true), view.getUint32(at + 320, true), view.getUint32(at + 324, true), view.getUint32(at + 328, true), view.getUint32(at + 332, true), view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true)],
	};
}

/** One CPU in virtual time. */
export interface CpuRow {
	/** model cycles since the start */
	readonly clock: number;
	/** of these, at work; waiting included */
	readonly cycles: number;
	/** of these, waiting for locks */
	readonly lockWaitCycles: number;
	/** its number */
	readonly cpu: number;
	/** where it is */
	readonly node: number;
}
export const CPU_ROW_SIZE = 32;
export function readCpuRow(view: DataView, at: number): CpuRow {
	return {
		clock: u64(view, at + 0),
		cycles: u64(view, at + 8),
		lockWaitCycles: u64(view, at + 16),
		cpu: view.getUint32(at + 24, true),
		node: view.getUint32(at + 28, true),
	};
}

/** One lock in virtual time. */
export interface LockRow {
	/** that CPUs have waited for it */
	readonly waitCycles: number;
	/** times it was taken */
	readonly takes: number;
	/** of these, after waiting */
	readonly contended: number;
	/** enum kmem_lock_kind */
	readonly kind: number;
	/** cache id, KMEM_NONE if none */
	readonly cache: number;
	/** node of what it protects, KMEM_NONE if none */
	readonly node: number;
	/** of an alien place: the node whose objects it holds; of a shared one: its group; KMEM_NONE elsewhere */
	readonly target: number;
}
export const LOCK_ROW_SIZE = 24;
export function readLockRow(view: DataView, at: number): LockRow {
	return {
		waitCycles: u64(view, at + 0),
		takes: view.getUint32(at + 8, true),
		contended: view.getUint32(at + 12, true),
		kind: view.getUint16(at + 16, true),
		cache: view.getUint16(at + 18, true),
		node: view.getUint16(at + 20, true),
		target: view.getUint16(at + 22, true),
	};
}

/** One zone. */
export interface ZoneRow {
	/** first page frame */
	readonly startPfn: number;
	/** its size */
	readonly pages: number;
	/** pages taken */
	readonly used: number;
	/** node */
	readonly node: number;
	/** enum kmem_zone_kind */
	readonly kind: number;
	/** free runs of 2^i pages, as /proc/buddyinfo */
	readonly freeRuns: readonly number[];
}
export const ZONE_ROW_SIZE = 72;
export function readZoneRow(view: DataView, at: number): ZoneRow {
	return {
		startPfn: u64(view, at + 0),
		pages: u64(view, at + 8),
		used: u64(view, at + 16),
		node: view.getUint16(at + 24, true),
		kind: view.getUint16(at + 26, true),
		freeRuns: [view.getUint32(at + 28, true), view.getUint32(at + 32, true), view.getUint32(at + 36, true), view.getUint32(at + 40, true), view.getUint32(at + 44, true), view.getUint32(at + 48, true), view.getUint32(at + 52, true), view.getUint32(at + 56, true), view.getUint32(at + 60, true), view.getUint32(at + 64, true), view.getUint32(at + 68, true)],
	};
}

/** The whole world in numbers. */
export interface Totals {
	/** bytes in slabs */
	readonly slabBytes: number;
	/** bytes asked for in live objects of slabs */
	readonly requestedBytes: number;
	/** live objects: slot minus request */
	readonly wasteRounding: number;
	/** ends of slabs that hold no object */
	readonly wasteTail: number;
	/** free objects */
	readonly wasteFree: number;
	/** kmalloc beyond the largest class: pages, not slabs */
	readonly largeBytes: number;
	/** model cycles of all CPUs */
	readonly cycles: number;
	/** of these, waiting for locks */
	readonly lockWaitCycles: number;
	/** clock of the CPU that is furthest on */
	readonly elapsedCycles: number;
	/** that CPUs were at work outside the allocator: events times parameter work */
	readonly workCycles: number;
	/** page frames taken */
	readonly pagesInUse: number;
	/** most so far */
	readonly pagesPeak: number;
	/** allocations from pages that many sizes share */
	readonly searches: number;
	/** pages looked at in them */
	readonly pagesVisited: number;
	/** free blocks looked at in those pages */
	readonly blocksVisited: number;
	/** bytes cut off the front of blocks to align objects */
	readonly headFragmentBytes: number;
	/** events done */
	readonly ops: number;
	/** allocated objects */
	readonly liveObjects: number;
	/** slabs */
	readonly slabs: number;
	/** slabs on node partial lists */
	readonly partial: number;
	/** calls of the any-node search (2018 proposal: get_partial_count) */
	readonly anyNodeEntered: number;
	/** zones it looked at (2018 proposal: get_partial_try_count) */
	readonly anyNodeZones: number;
	/** most pages looked at by one allocation */
	readonly mostPagesVisited: number;
	/** most free blocks looked at by one allocation */
	readonly mostBlocksVisited: number;
	/** enum kmem_counter */
	readonly counters: readonly number[];
}
export const TOTALS_SIZE = 432;
export function readTotals(view: DataView, at: number): Totals {
	return {
		slabBytes: u64(view, at + 0),
		requestedBytes: u64(view, at + 8),
		wasteRounding: u64(view, at + 16),
		wasteTail: u64(view, at + 24),
		wasteFree: u64(view, at + 32),
		largeBytes: u64(view, at + 40),
		cycles: u64(view, at + 48),
		lockWaitCycles: u64(view, at + 56),
		elapsedCycles: u64(view, at + 64),
		workCycles: u64(view, at + 72),
		pagesInUse: u64(view, at + 80),
		pagesPeak: u64(view, at + 88),
		searches: u64(view, at + 96),
		pagesVisited: u64(view, at + 104),
		blocksVisited: u64(view, at + 112),
		headFragmentBytes: u64(view, at + 120),
		ops: view.getUint32(at + 128, true),
		liveObjects: view.getUint32(at + 132, true),
		slabs: view.getUint32(at + 136, true),
		partial: view.getUint32(at + 140, true),
		anyNodeEntered: view.getUint32(at + 144, true),
		anyNodeZones: view.getUint32(at + 148, true),
		mostPagesVisited: view.getUint32(at + 152, true),
		mostBlocksVisited: view.getUint32(at + 156, true),
		counters: [view.getUint32(at + 160, true), view.getUint32(at + 164, true), view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true), view.getUint32(at + 208, true), view.getUint32(at + 212, true), view.getUint32(at + 216, true), view.getUint32(at + 220, true), view.getUint32(at + 224, true), view.getUint32(at + 228, true), view.getUint32(at + 232, true), view.getUint32(at + 236, true), view.getUint32(at + 240, true), view.getUint32(at + 244, true), view.getUint32(at + 248, true), view.getUint32(at + 252, true), view.getUint32(at + 256, true), view.getUint32(at + 260, true), view.getUint32(at + 264, true), view.getUint32(at + 268, true), view.getUint32(at + 272, true), view.getUint32(at + 276, true), view.getUint32(at + 280, true), view.getUint32(at + 284, true), view.getUint32(at + 288, true), view.getUint32(at + 292, true), view.getUint32(at + 296, true), view.getUint32(at + 300, true), view.getUint32(at + 304, true), view.getUint32(at + 308, true), view.getUint32(at + 312, true), view.getUint32(at + 316, true), view.getUint32(at + 320, true), view.getUint32(at + 324, true), view.getUint32(at + 328, true), view.getUint32(at + 332, true), view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true), view.getUint32(at + 392, true), view.getUint32(at + 396, true), view.getUint32(at + 400, true), view.getUint32(at + 404, true), view.getUint32(at + 408, true), view.getUint32(at + 412, true), view.getUint32(at + 416, true), view.getUint32(at + 420, true), view.getUint32(at + 424, true), view.getUint32(at + 428, true)],
	};
}

/** A metric over the whole trace. */
export interface Series {
	/** buckets filled */
	readonly nrBuckets: number;
	/** events each stands for */
	readonly opsPerBucket: number;
	/** u64[nr_buckets]: least in the bucket */
	readonly minAt: number;
	/** u64[nr_buckets]: most in the bucket; of METRIC_SLOW_PATHS, how many */
	readonly maxAt: number;
}
export const SERIES_SIZE = 16;
export function readSeries(view: DataView, at: number): Series {
	return {
		nrBuckets: view.getUint32(at + 0, true),
		opsPerBucket: view.getUint32(at + 4, true),
		minAt: view.getUint32(at + 8, true),
		maxAt: view.getUint32(at + 12, true),
	};
}

/** One try of the order rule. */
export interface OrderTry {
	/** objects wanted in a slab */
	readonly minObjects: number;
	/** tail waste may be 1/fraction of the slab */
	readonly fraction: number;
	/** order tried */
	readonly order: number;
	/** bytes of tail waste */
	readonly remainder: number;
	/** 1 if this is the answer */
	readonly accepted: number;
	/** enum kmem_outcome: why, or why not */
	readonly outcome: number;
	/** enum kmem_management, 0 where slabs keep no indices */
	readonly management: number;
}
export const ORDER_TRY_SIZE = 28;
export function readOrderTry(view: DataView, at: number): OrderTry {
	return {
		minObjects: view.getUint32(at + 0, true),
		fraction: view.getUint32(at + 4, true),
		order: view.getUint32(at + 8, true),
		remainder: view.getUint32(at + 12, true),
		accepted: view.getUint32(at + 16, true),
		outcome: view.getUint32(at + 20, true),
		management: view.getUint32(at + 24, true),
	};
}

/** The order rule's answer for one size. */
export interface OrderRow {
	/** bytes of the slot */
	readonly size: number;
	/** chosen */
	readonly order: number;
	/** in a slab of it */
	readonly objects: number;
	/** bytes of tail waste in a slab */
	readonly waste: number;
	/** by min_partial_rule */
	readonly minPartial: number;
	/** 5.16 and later */
	readonly cpuPartialObjects: number;
	/** 5.16 and later */
	readonly cpuPartialSlabs: number;
	/** objects in a sheaf, 7.0 and later */
	readonly sheafCapacity: number;
	/** tries made; the first ones are kept */
	readonly nrTries: number;
	/** bytes of the slot that the allocator makes of it */
	readonly alignedSize: number;
	/** from here on 0 without per-CPU arrays: enum kmem_management */
	readonly management: number;
	/** offsets at which a slab may begin */
	readonly colours: number;
	/** objects in a CPU's array */
	readonly limit: number;
	/** objects moved at a time */
	readonly batchcount: number;
	/** the shared array in batches */
	readonly shared: number;
	/** free objects that one node with all CPUs keeps in slabs */
	readonly freeLimit: number;
	/** CPUs that all this is for */
	readonly nrCpus: number;
}
export const ORDER_ROW_SIZE = 68;
export function readOrderRow(view: DataView, at: number): OrderRow {
	return {
		size: view.getUint32(at + 0, true),
		order: view.getUint32(at + 4, true),
		objects: view.getUint32(at + 8, true),
		waste: view.getUint32(at + 12, true),
		minPartial: view.getUint32(at + 16, true),
		cpuPartialObjects: view.getUint32(at + 20, true),
		cpuPartialSlabs: view.getUint32(at + 24, true),
		sheafCapacity: view.getUint32(at + 28, true),
		nrTries: view.getUint32(at + 32, true),
		alignedSize: view.getUint32(at + 36, true),
		management: view.getUint32(at + 40, true),
		colours: view.getUint32(at + 44, true),
		limit: view.getUint32(at + 48, true),
		batchcount: view.getUint32(at + 52, true),
		shared: view.getUint32(at + 56, true),
		freeLimit: view.getUint32(at + 60, true),
		nrCpus: view.getUint32(at + 64, true),
	};
}

/** A cache of a real machine under two order rules; unknown numbers are KMEM_NONE32. */
export interface OrderMachineRow {
	/** NUL-terminated text, as the machine calls it */
	readonly nameAt: number;
	/** bytes of the slot */
	readonly size: number;
	/** objects in use */
	readonly objects: number;
	/** objects in all slabs, free ones included */
	readonly slots: number;
	/** order on the machine */
	readonly machineOrder: number;
	/** slabs on the machine */
	readonly machineSlabs: number;
	/** order under rule A */
	readonly orderA: number;
	/** order under rule B */
	readonly orderB: number;
	/** objects in a slab of order_a */
	readonly objectsA: number;
	/** objects in a slab of order_b */
	readonly objectsB: number;
	/** pages of the full slabs that hold the objects in use, rule A; 0 where objects are unknown */
	readonly pagesA: number;
	/** the same, rule B */
	readonly pagesB: number;
	/** pages of the slabs with as many slots as the machine has, rule A; 0 where slots are unknown */
	readonly slotPagesA: number;
	/** the same, rule B */
	readonly slotPagesB: number;
}
export const ORDER_MACHINE_ROW_SIZE = 72;
export function readOrderMachineRow(view: DataView, at: number): OrderMachineRow {
	return {
		nameAt: view.getUint32(at + 0, true),
		size: view.getUint32(at + 4, true),
		objects: view.getUint32(at + 8, true),
		slots: view.getUint32(at + 12, true),
		machineOrder: view.getUint32(at + 16, true),
		machineSlabs: view.getUint32(at + 20, true),
		orderA: view.getUint32(at + 24, true),
		orderB: view.getUint32(at + 28, true),
		objectsA: view.getUint32(at + 32, true),
		objectsB: view.getUint32(at + 36, true),
		pagesA: u64(view, at + 40),
		pagesB: u64(view, at + 48),
		slotPagesA: u64(view, at + 56),
		slotPagesB: u64(view, at + 64),
	};
}

/** All caches of a real machine under two order rules. */
export interface OrderMachineTotals {
	/** of the pages that the rules are asked about */
	readonly pageBytes: number;
	/** CPUs that the rules are asked about */
	readonly nrCpus: number;
	/** rows */
	readonly caches: number;
	/** rows whose order differs */
	readonly changed: number;
	/** caches left out: their slot size is unknown, or no order holds it */
	readonly unsized: number;
	/** rows with known objects in use */
	readonly counted: number;
	/** objects in use in these rows */
	readonly objects: number;
	/** sum of pages_a */
	readonly pagesA: number;
	/** sum of pages_b */
	readonly pagesB: number;
	/** sum of slot_pages_a */
	readonly slotPagesA: number;
	/** sum of slot_pages_b */
	readonly slotPagesB: number;
	/** bytes of slab for one object of each row, in thousandths, rule A */
	readonly perObjectA: number;
	/** the same, rule B */
	readonly perObjectB: number;
}
export const ORDER_MACHINE_TOTALS_SIZE = 80;
export function readOrderMachineTotals(view: DataView, at: number): OrderMachineTotals {
	return {
		pageBytes: view.getUint32(at + 0, true),
		nrCpus: view.getUint32(at + 4, true),
		caches: view.getUint32(at + 8, true),
		changed: view.getUint32(at + 12, true),
		unsized: view.getUint32(at + 16, true),
		counted: view.getUint32(at + 20, true),
		objects: u64(view, at + 24),
		pagesA: u64(view, at + 32),
		pagesB: u64(view, at + 40),
		slotPagesA: u64(view, at + 48),
		slotPagesB: u64(view, at + 56),
		perObjectA: u64(view, at + 64),
		perObjectB: u64(view, at + 72),
	};
}

/** Slabs that a warm start made before the first event. */
export interface Warm {
	/** caches that began as the machine had them */
	readonly caches: number;
	/** caches of the trace that began empty: the machine state lacks them or their slabs */
	readonly cold: number;
	/** caches that began empty because the allocator cannot adopt their slabs */
	readonly refused: number;
	/** slabs made */
	readonly slabs: number;
	/** of these on node partial lists */
	readonly partial: number;
	/** of these held by CPUs */
	readonly cpuSlabs: number;
	/** objects in use in these slabs */
	readonly objects: number;
	/** 1: the trace's own pointers show the slabs, 0: a file has them */
	readonly inferred: number;
	/** objects of these slabs that the trace shows to have been free */
	readonly room: number;
	/** events that free an object in use from before event 1 */
	readonly frees: number;
	/** frees of objects that the start lacks too */
	readonly unknown: number;
}
export const WARM_SIZE = 48;
export function readWarm(view: DataView, at: number): Warm {
	return {
		caches: view.getUint32(at + 0, true),
		cold: view.getUint32(at + 4, true),
		refused: view.getUint32(at + 8, true),
		slabs: view.getUint32(at + 12, true),
		partial: view.getUint32(at + 16, true),
		cpuSlabs: view.getUint32(at + 20, true),
		objects: u64(view, at + 24),
		inferred: view.getUint32(at + 32, true),
		room: view.getUint32(at + 36, true),
		frees: view.getUint32(at + 40, true),
		unknown: view.getUint32(at + 44, true),
	};
}

/** A cache of a real machine; unknown numbers are KMEM_NONE32. */
export interface MachineStateRow {
	/** NUL-terminated text, as the machine calls it */
	readonly nameAt: number;
	/** id of the first cache of the model that has this name or an alias of it, KMEM_NONE if none */
	readonly cache: number;
	/** bytes of the object */
	readonly objectSize: number;
	/** bytes of the slot */
	readonly size: number;
	/** bytes */
	readonly align: number;
	/** in a slab of the preferred order */
	readonly objectsPerSlab: number;
	/** preferred order */
	readonly order: number;
	/** threshold */
	readonly minPartial: number;
	/** objects that the per-CPU partial list should hold */
	readonly cpuPartial: number;
	/** objects in a sheaf */
	readonly sheafCapacity: number;
	/** active objects as slabinfo counts */
	readonly objects: number;
	/** objects in all slabs */
	readonly totalObjects: number;
	/** slabs */
	readonly slabs: number;
	/** slabs on node partial lists */
	readonly partial: number;
	/** cpu slabs and slabs on per-CPU partial lists */
	readonly cpuSlabs: number;
	/** 1: aligned to cache lines */
	readonly hwcacheAlign: number;
	/** 1: can be reclaimed */
	readonly reclaimAccount: number;
	/** 1: memory for DMA */
	readonly cacheDma: number;
	/** 1: slabs go after a grace period */
	readonly destroyByRcu: number;
	/** caches merged into it */
	readonly aliases: number;
	/** objects in use in slabs on node partial lists */
	readonly objectsPartial: number;
	/** free objects on per-CPU partial lists */
	readonly cpuPartialObjects: number;
	/** slabs on per-CPU partial lists */
	readonly cpuPartialSlabs: number;
	/** slabs with an object in use, as slabinfo counts */
	readonly activeSlabs: number;
}
export const MACHINE_STATE_ROW_SIZE = 96;
export function readMachineStateRow(view: DataView, at: number): MachineStateRow {
	return {
		nameAt: view.getUint32(at + 0, true),
		cache: view.getUint32(at + 4, true),
		objectSize: view.getUint32(at + 8, true),
		size: view.getUint32(at + 12, true),
		align: view.getUint32(at + 16, true),
		objectsPerSlab: view.getUint32(at + 20, true),
		order: view.getUint32(at + 24, true),
		minPartial: view.getUint32(at + 28, true),
		cpuPartial: view.getUint32(at + 32, true),
		sheafCapacity: view.getUint32(at + 36, true),
		objects: view.getUint32(at + 40, true),
		totalObjects: view.getUint32(at + 44, true),
		slabs: view.getUint32(at + 48, true),
		partial: view.getUint32(at + 52, true),
		cpuSlabs: view.getUint32(at + 56, true),
		hwcacheAlign: view.getUint32(at + 60, true),
		reclaimAccount: view.getUint32(at + 64, true),
		cacheDma: view.getUint32(at + 68, true),
		destroyByRcu: view.getUint32(at + 72, true),
		aliases: view.getUint32(at + 76, true),
		objectsPartial: view.getUint32(at + 80, true),
		cpuPartialObjects: view.getUint32(at + 84, true),
		cpuPartialSlabs: view.getUint32(at + 88, true),
		activeSlabs: view.getUint32(at + 92, true),
	};
}

/** A cache before and after the trace, on the machine and in the model; unknown numbers are KMEM_NONE32. */
export interface GrowthRow {
	/** NUL-terminated text, as the model calls it, otherwise the machine */
	readonly nameAt: number;
	/** preferred order on the machine, otherwise in the model */
	readonly order: number;
	/** active objects as slabinfo counts, on the machine */
	readonly objectsBefore: number;
	/** the same after the trace */
	readonly objectsAfter: number;
	/** slabs of the machine */
	readonly slabsBefore: number;
	/** the same after the trace */
	readonly slabsAfter: number;
	/** active objects of the model before the first event */
	readonly modelObjectsBefore: number;
	/** behind the last event */
	readonly modelObjectsAfter: number;
	/** slabs of the model before the first event */
	readonly modelSlabsBefore: number;
	/** behind the last event */
	readonly modelSlabsAfter: number;
}
export const GROWTH_ROW_SIZE = 40;
export function readGrowthRow(view: DataView, at: number): GrowthRow {
	return {
		nameAt: view.getUint32(at + 0, true),
		order: view.getUint32(at + 4, true),
		objectsBefore: view.getUint32(at + 8, true),
		objectsAfter: view.getUint32(at + 12, true),
		slabsBefore: view.getUint32(at + 16, true),
		slabsAfter: view.getUint32(at + 20, true),
		modelObjectsBefore: view.getUint32(at + 24, true),
		modelObjectsAfter: view.getUint32(at + 28, true),
		modelSlabsBefore: view.getUint32(at + 32, true),
		modelSlabsAfter: view.getUint32(at + 36, true),
	};
}

/** One object: where it is, what it is, and how its free pointer is stored. */
export interface ObjectRow {
	/** of the object */
	readonly address: number;
	/** of the slab's first byte */
	readonly slabAddress: number;
	/** where the free pointer is kept while the object is free; 0 where the allocator keeps none in objects */
	readonly linkAddress: number;
	/** of a free object: the next free one's address, 0 at the end of the list */
	readonly pointer: bigint;
	/** freelist_hardened: the cache's random number, else 0 */
	readonly secret: bigint;
	/** freelist_hardened: link_address with its bytes in reverse order, else 0 */
	readonly swapped: bigint;
	/** of a free object: what the eight bytes hold, pointer ^ secret ^ swapped, or what has been written over them */
	readonly stored: bigint;
	/** when it was last allocated */
	readonly allocTime: number;
	/** when it was last freed */
	readonly freeTime: number;
	/** serial number in its cache */
	readonly slab: number;
	/** its place in the slab */
	readonly index: number;
	/** the place that pointer leads to, KMEM_NONE32 if to none */
	readonly next: number;
	/** bytes from the start of the slab to its slot */
	readonly slot: number;
	/** all that belongs to it */
	readonly slotBytes: number;
	/** red zone at the start of the slot */
	readonly leftBytes: number;
	/** of the object itself */
	readonly objectBytes: number;
	/** behind it: red zone, or what rounds it up to a word */
	readonly rightBytes: number;
	/** of the free pointer, from the object */
	readonly linkOffset: number;
	/** of the two tracks, from the object; 0 without store_user */
	readonly tracksOffset: number;
	/** both tracks, and what kmalloc caches add */
	readonly tracksBytes: number;
	/** of what is left, from the object */
	readonly paddingOffset: number;
	/** up to the next slot */
	readonly paddingBytes: number;
	/** bytes asked for, 0 if it is not allocated */
	readonly requested: number;
	/** of the trace's object that is in it, KMEM_NONE32 if none */
	readonly handle: number;
	/** last allocation: of a live object, or with store_user; KMEM_NONE32 if unknown */
	readonly allocOp: number;
	/** last free, kept with store_user; KMEM_NONE32 if unknown */
	readonly freeOp: number;
	/** its call site, NUL-terminated text, 0 if unknown */
	readonly allocSiteAt: number;
	/** its call site, NUL-terminated text, 0 if unknown */
	readonly freeSiteAt: number;
	/** CPU of the last allocation, KMEM_NONE if unknown */
	readonly allocCpu: number;
	/** CPU of the last free, KMEM_NONE if unknown */
	readonly freeCpu: number;
	/** cache id */
	readonly cache: number;
	/** enum kmem_cell */
	readonly state: number;
	/** 1 if bytes of its slot are not what they should be */
	readonly damaged: number;
	/** byte that fills its red zones: 0xcc of an allocated object, 0xbb of a free one; 0 where there are none */
	readonly zone: number;
	/** byte that fills the object: 0x6b while it is free and poisoned, else 0 */
	readonly poison: number;
}
export const OBJECT_ROW_SIZE = 160;
export function readObjectRow(view: DataView, at: number): ObjectRow {
	return {
		address: u64(view, at + 0),
		slabAddress: u64(view, at + 8),
		linkAddress: u64(view, at + 16),
		pointer: view.getBigUint64(at + 24, true),
		secret: view.getBigUint64(at + 32, true),
		swapped: view.getBigUint64(at + 40, true),
		stored: view.getBigUint64(at + 48, true),
		allocTime: u64(view, at + 56),
		freeTime: u64(view, at + 64),
		slab: view.getUint32(at + 72, true),
		index: view.getUint32(at + 76, true),
		next: view.getUint32(at + 80, true),
		slot: view.getUint32(at + 84, true),
		slotBytes: view.getUint32(at + 88, true),
		leftBytes: view.getUint32(at + 92, true),
		objectBytes: view.getUint32(at + 96, true),
		rightBytes: view.getUint32(at + 100, true),
		linkOffset: view.getUint32(at + 104, true),
		tracksOffset: view.getUint32(at + 108, true),
		tracksBytes: view.getUint32(at + 112, true),
		paddingOffset: view.getUint32(at + 116, true),
		paddingBytes: view.getUint32(at + 120, true),
		requested: view.getUint32(at + 124, true),
		handle: view.getUint32(at + 128, true),
		allocOp: view.getUint32(at + 132, true),
		freeOp: view.getUint32(at + 136, true),
		allocSiteAt: view.getUint32(at + 140, true),
		freeSiteAt: view.getUint32(at + 144, true),
		allocCpu: view.getUint16(at + 148, true),
		freeCpu: view.getUint16(at + 150, true),
		cache: view.getUint16(at + 152, true),
		state: view.getUint8(at + 154),
		damaged: view.getUint8(at + 155),
		zone: view.getUint8(at + 156),
		poison: view.getUint8(at + 157),
	};
}

/** Bytes of an object's slot that hold one value and should hold one value; the runs of a slot fill it. */
export interface ByteRun {
	/** first byte, from the start of the slot */
	readonly start: number;
	/** behind the last byte */
	readonly end: number;
	/** what each byte holds, KMEM_NONE if the model does not keep it */
	readonly found: number;
	/** what each byte should hold, KMEM_NONE if any value may be there */
	readonly expected: number;
	/** 1 if somebody wrote over these bytes and found is not expected */
	readonly overwritten: number;
}
export const BYTE_RUN_SIZE = 16;
export function readByteRun(view: DataView, at: number): ByteRun {
	return {
		start: view.getUint32(at + 0, true),
		end: view.getUint32(at + 4, true),
		found: view.getUint16(at + 8, true),
		expected: view.getUint16(at + 10, true),
		overwritten: view.getUint32(at + 12, true),
	};
}

/** Report of a debugging check, with the facts that the kernel prints. */
export interface Bug {
	/** of the object; of the slab where the check is about no single object */
	readonly address: number;
	/** address of the first wrong byte, or the pointer that is wrong; 0 where there is none */
	readonly fault: number;
	/** the object's free pointer as it reads */
	readonly pointer: number;
	/** the pointer that was not freed, 0 if no free was refused */
	readonly refused: number;
	/** when it was last allocated */
	readonly allocTime: number;
	/** when it was last freed */
	readonly freeTime: number;
	/** event that found it, from 0 */
	readonly op: number;
	/** serial number in its cache */
	readonly slab: number;
	/** object in the slab, KMEM_NONE32 if the check is about the whole slab */
	readonly index: number;
	/** of fault from the start of the slab, as the kernel's @offset */
	readonly offset: number;
	/** wrong bytes, from the first to the last; 0 where no bytes are compared */
	readonly len: number;
	/** objects of the slab */
	readonly slabObjects: number;
	/** of them in use, by the slab's counter */
	readonly slabUsed: number;
	/** Wrong object count: value of the counter */
	readonly counter: number;
	/** Wrong object count: what walking the freelist gives */
	readonly counted: number;
	/** last allocation, kept with store_user; KMEM_NONE32 if unknown */
	readonly allocOp: number;
	/** last free, kept with store_user; KMEM_NONE32 if unknown */
	readonly freeOp: number;
	/** its call site, NUL-terminated text, 0 if unknown */
	readonly allocSiteAt: number;
	/** its call site, NUL-terminated text, 0 if unknown */
	readonly freeSiteAt: number;
	/** name of the cache, NUL-terminated text */
	readonly nameAt: number;
	/** cache id */
	readonly cache: number;
	/** CPU at work */
	readonly cpu: number;
	/** CPU of the last allocation, KMEM_NONE if unknown */
	readonly allocCpu: number;
	/** CPU of the last free, KMEM_NONE if unknown */
	readonly freeCpu: number;
	/** enum kmem_check */
	readonly check: number;
	/** bit per enum kmem_fix */
	readonly fixes: number;
	/** the byte that should be at fault */
	readonly expected: number;
	/** the byte that is there */
	readonly found: number;
}
export const BUG_SIZE = 120;
export function readBug(view: DataView, at: number): Bug {
	return {
		address: u64(view, at + 0),
		fault: u64(view, at + 8),
		pointer: u64(view, at + 16),
		refused: u64(view, at + 24),
		allocTime: u64(view, at + 32),
		freeTime: u64(view, at + 40),
		op: view.getUint32(at + 48, true),
		slab: view.getUint32(at + 52, true),
		index: view.getUint32(at + 56, true),
		offset: view.getUint32(at + 60, true),
		len: view.getUint32(at + 64, true),
		slabObjects: view.getUint32(at + 68, true),
		slabUsed: view.getUint32(at + 72, true),
		counter: view.getUint32(at + 76, true),
		counted: view.getInt32(at + 80, true),
		allocOp: view.getUint32(at + 84, true),
		freeOp: view.getUint32(at + 88, true),
		allocSiteAt: view.getUint32(at + 92, true),
		freeSiteAt: view.getUint32(at + 96, true),
		nameAt: view.getUint32(at + 100, true),
		cache: view.getUint16(at + 104, true),
		cpu: view.getUint16(at + 106, true),
		allocCpu: view.getUint16(at + 108, true),
		freeCpu: view.getUint16(at + 110, true),
		check: view.getUint8(at + 112),
		fixes: view.getUint8(at + 113),
		expected: view.getUint8(at + 114),
		found: view.getUint8(at + 115),
	};
}

/** One file of /sys/kernel/slab/<cache>/. */
export interface AttributeRow {
	/** of the file, NUL-terminated text */
	readonly nameAt: number;
	/** what reading it gives, without the newline, NUL-terminated text */
	readonly valueAt: number;
	/** 1 if it can be written */
	readonly writable: number;
}
export const ATTRIBUTE_ROW_SIZE = 16;
export function readAttributeRow(view: DataView, at: number): AttributeRow {
	return {
		nameAt: view.getUint32(at + 0, true),
		valueAt: view.getUint32(at + 4, true),
		writable: view.getUint32(at + 8, true),
	};
}

/** One line of /proc/slabinfo, and what the slabinfo tool makes of the cache. */
export interface SlabinfoRow {
	/** bytes in slabs that are in no active object */
	readonly loss: number;
	/** bytes in slabs */
	readonly space: number;
	/** NUL-terminated text */
	readonly nameAt: number;
	/** objects in use, as the allocator counts them */
	readonly activeObjs: number;
	/** objects in all slabs */
	readonly numObjs: number;
	/** bytes of the slot */
	readonly objsize: number;
	/** objects in a slab of the preferred order */
	readonly objperslab: number;
	/** pages of such a slab */
	readonly pagesperslab: number;
	/** tunables: objects that a CPU's array may hold */
	readonly limit: number;
	/** tunables: objects moved at a time */
	readonly batchcount: number;
	/** tunables: the shared array in batches */
	readonly sharedfactor: number;
	/** slabs with objects in use, as the allocator counts them */
	readonly activeSlabs: number;
	/** all slabs */
	readonly numSlabs: number;
	/** objects in shared arrays */
	readonly sharedavail: number;
	/** the tool's Slabs: those that no CPU holds */
	readonly slabs: number;
	/** the tool's Part: on partial lists of nodes */
	readonly partial: number;
	/** the tool's Cpu: held by CPUs */
	readonly cpuSlabs: number;
	/** the tool's %Fr: partial slabs of all; 100 if there are none */
	readonly percentPartial: number;
	/** the tool's %Ef: bytes of active objects in bytes of slabs; 100 if there are none */
	readonly percentEfficient: number;
	/** cache id */
	readonly cache: number;
}
export const SLABINFO_ROW_SIZE = 88;
export function readSlabinfoRow(view: DataView, at: number): SlabinfoRow {
	return {
		loss: u64(view, at + 0),
		space: u64(view, at + 8),
		nameAt: view.getUint32(at + 16, true),
		activeObjs: view.getUint32(at + 20, true),
		numObjs: view.getUint32(at + 24, true),
		objsize: view.getUint32(at + 28, true),
		objperslab: view.getUint32(at + 32, true),
		pagesperslab: view.getUint32(at + 36, true),
		limit: view.getUint32(at + 40, true),
		batchcount: view.getUint32(at + 44, true),
		sharedfactor: view.getUint32(at + 48, true),
		activeSlabs: view.getUint32(at + 52, true),
		numSlabs: view.getUint32(at + 56, true),
		sharedavail: view.getUint32(at + 60, true),
		slabs: view.getUint32(at + 64, true),
		partial: view.getUint32(at + 68, true),
		cpuSlabs: view.getUint32(at + 72, true),
		percentPartial: view.getUint32(at + 76, true),
		percentEfficient: view.getUint32(at + 80, true),
		cache: view.getUint16(at + 84, true),
	};
}

/** Target of a search: a condition, for one thing or for any. */
export interface Condition {
	/** serial number of the slab, KMEM_NONE32 for any */
	readonly slab: number;
	/** place of the object in it, KMEM_NONE32 for any */
	readonly index: number;
	/** enum kmem_when */
	readonly when: number;
	/** WHEN_STEP: enum kmem_step_kind */
	readonly step: number;
	/** cache id, KMEM_NONE for any */
	readonly cache: number;
}
export const CONDITION_SIZE = 16;
export function readCondition(view: DataView, at: number): Condition {
	return {
		slab: view.getUint32(at + 0, true),
		index: view.getUint32(at + 4, true),
		when: view.getUint16(at + 8, true),
		step: view.getUint16(at + 10, true),
		cache: view.getUint16(at + 12, true),
	};
}

/** Where a condition holds. */
export interface Found {
	/** event, from 0 */
	readonly op: number;
	/** its step, from 0 */
	readonly step: number;
	/** which one, from 0; the first of those that hold there */
	readonly condition: number;
}
export const FOUND_SIZE = 16;
export function readFound(view: DataView, at: number): Found {
	return {
		op: view.getUint32(at + 0, true),
		step: view.getUint32(at + 4, true),
		condition: view.getUint32(at + 8, true),
	};
}

/** The life of a cache, a slab or a place for an object, in numbers; an event is counted from 0, and KMEM_NONE32 where there is none. */
export interface Life {
	/** events that touched it */
	readonly nrOps: number;
	/** first of them */
	readonly firstOp: number;
	/** last of them */
	readonly lastOp: number;
	/** allocations from it */
	readonly allocs: number;
	/** frees to it */
	readonly frees: number;
	/** made: of a cache, first used */
	readonly bornOp: number;
	/** a slab: given back */
	readonly goneOp: number;
	/** most objects allocated at once, between events */
	readonly objectsPeak: number;
	/** and by which it first had so many */
	readonly objectsPeakOp: number;
	/** of a cache */
	readonly slabsMade: number;
	/** of a cache */
	readonly slabsFreed: number;
	/** of a cache: most slabs at once */
	readonly slabsPeak: number;
	/** and by which it first had so many */
	readonly slabsPeakOp: number;
	/** of a slab or a place: objects from before the trace */
	readonly objectsAtStart: number;
}
export const LIFE_SIZE = 56;
export function readLife(view: DataView, at: number): Life {
	return {
		nrOps: view.getUint32(at + 0, true),
		firstOp: view.getUint32(at + 4, true),
		lastOp: view.getUint32(at + 8, true),
		allocs: view.getUint32(at + 12, true),
		frees: view.getUint32(at + 16, true),
		bornOp: view.getUint32(at + 20, true),
		goneOp: view.getUint32(at + 24, true),
		objectsPeak: view.getUint32(at + 28, true),
		objectsPeakOp: view.getUint32(at + 32, true),
		slabsMade: view.getUint32(at + 36, true),
		slabsFreed: view.getUint32(at + 40, true),
		slabsPeak: view.getUint32(at + 44, true),
		slabsPeakOp: view.getUint32(at + 48, true),
		objectsAtStart: view.getUint32(at + 52, true),
	};
}

/** One event of a life. */
export interface LifeRow {
	/** event, from 0 */
	readonly op: number;
	/** what it did to the thing: bits 1 << enum kmem_when, 0 where it was only looked at */
	readonly what: number;
	/** serial number of the slab that it took an object from or put it in; or touched first; KMEM_NONE32 if none */
	readonly slab: number;
	/** the object's place there, KMEM_NONE32 if none */
	readonly index: number;
}
export const LIFE_ROW_SIZE = 16;
export function readLifeRow(view: DataView, at: number): LifeRow {
	return {
		op: view.getUint32(at + 0, true),
		what: view.getUint32(at + 4, true),
		slab: view.getUint32(at + 8, true),
		index: view.getUint32(at + 12, true),
	};
}

/** One object from its allocation to its free; events are counted from 0, and KMEM_NONE32 where there is none. */
export interface Lifetime {
	/** that allocated it */
	readonly allocOp: number;
	/** that freed it */
	readonly freeOp: number;
	/** dense number of the object */
	readonly handle: number;
	/** where it was: serial number of the slab, KMEM_NONE32 if in none */
	readonly slab: number;
	/** and its place there */
	readonly index: number;
	/** cache id, KMEM_NONE if in none */
	readonly cache: number;
	/** which one at its place, from 0 */
	readonly number: number;
	/** how many there were at its place */
	readonly nr: number;
	/** allocation of the one before at its place */
	readonly earlierOp: number;
	/** allocation of the one after at its place */
	readonly laterOp: number;
	/** allocation of the one before with this number */
	readonly handleEarlierOp: number;
	/** allocation of the one after with this number */
	readonly handleLaterOp: number;
}
export const LIFETIME_SIZE = 48;
export function readLifetime(view: DataView, at: number): Lifetime {
	return {
		allocOp: view.getUint32(at + 0, true),
		freeOp: view.getUint32(at + 4, true),
		handle: view.getUint32(at + 8, true),
		slab: view.getUint32(at + 12, true),
		index: view.getUint32(at + 16, true),
		cache: view.getUint32(at + 20, true),
		number: view.getUint32(at + 24, true),
		nr: view.getUint32(at + 28, true),
		earlierOp: view.getUint32(at + 32, true),
		laterOp: view.getUint32(at + 36, true),
		handleEarlierOp: view.getUint32(at + 40, true),
		handleLaterOp: view.getUint32(at + 44, true),
	};
}

/** One level of a cache's stairs; allocations are those of the whole trace, 0 without an index. */
export interface Stair {
	/** kinds of places that it covers, bits 1 << enum kmem_place_kind; 0 for the page allocator */
	readonly places: number;
	/** model cycles of the allocations that ended here */
	readonly cycles: number;
	/** how many ended here */
	readonly allocs: number;
	/** of one of them */
	readonly leastCycles: number;
	/** of one of them */
	readonly mostCycles: number;
	/** of all allocations, in ten-thousandths; the shares of all levels add up to 10,000 */
	readonly share: number;
	/** enum kmem_level */
	readonly level: number;
	/** enum kmem_level_nodes: the nodes whose places it covers */
	readonly nodes: number;
}
export const STAIR_SIZE = 40;
export function readStair(view: DataView, at: number): Stair {
	return {
		places: u64(view, at + 0),
		cycles: u64(view, at + 8),
		allocs: view.getUint32(at + 16, true),
		leastCycles: view.getUint32(at + 20, true),
		mostCycles: view.getUint32(at + 24, true),
		share: view.getUint32(at + 28, true),
		level: view.getUint16(at + 32, true),
		nodes: view.getUint16(at + 34, true),
	};
}

/** The path of an event over the stairs of its cache; levels are counted on the stairs from 0. */
export interface Path {
	/** event, from 0 */
	readonly op: number;
	/** cache id, KMEM_NONE if it has none */
	readonly cache: number;
	/** level at which it ended: of an allocation the deepest that it asked */
	readonly end: number;
	/** deepest level of its steps */
	readonly deepest: number;
	/** steps that asked a level below the first */
	readonly questions: number;
	/** model cycles of the event */
	readonly cycles: number;
	/** steps of the event */
	readonly nrSteps: number;
	/** u8 per step: its level */
	readonly stepsAt: number;
	/** u32 per step: its model cycles, with the lines that moved and the locks that were taken for it; they add up to those of the event */
	readonly cyclesAt: number;
	/** model cycles of the same request on the fast path; 0 if there is none */
	readonly fastCycles: number;
	/** u8 per step: 1 if an allocation asked a level below the first there and got nothing */
	readonly vainAt: number;
	/** steps that did */
	readonly nrVain: number;
}
export const PATH_SIZE = 48;
export function readPath(view: DataView, at: number): Path {
	return {
		op: view.getUint32(at + 0, true),
		cache: view.getUint32(at + 4, true),
		end: view.getUint32(at + 8, true),
		deepest: view.getUint32(at + 12, true),
		questions: view.getUint32(at + 16, true),
		cycles: view.getUint32(at + 20, true),
		nrSteps: view.getUint32(at + 24, true),
		stepsAt: view.getUint32(at + 28, true),
		cyclesAt: view.getUint32(at + 32, true),
		fastCycles: view.getUint32(at + 36, true),
		vainAt: view.getUint32(at + 40, true),
		nrVain: view.getUint32(at + 44, true),
	};
}

/** Where an allocation lands if it comes now. */
export interface NextObject {
	/** CPU that allocates */
	readonly cpu: number;
	/** cache id */
	readonly cache: number;
	/** serial number of the slab, KMEM_NONE32 if the allocation fails */
	readonly slab: number;
	/** place of the object in it */
	readonly index: number;
	/** model cycles of the allocation */
	readonly cycles: number;
	/** level at which it ends, counted on the cache's stairs from 0 */
	readonly end: number;
	/** enum kmem_level of that level */
	readonly level: number;
	/** 1: it is the next event of the trace, with the node that it asks for; 0: any node will do */
	readonly isEvent: number;
	/** name of the cache, which that event may be the first to use */
	readonly nameAt: number;
}
export const NEXT_OBJECT_SIZE = 36;
export function readNextObject(view: DataView, at: number): NextObject {
	return {
		cpu: view.getUint32(at + 0, true),
		cache: view.getUint32(at + 4, true),
		slab: view.getUint32(at + 8, true),
		index: view.getUint32(at + 12, true),
		cycles: view.getUint32(at + 16, true),
		end: view.getUint32(at + 20, true),
		level: view.getUint32(at + 24, true),
		isEvent: view.getUint32(at + 28, true),
		nameAt: view.getUint32(at + 32, true),
	};
}

/** An event worth seeing. */
export interface Chapter {
	/** event, from 0 */
	readonly op: number;
	/** last event that belongs to it, from 0 */
	readonly lastOp: number;
	/** what is largest: allocations in a row, cycles, steps that ask, slabs; of a drain its cycles */
	readonly number: number;
	/** enum kmem_chapter_kind */
	readonly kind: number;
	/** cache id, KMEM_NONE if it has none */
	readonly cache: number;
	/** CPU at work */
	readonly cpu: number;
	/** of its slab or list, KMEM_NONE if none */
	readonly node: number;
	/** name of the cache, "" if it has none */
	readonly nameAt: number;
	/** one sentence */
	readonly titleAt: number;
}
export const CHAPTER_SIZE = 28;
export function readChapter(view: DataView, at: number): Chapter {
	return {
		op: view.getUint32(at + 0, true),
		lastOp: view.getUint32(at + 4, true),
		number: view.getUint32(at + 8, true),
		kind: view.getUint16(at + 12, true),
		cache: view.getUint16(at + 14, true),
		cpu: view.getUint16(at + 16, true),
		node: view.getUint16(at + 18, true),
		nameAt: view.getUint32(at + 20, true),
		titleAt: view.getUint32(at + 24, true),
	};
}

/** A CPU that put something into a place; events are counted from 0. */
export interface WhySource {
	/** CPU at work */
	readonly cpu: number;
	/** slabs or objects that it put there last */
	readonly things: number;
	/** events in which it did so */
	readonly events: number;
	/** first of them */
	readonly firstOp: number;
	/** last of them */
	readonly lastOp: number;
	/** of these events, drains; 0 if there are too many events to look at */
	readonly drains: number;
}
export const WHY_SOURCE_SIZE = 24;
export function readWhySource(view: DataView, at: number): WhySource {
	return {
		cpu: view.getUint32(at + 0, true),
		things: view.getUint32(at + 4, true),
		events: view.getUint32(at + 8, true),
		firstOp: view.getUint32(at + 12, true),
		lastOp: view.getUint32(at + 16, true),
		drains: view.getUint32(at + 20, true),
	};
}

/** Contents of a place, and how they came there; events are counted from 0. */
export interface Why {
	/** pages that are taken, of the node or of the slabs */
	readonly pages: number;
	/** cache id, KMEM_NONE if it is about all of them */
	readonly cache: number;
	/** enum kmem_about */
	readonly about: number;
	/** enum kmem_place_kind, KMEM_NONE unless it is about a place */
	readonly kind: number;
	/** CPU of the place, KMEM_NONE if none */
	readonly cpu: number;
	/** node of the place, KMEM_NONE if none */
	readonly node: number;
	/** rows of sources */
	readonly nrSources: number;
	/** slabs here */
	readonly slabs: number;
	/** objects here one by one */
	readonly entries: number;
	/** most slabs or objects here, 0 without a limit */
	readonly limit: number;
	/** objects of the slabs here */
	readonly objects: number;
	/** of these, free */
	readonly freeObjects: number;
	/** slabs here without an object in use */
	readonly emptySlabs: number;
	/** of the cache */
	readonly minPartial: number;
	/** slabs or objects without an event that put them there */
	readonly unknown: number;
	/** event that took something out of here last, KMEM_NONE32 if none did; for a CPU or a node the last allocation */
	readonly takenOp: number;
	/** event that put something here last, KMEM_NONE32 if none did; for a CPU or a node the last free */
	readonly putOp: number;
	/** enum kmem_param of a setting to try, KMEM_NONE32 if there is none */
	readonly param: number;
	/** of several places of that kind: the target, or the largest size; KMEM_NONE32 if there is only one */
	readonly which: number;
	/** events in which the first source put things here, the latest 64 at most */
	readonly nrEvents: number;
	/** u32[nr_events], in order */
	readonly eventsAt: number;
	/** the question that the facts answer */
	readonly titleAt: number;
	/** name of the cache, "" if it is about all of them */
	readonly nameAt: number;
	/** value of that setting, "" if there is none */
	readonly valueAt: number;
	/** facts in sentences, one a line */
	readonly textAt: number;
	/** struct kmem_why_source[nr_sources], most first */
	readonly sourcesAt: number;
	/** sheaves here, 0 in a place of another kind */
	readonly sheaves: number;
}
export const WHY_SIZE = 104;
export function readWhy(view: DataView, at: number): Why {
	return {
		pages: u64(view, at + 0),
		cache: view.getUint32(at + 8, true),
		about: view.getUint32(at + 12, true),
		kind: view.getUint16(at + 16, true),
		cpu: view.getUint16(at + 18, true),
		node: view.getUint16(at + 20, true),
		nrSources: view.getUint16(at + 22, true),
		slabs: view.getUint32(at + 24, true),
		entries: view.getUint32(at + 28, true),
		limit: view.getUint32(at + 32, true),
		objects: view.getUint32(at + 36, true),
		freeObjects: view.getUint32(at + 40, true),
		emptySlabs: view.getUint32(at + 44, true),
		minPartial: view.getUint32(at + 48, true),
		unknown: view.getUint32(at + 52, true),
		takenOp: view.getUint32(at + 56, true),
		putOp: view.getUint32(at + 60, true),
		param: view.getUint32(at + 64, true),
		which: view.getUint32(at + 68, true),
		nrEvents: view.getUint32(at + 72, true),
		eventsAt: view.getUint32(at + 76, true),
		titleAt: view.getUint32(at + 80, true),
		nameAt: view.getUint32(at + 84, true),
		valueAt: view.getUint32(at + 88, true),
		textAt: view.getUint32(at + 92, true),
		sourcesAt: view.getUint32(at + 96, true),
		sheaves: view.getUint32(at + 100, true),
	};
}

/** Places of a slab or an object before and after an event. */
export interface Move {
	/** event, from 0 */
	readonly op: number;
	/** enum kmem_place_kind, KMEM_NONE if it was nowhere */
	readonly fromKind: number;
	/** CPU of that place, KMEM_NONE if none */
	readonly fromCpu: number;
	/** node of that place, KMEM_NONE if none */
	readonly fromNode: number;
	/** enum kmem_place_kind, KMEM_NONE if it is nowhere */
	readonly toKind: number;
	/** CPU of that place, KMEM_NONE if none */
	readonly toCpu: number;
	/** node of that place, KMEM_NONE if none */
	readonly toNode: number;
	/** both in words; one of them alone if they are the same place */
	readonly textAt: number;
}
export const MOVE_SIZE = 20;
export function readMove(view: DataView, at: number): Move {
	return {
		op: view.getUint32(at + 0, true),
		fromKind: view.getUint16(at + 4, true),
		fromCpu: view.getUint16(at + 6, true),
		fromNode: view.getUint16(at + 8, true),
		toKind: view.getUint16(at + 10, true),
		toCpu: view.getUint16(at + 12, true),
		toNode: view.getUint16(at + 14, true),
		textAt: view.getUint32(at + 16, true),
	};
}

/** Allocations of one slot size. */
export interface ShapeSize {
	/** how many */
	readonly allocs: number;
	/** of the slot: bytes_alloc, or a kmalloc's class */
	readonly bytes: number;
}
export const SHAPE_SIZE_SIZE = 16;
export function readShapeSize(view: DataView, at: number): ShapeSize {
	return {
		allocs: u64(view, at + 0),
		bytes: view.getUint32(at + 8, true),
	};
}

/** Shape of a trace, as an allocator sees it. */
export interface Shape {
	/** allocations that gave an object */
	readonly allocs: number;
	/** of them, by kmalloc */
	readonly kmallocs: number;
	/** frees of objects whose allocation is in the trace */
	readonly frees: number;
	/** of them, not in the trace: when and where is not known */
	readonly unseenFrees: number;
	/** of them, the others: those of lifetimes and remote_frees */
	readonly seenFrees: number;
	/** of these, on another CPU than the allocation */
	readonly remoteFrees: number;
	/** events on another CPU than the one before */
	readonly cpuChanges: number;
	/** allocations of sizes past those that are kept apart */
	readonly otherSizes: number;
	/** frees by lifetime in events: 1, 2 to 3, 4 to 7, and so on */
	readonly lifetimes: readonly number[];
	/** live objects at the end of each 64th of the events */
	readonly live: readonly number[];
	/** events that ask something of the allocator */
	readonly ops: number;
	/** most objects live at once */
	readonly livePeak: number;
	/** objects live at the end */
	readonly liveNow: number;
	/** rows */
	readonly nrSizes: number;
	/** struct kmem_shape_size[nr_sizes], by rising bytes */
	readonly sizesAt: number;
	/** 32 */
	readonly nrLifetimes: number;
	/** 64 */
	readonly nrLive: number;
}
export const SHAPE_SIZE = 608;
export function readShape(view: DataView, at: number): Shape {
	return {
		allocs: u64(view, at + 0),
		kmallocs: u64(view, at + 8),
		frees: u64(view, at + 16),
		unseenFrees: u64(view, at + 24),
		seenFrees: u64(view, at + 32),
		remoteFrees: u64(view, at + 40),
		cpuChanges: u64(view, at + 48),
		otherSizes: u64(view, at + 56),
		lifetimes: [u64(view, at + 64), u64(view, at + 72), u64(view, at + 80), u64(view, at + 88), u64(view, at + 96), u64(view, at + 104), u64(view, at + 112), u64(view, at + 120), u64(view, at + 128), u64(view, at + 136), u64(view, at + 144), u64(view, at + 152), u64(view, at + 160), u64(view, at + 168), u64(view, at + 176), u64(view, at + 184), u64(view, at + 192), u64(view, at + 200), u64(view, at + 208), u64(view, at + 216), u64(view, at + 224), u64(view, at + 232), u64(view, at + 240), u64(view, at + 248), u64(view, at + 256), u64(view, at + 264), u64(view, at + 272), u64(view, at + 280), u64(view, at + 288), u64(view, at + 296), u64(view, at + 304), u64(view, at + 312)],
		live: [view.getUint32(at + 320, true), view.getUint32(at + 324, true), view.getUint32(at + 328, true), view.getUint32(at + 332, true), view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true), view.getUint32(at + 392, true), view.getUint32(at + 396, true), view.getUint32(at + 400, true), view.getUint32(at + 404, true), view.getUint32(at + 408, true), view.getUint32(at + 412, true), view.getUint32(at + 416, true), view.getUint32(at + 420, true), view.getUint32(at + 424, true), view.getUint32(at + 428, true), view.getUint32(at + 432, true), view.getUint32(at + 436, true), view.getUint32(at + 440, true), view.getUint32(at + 444, true), view.getUint32(at + 448, true), view.getUint32(at + 452, true), view.getUint32(at + 456, true), view.getUint32(at + 460, true), view.getUint32(at + 464, true), view.getUint32(at + 468, true), view.getUint32(at + 472, true), view.getUint32(at + 476, true), view.getUint32(at + 480, true), view.getUint32(at + 484, true), view.getUint32(at + 488, true), view.getUint32(at + 492, true), view.getUint32(at + 496, true), view.getUint32(at + 500, true), view.getUint32(at + 504, true), view.getUint32(at + 508, true), view.getUint32(at + 512, true), view.getUint32(at + 516, true), view.getUint32(at + 520, true), view.getUint32(at + 524, true), view.getUint32(at + 528, true), view.getUint32(at + 532, true), view.getUint32(at + 536, true), view.getUint32(at + 540, true), view.getUint32(at + 544, true), view.getUint32(at + 548, true), view.getUint32(at + 552, true), view.getUint32(at + 556, true), view.getUint32(at + 560, true), view.getUint32(at + 564, true), view.getUint32(at + 568, true), view.getUint32(at + 572, true)],
		ops: view.getUint32(at + 576, true),
		livePeak: view.getUint32(at + 580, true),
		liveNow: view.getUint32(at + 584, true),
		nrSizes: view.getUint32(at + 588, true),
		sizesAt: view.getUint32(at + 592, true),
		nrLifetimes: view.getUint32(at + 596, true),
		nrLive: view.getUint32(at + 600, true),
	};
}

/** One measure of a replay that kmem_measure_run has made. */
export interface Measured {
	/** the number */
	readonly value: number;
	/** events done where it was largest or grew most, so the number of that event from 1; for others where bytes in slabs were most */
	readonly op: number;
	/** 1: the allocator in force has it; otherwise value is 0 */
	readonly known: number;
}
export const MEASURED_SIZE = 16;
export function readMeasured(view: DataView, at: number): Measured {
	return {
		value: u64(view, at + 0),
		op: view.getUint32(at + 8, true),
		known: view.getUint32(at + 12, true),
	};
}

/** Counters of one cache as the recorded kernel reported them, one by one. */
export interface KernelCountersRow {
	/** enum kmem_counter up to CPU_PARTIAL_DRAIN: times reported */
	readonly all: readonly number[];
	/** of these, on frees of objects that were allocated before the trace began */
	readonly before: readonly number[];
	/** NUL-terminated text */
	readonly nameAt: number;
	/** the model's cache of that name, KMEM_NONE if there is none */
	readonly cache: number;
}
export const KERNEL_COUNTERS_ROW_SIZE = 216;
export function readKernelCountersRow(view: DataView, at: number): KernelCountersRow {
	return {
		all: [view.getUint32(at + 0, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true), view.getUint32(at + 12, true), view.getUint32(at + 16, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 28, true), view.getUint32(at + 32, true), view.getUint32(at + 36, true), view.getUint32(at + 40, true), view.getUint32(at + 44, true), view.getUint32(at + 48, true), view.getUint32(at + 52, true), view.getUint32(at + 56, true), view.getUint32(at + 60, true), view.getUint32(at + 64, true), view.getUint32(at + 68, true), view.getUint32(at + 72, true), view.getUint32(at + 76, true), view.getUint32(at + 80, true), view.getUint32(at + 84, true), view.getUint32(at + 88, true), view.getUint32(at + 92, true), view.getUint32(at + 96, true), view.getUint32(at + 100, true)],
		before: [view.getUint32(at + 104, true), view.getUint32(at + 108, true), view.getUint32(at + 112, true), view.getUint32(at + 116, true), view.getUint32(at + 120, true), view.getUint32(at + 124, true), view.getUint32(at + 128, true), view.getUint32(at + 132, true), view.getUint32(at + 136, true), view.getUint32(at + 140, true), view.getUint32(at + 144, true), view.getUint32(at + 148, true), view.getUint32(at + 152, true), view.getUint32(at + 156, true), view.getUint32(at + 160, true), view.getUint32(at + 164, true), view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true)],
		nameAt: view.getUint32(at + 208, true),
		cache: view.getUint16(at + 212, true),
	};
}

/** Allocations from one cache at one call site, and what became of them. */
export interface SiteRow {
	/** of all its allocations */
	readonly bytesRequested: number;
	/** of their slots */
	readonly bytesAllocated: number;
	/** slots of the objects that live at the end of the trace */
	readonly liveBytes: number;
	/** requested for these objects */
	readonly liveBytesRequested: number;
	/** most bytes in slots at once */
	readonly peakLiveBytes: number;
	/** nanoseconds or ticks from allocation to recorded free; 0 without such a free */
	readonly lifetimeTimeMin: number;
	/** the same on average */
	readonly lifetimeTimeMean: number;
	/** the longest */
	readonly lifetimeTimeMax: number;
	/** half of the frees came within this; see kmem_sites.lifetime_parts */
	readonly lifetimeTimeP50: number;
	/** 90 of 100 frees */
	readonly lifetimeTimeP90: number;
	/** 99 of 100 frees */
	readonly lifetimeTimeP99: number;
	/** events from allocation to recorded free, on average */
	readonly lifetimeEventsMean: number;
	/** the shortest */
	readonly lifetimeEventsMin: number;
	/** the longest */
	readonly lifetimeEventsMax: number;
	/** half of the frees came within this; see kmem_sites.lifetime_parts */
	readonly lifetimeEventsP50: number;
	/** 90 of 100 frees */
	readonly lifetimeEventsP90: number;
	/** 99 of 100 frees */
	readonly lifetimeEventsP99: number;
	/** objects allocated */
	readonly allocations: number;
	/** recorded frees of these objects, wherever they were freed */
	readonly frees: number;
	/** objects whose memory was allocated again without a recorded free */
	readonly unseenFrees: number;
	/** objects that live at the end: the other allocations */
	readonly liveObjects: number;
	/** most objects at once */
	readonly peakLiveObjects: number;
	/** event by which there were first so many */
	readonly peakOp: number;
	/** recorded frees on another CPU than the allocation's */
	readonly crossCpuFrees: number;
	/** recorded frees on a CPU of another node than the allocation's */
	readonly crossNodeFrees: number;
	/** share of the slots that was not requested, in hundredths of a per cent */
	readonly fragmentation: number;
	/** live objects older than nearly all freed objects of their cache */
	readonly leakSuspects: number;
	/** first allocation */
	readonly firstOp: number;
	/** last allocation */
	readonly lastOp: number;
	/** allocation of the oldest live object; KMEM_NONE32 without one */
	readonly oldestLiveOp: number;
	/** NUL-terminated text; empty if unknown or not kept apart */
	readonly callSiteAt: number;
	/** NUL-terminated text: the cache as recorded, or the kmalloc class */
	readonly cacheAt: number;
	/** NUL-terminated text; empty if unknown or not kept apart */
	readonly taskAt: number;
	/** row of kmem_site_cache; KMEM_NONE32 if not kept apart */
	readonly cache: number;
	/** that allocated; KMEM_NONE if not kept apart */
	readonly cpu: number;
	/** of that CPU; KMEM_NONE if not kept apart */
	readonly node: number;
}
export const SITE_ROW_SIZE = 192;
export function readSiteRow(view: DataView, at: number): SiteRow {
	return {
		bytesRequested: u64(view, at + 0),
		bytesAllocated: u64(view, at + 8),
		liveBytes: u64(view, at + 16),
		liveBytesRequested: u64(view, at + 24),
		peakLiveBytes: u64(view, at + 32),
		lifetimeTimeMin: u64(view, at + 40),
		lifetimeTimeMean: u64(view, at + 48),
		lifetimeTimeMax: u64(view, at + 56),
		lifetimeTimeP50: u64(view, at + 64),
		lifetimeTimeP90: u64(view, at + 72),
		lifetimeTimeP99: u64(view, at + 80),
		lifetimeEventsMean: u64(view, at + 88),
		lifetimeEventsMin: view.getUint32(at + 96, true),
		lifetimeEventsMax: view.getUint32(at + 100, true),
		lifetimeEventsP50: view.getUint32(at + 104, true),
		lifetimeEventsP90: view.getUint32(at + 108, true),
		lifetimeEventsP99: view.getUint32(at + 112, true),
		allocations: view.getUint32(at + 116, true),
		frees: view.getUint32(at + 120, true),
		unseenFrees: view.getUint32(at + 124, true),
		liveObjects: view.getUint32(at + 128, true),
		peakLiveObjects: view.getUint32(at + 132, true),
		peakOp: view.getUint32(at + 136, true),
		crossCpuFrees: view.getUint32(at + 140, true),
		crossNodeFrees: view.getUint32(at + 144, true),
		fragmentation: view.getUint32(at + 148, true),
		leakSuspects: view.getUint32(at + 152, true),
		firstOp: view.getUint32(at + 156, true),
		lastOp: view.getUint32(at + 160, true),
		oldestLiveOp: view.getUint32(at + 164, true),
		callSiteAt: view.getUint32(at + 168, true),
		cacheAt: view.getUint32(at + 172, true),
		taskAt: view.getUint32(at + 176, true),
		cache: view.getUint32(at + 180, true),
		cpu: view.getUint16(at + 184, true),
		node: view.getUint16(at + 186, true),
	};
}

/** Whether a trace shows how objects of a cache are freed. */
export interface SiteCache {
	/** NUL-terminated text */
	readonly nameAt: number;
	/** enum kmem_leak */
	readonly leak: number;
	/** objects allocated */
	readonly allocations: number;
	/** recorded frees of these objects */
	readonly frees: number;
	/** objects whose memory was allocated again without a recorded free */
	readonly unseenFrees: number;
	/** recorded frees of objects from before the trace, which name this cache */
	readonly orphanFrees: number;
	/** recorded frees by RCU: kfree_rcu(), or a callback after a grace period */
	readonly rcuFrees: number;
	/** objects that live at the end */
	readonly liveObjects: number;
	/** live objects older than usual_lifetime, if the trace shows the frees */
	readonly leakSuspects: number;
	/** events within which 99 of 100 recorded frees came, rounded up to a power of two */
	readonly usualLifetime: number;
	/** allocation of the oldest live object; KMEM_NONE32 without one */
	readonly oldestLiveOp: number;
}
export const SITE_CACHE_SIZE = 48;
export function readSiteCache(view: DataView, at: number): SiteCache {
	return {
		nameAt: view.getUint32(at + 0, true),
		leak: view.getUint32(at + 4, true),
		allocations: view.getUint32(at + 8, true),
		frees: view.getUint32(at + 12, true),
		unseenFrees: view.getUint32(at + 16, true),
		orphanFrees: view.getUint32(at + 20, true),
		rcuFrees: view.getUint32(at + 24, true),
		liveObjects: view.getUint32(at + 28, true),
		leakSuspects: view.getUint32(at + 32, true),
		usualLifetime: view.getUint32(at + 36, true),
		oldestLiveOp: view.getUint32(at + 40, true),
	};
}

/** Call sites of a trace. */
export interface Sites {
	/** events that the recorder lost */
	readonly lost: number;
	/** struct kmem_site_row[nr_rows], in the order of their first allocations */
	readonly rowsAt: number;
	/** rows */
	readonly nrRows: number;
	/** struct kmem_site_cache[nr_caches] */
	readonly cachesAt: number;
	/** rows */
	readonly nrCaches: number;
	/** events of the trace */
	readonly ops: number;
	/** bits 1 << enum kmem_sites_by */
	readonly by: number;
	/** 1 if lifetimes are known in nanoseconds or ticks */
	readonly timeIsKnown: number;
	/** 1 if events were lost or cut off, so that a live object may have been freed */
	readonly isGuess: number;
	/** percentiles of lifetimes are wrong by at most 1 part in so many; 0: they are unknown */
	readonly lifetimeParts: number;
	/** counts and bytes are estimates, those of a sampled trace times this; 0: it is not sampled */
	readonly sampling: number;
}
export const SITES_SIZE = 48;
export function readSites(view: DataView, at: number): Sites {
	return {
		lost: u64(view, at + 0),
		rowsAt: view.getUint32(at + 8, true),
		nrRows: view.getUint32(at + 12, true),
		cachesAt: view.getUint32(at + 16, true),
		nrCaches: view.getUint32(at + 20, true),
		ops: view.getUint32(at + 24, true),
		by: view.getUint32(at + 28, true),
		timeIsKnown: view.getUint32(at + 32, true),
		isGuess: view.getUint32(at + 36, true),
		lifetimeParts: view.getUint32(at + 40, true),
		sampling: view.getUint32(at + 44, true),
	};
}

/** Which part of its file the host is to read next. */
export interface Range {
	/** bytes from the beginning of the file */
	readonly at: number;
	/** at most; 0: the import needs no more of it */
	readonly lenBytes: number;
}
export const RANGE_SIZE = 16;
export function readRange(view: DataView, at: number): Range {
	return {
		at: u64(view, at + 0),
		lenBytes: u64(view, at + 8),
	};
}

/** Details that an import kept of each event. */
export interface Kept {
	/** memory that it takes */
	readonly bytes: number;
	/** KMEM_KEEP_POINTERS | KMEM_KEEP_TASKS */
	readonly flags: number;
	/** the same for what did not fit, or lost its order */
	readonly dropped: number;
}
export const KEPT_SIZE = 16;
export function readKept(view: DataView, at: number): Kept {
	return {
		bytes: u64(view, at + 0),
		flags: view.getUint32(at + 8, true),
		dropped: view.getUint32(at + 12, true),
	};
}

/** A column of a CSV file. */
export interface Column {
	/** NUL-terminated text, as the header has it */
	readonly nameAt: number;
	/** NUL-terminated text, what the first row has there */
	readonly sampleAt: number;
	/** enum kmem_role; ROLE_NONE: it is not read */
	readonly role: number;
	/** 1 if kmem_import_columns set it, 0 if its name did */
	readonly given: number;
}
export const COLUMN_SIZE = 16;
export function readColumn(view: DataView, at: number): Column {
	return {
		nameAt: view.getUint32(at + 0, true),
		sampleAt: view.getUint32(at + 4, true),
		role: view.getUint32(at + 8, true),
		given: view.getUint32(at + 12, true),
	};
}

/** The header of the CSV file that was imported or refused last. */
export interface Columns {
	/** struct kmem_column[nr_columns] */
	readonly columnsAt: number;
	/** 0 if it was no CSV file */
	readonly nrColumns: number;
	/** bit 1 << enum kmem_role for each required role without a column; one of ROLE_REQ and ROLE_ALLOC is enough */
	readonly missing: number;
	/** character code */
	readonly separator: number;
}
export const COLUMNS_SIZE = 16;
export function readColumns(view: DataView, at: number): Columns {
	return {
		columnsAt: view.getUint32(at + 0, true),
		nrColumns: view.getUint32(at + 4, true),
		missing: view.getUint32(at + 8, true),
		separator: view.getUint32(at + 12, true),
	};
}

/** A line that could not be used. */
export interface Problem {
	/** from 1 */
	readonly line: number;
	/** from 1 */
	readonly column: number;
	/** NUL-terminated sentence */
	readonly reasonAt: number;
	/** NUL-terminated start of the line */
	readonly textAt: number;
}
export const PROBLEM_SIZE = 24;
export function readProblem(view: DataView, at: number): Problem {
	return {
		line: u64(view, at + 0),
		column: view.getUint32(at + 8, true),
		reasonAt: view.getUint32(at + 12, true),
		textAt: view.getUint32(at + 16, true),
	};
}

/** Lines seen of one tracepoint. */
export interface KindRow {
	/** how many */
	readonly lines: number;
	/** NUL-terminated text */
	readonly nameAt: number;
}
export const KIND_ROW_SIZE = 16;
export function readKindRow(view: DataView, at: number): KindRow {
	return {
		lines: u64(view, at + 0),
		nameAt: view.getUint32(at + 8, true),
	};
}

/** A cache as the trace shows it. */
export interface TraceCacheRow {
	/** allocations seen */
	readonly allocs: number;
	/** frees seen */
	readonly frees: number;
	/** NUL-terminated text */
	readonly nameAt: number;
	/** bytes requested */
	readonly objectSize: number;
	/** bytes of the slot, 0 if the trace does not have it */
	readonly size: number;
}
export const TRACE_CACHE_ROW_SIZE = 32;
export function readTraceCacheRow(view: DataView, at: number): TraceCacheRow {
	return {
		allocs: u64(view, at + 0),
		frees: u64(view, at + 8),
		nameAt: view.getUint32(at + 16, true),
		objectSize: view.getUint32(at + 20, true),
		size: view.getUint32(at + 24, true),
	};
}

/** Report of an import. */
export interface Report {
	/** bytes read */
	readonly bytes: number;
	/** lines read */
	readonly lines: number;
	/** lines that are events */
	readonly events: number;
	/** allocations */
	readonly allocs: number;
	/** frees, NULL and orphans among them */
	readonly frees: number;
	/** frees of NULL */
	readonly nullFrees: number;
	/** allocations that failed in the trace */
	readonly failedAllocs: number;
	/** frees of objects that the trace does not allocate */
	readonly orphanFrees: number;
	/** allocations of a pointer that was still live: its free was not recorded */
	readonly unseenFrees: number;
	/** objects never freed */
	readonly liveAtEnd: number;
	/** events that the recorder says it lost */
	readonly lost: number;
	/** allocations on the machine, by the periods of a sampled trace; 0: it is not sampled */
	readonly estimatedAllocs: number;
	/** the same for frees */
	readonly estimatedFrees: number;
	/** lines that should have been events and could not be used */
	readonly skippedLines: number;
	/** events that stood behind later ones and were put in order by time */
	readonly reordered: number;
	/** events too far behind later ones for that: they stay where they stood */
	readonly late: number;
	/** nanoseconds, or ticks */
	readonly timeFirst: number;
	/** nanoseconds, or ticks */
	readonly timeLast: number;
	/** events of the replay */
	readonly ops: number;
	/** most objects live at once */
	readonly handles: number;
	/** CPUs seen or announced */
	readonly cpus: number;
	/** nodes seen or announced */
	readonly nodes: number;
	/** name of the format, NUL-terminated text */
	readonly formatAt: number;
	/** 1 nanoseconds, 0 ticks of an unknown clock */
	readonly timeIsNs: number;
	/** 1 if pointers are hashed: identities, not addresses */
	readonly hashed: number;
	/** 1 if the input ended in the middle of a line */
	readonly truncated: number;
	/** struct kmem_kind_row[nr_kinds] */
	readonly kindsAt: number;
	/** rows */
	readonly nrKinds: number;
	/** struct kmem_trace_cache_row[nr_caches] */
	readonly cachesAt: number;
	/** rows */
	readonly nrCaches: number;
	/** struct kmem_problem[nr_problems], the first few */
	readonly problemsAt: number;
	/** rows */
	readonly nrProblems: number;
	/** events of the machine for which each recorded one stands, on average; 0: the trace is not sampled */
	readonly sampling: number;
}
export const REPORT_SIZE = 208;
export function readReport(view: DataView, at: number): Report {
	return {
		bytes: u64(view, at + 0),
		lines: u64(view, at + 8),
		events: u64(view, at + 16),
		allocs: u64(view, at + 24),
		frees: u64(view, at + 32),
		nullFrees: u64(view, at + 40),
		failedAllocs: u64(view, at + 48),
		orphanFrees: u64(view, at + 56),
		unseenFrees: u64(view, at + 64),
		liveAtEnd: u64(view, at + 72),
		lost: u64(view, at + 80),
		estimatedAllocs: u64(view, at + 88),
		estimatedFrees: u64(view, at + 96),
		skippedLines: u64(view, at + 104),
		reordered: u64(view, at + 112),
		late: u64(view, at + 120),
		timeFirst: u64(view, at + 128),
		timeLast: u64(view, at + 136),
		ops: view.getUint32(at + 144, true),
		handles: view.getUint32(at + 148, true),
		cpus: view.getUint32(at + 152, true),
		nodes: view.getUint32(at + 156, true),
		formatAt: view.getUint32(at + 160, true),
		timeIsNs: view.getUint32(at + 164, true),
		hashed: view.getUint32(at + 168, true),
		truncated: view.getUint32(at + 172, true),
		kindsAt: view.getUint32(at + 176, true),
		nrKinds: view.getUint32(at + 180, true),
		cachesAt: view.getUint32(at + 184, true),
		nrCaches: view.getUint32(at + 188, true),
		problemsAt: view.getUint32(at + 192, true),
		nrProblems: view.getUint32(at + 196, true),
		sampling: view.getUint32(at + 200, true),
	};
}

/** The lines of a report about the allocation or the free of its object. */
export interface LookupTrack {
	/** nanoseconds since boot, 0 if it does not say */
	readonly time: number;
	/** 1 if the report has it */
	readonly isThere: number;
	/** call site, NUL-terminated text */
	readonly siteAt: number;
	/** KMEM_NONE32 if it does not say */
	readonly cpu: number;
	/** KMEM_NONE32 if it does not say */
	readonly pid: number;
	/** jiffies before the report, KMEM_NONE32 if it does not say */
	readonly age: number;
}
export const LOOKUP_TRACK_SIZE = 32;
export function readLookupTrack(view: DataView, at: number): LookupTrack {
	return {
		time: u64(view, at + 0),
		isThere: view.getUint32(at + 8, true),
		siteAt: view.getUint32(at + 12, true),
		cpu: view.getUint32(at + 16, true),
		pid: view.getUint32(at + 20, true),
		age: view.getUint32(at + 24, true),
	};
}

/** An object that matches, from its allocation to its free. */
export interface LookupLife {
	/** as recorded, 0 if it was not kept */
	readonly pointer: bigint;
	/** nanoseconds, or ticks */
	readonly allocTime: number;
	/** 0 without a free */
	readonly freeTime: number;
	/** event that allocated it, KMEM_NONE32 if the trace does not have it */
	readonly allocOp: number;
	/** event that freed it, KMEM_NONE32 if none did */
	readonly freeOp: number;
	/** 1 << enum kmem_lookup_match of each thing that fits */
	readonly matched: number;
	/** of its slot, 0 if unknown */
	readonly slotBytes: number;
	/** name of its cache, NUL-terminated text */
	readonly cacheAt: number;
	/** NUL-terminated text, as the three below */
	readonly allocSiteAt: number;
	/** call site */
	readonly freeSiteAt: number;
	/** comm-pid */
	readonly allocTaskAt: number;
	/** comm-pid */
	readonly freeTaskAt: number;
	/** KMEM_NONE if unknown */
	readonly allocCpu: number;
	/** KMEM_NONE if unknown */
	readonly freeCpu: number;
}
export const LOOKUP_LIFE_SIZE = 64;
export function readLookupLife(view: DataView, at: number): LookupLife {
	return {
		pointer: view.getBigUint64(at + 0, true),
		allocTime: u64(view, at + 8),
		freeTime: u64(view, at + 16),
		allocOp: view.getUint32(at + 24, true),
		freeOp: view.getUint32(at + 28, true),
		matched: view.getUint32(at + 32, true),
		slotBytes: view.getUint32(at + 36, true),
		cacheAt: view.getUint32(at + 40, true),
		allocSiteAt: view.getUint32(at + 44, true),
		freeSiteAt: view.getUint32(at + 48, true),
		allocTaskAt: view.getUint32(at + 52, true),
		freeTaskAt: view.getUint32(at + 56, true),
		allocCpu: view.getUint16(at + 60, true),
		freeCpu: view.getUint16(at + 62, true),
	};
}

/** A slot beside the object, by recorded pointers, at that time. */
export interface LookupNeighbour {
	/** of the slot */
	readonly pointer: bigint;
	/** slots from the object: -1 lies before it, 1 behind it, 0 is itself */
	readonly slot: number;
	/** enum kmem_slot_state */
	readonly state: number;
	/** last event that allocated it until then, KMEM_NONE32 if none */
	readonly allocOp: number;
	/** event that freed it after that, KMEM_NONE32 if none */
	readonly freeOp: number;
	/** name of its cache, NUL-terminated text */
	readonly cacheAt: number;
}
export const LOOKUP_NEIGHBOUR_SIZE = 32;
export function readLookupNeighbour(view: DataView, at: number): LookupNeighbour {
	return {
		pointer: view.getBigUint64(at + 0, true),
		slot: view.getInt32(at + 8, true),
		state: view.getUint32(at + 12, true),
		allocOp: view.getUint32(at + 16, true),
		freeOp: view.getUint32(at + 20, true),
		cacheAt: view.getUint32(at + 24, true),
	};
}

/** A pointer or a report, and the events that match. */
export interface Lookup {
	/** that the text is about, 0 if it names none */
	readonly address: number;
	/** where its object begins, 0 if unknown */
	readonly object: number;
	/** of the report: nanoseconds since boot, 0 if unknown */
	readonly time: number;
	/** of the address from the object's start, if both are known */
	readonly offset: number;
	/** enum kmem_lookup_kind */
	readonly kind: number;
	/** what happened, NUL-terminated text */
	readonly titleAt: number;
	/** name of the cache, NUL-terminated text */
	readonly cacheAt: number;
	/** where the bad access was, NUL-terminated text */
	readonly siteAt: number;
	/** its task as comm-pid, NUL-terminated text */
	readonly taskAt: number;
	/** bytes of the object, 0 if unknown */
	readonly size: number;
	/** of the bad access, 0 if unknown */
	readonly accessBytes: number;
	/** 1 if it was a write */
	readonly isWrite: number;
	/** objects of its slab, 0 if unknown */
	readonly slabObjects: number;
	/** of these, allocated */
	readonly slabUsed: number;
	/** of the object in its slab, KMEM_NONE32 if unknown */
	readonly slabOffset: number;
	/** struct kmem_lookup_track[2]: of the allocation and of the free */
	readonly tracksAt: number;
	/** 1 if the lives match by address, 0 if they are candidates */
	readonly byAddress: number;
	/** 0 if the report's addresses cannot be in this trace, hashed or not kept */
	readonly canMatch: number;
	/** events until the report, as far as that is known */
	readonly moment: number;
	/** rows; the best first, at most 16 */
	readonly nrLives: number;
	/** struct kmem_lookup_life[nr_lives] */
	readonly livesAt: number;
	/** all lives that match */
	readonly nrAll: number;
	/** of these, lives that match as well as the first */
	readonly nrAlike: number;
	/** rows */
	readonly nrNeighbours: number;
	/** struct kmem_lookup_neighbour[nr_neighbours], by address */
	readonly neighboursAt: number;
	/** the answer in sentences, NUL-terminated text */
	readonly answerAt: number;
	/** what the reader should know about it, NUL-terminated text */
	readonly noteAt: number;
}
export const LOOKUP_SIZE = 128;
export function readLookup(view: DataView, at: number): Lookup {
	return {
		address: u64(view, at + 0),
		object: u64(view, at + 8),
		time: u64(view, at + 16),
		offset: s64(view, at + 24),
		kind: view.getUint32(at + 32, true),
		titleAt: view.getUint32(at + 36, true),
		cacheAt: view.getUint32(at + 40, true),
		siteAt: view.getUint32(at + 44, true),
		taskAt: view.getUint32(at + 48, true),
		size: view.getUint32(at + 52, true),
		accessBytes: view.getUint32(at + 56, true),
		isWrite: view.getUint32(at + 60, true),
		slabObjects: view.getUint32(at + 64, true),
		slabUsed: view.getUint32(at + 68, true),
		slabOffset: view.getUint32(at + 72, true),
		tracksAt: view.getUint32(at + 76, true),
		byAddress: view.getUint32(at + 80, true),
		canMatch: view.getUint32(at + 84, true),
		moment: view.getUint32(at + 88, true),
		nrLives: view.getUint32(at + 92, true),
		livesAt: view.getUint32(at + 96, true),
		nrAll: view.getUint32(at + 100, true),
		nrAlike: view.getUint32(at + 104, true),
		nrNeighbours: view.getUint32(at + 108, true),
		neighboursAt: view.getUint32(at + 112, true),
		answerAt: view.getUint32(at + 116, true),
		noteAt: view.getUint32(at + 120, true),
	};
}

/** The kernel that is modelled. */
export interface Kernel {
	/** NUL-terminated text: name of the preset */
	readonly presetAt: number;
	/** NUL-terminated text: release on which the trace was recorded; 0: it does not say */
	readonly recordedAt: number;
	/** NUL-terminated text: the preset and why it is that one, for a person */
	readonly wordsAt: number;
	/** enum kmem_kernel_choice */
	readonly chosenBy: number;
}
export const KERNEL_SIZE = 16;
export function readKernel(view: DataView, at: number): Kernel {
	return {
		presetAt: view.getUint32(at + 0, true),
		recordedAt: view.getUint32(at + 4, true),
		wordsAt: view.getUint32(at + 8, true),
		chosenBy: view.getUint32(at + 12, true),
	};
}

/** One figure: the proposal's, a real 6.1 kernel's, ours. */
export interface FigureRow {
	/** as the proposal prints it, times 10 to the power of seed_decimals */
	readonly seedValue: number;
	/** counted in guests of Linux 6.1, times 10 to the power of real_decimals */
	readonly realValue: number;
	/** the same in the boot that had least, as far as there were several */
	readonly realLeast: number;
	/** in the boot that had most */
	readonly realMost: number;
	/** measured here, times 10 to the power of ours_decimals */
	readonly oursValue: number;
	/** NUL-terminated text: table of the proposal */
	readonly tableAt: number;
	/** NUL-terminated text: its row there */
	readonly rowAt: number;
	/** NUL-terminated text: its column there */
	readonly columnAt: number;
	/** NUL-terminated text: unit of the proposal's and the real kernel's */
	readonly unitAt: number;
	/** NUL-terminated text: unit of ours */
	readonly oursUnitAt: number;
	/** NUL-terminated text: which run of the real kernel */
	readonly realFromAt: number;
	/** NUL-terminated sentences: why it agrees or not, from what was measured; empty until all has been */
	readonly whyAt: number;
	/** NUL-terminated sentence: by which rule it agrees or not, RULE in proposals.def; empty where there is nothing to agree with */
	readonly ruleAt: number;
	/** 0 */
	readonly reserved2: number;
	/** enum kmem_figure_kind */
	readonly kind: number;
	/** enum kmem_agreement */
	readonly agrees: number;
	/** 1: seed_value is there */
	readonly hasSeed: number;
	/** 1: real_value is there */
	readonly hasReal: number;
	/** 1: real_least and real_most are there */
	readonly hasSpread: number;
	/** 1: ours_value is there */
	readonly hasOurs: number;
	/** see seed_value */
	readonly seedDecimals: number;
	/** see real_value */
	readonly realDecimals: number;
	/** see ours_value */
	readonly oursDecimals: number;
}
export const FIGURE_ROW_SIZE = 88;
export function readFigureRow(view: DataView, at: number): FigureRow {
	return {
		seedValue: s64(view, at + 0),
		realValue: s64(view, at + 8),
		realLeast: s64(view, at + 16),
		realMost: s64(view, at + 24),
		oursValue: s64(view, at + 32),
		tableAt: view.getUint32(at + 40, true),
		rowAt: view.getUint32(at + 44, true),
		columnAt: view.getUint32(at + 48, true),
		unitAt: view.getUint32(at + 52, true),
		oursUnitAt: view.getUint32(at + 56, true),
		realFromAt: view.getUint32(at + 60, true),
		whyAt: view.getUint32(at + 64, true),
		ruleAt: view.getUint32(at + 68, true),
		reserved2: view.getUint32(at + 72, true),
		kind: view.getUint16(at + 76, true),
		agrees: view.getUint16(at + 78, true),
		hasSeed: view.getUint8(at + 80),
		hasReal: view.getUint8(at + 81),
		hasSpread: view.getUint8(at + 82),
		hasOurs: view.getUint8(at + 83),
		seedDecimals: view.getUint8(at + 84),
		realDecimals: view.getUint8(at + 85),
		oursDecimals: view.getUint8(at + 86),
	};
}

/** A proposal's experiment, as far as it has run. */
export interface Experiment {
	/** NUL-terminated text: 000 to 004 */
	readonly idAt: number;
	/** NUL-terminated text: a word for it */
	readonly nameAt: number;
	/** NUL-terminated text: what was proposed */
	readonly titleAt: number;
	/** NUL-terminated text: the parameter that makes the difference */
	readonly switchAt: number;
	/** NUL-terminated text: workloads and machines, and what times are */
	readonly setupAt: number;
	/** of the proposal */
	readonly year: number;
	/** struct kmem_figure_row[nr_rows] */
	readonly rowsAt: number;
	/** rows */
	readonly nrRows: number;
	/** of workloads, all together */
	readonly runs: number;
	/** of these; equal: every row has what was measured */
	readonly runsDone: number;
}
export const EXPERIMENT_SIZE = 40;
export function readExperiment(view: DataView, at: number): Experiment {
	return {
		idAt: view.getUint32(at + 0, true),
		nameAt: view.getUint32(at + 4, true),
		titleAt: view.getUint32(at + 8, true),
		switchAt: view.getUint32(at + 12, true),
		setupAt: view.getUint32(at + 16, true),
		year: view.getUint32(at + 20, true),
		rowsAt: view.getUint32(at + 24, true),
		nrRows: view.getUint32(at + 28, true),
		runs: view.getUint32(at + 32, true),
		runsDone: view.getUint32(at + 36, true),
	};
}

/** Fault of the last failed call: for programs, beside the sentence for a person. */
export interface Fault {
	/** enum kmem_status that the call returned or stands for */
	readonly status: number;
	/** enum kmem_fault_kind */
	readonly kind: number;
	/** NUL-terminated parameter, preset or workload at fault, 0 if there is none to name */
	readonly keyAt: number;
	/** NUL-terminated parameter that key_at is in conflict with, 0 if there is none */
	readonly otherAt: number;
}
export const FAULT_SIZE = 16;
export function readFault(view: DataView, at: number): Fault {
	return {
		status: view.getInt32(at + 0, true),
		kind: view.getUint32(at + 4, true),
		keyAt: view.getUint32(at + 8, true),
		otherAt: view.getUint32(at + 12, true),
	};
}

/** A part of the memory of one cache, or of all. */
export interface MemoryRow {
	/** its size */
	readonly bytes: number;
	/** objects in it: live ones for PART_REQUESTED, 0 for parts without objects */
	readonly objects: number;
	/** of PART_EMPTY: the empty slabs; of PART_PAGES: all slabs; 0 elsewhere */
	readonly slabs: number;
	/** cache id; KMEM_NONE: all caches together */
	readonly cache: number;
	/** enum kmem_memory_part */
	readonly part: number;
	/** of PART_FREE and PART_EMPTY: the enum kmem_place_kind where they are; KMEM_NONE elsewhere */
	readonly place: number;
	/** 1: the caches share their slabs, so only the rows of all caches have the parts behind PART_ROUNDING */
	readonly shares: number;
}
export const MEMORY_ROW_SIZE = 24;
export function readMemoryRow(view: DataView, at: number): MemoryRow {
	return {
		bytes: u64(view, at + 0),
		objects: view.getUint32(at + 8, true),
		slabs: view.getUint32(at + 12, true),
		cache: view.getUint16(at + 16, true),
		part: view.getUint16(at + 18, true),
		place: view.getUint16(at + 20, true),
		shares: view.getUint16(at + 22, true),
	};
}

/** Objects allocated in one place and freed in another. */
export interface MatrixCell {
	/** how many; 0 in no row */
	readonly objects: number;
	/** that were requested in them */
	readonly bytes: number;
	/** CPU or node that allocated them; the first of kmem_matrix.per_row */
	readonly from: number;
	/** CPU or node that freed them; the first of kmem_matrix.per_row */
	readonly to: number;
}
export const MATRIX_CELL_SIZE = 24;
export function readMatrixCell(view: DataView, at: number): MatrixCell {
	return {
		objects: u64(view, at + 0),
		bytes: u64(view, at + 8),
		from: view.getUint32(at + 16, true),
		to: view.getUint32(at + 20, true),
	};
}

/** Where objects are allocated and where they are freed, over the whole trace. */
export interface Matrix {
	/** allocations that gave an object */
	readonly allocations: number;
	/** of these objects, freed by an event of the trace: the cells add up to it */
	readonly frees: number;
	/** that were requested in the freed objects */
	readonly bytes: number;
	/** frees on another CPU than the allocation */
	readonly otherCpu: number;
	/** of these, on another node */
	readonly otherNode: number;
	/** objects that the trace never frees */
	readonly live: number;
	/** objects whose free the trace does not have: their pointer was allocated again */
	readonly unseen: number;
	/** struct kmem_matrix_cell[nr_cells], by row and then column */
	readonly cellsAt: number;
	/** cells that are not empty */
	readonly nrCells: number;
	/** enum kmem_matrix_by: BY_NODE if asked for, or if there are too many CPUs for a row each */
	readonly by: number;
	/** rows, and as many columns */
	readonly nrRows: number;
	/** CPUs or nodes that share a row; 1 unless there are too many */
	readonly perRow: number;
	/** cache id, KMEM_NONE: all caches */
	readonly cache: number;
}
export const MATRIX_SIZE = 80;
export function readMatrix(view: DataView, at: number): Matrix {
	return {
		allocations: u64(view, at + 0),
		frees: u64(view, at + 8),
		bytes: u64(view, at + 16),
		otherCpu: u64(view, at + 24),
		otherNode: u64(view, at + 32),
		live: u64(view, at + 40),
		unseen: u64(view, at + 48),
		cellsAt: view.getUint32(at + 56, true),
		nrCells: view.getUint32(at + 60, true),
		by: view.getUint32(at + 64, true),
		nrRows: view.getUint32(at + 68, true),
		perRow: view.getUint32(at + 72, true),
		cache: view.getUint32(at + 76, true),
	};
}

/** A change of one parameter that the doctor tries, and what it changed. */
export interface Change {
	/** enum kmem_doctor_measure: how much more than without the change; negative: saved */
	readonly more: readonly number[];
	/** its place in the order of the replays */
	readonly number: number;
	/** parameter, its place in kmem_params_json */
	readonly param: number;
	/** key of the parameter, NUL-terminated text */
	readonly keyAt: number;
	/** its name in words, NUL-terminated text */
	readonly nameAt: number;
	/** its group, NUL-terminated text */
	readonly groupAt: number;
	/** the value to try, NUL-terminated text */
	readonly valueAt: number;
	/** the value in force, NUL-terminated text */
	readonly nowAt: number;
	/** 0 not measured yet, 1 measured, 2 no valid machine */
	readonly state: number;
	/** its larger saving of memory in millionths of the peak without the change, 0 if none */
	readonly savesMemory: number;
	/** millionths of the slow paths without the change, 0 if none */
	readonly savesSlowPaths: number;
	/** enum kmem_set_by */
	readonly setBy: number;
}
export const CHANGE_SIZE = 88;
export function readChange(view: DataView, at: number): Change {
	return {
		more: [s64(view, at + 0), s64(view, at + 8), s64(view, at + 16), s64(view, at + 24), s64(view, at + 32)],
		number: view.getUint32(at + 40, true),
		param: view.getUint32(at + 44, true),
		keyAt: view.getUint32(at + 48, true),
		nameAt: view.getUint32(at + 52, true),
		groupAt: view.getUint32(at + 56, true),
		valueAt: view.getUint32(at + 60, true),
		nowAt: view.getUint32(at + 64, true),
		state: view.getUint32(at + 68, true),
		savesMemory: view.getUint32(at + 72, true),
		savesSlowPaths: view.getUint32(at + 76, true),
		setBy: view.getUint32(at + 80, true),
	};
}

/** The events that a filter chose, counted from 0. */
export interface Filter {
	/** first event of the window */
	readonly from: number;
	/** first event behind the window */
	readonly to: number;
	/** chosen events in the window */
	readonly events: number;
	/** of these, allocations */
	readonly allocs: number;
	/** of these, frees */
	readonly frees: number;
	/** events in front of the window with which an excerpt begins: allocations of objects that live then, and settings */
	readonly before: number;
	/** first chosen event of the window, KMEM_NONE32 if there is none */
	readonly first: number;
	/** last one, KMEM_NONE32 if there is none */
	readonly last: number;
}
export const FILTER_SIZE = 32;
export function readFilter(view: DataView, at: number): Filter {
	return {
		from: view.getUint32(at + 0, true),
		to: view.getUint32(at + 4, true),
		events: view.getUint32(at + 8, true),
		allocs: view.getUint32(at + 12, true),
		frees: view.getUint32(at + 16, true),
		before: view.getUint32(at + 20, true),
		first: view.getUint32(at + 24, true),
		last: view.getUint32(at + 28, true),
	};
}

/** Kinds of steps. */
export const StepKind = {
	CACHE_CREATE: 0,
	ORDER_TRY: 1,
	ALLOC_FASTPATH: 2,
	ALLOC_SLOWPATH: 3,
	ALLOC_NODE_MISMATCH: 4,
	ALLOC_REFILL: 5,
	DEACTIVATE_BYPASS: 6,
	CPU_PARTIAL_ALLOC: 7,
	PARTIAL_SEARCH: 8,
	ALLOC_FROM_PARTIAL: 9,
	CPU_PARTIAL_NODE: 10,
	ANY_NODE_ENTER: 11,
	ANY_NODE_ZONE: 12,
	ANY_NODE_EXCLUDE: 13,
	PAGES_ALLOC: 14,
	PAGES_REFUSED: 15,
	ORDER_FALLBACK: 16,
	ALLOC_SLAB: 17,
	OBJECT_TAKEN: 18,
	ALLOC_FAILED: 19,
	LARGE_ALLOC: 20,
	LARGE_FREE: 21,
	FREE_FASTPATH: 22,
	FREE_SLOWPATH: 23,
	FREE_FROZEN: 24,
	FREE_ADD_PARTIAL: 25,
	FREE_REMOVE_PARTIAL: 26,
	FREE_SLAB: 27,
	PAGES_FREE: 28,
	CPU_PARTIAL_FREE: 29,
	CPU_PARTIAL_DRAIN: 30,
	CHAIN_DETACH: 31,
	CHAIN_PUSH: 32,
	CPU_SLAB_DETACH: 33,
	DEACTIVATE_REMOTE_FREES: 34,
	DEACTIVATE_EMPTY: 35,
	DEACTIVATE_FULL: 36,
	DEACTIVATE_TO_HEAD: 37,
	DEACTIVATE_TO_TAIL: 38,
	CPUSLAB_FLUSH: 39,
	THRESHOLD: 40,
	LOCK_WAIT: 41,
	NOTHING: 42,
	SET: 43,
	ALLOC_PCS: 44,
	FREE_PCS: 45,
	SHEAF_SWAP: 46,
	SHEAF_PLACES: 47,
	SHEAF_ALLOC: 48,
	SHEAF_FREE: 49,
	SHEAF_REFILL: 50,
	SHEAF_FLUSH: 51,
	SHEAF_FROM_BARN: 52,
	SHEAF_TO_BARN: 53,
	BARN_GET: 54,
	BARN_GET_FAIL: 55,
	BARN_PUT: 56,
	BARN_PUT_FAIL: 57,
	SHRINK_BUCKET: 58,
	SHRINK_DISCARD: 59,
	SHRINK_FREE: 60,
	FULL_ADD: 61,
	FULL_LEAVE: 62,
	LIST_ADD: 63,
	CPU_SLAB_INSTALL: 64,
	OBJECT_CHECKED: 65,
	CORRUPT_WRITE: 66,
	DOUBLE_FREE: 67,
	WILD_FREE: 68,
	CORRUPT_EFFECT: 69,
	BUG: 70,
	SLAB_BUG: 71,
	BUG_BYTES: 72,
	BUG_COUNT: 73,
	BUG_ALLOCATED: 74,
	BUG_FREED: 75,
	FIX: 76,
	OBJECTS_LOST: 77,
	VALIDATED: 78,
	SLAB_REPORT: 79,
	QUEUE_SIZES: 80,
	QUEUE_WANT: 81,
	ALLOC_SHARED: 82,
	QUEUE_TAKE: 83,
	BITMAP_TAKE: 84,
	SLAB_EXHAUSTED: 85,
	SLAB_REST: 86,
	ALLOC_ALIEN: 87,
	ALLOC_ALIEN_SLOW: 88,
	ALLOC_DIRECT: 89,
	QUEUE_PUSH: 90,
	FREE_SHARED: 91,
	FREE_ALIEN: 92,
	FREE_ALIEN_SLOW: 93,
	FREE_DIRECT: 94,
	QUEUE_DRAIN: 95,
	BITMAP_PUT: 96,
	QUEUE_FLUSH: 97,
	EXPIRE_LIST_SPARED: 98,
	EXPIRE_QUEUE_SPARED: 99,
	LIST_TRIM: 100,
	EXPIRED_BYTES: 101,
	DIRECT_RECLAIM: 102,
	KSWAPD_WAKE: 103,
	KSWAPD_RUN: 104,
	SET_REFUSED: 105,
	SLAB_CACHE_CREATE: 106,
	SLAB_ORDER_TRY: 107,
	SLAB_TUNE: 108,
	SLAB_TUNE_IGNORED: 109,
	ALLOCHIT: 110,
	ALLOCMISS: 111,
	REFILL_WANT: 112,
	NODE_EMPTY: 113,
	REFILL_SHARED: 114,
	REFILL_SLAB: 115,
	REFILL_NEW: 116,
	ARRAY_POP: 117,
	SLAB_RELIST: 118,
	GROW_COLOUR: 119,
	GROWN: 120,
	NODE_WANTED: 121,
	NODEALLOCS: 122,
	NODE_TAKE: 123,
	FALLBACK_ZONE: 124,
	FREEHIT: 125,
	FREEMISS: 126,
	FLUSH_SHARED: 127,
	FLUSH_SLABS: 128,
	ARRAY_PUSH: 129,
	BLOCK_FREE: 130,
	NODEFREES: 131,
	ACOVERFLOW: 132,
	ALIEN_TO_SHARED: 133,
	ALIEN_TO_SLABS: 134,
	ALIEN_PUSH: 135,
	SLAB_OFF_LIST: 136,
	SLAB_DESTROY: 137,
	CLOCK: 138,
	REAP_ALIEN: 139,
	REAP_SPARE: 140,
	REAP_ARRAY: 141,
	REAP_SPARE_SLABS: 142,
	REAP_SLABS: 143,
	REAP_CURSOR: 144,
	DRAIN_ARRAY: 145,
	CACHE_WITHOUT_SLABS: 146,
	LIST_CHOOSE: 147,
	NEXT_PAGE: 148,
	BLOCK_TOO_SMALL: 149,
	BLOCK_FITS: 150,
	BLOCK_SPLIT_HEAD: 151,
	BLOCK_SPLIT: 152,
	BLOCK_EXACT: 153,
	HEADER_WRITE: 154,
	ROTATE: 155,
	PAGE_NEW: 156,
	PAGE_TO_LIST_HEAD: 157,
	PAGE_OFF_LIST: 158,
	PAGE_FREE: 159,
	PAGE_UNFULL: 160,
	BLOCK_PUT: 161,
	COALESCE_NEXT: 162,
	COALESCE_PREVIOUS: 163,
	CLASS_CHOOSE: 164,
	CLASS_POP: 165,
	CLASS_PUSH: 166,
	RUN_ALLOC: 167,
	RUN_FREE: 168,
	SHEAF_REUSE: 169,
	SHEAF_FROM_SLAB: 170,
	FLUSH_GROUP: 171,
	FREE_PAST_SHEAF: 172,
	BULK_FROM_SHEAF: 173,
	BULK_FROM_SLABS: 174,
	BULK_TAKEN: 175,
	BULK_PUT: 176,
	BULK_TO_SHEAF: 177,
	BULK_TO_SLABS: 178,
	FREE_RCU_SHEAF: 179,
	FREE_RCU_SHEAF_FAIL: 180,
	RCU_LATER: 181,
	RCU_SHEAF_WAITS: 182,
	SHEAF_PREFILL_FAST: 183,
	SHEAF_PREFILL_SLOW: 184,
	SHEAF_PREFILL_OVERSIZE: 185,
	SHEAF_RETURN_FAST: 186,
	SHEAF_RETURN_SLOW: 187,
	PREFILLED_TAKEN: 188,
	ALLOC_ANY_NODE: 189,
	BULK_LIST: 190,
} as const;
export type StepKindName = keyof typeof StepKind;
export type StepKind = (typeof StepKind)[StepKindName];

/** A kind of step: its kernel function and its arguments' names; sentences are the core's. */
export interface StepKindInfo {
	readonly name: StepKindName;
	readonly function: string;
	readonly args: readonly string[];
}
export const STEP_KINDS: readonly StepKindInfo[] = [
	{ name: "CACHE_CREATE", function: "kmem_cache_create", args: ["object_size", "size", "order", "objects", "min_partial"] },
	{ name: "ORDER_TRY", function: "calculate_order", args: ["min_objects", "fraction", "order", "remainder", "outcome"] },
	{ name: "ALLOC_FASTPATH", function: "slab_alloc_node", args: ["slab", "index", "left"] },
	{ name: "ALLOC_SLOWPATH", function: "___slab_alloc", args: ["reason", "want_node"] },
	{ name: "ALLOC_NODE_MISMATCH", function: "___slab_alloc", args: ["slab", "slab_node", "want_node"] },
	{ name: "ALLOC_REFILL", function: "get_freelist", args: ["slab", "objects"] },
	{ name: "DEACTIVATE_BYPASS", function: "get_freelist", args: ["slab"] },
	{ name: "CPU_PARTIAL_ALLOC", function: "___slab_alloc", args: ["slab", "left"] },
	{ name: "PARTIAL_SEARCH", function: "get_partial_node", args: ["nr_partial"] },
	{ name: "ALLOC_FROM_PARTIAL", function: "get_partial_node", args: ["slab", "free", "nr_partial"] },
	{ name: "CPU_PARTIAL_NODE", function: "get_partial_node", args: ["slab", "free", "chain"] },
	{ name: "ANY_NODE_ENTER", function: "get_any_partial", args: ["ratio", "gate", "outcome"] },
	{ name: "ANY_NODE_ZONE", function: "get_any_partial", args: ["zone", "nr_partial", "min_partial", "outcome"] },
	{ name: "ANY_NODE_EXCLUDE", function: "get_any_partial (2018 proposal)", args: ["old", "new"] },
	{ name: "PAGES_ALLOC", function: "__alloc_pages", args: ["order", "pfn", "zone_kind", "asked_node"] },
	{ name: "PAGES_REFUSED", function: "__alloc_pages", args: ["order", "asked_node"] },
	{ name: "ORDER_FALLBACK", function: "allocate_slab", args: ["wanted", "got"] },
	{ name: "ALLOC_SLAB", function: "allocate_slab", args: ["slab", "order", "objects", "pfn", "fresh"] },
	{ name: "OBJECT_TAKEN", function: "___slab_alloc", args: ["slab", "index", "left"] },
	{ name: "ALLOC_FAILED", function: "___slab_alloc", args: ["want_node"] },
	{ name: "LARGE_ALLOC", function: "kmalloc_large", args: ["bytes", "order", "pfn"] },
	{ name: "LARGE_FREE", function: "free_large_kmalloc", args: ["order", "pfn"] },
	{ name: "FREE_FASTPATH", function: "do_slab_free", args: ["slab", "index", "held"] },
	{ name: "FREE_SLOWPATH", function: "__slab_free", args: ["slab", "index", "owner", "owner_cpu", "free"] },
	{ name: "FREE_FROZEN", function: "__slab_free", args: ["slab", "owner_cpu"] },
	{ name: "FREE_ADD_PARTIAL", function: "__slab_free", args: ["slab", "free", "nr_partial"] },
	{ name: "FREE_REMOVE_PARTIAL", function: "__slab_free", args: ["slab", "nr_partial"] },
	{ name: "FREE_SLAB", function: "discard_slab", args: ["slab", "order", "pfn"] },
	{ name: "PAGES_FREE", function: "__free_pages", args: ["order", "pfn"] },
	{ name: "CPU_PARTIAL_FREE", function: "put_cpu_partial", args: ["slab", "chain"] },
	{ name: "CPU_PARTIAL_DRAIN", function: "put_cpu_partial", args: ["slabs", "released"] },
	{ name: "CHAIN_DETACH", function: "put_cpu_partial", args: ["slabs"] },
	{ name: "CHAIN_PUSH", function: "put_cpu_partial", args: ["slab", "chain"] },
	{ name: "CPU_SLAB_DETACH", function: "deactivate_slab", args: ["slab", "objects"] },
	{ name: "DEACTIVATE_REMOTE_FREES", function: "deactivate_slab", args: ["slab", "objects", "outcome"] },
	{ name: "DEACTIVATE_EMPTY", function: "deactivate_slab", args: ["slab", "nr_partial", "min_partial", "outcome"] },
	{ name: "DEACTIVATE_FULL", function: "deactivate_slab", args: ["slab"] },
	{ name: "DEACTIVATE_TO_HEAD", function: "deactivate_slab", args: ["slab", "free", "nr_partial"] },
	{ name: "DEACTIVATE_TO_TAIL", function: "deactivate_slab", args: ["slab", "free", "nr_partial"] },
	{ name: "CPUSLAB_FLUSH", function: "flush_slab", args: ["flushed_cpu"] },
	{ name: "THRESHOLD", function: "", args: ["what", "left", "right", "outcome"] },
	{ name: "LOCK_WAIT", function: "spin_lock", args: ["waited", "holder"] },
	{ name: "NOTHING", function: "", args: ["reason"] },
	{ name: "SET", function: "", args: ["param", "old", "new"] },
	{ name: "ALLOC_PCS", function: "alloc_from_pcs", args: ["slab", "index", "left"] },
	{ name: "FREE_PCS", function: "free_to_pcs", args: ["slab", "index", "objects"] },
	{ name: "SHEAF_SWAP", function: "__pcs_replace_empty_main", args: ["main", "spare"] },
	{ name: "SHEAF_PLACES", function: "__pcs_replace_full_main", args: ["main", "spare"] },
	{ name: "SHEAF_ALLOC", function: "alloc_empty_sheaf", args: ["capacity"] },
	{ name: "SHEAF_FREE", function: "free_empty_sheaf", args: [] },
	{ name: "SHEAF_REFILL", function: "refill_sheaf", args: ["objects", "capacity"] },
	{ name: "SHEAF_FLUSH", function: "__kmem_cache_free_bulk", args: ["objects", "left", "sheaf"] },
	{ name: "SHEAF_FROM_BARN", function: "barn_get_empty_sheaf", args: ["full", "empty"] },
	{ name: "SHEAF_TO_BARN", function: "barn_put_empty_sheaf", args: ["full", "empty"] },
	{ name: "BARN_GET", function: "barn_replace_empty_sheaf", args: ["objects", "full", "empty"] },
	{ name: "BARN_GET_FAIL", function: "barn_replace_empty_sheaf", args: ["empty"] },
	{ name: "BARN_PUT", function: "barn_replace_full_sheaf", args: ["objects", "full", "empty"] },
	{ name: "BARN_PUT_FAIL", function: "barn_replace_full_sheaf", args: ["full"] },
	{ name: "SHRINK_BUCKET", function: "__kmem_cache_do_shrink", args: ["free", "slabs"] },
	{ name: "SHRINK_DISCARD", function: "__kmem_cache_do_shrink", args: ["slab", "nr_partial"] },
	{ name: "SHRINK_FREE", function: "__kmem_cache_do_shrink", args: ["slab", "order", "pfn"] },
	{ name: "FULL_ADD", function: "add_full", args: ["slab", "nr_partial"] },
	{ name: "FULL_LEAVE", function: "remove_partial", args: ["slab", "nr_partial"] },
	{ name: "LIST_ADD", function: "add_partial", args: ["slab", "free", "end", "nr_partial"] },
	{ name: "CPU_SLAB_INSTALL", function: "___slab_alloc", args: ["slab", "free"] },
	{ name: "OBJECT_CHECKED", function: "check_object", args: ["slab", "index"] },
	{ name: "CORRUPT_WRITE", function: "", args: ["slab", "index", "at", "len", "value"] },
	{ name: "DOUBLE_FREE", function: "", args: ["slab", "index"] },
	{ name: "WILD_FREE", function: "", args: ["slab", "index", "at"] },
	{ name: "CORRUPT_EFFECT", function: "", args: ["effect", "slab", "index"] },
	{ name: "BUG", function: "object_err", args: ["check", "slab", "index", "at"] },
	{ name: "SLAB_BUG", function: "slab_err", args: ["check", "slab", "at"] },
	{ name: "BUG_BYTES", function: "check_bytes_and_report", args: ["slab", "at", "len", "found", "expected"] },
	{ name: "BUG_COUNT", function: "on_freelist", args: ["slab", "counter", "counted"] },
	{ name: "BUG_ALLOCATED", function: "print_track", args: ["slab", "index", "by_op"] },
	{ name: "BUG_FREED", function: "print_track", args: ["slab", "index", "by_op"] },
	{ name: "FIX", function: "slab_fix", args: ["fix", "slab"] },
	{ name: "OBJECTS_LOST", function: "", args: ["slab", "objects"] },
	{ name: "VALIDATED", function: "validate_slab", args: ["slab"] },
	{ name: "SLAB_REPORT", function: "validate_slab", args: ["slab", "used", "queued", "free", "objects"] },
	{ name: "QUEUE_SIZES", function: "kmem_cache_open", args: ["queue_objects", "batch", "cpu_max", "shared_max", "alien_max"] },
	{ name: "QUEUE_WANT", function: "slab_alloc", args: ["want", "batch", "touched"] },
	{ name: "ALLOC_SHARED", function: "slab_alloc", args: ["objects", "left", "group"] },
	{ name: "QUEUE_TAKE", function: "refill_queue", args: ["slab", "objects", "lowest", "queue", "whose"] },
	{ name: "BITMAP_TAKE", function: "slab_alloc_alien", args: ["slab", "index", "free"] },
	{ name: "SLAB_EXHAUSTED", function: "refill_queue", args: ["slab", "nr_partial"] },
	{ name: "SLAB_REST", function: "slab_alloc", args: ["slab", "free", "end", "nr_partial"] },
	{ name: "ALLOC_ALIEN", function: "slab_alloc_alien", args: ["slab", "index", "left"] },
	{ name: "ALLOC_ALIEN_SLOW", function: "slab_alloc_alien", args: ["reason", "want_node"] },
	{ name: "ALLOC_DIRECT", function: "slab_alloc_alien", args: ["slab", "index", "free"] },
	{ name: "QUEUE_PUSH", function: "slab_free", args: ["slab", "index", "held"] },
	{ name: "FREE_SHARED", function: "slab_free", args: ["objects", "held", "group"] },
	{ name: "FREE_ALIEN", function: "slab_free_alien", args: ["slab", "index", "held"] },
	{ name: "FREE_ALIEN_SLOW", function: "slab_free_alien", args: ["slab", "index", "held"] },
	{ name: "FREE_DIRECT", function: "slab_free_alien", args: ["slab", "index", "free"] },
	{ name: "QUEUE_DRAIN", function: "drain_queue", args: ["objects", "queue", "whose", "held"] },
	{ name: "BITMAP_PUT", function: "drain_objects", args: ["slab", "objects", "free", "total"] },
	{ name: "QUEUE_FLUSH", function: "flush_cpu_objects", args: ["objects", "queue", "whose", "max"] },
	{ name: "EXPIRE_LIST_SPARED", function: "kmem_cache_expire", args: ["nr_partial"] },
	{ name: "EXPIRE_QUEUE_SPARED", function: "kmem_cache_expire", args: ["queue", "whose", "held"] },
	{ name: "LIST_TRIM", function: "kmem_cache_expire", args: ["released", "nr_partial"] },
	{ name: "EXPIRED_BYTES", function: "kmem_cache_expire", args: ["bytes"] },
	{ name: "DIRECT_RECLAIM", function: "do_try_to_free_pages", args: [] },
	{ name: "KSWAPD_WAKE", function: "wakeup_kswapd", args: ["free", "low"] },
	{ name: "KSWAPD_RUN", function: "balance_pgdat", args: [] },
	{ name: "SET_REFUSED", function: "kmem_cache_resize", args: ["param", "value", "least", "most"] },
	{ name: "SLAB_CACHE_CREATE", function: "__kmem_cache_create", args: ["object_size", "size", "order", "objects", "management"] },
	{ name: "SLAB_ORDER_TRY", function: "calculate_slab_order", args: ["management", "order", "objects", "remainder", "outcome"] },
	{ name: "SLAB_TUNE", function: "do_tune_cpucache", args: ["limit", "batchcount", "shared", "colours"] },
	{ name: "SLAB_TUNE_IGNORED", function: "slabinfo_write", args: ["limit", "batchcount", "shared"] },
	{ name: "ALLOCHIT", function: "____cache_alloc", args: ["slab", "index", "left"] },
	{ name: "ALLOCMISS", function: "____cache_alloc", args: ["limit"] },
	{ name: "REFILL_WANT", function: "cache_alloc_refill", args: ["want", "batchcount", "reason"] },
	{ name: "NODE_EMPTY", function: "cache_alloc_refill", args: [] },
	{ name: "REFILL_SHARED", function: "transfer_objects", args: ["objects", "left"] },
	{ name: "REFILL_SLAB", function: "alloc_block", args: ["slab", "objects", "list", "active"] },
	{ name: "REFILL_NEW", function: "alloc_block", args: ["slab", "objects", "active"] },
	{ name: "ARRAY_POP", function: "cache_alloc_refill", args: ["slab", "index", "left"] },
	{ name: "SLAB_RELIST", function: "fixup_slab_list", args: ["slab", "active", "end", "list", "length"] },
	{ name: "GROW_COLOUR", function: "cache_grow_begin", args: ["colour", "colours", "offset"] },
	{ name: "GROWN", function: "cache_grow_begin", args: ["slab", "order", "objects", "pfn", "start"] },
	{ name: "NODE_WANTED", function: "slab_alloc_node", args: ["own_node"] },
	{ name: "NODEALLOCS", function: "____cache_alloc_node", args: ["slab", "index", "free_objects"] },
	{ name: "NODE_TAKE", function: "____cache_alloc_node", args: ["slab", "index"] },
	{ name: "FALLBACK_ZONE", function: "fallback_alloc", args: ["zone", "free_objects", "outcome"] },
	{ name: "FREEHIT", function: "___cache_free", args: ["slab", "index", "avail", "limit"] },
	{ name: "FREEMISS", function: "cache_flusharray", args: ["limit", "batchcount"] },
	{ name: "FLUSH_SHARED", function: "cache_flusharray", args: ["objects", "avail", "limit"] },
	{ name: "FLUSH_SLABS", function: "cache_flusharray", args: ["objects", "free_objects"] },
	{ name: "ARRAY_PUSH", function: "__free_one", args: ["slab", "index", "avail", "limit"] },
	{ name: "BLOCK_FREE", function: "free_block", args: ["slab", "index", "active"] },
	{ name: "NODEFREES", function: "__cache_free_alien", args: ["slab", "index", "home"] },
	{ name: "ACOVERFLOW", function: "__cache_free_alien", args: ["limit", "home"] },
	{ name: "ALIEN_TO_SHARED", function: "__drain_alien_cache", args: ["objects", "avail", "limit"] },
	{ name: "ALIEN_TO_SLABS", function: "__drain_alien_cache", args: ["objects", "free_objects"] },
	{ name: "ALIEN_PUSH", function: "__free_one", args: ["slab", "index", "home", "avail"] },
	{ name: "SLAB_OFF_LIST", function: "free_block", args: ["slab", "length"] },
	{ name: "SLAB_DESTROY", function: "slab_destroy", args: ["slab", "order", "pfn"] },
	{ name: "CLOCK", function: "", args: ["seconds", "now"] },
	{ name: "REAP_ALIEN", function: "reap_alien", args: ["home", "objects"] },
	{ name: "REAP_SPARE", function: "drain_array", args: ["list", "objects"] },
	{ name: "REAP_ARRAY", function: "drain_array", args: ["list", "objects", "avail", "limit"] },
	{ name: "REAP_SPARE_SLABS", function: "cache_reap", args: ["slabs"] },
	{ name: "REAP_SLABS", function: "drain_freelist", args: ["most", "slabs", "free_limit"] },
	{ name: "REAP_CURSOR", function: "next_reap_node", args: [] },
	{ name: "DRAIN_ARRAY", function: "drain_cpu_caches", args: ["list", "objects"] },
	{ name: "CACHE_WITHOUT_SLABS", function: "__kmem_cache_create", args: ["object_size", "size", "align"] },
	{ name: "LIST_CHOOSE", function: "slob_alloc", args: ["bytes", "units", "align", "list", "nr_pages"] },
	{ name: "NEXT_PAGE", function: "slob_alloc", args: ["slab", "free", "needed", "reason"] },
	{ name: "BLOCK_TOO_SMALL", function: "slob_page_alloc", args: ["slab", "index", "units", "needed", "delta"] },
	{ name: "BLOCK_FITS", function: "slob_page_alloc", args: ["slab", "index", "units", "needed", "delta"] },
	{ name: "BLOCK_SPLIT_HEAD", function: "slob_page_alloc", args: ["slab", "index", "units", "bytes"] },
	{ name: "BLOCK_SPLIT", function: "slob_page_alloc", args: ["slab", "index", "units", "left", "free"] },
	{ name: "BLOCK_EXACT", function: "slob_page_alloc", args: ["slab", "index", "units", "free"] },
	{ name: "HEADER_WRITE", function: "__do_kmalloc_node", args: ["slab", "offset", "bytes"] },
	{ name: "ROTATE", function: "slob_alloc", args: ["slab", "list", "before", "nr_pages"] },
	{ name: "PAGE_NEW", function: "slob_new_pages", args: ["slab", "bytes", "blocks", "pfn"] },
	{ name: "PAGE_TO_LIST_HEAD", function: "set_slob_page_free", args: ["slab", "list", "limit", "nr_pages", "reason"] },
	{ name: "PAGE_OFF_LIST", function: "clear_slob_page_free", args: ["slab", "list", "limit", "nr_pages", "reason"] },
	{ name: "PAGE_FREE", function: "slob_free_pages", args: ["slab", "pfn"] },
	{ name: "PAGE_UNFULL", function: "slob_free", args: ["slab", "index", "units"] },
	{ name: "BLOCK_PUT", function: "slob_free", args: ["slab", "index", "units", "free", "passed"] },
	{ name: "COALESCE_NEXT", function: "slob_free", args: ["slab", "index", "units"] },
	{ name: "COALESCE_PREVIOUS", function: "slob_free", args: ["slab", "index", "units"] },
	{ name: "CLASS_CHOOSE", function: "slob_alloc (2021 proposal)", args: ["bytes", "class", "waste", "nr_pages"] },
	{ name: "CLASS_POP", function: "slob_alloc (2021 proposal)", args: ["slab", "index", "left", "class"] },
	{ name: "CLASS_PUSH", function: "slob_free (2021 proposal)", args: ["slab", "index", "free", "class"] },
	{ name: "RUN_ALLOC", function: "slob_new_pages", args: ["slab", "order", "bytes", "pfn"] },
	{ name: "RUN_FREE", function: "slob_free_pages", args: ["slab", "order", "pfn"] },
	{ name: "SHEAF_REUSE", function: "__pcs_replace_empty_main", args: [] },
	{ name: "SHEAF_FROM_SLAB", function: "__refill_objects_node", args: ["slab", "objects", "left", "missing"] },
	{ name: "FLUSH_GROUP", function: "__slab_free", args: ["slab", "objects", "free", "left"] },
	{ name: "FREE_PAST_SHEAF", function: "slab_free", args: ["slab", "index", "reason"] },
	{ name: "BULK_FROM_SHEAF", function: "alloc_from_pcs_bulk", args: ["objects", "left", "missing"] },
	{ name: "BULK_FROM_SLABS", function: "kmem_cache_alloc_bulk", args: ["objects"] },
	{ name: "BULK_TAKEN", function: "", args: ["slab", "index", "left"] },
	{ name: "BULK_PUT", function: "", args: ["slab", "index", "objects"] },
	{ name: "BULK_TO_SHEAF", function: "free_to_pcs_bulk", args: ["objects", "main", "left"] },
	{ name: "BULK_TO_SLABS", function: "kmem_cache_free_bulk", args: ["objects"] },
	{ name: "FREE_RCU_SHEAF", function: "__kfree_rcu_sheaf", args: ["slab", "index", "objects"] },
	{ name: "FREE_RCU_SHEAF_FAIL", function: "__kfree_rcu_sheaf", args: ["slab", "index"] },
	{ name: "RCU_LATER", function: "kvfree_call_rcu", args: ["slab", "index", "reason", "objects"] },
	{ name: "RCU_SHEAF_WAITS", function: "call_rcu", args: ["objects", "of_cpu"] },
	{ name: "SHEAF_PREFILL_FAST", function: "kmem_cache_prefill_sheaf", args: ["objects"] },
	{ name: "SHEAF_PREFILL_SLOW", function: "kmem_cache_prefill_sheaf", args: ["full", "empty"] },
	{ name: "SHEAF_PREFILL_OVERSIZE", function: "kmem_cache_prefill_sheaf", args: ["objects", "capacity"] },
	{ name: "SHEAF_RETURN_FAST", function: "kmem_cache_return_sheaf", args: ["objects"] },
	{ name: "SHEAF_RETURN_SLOW", function: "kmem_cache_return_sheaf", args: ["objects", "full"] },
	{ name: "PREFILLED_TAKEN", function: "kmem_cache_alloc_from_sheaf", args: ["slab", "index", "left"] },
	{ name: "ALLOC_ANY_NODE", function: "___slab_alloc", args: ["want_node"] },
	{ name: "BULK_LIST", function: "do_slab_free", args: ["slab", "objects"] },
];

/** The allocators by the values of the parameter `allocator`, with the names that a page shows. */
export const ALLOCATORS = {
	"slub": "SLUB",
	"slab": "SLAB",
	"unified": "Unified (2010 proposal)",
	"slob": "SLOB",
	"slob-segregated": "SLOB, segregated (2021 proposal)",
} as const;

/** Keys of parameters, as `set` lines, the command line and the URL write them. */
export const PARAM_KEYS = [
	"cpus",
	"nodes",
	"page_size",
	"memory",
	"cpu_node",
	"zones",
	"distance",
	"llc_groups",
	"fail_order",
	"work",
	"allocator",
	"order_rule",
	"min_order",
	"max_order",
	"min_objects",
	"min_partial_rule",
	"min_partial",
	"node_search",
	"remote_node_defrag_ratio",
	"defrag_gate",
	"cpu_partial_lists",
	"cpu_partial",
	"cpu_partial_unit",
	"empty_on_free",
	"exhausted_slab",
	"deactivate_end",
	"deactivate_order",
	"deactivate_empty",
	"any_node_search",
	"min_partial_write",
	"kmalloc_cutoff",
	"free_pointer",
	"chain_slabs",
	"node_fallback",
	"interrupted_refill",
	"sheaf_capacity",
	"sheaf_caches",
	"merge",
	"freelist_random",
	"freelist_hardened",
	"slab_era",
	"slab_max_order",
	"colour",
	"limit",
	"batchcount",
	"shared_factor",
	"queue",
	"batch",
	"shared",
	"alien",
	"sanity_checks",
	"red_zone",
	"poison",
	"store_user",
	"cpu_slabs",
	"object_layout",
] as const;
export type ParamKey = (typeof PARAM_KEYS)[number];

/** The proposals whose experiments kmem_experiment_begin knows. */
export const SEEDS = [
	{
		id: "000",
		name: "min-partial",
		year: 2008,
		parameter: "min_partial_rule",
		title: "SLUB keeps more empty slabs for caches of larger objects",
		setup: "netio on 2 CPUs of one node, 10,000 socket buffers, 50 random seeds (10 of them in tables that the proposal does not have), SLAB and SLUB of 6.1. Real time: until the last CPU is done; sys time: cycles of both in the allocator",
	},
	{
		id: "001",
		name: "node-search",
		year: 2018,
		parameter: "node_search",
		title: "the search of other nodes skips a node where it has just failed",
		setup: "kernel-build of 96 files by 8 jobs on 8 CPUs, four rounds: one node with 4 GiB and 3 zones, four nodes with 8 GiB and 2, 2, 1 and 1; SLUB of 6.1; times are the allocator's alone",
	},
	{
		id: "002",
		name: "unified",
		year: 2010,
		parameter: "allocator=unified, slub or slab",
		title: "one allocator with SLAB's queues of objects and SLUB's slabs",
		setup: "tcp-rr on 64 CPUs of 4 nodes, SLUB and SLAB of 2.6.36: the cost of 23,040 more transactions, so without set-up and shutdown. Also on 8 CPUs of 4 nodes with SLUB and SLAB of 6.1, as in the guests of the real kernel",
	},
	{
		id: "003",
		name: "slob",
		year: 2021,
		parameter: "allocator=slob or slob-segregated",
		title: "SLOB keeps partial pages by power-of-two size class and searches nothing",
		setup: "boot for memory; hackbench of 4 groups with 100 messages of each sender to each receiver on 2 CPUs (the proposal: 10,000) and, as in the guests of the real kernel, on one. Time: until the last CPU is done; cpu-clock and cycles: of both CPUs; sys: of these in the allocator",
	},
	{
		id: "004",
		name: "order",
		year: 2023,
		parameter: "order_rule",
		title: "slabs of large pages have less tail waste",
		setup: "pages of 64 KiB, 160 and 16 CPUs: boot, then hackbench of 16 groups for memory; hackbench with 2 messages of each sender to each receiver for time",
	},
] as const;

/** Recordings that kmem_workload_begin makes, and their keys. */
export const WORKLOADS = [
	{
		name: "netio",
		meaning: "loopback TCP connections whose socket buffers are near the size of a page, as fio's netio job has them",
		keys: ["seed", "scale", "kernel", "connections", "buffers", "payload", "program_maps"],
	},
	{
		name: "kernel-build",
		meaning: "make with several jobs: compilers are started, look up many paths, map, and exit",
		keys: ["seed", "scale", "kernel", "jobs", "files"],
	},
	{
		name: "tcp-rr",
		meaning: "threads that send a small request over loopback TCP and wait for the response",
		keys: ["seed", "scale", "kernel", "threads", "transactions"],
	},
	{
		name: "hackbench",
		meaning: "groups of senders and receivers that pass small messages through Unix sockets",
		keys: ["seed", "scale", "kernel", "groups", "fds", "loops", "slice", "after_boot"],
	},
	{
		name: "boot",
		meaning: "caches grow while a machine boots, and little of that is freed",
		keys: ["seed", "scale", "kernel"],
	},
] as const;

/** The functions of kmem.h. Pointers and u32 arrive as signed numbers: `>>> 0` before use. */
export interface KmemFunctions {
	kmem_open(base: number, size: bigint): number;
	kmem_error(s: number): number;
	kmem_fault(s: number): number;
	kmem_abi_hash(): number;
	kmem_import_begin(s: number): number;
	kmem_import_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_import_end(s: number): number;
	kmem_import_by_range(s: number, fileBytes: bigint): number;
	kmem_import_range(s: number): number;
	kmem_import_dry(s: number): number;
	kmem_report(s: number): number;
	kmem_import_columns(s: number, mapping: number): number;
	kmem_columns(s: number): number;
	kmem_unpack_open(base: number, size: bigint): number;
	kmem_unpack_input(u: number, roomBytes: number): number;
	kmem_unpack_run(u: number, lenBytes: number, isLast: number): number;
	kmem_unpack_output(u: number): number;
	kmem_unpack_left(u: number): number;
	kmem_unpack_error(u: number): number;
	kmem_workload_begin(s: number, name: number, settings: number): number;
	kmem_workload_run(s: number, maxOps: number): number;
	kmem_workloads_json(s: number): number;
	kmem_export(s: number, format: number, at: number, buf: number, lenBytes: number): number;
	kmem_fork(s: number, n: number, lines: number, lenBytes: number): number;
	kmem_fork_leave(s: number): number;
	kmem_fork_objects(s: number, max: number, nr: number): number;
	kmem_set(s: number, key: number, value: number): number;
	kmem_preset(s: number, name: number): number;
	kmem_set_spec(s: number, spec: number): number;
	kmem_check_settings(s: number): number;
	kmem_param(s: number, key: number): number;
	kmem_params_json(s: number): number;
	kmem_param_names_json(s: number): number;
	kmem_has_request(s: number, kind: number): number;
	kmem_machine_text(s: number): number;
	kmem_kernel(s: number): number;
	kmem_machine_state_begin(s: number): number;
	kmem_machine_state_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_machine_state_end(s: number): number;
	kmem_machine_state_use(s: number, on: number): void;
	kmem_cache_params_text(s: number): number;
	kmem_machine_state_rows(s: number, nr: number): number;
	kmem_build(s: number, budgetBytes: bigint): number;
	kmem_build_begin(s: number, budgetBytes: bigint): number;
	kmem_build_run(s: number, maxOps: number): bigint;
	kmem_nr_ops(s: number): number;
	kmem_position(s: number): number;
	kmem_seek(s: number, n: number): number;
	kmem_run(s: number, n: number, record: number): number;
	kmem_next(s: number, granularity: number, cache: number): number;
	kmem_previous(s: number, granularity: number, cache: number): number;
	kmem_state_bytes(s: number): bigint;
	kmem_hash(s: number): bigint;
	kmem_check(s: number): number;
	kmem_steps(s: number, op: number): number;
	kmem_step_rows(s: number): number;
	kmem_step_sentence(s: number, step: number): number;
	kmem_op(s: number, op: number): number;
	kmem_op_sentence(s: number, op: number): number;
	kmem_call_site(s: number, i: number): number;
	kmem_next_call(s: number, callSite: number, op: number, direction: number): number;
	kmem_view(s: number, cache: number): number;
	kmem_peek(s: number, op: number, k: number, cache: number): number;
	kmem_cache_rows(s: number, nr: number): number;
	kmem_zone_rows(s: number, nr: number): number;
	kmem_cpu_rows(s: number, nr: number): number;
	kmem_lock_rows(s: number, nr: number): number;
	kmem_totals(s: number): number;
	kmem_has_counter(s: number, counter: number): number;
	kmem_series(s: number, metric: number): number;
	kmem_cache_series_begin(s: number, cache: number): number;
	kmem_cache_series_run(s: number, maxOps: number): bigint;
	kmem_cache_series(s: number, metric: number): number;
	kmem_nr_cpus(s: number): number;
	kmem_nr_nodes(s: number): number;
	kmem_node_of_cpu(s: number, cpu: number): number;
	kmem_object(s: number, cache: number, slab: number, index: number): number;
	kmem_object_bytes(s: number, cache: number, slab: number, index: number, nr: number): number;
	kmem_reports(s: number, nr: number, all: number): number;
	kmem_report_text(s: number, bug: number): number;
	kmem_attributes(s: number, cache: number, nr: number): number;
	kmem_slabinfo(s: number, nr: number): number;
	kmem_slabinfo_text(s: number): number;
	kmem_order(s: number, size: number): number;
	kmem_order_tries(s: number, nr: number): number;
	kmem_index_begin(s: number, budgetBytes: bigint): number;
	kmem_index_run(s: number, maxOps: number): bigint;
	kmem_index_bytes(s: number): bigint;
	kmem_life(s: number, cache: number, slab: number, index: number): number;
	kmem_life_rows(s: number, cache: number, slab: number, index: number, from: number, direction: number, max: number, nr: number): number;
	kmem_lifetime(s: number, op: number): number;
	kmem_alloc_at(s: number, cache: number, slab: number, index: number, op: number): number;
	kmem_stairs(s: number, cache: number, nr: number): number;
	kmem_path(s: number, op: number): number;
	kmem_next_objects(s: number, cache: number, cpu: number, nr: number): number;
	kmem_chapters(s: number, nr: number): number;
	kmem_why_about(s: number, about: number, cache: number, kind: number, cpu: number, node: number, which: number): number;
	kmem_move(s: number, cache: number, slab: number, index: number, op: number): number;
	kmem_find_begin(s: number, conditions: number, nr: number, op: number, step: number, direction: number): number;
	kmem_find_run(s: number, maxOps: number): bigint;
	kmem_found(s: number): number;
	kmem_kernel_counters(s: number, nr: number): number;
	kmem_kernel_counters_why(s: number, row: number, i: number): number;
	kmem_shape(s: number): number;
	kmem_measure_begin(s: number): number;
	kmem_measure_run(s: number, maxOps: number): bigint;
	kmem_measured(s: number, nr: number): number;
	kmem_has_measure(s: number, measured: number): number;
	kmem_fingerprints(s: number, op: number, n: number, nr: number): number;
	kmem_experiment_begin(s: number, proposal: number, scale: number): number;
	kmem_experiment_run(s: number, maxOps: number): number;
	kmem_experiment(s: number): number;
	kmem_import_keep(s: number, what: number): number;
	kmem_kept(s: number): number;
	kmem_pointer(s: number, op: number): bigint;
	kmem_task(s: number, op: number): number;
	kmem_filter_begin(s: number): number;
	kmem_filter_add(s: number, key: number, value: number): number;
	kmem_filter_run(s: number, maxOps: number): bigint;
	kmem_filter_end(s: number): void;
	kmem_filter(s: number): number;
	kmem_filter_next(s: number, op: number, direction: number, cache: number): number;
	kmem_filter_objects(s: number, cache: number, nr: number): number;
	kmem_filter_bits(s: number, op: number, nr: number): number;
	kmem_symbols_begin(s: number): number;
	kmem_symbols_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_symbols_end(s: number): bigint;
	kmem_order_machine(s: number, rule: number, against: number, pageBytes: number, nrCpus: number, nr: number): number;
	kmem_order_machine_totals(s: number): number;
	kmem_warm_use(s: number, on: number): void;
	kmem_infer_use(s: number, on: number): void;
	kmem_warm(s: number): number;
	kmem_warm_text(s: number): number;
	kmem_state_begin(s: number, which: number): number;
	kmem_state_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_state_end(s: number): number;
	kmem_start_use(s: number, on: number): number;
	kmem_check_begin(s: number, inferOrder: number): number;
	kmem_check_run(s: number, events: number): number;
	kmem_check_json(s: number, parts: number): number;
	kmem_check_divergence_json(s: number, from: number): number;
	kmem_machine_state_is_before(s: number, on: number): number;
	kmem_growth(s: number, nr: number): number;
	kmem_machine_aliases(s: number, cache: number): number;
	kmem_memory(s: number, cache: number, nr: number): number;
	kmem_memory_sentences(s: number): number;
	kmem_matrix_begin(s: number, cache: number): number;
	kmem_matrix_run(s: number, maxOps: number): bigint;
	kmem_matrix(s: number, by: number): number;
	kmem_tracks_begin(s: number, cache: number, nrCaches: number, every: number): number;
	kmem_tracks_run(s: number, maxOps: number): bigint;
	kmem_tracks_bytes(s: number, nr: number): number;
	kmem_lookup(s: number, text: number, lenBytes: number): number;
	kmem_find_pointer(s: number, pointer: bigint, op: number, direction: number): number;
	kmem_sites_begin(s: number, by: number, cache: number, cpu: number, node: number, task: number): number;
	kmem_sites_run(s: number, maxOps: number): bigint;
	kmem_sites(s: number): number;
	kmem_sites_why(s: number, cache: number): number;
	kmem_pprof_begin(s: number): number;
	kmem_pprof_next(s: number, nr: number): number;
	kmem_doctor_begin(s: number): number;
	kmem_doctor_changes(s: number, nr: number): number;
	kmem_doctor_result(s: number, change: number, values: number): number;
	kmem_doctor_best(s: number, max: number, nr: number): number;
	kmem_doctor_base(s: number): number;
}
