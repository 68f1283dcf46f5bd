// abi.ts - what crosses between C and TypeScript. Printed by core/gen/abi.c from abi.def, steps.def and
// params.def: do not edit, run `node wasm/build.mjs`.

/** Hash of the names and offsets below; the module reports its own (kmem_abi_hash). */
export const ABI_HASH = 0x70532008;

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
	"allocations on the fast path",
	"allocations that left the fast path",
	"frees on the fast path",
	"frees that left the fast path",
	"slow frees to a frozen slab",
	"slabs put on a node partial list by a free",
	"empty slabs taken off a node partial list by a free",
	"slabs taken from a node partial list",
	"slabs made from fresh pages",
	"cpu freelists refilled from the slab freelist",
	"cpu slabs deactivated because the request named another node",
	"slabs discarded",
	"cpu slabs flushed",
	"cpu slabs that were full when deactivated",
	"empty slabs discarded when deactivated",
	"cpu slabs put at the head of a node partial list",
	"cpu slabs put at the tail of a node partial list",
	"deactivated slabs with objects freed by other CPUs",
	"cpu slabs deactivated with no free objects",
	"slabs built at the smaller order",
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
	"queues emptied to be resized",
	"pages taken from the page allocator",
	"pages put at the head of a list",
	"pages taken off a list",
	"pages passed over in a search",
	"lists rotated so that the next search starts where this one ended",
	"pages freed to the page allocator",
	"allocations from the CPU's sheaf",
	"frees into the CPU's sheaf",
	"objects flushed from sheaves to slabs",
	"objects moved from slabs into sheaves",
	"empty sheaves made",
	"sheaves freed",
	"main and spare sheaf swapped",
	"sheaves taken from the node's barn",
	"times the barn had no full sheaf",
	"sheaves put into the node's barn",
	"times the barn had no room for a sheaf",
	"objects that kfree_rcu() put into a sheaf",
	"objects that kfree_rcu() could not put into a sheaf",
	"prefilled sheaves taken from the spare",
	"prefilled sheaves from the barn, or new",
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
	/** kvfree_rcu_barrier: RCU sheaves are handed over, and a grace period ends */ OP_BARRIER: 19,
} as const;
export type OpKind = (typeof OpKind)[keyof typeof OpKind];
export const OP_KIND_NAMES = ["OP_NOTHING", "OP_ALLOC", "OP_KMALLOC", "OP_FREE", "OP_FLUSH", "OP_SHRINK", "OP_TICK", "OP_REAP", "OP_EXPIRE", "OP_SET", "OP_CORRUPT", "OP_VALIDATE", "OP_BULK_ALLOC", "OP_BULK_FREE", "OP_GRACE", "OP_CPU_DEAD", "OP_PREFILL", "OP_REFILL", "OP_RETURN", "OP_BARRIER"] as const;

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
	"sheaf waiting for a grace period",
];

/** Levels of places, from fast and near to slow and far; tables/steps/levels.def has the order of each allocator's. */
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
	LEVEL_PAGE_LISTS: 16,
	LEVEL_FULL_PAGES: 17,
	LEVEL_FULL_SLABS: 18,
} as const;
export type Level = (typeof Level)[keyof typeof Level];
export const LEVEL_NAMES = ["LEVEL_PAGES", "LEVEL_CPU_FREELIST", "LEVEL_CPU_PARTIAL", "LEVEL_OWN_NODE", "LEVEL_OTHER_NODES", "LEVEL_CPU_ARRAY", "LEVEL_SHARED_ARRAY", "LEVEL_ALIEN_ARRAYS", "LEVEL_NODE_LISTS", "LEVEL_CPU_QUEUE", "LEVEL_SHARED_QUEUE", "LEVEL_ALIEN_QUEUES", "LEVEL_PARTIAL_LISTS", "LEVEL_SHEAF_MAIN", "LEVEL_SHEAF_SPARE", "LEVEL_BARN", "LEVEL_PAGE_LISTS", "LEVEL_FULL_PAGES", "LEVEL_FULL_SLABS"] as const;
export const LEVEL_WORDS: readonly string[] = [
	"page allocator",
	"cpu freelist",
	"per-CPU partial list",
	"own node's partial list",
	"other nodes",
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
	"pages with room",
	"full pages",
	"full slabs",
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
	"the array cache has been used since it was last reaped",
	"the array cache has not been used since it was last reaped, so 16 objects are enough",
	"the batch is small",
	"this allocator releases nothing when memory is short",
	"corruption is not modelled for this allocator",
	"the object is not in a slab",
	"debugging is off for this cache: nothing to check",
	"it started before the events in between, found nothing, and was waiting for pages",
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
	ROLE_NR: 12,
} as const;
export type Role = (typeof Role)[keyof typeof Role];
export const ROLE_NAMES = ["ROLE_NONE", "ROLE_TIME", "ROLE_CPU", "ROLE_EVENT", "ROLE_PTR", "ROLE_REQ", "ROLE_ALLOC", "ROLE_NODE", "ROLE_NAME", "ROLE_GFP", "ROLE_SITE", "ROLE_ACCOUNTED", "ROLE_NR"] as const;
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
	"how many objects an announced bulk request has",
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
	"is skipped",
	"goes ahead",
	"skipped, since it has just failed",
	"too few to spare any",
	"no usable slab there",
	"a slab was found",
	"the slab is kept",
	"the slab is discarded",
	"there is room",
	"it is drained to the nodes",
	"one more slab is taken",
	"that is enough",
	"to the head",
	"to the tail",
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
	"Partial slabs on the node, which must exceed min_partial",
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
	/** it has not been used for a while */ TOUCHED_NO: 0,
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
	/** bytes in slabs but not requested */ METRIC_WASTE_BYTES: 4,
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

/** Start of a replay. */
export const StartFrom = {
	START_BEGINNING: 0,
	START_EMPTY: 1,
	START_POINTERS: 2,
	START_SNAPSHOT: 3,
	START_KERNEL_STATE: 4,
} as const;
export type StartFrom = (typeof StartFrom)[keyof typeof StartFrom];
export const START_FROM_NAMES = ["START_BEGINNING", "START_EMPTY", "START_POINTERS", "START_SNAPSHOT", "START_KERNEL_STATE"] as const;
export const START_FROM_WORDS: readonly string[] = [
	"empty, as the trace contains its own beginning",
	"empty, although the trace does not say that the machine was",
	"pointers: slabs that the trace's pointers suggest",
	"slabinfo: slabs that a snapshot of the machine counted",
	"kernel state: the kernel's own slabs, freelists and lists",
];

/** Limit of what a build starts from. */
export const StartLimit = {
	/** everything */ LIMIT_NONE: 0,
	/** a file of the machine, without the trace's pointers */ LIMIT_COUNTS: 1,
	/** nothing */ LIMIT_EMPTY: 2,
} as const;
export type StartLimit = (typeof StartLimit)[keyof typeof StartLimit];
export const START_LIMIT_NAMES = ["LIMIT_NONE", "LIMIT_COUNTS", "LIMIT_EMPTY"] as const;

/** Origin of a memory figure. */
export const From = {
	FROM_MEASURED: 0,
	FROM_MACHINE: 1,
	FROM_KNOWN_START: 2,
	FROM_GUESS: 3,
} as const;
export type From = (typeof From)[keyof typeof From];
export const FROM_NAMES = ["FROM_MEASURED", "FROM_MACHINE", "FROM_KNOWN_START", "FROM_GUESS"] as const;
export const FROM_WORDS: readonly string[] = [
	"measured",
	"machine",
	"known start",
	"guess",
];

/** Why the slabs of the machine and of the model changed by different numbers. */
export const GrowthWhy = {
	/** they did not, or by at most two slabs */ GROWTH_AGREES: 0,
	/** one of the machine's two states lacks the cache */ GROWTH_NO_CACHE: 1,
	/** no event of the trace is of this cache */ GROWTH_NO_EVENT: 2,
	/** the model serves its objects from another cache */ GROWTH_OTHER_CACHE: 3,
	/** the trace leaves more objects than the machine has */ GROWTH_UNSEEN_FREES: 4,
	/** machine and model started with different numbers of slabs */ GROWTH_OTHER_START: 5,
	/** the trace leaves fewer objects than the machine has */ GROWTH_UNSEEN_ALLOCS: 6,
	/** the events explain the objects, but not in which slabs they are */ GROWTH_OTHER_SLABS: 7,
} as const;
export type GrowthWhy = (typeof GrowthWhy)[keyof typeof GrowthWhy];
export const GROWTH_WHY_NAMES = ["GROWTH_AGREES", "GROWTH_NO_CACHE", "GROWTH_NO_EVENT", "GROWTH_OTHER_CACHE", "GROWTH_UNSEEN_FREES", "GROWTH_OTHER_START", "GROWTH_UNSEEN_ALLOCS", "GROWTH_OTHER_SLABS"] as const;

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
	/** These are bytes of the object itself, where no check looks */ EFFECT_OWN: 2,
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

/** Deeds of a step at its level. */
export const Verb = {
	/** compares, announces or sums up */ VERB_NOTES: 0,
	/** asks */ VERB_ASKS: 1,
	/** asks and gets nothing */ VERB_IN_VAIN: 2,
	/** gives an object, a slab or pages */ VERB_GIVES: 3,
	/** moves a slab or a sheaf */ VERB_MOVES: 4,
	/** takes back an object or pages */ VERB_RETURNS: 5,
} as const;
export type Verb = (typeof Verb)[keyof typeof Verb];
export const VERB_NAMES = ["VERB_NOTES", "VERB_ASKS", "VERB_IN_VAIN", "VERB_GIVES", "VERB_MOVES", "VERB_RETURNS"] as const;

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
	"remote free",
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
	"bytes in slabs but not requested, at the end",
	"of these, internal fragmentation of live objects: slot minus request",
	"of these, tail waste",
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
	"clock of the CPU that is furthest ahead",
	"model cycles of the costliest event",
	"locks taken",
	"of these, with waiting",
	"page allocator calls that took or returned pages, for slabs and large kmalloc",
	"events that left a fast path",
	"SLUB: searches of other nodes (2018 proposal: get_partial_count)",
	"SLUB: zones that these looked at (2018 proposal: get_partial_try_count)",
	"SLOB: allocations from shared pages",
	"SLOB: pages looked at for them",
	"SLOB: free blocks looked at in those pages",
	"SLOB: most pages looked at by one allocation",
	"SLOB: most free blocks looked at by one allocation",
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
	/** the trace names the kernel on which it was recorded, or it or the machine's file shows its version: the nearest preset */ KERNEL_BY_RECORDING: 1,
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
	"internal fragmentation",
	"tail waste",
	"free objects",
	"empty slabs kept",
	"held by callers for later",
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

/** Which events of two traces belong together. */
export const Align = {
	/** those at the same time since the first one */ ALIGN_TIME: 0,
	/** those of the same number */ ALIGN_EVENT: 1,
	/** those at the same share of the run */ ALIGN_SHARE: 2,
} as const;
export type Align = (typeof Align)[keyof typeof Align];
export const ALIGN_NAMES = ["ALIGN_TIME", "ALIGN_EVENT", "ALIGN_SHARE"] as const;

/** The parts of a trace's numbers, for a comparison. */
export const SidePart = {
	/** all numbers but call sites, at the position */ SIDE_VALUES: 0,
	/** the rows of these numbers, at the end */ SIDE_ROWS: 1,
	/** call sites of the whole trace */ SIDE_SITES: 2,
} as const;
export type SidePart = (typeof SidePart)[keyof typeof SidePart];
export const SIDE_PART_NAMES = ["SIDE_VALUES", "SIDE_ROWS", "SIDE_SITES"] as const;

/** Tables of two traces side by side. */
export const Compared = {
	/** caches */ COMPARED_CACHES: 0,
	/** call sites */ COMPARED_SITES: 1,
	/** bytes in slabs */ COMPARED_WASTE: 2,
	/** totals */ COMPARED_TOTALS: 3,
	/** counters */ COMPARED_COUNTERS: 4,
	/** all caches */ COMPARED_CURVES: 5,
} as const;
export type Compared = (typeof Compared)[keyof typeof Compared];
export const COMPARED_NAMES = ["COMPARED_CACHES", "COMPARED_SITES", "COMPARED_WASTE", "COMPARED_TOTALS", "COMPARED_COUNTERS", "COMPARED_CURVES"] as const;

/** Numbers of a row of two traces side by side. */
export const Amount = {
	/** bytes in slabs */ AMOUNT_SLAB_BYTES: 0,
	/** bytes requested in live objects */ AMOUNT_REQUESTED_BYTES: 1,
	/** unrequested bytes in slabs */ AMOUNT_WASTE_BYTES: 2,
	/** live objects */ AMOUNT_LIVE_OBJECTS: 3,
	/** slabs */ AMOUNT_SLABS: 4,
	/** model cycles */ AMOUNT_CYCLES: 5,
	/** bytes of live objects */ AMOUNT_LIVE_BYTES: 6,
	/** allocations */ AMOUNT_ALLOCATIONS: 7,
	/** bytes requested */ AMOUNT_BYTES_REQUESTED: 8,
	/** bytes of their slots */ AMOUNT_BYTES_ALLOCATED: 9,
	/** bytes */ AMOUNT_BYTES: 10,
	/** a number */ AMOUNT_VALUE: 11,
	/** partial slabs */ AMOUNT_PARTIAL: 12,
} as const;
export type Amount = (typeof Amount)[keyof typeof Amount];
export const AMOUNT_NAMES = ["AMOUNT_SLAB_BYTES", "AMOUNT_REQUESTED_BYTES", "AMOUNT_WASTE_BYTES", "AMOUNT_LIVE_OBJECTS", "AMOUNT_SLABS", "AMOUNT_CYCLES", "AMOUNT_LIVE_BYTES", "AMOUNT_ALLOCATIONS", "AMOUNT_BYTES_REQUESTED", "AMOUNT_BYTES_ALLOCATED", "AMOUNT_BYTES", "AMOUNT_VALUE", "AMOUNT_PARTIAL"] as const;

/** How a row changed from one trace to the other. */
export const Changed = {
	/** appeared */ CHANGED_APPEARED: 0,
	/** vanished */ CHANGED_VANISHED: 1,
	/** grew */ CHANGED_GREW: 2,
	/** shrank */ CHANGED_SHRANK: 3,
	/** same */ CHANGED_SAME: 4,
} as const;
export type Changed = (typeof Changed)[keyof typeof Changed];
export const CHANGED_NAMES = ["CHANGED_APPEARED", "CHANGED_VANISHED", "CHANGED_GREW", "CHANGED_SHRANK", "CHANGED_SAME"] as const;

/** Long work, for kmem_begin. */
export const Job = {
	/** the machine and a replay of the whole trace */ JOB_BUILD: 0,
	/** a generated trace */ JOB_WORKLOAD: 1,
	/** a replay for its totals alone */ JOB_MEASURE: 2,
	/** the index of what each event touched */ JOB_INDEX: 3,
	/** a search */ JOB_FIND: 4,
	/** a choice of events */ JOB_FILTER: 5,
	/** the curves of one cache */ JOB_CACHE_SERIES: 6,
	/** frees by where the objects were allocated */ JOB_MATRIX: 7,
	/** counter tracks for Perfetto */ JOB_TRACKS: 8,
	/** call sites */ JOB_SITES: 9,
	/** the model against a recorded kernel */ JOB_CHECK: 10,
	/** the experiment of a proposal */ JOB_EXPERIMENT: 11,
} as const;
export type Job = (typeof Job)[keyof typeof Job];
export const JOB_NAMES = ["JOB_BUILD", "JOB_WORKLOAD", "JOB_MEASURE", "JOB_INDEX", "JOB_FIND", "JOB_FILTER", "JOB_CACHE_SERIES", "JOB_MATRIX", "JOB_TRACKS", "JOB_SITES", "JOB_CHECK", "JOB_EXPERIMENT"] as const;

