/** Makes a bundle of the case on screen: a colleague who has no trace drops it on the page and sees the same. */

import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import { toQuery, viewOf } from "../app/link/url.ts";
import { engine } from "../app/platform/engine_link.ts";
import { inFull } from "../app/playback/opened.ts";
import { facts, START } from "../app/state/store.ts";
import { fileName } from "../app/trace/save_file.ts";
import { toCsv } from "../base/csv_table.ts";
import { numberOf } from "../base/numbering.ts";
import { type Cut, conditionsOf, cutAround, cutWords } from "../engine/import/bundle_cut.ts";
import { linkText } from "./link_contents.ts";
import { tablesOfCase } from "./tables.ts";

/** Characters; a longer text is refused when the bundle is opened (engine/import/bundle.ts). */
export const NOTES_MOST = 20_000;

/** The view of the excerpt, in which events have other numbers if it begins in the middle. */
function queryOf(part: Cut["part"], shift: number, isAnonymous: boolean): string {
	const f = facts();
	const view = viewOf(f);
	const isMiddle = part === "middle";
	return toQuery({
		...view,
		trace: "",
		...{ url: "", file: "", sandbox: "", future: START.future, against: START.against },
		machine: inFull(f.trace, f.machine),
		state: { code: "", used: false, warm: false },
		// It has no pointers to begin with.
		cold: false,
		start: "",
		op: view.op < 0 ? -1 : view.op + shift,
		marks: view.marks.map((mark) => ({ ...mark, op: mark.op + shift })).filter(({ op }) => op >= 0),
		...(isMiddle ? { range: null, selected: null, why: "" } : {}),
		// Its events have other numbers, or it has other names.
		filter: isMiddle || isAnonymous ? [] : view.filter,
	});
}

const nameOf = (trace: string) =>
	trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace === SANDBOX ? "a sandbox" : trace;

/** Bytes of a file for the core's tables and for people; `name` says which event it is about. */
export async function makeBundle(
	notes: string,
	isAnonymous: boolean,
): Promise<{ readonly blob: Blob; readonly name: string; readonly words: string }> {
	const { moment, built, trace, machineState } = facts();
	if (!moment || !built) throw new Error("No trace is open.");
	const { op } = moment.position;
	const cut = cutAround(op, built.nrOps);
	const { part, from, to } = cut;
	const state = await engine().machineStateBytes();
	const excerpt = await engine().excerpt(conditionsOf(cut), isAnonymous);
	const about = {
		slabscope: 1 as const,
		view: queryOf(part, part === "middle" ? excerpt.before - from : 0, isAnonymous),
		of: nameOf(trace),
		event: numberOf(op),
		excerpt: part,
		events: { from: numberOf(from), to: numberOf(to), of: built.nrOps },
		state:
			machineState && state
				? { name: machineState.name, used: machineState.used, warm: machineState.warm }
				: null,
		inferred: built.warmSlabs > 0 && !machineState?.warm,
		notes,
	};
	const more: Record<string, string> = {
		"README.txt": readme(about.of, about.event, cutWords(cut), notes),
	};
	if (!isAnonymous) more["link.txt"] = `${linkText()}\n`;
	for (const table of tablesOfCase()) more[`${table.name}.csv`] = toCsv(table);
	const bytes = new Uint8Array(await excerpt.text.arrayBuffer());
	const own = about.state && state ? new Uint8Array(state) : undefined;
	const blob = await engine().packBundle({ about, trace: bytes, state: own }, more);
	return { blob, name: fileName("bundle", "zip"), words: cutWords(cut) };
}

function readme(of: string, event: number, events: string, notes: string): string {
	return [
		`A case of Slabscope: event ${event} of ${of}.`,
		"Drop this zip file on the page of Slabscope to see it as its sender did.",
		`trace.slabtrace has ${events}; the tables are about the same event.`,
		...(notes.trim() === "" ? [] : ["", notes.trim()]),
		"",
	].join("\n");
}
