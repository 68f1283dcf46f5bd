/** The page as a whole: header, notices, the view, timeline and transport; sheets and dialogs over it. */
import { type ComponentType, type ReactNode, useLayoutEffect, useRef } from "react";
import {
	change,
	chaptersOf,
	type Dialog as DialogName,
	isInLessons,
	isUntouched,
	type SheetName,
	type Tab,
} from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { Dock } from "../stage/dock.tsx";
import { Stage } from "../stage/stage.tsx";
import { useIsWide } from "../stage/use_phone.ts";
import { Button } from "../ui/controls.tsx";
import { StepNearby } from "../ui/current_step.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { noNotice, onFirstUse, Part } from "../ui/lazy_part.tsx";
import { FirstMinuteNearby } from "../views/explore/first_minute.tsx";
import { Story } from "../views/explore/story.tsx";
import css from "./app.module.css";
import { DropZone } from "./drop.tsx";
import { Header, TABS } from "./header.tsx";
import { ErrorNotice, ProgressNotice, SeveralNotice, UpdateNotice } from "./notices.tsx";
import { Timeline } from "./timeline.tsx";
import { Transport } from "./transport.tsx";
import { OtherView } from "./views.tsx";

const Breakpoints = onFirstUse(() => import("../views/explore/breakpoints.tsx"), "Breakpoints");
const Chapters = onFirstUse(() => import("../views/explore/chapters.tsx"), "Chapters");
const FilterBar = onFirstUse(() => import("../views/filter/filter_bar.tsx"), "FilterBar");
const Marks = onFirstUse(() => import("../views/explore/marks.tsx"), "Marks");
const Sandbox = onFirstUse(() => import("../views/explore/sandbox.tsx"), "Sandbox");
const Tour = onFirstUse(() => import("../views/explore/tour.tsx"), "Tour");
const Scenes = onFirstUse(() => import("../views/labs/scenes.tsx"), "Scenes");
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
	filter: onFirstUse(() => import("../views/filter/filter_dialog.tsx"), "FilterDialog"),
	help: onFirstUse(() => import("./dialogs/help.tsx"), "Help"),
	fidelity: onFirstUse(() => import("./dialogs/fidelity.tsx"), "Fidelity"),
	report: onFirstUse(() => import("./dialogs/report.tsx"), "ReportDialog"),
	columns: onFirstUse(() => import("./dialogs/columns.tsx"), "ColumnsDialog"),
	address: onFirstUse(() => import("./dialogs/address.tsx"), "AddressDialog"),
	paste: onFirstUse(() => import("./dialogs/paste.tsx"), "PasteDialog"),
	recent: onFirstUse(() => import("./dialogs/recent.tsx"), "RecentDialog"),
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
			className={css.page}
			data-tab={inLessons ? "lessons" : tab}
			data-focused={focused || undefined}
		>
			<button type="button" className={css.skip} onClick={toButtons}>
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
			<main className={css.view}>
				<TabPanel tab="explore" className={css.explore}>
					{!inLessons && (
						<div className={css.column}>
							<div className={css.chapters}>
								<Part name="The chapters" frame={noNotice}>
									{hasChapters && <Chapters />}
								</Part>
							</div>
							{focused && (
								<>
									{/* The header is hidden, and its heading with it. */}
									<h1 className="hidden">Slabscope</h1>
									<Button className={css.leave} onClick={() => change({ focused: false })}>
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
					<div className={css.beside}>
						<Part name="The playground">{sandbox && tab === "explore" && <Sandbox />}</Part>
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
			<footer className={css.bottom} data-part="controls">
				{hasDock && !isWide && <Dock />}
				<FirstMinuteNearby />
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

/** On a phone the whole page scrolls: another view begins at its top, before a lesson goes to its stop. */
function useTopOf(tab: Tab) {
	const shown = useRef(tab);
	useLayoutEffect(() => {
		if (shown.current !== tab) window.scrollTo(0, 0);
		shown.current = tab;
	}, [tab]);
}

/** Ways to begin, on the empty stage of a sandbox. */
function FirstScenes() {
	return (
		<div className={css.scenes} data-part="scenes">
			<p className="quiet">Or start from one of these:</p>
			<Part name="The starters">
				<Scenes />
			</Part>
		</div>
	);
}

/** The sheet that a chip of the header has opened. */
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
