/** Tests that an error thrown in a worker is caught in the page as the same class with the same fields. */
import { expose, wrap } from "comlink";
import { afterAll, describe, expect, it } from "vitest";
import { FaultKind, KmemError, Status } from "#wasm";
import { Cancelled, carryErrors, isCancelled, SimulatorStopped } from "./errors.ts";

const FAULT = { kind: FaultKind.FAULT_VALUE, key: "nodes", other: "" };

class Model {
	cancel(): never {
		throw new Cancelled();
	}

	refuse(): never {
		throw new KmemError(Status.KMEM_EPARAM, "any words at all", FAULT);
	}

	stop(): never {
		throw new SimulatorStopped("unreachable");
	}

	fail(): never {
		throw new RangeError("cancelled");
	}

	throwValue(): never {
		throw 7;
	}
}

describe("an error that crosses to the page", () => {
	carryErrors();
	const { port1, port2 } = new MessageChannel();
	expose(new Model(), port1);
	const model = wrap<Model>(port2);
	const caught = (asked: Promise<never>): Promise<unknown> => asked.catch((error) => error);
	afterAll(() => port1.close());

	it("stays a cancellation", async () => {
		expect(isCancelled(await caught(model.cancel()))).toBe(true);
	});

	it("keeps the core's code and what was wrong", async () => {
		const error = await caught(model.refuse());
		expect(error).toBeInstanceOf(KmemError);
		expect(error).toMatchObject({ code: Status.KMEM_EPARAM, fault: FAULT });
	});

	it("stays a trap", async () => {
		expect(await caught(model.stop())).toBeInstanceOf(SimulatorStopped);
	});

	it("is not taken for a cancellation just because its words are the same", async () => {
		const error = await caught(model.fail());
		expect(error).toMatchObject({ name: "RangeError", message: "cancelled" });
		expect(isCancelled(error)).toBe(false);
	});

	it("need not be an error at all", async () => {
		expect(await caught(model.throwValue())).toBe(7);
	});
});
