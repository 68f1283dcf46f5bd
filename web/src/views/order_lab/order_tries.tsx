/** Why a size gets its order: the slab that each rule chooses, and every try of the rule with its tail waste. */

import type { Order } from "#wasm";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import type { OrderAnswer, OrderRule } from "../../engine/answers.ts";
import { Scrolls } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/table/data_table.tsx";
import css from "./order_lab.module.css";
import { SlabBar } from "./slab_bar.tsx";

export function OrderTries({ answer }: { readonly answer: OrderAnswer }) {
	const largest = Math.max(...answer.rules.map((r) => answer.pageBytes << (r.why?.order ?? 0)));
	return (
		<section className={`card ${css.why}`} aria-label="Why">
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
		<article className={css.rule}>
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
				<p>No order holds an object of this size: it comes from the page allocator.</p>
			)}
		</article>
	);
}

function Verdict({ why, pageBytes }: { why: Order; pageBytes: number }) {
	const slab = pageBytes << why.order;
	return (
		<div className={css.verdict}>
			<p className={css.verdictLine} data-verdict>
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

/** The most that a slab may waste; 0: anything. */
const limitOf = ({ fraction }: Try, slab: number) =>
	fraction > 0 ? Math.floor(slab / fraction) : 0;

function columnsOf({ tries, alignedSize }: Order, pageBytes: number): readonly Column<Try>[] {
	const largest = pageBytes << Math.max(...tries.map((t) => t.order), 0);
	return [
		{ name: "order", show: (t) => t.order },
		{
			name: "at least",
			title: "Least number of objects",
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
				caption="Tries of the order rule, in their order"
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
