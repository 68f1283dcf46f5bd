/**
 * The stops of the path as buttons over the picture: pointing at one lights up its steps, and a press goes there.
 * Also the legend of lines and stops.
 */
import { useEffect, useState } from "react";
import { go, pause } from "../app/playback/player.ts";
import { change } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import type { ScenePath } from "../scene/layout/path.ts";
import { classes } from "../ui/controls.tsx";
import type { View } from "./draw/viewport.ts";
import { stage } from "./shown.ts";
import css from "./stops.module.css";

interface Drawn {
	readonly path: ScenePath | undefined;
	readonly view: View;
}

/** Returns the path as the canvas last drew it. */
function useDrawn(): Drawn | undefined {
	const [drawn, setDrawn] = useState<Drawn>();
	useEffect(() => {
		const follow = () => {
			const shown = stage.shown();
			const path = shown?.held.path;
			setDrawn((before) =>
				shown && before?.path === path && before?.view === shown.view
					? before
					: shown && { path, view: shown.view },
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
	if (!drawn?.path || !moment) return null;
	const { op } = moment.position;
	const { k, x, y } = drawn.view;
	return drawn.path.stops.map((stop) => {
		const { from, to, w, isVain } = stop;
		const isLit = lit?.op === op && lit.from <= to && from <= lit.to;
		const sentence = moment.steps[from - moment.firstStep]?.sentence ?? "";
		const vain = isVain ? ", got nothing" : "";
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

/** Explains the lines and stops of the path, in the legend. */
export function PathLegend() {
	const path = useDrawn()?.path;
	if (!path) return null;
	return (
		<>
			<li title="Filled: the step took effect. A ring around it: the step on screen">
				<i className={css.done} /> done
			</li>
			<li title="Hollow: the step asked and got nothing, or it is still to come">
				<i className={css.hollow} /> no result (yet)
			</li>
			<li
				title={`Solid: ${path.isFree ? "a slab moves from list to list" : "where the CPU searches"}. Pale: still to come`}
			>
				<i className={css.way} /> {path.isFree ? "slab" : "search"}
			</li>
			<li
				title={`Dotted: ${path.isFree ? "the object goes to its slab" : "the object comes back"}. Pale: still to come`}
			>
				<i className={css.object} /> object
			</li>
		</>
	);
}
