/**
 * Moving through a trace. A wish to be somewhere goes to the engine. While it is being answered a further wish for
 * a point takes the place of all before it, so dragging never queues up; moves add up, so no press is lost. The
 * answer becomes the moment on screen.
 */

import { onFrame, wake } from "../../base/frame_clock.ts";
import { momentOf } from "../../engine/moment.ts";
import {
	ALL_CACHES,
	type Goal,
	type Moment,
	type Position,
	type Unit,
} from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { say } from "../state/announce.ts";
import { change, facts, type Range } from "../state/store.ts";

type Move = Goal & { kind: "move" };

/** A goal, or so many units from wherever the answer before it has led. */
type Wish = (Goal & { kind: "at" }) | Move | (Omit<Move, "from"> & { readonly from?: never });

let inFlight = false;
let wishes: Wish[] = [];
/** Units that playing owes but has not asked for. */
let owed = 0;
let lastTick = 0;
/** Where a move ahead found nothing more, and by which unit and scope it had looked. */
let reached: { moment: Moment; unit: Unit; scope: number } | undefined;

/** Number of the cache on the stage on the machine in use. */
export function cacheNumber(): number {
	const { built, cache } = facts();
	return built?.caches.find((c) => c.name === cache)?.cache ?? ALL_CACHES;
}

/** The events that nobody may leave, because the page shows this passage only; see embed.ts. */
let confines: (() => Range) | undefined;

export function confineTo(range: (() => Range) | undefined): void {
	confines = range;
}

/** The nearest moment of the passage, if a position is outside. */
function backInside({ op }: Position): (Goal & { kind: "at" }) | undefined {
	const range = confines?.();
	if (!range) return undefined;
	if (op < range.from) return { kind: "at", op: range.from, step: 0 };
	return op > range.to ? { kind: "at", op: range.to, step: "last" } : undefined;
}

/** Where a goal leads, or as far as the passage goes that way. */
async function answerTo(goal: Goal): Promise<Moment> {
	const wanted = goal.kind === "at" ? { op: goal.op, step: 0 } : undefined;
	const asked = (wanted && backInside(wanted)) ?? goal;
	const moment = momentOf(await engine().go(asked, cacheNumber()));
	const inside = backInside(moment.position);
	if (!inside) return moment;
	return { ...momentOf(await engine().go(inside, cacheNumber())), ended: true };
}

async function send(wish: Wish): Promise<void> {
	inFlight = true;
	wake();
	try {
		const here = facts().moment?.position ?? { op: 0, step: 0 };
		const goal = wish.kind === "at" ? wish : { ...wish, from: wish.from ?? here };
		const moment = await answerTo(goal);
		const ahead = wish.kind === "move" && wish.direction === 1;
		reached = ahead && moment.ended ? { moment, unit: wish.unit, scope: wish.scope } : undefined;
		const { op, step } = moment.position;
		const isStuck = moment.ended && op === here.op && step === here.step;
		if (wish.kind === "move" && isStuck && !facts().playing) say(noMore(wish, moment));
		show(moment);
	} catch (error) {
		change({ error: sentenceOf(error), playing: false });
	}
	inFlight = false;
	const next = wishes.shift();
	if (next) void send(next);
}

const UNIT_WORDS = { step: "step", event: "event", slow: "slow path", slab: "new or freed slab" };

/** Why a move led nowhere. */
function noMore(
	{ unit, direction, scope }: Pick<Move, "unit" | "direction" | "scope">,
	{ position: { op, step }, nrSteps }: Moment,
): string {
	const { built, cache } = facts();
	const [later, end] = direction > 0 ? ["later", "end"] : ["earlier", "beginning"];
	const { from, to } = confines?.() ?? { from: 0, to: (built?.nrOps ?? 0) - 1 };
	const isEnd = op >= to && step >= nrSteps - 1;
	const whole = confines ? "passage" : "trace";
	if (direction > 0 ? isEnd : op === from && step === 0)
		return `This is the ${end} of the ${whole}.`;
	const about = scope === ALL_CACHES ? "" : ` of ${cache}: "only this cache" skips the others`;
	return `There is no ${later} ${UNIT_WORDS[unit]}${about}.`;
}

