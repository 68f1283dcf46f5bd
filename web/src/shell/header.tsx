/** The top of the page: its name, the views, the traces. */

import { useEffect, useRef } from "react";
import { WORKLOADS } from "#abi";
import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import { pause } from "../app/playback/player.ts";
import { openSandbox } from "../app/sandbox/open_sandbox.ts";
import { change, facts, type Sample, type Tab, THEMES, type Theme } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { openRecent, openSample } from "../app/trace/actions.ts";
import { bring } from "../app/trace/bring.ts";
import { MADE } from "../engine/generated_trace.ts";
import { Icon } from "../ui/icons.tsx";
import css from "./header.module.css";

const TABS: readonly { readonly tab: Tab; readonly name: string }[] = [
	{ tab: "explore", name: "Explore" },
	{ tab: "node-search", name: "Node search" },
	{ tab: "order-lab", name: "Order lab" },
	{ tab: "compare", name: "Compare" },
	{ tab: "lessons", name: "Lessons" },
	{ tab: "experiments", name: "Experiments" },
	{ tab: "slabinfo", name: "Slabinfo" },
];
const THEME_WORDS: Readonly<Record<Theme, string>> = {
	auto: "system",
	light: "light",
	dark: "dark",
	contrast: "high contrast",
};

export function Header() {
	const theme = useFacts((f) => f.theme);
	const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
	return (
		<header className={css.header}>
			<h1>
				<svg className={css.mark} viewBox="0 0 20 20" width="22" height="22" aria-hidden="true">
					<path d="M1 1h8v8H1zM11 11h8v8h-8z" />
					<path className={css.hollow} d="M11.75 1.75h6.5v6.5h-6.5zM1.75 11.75h6.5v6.5h-6.5z" />
				</svg>
				<span>Slabscope</span>
			</h1>
			<Tabs />
			<span className="spacer" />
			<TracePicker />
			<OpenTrace />
			<Reports />
			<button
				type="button"
				className="tool"
				aria-label="Share"
				title="Share: copy a link to exactly this view"
				disabled={!useFacts((f) => f.moment !== null)}
				onClick={() => change({ dialog: "share" })}
			>
				<Icon name="share" />
			</button>
			<button
				type="button"
				className="tool"
				aria-label="Export"
				title="Export pictures, tables, a film (E)"
				disabled={!useFacts((f) => f.moment !== null)}
				onClick={() => change({ dialog: "export" })}
			>
				<Icon name="export" />
			</button>
			<button
				type="button"
				className="tool"
				aria-label={`Theme: ${THEME_WORDS[theme]}`}
				title={`Theme: ${THEME_WORDS[theme]}. Switch to ${THEME_WORDS[next]}.`}
				onClick={() => change({ theme: next })}
			>
				<Icon name="theme" />
			</button>
			<button
				type="button"
				className="tool"
				aria-label="Keys"
				title="Show keys and help (?)"
				onClick={() => change({ dialog: "help" })}
			>
				?
			</button>
		</header>
	);
}

function Tabs() {
	const tab = useFacts((f) => f.tab);
	const list = useRef<HTMLDivElement>(null);
	// On a narrow screen they are a strip, and the chosen one may lie beyond its edge.
	useEffect(() => {
		const strip = list.current;
		const chosen = strip?.querySelector<HTMLElement>(`#tab-${tab}`);
		if (!strip || !chosen) return;
		const middle = chosen.offsetLeft + chosen.offsetWidth / 2 - strip.offsetLeft;
		strip.scrollLeft = middle - strip.clientWidth / 2;
	}, [tab]);
	const key = (event: React.KeyboardEvent) => {
		const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		if (by === 0) return;
		const at = TABS.findIndex((t) => t.tab === facts().tab) + by + TABS.length;
		const to = TABS[at % TABS.length];
		if (!to) return;
		change({ tab: to.tab });
		document.getElementById(`tab-${to.tab}`)?.focus();
	};
	return (
		<div role="tablist" aria-label="Views" className={`${css.tabs} scrolls`} ref={list}>
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
					onClick={() => change({ tab: t.tab })}
					onKeyDown={key}
				>
					{t.name}
				</button>
			))}
		</div>
	);
}

