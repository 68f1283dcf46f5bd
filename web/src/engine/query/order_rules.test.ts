/** Tests that the order lab's answers come from the core, and that one question leaves nothing behind for the next. */
import { beforeAll, describe, expect, it } from "vitest";
import { loadModule } from "../../../../wasm/src/node.ts";
import { NO_ORDER, type OrderQuestion } from "../answers.ts";
import { Lab } from "./order_rules.ts";

const ASK: OrderQuestion = {
	machine: { preset: "", values: {} },
	key: "order_rule",
	rules: ["mainline", "linux-2.6.26"],
	size: 700,
	toBytes: 8192,
};

describe("the order lab", () => {
	let lab: Lab;
	beforeAll(async () => {
		lab = await Lab.open(await loadModule());
	});

	it("gives every size an order by each rule, and explains the first rule's", () => {
		const { rules, pageBytes } = lab.orders(ASK);
		const why = rules[0]?.why;
		expect(pageBytes).toBe(4096);
		expect(rules.map((r) => [r.rule, r.order.length])).toEqual([
			["mainline", 1024],
			["linux-2.6.26", 1024],
		]);
		expect(why).toMatchObject({ size: 700, order: 1, objects: 11 });
		expect(why?.tries.at(-1)).toMatchObject({ order: 1, accepted: 1 });
		expect(why?.tries.slice(0, -1).every((t) => !t.accepted)).toBe(true);
	});

	it("carries nothing over from one question to the next", () => {
		const before = lab.orders(ASK);
		const values = { page_size: "65536", cpus: "160", max_order: "1" };
		const other = lab.orders({ ...ASK, machine: { preset: "", values } });
		expect(other).toMatchObject({ pageBytes: 65536, cpus: 160 });
		expect(lab.orders(ASK)).toEqual(before);
	});

	it("has no order for a size that no slab can hold", () => {
		const { rules } = lab.orders({ ...ASK, size: 9 << 20, toBytes: 64 });
		expect(rules[0]?.why).toBeNull();
		expect(rules[0]?.order.includes(NO_ORDER)).toBe(false);
	});

	it("shows that the 2023 proposal's rule changes no size at 160 CPUs and 64 KiB pages, but some at 16 CPUs", () => {
		const differing = (cpus: string) => {
			const values = { page_size: "65536", cpus };
			const [a, b] = lab.orders({
				...ASK,
				machine: { preset: "", values },
				rules: ["mainline", "rfc-2023"],
			}).rules;
			return a?.order.filter((order, i) => order !== b?.order[i]).length;
		};
		expect(differing("160")).toBe(0);
		expect(differing("16")).toBeGreaterThan(0);
	});
});
