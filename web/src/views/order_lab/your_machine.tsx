/** Order lab: every cache of a real machine under the two rules, after a machine state was opened. */
import type { OrderMachineTotals } from "#abi";
import type { MachineOrder } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, quantity } from "../../base/format.ts";
import type { MachineOrdersQuestion } from "../../engine/answers.ts";
import { type Head, Heads, LinkButton, Scrolls } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/use_async.ts";
import css from "./order_lab.module.css";
import type { OrderChoices } from "./order_question.ts";

const PAGE_SIZES = [4096, 8192, 16384, 32768, 65536] as const;
const UNKNOWN = "–";

function questionOf({ question, rule, against }: OrderChoices): MachineOrdersQuestion {
	const { cpus, page_size, ...values } = question.machine.values;
	return {
		machine: { ...question.machine, values },
		rules: [rule, against],
		pageBytes: Number(page_size),
		pageSizes: PAGE_SIZES,
		cpus: Number(cpus),
	};
}

export function YourMachine({ choices }: { readonly choices: OrderChoices }) {
	const state = useFacts((f) => f.machineState);
	const question = questionOf(choices);
	const { value } = useAsync(state ? () => engine().machineOrders(question) : undefined, [
		JSON.stringify(question),
		state?.name ?? "",
	]);
	return (
		<section className={`card ${css.machine}`} aria-label="Your machine">
			<h3 className="strong">Your machine</h3>
			{!state && (
				<p className="hint">
					Drop a copy of <code>/proc/slabinfo</code>, or what{" "}
					<code>grep -r . /sys/kernel/slab</code> prints: every cache of that machine under both
					rules, and the memory that one of them saves.
				</p>
			)}
			{state && (
				<p className="hint">
					From <strong>{state.name}</strong>, for {quantity(question.cpus, "CPU")}. In use: the
					objects in use in full slabs. Slots: as many as the machine has, free ones included.{" "}
					<LinkButton onClick={() => change({ answer: "slabinfo" })}>
						Its caches beside the model
					</LinkButton>
				</p>
			)}
			{state && value && (
				<>
					<Totals totals={value.totals} question={question} />
					<Caches rows={value.rows} question={question} />
				</>
			)}
		</section>
	);
}

const signed = (n: number, text: string) => (n > 0 ? `+${text}` : n < 0 ? `−${text}` : text);

/** Memory that B needs beyond A: "−3.2 MiB (−1.3 %)". */
function difference(a: number, b: number, pageBytes: number): string {
	const part = a === 0 ? 0 : Math.abs((100 * (b - a)) / a);
	const more = Math.abs(b - a) * pageBytes;
	return `${signed(b - a, bytes(more))} (${signed(b - a, part.toFixed(2))} %)`;
}

const TOTALS: readonly Head[] = [
	"page",
	["changed", "Caches whose order differs"],
	["in use, A", "Pages for the objects in use, first rule"],
	["in use, B", "Pages for the objects in use, second rule"],
	["B needs", "More or less memory for the objects in use under the second rule"],
	["slots: B needs", "The same for as many slots as the machine has"],
	["per object", "Bytes of slab for one object of each cache, the second rule against the first"],
];

interface TotalsProps {
	readonly totals: readonly OrderMachineTotals[];
	readonly question: MachineOrdersQuestion;
}

function Totals({ totals, question }: TotalsProps) {
	return (
		<Scrolls label="Totals for each page size" className={`small ${css.machineTable}`}>
			<table className="stays number">
				<caption className="hidden">
					{question.rules[1]} against {question.rules[0]}, totals of all caches for each page size
				</caption>
				<Heads of={TOTALS} />
				<tbody>
					{totals.map((t) => (
						<tr key={t.pageBytes} className={t.pageBytes === question.pageBytes ? css.taken : ""}>
							<th scope="row">{bytes(t.pageBytes)}</th>
							<td>
								{count(t.changed)} of {count(t.caches)}
							</td>
							<td>{t.counted === 0 ? UNKNOWN : count(t.pagesA)}</td>
							<td>{t.counted === 0 ? UNKNOWN : count(t.pagesB)}</td>
							<td>{t.counted === 0 ? UNKNOWN : difference(t.pagesA, t.pagesB, t.pageBytes)}</td>
							<td>
								{t.slotPagesA === 0 ? UNKNOWN : difference(t.slotPagesA, t.slotPagesB, t.pageBytes)}
							</td>
							<td>
								{signed(
									t.perObjectB - t.perObjectA,
									Math.abs(100 * (t.perObjectB / t.perObjectA - 1)).toFixed(2),
								)}{" "}
								%
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</Scrolls>
	);
}

const CACHES: readonly Head[] = [
	"cache",
	["slot", "Bytes of a slot"],
	["objects", "Objects in use on the machine"],
	["machine", "Order on the machine"],
	["order A", "Order by the first rule"],
	["order B", "Order by the second rule"],
	["pages A", "Pages for the objects in use, first rule"],
	["pages B", "Pages for the objects in use, second rule"],
];

interface CachesProps {
	readonly rows: readonly MachineOrder[];
	readonly question: MachineOrdersQuestion;
}

/** Caches whose order differs come first, those with the largest change at the top. */
function Caches({ rows, question }: CachesProps) {
	const change = (r: MachineOrder) =>
		Math.abs(r.pagesB - r.pagesA) + (r.orderA === r.orderB ? 0 : 0.5);
	const sorted = rows.toSorted((a, b) => change(b) - change(a));
	const known = (n: number) => (n < 0 ? UNKNOWN : count(n));
	return (
		<Scrolls label="Caches of your machine" className={`small ${css.machineTable}`}>
			<table className="stays number">
				<caption className="hidden">
					Caches of the machine, pages of {count(question.pageBytes)} bytes
				</caption>
				<Heads of={CACHES} />
				<tbody>
					{sorted.map((r) => (
						<tr key={r.name} className={r.orderA === r.orderB ? undefined : css.taken}>
							<th scope="row">{r.name}</th>
							<td>{count(r.size)}</td>
							<td>{known(r.objects)}</td>
							<td>{known(r.machineOrder)}</td>
							<td>{r.orderA}</td>
							<td>{r.orderB}</td>
							<td>{r.objects < 0 ? UNKNOWN : count(r.pagesA)}</td>
							<td>{r.objects < 0 ? UNKNOWN : count(r.pagesB)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</Scrolls>
	);
}
