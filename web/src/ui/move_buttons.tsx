/** The buttons that move in the trace, on the page and in an embedded passage. */

import { first, last, press, toggle, UNIT_WORDS } from "../app/playback/player.ts";
import { useFacts, useHasMoment } from "../app/state/use_facts.ts";
import { Icon, IconButton, type IconName } from "./controls.tsx";

/** `ends`: with the buttons for the first and the last event. */
export function MoveButtons({ ends = false }: { readonly ends?: boolean }) {
	const playing = useFacts((f) => f.playing);
	const ready = useHasMoment();
	const unit = useFacts((f) => UNIT_WORDS[f.unit]);
	const main = playing ? "pause" : "play";
	const button = (name: string, icon: IconName, run: () => void) => (
		<IconButton icon={icon} name={name} disabled={!ready} data-moves={icon} onClick={run} />
	);
	return (
		<>
			{ends && button("First event", "first", first)}
			{button("Previous event", "previousEvent", () => press("event", -1))}
			{button("Previous step", "previousStep", () => press("step", -1))}
			<IconButton
				className="main"
				name={playing ? "Pause" : "Play"}
				title={`${playing ? "Pause" : "Play"} by ${unit} (Space); the arrow keys go by ${unit} too`}
				disabled={!ready}
				data-moves={main}
				onClick={toggle}
			>
				<Icon name={main} />
				<span>by {unit}</span>
			</IconButton>
			{button("Next step", "nextStep", () => press("step", 1))}
			{button("Next event", "nextEvent", () => press("event", 1))}
			{ends && button("Last event", "last", last)}
		</>
	);
}
