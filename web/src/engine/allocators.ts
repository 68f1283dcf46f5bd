/** The page's names of the allocators, by the values of the parameter `allocator`. */

export const ALLOCATORS: Readonly<Record<string, string>> = {
	slub: "SLUB",
	slab: "SLAB",
	unified: "Unified (2010 proposal)",
	slob: "SLOB",
	"slob-segregated": "SLOB, segregated (2021 proposal)",
};
