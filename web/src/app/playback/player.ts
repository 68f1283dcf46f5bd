/**
 * Moves through a trace. A request to go somewhere goes to the engine. While it is pending, another request for a
 * position replaces all those before it, so dragging never queues up; moves add up, so no press is lost. The answer
 * becomes the position on screen.
 */

import { isCancelled } from "../../base/errors.ts";
import { onFrame, wake } from "../../base/frame_clock.ts";
import { momentOf } from "../../engine/moment.ts";
import {
	ALL_CACHES,
	type Goal,
	type Moment,
	type Near,
	type Position,
	type Unit,
} from "../../engine/types.ts";
import { engine } from "../platform/engine_link.ts";
import { say } from "../state/announce.ts";
import { change, type Facts, facts, type Range } from "../state/store.ts";

type Move = Goal & { kind: "move" };

/** Either a goal, or a number of units from where the previous answer led. */
type Request = (Goal & { kind: "at" }) | Move | (Omit<Move, "from"> & { readonly from?: never });

const run = {
	inFlight: false,
	requests: [] as Request[],
	/** Units that playing has not requested yet. */
	owed: 0,
	lastTick: 0,
	/** Where a forward move last found nothing more, and with which unit and scope. */
	reached: undefined as { moment: Moment; unit: Unit; scope: number } | undefined,
	/** The passage that nothing may leave, in a page that shows nothing else; see embed.ts. */
	confines: undefined as (() => Range) | undefined,
	/** The tour's pace, and the function to call at its end. Unset while the tour is not playing. */
	guided: undefined as GuidedPace | undefined,
	/** The event at whose end a playing passage stops. */
	bound: undefined as (() => number) | undefined,
	/** The unit that a passage plays by, if it has its own. */
	ownUnit: undefined as Unit | undefined,
};

/** Returns the number that the cache on the stage has on the machine in use. */
export function cacheNumber(): number {
	const { built, cache } = facts();
	return built?.caches.find((c) => c.name === cache)?.cache ?? ALL_CACHES;
}

export function confineTo(range: (() => Range) | undefined): void {
	run.confines = range;
}

/** Returns the nearest position in the passage, if a position is outside. */
function backInside({ op }: Position): (Goal & { kind: "at" }) | undefined {
	const range = run.confines?.();
	if (!range) return undefined;
	if (op < range.from) return { kind: "at", op: range.from, step: 0 };
	return op > range.to ? { kind: "at", op: range.to, step: "last" } : undefined;
}

/** Returns the target of a goal, or the nearest position in the passage. */
async function answerTo(goal: Goal): Promise<Moment> {
	const wanted = goal.kind === "at" ? { op: goal.op, step: 0 } : undefined;
	const asked = (wanted && backInside(wanted)) ?? goal;
	const moment = momentOf(await engine().go(asked, cacheNumber()));
	const inside = backInside(moment.position);
	if (!inside) return moment;
	return { ...momentOf(await engine().go(inside, cacheNumber())), ended: true };
}

async function send(request: Request): Promise<void> {
	run.inFlight = true;
	wake();
	try {
		const here = facts().moment?.position ?? { op: 0, step: 0 };
		const goal = request.kind === "at" ? request : { ...request, from: request.from ?? here };
		const moment = await answerTo(goal);
		const ahead = request.kind === "move" && request.direction === 1;
		run.reached =
			ahead && moment.ended ? { moment, unit: request.unit, scope: request.scope } : undefined;
		const { op, step } = moment.position;
		const isStuck = moment.ended && op === here.op && step === here.step;
		if (request.kind === "move" && isStuck && !facts().playing) say(noMore(request, moment));
		show(moment, goal);
	} catch (error) {
		change({ error: sentenceOf(error), playing: false });
	}
	run.inFlight = false;
	const next = run.requests.shift();
	if (next) void send(next);
}

/** Words for the units that playing and the arrow keys go by. */
export const UNIT_WORDS = {
	step: "step",
	event: "event",
	slow: "slow path",
	slab: "slab",
} as const;

