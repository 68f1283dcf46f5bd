/** Laws of an object's bytes: its parts fill the slot, and words and pictures tell the same. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NONE } from "../engine/frame.ts";
import type { CloseUp } from "../engine/types.ts";
import { byteAt, bytesInWords, linkWords, partsOf, stateWords } from "./bytes.ts";
import { CELL } from "./kinds.ts";

const PLAIN: CloseUp = {
	cache: 0,
	serial: 4,
	index: 2,
	state: CELL.ALLOCATED,
	address: 0x10ca80,
	slot: 128,
	slotBytes: 64,
	leftBytes: 0,
	objectBytes: 64,
	rightBytes: 0,
	linkOffset: 32,
	linkBytes: 8,
	tracksOffset: 0,
	tracksBytes: 0,
	paddingOffset: 64,
	paddingBytes: 0,
	requested: 50,
	next: -1,
	stored: "",
	pointer: "",
	secret: "",
	swapped: "",
	zone: 0,
	poison: 0,
	damaged: false,
	allocSite: "",
	allocCpu: 3,
};
const FREE: CloseUp = {
	...PLAIN,
	state: CELL.FREE,
	requested: 0,
	allocCpu: NONE,
	next: 5,
	stored: "00112233445566ff",
	pointer: "000000000010cb40",
};

describe("the parts of a slot", () => {
	it("follow each other and fill it, whatever the core says", () => {
		const size = fc.integer({ min: 0, max: 300 });
		const objects = fc.record({
			slotBytes: fc.integer({ min: 8, max: 300 }),
			leftBytes: size,
			objectBytes: size,
			rightBytes: size,
			linkOffset: size,
			tracksOffset: size,
			tracksBytes: size,
			paddingOffset: size,
			paddingBytes: size,
			requested: size,
		});
		fc.assert(
			fc.property(objects, fc.constantFrom(PLAIN, FREE), (some, base) => {
				const o = { ...base, ...some };
				const parts = partsOf(o);
				expect(parts[0]?.from).toBe(0);
				expect(parts.at(-1)?.to).toBe(o.slotBytes);
				const breaks = parts.filter((p, i) => i > 0 && parts[i - 1]?.to !== p.from);
				expect(breaks).toEqual([]);
			}),
		);
	});

	it("are those of an allocated object", () => {
		expect(partsOf(PLAIN)).toEqual([
			{ use: "asked", from: 0, to: 50 },
			{ use: "spare", from: 50, to: 64 },
		]);
		expect(stateWords(PLAIN)).toBe("allocated by CPU 3, 50 of 64 bytes asked for");
	});

	it("are those of a free object, its pointer byte by byte as memory has it", () => {
		const parts = partsOf(FREE);
		expect(parts.map((p) => p.use)).toEqual(["free", "link", "free"]);
		const link = parts[1];
		if (!link) throw new Error("there is a free pointer");
		const bytes = Array.from({ length: 8 }, (_, i) => byteAt(FREE, link, link.from + i));
		expect(bytes.join(" ")).toBe("ff 66 55 44 33 22 11 00");
		expect(stateWords(FREE)).toBe("free, the next one is object 5");
	});

	it("show what debugging puts there", () => {
		const o = {
			...FREE,
			slotBytes: 96,
			leftBytes: 8,
			rightBytes: 8,
			linkOffset: 72,
			zone: 0xbb,
			poison: 0x6b,
		};
		const parts = partsOf(o);
		expect(parts.map((p) => p.use)).toEqual(["red", "free", "red", "link", "rest"]);
		const at = (i: number, byte: number) => {
			const part = parts[i];
			return part ? byteAt(o, part, byte) : "";
		};
		expect([at(0, 0), at(1, 8), at(1, 71), at(2, 72)]).toEqual(["bb", "6b", "a5", "bb"]);
	});

	it("are told in words", () => {
		const hardened = { ...FREE, secret: "0123456789abcdef", swapped: "80ca100000000000" };
		expect(linkWords(hardened)).toHaveLength(4);
		expect(bytesInWords(hardened)).toContain("bytes 32 to 39 free pointer");
		expect(bytesInWords(hardened)).toContain("^ 0x0123456789abcdef secret");
	});
});
