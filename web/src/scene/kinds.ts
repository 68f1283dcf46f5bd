/** The few numbers of the core's enums that drawing has to tell apart, under short names. */
import { Cell, PlaceKind, ZONE_KIND_WORDS } from "#abi";

export const PLACE = {
	CPU_SLAB: PlaceKind.PLACE_CPU_SLAB,
	CPU_PARTIAL: PlaceKind.PLACE_CPU_PARTIAL,
	NODE_PARTIAL: PlaceKind.PLACE_NODE_PARTIAL,
	NODE_FULL: PlaceKind.PLACE_NODE_FULL,
	TRANSIT: PlaceKind.PLACE_TRANSIT,
} as const;

export const CELL = {
	FREE: Cell.CELL_FREE,
	ALLOCATED: Cell.CELL_ALLOCATED,
	FREE_CPU: Cell.CELL_FREE_CPU,
} as const;

export function zoneName(kind: number): string {
	return ZONE_KIND_WORDS[kind] ?? `zone ${kind}`;
}
