/** The page as a whole: header, notices, the view, timeline and transport; sheets and dialogs over it. */

import {
	type ComponentType,
	type ReactNode,
	useEffect,
	useLayoutEffect,
	useRef,
	useState,
} from "react";
import {
	change,
	chaptersOf,
	type Dialog as DialogName,
	facts,
	isInLessons,
	isUntouched,
	type SheetName,
	type Tab,
} from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { bring, bringSecond, bringText } from "../app/trace/bring.ts";
import { Dock, useIsWide } from "../stage/dock.tsx";
import { Stage } from "../stage/stage.tsx";
import { Button } from "../ui/controls.tsx";
import { StepNearby } from "../ui/current_step.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { noNotice, onFirstUse, Part } from "../ui/lazy_part.tsx";
import { Story } from "../views/explore/story.tsx";
import { TourNearby } from "../views/explore/tour_controls.tsx";
import { type OtherTab, VIEW_PARTS } from "../views/features.ts";
import css from "./app.module.css";
import { Header, TABS } from "./header.tsx";
import { ErrorNotice, ProgressNotice, SeveralNotice, UpdateNotice } from "./notices.tsx";
import { Timeline } from "./timeline.tsx";
import { Transport } from "./transport.tsx";

const Breakpoints = onFirstUse(() => import("../views/explore/marks.tsx"), "Breakpoints");
const Chapters = onFirstUse(() => import("../views/explore/chapters.tsx"), "Chapters");
const FilterBar = onFirstUse(() => import("../views/filter/filter.tsx"), "FilterBar");
const Marks = onFirstUse(() => import("../views/explore/marks.tsx"), "Marks");
const Playground = onFirstUse(() => import("../views/explore/playground.tsx"), "Playground");
const Tour = onFirstUse(() => import("../views/explore/tour.tsx"), "Tour");
const Starters = onFirstUse(() => import("../views/labs/playground_lab.tsx"), "Starters");
const TableCopy = onFirstUse(() => import("./table_copy.tsx"), "TableCopy");
const Drawer = onFirstUse(() => import("./sheets/drawer.tsx"), "Drawer");

const SHEETS: Readonly<Record<SheetName, ComponentType>> = {
	trace: onFirstUse(() => import("./sheets/trace_sheet.tsx"), "TraceSheet"),
	cache: onFirstUse(() => import("./sheets/cache_sheet.tsx"), "CacheSheet"),
	machine: onFirstUse(() => import("./sheets/machine_sheet.tsx"), "MachineSheet"),
	more: onFirstUse(() => import("./sheets/more_sheet.tsx"), "MoreSheet"),
};

const DIALOGS: Readonly<Record<DialogName, ComponentType>> = {
	share: onFirstUse(() => import("../export/share.tsx"), "Share"),
	export: onFirstUse(() => import("../export/export_dialog.tsx"), "ExportDialog"),
	filter: onFirstUse(() => import("../views/filter/filter.tsx"), "FilterDialog"),
	help: onFirstUse(() => import("./dialogs/about.tsx"), "Help"),
	fidelity: onFirstUse(() => import("./dialogs/about.tsx"), "Fidelity"),
	report: onFirstUse(() => import("./dialogs/report.tsx"), "ReportDialog"),
	columns: onFirstUse(() => import("./dialogs/openers.tsx"), "ColumnsDialog"),
	address: onFirstUse(() => import("./dialogs/openers.tsx"), "AddressDialog"),
	paste: onFirstUse(() => import("./dialogs/openers.tsx"), "PasteDialog"),
	recent: onFirstUse(() => import("./dialogs/openers.tsx"), "RecentDialog"),
	palette: onFirstUse(() => import("./dialogs/palette.tsx"), "Palette"),
	search: onFirstUse(() => import("./dialogs/palette.tsx"), "Search"),
	goto: onFirstUse(() => import("./dialogs/palette.tsx"), "GoTo"),
};

/** Skips the header and lists, for keyboard users. */
function toButtons(): void {
	document.querySelector<HTMLElement>('[data-part="buttons"] [aria-label="Next step"]')?.focus();
}

