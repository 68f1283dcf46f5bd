/** The stops of the path as buttons over the picture: pointing at one lights its steps, a press goes there. */
import { useEffect, useState } from "react";
import { go, pause } from "../app/playback/player.ts";
import { change } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import type { PathStop } from "../scene/layout/path.ts";
import { classes } from "../ui/classes.ts";
import type { View } from "./draw/viewport.ts";
import { stage } from "./shown.ts";
import css from "./stops.module.css";

interface Drawn {
	readonly stops: readonly PathStop[];
	readonly view: View;
}

const NONE: readonly PathStop[] = [];

/** The stops as the canvas has drawn them last. */
function useDrawn(): Drawn | undefined {
	const [drawn, setDrawn] = useState<Drawn>();
	useEffect(() => {
		const follow = () => {
			const shown = stage.shown();
			const stops = shown?.held.path?.stops ?? NONE;
			setDrawn((before) =>
				shown && before?.stops === stops && before.view === shown.view
					? before
					: shown && { stops, view: shown.view },
			);
		};
		stage.drawn.add(follow);
		follow();
		return () => {
			stage.drawn.delete(follow);
		};
	}, []);
	return drawn;
}

export function Stops() {
	const drawn = useDrawn();
	const moment = useCalm((f) => f.moment);
	const lit = useFacts((f) => f.litSteps);
	if (!drawn || !moment) return null;
	const { op } = moment.position;
	const { k, x, y } = drawn.view;
	return drawn.stops.map((stop) => {
		const { from, to, w, isVain } = stop;
		const isLit = lit?.op === op && lit.from <= to && from <= lit.to;
		const sentence = moment.steps[from - moment.firstStep]?.sentence ?? "";
		const vain = isVain ? ", in vain" : "";
		const name =
			from === to ? `Step ${stop.words}${vain}: ${sentence}` : `Steps ${stop.words}${vain}`;
		return (
			<button
				key={from}
				type="button"
				tabIndex={-1}
				className={classes(css.stop, isLit && css.lit)}
				style={{
					left: stop.x * k + x,
					top: stop.y * k + y,
					width: Math.max(24, w),
					height: Math.max(24, stop.h),
				}}
				data-path-stop={stop.when}
				aria-label={name}
				title={name}
				onPointerEnter={() => change({ litSteps: { op, from, to } })}
				onPointerLeave={() => change({ litSteps: null })}
				onClick={() => {
					pause();
					go({ kind: "at", op, step: from });
				}}
			/>
		);
	});
}
