/** The mark of a memory figure: where it comes from, in the word of the command and with its definition. */
import { FROM_WORDS, type From as Mark } from "#abi";
import { Terms } from "../term.tsx";
import css from "./from.module.css";

export function From({ of }: { readonly of: Mark }) {
	return (
		<span className={css.from} data-from={of}>
			<Terms>{FROM_WORDS[of] ?? ""}</Terms>
		</span>
	);
}
