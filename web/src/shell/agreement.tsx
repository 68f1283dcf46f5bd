/**
 * How far to trust the model, once a run has been checked against the kernel that recorded it. The timeline's legend
 * has a sentence. Below the curves there is a strip, filled as far as allocations agree and hatched above that.
 */
import { useId, useRef } from "react";
import type { Checked } from "#wasm";
import { change, type Range } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, quantity } from "../base/format.ts";
import { classes, LinkButton } from "../ui/controls.tsx";
import { useSize } from "../ui/hooks.ts";
import css from "./agreement.module.css";

const HEIGHT = 10;

/** Returns the result for what is on the stage, if there is one. */
function useChecked(): Checked | undefined {
	return useFacts(({ agreement, built }) =>
		agreement?.built === built ? agreement?.checked : undefined,
	);
}

export function AgreementRow({ span }: { readonly span: Range }) {
	const checked = useChecked();
	return checked && <Strip {...{ checked, span }} />;
}

function Strip({ checked, span }: { readonly checked: Checked; readonly span: Range }) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const hatch = useId();
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const { allocations, right, band } = checked;
	const used = band.filter(([all]) => all > 0);
	const differing = used.filter(([all, same]) => same < all).length;
	const label =
		`Agreement with the kernel: ${shareWords(right, allocations)} of all allocations got the recorded slab and index.` +
		(differing > 0
			? ` ${count(differing)} of ${count(used.length)} parts of the run do not fully agree.`
			: "");
	return (
		<div className={`narrows clips untouched ${css.row}`} style={{ height: HEIGHT }} ref={box}>
			<svg width={width} height={HEIGHT} role="img" aria-label={label}>
				<defs>
					<pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
						<path className={css.hatch} d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" />
					</pattern>
				</defs>
				{partsShown(band, nrOps, span, width).map(({ part, share, ...at }) => (
					<g key={part}>
						<rect className={css.full} {...at} y={HEIGHT * (1 - share)} height={HEIGHT * share} />
						{share < 1 && <rect {...at} height={HEIGHT * (1 - share)} fill={`url(#${hatch})`} />}
					</g>
				))}
			</svg>
		</div>
	);
}

/** The strip's two looks, with the result in words. */
export function AgreementKey() {
	const checked = useChecked();
	if (!checked) return null;
	const { allocations, right } = checked;
	return (
		<span className="quiet" data-part="agreement">
			<i className={classes("swatch", css.agrees)} /> {shareWords(right, allocations)} of{" "}
			{quantity(allocations, "allocation")} got the recorded slab and index{" "}
			<i className={classes("swatch", css.differs)} /> elsewhere{" "}
			<LinkButton onClick={() => change({ dialog: "fidelity" })}>Limits of the model</LinkButton>
		</span>
	);
}

/** Writes "99.988 %", rounded down: 100 % means all. */
export function shareWords(right: number, all: number): string {
	if (all === 0) return "none";
	return `${(Math.floor((right * 100_000) / all) / 1000).toFixed(3)} %`;
}

/** Finds the place on the timeline of each part that has allocations, and what share of them is right. */
export function partsShown(
	band: Checked["band"],
	nrOps: number,
	span: { readonly from: number; readonly to: number },
	width: number,
) {
	const xOf = (part: number) => {
		const op = Math.ceil((part * nrOps) / band.length);
		const share = (op - span.from) / Math.max(1, span.to - span.from);
		return width * Math.min(1, Math.max(0, share));
	};
	return band.flatMap(([all, right], part) => {
		const x = xOf(part);
		const wide = xOf(part + 1) - x;
		return all > 0 && wide > 0 ? [{ part, x, width: wide, share: right / all }] : [];
	});
}