/** One decision. */
export type Step = ReturnType<typeof readStep>;
export const STEP_SIZE = 32;
export function readStep(view: DataView, at: number) {
	return {
		/** event it belongs to, from 0 */
		op: view.getUint32(at + 0, true),
		/** enum kmem_step_kind, steps.def */
		kind: view.getUint16(at + 4, true),
		/** virtual CPU */
		cpu: view.getUint16(at + 6, true),
		/** cache id, KMEM_NONE if none */
		cache: view.getUint16(at + 8, true),
		/** node the step is about, KMEM_NONE if none */
		node: view.getUint16(at + 10, true),
		/** as steps.def names them */
		args: [view.getUint32(at + 12, true), view.getUint32(at + 16, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 28, true)] as readonly number[],
	} as const;
}

/** One event, for a person. */
export type OpRow = ReturnType<typeof readOpRow>;
export const OP_ROW_SIZE = 48;
export function readOpRow(view: DataView, at: number) {
	return {
		/** nanoseconds, or ticks of the trace's clock */
		time: u64(view, at + 0),
		/** its number, from 0 */
		op: view.getUint32(at + 8, true),
		/** dense number of the object */
		handle: view.getUint32(at + 12, true),
		/** bytes requested */
		bytes: view.getUint32(at + 16, true),
		/** call site, NUL-terminated text, 0 if unknown */
		siteAt: view.getUint32(at + 20, true),
		/** tracepoint or slabtrace word, NUL-terminated text */
		nameAt: view.getUint32(at + 24, true),
		/** enum kmem_op_kind */
		kind: view.getUint16(at + 28, true),
		/** CPU it ran on */
		cpu: view.getUint16(at + 30, true),
		/** cache id, KMEM_NONE if none */
		cache: view.getUint16(at + 32, true),
		/** node asked for, KMEM_NONE for any */
		node: view.getUint16(at + 34, true),
		/** where the object is or was: serial number of the slab in its cache, KMEM_NONE32 if nowhere */
		slab: view.getUint32(at + 36, true),
		/** and its number in the slab; where objects have no number, the unit at which it starts */
		index: view.getUint32(at + 40, true),
	} as const;
}

/** A place where slabs, or objects taken from slabs, are. */
export type Place = ReturnType<typeof readPlace>;
export const PLACE_SIZE = 44;
export function readPlace(view: DataView, at: number) {
	return {
		/** enum kmem_place_kind */
		kind: view.getUint16(at + 0, true),
		/** cache id */
		cache: view.getUint16(at + 2, true),
		/** CPU it belongs to, KMEM_NONE if none */
		cpu: view.getUint16(at + 4, true),
		/** node it belongs to, KMEM_NONE if none */
		node: view.getUint16(at + 6, true),
		/** slabs here */
		nrSlabs: view.getUint32(at + 8, true),
		/** index of its first row in slabs; rows are in list order, head first */
		firstSlab: view.getUint32(at + 12, true),
		/** most slabs or objects here, 0 without a limit */
		limit: view.getUint32(at + 16, true),
		/** free objects in the slabs here */
		freeObjects: view.getUint32(at + 20, true),
		/** objects that are here one by one rather than in a slab */
		nrEntries: view.getUint32(at + 24, true),
		/** index of the first of them in entries: oldest first, so the last is taken next */
		firstEntry: view.getUint32(at + 28, true),
		/** of a list or class by size: the largest request it serves, 0 elsewhere */
		bytes: view.getUint32(at + 32, true),
		/** sheaves here, 0 in a place of another kind */
		sheaves: view.getUint32(at + 36, true),
		/** of an alien place: the node whose objects it holds; of a shared one: its group of CPUs; KMEM_NONE elsewhere */
		target: view.getUint16(at + 40, true),
		/** 1 if used since the last reaping or expiry */
		touched: view.getUint16(at + 42, true),
	} as const;
}

/** One slab. */
export type SlabRow = ReturnType<typeof readSlabRow>;
export const SLAB_ROW_SIZE = 56;
export function readSlabRow(view: DataView, at: number) {
	return {
		/** of its first byte */
		address: u64(view, at + 0),
		/** number in its cache, 0 = first made; with cache the key of the slab */
		serial: view.getUint32(at + 8, true),
		/** index of its place in places */
		place: view.getUint32(at + 12, true),
		/** in the place, 0 = head */
		position: view.getUint32(at + 16, true),
		/** index of its first cell */
		firstCell: view.getUint32(at + 20, true),
		/** cache id */
		cache: view.getUint16(at + 24, true),
		/** node its memory is on */
		node: view.getUint16(at + 26, true),
		/** cells it has */
		objects: view.getUint16(at + 28, true),
		/** as the kernel counts: objects on a CPU's freelist are in use */
		inuse: view.getUint16(at + 30, true),
		/** objects on the slab freelist */
		freeOnSlab: view.getUint16(at + 32, true),
		/** objects on the owner's freelist */
		freeOnCpu: view.getUint16(at + 34, true),
		/** CPU that holds it, KMEM_NONE if none */
		ownerCpu: view.getUint16(at + 36, true),
		/** 2^order pages */
		order: view.getUint8(at + 38),
		/** 1 while a CPU holds it */
		frozen: view.getUint8(at + 39),
		/** bytes before its first object: the colour of the slab */
		start: view.getUint32(at + 40, true),
		/** where its cells differ in size: index of the first cell's extent, KMEM_NONE32 if all are alike */
		firstExtent: view.getUint32(at + 44, true),
		/** allocated objects that the machine had before the trace, after a warm start: no event is theirs */
		inferred: view.getUint32(at + 48, true),
	} as const;
}

/** An object in an array, a queue or a sheaf. */
export type Entry = ReturnType<typeof readEntry>;
export const ENTRY_SIZE = 12;
export function readEntry(view: DataView, at: number) {
	return {
		/** serial number of its slab */
		slab: view.getUint32(at + 0, true),
		/** its place in the slab */
		index: view.getUint16(at + 4, true),
		/** cache id of the slab */
		cache: view.getUint16(at + 6, true),
		/** which sheaf of its place has it, 0 = the one taken next; 0 in an array or queue */
		sheaf: view.getUint16(at + 8, true),
	} as const;
}

/** Where a cell of its own size is in its slab. */
export type Extent = ReturnType<typeof readExtent>;
export const EXTENT_SIZE = 8;
export function readExtent(view: DataView, at: number) {
	return {
		/** bytes from the start of the slab */
		offset: view.getUint32(at + 0, true),
		/** its size */
		bytes: view.getUint32(at + 4, true),
	} as const;
}

/** The world as rows. */
export type Frame = ReturnType<typeof readFrame>;
export const FRAME_SIZE = 56;
export function readFrame(view: DataView, at: number) {
	return {
		/** events done */
		op: view.getUint32(at + 0, true),
		/** steps done of the event in progress, 0 between events */
		step: view.getUint32(at + 4, true),
		/** struct kmem_place[nr_places] */
		placesAt: view.getUint32(at + 8, true),
		/** rows */
		nrPlaces: view.getUint32(at + 12, true),
		/** struct kmem_slab_row[nr_slabs] */
		slabsAt: view.getUint32(at + 16, true),
		/** rows */
		nrSlabs: view.getUint32(at + 20, true),
		/** u8[nr_cells], enum kmem_cell */
		cellsAt: view.getUint32(at + 24, true),
		/** bytes */
		nrCells: view.getUint32(at + 28, true),
		/** struct kmem_entry[nr_entries] */
		entriesAt: view.getUint32(at + 32, true),
		/** rows */
		nrEntries: view.getUint32(at + 36, true),
		/** struct kmem_extent[nr_extents] */
		extentsAt: view.getUint32(at + 40, true),
		/** rows */
		nrExtents: view.getUint32(at + 44, true),
		/** as in kmem_totals, but counted up to this step */
		anyNodeEntered: view.getUint32(at + 48, true),
		/** as in kmem_totals, but counted up to this step */
		anyNodeZones: view.getUint32(at + 52, true),
	} as const;
}

/** One cache: slabinfo and more. */
export type CacheRow = ReturnType<typeof readCacheRow>;
export const CACHE_ROW_SIZE = 400;
export function readCacheRow(view: DataView, at: number) {
	return {
		/** bytes asked for in its live objects */
		requestedBytes: u64(view, at + 0),
		/** bytes in its slabs */
		slabBytes: u64(view, at + 8),
		/** slots of objects in use before the trace, which no event has freed */
		inUseBeforeBytes: u64(view, at + 16),
		/** model cycles spent on its events, waiting included */
		cycles: u64(view, at + 24),
		/** of these, waiting for locks */
		lockWaitCycles: u64(view, at + 32),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 40, true),
		/** cache id */
		cache: view.getUint16(at + 44, true),
		/** preferred order */
		order: view.getUint16(at + 46, true),
		/** bytes of the object */
		objectSize: view.getUint32(at + 48, true),
		/** bytes of the slot */
		size: view.getUint32(at + 52, true),
		/** bytes */
		align: view.getUint32(at + 56, true),
		/** in a slab of the preferred order */
		objectsPerSlab: view.getUint32(at + 60, true),
		/** of the free pointer in a free object */
		offset: view.getUint32(at + 64, true),
		/** slabs now */
		slabs: view.getUint32(at + 68, true),
		/** most slabs so far */
		slabsPeak: view.getUint32(at + 72, true),
		/** active objects as slabinfo counts: total minus free on node lists */
		objects: view.getUint32(at + 76, true),
		/** objects in all slabs */
		totalObjects: view.getUint32(at + 80, true),
		/** allocated objects */
		liveObjects: view.getUint32(at + 84, true),
		/** slabs on node partial lists */
		partial: view.getUint32(at + 88, true),
		/** cpu slabs and slabs on per-CPU partial lists */
		cpuSlabs: view.getUint32(at + 92, true),
		/** threshold */
		minPartial: view.getUint32(at + 96, true),
		/** objects that the per-CPU partial list should hold */
		cpuPartial: view.getUint32(at + 100, true),
		/** slabs that the per-CPU partial list may hold */
		cpuPartialSlabs: view.getUint32(at + 104, true),
		/** as slabinfo counts them */
		activeSlabs: view.getUint32(at + 108, true),
		/** slabinfo's tunables: objects that a CPU's array or queue may hold, 0 where there is none */
		limit: view.getUint32(at + 112, true),
		/** objects moved at a time */
		batchcount: view.getUint32(at + 116, true),
		/** the shared array in batches */
		sharedfactor: view.getUint32(at + 120, true),
		/** objects in shared arrays */
		sharedavail: view.getUint32(at + 124, true),
		/** enum kmem_counter */
		counters: [view.getUint32(at + 128, true), view.getUint32(at + 132, true), view.getUint32(at + 136, true), view.getUint32(at + 140, true), view.getUint32(at + 144, true), view.getUint32(at + 148, true), view.getUint32(at + 152, true), view.getUint32(at + 156, true), view.getUint32(at + 160, true), view.getUint32(at + 164, true), view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true), view.getUint32(at + 208, true), view.getUint32(at + 212, true), view.getUint32(at + 216, true), view.getUint32(at + 220, true), view.getUint32(at + 224, true), view.getUint32(at + 228, true), view.getUint32(at + 232, true), view.getUint32(at + 236, true), view.getUint32(at + 240, true), view.getUint32(at + 244, true), view.getUint32(at + 248, true), view.getUint32(at + 252, true), view.getUint32(at + 256, true), view.getUint32(at + 260, true), view.getUint32(at + 264, true), view.getUint32(at + 268, true), view.getUint32(at + 272, true), view.getUint32(at + 276, true), view.getUint32(at + 280, true), view.getUint32(at + 284, true), view.getUint32(at + 288, true), view.getUint32(at + 292, true), view.getUint32(at + 296, true), view.getUint32(at + 300, true), view.getUint32(at + 304, true), view.getUint32(at + 308, true), view.getUint32(at + 312, true), view.getUint32(at + 316, true), view.getUint32(at + 320, true), view.getUint32(at + 324, true), view.getUint32(at + 328, true), view.getUint32(at + 332, true), view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true), view.getUint32(at + 392, true), view.getUint32(at + 396, true)] as readonly number[],
	} as const;
}

/** One CPU in virtual time. */
export type CpuRow = ReturnType<typeof readCpuRow>;
export const CPU_ROW_SIZE = 32;
export function readCpuRow(view: DataView, at: number) {
	return {
		/** model cycles since the start */
		clock: u64(view, at + 0),
		/** of these, at work; waiting included */
		cycles: u64(view, at + 8),
		/** of these, waiting for locks */
		lockWaitCycles: u64(view, at + 16),
		/** its number */
		cpu: view.getUint32(at + 24, true),
		/** where it is */
		node: view.getUint32(at + 28, true),
	} as const;
}

/** One lock in virtual time. */
export type LockRow = ReturnType<typeof readLockRow>;
export const LOCK_ROW_SIZE = 24;
export function readLockRow(view: DataView, at: number) {
	return {
		/** that CPUs have waited for it */
		waitCycles: u64(view, at + 0),
		/** times it was taken */
		takes: view.getUint32(at + 8, true),
		/** of these, after waiting */
		contended: view.getUint32(at + 12, true),
		/** enum kmem_lock_kind */
		kind: view.getUint16(at + 16, true),
		/** cache id, KMEM_NONE if none */
		cache: view.getUint16(at + 18, true),
		/** node of what it protects, KMEM_NONE if none */
		node: view.getUint16(at + 20, true),
		/** of an alien place: the node whose objects it holds; of a shared one: its group; KMEM_NONE elsewhere */
		target: view.getUint16(at + 22, true),
	} as const;
}

/** One zone. */
export type ZoneRow = ReturnType<typeof readZoneRow>;
export const ZONE_ROW_SIZE = 72;
export function readZoneRow(view: DataView, at: number) {
	return {
		/** first page frame */
		startPfn: u64(view, at + 0),
		/** its size */
		pages: u64(view, at + 8),
		/** pages taken */
		used: u64(view, at + 16),
		/** node */
		node: view.getUint16(at + 24, true),
		/** enum kmem_zone_kind */
		kind: view.getUint16(at + 26, true),
		/** free runs of 2^i pages, as /proc/buddyinfo */
		freeRuns: [view.getUint32(at + 28, true), view.getUint32(at + 32, true), view.getUint32(at + 36, true), view.getUint32(at + 40, true), view.getUint32(at + 44, true), view.getUint32(at + 48, true), view.getUint32(at + 52, true), view.getUint32(at + 56, true), view.getUint32(at + 60, true), view.getUint32(at + 64, true), view.getUint32(at + 68, true)] as readonly number[],
	} as const;
}

