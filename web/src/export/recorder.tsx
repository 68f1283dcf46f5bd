/** The button that records a film, and its progress with a way to cancel. */
import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../app/playback/player.ts";
import { fileName, save } from "../app/trace/save_file.ts";
import { Button } from "../ui/controls.tsx";
import { type FilmPlan, film } from "./film.ts";

interface RecorderProps {
	readonly children: string;
	readonly disabled?: boolean;
	/** The thing that is recorded, and the name of its file; asked when the button is pressed. */
	readonly plan: () => Promise<{ readonly film: FilmPlan; readonly name: string } | null>;
	readonly report: (sentence: string) => void;
}

export function Recorder({ children, disabled, plan, report }: RecorderProps) {
	/** How many units are recorded, of how many; undefined: nothing is being recorded. */
	const [done, setDone] = useState<{ readonly of: number; readonly units: number }>();
	const stop = useRef<AbortController>(undefined);
	useEffect(() => () => stop.current?.abort(), []);
	const record = async () => {
		stop.current = new AbortController();
		try {
			const planned = await plan();
			if (!planned) return;
			const { count } = planned.film;
			setDone({ of: count, units: 0 });
			const name = fileName(planned.name, "webm");
			const onUnit = (units: number) => setDone({ of: count, units });
			const blob = await film(planned.film, onUnit, stop.current.signal);
			if (blob) save(blob, name);
			report(blob ? `Saved as ${name}.` : "Recording stopped; the film was not saved.");
		} catch (error) {
			report(sentenceOf(error));
		}
		setDone(undefined);
	};
	if (!done)
		return (
			<Button disabled={disabled ?? false} onClick={() => void record()}>
				{children}
			</Button>
		);
	return (
		<>
			<progress aria-label="Recording" value={done.units} max={done.of} />
			<Button onClick={() => stop.current?.abort()}>Cancel</Button>
		</>
	);
}
