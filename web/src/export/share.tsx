/** Shares the link to exactly this view: it's copied at once, with a description of its contents. There is also code to embed the view. */

import { useEffect, useRef, useState } from "react";
import { version } from "../../../package.json";
import { addressTo } from "../app/link/address.ts";
import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import { toQuery, viewOf } from "../app/link/url.ts";
import { engine } from "../app/platform/engine_link.ts";
import { inFull } from "../app/playback/opened.ts";
import { sentenceOf } from "../app/playback/player.ts";
import { allocatorOf, busy, facts, START } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { hasPresets, modelOf, presetInForce } from "../app/trace/actions.ts";
import { fileName, save } from "../app/trace/files.ts";
import { toCsv } from "../base/csv_table.ts";
import { count, eventWords, numberOf, quantity } from "../base/format.ts";
import {
	type Cut,
	conditionsOf,
	cutAround,
	cutWords,
	WHOLE_MOST,
} from "../engine/import/bundle_cut.ts";
import { Button, Check, Field, SelectField } from "../ui/controls.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { compareWith } from "../views/compare/machines.ts";
import css from "./export.module.css";
import { CLIP_S, canFilm, clipOf, type FilmPlan, film } from "./film.ts";
import { hasStage } from "./pictures.ts";
import { tablesOfCase } from "./tables.ts";

/** One file for a colleague who does not have the trace. */
function BundlePart({ say }: { readonly say: (sentence: string) => void }) {
	const [notes, setNotes] = useState("");
	const [isAnonymous, setAnonymous] = useState(false);
	const op = useCalm((f) => f.moment?.position.op ?? -1);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const cut = op < 0 ? undefined : cutAround(op, nrOps);
	const run = async () => {
		try {
			const { blob, name, words } = await busy(() => makeBundle(notes, isAnonymous));
			save(blob, name);
			say(`Saved ${words} as ${name}.`);
		} catch (error) {
			say(sentenceOf(error));
		}
	};
	return (
		<section aria-label="Bundle">
			<h3>Bundle: one file for somebody without the trace</h3>
			<p className="hint" data-part="bundle-contents">
				It contains {cut ? cutWords(cut) : "the trace"}, the machine state, your marks and notes,
				and tables as CSV. Drop it on this page, and it opens at this event.{" "}
				{cut && cut.part !== "all" && (
					<strong>The trace is cut: a bundle holds at most {count(WHOLE_MOST)} events.</strong>
				)}
			</p>
			<Field label="Notes">
				{(id) => (
					<textarea
						id={id}
						rows={2}
						maxLength={NOTES_MOST}
						value={notes}
						onChange={(e) => setNotes(e.currentTarget.value)}
					/>
				)}
			</Field>
			<p className="row">
				<Check
					checked={isAnonymous}
					onCheck={setAnonymous}
					title="Writes site-1, site-2, ... and task-1, ... instead of call sites and tasks"
				>
					Anonymise call sites and tasks
				</Check>{" "}
				<Button onClick={() => void run()}>Save bundle</Button>
			</p>
		</section>
	);
}

/** Films the event on screen in a few seconds, with one press, and on request with another kernel beside it. */
function ClipPart({ say }: { readonly say: (sentence: string) => void }) {
	const exploring = useFacts(hasStage);
	const built = useFacts((f) => f.built);
	const inForce = useFacts(presetInForce);
	const moment = useCalm((f) => f.moment);
	const [preset, setPreset] = useState("");
	if (!exploring || !canFilm() || !built || !moment) return null;
	const allocator = allocatorOf(built);
	const others = built.presets.filter(({ name }) => name !== inForce).map(({ name }) => name);
	const plan = async () => {
		const beside = preset === "" ? undefined : await machineBeside(allocator, preset);
		if (beside === null) return null;
		const name = preset === "" ? "clip" : `clip-with-${preset}`;
		return { film: clipOf(moment, beside), name };
	};
	return (
		<section aria-label="Clip">
			<h3>Clip: this event, step by step</h3>
			<div className={`flex wrap low gap-3 ${css.clip}`}>
				{hasPresets(allocator) && (
					<SelectField
						label="Kernel beside it"
						value={preset}
						options={[["", "nothing"], ...others]}
						onSelect={setPreset}
					/>
				)}
				<Recorder plan={plan} report={say}>
					Save a clip
				</Recorder>
			</div>
			<p className="hint">
				A WebM film of about {CLIP_S} seconds, with the title. Recording takes just as long.
			</p>
		</section>
	);
}

/** Replays the trace under that kernel; resolves to null if that was cancelled. */
async function machineBeside(allocator: string, preset: string) {
	const comparison = await compareWith([`${allocator},preset=${preset}`]);
	const run = comparison?.runs[1];
	return run ? { nr: 1, run, name: modelOf(run.allocator, preset) } : null;
}

