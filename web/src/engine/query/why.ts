/** Why something is where it is: the core's facts about a place, a CPU, a node or its pages, and its length over time. */
import { About, PARAM_KEYS, PLACE_SIZE, readPlace } from "#abi";
import type { KmemSession, Why } from "#wasm";
import type { Pace } from "../pace.ts";
import { isSubject, readSubject, type Subject } from "../subject.ts";

/** The answer to a question about a subject, after this many events. */
export interface WhyAnswer {
	readonly subject: string;
	readonly ops: number;
	/** The cache, "" for all of them. */
	readonly cache: string;
	readonly title: string;
	readonly facts: readonly string[];
	/** How many slabs, or objects kept one by one, it holds. */
	readonly things: number;
	/** The CPU that put most of them there, and the events in which it did; if there are many, only the latest. */
	readonly source: { readonly cpu: number; readonly isDrain: boolean } | null;
	readonly events: readonly number[];
	/** CPUs whose next objects show what happens here next. */
	readonly nextOf: { readonly cpu: number } | { readonly node: number } | null;
	/** A setting to try. */
	readonly whatIf: { readonly key: string; readonly value: string } | null;
	/**
	 * How many were here at equal intervals from the first event to this one; empty if the question is not about a
	 * place.
	 */
	readonly lengths: readonly number[];
}

const SAMPLES = 32;
const ANY_CACHE = 0xffff;
const NONE = 0xffff;

export async function explain(
	session: KmemSession,
	text: string,
	ops: number,
	cache: number,
	pace: Pace,
): Promise<WhyAnswer> {
	const subject = readSubject(text);
	if (!subject) throw new Error(`"${text}" does not name a list, a CPU or a node.`);
	session.seek(ops);
	const why = ask(session, subject, cache);
	const isPlace = subject.about === About.ABOUT_PLACE;
	// If the subject leaves the place open, the core has chosen one.
	const lengths = isPlace ? await lengthsOf(session, subject, why, ops, pace) : [];
	return { ...answerOf(why, subject), subject: text, ops, lengths };
}

function ask(session: KmemSession, subject: Subject, cache: number): Why {
	const { about, kinds, cpu, node, which } = subject;
	const owner = { cache, cpu, node, ...(which === undefined ? {} : { which }) };
	let failure: unknown;
	for (const kind of kinds.length > 0 ? kinds : [NONE]) {
		try {
			return session.whyAbout(about, kind, owner);
		} catch (error) {
			failure = error;
		}
	}
	throw failure;
}

function answerOf(why: Why, { about }: Subject): Omit<WhyAnswer, "subject" | "ops" | "lengths"> {
	const [first] = why.sources;
	const key = PARAM_KEYS[why.param];
	const nextOf =
		about === About.ABOUT_PAGES || about === About.ABOUT_CPU
			? null
			: why.cpu !== NONE
				? { cpu: why.cpu }
				: why.node !== NONE
					? { node: why.node }
					: null;
	return {
		cache: why.name,
		title: why.title,
		facts: why.facts,
		things: why.entries > 0 ? why.entries : why.slabs,
		source: first ? { cpu: first.cpu, isDrain: first.drains === first.events } : null,
		events: [...why.events],
		nextOf,
		whatIf: key === undefined ? null : { key, value: why.value },
	};
}

/** Other calls may move the session between two samples, so each one goes to its event itself. */
async function lengthsOf(
	session: KmemSession,
	subject: Subject,
	{ cache, cpu, node }: Why,
	ops: number,
	pace: Pace,
): Promise<number[]> {
	const one = { ...subject, cpu, node: cpu === NONE ? node : NONE };
	const total = Math.min(SAMPLES, ops);
	const lengths: number[] = [];
	for (let i = 0; i <= total && total > 0; i++) {
		session.seek(Math.round((ops * i) / total));
		lengths.push(lengthNow(session, one, cache));
		await pace.breathe({ phase: "searching", done: i, total, events: 0 });
	}
	return lengths;
}

function lengthNow(session: KmemSession, subject: Subject, cache: number): number {
	// Before its first use the cache does not exist.
	if (cache !== ANY_CACHE && cache >= session.caches().length) return 0;
	const { places } = session.view(cache);
	const rows = new DataView(places);
	let length = 0;
	for (let at = 0; at < places.byteLength; at += PLACE_SIZE) {
		const place = readPlace(rows, at);
		if (place.cache === cache && isSubject(subject, place))
			length += place.nrEntries > 0 ? place.nrEntries : place.nrSlabs;
	}
	return length;
}
