/** Saves a blob as a file with a descriptive name. */
import { numberOf } from "../../base/numbering.ts";
import { LOCAL } from "../link/fields.ts";
import { facts } from "../state/store.ts";

/** slabscope-two-nodes-event-61-step-2-stage.svg */
export function fileName(what: string, ending: string): string {
	const { trace, moment } = facts();
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	const parts = ["slabscope", name.replace(/(\.(gz|zst|zip|xz|txt|slabtrace|csv|dat|data))+$/, "")];
	if (moment) {
		const { position, nrSteps } = moment;
		parts.push(`event-${numberOf(position.op)}`);
		if (position.step < nrSteps - 1) parts.push(`step-${numberOf(position.step)}`);
	}
	return `${[...parts, what].map(plain).filter(Boolean).join("-")}.${ending}`;
}

function plain(words: string): string {
	return words
		.replaceAll(/[^\w.]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 60);
}

/** Long enough for any browser to begin the download. */
const KEPT_MS = 60_000;

export function save(blob: Blob, name: string): void {
	const url = URL.createObjectURL(blob);
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	window.setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
