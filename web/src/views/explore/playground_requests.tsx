/** The playground's other requests: those that the allocator in use acts on, each with what it does. */

import { useState } from "react";
import { OpKind } from "#abi";
import { act, allocateInBulk, corrupt, takeFrom } from "../../app/sandbox/sandbox.ts";
import { useCaches, useNamedCaches } from "../../app/sandbox/scenes.ts";
import {
	CORRUPTIONS,
	type Corruption,
	freedOf,
	hasOffset,
	liveOf,
	type Sandbox as Model,
	prefilledOf,
} from "../../app/state/sandbox_text.ts";
import { allocatorOf } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { count, quantity } from "../../base/format.ts";
import type { Param } from "../../engine/types.ts";
import { Field, SelectField, TextInput, Whole } from "../../ui/controls.tsx";
import { Folded, Request, useChoice } from "./playground.tsx";

const SECONDS_MOST = 999_999;

interface RequestsProps {
	readonly sandbox: Model;
	readonly cpu: number;
}

export function Requests({ sandbox, cpu }: RequestsProps) {
	const requests = useFacts((f) => f.built?.requests);
	const has = (kind: OpKind) => requests?.includes(kind) ?? false;
	const hasTime = has(OpKind.OP_TICK) || has(OpKind.OP_REAP) || has(OpKind.OP_EXPIRE);
	return (
		<>
			{has(OpKind.OP_FLUSH) && (
				<Folded summary="Flush, shrink, validate">
					<CacheRequests sandbox={sandbox} canValidate={has(OpKind.OP_VALIDATE)} />
				</Folded>
			)}
			{hasTime && (
				<Folded summary="Let time pass">
					{has(OpKind.OP_TICK) && <Tick />}
					{has(OpKind.OP_REAP) && (
						<Request
							name={`Run the reaper on CPU ${cpu}`}
							run={() => void act({ kind: "reap", cpu })}
							words="Empties part of this CPU's array caches and discards free slabs that haven't been used recently (reap)."
						/>
					)}
					{has(OpKind.OP_EXPIRE) && (
						<Request
							name="Expire idle objects"
							run={() => void act({ kind: "expire" })}
							words="Memory is short: every queue drains the objects it hasn't needed recently (expire)."
						/>
					)}
				</Folded>
			)}
			{has(OpKind.OP_BULK_ALLOC) && (
				<Folded summary="Bulk, RCU, offline CPU">
					<BulkRequests sandbox={sandbox} cpu={cpu} />
				</Folded>
			)}
			{has(OpKind.OP_PREFILL) && (
				<Folded summary="Prefilled sheaves">
					<PrefilledSheaves sandbox={sandbox} cpu={cpu} />
				</Folded>
			)}
			<Folded summary="Set a parameter">
				<SetParameter sandbox={sandbox} />
			</Folded>
			{has(OpKind.OP_CORRUPT) && (
				<Folded summary="Corrupt memory">
					<Corrupt sandbox={sandbox} cpu={cpu} />
				</Folded>
			)}
		</>
	);
}

interface CacheRequestsProps {
	readonly sandbox: Model;
	readonly canValidate: boolean;
}

function CacheRequests({ sandbox, canValidate }: CacheRequestsProps) {
	const onStage = useFacts((f) => f.cache);
	const caches = useCaches(sandbox);
	const words = (name: string) => name || "allocate an object first";
	const [chosen, cacheField] = useChoice("Act on", caches, "", words, onStage);
	const request = (kind: "flush" | "shrink" | "validate", name: string, words: string) => (
		<Request
			name={name}
			words={words}
			disabled={chosen === ""}
			run={() => void act({ kind, cache: chosen })}
		/>
	);
	return (
		<>
			{cacheField}
			{request("flush", "Flush CPUs", "Every CPU gives up what it holds of this cache (flush).")}
			{request(
				"shrink",
				"Shrink the cache",
				"Discards the cache's empty slabs, as sysfs's shrink file does (shrink).",
			)}
			{canValidate &&
				request(
					"validate",
					"Check every object",
					"Looks for damage in the cache's slabs; this needs slab debugging (validate).",
				)}
		</>
	);
}

