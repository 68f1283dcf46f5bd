/**
 * A passage of a recording inside somebody else's page: it begins at one event, ends at another, and may go round. The
 * address stays as it is, and nothing is kept: the page around is not ours.
 */
import { type Command, keepCommands } from "./commands.ts";
import { go, pause, play } from "./player.ts";
import { change, type Embed, facts, store } from "./store.ts";
import { viewOf } from "./sync.ts";
import { toQuery, type View } from "./url.ts";

/** The end stands for so long before it goes round. */
const REST_MS = 900;

/** What there is no room for, or what would lead away, has no key either. */
const PLACES = ["first", "last", "next-of-it", "previous-of-it", "birth", "death", "help"];
const HERE: readonly Command["group"][] = ["Play and step", "Look"];

/** Before anything is opened. */
export function startEmbed(embed: Embed): void {
	const { speed, theme } = embed;
	change({ embed, ...(speed > 0 ? { speed } : {}), ...(theme ? { theme } : {}) });
	keepCommands(({ id, group }) => HERE.includes(group) || PLACES.includes(id));
	const begin = () => go({ kind: "at", op: Math.max(0, embed.from), step: 0 });
	store.subscribe((now, before) => {
		const { moment, built, playing } = now;
		if (!playing || !moment || !built) return;
		const last = built.nrOps - 1;
		const to = embed.to < 0 ? last : Math.min(embed.to, last);
		const { op, step } = moment.position;
		if (op < to || (op === to && step < moment.nrSteps - 1)) return;
		// Play, pressed at the end.
		if (!before.playing) begin();
		else if (moment !== before.moment) {
			pause();
			if (op > to) go({ kind: "at", op: to, step: "last" });
			if (embed.loop) window.setTimeout(again, REST_MS, to);
		}
	});
	/** Unless somebody has gone elsewhere meanwhile. */
	const again = (to: number) => {
		if (facts().playing || facts().moment?.position.op !== to) return;
		begin();
		play();
	};
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
