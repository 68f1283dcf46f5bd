/** The top of the page: its name, the views, the traces. */

import { useEffect, useRef } from "react";
import { WORKLOADS } from "#abi";
import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import { pause } from "../app/playback/player.ts";
import { openSandbox } from "../app/sandbox/open_sandbox.ts";
import { change, facts, type Tab, THEMES, type Theme } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { openRecent, openSample } from "../app/trace/actions.ts";
import { bring } from "../app/trace/bring.ts";
import { MADE } from "../engine/generated_trace.ts";
import { Button, IconButton, type Option, Options } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import css from "./header.module.css";

export const TABS: readonly { readonly tab: Tab; readonly name: string }[] = [
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
			<IconButton
				name="Share"
				icon="share"
				title="Share: copy a link to exactly this view"
				disabled={!useFacts((f) => f.moment !== null)}
				onClick={() => change({ dialog: "share" })}
			/>
			<IconButton
				name="Export"
				icon="export"
				title="Export pictures, tables, a film (E)"
				disabled={!useFacts((f) => f.moment !== null)}
				onClick={() => change({ dialog: "export" })}
			/>
			<IconButton
				name={`Theme: ${THEME_WORDS[theme]}`}
				icon="theme"
				title={`Theme: ${THEME_WORDS[theme]}. Switch to ${THEME_WORDS[next]}.`}
				onClick={() => change({ theme: next })}
			/>
			<IconButton
				name="Keys"
				title="Show keys and help (?)"
				onClick={() => change({ dialog: "help" })}
			>
				?
			</IconButton>
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
				<IconButton
					name="Recent traces"
					icon="recent"
					onClick={() => change({ dialog: "recent" })}
				/>
			)}
			<IconButton
				name="Import report"
				icon="report"
				title="Show the import report (I)"
				disabled={!hasReport}
				onClick={() => change({ dialog: "report" })}
			/>
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
				<Group label="Yours" of={[[PASTE, "Paste a trace …"]]} />
				{recent.length > 0 && <Group label="Recent" of={recent.map((r) => [r.key, r.name])} />}
				<Group label="Samples" of={samples.map((s) => [s.file, s.title])} />
				<Group label="Generated" of={generated(trace)} />
			</select>
		</label>
	);
}

function Group({ label, of }: { label: string; of: readonly Option[] }) {
	return (
		<optgroup label={label}>
			<Options of={of} />
		</optgroup>
	);
}

/** The sandbox, the workloads, and the open workload if it has its own settings. */
function generated(trace: string): Option[] {
	const names: readonly string[] = WORKLOADS.map(({ name }) => MADE + name);
	const own = trace.startsWith(MADE) && !names.includes(trace);
	return [
		[SANDBOX, "Sandbox: allocate and free by hand"],
		...(own ? [[trace, trace.slice(MADE.length)] as const] : []),
		...WORKLOADS.map(({ name, meaning }) => [MADE + name, `${name}: ${meaning}`] as const),
	];
}

function OpenTrace() {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<Button data-open-trace onClick={() => input.current?.click()}>
				<Icon name="open" />
				<span>Open trace</span>
			</Button>
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
