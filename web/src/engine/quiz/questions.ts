/**
 * Questions that lessons ask about a trace: what will the allocator do at this event? The core answers by replaying
 * it; this file adds wrong answers to choose from. A random seed chooses the event, so there is always another
 * question.
 */

import {
	OpKind,
	Outcome,
	type Place,
	PlaceKind,
	type SlabRow,
	What,
	When,
	ZONE_KIND_WORDS,
} from "#abi";
import {
	type Condition,
	framePlaces,
	frameSlabs,
	type KmemSession,
	type StepRow,
	stepArgument,
	stepKind,
} from "#wasm";
import { capital } from "../../base/words.ts";
import type { Ask, Question, QuestionKind } from "../answers.ts";
import { holdsObjects, holdsSheaves, placeName } from "../place_kinds.ts";
import {
	counted,
	isCpuSlab,
	listOrders,
	plainElsewhere,
	plainKeep,
	plainPages,
	plainPath,
	plainSlab,
	plainZones,
	slabWords,
} from "./plain_questions.ts";
import { whichObject } from "./which_object.ts";
import { whyNoNewSlab, whyNotPages, whyNotSlab, whyNotZones } from "./wrong_answers.ts";

type Made = Omit<Question, "kind">;
type Random = () => number;

/** Mulberry32: the same random seed gives the same questions, everywhere. */
export function randomOf(seed: number): Random {
	let state = (seed * 0x9e3779b9) >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Two questions of a lesson get different variants from one random seed. */
export function saltOf({ seed, op = 0, size = 0 }: Ask): number {
	return (seed + 1) * 7919 + op * 31 + size;
}

/** Events to try before giving up. */
const TRIES_MOST = 400;
/** After this many unsuitable events in a row, another part of the trace is tried. */
const JUMP_AFTER = 10;

interface Kind {
	/** Where to look for an event: the first condition, or the next if there is none. */
	readonly conditions: (random: Random) => readonly Condition[];
	readonly make: (session: KmemSession, op: number, random: Random) => Made | undefined;
}

const step = (name: Condition["step"]): Condition => ({ when: When.WHEN_STEP, step: name });
const one = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
/** Shuffles them, so that slow events are asked about as often as fast ones. */
const slowOr = (when: When) => (random: Random) => {
	const both: Condition[] = [{ when: When.WHEN_SLOW_PATH }, { when }];
	return random() < 0.5 ? both : both.toReversed();
};

const KINDS: Readonly<Record<Exclude<QuestionKind, "order">, Kind>> = {
	slab: { conditions: slowOr(When.WHEN_ALLOC), make: whichSlab },
	path: {
		conditions: (random) => slowOr(one(random, [When.WHEN_ALLOC, When.WHEN_FREE]))(random),
		make: whichPath,
	},
	// Few searches find something, and they deserve just as many questions.
	zones: {
		conditions: (random) =>
			random() < 0.5
				? [step("ANY_NODE_ENTER")]
				: [step("ALLOC_FROM_PARTIAL"), step("ANY_NODE_ENTER")],
		make: howManyZones,
	},
	object: {
		conditions: () => [{ when: When.WHEN_ALLOC }],
		make: (session, at) => {
			const made = whichObject(session, at);
			return made && { ...moments(at, session.steps(at).total), ...made };
		},
	},
	keep: { conditions: () => [step("THRESHOLD")], make: isItKept },
	pages: { conditions: () => [{ when: When.WHEN_ALLOC }], make: howManyPages },
};

/** A question about an event of a session that is built. Undefined: its trace has no suitable events. */
export function questionOf(session: KmemSession, ask: Ask): Question | undefined {
	if (ask.kind === "order")
		throw new RangeError(
			"A question about an order takes a size, not an event: use orderQuestion.",
		);
	const kind = KINDS[ask.kind];
	const random = randomOf(saltOf(ask));
	if (ask.seed === 0 && ask.op !== undefined) {
		const made = kind.make(session, ask.op, random);
		return made && { kind: ask.kind, ...made };
	}
	const cache = session.caches().find((c) => c.name === ask.cache)?.cache;
	for (const condition of kind.conditions(random)) {
		const made = search(session, kind, { ...condition, cache }, random);
		if (made) return { kind: ask.kind, ...made };
	}
	return undefined;
}

function search(
	session: KmemSession,
	kind: Kind,
	condition: Condition,
	random: Random,
): Made | undefined {
	const anywhere = () => 1 + Math.floor(random() * (session.nrOps - 1));
	let from = anywhere();
	for (let tries = 1; tries <= TRIES_MOST; tries++) {
		const found = session.find([condition], { op: from, step: 0 });
		if (!found && from === 1) return undefined;
		const made = found && kind.make(session, found.op, random);
		if (made) return made;
		from = !found ? 1 : tries % JUMP_AFTER === 0 ? anywhere() : found.op + 1;
	}
	return undefined;
}

interface Scene {
	readonly op: ReturnType<KmemSession["op"]>;
	readonly steps: readonly StepRow[];
	readonly cache: string;
	/** The state before the event. */
	readonly places: readonly Place[];
	readonly slabs: readonly SlabRow[];
}

/** An event on a cache that existed before it. */
function sceneAt(session: KmemSession, at: number): Scene | undefined {
	if (at < 1 || at >= session.nrOps) return undefined;
	const steps = session.steps(at).rows;
	const op = session.op(at);
	const cache = session.caches().find((c) => c.cache === op.cache)?.name;
	if (cache === undefined || steps.some((s) => is(s, "CACHE_CREATE"))) return undefined;
	session.seek(at);
	const frame = session.view(op.cache);
	return { op, steps, cache, places: framePlaces(frame), slabs: frameSlabs(frame) };
}

function is(row: StepRow, ...names: readonly string[]): boolean {
	return names.includes(stepKind(row).name);
}

const MADE = ["ALLOC_SLAB", "GROWN", "PAGE_NEW", "RUN_ALLOC"] as const;
/** Reports of debugging. */
const CAUGHT = ["BUG", "SLAB_BUG"] as const;
const SLABS_MOST = 4;

function whichSlab(session: KmemSession, at: number): Made | undefined {
	const scene = sceneAt(session, at);
	if (!scene) return undefined;
	const { op, steps, slabs, places } = scene;
	if (!steps.some((s) => is(s, "ALLOC_FASTPATH", "OBJECT_TAKEN"))) return undefined;
	const isNew = steps.some((s) => is(s, ...MADE) && stepArgument(s, "slab") === op.slab);
	const nearness = (s: SlabRow) =>
		s.ownerCpu === op.cpu ? 0 : s.ownerCpu === NOBODY && s.position === 0 ? 1 : 2;
	const right = isNew ? [] : slabs.filter((s) => s.serial === op.slab);
	const others = slabs
		.filter((s) => s.serial !== op.slab && (nearness(s) === 0 || s.freeOnSlab + s.freeOnCpu > 0))
		.toSorted((a, b) => nearness(a) - nearness(b) || a.serial - b.serial);
	if (right.length === 0 && !isNew) return undefined;
	const shown = [...right, ...others].slice(0, SLABS_MOST).toSorted((a, b) => a.serial - b.serial);
	if (shown.length === 0) return undefined;
	const isFast = !isSlow(session, at);
	const fromBarn = steps.some((s) => is(s, "BARN_GET"));
	const serving = { cpu: op.cpu, places, right: right[0], isFast, fromBarn };
	return {
		...moments(at, steps.length),
		cache: scene.cache,
		title: "Which slab serves this allocation?",
		given: [`${op.sentence}.`, ...listOrders(op.cpu, slabs, places)],
		choices: [...shown.map((s) => slabWords(s, places)), "a new slab"],
		reasons: [
			...shown.map((s) => (s === right[0] ? "" : whyNotSlab(s, serving))),
			isNew ? "" : whyNoNewSlab(serving),
		],
		slabs: shown.map((s) => s.serial),
		answer: isNew ? shown.length : shown.findIndex((s) => s.serial === op.slab),
		plain:
			isNew && steps.some((s) => is(s, ...CAUGHT))
				? "A check finds the slab damaged, so the kernel gives up the whole slab, and a new one is made."
				: plainSlab(
						op.cpu,
						right[0] && { serial: right[0].serial, place: places[right[0].place] },
						isFast,
						fromBarn,
					),
		why: sentences(steps),
	};
}

const NOBODY = 0xffff;

/** The positions before an event, and at its last step. */
function moments(at: number, nrSteps: number): Pick<Made, "before" | "after"> {
	return { before: { op: at - 1, step: -1 }, after: { op: at, step: nrSteps - 1 } };
}

function sentences(steps: readonly StepRow[], most = 6): string[] {
	return steps.slice(0, most).map((s) => s.sentence);
}

/** A free into another node's queue. */
const FOR_ANOTHER_NODE = ["FREE_ALIEN", "FREE_ALIEN_SLOW", "NODEFREES"] as const;

function whichPath(session: KmemSession, at: number): Made | undefined {
	const scene = sceneAt(session, at);
	if (!scene || scene.slabs.length === 0) return undefined;
	const { op, steps, slabs, places } = scene;
	const slow = isSlow(session, at);
	const mine = slabs.filter((s) => s.ownerCpu === op.cpu && isCpuSlab(places[s.place]));
	const queues = places.filter((p) => p.cpu === op.cpu && holdsObjects(p.kind));
	const isFree = op.kind === OpKind.OP_FREE;
	const target = isFree ? slabs.filter((s) => s.serial === op.slab) : [];
	const held = [...target, ...mine.filter((s) => !target.includes(s))].map((s) =>
		capital(`${slabWords(s, places)}.`),
	);
	const isThere = (p: Place) => !holdsSheaves(p.kind) || p.sheaves > 0;
	const queued = queues
		.filter(isThere)
		.map((p) => `${placeName(p)}: ${p.nrEntries} of ${p.limit}.`);
	const past = steps.find((s) => is(s, "FREE_PAST_SHEAF"))?.sentence;
	const isCaught = steps.some((s) => is(s, ...CAUGHT));
	const isElsewhere = isFree && steps.some((s) => is(s, ...FOR_ANOTHER_NODE));
	const plain = isCaught
		? `A check finds the ${isFree ? "object" : "slab"} damaged, and the kernel reports it: nothing fast is left of this request.`
		: (past ?? (isElsewhere ? plainElsewhere(op.cpu, slow) : plainPath(op, isFree, slow, queues)));
	return {
		...moments(at, steps.length),
		cache: scene.cache,
		title: "Does this stay on the fast path?",
		given: [
			`${op.sentence}.`,
			...(target[0] ? [`The object is in slab ${target[0].serial}.`] : []),
			...held,
			...queued,
			...(mine.length + queues.length === 0 ? [`CPU ${op.cpu} holds no slab of this cache.`] : []),
		],
		choices: ["yes, the fast path", "no, it takes the slow path"],
		reasons: slow ? [plain, ""] : ["", plain],
		answer: slow ? 1 : 0,
		plain,
		why: sentences(steps),
	};
}

function isSlow(session: KmemSession, at: number): boolean {
	const found = session.find([{ when: When.WHEN_SLOW_PATH }], { op: at, step: 0 });
	return found?.op === at;
}

function howManyZones(session: KmemSession, at: number, random: Random): Made | undefined {
	const scene = sceneAt(session, at);
	if (!scene) return undefined;
	const { op, steps, places } = scene;
	const gate = steps.find((s) => is(s, "ANY_NODE_ENTER"));
	if (!gate || stepArgument(gate, "outcome") !== Outcome.OUTCOME_OPEN) return undefined;
	const zones = session.zones().filter((z) => z.pages > 0);
	const visited = visits(session, at, "anyNodeZones");
	const last = steps.findLastIndex((s) => is(s, "ANY_NODE_ZONE"));
	const row = session.caches().find((c) => c.cache === op.cache);
	const nodes = [...new Set(zones.map((z) => z.node))];
	const looked = steps.filter((s) => is(s, "ANY_NODE_ZONE"));
	const lists = nodes.map((node) => {
		const names = zones.filter((z) => z.node === node).map((z) => ZONE_KIND_WORDS[z.kind]);
		const partial =
			places.find((p) => p.kind === PlaceKind.PLACE_NODE_PARTIAL && p.node === node)?.nrSlabs ?? 0;
		return `node ${node} has ${listed(names.toReversed())}, and ${counted(partial, "slab")} on its partial list`;
	});
	return {
		before: { op: at, step: steps.indexOf(gate) },
		after: { op: at, step: Math.max(last, steps.indexOf(gate)) },
		cache: scene.cache,
		title: "How many zones does the any-node search look at?",
		given: [
			`${op.sentence}. The search starts on node ${session.machine().nodeOfCpu[op.cpu]}, the CPU's own.`,
			...(nodes.length > 1
				? [
						"Nearer nodes come before farther ones; among equally near nodes the next higher number comes first, wrapping around.",
					]
				: []),
			`${capital(lists.join("; "))}; min_partial is ${row?.minPartial ?? 0}.`,
		],
		...numbers(visited, [0, zones.length, nodes.length, 1, 2, 3], random, (n) =>
			whyNotZones(n, visited, zones.length, sentences(checked(looked), looked.length)),
		),
		plain: plainZones(
			visited,
			looked.length - visited,
			steps.some((s) => is(s, "ALLOC_FROM_PARTIAL")),
		),
		why: sentences(
			steps.filter((s) => is(s, "ANY_NODE_ZONE", "ANY_NODE_EXCLUDE")),
			8,
		),
	};
}

/** Names zones: "the zone Normal", "the zones DMA32 and DMA". */
function listed(zones: readonly (string | undefined)[]): string {
	if (zones.length === 1) return `the zone ${zones[0]}`;
	return `the zones ${zones.slice(0, -1).join(", ")} and ${zones.at(-1)}`;
}

/** Steps of zones that were looked at, not skipped. */
function checked(looked: readonly StepRow[]): StepRow[] {
	return looked.filter((s) => stepArgument(s, "outcome") !== Outcome.OUTCOME_EXCLUDED);
}

/** Returns the amount that an event adds to a total. */
function visits(session: KmemSession, at: number, of: "anyNodeZones" | "pagesVisited"): number {
	session.seek(at);
	const before = session.totals()[of];
	session.seek(at + 1);
	return session.totals()[of] - before;
}

const NUMBERS_MOST = 4;

/** Puts the right number among a few likely ones; the last of these varies from question to question. */
function numbers(
	right: number,
	likely: readonly number[],
	random: Random,
	whyNot: (n: number) => string,
) {
	const company = [...new Set([...likely, right + 1, right + 2, right + 3])].filter(
		(n) => n !== right,
	);
	const all = [right, ...company.slice(0, NUMBERS_MOST - 1)];
	if (random() < 0.5) all[all.length - 1] = company[NUMBERS_MOST - 1] ?? right + 4;
	const choices = all.toSorted((a, b) => a - b);
	return {
		choices: choices.map(String),
		reasons: choices.map((n) => (n === right ? "" : whyNot(n))),
		answer: choices.indexOf(right),
	};
}

const KEEPS = [Outcome.OUTCOME_KEEP, Outcome.OUTCOME_RELEASE] as readonly number[];

function isItKept(session: KmemSession, at: number, random: Random): Made | undefined {
	const scene = sceneAt(session, at);
	if (!scene) return undefined;
	const { op, steps } = scene;
	const asked = steps.filter(
		(s) =>
			is(s, "THRESHOLD") &&
			stepArgument(s, "what") === What.WHAT_NR_PARTIAL_MIN_PARTIAL &&
			KEEPS.includes(stepArgument(s, "outcome") ?? -1),
	);
	// The previous sentence is shown, and must not give away the answer by describing another slab.
	const open = asked.filter((s) => !asked.some((a) => steps.indexOf(a) === steps.indexOf(s) - 1));
	const row = open.length > 0 ? one(random, open) : undefined;
	if (!row) return undefined;
	const k = steps.indexOf(row);
	const isKept = stepArgument(row, "outcome") === Outcome.OUTCOME_KEEP;
	const plain = plainKeep(stepArgument(row, "left") ?? 0, stepArgument(row, "right") ?? 0, isKept);
	return {
		before: k > 0 ? { op: at, step: k - 1 } : { op: at - 1, step: -1 },
		after: { op: at, step: k },
		cache: scene.cache,
		title: "Is the empty slab kept?",
		given: [
			`${op.sentence}.`,
			...(k > 0 ? [steps[k - 1]?.sentence ?? ""] : []),
			`A slab is empty. Its node partial list has ${counted(stepArgument(row, "left") ?? 0, "slab")}; min_partial is ${stepArgument(row, "right")}.`,
		],
		choices: ["kept", "discarded: its pages return to the page allocator"],
		reasons: isKept ? ["", plain] : [plain, ""],
		answer: isKept ? 0 : 1,
		plain,
		why: sentences(steps.slice(k), 2),
	};
}

function howManyPages(session: KmemSession, at: number, random: Random): Made | undefined {
	const scene = sceneAt(session, at);
	if (!scene) return undefined;
	const { op, steps } = scene;
	const visited = visits(session, at, "pagesVisited");
	if (visited === 0) return undefined;
	session.seek(at);
	const lists = framePlaces(session.view()).filter((p) => p.bytes > 0 && p.nrSlabs > 0);
	return {
		...moments(at, steps.length),
		cache: scene.cache,
		title: "How many pages does the search look at, counting a new one?",
		given: [`${op.sentence}.`, ...lists.map((p) => capital(`${placeName(p)}: ${p.nrSlabs}.`))],
		...numbers(visited, [1, Math.max(...lists.map((p) => p.nrSlabs), 1)], random, (n) =>
			whyNotPages(n, visited),
		),
		plain: plainPages(
			visited,
			steps.some((s) => is(s, "PAGE_NEW")),
		),
		why: sentences(steps),
	};
}