/** Explains why a move found nothing. */
function noMore(
	{ unit, direction, scope }: Pick<Move, "unit" | "direction" | "scope">,
	{ position: { op, step }, nrSteps }: Moment,
): string {
	const { built, cache } = facts();
	const [later, end] = direction > 0 ? ["later", "end"] : ["earlier", "beginning"];
	const { from, to } = run.confines?.() ?? { from: 0, to: (built?.nrOps ?? 0) - 1 };
	const isEnd = op >= to && step >= nrSteps - 1;
	const whole = run.confines ? "passage" : "trace";
	if (direction > 0 ? isEnd : op === from && step === 0)
		return `This is the ${end} of the ${whole}.`;
	const about = scope === ALL_CACHES ? "" : ` of ${cache}`;
	const hint = scope === ALL_CACHES ? "" : ' ("only this cache" is on)';
	const passing = isFiltered() ? " that passes the filter" : "";
	const words = unit === "slab" ? "new or discarded slab" : UNIT_WORDS[unit];
	return `This trace has no ${later} ${words}${about}${passing}${hint}.`;
}

/** Whether a request is pending. */
export function isMoving(): boolean {
	return run.inFlight;
}

/** Drops the pending requests, which nothing will answer. */
export function dropRequests(): void {
	run.requests = [];
	run.inFlight = false;
}

function show(moment: Moment, goal: Goal): void {
	const { built, moment: before } = facts();
	const isOwn = goal.kind === "at" && goal.own;
	const own = isOwn && built?.caches.find((c) => c.cache === moment.cache)?.name;
	change({ moment, before, ...(own ? { cache: own, wanted: own } : {}) });
	wake();
}

export function go(request: Request): void {
	if (!facts().built) return;
	if (run.inFlight) run.requests = withRequest(run.requests, request);
	else void send(request);
}

/** Adds one to the pending requests. */
export function withRequest(waiting: readonly Request[], request: Request): Request[] {
	const last = waiting.at(-1);
	if (request.kind === "at" || request.from) return [request];
	if (last?.kind !== "move" || last.from || last.unit !== request.unit)
		return [...waiting, request];
	if (last.direction !== request.direction || last.scope !== request.scope)
		return [...waiting, request];
	return [...waiting.slice(0, -1), { ...last, count: last.count + request.count }];
}

export function seek(op: number): void {
	const nrOps = facts().built?.nrOps ?? 0;
	if (nrOps > 0) go({ kind: "at", op: clampedTo(nrOps, op), step: "last" });
}

/** A pointer on the timeline may mean any event this near, as a share of what the timeline shows. */
const AIM = 0.005;

/** If moves skip other caches, a press on the timeline means the nearest event of the chosen cache. */
export function meant({ from, to }: Range): Near | undefined {
	return facts().onlyCache ? { cache: cacheNumber(), within: (to - from) * AIM } : undefined;
}

/** Goes to that event, or to one near it. */
export function seekNear(op: number, near: Near | undefined): void {
	const { built } = facts();
	if (near && built) go({ kind: "at", op: clampedTo(built.nrOps, op), step: "last", near });
	else seek(op);
}

const clampedTo = (nrOps: number, op: number) => Math.min(nrOps - 1, Math.max(0, Math.round(op)));

/**
 * Fetches the same position again after the cache on the stage or the machine has changed. The end of an event stays
 * the end.
 */
export function refresh(): void {
	const { moment } = facts();
	if (!moment) return;
	const { op, step } = moment.position;
	go({ kind: "at", op, step: step >= moment.nrSteps - 1 ? "last" : step });
}

export function move(unit: Unit, direction: 1 | -1, count = 1, scope = scopeOfMoves()): void {
	if (facts().moment) go({ kind: "move", unit, direction, count, scope, chosen: isFiltered() });
}

const isFiltered = () => facts().filter.length > 0;

function scopeOfMoves(): number {
	return facts().onlyCache ? cacheNumber() : ALL_CACHES;
}

/** A transport button was pressed: playing stops, and so does the tour. */
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

/** At the end of the trace, playing starts over. */
export function play(): void {
	const { moment, built } = facts();
	if (moment && built && atEnd(moment, built.nrOps)) go({ kind: "at", op: 0, step: 0 });
	run.owed = 0;
	run.lastTick = 0;
	change({ playing: true, ...guideAtRest() });
	wake();
}

export function pause(): void {
	change({ playing: false, ...guideAtRest() });
}

/** Stops the tour at the chapter it is at. */
export function guideAtRest(): Pick<Facts, "guide"> {
	const { guide } = facts();
	return { guide: guide?.isPlaying ? { ...guide, isPlaying: false } : guide };
}

interface Pace extends Pick<Move, "unit" | "scope" | "chosen"> {
	/** Speed in units per second. */
	readonly speed: number;
	/** The event at whose end it stops. */
	readonly until?: number;
}

