/** The functions of SLOB and of segregated SLOB. */
import { LARGE, type Program, procedure } from "./program.ts";

const PAGES = [
	procedure(
		"slob_new_pages __alloc_pages",
		"take pages:",
		"  from the page allocator @ PAGES_ALLOC",
		"  refused? @ PAGES_REFUSED",
		"  too large for a shared page: that is all @ RUN_ALLOC",
		"  else a new page for all caches @ PAGE_NEW",
	),
	procedure(
		"slob_free_pages __free_pages",
		"free pages:",
		"  a shared page that is entirely free @ PAGE_FREE",
		"  or the pages of one large object @ RUN_FREE",
		"  to the page allocator @ PAGES_FREE",
	),
	LARGE,
	procedure(
		"__kmem_cache_create",
		"lay a cache out:",
		"  size and alignment, no slabs of its own @ CACHE_WITHOUT_SLABS",
	),
];

export const SLOB: Program = {
	version: "as in Linux 6.1, in our words",
	procedures: [
		procedure(
			"slob_alloc",
			"allocate some units:",
			"  small, medium or large list? @ LIST_CHOOSE",
			"  for each page of it, from the head:",
			"    wrong node or too little free? next @ NEXT_PAGE",
			"    look into the page, block by block",
			"    found: the next search begins at this page @ ROTATE",
			"    page full? take it off the list @ PAGE_OFF_LIST",
			"  no page will do: a new one",
			"    no memory? the allocation fails @ ALLOC_FAILED",
			"    to the head of the list @ PAGE_TO_LIST_HEAD",
		),
		procedure(
			"slob_page_alloc",
			"first fit in one page, in address order:",
			"  for each free block:",
			"    too small, alignment included? next @ BLOCK_TOO_SMALL",
			"    it fits @ BLOCK_FITS",
			"      keep a head fragment, to align @ BLOCK_SPLIT_HEAD",
			"      exactly? unlink it @ BLOCK_EXACT",
			"      larger? take its low part @ BLOCK_SPLIT",
		),
		procedure(
			"__do_kmalloc_node kmalloc",
			"kmalloc: ask for 8 bytes more",
			"  write the size before the object @ HEADER_WRITE",
		),
		procedure(
			"slob_free set_slob_page_free clear_slob_page_free",
			"free a block:",
			"  page entirely free now? take it off its list @ PAGE_OFF_LIST",
			"    and free it",
			"  page was full? this is its only free block @ PAGE_UNFULL",
			"    to the head of the list for this size @ PAGE_TO_LIST_HEAD",
			"  else insert it in address order @ BLOCK_PUT",
			"    merge with the block behind it @ COALESCE_NEXT",
			"    and with the one before @ COALESCE_PREVIOUS",
		),
		...PAGES,
	],
};

export const SEGREGATED: Program = {
	version: "the 2021 proposal, in our words",
	procedures: [
		procedure(
			"slob_alloc",
			"allocate an object:",
			"  the least power of two that holds it @ CLASS_CHOOSE",
			"  no page of that class and node? a new one",
			"    no memory? the allocation fails @ ALLOC_FAILED",
			"  the first page's first free object @ CLASS_POP",
		),
		procedure(
			"slob_free",
			"free an object:",
			"  put it at the head of its page's freelist @ CLASS_PUSH",
			"  page entirely free now? free the page",
		),
		procedure(
			"set_slob_page_free clear_slob_page_free",
			"a page is on the list of its node and class",
			"  while it has a free object, new pages first @ PAGE_TO_LIST_HEAD",
			"  but not when it is full, or entirely free @ PAGE_OFF_LIST",
		),
		...PAGES,
	],
};
