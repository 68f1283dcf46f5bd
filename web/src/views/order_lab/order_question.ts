/** The order lab's question: its own settings, with the rest taken from the machine and the cache on the stage. */

import { engine } from "../../app/platform/engine_link.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { allocatorOf, busy, change, type OrderLab } from "../../app/state/store.ts";
import { type OrderAnswer, type OrderQuestion, SIZE_STEP } from "../../engine/answers.ts";
import type { Built, CacheRow, Machine } from "../../engine/types.ts";

/** The parameters that select a rule. An allocator that chooses orders has one of them. */
const RULE_KEYS = ["order_rule", "slab_era"];

/** Largest size; with large pages, a page. */
const LEAST_TO_BYTES = 8192;

export interface OrderChoices {
	readonly rules: readonly string[];
	readonly pageSizes: readonly string[];
	/** The rule in use on the machine. */
	readonly rule: string;
	readonly against: string;
	readonly question: OrderQuestion;
}

/** Older links have the rule's old name; the core translates the machine's settings. */
const newSpelling = (rule: string) => rule.replace(/^seed-(?=20\d\d$)/, "rfc-");

/** Returns null if the allocator chooses no order. */
export function orderChoices(
	built: Built,
	machine: Machine,
	cache: CacheRow | undefined,
	lab: OrderLab,
): OrderChoices | null {
	const param = (name: string) => built.params.find((p) => p.key === name);
	const allocator = allocatorOf(built);
	const key = RULE_KEYS.find((k) => param(k)?.allocators.includes(allocator));
	if (!key) return null;
	const { values: rules = [], value = "" } = param(key) ?? {};
	const [asked, askedAgainst] = [newSpelling(lab.rule), newSpelling(lab.against)];
	const rule = rules.includes(asked) ? asked : value;
	const others = rules.filter((r) => r !== rule);
	const against = others.includes(askedAgainst)
		? askedAgainst
		: (others.find((r) => r === "rfc-2023") ?? others[0] ?? "");
	const pageSizes = param("page_size")?.values ?? [];
	const page = pageSizes.includes(lab.pageSize) ? lab.pageSize : String(built.pageBytes);
	const cpus = lab.cpus !== "" ? lab.cpus : String(built.nrCpus);
	const values = { ...machine.values, page_size: page, cpus };
	return {
		rules,
		pageSizes,
		rule,
		against,
		question: {
			machine: { ...machine, values },
			key,
			rules: [rule, against],
			size: lab.size > 0 ? lab.size : (cache?.size ?? 256),
			toBytes: Math.max(LEAST_TO_BYTES, Number(page)),
		},
	};
}

export async function askOrders(question: OrderQuestion): Promise<OrderAnswer | null> {
	try {
		return await busy(() => engine().orders(question));
	} catch (error) {
		change({ error: sentenceOf(error) });
		return null;
	}
}

/** Returns the indices at which the two rules choose differently. */
export function differences({ rules: [a, b] }: OrderAnswer): number[] {
	if (!a || !b) return [];
	return [...a.order.keys()].filter((i) => a.order[i] !== b.order[i]);
}

/** The largest page size at which two rules differ, if they don't differ at the chosen one. */
interface Elsewhere {
	readonly pageSize: string;
	/** How many of all sizes differ, and one of them near the chosen size. */
	readonly sizes: number;
	readonly of: number;
	readonly size: number;
}

/** Null if the rules choose the same orders with every page size. */
export async function differElsewhere({
	question,
	pageSizes,
}: OrderChoices): Promise<Elsewhere | null> {
	const { machine, size } = question;
	for (const pageSize of pageSizes.toReversed()) {
		if (pageSize === machine.values.page_size) continue;
		const values = { ...machine.values, page_size: pageSize };
		const toBytes = Math.max(LEAST_TO_BYTES, Number(pageSize));
		const answer = await askOrders({ ...question, machine: { ...machine, values }, toBytes });
		const [one] = answer?.rules ?? [];
		if (!answer || !one) return null;
		const all = differences(answer);
		const near = all.find((i) => sizeAt(i) >= size) ?? all.at(-1);
		if (near !== undefined)
			return { pageSize, sizes: all.length, of: one.order.length, size: sizeAt(near) };
	}
	return null;
}

export function sizeAt(index: number): number {
	return (index + 1) * SIZE_STEP;
}
