/** Generated traces: `workload:NAME?KEY=VALUE&KEY=VALUE`, as the command takes them in place of a file. */
import { KmemSession, type WorkloadSettings } from "#wasm";
import { SLICE_OPS } from "./machine.ts";
import { type Pace, through } from "./pace.ts";

export const MADE = "workload:";

function madeName(trace: string): { name: string; settings: WorkloadSettings } {
	const [name = "", query = ""] = trace.slice(MADE.length).split("?");
	return { name, settings: Object.fromEntries(new URLSearchParams(query)) };
}

/** Returns the same trace with additional settings. */
export function madeWith(trace: string, more: Readonly<Record<string, string>>): string {
	const { name, settings } = madeName(trace);
	const words = Object.entries({ ...settings, ...more }).map(([key, value]) => `${key}=${value}`);
	return words.length === 0 ? MADE + name : `${MADE}${name}?${words.join("&")}`;
}

/** Makes a session with that trace. */
export async function make(
	module: WebAssembly.Module,
	trace: string,
	pace: Pace,
): Promise<KmemSession> {
	if (!trace.startsWith(MADE)) throw new Error(`There is no trace ${trace} exists.`);
	const session = await KmemSession.open(module);
	const { name, settings } = madeName(trace);
	await through(pace, "making", 1000, session.workloads.slices(name, settings, SLICE_OPS), 0);
	return session;
}
