/** The order lab's question: what is asked there, filled up with what the machine and the cache on the stage have. */

import { engine } from "../../app/platform/engine_link.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { allocatorOf, busy, change, type OrderLab } from "../../app/state/store.ts";
import { type OrderAnswer, type OrderQuestion, SIZE_STEP } from "../../engine/answers.ts";
import type { Built, CacheRow, Machine } from "../../engine/types.ts";

/** The parameter that is the rule, by allocator; SLOB has none. */
const RULE_KEYS: Readonly<Record<string, string>> = {
	slub: "order_rule",
	unified: "order_rule",
	slab: "slab_era",
};

/** Sizes up to this are looked at, on large pages up to a page. */
const LEAST_TO_BYTES = 8192;

export interface OrderChoices {
	readonly rules: readonly string[];
	readonly pageSizes: readonly string[];
	/** In force on the machine. */
	readonly rule: string;
	readonly against: string;
	readonly question: OrderQuestion;
}

/** Links from before say seed-2023 for rfc-2023; settings of the machine are translated by the core. */
const newSpelling = (rule: string) => rule.replace(/^seed-(?=20\d\d$)/, "rfc-");

/** Null where the allocator chooses no order. */
export function orderChoices(
	built: Built,
	machine: Machine,
	cache: CacheRow | undefined,
	lab: OrderLab,
): OrderChoices | null {
	const key = RULE_KEYS[allocatorOf(built)];
	const param = (name: string | undefined) => built.params.find((p) => p.key === name);
	const rules = param(key)?.values;
	if (!key || !rules) return null;
	const [asked, askedAgainst] = [newSpelling(lab.rule), newSpelling(lab.against)];
	const rule = rules.includes(asked) ? asked : (param(key)?.value ?? rules[0] ?? "");
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

/** Indices at which the two rules choose differently. */
export function differences({ rules: [a, b] }: OrderAnswer): number[] {
	if (!a || !b) return [];
	return [...a.order.keys()].filter((i) => a.order[i] !== b.order[i]);
}

/** Pages on which two rules differ, though on those that were asked for they do not. */
export interface Elsewhere {
	readonly pageSize: string;
	/** How many sizes they differ for, of how many; and one of them, near the size that was asked for. */
	readonly sizes: number;
	readonly of: number;
	readonly size: number;
}

/** Null where the rules choose alike on pages of every size. */
export async function differElsewhere({
	question,
	pageSizes,
}: OrderChoices): Promise<Elsewhere | null> {
	const { machine, size } = question;
	for (const pageSize of pageSizes.filter((p) => p !== machine.values.page_size)) {
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
