/** The filter that is on, above the timeline: what passes, and ways to change or remove it. */
import { useEffect } from "react";
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { followFilter } from "../../app/trace/filter.ts";
import { count, quantity } from "../../base/format.ts";
import { Button } from "../../ui/controls.tsx";
import { FILTER_WORDS } from "./fields.tsx";
import css from "./filter.module.css";

export function FilterBar() {
	const filter = useFacts((f) => f.filter);
	const chosen = useFacts((f) => f.chosen);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const live = useCalm((f) => f.moment?.caches.find((c) => c.cache === f.moment?.cache));
	useEffect(followFilter, []);
	return (
		<section className={css.bar} aria-label="Filter">
			<p>
				<i className="swatch ticks" /> <strong>Filter</strong>{" "}
				{filter.map(([key, value]) => `${FILTER_WORDS[key]}: ${value}`).join("; ")}
				{chosen && (
					<span className="quiet">
						{" "}
						· {count(chosen.events)} of {quantity(nrOps, "event")}
						{live &&
							live.cache === chosen.cache &&
							` · ${count(chosen.objects)} of ${quantity(live.liveObjects, "live object")} of ${live.name}`}
					</span>
				)}
			</p>
			<Button onClick={() => change({ dialog: "filter" })}>Change</Button>
			<Button onClick={() => change({ filter: [], chosen: null })}>Remove the filter</Button>
		</section>
	);
}
