/** The first divergence of each machine from the machine on the stage. */
import { go } from "../../app/playback/player.ts";
import { LETTERS } from "../../app/state/machine_letters.ts";
import { eventWords, numberOf } from "../../base/numbering.ts";
import type { Comparison, Divergence } from "../../engine/answers.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { Panel } from "../../ui/view/view.tsx";
import css from "./divergences.module.css";
import { Letter } from "./letter.tsx";

export function Divergences({ divergences, runs }: Comparison) {
	return (
		<Panel heading="First divergence of each machine from A" label="First divergence">
			<ul className={css.list}>
				{divergences.map((divergence, i) => (
					<li key={LETTERS[i + 1]}>
						<OfMachine
							nr={i + 1}
							divergence={divergence}
							hasOwnTrace={runs[i + 1]?.trace !== undefined}
						/>
					</li>
				))}
			</ul>
		</Panel>
	);
}

interface OfMachineProps {
	readonly nr: number;
	readonly divergence: Divergence | null;
	readonly hasOwnTrace: boolean;
}

function OfMachine({ nr, divergence, hasOwnTrace }: OfMachineProps) {
	if (hasOwnTrace)
		return (
			<p>
				<Letter nr={nr} /> {LETTERS[nr]} replays another trace, so its decisions have no counterpart
				on A.
			</p>
		);
	if (!divergence)
		return (
			<p>
				<Letter nr={nr} /> None: {LETTERS[nr]} decides like A to the end of the trace.
			</p>
		);
	const { op, step, nrSteps, sentences, reasons } = divergence;
	const [mine, theirs] = sentences;
	return (
		<>
			<div className="panel-head">
				<h4>
					<Letter nr={nr} /> {eventWords(op)}, step {numberOf(step)}
				</h4>
				{mine !== "" && (
					<LinkButton
						aria-label={`Go to ${eventWords(op)}, where ${LETTERS[nr]} differs first`}
						onClick={() => go({ kind: "at", op, step: step < nrSteps ? step : "last" })}
					>
						Go to {eventWords(op)}
					</LinkButton>
				)}
			</div>
			{mine === theirs && <p>{mine}</p>}
			{[mine, theirs].map((sentence, i) => (
				<p key={i === 0 ? "A" : LETTERS[nr]}>
					<Letter nr={i === 0 ? 0 : nr} /> {mine !== theirs && sentence} {reasons[i]}
				</p>
			))}
		</>
	);
}
