/**
 * Distinguishes a fault of the simulator from a refusal. A trap leaves the module's memory unusable, so it reaches
 * the page as its own class of error, and the page offers to restart.
 */
import { SimulatorStopped } from "../../base/errors.ts";

/** Returns the same object, but its calls reject with SimulatorStopped if the module traps. */
export function guarded<T extends object>(engine: T): T {
	return new Proxy(engine, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (typeof member !== "function") return member;
			return async (...args: unknown[]) => {
				try {
					return await Reflect.apply(member, target, args);
				} catch (error) {
					throw error instanceof WebAssembly.RuntimeError ? stopped(error) : error;
				}
			};
		},
	});
}

function stopped({ message }: Error): Error {
	return new SimulatorStopped(`The simulator stopped (${message})`);
}
