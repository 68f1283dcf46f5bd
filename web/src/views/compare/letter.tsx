/** The letter of a machine, in its hue and dash. */
import { LETTERS } from "../../app/state/machine_letters.ts";
import { classes } from "../../ui/classes.ts";
import css from "./letter.module.css";

export function Letter({ nr }: { readonly nr: number }) {
	return <span className={classes(css.letter, css[`run${nr}`])}>{LETTERS[nr]}</span>;
}