/** The whole world in numbers. */
export type Totals = ReturnType<typeof readTotals>;
export const TOTALS_SIZE = 440;
export function readTotals(view: DataView, at: number) {
	return {
		/** bytes in slabs */
		slabBytes: u64(view, at + 0),
		/** bytes asked for in live objects of slabs */
		requestedBytes: u64(view, at + 8),
		/** internal fragmentation of live objects: slot minus request */
		wasteRounding: u64(view, at + 16),
		/** tail waste */
		wasteTail: u64(view, at + 24),
		/** free objects */
		wasteFree: u64(view, at + 32),
		/** slots of objects in use before the trace, which no event has freed: no waste */
		inUseBeforeBytes: u64(view, at + 40),
		/** kmalloc beyond the largest class: pages, not slabs */
		largeBytes: u64(view, at + 48),
		/** model cycles of all CPUs */
		cycles: u64(view, at + 56),
		/** of these, waiting for locks */
		lockWaitCycles: u64(view, at + 64),
		/** clock of the CPU that is furthest ahead */
		elapsedCycles: u64(view, at + 72),
		/** that CPUs spent outside the allocator: events times parameter work */
		workCycles: u64(view, at + 80),
		/** page frames taken */
		pagesInUse: u64(view, at + 88),
		/** most so far */
		pagesPeak: u64(view, at + 96),
		/** allocations from pages that many sizes share */
		searches: u64(view, at + 104),
		/** pages looked at in them */
		pagesVisited: u64(view, at + 112),
		/** free blocks looked at in those pages */
		blocksVisited: u64(view, at + 120),
		/** bytes cut off the front of blocks to align objects */
		headFragmentBytes: u64(view, at + 128),
		/** events done */
		ops: view.getUint32(at + 136, true),
		/** allocated objects */
		liveObjects: view.getUint32(at + 140, true),
		/** slabs */
		slabs: view.getUint32(at + 144, true),
		/** slabs on node partial lists */
		partial: view.getUint32(at + 148, true),
		/** calls of the any-node search (2018 proposal: get_partial_count) */
		anyNodeEntered: view.getUint32(at + 152, true),
		/** zones it looked at (2018 proposal: get_partial_try_count) */
		anyNodeZones: view.getUint32(at + 156, true),
		/** most pages looked at by one allocation */
		mostPagesVisited: view.getUint32(at + 160, true),
		/** most free blocks looked at by one allocation */
		mostBlocksVisited: view.getUint32(at + 164, true),
		/** enum kmem_counter */
		counters: [view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true), view.getUint32(at + 208, true), view.getUint32(at + 212, true), view.getUint32(at + 216, true), view.getUint32(at + 220, true), view.getUint32(at + 224, true), view.getUint32(at + 228, true), view.getUint32(at + 232, true), view.getUint32(at + 236, true), view.getUint32(at + 240, true), view.getUint32(at + 244, true), view.getUint32(at + 248, true), view.getUint32(at + 252, true), view.getUint32(at + 256, true), view.getUint32(at + 260, true), view.getUint32(at + 264, true), view.getUint32(at + 268, true), view.getUint32(at + 272, true), view.getUint32(at + 276, true), view.getUint32(at + 280, true), view.getUint32(at + 284, true), view.getUint32(at + 288, true), view.getUint32(at + 292, true), view.getUint32(at + 296, true), view.getUint32(at + 300, true), view.getUint32(at + 304, true), view.getUint32(at + 308, true), view.getUint32(at + 312, true), view.getUint32(at + 316, true), view.getUint32(at + 320, true), view.getUint32(at + 324, true), view.getUint32(at + 328, true), view.getUint32(at + 332, true), view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true), view.getUint32(at + 392, true), view.getUint32(at + 396, true), view.getUint32(at + 400, true), view.getUint32(at + 404, true), view.getUint32(at + 408, true), view.getUint32(at + 412, true), view.getUint32(at + 416, true), view.getUint32(at + 420, true), view.getUint32(at + 424, true), view.getUint32(at + 428, true), view.getUint32(at + 432, true), view.getUint32(at + 436, true)] as readonly number[],
	} as const;
}

/** A metric over the whole trace. */
export type Series = ReturnType<typeof readSeries>;
export const SERIES_SIZE = 16;
export function readSeries(view: DataView, at: number) {
	return {
		/** buckets filled */
		nrBuckets: view.getUint32(at + 0, true),
		/** events each stands for */
		opsPerBucket: view.getUint32(at + 4, true),
		/** u64[nr_buckets]: least in the bucket */
		minAt: view.getUint32(at + 8, true),
		/** u64[nr_buckets]: most in the bucket; of METRIC_SLOW_PATHS, how many */
		maxAt: view.getUint32(at + 12, true),
	} as const;
}

/** One try of the order rule. */
export type OrderTry = ReturnType<typeof readOrderTry>;
export const ORDER_TRY_SIZE = 28;
export function readOrderTry(view: DataView, at: number) {
	return {
		/** objects wanted in a slab */
		minObjects: view.getUint32(at + 0, true),
		/** tail waste may be 1/fraction of the slab */
		fraction: view.getUint32(at + 4, true),
		/** order tried */
		order: view.getUint32(at + 8, true),
		/** bytes of tail waste */
		remainder: view.getUint32(at + 12, true),
		/** 1 if this is the answer */
		accepted: view.getUint32(at + 16, true),
		/** enum kmem_outcome: why, or why not */
		outcome: view.getUint32(at + 20, true),
		/** enum kmem_management, 0 where slabs keep no indices */
		management: view.getUint32(at + 24, true),
	} as const;
}

/** The order rule's answer for one size. */
export type OrderRow = ReturnType<typeof readOrderRow>;
export const ORDER_ROW_SIZE = 68;
export function readOrderRow(view: DataView, at: number) {
	return {
		/** bytes of the slot */
		size: view.getUint32(at + 0, true),
		/** chosen */
		order: view.getUint32(at + 4, true),
		/** in a slab of it */
		objects: view.getUint32(at + 8, true),
		/** bytes of tail waste in a slab */
		waste: view.getUint32(at + 12, true),
		/** by min_partial_rule */
		minPartial: view.getUint32(at + 16, true),
		/** 5.16 and later */
		cpuPartialObjects: view.getUint32(at + 20, true),
		/** 5.16 and later */
		cpuPartialSlabs: view.getUint32(at + 24, true),
		/** objects in a sheaf, 7.0 and later */
		sheafCapacity: view.getUint32(at + 28, true),
		/** tries made; the first ones are kept */
		nrTries: view.getUint32(at + 32, true),
		/** bytes of the slot that the allocator makes of it */
		alignedSize: view.getUint32(at + 36, true),
		/** from here on 0 without per-CPU arrays: enum kmem_management */
		management: view.getUint32(at + 40, true),
		/** offsets at which a slab's objects may start */
		colours: view.getUint32(at + 44, true),
		/** objects in a CPU's array */
		limit: view.getUint32(at + 48, true),
		/** objects moved at a time */
		batchcount: view.getUint32(at + 52, true),
		/** the shared array in batches */
		shared: view.getUint32(at + 56, true),
		/** free objects that one node with all CPUs keeps in slabs */
		freeLimit: view.getUint32(at + 60, true),
		/** CPUs that these numbers are for */
		nrCpus: view.getUint32(at + 64, true),
	} as const;
}

/** A cache of a real machine under two order rules; unknown numbers are KMEM_NONE32. */
export type OrderMachineRow = ReturnType<typeof readOrderMachineRow>;
export const ORDER_MACHINE_ROW_SIZE = 72;
export function readOrderMachineRow(view: DataView, at: number) {
	return {
		/** NUL-terminated text, as the machine calls it */
		nameAt: view.getUint32(at + 0, true),
		/** bytes of the slot */
		size: view.getUint32(at + 4, true),
		/** objects in use */
		objects: view.getUint32(at + 8, true),
		/** objects in all slabs, free ones included */
		slots: view.getUint32(at + 12, true),
		/** order on the machine */
		machineOrder: view.getUint32(at + 16, true),
		/** slabs on the machine */
		machineSlabs: view.getUint32(at + 20, true),
		/** order under rule A */
		orderA: view.getUint32(at + 24, true),
		/** order under rule B */
		orderB: view.getUint32(at + 28, true),
		/** objects in a slab of order_a */
		objectsA: view.getUint32(at + 32, true),
		/** objects in a slab of order_b */
		objectsB: view.getUint32(at + 36, true),
		/** pages of the full slabs that hold the objects in use, rule A; 0 where objects are unknown */
		pagesA: u64(view, at + 40),
		/** the same, rule B */
		pagesB: u64(view, at + 48),
		/** pages of the slabs with as many slots as the machine has, rule A; 0 where slots are unknown */
		slotPagesA: u64(view, at + 56),
		/** the same, rule B */
		slotPagesB: u64(view, at + 64),
	} as const;
}

/** All caches of a real machine under two order rules. */
export type OrderMachineTotals = ReturnType<typeof readOrderMachineTotals>;
export const ORDER_MACHINE_TOTALS_SIZE = 80;
export function readOrderMachineTotals(view: DataView, at: number) {
	return {
		/** of the pages that the rules are asked about */
		pageBytes: view.getUint32(at + 0, true),
		/** CPUs that the rules are asked about */
		nrCpus: view.getUint32(at + 4, true),
		/** rows */
		caches: view.getUint32(at + 8, true),
		/** rows whose order differs */
		changed: view.getUint32(at + 12, true),
		/** caches left out: their slot size is unknown, or no order holds it */
		unsized: view.getUint32(at + 16, true),
		/** rows with known objects in use */
		counted: view.getUint32(at + 20, true),
		/** objects in use in these rows */
		objects: u64(view, at + 24),
		/** sum of pages_a */
		pagesA: u64(view, at + 32),
		/** sum of pages_b */
		pagesB: u64(view, at + 40),
		/** sum of slot_pages_a */
		slotPagesA: u64(view, at + 48),
		/** sum of slot_pages_b */
		slotPagesB: u64(view, at + 56),
		/** bytes of slab for one object of each row, in thousandths, rule A */
		perObjectA: u64(view, at + 64),
		/** the same, rule B */
		perObjectB: u64(view, at + 72),
	} as const;
}

/** Slabs that a warm start made before the first event. */
export type Warm = ReturnType<typeof readWarm>;
export const WARM_SIZE = 56;
export function readWarm(view: DataView, at: number) {
	return {
		/** caches that started as the machine had them */
		caches: view.getUint32(at + 0, true),
		/** caches of the trace that started empty: the machine state lacks them or their slabs */
		cold: view.getUint32(at + 4, true),
		/** caches that started empty because the allocator cannot adopt their slabs */
		refused: view.getUint32(at + 8, true),
		/** slabs made */
		slabs: view.getUint32(at + 12, true),
		/** of these on node partial lists */
		partial: view.getUint32(at + 16, true),
		/** of these held by CPUs */
		cpuSlabs: view.getUint32(at + 20, true),
		/** objects in use in these slabs */
		objects: u64(view, at + 24),
		/** 1: the trace's own pointers show the slabs, 0: a file has them */
		inferred: view.getUint32(at + 32, true),
		/** objects of these slabs that the trace shows to have been free */
		room: view.getUint32(at + 36, true),
		/** events that free an object in use from before event 1 */
		frees: view.getUint32(at + 40, true),
		/** frees of objects that the start lacks too */
		unknown: view.getUint32(at + 44, true),
		/** pages in use before event 1 */
		pages: u64(view, at + 48),
	} as const;
}

/** A cache of a real machine; unknown numbers are KMEM_NONE32. */
export type MachineStateRow = ReturnType<typeof readMachineStateRow>;
export const MACHINE_STATE_ROW_SIZE = 96;
export function readMachineStateRow(view: DataView, at: number) {
	return {
		/** NUL-terminated text, as the machine calls it */
		nameAt: view.getUint32(at + 0, true),
		/** id of the first cache of the model that has this name or an alias of it, KMEM_NONE if none */
		cache: view.getUint32(at + 4, true),
		/** bytes of the object */
		objectSize: view.getUint32(at + 8, true),
		/** bytes of the slot */
		size: view.getUint32(at + 12, true),
		/** bytes */
		align: view.getUint32(at + 16, true),
		/** in a slab of the preferred order */
		objectsPerSlab: view.getUint32(at + 20, true),
		/** preferred order */
		order: view.getUint32(at + 24, true),
		/** threshold */
		minPartial: view.getUint32(at + 28, true),
		/** objects that the per-CPU partial list should hold */
		cpuPartial: view.getUint32(at + 32, true),
		/** objects in a sheaf */
		sheafCapacity: view.getUint32(at + 36, true),
		/** active objects as slabinfo counts */
		objects: view.getUint32(at + 40, true),
		/** objects in all slabs */
		totalObjects: view.getUint32(at + 44, true),
		/** slabs */
		slabs: view.getUint32(at + 48, true),
		/** slabs on node partial lists */
		partial: view.getUint32(at + 52, true),
		/** cpu slabs and slabs on per-CPU partial lists */
		cpuSlabs: view.getUint32(at + 56, true),
		/** 1: aligned to cache lines */
		hwcacheAlign: view.getUint32(at + 60, true),
		/** 1: can be reclaimed */
		reclaimAccount: view.getUint32(at + 64, true),
		/** 1: memory for DMA */
		cacheDma: view.getUint32(at + 68, true),
		/** 1: slabs are freed after a grace period */
		destroyByRcu: view.getUint32(at + 72, true),
		/** caches merged into it */
		aliases: view.getUint32(at + 76, true),
		/** objects in use in slabs on node partial lists */
		objectsPartial: view.getUint32(at + 80, true),
		/** free objects on per-CPU partial lists */
		cpuPartialObjects: view.getUint32(at + 84, true),
		/** slabs on per-CPU partial lists */
		cpuPartialSlabs: view.getUint32(at + 88, true),
		/** slabs with an object in use, as slabinfo counts */
		activeSlabs: view.getUint32(at + 92, true),
	} as const;
}

/** A cache before and after the trace, on the machine and in the model; unknown numbers are KMEM_NONE32. */
export type GrowthRow = ReturnType<typeof readGrowthRow>;
export const GROWTH_ROW_SIZE = 64;
export function readGrowthRow(view: DataView, at: number) {
	return {
		/** allocations from it that the trace has */
		allocs: u64(view, at + 0),
		/** the same for frees */
		frees: u64(view, at + 8),
		/** NUL-terminated text, as the model calls it, otherwise the machine */
		nameAt: view.getUint32(at + 16, true),
		/** preferred order on the machine, otherwise in the model */
		order: view.getUint32(at + 20, true),
		/** active objects as slabinfo counts, on the machine */
		objectsBefore: view.getUint32(at + 24, true),
		/** the same after the trace */
		objectsAfter: view.getUint32(at + 28, true),
		/** slabs of the machine */
		slabsBefore: view.getUint32(at + 32, true),
		/** the same after the trace */
		slabsAfter: view.getUint32(at + 36, true),
		/** active objects of the model before the first event */
		modelObjectsBefore: view.getUint32(at + 40, true),
		/** after the last event */
		modelObjectsAfter: view.getUint32(at + 44, true),
		/** slabs of the model before the first event */
		modelSlabsBefore: view.getUint32(at + 48, true),
		/** after the last event */
		modelSlabsAfter: view.getUint32(at + 52, true),
		/** on the machine, otherwise in the model */
		objectsPerSlab: view.getUint32(at + 56, true),
		/** enum kmem_growth_why; kmem_growth_why() has the sentence */
		why: view.getUint32(at + 60, true),
	} as const;
}

