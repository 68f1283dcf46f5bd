/** Asks the visitor before the page asks another server for a file, and shows the progress. */

import { useEffect, useRef, useState } from "react";
import { ROLE_NAMES, ROLE_WORDS } from "#abi";
import { sentenceOf } from "../../app/playback/player.ts";
import { busy, change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { forget, leaveColumns, openRecent, openWithColumns } from "../../app/trace/actions.ts";
import { bringText } from "../../app/trace/bring.ts";
import { mapping, rolesOf, roleWord, stillMissing, UNITS } from "../../app/trace/files.ts";
import {
	fetchElsewhere,
	isOwn,
	openAddress,
	openFetched,
	readAddress,
} from "../../app/trace/from_address.ts";
import { bytes, quantity } from "../../base/format.ts";
import type { CsvColumn, CsvHeader } from "../../engine/types.ts";
import { Button, Field, LinkButton, Select } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./dialogs.module.css";

export function AddressDialog() {
	const asking = useFacts((f) => f.asking);
	return (
		<Dialog title="Open a web address" onLeave={() => change({ asking: "" })}>
			{asking === "" ? <Entry /> : <Consent address={asking} />}
		</Dialog>
	);
}

function Entry() {
	const [text, setText] = useState("");
	const [refused, setRefused] = useState("");
	const open = () => {
		const url = readAddress(text.trim());
		if (typeof url === "string") setRefused(url);
		else {
			if (isOwn(url)) change({ dialog: "" });
			void openAddress(url.href);
		}
	};
	return (
		<form
			className={`grid ${css.address}`}
			onSubmit={(event) => {
				event.preventDefault();
				open();
			}}
		>
			<Field label="Address of a trace">
				{(id) => (
					<input
						id={id}
						type="url"
						data-first
						value={text}
						placeholder="https://"
						onChange={(event) => setText(event.currentTarget.value)}
					/>
				)}
			</Field>
			<p role="status">{refused}</p>
			<Button type="submit">Continue</Button>
		</form>
	);
}

/** The server learns that somebody is asking, and from which page and network; nothing else leaves the page. */
function Consent({ address }: { address: string }) {
	const url = new URL(address);
	const [done, setDone] = useState(-1);
	const [failed, setFailed] = useState("");
	const stop = useRef<AbortController>(undefined);
	useEffect(() => () => stop.current?.abort(), []);
	const start = async () => {
		stop.current = new AbortController();
		setFailed("");
		setDone(0);
		try {
			const signal = stop.current.signal;
			const file = await busy(() => fetchElsewhere(address, { onBytes: setDone, signal }));
			change({ dialog: "", asking: "" });
			await openFetched(url, file);
		} catch (error) {
			setDone(-1);
			if (!stop.current.signal.aborted) setFailed(sentenceOf(error));
		}
	};
	return (
		<div className={`grid ${css.address}`}>
			<p>
				This trace is on another server, <strong>{url.host}</strong>:
			</p>
			<p className={`breaks ${css.url}`}>{address}</p>
			<p>
				If you allow it, your browser asks that server for the file, without cookies. The server
				learns your network address and the address of this page, as with any download. Nothing
				about your traces is sent.
			</p>
			<p role="status">
				{failed}
				{done >= 0 && `${bytes(done)} so far`}
			</p>
			<div className="row">
				{done < 0 ? (
					<Button data-first onClick={() => void start()}>
						Fetch it from {url.host}
					</Button>
				) : (
					<Button onClick={() => stop.current?.abort()}>Stop</Button>
				)}
				<a className="tool-text" href={address} target="_blank" rel="noopener noreferrer">
					Download it instead, then drop it here
				</a>
			</div>
		</div>
	);
}

/* A field for the text of a trace, to see it before it is opened. */

export function PasteDialog() {
	const [text, setText] = useState("");
	const open = () => {
		change({ dialog: "" });
		void bringText(text);
	};
	return (
		<Dialog title="Paste a trace">
			<form
				className={`grid gap-3 at-start ${css.paste}`}
				onSubmit={(event) => {
					event.preventDefault();
					open();
				}}
			>
				<p className="hint" id="paste-hint">
					Paste lines of ftrace, trace-cmd report, perf script, bpftrace, CSV or slabtrace. They
					never leave this page. Outside fields, Ctrl+V or ⌘V opens the clipboard's text at once.
				</p>
				<textarea
					aria-label="Text of the trace"
					aria-describedby="paste-hint"
					data-first
					rows={12}
					spellCheck={false}
					wrap="off"
					value={text}
					onChange={(event) => setText(event.currentTarget.value)}
				/>
				<button type="submit" className="tool-text" disabled={text.trim() === ""}>
					Open this text
				</button>
			</form>
		</Dialog>
	);
}

/* The opened traces that the browser keeps, to open again or remove. */

function whenOf(timeMs: number): string {
	return new Date(timeMs).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function RecentDialog() {
	const recent = useFacts((f) => f.recent);
	const kept = recent.reduce((sum, r) => sum + r.keptBytes, 0);
	const open = (key: string) => {
		change({ dialog: "" });
		void openRecent(key);
	};
	return (
		<Dialog title="Recent traces">
			<p className="hint">
				Only this browser keeps the files that you opened: {bytes(kept)} in all. When its storage is
				full, the page removes the least recently opened ones first.
			</p>
			{recent.length === 0 && <p className="quiet">No traces are kept.</p>}
			<ul className={`grid gap-2 ${css.recent}`} aria-label="Recent traces">
				{recent.map((r) => (
					<li key={r.key}>
						<div>
							<LinkButton onClick={() => open(r.key)}>{r.name}</LinkButton>
							<p className="hint number">
								{quantity(r.events, "event")} in {bytes(r.sizeBytes)}, opened {whenOf(r.openedMs)},
								takes {bytes(r.keptBytes)} of storage
							</p>
						</div>
						<Button aria-label={`Remove ${r.name}`} onClick={() => void forget(r.key)}>
							Remove
						</Button>
					</li>
				))}
			</ul>
			{recent.length > 0 && <Button onClick={() => void forget("all")}>Remove all</Button>}
		</Dialog>
	);
}

/* The columns of a CSV file with unknown names: which role does each have? */

const ROLES: readonly { readonly word: string; readonly says: string }[] = [
	...ROLE_NAMES.map((_, role) => ({ word: roleWord(role), says: ROLE_WORDS[role] ?? "" })),
	{ word: "id", says: "the object, as a number or a word that is not an address" },
];
const UNIT_WORDS: Readonly<Record<string, string>> = {
	"": "guessed: seconds if there is a decimal point, otherwise nanoseconds",
	ns: "nanoseconds",
	us: "microseconds",
	ms: "milliseconds",
	s: "seconds",
	ticks: "ticks of an unknown clock",
};

export function ColumnsDialog() {
	const csv = useFacts((f) => f.csv);
	return (
		<Dialog title="Columns of the file" wide onLeave={leaveColumns}>
			{csv && <Form csv={csv} />}
		</Dialog>
	);
}

function Form({ csv }: { csv: CsvHeader }) {
	const begin = rolesOf(csv);
	const [roles, setRoles] = useState(begin.roles);
	const [unit, setUnit] = useState(begin.unit);
	const missing = stillMissing(csv, roles);
	const words = missing.map((w) => ROLES.find((r) => r.word === w)?.says ?? w);
	return (
		<form
			className={`grid one-column gap-4 at-start ${css.columns}`}
			onSubmit={(event) => {
				event.preventDefault();
				change({ dialog: "" });
				openWithColumns(mapping(roles, unit));
			}}
		>
			<p>
				Choose what each column holds, or “not read” if it is not needed. This browser remembers the
				answer.
			</p>
			<ul>
				{csv.columns.map((column, i) => (
					<Column
						key={`${i}/${column.name}`}
						column={column}
						role={roles[i] ?? "none"}
						onRole={(role) => setRoles(roles.with(i, role))}
					/>
				))}
			</ul>
			<label className={`row ${css.unit}`} htmlFor="columns-unit">
				<span>Times are</span>
				<Select
					id="columns-unit"
					value={unit}
					onSelect={setUnit}
					options={UNITS.map((u) => [u, UNIT_WORDS[u]])}
				/>
			</label>
			<p role="status" className="quiet">
				{words.length > 0
					? `Still missing: ${words.join("; ")}.`
					: "The file can be read with these columns."}
			</p>
			<button type="submit" className="tool-text" disabled={missing.length > 0}>
				Open with these columns
			</button>
		</form>
	);
}

interface ColumnProps {
	readonly column: CsvColumn;
	readonly role: string;
	readonly onRole: (role: string) => void;
}

function Column({ column, role, onRole }: ColumnProps) {
	return (
		<li>
			<p>
				<strong className="mono">{column.name}</strong>
				<br />
				<span className="mono quiet">{column.values.join(", ")}</span>
			</p>
			<Select
				aria-label={`Column ${column.name} holds`}
				value={role}
				onSelect={onRole}
				options={ROLES.map((r) => [r.word, r.says])}
			/>
		</li>
	);
}
