/** Tests that the experiments' findings agree with their figures, and that the shipped figures match the core's. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { KmemSession, SEEDS, type Study } from "#wasm";
import { loadModule } from "../../../../../wasm/src/node.ts";
import {
	FINDINGS,
	type Finding,
	findingOf,
	plotted,
	valueOfName,
} from "../../experiments/findings.ts";
import { type Shipped, withShipped } from "../../experiments/studies.tsx";
import { numbersIn } from "./numbers_in_text.ts";

const GOLDEN = readFileSync(
	new URL("../../../../../core/test/golden/seeds.txt", import.meta.url),
	"utf8",
);
const shippedOf = (id: string) =>
	JSON.parse(
		readFileSync(new URL(`../../experiments/measured/${id}.json`, import.meta.url), "utf8"),
	) as Shipped;

let session: KmemSession;
beforeAll(async () => {
	session = await KmemSession.open(await loadModule());
});

function begun(id: string): Study {
	session.studies.slices(id).next();
	return session.studies.current();
}

describe.each(SEEDS.map(({ id }) => id))("the experiment %s", (id) => {
	const finding = FINDINGS[id] as Finding;

	it("has a finding whose numbers are among its figures, and whose words hold", () => {
		const { figures } = withShipped(begun(id), shippedOf(id));
		const sentence = findingOf(figures, finding);
		expect(sentence).toMatch(/^[A-Z].*\d.*\.$/);
		expect(sentence.match(/[.!?](?= )/g), "one sentence").toBeNull();
		expect(sentence.split(" ").length).toBeLessThanOrEqual(40);
		const keys = Object.values(finding.numbers).join(" ").toLowerCase();
		// Numbers outside the figures belong to the names of figures: "192 threads".
		for (const { words } of numbersIn(finding.words.replaceAll(/\{[^}]*\}/g, "")))
			expect(keys).toContain(words.toLowerCase());
		for (const names of finding.ascending) {
			const values = names.map((name) => valueOfName(figures, name) ?? Number.NaN);
			expect(values, names.join(" < ")).toEqual(values.toSorted((a, b) => a - b));
			expect(new Set(values).size).toBe(values.length);
		}
	});

	it("has no finding until it is measured", () => {
		expect(findingOf(begun(id).figures, finding)).toBe("");
	});

	it("plots rows with at least two values, one of them ours", () => {
		const { figures } = withShipped(begun(id), shippedOf(id));
		for (const { rows } of finding.plots)
			for (const row of rows) {
				expect(plotted(figures, row, "ours"), row.label).toBeDefined();
				const others = [plotted(figures, row, "proposal"), plotted(figures, row, "real")];
				expect(
					others.some((v) => v !== undefined),
					row.label,
				).toBe(true);
			}
	});

	it("ships the figures of today's core: npm run measured writes them", () => {
		const shipped = shippedOf(id);
		expect(shipped.golden).toBe(createHash("sha256").update(GOLDEN).digest("hex"));
		const rows = Object.values(shipped.figures).flatMap((table) => Object.values(table));
		const { figures } = withShipped(begun(id), shipped);
		expect(rows.flatMap((row) => Object.values(row))).toHaveLength(figures.length);
		for (const { table, row, column } of figures)
			expect(
				shipped.figures[table]?.[row]?.[column],
				`${table} | ${row} | ${column}`,
			).toBeDefined();
		const whole = GOLDEN.split("\n").filter((line) => line.startsWith(`${id} | 100 | `));
		if (whole.length === 0) return;
		const agrees = (a: boolean | undefined) => (a === undefined ? "-" : a ? "yes" : "no");
		expect(
			figures.map((f) => {
				const ours = f.ours ? `${f.ours.value}/${f.ours.decimals}` : "-";
				const name = `${f.table} | ${f.row} | ${f.column}`;
				return `${id} | 100 | ${name} | ${ours} | ${agrees(f.agrees)} | ${f.why}`;
			}),
		).toEqual(whole);
	});
});

it("leaves figures that are not measured unchanged", () => {
	const study = begun("001");
	const merged = withShipped(study, { golden: "", sentences: [], figures: {} });
	expect(merged.figures).toEqual(study.figures);
});