/** One object: where it is, what it is, and how its free pointer is stored. */
export type ObjectRow = ReturnType<typeof readObjectRow>;
export const OBJECT_ROW_SIZE = 160;
export function readObjectRow(view: DataView, at: number) {
	return {
		/** of the object */
		address: u64(view, at + 0),
		/** of the slab's first byte */
		slabAddress: u64(view, at + 8),
		/** where the free pointer is kept while the object is free; 0 where the allocator keeps none in objects */
		linkAddress: u64(view, at + 16),
		/** of a free object: the next free one's address, 0 at the end of the list */
		pointer: view.getBigUint64(at + 24, true),
		/** freelist_hardened: the cache's random number, else 0 */
		secret: view.getBigUint64(at + 32, true),
		/** freelist_hardened: link_address with its bytes in reverse order, else 0 */
		swapped: view.getBigUint64(at + 40, true),
		/** of a free object: what the eight bytes hold, pointer ^ secret ^ swapped, or what has been written over them */
		stored: view.getBigUint64(at + 48, true),
		/** when it was last allocated */
		allocTime: u64(view, at + 56),
		/** when it was last freed */
		freeTime: u64(view, at + 64),
		/** serial number in its cache */
		slab: view.getUint32(at + 72, true),
		/** its place in the slab */
		index: view.getUint32(at + 76, true),
		/** the place that pointer leads to, KMEM_NONE32 if to none */
		next: view.getUint32(at + 80, true),
		/** bytes from the start of the slab to its slot */
		slot: view.getUint32(at + 84, true),
		/** all that belongs to it */
		slotBytes: view.getUint32(at + 88, true),
		/** red zone at the start of the slot */
		leftBytes: view.getUint32(at + 92, true),
		/** of the object itself */
		objectBytes: view.getUint32(at + 96, true),
		/** after it: red zone, or what rounds it up to a word */
		rightBytes: view.getUint32(at + 100, true),
		/** of the free pointer, from the object */
		linkOffset: view.getUint32(at + 104, true),
		/** of the two tracks, from the object; 0 without store_user */
		tracksOffset: view.getUint32(at + 108, true),
		/** both tracks, and what kmalloc caches add */
		tracksBytes: view.getUint32(at + 112, true),
		/** of what is left, from the object */
		paddingOffset: view.getUint32(at + 116, true),
		/** up to the next slot */
		paddingBytes: view.getUint32(at + 120, true),
		/** bytes asked for, 0 if it is not allocated */
		requested: view.getUint32(at + 124, true),
		/** of the trace's object that is in it, KMEM_NONE32 if none */
		handle: view.getUint32(at + 128, true),
		/** last allocation: of a live object, or with store_user; KMEM_NONE32 if unknown */
		allocOp: view.getUint32(at + 132, true),
		/** last free, kept with store_user; KMEM_NONE32 if unknown */
		freeOp: view.getUint32(at + 136, true),
		/** its call site, NUL-terminated text, 0 if unknown */
		allocSiteAt: view.getUint32(at + 140, true),
		/** its call site, NUL-terminated text, 0 if unknown */
		freeSiteAt: view.getUint32(at + 144, true),
		/** CPU of the last allocation, KMEM_NONE if unknown */
		allocCpu: view.getUint16(at + 148, true),
		/** CPU of the last free, KMEM_NONE if unknown */
		freeCpu: view.getUint16(at + 150, true),
		/** cache id */
		cache: view.getUint16(at + 152, true),
		/** enum kmem_cell */
		state: view.getUint8(at + 154),
		/** 1 if bytes of its slot are not what they should be */
		damaged: view.getUint8(at + 155),
		/** byte that fills its red zones: 0xcc of an allocated object, 0xbb of a free one; 0 where there are none */
		zone: view.getUint8(at + 156),
		/** byte that fills the object: 0x6b while it is free and poisoned, else 0 */
		poison: view.getUint8(at + 157),
	} as const;
}

/** Bytes of an object's slot that hold one value and should hold one value; the runs of a slot fill it. */
export type ByteRun = ReturnType<typeof readByteRun>;
export const BYTE_RUN_SIZE = 16;
export function readByteRun(view: DataView, at: number) {
	return {
		/** first byte, from the start of the slot */
		start: view.getUint32(at + 0, true),
		/** one past the last byte */
		end: view.getUint32(at + 4, true),
		/** what each byte holds, KMEM_NONE if the model does not keep it */
		found: view.getUint16(at + 8, true),
		/** what each byte should hold, KMEM_NONE if any value may be there */
		expected: view.getUint16(at + 10, true),
		/** 1 if somebody wrote over these bytes and found is not expected */
		overwritten: view.getUint32(at + 12, true),
	} as const;
}

/** Report of a debugging check, with the facts that the kernel prints. */
export type Bug = ReturnType<typeof readBug>;
export const BUG_SIZE = 120;
export function readBug(view: DataView, at: number) {
	return {
		/** of the object; of the slab where the check is about no single object */
		address: u64(view, at + 0),
		/** address of the first wrong byte, or the pointer that is wrong; 0 where there is none */
		fault: u64(view, at + 8),
		/** the object's free pointer as it reads */
		pointer: u64(view, at + 16),
		/** the pointer that was not freed, 0 if no free was refused */
		refused: u64(view, at + 24),
		/** when it was last allocated */
		allocTime: u64(view, at + 32),
		/** when it was last freed */
		freeTime: u64(view, at + 40),
		/** event that found it, from 0 */
		op: view.getUint32(at + 48, true),
		/** serial number in its cache */
		slab: view.getUint32(at + 52, true),
		/** object in the slab, KMEM_NONE32 if the check is about the whole slab */
		index: view.getUint32(at + 56, true),
		/** of fault from the start of the slab, as the kernel's @offset */
		offset: view.getUint32(at + 60, true),
		/** wrong bytes, from the first to the last; 0 where no bytes are compared */
		len: view.getUint32(at + 64, true),
		/** objects of the slab */
		slabObjects: view.getUint32(at + 68, true),
		/** of them in use, by the slab's counter */
		slabUsed: view.getUint32(at + 72, true),
		/** Wrong object count: value of the counter */
		counter: view.getUint32(at + 76, true),
		/** Wrong object count: what walking the freelist gives */
		counted: view.getInt32(at + 80, true),
		/** last allocation, kept with store_user; KMEM_NONE32 if unknown */
		allocOp: view.getUint32(at + 84, true),
		/** last free, kept with store_user; KMEM_NONE32 if unknown */
		freeOp: view.getUint32(at + 88, true),
		/** its call site, NUL-terminated text, 0 if unknown */
		allocSiteAt: view.getUint32(at + 92, true),
		/** its call site, NUL-terminated text, 0 if unknown */
		freeSiteAt: view.getUint32(at + 96, true),
		/** name of the cache, NUL-terminated text */
		nameAt: view.getUint32(at + 100, true),
		/** cache id */
		cache: view.getUint16(at + 104, true),
		/** CPU at work */
		cpu: view.getUint16(at + 106, true),
		/** CPU of the last allocation, KMEM_NONE if unknown */
		allocCpu: view.getUint16(at + 108, true),
		/** CPU of the last free, KMEM_NONE if unknown */
		freeCpu: view.getUint16(at + 110, true),
		/** enum kmem_check */
		check: view.getUint8(at + 112),
		/** bit per enum kmem_fix */
		fixes: view.getUint8(at + 113),
		/** the byte that should be at fault */
		expected: view.getUint8(at + 114),
		/** the byte that is there */
		found: view.getUint8(at + 115),
	} as const;
}

/** One file of /sys/kernel/slab/<cache>/. */
export type AttributeRow = ReturnType<typeof readAttributeRow>;
export const ATTRIBUTE_ROW_SIZE = 16;
export function readAttributeRow(view: DataView, at: number) {
	return {
		/** of the file, NUL-terminated text */
		nameAt: view.getUint32(at + 0, true),
		/** what reading it gives, without the newline, NUL-terminated text */
		valueAt: view.getUint32(at + 4, true),
		/** 1 if it can be written */
		writable: view.getUint32(at + 8, true),
	} as const;
}

/** One line of /proc/slabinfo, and what the slabinfo tool makes of the cache. */
export type SlabinfoRow = ReturnType<typeof readSlabinfoRow>;
export const SLABINFO_ROW_SIZE = 88;
export function readSlabinfoRow(view: DataView, at: number) {
	return {
		/** bytes in slabs that are in no active object */
		loss: u64(view, at + 0),
		/** bytes in slabs */
		space: u64(view, at + 8),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 16, true),
		/** objects in use, as the allocator counts them */
		activeObjs: view.getUint32(at + 20, true),
		/** objects in all slabs */
		numObjs: view.getUint32(at + 24, true),
		/** bytes of the slot */
		objsize: view.getUint32(at + 28, true),
		/** objects in a slab of the preferred order */
		objperslab: view.getUint32(at + 32, true),
		/** pages of such a slab */
		pagesperslab: view.getUint32(at + 36, true),
		/** tunables: objects that a CPU's array may hold */
		limit: view.getUint32(at + 40, true),
		/** tunables: objects moved at a time */
		batchcount: view.getUint32(at + 44, true),
		/** tunables: the shared array in batches */
		sharedfactor: view.getUint32(at + 48, true),
		/** slabs with objects in use, as the allocator counts them */
		activeSlabs: view.getUint32(at + 52, true),
		/** all slabs */
		numSlabs: view.getUint32(at + 56, true),
		/** objects in shared arrays */
		sharedavail: view.getUint32(at + 60, true),
		/** the tool's Slabs: those that no CPU holds */
		slabs: view.getUint32(at + 64, true),
		/** the tool's Part: on partial lists of nodes */
		partial: view.getUint32(at + 68, true),
		/** the tool's Cpu: held by CPUs */
		cpuSlabs: view.getUint32(at + 72, true),
		/** the tool's %Fr: partial slabs of all; 100 if there are none */
		percentPartial: view.getUint32(at + 76, true),
		/** the tool's %Ef: bytes of active objects in bytes of slabs; 100 if there are none */
		percentEfficient: view.getUint32(at + 80, true),
		/** cache id */
		cache: view.getUint16(at + 84, true),
	} as const;
}

/** Target of a search: a condition, for one thing or for any. */
export type Condition = ReturnType<typeof readCondition>;
export const CONDITION_SIZE = 16;
export function readCondition(view: DataView, at: number) {
	return {
		/** serial number of the slab, KMEM_NONE32 for any */
		slab: view.getUint32(at + 0, true),
		/** place of the object in it, KMEM_NONE32 for any */
		index: view.getUint32(at + 4, true),
		/** enum kmem_when */
		when: view.getUint16(at + 8, true),
		/** WHEN_STEP: enum kmem_step_kind */
		step: view.getUint16(at + 10, true),
		/** cache id, KMEM_NONE for any */
		cache: view.getUint16(at + 12, true),
	} as const;
}

/** Where a condition holds. */
export type Found = ReturnType<typeof readFound>;
export const FOUND_SIZE = 16;
export function readFound(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** its step, from 0 */
		step: view.getUint32(at + 4, true),
		/** which one, from 0; the first of those that hold there */
		condition: view.getUint32(at + 8, true),
	} as const;
}

/** The life of a cache, a slab or a place for an object, in numbers; an event is counted from 0, and KMEM_NONE32 where there is none. */
export type Life = ReturnType<typeof readLife>;
export const LIFE_SIZE = 56;
export function readLife(view: DataView, at: number) {
	return {
		/** events that touched it */
		nrOps: view.getUint32(at + 0, true),
		/** first of them */
		firstOp: view.getUint32(at + 4, true),
		/** last of them */
		lastOp: view.getUint32(at + 8, true),
		/** allocations from it */
		allocs: view.getUint32(at + 12, true),
		/** frees to it */
		frees: view.getUint32(at + 16, true),
		/** made: of a cache, first used */
		bornOp: view.getUint32(at + 20, true),
		/** a slab: discarded */
		goneOp: view.getUint32(at + 24, true),
		/** most objects allocated at once, between events */
		objectsPeak: view.getUint32(at + 28, true),
		/** and by which it first had so many */
		objectsPeakOp: view.getUint32(at + 32, true),
		/** of a cache */
		slabsMade: view.getUint32(at + 36, true),
		/** of a cache */
		slabsFreed: view.getUint32(at + 40, true),
		/** of a cache: most slabs at once */
		slabsPeak: view.getUint32(at + 44, true),
		/** and by which it first had so many */
		slabsPeakOp: view.getUint32(at + 48, true),
		/** of a slab or a place: objects from before the trace */
		objectsAtStart: view.getUint32(at + 52, true),
	} as const;
}

/** One event of a life. */
export type LifeRow = ReturnType<typeof readLifeRow>;
export const LIFE_ROW_SIZE = 16;
export function readLifeRow(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** what it did to the thing: bits 1 << enum kmem_when, 0 where it was only looked at */
		what: view.getUint32(at + 4, true),
		/** serial number of the slab that it took an object from or put it in; or touched first; KMEM_NONE32 if none */
		slab: view.getUint32(at + 8, true),
		/** the object's place there, KMEM_NONE32 if none */
		index: view.getUint32(at + 12, true),
	} as const;
}

/** One object from its allocation to its free; events are counted from 0, and KMEM_NONE32 where there is none. */
export type Lifetime = ReturnType<typeof readLifetime>;
export const LIFETIME_SIZE = 48;
export function readLifetime(view: DataView, at: number) {
	return {
		/** that allocated it */
		allocOp: view.getUint32(at + 0, true),
		/** that freed it */
		freeOp: view.getUint32(at + 4, true),
		/** dense number of the object */
		handle: view.getUint32(at + 8, true),
		/** where it was: serial number of the slab, KMEM_NONE32 if in none */
		slab: view.getUint32(at + 12, true),
		/** and its place there */
		index: view.getUint32(at + 16, true),
		/** cache id, KMEM_NONE if in none */
		cache: view.getUint32(at + 20, true),
		/** which one at its place, from 0 */
		number: view.getUint32(at + 24, true),
		/** how many there were at its place */
		nr: view.getUint32(at + 28, true),
		/** allocation of the one before at its place */
		earlierOp: view.getUint32(at + 32, true),
		/** allocation of the one after at its place */
		laterOp: view.getUint32(at + 36, true),
		/** allocation of the one before with this number */
		handleEarlierOp: view.getUint32(at + 40, true),
		/** allocation of the one after with this number */
		handleLaterOp: view.getUint32(at + 44, true),
	} as const;
}

/** One level of a cache's levels; allocations are those of the whole trace, 0 without an index. */
export type LevelRow = ReturnType<typeof readLevelRow>;
export const LEVEL_ROW_SIZE = 40;
export function readLevelRow(view: DataView, at: number) {
	return {
		/** kinds of places that it covers, bits 1 << enum kmem_place_kind; 0 for the page allocator */
		places: u64(view, at + 0),
		/** model cycles of the allocations that ended here */
		cycles: u64(view, at + 8),
		/** how many ended here */
		allocs: view.getUint32(at + 16, true),
		/** of one of them */
		leastCycles: view.getUint32(at + 20, true),
		/** of one of them */
		mostCycles: view.getUint32(at + 24, true),
		/** of all allocations, in ten-thousandths; the shares of all levels add up to 10,000 */
		share: view.getUint32(at + 28, true),
		/** enum kmem_level */
		level: view.getUint16(at + 32, true),
		/** enum kmem_level_nodes: the nodes whose places it covers */
		nodes: view.getUint16(at + 34, true),
		/** row of a picture, from 0: levels of the same kinds of places share one */
		row: view.getUint16(at + 36, true),
		/** 1: allocations look for objects there, so they may end there */
		isAsked: view.getUint8(at + 38),
		/** 1: its places belong to CPUs; 0: to nodes */
		isOfCpus: view.getUint8(at + 39),
	} as const;
}

/** One step of an event: where it happens, what it does there, and the slab that it moves. */
export type PathStep = ReturnType<typeof readPathStep>;
export const PATH_STEP_SIZE = 32;
export function readPathStep(view: DataView, at: number) {
	return {
		/** model cycles, as in kmem_path */
		cycles: view.getUint32(at + 0, true),
		/** serial number of the slab that changes its place, KMEM_NONE32 if none does */
		slab: view.getUint32(at + 4, true),
		/** its level, counted among the levels from 0; KMEM_NONE: it has none, such as a wait or a report */
		level: view.getUint16(at + 8, true),
		/** enum kmem_verb */
		verb: view.getUint16(at + 10, true),
		/** node of the place; of a CPU's place the CPU's node; KMEM_NONE without a level */
		node: view.getUint16(at + 12, true),
		/** CPU of the place, KMEM_NONE if it belongs to a node */
		cpu: view.getUint16(at + 14, true),
		/** which of the node's places, as in kmem_place */
		target: view.getUint16(at + 16, true),
		/** cache id of the step, KMEM_NONE if none */
		cache: view.getUint16(at + 18, true),
		/** enum kmem_place_kind that the slab left, KMEM_NONE: it was made from pages */
		fromKind: view.getUint16(at + 20, true),
		/** CPU of that place, KMEM_NONE if none */
		fromCpu: view.getUint16(at + 22, true),
		/** node of that place */
		fromNode: view.getUint16(at + 24, true),
		/** enum kmem_place_kind that it is in now, KMEM_NONE: its pages went back */
		toKind: view.getUint16(at + 26, true),
		/** CPU of that place, KMEM_NONE if none */
		toCpu: view.getUint16(at + 28, true),
		/** node of that place */
		toNode: view.getUint16(at + 30, true),
	} as const;
}

