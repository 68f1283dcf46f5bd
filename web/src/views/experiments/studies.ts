/**
 * The proposals' experiments. Results come with the page; each can be measured again by a worker of its own, and then
 * stays while the page lives.
 */
import { proxy } from "comlink";
import { create } from "zustand";
import { When } from "#abi";
import type { Study } from "#wasm";
import { viewOf } from "../../app/link/url.ts";
import { restore } from "../../app/navigation/sync.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { hire } from "../../app/platform/helper_workers.ts";
import { firstStep } from "../../app/playback/breakpoints.ts";
import { go, sentenceOf } from "../../app/playback/player.ts";
import { busy, facts, type OrderLab } from "../../app/state/store.ts";
import { ALL_CACHES } from "../../engine/types.ts";
import { shippedOf, withShipped } from "./shipped.ts";

export interface Measuring {
	/** The proposal's figures, the real kernel's and ours. */
	readonly study: Study | undefined;
	/** Ours were measured in this browser. */
	readonly isOwn: boolean;
	readonly running: boolean;
	/** Thousandths. */
	readonly done: number;
	readonly sentence: string;
}

const NOTHING: Measuring = {
	study: undefined,
	isOwn: false,
	running: false,
	done: 0,
	sentence: "",
};

const useAll = create<Readonly<Record<string, Measuring>>>(() => ({}));

export function useStudy(proposal: string): Measuring {
	return useAll((all) => all[proposal] ?? NOTHING);
}

function set(proposal: string, some: Partial<Measuring>): void {
	useAll.setState({ [proposal]: { ...NOTHING, ...useAll.getState()[proposal], ...some } });
}

/** The figures that exist before a measurement in this browser. */
export async function lookUp(proposal: string): Promise<void> {
	if (useAll.getState()[proposal]?.study) return;
	try {
		const study = await busy(async () => {
			const [begun, shipped] = await Promise.all([engine().study(proposal), shippedOf(proposal)]);
			return shipped ? withShipped(begun, shipped) : begun;
		});
		if (!useAll.getState()[proposal]?.study) set(proposal, { study });
	} catch (error) {
		set(proposal, { sentence: sentenceOf(error) });
	}
}

/** Stops the measurement of a proposal, which may still wait for its worker. */
const stops = new Map<string, () => void>();

export async function measureStudy(proposal: string): Promise<void> {
	if (useAll.getState()[proposal]?.running) return;
	set(proposal, { running: true, done: 0, sentence: "" });
	const stopped = new Promise<undefined>((resolve) => {
		stops.set(proposal, () => resolve(undefined));
	});
	const worker = hire();
	const work = async () => {
		const { helper } = await worker;
		return helper.reproduce(
			proposal,
			proxy(({ done }) => set(proposal, { done })),
		);
	};
	try {
		const study = await busy(() => Promise.race([work(), stopped]));
		if (study) set(proposal, { study, isOwn: true });
	} catch (error) {
		set(proposal, { sentence: sentenceOf(error) });
	}
	stops.delete(proposal);
	set(proposal, { running: false });
	void worker.then(
		({ release }) => release(),
		() => {},
	);
}

export function stopStudy(proposal: string): void {
	stops.get(proposal)?.();
}

/**
 * Where a proposal's change can be watched: a trace, the machine with the switch, and the machines to compare with.
 */
export interface Scene {
	readonly trace: string;
	readonly values: Readonly<Record<string, string>>;
	readonly versus: readonly string[];
	/** The position to start at, if the end does not show the change. */
	readonly at?: { readonly op: number; readonly step: number; readonly cache: string };
	/** The change is a search of other nodes: the stage shows the first one. */
	readonly search?: boolean;
	/** The change is an order rule: what the order lab is asked about it. */
	readonly lab?: Partial<OrderLab>;
}

export async function watchScene(
	{ trace, values, versus, at, search }: Scene,
	tab: "explore" | "compare",
): Promise<void> {
	await restore({
		...viewOf(facts()),
		trace,
		file: "",
		machine: { preset: "", values },
		versus,
		cache: at?.cache ?? "",
		selected: null,
		zoom: null,
		range: null,
		marks: [],
		op: at?.op ?? -1,
		step: at?.step ?? -1,
		tab,
	});
	if (search && tab === "explore") await goToFirstSearch();
}

/** Goes to the first search of other nodes in the trace, if there is one. */
async function goToFirstSearch(): Promise<void> {
	const { built } = facts();
	const condition = { when: When.WHEN_STEP, step: "ANY_NODE_ENTER", cache: ALL_CACHES };
	const found = await firstStep(condition);
	if (found && facts().built === built) go({ kind: "at", ...found });
}
