/** Why a size gets its order: the slab that each rule chooses, and every try of the rule with its tail waste. */

import type { Order } from "#wasm";
import { bytes, count, percent, quantity } from "../../base/format.ts";
import type { OrderAnswer, OrderRule } from "../../engine/answers.ts";
import { type Head, Heads, Scrolls } from "../../ui/controls.tsx";
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

const COLUMNS: readonly Head[] = [
	"order",
	["at least", "Least number of objects"],
	"slab",
	"tail waste",
	"limit",
	[
		<span key="taken" className="hidden">
			taken
		</span>,
	],
];

function Tries({ why, rule, pageBytes }: TriesProps) {
	const largest = pageBytes << Math.max(...why.tries.map((t) => t.order), 0);
	const hidden = why.nrTries - why.tries.length;
	return (
		<Scrolls label={`Tries by ${rule}`} className={`small ${css.tries}`}>
			<table className="stays number">
				<caption className="hidden">Tries of the order rule, in their order</caption>
				<Heads of={COLUMNS} />
				<tbody>
					{why.tries.map((t, i) => (
						<TryRow key={i} of={t} why={why} slab={pageBytes << t.order} largest={largest} />
					))}
				</tbody>
			</table>
			{hidden > 0 && <p className="hint">{count(hidden)} more not shown.</p>}
		</Scrolls>
	);
}

interface TryProps {
	readonly of: Order["tries"][number];
	readonly why: Order;
	readonly slab: number;
	readonly largest: number;
}

function TryRow({ of, why, slab, largest }: TryProps) {
	const limit = of.fraction > 0 ? Math.floor(slab / of.fraction) : 0;
	return (
		<tr className={of.accepted ? css.taken : undefined}>
			<th scope="row">{of.order}</th>
			<td>{of.minObjects > 0 ? count(of.minObjects) : "–"}</td>
			<td className={css.tryBar}>
				<SlabBar
					slab={slab}
					largest={largest}
					left={of.remainder}
					slot={why.alignedSize}
					limit={limit}
					high={12}
				/>
			</td>
			<td>{count(of.remainder)}</td>
			<td>
				{of.fraction > 0 ? (
					<>
						{count(limit)} <span className="quiet">1/{of.fraction}</span>
					</>
				) : (
					"–"
				)}
			</td>
			<td>{of.accepted ? "taken" : "too much"}</td>
		</tr>
	);
}
