/**
 * The canvas of the stage. It draws a pure function of the facts (the position on screen, the previous one, how far
 * between them the clock is, the selection and the zoom), and only when one of them changes.
 */

import { costsOf, lookClosely, pathOf, showsCache } from "../app/playback/event_path.ts";
import { SLIDE_LIMIT, showError, slideMs } from "../app/playback/player.ts";
import { askWhy, opsAt } from "../app/playback/why.ts";
import { stageKeys } from "../app/state/stage_keys.ts";
import {
	busy,
	change,
	facts,
	isInLessons,
	type NextObjects,
	store,
	type Zoom,
} from "../app/state/store.ts";
import { areWordsHeld, onWords } from "../app/state/throttle.ts";
import { onFirstSign } from "../base/first_sign.ts";
import { onFrame, wake } from "../base/frame_clock.ts";
import { loadOnce } from "../base/load_code.ts";
import type { Place } from "../engine/frame.ts";
import { isInUse } from "../engine/place_kinds.ts";
import type { Traffic } from "../engine/query/traffic.ts";
import type { WhyOf } from "../engine/subject.ts";
import type { Built, EventPath, Moment, ObjectId } from "../engine/types.ts";
import { cellsOf, nearestThing, nearObjects, slabBySerial } from "../scene/find.ts";
import { cellRects } from "../scene/geometry.ts";
import { type BarHit, type Hit, hitKey, hitTest, isIn, whyOf } from "../scene/hit.ts";
import { type Capacities, capacitiesOf } from "../scene/layout/capacity.ts";
import { makePlan, openNodes, type Plan } from "../scene/layout/plan.ts";
import { samePlaces } from "../scene/layout/seats.ts";
import { shapeOf } from "../scene/layout/shape.ts";
import { EMPTY_SCENE, type Rect, type Scene, type SlabBox } from "../scene/scene.ts";
import { ease, type Transition, transition } from "../scene/tween.ts";
import type { Size } from "../ui/hooks.ts";
import { CLOSE_HEIGHT, CLOSE_WIDTH } from "./draw/close_up.ts";
import { readPalette } from "./draw/colours.ts";
import { type Held, StagePainter } from "./draw/paint.ts";
import type { View } from "./draw/viewport.ts";
import type { PointedAt } from "./pointed.tsx";
import { type Shown, sceneOf, stage } from "./shown.ts";
import type { Ways } from "./ways.ts";
import type { StageZoom } from "./zoom.ts";

/** How long the old place of something that moved is shown. */
const LEFT_MS = 1500;
const NO_WAYS: Ways = {};
const WHOLE: View = { k: 1, x: 0, y: 0 };
/** The visitor is about to do something. */
const FIRST_SIGNS = ["pointermove", "pointerdown", "touchstart", "wheel", "keydown"] as const;

type Pointer = Pick<MouseEvent, "clientX" | "clientY">;

/** Listeners for state that only the view has. */
export interface StageListener {
	readonly hovered: (pointed: PointedAt | undefined) => void;
	readonly fitted: (fitted: boolean) => void;
}

/** The inputs of a plan, and its shape. */
interface PlannedFor {
	readonly built: Built;
	readonly places: readonly Place[];
	readonly size: Size;
	readonly capacities: Capacities;
	readonly open: readonly number[] | undefined;
	readonly acting: number;
	readonly key: string;
}

/** Whether there are too many CPUs for cards. */
function areSquares(plan: Plan | undefined): boolean {
	return plan?.cpus[0]?.isSquare ?? false;
}

