/** A small allocator to play with: each press is one more event, and the core serves it. */

import { type ReactNode, useId, useRef, useState } from "react";
import { count, quantity } from "../../base/format.ts";
import type { Frame } from "../../engine/frame.ts";
import { momentOf } from "../../engine/moment.ts";
import { CELL } from "../../engine/place_kinds.ts";
import { Button } from "../../ui/controls.tsx";
import { useAsync, useSeen } from "../../ui/hooks.ts";
import { filmOf } from "./figure/small_stage.tsx";
import lessons from "./lessons.module.css";
import { useAround } from "./model/context.ts";
import { figuresAt, type Place, scriptPlace } from "./model/places.ts";
import css from "./slider.module.css";
import { FilmStage, Sentences } from "./slider.tsx";

export interface ToyProps {
	/** A slabtrace: what has happened before the reader's first press. Its objects are named 1, 2, 3 and so on. */
	readonly start: string;
	/**
	 * "Words = line", separated by semicolons. In a line * is a new object; `f first`, `f middle` and `f last` free the
	 * oldest, the middle or the newest live one.
	 */
	readonly buttons: string;
	readonly machine?: string;
	readonly cache?: string;
	/** Shows the pages as arrays of bytes instead of the small stage: for allocators whose objects have all sizes. */
	readonly bytes?: boolean;
	/** One sentence: what to try. */
	readonly children?: ReactNode;
}

interface Press {
	readonly words: string;
	readonly line: string;
}

export function pressesIn(buttons: string): readonly Press[] {
	return buttons.split(";").map((one) => {
		const at = one.indexOf("=");
		return { words: one.slice(0, at).trim(), line: one.slice(at + 1).trim() };
	});
}

const ALLOCATES = /^[ak] (\S+)/;
const FREES = /^f (\S+)/;

/** Returns the names of live objects, the oldest first. */
function liveIn(text: string): readonly string[] {
	const live = new Set<string>();
	for (const line of text.split("\n")) {
		const [, born] = ALLOCATES.exec(line) ?? [];
		const [, dead] = FREES.exec(line) ?? [];
		if (born) live.add(born);
		if (dead) live.delete(dead);
	}
	return [...live];
}

/** Returns the slabtrace with one more event; undefined if nothing is left to free. */
export function pressed(text: string, line: string): string | undefined {
	const live = liveIn(text);
	const which = { first: live[0], middle: live[live.length >> 1], last: live.at(-1) };
	const [, word] = FREES.exec(line) ?? [];
	const object = which[word as keyof typeof which];
	if (word !== undefined && object === undefined) return undefined;
	const names = [...text.matchAll(/^[ak] (\d+)/gm)].map(([, name]) => Number(name));
	const next = Math.max(0, ...names) + 1;
	const full = line.replace("*", String(next)).replace(FREES, () => `f ${object}`);
	return `${text.trimEnd()}\n${full}\n`;
}

/** The most events: with more, it would no longer be a toy. */
const MOST_EVENTS = 200;

export function Toy({ start, buttons, machine, cache, bytes, children }: ToyProps) {
	const around = useAround().place;
	const box = useRef<HTMLElement>(null);
	const seen = useSeen(box);
	const id = useId();
	const [text, setText] = useState(start);
	const place = scriptPlace({ machine: machine ?? around.machine, cache }, text);
	const { value, sentence } = useAsync(seen ? () => answerTo(place) : undefined, [
		seen,
		text,
		machine,
		cache,
	]);
	return (
		<figure
			className={`grid gap-3 narrows framed round ground ${lessons.task} ${css.toy}`}
			data-toy
			data-events={(place.op ?? 0) + 1}
			ref={box}
			aria-labelledby={id}
		>
			<div className="row">
				{pressesIn(buttons).map(({ words, line }) => {
					const after = pressed(text, line);
					const isFull = (place.op ?? 0) >= MOST_EVENTS;
					return (
						<Button
							key={words}
							disabled={after === undefined || isFull}
							onClick={() => after !== undefined && setText(after)}
						>
							{words}
						</Button>
					);
				})}
				<Button disabled={text === start} onClick={() => setText(start)}>
					Start again
				</Button>
			</div>
			{bytes ? (
				<div className={css.memory}>
					{value && <ArrayOfBytes frame={value.frame} pageBytes={value.film.built.pageBytes} />}
				</div>
			) : (
				<div className={`framed round paper ${css.sliderStage}`}>
					{value && <FilmStage film={value.film} label="Memory after your last press" />}
				</div>
			)}
			{sentence !== "" && <p className="danger">{sentence}</p>}
			{value && (
				<div aria-live="polite">
					<p className="number strong">
						{quantity(value.steps.length, "step")}, {count(value.cycles)} model cycles
					</p>
					<Sentences steps={value.steps} />
				</div>
			)}
			<figcaption id={id} className="quiet">
				{children}
			</figcaption>
		</figure>
	);
}

async function answerTo(place: Place) {
	const film = await filmOf(place, [{ op: place.op ?? 0 }]);
	const { eventCycles } = await figuresAt(place);
	const [packed] = film.moments;
	if (!packed) throw new Error("The core has no picture of this event.");
	const { steps, frame } = momentOf(packed);
	return { film, cycles: eventCycles, steps, frame };
}

/** How many lines a page takes. */
const LINES = 4;
/** Shorter pieces have no room for their length. */
const LABELLED_BYTES = 40;

interface BytesProps {
	readonly frame: Frame;
	readonly pageBytes: number;
}

/** Draws each page in lines: pieces in use and free ones, with their true lengths. */
function ArrayOfBytes({ frame, pageBytes }: BytesProps) {
	const pages = Array.from({ length: frame.slabs.count }, (_, row) => row).toSorted(
		(a, b) => (frame.slabs.serial[a] ?? 0) - (frame.slabs.serial[b] ?? 0),
	);
	const line = pageBytes / LINES;
	return pages.map((row) => (
		<div
			key={frame.slabs.serial[row]}
			className={css.bytes}
			role="img"
			aria-label={piecesOf(frame, row)
				.map(({ bytes, isUsed }) => `${count(bytes)} bytes ${isUsed ? "in use" : "free"}`)
				.join(", ")}
		>
			{Array.from({ length: LINES }, (_, nr) => (
				<span key={nr} className={css.line}>
					{piecesOf(frame, row).map(({ offset, bytes, isUsed }) => {
						const from = Math.max(offset, nr * line);
						const to = Math.min(offset + bytes, (nr + 1) * line);
						if (from >= to) return null;
						return (
							<i
								key={offset}
								className={isUsed ? css.used : undefined}
								style={{
									left: `${(100 * (from - nr * line)) / line}%`,
									width: `${(100 * (to - from)) / line}%`,
								}}
							>
								{to - from >= LABELLED_BYTES ? count(bytes) : ""}
							</i>
						);
					})}
				</span>
			))}
		</div>
	));
}

interface PieceOfPage {
	readonly offset: number;
	readonly bytes: number;
	readonly isUsed: boolean;
}

function piecesOf({ slabs, cells, extents }: Frame, row: number): readonly PieceOfPage[] {
	const [cell = 0, extent = 0] = [slabs.firstCell[row], slabs.firstExtent[row]];
	return Array.from({ length: slabs.objects[row] ?? 0 }, (_, i) => ({
		offset: extents.offset[extent + i] ?? 0,
		bytes: extents.bytes[extent + i] ?? 0,
		isUsed: cells[cell + i] === CELL.ALLOCATED,
	}));
}
