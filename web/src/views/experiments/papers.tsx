/** Papers: the tables of the proposals, and the kernel counters beside the model's. */
import { useEffect, useRef } from "react";
import { change, type StudyName } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import css from "./experiments.module.css";
import { CountersStudy } from "./kernel_counters.tsx";
import { ProposalStudy } from "./proposal_study.tsx";

interface Entry {
	readonly study: StudyName;
	readonly name: string;
	readonly what: string;
}

const ENTRIES: readonly Entry[] = [
	{ study: "000", name: "Keep some empty", what: "2008: min_partial by size" },
	{ study: "001", name: "Don't ask twice", what: "2018: skip the checked node" },
	{ study: "002", name: "The queues came back", what: "2010: a unified allocator" },
	{ study: "003", name: "Small machines", what: "2021: SLOB without a search" },
	{ study: "004", name: "The shape of waste", what: "2023: orders of large pages" },
	{ study: "counters", name: "Kernel counters", what: "a real kernel beside the model" },
];

export function Papers() {
	const study = useFacts((f) => f.study);
	const nav = useRef<HTMLElement>(null);
	// On a narrow page the entries are a strip that scrolls.
	useEffect(() => {
		const entry = nav.current?.querySelector(`[data-study="${study}"]`);
		entry?.scrollIntoView({ block: "nearest", inline: "nearest" });
	}, [study]);
	return (
		<section className={css.view} aria-label="Papers">
			<nav ref={nav} aria-label="Papers">
				<ul>
					{ENTRIES.map((e) => (
						<li key={e.study}>
							<button
								type="button"
								data-study={e.study}
								aria-current={e.study === study ? "page" : undefined}
								onClick={() => change({ study: e.study })}
							>
								<span className="strong">{e.name}</span>
								<span className={css.what}>{e.what}</span>
							</button>
						</li>
					))}
				</ul>
			</nav>
			<div className={css.study}>
				{study !== "counters" && <ProposalStudy key={study} proposal={study} />}
				{study === "counters" && <CountersStudy />}
			</div>
		</section>
	);
}
