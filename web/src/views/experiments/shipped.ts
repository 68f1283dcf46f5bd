/** The core's own measurement of each proposal, made with `npm run measured` and part of the page. */
import type { Quantity, Study } from "#wasm";
import { loadCode } from "../../base/load_code.ts";

export interface Shipped {
	/** Checksum of the golden file of the experiments at the time of the measurement. */
	readonly golden: string;
	readonly figures: readonly ShippedFigure[];
}

interface ShippedFigure {
	readonly table: string;
	readonly row: string;
	readonly column: string;
	readonly ours: Quantity | null;
	readonly agrees: boolean | null;
	readonly why: string;
	readonly rule: string;
}

const FILES = import.meta.glob<{ readonly default: Shipped }>("./measured/*.json");

/** Undefined if the page has none of that proposal. */
export async function shippedOf(id: string): Promise<Shipped | undefined> {
	const load = FILES[`./measured/${id}.json`];
	return load && (await loadCode(load)).default;
}

/** The study as the measurement left it. Figures that the measurement does not have stay as they are. */
export function withShipped(study: Study, { figures }: Shipped): Study {
	const nameOf = ({ table, row, column }: Pick<ShippedFigure, "table" | "row" | "column">) =>
		JSON.stringify([table, row, column]);
	const known = new Map(figures.map((f) => [nameOf(f), f]));
	return {
		...study,
		runsDone: study.runs,
		figures: study.figures.map((figure) => {
			const found = known.get(nameOf(figure));
			if (!found) return figure;
			const { ours, agrees, why, rule } = found;
			return { ...figure, ours: ours ?? undefined, agrees: agrees ?? undefined, why, rule };
		}),
	};
}
