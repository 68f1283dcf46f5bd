/**
 * One level of the stairs: whose places it covers, what they hold, what it costs, and how many allocations end there.
 * The parts of a card have their place in it as key: while the trace plays, other nodes, lists and slabs take the
 * same place, and elements that stay cost less than new ones.
 */

import type { CSSProperties } from "react";
import { memo } from "react";
import { askWhy } from "../../app/playback/why.ts";
import { count, quantity, shortBytes } from "../../base/format.ts";
import type { Frame } from "../../engine/frame.ts";
import { holdsObjects, PLACE, placeName } from "../../engine/place_kinds.ts";
import type { NextObject } from "../../engine/types.ts";
import { classes } from "../../ui/classes.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { Terms } from "../../ui/term.tsx";
import type { Group, Holding, Level, Pages } from "./contents.ts";
import glyph from "./glyph.module.css";
import { EntryCells, Sheaves, SlabCells, SlabGlyph } from "./glyph.tsx";
import rows from "./rows.module.css";
import css from "./stairs.module.css";

/** The pages that a slab of the cache takes. */
export interface PagesOfSlab {
	readonly pages: number;
	readonly pageBytes: number;
	readonly objects: number;
}

interface Props {
	readonly level: Level;
	readonly frame: Frame;
	readonly slabPages: PagesOfSlab | undefined;
	/** The step on screen happens here. */
	readonly isNow: boolean;
	/** The event came as far as this. */
	readonly isReached: boolean;
	/** Where the next object of the CPU lands, if it is on this level. */
	readonly next: NextObject | undefined;
	/** The room for its words, in pixels: the card without its padding; undefined where it is as high as they need. */
	readonly room: CardRoom | undefined;
}

export function LevelCard({ level, frame, slabPages, isNow, isReached, next, room }: Props) {
	const { name, where, groups, pages } = level;
	const isMany = groups.length > 1;
	const isEmpty = groups.length === 0 && !pages;
	const isLow = room !== undefined && room.height < LOW;
	const isRows = isMany && room !== undefined && !hasRoomForBoxes(level, room);
	const isLong = isMany || groups.some(({ holdings }) => holdings.length > 2);
	return (
		<>
			<div className={classes(css.card, isNow && css.now, isReached && css.reached)}>
				<h3>
					<Terms>{name}</Terms>
				</h3>
				{where !== "" && (
					<p className={classes("quiet", isEmpty ? css.nothing : css.where)}>{where}</p>
				)}
				{isLong && <p className={classes("quiet", css.summary)}>{summaryOf(groups)}</p>}
				<div className={isRows ? rows.rows : classes(css.groups, isMany && css.many)}>
					{groups.map((group, i) => (
						<GroupOf key={i} group={group} isBar={isMany || isLow} frame={frame} next={next} />
					))}
					{pages && slabPages && <SlabPages of={slabPages} isReached={isReached} />}
					{pages && <Taken pages={pages} />}
				</div>
				{next && <p className={css.next}>{nextWords(next)}</p>}
			</div>
			<LevelCost cycles={level.cycles} share={level.share} />
		</>
	);
}

/** Width and height inside a card, in pixels. */
export interface CardRoom {
	readonly width: number;
	readonly height: number;
}

/** Where a card is lower, the objects of an array are a bar. */
const LOW = 118;
const LINE = 17;
/** A letter of a heading; a box around a node without its words; its bar; the least width of a box. */
const BOX = { letter: 8.2, around: 8, bar: 14, least: 84, gap: 4 };

/** Each node has a box of its own; otherwise each has a line. */
function hasRoomForBoxes({ name, where, groups }: Level, { width, height }: CardRoom): boolean {
	const columns = Math.max(1, Math.floor((width + BOX.gap) / (BOX.least + BOX.gap)));
	const lines = Math.max(...groups.map(({ holdings }) => holdings.length));
	const hasBar = groups.some(({ holdings }) =>
		holdings.some(({ place }) => holdsObjects(place.kind) && place.limit > 0),
	);
	const box = BOX.around + (1 + lines) * LINE + (hasBar ? lines * BOX.bar : 0);
	const head = Math.ceil((name.length * BOX.letter) / width) * LINE + (where === "" ? 0 : LINE);
	return head + Math.ceil(groups.length / columns) * (box + BOX.gap) <= height;
}

function nextWords({ slab, index, cycles }: NextObject): string {
	const where = slab < 0 ? "no memory" : `slab ${slab}, object ${index}`;
	return `Next: ${where}, ${quantity(cycles, "cycle")}`;
}

/** Several nodes or lists in one line: how often they were asked in vain, else what they hold. */
function summaryOf(groups: readonly Group[]): string {
	const asked = groups.reduce((sum, group) => sum + group.asked, 0);
	if (asked > 0) return `asked ${quantity(asked, "time")} in vain`;
	const places = groups.flatMap((g) => g.holdings.filter((h) => !h.isFull).map((h) => h.place));
	const objects = places.reduce((sum, place) => sum + place.nrEntries, 0);
	const slabs = places.reduce((sum, place) => sum + place.nrSlabs, 0);
	const held = places.some((place) => holdsObjects(place.kind))
		? quantity(objects, "object")
		: quantity(slabs, "slab");
	if (groups.length === 1) return `${held} in ${quantity(places.length, "list")}`;
	return `${held} on ${quantity(groups.length, "node")}`;
}

interface GroupProps {
	readonly group: Group;
	/** The objects of an array are a bar: there are other groups beside it, or too little height. */
	readonly isBar: boolean;
	readonly frame: Frame;
	readonly next: NextObject | undefined;
}

