/** A proposal's figures beside a real kernel's and those that this browser has just measured. */
import { useEffect, useRef, useState } from "react";
import type { Figures } from "../engine/quiz.ts";
import { metricsOf } from "../player/compare.ts";
import { bytes, count } from "../player/format.ts";
import { sentenceOf } from "../player/player.ts";
import { figuresAt } from "./places.ts";
import tables from "./seed_tables.json";
import { useSeen } from "./use_seen.ts";

/** What a row of seed_tables.json measures: one figure, or one per another. */
export interface Measure {
	readonly trace: string;
	readonly machine: string;
	readonly figure: string;
	readonly per?: string;
}

export interface SeedRow extends Measure {
	readonly label: string;
	/** "" where the proposal, or the real kernel, has no such figure. */
	readonly seed: string;
	readonly real: string;
}

export interface Seed {
	readonly title: string;
	readonly note: string;
	readonly rows: readonly SeedRow[];
}

export const SEEDS: Readonly<Record<string, Seed | undefined>> = tables;

export function SeedTable({ seed }: { readonly seed: string }) {
	const table = SEEDS[seed];
	const box = useRef<HTMLElement>(null);
	const seen = useSeen(box);
	const { measured, sentence } = useMeasured(table, seen);
	if (!table) return <p className="danger">There is no table for seed {seed}.</p>;
	const hasReal = table.rows.some((row) => row.real !== "");
	return (
		<figure className="seed-table" ref={box}>
			<table>
				<caption className="strong">{table.title}</caption>
				<thead>
					<tr>
						<th scope="col">
							<span className="hidden">What</span>
						</th>
						<th scope="col" className="number">
							the proposal
						</th>
						{hasReal && (
							<th scope="col" className="number">
								Linux 6.1
							</th>
						)}
						<th scope="col" className="number">
							this browser
						</th>
					</tr>
				</thead>
				<tbody>
					{table.rows.map((row, i) => (
						<tr key={row.label}>
							<th scope="row">{row.label}</th>
							<td className="number">{row.seed || "–"}</td>
							{hasReal && <td className="number">{row.real || "–"}</td>}
							<td className="number strong">{measured[i] ?? "…"}</td>
						</tr>
					))}
				</tbody>
			</table>
			<figcaption className="quiet">{table.note}</figcaption>
			{sentence !== "" && <p className="danger">{sentence}</p>}
		</figure>
	);
}

function useMeasured(table: Seed | undefined, wanted: boolean) {
	const [found, setFound] = useState<{ measured: readonly string[]; sentence: string }>({
		measured: [],
		sentence: "",
	});
	useEffect(() => {
		if (!table || !wanted) return;
		let gone = false;
		const ask = async () => {
			const measured: string[] = [];
			for (const row of table.rows) {
				const words = inWords(row, await figuresAt(row));
				if (gone) return;
				measured.push(words);
				setFound({ measured: [...measured], sentence: "" });
			}
		};
		ask().catch((error) => gone || setFound({ measured: [], sentence: sentenceOf(error) }));
		return () => {
			gone = true;
		};
	}, [table, wanted]);
	return found;
}

/** Of what a recording comes to, by the name of Compare's table; and what only the whole has. */
export function figureOf({ totals, nrOps }: Figures, name: string): number {
	if (name === "operations") return nrOps;
	if (name === "searches") return totals.searches;
	return (
		metricsOf([totals])
			.find((m) => m.name === name)
			?.of(totals) ?? 0
	);
}

export function inWords({ figure, per }: Measure, figures: Figures): string {
	const value = figureOf(figures, figure);
	if (per === undefined)
		return figure === "bytes in slabs" || figure === "ends of slabs" ? bytes(value) : count(value);
	const share = value / Math.max(1, figureOf(figures, per));
	if (per === "any-node searches") return share === 0 ? "1:0" : `1:${share.toFixed(2)}`;
	return share.toFixed(1);
}
