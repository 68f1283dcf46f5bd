/** The sandbox as one of the labs: what it is, and the way into it. */
import { openSandbox } from "../../app/sandbox/open_sandbox.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { quantity } from "../../base/format.ts";
import { Button } from "../../ui/controls.tsx";
import css from "./sandbox_lab.module.css";

export function SandboxLab() {
	const acts = useFacts((f) => f.sandbox?.acts.length ?? -1);
	const open = async () => {
		if (acts >= 0 || (await openSandbox())) change({ tab: "explore" });
	};
	return (
		<section className={css.lab} aria-label="Sandbox lab">
			<h2>Allocate and free by hand</h2>
			<p>
				The sandbox is a trace that you write yourself: choose a cache and a CPU, allocate, free,
				and read each decision of the allocator on the stage.
			</p>
			<p className="quiet">
				{acts > 0
					? `Your sandbox has ${quantity(acts, "action")}. The address of this page keeps them.`
					: "It starts on an empty machine, with the settings under Machine. The address of this page keeps what you do."}
			</p>
			<Button className="primary" onClick={() => void open()}>
				{acts >= 0 ? "Go to the sandbox" : "Open the sandbox"}
			</Button>
		</section>
	);
}
