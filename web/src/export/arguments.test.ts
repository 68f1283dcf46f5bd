/** Tests that steps saved as files name their arguments as the command does. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Owner, Reason } from "#abi";
import { argumentText } from "./arguments.ts";

const COMMAND = new URL("../../../core/cli/commands/cmd_steps.c", import.meta.url);

describe("an argument", () => {
	it("is a name, a number, all or none", () => {
		expect(argumentText("reason", Reason.REASON_NO_CPU_SLAB)).toBe("no_cpu_slab");
		expect(argumentText("owner", Owner.OWNER_CHAIN)).toBe("chain");
		expect(argumentText("owner_cpu", 65535)).toBe("none");
		expect(argumentText("want_node", 65535)).toBe("any");
		expect(argumentText("owner_cpu", 3)).toBe("3");
		expect(argumentText("param", 0)).toBe("cpus");
		expect(argumentText("at", 0xfffffff8)).toBe("-8");
		expect(argumentText("slab", 65535)).toBe("65535");
	});

	it("has a name wherever the command has one", () => {
		const [, table] = /arg_types\[\] = \{([^;]*)\}/.exec(readFileSync(COMMAND, "utf8")) ?? [];
		const types = [...(table ?? "").matchAll(/\{ "(\w+)", "(\w+)" \}/g)];
		expect(types.length).toBeGreaterThan(15);
		for (const [, name, type] of types) {
			const text = argumentText(name ?? "", type === "place" ? 65535 : 0xffffffff);
			const known = { place: /^(any|none)$/, param: /^$/, signed: /^-1$/ }[type ?? ""];
			if (known === undefined) expect(argumentText(name ?? "", 0), name).toMatch(/^[a-z]/);
			else expect(text, name).toMatch(known);
		}
	});
});
