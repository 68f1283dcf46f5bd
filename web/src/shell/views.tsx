/** The views beside Explore: one or two parts each, with a line to choose between them. */
import type { ComponentType } from "react";
import { change, facts, type Parts, type Tab } from "../app/state/store.ts";
import { useFacts } from "../app/state/use_facts.ts";
import { onFirstUse, Part } from "../ui/lazy_part.tsx";
import css from "./views.module.css";

type OtherTab = Exclude<Tab, "explore">;
type PartName = Parts[OtherTab];

interface ViewPart {
	readonly part: PartName;
	readonly name: string;
	readonly View: ComponentType;
	/** It does not follow the position: neither timeline nor transport would move it. */
	readonly isStill?: true;
}

const PARTS: Readonly<Record<OtherTab, readonly ViewPart[]>> = {
	compare: [
		{
			part: "machines",
			name: "Compare",
			View: onFirstUse(() => import("../views/compare/compare.tsx"), "Compare"),
		},
		{
			part: "traces",
			name: "Two traces",
			View: onFirstUse(() => import("../views/compare/traces/traces.tsx"), "TracesView"),
		},
		{
			part: "reality",
			name: "Reality",
			View: onFirstUse(() => import("../views/compare/reality/reality.tsx"), "Reality"),
		},
		{
			part: "kernels",
			isStill: true,
			name: "Kernels",
			View: onFirstUse(() => import("../views/compare/kernels/kernels.tsx"), "Kernels"),
		},
		{
			part: "sweep",
			isStill: true,
			name: "Sweep",
			View: onFirstUse(() => import("../views/experiments/sweep.tsx"), "SweepView"),
		},
	],
	learn: [
		{
			part: "lessons",
			name: "Lessons",
			View: onFirstUse(() => import("../views/lessons/lessons.tsx"), "Lessons"),
		},
		{
			part: "papers",
			isStill: true,
			name: "Papers",
			View: onFirstUse(() => import("../views/experiments/papers.tsx"), "Papers"),
		},
	],
	labs: [
		{
			part: "orders",
			isStill: true,
			name: "Order lab",
			View: onFirstUse(() => import("../views/order_lab/order_lab.tsx"), "OrderLab"),
		},
		{
			part: "sandbox",
			isStill: true,
			name: "Playground",
			View: onFirstUse(() => import("../views/labs/sandbox_lab.tsx"), "SandboxLab"),
		},
	],
};

export function OtherView({ tab, name }: { readonly tab: OtherTab; readonly name: string }) {
	const part = useFacts((f) => f.parts[tab]);
	// An open lesson has its own way back to the list.
	const hasChoice = useFacts((f) => tab !== "learn" || part !== "lessons" || f.lesson.name === "");
	const shown = PARTS[tab].find((p) => p.part === part);
	return (
		<div className={css.view} data-transport={shown?.isStill && "none"}>
			{hasChoice && (
				<nav className={css.parts} aria-label={`${name}: parts`}>
					{PARTS[tab].map((p) => (
						<button
							key={p.part}
							type="button"
							aria-current={p.part === part ? "page" : undefined}
							onClick={() => change({ parts: { ...facts().parts, [tab]: p.part } })}
						>
							{p.name}
						</button>
					))}
				</nav>
			)}
			<div className={css.part}>
				<Part key={part} name={shown?.name ?? name}>
					{shown && <shown.View />}
				</Part>
			</div>
		</div>
	);
}
