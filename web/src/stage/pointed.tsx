/** Under the pointer: one line about the thing there, and a ring around what a click explains. */

import { useEffect, useState } from "react";
import { CELL_WORDS } from "#abi";
import { change, facts, isInLessons } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, quantity } from "../base/format.ts";
import { capital } from "../base/words.ts";
import { type Frame, NONE, type Place } from "../engine/frame.ts";
import { allocatedIn, placeName } from "../engine/place_kinds.ts";
import { subjectOf, type WhyOf } from "../engine/subject.ts";
import type { ObjectId } from "../engine/types.ts";
import { barWords, cpuInWords } from "../scene/describe.ts";
import { type Hit, isSquare } from "../scene/hit.ts";
import { partRect, partsAt } from "../scene/layout/parts.ts";
import { subjectRect } from "../scene/layout/walk.ts";
import type { ArrayBox, Rect } from "../scene/scene.ts";
import css from "./pointed.module.css";
import { stage, visiblePart } from "./shown.ts";

export interface PointedAt {
	readonly hit: Hit | undefined;
	/** The subject that a click asks about. */
	readonly asks: WhyOf | undefined;
}

/** The room that the line needs above or below the thing. */
const LINE = 30;

export function Pointed({ hit, asks }: PointedAt) {
	const frame = useCalm((f) => f.moment?.frame);
	useFacts((f) => f.zoom);
	const inLessons = useFacts(isInLessons);
	useEffect(() => {
		if (!inLessons || !frame) return;
		change({ partsUnder: partsAt(hit, asks, frame) });
		return () => change({ partsUnder: [] });
	}, [inLessons, hit, asks, frame]);
	const shown = stage.shown();
	if (!shown || !frame) return null;
	const subject = asks ? subjectOf(asks) : "";
	const words = asks ? askWords(asks, hit, frame) : hit ? thingWords(hit, frame) : "";
	const own = hit?.bar?.bar ?? hit?.slab ?? hit?.array;
	const rect = subject === "" ? own : subjectRect(shown.scene, shown.plan, frame, subject);
	const box = rect && visiblePart(shown, rect);
	if (words === "" || !box) return null;
	const share = Math.min(1, Math.max(0, (box.x + box.w / 2) / shown.size.width));
	const bottom = box.y + box.h;
	// The name of a subject is above it.
	const isBelow = subject === "" ? box.y < LINE : bottom + LINE < shown.size.height;
	return (
		<>
			{subject !== "" && <Ring subject={subject} />}
			<p
				className={subject === "" ? css.line : `${css.line} ${css.asks}`}
				data-part="pointed"
				style={{
					left: `${100 * share}%`,
					top: isBelow ? bottom + 4 : box.y - 4,
					translate: `${-100 * share}% ${isBelow ? 0 : -100}%`,
				}}
			>
				{words}
			</p>
		</>
	);
}

export interface RingProps {
	/** The part of the stage (scene/layout/parts.ts). */
	readonly subject: string;
	readonly isOpen?: boolean;
}

/** Draws a ring around the subject of a question: thin while the pointer is there, thicker while its answer is shown. */
export function Ring({ subject, isOpen }: RingProps) {
	const box = useSubjectBox(subject);
	if (!box) return null;
	return (
		<div
			className={isOpen ? `${css.ring} ${css.open}` : css.ring}
			data-part={isOpen ? "why-subject" : undefined}
			style={{ left: box.x, top: box.y, width: box.w, height: box.h }}
		/>
	);
}

/** Returns the visible part of a subject, as the canvas has drawn it last. */
function useSubjectBox(subject: string): Rect | undefined {
	const [box, setBox] = useState<Rect>();
	useEffect(() => {
		const follow = () => {
			const shown = stage.shown();
			const frame = facts().moment?.frame;
			const rect = shown && frame && partRect(shown.scene, shown.plan, frame, subject);
			const now = rect && visiblePart(shown, rect);
			setBox((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
		};
		stage.drawn.add(follow);
		follow();
		return () => {
			stage.drawn.delete(follow);
		};
	}, [subject]);
	return box;
}

function askWords(asks: WhyOf, hit: Hit | undefined, frame: Frame): string {
	if (asks.kind === "node") return `Why? Node ${asks.node}`;
	if (asks.kind === "pages") return `Why? Pages of node ${asks.node}`;
	if (asks.kind === "cpu") {
		const { name, places } = cpuInWords(frame, asks.cpu);
		const isCard = !(hit?.panel && isSquare(hit.panel));
		const all = places.map((place) => `${place.name} ${place.holds}`);
		return isCard ? `Why? ${name}` : [`Why? ${name}`, ...all].join(" · ");
	}
	const array = hit?.array ? ` · ${arrayWords(hit.array)}` : "";
	return `Why? ${capital(placeName({ target: NONE, bytes: 0, ...asks } as Place))}${array}`;
}

function arrayWords(array: ArrayBox): string {
	const { count: nr, limit, stacks, touched } = array;
	const old = touched ? "" : " · untouched since the last reap or expiry";
	if (!stacks) return count(nr) + (limit > 0 ? ` of ${count(limit)}` : "") + old;
	const { room, present, capacity } = stacks;
	if (room === 1) return present === 0 ? "no sheaf" : `${count(nr)} of ${count(capacity)}`;
	const of = limit > 0 ? ` of ${count(room)}` : "";
	return `${count(present)}${of} sheaves of ${count(capacity)}, ${quantity(nr, "object")}`;
}

function thingWords({ bar, object, slab }: Hit, frame: Frame): string {
	if (bar) {
		const { title, of } = barWords(bar.of, bar.bar);
		return `${title}: ${of}`;
	}
	const serial = object?.serial ?? slab?.serial;
	const row = serial === undefined ? -1 : frame.slabs.serial.indexOf(serial);
	if (row < 0) return "";
	if (object) return objectWords(object, frame, row);
	const place = frame.places[frame.slabs.place[row] ?? 0];
	const all = `${count(allocatedIn(frame, row))} of ${count(frame.slabs.objects[row] ?? 0)} allocated`;
	return [`Slab #${serial}`, all, place ? placeName(place) : ""].filter(Boolean).join(" · ");
}

function objectWords({ serial, index, cache }: ObjectId, frame: Frame, row: number): string {
	const state = frame.cells[(frame.slabs.firstCell[row] ?? 0) + index] ?? 0;
	const entry = arrayEntryOf(frame, serial, cache, index);
	return [
		`Object ${index} of slab #${serial}`,
		CELL_WORDS[state] ?? "",
		entry ? `cached in ${placeName(entry.place)}, ${nth(entry.fromTop)}` : "",
	]
		.filter(Boolean)
		.join(" · ");
}

export interface ArrayEntry {
	readonly place: Place;
	/** 0 means the object taken next. */
	readonly fromTop: number;
}

export function arrayEntryOf(
	frame: Frame,
	serial: number,
	cache: number,
	index: number,
): ArrayEntry | undefined {
	const { slab, index: indices, cache: caches } = frame.entries;
	const at = slab.findIndex((s, i) => s === serial && indices[i] === index && caches[i] === cache);
	const place = frame.places.find((p) => at >= p.firstEntry && at < p.firstEntry + p.nrEntries);
	return place && { place, fromTop: place.firstEntry + place.nrEntries - 1 - at };
}

export function nth(fromTop: number): string {
	return fromTop === 0 ? "taken next" : `taken after ${quantity(fromTop, "other")}`;
}
