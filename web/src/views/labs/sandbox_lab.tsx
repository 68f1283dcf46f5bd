/** The sandbox as one of the labs: what it is, the ways into it, and its controls while it is open. */
import { openSandbox } from "../../app/sandbox/open_sandbox.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { Button } from "../../ui/controls.tsx";
import { Part } from "../../ui/lazy_part.tsx";
import { Sandbox } from "../explore/sandbox.tsx";
import css from "./sandbox_lab.module.css";
import { Scenes } from "./scenes.tsx";

export function SandboxLab() {
	const sandbox = useFacts((f) => f.sandbox);
	const open = async () => {
		if (sandbox || (await openSandbox())) change({ tab: "explore" });
	};
	return (
		<section className={css.lab} aria-label="Playground lab">
			<div className={css.words}>
				<h2>Allocate and free by hand</h2>
				<p>
					The playground is a trace that you write yourself: choose a cache and a CPU, allocate,
					free, and read each decision of the allocator on the stage.
				</p>
				<p className="quiet">
					{sandbox
						? sentenceOf(sandbox)
						: "It starts on an empty machine, with the settings under Machine. The address of this page keeps what you do."}
				</p>
				<Button className="primary" onClick={() => void open()}>
					{sandbox ? "Go to the playground" : "Open the playground"}
				</Button>
				<p>
					Any trace becomes one too: <strong>Branch from here</strong> in the story continues it by
					hand after the event on screen. The recorded future is kept, and one press shows it again.
				</p>
			</div>
			{sandbox && (
				<div className={css.controls}>
					<Part name="The playground">
						<Sandbox />
					</Part>
				</div>
			)}
			<div className={css.scenes}>
				<h3>{sandbox ? "Or start over from a starter" : "Starters"}</h3>
				<Part name="The starters">
					<Scenes />
				</Part>
			</div>
		</section>
	);
}

function sentenceOf({
	after,
	acts,
}: {
	readonly after: number;
	readonly acts: readonly unknown[];
}) {
	const actions = quantity(acts.length, "action");
	return after > 0
		? `Your branch after event ${count(after)} has ${actions}. The stage shows each step.`
		: `Your playground has ${actions}. The stage shows each step.`;
}
