// settings.test.ts - settings of a machine as the page uses them: the kernel that is modelled, what overrides a real
// machine's caches, a machine in one line, and settings that contradict each other.

import { beforeAll, describe, expect, test } from "vitest";
import { FaultKind, KernelChoice } from "../src/abi.ts";
import { KmemError, KmemSession } from "../src/index.ts";
import { loadModule } from "../src/node.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
	module = await loadModule();
});

const bytes = (text: string) => new TextEncoder().encode(text);

async function opened(machine = ""): Promise<KmemSession> {
	const session = await KmemSession.open(module);
	session.importBegin();
	session.importChunk(
		bytes(`slabtrace 1\nmachine cpus=1 ${machine}\ncache c size=184 name=filp\na 1 c cpu=0\n`),
	);
	session.importEnd();
	return session;
}

/** The error that a call throws. */
function refusal(call: () => void): KmemError {
	try {
		call();
	} catch (error) {
		if (error instanceof KmemError) return error;
	}
	return expect.fail("nothing was refused");
}

describe("the kernel that is modelled", () => {
	test("is chosen by the user, else by the trace, the recording or the default", async () => {
		const plain = (await opened()).kernel();
		expect([plain.preset, plain.recorded, plain.choice]).toEqual([
			"linux-6.1",
			"",
			KernelChoice.KERNEL_BY_DEFAULT,
		]);
		const recorded = await opened("kernel=7.2.12");
		expect(recorded.kernel()).toMatchObject({
			preset: "linux-7.2",
			recorded: "7.2.12",
			choice: KernelChoice.KERNEL_BY_RECORDING,
			words: "linux-7.2, because the trace was recorded on Linux 7.2.12",
		});
		expect((await opened("kernel=7.9.1")).kernel().words).toBe(
			"linux-7.2, the newest preset that is not newer than the trace's Linux 7.9.1",
		);
		expect((await opened("preset=linux-4.19")).kernel()).toMatchObject({
			preset: "linux-4.19",
			choice: KernelChoice.KERNEL_BY_TRACE,
		});
		recorded.preset("linux-5.10");
		expect(recorded.kernel().choice).toBe(KernelChoice.KERNEL_BY_USER);
		recorded.preset("");
		expect(recorded.kernel().preset).toBe("linux-7.2");
	});
});

describe("a real machine's caches", () => {
	test("are listed with those that are in force", async () => {
		const session = await opened();
		session.readMachineState([bytes("cache,order,slab_size,min_partial\nfilp,1,256,9\n")]);
		session.applyMachineState(true);
		session.build();
		expect(session.caches()[0]).toMatchObject({ size: 256, order: 1, minPartial: 9 });
		expect(session.cacheParams()).toMatch(
			/its order, min_partial, cpu_partial and sheaf_capacity\.$/,
		);
		session.set("min_partial", "2");
		session.build();
		expect(session.caches()[0]).toMatchObject({ size: 256, order: 1, minPartial: 2 });
		expect(session.cacheParams()).toMatch(
			/; min_partial follows the parameters .* win over the snapshot\.$/,
		);
		session.applyMachineState(false);
		expect(session.cacheParams()).toBe("");
	});
});

describe("a machine in one line", () => {
	test("sets every parameter it names", async () => {
		const session = await opened();
		session.setSpec("slub,preset=6.7,zones=2,min_partial=0");
		expect(session.param("zones")).toBe("2");
		expect(session.param("order_rule")).toBe("linux-6.7");
		expect(session.param("min_partial")).toBe("0");
	});
	test("is refused as the command refuses it", async () => {
		for (const [spec, sentence] of [
			["slab,min_partial=3", "slab has no min_partial, which is a parameter of: slub unified"],
			[
				"min_partial=3,allocator=slob",
				"slob has no min_partial, which is a parameter of: slub unified",
			],
			["moon", "allocator: expected slub"],
			["slub,zzz=1", "unknown parameter `zzz`"],
		] as const) {
			const session = await KmemSession.open(module);
			const error = refusal(() => session.setSpec(spec));
			expect(error.message.startsWith(sentence), error.message).toBe(true);
			expect(error.fault.kind).not.toBe(FaultKind.FAULT_NONE);
		}
	});
});

test("finds settings that contradict each other before a trace is opened", async () => {
	const session = await KmemSession.open(module);
	session.set("min_order", "4");
	session.checkSettings();
	session.set("max_order", "2");
	expect(refusal(() => session.checkSettings()).message).toMatch(
		/min_order is larger than max_order/,
	);
	session.set("max_order", "5");
	session.checkSettings();
});
