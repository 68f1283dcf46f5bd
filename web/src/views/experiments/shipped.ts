/** The core's own measurement of each proposal, made with `npm run measured` and part of the page. */
import type { Quantity, Study } from "#wasm";
import { loadCode } from "../../base/load_code.ts";

export interface Shipped {
	/** Checksum of the golden file of the experiments at the time of the measurement. */
	readonly golden: string;
	/** Reasons and rules, each once; the first one is empty. */
	readonly sentences: readonly string[];
	/** By table, row and column. */
	readonly figures: Readonly<Record<string, Rows>>;
}

type Rows = Readonly<Record<string, Readonly<Record<string, ShippedFigure>>>>;

/** Our value as digits, whether it agrees, and the places of its reason and its rule among the sentences. */
type ShippedFigure = readonly [
	ours: string | null,
	agrees: boolean | null,
	why: number,
	rule: number,
];

const FILES = import.meta.glob<{ readonly default: Shipped }>("./measured/*.json");

/** Undefined if the page has none of that proposal. */
export async function shippedOf(id: string): Promise<Shipped | undefined> {
	const load = FILES[`./measured/${id}.json`];
	return load && (await loadCode(load)).default;
}

/** The study as the measurement left it. Figures that the measurement does not have stay as they are. */
export function withShipped(study: Study, { figures, sentences }: Shipped): Study {
	return {
		...study,
		runsDone: study.runs,
		figures: study.figures.map((figure) => {
			const found = figures[figure.table]?.[figure.row]?.[figure.column];
			if (!found) return figure;
			const [ours, agrees, why, rule] = found;
			return {
				...figure,
				ours: ours === null ? undefined : quantityOf(ours),
				agrees: agrees ?? undefined,
				why: sentences[why] ?? "",
				rule: sentences[rule] ?? "",
			};
		}),
	};
}

function quantityOf(digits: string): Quantity {
	const decimals = digits.split(".")[1]?.length ?? 0;
	return { value: Number(digits.replace(".", "")), decimals };
}
