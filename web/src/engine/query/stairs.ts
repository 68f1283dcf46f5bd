/** The levels of a cache's places: the kinds of places that each covers, as numbers instead of bits. */
import { PLACE_KIND_WORDS } from "#abi";
import type { KmemSession } from "#wasm";
import type { Stair } from "../types.ts";

export function stairsOf(session: KmemSession, cache: number): Stair[] {
	return session.stairs(cache).map(({ places, ...stair }) => ({
		...stair,
		kinds: PLACE_KIND_WORDS.flatMap((_, kind) =>
			Math.floor(places / 2 ** kind) % 2 === 1 ? [kind] : [],
		),
	}));
}
