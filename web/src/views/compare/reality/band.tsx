/** Agreement over the run: a strip of equal parts, with a mark at the divergence that is shown. */
import type { Checked, Divergence } from "#wasm";
import { useFacts } from "../../../app/state/use_facts.ts";
import { showDivergence } from "../../../app/trace/real_run.ts";
import { count } from "../../../base/format.ts";
import { eventsWords } from "../../../base/numbering.ts";
import { DataTable } from "../../../ui/table/data_table.tsx";
import { Panel } from "../../../ui/view/view.tsx";
import css from "./reality.module.css";
import { bandOf, eventsOf, shareWords } from "./rows.ts";
import { Strip, StripKey } from "./strip.tsx";

/** Parts that the text twin puts in one row. */
const EVERY = 20;

interface Props {
	readonly band: Checked["band"];
	readonly divergence: Divergence | null;
}

export function Band({ band, divergence }: Props) {
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const of = (part: number) => eventsOf(part, band.length, nrOps);
	const { used, whole, worst } = bandOf(band);
	const words =
		worst && worst.right < worst.all
			? `${count(whole)} of ${count(used)} parts with allocations agree in full. The lowest agreement is ${shareWords(worst.right, worst.all)}, at ${wordsOf(of(worst.part))}.`
			: `All ${count(used)} parts with allocations agree in full.`;
	const choose = (share: number) => {
		const part = Math.min(band.length - 1, Math.max(0, Math.floor(share * band.length)));
		void showDivergence(of(part)[0]);
	};
	return (
		<Panel heading="Agreement over the run" beside={<p className="small quiet">{words}</p>}>
			<div className={css.band}>
				<Strip
					band={band}
					height={48}
					label={`Agreement over the run. ${words}`}
					here={divergence ? divergence.event - 1 : undefined}
					onChoose={choose}
				/>
			</div>
			<p className="small quiet">
				<StripKey agrees="in the recorded slab and index" differs="elsewhere." /> Choose a place to
				see the next divergence from there.
			</p>
			<Words band={band} of={of} />
		</Panel>
	);
}

const wordsOf = ([from, end]: readonly [number, number]) =>
	eventsWords(from, Math.max(from, end - 1));

/** The strip for readers who do not see it. */
function Words({
	band,
	of,
}: Pick<Props, "band"> & { of: (part: number) => readonly [number, number] }) {
	const sum = (from: number, which: 0 | 1) =>
		band.slice(from, from + EVERY).reduce((all, part) => all + part[which], 0);
	const last = (from: number) => Math.min(from + EVERY, band.length) - 1;
	return (
		<DataTable
			caption="Agreement over the run"
			className="hidden"
			columns={[
				{ name: "Events", show: (from) => wordsOf([of(from)[0], of(last(from))[1]]) },
				{ name: "Allocations", show: (from) => count(sum(from, 0)) },
				{ name: "In the recorded slab and index", show: (from) => count(sum(from, 1)) },
			]}
			rows={Array.from({ length: Math.ceil(band.length / EVERY) }, (_, i) => i * EVERY)}
			keyOf={(from) => from}
		/>
	);
}
