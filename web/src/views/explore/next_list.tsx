/** Where the next object of a cache lands on each CPU, as a short list. Its code is fetched with the first figures. */

import { LEVEL_WORDS } from "#abi";
import { askWhy } from "../../app/playback/why.ts";
import { count, quantity } from "../../base/format.ts";
import type { NextObject } from "../../engine/types.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { Terms } from "../../ui/term.tsx";
import css from "./story.module.css";

const ROWS_MOST = 3;

/** Puts the trace's next event first, then the CPUs that have an object ready, then the others by what it costs them. */
export function inOrder(rows: readonly NextObject[]): NextObject[] {
	return rows.toSorted(
		(a, b) =>
			Number(b.isEvent) - Number(a.isEvent) ||
			a.end - b.end ||
			a.cycles - b.cycles ||
			a.cpu - b.cpu,
	);
}

/** Sums up the rows that are not shown, in one line; "" for none. */
function restWords(rows: readonly NextObject[]): string {
	if (rows.length === 0) return "";
	const cycles = rows.map((r) => r.cycles);
	const [least, most] = [Math.min(...cycles), Math.max(...cycles)];
	const range =
		least === most ? quantity(least, "cycle") : `${count(least)} to ${count(most)} cycles`;
	const atHand = rows.filter((r) => r.end === 0).length;
	const hold =
		atHand === 0
			? "none has one ready"
			: `${count(atHand)} ${atHand === 1 ? "has" : "have"} one ready`;
	return `${quantity(rows.length, "other CPU")}: ${range}, ${hold}`;
}

export function NextList({ rows }: { rows: readonly NextObject[] }) {
	const sorted = inOrder(rows);
	const rest = restWords(sorted.slice(ROWS_MOST));
	return (
		<ul className={`grid small number ${css.list}`}>
			{sorted.slice(0, ROWS_MOST).map((row) => (
				<li
					key={row.cpu}
					className={row.isEvent ? "strong" : undefined}
					title={row.isEvent ? "The next event of the trace" : undefined}
				>
					<span className={css.cpu}>
						<LinkButton
							title={`Why? CPU ${row.cpu}`}
							onClick={() => askWhy({ kind: "cpu", cpu: row.cpu })}
						>
							CPU {row.cpu}
						</LinkButton>
						{row.isEvent && <span className="hidden">, the next event of the trace</span>}
					</span>
					<span>{whereWords(row)}</span>
					<span className="quiet" title={LEVEL_WORDS[row.level]}>
						<Terms>{LEVEL_WORDS[row.level] ?? ""}</Terms>
					</span>
					<span className={css.nextListCycles}>
						{count(row.cycles)}
						<span className="hidden"> cycles</span>
					</span>
				</li>
			))}
			{rest !== "" && <li className={css.rest}>{rest}</li>}
		</ul>
	);
}

function whereWords({ slab, index }: NextObject): string {
	return slab < 0 ? "no memory" : `slab ${slab}, object ${index}`;
}
