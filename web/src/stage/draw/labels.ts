/**
 * The words of the stage: names, which hardly ever change and are part of the ground; and what changes at every moment and is
 * drawn over all: what stands behind names, and names once more where they light up. What has room of a label is worked out
 * when the label changes.
 */
import type { Label, Rect } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import { TextWidths } from "./text_widths.ts";
import type { View } from "./viewport.ts";

const LABEL_LEAST = 9;
const LABEL_MOST = 20;
/** Of the letters' size: between a name and what stands behind it, and less than letters of any text are wide. */
const GAP = 0.45;
const NARROWEST = 0.28;

/** Of the letters' size: a plate reaches so far over the line that they stand on, and below it. */
const PLATE_UP = 0.9;
const PLATE_DOWN = 0.28;

/** Weight of what stands behind a name. */
const DETAIL = 400;

/** A line of letters. Two that are the same value look alike. */
export interface Word {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly look: "ink" | "soft" | "accent";
	/** What it stands on, laid under it: it covers the same word of another look. "" lays nothing. */
	readonly plate: "" | "paper" | "ground";
	/** It does not reach out of this. */
	readonly bounds: Rect;
}

export interface Words {
	readonly names: readonly Word[];
	readonly details: readonly Word[];
}

interface Known {
	readonly label: Label;
	readonly isTight: boolean;
	readonly name: Word | undefined;
	/** The name as it lights up. */
	readonly lit: Word | undefined;
	readonly detail: Word | undefined;
}

export class Labels {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #family: string;
	readonly #texts = new TextWidths();
	/** Of the labels that were asked for last, in their order. */
	#known: readonly Known[] = [];
	#words: Words = { names: [], details: [] };
	#view: View | undefined;

	constructor(ctx: CanvasRenderingContext2D, { sans }: Palette) {
		this.#ctx = ctx;
		this.#family = sans;
	}

	/**
	 * What is to be read of labels; of those that stayed as they were the same values as before. While words are held that is
	 * what was to be read last.
	 */
	read(labels: readonly Label[], view: View, areHeld: boolean): Words {
		if (!areHeld || this.#view !== view) this.#words = this.#anew(labels, view);
		return this.#words;
	}

	#anew(labels: readonly Label[], view: View): Words {
		const before = this.#view === view ? this.#known : [];
		const known: Known[] = [];
		const names: Word[] = [];
		const details: Word[] = [];
		let next = 0;
		for (const label of labels) {
			// Mostly they are the same ones; one may have come or gone.
			let now = before[next];
			if (now?.label === label) next++;
			else {
				if (sizeOf(label, view) < LABEL_LEAST) continue;
				if (!isAt(now, label)) now = isAt(before[next + 1], label) ? before[++next] : undefined;
				if (now) next++;
				if (!now || !isKnown(now, label)) now = this.#fit(label, view, now);
			}
			known.push(now);
			if (now.name) names.push(now.name);
			if (now.lit) details.push(now.lit);
			if (now.detail) details.push(now.detail);
		}
		this.#view = view;
		this.#known = known;
		return { names, details };
	}

	#fit(label: Label, view: View, before: Known | undefined): Known {
		const width = (text: string, weight: number, size: number) =>
			weight === DETAIL
				? this.#texts.ofLetters(this.#ctx, text, weight, this.#family, size)
				: this.#texts.width(this.#ctx, text, weight, this.#family, size);
		const words = wordsOf(label, view, width);
		const plain = label.lit ? wordsOf({ ...label, lit: false }, view, width) : words;
		const name = plain && wordAt({ ...plain, look: "ink", plate: "" }, width);
		const known = { label, name: name && kept(before?.name, name) };
		if (!words) return { ...known, lit: undefined, detail: undefined, isTight: true };
		const { detail, detailX, isTight, ...at } = words;
		const lit = label.lit
			? over(name, wordAt({ ...at, look: "accent", plate: label.on }, width))
			: undefined;
		const behind = { x: detailX, text: detail, weight: DETAIL, look: "soft", plate: "" } as const;
		return {
			...known,
			lit: lit && kept(before?.lit, lit),
			detail: detail === "" ? undefined : kept(before?.detail, wordAt({ ...at, ...behind }, width)),
			isTight,
		};
	}
}

/** A word whose plate covers another one at the same place. */
function over(other: Word | undefined, word: Word): Word {
	const w = Math.max(word.bounds.w, other?.bounds.w ?? 0);
	return { ...word, bounds: { ...word.bounds, w } };
}

