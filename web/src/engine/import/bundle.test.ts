/** Tests that bundles unpack to what was packed, and that any other file is refused in one sentence, within limits. */
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { type Bundle, packBundle, readBundle } from "./bundle.ts";

const turn = async () => {};
const bytes = (text: string) => new TextEncoder().encode(text);

const CASE: Bundle = {
	about: {
		...{ slabscope: 1, view: "v=3&event=7", of: "a.dat", event: 7, excerpt: "all" },
		...{
			state: { name: "slabinfo", used: true, warm: false },
			inferred: false,
			notes: "Look at CPU 1.",
		},
	},
	trace: bytes("slabtrace 1\n".repeat(5_000)),
	state: bytes("slabinfo - version: 2.1\n"),
};

const zip = (files: Record<string, string | Uint8Array>) =>
	new Blob([
		zipSync(
			Object.fromEntries(
				Object.entries(files).map(([name, file]) => [
					name,
					typeof file === "string" ? strToU8(file) : file,
				]),
			),
		),
	]);
const json = (more: object) => JSON.stringify({ ...CASE.about, ...more });
const trace = "slabtrace 1\n";

it("unpacks to what was packed, and its first file identifies it", async () => {
	const packed = packBundle(CASE, { "steps.csv": "a,b\r\n" });
	expect(await packed.slice(30, 44).text()).toBe("slabscope.json");
	expect(await readBundle(packed, turn)).toEqual(CASE);
});

const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`${i}.csv`, "a"]));
const HOSTILE: readonly (readonly [string, () => Blob, RegExp])[] = [
	[
		"not a zip",
		() => new Blob(["PK\u0003\u0004 and more"]),
		/slabscope.json is missing or incomplete/,
	],
	[
		"without a trace",
		() => zip({ "slabscope.json": json({}) }),
		/trace.slabtrace is missing or incomplete/,
	],
	["with too many files", () => zip(many), /more than 64 files/],
	[
		"with other JSON",
		() => zip({ "slabscope.json": "[1]", "trace.slabtrace": trace }),
		/the expected form/,
	],
	[
		"of a newer page",
		() => zip({ "slabscope.json": json({ slabscope: 2 }), "trace.slabtrace": trace }),
		/newer Slabscope/,
	],
	[
		"with a link without end",
		() => zip({ "slabscope.json": json({ view: "x".repeat(70_000) }), "trace.slabtrace": trace }),
		/does not have the expected form/,
	],
	[
		"that unpacks to far more than it holds",
		() => zip({ "slabscope.json": new Uint8Array(1_200_000) }),
		/slabscope.json is larger than 1 MiB/,
	],
];

it.each(HOSTILE)("refuses a file %s", async (_, make, sentence) => {
	const refused = readBundle(make(), turn);
	await expect(refused).rejects.toThrow(/^This bundle cannot be opened: [^.]+(\.\w[^.]*)*\.$/);
	await expect(refused).rejects.toThrow(sentence);
});

it("opens completely or is refused, wherever it is cut off", async () => {
	const packed = packBundle(CASE, {});
	for (let size = 0; size < packed.size; size += 67) {
		const read = await readBundle(packed.slice(0, size), turn).catch(
			(error: Error) => error.message,
		);
		if (typeof read === "string") expect(read).toMatch(/^This bundle cannot be opened: /);
		else expect(read).toEqual(CASE);
	}
});

it("never breaks the page, whichever byte changes", async () => {
	const packed = new Uint8Array(await packBundle(CASE, {}).arrayBuffer());
	for (let at = 0; at < packed.length; at += 53) {
		const changed = packed.slice();
		changed[at] = (changed[at] ?? 0) ^ 0x55;
		const read = await readBundle(new Blob([changed]), turn).catch((error: Error) => error.message);
		if (typeof read === "string") expect(read).toMatch(/^This bundle cannot be opened: /);
	}
});
