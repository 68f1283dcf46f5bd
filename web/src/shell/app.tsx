/** The page as a whole: header, notices, side panel, the view, transport and timeline. */
import type { ComponentType, ReactNode } from "react";
import { chaptersOf, type Dialog as DialogName, type Tab } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { Stage } from "../stage/stage.tsx";
import { WelcomeNearby } from "../stage/welcome.tsx";
import { StepNearby } from "../ui/current_step.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { lazyPart, noNotice, Part } from "../ui/lazy_part.tsx";
import { Story } from "../views/explore/story.tsx";
import css from "./app.module.css";
import { DropZone } from "./drop.tsx";
import { Header, TABS } from "./header.tsx";
import { MachinePanel } from "./machine.tsx";
import { ErrorNotice, ProgressNotice, SeveralNotice, UpdateNotice } from "./notices.tsx";
import { Recording } from "./recording.tsx";
import { Timeline } from "./timeline.tsx";
import { Transport } from "./transport.tsx";

/** The component NAME of a file. Code that a first visit does not show is loaded on first use. */
function onFirstUse<Name extends string>(
	load: () => Promise<Readonly<Record<Name, ComponentType>>>,
	name: Name,
): ComponentType {
	return lazyPart(async () => (await load())[name]);
}

const Breakpoints = onFirstUse(() => import("../views/explore/breakpoints.tsx"), "Breakpoints");
const Chapters = onFirstUse(() => import("../views/explore/chapters.tsx"), "Chapters");
const Marks = onFirstUse(() => import("../views/explore/marks.tsx"), "Marks");
const Sandbox = onFirstUse(() => import("../views/explore/sandbox.tsx"), "Sandbox");
const Tour = onFirstUse(() => import("./tour.tsx"), "Tour");

const VIEWS: Readonly<Record<Exclude<Tab, "explore">, ComponentType>> = {
	"node-search": onFirstUse(() => import("../views/node_search/node_search.tsx"), "NodeSearch"),
	"order-lab": onFirstUse(() => import("../views/order_lab/order_lab.tsx"), "OrderLab"),
	compare: onFirstUse(() => import("../views/compare/compare.tsx"), "Compare"),
	lessons: onFirstUse(() => import("../views/lessons/lessons.tsx"), "Lessons"),
	experiments: onFirstUse(() => import("../views/experiments/experiments.tsx"), "Experiments"),
	slabinfo: onFirstUse(() => import("../views/slabinfo/slabinfo.tsx"), "Slabinfo"),
};

const DIALOGS: Readonly<Record<DialogName, ComponentType>> = {
	share: onFirstUse(() => import("./dialogs/share.tsx"), "Share"),
	export: onFirstUse(() => import("../export/export_dialog.tsx"), "ExportDialog"),
	help: onFirstUse(() => import("./dialogs/help.tsx"), "Help"),
	fidelity: onFirstUse(() => import("./dialogs/fidelity.tsx"), "Fidelity"),
	report: onFirstUse(() => import("./dialogs/report.tsx"), "ReportDialog"),
	columns: onFirstUse(() => import("./dialogs/columns.tsx"), "ColumnsDialog"),
	paste: onFirstUse(() => import("./dialogs/paste.tsx"), "PasteDialog"),
	recent: onFirstUse(() => import("./dialogs/recent.tsx"), "RecentDialog"),
	palette: onFirstUse(() => import("./dialogs/palette.tsx"), "Palette"),
	search: onFirstUse(() => import("./dialogs/palette.tsx"), "Search"),
	goto: onFirstUse(() => import("./dialogs/palette.tsx"), "GoTo"),
};

/** Skips tabs, settings and lists, for keyboard users. */
function toButtons(): void {
	document.querySelector<HTMLElement>('[data-part="buttons"] [aria-label="Next step"]')?.focus();
}

export function App() {
	const tab = useFacts((f) => f.tab);
	const breaking = useFacts((f) => f.breaking);
	const marking = useFacts((f) => f.marking);
	const sandbox = useFacts((f) => f.sandbox !== null);
	const hasChapters = useFacts((f) => chaptersOf(f).length > 0);
	const dialog = useFacts((f) => f.dialog);
	const touring = useFacts((f) => f.tour >= 0);
	const Front = dialog === "" ? undefined : DIALOGS[dialog];
	return (
		<div className={css.page} data-tab={tab}>
			<button type="button" className={css.skip} onClick={toButtons}>
				Skip to the step buttons
			</button>
			<Part name="The header">
				<Header />
			</Part>
			<div className={css.notices}>
				<ErrorNotice />
				<ProgressNotice />
				<SeveralNotice />
				<UpdateNotice />
			</div>
			<main className={css.view}>
				<TabPanel tab="explore" className={css.explore}>
					{tab !== "lessons" && (
						<div className={css.column}>
							<div className={css.chapters}>
								<Part name="The chapters" frame={noNotice}>
									{hasChapters && <Chapters />}
								</Part>
							</div>
							<Part name="The stage">
								<Stage />
							</Part>
						</div>
					)}
					<Part name="The story">
						<Story />
					</Part>
				</TabPanel>
				{TABS.map(({ tab: own, name }) => {
					if (own === "explore") return null;
					const View = VIEWS[own];
					return (
						<TabPanel key={own} tab={own}>
							<Part name={name}>{tab === own && <View />}</Part>
						</TabPanel>
					);
				})}
			</main>
			<aside className={css.side} data-part="settings" aria-label="Settings">
				<Part name="The sandbox">{sandbox && <Sandbox />}</Part>
				<Part name="The machine">
					<MachinePanel />
				</Part>
				<Part name="The trace panel">
					<Recording />
				</Part>
			</aside>
			<footer className={css.bottom} data-part="controls">
				<WelcomeNearby />
				<StepNearby />
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
			{Front && (
				<Part key={dialog} name="This dialog" frame={inDialog}>
					<Front />
				</Part>
			)}
			<Part name="The tour">{touring && <Tour />}</Part>
		</div>
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