function wordAt(
	{ text, x, y, size, weight, look, plate }: Omit<Word, "bounds">,
	measure: (text: string, weight: number, size: number) => number,
): Word {
	const w = measure(text, weight, size) * 1.03 + 3;
	const bounds = { x: x - 1, y: y - size * 1.05, w, h: size * 1.4 };
	return { text, x, y, size, weight, look, plate, bounds };
}

/** The one before, where the other looks the same. */
function kept(before: Word | undefined, now: Word): Word {
	const isSame =
		before?.text === now.text &&
		before.look === now.look &&
		before.weight === now.weight &&
		before.size === now.size &&
		before.x === now.x &&
		before.y === now.y;
	return isSame ? before : now;
}

function isAt(known: Known | undefined, { x, y, w, size }: Label): boolean {
	if (!known) return false;
	const { label } = known;
	return label.x === x && label.y === y && label.w === w && label.size === size;
}

/** Whether of a label at the same place the same can be read. */
function isKnown({ label: a, isTight }: Known, b: Label): boolean {
	if (a.text !== b.text || a.short !== b.short) return false;
	if (a.lit !== b.lit || a.strong !== b.strong) return false;
	if (isTight) return true;
	return a.details.length === b.details.length && a.details.every((d, i) => d === b.details[i]);
}

/** Those that are to be seen, line by line: a font that was set is set no second time. */
export function drawWords(
	ctx: CanvasRenderingContext2D,
	words: readonly Word[],
	palette: Palette,
	isSeen: (r: Rect) => boolean,
): void {
	ctx.textBaseline = "alphabetic";
	let [size, weight, look] = [0, 0, ""];
	for (const word of words) {
		if (!isSeen(word.bounds)) continue;
		if (word.plate !== "") {
			ctx.fillStyle = palette[word.plate];
			look = "";
			const { x, w } = word.bounds;
			ctx.fillRect(x, word.y - word.size * PLATE_UP, w, word.size * (PLATE_UP + PLATE_DOWN));
		}
		if (word.size !== size || word.weight !== weight)
			ctx.font = `${word.weight} ${word.size}px ${palette.sans}`;
		if (word.look !== look) ctx.fillStyle = palette[word.look];
		({ size, weight, look } = word);
		ctx.fillText(word.text, word.x, word.y);
	}
}

function sizeOf(label: Label, view: View): number {
	return Math.min(LABEL_MOST, label.size * view.k);
}

/** Of a label what is drawn of it, and where. */
export interface LabelWords {
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly text: string;
	readonly detail: string;
	readonly detailX: number;
	/** There is no room for any detail. */
	readonly isTight: boolean;
}

/** Undefined where nothing of it can be read. */
export function wordsOf(
	label: Label,
	view: View,
	measure: (text: string, weight: number, size: number) => number,
): LabelWords | undefined {
	const size = sizeOf(label, view);
	if (size < LABEL_LEAST) return undefined;
	const x = label.x * view.k + view.x;
	const y = label.y * view.k + view.y;
	const weight = label.strong || label.lit ? 600 : 500;
	const best = fitting(label, size, label.w * view.k, (text, isDetail) =>
		measure(text, isDetail ? DETAIL : weight, size),
	);
	return best && { x, y, size, weight, ...best, detailX: x + best.width + size * GAP };
}

interface Fitting {
	readonly text: string;
	readonly detail: string;
	/** Of the text. */
	readonly width: number;
	/** There is none for any detail. */
	readonly isTight: boolean;
}

/** As much as there is room for: rather a short name with a number than a long one without. */
function fitting(
	label: Label,
	size: number,
	room: number,
	measure: (text: string, isDetail: boolean) => number,
): Fitting | undefined {
	let bare: Fitting | undefined;
	let isTight = true;
	for (const text of [label.text, label.short ?? ""]) {
		if (text === "" || !mayFit(text, size, room)) continue;
		const width = measure(text, false);
		if (width > room) continue;
		bare ??= { text, detail: "", width, isTight };
		if (label.shortAlone && text === label.short) continue;
		const left = room - width - size * GAP;
		const detail = label.details.find((d) => mayFit(d, size, left) && measure(d, true) <= left);
		if (detail !== undefined) return { text, detail, width, isTight: false };
		isTight &&= !mayFit("0", size, left);
	}
	return bare && { ...bare, isTight };
}

/** Most have far too little room: no need to measure. */
function mayFit(text: string, size: number, room: number): boolean {
	return text.length * size * NARROWEST <= room;
}
