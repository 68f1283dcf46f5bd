/** Order lab: how many pages a slab gets for a slot size and why, and the same for all sizes under two rules. */

import { useId } from "react";
import { inFull } from "../../app/playback/opened.ts";
import {
	type OrderLab as Asked,
	allocatorName,
	allocatorOf,
	change,
	facts,
} from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import type { OrderAnswer } from "../../engine/answers.ts";
import { Button, LinkButton, SelectField, Whole } from "../../ui/controls.tsx";
import { useAsync } from "../../ui/hooks.ts";
import { OrderChart } from "./order_chart.tsx";
import css from "./order_lab.module.css";
import {
	askOrders,
	differElsewhere,
	differences,
	type OrderChoices,
	orderChoices,
	sizeAt,
} from "./order_question.ts";
import { OrderTries, YourMachine } from "./order_tries.tsx";

const LARGEST_BYTES = 4 << 20;
/** Rules that can be asked about the caches of a machine; SLAB's sizes depend on more than the slot. */
const MACHINE_KEY = "order_rule";

const ask = (some: Partial<Asked>) => change({ lab: { ...facts().lab, ...some } });

export function OrderLab() {
	const built = useFacts((f) => f.built);
	const trace = useFacts((f) => f.trace);
	const own = useFacts((f) => f.machine);
	const machine = inFull(trace, own);
	const name = useFacts((f) => f.cache);
	const lab = useFacts((f) => f.lab);
	const cache = built?.caches.find((c) => c.name === name);
	const choices = built && orderChoices(built, machine, cache, lab);
	const answer = useAnswer(choices);
	if (!built) return null;
	if (!choices)
		return (
			<section className={`grid tall scrolls ${css.view}`} aria-label="Order lab">
				<h2>Order lab</h2>
				<p>
					{allocatorName(allocatorOf(built))} doesn't choose orders: its objects share single pages,
					and larger ones come from the page allocator. Choose another allocator under Machine.
				</p>
			</section>
		);
	return (
		<section className={`grid tall scrolls ${css.view}`} aria-label="Order lab">
			<Controls choices={choices} cacheName={cache?.name ?? ""} />
			{answer && (
				<>
					<OrderTries answer={answer} />
					<AllSizes answer={answer} choices={choices} />
				</>
			)}
			{choices.question.key === MACHINE_KEY && <YourMachine choices={choices} />}
		</section>
	);
}

/** Returns the answer to the current question; until it arrives, the previous one. */
function useAnswer(choices: OrderChoices | null): OrderAnswer | null {
	const asked = choices && (() => answerOf(choices));
	return useAsync(asked ?? undefined, [JSON.stringify(choices?.question ?? null)]).value ?? null;
}

const isUnset = () => Object.values(facts().lab).every((value) => value === "" || value === 0);

/** Until somebody has set the lab, it opens where the rules differ. */
async function answerOf(choices: OrderChoices): Promise<OrderAnswer | null> {
	const answer = await askOrders(choices.question);
	if (!answer || !isUnset() || differences(answer).length > 0) return answer;
	const where = await differElsewhere(choices);
	if (!where || !isUnset()) return answer;
	ask({ pageSize: where.pageSize, size: where.size });
	return null;
}

function Controls({ choices, cacheName }: { choices: OrderChoices; cacheName: string }) {
	const { question, rule, against, rules, pageSizes } = choices;
	const values = question.machine.values;
	const ofCache = facts().lab.size === 0 && cacheName !== "";
	return (
		<div className={`grid gap-2 ${css.controls}`}>
			<h2>How many pages should a slab have?</h2>
			<div className={`flex wrap ${css.fields}`}>
				<Whole
					name="Slot size in bytes"
					value={question.size}
					most={LARGEST_BYTES}
					set={(size) => !Number.isNaN(size) && ask({ size })}
				/>
				<SelectField label="Rule" value={rule} options={rules} onSelect={(v) => ask({ rule: v })} />
				<SelectField
					label="Compare with"
					value={against}
					options={rules.filter((r) => r !== rule)}
					onSelect={(v) => ask({ against: v })}
				/>
				<SelectField
					label="Page size"
					value={values.page_size ?? ""}
					options={pageSizes}
					onSelect={(v) => ask({ pageSize: v })}
				/>
				<Whole
					name="CPUs"
					value={Number(values.cpus)}
					most={4096}
					set={(cpus) => !Number.isNaN(cpus) && ask({ cpus: String(cpus) })}
				/>
			</div>
			<p className="hint">
				{ofCache ? (
					<>
						This is the slot size of <code>{cacheName}</code>, the cache on the stage.
					</>
				) : (
					<LinkButton onClick={() => ask({ size: 0 })}>
						Go back to the size of {cacheName}
					</LinkButton>
				)}
			</p>
		</div>
	);
}