export function App() {
	const tab = useFacts((f) => f.tab);
	const inLessons = useFacts(isInLessons);
	const breaking = useFacts((f) => f.breaking);
	const marking = useFacts((f) => f.marking);
	const filtering = useFacts((f) => f.filter.length > 0);
	const sandbox = useFacts((f) => f.sandbox !== null);
	const untouched = useFacts(isUntouched);
	const touring = useFacts((f) => f.guide !== null);
	const hasChapters = useFacts((f) => chaptersOf(f).length > 0);
	const dialog = useFacts((f) => f.dialog);
	const answer = useFacts((f) => f.answer);
	const focused = useFacts((f) => f.focused);
	const isWide = useIsWide();
	const hasDock = tab === "explore" && !inLessons && !focused;
	const hasTables = useFacts((f) => f.answer + f.dialog + f.sheet !== "" || f.tab !== "explore");
	useTopOf(tab);
	const Front = dialog === "" ? undefined : DIALOGS[dialog];
	return (
		<div
			className={`grid tall ${css.page}`}
			data-tab={inLessons ? "lessons" : tab}
			data-focused={focused || undefined}
		>
			<button type="button" className={`round strong ${css.skip}`} onClick={toButtons}>
				Skip to the step buttons
			</button>
			<Part name="The header">
				<Header />
			</Part>
			<OpenSheet />
			<div className={css.notices}>
				<ErrorNotice />
				<ProgressNotice />
				<SeveralNotice />
				<UpdateNotice />
			</div>
			<main className={`grid shrinks narrows ${css.view}`}>
				<TabPanel tab="explore" className={`grid ${css.explore}`}>
					{!inLessons && (
						<div className={`grid shrinks ${css.column}`}>
							<div className={css.chapters}>
								<Part name="The chapters" frame={noNotice}>
									{hasChapters && <Chapters />}
								</Part>
							</div>
							{focused && (
								<>
									{/* The header is hidden, and its heading with it. */}
									<h1 className="hidden">Slabscope</h1>
									<Button
										className={`absolute ${css.leave}`}
										onClick={() => change({ focused: false })}
									>
										Leave focus mode
									</Button>
								</>
							)}
							<Part name="The stage">
								<Stage
									start={untouched ? <FirstScenes /> : touring ? <Tour /> : undefined}
									dock={focused}
								/>
							</Part>
						</div>
					)}
					<div className={`grid shrinks paper ${css.beside}`}>
						<Part name="The playground">{sandbox && tab === "explore" && <Playground />}</Part>
						<Part name="The story">
							<Story />
						</Part>
						{hasDock && isWide && <Dock />}
					</div>
				</TabPanel>
				{TABS.map(({ tab: own, name }) => {
					if (own === "explore") return null;
					return (
						<TabPanel key={own} tab={own}>
							{tab === own && <OtherView tab={own} name={name} />}
						</TabPanel>
					);
				})}
				<Part name="The drawer">{answer !== "" && <Drawer />}</Part>
			</main>
			<footer className={`paper line-above ${css.bottom}`} data-part="controls">
				{hasDock && !isWide && <Dock />}
				<TourNearby />
				<StepNearby />
				<Part name="The filter">{filtering && <FilterBar />}</Part>
				<Part name="The list of breakpoints">{breaking && <Breakpoints />}</Part>
				<Part name="The list of marks">{marking && <Marks />}</Part>
				<Part name="The timeline">
					<Timeline />
				</Part>
				<Part name="The transport">
					<Transport />
				</Part>
			</footer>
			<DropZone />
			<Part name="Copying tables" frame={noNotice}>
				{hasTables && <TableCopy />}
			</Part>
			{Front && (
				<Part key={dialog} name="This dialog" frame={inDialog}>
					<Front />
				</Part>
			)}
		</div>
	);
}

/** On a phone the whole page scrolls, so another view starts at the top, before a lesson goes to its stop. */
function useTopOf(tab: Tab) {
	const shown = useRef(tab);
	useLayoutEffect(() => {
		if (shown.current !== tab) window.scrollTo(0, 0);
		shown.current = tab;
	}, [tab]);
}

/** Starters, shown on the empty stage of a sandbox. */
function FirstScenes() {
	return (
		<div className={`grid gap-3 ${css.scenes}`} data-part="starters">
			<p className="quiet">Or start from one of these:</p>
			<Part name="The starters">
				<Starters />
			</Part>
		</div>
	);
}