function Tick() {
	const [seconds, setSeconds] = useState(2);
	const words = seconds === 2 ? "two seconds" : seconds === 1 ? "one second" : `${seconds} seconds`;
	const isValid = !Number.isNaN(seconds);
	return (
		<Request
			name={isValid ? `Let ${words} pass` : "Let time pass"}
			disabled={!isValid}
			run={() => void act({ kind: "tick", seconds })}
			words="Advances the clock that tells the reaper what hasn't been used recently (tick)."
		>
			<Whole name="Seconds" value={seconds} most={SECONDS_MOST} set={setSeconds} />
		</Request>
	);
}

/** The parameters that may change while the trace runs, on this allocator. */
function useRuntimeParams(): readonly Param[] {
	const built = useFacts((f) => f.built);
	const owners = [allocatorOf(built), "machine", "all"];
	return (built?.params ?? []).filter(
		(p) => p.runtime && p.allocators.some((owner) => owners.includes(owner)),
	);
}

function SetParameter({ sandbox }: { sandbox: Model }) {
	const params = useRuntimeParams();
	const places = ["", ...sandbox.caches.map((c) => c.name)];
	const keys = params.map((p) => p.key);
	const [key, keyField] = useChoice("Parameter", keys, "", String);
	const [value, setValue] = useState("");
	const [cache, cacheField] = useChoice("Of", places, "", (name) => name || "all caches");
	const param = params.find((p) => p.key === key);
	if (!param) return null;
	const written = value.trim();
	return (
		<Request
			name="Set this parameter"
			disabled={!/^[\w.-]{1,40}$/.test(written)}
			run={() => void act({ kind: "set", key, value: written, cache })}
			words={`${param.meaning} This changes it while the machine runs, as sysfs does (set).`}
		>
			{keyField}
			<div className="pair">
				{param.type === "choice" ? (
					<SelectField
						label="Value"
						value={value}
						onSelect={setValue}
						options={[["", "choose"], ...param.values.map((v) => [v, v] as const)]}
					/>
				) : (
					<Field label="Value">
						{(id) => (
							<TextInput
								id={id}
								value={value}
								placeholder={param.value}
								onChange={(e) => setValue(e.currentTarget.value)}
							/>
						)}
					</Field>
				)}
				{places.length > 1 && cacheField}
			</div>
		</Request>
	);
}

const objectWords = (id: number) => (id === 0 ? "none yet" : count(id));

const CORRUPTION_WORDS: Readonly<Record<Corruption, readonly [name: string, meaning: string]>> = {
	write: [
		"Overwrite the object",
		"Writes eight bytes at that offset, inside the object or past its end.",
	],
	"double-free": ["Free an object again", "Frees an object that is already free."],
	"wild-free": ["Free a wrong pointer", "Frees a pointer into the object instead of to its start."],
	freelist: ["Overwrite the free pointer", "Turns the link to the next free object into nonsense."],
};

function Corrupt({ sandbox, cpu }: RequestsProps) {
	const nameOf = (one: Corruption) => CORRUPTION_WORDS[one][0];
	const [how, howField] = useChoice("Damage", CORRUPTIONS, "write", nameOf);
	const [at, setAt] = useState(8);
	const freed = freedOf(sandbox);
	const live = liveOf(sandbox).map((one) => one.id);
	const ids = how === "double-free" ? freed : [...live.toReversed(), ...freed];
	const words = (n: number) => `${objectWords(n)}${n === 0 || live.includes(n) ? "" : ", freed"}`;
	const [id, idField] = useChoice("Object", ids, 0, words);
	const [name, meaning] = CORRUPTION_WORDS[how];
	const isReady = id > 0 && !(hasOffset(how) && Number.isNaN(at));
	return (
		<Request
			name={name}
			disabled={!isReady}
			run={() => void corrupt(how, id, cpu, hasOffset(how) ? at : 0)}
			words={`${meaning} Slab debugging may or may not find it, as in the kernel (corrupt).`}
		>
			{howField}
			<div className="pair">
				{idField}
				{hasOffset(how) && <Whole name="Offset" value={at} most={4096} set={setAt} />}
			</div>
		</Request>
	);
}

/* The playground's requests for kernels with sheaves: bulk, kfree_rcu(), grace periods, a CPU that goes offline, prefilled sheaves. */

/** Enough for several sheaves of most caches. */
const BULK_MOST = 128;
const cacheWords = (name: string) => name || "create a cache first";

