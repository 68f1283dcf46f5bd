/** Compare, Reality: events that took effect elsewhere than their lines say, if the check inferred the order. */
import { useState } from "react";
import type { Checked, CheckedMove } from "#wasm";
import { count } from "../../../base/format.ts";
import { LinkButton } from "../../../ui/controls.tsx";
import { type Column, DataTable } from "../../../ui/table/data_table.tsx";
import { Panel } from "../../../ui/view/view.tsx";
import css from "./reality.module.css";
import { showOnStage } from "./show_on_stage.ts";

/** Rows that are shown at first. */
const FEW = 12;

export function Moves({ checked: { moved } }: { readonly checked: Checked }) {
	const [showsAll, setShowsAll] = useState(false);
	return (
		<Panel heading="Moved events">
			<p className="small quiet">
				An allocation’s line follows its effect, a free’s line precedes it, and lines of other CPUs
				may come in between. Each of these events took effect in front of another event of its
				cache.
			</p>
			<DataTable
				label="Table of the moved events"
				caption="Events that took effect elsewhere than their lines say"
				className={`stays ${css.rows}`}
				columns={COLUMNS}
				rows={showsAll ? moved : moved.slice(0, FEW)}
				keyOf={(move) => move.event}
			/>
			{moved.length > FEW && !showsAll && (
				<LinkButton onClick={() => setShowsAll(true)}>Show all {count(moved.length)}</LinkButton>
			)}
		</Panel>
	);
}

const COLUMNS: readonly Column<CheckedMove>[] = [
	{
		name: "event",
		className: css.event,
		show: (move) => (
			<LinkButton
				aria-label={`Show event ${move.event} on the stage`}
				onClick={() => void showOnStage(move)}
			>
				{count(move.event)}
			</LinkButton>
		),
	},
	{ name: "cache", show: ({ cache }) => cache },
	{ name: "effect", show: effectOf },
	{ name: "moved by", show: distanceOf },
];

function effectOf({ before_event: before, skips_nodes: skips }: CheckedMove): string {
	if (skips) return "did not search other nodes";
	return before === null ? "behind all of its cache" : `before event ${count(before)}`;
}

function distanceOf({ event, before_event: before }: CheckedMove): string {
	return before === null ? "–" : `${count(Math.abs(before - event))} events`;
}
