/**
 * The welcome of a first visit: what it shows, and two ways to continue; below the stage, or beside the buttons on a
 * narrow page.
 */

import { allocatorOf, change } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { modelWords, presetInForce, startTour, welcomeSentence } from "../app/trace/actions.ts";
import css from "./stage.module.css";

export function Welcome() {
	const sample = useFacts((f) => f.samples.find((s) => s.file === f.trace));
	const cache = useFacts((f) => f.built?.caches.find((c) => c.name === f.cache));
	const model = useFacts((f) => modelWords(allocatorOf(f.built), presetInForce(f)));
	return (
		<p className={css.welcome}>
			{welcomeSentence(sample, cache, model)} <WaysOn />
		</p>
	);
}

/** A short form: below the stage it would be out of view. It has two lines from the start. */
export function WelcomeNearby() {
	const nothing = useFacts((f) => f.built === null && f.error === "");
	const welcome = useFacts((f) => f.welcome && f.built !== null && f.tab === "explore");
	const kernel = useFacts((f) => f.samples.find((s) => s.file === f.trace)?.kernel);
	if (nothing)
		return (
			<p className={css.welcomeNearby}>
				The Linux slab allocators, made visible. A trace of a real machine is being opened.
			</p>
		);
	if (!welcome || !kernel) return null;
	return (
		<p className={css.welcomeNearby}>
			A real Linux {kernel}, replayed: each tile is a slab, each cell in it an object. <WaysOn />
		</p>
	);
}

function WaysOn() {
	const toured = useFacts((f) => f.toured);
	return (
		<>
			{!toured && (
				<>
					<button type="button" className="link" onClick={startTour}>
						Show me around
					</button>{" "}
				</>
			)}
			<button
				type="button"
				className="link"
				onClick={() => change({ welcome: false, toured: true })}
			>
				Got it
			</button>
		</>
	);
}
