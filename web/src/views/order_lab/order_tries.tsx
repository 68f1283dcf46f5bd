/** Why a size gets its order: the slab that each rule chooses, and every try of the rule with its tail waste. */

import type { OrderMachineTotals } from "#abi";
import type { MachineOrder, Order } from "#wasm";
import { engine } from "../../app/platform/engine_link.ts";
import { change } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import type { MachineOrdersQuestion, OrderAnswer, OrderRule } from "../../engine/answers.ts";
import { LinkButton, Scrolls } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./order_lab.module.css";
import { SlabBar } from "./order_lab.tsx";
import type { OrderChoices } from "./order_question.ts";

export function OrderTries({ answer }: { readonly answer: OrderAnswer }) {
	const largest = Math.max(...answer.rules.map((r) => answer.pageBytes << (r.why?.order ?? 0)));
	return (
		<section className={`card packed gap-4 scrolls ${css.why}`} aria-label="Why">
			<p className="hint">
				For {quantity(answer.cpus, "CPU")}, pages of {count(answer.pageBytes)} bytes.
			</p>
			{answer.rules.map((rule, i) => (
				<RuleCard
					key={rule.rule}
					rule={rule}
					name={i === 0 ? "a" : "b"}
					pageBytes={answer.pageBytes}
					largest={largest}
				/>
			))}
		</section>
	);
}

interface RuleProps {
	readonly rule: OrderRule;
	readonly name: "a" | "b";
	readonly pageBytes: number;
	/** Bytes of the largest slab that is drawn. */
	readonly largest: number;
}

function RuleCard({ rule, name, pageBytes, largest }: RuleProps) {
	const { why } = rule;
	return (
		<article className={`grid gap-2 ${css.rule}`}>
			<h3>
				<span className={`swatch ${name === "a" ? css.ruleA : css.ruleB}`} /> {rule.rule}
			</h3>
			{why ? (
				<>
					<Verdict why={why} pageBytes={pageBytes} />
					<SlabBar
						slab={pageBytes << why.order}
						largest={largest}
						left={why.waste}
						slot={why.alignedSize}
						page={pageBytes}
						high={28}
					/>
					<Tries why={why} rule={rule.rule} pageBytes={pageBytes} />
				</>
			) : (
				<p>No slab can hold an object of this size, so it comes from the page allocator.</p>
			)}
		</article>
	);
}

function Verdict({ why, pageBytes }: { why: Order; pageBytes: number }) {
	const slab = pageBytes << why.order;
	return (
		<div className={`grid ${css.verdict}`}>
			<p className="large" data-verdict>
				<strong>Order {why.order}</strong>: {quantity(1 << why.order, "page")},{" "}
				{quantity(why.objects, "object")} of {count(why.alignedSize)} bytes
			</p>
			<p className="small quiet">
				Tail waste: {quantity(why.waste, "byte")}, {percent(why.waste, slab)} of {bytes(slab)}.{" "}
				{why.minPartial > 0 && `min_partial is ${quantity(why.minPartial, "slab")}`}
				{why.cpuPartialSlabs > 0 &&
					`; a per-CPU partial list has up to ${quantity(why.cpuPartialSlabs, "slab")}`}
				{why.minPartial > 0 && "."}
			</p>
		</div>
	);
}

interface TriesProps {
	readonly why: Order;
	readonly rule: string;
	readonly pageBytes: number;
}

type Try = Order["tries"][number];

/** The most that a slab may waste; 0 for no limit. */
const limitOf = ({ fraction }: Try, slab: number) =>
	fraction > 0 ? Math.floor(slab / fraction) : 0;

function columnsOf({ tries, alignedSize }: Order, pageBytes: number): readonly Column<Try>[] {
	const largest = pageBytes << Math.max(...tries.map((t) => t.order), 0);
	return [
		{ name: "order", show: (t) => t.order },
		{
			name: "at least",
			title: "Minimum number of objects",
			show: (t) => (t.minObjects > 0 ? count(t.minObjects) : "–"),
		},
		{
			name: "slab",
			className: css.tryBar,
			show: (t) => (
				<SlabBar
					slab={pageBytes << t.order}
					largest={largest}
					left={t.remainder}
					slot={alignedSize}
					limit={limitOf(t, pageBytes << t.order)}
					high={12}
				/>
			),
		},
		{ name: "tail waste", show: (t) => count(t.remainder) },
		{
			name: "limit",
			show: (t) =>
				t.fraction > 0 ? (
					<>
						{count(limitOf(t, pageBytes << t.order))} <span className="quiet">1/{t.fraction}</span>
					</>
				) : (
					"–"
				),
		},
		{
			name: "taken",
			head: <span className="hidden">taken</span>,
			show: (t) => (t.accepted ? "taken" : "too much"),
		},
	];
}

function Tries({ why, rule, pageBytes }: TriesProps) {
	const hidden = why.nrTries - why.tries.length;
	return (
		<Scrolls label={`Tries by ${rule}`} className={`small ${css.tries}`}>
			<DataTable
				caption="The orders that the rule tries, one after another"
				className="stays"
				columns={columnsOf(why, pageBytes)}
				rows={why.tries}
				keyOf={(_, nr) => nr}
				rowProps={({ accepted }) => ({ className: accepted ? css.taken : undefined })}
			/>
			{hidden > 0 && <p className="hint">{count(hidden)} more not shown.</p>}
		</Scrolls>
	);
}

