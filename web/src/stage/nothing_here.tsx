/** Between two slabs a zoomed view shows only background: this notice says so, beside the button that leads back. */
import { useEffect, useState } from "react";
import { useEachPosition, useFacts } from "../app/state/use_facts.ts";
import { hasAnything } from "../scene/in_sight.ts";
import { stage } from "./shown.ts";
import css from "./stage.module.css";

/** The notice waits until zooming and panning rest. */
const REST_MS = 400;

export function NothingHere() {
	const zoom = useFacts((f) => f.zoom);
	const moment = useEachPosition((f) => (f.playing ? null : f.moment));
	const [isEmpty, setIsEmpty] = useState(false);
	useEffect(() => {
		setIsEmpty(false);
		if (!zoom || !moment) return;
		const timer = window.setTimeout(() => setIsEmpty(seesNothing()), REST_MS);
		return () => window.clearTimeout(timer);
	}, [zoom, moment]);
	return isEmpty ? (
		<p className={css.nothingHere}>Nothing is here. Press Fit to see the whole stage.</p>
	) : null;
}

function seesNothing(): boolean {
	const shown = stage.shown();
	if (!shown) return false;
	const { scene, view, size } = shown;
	const [x, y] = [-view.x / view.k, -view.y / view.k];
	return !hasAnything(scene, { x, y, w: size.width / view.k, h: size.height / view.k });
}
