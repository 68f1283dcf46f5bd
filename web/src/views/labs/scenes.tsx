/** The starters of the playground, a card each: a small live stage, and a press that opens it. */
import { openScene } from "../../app/sandbox/open_sandbox.ts";
import { SCENES, type Scene } from "../../app/sandbox/scenes.ts";
import { eventsOf } from "../../app/state/sandbox_acts.ts";
import { textOf } from "../../app/state/sandbox_text.ts";
import { change, isUntouched } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { StageCard } from "../lessons/figure/stage_card.tsx";
import css from "./scenes.module.css";

/** On the empty stage of a sandbox that is this scene already, its card is left out. */
export function Scenes() {
	const isEmpty = useFacts((f) => f.tab === "explore" && isUntouched(f));
	return (
		<ul className={css.scenes} aria-label="Starters">
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