/** Prefilled sheaves that a CPU can have of each cache, as in a slabtrace. */
const SLOTS = 16;

interface BulkProps {
	readonly sandbox: Model;
	readonly cpu: number;
}

function BulkRequests({ sandbox, cpu }: BulkProps) {
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
				words="Another CPU flushes this CPU's sheaves. With its next request, this CPU is online again (dead)."
			/>
		</>
	);
}

function Bulk({ sandbox, cpu }: BulkProps) {
	const caches = useNamedCaches(sandbox);
	const [cache, cacheField] = useChoice("In bulk from", caches, "", cacheWords);
	const [times, setTimes] = useState(8);
	const live = liveOf(sandbox).filter((one) => one.cache === cache && cache !== "");
	const isMeant = cache !== "" && !Number.isNaN(times);
	const freed = live.slice(-(times || 0)).map((one) => one.id);
	return (
		<>
			<div className="pair">
				{cacheField}
				<Whole name="Objects" value={times} most={BULK_MOST} set={setTimes} />
			</div>
			<Request
				name="Allocate in bulk"
				disabled={!isMeant}
				run={() => void allocateInBulk(cache, cpu, times)}
				words="One request takes what the main sheaf, the spare and the barn have, and the rest from slabs (a 1,2,3)."
			/>
			<Request
				name={isMeant ? `Free ${quantity(freed.length, "object")} in bulk` : "Free in bulk"}
				disabled={!isMeant || freed.length === 0}
				run={() => void act({ kind: "bulk-free", ids: freed, cpu })}
				words="The cache's latest objects fill the main sheaf and the spare; the rest bypass them (f 1,2,3)."
			/>
		</>
	);
}

function Rcu({ sandbox, cpu }: BulkProps) {
	const ids = liveOf(sandbox).map((one) => one.id);
	const [id, idField] = useChoice("Object to free later", ids.toReversed(), 0, objectWords);
	return (
		<Request
			name="Free after a grace period"
			disabled={id === 0}
			run={() => void act({ kind: "rcu", id, cpu })}
			words="kfree_rcu(): the object waits in the CPU's RCU sheaf (r)."
		>
			{idField}
		</Request>
	);
}

function PrefilledSheaves({ sandbox, cpu }: BulkProps) {
	const caches = useNamedCaches(sandbox);
	const [cache, cacheField] = useChoice("Sheaf of", caches, "", cacheWords);
	const [objects, setObjects] = useState(8);
	const held = prefilledOf(sandbox, cache, cpu);
	const free = Array.from({ length: SLOTS }, (_, slot) => slot).filter(
		(slot) => !held.includes(slot),
	);
	const slots = [...held, ...free.slice(0, 1)].sort((a, b) => a - b);
	const words = (n: number) => `${n}${held.includes(n) ? "" : ", new"}`;
	const [slot, slotField] = useChoice("Prefilled sheaf", slots, 0, words);
	const isHeld = held.includes(slot);
	const isFillable = cache !== "" && !Number.isNaN(objects);
	return (
		<>
			{cacheField}
			<div className="pair">
				{slotField}
				<Whole name="Objects in it" value={objects} most={BULK_MOST} set={setObjects} />
			</div>
			<Request
				name={`Prefill sheaf ${slot}`}
				disabled={!isFillable || isHeld}
				run={() => void act({ kind: "prefill", slot, cache, objects, cpu })}
				words="The caller gets the spare or a sheaf from the barn, topped up if it has too few objects. A larger one is filled from slabs (prefill)."
			/>
			<Request
				name={`Take an object from sheaf ${slot}`}
				disabled={!isHeld}
				run={() => void takeFrom(slot, cache, cpu)}
				words="Can't fail while the sheaf has objects; once it is empty, this is an ordinary allocation (sheaf=0)."
			/>
			<Request
				name={`Refill sheaf ${slot}`}
				disabled={!isFillable || !isHeld}
				run={() => void act({ kind: "refill", slot, cache, objects, cpu })}
				words="If it has fewer objects than asked for, it is topped up from slabs (refill)."
			/>
			<Request
				name={`Return sheaf ${slot}`}
				disabled={!isHeld}
				run={() => void act({ kind: "return", slot, cache, cpu })}
				words="It becomes the spare, or goes to the barn. If neither has room, or it is larger than their sheaves, its objects go back to their slabs (return)."
			/>
		</>
	);
}
