/**
 * Errors that the page acts on, and their way out of a worker. Comlink keeps an error's name and sentence but drops
 * its class, so both ends call carryErrors(): an error thrown in the worker arrives in the page as the same class
 * with the same fields. Nothing may depend on the wording of a sentence.
 */
import { transferHandlers } from "comlink";
import { type Fault, KmemError, type Status } from "#wasm";

/** The work was cancelled on request, so nothing went wrong. */
export class Cancelled extends Error {
	override readonly name = "Cancelled";

	constructor(message = "cancelled") {
		super(message);
	}
}

/** The module trapped: its memory can no longer be used. */
export class SimulatorStopped extends Error {
	override readonly name = "SimulatorStopped";
}

export function isCancelled(error: unknown): error is Cancelled {
	return error instanceof Cancelled;
}

/** An error in the form in which it is posted. */
interface Posted {
	readonly kind: "cancelled" | "stopped" | "kmem" | "error";
	readonly message: string;
	readonly name: string;
	readonly stack: string | undefined;
	readonly code?: Status;
	readonly fault?: Fault;
}

function posted(error: Error): Posted {
	const { message, name, stack } = error;
	const plain = { message, name, stack };
	if (error instanceof Cancelled) return { kind: "cancelled", ...plain };
	if (error instanceof SimulatorStopped) return { kind: "stopped", ...plain };
	if (error instanceof KmemError)
		return { kind: "kmem", ...plain, code: error.code, fault: error.fault };
	return { kind: "error", ...plain };
}

function received({ kind, message, name, stack, code, fault }: Posted): Error {
	if (kind === "cancelled") return new Cancelled(message);
	if (kind === "stopped") return new SimulatorStopped(message);
	if (kind === "kmem" && code !== undefined) return new KmemError(code, message, fault);
	return Object.assign(new Error(message), { name, stack });
}

type Sent = { readonly error: Posted } | { readonly value: unknown };

/** Call once at each end, before any other call. */
export function carryErrors(): void {
	const usual = transferHandlers.get("throw");
	if (!usual) throw new Error("comlink has no handler for what is thrown");
	transferHandlers.set("throw", {
		canHandle: usual.canHandle,
		serialize: ({ value }: { value: unknown }): [Sent, Transferable[]] => [
			value instanceof Error ? { error: posted(value) } : { value },
			[],
		],
		deserialize: (sent: Sent): never => {
			throw "error" in sent ? received(sent.error) : sent.value;
		},
	});
}