function GroupOf({ group: { name, holdings, asked }, ...rest }: GroupProps) {
	const drawn = holdings.filter((h) => h.slabs.length > 0 || (h.sheaves && isDrawn(h)));
	const lists = Math.max(1, drawn.length);
	// Words about a list take two lines where they do not fit one.
	const room = { "--lists": lists, "--lines": holdings.length + 1 } as CSSProperties;
	return (
		<div className={css.group} style={room}>
			{name !== "" && (
				<p className={css.node}>
					<strong>{name}</strong>
					{asked > 1 && (
						<span className={css.again} title={`asked ${count(asked)} times, in vain`}>
							{" "}
							×{count(asked)}
						</span>
					)}
				</p>
			)}
			{holdings.map((holding, i) => (
				<HoldingOf key={i} holding={holding} {...rest} />
			))}
		</div>
	);
}

/** There is a sheaf to draw, or room for one. */
const isDrawn = ({ place, sheaves }: Holding) => place.sheaves > 0 || (sheaves?.sheaves ?? 0) > 0;

interface HoldingProps {
	readonly holding: Holding;
	readonly isBar: boolean;
	readonly frame: Frame;
	readonly next: NextObject | undefined;
}

function HoldingOf({ holding, isBar, frame, next }: HoldingProps) {
	const { place, name, words, slabs, isFull, sheaves } = holding;
	const [only] = slabs;
	const isCpuSlab = place.kind === PLACE.CPU_SLAB;
	return (
		<div className={classes(css.holding, isFull && css.onNoList)}>
			{isCpuSlab && only ? (
				<>
					<SlabCells
						slab={only}
						frame={frame}
						next={next?.slab === only.serial ? next.index : -1}
					/>
					<p className={classes("number", css.oneLine)}>
						slab {only.serial}: {count(only.objects - only.allocated)} of {count(only.objects)} free
					</p>
				</>
			) : (
				<Slabs holding={holding} />
			)}
			{sheaves ? (
				<Sheaves place={place} of={sheaves} />
			) : (
				holdsObjects(place.kind) && place.limit > 0 && <EntryCells place={place} isBar={isBar} />
			)}
			{words !== "" && (
				<LinkButton
					className={classes("number", css.count)}
					tabIndex={-1}
					title={`Why? ${placeName(place)}`}
					onClick={() => askWhy(place)}
				>
					{name !== "" && `${name}: `}
					{words}
				</LinkButton>
			)}
		</div>
	);
}

const SLOTS_MOST = 8;

/** Slabs from the head of their list; where a list has a limit, its free places too. */
function Slabs({ holding: { place, slabs } }: { holding: Holding }) {
	const isOfCpu = place.kind === PLACE.CPU_PARTIAL || place.kind === PLACE.CPU_SLAB;
	const slots =
		isOfCpu && place.limit <= SLOTS_MOST
			? Math.max(place.limit, place.kind === PLACE.CPU_SLAB ? 1 : 0)
			: 0;
	const free = Math.max(0, slots - slabs.length);
	if (slabs.length + free === 0) return null;
	return (
		<div className={css.slabs}>
			{slabs.map((slab, i) => (
				<SlabGlyph key={i} slab={slab} />
			))}
			{Array.from({ length: free }, (_, i) => (
				<i
					key={`slot ${i}`}
					className={classes(css.slot, place.kind === PLACE.CPU_SLAB && css.large)}
				/>
			))}
		</div>
	);
}

const PAGES_MOST = 8;

function Taken({ pages: { node, used, pages } }: { pages: Pages }) {
	return (
		<>
			<svg className={glyph.bar} aria-hidden="true">
				<rect className={glyph.free} width="100%" height="100%" />
				<rect
					className={glyph.body}
					width={`${(100 * used) / Math.max(1, pages)}%`}
					height="100%"
				/>
			</svg>
			<LinkButton
				className={classes("number", css.count)}
				tabIndex={-1}
				title={`Why? The pages of node ${node}`}
				onClick={() => askWhy({ kind: "pages", node })}
			>
				{count(used)} of {quantity(pages, "page")} taken
			</LinkButton>
		</>
	);
}

function SlabPages({ of, isReached }: { of: PagesOfSlab; isReached: boolean }) {
	const { pages, pageBytes, objects } = of;
	return (
		<>
			<div className={css.pages}>
				{Array.from({ length: Math.min(pages, PAGES_MOST) }, (_, i) => (
					<i key={i} className={classes(css.page, isReached && css.taken)}>
						{shortBytes(pageBytes)}
					</i>
				))}
			</div>
			<p className={classes("number quiet", css.perSlab)}>
				{quantity(pages, "page")} a slab: {quantity(objects, "object")}
			</p>
		</>
	);
}

const LevelCost = memo(function LevelCost({ cycles, share }: Pick<Level, "cycles" | "share">) {
	return (
		<div className={css.level}>
			<p>
				<strong className="number" title="Model cycles of an allocation that ends here, on average">
					{cycles === undefined ? share !== undefined && "–" : count(cycles)}
					{cycles !== undefined && (
						<span className={css.unit}>{cycles === 1 ? " cycle" : " cycles"}</span>
					)}
				</strong>
				{share !== undefined && (
					<span className="number quiet" title="Share of this trace’s allocations that end here">
						{(share / 100).toFixed(2)} %
					</span>
				)}
			</p>
			{share !== undefined && (
				<div className={css.share}>
					<i style={{ width: `${share / 100}%` }} />
				</div>
			)}
		</div>
	);
});
