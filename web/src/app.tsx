/** The page as a whole: header, notices, side panel, the view, transport and timeline. */
import { DropZone } from "./panels/drop.tsx";
import { Header } from "./panels/header.tsx";
import { Help } from "./panels/help.tsx";
import { MachinePanel } from "./panels/machine.tsx";
import { ErrorNotice, ProgressNotice } from "./panels/notices.tsx";
import { Recording } from "./panels/recording.tsx";
import { Slabinfo } from "./panels/slabinfo.tsx";
import { Story } from "./panels/story.tsx";
import { Timeline } from "./panels/timeline.tsx";
import { Transport } from "./panels/transport.tsx";
import { useFacts } from "./player/store.ts";
import { Stage } from "./stage/stage.tsx";

export function App() {
	const tab = useFacts((f) => f.tab);
	return (
		<div className="page">
			<Header />
			<div className="notices">
				<ErrorNotice />
				<ProgressNotice />
			</div>
			<main className="view">
				<div
					className="panel-explore"
					role="tabpanel"
					id="view-explore"
					aria-labelledby="tab-explore"
					hidden={tab !== "explore"}
				>
					<Stage />
					<Story />
				</div>
				<div
					role="tabpanel"
					id="view-slabinfo"
					aria-labelledby="tab-slabinfo"
					hidden={tab !== "slabinfo"}
				>
					{tab === "slabinfo" && <Slabinfo />}
				</div>
			</main>
			<aside className="side" aria-label="Settings">
				<MachinePanel />
				<Recording />
			</aside>
			<footer className="bottom">
				<Timeline />
				<Transport />
			</footer>
			<DropZone />
			<Help />
		</div>
	);
}
