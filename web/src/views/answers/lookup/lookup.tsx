/** Finds the events of the trace that match a pointer or a dmesg report. */
import { useState } from "react";
import { SLOT_STATE_WORDS } from "#abi";
import type { LookupLife, LookupResult } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { goToEvent } from "../../../app/playback/why.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { Button } from "../../../ui/controls.tsx";
import { type Column, DataTable } from "../../../ui/data_table.tsx";
import { useAsync } from "../../../ui/hooks.ts";
import css from "./lookup.module.css";

const NONE = 0xffffffff;
const hex = (pointer: bigint) => `0x${pointer.toString(16)}`;

export function LookupView() {
	const built = useFacts((f) => f.built);
	const [text, setText] = useState("");
	const [asked, setAsked] = useState("");
	const ask = built && asked !== "" ? () => engine().lookUp(asked) : undefined;
	const { value, isCurrent, sentence } = useAsync(ask, [built, asked]);
	return (
		<section className={css.view} aria-label="Look up">
			<h2>Which object does dmesg mean?</h2>
			<p className="quiet">
				Paste a pointer, or a report from slab debugging or KASAN. The answer names the object at
				that address and the events that allocated and freed it.
			</p>
			<textarea
				aria-label="A pointer, or a report from slab debugging or KASAN"
				placeholder="0xffff888003a9d040, or BUG kmalloc-64 (…): …, or BUG: KASAN: …"
				rows={5}
				spellCheck={false}
				value={text}
				onChange={(event) => setText(event.currentTarget.value)}
			/>
			<div>
				<Button disabled={text.trim() === ""} onClick={() => setAsked(text)}>
					Look it up
				</Button>
			</div>
			{sentence !== "" && <p role="alert">{sentence}</p>}
			{value && isCurrent && asked !== "" && <Answer found={value} />}
		</section>
	);
}

function Answer({ found }: { found: LookupResult }) {
	return (
		<>
			{found.title !== "" && (
				<p>
					<strong>{found.title}</strong> {found.cache}
				</p>
			)}
			<p aria-live="polite">{found.answer}</p>
			{found.note !== "" && <p className="quiet">{found.note}</p>}
			{found.lives.length > 0 && (
				<DataTable
					label="Matching objects"
					caption="Matching objects, best match first"
					hasCaption
					nameless
					className={css.rows}
					columns={LIFE}
					rows={found.lives}
					keyOf={(life) => `${life.allocOp} ${life.freeOp}`}
				/>
			)}
			{found.neighbours.length > 0 && (
				<DataTable
					label="Neighbouring slots"
					nameless
					caption={`Neighbouring slots after event ${found.moment.toLocaleString("en")}`}
					hasCaption
					className={css.rows}
					columns={SLOT}
					rows={found.neighbours}
					keyOf={({ slot }) => slot}
					rowProps={({ slot }) => ({ "aria-current": slot === 0 || undefined })}
				/>
			)}
		</>
	);
}

function EventOf({ op }: { op: number }) {
	if (op === NONE) return "–";
	return <Button onClick={() => goToEvent(op)}>event {(op + 1).toLocaleString("en")}</Button>;
}

const LIFE: readonly Column<LookupLife>[] = [
	{ name: "allocated", show: ({ allocOp }) => <EventOf op={allocOp} /> },
	{
		name: "allocated by",
		head: "by",
		show: ({ allocTask, allocSite }) => `${allocTask} ${allocSite}`,
	},
	{ name: "freed", show: ({ freeOp }) => <EventOf op={freeOp} /> },
	{ name: "freed by", head: "by", show: ({ freeTask, freeSite }) => `${freeTask} ${freeSite}` },
	{ name: "cache", show: ({ cache }) => cache },
	{ name: "pointer", show: ({ pointer }) => hex(pointer) },
	{ name: "fits", show: ({ fits }) => fits.join(", ") },
];

const SLOT: readonly Column<LookupResult["neighbours"][number]>[] = [
	{ name: "slot", show: ({ slot }) => slot },
	{ name: "pointer", show: ({ pointer }) => hex(pointer) },
	{ name: "state", show: ({ state }) => SLOT_STATE_WORDS[state] },
	{ name: "allocated", show: ({ allocOp }) => <EventOf op={allocOp} /> },
	{ name: "freed", show: ({ freeOp }) => <EventOf op={freeOp} /> },
	{ name: "cache", show: ({ cache }) => cache },
];
