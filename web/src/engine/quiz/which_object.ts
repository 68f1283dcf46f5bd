/** The question about the next object: which of a slab's objects does an allocation get? */

import { OpKind } from "#abi";
import { type KmemSession, type Operation, stepKind } from "#wasm";
import { numberOf } from "../../base/format.ts";
import type { Question } from "../answers.ts";

/** An object of the slab before the event, and the event that freed or allocated it last; undefined: none has yet. */
interface Candidate {
	readonly index: number;
	readonly by: number | undefined;
	readonly isLive: boolean;
}

/** How many events to look back. */
const BACK_MOST = 60;
const CHOICES_MOST = 4;
const ALLOCATES: readonly number[] = [OpKind.OP_ALLOC, OpKind.OP_KMALLOC];

/** Returns undefined if the event does not take an object of a slab with others to choose from. */
export function whichObject(
	session: KmemSession,
	at: number,
): Omit<Question, "kind" | "before" | "after"> | undefined {
	if (at < 1 || at >= session.nrOps) return undefined;
	const { rows } = session.steps(at);
	const op = session.op(at);
	const cache = session.caches().find((c) => c.cache === op.cache)?.name;
	const isTaken = rows.some((s) => ["ALLOC_FASTPATH", "OBJECT_TAKEN"].includes(stepKind(s).name));
	if (!isTaken || cache === undefined || rows.some((s) => stepKind(s).name === "ALLOC_SLAB"))
		return undefined;
	const used = usedBefore(session, at, op);
	const right = used.find(({ index }) => index === op.index) ?? {
		index: op.index,
		by: undefined,
		isLive: false,
	};
	if (right.isLive) return undefined;
	const others = used.filter((c) => c.index !== op.index);
	const freed = others.filter((c) => !c.isLive);
	const live = others.filter((c) => c.isLive);
	if (freed.length + live.length < 2) return undefined;
	const shown = [right, ...freed.slice(0, 2), ...live]
		.slice(0, CHOICES_MOST)
		.toSorted((a, b) => a.index - b.index);
	return {
		cache,
		title: `Which object does CPU ${op.cpu} get?`,
		given: [`${op.sentence}.`],
		choices: shown.map(words),
		reasons: shown.map((c) => (c === right ? "" : whyNot(c))),
		answer: shown.indexOf(right),
		plain:
			right.by === undefined
				? `No object that was freed waits there, so CPU ${op.cpu} takes the next one in a row that nobody has used yet: object ${op.index}.`
				: `Object ${op.index} was freed last, so it lies on top of the freelist: last in, first out.`,
		why: rows.slice(0, 6).map((s) => s.sentence),
	};
}

/** Returns the objects of the slab that serves, as the earlier events left them: the last one used comes first. */
function usedBefore(
	session: KmemSession,
	at: number,
	{ cache, slab }: Pick<Operation, "cache" | "slab">,
): readonly Candidate[] {
	const seen = new Map<number, Candidate>();
	for (let by = Math.max(0, at - BACK_MOST); by < at; by++) {
		if (session.op(by).cache !== cache) continue;
		// An event has its object once it is replayed.
		session.steps(by);
		const { kind, index, ...of } = session.op(by);
		const isLive = ALLOCATES.includes(kind);
		if (of.slab !== slab || !(isLive || kind === OpKind.OP_FREE)) continue;
		seen.delete(index);
		seen.set(index, { index, by, isLive });
	}
	return [...seen.values()].toReversed();
}

function words({ index, by, isLive }: Candidate): string {
	if (by === undefined) return `object ${index}, never used so far`;
	return isLive
		? `object ${index}, which event ${numberOf(by)} allocated`
		: `object ${index}, which event ${numberOf(by)} freed`;
}

function whyNot({ index, isLive }: Candidate): string {
	return isLive
		? `Object ${index} is in use: nobody has freed it.`
		: `Object ${index} is free, but another object lies above it on the freelist.`;
}