/** The path of an event over the levels of its cache; levels are counted among the levels from 0. */
export type Path = ReturnType<typeof readPath>;
export const PATH_SIZE = 40;
export function readPath(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** cache id, KMEM_NONE if it has none */
		cache: view.getUint32(at + 4, true),
		/** level at which it ended: of an allocation the deepest that it asked */
		end: view.getUint32(at + 8, true),
		/** deepest level of its steps */
		deepest: view.getUint32(at + 12, true),
		/** steps that asked a level below the first */
		questions: view.getUint32(at + 16, true),
		/** model cycles of the event */
		cycles: view.getUint32(at + 20, true),
		/** steps of the event */
		nrSteps: view.getUint32(at + 24, true),
		/** u32 per step: its model cycles, with the lines that moved and the locks that were taken for it; they add up to those of the event */
		cyclesAt: view.getUint32(at + 28, true),
		/** model cycles of the same request on the fast path; 0 if there is none */
		fastCycles: view.getUint32(at + 32, true),
		/** steps that asked and got nothing */
		nrVain: view.getUint32(at + 36, true),
	} as const;
}

/** An event in two sentences, without a full stop at the end of the first. */
export type Caption = ReturnType<typeof readCaption>;
export const CAPTION_SIZE = 12;
export function readCaption(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** title of the event, as one sentence */
		captionAt: view.getUint32(at + 4, true),
		/** its cost or a reason, as one sentence; "" if nothing is worth saying */
		consequenceAt: view.getUint32(at + 8, true),
	} as const;
}

/** Where an allocation lands if it comes now. */
export type NextObject = ReturnType<typeof readNextObject>;
export const NEXT_OBJECT_SIZE = 36;
export function readNextObject(view: DataView, at: number) {
	return {
		/** CPU that allocates */
		cpu: view.getUint32(at + 0, true),
		/** cache id */
		cache: view.getUint32(at + 4, true),
		/** serial number of the slab, KMEM_NONE32 if the allocation fails */
		slab: view.getUint32(at + 8, true),
		/** place of the object in it */
		index: view.getUint32(at + 12, true),
		/** model cycles of the allocation */
		cycles: view.getUint32(at + 16, true),
		/** level at which it ends, counted on the cache's levels from 0 */
		end: view.getUint32(at + 20, true),
		/** enum kmem_level of that level */
		level: view.getUint32(at + 24, true),
		/** 1: it is the next event of the trace, with the node that it asks for; 0: any node will do */
		isEvent: view.getUint32(at + 28, true),
		/** name of the cache, which that event may be the first to use */
		nameAt: view.getUint32(at + 32, true),
	} as const;
}

/** How deep the events of each CPU went, over the whole trace. */
export type Lanes = ReturnType<typeof readLanes>;
export const LANES_SIZE = 20;
export function readLanes(view: DataView, at: number) {
	return {
		/** u8[nr_lanes][nr_buckets]: the deepest event there, 1 at the first level to 255 at the last; 0 without an event */
		depthsAt: view.getUint32(at + 0, true),
		/** one for each CPU, or for several */
		nrLanes: view.getUint32(at + 4, true),
		/** CPUs that share a lane; 1 unless there are too many */
		cpusPerLane: view.getUint32(at + 8, true),
		/** buckets of a lane */
		nrBuckets: view.getUint32(at + 12, true),
		/** events each stands for */
		opsPerBucket: view.getUint32(at + 16, true),
	} as const;
}

/** An event worth seeing. */
export type Chapter = ReturnType<typeof readChapter>;
export const CHAPTER_SIZE = 28;
export function readChapter(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** last event that belongs to it, from 0 */
		lastOp: view.getUint32(at + 4, true),
		/** what is largest: allocations in a row, cycles, steps that ask, slabs; of a drain its cycles */
		number: view.getUint32(at + 8, true),
		/** enum kmem_chapter_kind */
		kind: view.getUint16(at + 12, true),
		/** cache id, KMEM_NONE if it has none */
		cache: view.getUint16(at + 14, true),
		/** CPU at work */
		cpu: view.getUint16(at + 16, true),
		/** of its slab or list, KMEM_NONE if none */
		node: view.getUint16(at + 18, true),
		/** name of the cache, "" if it has none */
		nameAt: view.getUint32(at + 20, true),
		/** one sentence */
		titleAt: view.getUint32(at + 24, true),
	} as const;
}

/** A CPU that put something into a place; events are counted from 0. */
export type WhySource = ReturnType<typeof readWhySource>;
export const WHY_SOURCE_SIZE = 24;
export function readWhySource(view: DataView, at: number) {
	return {
		/** CPU at work */
		cpu: view.getUint32(at + 0, true),
		/** slabs or objects that it put there last */
		things: view.getUint32(at + 4, true),
		/** events in which it did so */
		events: view.getUint32(at + 8, true),
		/** first of them */
		firstOp: view.getUint32(at + 12, true),
		/** last of them */
		lastOp: view.getUint32(at + 16, true),
		/** of these events, drains; 0 if there are too many events to look at */
		drains: view.getUint32(at + 20, true),
	} as const;
}

/** Contents of a place, and how they came there; events are counted from 0. */
export type Why = ReturnType<typeof readWhy>;
export const WHY_SIZE = 104;
export function readWhy(view: DataView, at: number) {
	return {
		/** pages that are taken, of the node or of the slabs */
		pages: u64(view, at + 0),
		/** cache id, KMEM_NONE if it is about all of them */
		cache: view.getUint32(at + 8, true),
		/** enum kmem_about */
		about: view.getUint32(at + 12, true),
		/** enum kmem_place_kind, KMEM_NONE unless it is about a place */
		kind: view.getUint16(at + 16, true),
		/** CPU of the place, KMEM_NONE if none */
		cpu: view.getUint16(at + 18, true),
		/** node of the place, KMEM_NONE if none */
		node: view.getUint16(at + 20, true),
		/** rows of sources */
		nrSources: view.getUint16(at + 22, true),
		/** slabs here */
		slabs: view.getUint32(at + 24, true),
		/** objects here one by one */
		entries: view.getUint32(at + 28, true),
		/** most slabs or objects here, 0 without a limit */
		limit: view.getUint32(at + 32, true),
		/** objects of the slabs here */
		objects: view.getUint32(at + 36, true),
		/** of these, free */
		freeObjects: view.getUint32(at + 40, true),
		/** slabs here without an object in use */
		emptySlabs: view.getUint32(at + 44, true),
		/** of the cache */
		minPartial: view.getUint32(at + 48, true),
		/** slabs or objects without an event that put them there */
		unknown: view.getUint32(at + 52, true),
		/** event that took something out of here last, KMEM_NONE32 if none did; for a CPU or a node the last allocation */
		takenOp: view.getUint32(at + 56, true),
		/** event that put something here last, KMEM_NONE32 if none did; for a CPU or a node the last free */
		putOp: view.getUint32(at + 60, true),
		/** enum kmem_param of a setting to try, KMEM_NONE32 if there is none */
		param: view.getUint32(at + 64, true),
		/** of several places of that kind: the target, or the largest size; KMEM_NONE32 if there is only one */
		which: view.getUint32(at + 68, true),
		/** events in which the first source put things here, the latest 64 at most */
		nrEvents: view.getUint32(at + 72, true),
		/** u32[nr_events], in order */
		eventsAt: view.getUint32(at + 76, true),
		/** the question that the facts answer */
		titleAt: view.getUint32(at + 80, true),
		/** name of the cache, "" if it is about all of them */
		nameAt: view.getUint32(at + 84, true),
		/** value of that setting, "" if there is none */
		valueAt: view.getUint32(at + 88, true),
		/** facts in sentences, one a line */
		textAt: view.getUint32(at + 92, true),
		/** struct kmem_why_source[nr_sources], most first */
		sourcesAt: view.getUint32(at + 96, true),
		/** sheaves here, 0 in a place of another kind */
		sheaves: view.getUint32(at + 100, true),
	} as const;
}

/** Places of a slab or an object before and after an event. */
export type Move = ReturnType<typeof readMove>;
export const MOVE_SIZE = 20;
export function readMove(view: DataView, at: number) {
	return {
		/** event, from 0 */
		op: view.getUint32(at + 0, true),
		/** enum kmem_place_kind, KMEM_NONE if it was nowhere */
		fromKind: view.getUint16(at + 4, true),
		/** CPU of that place, KMEM_NONE if none */
		fromCpu: view.getUint16(at + 6, true),
		/** node of that place, KMEM_NONE if none */
		fromNode: view.getUint16(at + 8, true),
		/** enum kmem_place_kind, KMEM_NONE if it is nowhere */
		toKind: view.getUint16(at + 10, true),
		/** CPU of that place, KMEM_NONE if none */
		toCpu: view.getUint16(at + 12, true),
		/** node of that place, KMEM_NONE if none */
		toNode: view.getUint16(at + 14, true),
		/** both in words; one of them alone if they are the same place */
		textAt: view.getUint32(at + 16, true),
	} as const;
}

/** Allocations of one slot size. */
export type ShapeSize = ReturnType<typeof readShapeSize>;
export const SHAPE_SIZE_SIZE = 16;
export function readShapeSize(view: DataView, at: number) {
	return {
		/** how many */
		allocs: u64(view, at + 0),
		/** of the slot: bytes_alloc, or a kmalloc's class */
		bytes: view.getUint32(at + 8, true),
	} as const;
}

/** Shape of a trace, as an allocator sees it. */
export type Shape = ReturnType<typeof readShape>;
export const SHAPE_SIZE = 624;
export function readShape(view: DataView, at: number) {
	return {
		/** allocations that gave an object */
		allocs: u64(view, at + 0),
		/** of them, by kmalloc */
		kmallocs: u64(view, at + 8),
		/** frees of objects whose allocation is in the trace */
		frees: u64(view, at + 16),
		/** of them, not in the trace: when and where is not known */
		unseenFrees: u64(view, at + 24),
		/** of them, the others: those of lifetimes and remote_frees */
		seenFrees: u64(view, at + 32),
		/** of these, on another CPU than the allocation */
		remoteFrees: u64(view, at + 40),
		/** events on a different CPU from the one before */
		cpuChanges: u64(view, at + 48),
		/** allocations of sizes past those that are kept apart */
		otherSizes: u64(view, at + 56),
		/** most bytes requested at once in live objects */
		requestedPeak: u64(view, at + 64),
		/** bytes requested in objects that live at the end */
		requestedNow: u64(view, at + 72),
		/** frees by lifetime in events: 1, 2 to 3, 4 to 7, and so on */
		lifetimes: [u64(view, at + 80), u64(view, at + 88), u64(view, at + 96), u64(view, at + 104), u64(view, at + 112), u64(view, at + 120), u64(view, at + 128), u64(view, at + 136), u64(view, at + 144), u64(view, at + 152), u64(view, at + 160), u64(view, at + 168), u64(view, at + 176), u64(view, at + 184), u64(view, at + 192), u64(view, at + 200), u64(view, at + 208), u64(view, at + 216), u64(view, at + 224), u64(view, at + 232), u64(view, at + 240), u64(view, at + 248), u64(view, at + 256), u64(view, at + 264), u64(view, at + 272), u64(view, at + 280), u64(view, at + 288), u64(view, at + 296), u64(view, at + 304), u64(view, at + 312), u64(view, at + 320), u64(view, at + 328)] as readonly number[],
		/** live objects at the end of each 64th of the events */
		live: [view.getUint32(at + 336, true), view.getUint32(at + 340, true), view.getUint32(at + 344, true), view.getUint32(at + 348, true), view.getUint32(at + 352, true), view.getUint32(at + 356, true), view.getUint32(at + 360, true), view.getUint32(at + 364, true), view.getUint32(at + 368, true), view.getUint32(at + 372, true), view.getUint32(at + 376, true), view.getUint32(at + 380, true), view.getUint32(at + 384, true), view.getUint32(at + 388, true), view.getUint32(at + 392, true), view.getUint32(at + 396, true), view.getUint32(at + 400, true), view.getUint32(at + 404, true), view.getUint32(at + 408, true), view.getUint32(at + 412, true), view.getUint32(at + 416, true), view.getUint32(at + 420, true), view.getUint32(at + 424, true), view.getUint32(at + 428, true), view.getUint32(at + 432, true), view.getUint32(at + 436, true), view.getUint32(at + 440, true), view.getUint32(at + 444, true), view.getUint32(at + 448, true), view.getUint32(at + 452, true), view.getUint32(at + 456, true), view.getUint32(at + 460, true), view.getUint32(at + 464, true), view.getUint32(at + 468, true), view.getUint32(at + 472, true), view.getUint32(at + 476, true), view.getUint32(at + 480, true), view.getUint32(at + 484, true), view.getUint32(at + 488, true), view.getUint32(at + 492, true), view.getUint32(at + 496, true), view.getUint32(at + 500, true), view.getUint32(at + 504, true), view.getUint32(at + 508, true), view.getUint32(at + 512, true), view.getUint32(at + 516, true), view.getUint32(at + 520, true), view.getUint32(at + 524, true), view.getUint32(at + 528, true), view.getUint32(at + 532, true), view.getUint32(at + 536, true), view.getUint32(at + 540, true), view.getUint32(at + 544, true), view.getUint32(at + 548, true), view.getUint32(at + 552, true), view.getUint32(at + 556, true), view.getUint32(at + 560, true), view.getUint32(at + 564, true), view.getUint32(at + 568, true), view.getUint32(at + 572, true), view.getUint32(at + 576, true), view.getUint32(at + 580, true), view.getUint32(at + 584, true), view.getUint32(at + 588, true)] as readonly number[],
		/** events that ask something of the allocator */
		ops: view.getUint32(at + 592, true),
		/** most objects live at once */
		livePeak: view.getUint32(at + 596, true),
		/** objects live at the end */
		liveNow: view.getUint32(at + 600, true),
		/** rows */
		nrSizes: view.getUint32(at + 604, true),
		/** struct kmem_shape_size[nr_sizes], by rising bytes */
		sizesAt: view.getUint32(at + 608, true),
		/** 32 */
		nrLifetimes: view.getUint32(at + 612, true),
		/** 64 */
		nrLive: view.getUint32(at + 616, true),
		/** events done when requested_peak was reached */
		requestedPeakOp: view.getUint32(at + 620, true),
	} as const;
}

/** One measure of a replay that JOB_MEASURE has made. */
export type Measured = ReturnType<typeof readMeasured>;
export const MEASURED_SIZE = 16;
export function readMeasured(view: DataView, at: number) {
	return {
		/** the number */
		value: u64(view, at + 0),
		/** events done where it was largest or grew most, so the number of that event from 1; for others where bytes in slabs were most */
		op: view.getUint32(at + 8, true),
		/** 1: the allocator in force has it; otherwise value is 0 */
		known: view.getUint32(at + 12, true),
	} as const;
}