export class StageView {
	readonly canvas: HTMLCanvasElement;
	readonly #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
	/** The listener sets this. */
	listener: StageListener = { hovered: () => {}, fitted: () => {} };
	#painter: StagePainter | undefined;
	#zoom: StageZoom | undefined;
	#pointed: ObjectId | undefined;
	/** Where the mouse is, while it is over the canvas. */
	#pointer: Pointer | undefined;
	#hovered = "";
	/** The thing under the pointer whose card stays hidden; "" for none. */
	#hushed = "";
	readonly #stops: (() => void)[] = [];
	#size: Size = { width: 0, height: 0 };
	#plan: Plan | undefined;
	#planFor: PlannedFor | undefined;
	#drawnPlan: Plan | undefined;
	/** Whether the text on the stage belongs to an earlier position than the slabs. */
	#holdsWords = false;
	#moment: Moment | null = null;
	#built: Built | null = null;
	#to: Scene = EMPTY_SCENE;
	#way: Transition | undefined;
	#start = 0;
	/** When the position on screen arrived. */
	#taken = 0;
	#length = 0;
	#dirty = true;
	#gone = false;
	/** Where slabs and objects were before they moved, kept for a while. */
	#left: readonly Rect[] | undefined;
	#leftTimer = 0;
	#next:
		| {
				readonly of: NextObjects;
				readonly scene: Scene;
				readonly k: number;
				readonly rects: readonly Rect[];
		  }
		| undefined;
	#wayCode: typeof import("./ways.ts") | undefined;
	readonly #wayLoading = loadOnce(() => import("./ways.ts"));
	#ways:
		| {
				readonly plan: Plan;
				readonly of: EventPath | Traffic;
				/** The position that a path belongs to. */
				readonly moment: Moment | null;
				readonly ways: Ways;
		  }
		| undefined;
	/** Whether only lists have grown or shrunk since the last plan: then whatever has a new place slides there. */
	#isRegrown = false;
	/** Marks that a position has been drawn, which benchmarks wait for. */
	#seen = false;
	/** A zoom that waits until there is something to look at. */
	#lookAt: Zoom | undefined;
	/** Whether the zoom was last limited to a scene of another size. */
	#resized = false;

	constructor(canvas: HTMLCanvasElement) {
		this.canvas = canvas;
		this.#listen();
	}

