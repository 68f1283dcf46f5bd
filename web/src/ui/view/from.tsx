/** The mark of a memory figure: where it comes from, in the word of the command and with its definition. */
import { FROM_NAMES, FROM_WORDS, type From as Mark } from "#abi";
import { Terms } from "../term.tsx";
import css from "./from.module.css";

/** The same as the command's tables have it: "known_start"; "" for a number that is not memory. */
export function fromKey(of: Mark | undefined): string {
	return of === undefined ? "" : FROM_NAMES[of].replace(/^FROM_/, "").toLowerCase();
}

export function From({ of }: { readonly of: Mark }) {
	return (
		<span className={css.from} data-from={of}>
			<Terms>{FROM_WORDS[of] ?? ""}</Terms>
		</span>
	);
}
