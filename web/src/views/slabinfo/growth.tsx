/** The change of a real machine's caches over the trace, beside the growth of the model's. */
import { engine } from "../../app/platform/engine_link.ts";
import { busy } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count } from "../../base/format.ts";
import { Heads, Scrolls } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./slabinfo.module.css";

const UNKNOWN = 0xffffffff;
const ROWS_MOST = 30;

interface GrowthProps {
	/** Names of the two files. */
	readonly before: string;
	readonly after: string;
}

export function GrowthTable({ before, after }: GrowthProps) {
	const built = useFacts((f) => f.built);
	const { value, sentence } = useAsync(() => busy(() => engine().growth()), [built, before, after]);
	if (sentence !== "") return <p role="alert">{sentence}</p>;
	if (!value) return null;
	return (
		<section aria-label="Growth">
			<h3>Growth over the trace</h3>
			<p>
				From <strong>{before}</strong> to <strong>{after}</strong>, beside the model from before its
				first event to behind its last one. A cold model begins with nothing: compare the changes.
			</p>
			<Scrolls label="Table of growth" className={`table-scroll ${css.growth}`}>
				<table className="stays number">
					<caption className="hidden">Changes of caches, the largest of the machine first</caption>
					<Heads
						of={[
							"cache",
							["slabs", "Slabs of the machine, before and after"],
							["slabs, model", "Slabs of the model, before and after"],
							["objects", "Active objects of the machine, as slabinfo counts them"],
							["objects, model", "Active objects of the model"],
						]}
					/>
					<tbody>
						{value.slice(0, ROWS_MOST).map((row) => (
							<tr key={row.name}>
								<th scope="row">{row.name}</th>
								<Change from={row.slabsBefore} to={row.slabsAfter} />
								<Change from={row.modelSlabsBefore} to={row.modelSlabsAfter} />
								<Change from={row.objectsBefore} to={row.objectsAfter} />
								<Change from={row.modelObjectsBefore} to={row.modelObjectsAfter} />
							</tr>
						))}
					</tbody>
				</table>
			</Scrolls>
			{value.length > ROWS_MOST && <p className="hint">The {ROWS_MOST} largest changes.</p>}
		</section>
	);
}

function Change({ from, to }: { readonly from: number; readonly to: number }) {
	if (from === UNKNOWN || to === UNKNOWN) return <td>–</td>;
	const sign = to < from ? "−" : "+";
	return (
		<td>
			{count(from)} → {count(to)} <strong>{`${sign}${count(Math.abs(to - from))}`}</strong>
		</td>
	);
}