/** Shows the sheet that a chip in the header has opened. */
function OpenSheet() {
	const sheet = useFacts((f) => f.sheet);
	if (sheet === "") return null;
	const Open = SHEETS[sheet];
	return (
		<Part key={sheet} name="This sheet" frame={inDialog}>
			<Open />
		</Part>
	);
}

function inDialog(notice: ReactNode) {
	return <Dialog title="Not available">{notice}</Dialog>;
}

interface TabPanelProps {
	readonly tab: Tab;
	readonly className?: string;
	readonly children: ReactNode;
}

function TabPanel({ tab, className, children }: TabPanelProps) {
	const isHidden = useFacts((f) => f.tab !== tab);
	return (
		<div
			className={className}
			role="tabpanel"
			id={`view-${tab}`}
			aria-labelledby={`tab-${tab}`}
			hidden={isHidden}
		>
			{children}
		</div>
	);
}

/* The views beside Explore: one or two parts each, with a line to choose between them. */

function OtherView({ tab, name }: { readonly tab: OtherTab; readonly name: string }) {
	const part = useFacts((f) => f.parts[tab]);
	// An open lesson has its own way back to the list.
	const hasChoice = useFacts((f) => tab !== "learn" || part !== "lessons" || f.lesson.name === "");
	const parts = VIEW_PARTS.filter((p) => p.in === tab);
	const shown = parts.find((p) => p.part === part);
	return (
		<div className={`grid tall ${css.viewsView}`} data-transport={shown?.isStill && "none"}>
			{hasChoice && (
				<nav
					className={`flex gap-1 paper line-below one-of ${css.parts}`}
					aria-label={`${name}: parts`}
				>
					{parts.map((p) => (
						<button
							key={p.part}
							type="button"
							aria-current={p.part === part ? "page" : undefined}
							onClick={() => change({ parts: { ...facts().parts, [tab]: p.part } })}
						>
							{p.name}
						</button>
					))}
				</nav>
			)}
			<div className={`shrinks tall ${css.part}`}>
				<Part key={part} name={shown?.name ?? name}>
					{shown && <shown.View />}
				</Part>
			</div>
		</div>
	);
}

/* Files may be dropped anywhere on the page; files and text may be pasted anywhere outside fields. */

const FIELDS = "input, textarea, select, [contenteditable]";

/** A field gets whatever is pasted or dragged into it. */
function isForField({ target }: Event): boolean {
	return target instanceof Element && target.closest(FIELDS) !== null;
}

function paste(event: ClipboardEvent): void {
	const data = event.clipboardData;
	if (!data || event.defaultPrevented || isForField(event)) return;
	const files = [...data.files];
	const text = data.getData("text/plain");
	if (files.length === 0 && text === "") return;
	event.preventDefault();
	void (files.length > 0 ? bring(files) : bringText(text));
}

/** A file dropped on Compare is the second trace. */
const isSecond = () => facts().tab === "compare" && facts().built !== null && !facts().embed;

function take(files: readonly File[]): Promise<void> {
	const [file] = files;
	return isSecond() && file && files.length === 1 ? bringSecond(file) : bring(files);
}

function DropZone() {
	const [over, setOver] = useState(false);
	useEffect(() => {
		const stop = new AbortController();
		const on = <K extends keyof WindowEventMap>(type: K, run: (event: WindowEventMap[K]) => void) =>
			window.addEventListener(type, run, { signal: stop.signal });
		on("dragover", (event) => {
			if (!event.dataTransfer?.types.includes("Files")) return;
			event.preventDefault();
			setOver(true);
		});
		on("dragleave", (event) => {
			if (event.relatedTarget === null) setOver(false);
		});
		on("drop", (event) => {
			setOver(false);
			const files = [...(event.dataTransfer?.files ?? [])];
			if (files.length === 0 && isForField(event)) return;
			event.preventDefault();
			void take(files);
		});
		on("paste", paste);
		return () => stop.abort();
	}, []);
	if (!over) return null;
	return (
		<div className={`covers grid untouched ${css.drop}`}>
			<p>
				<strong>
					{isSecond()
						? "Drop the file to compare it with the trace on the stage."
						: "Drop the file to replay it."}
				</strong>
				<br />
				Your file never leaves this page.
			</p>
		</div>
	);
}
