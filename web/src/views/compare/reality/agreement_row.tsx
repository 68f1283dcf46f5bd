/** Agreement with the kernel below the timeline, once Reality has checked the run: full where every allocation agrees, otherwise hatched. */
import { useId, useRef } from "react";
import { useStore } from "zustand";
import type { Checked } from "#wasm";
import type { Range } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { realRun } from "../../../app/trace/real_run.ts";
import { count } from "../../../base/format.ts";
import { classes } from "../../../ui/classes.ts";
import { useSize } from "../../../ui/use_element.ts";
import css from "./agreement_row.module.css";
import { bandOf, partsShown, shareWords } from "./rows.ts";

const HEIGHT = 10;

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
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const hatch = useId();
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const { allocations, right, band } = checked;
	const { used, whole } = bandOf(band);
	const words =
		whole === used
			? ""
			: ` ${count(used - whole)} of ${count(used)} parts of the run do not agree in full.`;
	return (
		<div className={css.row} ref={box}>
			<svg
				width={width}
				height={HEIGHT}
				role="img"
				aria-label={`Agreement with the kernel: ${shareWords(right, allocations)} of all allocations got the recorded slab and index.${words}`}
			>
				<defs>
					<pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
						<path className={css.hatch} d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" />
					</pattern>
				</defs>
				{partsShown(band, nrOps, span, width).map(({ part, x, width: wide, share }) => (
					<g key={part}>
						<rect
							className={css.agrees}
							x={x}
							width={wide}
							y={HEIGHT * (1 - share)}
							height={HEIGHT * share}
						/>
						{share < 1 && (
							<rect x={x} width={wide} height={HEIGHT * (1 - share)} fill={`url(#${hatch})`} />
						)}
					</g>
				))}
			</svg>
		</div>
	);
}

/** The row's two looks, for the timeline's legend. */
export function AgreementKey() {
	if (!useChecked()) return null;
	return (
		<span className="quiet" title="Compare, Reality has the check of this run">
			<i className={classes("swatch", css.keyAgrees)} /> agrees with the kernel{" "}
			<i className={classes("swatch", css.keyDiffers)} /> does not
		</span>
	);
}
