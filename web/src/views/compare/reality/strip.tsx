/** A strip of agreement: each part of the run is full as far as its allocations agree with the kernel, and hatched above that. */
import { type ReactNode, useId, useRef } from "react";
import type { Checked } from "#wasm";
import type { Range } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { classes } from "../../../ui/classes.ts";
import { useSize } from "../../../ui/use_element.ts";
import { partsShown } from "./rows.ts";
import css from "./strip.module.css";

interface StripProps {
	readonly band: Checked["band"];
	/** The events that it shows; all of the run if left out. */
	readonly span?: Range | undefined;
	readonly height: number;
	readonly label: string;
	/** A mark at this event. */
	readonly here?: number | undefined;
	/** Gets a share of the width. */
	readonly onChoose?: (share: number) => void;
}

export function Strip({ band, span, height, label, here, onChoose }: StripProps) {
	const box = useRef<HTMLDivElement>(null);
	const { width } = useSize(box);
	const hatch = useId();
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const parts = partsShown(band, nrOps, span ?? { from: 0, to: nrOps }, width);
	return (
		<div className={css.strip} style={{ height }} ref={box}>
			{/* biome-ignore lint/a11y/useKeyWithClickEvents: buttons below a strip go to every divergence */}
			<svg
				width={width}
				height={height}
				role="img"
				aria-label={label}
				onClick={onChoose && ((e) => onChoose(e.nativeEvent.offsetX / width))}
			>
				<defs>
					<pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse">
						<path className={css.hatch} d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" />
					</pattern>
				</defs>
				{parts.map(({ part, share, ...at }) => (
					<g key={part}>
						<rect className={css.full} {...at} y={height * (1 - share)} height={height * share} />
						{share < 1 && <rect {...at} height={height * (1 - share)} fill={`url(#${hatch})`} />}
					</g>
				))}
				{here !== undefined && nrOps > 0 && (
					<path className={css.here} d={`M${(here / nrOps) * width} 0V${height}`} />
				)}
			</svg>
		</div>
	);
}

interface KeyProps {
	readonly agrees: ReactNode;
	readonly differs: ReactNode;
}

/** The two looks of a strip, with their words. */
export function StripKey({ agrees, differs }: KeyProps) {
	return (
		<>
			<i className={classes("swatch", css.agrees)} /> {agrees}{" "}
			<i className={classes("swatch", css.differs)} /> {differs}
		</>
	);
}