/* Order lab: every cache of a real machine under the two rules, after a machine state was opened. */

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
		<section className={`card block ${css.machine}`} aria-label="Your machine">
			<h3 className="strong">Your machine</h3>
			{!state && (
				<p className="hint">
					Drop a copy of <code>/proc/slabinfo</code>, or what{" "}
					<code>grep -r . /sys/kernel/slab</code> prints, to see every cache of that machine under
					both rules and how much memory one of them saves.
				</p>
			)}
			{state && (
				<p className="hint">
					From <strong>{state.name}</strong>, for {quantity(question.cpus, "CPU")}. In use: as if
					the objects in use filled whole slabs. Slots: as many as the machine has, free ones
					included.{" "}
					<LinkButton onClick={() => change({ answer: "slabinfo" })}>
						See its caches beside the model
					</LinkButton>
				</p>
			)}
			{state && value && (
				<>
					<DataTable
						label="Totals for each page size"
						scrollClass={`small ${css.machineTable}`}
						caption={`${question.rules[1]} against ${question.rules[0]}: totals of all caches for each page size`}
						className="stays"
						columns={TOTALS}
						rows={value.totals}
						keyOf={(t) => t.pageBytes}
						rowProps={(t) => ({ className: t.pageBytes === question.pageBytes ? css.taken : "" })}
					/>
					<DataTable
						label="Caches of your machine"
						scrollClass={`small ${css.machineTable}`}
						caption={`Caches of the machine, pages of ${count(question.pageBytes)} bytes`}
						className="stays"
						columns={CACHES}
						rows={byChange(value.rows)}
						keyOf={(r) => r.name}
						rowProps={(r) => ({ className: r.orderA === r.orderB ? undefined : css.taken })}
					/>
				</>
			)}
		</section>
	);
}

const signed = (n: number, text: string) => (n > 0 ? `+${text}` : n < 0 ? `−${text}` : text);

/** Says how much more memory B needs than A: "−3.2 MiB (−1.3 %)". */
function difference(a: number, b: number, pageBytes: number): string {
	const part = a === 0 ? 0 : Math.abs((100 * (b - a)) / a);
	const more = Math.abs(b - a) * pageBytes;
	return `${signed(b - a, bytes(more))} (${signed(b - a, part.toFixed(2))} %)`;
}

/** Returns undefined if no objects or slots were counted. */
const needed = (from: number, a: number, b: number, pageBytes: number) =>
	from === 0 ? UNKNOWN : difference(a, b, pageBytes);

const TOTALS: readonly Column<OrderMachineTotals>[] = [
	{ name: "page", show: (t) => bytes(t.pageBytes) },
	{
		name: "changed",
		title: "Caches whose order differs",
		show: (t) => `${count(t.changed)} of ${count(t.caches)}`,
	},
	{
		name: "in use, A",
		title: "Pages for the objects in use, first rule",
		show: (t) => (t.counted === 0 ? UNKNOWN : count(t.pagesA)),
	},
	{
		name: "in use, B",
		title: "Pages for the objects in use, second rule",
		show: (t) => (t.counted === 0 ? UNKNOWN : count(t.pagesB)),
	},
	{
		name: "B needs",
		title: "More or less memory for the objects in use under the second rule",
		show: (t) => needed(t.counted, t.pagesA, t.pagesB, t.pageBytes),
	},
	{
		name: "slots: B needs",
		title: "The same for as many slots as the machine has",
		show: (t) => needed(t.slotPagesA, t.slotPagesA, t.slotPagesB, t.pageBytes),
	},
	{
		name: "per object",
		title: "Bytes of slab for one object of each cache, the second rule against the first",
		show: ({ perObjectA: a, perObjectB: b }) =>
			`${signed(b - a, Math.abs(100 * (b / a - 1)).toFixed(2))} %`,
	},
];

const known = (n: number) => (n < 0 ? UNKNOWN : count(n));

const CACHES: readonly Column<MachineOrder>[] = [
	{ name: "cache", show: (r) => r.name },
	{ name: "slot", title: "Bytes of a slot", show: (r) => count(r.size) },
	{ name: "objects", title: "Objects in use on the machine", show: (r) => known(r.objects) },
	{ name: "machine", title: "Order on the machine", show: (r) => known(r.machineOrder) },
	{ name: "order A", title: "Order by the first rule", show: (r) => r.orderA },
	{ name: "order B", title: "Order by the second rule", show: (r) => r.orderB },
	{
		name: "pages A",
		title: "Pages for the objects in use, first rule",
		show: (r) => (r.objects < 0 ? UNKNOWN : count(r.pagesA)),
	},
	{
		name: "pages B",
		title: "Pages for the objects in use, second rule",
		show: (r) => (r.objects < 0 ? UNKNOWN : count(r.pagesB)),
	},
];

/** Caches whose order differs come first, those with the largest change at the top. */
function byChange(rows: readonly MachineOrder[]): MachineOrder[] {
	const changeOf = (r: MachineOrder) =>
		Math.abs(r.pagesB - r.pagesA) + (r.orderA === r.orderB ? 0 : 0.5);
	return rows.toSorted((a, b) => changeOf(b) - changeOf(a));
}
