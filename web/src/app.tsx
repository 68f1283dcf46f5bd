/** The page as a whole: header, notices, side panel, the view, transport and timeline. */
import { lazy } from "react";
import { Arriving } from "./panels/arriving.tsx";
import { DropZone } from "./panels/drop.tsx";
import { Header } from "./panels/header.tsx";
import { MachinePanel } from "./panels/machine.tsx";
import { ErrorNotice, ProgressNotice, UpdateNotice } from "./panels/notices.tsx";
import { Recording } from "./panels/recording.tsx";
import { Story } from "./panels/story.tsx";
import { Timeline } from "./panels/timeline.tsx";
import { StepNearby, Transport } from "./panels/transport.tsx";
import { useFacts } from "./player/use_facts.ts";
import { Stage } from "./stage/stage.tsx";
import { WelcomeNearby } from "./stage/welcome.tsx";

/** What a first visit does not show is loaded when it is asked for. */
const Slabinfo = lazy(() => import("./panels/slabinfo.tsx").then((m) => ({ default: m.Slabinfo })));
const Breakpoints = lazy(() =>
	import("./panels/breakpoints.tsx").then((m) => ({ default: m.Breakpoints })),
);
const Marks = lazy(() => import("./panels/marks.tsx").then((m) => ({ default: m.Marks })));
const Sandbox = lazy(() => import("./panels/sandbox.tsx").then((m) => ({ default: m.Sandbox })));
const NodeSearch = lazy(() =>
	import("./panels/node_search.tsx").then((m) => ({ default: m.NodeSearch })),
);
const Compare = lazy(() => import("./panels/compare.tsx").then((m) => ({ default: m.Compare })));
const Experiments = lazy(() =>
	import("./panels/experiments.tsx").then((m) => ({ default: m.Experiments })),
);
const OrderLab = lazy(() =>
	import("./panels/order_lab.tsx").then((m) => ({ default: m.OrderLab })),
);
const Lessons = lazy(() => import("./lessons/lessons.tsx").then((m) => ({ default: m.Lessons })));
const Tour = lazy(() => import("./panels/tour.tsx").then((m) => ({ default: m.Tour })));
const DIALOGS = {
	share: lazy(() => import("./panels/share.tsx").then((m) => ({ default: m.Share }))),
	export: lazy(() => import("./panels/export.tsx").then((m) => ({ default: m.ExportDialog }))),
	help: lazy(() => import("./panels/help.tsx").then((m) => ({ default: m.Help }))),
	report: lazy(() => import("./panels/report.tsx").then((m) => ({ default: m.ReportDialog }))),
	columns: lazy(() => import("./panels/columns.tsx").then((m) => ({ default: m.ColumnsDialog }))),
	recent: lazy(() => import("./panels/recent.tsx").then((m) => ({ default: m.RecentDialog }))),
	palette: lazy(() => import("./panels/palette.tsx").then((m) => ({ default: m.Palette }))),
	search: lazy(() => import("./panels/palette.tsx").then((m) => ({ default: m.Search }))),
	goto: lazy(() => import("./panels/palette.tsx").then((m) => ({ default: m.GoTo }))),
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
			<Header />
			<div className="notices">
				<ErrorNotice />
				<ProgressNotice />
				<UpdateNotice />
			</div>
			<main className="view">
				<div
					className="panel-explore"
					role="tabpanel"
					id="view-explore"
					aria-labelledby="tab-explore"
					hidden={tab !== "explore"}
				>
					{tab !== "lessons" && <Stage />}
					<Story />
				</div>
				<div
					role="tabpanel"
					id="view-node-search"
					aria-labelledby="tab-node-search"
					hidden={tab !== "node-search"}
				>
					<Arriving>{tab === "node-search" && <NodeSearch />}</Arriving>
				</div>
				<div
					role="tabpanel"
					id="view-order-lab"
					aria-labelledby="tab-order-lab"
					hidden={tab !== "order-lab"}
				>
					<Arriving>{tab === "order-lab" && <OrderLab />}</Arriving>
				</div>
				<div
					role="tabpanel"
					id="view-compare"
					aria-labelledby="tab-compare"
					hidden={tab !== "compare"}
				>
					<Arriving>{tab === "compare" && <Compare />}</Arriving>
				</div>
				<div
					role="tabpanel"
					id="view-lessons"
					aria-labelledby="tab-lessons"
					hidden={tab !== "lessons"}
				>
					<Arriving>{tab === "lessons" && <Lessons />}</Arriving>
				</div>
				<div
					role="tabpanel"
					id="view-experiments"
					aria-labelledby="tab-experiments"
					hidden={tab !== "experiments"}
				>
					<Arriving>{tab === "experiments" && <Experiments />}</Arriving>
				</div>
				<div
					role="tabpanel"
					id="view-slabinfo"
					aria-labelledby="tab-slabinfo"
					hidden={tab !== "slabinfo"}
				>
					<Arriving>{tab === "slabinfo" && <Slabinfo />}</Arriving>
				</div>
			</main>
			<aside className="side" aria-label="Settings">
				<Arriving>{sandbox && <Sandbox />}</Arriving>
				<MachinePanel />
				<Recording />
			</aside>
			<footer className="bottom">
				<WelcomeNearby />
				<StepNearby />
				<Arriving>{breaking && <Breakpoints />}</Arriving>
				<Arriving>{marking && <Marks />}</Arriving>
				<Timeline />
				<Transport />
			</footer>
			<DropZone />
			<Arriving>{Front && <Front />}</Arriving>
			<Arriving>{touring && <Tour />}</Arriving>
		</div>
	);
}
