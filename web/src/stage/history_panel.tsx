/** The history of the selection: its life-line, its first and last event, and the events around this one that touched it. */
import { WHEN_WORDS, When } from "#abi";
import { historyOf, selectedThing, toEndOfHistory, touch } from "../app/playback/object_history.ts";
import { pause, seek } from "../app/playback/player.ts";
import { movesOf } from "../app/playback/why.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useEachPosition, useFacts } from "../app/state/use_facts.ts";
import { count, eventWords, numberOf, quantity } from "../base/format.ts";
import type { ObjectHistory, Thing } from "../engine/types.ts";
import { useAsync } from "../ui/hooks.ts";
import css from "./inspector.module.css";

export function HistoryPanel() {
	const { value, sentence } = useObjectHistory();
	if (sentence !== "") return <p className="hint">{sentence}</p>;
	if (!value) return <p className="hint">Looking up its lifetime …</p>;
	return <Life {...value} />;
}

interface LifeProps {
	readonly history: ObjectHistory;
	/** The history of its slab, if this is an object's history. */
	readonly ofSlab: ObjectHistory;
	readonly thing: Thing;
}

function Life({ history, ofSlab, thing }: LifeProps) {
	const now = useCalm((f) => f.moment?.position.op ?? -1);
	const moves = useMoves(history, thing);
	const isObject = thing.index !== undefined;
	return (
		<section className={css.history} aria-label="Lifetime">
			<h3>Lifetime</h3>
			<p className="number">{isObject ? objectWords(history) : slabWords(history)}</p>
			<LifeLine history={history} ofSlab={ofSlab} moves={moves} now={now} />
			<div className={css.moves}>
				<Move
					name={isObject ? "Go to its allocation" : "Go to where it was made"}
					keys="["
					run={() => toEndOfHistory("birth")}
				/>
				<Move
					name={isObject ? "Go to its free" : "Go to where it was discarded"}
					keys="]"
					run={() => toEndOfHistory("death")}
				/>
				<Move name="Go to its previous use" keys="," run={() => touch(-1)} />
				<Move name="Go to its next use" keys="." run={() => touch(1)} />
			</div>
			<Rows history={history} moves={moves} now={now} />
		</section>
	);
}

/** Fetches the history of the selection at the event on screen, but not while playing, when nobody could read it. */
function useObjectHistory() {
	const op = useCalm((f) => f.moment?.position.op ?? -1);
	const key = useEachPosition((f) => JSON.stringify(selectedThing(f)));
	const built = useFacts((f) => f.built);
	const playing = useFacts((f) => f.playing);
	const look = async () => {
		const thing = JSON.parse(key) as Thing;
		const history = await historyOf(thing, op);
		const isSlab = thing.index === undefined;
		return {
			thing,
			history,
			ofSlab: isSlab ? history : await historyOf({ ...thing, index: undefined }, op),
		};
	};
	return useAsync(op < 0 || playing || !built ? undefined : look, [op, key, built, playing]);
}

function Move({ name, keys, run }: { name: string; keys: string; run: () => Promise<void> }) {
	return (
		<button type="button" className="link" title={`${name} (${keys})`} onClick={() => void run()}>
			{name}
		</button>
	);
}

function objectWords({ object, nrOps }: ObjectHistory): string {
	if (!object) return "No object was ever allocated here.";
	const { allocOp, freeOp, number, nr, allocSite } = object;
	const by = allocSite === "" ? "" : ` by ${allocSite}`;
	const end = freeOp < 0 ? "never freed" : `freed by ${eventWords(freeOp)}`;
	return (
		`Object ${count(number + 1)} of ${count(nr)} in this slot: allocated by ` +
		`${eventWords(allocOp)}${by}, ${end}. ${quantity(nrOps, "event")} touched the slot.`
	);
}

function slabWords({
	bornOp,
	goneOp,
	allocs,
	frees,
	objectsPeak,
	objectsPeakOp,
}: ObjectHistory): string {
	const end = goneOp < 0 ? "never discarded" : `discarded by ${eventWords(goneOp)}`;
	return (
		`Made by ${eventWords(bornOp)}, ${end}; ${quantity(allocs, "allocation")}, ${quantity(frees, "free")}; ` +
		`at most ${quantity(objectsPeak, "object")}, first at ${eventWords(objectsPeakOp)}.`
	);
}

/** Without any other condition, the thing was only read. */
function momentWords(moments: readonly number[]): string {
	const words = moments.filter((when) => when !== When.WHEN_TOUCHED).map((w) => WHEN_WORDS[w]);
	return words.length > 0 ? words.join("; ") : "it was read";
}

/** Where each event moved it from and to. These arrive after the rows, whose lines keep room for them. */
function useMoves(history: ObjectHistory, thing: Thing): readonly string[] {
	const look = () =>
		movesOf(
			thing,
			history.rows.map(({ op }) => op),
		);
	const { value, isCurrent } = useAsync(look, [history, thing]);
	return (isCurrent && value) || NO_MOVES;
}

const NO_MOVES: readonly string[] = [];

interface RowsProps {
	readonly history: ObjectHistory;
	readonly moves: readonly string[];
	/** The event on screen. */
	readonly now: number;
}

interface LineProps extends RowsProps, Pick<LifeProps, "ofSlab"> {}

/**
 * From where the slab was made to where it was discarded, or as far as the trace goes. A filled dot is an event that
 * moved it, a tick one that only touched it. The selected object's time is thicker.
 */
function LifeLine({ history: { object, rows }, ofSlab, moves, now }: LineProps) {
	const { bornOp, goneOp } = ofSlab;
	const end = useFacts((f) => (f.built?.nrOps ?? 1) - 1);
	const first = Math.max(0, bornOp);
	const last = goneOp < 0 ? end : goneOp;
	const at = (op: number) => {
		const share = (op - first) / Math.max(1, last - first);
		return `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;
	};
	return (
		<svg className={css.line} aria-hidden="true">
			<line className={css.life} x1="0" x2="100%" y1="12" y2="12" />
			{object && (
				<line
					className={css.held}
					x1={at(object.allocOp)}
					x2={at(object.freeOp < 0 ? last : object.freeOp)}
					y1="12"
					y2="12"
				/>
			)}
			{bornOp >= 0 && <circle cx="0" cy="12" r="4" />}
			{goneOp >= 0 && <circle cx="100%" cy="12" r="4" />}
			{rows.map(({ op }, i) =>
				moves[i] ? (
					<circle key={op} className={css.moved} cx={at(op)} cy="12" r="4" />
				) : (
					<line key={op} className={css.touch} x1={at(op)} x2={at(op)} y1="7" y2="17" />
				),
			)}
			<line className={css.now} x1={at(now)} x2={at(now)} y1="2" y2="22" />
			<text x="0" y="34">
				{bornOp < 0 ? "before the trace" : eventWords(bornOp)}
			</text>
			<text x="100%" y="34" textAnchor="end">
				{goneOp < 0 ? "end of the trace" : eventWords(goneOp)}
			</text>
		</svg>
	);
}

function Rows({ history, moves, now }: RowsProps) {
	return (
		<ol className={css.events}>
			{history.rows.map(({ op, moments, sentence }, i) => (
				<li key={op} aria-current={op === now ? "step" : undefined}>
					<button
						type="button"
						title={sentence}
						onClick={() => {
							pause();
							seek(op);
						}}
					>
						<span className="number">{count(numberOf(op))}</span> {momentWords(moments)}
						<span className={css.move}>{moves[i] ?? ""}</span>
					</button>
				</li>
			))}
		</ol>
	);
}
