/** The whole recording at a glance, and the way to any point of it: press or drag anywhere. */
import { useEffect, useLayoutEffect, useRef } from "react";
import type { Built } from "../engine/types.ts";
import { useCalm } from "../player/calm.ts";
import { count } from "../player/format.ts";
import { pause, seek } from "../player/player.ts";
import { facts, useFacts } from "../player/store.ts";
import { useSize } from "../stage/use_size.ts";
import { drawSeries } from "./timeline_draw.ts";

export function Timeline() {
	const built = useFacts((f) => f.built);
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	const box = useRef<HTMLDivElement>(null);
	const nrOps = built?.nrOps ?? 0;
	const held = useRef({ left: 0, width: 0 });
	const toOp = (clientX: number) => {
		const { left, width } = held.current;
		if (width > 0) seek(((clientX - left) / width) * Math.max(0, nrOps - 1));
	};
	const key = (event: React.KeyboardEvent) => {
		const by = KEYS[event.key];
		if (by === undefined || event.shiftKey) return;
		event.preventDefault();
		pause();
		seek(by(facts().moment?.position.op ?? 0, nrOps));
	};
	return (
		<div className="timeline">
			<Legend built={built} />
			<div
				ref={box}
				className="timeline-box"
				role="slider"
				tabIndex={0}
				aria-label="Timeline"
				aria-valuemin={1}
				aria-valuemax={Math.max(1, nrOps)}
				aria-valuenow={Math.min(op + 1, Math.max(1, nrOps))}
				aria-valuetext={`event ${count(op + 1)} of ${count(nrOps)}`}
				onKeyDown={key}
				onPointerDown={(e) => {
					pause();
					e.currentTarget.setPointerCapture(e.pointerId);
					// Where it is does not change while it is dragged; to look at each move would lay the page out.
					held.current = e.currentTarget.getBoundingClientRect();
					toOp(e.clientX);
				}}
				onPointerMove={(e) => {
					if (e.buttons > 0) toOp(e.clientX);
				}}
			>
				<Series built={built} />
				{nrOps > 0 && <Playhead nrOps={nrOps} />}
			</div>
		</div>
	);
}

/** Moves with the stage, not with the panels: past React, and without laying the page out. */
function Playhead({ nrOps }: { nrOps: number }) {
	const line = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const follow = () => {
			const op = facts().moment?.position.op ?? 0;
			const share = nrOps > 1 ? op / (nrOps - 1) : 0;
			if (line.current) line.current.style.transform = `translateX(${share * 100}%)`;
		};
		follow();
		return useFacts.subscribe((now, before) => {
			if (now.moment !== before.moment) follow();
		});
	}, [nrOps]);
	return <div ref={line} className="playhead" />;
}

const KEYS: Readonly<Record<string, (op: number, nrOps: number) => number>> = {
	ArrowRight: (op) => op + 1,
	ArrowUp: (op) => op + 1,
	ArrowLeft: (op) => op - 1,
	ArrowDown: (op) => op - 1,
	PageUp: (op, nrOps) => op + nrOps / 20,
	PageDown: (op, nrOps) => op - nrOps / 20,
	Home: () => 0,
	End: (_, nrOps) => nrOps,
};

function Legend({ built }: { built: Built | null }) {
	const most = (values: Float64Array | undefined) =>
		values ? count(values.reduce((a, b) => Math.max(a, b), 0)) : "–";
	return (
		<ul className="timeline-legend number">
			<li>
				<i className="swatch live" /> live objects{" "}
				<span className="quiet">up to {most(built?.liveObjects.max)}</span>
			</li>
			<li>
				<i className="swatch slabs" /> slabs{" "}
				<span className="quiet">up to {most(built?.slabs.max)}</span>
			</li>
			<li>
				<i className="swatch slow" /> slow paths{" "}
				<span className="quiet">the taller the denser</span>
			</li>
		</ul>
	);
}

function Series({ built }: { built: Built | null }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const size = useSize(canvas);
	const look = useFacts((f) => f.look);
	useEffect(() => {
		if (canvas.current && built) drawSeries(canvas.current, size, built);
	}, [built, size, look]);
	return <canvas ref={canvas} />;
}
