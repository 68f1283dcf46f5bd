/**
 * A passage of a recording inside somebody else's page: it begins at one event, ends at another, and may go round. The
 * address stays as it is, and nothing is kept: the page around is not ours.
 */
import { type Command, keepCommands } from "./commands.ts";
import { keepTo } from "./passage.ts";
import { go, play } from "./player.ts";
import { change, type Embed, facts } from "./store.ts";
import { viewOf } from "./sync.ts";
import { toQuery, type View } from "./url.ts";

/** What there is no room for, or what would lead away, has no key either. */
const PLACES = ["first", "last", "next-of-it", "previous-of-it", "birth", "death", "help"];
const HERE: readonly Command["group"][] = ["Play and step", "Look"];

/** Before anything is opened. */
export function startEmbed(embed: Embed): void {
	const { speed, theme } = embed;
	change({ embed, ...(speed > 0 ? { speed } : {}), ...(theme ? { theme } : {}) });
	keepCommands(({ id, group }) => HERE.includes(group) || PLACES.includes(id));
	keepTo({
		loop: embed.loop,
		to: () => {
			const last = (facts().built?.nrOps ?? 0) - 1;
			return embed.to < 0 ? last : Math.min(embed.to, last);
		},
		begin: () => go({ kind: "at", op: Math.max(0, embed.from), step: 0 }),
	});
}

/** Where a passage begins, if the link does not say where it is. */
export function viewOfEmbed(view: View): View {
	if (!view.embed || view.op >= 0 || view.embed.from < 0) return view;
	return { ...view, op: view.embed.from, step: 0 };
}

/** What goes round plays by itself, unless less motion is wanted. */
export function playEmbed(): void {
	const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
	if (facts().embed?.loop && !isStill) play();
}

/** The same moment on the whole page. */
export function fullAddress(): string {
	return `${location.pathname}?${toQuery(viewOf(facts()))}`;
}