	/** The zoom code is loaded when the visitor first does anything that might need it. */
	readonly #zooming = loadOnce(async () => {
		const { StageZoom } = await import("./zoom.ts");
		const onView = () => {
			this.listener.fitted(zoom.isFitted());
			change({ zoom: zoom.share() });
			this.#pointAgain();
			this.#redraw();
		};
		const zoom = new StageZoom(this.canvas, onView, (window) => nearestThing(this.#to, window));
		zoom.resize(this.#size.width, this.#size.height);
		zoom.mayComeTo(this.#to);
		this.#zoom = zoom;
		if (this.#gone) zoom.destroy();
		return zoom;
	});

	#onZoom(run: (zoom: StageZoom) => void): void {
		if (this.#zoom) {
			run(this.#zoom);
			return;
		}
		void busy(this.#zooming).then(run, showError);
	}

	#listen(): void {
		const recolour = () => {
			this.#painter?.recolour(readPalette(this.canvas));
			this.#redraw();
		};
		const unsubscribe = store.subscribe((now, before) => {
			if (now.look !== before.look) recolour();
			if (now.pixelRatio !== before.pixelRatio) this.#redraw();
			if (now.trace !== before.trace) this.#zoom?.fit();
			if (now.moment !== before.moment || now.selected !== before.selected) this.#redraw();
			if (now.next !== before.next && !now.playing) this.#redraw();
			if (now.path !== before.path || now.traffic !== before.traffic) this.#redraw();
			if (now.levels !== before.levels) this.#retake();
			if (now.closeUps !== before.closeUps) this.#redraw();
		});
		this.canvas.addEventListener("pointermove", this.#point);
		this.canvas.addEventListener("pointerleave", this.#leave);
		this.canvas.addEventListener("click", this.#click);
		stageKeys.zoom = (by) => this.#onZoom((z) => z.by(by));
		stageKeys.pan = (x, y) => this.#onZoom((z) => z.pan(x, y));
		stageKeys.fit = () => this.#onZoom((z) => z.fit());
		stage.shown = () => this.#shown();
		stageKeys.focus = () => this.#focus();
		stageKeys.hush = () => this.#hush();
		stageKeys.reveal = (box, least) => this.#onZoom((z) => z.reveal(box, least));
		stageKeys.cpuAt = (x, y) => this.#cpuAt(x, y);
		this.#lookAt = stageKeys.asked ?? undefined;
		stageKeys.asked = null;
		stageKeys.look = (zoom) => {
			this.#lookAt = zoom ?? undefined;
			if (!zoom) this.#zoom?.fit();
			this.#redraw();
		};
		this.#stops.push(
			onFrame((now) => this.#frame(now)),
			unsubscribe,
			onWords(() => {
				if (this.#holdsWords) this.#redraw();
			}),
			onFirstSign(FIRST_SIGNS, () => void this.#zooming().catch(() => {})),
		);
	}

	resize(size: Size): void {
		const { width, height } = this.#size;
		if (size.width === 0 || size.height === 0) return;
		if (size.width === width && size.height === height) return;
		this.#size = size;
		this.#resized = true;
		this.#zoom?.resize(size.width, size.height);
		this.#moment = null;
		this.#redraw();
	}

	/** Lays out the position on screen again. */
	#retake(): void {
		this.#moment = null;
		this.#redraw();
	}

	destroy(): void {
		window.clearTimeout(this.#leftTimer);
		for (const stop of this.#stops) stop();
		this.#gone = true;
		this.#zoom?.destroy();
		this.canvas.removeEventListener("pointermove", this.#point);
		this.canvas.removeEventListener("pointerleave", this.#leave);
		this.canvas.removeEventListener("click", this.#click);
	}

	#focus(): void {
		const slab = this.#selectedBox();
		const index = facts().selected?.index ?? -1;
		const box = slab && index >= 0 ? cellRects(slab, index)[0] : slab;
		if (box) this.#onZoom((z) => z.focus(box));
	}

	#selectedBox(): SlabBox | undefined {
		const { selected } = facts();
		return selected ? slabBySerial(this.#to, selected.serial) : undefined;
	}

	/** Serial numbers belong to the cache on the stage, or to the one cache whose slabs serve all caches. */
	#heldObjects(): ObjectId[] {
		const { selected } = facts();
		const cache = this.#selectedBox()?.cache;
		const held =
			selected && selected.index >= 0 && cache !== undefined ? [{ ...selected, cache }] : [];
		return this.#pointed ? [...held, this.#pointed] : held;
	}

	#redraw(): void {
		this.#dirty = true;
		wake();
	}

	/** The plan changes only with the machine, its allocator's places, the size, and lists that have grown or shrunk much. */
	#planOf(built: Built, moment: Moment, isNear: boolean): Plan {
		const { places } = moment.frame;
		const before = this.#planFor;
		const stays = before?.built === built && before.size === this.#size;
		const areSame = stays && samePlaces(before.places, places);
		const capacities = capacitiesOf(places, areSame && isNear ? before.capacities : undefined);
		const { nodeOfCpu, nrNodes } = built;
		const open = this.#openFor(built, moment);
		const acting = areWordsHeld() && before ? before.acting : moment.op.cpu;
		const isOpen =
			open?.join() === before?.open?.join() &&
			(acting === before?.acting || !areSquares(this.#plan));
		if (this.#plan && areSame && isOpen && capacities === before.capacities) return this.#plan;
		this.#isRegrown = areSame && isNear;
		const machine = { ...this.#size, nodeOfCpu, nrNodes, acting, ...(open ? { open } : {}) };
		const shape = shapeOf(places, machine, capacities);
		const key = JSON.stringify(shape);
		if (!this.#plan || key !== before?.key) this.#plan = makePlan(shape);
		this.#planFor = { key, built, places, size: this.#size, capacities, open, acting };
		return this.#plan;
	}

	/**
	 * On a narrow stage, the columns of the nodes that the event acts on are wide; while events rush by, none of this
	 * changes.
	 */
	#openFor({ nodeOfCpu, nrNodes }: Built, { op, steps }: Moment): readonly number[] | undefined {
		const before = this.#planFor?.open;
		if (before && areWordsHeld()) return before;
		const acting = [nodeOfCpu[op.cpu] ?? 0, ...steps.map(({ node }) => node)];
		const nodes = [...new Set(acting.filter((node) => node < nrNodes))];
		return openNodes({ width: this.#size.width, nrNodes }, nodes);
	}

	/** Slides from the current picture to a new position. */
	#take(nowMs: number): void {
		const { moment, built, before, playing, speed } = facts();
		if (moment === this.#moment || !moment || !built || this.#size.width === 0) return;
		const shown = this.#between(nowMs);
		const plan = this.#plan;
		const fresh = this.#moment === null || before?.cache !== moment.cache;
		this.#moment = moment;
		if (built !== this.#built) this.#to = EMPTY_SCENE;
		this.#built = built;
		const near =
			before !== null && Math.abs(before.position.op - moment.position.op) < built.nrOps / 50 + 2;
		const costs = costsOf(facts().levels);
		this.#to = sceneOf(this.#planOf(built, moment, near && !fresh), built, moment, this.#to, costs);
		this.#zoom?.mayComeTo(this.#to);
		const replanned = plan !== undefined && plan !== this.#plan;
		const from = fresh || (replanned && !this.#isRegrown) ? this.#to : shown;
		const hurried = nowMs - this.#taken < 1000 / SLIDE_LIMIT;
		this.#taken = nowMs;
		const length =
			near && !hurried && from !== this.#to
				? slideMs(speed, playing, this.#reducedMotion.matches)
				: 0;
		this.#way = length > 0 ? transition(from, this.#to) : undefined;
		this.#length = this.#way?.moves ? length : 0;
		this.#trail(this.#length > 0 && !replanned ? (this.#way?.left ?? []) : []);
		if (this.#resized) this.#zoom?.fitInto();
		this.#resized = false;
		const lookAt = this.#lookAt;
		this.#lookAt = undefined;
		if (lookAt) this.#onZoom((zoom) => zoom.look(lookAt));
		else if (replanned) this.#keepInSight();
		this.#start = nowMs;
		this.#dirty = true;
	}

	/** Shows for a while where things were; this does not keep the page from being idle. */
	#trail(left: readonly Rect[]): void {
		window.clearTimeout(this.#leftTimer);
		this.#left = left.length > 0 ? left : undefined;
		if (!this.#left) return;
		this.#leftTimer = window.setTimeout(() => {
			this.#left = undefined;
			this.#redraw();
		}, LEFT_MS);
	}

	#between(nowMs: number): Scene {
		const t = this.#length === 0 ? 1 : (nowMs - this.#start) / this.#length;
		return t >= 1 || !this.#way ? this.#to : this.#way(ease(t));
	}

	/** A new plan moves things, so the selection is brought back to the middle at the same zoom. */
	#keepInSight(): void {
		const box = this.#selectedBox();
		if (box && this.#zoom && this.#zoom.view.k > 1) this.#zoom.centre(box);
	}

	#frame(nowMs: number): boolean {
		this.#take(nowMs);
		// An empty stage looks like the page's paper anyway.
		if (!this.#moment && !this.#seen) return false;
		const sliding = this.#length > 0 && nowMs - this.#start < this.#length;
		if (!sliding && !this.#dirty) return false;
		this.#dirty = sliding;
		this.#draw(this.#between(nowMs));
		if (this.#moment && !this.#seen) {
			this.#seen = true;
			performance.mark("first-scene");
		}
		if (!sliding) this.#lookClosely();
		return sliding;
	}

	/** Requests the objects that fill much of the stage. */
	#lookClosely(): void {
		const { k, x, y } = this.#view();
		const { width, height } = this.#size;
		const window = { x: -x / k, y: -y / k, w: width / k, h: height / k };
		lookClosely(nearObjects(this.#to, window, CLOSE_WIDTH / k, CLOSE_HEIGHT / k));
	}

	/** A canvas with a context is black until something is drawn on it. */
	#begin(): StagePainter | undefined {
		const ctx = this.#painter ? null : this.canvas.getContext("2d", { alpha: false });
		if (ctx) this.#painter = new StagePainter(ctx, readPalette(this.canvas));
		return this.#painter;
	}

	#draw(scene: Scene): void {
		const ratio = window.devicePixelRatio;
		const width = Math.round(this.#size.width * ratio);
		const height = Math.round(this.#size.height * ratio);
		if (this.canvas.width !== width || this.canvas.height !== height) {
			this.canvas.width = width;
			this.canvas.height = height;
			this.#painter?.forget();
		}
		// Another plan puts words elsewhere.
		this.#holdsWords = areWordsHeld() && this.#plan === this.#drawnPlan;
		this.#drawnPlan = this.#plan;
		this.#begin()?.paint(scene, this.#view(), ratio, this.#held(), this.#holdsWords);
		for (const drawn of stage.drawn) drawn(scene, this.#plan, this.#view());
	}

	#held(): Held {
		return {
			slab: this.#selectedBox()?.key ?? "",
			objects: this.#heldObjects(),
			closeUps: facts().closeUps,
			...(this.#left && !this.#reducedMotion.matches ? { left: this.#left } : {}),
			...this.#nextObjects(),
			...this.#waysOn(),
		};
	}

	/**
	 * Returns them for the position on screen; the same rectangles until something changes. Lessons ask where these objects are, so
	 * their stage does not show them.
	 */
	#nextObjects(): Pick<Held, "next"> {
		if (isInLessons(facts())) return {};
		const { next, moment, playing } = facts();
		const [scene, { k }] = [this.#to, this.#view()];
		if (playing || !next || !moment || next.ops !== opsAt(moment)) return {};
		const was = this.#next;
		if (was?.of !== next || was.scene !== scene || was.k !== k) {
			const objects = next.rows.map((row) => {
				return { cache: next.cache, serial: row.slab, index: row.index };
			});
			this.#next = { of: next, scene, k, rects: cellsOf(scene, objects, k) };
		}
		return { next: this.#next?.rects ?? [] };
	}

	/** Returns the path of the event on screen, or at speed the traffic: the same object until it or the plan changes. */
	#waysOn(): Ways {
		const [plan, moment, code] = [this.#plan, this.#moment, this.#wayCode];
		const { levels, traffic, playing } = facts();
		const path = pathOf(facts(), moment);
		const of = playing && traffic ? traffic : levels?.cache === path?.cache ? path : undefined;
		// The places of another cache are not on the stage.
		const isElsewhere = of === path && moment && path && !showsCache(moment, path.cache);
		if (!plan || !moment || !of || isElsewhere) return NO_WAYS;
		if (!code) {
			void busy(this.#wayLoading).then(
				(code) => {
					this.#wayCode = code;
					this.#redraw();
				},
				() => {},
			);
			return NO_WAYS;
		}
		const was = this.#ways;
		if (was?.plan === plan && was.of === of && was.moment === (of === path ? moment : null))
			return was.ways;
		const ways =
			of === path && path && levels
				? code.waysOfEvent(plan, moment, path, levels)
				: traffic
					? code.waysOfTraffic(plan, traffic)
					: NO_WAYS;
		this.#ways = { plan, of, moment: of === path ? moment : null, ways };
		return ways;
	}

	#shown(): Shown | undefined {
		const plan = this.#plan;
		if (!plan || this.#moment === null) return undefined;
		return { scene: this.#to, plan, view: this.#view(), size: this.#size, held: this.#held() };
	}

	#view(): View {
		return this.#zoom?.view ?? WHOLE;
	}

	#hit(event: Pointer): Hit | undefined {
		const [x, y] = this.#pointOf(event);
		return hitTest(this.#to, x, y, this.#view().k);
	}

	/** A box in the scene. */
	#pointOf({ clientX, clientY }: Pointer): [number, number] {
		const box = this.canvas.getBoundingClientRect();
		const { k, x, y } = this.#view();
		return [(clientX - box.left - x) / k, (clientY - box.top - y) / k];
	}

	#cpuAt(clientX: number, clientY: number): number {
		const box = this.canvas.getBoundingClientRect();
		const { k, x, y } = this.#view();
		const [sx, sy] = [(clientX - box.left - x) / k, (clientY - box.top - y) / k];
		const inWindow = clientX >= box.left && clientX < box.right && clientY < box.bottom;
		const panel = this.#to.panels.find((p) => p.kind === "cpu" && isIn(p, sx, sy));
		return inWindow && panel ? Number(panel.key.slice("cpu:".length)) : -1;
	}

	#point = (event: PointerEvent): void => {
		if (event.pointerType !== "mouse") return;
		this.#pointer = { clientX: event.clientX, clientY: event.clientY };
		this.#hover(this.#hit(event), event);
	};

	#leave = (): void => {
		this.#pointer = undefined;
		this.#hover(undefined);
	};

	/** After a zoom, something else may be under a pointer that has not moved. */
	#pointAgain(): void {
		if (!this.#pointer) return;
		const hit = this.#hit(this.#pointer);
		if (hitKey(hit) !== this.#hovered) this.#hover(hit, this.#pointer);
	}

	/** Selects the first slab that a bar counts, and zooms in until the list shows its slabs. */
	#unfold({ of, bar: { serial, cache } }: BarHit): void {
		const slab = slabBySerial(this.#to, serial, cache);
		if (!slab) return;
		change({ why: "", selected: { serial, index: -1 } });
		stageKeys.reveal(slab, of.unfoldsAt);
	}

	/** Hides the card of the thing under the pointer, until the pointer reaches something else. */
	#hush(): void {
		this.#hushed = this.#hovered;
		this.#hover(undefined);
	}

	#hover(pointed: Hit | undefined, at?: Pointer): void {
		const key = hitKey(pointed);
		if (key !== this.#hushed && pointed) this.#hushed = "";
		const isHushed = key !== "" && key === this.#hushed;
		const hit = isHushed ? undefined : pointed;
		this.#hovered = key;
		const isThing = hit?.slab !== undefined || hit?.object !== undefined || hit?.bar !== undefined;
		const asks = at && !isThing && !isHushed ? this.#asked(at, hit) : undefined;
		this.canvas.style.cursor = isThing || asks ? "pointer" : "";
		this.listener.hovered(isThing || asks ? { hit, asks } : undefined);
		const { object } = hit ?? {};
		if (object === undefined && this.#pointed === undefined) return;
		this.#pointed = object;
		this.#redraw();
	}

	/** Returns the subject that a click outside slabs and objects asks about. */
	#asked(event: Pointer, hit: Hit | undefined): WhyOf | undefined {
		const [x, y] = this.#pointOf(event);
		return this.#moment ? whyOf(this.#to, hit, x, y, this.#moment.frame) : undefined;
	}

	/**
	 * Selects a slab, or an object wherever it is. A bar leads to the first of its slabs; anywhere else, a click asks
	 * why.
	 */
	#click = (event: MouseEvent): void => {
		const hit = this.#hit(event);
		if (hit?.bar) {
			this.#unfold(hit.bar);
			return;
		}
		const serial = hit?.object?.serial ?? hit?.slab?.serial;
		const isUsed = hit?.object ? isInUse(hit.slab?.cells[hit.object.index]) : serial !== undefined;
		const cpu = isUsed ? -1 : this.#cpuAt(event.clientX, event.clientY);
		if (cpu >= 0 && stageKeys.pressCpu(cpu)) return;
		const of = serial === undefined ? this.#asked(event, hit) : undefined;
		if (of) askWhy(of);
		else
			change({
				why: "",
				selected: serial === undefined ? null : { serial, index: hit?.object?.index ?? -1 },
			});
	};
}
