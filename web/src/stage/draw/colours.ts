/** The stage's colours, read from the style sheet's tokens, so that theme and contrast are decided in one place. */

/** The token of each colour and font. */
const TOKENS = {
	ground: "ground",
	paper: "paper",
	ink: "ink",
	soft: "ink-soft",
	line: "line",
	deep: "deep",
	path: "rule-b",
	accent: "accent",
	allocated: "cell-allocated",
	allocatedInk: "cell-allocated-ink",
	full: "cell-full",
	pip: "cell-pip",
	free: "cell-free",
	freeEdge: "cell-free-edge",
	cpuFree: "cell-cpu",
	cpuFreeEdge: "cell-cpu-edge",
	shared: "cell-shared",
	sharedEdge: "cell-shared-edge",
	alien: "cell-alien",
	alienEdge: "cell-alien-edge",
	touched: "cell-touched",
	tail: "cell-tail",
	danger: "danger",
	dangerSoft: "danger-soft",
	sans: "font-sans",
	mono: "font-mono",
} as const;

export type Palette = Readonly<Record<keyof typeof TOKENS, string>>;

export function readPalette(element: Element): Palette {
	const style = getComputedStyle(element);
	const values = Object.entries(TOKENS).map(([name, token]) => [
		name,
		style.getPropertyValue(`--${token}`).trim(),
	]);
	return Object.fromEntries(values) as Palette;
}

export type Pattern = "rising" | "falling" | "level" | "dots";

/** Makes a tile of lines or dots, for states that must be distinguishable without colour. */
export function hatch(
	ink: string,
	ground: string,
	pitch: number,
	pattern: Pattern | "cross" = "rising",
): CanvasPattern | string {
	const canvas = document.createElement("canvas");
	canvas.width = pitch;
	canvas.height = pitch;
	const ctx = canvas.getContext("2d");
	if (!ctx) return ink;
	ctx.fillStyle = ground;
	ctx.fillRect(0, 0, pitch, pitch);
	ctx.fillStyle = ink;
	ctx.strokeStyle = ink;
	ctx.lineWidth = pitch / 4;
	if (pattern === "dots") {
		ctx.fillRect(pitch * 0.3, pitch * 0.3, pitch * 0.4, pitch * 0.4);
	} else if (pattern === "level") {
		ctx.fillRect(0, pitch * 0.5, pitch, Math.max(1, pitch * 0.2));
	} else {
		ctx.beginPath();
		if (pattern !== "falling") diagonals(ctx, pitch, pitch + 1, -1);
		if (pattern !== "rising") diagonals(ctx, pitch, -1, pitch + 1);
		ctx.stroke();
	}
	return ctx.createPattern(canvas, "repeat") ?? ink;
}

function diagonals(ctx: CanvasRenderingContext2D, pitch: number, from: number, to: number): void {
	for (const shift of [-pitch, 0, pitch]) {
		ctx.moveTo(shift - 1, from);
		ctx.lineTo(shift + pitch + 1, to);
	}
}

/** "#rrggbb", or "#rgb" as style sheets shorten it, as one little-endian RGBA word, for image data. */
export function rgbaWord(hex: string): number {
	const digits = hex.length === 4 ? hex.replaceAll(/[0-9a-f]/gi, "$&$&") : hex;
	const n = Number.parseInt(digits.slice(1), 16);
	return (0xff000000 | ((n & 0xff) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
}

/** Mixes two such words. */
export function mixWords(a: number, b: number, t: number): number {
	if (t <= 0) return a;
	if (t >= 1) return b;
	const at = (shift: number) => {
		const from = (a >>> shift) & 0xff;
		return Math.round(from + (((b >>> shift) & 0xff) - from) * t) << shift;
	};
	return (at(0) | at(8) | at(16) | at(24)) >>> 0;
}
