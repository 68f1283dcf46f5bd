/** The two futures of a forked trace: the recorded one and the visitor's own. */

import { compareFutures, leaveFork, showFuture } from "../../app/sandbox/fork.ts";
import type { Sandbox as Model } from "../../app/state/sandbox_text.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { LinkButton } from "../../ui/controls.tsx";
import css from "./sandbox.module.css";

export function Futures({ sandbox }: { sandbox: Model }) {
	const future = useFacts((f) => f.future);
	const isYours = future === "yours";
	return (
		<div className={css.futures} data-part="futures">
			<p>
				Branched after event {count(sandbox.after)}. Up to there both futures are the recorded
				trace.
			</p>
			<fieldset className={css.switch} aria-label="Future">
				<button type="button" aria-pressed={!isYours} onClick={() => void showFuture("recorded")}>
					Recorded
				</button>
				<button type="button" aria-pressed={isYours} onClick={() => void showFuture("yours")}>
					Yours, {quantity(sandbox.acts.length, "action")}
				</button>
			</fieldset>
			<p className={css.ways}>
				<LinkButton onClick={() => compareFutures()}>Compare both futures</LinkButton>
				<LinkButton onClick={() => void leaveFork()}>Discard the branch</LinkButton>
			</p>
		</div>
	);
}
