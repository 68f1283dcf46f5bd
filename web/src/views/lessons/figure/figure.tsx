/** A figure in the text of a lesson: the stage at one position, drawn small by the core's own data, and one sentence. */

import { type ReactNode, useId } from "react";
import { useAround, within } from "../model/context.ts";
import type { Place } from "../model/places.ts";
import css from "./figure.module.css";
import { SmallStage } from "./small_stage.tsx";

export interface FigureProps extends Place {
	readonly op: number;
	/** Shows only this node of a larger machine. */
	readonly node?: number;
	/** Puts a ring around the slab of this number. */
	readonly slab?: number;
	/** Shows only this slab. */
	readonly close?: number;
	/** One sentence: what to see. */
	readonly children?: ReactNode;
}

export function Figure({ children, node, slab, close, ...own }: FigureProps) {
	const place = within(useAround().place, own);
	const id = useId();
	return (
		<figure className={css.figure} data-figure aria-labelledby={id}>
			<div className={css.picture}>
				<SmallStage
					place={place}
					shots={[{ op: own.op, step: own.step }]}
					label={`The stage at event ${own.op + 1}`}
					cut={{ node, slab: close }}
					slab={slab}
				/>
			</div>
			<figcaption id={id} className="quiet">
				{children}
			</figcaption>
		</figure>
	);
}
