/** The transport: where we are, and how to get on. */
import { NONE } from "../engine/frame.ts";
import { ALL_CACHES, type Unit } from "../engine/types.ts";
import { chooseCache } from "../player/actions.ts";
import { useCalm } from "../player/calm.ts";
import { count, time } from "../player/format.ts";
import { numberOf } from "../player/numbering.ts";
import { otherCache } from "../player/other_cache.ts";
import { fractionOf, speedAt } from "../player/rate.ts";
import { change, isUntouched } from "../player/store.ts";
import { useFacts } from "../player/use_facts.ts";
import { Icon } from "./icons.tsx";
import { MoveButtons } from "./move_buttons.tsx";

const UNITS: readonly { readonly unit: Unit; readonly name: string }[] = [
	{ unit: "step", name: "by step" },
	{ unit: "event", name: "by event" },
	{ unit: "slow", name: "by slow path" },
	{ unit: "slab", name: "by slab" },
];

export function Transport() {
	const breaking = useFacts((f) => f.breaking);
	const marking = useFacts((f) => f.marking);
	return (
		<div className="transport">
			<fieldset className="buttons" aria-label="Move">
				<MoveButtons ends />
				<button
					type="button"
					className="tool"
					aria-label="Breakpoints"
					aria-pressed={breaking}
					title="Breakpoints (B)"
					onClick={() => change({ breaking: !breaking })}
				>
					<Icon name="breakpoint" />
				</button>
				<button
					type="button"
					className="tool"
					aria-label="Marks"
					aria-pressed={marking}
					title="Marks (Shift M); M marks this moment"
					onClick={() => change({ marking: !marking })}
				>
					<Icon name="mark" />
				</button>
			</fieldset>
			<Where />
			<Pace />
		</div>
	);
}

function Where() {
	const moment = useCalm((f) => f.moment);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	const report = useFacts((f) => f.report);
	const untouched = useFacts(isUntouched);
	if (!moment) return <p className="where" />;
	if (untouched) return <p className="where">before the first event</p>;
	const { position, op, nrSteps } = moment;
	const timed = report !== null && report.timeLast > report.timeFirst;
	return (
		<p className="where number">
			<span>
				event <strong>{count(numberOf(position.op))}</strong> of {count(nrOps)}
			</span>{" "}
			<span>{`· step ${count(numberOf(position.step))} of ${count(nrSteps)}`}</span>{" "}
			{op.cpu !== NONE && <span>{`· cpu ${op.cpu}`}</span>}{" "}
			{timed && (
				<span title="Time of the recording's clock, and time since its first event">
					{`· ${time(op.time, report.timeIsNs)} `}
					<span className="quiet since">
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
		<div className="pace">
			<label className="check" title={`Leave out what is not about ${cache}`}>
				<input
					type="checkbox"
					checked={onlyCache}
					onChange={(e) => change({ onlyCache: e.currentTarget.checked })}
				/>
				<span>only this cache</span>
			</label>
			<select
				aria-label="Granularity"
				value={unit}
				onChange={(e) =>
					change({ unit: UNITS.find((u) => u.unit === e.currentTarget.value)?.unit ?? "step" })
				}
			>
				{UNITS.map((u) => (
					<option key={u.unit} value={u.unit}>
						{u.name}
					</option>
				))}
			</select>
			<label className="speed">
				<span className="hidden">Speed</span>
				<input
					type="range"
					className="speed-range"
					min={0}
					max={1}
					step={0.01}
					value={fractionOf(speed)}
					aria-valuetext={`${count(speed)} a second`}
					onChange={(e) => change({ speed: speedAt(Number(e.currentTarget.value)) })}
				/>
				<span className="number speed-value">{speed >= 1 ? count(speed) : speed} /s</span>
			</label>
		</div>
	);
}

/** A line that holds the place of the first sentence, which is there before React is (player/first_words.ts). */
const NOT_YET = "\u00a0";

/** The sentence of the step on screen, and the cache that it is about where the stage shows another. */
function useSentence(): { readonly other: string | undefined; readonly sentence: string } {
	const moment = useCalm((f) => f.moment);
	const shown = useFacts(
		(f) => f.built?.caches.find((c) => c.name === f.cache)?.cache ?? ALL_CACHES,
	);
	const untouched = useFacts(isUntouched);
	const step = moment?.steps[moment.position.step - moment.firstStep];
	if (untouched)
		return {
			other: undefined,
			sentence: "An empty machine. Allocate something, or drag the dashed tile onto a CPU.",
		};
	const other = moment ? otherCache(moment, shown) : undefined;
	return { other, sentence: step?.sentence ?? moment?.op.sentence ?? NOT_YET };
}

/**
 * The step as one sentence, for the stage's caption and for screen readers. These are told of every step that is
 * taken, of one with the same sentence too; playing is too fast for them, so they hear where it stopped.
 */
export function CurrentStep() {
	const { other, sentence } = useSentence();
	const playing = useFacts((f) => f.playing);
	const at = useCalm((f) => f.moment?.position);
	return (
		<p
			className="current"
			role="status"
			aria-label="Current step"
			aria-live={playing ? "off" : "polite"}
		>
			{other && <span className="tag">in {other}</span>}
			<span key={`${at?.op}/${at?.step}/${playing}`} data-sentence suppressHydrationWarning>
				{sentence}
			</span>
		</p>
	);
}

/** Leads to the cache that the step is about, where that is not on the stage. */
export function ShowOtherCache() {
	const { other } = useSentence();
	if (!other) return null;
	return (
		<button type="button" className="tool-text other-cache" onClick={() => chooseCache(other)}>
			Show cache {other}
		</button>
	);
}

/** More letters than two lines of a phone have room for. */
const LONG = 80;

/** The same sentence beside the buttons of a narrow page, whose caption is out of sight while they are pressed. */
export function StepNearby() {
	const { other, sentence } = useSentence();
	const words = other ? `in ${other}: ${sentence}` : sentence;
	return (
		<p
			className={words.length > LONG ? "step-nearby long" : "step-nearby"}
			aria-hidden="true"
			data-sentence
			suppressHydrationWarning
		>
			{words}
		</p>
	);
}
