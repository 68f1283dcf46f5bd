/** The grounds of the rows and, beside them, their names, what an event that ends there costs, and how many do. */
import { count, quantity } from "../../base/format.ts";
import { type Draft, type Naming, panelOn, type RowCost } from "../draft.ts";
import type { Rect } from "../scene.ts";
import type { Plan, RowPlan } from "./plan.ts";

/** Size of the letters of a name and of the words below it, in heights of a line. */
const NAME = 0.66;
const WORDS = 0.62;
/** Height of a share's bar, and the height of a row that has room for it, in lines. */
const BAR = { h: 4, from: 2.9 };
/** A lower row has room for its name alone. */
const LOW = 1.9;
/** The least width of the words about costs. */
const WORDS_FROM = 80;

/** The bar of a row's share, the same rectangle as long as the plan stays. */
const BARS = new WeakMap<RowPlan, Rect>();

export function drawRows({ panels, source }: Draft, { rows, line }: Plan): void {
	for (const { key, band, depth } of rows)
		panels.push(panelOn(band, "row", `row:${key}`, false, depth));
	for (const row of rows) {
		const cost = costsOf(source.costs, row)[0];
		if (!cost || row.tier > 0 || row.band.h < line * BAR.from || row.label.w < WORDS_FROM) continue;
		const bar = BARS.get(row) ?? barIn(row, line);
		BARS.set(row, bar);
		panels.push(panelOn(bar, "share", `share:${row.key}`, false, cost.share / 10_000));
	}
}

function barIn({ label }: RowPlan, line: number): Rect {
	const y = Math.round(label.y + line * 2.15);
	return { x: label.x, y, w: Math.round(label.w * 0.86), h: BAR.h };
}

function costsOf(costs: readonly RowCost[] | undefined, { row: { rank } }: RowPlan): RowCost[] {
	return (costs ?? [])
		.filter((cost) => cost.rank === rank)
		.sort((a, b) => Number(a.isFar) - Number(b.isFar));
}

export function nameRows({ labels, source }: Naming, { rows, line }: Plan): void {
	const first = rows.find((row) => costsOf(source.costs, row).length > 0);
	for (const row of rows) {
		const { label, key } = row;
		if (label.w === 0) continue;
		const { name, short } = row.row;
		const isLow = label.h < line * LOW;
		const isNarrow = label.w < WORDS_FROM;
		const of = { x: label.x, w: label.w, lit: false, on: "row" as const };
		labels.push({
			...of,
			key: `row:${key}`,
			y: label.y + (isLow ? (label.h + line * NAME) / 2 - 1 : line * 0.9),
			text: isNarrow ? short : name,
			short,
			details: [],
			size: line * NAME,
			strong: true,
		});
		if (isLow) continue;
		let y = label.y + line * 1.8;
		for (const [i, details] of wordsOf(source, row, row === first).entries()) {
			if (y > label.y + label.h - 2) break;
			const size = line * WORDS;
			labels.push({ ...of, key: `cost:${key}/${i}`, y, text: "", details, size, strong: false });
			// The bar of the share stands below the first line.
			y += line * (i === 0 && !isNarrow ? 1.35 : 0.95);
		}
	}
}

/** The cost of events that end here, and their share; or a word about the row. */
function wordsOf(source: Naming["source"], row: RowPlan, isFirst: boolean): string[][] {
	const costs = row.tier > 0 ? [] : costsOf(source.costs, row);
	if (costs.length === 0) return row.row.remark === undefined ? [] : [[row.row.remark]];
	const all = costs.map(({ cycles, share, isFar }) => {
		const number = count(cycles);
		const percent = `${(share / 100).toFixed(share < 1000 ? 1 : 0)} %`;
		return isFar
			? [`elsewhere ${number} · ${percent}`, `elsewhere ${number}`, `others ${number}`, number]
			: [`${quantity(cycles, "cycle")} · ${percent}`, quantity(cycles, "cycle"), number];
	});
	return isFirst ? [...all, ["of all allocations"]] : all;
}
