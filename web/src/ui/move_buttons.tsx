/** The buttons that move in the trace, on the page and in an embedded passage. */

import { first, last, press, toggle } from "../app/playback/player.ts";
import { useFacts, useHasMoment } from "../app/state/use_facts.ts";
import { IconButton } from "./controls.tsx";
import type { IconName } from "./icons.tsx";

/** `ends`: with the buttons for the first and the last event. */
export function MoveButtons({ ends = false }: { readonly ends?: boolean }) {
	const playing = useFacts((f) => f.playing);
	const ready = useHasMoment();
	const button = (name: string, icon: IconName, run: () => void, kind = "") => (
		<IconButton
			className={kind}
			icon={icon}
			name={name}
			disabled={!ready}
			data-moves={icon}
			onClick={run}
		/>
	);
	return (
		<>
			{ends && button("First event", "first", first)}
			{button("Previous event", "previousEvent", () => press("event", -1))}
			{button("Previous step", "previousStep", () => press("step", -1))}
			{button(playing ? "Pause" : "Play", playing ? "pause" : "play", toggle, "main")}
			{button("Next step", "nextStep", () => press("step", 1))}
			{button("Next event", "nextEvent", () => press("event", 1))}
			{ends && button("Last event", "last", last)}
		</>
	);
}
