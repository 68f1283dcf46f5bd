/** Tests that, at the usual size of a page, all the words on the stage can be read. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { layout } from "../../scene/layout/layout.ts";
import { makePlan } from "../../scene/layout/plan.ts";
import { rowsOf } from "../../scene/layout/rows.ts";
import { shapeOf } from "../../scene/layout/shape.ts";
import { wordsOf } from "./labels.ts";

/** The size of letters in pixels, on a page of 1440 × 900. */
const LEAST = 11;

/** What a CPU and a node have under each allocator. */
const MACHINES = {
	"SLUB 6.1": ["cpu chain", "partial full"],
	"SLUB of sheaves": ["sheaf spare", "barn empty partial full"],
	"SLUB of sheaves and cpu slabs": ["cpu chain sheaf spare", "barn empty partial full"],
	SLAB: ["array", "alien shared full partial free"],
	SLOB: ["", "small<256 small<1024 small<4096 loose"],
	Unified: ["array", "alien shared full partial transit"],
	classes: ["array", "class<64 class<128 class<256 class<512 loose"],
} as const;

let serial = 0;

function place(word: string, number: number, nrSlabs: number): string {
	const [name = "", largest] = word.split("<");
	const head = `${name}${number}`;
	const items = Array.from({ length: nrSlabs }, (_, i) => `${i}.${i}`).join(" ");
	if (/array|shared/.test(name)) return `${head}/120: ${items}`;
	if (name === "alien") return `${head}>${(number + 1) % 2}/12: ${items}`;
	if (/sheaf|spare|barn|empty/.test(name))
		return `${head}/32*${name === "empty" ? 3 : 1}: ${items}`;
	const size = largest === undefined ? "" : `<${largest}`;
	const cells = name === "full" ? "aaaa" : name === "small" ? "a58.12a512" : "aa.a";
	const all = Array.from({ length: name === "cpu" ? 1 : nrSlabs }, () => `${serial++}:${cells}`);
	return `${head}${size}: ${all.join(" ")}`;
}

function drawnOn(
	[ofCpu, ofNode]: readonly [string, string],
	[nrNodes, perNode, nrSlabs]: readonly [number, number, number],
	[width, height]: readonly [number, number],
) {
	const nodeOfCpu = Array.from({ length: nrNodes * perNode }, (_, i) => Math.floor(i / perNode));
	const nodes = Array.from({ length: nrNodes }, (_, node) => node);
	const of = (words: string, count: number) =>
		Array.from({ length: count }, (_, i) =>
			words.split(" ").flatMap((word) => (word === "" ? [] : [place(word, i, nrSlabs)])),
		).flat();
	const lines = [...of(ofCpu, nodeOfCpu.length), ...of(ofNode, nrNodes)];
	const frame = frameFromText(lines.join("\n"), nodeOfCpu);
	const shape = shapeOf(frame.places, { width, height, nodeOfCpu, nrNodes });
	const costs = rowsOf(shape).map(({ rank }) => ({ rank, isFar: false, cycles: 140, share: 1200 }));
	const { labels } = layout(makePlan(shape), {
		cache: { size: 64, minPartial: 5 },
		frame,
		zones: nodes.map((node) => ({ node, kind: 2, pages: 1000, used: 100 })),
		step: undefined,
		pageBytes: 4096,
		costs,
	});
	return labels.flatMap((label) => {
		const words = wordsOf(
			label,
			{ k: 1, x: 0, y: 0 },
			(text, _, size) => text.length * size * 0.55,
		);
		return words ? [{ key: label.key, size: words.size }] : [];
	});
}

describe("words on the stage", () => {
	for (const [name, places] of Object.entries(MACHINES))
		it(`are at least ${LEAST} px high at 1440 × 900: ${name}`, () => {
			for (const size of [
				[1060, 470],
				[1100, 490],
			] as const)
				for (const machine of [
					[1, 2, 3],
					[2, 4, 40],
					[4, 2, 9],
					[4, 40, 3],
					[16, 2, 3],
				] as const) {
					const words = drawnOn(places, machine, size);
					expect(words.length).toBeGreaterThan(4);
					expect(words.filter((word) => word.size < LEAST)).toEqual([]);
				}
		});
});
