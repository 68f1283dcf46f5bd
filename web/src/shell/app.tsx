/** The page as a whole: header, notices, side panel, the view, transport and timeline. */
import type { ComponentType, ReactNode } from "react";
import type { Dialog as DialogName, Tab } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { Stage } from "../stage/stage.tsx";
import { WelcomeNearby } from "../stage/welcome.tsx";
import { StepNearby } from "../ui/current_step.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { lazyPart, Part } from "../ui/lazy_part.tsx";
import { Story } from "../views/explore/story.tsx";
import css from "./app.module.css";
import { DropZone } from "./drop.tsx";
import { Header } from "./header.tsx";
import { MachinePanel } from "./machine.tsx";
import { ErrorNotice, ProgressNotice, SeveralNotice, UpdateNotice } from "./notices.tsx";
import { Recording } from "./recording.tsx";
import { Timeline } from "./timeline.tsx";
import { Transport } from "./transport.tsx";

/** Code that a first visit does not show is loaded on first use. */
const Breakpoints = lazyPart(() =>
	import("../views/explore/breakpoints.tsx").then((m) => m.Breakpoints),
);
const Marks = lazyPart(() => import("../views/explore/marks.tsx").then((m) => m.Marks));
const Sandbox = lazyPart(() => import("../views/explore/sandbox.tsx").then((m) => m.Sandbox));
const Tour = lazyPart(() => import("./tour.tsx").then((m) => m.Tour));

interface View {
	readonly tab: Exclude<Tab, "explore">;
	readonly name: string;
	readonly View: ComponentType;
}

const VIEWS: readonly View[] = [
	{
		tab: "node-search",
		name: "Node search",
		View: lazyPart(() => import("../views/node_search/node_search.tsx").then((m) => m.NodeSearch)),
	},
	{
		tab: "order-lab",
		name: "The order lab",
		View: lazyPart(() => import("../views/order_lab/order_lab.tsx").then((m) => m.OrderLab)),
	},
	{
		tab: "compare",
		name: "Compare",
		View: lazyPart(() => import("../views/compare/compare.tsx").then((m) => m.Compare)),
	},
	{
		tab: "lessons",
		name: "Lessons",
		View: lazyPart(() => import("../views/lessons/lessons.tsx").then((m) => m.Lessons)),
	},
	{
		tab: "experiments",
		name: "Experiments",
		View: lazyPart(() => import("../views/experiments/experiments.tsx").then((m) => m.Experiments)),
	},
	{
		tab: "slabinfo",
		name: "Slabinfo",
		View: lazyPart(() => import("../views/slabinfo/slabinfo.tsx").then((m) => m.Slabinfo)),
	},
];

const DIALOGS: Readonly<Record<DialogName, ComponentType>> = {
	share: lazyPart(() => import("./dialogs/share.tsx").then((m) => m.Share)),
	export: lazyPart(() => import("../export/export_dialog.tsx").then((m) => m.ExportDialog)),
	help: lazyPart(() => import("./dialogs/help.tsx").then((m) => m.Help)),
	fidelity: lazyPart(() => import("./dialogs/fidelity.tsx").then((m) => m.Fidelity)),
	report: lazyPart(() => import("./dialogs/report.tsx").then((m) => m.ReportDialog)),
	columns: lazyPart(() => import("./dialogs/columns.tsx").then((m) => m.ColumnsDialog)),
	paste: lazyPart(() => import("./dialogs/paste.tsx").then((m) => m.PasteDialog)),
	recent: lazyPart(() => import("./dialogs/recent.tsx").then((m) => m.RecentDialog)),
	palette: lazyPart(() => import("./dialogs/palette.tsx").then((m) => m.Palette)),
	search: lazyPart(() => import("./dialogs/palette.tsx").then((m) => m.Search)),
	goto: lazyPart(() => import("./dialogs/palette.tsx").then((m) => m.GoTo)),
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
						<Part name="The stage">
							<Stage />
						</Part>
					)}
					<Part name="The story">
						<Story />
					</Part>
				</TabPanel>
				{VIEWS.map(({ tab: own, name, View }) => (
					<TabPanel key={own} tab={own}>
						<Part name={name}>{tab === own && <View />}</Part>
					</TabPanel>
				))}
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
