/** The playground as one of the labs: what it is, how to open it, and its controls while it is open. */

import { openSandbox, openScene, SCENES, type Scene } from "../../app/sandbox/scenes.ts";
import { eventsOf, textOf } from "../../app/state/sandbox_text.ts";
import { change, isUntouched } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import { Button } from "../../ui/controls.tsx";
import { Part } from "../../ui/lazy_part.tsx";
import { Playground } from "../explore/playground.tsx";
import { StageCard } from "../lessons/figure/small_stage.tsx";
import css from "./labs.module.css";

export function PlaygroundLab() {
	const sandbox = useFacts((f) => f.sandbox);
	const open = async () => {
		if (sandbox || (await openSandbox())) change({ tab: "explore" });
	};
	return (
		<section className={`flex wrap tall scrolls ${css.lab}`} aria-label="Playground lab">
			<div className={`grid at-start gap-4 ${css.words}`}>
				<h2>Allocate and free by hand</h2>
				<p>
					The playground is a trace that you write yourself: choose a cache and a CPU, allocate,
					free, and read each decision of the allocator on the stage.
				</p>
				<p className="quiet">
					{sandbox
						? sentenceOf(sandbox)
						: "It starts on an empty machine with the settings under Machine. The address of this page keeps everything you do."}
				</p>
				<Button className="primary" onClick={() => void open()}>
					{sandbox ? "Go to the playground" : "Open the playground"}
				</Button>
				<p>
					Any trace can become one too: <strong>Branch from here</strong> in the story lets you
					continue it by hand after the event on screen. The recorded future is kept, and one click
					shows it again.
				</p>
			</div>
			{sandbox && (
				<div className={`framed round paper ${css.controls}`}>
					<Part name="The playground">
						<Playground />
					</Part>
				</div>
			)}
			<div className={`grid gap-3 ${css.starters}`}>
				<h3>{sandbox ? "Or start again from a starter" : "Starters"}</h3>
				<Part name="The starters">
					<Starters />
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

/* The starters of the playground, a card each: a small live stage that opens it on a click. */

/** Leaves out the card of the empty starter where it would change nothing: on the stage of an untouched playground. */
export function Starters() {
	const isEmpty = useFacts((f) => f.tab === "explore" && isUntouched(f));
	return (
		<ul className={`grid gap-4 wide ${css.startersList}`} aria-label="Starters">
			{SCENES.map((scene) =>
				isEmpty && scene.begins.acts.length === 0 ? null : (
					<li key={scene.name}>
						<Card scene={scene} />
					</li>
				),
			)}
		</ul>
	);
}

function Card({ scene: { name, title, shows, begins } }: { readonly scene: Scene }) {
	const open = async () => {
		if (await openScene(begins)) change({ tab: "explore" });
	};
	return (
		<StageCard
			place={{ trace: `scene-${name}.slabtrace`, text: textOf(begins), machine: "" }}
			shots={[{ op: eventsOf(begins.acts) }]}
			onOpen={() => void open()}
		>
			<span className="strong">{title}</span>
			<span className="small quiet">{shows}</span>
		</StageCard>
	);
}
