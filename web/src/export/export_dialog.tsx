/** The export dialog: saves pictures and tables of the view on screen, and a film of the next steps. */

import { useEffect, useState } from "react";
import { engine } from "../app/platform/engine_link.ts";
import { pause, sentenceOf } from "../app/playback/player.ts";
import { busy, facts } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { fileName, save } from "../app/trace/files.ts";
import { type Table, toCsv, toJson } from "../base/csv_table.ts";
import { count, duration, quantity } from "../base/format.ts";
import { capital } from "../base/words.ts";
import { Button, Check, Whole } from "../ui/controls.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { conditionsOf, FilterFields, type Values, valuesOf } from "../views/filter/filter.tsx";
import css from "./export.module.css";
import { canFilm } from "./film.ts";
import { hasStage, type Picture, picturesOfView } from "./pictures.ts";
import { Recorder } from "./share.tsx";
import { tablesOfView } from "./tables.ts";

type Report = (sentence: string) => void;

export function ExportDialog() {
	const [pictures, setPictures] = useState<readonly Picture[]>([]);
	const [tables, setTables] = useState<readonly Table[]>([]);
	const [said, report] = useState("");
	useEffect(() => {
		pause();
		setPictures(picturesOfView());
		tablesOfView().then(setTables, (error) => report(sentenceOf(error)));
	}, []);
	return (
		<Dialog title="Export">
			<p className="hint">
				Your browser makes these files and saves them in your downloads folder.
			</p>
			<section className={css.part} aria-label="Pictures">
				<h3>Pictures</h3>
				<ul>
					{pictures.map((p) => (
						<PictureRow key={p.name} picture={p} report={report} />
					))}
				</ul>
			</section>
			<section className={css.part} aria-label="Tables">
				<h3>Tables</h3>
				<ul>
					{tables.map((t) => (
						<TableRow key={t.name} table={t} report={report} />
					))}
				</ul>
			</section>
			<Excerpt report={report} />
			<section className={css.part} aria-label="Memory over time">
				<h3>Memory over time</h3>
				<ul>
					<TracksRow report={report} />
				</ul>
			</section>
			<Film report={report} />
			<p role="status" aria-label="Export" className={`breaks ${css.status}`}>
				{said}
			</p>
		</Dialog>
	);
}

async function saved(
	make: () => Blob | Promise<Blob>,
	name: string,
	report: Report,
): Promise<void> {
	try {
		save(await make(), name);
		report(`Saved as ${name}.`);
	} catch (error) {
		report(sentenceOf(error));
	}
}

function PictureRow({ picture, report }: { picture: Picture; report: Report }) {
	const { name, svg, png } = picture;
	const asSvg = () => new Blob([svg()], { type: "image/svg+xml" });
	return (
		<li>
			<span>{capital(name)}</span>
			<SaveButton of={name} as="SVG" run={() => saved(asSvg, fileName(name, "svg"), report)} />
			<SaveButton of={name} as="PNG" run={() => saved(png, fileName(name, "png"), report)} />
		</li>
	);
}

function TableRow({ table, report }: { table: Table; report: Report }) {
	const { name } = table;
	const csv = () => new Blob([toCsv(table)], { type: "text/csv" });
	const json = () => new Blob([toJson(table)], { type: "application/json" });
	return (
		<li>
			<span>
				{capital(name)} <span className="quiet number">{quantity(table.rows.length, "row")}</span>
			</span>
			<SaveButton of={name} as="CSV" run={() => saved(csv, fileName(name, "csv"), report)} />
			<SaveButton of={name} as="JSON" run={() => saved(json, fileName(name, "json"), report)} />
		</li>
	);
}

/** Saves the trace, or the events that pass a filter, which starts out as the stage's. */
function Excerpt({ report }: { report: Report }) {
	const [values, setValues] = useState<Values>(() => valuesOf(facts().filter));
	const [isAnonymous, setAnonymous] = useState(false);
	const run = async () => {
		const name = fileName(conditionsOf(values).length > 0 ? "excerpt" : "trace", "slabtrace");
		try {
			const made = await busy(() => engine().excerpt(conditionsOf(values), isAnonymous));
			save(made.text, name);
			const before =
				made.before > 0
					? `, after ${count(made.before)} that make the objects from before them`
					: "";
			report(`Saved ${quantity(made.events, "event")}${before} as ${name}.`);
		} catch (error) {
			report(sentenceOf(error));
		}
	};
	return (
		<section className={css.part} aria-label="Trace">
			<h3>Trace</h3>
			<details open={facts().filter.length > 0}>
				<summary>Only some events</summary>
				<FilterFields values={values} onValues={setValues} />
			</details>
			<p className="row">
				<Check
					checked={isAnonymous}
					onCheck={setAnonymous}
					title="Writes site-1, site-2, ... and task-1, ... instead of call sites and tasks"
				>
					Anonymise call sites and tasks
				</Check>{" "}
				<SaveButton of="the trace" as="Slabtrace" run={run} />
			</p>
		</section>
	);
}

/** Saves the whole trace: all caches together, and the largest ones. */
function TracksRow({ report }: { report: Report }) {
	const make = () => busy(() => engine().perfettoTracks());
	const run = () => saved(make, fileName("memory", "perfetto-trace"), report);
	return (
		<li>
			<span>Counter tracks</span>
			<SaveButton of="counter tracks" as="Perfetto" run={run} />
		</li>
	);
}

function SaveButton({ of, as, run }: { of: string; as: string; run: () => Promise<void> }) {
	return (
		<Button aria-label={`${as} of ${of}`} onClick={() => void run()}>
			{as}
		</Button>
	);
}

const UNIT_WORDS = { step: "steps", event: "events", slow: "slow paths", slab: "slabs" } as const;
const COUNT_MOST = 500;
const PACE_MOST = 12;

/** Records from the position on screen onwards, by the unit that the page plays by. */
function Film({ report }: { report: Report }) {
	const unit = useFacts((f) => f.unit);
	const exploring = useFacts(hasStage);
	const [count, setCount] = useState(24);
	const [pace, setPace] = useState(2);
	if (!exploring || !canFilm()) return null;
	const isWrong = Number.isNaN(count + pace);
	const plan = async () => ({
		film: { count, unit: facts().unit, perSecond: pace },
		name: `${count}-${UNIT_WORDS[unit]}`,
	});
	return (
		<section className={css.part} aria-label="Film">
			<h3>Film (WebM)</h3>
			<div className={`flex wrap low gap-3 ${css.film}`}>
				<Whole name={`Next ${UNIT_WORDS[unit]}`} value={count} most={COUNT_MOST} set={setCount} />
				<Whole name="Per second" value={pace} most={PACE_MOST} set={setPace} />
				<Recorder disabled={isWrong} plan={plan} report={report}>
					Record
				</Recorder>
			</div>
			{!isWrong && (
				<p className="hint">Recording takes as long as the film: {duration((count + 1) / pace)}.</p>
			)}
		</section>
	);
}