/** A wish is being answered. */
export function isMoving(): boolean {
	return inFlight;
}

/** Nobody is going to grant them any more. */
export function forgetWishes(): void {
	wishes = [];
	inFlight = false;
}

function show(moment: Moment): void {
	change({ moment, before: facts().moment });
	wake();
}

export function go(wish: Wish): void {
	if (!facts().built) return;
	if (inFlight) wishes = withWish(wishes, wish);
	else void send(wish);
}

/** The wishes still to be granted, with one more. */
export function withWish(waiting: readonly Wish[], wish: Wish): Wish[] {
	const last = waiting.at(-1);
	if (wish.kind === "at" || wish.from) return [wish];
	if (last?.kind !== "move" || last.from || last.unit !== wish.unit) return [...waiting, wish];
	if (last.direction !== wish.direction || last.scope !== wish.scope) return [...waiting, wish];
	return [...waiting.slice(0, -1), { ...last, count: last.count + wish.count }];
}

export function seek(op: number): void {
	const nrOps = facts().built?.nrOps ?? 0;
	if (nrOps > 0)
		go({ kind: "at", op: Math.min(nrOps - 1, Math.max(0, Math.round(op))), step: "last" });
}

/** Again where we are: after the cache on the stage or the machine has changed. The end of an event stays the end. */
export function refresh(): void {
	const { moment } = facts();
	if (!moment) return;
	const { op, step } = moment.position;
	go({ kind: "at", op, step: step >= moment.nrSteps - 1 ? "last" : step });
}

export function move(unit: Unit, direction: 1 | -1, count = 1, scope = scopeOfMoves()): void {
	if (facts().moment) go({ kind: "move", unit, direction, count, scope });
}

function scopeOfMoves(): number {
	return facts().onlyCache ? cacheNumber() : ALL_CACHES;
}

/** A press on a transport button: playing stops, the welcome is over. */
export function press(unit: Unit, direction: 1 | -1): void {
	pause();
	move(unit, direction);
}

export function first(): void {
	pause();
	go({ kind: "at", op: 0, step: 0 });
}

export function last(): void {
	pause();
	seek(facts().built?.nrOps ?? 0);
}

/** At the end there is nothing to play: it begins again. */
export function play(): void {
	const { moment, built } = facts();
	if (moment && built && atEnd(moment, built.nrOps)) go({ kind: "at", op: 0, step: 0 });
	owed = 0;
	lastTick = 0;
	change({ playing: true });
	wake();
}

export function pause(): void {
	change({ playing: false, welcome: false });
}

export function toggle(): void {
	if (facts().playing) pause();
	else play();
}

/** The operation at whose end a passage ends: playing goes no further. */
let bound: (() => number) | undefined;

export function playNoFurtherThan(to: (() => number) | undefined): void {
	bound = to;
}

/** One frame of playing: asks for the units that are due when nothing is being answered. */
function tick(nowMs: number): boolean {
	const { playing, speed, moment, built, unit } = facts();
	if (!playing || !moment || !built) {
		lastTick = 0;
		return false;
	}
	if (lastTick > 0) owed += ((nowMs - lastTick) / 1000) * speed;
	lastTick = nowMs;
	owed = Math.min(owed, Math.max(1, speed / 4));
	if (owed >= 1 && !inFlight) {
		const due = Math.floor(owed);
		owed -= due;
		if (atEnd(moment, built.nrOps)) pause();
		else {
			const scope = scopeOfMoves();
			const until = bound ? { until: bound() } : {};
			go({ kind: "move", unit, direction: 1, count: due, scope, ...until });
		}
	}
	return true;
}

function atEnd(moment: Moment, nrOps: number): boolean {
	const { op, step } = moment.position;
	if (op >= nrOps - 1 && step >= moment.nrSteps - 1) return true;
	return (
		reached?.moment === moment && reached.unit === facts().unit && reached.scope === scopeOfMoves()
	);
}

export function startPlayer(): () => void {
	return onFrame(tick);
}

export function sentenceOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Shows the error on the page. */
export function showError(error: unknown): void {
	change({ error: sentenceOf(error) });
}