interface GuidedPace extends Omit<Pace, "speed"> {
	readonly until: number;
	/** How long a position stays on screen, in seconds. */
	readonly staysS: (moment: Moment) => number;
	readonly ended: () => void;
}

/** Sets the pace while the tour plays. */
export function paceGuide(pace: typeof run.guided): void {
	run.guided = pace;
	run.owed = 0;
	run.lastTick = 0;
	wake();
}

function guidedPace(moment: Moment | null): Pace | undefined {
	return run.guided && moment ? { ...run.guided, speed: 1 / run.guided.staysS(moment) } : undefined;
}

function ownPace(): Pace {
	const { unit: chosen, speed } = facts();
	const unit = run.ownUnit ?? chosen;
	return {
		unit,
		speed,
		scope: scopeOfMoves(),
		chosen: isFiltered(),
		...(run.bound ? { until: run.bound() } : {}),
	};
}

export function toggle(): void {
	if (facts().playing) pause();
	else play();
}

export function playNoFurtherThan(to: (() => number) | undefined, unit?: Unit): void {
	run.bound = to;
	run.ownUnit = unit;
}

/** One frame of playing: requests the units that are due, if no request is pending. */
function tick(nowMs: number): boolean {
	const { playing, moment, built, guide } = facts();
	const pace = guide?.isPlaying ? guidedPace(moment) : ownPace();
	if (!playing || !moment || !built || !pace) {
		run.lastTick = 0;
		return false;
	}
	const { speed, ...move } = pace;
	if (run.lastTick > 0) run.owed += ((nowMs - run.lastTick) / 1000) * speed;
	run.lastTick = nowMs;
	run.owed = Math.min(run.owed, Math.max(1, speed / 4));
	if (run.owed >= 1 && !run.inFlight) {
		const due = Math.floor(run.owed);
		run.owed -= due;
		if (guide?.isPlaying) goGuided(moment, due);
		else if (atEnd(moment, built.nrOps)) pause();
		else go({ kind: "move", direction: 1, count: due, ...move });
	}
	return true;
}

function goGuided({ position: { op, step }, nrSteps }: Moment, due: number): void {
	if (!run.guided) return;
	const { unit, scope, until, ended } = run.guided;
	const isEnd = op > until || (op === until && step >= nrSteps - 1);
	if (!isEnd) go({ kind: "move", direction: 1, count: due, unit, scope, until });
	else {
		run.guided = undefined;
		ended();
	}
}

function atEnd(moment: Moment, nrOps: number): boolean {
	const { op, step } = moment.position;
	if (op >= nrOps - 1 && step >= moment.nrSteps - 1) return true;
	return (
		run.reached?.moment === moment &&
		run.reached.unit === facts().unit &&
		run.reached.scope === scopeOfMoves()
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

/** Does what a press asks for, or shows why it failed. */
export async function attempt(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!isCancelled(error)) showError(error);
	}
}

/* Playing speed: units per second on a logarithmic scale, and how many units are due. */

export const SPEED_MIN = 0.01;
export const SPEED_MAX = 10_000;
/** Above this speed, things jump instead of sliding. */
export const SLIDE_LIMIT = 5;
const SLIDE_MS = 280;

const DECADES = Math.log10(SPEED_MAX / SPEED_MIN);

/** Converts a slider position 0…1 to units per second, rounded to a readable number. */
export function speedAt(fraction: number): number {
	const raw = SPEED_MIN * 10 ** (DECADES * Math.min(1, Math.max(0, fraction)));
	const magnitude = 10 ** Math.floor(Math.log10(raw));
	const steps = [1, 2, 5, 10];
	const nearest = steps.reduce((a, b) =>
		Math.abs(Math.log(raw / (b * magnitude))) < Math.abs(Math.log(raw / (a * magnitude))) ? b : a,
	);
	return Number((nearest * magnitude).toPrecision(3));
}

export function fractionOf(speed: number): number {
	return Math.log10(speed / SPEED_MIN) / DECADES;
}

export function faster(speed: number, by: 1 | -1): number {
	const step = Math.round(fractionOf(speed) * DECADES * 3) + by;
	return speedAt(step / (DECADES * 3));
}

/** Returns how long to slide between two steps at this speed; 0 means jump. */
export function slideMs(speed: number, playing: boolean, reduced: boolean): number {
	if (reduced) return 0;
	if (!playing) return SLIDE_MS;
	return speed > SLIDE_LIMIT ? 0 : Math.min(SLIDE_MS, 800 / speed);
}
