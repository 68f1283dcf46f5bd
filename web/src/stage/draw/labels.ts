/**
 * The text of the stage. Names rarely change and are part of the ground. Details after names, and names that light
 * up, change with the position and are drawn on top. The visible part of a label is computed when the label changes.
 */
import type { Label, Rect, Scene } from "../../scene/scene.ts";
import type { Palette } from "./colours.ts";
import type { View } from "./viewport.ts";

const LABEL_LEAST = 9;
const LABEL_MOST = 20;
/** In letter sizes: the gap between a name and its details, less than the width of any text's letters. */
const GAP = 0.45;
const NARROWEST = 0.28;

/** In letter sizes: how far a plate reaches above and below the line of letters. */
const PLATE_UP = 0.9;
const PLATE_DOWN = 0.28;

/** Font weight of the details after a name. */
const DETAIL = 400;

/** A line of letters. Equal objects look the same. */
export interface Word {
	readonly text: string;
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly look: "ink" | "soft" | "accent";
	/** The surface drawn under it, which covers the same word in another look. "" draws nothing. */
	readonly plate: "" | "paper";
	/** The bounds that it never leaves. */
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
	readonly #texts: TextWidths;
	/** Lines for the labels of the last call, in the same order. */
	#known: readonly Known[] = [];
	#words: Words = { names: [], details: [] };
	#view: View | undefined;

	constructor(ctx: CanvasRenderingContext2D, { sans }: Palette) {
		this.#texts = new TextWidths(ctx, sans);
	}

	/**
	 * Returns the visible text of a scene; unchanged labels give the same objects as before. While text is held, the last text
	 * stays.
	 */
	read(scene: Pick<Scene, "labels">, view: View, areHeld: boolean): Words {
		if (!areHeld || this.#view !== view) this.#words = this.#anew(scene.labels, view);
		return this.#words;
	}

	#anew(labels: readonly Label[], view: View): Words {
		const before = this.#view === view ? this.#known : [];
		const known: Known[] = [];
		const names: Word[] = [];
		const details: Word[] = [];
		let next = 0;
		for (const label of labels) {
			// Mostly they are the same labels; one may have come or gone.
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
		// Setting a font is expensive.
		return { names: names.sort(byFont), details: details.sort(byFont) };
	}

	#fit(label: Label, view: View, before: Known | undefined): Known {
		const width = (text: string, weight: number, size: number) =>
			weight === DETAIL
				? this.#texts.ofLetters(text, weight, size)
				: this.#texts.width(text, weight, size);
		const words = wordsOf(label, view, width);
		if (label.text === "") return this.#alone(label, words, width, before);
		const plain = label.lit ? wordsOf({ ...label, lit: false }, view, width) : words;
		const name = plain && wordAt({ ...plain, look: "ink", plate: "" }, width);
		const known = { label, name: name && kept(before?.name, name) };
		if (!words) return { ...known, lit: undefined, detail: undefined, isTight: true };
		const { detail, detailX, isTight, ...at } = words;
		const lit = label.lit
			? over(
					name,
					wordAt({ ...at, look: "accent", plate: label.on === "row" ? "" : label.on }, width),
				)
			: undefined;
		const behind = { x: detailX, text: detail, weight: DETAIL, look: "soft", plate: "" } as const;
		return {
			...known,
			lit: lit && kept(before?.lit, lit),
			detail: detail === "" ? undefined : kept(before?.detail, wordAt({ ...at, ...behind }, width)),
			isTight,
		};
	}

	/** Details without a name before them are as bold as a name. */
	#alone(label: Label, words: LabelWords | undefined, width: Measure, before?: Known): Known {
		const none = { label, name: undefined, lit: undefined };
		if (!words) return { ...none, detail: undefined, isTight: true };
		const { detail, x, y, size } = words;
		const look = label.lit ? "accent" : "ink";
		const word = { text: detail, x, y, size, weight: DETAIL, look, plate: "" } as const;
		return { ...none, detail: kept(before?.detail, wordAt(word, width)), isTight: false };
	}
}

/** Measures a text in pixels. */
type Measure = (text: string, weight: number, size: number) => number;

function byFont(a: Word, b: Word): number {
	return a.size - b.size || a.weight - b.weight;
}

/** Makes a line whose plate covers another line at the same place. */
function over(other: Word | undefined, word: Word): Word {
	const w = Math.max(word.bounds.w, other?.bounds.w ?? 0);
	return { ...word, bounds: { ...word.bounds, w } };
}

function wordAt(
	{ text, x, y, size, weight, look, plate }: Omit<Word, "bounds">,
	measure: Measure,
): Word {
	const w = measure(text, weight, size) * 1.03 + 3;
	const bounds = { x: x - 1, y: y - size * 1.05, w, h: size * 1.4 };
	return { text, x, y, size, weight, look, plate, bounds };
}

/** Returns the previous line, if the new one looks the same. */
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

