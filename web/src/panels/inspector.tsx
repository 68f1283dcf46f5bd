/** Facts of the slab that is pointed at or held on to. */
import type { Frame } from "../engine/types.ts";
import { NONE } from "../engine/types.ts";
import { address, count } from "../player/format.ts";
import { placeName } from "../scene/describe.ts";

const STATES = ["free", "allocated", "free, on its CPU"] as const;

interface Props {
	readonly frame: Frame;
	readonly row: number;
	/** Object pointed at, -1 for none. */
	readonly index: number;
	readonly held: boolean;
}

export function Inspector({ frame, row, index, held }: Props) {
	const { slabs, places, cells } = frame;
	const at = slabs.address[row] ?? 0;
	const place = places[slabs.place[row] ?? 0];
	const owner = slabs.ownerCpu[row] ?? NONE;
	const state = STATES[cells[(slabs.firstCell[row] ?? 0) + index] ?? 0];
	const text = address(at);
	return (
		<aside className={held ? "inspector held" : "inspector"} aria-label="Inspector">
			<h3>Slab #{slabs.serial[row]}</h3>
			<dl className="facts number">
				<dt>address</dt>
				<dd className="mono">
					{text.slice(0, -4)}
					<strong>{text.slice(-4)}</strong>
				</dd>
				<dt>place</dt>
				<dd>{place ? placeName(place) : ""}</dd>
				<dt>in use</dt>
				<dd>
					{count(slabs.inuse[row] ?? 0)} of {count(slabs.objects[row] ?? 0)}
				</dd>
				<dt>pages</dt>
				<dd>
					{2 ** (slabs.order[row] ?? 0)} (order {slabs.order[row]}), node {slabs.node[row]}
				</dd>
				{owner !== NONE && (
					<>
						<dt>held by</dt>
						<dd>
							CPU {owner}
							{(slabs.freeOnCpu[row] ?? 0) > 0 && `, ${slabs.freeOnCpu[row]} free for it alone`}
						</dd>
					</>
				)}
				{index >= 0 && (
					<>
						<dt>object {index}</dt>
						<dd>{state}</dd>
					</>
				)}
			</dl>
		</aside>
	);
}
