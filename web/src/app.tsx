/** The page as a whole: header, notices, side panel, the view, transport and timeline. */
import type { ComponentType, ReactNode } from "react";
import { Dialog } from "./panels/dialog.tsx";
import { DropZone } from "./panels/drop.tsx";
import { Header } from "./panels/header.tsx";
import { MachinePanel } from "./panels/machine.tsx";
import { ErrorNotice, ProgressNotice, SeveralNotice, UpdateNotice } from "./panels/notices.tsx";
import { lazyPart, Part } from "./panels/part.tsx";
import { Recording } from "./panels/recording.tsx";
import { Story } from "./panels/story.tsx";
import { Timeline } from "./panels/timeline.tsx";
import { StepNearby, Transport } from "./panels/transport.tsx";
import type { Dialog as DialogName, Tab } from "./player/store.ts";
import { useFacts } from "./player/use_facts.ts";
import { Stage } from "./stage/stage.tsx";
import { WelcomeNearby } from "./stage/welcome.tsx";

/** Code of what a first visit does not show is loaded when it is first shown. */
const Breakpoints = lazyPart(() => import("./panels/breakpoints.tsx").then((m) => m.Breakpoints));
const Marks = lazyPart(() => import("./panels/marks.tsx").then((m) => m.Marks));
const Sandbox = lazyPart(() => import("./panels/sandbox.tsx").then((m) => m.Sandbox));
const Tour = lazyPart(() => import("./panels/tour.tsx").then((m) => m.Tour));

interface View {
	readonly tab: Exclude<Tab, "explore">;
	readonly name: string;
	readonly View: ComponentType;
}

const VIEWS: readonly View[] = [
	{
		tab: "node-search",
		name: "Node search",
		View: lazyPart(() => import("./panels/node_search.tsx").then((m) => m.NodeSearch)),
	},
	{
		tab: "order-lab",
		name: "The order lab",
		View: lazyPart(() => import("./panels/order_lab.tsx").then((m) => m.OrderLab)),
	},
	{
		tab: "compare",
		name: "Compare",
		View: lazyPart(() => import("./panels/compare.tsx").then((m) => m.Compare)),
	},
	{
		tab: "lessons",
		name: "Lessons",
		View: lazyPart(() => import("./lessons/lessons.tsx").then((m) => m.Lessons)),
	},
	{
		tab: "experiments",
		name: "Experiments",
		View: lazyPart(() => import("./panels/experiments.tsx").then((m) => m.Experiments)),
	},
	{
		tab: "slabinfo",
		name: "Slabinfo",
		View: lazyPart(() => import("./panels/slabinfo.tsx").then((m) => m.Slabinfo)),
	},
];

const DIALOGS: Readonly<Record<DialogName, ComponentType>> = {
	share: lazyPart(() => import("./panels/share.tsx").then((m) => m.Share)),
	export: lazyPart(() => import("./panels/export.tsx").then((m) => m.ExportDialog)),
	help: lazyPart(() => import("./panels/help.tsx").then((m) => m.Help)),
	fidelity: lazyPart(() => import("./panels/fidelity.tsx").then((m) => m.Fidelity)),
	report: lazyPart(() => import("./panels/report.tsx").then((m) => m.ReportDialog)),
	columns: lazyPart(() => import("./panels/columns.tsx").then((m) => m.ColumnsDialog)),
	paste: lazyPart(() => import("./panels/paste.tsx").then((m) => m.PasteDialog)),
	recent: lazyPart(() => import("./panels/recent.tsx").then((m) => m.RecentDialog)),
	palette: lazyPart(() => import("./panels/palette.tsx").then((m) => m.Palette)),
	search: lazyPart(() => import("./panels/palette.tsx").then((m) => m.Search)),
	goto: lazyPart(() => import("./panels/palette.tsx").then((m) => m.GoTo)),
};

/** Past tabs, settings and lists, for who goes by keyboard. */
function toButtons(): void {
	document.querySelector<HTMLElement>('.buttons [aria-label="Next step"]')?.focus();
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
		<div className="page" data-tab={tab}>
			<button type="button" className="skip" onClick={toButtons}>
				Skip to the buttons that step
			</button>
			<Part name="The header">
				<Header />
			</Part>
			<div className="notices">
				<ErrorNotice />
				<ProgressNotice />
				<SeveralNotice />
				<UpdateNotice />
			</div>
			<main className="view">
				<TabPanel tab="explore" className="panel-explore">
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
			<aside className="side" aria-label="Settings">
				<Part name="The sandbox">{sandbox && <Sandbox />}</Part>
				<Part name="The machine">
					<MachinePanel />
				</Part>
				<Part name="The trace panel">
					<Recording />
				</Part>
			</aside>
			<footer className="bottom">
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
