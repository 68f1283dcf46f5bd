/** Tests the same event on two machines: which columns are wide, which slabs are pale, and which steps do the same. */
import { expect, it } from "vitest";
import { Verb } from "#abi";
import { frameFromText } from "../../../test/fixtures/frame_text.ts";
import { NONE } from "../../engine/frame.ts";
import { KIND, PAGES_RANK, PLACE, rankOf } from "../../engine/place_kinds.ts";
import { layout } from "../../scene/layout/layout.ts";
import type { StepPlace } from "../../scene/layout/path.ts";
import { makePlan } from "../../scene/layout/plan.ts";
import { shapeOf } from "../../scene/layout/shape.ts";
import { agreementOf, dimmed, openOf, plansBeside, stepsBeside } from "./beside.ts";

const NODES = [0, 0, 1, 1, 2, 2, 3, 3];
const MACHINE = { width: 680, height: 480, nodeOfCpu: NODES, nrNodes: 4 };
const PARTIAL = rankOf(PLACE.NODE_PARTIAL);

const LISTS = "partial0: 2:a...\npartial1:\npartial2:\npartial3:\nfull0:\nfull1:\nfull2:\nfull3:";
const LINE = frameFromText(`cpu0: 1:aacc\nchain0:\n${LISTS}`, NODES);
const SHEAVES = frameFromText(`sheaf0/4*1:\nspare0/4*1:\nbarn0/8*0:\n${LISTS}`, NODES);

const at = (rank: number, node: number): StepPlace => ({ rank, node, cpu: 4, isVain: false });

function event(
	steps: readonly StepPlace[],
	verbs: readonly Verb[] = [],
	cyclesOf: readonly number[] = [],
) {
	const own = { cpu: 4, isFree: true, words: "free", current: 0 };
	return { ...own, steps, verbs, cyclesOf: Uint32Array.from(cyclesOf) };
}

it("columns where neither machine has a step are narrow", () => {
	const open = openOf(MACHINE, [event([at(PARTIAL, 1)]), event([at(PAGES_RANK, NONE)])]);
	expect(open).toEqual([1, 2]);
	const all = [0, 1, 3].map((node) => at(PARTIAL, node));
	expect(openOf(MACHINE, [event(all), event([])])).toBeUndefined();
	const plan = makePlan(shapeOf(LINE.places, { ...MACHINE, open: open ?? [] }));
	const [a, b, c, d] = plan.nodes.map(({ column }) => column.w);
	expect(a).toBeLessThan(40);
	expect([d, c]).toEqual([a, b]);
});

it("rows that both machines have are at the same height", () => {
	const plans = plansBeside([LINE, SHEAVES].map(({ places }) => shapeOf(places, MACHINE)));
	const [first, second] = plans.map(({ rows }) => new Map(rows.map((r) => [r.row.rank, r.band])));
	const common = [PARTIAL, rankOf(PLACE.NODE_FULL), PAGES_RANK];
	for (const rank of common) {
		const [mine, theirs] = [first?.get(rank), second?.get(rank)];
		expect(Math.abs((mine?.y ?? 0) - (theirs?.y ?? 9))).toBeLessThanOrEqual(1);
		expect(mine?.h).toBe(theirs?.h);
	}
	expect(second?.has(rankOf(KIND.PLACE_BARN_FULL))).toBe(true);
	for (const plan of plans) {
		const { band } = plan.rows.at(-1) ?? { band: { y: 0, h: 0 } };
		expect(band.y + band.h).toBeLessThanOrEqual(MACHINE.height);
	}
});

it("slabs on the same list are pale, others have a dark ring, and what the event touches has a bright one", () => {
	const here = frameFromText("partial0: 1:a... 2:a... 3:aa..\npartial1: 4:a...\nfull0:\nfull1:");
	const there = frameFromText("partial0: 1:aa.. 2:a...\npartial1: 3:aa..\nfull0: 4:aaaa\nfull1:");
	const agreement = agreementOf(here, there);
	expect([...agreement.same]).toEqual([1, 2]);
	expect([...agreement.other]).toEqual([3, 4]);
	const plan = makePlan(shapeOf(here.places, { ...MACHINE, nodeOfCpu: [0, 1], nrNodes: 2 }));
	const source = { cache: undefined, frame: here, zones: [], step: undefined, pageBytes: 4096 };
	const { scene, differing } = dimmed(layout(plan, source), new Set([2, 4]), agreement);
	const slab = (serial: number) => scene.slabs.find((s) => s.serial === serial);
	expect([1, 2, 3, 4].map((n) => [slab(n)?.alpha, slab(n)?.lit])).toEqual([
		[0.32, false],
		[1, true],
		[1, false],
		[1, true],
	]);
	expect(differing).toEqual([slab(3)]);
	// Without a common list, nothing is pale.
	expect(dimmed(layout(plan, source), new Set(), undefined).differing).toEqual([]);
});

it("a slab of another size is a different slab, whatever its number", () => {
	const [here, there] = [frameFromText("partial0: 1:a..."), frameFromText("partial0: 1:a.")];
	expect([...agreementOf(here, there).same]).toEqual([]);
});

it("joins steps by what they do and where; a step that only compares joins the one before it", () => {
	const { rows } = makePlan(shapeOf(LINE.places, MACHINE));
	const { VERB_NOTES, VERB_IN_VAIN, VERB_GIVES, VERB_MOVES } = Verb;
	const pages = at(PAGES_RANK, 1);
	const mine = event(
		[at(-1, NONE), at(PARTIAL, 1), at(PARTIAL, 1), pages],
		[VERB_NOTES, VERB_IN_VAIN, VERB_NOTES, VERB_GIVES],
		[1, 5, 2, 30],
	);
	const theirs = event(
		[pages, pages, at(PARTIAL, 1), at(PARTIAL, 2)],
		[VERB_GIVES, VERB_NOTES, VERB_MOVES, VERB_NOTES],
		[20, 1, 7, 3],
	);
	const joined = stepsBeside(
		[mine, theirs],
		rows.map(({ row }) => row),
	);
	expect(joined.map(({ name, words, cycles }) => [name, ...words, ...cycles])).toEqual([
		["finds nothing in the node partial list of node 1", "1–3", "", 8, 0],
		["takes from the page allocator of node 1", "4", "1–2", 30, 21],
		["moves a slab to the node partial list of node 1", "", "3", 0, 7],
		["looks at the node partial list of node 2", "", "4", 0, 3],
	]);
	expect(joined.map((row) => row.isCommon)).toEqual([false, true, false, false]);
});
