/**
 * A passage of a trace in another page: it starts at one event, ends at another, and may repeat. No button, key or
 * click leads out of it. The address stays the same and nothing is kept, because the page around it is not ours.
 */

import { type Command, keepCommands } from "../app/commands/commands.ts";
import { addressTo } from "../app/link/address.ts";
import { toQuery, type View, viewOf } from "../app/link/url.ts";
import { keepTo } from "../app/playback/passage.ts";
import { confineTo, go, play } from "../app/playback/player.ts";
import { change, type Embed, facts, type Range } from "../app/state/store.ts";

/** Commands for which there is no room, or that would lead away, have no key either. */
const PLACES = ["first", "last", "next-of-it", "previous-of-it", "birth", "death", "help"];
const HERE: readonly Command["group"][] = ["Play and step", "Look"];

/** Call before anything is opened. */
export function startEmbed(embed: Embed): void {
	const { speed, theme } = embed;
	change({ embed, ...(speed > 0 ? { speed } : {}), ...(theme ? { theme } : {}) });
	keepCommands(({ id, group }) => HERE.includes(group) || PLACES.includes(id));
	const passage = () => passageIn(embed, facts().built?.nrOps ?? 0);
	if (embed.from >= 0 || embed.to >= 0) confineTo(passage);
	keepTo({
		loop: embed.loop,
		to: () => passage().to,
		begin: () => go({ kind: "at", op: passage().from, step: 0 }),
	});
}

/** Returns as much of the passage as the trace has. */
function passageIn({ from, to }: Embed, nrOps: number): Range {
	const last = Math.max(0, nrOps - 1);
	return { from: Math.min(Math.max(0, from), last), to: to < 0 ? last : Math.min(to, last) };
}

/** Says where a passage starts, if the link does not give a position. */
export function viewOfEmbed(view: View): View {
	if (!view.embed || view.op >= 0 || view.embed.from < 0) return view;
	return { ...view, op: view.embed.from, step: 0 };
}

/** A repeating passage plays by itself, unless reduced motion is preferred. */
export function playEmbed(): void {
	const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
	if (facts().embed?.loop && !isStill) play();
}

/** Returns the address of the same position on the whole page. */
export function fullAddress(): string {
	return addressTo(toQuery(viewOf(facts())), location);
}
