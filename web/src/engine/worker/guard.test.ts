/** Tests that a trap reaches the page as its own class of error, and everything else unchanged. */
import { describe, expect, it } from "vitest";
import { SimulatorStopped } from "../../base/errors.ts";
import { guarded } from "./guard.ts";

/** (module (func (export "f") unreachable)) */
const TRAP = new Uint8Array([
	0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0,
	0, 11,
]);

class Model {
	#trapping = new WebAssembly.Instance(new WebAssembly.Module(TRAP)).exports.f as () => void;
	#answer = 7;

	go(): number {
		this.#trapping();
		return 0;
	}

	refuse(): number {
		throw new RangeError("no such event");
	}

	async ask(by: number): Promise<number> {
		return this.#answer * by;
	}
}

describe("a guarded engine", () => {
	const model = guarded(new Model());

	it("still answers", async () => {
		expect(await model.ask(6)).toBe(42);
	});

	it("names a trap", async () => {
		await expect(model.go()).rejects.toBeInstanceOf(SimulatorStopped);
	});

	it("passes a refusal on unchanged", async () => {
		await expect(model.refuse()).rejects.toMatchObject({ name: "RangeError" });
	});
});
