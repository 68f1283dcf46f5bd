/** The sandbox's requests for kernels with sheaves: bulk, kfree_rcu(), grace periods, a CPU that goes offline, prefilled sheaves. */
import { useState } from "react";
import { act, allocateInBulk, takeFrom } from "../../app/sandbox/sandbox.ts";
import { useNamedCaches } from "../../app/sandbox/use_caches.ts";
import { liveOf, type Sandbox as Model, prefilledOf } from "../../app/state/sandbox_text.ts";
import { count, quantity } from "../../base/format.ts";
import { SelectField, Whole } from "../../ui/controls.tsx";
import { Choice, Request } from "./sandbox_controls.tsx";

/** Several sheaves of most caches. */
const BULK_MOST = 128;
/** The prefilled sheaves that a CPU has of each cache, as in a slabtrace. */
const SLOTS = 16;

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

export function PrefilledSheaves({ sandbox, cpu }: BulkProps) {
	const caches = useNamedCaches(sandbox);
	const [wanted, setWanted] = useState("");
	const [number, setNumber] = useState(0);
	const [objects, setObjects] = useState(8);
	const cache = caches.includes(wanted) ? wanted : (caches[0] ?? "");
	const held = prefilledOf(sandbox, cache, cpu);
	const free = Array.from({ length: SLOTS }, (_, slot) => slot).filter(
		(slot) => !held.includes(slot),
	);
	const slots = [...held, ...free.slice(0, 1)].sort((a, b) => a - b);
	const slot = slots.includes(number) ? number : (slots[0] ?? 0);
	const isHeld = held.includes(slot);
	const isFillable = cache !== "" && !Number.isNaN(objects);
	return (
		<>
			<SelectField
				label="Sheaf of"
				value={cache}
				onSelect={setWanted}
				options={caches.length === 0 ? [["", "create a cache first"]] : caches}
			/>
			<div className="pair">
				<Choice
					name="Prefilled sheaf"
					value={slot}
					of={slots}
					words={(n) => `${n}${held.includes(n) ? "" : ", not there yet"}`}
					set={setNumber}
				/>
				<Whole name="Objects in it" value={objects} most={BULK_MOST} set={setObjects} />
			</div>
			<Request
				name={`Prefill sheaf ${slot}`}
				disabled={!isFillable || isHeld}
				run={() => void act({ kind: "prefill", slot, cache, objects, cpu })}
				words="The caller gets the spare or a sheaf of the barn, filled up if it has fewer objects. One larger than those is filled from slabs (prefill)."
			/>
			<Request
				name={`Take an object from sheaf ${slot}`}
				disabled={!isHeld}
				run={() => void takeFrom(slot, cache, cpu)}
				words="Cannot fail while the sheaf has objects; from an empty one it is an ordinary allocation (sheaf=0)."
			/>
			<Request
				name={`Refill sheaf ${slot}`}
				disabled={!isFillable || !isHeld}
				run={() => void act({ kind: "refill", slot, cache, objects, cpu })}
				words="If it has fewer objects than asked for, slabs fill it up (refill)."
			/>
			<Request
				name={`Return sheaf ${slot}`}
				disabled={!isHeld}
				run={() => void act({ kind: "return", slot, cache, cpu })}
				words="It becomes the spare, or goes to the barn. If neither has room, or it is larger than their sheaves, its objects go to their slabs (return)."
			/>
		</>
	);
}