export function Share() {
	// Its value when the dialog opens, because the page goes on behind it.
	const [link] = useState(linkText);
	const [embed] = useState(embedText);
	const [bibtex] = useState(() =>
		bibtexOf({ link, view: viewWords(), day: new Date().toISOString().slice(0, 10) }),
	);
	const [said, say] = useState("");
	const field = useRef<HTMLInputElement>(null);
	const copy = async (text: string, what: string) => {
		try {
			await navigator.clipboard.writeText(text);
			say(`Copied ${what}.`);
		} catch {
			say("This browser does not allow copying: copy it from the field.");
		}
	};
	useEffect(() => {
		navigator.clipboard?.writeText(link).then(
			() => say("Copied the link."),
			() => field.current?.select(),
		);
	}, [link]);
	return (
		<Dialog title="Share">
			<div className="grid gap-3">
				<div className={`flex gap-2 ${css.line}`}>
					<input ref={field} type="text" readOnly aria-label="Link" value={link} data-first />
					<Button onClick={() => void copy(link, "the link")}>Copy link</Button>
				</div>
				<p role="status" aria-label="Share">
					{said} The link holds {holds()}. {misses()}
				</p>
				<ClipPart say={say} />
				<BundlePart say={say} />
				<h3>Cite this view</h3>
				<div className={`flex gap-2 ${css.line}`}>
					<textarea readOnly rows={4} aria-label="BibTeX" className="mono" value={bibtex} />
					<Button onClick={() => void copy(bibtex, "the BibTeX entry")}>Copy BibTeX</Button>
				</div>
				<h3>Embed it in your page</h3>
				{embed === "" ? (
					<p>
						Your actions are too long for an address, so the code cannot contain them. Undo some, or
						share the saved trace.
					</p>
				) : (
					<div className={`flex gap-2 ${css.line}`}>
						<input type="text" readOnly aria-label="Code to embed" className="mono" value={embed} />
						<Button onClick={() => void copy(embed, "the code")}>Copy code</Button>
					</div>
				)}
				<p className="hint" hidden={embed === ""}>
					It shows the stage with its buttons, at this event. For a passage, write events="11-41"
					instead, and add loop to repeat it. Your style sheet sets the width and height.
				</p>
			</div>
		</Dialog>
	);
}

/* Describes the contents of a link to this view in words, and what it cannot contain. */

function linkText(): string {
	return `${location.origin}${addressTo(toQuery(viewOf(facts())), location)}`;
}

/** Names the trace and the event on screen. */
function viewWords(): string {
	const { trace, moment } = facts();
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	return `Trace ${name}, event ${numberOf(moment?.position.op ?? 0)}`;
}

const quoted = (value: string) => `"${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;

/** Writes the HTML element for other pages, and its script; "" if it cannot contain what is on screen. */
function embedText(): string {
	const { trace, moment, built, machine, sandbox, future } = facts();
	const isHere = future === "yours" && (sandbox?.acts.length ?? 0) > 0;
	const code = isHere ? facts().sandboxCode : "";
	if (isHere && code === "") return "";
	const settings = Object.entries(machine.values).filter(([key]) => key !== "allocator");
	const script = new URL("slab-player.js", `${location.origin}${location.pathname}`).href;
	const all: readonly (readonly [string, string])[] = [
		["trace", trace],
		["sandbox", code],
		["event", String(numberOf(moment?.position.op ?? 0))],
		["allocator", machine.values.allocator ? allocatorOf(built) : ""],
		["preset", machine.preset],
		["settings", settings.map(([key, value]) => `${key}=${value}`).join(" ")],
	];
	const given = all.filter(([, value]) => value !== "");
	const attributes = given.map(([name, value]) => `${name}=${quoted(value)}`).join(" ");
	return `<script src=${quoted(script)}></script> <slab-player ${attributes}></slab-player>`;
}

export function holds(): string {
	const {
		trace,
		sandboxCode,
		moment,
		machine,
		selected,
		zoom,
		breakpoints,
		machineState,
		marks,
		range,
		tab,
		unknown,
	} = facts();
	const settings = Object.keys(machine.values).length + (machine.preset === "" ? 0 : 1);
	const all: readonly (readonly [boolean, string])[] = [
		[true, trace === SANDBOX ? "the playground itself" : "the name of the trace"],
		[trace !== SANDBOX && sandboxCode !== "", "your branch of it"],
		[moment !== null, eventWords(moment?.position.op ?? 0)],
		[settings > 0, `${quantity(settings, "setting")} of the machine`],
		[tab !== "explore", "the view"],
		[selected !== null, "the selection"],
		[zoom !== null, "the zoom"],
		[breakpoints.length > 0, quantity(breakpoints.length, "breakpoint")],
		[Boolean(machineState?.code), "the machine state"],
		[marks.length > 0, quantity(marks.length, "mark")],
		[range !== null, "the part that the timeline shows"],
		[unknown.length > 0, "the parts of your link that this page does not know"],
	];
	const words = all.filter(([is]) => is).map(([, word]) => word);
	return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join("");
}

/** Chat and mail programs cut off addresses longer than about 2,000 characters. */
const LONG_CHARS = 2000;

function lengthWords(chars: number): string {
	if (chars <= LONG_CHARS) return "";
	return ` The link has ${count(chars)} characters. Some chat and mail programs cut long links off: send it in a file. Servers do not see the part after the #.`;
}

