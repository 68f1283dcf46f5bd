/** Compare, Reality: events that took effect elsewhere than their lines say, if the check inferred the order. */
import { useState } from "react";
import type { Checked, CheckedMove } from "#wasm";
import { count } from "../../../base/format.ts";
import { Heads, LinkButton, Scrolls } from "../../../ui/controls.tsx";
import css from "./reality.module.css";
import { showOnStage } from "./show_on_stage.ts";

/** Rows that are shown at first. */
const FEW = 12;

export function Moves({ checked: { moved } }: { readonly checked: Checked }) {
	const [showsAll, setShowsAll] = useState(false);
	return (
		<section className={`card ${css.card}`} aria-label="Moved events">
			<h3>Moved events</h3>
			<p className="small quiet">
				An allocation’s line follows its effect, a free’s line precedes it, and lines of other CPUs
				may come in between. Each of these events took effect in front of another event of its
				cache.
			</p>
			<Scrolls label="Table of the moved events">
				<table className={`number stays ${css.rows}`}>
					<caption className="hidden">
						Events that took effect elsewhere than their lines say
					</caption>
					<Heads of={["event", "cache", "effect", "moved by"]} />
					<tbody>
						{(showsAll ? moved : moved.slice(0, FEW)).map((move) => (
							<tr key={move.event}>
								<th scope="row" className={css.event}>
									<LinkButton
										aria-label={`Show event ${move.event} on the stage`}
										onClick={() => void showOnStage(move)}
									>
										{count(move.event)}
									</LinkButton>
								</th>
								<td>{move.cache}</td>
								<td>{effectOf(move)}</td>
								<td>{distanceOf(move)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
			{moved.length > FEW && !showsAll && (
				<LinkButton onClick={() => setShowsAll(true)}>Show all {count(moved.length)}</LinkButton>
			)}
		</section>
	);
}

function effectOf({ before_event: before, skips_nodes: skips }: CheckedMove): string {
	if (skips) return "did not search other nodes";
	return before === null ? "behind all of its cache" : `before event ${count(before)}`;
}

function distanceOf({ event, before_event: before }: CheckedMove): string {
	return before === null ? "–" : `${count(Math.abs(before - event))} events`;
}
