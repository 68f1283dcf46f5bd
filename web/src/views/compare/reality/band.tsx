/** Agreement over the run: a strip of equal parts, full where every allocation is right, hatched above the share where not. */
import { useId, useRef } from "react";
import type { Checked, Divergence } from "#wasm";
import { useFacts } from "../../../app/state/use_facts.ts";
import { showDivergence } from "../../../app/trace/real_run.ts";
import { count } from "../../../base/format.ts";
import { eventsWords } from "../../../base/numbering.ts";
import { useSize } from "../../../ui/use_element.ts";
import css from "./reality.module.css";
import { bandOf, eventsOf, shareWords } from "./rows.ts";

const HEIGHT = 48;
/** Parts that the text twin puts in one row. */
const EVERY = 20;

interface Props {
	readonly band: Checked["band"];
	readonly divergence: Divergence | null;
}

export function Band({ band, divergence }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const hatch = useId();
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const of = (part: number) => eventsOf(part, band.length, nrOps);
	const { used, whole, worst } = bandOf(band);
	const step = width / band.length;
	const words =
		worst && worst.right < worst.all
			? `${count(whole)} of ${count(used)} parts with allocations agree in full. The lowest agreement is ${shareWords(worst.right, worst.all)}, at ${wordsOf(of(worst.part))}.`
			: `All ${count(used)} parts with allocations agree in full.`;
	const choose = (x: number) => {
		const part = Math.min(band.length - 1, Math.max(0, Math.floor(x / step)));
		void showDivergence(of(part)[0]);
	};
	return (
		<section className={`card ${css.card}`} aria-label="Agreement over the run">
			<div className="panel-head">
				<h3>Agreement over the run</h3>
				<p className="small quiet">{words}</p>
			</div>
			<div className={css.band} ref={box}>
				{/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons below go to every divergence */}
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`Agreement over the run. ${words}`}
					onClick={(e) => choose(e.nativeEvent.offsetX)}
				>
					<defs>
						<pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
							<path className={css.hatch} d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" />
						</pattern>
					</defs>
					{band.map(([all, right], part) => {
						if (all === 0) return null;
						const height = (HEIGHT * right) / all;
						const at = { x: part * step, width: step };
						return (
							<g key={part}>
								<rect className={css.agrees} {...at} y={HEIGHT - height} height={height} />
								{right < all && <rect {...at} height={HEIGHT - height} fill={`url(#${hatch})`} />}
							</g>
						);
					})}
					{divergence && nrOps > 0 && (
						<path
							className={css.here}
							d={`M${((divergence.event - 1) / nrOps) * width} 0V${HEIGHT}`}
						/>
					)}
				</svg>
			</div>
			<p className={`small quiet ${css.legend}`}>
				<span className={css.keyAgrees} /> in the recorded slab and index
				<span className={css.keyDiffers} /> elsewhere. Choose a place to see the next divergence
				from there.
			</p>
			<Words band={band} of={of} />
		</section>
	);
}

const wordsOf = ([from, end]: readonly [number, number]) =>
	eventsWords(from, Math.max(from, end - 1));

/** The strip for readers who do not see it. */
function Words({
	band,
	of,
}: Pick<Props, "band"> & { of: (part: number) => readonly [number, number] }) {
	const rows = Array.from({ length: Math.ceil(band.length / EVERY) }, (_, i) => i * EVERY);
	const sum = (from: number, which: 0 | 1) =>
		band.slice(from, from + EVERY).reduce((all, part) => all + part[which], 0);
	return (
		<table className="hidden">
			<caption>Agreement over the run</caption>
			<thead>
				<tr>
					<th scope="col">Events</th>
					<th scope="col">Allocations</th>
					<th scope="col">In the recorded slab and index</th>
				</tr>
			</thead>
			<tbody>
				{rows.map((from) => (
					<tr key={from}>
						<th scope="row">
							{wordsOf([of(from)[0], of(Math.min(from + EVERY, band.length) - 1)[1]])}
						</th>
						<td>{count(sum(from, 0))}</td>
						<td>{count(sum(from, 1))}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}
