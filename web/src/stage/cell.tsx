/** The states of objects, with their looks, letters and words on the stage. */
import { CELL } from "../engine/place_kinds.ts";
import { classes } from "../ui/controls.tsx";
import css from "./cell.module.css";

export const STATES = [
	{ state: CELL.ALLOCATED, look: "allocated", letter: "A", words: "allocated" },
	{ state: CELL.INFERRED, look: "inferred", letter: "i", words: "inferred" },
	{ state: CELL.FREE, look: "free", letter: "f", words: "free" },
	{ state: CELL.FREE_CPU, look: "cpu", letter: "c", words: "free on a CPU" },
	{ state: CELL.FREE_SHARED, look: "shared", letter: "s", words: "shared" },
	{ state: CELL.FREE_ALIEN, look: "alien", letter: "x", words: "alien" },
] as const;

type Look = (typeof STATES)[number]["look"] | "touched" | "next" | "full" | "partial";

export const cellLook = (look: Look): string => classes(css.cell, css[look]);

/** In the legend, with the letter of its state. */
export function Cell({ look }: { readonly look: Look }) {
	return <i className={cellLook(look)}>{STATES.find((s) => s.look === look)?.letter}</i>;
}
