/** Agreement with the kernel below the timeline, once Reality has checked the run: full where every allocation agrees, otherwise hatched. */
import { useStore } from "zustand";
import type { Checked } from "#wasm";
import type { Range } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { realRun } from "../../../app/trace/real_run.ts";
import { count } from "../../../base/format.ts";
import css from "./agreement_row.module.css";
import { bandOf, shareWords } from "./rows.ts";
import { Strip, StripKey } from "./strip.tsx";

/** The result for what is on the stage, if there is one. */
function useChecked(): Checked | null {
	const built = useFacts((f) => f.built);
	const trace = useFacts((f) => f.trace);
	return useStore(realRun, (run) =>
		run.built === built && run.trace === trace ? run.checked : null,
	);
}

export function AgreementRow({ span }: { readonly span: Range }) {
	const checked = useChecked();
	return checked && <Row {...{ checked, span }} />;
}

function Row({ checked, span }: { readonly checked: Checked; readonly span: Range }) {
	const { allocations, right, band } = checked;
	const { used, whole } = bandOf(band);
	const words =
		whole === used
			? ""
			: ` ${count(used - whole)} of ${count(used)} parts of the run do not agree in full.`;
	const label = `Agreement with the kernel: ${shareWords(right, allocations)} of all allocations got the recorded slab and index.${words}`;
	return (
		<div className={css.row}>
			<Strip band={band} span={span} height={10} label={label} />
		</div>
	);
}

/** The row's two looks, for the timeline's legend. */
export function AgreementKey() {
	if (!useChecked()) return null;
	return (
		<span className="quiet" title="Compare, Reality has the check of this run">
			<StripKey agrees="agrees with the kernel" differs="does not" />
		</span>
	);
}
