/** Tests invariants of an object's bytes: its parts fill the slot, and the words agree with the picture. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NONE } from "../engine/frame.ts";
import { CELL } from "../engine/place_kinds.ts";
import type { ByteRun, CloseUp } from "../engine/query/close_up.ts";
import { byteAt, bytesInWords, damageWords, linkWords, partsOf, stateWords } from "./bytes.ts";

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
	bytes: [],
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

/** Parses `0-7=bb 8-8=41/6b`: what the core says about the bytes, one word per run; ?? if nobody knows. */
function runs(text: string): ByteRun[] {
	return text.split(" ").map((word) => {
		const [, from, to, found, expected] =
			/^(\d+)-(\d+)=(\w+|\?\?)(?:\/(\w+|\?\?))?$/.exec(word) ?? [];
		const byte = (hex = "??") => (hex === "??" ? -1 : Number.parseInt(hex, 16));
		return {
			from: Number(from),
			to: Number(to) + 1,
			found: byte(found),
			expected: byte(expected ?? found),
			overwritten: expected !== undefined,
		};
	});
}

describe("the parts of a slot", () => {
	it("follow one another and fill the slot, whatever the core says", () => {
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

	it("match an allocated object", () => {
		expect(partsOf(PLAIN)).toEqual([
			{ use: "asked", from: 0, to: 50 },
			{ use: "spare", from: 50, to: 64 },
		]);
		expect(stateWords(PLAIN)).toBe("allocated by CPU 3, 50 of 64 bytes requested");
	});

	it("match a free object", () => {
		expect(partsOf(FREE).map((p) => p.use)).toEqual(["free", "link", "free"]);
		expect(stateWords(FREE)).toBe("free, next on the freelist: object 5");
		expect(stateWords({ ...FREE, next: -1, pointer: "0".repeat(16) })).toBe(
			"free, last on its freelist",
		);
		expect(stateWords({ ...FREE, next: -1 })).toContain("does not lead to an object");
	});

	it("contain what the core says, and are empty where it says nothing", () => {
		const o = { ...FREE, bytes: runs("0-31=?? 32-32=ff 33-33=41/66 34-63=00") };
		expect([0, 32, 33, 63, 64].map((at) => byteAt(o, at))).toEqual(["", "ff", "41", "00", ""]);
		expect(byteAt(FREE, 32)).toBe("");
	});

	it("are named when something overwrote them", () => {
		const o = {
			...FREE,
			bytes: runs("0-4=cc 5-6=00/cc 7-7=cc 8-8=41/6b 9-9=41/a5 10-39=6b 40-47=41/?? 48-63=5a"),
		};
		expect(damageWords(o)).toEqual([
			"bytes 5 to 6 overwritten: hold 00, expected cc",
			"bytes 8 to 9 overwritten: hold 41, expected 6b a5",
			"bytes 40 to 47 overwritten: hold 41",
		]);
		expect(bytesInWords(o)).toContain("bytes 8 to 9 overwritten: hold 41, expected 6b a5");
		expect(damageWords({ ...FREE, bytes: runs("0-63=6b") })).toEqual([]);
		expect(damageWords({ ...FREE, bytes: runs("3-3=00/cc") })).toEqual([
			"byte 3 overwritten: holds 00, expected cc",
		]);
	});

	it("can be put in words", () => {
		const hardened = { ...FREE, secret: "0123456789abcdef", swapped: "80ca100000000000" };
		expect(linkWords(hardened)).toHaveLength(4);
		expect(bytesInWords(hardened)).toContain("bytes 32 to 39 free pointer");
		expect(bytesInWords(hardened)).toContain("^ 0x0123456789abcdef secret");
	});
});
