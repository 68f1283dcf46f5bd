/** The top of the page: its name, the chips that open sheets, the views, and a few tools. */

import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import {
	ANSWERS,
	allocatorOf,
	change,
	facts,
	type SheetName,
	type StillFacts,
	type Tab,
} from "../app/state/store.ts";
import { useFacts, useHasMoment } from "../app/state/use_facts.ts";
import { modelOf, presetInForce } from "../app/trace/actions.ts";
import { bring, chooseFile } from "../app/trace/bring.ts";
import { quantity } from "../base/format.ts";
import { MADE } from "../engine/generated_trace.ts";
import { Button, classes, Icon, IconButton } from "../ui/controls.tsx";
import css from "./header.module.css";

export const TABS: readonly { readonly tab: Tab; readonly name: string }[] = [
	{ tab: "explore", name: "Explore" },
	{ tab: "compare", name: "Compare" },
	{ tab: "learn", name: "Learn" },
	{ tab: "labs", name: "Labs" },
];

export function Header() {
	const isEmpty = !useHasMoment();
	return (
		<header className={`flex middle gap-2 paper line-below ${css.header}`}>
			<h1>
				<svg className={css.mark} viewBox="0 0 20 20" width="22" height="22" aria-hidden="true">
					<path d="M1 1h8v8H1zM11 11h8v8h-8z" />
					<path className={css.hollow} d="M11.75 1.75h6.5v6.5h-6.5zM1.75 11.75h6.5v6.5h-6.5z" />
				</svg>
				<span>Slabscope</span>
			</h1>
			<div className={`flex middle gap-2 narrows ${css.chips}`} data-part="chips">
				<Chip name="trace" label="Trace" value={useFacts(traceName)} />
				<Chip name="cache" label="Cache" value={useFacts((f) => f.cache)} />
				<Chip
					name="machine"
					label="Machine"
					value={useFacts(modelName)}
					more={useFacts(machineSize)}
				/>
				<Button
					className={classes("primary", css.open)}
					title="Open trace (Ctrl O)"
					onClick={chooseFile}
				>
					<Icon name="open" />
					<span>Open trace</span>
				</Button>
			</div>
			<Tabs />
			<div className={`flex middle gap-1 ${css.tools}`}>
				<Button
					className={css.suggestions}
					title="Suggestions: changes that save memory or slow paths"
					disabled={isEmpty}
					aria-pressed={useFacts((f) => f.answer === ANSWERS[0])}
					onClick={toggleAnswers}
				>
					Suggestions
				</Button>
				<IconButton
					name="All commands"
					title="Search all commands (Ctrl K)"
					className={css.palette}
					onClick={() => change({ dialog: "palette", sheet: "" })}
				>
					<kbd>Ctrl K</kbd>
				</IconButton>
				<IconButton
					name="Share"
					icon="share"
					className={css.share}
					title="Share: copy a link to exactly this view"
					disabled={isEmpty}
					onClick={() => change({ dialog: "share", sheet: "" })}
				/>
				<SheetButton name="more" className="tool" title="More: export, reports, theme, help">
					<span aria-hidden="true">⋯</span>
					<span className="hidden">More</span>
				</SheetButton>
			</div>
			<TraceFile />
		</header>
	);
}

/** Opens the drawer of answers at the first one, or closes it. */
const toggleAnswers = () =>
	change({ answer: facts().answer === ANSWERS[0] ? "" : ANSWERS[0], sheet: "", dialog: "" });

/** Returns a short name for the open trace. */
function traceName({ trace, samples }: StillFacts): string {
	if (trace.startsWith(LOCAL)) return trace.slice(LOCAL.length);
	if (trace.startsWith(MADE))
		return trace.slice(MADE.length).replace(/[?&]/g, ", ").replaceAll("=", " ");
	if (trace === SANDBOX) return "playground";
	return samples.find((s) => s.file === trace)?.title ?? trace;
}

function modelName(f: StillFacts): string {
	return f.built ? modelOf(allocatorOf(f.built), presetInForce(f)) : "";
}

function machineSize({ built }: StillFacts): string {
	if (!built) return "";
	return `${quantity(built.nrCpus, "CPU")}, ${quantity(built.nrNodes, "node")}`;
}

interface SheetButtonProps extends React.ComponentProps<"button"> {
	readonly name: SheetName;
}

function SheetButton({ name, ...props }: SheetButtonProps) {
	const isOpen = useFacts((f) => f.sheet === name);
	return (
		<button
			type="button"
			data-chip={name}
			aria-haspopup="dialog"
			aria-expanded={isOpen}
			onClick={() => change({ sheet: isOpen ? "" : name })}
			{...props}
		/>
	);
}

interface ChipProps {
	readonly name: SheetName;
	readonly label: string;
	/** "" until it is known. */
	readonly value: string;
	readonly more?: string;
}

function Chip({ name, label, value, more = "" }: ChipProps) {
	return (
		<SheetButton
			name={name}
			className={`flex middle framed small left ${css.chip}`}
			title={`${label}: ${value} ${more}`.trim()}
		>
			<span className={`flex wrap narrows clips ${css.value}`}>
				<span className={value === "" ? "quiet" : css.label}>{label} </span>
				<strong>{value}</strong>
			</span>
			{more !== "" && <span className={`narrows clips ${css.detail}`}> {more}</span>}
			<span className={`to-end small quiet ${css.arrow}`} aria-hidden="true">
				▾
			</span>
		</SheetButton>
	);
}

/** Shows a view, which the drawer of answers would cover. */
const show = (tab: Tab) => change({ tab, answer: "" });

function Tabs() {
	const tab = useFacts((f) => f.tab);
	const key = (event: React.KeyboardEvent) => {
		const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		if (by === 0) return;
		const at = TABS.findIndex((t) => t.tab === facts().tab) + by + TABS.length;
		const to = TABS[at % TABS.length];
		if (!to) return;
		show(to.tab);
		document.getElementById(`tab-${to.tab}`)?.focus();
	};
	return (
		<div role="tablist" aria-label="Views" className={`flex gap-1 ${css.tabs}`}>
			{TABS.map((t) => (
				<button
					key={t.tab}
					id={`tab-${t.tab}`}
					type="button"
					role="tab"
					aria-selected={t.tab === tab}
					aria-controls={`view-${t.tab}`}
					tabIndex={t.tab === tab ? 0 : -1}
					data-name={t.name}
					onClick={() => show(t.tab)}
					onKeyDown={key}
				>
					{t.name}
				</button>
			))}
		</div>
	);
}

/** Opens the browser's file dialog, for the command and the button `Open trace`. */
function TraceFile() {
	return (
		<input
			type="file"
			multiple
			className="hidden"
			aria-label="Trace file"
			data-trace-file
			tabIndex={-1}
			onChange={(e) => {
				const files = [...(e.currentTarget.files ?? [])];
				e.currentTarget.value = "";
				void bring(files);
			}}
		/>
	);
}
