// studies.test.ts - the proposals' experiments give the same figures here as natively (core/test/golden/seeds.txt), in
// slices of any size.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type Figure, KmemError, KmemSession, quantityText, SEEDS } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

const GOLDEN = new URL("../../core/test/golden/seeds.txt", import.meta.url);

/** The same line as in core/test/session/experiment_test.c. */
function line(id: string, scale: number, figure: Figure): string {
	const agrees = figure.agrees === undefined ? "-" : figure.agrees ? "yes" : "no";
	const ours = figure.ours ? `${figure.ours.value}/${figure.ours.decimals}` : "-";
	const place = [id, scale, figure.table, figure.row, figure.column].join(" | ");
	return `${place} | ${ours} | ${agrees} | ${figure.why}`;
}

it("give the same figures as natively", async () => {
	// The study of min_partial takes as long as all others together; LONG=1 runs it too.
	const isRun = (id: string) => id !== "000" || process.env.LONG === "1";
	const wanted = readFileSync(GOLDEN, "utf8")
		.trim()
		.split("\n")
		.filter((row) => isRun(row.slice(0, 3)));
	const parts = new Map(wanted.map((row) => [row.slice(0, 3), Number(row.split(" | ")[1])]));
	expect([...parts.keys()]).toEqual(SEEDS.map(({ id }) => id).filter(isRun));
	const session = await KmemSession.open(await loadModule());
	const found: string[] = [];
	for (const [id, scale] of parts) {
		const left = [...session.studies.slices(id, 50_000, scale)];
		expect(left.every((part) => part > 0 && part <= 1000)).toBe(true);
		expect(session.studies.current().runsDone).toBe(session.studies.current().runs);
		found.push(...session.studies.current().figures.map((figure) => line(id, scale, figure)));
	}
	expect(found).toEqual(wanted);
});

it("has the proposals' figures before anything has been measured", async () => {
	const session = await KmemSession.open(await loadModule());
	for (const { id, title, year } of SEEDS) {
		session.studies.slices(id).next();
		const study = session.studies.current();
		expect(study).toMatchObject({ id, title, year });
		expect(study.figures.some(({ seed }) => seed !== undefined)).toBe(true);
		expect(study.figures.every(({ ours, why }) => ours === undefined && why === "")).toBe(true);
	}
});

it("prints numbers as the proposal does", async () => {
	expect(quantityText({ value: 2346, decimals: 2 })).toBe("23.46");
	expect(quantityText({ value: -35, decimals: 2 })).toBe("-0.35");
	expect(quantityText({ value: 4141798, decimals: 0 })).toBe("4,141,798");
	const session = await KmemSession.open(await loadModule());
	expect(() => session.studies.slices("005").next()).toThrow(KmemError);
});