/** Counters of one cache as the recorded kernel reported them, one by one. */
export type KernelCountersRow = ReturnType<typeof readKernelCountersRow>;
export const KERNEL_COUNTERS_ROW_SIZE = 216;
export function readKernelCountersRow(view: DataView, at: number) {
	return {
		/** enum kmem_counter up to CPU_PARTIAL_DRAIN: times reported */
		all: [view.getUint32(at + 0, true), view.getUint32(at + 4, true), view.getUint32(at + 8, true), view.getUint32(at + 12, true), view.getUint32(at + 16, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint32(at + 28, true), view.getUint32(at + 32, true), view.getUint32(at + 36, true), view.getUint32(at + 40, true), view.getUint32(at + 44, true), view.getUint32(at + 48, true), view.getUint32(at + 52, true), view.getUint32(at + 56, true), view.getUint32(at + 60, true), view.getUint32(at + 64, true), view.getUint32(at + 68, true), view.getUint32(at + 72, true), view.getUint32(at + 76, true), view.getUint32(at + 80, true), view.getUint32(at + 84, true), view.getUint32(at + 88, true), view.getUint32(at + 92, true), view.getUint32(at + 96, true), view.getUint32(at + 100, true)] as readonly number[],
		/** of these, on frees of objects that were allocated before the trace began */
		before: [view.getUint32(at + 104, true), view.getUint32(at + 108, true), view.getUint32(at + 112, true), view.getUint32(at + 116, true), view.getUint32(at + 120, true), view.getUint32(at + 124, true), view.getUint32(at + 128, true), view.getUint32(at + 132, true), view.getUint32(at + 136, true), view.getUint32(at + 140, true), view.getUint32(at + 144, true), view.getUint32(at + 148, true), view.getUint32(at + 152, true), view.getUint32(at + 156, true), view.getUint32(at + 160, true), view.getUint32(at + 164, true), view.getUint32(at + 168, true), view.getUint32(at + 172, true), view.getUint32(at + 176, true), view.getUint32(at + 180, true), view.getUint32(at + 184, true), view.getUint32(at + 188, true), view.getUint32(at + 192, true), view.getUint32(at + 196, true), view.getUint32(at + 200, true), view.getUint32(at + 204, true)] as readonly number[],
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 208, true),
		/** the model's cache of that name, KMEM_NONE if there is none */
		cache: view.getUint16(at + 212, true),
	} as const;
}

/** Allocations from one cache at one call site, and what became of them. */
export type SiteRow = ReturnType<typeof readSiteRow>;
export const SITE_ROW_SIZE = 192;
export function readSiteRow(view: DataView, at: number) {
	return {
		/** of all its allocations */
		bytesRequested: u64(view, at + 0),
		/** of their slots */
		bytesAllocated: u64(view, at + 8),
		/** slots of the objects that live at the end of the trace */
		liveBytes: u64(view, at + 16),
		/** requested for these objects */
		liveBytesRequested: u64(view, at + 24),
		/** most bytes in slots at once */
		peakLiveBytes: u64(view, at + 32),
		/** nanoseconds or ticks from allocation to recorded free; 0 without such a free */
		lifetimeTimeMin: u64(view, at + 40),
		/** the same on average */
		lifetimeTimeMean: u64(view, at + 48),
		/** the longest */
		lifetimeTimeMax: u64(view, at + 56),
		/** half of the frees came within this; see kmem_sites.lifetime_parts */
		lifetimeTimeP50: u64(view, at + 64),
		/** 90 of 100 frees */
		lifetimeTimeP90: u64(view, at + 72),
		/** 99 of 100 frees */
		lifetimeTimeP99: u64(view, at + 80),
		/** events from allocation to recorded free, on average */
		lifetimeEventsMean: u64(view, at + 88),
		/** the shortest */
		lifetimeEventsMin: view.getUint32(at + 96, true),
		/** the longest */
		lifetimeEventsMax: view.getUint32(at + 100, true),
		/** half of the frees came within this; see kmem_sites.lifetime_parts */
		lifetimeEventsP50: view.getUint32(at + 104, true),
		/** 90 of 100 frees */
		lifetimeEventsP90: view.getUint32(at + 108, true),
		/** 99 of 100 frees */
		lifetimeEventsP99: view.getUint32(at + 112, true),
		/** objects allocated */
		allocations: view.getUint32(at + 116, true),
		/** recorded frees of these objects, wherever they were freed */
		frees: view.getUint32(at + 120, true),
		/** objects whose memory was allocated again without a recorded free */
		unseenFrees: view.getUint32(at + 124, true),
		/** objects that live at the end: the other allocations */
		liveObjects: view.getUint32(at + 128, true),
		/** most objects at once */
		peakLiveObjects: view.getUint32(at + 132, true),
		/** event by which there were first that many */
		peakOp: view.getUint32(at + 136, true),
		/** recorded frees on another CPU than the allocation's */
		crossCpuFrees: view.getUint32(at + 140, true),
		/** recorded frees on a CPU of another node than the allocation's */
		crossNodeFrees: view.getUint32(at + 144, true),
		/** share of the slots that was not requested, in hundredths of a per cent */
		fragmentation: view.getUint32(at + 148, true),
		/** live objects older than nearly all freed objects of their cache, or of many that a program never freed */
		leakSuspects: view.getUint32(at + 152, true),
		/** first allocation */
		firstOp: view.getUint32(at + 156, true),
		/** last allocation */
		lastOp: view.getUint32(at + 160, true),
		/** allocation of the oldest live object; KMEM_NONE32 without one */
		oldestLiveOp: view.getUint32(at + 164, true),
		/** NUL-terminated text; empty if unknown or not kept apart */
		callSiteAt: view.getUint32(at + 168, true),
		/** NUL-terminated text: the cache as recorded, or the kmalloc class */
		cacheAt: view.getUint32(at + 172, true),
		/** NUL-terminated text; empty if unknown or not kept apart */
		taskAt: view.getUint32(at + 176, true),
		/** row of kmem_site_cache; KMEM_NONE32 if not kept apart */
		cache: view.getUint32(at + 180, true),
		/** that allocated; KMEM_NONE if not kept apart */
		cpu: view.getUint16(at + 184, true),
		/** of that CPU; KMEM_NONE if not kept apart */
		node: view.getUint16(at + 186, true),
	} as const;
}

/** Whether a trace shows how objects of a cache are freed. */
export type SiteCache = ReturnType<typeof readSiteCache>;
export const SITE_CACHE_SIZE = 48;
export function readSiteCache(view: DataView, at: number) {
	return {
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 0, true),
		/** enum kmem_leak */
		leak: view.getUint32(at + 4, true),
		/** objects allocated */
		allocations: view.getUint32(at + 8, true),
		/** recorded frees of these objects */
		frees: view.getUint32(at + 12, true),
		/** objects whose memory was allocated again without a recorded free */
		unseenFrees: view.getUint32(at + 16, true),
		/** recorded frees of objects from before the trace, which name this cache */
		orphanFrees: view.getUint32(at + 20, true),
		/** recorded frees by RCU: kfree_rcu(), or a callback after a grace period */
		rcuFrees: view.getUint32(at + 24, true),
		/** objects that live at the end */
		liveObjects: view.getUint32(at + 28, true),
		/** live objects older than usual_lifetime, if the trace shows the frees, or of many that a program never freed */
		leakSuspects: view.getUint32(at + 32, true),
		/** events within which 99 of 100 recorded frees came, rounded up to a power of two */
		usualLifetime: view.getUint32(at + 36, true),
		/** allocation of the oldest live object; KMEM_NONE32 without one */
		oldestLiveOp: view.getUint32(at + 40, true),
	} as const;
}

/** Call sites of a trace. */
export type Sites = ReturnType<typeof readSites>;
export const SITES_SIZE = 48;
export function readSites(view: DataView, at: number) {
	return {
		/** events that the recorder lost */
		lost: u64(view, at + 0),
		/** struct kmem_site_row[nr_rows], in the order of their first allocations */
		rowsAt: view.getUint32(at + 8, true),
		/** rows */
		nrRows: view.getUint32(at + 12, true),
		/** struct kmem_site_cache[nr_caches] */
		cachesAt: view.getUint32(at + 16, true),
		/** rows */
		nrCaches: view.getUint32(at + 20, true),
		/** events of the trace */
		ops: view.getUint32(at + 24, true),
		/** bits 1 << enum kmem_sites_by */
		by: view.getUint32(at + 28, true),
		/** 1 if lifetimes are known in nanoseconds or ticks */
		timeIsKnown: view.getUint32(at + 32, true),
		/** 1 if events were lost or cut off, so that a live object may have been freed */
		isGuess: view.getUint32(at + 36, true),
		/** percentiles of lifetimes are wrong by at most 1 part in this many; 0: they are unknown */
		lifetimeParts: view.getUint32(at + 40, true),
		/** counts and bytes are estimates, those of a sampled trace times this; 0: it is not sampled */
		sampling: view.getUint32(at + 44, true),
	} as const;
}

/** Which part of its file the host is to read next. */
export type Range = ReturnType<typeof readRange>;
export const RANGE_SIZE = 16;
export function readRange(view: DataView, at: number) {
	return {
		/** bytes from the start of the file */
		at: u64(view, at + 0),
		/** at most; 0: the import needs no more of it */
		lenBytes: u64(view, at + 8),
	} as const;
}

/** Details that an import kept of each event. */
export type Kept = ReturnType<typeof readKept>;
export const KEPT_SIZE = 16;
export function readKept(view: DataView, at: number) {
	return {
		/** memory that it takes */
		bytes: u64(view, at + 0),
		/** enum kmem_keep */
		flags: view.getUint32(at + 8, true),
		/** the same for what did not fit, or lost its order */
		dropped: view.getUint32(at + 12, true),
	} as const;
}

/** A column of a CSV file. */
export type Column = ReturnType<typeof readColumn>;
export const COLUMN_SIZE = 16;
export function readColumn(view: DataView, at: number) {
	return {
		/** NUL-terminated text, as the header has it */
		nameAt: view.getUint32(at + 0, true),
		/** NUL-terminated text, what the first row has there */
		sampleAt: view.getUint32(at + 4, true),
		/** enum kmem_role; ROLE_NONE: it is not read */
		role: view.getUint32(at + 8, true),
		/** 1 if kmem_import_columns set it, 0 if its name did */
		given: view.getUint32(at + 12, true),
	} as const;
}

/** The header of the CSV file that was imported or refused last. */
export type Columns = ReturnType<typeof readColumns>;
export const COLUMNS_SIZE = 16;
export function readColumns(view: DataView, at: number) {
	return {
		/** struct kmem_column[nr_columns] */
		columnsAt: view.getUint32(at + 0, true),
		/** 0 if it was no CSV file */
		nrColumns: view.getUint32(at + 4, true),
		/** bit 1 << enum kmem_role for each required role without a column; one of ROLE_REQ and ROLE_ALLOC is enough */
		missing: view.getUint32(at + 8, true),
		/** character code */
		separator: view.getUint32(at + 12, true),
	} as const;
}

/** A line that could not be used. */
export type Problem = ReturnType<typeof readProblem>;
export const PROBLEM_SIZE = 24;
export function readProblem(view: DataView, at: number) {
	return {
		/** from 1 */
		line: u64(view, at + 0),
		/** from 1 */
		column: view.getUint32(at + 8, true),
		/** NUL-terminated sentence */
		reasonAt: view.getUint32(at + 12, true),
		/** NUL-terminated start of the line */
		textAt: view.getUint32(at + 16, true),
	} as const;
}

/** Lines seen of one tracepoint. */
export type KindRow = ReturnType<typeof readKindRow>;
export const KIND_ROW_SIZE = 16;
export function readKindRow(view: DataView, at: number) {
	return {
		/** how many */
		lines: u64(view, at + 0),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 8, true),
	} as const;
}

/** A cache as the trace shows it. */
export type TraceCacheRow = ReturnType<typeof readTraceCacheRow>;
export const TRACE_CACHE_ROW_SIZE = 40;
export function readTraceCacheRow(view: DataView, at: number) {
	return {
		/** allocations seen */
		allocs: u64(view, at + 0),
		/** frees seen */
		frees: u64(view, at + 8),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 16, true),
		/** bytes requested */
		objectSize: view.getUint32(at + 20, true),
		/** bytes of the slot, 0 if the trace does not have it */
		size: view.getUint32(at + 24, true),
		/** objects never freed */
		liveObjects: view.getUint32(at + 28, true),
		/** objects whose free no event shows: their memory was allocated again, or their page was freed */
		unseenFrees: view.getUint32(at + 32, true),
	} as const;
}

/** A cache whose frees the trace does not show, so that live objects may be free in fact. */
export type UnseenRow = ReturnType<typeof readUnseenRow>;
export const UNSEEN_ROW_SIZE = 32;
export function readUnseenRow(view: DataView, at: number) {
	return {
		/** of the slots of its live objects: too many at most */
		bytes: u64(view, at + 0),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 8, true),
		/** frees that were recorded */
		frees: view.getUint32(at + 12, true),
		/** frees that were not, as far as the trace proves them */
		unseenFrees: view.getUint32(at + 16, true),
		/** objects that are live at the end: too many at most */
		liveObjects: view.getUint32(at + 20, true),
		/** as many slabs as they fill: too many at most; 0: without a build, not known */
		slabs: view.getUint32(at + 24, true),
	} as const;
}

/** Report of an import. */
export type Report = ReturnType<typeof readReport>;
export const REPORT_SIZE = 208;
export function readReport(view: DataView, at: number) {
	return {
		/** bytes read */
		bytes: u64(view, at + 0),
		/** lines read */
		lines: u64(view, at + 8),
		/** lines that are events */
		events: u64(view, at + 16),
		/** allocations */
		allocs: u64(view, at + 24),
		/** frees, including null_frees and orphan_frees */
		frees: u64(view, at + 32),
		/** frees of NULL */
		nullFrees: u64(view, at + 40),
		/** allocations that failed in the trace */
		failedAllocs: u64(view, at + 48),
		/** frees of objects that the trace does not allocate */
		orphanFrees: u64(view, at + 56),
		/** allocations of a pointer that was still live: its free was not recorded */
		unseenFrees: u64(view, at + 64),
		/** objects never freed */
		liveAtEnd: u64(view, at + 72),
		/** events that the recorder says it lost */
		lost: u64(view, at + 80),
		/** allocations on the machine, by the periods of a sampled trace; 0: it is not sampled */
		estimatedAllocs: u64(view, at + 88),
		/** the same for frees */
		estimatedFrees: u64(view, at + 96),
		/** lines that should have been events and could not be used */
		skippedLines: u64(view, at + 104),
		/** events that came after later ones and were put in order by time */
		reordered: u64(view, at + 112),
		/** events too far after later ones for that: they stay where they were */
		late: u64(view, at + 120),
		/** nanoseconds, or ticks */
		timeFirst: u64(view, at + 128),
		/** nanoseconds, or ticks */
		timeLast: u64(view, at + 136),
		/** events of the replay */
		ops: view.getUint32(at + 144, true),
		/** most objects live at once */
		handles: view.getUint32(at + 148, true),
		/** CPUs seen or announced */
		cpus: view.getUint32(at + 152, true),
		/** nodes seen or announced */
		nodes: view.getUint32(at + 156, true),
		/** name of the format, NUL-terminated text */
		formatAt: view.getUint32(at + 160, true),
		/** 1 nanoseconds, 0 ticks of an unknown clock */
		timeIsNs: view.getUint32(at + 164, true),
		/** 1 if pointers are hashed: identities, not addresses */
		hashed: view.getUint32(at + 168, true),
		/** 1 if the input ended in the middle of a line */
		truncated: view.getUint32(at + 172, true),
		/** struct kmem_kind_row[nr_kinds] */
		kindsAt: view.getUint32(at + 176, true),
		/** rows */
		nrKinds: view.getUint32(at + 180, true),
		/** struct kmem_trace_cache_row[nr_caches] */
		cachesAt: view.getUint32(at + 184, true),
		/** rows */
		nrCaches: view.getUint32(at + 188, true),
		/** struct kmem_problem[nr_problems], the first few */
		problemsAt: view.getUint32(at + 192, true),
		/** rows */
		nrProblems: view.getUint32(at + 196, true),
		/** events of the machine for which each recorded one stands, on average; 0: the trace is not sampled */
		sampling: view.getUint32(at + 200, true),
		/** 1 if the trace is a program's from its start to its end: what lives at the end was never freed */
		ended: view.getUint32(at + 204, true),
	} as const;
}

