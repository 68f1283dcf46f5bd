/** The columns of a CSV file with unknown names: which role does each have? */
import { useState } from "react";
import { ROLE_NAMES, ROLE_WORDS } from "#abi";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { leaveColumns, openWithColumns } from "../../app/trace/actions.ts";
import { mapping, rolesOf, roleWord, stillMissing, UNITS } from "../../app/trace/columns.ts";
import type { CsvColumn, CsvHeader } from "../../engine/types.ts";
import { Select } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import css from "./columns.module.css";

const ROLES: readonly { readonly word: string; readonly says: string }[] = [
	...ROLE_NAMES.map((_, role) => ({ word: roleWord(role), says: ROLE_WORDS[role] ?? "" })),
	{ word: "id", says: "the object, as a number or word that is not an address" },
];
const UNIT_WORDS: Readonly<Record<string, string>> = {
	"": "guessed: seconds if there is a decimal point, else nanoseconds",
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
			className={css.columns}
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