function misses(): string {
	const { trace, sandbox, sandboxCode, machineState } = facts();
	const state =
		machineState?.code === ""
			? "It does not contain the machine state, which is too long for an address; the bundle does. "
			: "";
	const habits = `${state}The link does not set the theme or the speed.${lengthWords(linkText().length)}`;
	if (trace.startsWith(LOCAL))
		return `It does not contain ${trace.slice(LOCAL.length)} itself, which never leaves this page: the page asks whoever opens the link for the file. ${habits}`;
	if (sandboxCode === "" && (sandbox?.acts.length ?? 0) > 0)
		return `It does not contain the ${trace === SANDBOX ? "playground" : "branch"}, which is too long for an address: save it as a trace and send the file too. ${habits}`;
	return habits;
}

/* Makes a bundle of the case on screen: a colleague who has no trace drops it on the page and sees the same. */

/** The limit in characters; a longer text is refused when the bundle is opened (engine/import/bundle.ts). */
export const NOTES_MOST = 20_000;

/** Returns the view of the excerpt, where events have different numbers if it starts in the middle of the trace. */
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
		// It has no pointers to start with.
		cold: false,
		start: "",
		op: view.op < 0 ? -1 : view.op + shift,
		marks: view.marks.map((mark) => ({ ...mark, op: mark.op + shift })).filter(({ op }) => op >= 0),
		...(isMiddle ? { range: null, selected: null, why: "" } : {}),
		// Its events have other numbers, or its names have changed.
		filter: isMiddle || isAnonymous ? [] : view.filter,
	});
}

const nameOf = (trace: string) =>
	trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace === SANDBOX ? "a playground" : trace;

/** Packs the bundle, with files for the page and for people; `name` says which event it is about. */
async function makeBundle(
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
		`A Slabscope bundle: event ${event} of ${of}.`,
		"Drop this zip file on the Slabscope page to see what the sender saw.",
		`trace.slabtrace has ${events}; the tables describe the same event.`,
		...(notes.trim() === "" ? [] : ["", notes.trim()]),
		"",
	].join("\n");
}

/* The button that records a film, and its progress with a way to cancel. */

interface RecorderProps {
	readonly children: string;
	readonly disabled?: boolean;
	/** What is recorded, and the name of its file; called when the button is pressed. */
	readonly plan: () => Promise<{ readonly film: FilmPlan; readonly name: string } | null>;
	readonly report: (sentence: string) => void;
}

export function Recorder({ children, disabled, plan, report }: RecorderProps) {
	/** How many units have been recorded, out of how many; undefined: nothing is being recorded. */
	const [done, setDone] = useState<{ readonly of: number; readonly units: number }>();
	const stop = useRef<AbortController>(undefined);
	useEffect(() => () => stop.current?.abort(), []);
	const record = async () => {
		stop.current = new AbortController();
		try {
			const planned = await plan();
			if (!planned) return;
			const { count } = planned.film;
			setDone({ of: count, units: 0 });
			const name = fileName(planned.name, "webm");
			const onUnit = (units: number) => setDone({ of: count, units });
			const blob = await film(planned.film, onUnit, stop.current.signal);
			if (blob) save(blob, name);
			report(blob ? `Saved as ${name}.` : "Recording stopped; the film was not saved.");
		} catch (error) {
			report(sentenceOf(error));
		}
		setDone(undefined);
	};
	if (!done)
		return (
			<Button disabled={disabled ?? false} onClick={() => void record()}>
				{children}
			</Button>
		);
	return (
		<>
			<progress aria-label="Recording" value={done.units} max={done.of} />
			<Button onClick={() => stop.current?.abort()}>Cancel</Button>
		</>
	);
}

/* A BibTeX entry for the view on screen: its link, the version and the day. */

/** Matches the characters that TeX would act on. */
const plain = (text: string) =>
	text
		.replaceAll(/[\\{}]/g, "")
		.replaceAll(/[&%$#_]/g, "\\$&")
		.replaceAll(/[~^]/g, "-");

interface Cited {
	readonly link: string;
	/** Names the trace and the event. */
	readonly view: string;
	/** 2026-11-23 */
	readonly day: string;
}

export function bibtexOf({ link, view, day }: Cited): string {
	const fields = {
		author: "{The Slabscope authors}",
		title: "Slabscope: the {Linux} slab allocators made visible",
		version,
		year: day.slice(0, 4),
		url: link.replaceAll("{", "%7B").replaceAll("}", "%7D"),
		urldate: day,
		note: plain(view),
	};
	const lines = Object.entries(fields).map(([key, value]) => `\t${key} = {${value}}`);
	return `@software{slabscope-${day},\n${lines.join(",\n")}\n}\n`;
}
