/**
 * The stairs: the levels of a cache's places, from fast and near to slow and far, and on them the path of the event on
 * screen. Everything about a level comes from the core, so there is nothing here for a single allocator.
 */

import { type CSSProperties, useMemo, useRef } from "react";
import { LEVEL_WORDS, OpKind } from "#abi";
import { showsCache } from "../../app/playback/event_cache.ts";
import { pathOf } from "../../app/playback/event_path.ts";
import { go, pause } from "../../app/playback/player.ts";
import { opsAt } from "../../app/playback/why.ts";
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { shortBytes } from "../../base/format.ts";
import { NONE } from "../../engine/frame.ts";
import type { EventPath, Moment, Stair } from "../../engine/types.ts";
import { classes } from "../../ui/classes.ts";
import { Button } from "../../ui/controls.tsx";
import { useSize } from "../../ui/use_element.ts";
import { type Level, levelsOf, pagesNodeOf } from "./contents.ts";
import { segmentsOf } from "./cost.ts";
import { CostBar } from "./cost_bar.tsx";
import { LevelCard } from "./level_card.tsx";
import onPath from "./path.module.css";
import { type Direction, type Path, pathOn, type Stop, stepsWords, type Tread } from "./path.ts";
import slider from "./slider.module.css";
import css from "./stairs.module.css";
import { type Phone, usePhone } from "./use_phone.ts";
import { useSlide } from "./use_slide.ts";

/** The stairs stand side by side if each level has at least this room, in pixels. */
const LEVEL_LEAST = 122;
/** Levels with more than this have room for more slabs than they have on smaller screens. */
const VAST = 400;
const GAP = 8;
const WIDER = 1.2;
/** Room above the first level for the path and for what it comes back to. */
const TOP = 43;
/** How much lower each level stands than the one before. */
const DROP = 24;
/** In less height the steps are lower: a card that is lower than this has no room for its words. */
const DROP_LEAST = 8;
const CARD_LEAST = 157;
/** With more steps than this each is lower: their narrower cards need more height, not less. */
const FALLS = 4;
/** The cost of a level stands below its card, on the step. */
const COST = 46;
const COST_NONE = 10;
/** The request stands in front of the first stop. */
const LEAD = 58;
/** In a list, each level is a row, indented a little more than the one before. */
const ROW = 62;
const INDENT = 10;
const ROW_GAP = 8;

export function Stairs() {
	const moment = useCalm((f) => f.moment);
	const stairs = useFacts((f) => (f.stairs?.built === f.built ? f.stairs : null));
	if (!moment || !stairs) return null;
	return <Drawn moment={moment} stairs={stairs.levels} cache={stairs.cache} />;
}

interface DrawnProps {
	readonly moment: Moment;
	readonly stairs: readonly Stair[];
	readonly cache: number;
}