/** The lines of a report about the allocation or the free of its object. */
export type LookupTrack = ReturnType<typeof readLookupTrack>;
export const LOOKUP_TRACK_SIZE = 32;
export function readLookupTrack(view: DataView, at: number) {
	return {
		/** nanoseconds since boot, 0 if it does not say */
		time: u64(view, at + 0),
		/** 1 if the report has it */
		isThere: view.getUint32(at + 8, true),
		/** call site, NUL-terminated text */
		siteAt: view.getUint32(at + 12, true),
		/** KMEM_NONE32 if it does not say */
		cpu: view.getUint32(at + 16, true),
		/** KMEM_NONE32 if it does not say */
		pid: view.getUint32(at + 20, true),
		/** jiffies before the report, KMEM_NONE32 if it does not say */
		age: view.getUint32(at + 24, true),
	} as const;
}

/** An object that matches, from its allocation to its free. */
export type LookupLife = ReturnType<typeof readLookupLife>;
export const LOOKUP_LIFE_SIZE = 64;
export function readLookupLife(view: DataView, at: number) {
	return {
		/** as recorded, 0 if it was not kept */
		pointer: view.getBigUint64(at + 0, true),
		/** nanoseconds, or ticks */
		allocTime: u64(view, at + 8),
		/** 0 without a free */
		freeTime: u64(view, at + 16),
		/** event that allocated it, KMEM_NONE32 if the trace does not have it */
		allocOp: view.getUint32(at + 24, true),
		/** event that freed it, KMEM_NONE32 if none did */
		freeOp: view.getUint32(at + 28, true),
		/** 1 << enum kmem_lookup_match of each thing that fits */
		matched: view.getUint32(at + 32, true),
		/** of its slot, 0 if unknown */
		slotBytes: view.getUint32(at + 36, true),
		/** name of its cache, NUL-terminated text */
		cacheAt: view.getUint32(at + 40, true),
		/** NUL-terminated text, as the three below */
		allocSiteAt: view.getUint32(at + 44, true),
		/** call site */
		freeSiteAt: view.getUint32(at + 48, true),
		/** comm-pid */
		allocTaskAt: view.getUint32(at + 52, true),
		/** comm-pid */
		freeTaskAt: view.getUint32(at + 56, true),
		/** KMEM_NONE if unknown */
		allocCpu: view.getUint16(at + 60, true),
		/** KMEM_NONE if unknown */
		freeCpu: view.getUint16(at + 62, true),
	} as const;
}

/** A slot beside the object, by recorded pointers, at that time. */
export type LookupNeighbour = ReturnType<typeof readLookupNeighbour>;
export const LOOKUP_NEIGHBOUR_SIZE = 32;
export function readLookupNeighbour(view: DataView, at: number) {
	return {
		/** of the slot */
		pointer: view.getBigUint64(at + 0, true),
		/** slots from the object: -1 is just before it, 1 just after it, 0 is itself */
		slot: view.getInt32(at + 8, true),
		/** enum kmem_slot_state */
		state: view.getUint32(at + 12, true),
		/** last event that allocated it until then, KMEM_NONE32 if none */
		allocOp: view.getUint32(at + 16, true),
		/** event that freed it after that, KMEM_NONE32 if none */
		freeOp: view.getUint32(at + 20, true),
		/** name of its cache, NUL-terminated text */
		cacheAt: view.getUint32(at + 24, true),
	} as const;
}

/** A pointer or a report, and the events that match. */
export type Lookup = ReturnType<typeof readLookup>;
export const LOOKUP_SIZE = 128;
export function readLookup(view: DataView, at: number) {
	return {
		/** that the text is about, 0 if it names none */
		address: u64(view, at + 0),
		/** where its object starts, 0 if unknown */
		object: u64(view, at + 8),
		/** of the report: nanoseconds since boot, 0 if unknown */
		time: u64(view, at + 16),
		/** of the address from the object's start, if both are known */
		offset: s64(view, at + 24),
		/** enum kmem_lookup_kind */
		kind: view.getUint32(at + 32, true),
		/** what happened, NUL-terminated text */
		titleAt: view.getUint32(at + 36, true),
		/** name of the cache, NUL-terminated text */
		cacheAt: view.getUint32(at + 40, true),
		/** where the bad access was, NUL-terminated text */
		siteAt: view.getUint32(at + 44, true),
		/** its task as comm-pid, NUL-terminated text */
		taskAt: view.getUint32(at + 48, true),
		/** bytes of the object, 0 if unknown */
		size: view.getUint32(at + 52, true),
		/** of the bad access, 0 if unknown */
		accessBytes: view.getUint32(at + 56, true),
		/** 1 if it was a write */
		isWrite: view.getUint32(at + 60, true),
		/** objects of its slab, 0 if unknown */
		slabObjects: view.getUint32(at + 64, true),
		/** of these, allocated */
		slabUsed: view.getUint32(at + 68, true),
		/** of the object in its slab, KMEM_NONE32 if unknown */
		slabOffset: view.getUint32(at + 72, true),
		/** struct kmem_lookup_track[2]: of the allocation and of the free */
		tracksAt: view.getUint32(at + 76, true),
		/** 1 if the lives match by address, 0 if they are candidates */
		byAddress: view.getUint32(at + 80, true),
		/** 0 if the report's addresses cannot be in this trace, hashed or not kept */
		canMatch: view.getUint32(at + 84, true),
		/** events until the report, as far as that is known */
		moment: view.getUint32(at + 88, true),
		/** rows; the best first, at most 16 */
		nrLives: view.getUint32(at + 92, true),
		/** struct kmem_lookup_life[nr_lives] */
		livesAt: view.getUint32(at + 96, true),
		/** all lives that match */
		nrAll: view.getUint32(at + 100, true),
		/** of these, lives that match as well as the first */
		nrAlike: view.getUint32(at + 104, true),
		/** rows */
		nrNeighbours: view.getUint32(at + 108, true),
		/** struct kmem_lookup_neighbour[nr_neighbours], by address */
		neighboursAt: view.getUint32(at + 112, true),
		/** the answer in sentences, NUL-terminated text */
		answerAt: view.getUint32(at + 116, true),
		/** what the reader should know about it, NUL-terminated text */
		noteAt: view.getUint32(at + 120, true),
	} as const;
}

/** The kernel that is modelled. */
export type Kernel = ReturnType<typeof readKernel>;
export const KERNEL_SIZE = 16;
export function readKernel(view: DataView, at: number) {
	return {
		/** NUL-terminated text: name of the preset */
		presetAt: view.getUint32(at + 0, true),
		/** NUL-terminated text: release on which the trace was recorded; 0: it does not say */
		recordedAt: view.getUint32(at + 4, true),
		/** NUL-terminated text: the preset and why it is that one, for a person */
		wordsAt: view.getUint32(at + 8, true),
		/** enum kmem_kernel_choice */
		chosenBy: view.getUint32(at + 12, true),
	} as const;
}

/** One figure: the proposal's, a real 6.1 kernel's, ours. */
export type FigureRow = ReturnType<typeof readFigureRow>;
export const FIGURE_ROW_SIZE = 88;
export function readFigureRow(view: DataView, at: number) {
	return {
		/** as the proposal prints it, times 10 to the power of seed_decimals */
		seedValue: s64(view, at + 0),
		/** counted in guests of Linux 6.1, times 10 to the power of real_decimals */
		realValue: s64(view, at + 8),
		/** the same in the boot that had least, as far as there were several */
		realLeast: s64(view, at + 16),
		/** in the boot that had most */
		realMost: s64(view, at + 24),
		/** measured here, times 10 to the power of ours_decimals */
		oursValue: s64(view, at + 32),
		/** NUL-terminated text: table of the proposal */
		tableAt: view.getUint32(at + 40, true),
		/** NUL-terminated text: its row there */
		rowAt: view.getUint32(at + 44, true),
		/** NUL-terminated text: its column there */
		columnAt: view.getUint32(at + 48, true),
		/** NUL-terminated text: unit of the proposal's and the real kernel's */
		unitAt: view.getUint32(at + 52, true),
		/** NUL-terminated text: unit of ours */
		oursUnitAt: view.getUint32(at + 56, true),
		/** NUL-terminated text: which run of the real kernel */
		realFromAt: view.getUint32(at + 60, true),
		/** NUL-terminated sentences: why it agrees or not, from what was measured; empty until all has been */
		whyAt: view.getUint32(at + 64, true),
		/** NUL-terminated sentence: by which rule it agrees or not, RULE in proposals.def; empty where there is nothing to agree with */
		ruleAt: view.getUint32(at + 68, true),
		/** 0 */
		reserved2: view.getUint32(at + 72, true),
		/** enum kmem_figure_kind */
		kind: view.getUint16(at + 76, true),
		/** enum kmem_agreement */
		agrees: view.getUint16(at + 78, true),
		/** 1: seed_value is there */
		hasSeed: view.getUint8(at + 80),
		/** 1: real_value is there */
		hasReal: view.getUint8(at + 81),
		/** 1: real_least and real_most are there */
		hasSpread: view.getUint8(at + 82),
		/** 1: ours_value is there */
		hasOurs: view.getUint8(at + 83),
		/** see seed_value */
		seedDecimals: view.getUint8(at + 84),
		/** see real_value */
		realDecimals: view.getUint8(at + 85),
		/** see ours_value */
		oursDecimals: view.getUint8(at + 86),
	} as const;
}

/** A proposal's experiment, as far as it has run. */
export type Experiment = ReturnType<typeof readExperiment>;
export const EXPERIMENT_SIZE = 40;
export function readExperiment(view: DataView, at: number) {
	return {
		/** NUL-terminated text: 000 to 004 */
		idAt: view.getUint32(at + 0, true),
		/** NUL-terminated text: a word for it */
		nameAt: view.getUint32(at + 4, true),
		/** NUL-terminated text: what was proposed */
		titleAt: view.getUint32(at + 8, true),
		/** NUL-terminated text: the parameter that makes the difference */
		switchAt: view.getUint32(at + 12, true),
		/** NUL-terminated text: workloads and machines, and what times are */
		setupAt: view.getUint32(at + 16, true),
		/** of the proposal */
		year: view.getUint32(at + 20, true),
		/** struct kmem_figure_row[nr_rows] */
		rowsAt: view.getUint32(at + 24, true),
		/** rows */
		nrRows: view.getUint32(at + 28, true),
		/** of workloads, all together */
		runs: view.getUint32(at + 32, true),
		/** of these; equal: every row has what was measured */
		runsDone: view.getUint32(at + 36, true),
	} as const;
}

/** Fault of the last failed call: for programs, beside the sentence for a person. */
export type Fault = ReturnType<typeof readFault>;
export const FAULT_SIZE = 16;
export function readFault(view: DataView, at: number) {
	return {
		/** enum kmem_status that the call returned or stands for */
		status: view.getInt32(at + 0, true),
		/** enum kmem_fault_kind */
		kind: view.getUint32(at + 4, true),
		/** NUL-terminated parameter, preset or workload at fault, 0 if there is none to name */
		keyAt: view.getUint32(at + 8, true),
		/** NUL-terminated parameter that key_at is in conflict with, 0 if there is none */
		otherAt: view.getUint32(at + 12, true),
	} as const;
}

/** A part of the memory of one cache, or of all. */
export type MemoryRow = ReturnType<typeof readMemoryRow>;
export const MEMORY_ROW_SIZE = 24;
export function readMemoryRow(view: DataView, at: number) {
	return {
		/** its size */
		bytes: u64(view, at + 0),
		/** objects in it: live ones for PART_REQUESTED, 0 for parts without objects */
		objects: view.getUint32(at + 8, true),
		/** of PART_EMPTY: the empty slabs; of PART_PAGES: all slabs; 0 elsewhere */
		slabs: view.getUint32(at + 12, true),
		/** cache id; KMEM_NONE: all caches together */
		cache: view.getUint16(at + 16, true),
		/** enum kmem_memory_part */
		part: view.getUint16(at + 18, true),
		/** of PART_FREE and PART_EMPTY: the enum kmem_place_kind where they are; KMEM_NONE elsewhere */
		place: view.getUint16(at + 20, true),
		/** 1: the caches share their slabs, so only the rows of all caches have the parts after PART_ROUNDING */
		shares: view.getUint16(at + 22, true),
	} as const;
}

/** Objects allocated in one place and freed in another. */
export type MatrixCell = ReturnType<typeof readMatrixCell>;
export const MATRIX_CELL_SIZE = 24;
export function readMatrixCell(view: DataView, at: number) {
	return {
		/** how many; 0 in no row */
		objects: u64(view, at + 0),
		/** that were requested in them */
		bytes: u64(view, at + 8),
		/** CPU or node that allocated them; the first of kmem_matrix.per_row */
		from: view.getUint32(at + 16, true),
		/** CPU or node that freed them; the first of kmem_matrix.per_row */
		to: view.getUint32(at + 20, true),
	} as const;
}

/** Where objects are allocated and where they are freed, over the whole trace. */
export type Matrix = ReturnType<typeof readMatrix>;
export const MATRIX_SIZE = 80;
export function readMatrix(view: DataView, at: number) {
	return {
		/** allocations that gave an object */
		allocations: u64(view, at + 0),
		/** of these objects, freed by an event of the trace: the cells add up to it */
		frees: u64(view, at + 8),
		/** that were requested in the freed objects */
		bytes: u64(view, at + 16),
		/** frees on another CPU than the allocation */
		otherCpu: u64(view, at + 24),
		/** of these, on another node */
		otherNode: u64(view, at + 32),
		/** objects that the trace never frees */
		live: u64(view, at + 40),
		/** objects whose free the trace does not have: their pointer was allocated again */
		unseen: u64(view, at + 48),
		/** struct kmem_matrix_cell[nr_cells], by row and then column */
		cellsAt: view.getUint32(at + 56, true),
		/** cells that are not empty */
		nrCells: view.getUint32(at + 60, true),
		/** enum kmem_matrix_by: BY_NODE if asked for, or if there are too many CPUs for a row each */
		by: view.getUint32(at + 64, true),
		/** rows, and as many columns */
		nrRows: view.getUint32(at + 68, true),
		/** CPUs or nodes that share a row; 1 unless there are too many */
		perRow: view.getUint32(at + 72, true),
		/** cache id, KMEM_NONE: all caches */
		cache: view.getUint32(at + 76, true),
	} as const;
}

/** A change to one parameter that the doctor tries, and its effect. */
export type Change = ReturnType<typeof readChange>;
export const CHANGE_SIZE = 88;
export function readChange(view: DataView, at: number) {
	return {
		/** enum kmem_doctor_measure: how much more than without the change; negative: saved */
		more: [s64(view, at + 0), s64(view, at + 8), s64(view, at + 16), s64(view, at + 24), s64(view, at + 32)] as readonly number[],
		/** its place in the order of the replays */
		number: view.getUint32(at + 40, true),
		/** parameter, its place in kmem_params_json */
		param: view.getUint32(at + 44, true),
		/** key of the parameter, NUL-terminated text */
		keyAt: view.getUint32(at + 48, true),
		/** its name in words, NUL-terminated text */
		nameAt: view.getUint32(at + 52, true),
		/** its group, NUL-terminated text */
		groupAt: view.getUint32(at + 56, true),
		/** the value to try, NUL-terminated text */
		valueAt: view.getUint32(at + 60, true),
		/** the value in force, NUL-terminated text */
		nowAt: view.getUint32(at + 64, true),
		/** 0 not measured yet, 1 measured, 2 no valid machine */
		state: view.getUint32(at + 68, true),
		/** its larger saving of memory in millionths of the peak without the change, 0 if none */
		savesMemory: view.getUint32(at + 72, true),
		/** millionths of the slow paths without the change, 0 if none */
		savesSlowPaths: view.getUint32(at + 76, true),
		/** enum kmem_set_by */
		setBy: view.getUint32(at + 80, true),
	} as const;
}