/** Buttons for the recent traces and the import report. */
function Reports() {
	const hasReport = useFacts((f) => f.report !== null);
	const hasRecent = useFacts((f) => f.recent.length > 0);
	return (
		<>
			{hasRecent && (
				<button
					type="button"
					className="tool"
					aria-label="Recent traces"
					title="Recent traces"
					onClick={() => change({ dialog: "recent" })}
				>
					<Icon name="recent" />
				</button>
			)}
			<button
				type="button"
				className="tool"
				aria-label="Import report"
				title="Show the import report (I)"
				disabled={!hasReport}
				onClick={() => change({ dialog: "report" })}
			>
				<Icon name="report" />
			</button>
		</>
	);
}

/** The choice that opens a field for text instead of a trace. */
const PASTE = "paste";

/** The value of a sample is its file, of a kept file its key, of another open file its name. */
function TracePicker() {
	const samples = useFacts((f) => f.samples);
	const recent = useFacts((f) => f.recent);
	const trace = useFacts((f) => f.trace);
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : "";
	const open = useFacts((f) => f.recent.find((r) => name !== "" && r.key === f.fileKey));
	const choose = (value: string) => {
		if (value === PASTE) return change({ dialog: "paste" });
		pause();
		const kept = recent.find((r) => r.key === value);
		if (value === SANDBOX) void openSandbox();
		else void (kept ? openRecent(kept.key) : openSample(value));
	};
	return (
		<label className={css.picker}>
			<span className="hidden">Trace</span>
			<select value={open?.key ?? trace} onChange={(e) => choose(e.currentTarget.value)}>
				{trace === "" && <option value="">choose a trace</option>}
				{name !== "" && !open && <option value={trace}>{name}</option>}
				<optgroup label="Yours">
					<option value={PASTE}>Paste a trace …</option>
				</optgroup>
				{recent.length > 0 && (
					<optgroup label="Recent">
						{recent.map((r) => (
							<option key={r.key} value={r.key}>
								{r.name}
							</option>
						))}
					</optgroup>
				)}
				<Samples samples={samples} />
				<Made trace={trace} />
			</select>
		</label>
	);
}

function Samples({ samples }: { samples: readonly Sample[] }) {
	return (
		<optgroup label="Samples">
			{samples.map((s) => (
				<option key={s.file} value={s.file}>
					{s.title}
				</option>
			))}
		</optgroup>
	);
}

/** Workloads, and the open one if it has its own settings. */
function Made({ trace }: { trace: string }) {
	const names: readonly string[] = WORKLOADS.map(({ name }) => MADE + name);
	const own = trace.startsWith(MADE) && !names.includes(trace);
	return (
		<optgroup label="Generated">
			<option value={SANDBOX}>Sandbox: allocate and free by hand</option>
			{own && <option value={trace}>{trace.slice(MADE.length)}</option>}
			{WORKLOADS.map(({ name, meaning }) => (
				<option key={name} value={MADE + name}>
					{name}: {meaning}
				</option>
			))}
		</optgroup>
	);
}

function OpenTrace() {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button
				type="button"
				className="tool-text"
				data-open-trace
				onClick={() => input.current?.click()}
			>
				<Icon name="open" />
				<span>Open trace</span>
			</button>
			<input
				ref={input}
				type="file"
				multiple
				className="hidden"
				aria-label="Trace file"
				tabIndex={-1}
				onChange={(e) => {
					const files = [...(e.currentTarget.files ?? [])];
					e.currentTarget.value = "";
					void bring(files);
				}}
			/>
		</>
	);
}
