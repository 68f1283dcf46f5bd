/** The machine on a phone: one small card for each node, in a row to swipe. A press shows the map on the whole stage. */
import { useMemo } from "react";
import { change } from "../../app/state/store.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { quantity } from "../../base/format.ts";
import type { Frame } from "../../engine/frame.ts";
import { KIND, sheavesInWords } from "../../engine/place_kinds.ts";
import { classes } from "../../ui/classes.ts";
import { type SlabUse, slabUse } from "./contents.ts";
import { SlabGlyph } from "./glyph.tsx";
import css from "./machine_strip.module.css";

/** A card has room for two rows of slabs; wider cards than on the widest phone do not exist. */
const SLABS_MOST = 48;

interface NodeSlabs {
	readonly count: number;
	readonly slabs: readonly SlabUse[];
	/** The full sheaves in its barn, "" if it has none. */
	readonly barn: string;
}

/** More nodes run on beyond the side of the page. */
const IN_SIGHT = 2;

/** The slabs of each node, those with a free object first. */
function slabsByNode(frame: Frame, nrNodes: number): NodeSlabs[] {
	const { slabs } = frame;
	return Array.from({ length: nrNodes }, (_, node) => {
		const open: number[] = [];
		const full: number[] = [];
		for (let row = 0; row < slabs.count; row++) {
			if (slabs.node[row] !== node) continue;
			const rows = (slabs.inuse[row] ?? 0) < (slabs.objects[row] ?? 0) ? open : full;
			rows.push(row);
		}
		const shown = [...open.slice(0, SLABS_MOST), ...full.slice(0, SLABS_MOST)].slice(0, SLABS_MOST);
		return {
			count: open.length + full.length,
			slabs: shown.map((row) => slabUse(frame, row)),
			barn: barnOf(frame, node),
		};
	});
}

function barnOf({ places }: Frame, node: number): string {
	const barn = places.find((p) => p.kind === KIND.PLACE_BARN_FULL && p.node === node);
	const [words] = (barn && sheavesInWords(places, barn)) ?? [];
	return words === undefined ? "" : `, barn ${words}`;
}

export function MachineStrip() {
	const moment = useCalm((f) => f.moment);
	const nrCpus = useFacts((f) => f.built?.nrCpus) ?? 0;
	const nrNodes = useFacts((f) => f.built?.nrNodes) ?? 0;
	const frame = moment?.frame;
	const nodes = useMemo(() => (frame ? slabsByNode(frame, nrNodes) : []), [frame, nrNodes]);
	if (!moment) return null;
	const acting = moment.steps[moment.position.step - moment.firstStep]?.node;
	return (
		<section className={css.machine} aria-label="Machine">
			<p>
				<strong>Machine ▸</strong>{" "}
				<span className="quiet">
					{nrNodes > IN_SIGHT && "swipe for all "}
					{quantity(nrCpus, "CPU")}, {quantity(nrNodes, "node")}
					{nrNodes <= IN_SIGHT && "; press for the map"}
				</span>
			</p>
			<ol className={css.nodes}>
				{nodes.map(({ count, slabs, barn }, node) => (
					<li key={node}>
						<button
							type="button"
							className={classes(css.node, node === acting && css.acting)}
							title="Show the map"
							onClick={() => change({ shows: "map" })}
						>
							<span>
								<strong>
									<span className="hidden">Show the map: </span>N{node}
								</strong>{" "}
								<span className="quiet number">{quantity(count, "slab") + barn}</span>
							</span>
							<span className={css.slabs}>
								{slabs.map((slab) => (
									<SlabGlyph key={slab.serial} slab={slab} />
								))}
							</span>
						</button>
					</li>
				))}
			</ol>
		</section>
	);
}
