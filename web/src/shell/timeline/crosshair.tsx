/** A line in the timeline at the event that is pointed at, with its number, its time, the cache's values and its sentence. */
import { useEffect, useRef, useState } from "react";
import { engine } from "../../app/platform/engine_link.ts";
import { cacheNumber, meant } from "../../app/playback/player.ts";
import { facts, type Range } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, time } from "../../base/format.ts";
import { eventWords } from "../../base/numbering.ts";
import type { Glance } from "../../engine/types.ts";
import css from "./crosshair.module.css";

interface CrosshairProps {
	/** The event. */
	readonly at: number;
	readonly span: Range;
}

export function Crosshair({ at, span }: CrosshairProps) {
	const { from, to } = span;
	const seen = useGlance(at, span);
	const share = Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)));
	return (
		<div
			className={css.crosshair}
			style={{ "--at": `${share * 100}%` } as React.CSSProperties}
			data-part="crosshair"
			aria-hidden="true"
		>
			<div className={css.line} />
			<div className={css.label}>
				<p className="number">
					<strong>{eventWords(seen?.event ?? at)}</strong>
					{seen && <Values seen={seen} />}
				</p>
				<p className={css.sentence}>{seen?.sentence}</p>
			</div>
		</div>
	);
}

function Values({ seen: { time: at, live, slabs, partial } }: { readonly seen: Glance }) {
	const report = useFacts((f) => f.report);
	return (
		<>
			{report && report.timeLast > 0 && ` · ${time(at, report.timeIsNs)}`}
			{` · ${count(live)} live · ${count(slabs)} slabs · ${count(partial)} partial`}
		</>
	);
}

/** One question at a time: while one is open, only the latest event waits. Undefined until the answer is there. */
function useGlance(op: number, span: Range): Glance | undefined {
	const built = useFacts((f) => f.built);
	const cache = useFacts((f) => f.cache);
	const isWhole = useFacts((f) => f.isWhole);
	const wanted = useRef(op);
	const isAsking = useRef(false);
	const [answer, setAnswer] = useState<{ of: unknown; cache: string; seen: Glance }>();
	useEffect(() => {
		wanted.current = op;
		if (!isWhole || !built || isAsking.current) return;
		isAsking.current = true;
		void askFor(wanted, span, (seen) => setAnswer({ of: built, cache, seen })).finally(() => {
			isAsking.current = false;
		});
	}, [op, built, cache, isWhole]);
	const isCurrent = answer?.seen.op === op && answer.of === built && answer.cache === cache;
	return isCurrent ? answer.seen : undefined;
}

/** The keyboard moves the position itself, event by event. */
const isHere = (op: number) => facts().moment?.position.op === op;

async function askFor(
	wanted: { readonly current: number },
	span: Range,
	show: (seen: Glance) => void,
): Promise<void> {
	for (let last = -1; last !== wanted.current; ) {
		last = wanted.current;
		const seen = await engine()
			.glance(last, cacheNumber(), isHere(last) ? undefined : meant(span))
			.catch(() => undefined);
		if (seen) show(seen);
	}
}
