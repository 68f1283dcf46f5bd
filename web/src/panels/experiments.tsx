/** Experiments: grids of replays, and the counters of kernels beside the model's. */
import { change, type Study, useFacts } from "../player/store.ts";
import { SweepStudy } from "./sweep.tsx";
import { ToldStudy } from "./told.tsx";
import "../style/experiments.css";

interface Entry {
	readonly study: Study;
	readonly name: string;
	readonly what: string;
}

const ENTRIES: readonly Entry[] = [
	{ study: "sweep", name: "Sweep", what: "two parameters against a number" },
	{ study: "counters", name: "Kernel's counters", what: "a real kernel beside the model" },
];

export function Experiments() {
	const study = useFacts((f) => f.study);
	return (
		<section className="experiments" aria-label="Experiments">
			<nav aria-label="Experiments">
				<ul>
					{ENTRIES.map((e) => (
						<li key={e.study}>
							<button
								type="button"
								aria-current={e.study === study ? "page" : undefined}
								onClick={() => change({ study: e.study })}
							>
								<span className="entry-name">{e.name}</span>
								<span className="entry-what">{e.what}</span>
							</button>
						</li>
					))}
				</ul>
			</nav>
			<div className="study">
				{study === "sweep" && <SweepStudy />}
				{study === "counters" && <ToldStudy />}
			</div>
		</section>
	);
}
