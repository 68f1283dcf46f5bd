/** The sandbox's requests for kernels with sheaves: bulk, kfree_rcu(), grace periods, a CPU that goes offline. */
import { useState } from "react";
import { act, allocateInBulk } from "../../app/sandbox/sandbox.ts";
import { useNamedCaches } from "../../app/sandbox/use_caches.ts";
import { liveOf, type Sandbox as Model } from "../../app/state/sandbox_text.ts";
import { count, quantity } from "../../base/format.ts";
import { SelectField } from "../../ui/controls.tsx";
import { Choice, Request, Whole } from "./sandbox_controls.tsx";

/** Several sheaves of most caches. */
const BULK_MOST = 128;

interface BulkProps {
	readonly sandbox: Model;
	readonly cpu: number;
}

export function BulkRequests({ sandbox, cpu }: BulkProps) {
	return (
		<>
			<Bulk sandbox={sandbox} cpu={cpu} />
			<Rcu sandbox={sandbox} cpu={cpu} />
			<Request
				name="End the grace period"
				run={() => void act({ kind: "grace" })}
				words="Full RCU sheaves go to the barn, or their objects to the slabs (grace)."
			/>
			<Request
				name={`Take CPU ${cpu} offline`}
				run={() => void act({ kind: "dead", cpu })}
				words="Another CPU flushes this CPU's sheaves. Its next request finds it online again (dead)."
			/>
		</>
	);
}

function Bulk({ sandbox, cpu }: BulkProps) {
	const caches = useNamedCaches(sandbox);
	const [wanted, setWanted] = useState("");
	const [times, setTimes] = useState(8);
	const cache = caches.includes(wanted) ? wanted : (caches[0] ?? "");
	const live = liveOf(sandbox).filter((one) => one.cache === cache && cache !== "");
	const isMeant = cache !== "" && !Number.isNaN(times);
	const freed = live.slice(-(times || 0)).map((one) => one.id);
	return (
		<>
			<div className="pair">
				<SelectField
					label="In bulk, of"
					value={cache}
					onSelect={setWanted}
					options={caches.length === 0 ? [["", "create a cache first"]] : caches}
				/>
				<Whole name="Objects" value={times} most={BULK_MOST} set={setTimes} />
			</div>
			<Request
				name="Allocate in bulk"
				disabled={!isMeant}
				run={() => void allocateInBulk(cache, cpu, times)}
				words="One request takes what main, spare and barn have, and the rest from slabs (a 1,2,3)."
			/>
			<Request
				name={isMeant ? `Free ${quantity(freed.length, "object")} in bulk` : "Free in bulk"}
				disabled={!isMeant || freed.length === 0}
				run={() => void act({ kind: "bulk-free", ids: freed, cpu })}
				words="The cache's latest objects fill main and spare; the rest goes past them (f 1,2,3)."
			/>
		</>
	);
}

function Rcu({ sandbox, cpu }: BulkProps) {
	const [wanted, setWanted] = useState(0);
	const ids = liveOf(sandbox).map((one) => one.id);
	const id = ids.includes(wanted) ? wanted : (ids.at(-1) ?? 0);
	return (
		<Request
			name="Free after a grace period"
			disabled={id === 0}
			run={() => void act({ kind: "rcu", id, cpu })}
			words="kfree_rcu(): the object waits in the CPU's RCU sheaf (r)."
		>
			<Choice
				name="Object to free later"
				value={id}
				of={ids.length > 0 ? ids.toReversed() : [0]}
				words={(n) => (n === 0 ? "none yet" : count(n))}
				set={setWanted}
			/>
		</Request>
	);
}
