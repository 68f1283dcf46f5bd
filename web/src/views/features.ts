/**
 * Parts of the views other than Explore, and answers about the trace in the drawer. The tabs of parts, the drawer and the
 * commands come from this list, so a new part is a folder in views/ and a row here.
 */
import type { ComponentType } from "react";
import { addCommands } from "../app/commands/commands.ts";
import { type Answer, change, type Facts, facts, type Parts, partOf } from "../app/state/store.ts";
import { onFirstUse } from "../ui/lazy_part.tsx";

/** A view that has parts. */
export type OtherTab = keyof Parts;

interface Shown {
	readonly name: string;
	readonly View: ComponentType;
	/** Its command, and other words that people type to find it. */
	readonly command?: readonly [id: string, also: string];
}

export interface ViewPart extends Shown {
	readonly in: OtherTab;
	readonly part: Parts[OtherTab];
	/** It doesn't follow the position, so timeline and transport are hidden. */
	readonly isStill?: true;
}

export const VIEW_PARTS: readonly ViewPart[] = [
	{
		...{ in: "compare", part: "machines", name: "Compare" },
		View: onFirstUse(() => import("./compare/compare.tsx"), "Compare"),
	},
	{
		...{ in: "compare", part: "traces", name: "Two traces" },
		command: [
			"view-traces",
			"compare against second trace before after what changed grew regression",
		],
		View: onFirstUse(() => import("./compare/traces/traces.tsx"), "TracesView"),
	},
	{
		...{ in: "compare", part: "sweep", name: "Sweep", isStill: true },
		command: [
			"view-sweep",
			"compare experiments heat map grid parameters kernels versions presets linux",
		],
		View: onFirstUse(() => import("./experiments/sweep.tsx"), "SweepView"),
	},
	{
		...{ in: "learn", part: "lessons", name: "Lessons" },
		command: ["view-lessons", "learn"],
		View: onFirstUse(() => import("./lessons/lesson.tsx"), "Lessons"),
	},
	{
		...{ in: "learn", part: "papers", name: "Proposals", isStill: true },
		command: ["view-experiments", "learn experiments papers kernel counters studies"],
		View: onFirstUse(() => import("./experiments/proposals.tsx"), "Proposals"),
	},
	{
		...{ in: "labs", part: "orders", name: "Order lab", isStill: true },
		command: ["view-order-lab", "labs order rule"],
		View: onFirstUse(() => import("./order_lab/order_lab.tsx"), "OrderLab"),
	},
	{
		...{ in: "labs", part: "sandbox", name: "Playground", isStill: true },
		View: onFirstUse(() => import("./labs/playground_lab.tsx"), "PlaygroundLab"),
	},
];

/** In the order of the drawer. */
export const ANSWER_PARTS: Readonly<Record<Answer, Shown>> = {
	doctor: {
		name: "Suggestions",
		command: ["answer-doctor", "doctor what would help save memory slow paths settings"],
		View: onFirstUse(() => import("./answers/doctor/doctor.tsx"), "DoctorView"),
	},
	memory: {
		name: "Where memory goes",
		command: ["answer-memory", "doctor waterfall waste free objects matrix of frees"],
		View: onFirstUse(() => import("./answers/memory/memory.tsx"), "MemoryView"),
	},
	sites: {
		name: "Call sites",
		command: ["answer-sites", "doctor leaks leak suspects who allocates treemap lifetimes"],
		View: onFirstUse(() => import("./answers/sites/sites.tsx"), "SitesView"),
	},
	lookup: {
		name: "Look up",
		View: onFirstUse(() => import("./answers/lookup/lookup.tsx"), "LookupView"),
	},
	slabinfo: {
		name: "Slabinfo",
		command: ["view-slabinfo", "all caches table slabtop"],
		View: onFirstUse(() => import("./slabinfo/slabinfo.tsx"), "Slabinfo"),
	},
};

/** Opens an answer, or closes it if it is open. */
const toggle = (answer: Answer): Partial<Facts> => ({
	answer: facts().answer === answer ? "" : answer,
	sheet: "",
});

export function registerFeatures(): void {
	const add = ({ name, command }: Shown, when: () => boolean, run: () => void) => {
		if (!command) return;
		const [id, also] = command;
		addCommands({ id, name, group: "Views", also, when, run });
	};
	const isOwnPage = () => facts().embed === null;
	const hasTrace = () => isOwnPage() && facts().moment !== null;
	for (const shown of VIEW_PARTS) add(shown, isOwnPage, () => change(partOf(shown.in, shown.part)));
	for (const [answer, shown] of Object.entries(ANSWER_PARTS))
		add(shown, hasTrace, () => change(toggle(answer as Answer)));
}
