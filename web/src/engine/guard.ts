/**
 * Tells a fault of the simulator from a refusal. A trap of the module leaves its memory in no state to go on from, so
 * it goes to the page under a name of its own, and the page offers to start again.
 */

export const STOPPED = "SimulatorStopped";

/** The same object, whose calls reject with an error named STOPPED where the module trapped. */
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
	const error = new Error(`The simulator stopped (${message})`);
	error.name = STOPPED;
	return error;
}