/** Whether two labels at one place show the same text. */
function isKnown({ label: a, isTight }: Known, b: Label): boolean {
	if (a.text !== b.text || a.short !== b.short) return false;
	if (a.lit !== b.lit || a.strong !== b.strong) return false;
	if (isTight) return true;
	return a.details.length === b.details.length && a.details.every((d, i) => d === b.details[i]);
}

/** Draws the visible lines; sets a font only when it changes. */
export function drawWords(
	ctx: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
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

/**
 * The lines on their own canvas, drawn when one of them changes: text on a canvas in the page makes the browser
 * compute the page's style first, in every frame.
 */
export class WordLayer {
	readonly #palette: Palette;
	readonly #canvas = new OffscreenCanvas(1, 1);
	readonly #ctx = this.#canvas.getContext("2d");
	#drawn: readonly Word[] = [];

	constructor(palette: Palette) {
		this.#palette = palette;
	}

	/** Draws the visible lines. The transform of the canvas is `ratio`. */
	draw(
		ctx: CanvasRenderingContext2D,
		words: readonly Word[],
		ratio: number,
		isSeen: (r: Rect) => boolean,
	): void {
		if (this.#mustDraw(ctx.canvas, words)) this.#drawAll(words, ratio);
		for (const { bounds } of words) {
			if (!isSeen(bounds)) continue;
			const x = Math.floor(bounds.x * ratio);
			const y = Math.floor(bounds.y * ratio);
			const w = Math.ceil((bounds.x + bounds.w) * ratio) - x;
			const h = Math.ceil((bounds.y + bounds.h) * ratio) - y;
			ctx.drawImage(this.#canvas, x, y, w, h, x / ratio, y / ratio, w / ratio, h / ratio);
		}
	}

	#mustDraw({ width, height }: HTMLCanvasElement, words: readonly Word[]): boolean {
		const drawn = this.#drawn;
		const isSized = this.#canvas.width === width && this.#canvas.height === height;
		if (!isSized) Object.assign(this.#canvas, { width, height });
		if (!isSized || drawn.length !== words.length) return true;
		return drawn !== words && drawn.some((word, i) => word !== words[i]);
	}

	#drawAll(words: readonly Word[], ratio: number): void {
		this.#drawn = words;
		const ctx = this.#ctx;
		if (!ctx) return;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		drawWords(ctx, words, this.#palette, () => true);
	}
}

function sizeOf(label: Label, view: View): number {
	return Math.min(LABEL_MOST, label.size * view.k);
}

interface Fitting {
	readonly text: string;
	readonly detail: string;
	/** The width of the text. */
	readonly width: number;
	/** No detail fits. */
	readonly isTight: boolean;
}

/** The part of a label that is drawn, and where. */
interface LabelWords extends Fitting {
	readonly x: number;
	readonly y: number;
	readonly size: number;
	readonly weight: number;
	readonly detailX: number;
}

/** Returns undefined if none of it can be read. */
export function wordsOf(label: Label, view: View, measure: Measure): LabelWords | undefined {
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

/** Chooses as much as fits: a short name with a number is better than a long one without. */
function fitting(
	label: Label,
	size: number,
	room: number,
	measure: (text: string, isDetail: boolean) => number,
): Fitting | undefined {
	let bare: Fitting | undefined;
	let isTight = true;
	if (label.text === "") {
		const detail = label.details.find((d) => mayFit(d, size, room) && measure(d, true) <= room);
		return detail === undefined ? undefined : { text: "", detail, width: 0, isTight };
	}
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

/** Most have far too little room, so they are not measured. */
function mayFit(text: string, size: number, room: number): boolean {
	return text.length * size * NARROWEST <= room;
}

const SIZE = 40;
const TEXTS_MOST = 4000;

export class TextWidths {
	readonly #ctx: CanvasRenderingContext2D;
	readonly #family: string;
	/** By weight and text. */
	readonly #widths = new Map<number, Map<string, number>>();

	constructor(ctx: CanvasRenderingContext2D, family: string) {
		this.#ctx = ctx;
		this.#family = family;
	}

	width(text: string, weight: number, size: number): number {
		const widths = this.#widths.get(weight) ?? new Map<string, number>();
		this.#widths.set(weight, widths);
		// Digits all have the same width, so numbers that count up are only measured once.
		const like = text.replace(/[1-9]/g, "0");
		let width = widths.get(like);
		if (width === undefined) {
			this.#ctx.font = `${weight} ${SIZE}px ${this.#family}`;
			width = this.#ctx.measureText(like).width;
			if (widths.size >= TEXTS_MOST) widths.clear();
			widths.set(like, width);
		}
		return (width * size) / SIZE;
	}

	/** Measures texts that rarely repeat: letter by letter, without kerning. */
	ofLetters(text: string, weight: number, size: number): number {
		let sum = 0;
		for (const letter of text) sum += this.width(letter, weight, size);
		return sum;
	}
}
