/** The link to exactly this view: copied at once, with a description of its contents; and code to embed the view. */

import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../app/playback/player.ts";
import { allocatorOf, busy } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { hasPresets, modelOf, presetInForce } from "../app/trace/actions.ts";
import { save } from "../app/trace/save_file.ts";
import { count } from "../base/format.ts";
import { cutAround, cutWords, WHOLE_MOST } from "../engine/import/bundle_cut.ts";
import { Button, Check, Field, SelectField } from "../ui/controls.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { compareWith } from "../views/compare/machines.ts";
import { makeBundle, NOTES_MOST } from "./bundle.ts";
import { bibtexOf } from "./citation.ts";
import { CLIP_S, canFilm, clipOf } from "./film.ts";
import { embedText, holds, linkText, misses, viewWords } from "./link_contents.ts";
import { hasStage } from "./pictures.ts";
import { Recorder } from "./recorder.tsx";
import css from "./share.module.css";

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
				It has {cut ? cutWords(cut) : "the trace"}, the machine state, marks, notes, and tables as
				CSV. Dropped on this page it opens at this event.{" "}
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
					title="Writes site-1, site-2, ... and task-1, ... in the place of call sites and tasks"
				>
					Anonymise call sites and tasks
				</Check>{" "}
				<Button onClick={() => void run()}>Save bundle</Button>
			</p>
		</section>
	);
}

/** The event on screen as a film of some seconds: one press, or with another kernel beside it. */
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
			<div className={css.clip}>
				{hasPresets(allocator) && (
					<SelectField
						label="Beside it"
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
				A film (WebM) with the title, of about {CLIP_S} seconds; recording takes as long.
			</p>
		</section>
	);
}

/** The trace is replayed under that kernel; null if that was cancelled. */
async function machineBeside(allocator: string, preset: string) {
	const comparison = await compareWith([`${allocator},preset=${preset}`]);
	const run = comparison?.runs[1];
	return run ? { nr: 1, run, name: modelOf(run.allocator, preset) } : null;
}

export function Share() {
	// Its value when the dialog opens: the page goes on behind it.
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
			<div className={css.share}>
				<div className={css.line}>
					<input ref={field} type="text" readOnly aria-label="Link" value={link} data-first />
					<Button onClick={() => void copy(link, "the link")}>Copy link</Button>
				</div>
				<p role="status" aria-label="Share">
					{said} The link holds {holds()}. {misses()}
				</p>
				<ClipPart say={say} />
				<BundlePart say={say} />
				<h3>Cite this view</h3>
				<div className={css.line}>
					<textarea readOnly rows={4} aria-label="BibTeX" className="mono" value={bibtex} />
					<Button onClick={() => void copy(bibtex, "the BibTeX entry")}>Copy BibTeX</Button>
				</div>
				<h3>Embed it in your page</h3>
				{embed === "" ? (
					<p>
						Your actions are too long for an address, so no code can contain them. Undo some, or
						share the saved trace.
					</p>
				) : (
					<div className={css.line}>
						<input type="text" readOnly aria-label="Code to embed" className="mono" value={embed} />
						<Button onClick={() => void copy(embed, "the code")}>Copy code</Button>
					</div>
				)}
				<p className="hint" hidden={embed === ""}>
					It shows the stage with its buttons, at this event. For a passage write events="11-41"
					instead; add loop to repeat it. Your style sheet sets width and height.
				</p>
			</div>
		</Dialog>
	);
}
