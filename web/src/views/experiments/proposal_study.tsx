/**
 * One proposal's experiment: its finding, dot plots, and folded tables with every figure of the proposal, of a real
 * Linux 6.1 and ours, whether they agree, and why. A word and a sign show agreement; the hue only follows.
 */

import { useEffect } from "react";
import type { Study } from "#wasm";
import { change, facts, partOf } from "../../app/state/store.ts";
import { count, percent, quantity } from "../../base/format.ts";
import { capital } from "../../base/words.ts";
import { Button } from "../../ui/controls.tsx";
import { Working } from "../../ui/view.tsx";
import css from "./experiments.module.css";
import { FINDINGS, findingOf } from "./findings.ts";
import { DotPlot } from "./proposals.tsx";
import {
	FigureTable,
	lookUp,
	type Measuring,
	measureStudy,
	type Scene,
	stopStudy,
	tablesOf,
	useStudy,
	watchScene,
} from "./studies.tsx";

const SCENES: Readonly<Record<string, Scene>> = {
	"000": {
		trace: "workload:netio?kernel=6.1&scale=0.2",
		values: { min_partial_rule: "rfc-2008" },
		versus: ["slub,min_partial_rule=static", "slab"],
		// An empty slab is kept that the constant would have given back.
		at: { op: 3706, step: 4, cache: "kmalloc-4k" },
	},
	"001": {
		trace: "workload:kernel-build?kernel=6.1&cpus=8&nodes=4&memory=8G&jobs=8&files=16",
		values: { node_search: "skip-checked" },
		versus: ["slub,node_search=all"],
		search: true,
	},
	"002": {
		trace: "workload:tcp-rr?kernel=6.1&threads=256&transactions=8",
		values: { allocator: "unified" },
		versus: ["slub", "slab"],
	},
	"003": {
		trace: "workload:hackbench?cpus=2&loops=10",
		values: { allocator: "slob-segregated" },
		versus: ["slob"],
	},
	"004": {
		trace: "workload:hackbench?cpus=16&page_size=65536&memory=64G&groups=4&loops=4&after_boot=1",
		values: { order_rule: "rfc-2023" },
		versus: ["slub,order_rule=mainline"],
		lab: { pageSize: "65536", cpus: "16", against: "rfc-2023" },
	},
};

export function ProposalStudy({ proposal }: { proposal: string }) {
	const measuring = useStudy(proposal);
	useEffect(() => void lookUp(proposal), [proposal]);
	const { study, sentence, isOwn } = measuring;
	const finding = FINDINGS[proposal];
	if (!study) return sentence === "" ? null : <p className="danger strong">{sentence}</p>;
	return (
		<>
			<div className={`grid gap-1 ${css.head}`}>
				<h2>
					{capital(study.title)} <span className="tag">{study.year}</span>
				</h2>
				{finding && (
					<p className={`large ${css.finding}`} data-finding>
						{findingOf(study.figures, finding)}
					</p>
				)}
			</div>
			{finding?.plots.map((plot) => (
				<DotPlot key={plot.title} plot={plot} figures={study.figures} />
			))}
			<Actions proposal={proposal} measuring={measuring} />
			{sentence !== "" && <p className="danger strong">{sentence}</p>}
			<Sum study={study} isOwn={isOwn} />
			<p className="quiet">
				{capital(study.setup)}. The switch: <code>{study.parameter}</code>
			</p>
			{tablesOf(study).map(({ name, figures }) => (
				<details key={name} className={css.folded}>
					<summary>
						{capital(name)} <span className="quiet">{quantity(figures.length, "figure")}</span>
					</summary>
					<FigureTable name={name} figures={figures} />
				</details>
			))}
		</>
	);
}

function Actions({ proposal, measuring }: { proposal: string; measuring: Measuring }) {
	const { running, done } = measuring;
	const scene = SCENES[proposal];
	return (
		<div className="row">
			<Button
				className="primary"
				onClick={() => (running ? stopStudy(proposal) : void measureStudy(proposal))}
			>
				{running ? "Cancel" : "Measure again"}
			</Button>
			{running && (
				<Working label="Measuring" done={done} all={1000}>
					{percent(done, 1000)}
				</Working>
			)}
			{scene && (
				<>
					<Button onClick={() => void watchScene(scene, "explore")}>Watch it on the stage</Button>
					<Button onClick={() => void watchScene(scene, "compare")}>
						Compare with and without it
					</Button>
				</>
			)}
			{scene?.lab && (
				<Button
					onClick={() =>
						change({ ...partOf("labs", "orders"), lab: { ...facts().lab, ...scene.lab } })
					}
				>
					Open all sizes in the order lab
				</Button>
			)}
		</div>
	);
}

function Sum({ study, isOwn }: { study: Study; isOwn: boolean }) {
	const measured = study.figures.some(({ ours }) => ours !== undefined);
	const how = (agrees: boolean | undefined) =>
		study.figures.filter((f) => f.agrees === agrees).length;
	if (!measured)
		return (
			<p className="quiet">
				Measure this model's figures: the same workloads then run in this browser.
			</p>
		);
	return (
		<p>
			<strong>{count(how(true))}</strong> of {quantity(study.figures.length, "figure")} agree and{" "}
			<strong>{count(how(false))}</strong> do not
			{how(undefined) > 0 && `; ${count(how(undefined))} have no counterpart`}. Counts are exact.
			Times are model cycles, which compare machines and don't predict real times.{" "}
			{isOwn
				? "Our figures were measured in this browser."
				: "Our figures were measured earlier, by the same core."}
		</p>
	);
}