function AllSizes({ answer, choices }: { answer: OrderAnswer; choices: OrderChoices }) {
	const { size } = choices.question;
	const [a, b] = answer.rules;
	const differing = differences(answer);
	const nearest = (direction: 1 | -1) =>
		direction === 1
			? differing.find((i) => sizeAt(i) > size)
			: differing.findLast((i) => sizeAt(i) < size);
	const step = (direction: 1 | -1, name: string) => {
		const to = nearest(direction);
		return (
			<Button
				disabled={to === undefined}
				onClick={() => to !== undefined && ask({ size: sizeAt(to) })}
			>
				{name}
			</Button>
		);
	};
	if (!a || !b) return null;
	return (
		<section className={`card ${css.sizes}`} aria-label="All sizes">
			<div className="panel-head">
				<h3 className="strong">All sizes</h3>
				<span className="number">
					{differing.length === 0
						? `${a.rule} and ${b.rule} choose the same order for all ${count(a.order.length)} sizes`
						: `${a.rule} and ${b.rule} differ for ${count(differing.length)} of ${quantity(a.order.length, "size")}`}
				</span>
			</div>
			<OrderChart answer={answer} size={size} choose={(chosen) => ask({ size: chosen })} />
			<div className="row">
				{step(-1, "Previous difference")}
				{step(1, "Next difference")}
				{differing.length === 0 && <OnOtherPages choices={choices} />}
			</div>
		</section>
	);
}

/** Two rules that choose the same orders show little, so this looks for page sizes where they differ. */
function OnOtherPages({ choices }: { choices: OrderChoices }) {
	const look = async () => ({ where: await differElsewhere(choices) });
	const { value, isCurrent } = useAsync(look, [JSON.stringify(choices)]);
	if (!value || !isCurrent) return null;
	const { where } = value;
	if (!where)
		return <p>They choose the same orders for every page size: compare with another rule.</p>;
	return (
		<>
			<p>
				With pages of {count(Number(where.pageSize))} bytes they differ for {count(where.sizes)} of{" "}
				{count(where.of)} sizes.
			</p>
			<Button onClick={() => ask({ pageSize: where.pageSize, size: where.size })}>
				Show these sizes
			</Button>
		</>
	);
}

/* A slab as a bar: objects, then the tail waste, hatched. */

interface Props {
	/** Bytes of the slab, of the longest bar beside it, of the tail waste, and of a slot. */
	readonly slab: number;
	readonly largest: number;
	readonly left: number;
	readonly slot: number;
	/** Bytes of a page, to show where pages end. */
	readonly page?: number;
	/** Draws a line at the limit of the tail waste: this many bytes before the end. */
	readonly limit?: number;
	readonly high: number;
}

const WIDE = 400;
/** Narrower objects are not drawn one by one. */
const NARROWEST = 2.5;

export function SlabBar({ slab, largest, left, slot, page = 0, limit = 0, high }: Props) {
	const hatch = useId();
	const x = (b: number) => Number(((WIDE * b) / largest).toFixed(2));
	const used = slab - left;
	const edges = x(slot) < NARROWEST ? [] : multiples(slot, used);
	const pages = page > 0 && x(page) >= 8 ? multiples(page, slab) : [];
	return (
		<svg
			className="block wide"
			viewBox={`0 0 ${WIDE} ${high}`}
			preserveAspectRatio="none"
			height={high}
			aria-hidden="true"
		>
			<pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse">
				<path className={css.hatch} d="M-1 6L6 -1" />
			</pattern>
			<rect className={css.objects} width={x(used)} height={high} />
			<path className={css.edges} d={edges.map((b) => `M${x(b)} 0V${high}`).join("")} />
			<rect className={css.left} x={x(used)} width={x(left)} height={high} />
			<rect fill={`url(#${hatch})`} x={x(used)} width={x(left)} height={high} />
			<path className={css.pages} d={pages.map((b) => `M${x(b)} ${high - 6}V${high}`).join("")} />
			{limit > 0 && <path className={css.limit} d={`M${x(slab - limit)} 0V${high}`} />}
		</svg>
	);
}

/** Returns step, 2 × step and so on, below the end. */
function multiples(step: number, end: number): number[] {
	return Array.from({ length: Math.max(0, Math.ceil(end / step) - 1) }, (_, i) => (i + 1) * step);
}