function Drawn({ moment, stairs, cache }: DrawnProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(box);
	const path = useFacts((f) => pathOf(f, moment));
	const nodeOfCpu = useFacts((f) => f.built?.nodeOfCpu) ?? [];
	const pageBytes = useFacts((f) => f.built?.pageBytes) ?? 0;
	const asked = useMemo(() => askedNodes(moment, path), [moment, path]);
	const row = moment.caches.find((c) => c.cache === cache);
	const chosen = useFacts((f) => f.stairsCpu);
	const isChosen = chosen >= 0 && chosen < nodeOfCpu.length && chosen !== moment.op.cpu;
	const cpu = isChosen ? chosen : moment.op.cpu;
	const { zones } = moment;
	const other = useFacts((f) =>
		f.stairsFrame?.moment === moment && f.stairsFrame.cache === cache
			? f.stairsFrame.frame
			: undefined,
	);
	const frame = other ?? moment.frame;
	const isShown = other !== undefined || showsCache(moment, cache);
	// An embedded page has no index, so no level has a cost.
	const isCounted = useFacts((f) => f.embed === null);
	const isVast = width > VAST * stairs.length;
	const pagesNode = useMemo(
		() => (path && !isChosen ? pagesNodeOf(moment, path.levels, stairs.length - 1) : undefined),
		[moment, path, isChosen, stairs],
	);
	const levels = useMemo(
		() =>
			levelsOf(stairs, {
				...{ frame, isShown, cache: row, zones, cpu, nodeOfCpu, asked, pagesNode, isVast },
			}),
		[stairs, frame, isShown, row, zones, cpu, nodeOfCpu, asked, pagesNode, isVast],
	);
	const direction = directionOn(usePhone(), width / stairs.length);
	const falls = Math.max(1, stairs.length - 1);
	const cost = isCounted ? COST : COST_NONE;
	const left = (height - TOP - cost - CARD_LEAST) / falls;
	const flat = Math.min(1, FALLS / falls) ** 2;
	const drop = Math.round(Math.min(DROP * flat, Math.max(DROP_LEAST * flat, left)));
	const treads = treadsOf(levels.map(weightOf), width, direction, drop);
	const current = moment.position.step;
	const hasPath = !isChosen && path !== undefined && path.levels.length === moment.nrSteps;
	const drawn = hasPath
		? pathOn(treads, { levels: path.levels, vain: path.vain, current }, direction, LEAD)
		: undefined;
	const card = height - TOP - drop * (stairs.length - 1) - cost;
	const slabPages = row && {
		pages: 2 ** row.order,
		pageBytes,
		objects: row.objectsPerSlab,
	};
	const now = isChosen ? undefined : path?.levels[current];
	const next = useFacts((f) =>
		f.next?.cache === cache && f.next.ops === opsAt(moment)
			? f.next.rows.find((row) => row.cpu === cpu)
			: undefined,
	);
	return (
		<div className={css.stairs} data-direction={direction} data-part="stairs" ref={box}>
			{drawn && width > 0 && <Lines path={drawn} />}
			<ol
				aria-label="Stairs: levels from fast to slow"
				style={{ "--card": `${Math.max(0, card)}px` } as CSSProperties}
			>
				{levels.map((level, i) => (
					<li key={level.name} style={placeOf(treads[i], i, direction)}>
						<LevelCard
							level={level}
							frame={frame}
							slabPages={slabPages}
							isNow={now === i}
							isReached={drawn?.reached.has(i) ?? false}
							next={next?.end === i ? next : undefined}
							room={direction === "down" ? undefined : roomIn(treads[i]?.w ?? 0, card)}
						/>
					</li>
				))}
			</ol>
			{drawn && width > 0 && (
				<>
					{direction === "across" && <Request moment={moment} y={(treads[0]?.y ?? 0) - 16} />}
					<Stops path={drawn} moment={moment} />
				</>
			)}
			{isChosen && (
				<Button className={css.chosen} onClick={() => change({ stairsCpu: -1 })}>
					CPU {cpu} is on the stairs. Back to the event
				</Button>
			)}
			<Slider path={drawn} moment={moment} />
		</div>
	);
}

/** On a phone that is upright they are a list; on its side a list would be too high. */
function directionOn(phone: Phone, room: number): Direction {
	if (phone === "no") return room > 0 && room < LEVEL_LEAST ? "down" : "across";
	return phone === "upright" ? "down" : "across";
}

/** How often the event asked each node on each level. */
function askedNodes(
	{ steps, firstStep }: Moment,
	path: EventPath | undefined,
): Map<string, number> {
	const asked = new Map<string, number>();
	steps.forEach(({ node }, i) => {
		const step = firstStep + i;
		const level = path?.levels[step];
		if (level === undefined || path?.vain[step] !== 1 || node === NONE) return;
		const key = `${level}/${node}`;
		asked.set(key, (asked.get(key) ?? 0) + 1);
	});
	return asked;
}

/** A level with several nodes side by side is wider. */
function weightOf({ groups }: Level): number {
	return groups.length > 1 ? WIDER : 1;
}

function treadsOf(
	weights: readonly number[],
	width: number,
	direction: Direction,
	drop: number,
): Tread[] {
	if (direction === "down")
		return weights.map((_, i) => {
			return { x: i * INDENT, y: i * (ROW + ROW_GAP), w: width - i * INDENT };
		});
	const sum = weights.reduce((all, weight) => all + weight, 0);
	let x = 0;
	return weights.map((weight, i) => {
		const w = ((width - GAP * (weights.length - 1)) * weight) / sum;
		const tread = { x, y: TOP + i * drop, w };
		x += w + GAP;
		return tread;
	});
}

