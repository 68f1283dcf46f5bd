/** A card with a small live stage above its words; the stage plays while the card is pointed at. */
import { type ReactNode, useState } from "react";
import type { Shot } from "../../../engine/answers.ts";
import type { Place } from "../model/places.ts";
import { SmallStage } from "./small_stage.tsx";
import css from "./stage_card.module.css";

interface Props {
	readonly place: Place;
	readonly shots: readonly Shot[];
	readonly onOpen: () => void;
	readonly children: ReactNode;
}

export function StageCard({ place, shots, onOpen, children }: Props) {
	const [isPointed, setPointed] = useState(false);
	return (
		<button
			type="button"
			className={css.card}
			onClick={onOpen}
			onPointerEnter={() => setPointed(true)}
			onPointerLeave={() => setPointed(false)}
			onFocus={() => setPointed(true)}
			onBlur={() => setPointed(false)}
		>
			<span className={css.stage}>
				<SmallStage place={place} shots={shots} label="" plays={isPointed && shots.length > 1} />
			</span>
			<span className={css.words}>{children}</span>
		</button>
	);
}
