/**
 * The transport: the position on screen, and the buttons to move. On a phone there is one row, and a button shows the
 * rest.
 */
import { useState } from "react";
import { fractionOf, speedAt } from "../app/playback/player.ts";
import { change, isUntouched } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { count, numberOf, time } from "../base/format.ts";
import { NONE } from "../engine/frame.ts";
import type { Unit } from "../engine/types.ts";
import { Check, IconButton, Select } from "../ui/controls.tsx";
import { MoveButtons } from "../ui/move_buttons.tsx";
import css from "./transport.module.css";

const UNITS: readonly (readonly [Unit, string])[] = [
	["step", "by step"],
	["event", "by event"],
	["slow", "by slow path"],
	["slab", "by slab"],
];

export function Transport() {
	const breaking = useFacts((f) => f.breaking);
	const marking = useFacts((f) => f.marking);
	const [isOpen, setOpen] = useState(false);
	return (
		<div className={`below-2 ${css.frame}`}>
			<div className={`grid middle gap-4 ${css.transport}`} data-open={isOpen}>
				<fieldset className={`flex gap-1 ${css.buttons}`} data-part="buttons" aria-label="Move">
					<MoveButtons ends />
					<IconButton
						name="Breakpoints"
						icon="breakpoint"
						aria-pressed={breaking}
						title="Show or hide the breakpoints (B)"
						onClick={() => change({ breaking: !breaking })}
					/>
					<IconButton
						name="Marks"
						icon="mark"
						aria-pressed={marking}
						title="Show or hide the marks (Shift M); M marks this position"
						onClick={() => change({ marking: !marking })}
					/>
				</fieldset>
				<Where />
				<Pace />
				<IconButton
					name="More controls"
					className={css.more}
					aria-expanded={isOpen}
					onClick={() => setOpen(!isOpen)}
				>
					⋯
				</IconButton>
			</div>
		</div>
	);
}

function Where() {
	const moment = useCalm((f) => f.moment);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const report = useFacts((f) => f.report);
	const untouched = useFacts(isUntouched);
	if (!moment) return <p className={`clips ${css.where}`} data-part="position" />;
	if (untouched)
		return (
			<p className={`clips ${css.where}`} data-part="position">
				before the first event
			</p>
		);
	const { position, op, nrSteps } = moment;
	const timed = report !== null && report.timeLast > report.timeFirst;
	return (
		<p className={`clips ${css.where} number`} data-part="position">
			<span>
				event <strong>{count(numberOf(position.op))}</strong> of {count(nrOps)}
			</span>{" "}
			<span>{`· step ${count(numberOf(position.step))} of ${count(nrSteps)}`}</span>{" "}
			{op.cpu !== NONE && <span>{`· cpu ${op.cpu}`}</span>}{" "}
			{timed && (
				<span title="Time on the trace's clock, and time since its first event">
					{`· ${time(op.time, report.timeIsNs)} `}
					<span className={`quiet ${css.since}`}>
						(+{time(op.time - report.timeFirst, report.timeIsNs)})
					</span>
				</span>
			)}
		</p>
	);
}

function Pace() {
	const unit = useFacts((f) => f.unit);
	const speed = useFacts((f) => f.speed);
	const onlyCache = useFacts((f) => f.onlyCache);
	const cache = useFacts((f) => f.cache);
	return (
		<div className={`flex middle gap-4 narrows ${css.pace}`}>
			<Check
				checked={onlyCache}
				onCheck={(only) => change({ onlyCache: only })}
				title={`Go through events of ${cache} only`}
			>
				only this cache
			</Check>
			<Select
				aria-label="Granularity"
				value={unit}
				options={UNITS}
				onSelect={(chosen) => change({ unit: chosen as Unit })}
			/>
			<label className={`flex middle gap-2 one-line ${css.speed}`}>
				<span className="hidden">Speed</span>
				<input
					type="range"
					className={css.speedRange}
					min={0}
					max={1}
					step={0.01}
					value={fractionOf(speed)}
					aria-valuetext={`${count(speed)} per second`}
					onChange={(e) => change({ speed: speedAt(Number(e.currentTarget.value)) })}
				/>
				<span className={`number ${css.speedValue}`}>{speed >= 1 ? count(speed) : speed} /s</span>
			</label>
		</div>
	);
}
