/**
 * The words of the stage: names, which hardly ever change and are part of the ground, and what stands behind them, which
 * changes at every moment and is drawn over all. What has room of a label is worked out when the label changes.
 */
import type { Label, Rect } from "../scene/scene.ts";
import type { Palette } from "./palette.ts";
import { TextWidths } from "./text_widths.ts";
import type { View } from "./view.ts";

const LABEL_LEAST = 9;
const LABEL_MOST = 20;
/** Of the letters' size: between a name and what stands behind it, and less than any letter is wide. */
const GAP = 0.45;
const NARROWEST = 0.2;

/** A line of letters. Two that are the same value look alike. */
export interface Word {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly look: "ink" | "soft" | "accent";
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
	readonly detail: Word | undefined;
}

export class Labels {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #family: string;
	readonly #texts = new TextWidths();
	/** By the labels' keys, in the view that was asked for last. */
	#known = new Map<string, Known>();
	#view: View | undefined;

	constructor(ctx: CanvasRenderingContext2D, { sans }: Palette) {
		this.#ctx = ctx;
		this.#family = sans;
	}

	/** What is to be read of labels; of those that stayed as they were the same values as before. */
	read(labels: readonly Label[], view: View): Words {
		if (this.#view !== view) this.#known = new Map();
		this.#view = view;
		const names: Word[] = [];
		const details: Word[] = [];
		for (const label of labels) {
			if (sizeOf(label, view) < LABEL_LEAST) continue;
			const { name, detail } = this.#wordsOf(label, view);
			if (name) names.push(name);
			if (detail) details.push(detail);
		}
		return { names, details };
	}

	#wordsOf(label: Label, view: View): Known {
		const before = this.#known.get(label.key);
		if (before && sameName(before.label, label)) {
			if (before.isTight || sameDetails(before.label, label)) return before;
		}
		const known = { label, ...this.#fit(label, view, before) };
		this.#known.set(label.key, known);
		return known;
	}

	#fit(label: Label, view: View, before: Known | undefined): Omit<Known, "label"> {
		const width = (text: string, weight: number, size: number) =>
			this.#texts.width(this.#ctx, text, weight, this.#family, size);
		const words = wordsOf(label, view, width);
		if (!words) return { name: undefined, detail: undefined, isTight: true };
		const { text, detail, detailX, isTight, ...at } = words;
		const name = wordAt({ ...at, text, look: label.lit ? "accent" : "ink" }, width);
		const behind = { ...at, x: detailX, text: detail, weight: 400, look: "soft" } as const;
		return {
			name: kept(before?.name, name),
			detail: detail === "" ? undefined : kept(before?.detail, wordAt(behind, width)),
			isTight,
		};
	}
}

function wordAt(
	word: Omit<Word, "bounds">,
	measure: (text: string, weight: number, size: number) => number,
): Word {
	const { x, y, size, text, weight } = word;
	const w = measure(text, weight, size) * 1.03 + 3;
	return { ...word, bounds: { x: x - 1, y: y - size * 1.05, w, h: size * 1.4 } };
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

/** But for the details. */
function sameName(a: Label, b: Label): boolean {
	if (a.text !== b.text || a.short !== b.short || a.size !== b.size) return false;
	return a.x === b.x && a.y === b.y && a.w === b.w && a.lit === b.lit && a.strong === b.strong;
}

function sameDetails({ details: a }: Label, { details: b }: Label): boolean {
	return a.length === b.length && a.every((words, i) => words === b[i]);
}

export function drawWord(ctx: CanvasRenderingContext2D, word: Word, palette: Palette): void {
	ctx.textBaseline = "alphabetic";
	ctx.font = `${word.weight} ${word.size}px ${palette.sans}`;
	ctx.fillStyle = palette[word.look];
	ctx.fillText(word.text, word.x, word.y);
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
	const weight = label.strong ? 600 : 500;
	const best = fitting(label, size, label.w * view.k, (text, isDetail) =>
		measure(text, isDetail ? 400 : weight, size),
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