/** The events that a filter chose, counted from 0. */
export type Filter = ReturnType<typeof readFilter>;
export const FILTER_SIZE = 32;
export function readFilter(view: DataView, at: number) {
	return {
		/** first event of the window */
		from: view.getUint32(at + 0, true),
		/** first event after the window */
		to: view.getUint32(at + 4, true),
		/** chosen events in the window */
		events: view.getUint32(at + 8, true),
		/** of these, allocations */
		allocs: view.getUint32(at + 12, true),
		/** of these, frees */
		frees: view.getUint32(at + 16, true),
		/** events before the window that an excerpt starts with: allocations of objects that live then, and settings */
		before: view.getUint32(at + 20, true),
		/** first chosen event of the window, KMEM_NONE32 if there is none */
		first: view.getUint32(at + 24, true),
		/** last one, KMEM_NONE32 if there is none */
		last: view.getUint32(at + 28, true),
	} as const;
}

/** One number of two traces at the end, and the part of the run in which their difference changed most. */
export type DifferenceAmount = ReturnType<typeof readDifferenceAmount>;
export const DIFFERENCE_AMOUNT_SIZE = 56;
export function readDifferenceAmount(view: DataView, at: number) {
	return {
		/** of the first trace; 0 without the row */
		a: u64(view, at + 0),
		/** of the second */
		b: u64(view, at + 8),
		/** b - a */
		change: s64(view, at + 16),
		/** how much b - a changed in that part; 0: it never did */
		step: s64(view, at + 24),
		/** enum kmem_amount */
		amount: view.getUint32(at + 32, true),
		/** first event of the part in A, KMEM_NONE32 without a step */
		stepFromA: view.getUint32(at + 36, true),
		/** first event after it */
		stepEndA: view.getUint32(at + 40, true),
		/** the same in B */
		stepFromB: view.getUint32(at + 44, true),
		/** the same in B */
		stepEndB: view.getUint32(at + 48, true),
	} as const;
}

/** A row of two traces side by side. */
export type Difference = ReturnType<typeof readDifference>;
export const DIFFERENCE_SIZE = 48;
export function readDifference(view: DataView, at: number) {
	return {
		/** enum kmem_compared */
		table: view.getUint32(at + 0, true),
		/** enum kmem_changed, by the first of its amounts that changed */
		kind: view.getUint32(at + 4, true),
		/** NUL-terminated text */
		nameAt: view.getUint32(at + 8, true),
		/** of a call site, NUL-terminated text; 0: none */
		cacheAt: view.getUint32(at + 12, true),
		/** its name in B, where that is another build of the kernel, NUL-terminated text; 0: the same */
		nameInBAt: view.getUint32(at + 16, true),
		/** event of A that first used it, KMEM_NONE32 if unknown */
		firstA: view.getUint32(at + 20, true),
		/** the same in B */
		firstB: view.getUint32(at + 24, true),
		/** event of A that made its slabs or live objects most, KMEM_NONE32 if unknown */
		peakA: view.getUint32(at + 28, true),
		/** the same in B */
		peakB: view.getUint32(at + 32, true),
		/** struct kmem_difference_amount[nr_amounts] */
		amountsAt: view.getUint32(at + 36, true),
		/** 1 to 6 */
		nrAmounts: view.getUint32(at + 40, true),
	} as const;
}

/** Two traces side by side. */
export type Differences = ReturnType<typeof readDifferences>;
export const DIFFERENCES_SIZE = 24;
export function readDifferences(view: DataView, at: number) {
	return {
		/** struct kmem_difference[nr_rows], by table, the largest change first */
		rowsAt: view.getUint32(at + 0, true),
		/** rows */
		nrRows: view.getUint32(at + 4, true),
		/** u32[KMEM_COMPARE_POINTS]: the positions in A, in events done */
		atAAt: view.getUint32(at + 8, true),
		/** the same in B */
		atBAt: view.getUint32(at + 12, true),
		/** u64[][2][KMEM_COMPARE_POINTS]: each amount of COMPARED_CURVES in A and B at the positions; 0 without that row */
		curvesAt: view.getUint32(at + 16, true),
	} as const;
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

/** The proposals that have an experiment, for JOB_EXPERIMENT. */
export const SEEDS = [
	{
		id: "000",
		name: "min-partial",
		year: 2008,
		parameter: "min_partial_rule",
		title: "SLUB keeps more empty slabs for caches of larger objects",
		setup: "netio on 2 CPUs of one node, 10,000 socket buffers, 50 random seeds (10 for tables that the proposal does not have), SLAB and SLUB of 6.1. Real time: until the last CPU is done; sys time: cycles of both in the allocator",
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
		setup: "boot for memory; hackbench of 4 groups with 100 messages from each sender to each receiver on 2 CPUs (the proposal: 10,000) and, as in the guests of the real kernel, on one. Time: until the last CPU is done; cpu-clock and cycles: of both CPUs; sys: of these in the allocator",
	},
	{
		id: "004",
		name: "order",
		year: 2023,
		parameter: "order_rule",
		title: "slabs of large pages have less tail waste",
		setup: "pages of 64 KiB, 160 and 16 CPUs: boot, then hackbench of 16 groups for memory; hackbench with 2 messages from each sender to each receiver for time",
	},
] as const;

/** The columns of call sites that `slabscope sites` and the page show, by sites.def. */
export const SITE_COLUMNS = [
	{
		field: "allocations",
		key: "allocations",
		form: "COUNT",
		name: "allocations",
		title: "objects allocated",
	},
	{
		field: "frees",
		key: "frees",
		form: "COUNT",
		name: "frees",
		title: "recorded frees of these objects, wherever they were freed",
	},
	{
		field: "bytesRequested",
		key: "bytes_requested",
		form: "BYTES",
		name: "requested",
		title: "of all its allocations",
	},
	{
		field: "bytesAllocated",
		key: "bytes_allocated",
		form: "BYTES",
		name: "allocated",
		title: "of their slots",
	},
	{
		field: "liveObjects",
		key: "live_objects",
		form: "COUNT",
		name: "live objects",
		title: "objects that live at the end: the other allocations",
	},
	{
		field: "liveBytes",
		key: "live_bytes",
		form: "BYTES",
		name: "live bytes",
		title: "slots of the objects that live at the end of the trace",
	},
	{
		field: "crossCpuFrees",
		key: "cross_cpu_frees",
		form: "COUNT",
		name: "freed on another CPU",
		title: "recorded frees on another CPU than the allocation's",
	},
	{
		field: "crossNodeFrees",
		key: "cross_node_frees",
		form: "COUNT",
		name: "freed on another node",
		title: "recorded frees on a CPU of another node than the allocation's",
	},
	{
		field: "lifetimeEventsMin",
		key: "lifetime_events_min",
		form: "ID",
		name: "shortest lifetime",
		title: "the shortest",
	},
	{
		field: "lifetimeEventsMean",
		key: "lifetime_events_mean",
		form: "SOME",
		name: "mean lifetime",
		title: "events from allocation to recorded free, on average",
	},
	{
		field: "lifetimeEventsMax",
		key: "lifetime_events_max",
		form: "COUNT",
		name: "longest lifetime",
		title: "the longest",
	},
	{
		field: "lifetimeEventsP50",
		key: "lifetime_events_p50",
		form: "COUNT",
		name: "median lifetime",
		title: "half of the frees came within this; see kmem_sites.lifetime_parts",
	},
	{
		field: "lifetimeEventsP90",
		key: "lifetime_events_p90",
		form: "COUNT",
		name: "p90 lifetime",
		title: "90 of 100 frees",
	},
	{
		field: "lifetimeEventsP99",
		key: "lifetime_events_p99",
		form: "COUNT",
		name: "p99 lifetime",
		title: "99 of 100 frees",
	},
	{
		field: "leakSuspects",
		key: "leak_suspects",
		form: "SOME",
		name: "leak suspects",
		title: "live objects older than nearly all freed objects of their cache, or of many that a program never freed",
	},
	{
		field: "oldestLiveOp",
		key: "oldest_live_op",
		form: "ID",
		name: "oldest live",
		title: "allocation of the oldest live object; KMEM_NONE32 without one",
	},
	{
		field: "fragmentation",
		key: "fragmentation_percent",
		form: "PERCENT",
		name: "internal fragmentation",
		title: "share of the slots that was not requested, in hundredths of a per cent",
	},
] as const;

/** Traces that JOB_WORKLOAD makes, and their keys. */
export const WORKLOADS = [
	{
		name: "netio",
		meaning: "loopback TCP connections whose socket buffers are about a page in size, as in fio's netio job",
		keys: ["seed", "scale", "kernel", "connections", "buffers", "payload", "program_maps"],
	},
	{
		name: "kernel-build",
		meaning: "make with several jobs: compilers start, look up many paths, map memory and exit",
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

/** The functions of kmem.h, and of kmem_own.h. Pointers and u32 arrive as signed numbers: `>>> 0` before use. */
export interface KmemFunctions {
	kmem_open(base: number, size: bigint): number;
	kmem_error(s: number): number;
	kmem_fault(s: number): number;
	kmem_abi_hash(): number;
	kmem_begin(s: number, job: number, args: number): number;
	kmem_work(s: number, job: number, maxOps: number): bigint;
	kmem_import_begin(s: number): number;
	kmem_import_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_import_end(s: number): number;
	kmem_import_by_range(s: number, fileBytes: bigint): number;
	kmem_import_range(s: number): number;
	kmem_report(s: number): number;
	kmem_import_columns(s: number, mapping: number): number;
	kmem_columns(s: number): number;
	kmem_unpack_open(base: number, size: bigint): number;
	kmem_unpack_input(u: number, roomBytes: number): number;
	kmem_unpack_run(u: number, lenBytes: number, isLast: number): number;
	kmem_unpack_output(u: number): number;
	kmem_unpack_left(u: number): number;
	kmem_unpack_error(u: number): number;
	kmem_workloads_json(s: number): number;
	kmem_export(s: number, format: number, at: number, buf: number, lenBytes: number): number;
	kmem_set(s: number, key: number, value: number): number;
	kmem_preset(s: number, name: number): number;
	kmem_set_spec(s: number, spec: number): number;
	kmem_check_settings(s: number): number;
	kmem_param(s: number, key: number): number;
	kmem_params_json(s: number): number;
	kmem_machine_text(s: number): number;
	kmem_kernel(s: number): number;
	kmem_machine_state_begin(s: number): number;
	kmem_machine_state_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_machine_state_end(s: number): number;
	kmem_machine_state_use(s: number, on: number): void;
	kmem_machine_state_rows(s: number, nr: number): number;
	kmem_build(s: number, budgetBytes: bigint): number;
	kmem_nr_ops(s: number): number;
	kmem_position(s: number): number;
	kmem_seek(s: number, n: number): number;
	kmem_run(s: number, n: number, record: number): number;
	kmem_next(s: number, granularity: number, cache: number): number;
	kmem_previous(s: number, granularity: number, cache: number): number;
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
	kmem_index_bytes(s: number): bigint;
	kmem_life(s: number, cache: number, slab: number, index: number): number;
	kmem_life_rows(s: number, cache: number, slab: number, index: number, from: number, direction: number, max: number, nr: number): number;
	kmem_lifetime(s: number, op: number): number;
	kmem_alloc_at(s: number, cache: number, slab: number, index: number, op: number): number;
	kmem_levels(s: number, cache: number, nr: number): number;
	kmem_path(s: number, op: number): number;
	kmem_path_steps(s: number, op: number, nr: number): number;
	kmem_next_objects(s: number, cache: number, cpu: number, nr: number): number;
	kmem_lanes(s: number): number;
	kmem_chapters(s: number, nr: number): number;
	kmem_why_about(s: number, about: number, cache: number, kind: number, cpu: number, node: number, which: number): number;
	kmem_move(s: number, cache: number, slab: number, index: number, op: number): number;
	kmem_found(s: number): number;
	kmem_shape(s: number): number;
	kmem_measured(s: number, nr: number): number;
	kmem_import_keep(s: number, what: number): number;
	kmem_kept(s: number): number;
	kmem_pointer(s: number, op: number): bigint;
	kmem_task(s: number, op: number): number;
	kmem_filter_end(s: number): void;
	kmem_filter(s: number): number;
	kmem_symbols_begin(s: number): number;
	kmem_symbols_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_symbols_end(s: number): bigint;
	kmem_warm_use(s: number, on: number): void;
	kmem_infer_use(s: number, on: number): void;
	kmem_warm(s: number): number;
	kmem_start_from(s: number): number;
	kmem_from(s: number): number;
	kmem_from_of(s: number, cache: number): number;
	kmem_warm_text(s: number): number;
	kmem_caption(s: number, op: number): number;
	kmem_measured_text(s: number): number;
	kmem_memory(s: number, cache: number, nr: number): number;
	kmem_memory_sentences(s: number): number;
	kmem_matrix(s: number, by: number): number;
	kmem_tracks_bytes(s: number, nr: number): number;
	kmem_lookup(s: number, text: number, lenBytes: number): number;
	kmem_find_pointer(s: number, pointer: bigint, op: number, direction: number): number;
	kmem_sites(s: number): number;
	kmem_sites_why(s: number, cache: number): number;
	kmem_side_at(s: number, align: number, longest: bigint, point: number): number;
	kmem_side(s: number, part: number, lenBytes: number): number;
	kmem_compare_open(base: number, size: bigint): number;
	kmem_compare_part(c: number, which: number, part: number, op: number, lenBytes: number): number;
	kmem_compare(c: number): number;
	kmem_import_dry(s: number): number;
	kmem_fork(s: number, n: number, lines: number, lenBytes: number): number;
	kmem_fork_leave(s: number): number;
	kmem_fork_objects(s: number, max: number, nr: number): number;
	kmem_param_names_json(s: number): number;
	kmem_has_request(s: number, kind: number): number;
	kmem_cache_params_text(s: number): number;
	kmem_order_machine(s: number, rule: number, against: number, pageBytes: number, nrCpus: number, nr: number): number;
	kmem_order_machine_totals(s: number): number;
	kmem_start_key(s: number): number;
	kmem_start_limit(s: number, limit: number): void;
	kmem_start_doubt(s: number): number;
	kmem_machine_state_is_before(s: number, on: number): number;
	kmem_growth(s: number, nr: number): number;
	kmem_growth_why(s: number, i: number): number;
	kmem_machine_aliases(s: number, cache: number): number;
	kmem_state_bytes(s: number): bigint;
	kmem_fingerprints(s: number, op: number, n: number, nr: number): number;
	kmem_filter_next(s: number, op: number, direction: number, cache: number): number;
	kmem_filter_objects(s: number, cache: number, nr: number): number;
	kmem_filter_bits(s: number, op: number, nr: number): number;
	kmem_has_measure(s: number, measured: number): number;
	kmem_kernel_counters(s: number, nr: number): number;
	kmem_kernel_counters_why(s: number, row: number, i: number): number;
	kmem_unseen(s: number, nr: number): number;
	kmem_unseen_text(s: number): number;
	kmem_pprof_begin(s: number): number;
	kmem_pprof_next(s: number, nr: number): number;
	kmem_state_begin(s: number, which: number): number;
	kmem_state_chunk(s: number, bytes: number, lenBytes: number): number;
	kmem_state_end(s: number): number;
	kmem_start_names_objects(s: number): number;
	kmem_start_use(s: number, on: number): number;
	kmem_check_json(s: number, parts: number): number;
	kmem_check_divergence_json(s: number, from: number): number;
	kmem_doctor_begin(s: number): number;
	kmem_doctor_changes(s: number, nr: number): number;
	kmem_doctor_result(s: number, change: number, values: number): number;
	kmem_doctor_best(s: number, max: number, nr: number): number;
	kmem_doctor_base(s: number): number;
	kmem_experiment(s: number): number;
}