/** The room inside a card, which has an edge and a padding (stairs.module.css). */
function roomIn(width: number, height: number) {
	return { width: width - 20, height: height - 18 };
}

function placeOf(tread: Tread | undefined, i: number, direction: Direction): CSSProperties {
	if (direction === "down") return { marginLeft: i * INDENT };
	return { marginTop: tread?.y, width: tread?.w };
}

function Lines({ path: { lines } }: { path: Path }) {
	return (
		<svg className={onPath.lines} aria-hidden="true">
			{lines.map(({ d, when, isBack }) => (
				<path
					key={`${d}${when}`}
					d={d}
					className={classes(onPath.line, onPath[when], isBack && onPath.back)}
				/>
			))}
		</svg>
	);
}

/** The request as it comes in. */
function Request({ moment: { op }, y }: { moment: Moment; y: number }) {
	return (
		<span className={onPath.request} style={{ top: y }}>
			{op.kind === OpKind.OP_FREE ? "free" : op.bytes > 0 ? shortBytes(op.bytes) : op.name}
		</span>
	);
}

/** The name of a stop, with the sentence of its step. */
function stopWords(stop: Stop, sentence: string): string {
	const vain = stop.isVain ? ", in vain" : "";
	const steps = stepsWords(stop);
	return stop.from === stop.to ? `Step ${steps}${vain}: ${sentence}` : `Steps ${steps}${vain}`;
}

function Stops({ path: { stops }, moment }: { path: Path; moment: Moment }) {
	const { op } = moment.position;
	const lit = useFacts((f) => (f.litSteps?.op === op ? f.litSteps : null));
	return stops.map((stop) => {
		const { from, to, when, isVain, x, y } = stop;
		const isLit = lit !== null && lit.from <= to && from <= lit.to;
		const sentence = moment.steps[from - moment.firstStep]?.sentence ?? "";
		const words = stopWords(stop, sentence);
		return (
			<button
				key={from}
				type="button"
				tabIndex={-1}
				className={classes(css.stop, css[when], isVain && css.vain, isLit && css.lit)}
				style={{ left: x, top: y }}
				data-stop={when}
				aria-label={words}
				title={words}
				onPointerEnter={() => change({ litSteps: { op, from, to } })}
				onPointerLeave={() => change({ litSteps: null })}
				onClick={() => {
					pause();
					go({ kind: "at", op, step: from });
				}}
			>
				<span>{stepsWords(stop)}</span>
			</button>
		);
	});
}

/** The thing that the step moves, on its way along the path. */
function Slider({ path, moment }: { path: Path | undefined; moment: Moment }) {
	const token = useRef<HTMLElement>(null);
	const ghost = useRef<HTMLElement>(null);
	useSlide(token, ghost, path, moment.position);
	return (
		<>
			<i ref={ghost} className={slider.ghost} hidden />
			<i ref={token} className={slider.token} hidden />
		</>
	);
}

/** Where the event's cycles go, below the stairs. */
export function Cost() {
	const moment = useCalm((f) => f.moment);
	const path = useFacts((f) => pathOf(f, moment));
	const segments = useMemo(
		() =>
			moment && path
				? segmentsOf(path.cyclesOf, (i) => moment.steps[i - moment.firstStep]?.kind)
				: [],
		[moment, path],
	);
	const stairs = useFacts((f) => (f.stairs?.built === f.built ? f.stairs : null));
	if (!moment || !path || segments.length === 0) return null;
	const { op } = moment.position;
	return (
		<CostBar
			cost={path}
			segments={segments}
			levelOf={(step) =>
				stairs?.cache === path.cache
					? (LEVEL_WORDS[stairs.levels[path.levels[step] ?? 0]?.level ?? 0] ?? "")
					: ""
			}
			light={(segment) =>
				change({ litSteps: segment && { op, from: segment.from, to: segment.to } })
			}
			jump={(step) => {
				pause();
				go({ kind: "at", op, step });
			}}
		/>
	);
}
