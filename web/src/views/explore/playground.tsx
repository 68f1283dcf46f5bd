/**
 * The playground's controls: what to allocate, on which CPU and node; what to free and where; caches to create; undo.
 * Objects can be dragged onto a CPU of the stage, and freed there by a click; form controls do the same.
 */

import { type ReactNode, useEffect, useRef, useState } from "react";
import { addCommands, type Command } from "../../app/commands/commands.ts";
import { LOCAL } from "../../app/link/fields.ts";
import { engine } from "../../app/platform/engine_link.ts";
import { attempt, sentenceOf } from "../../app/playback/player.ts";
import {
	act,
	addCache,
	allocate,
	compareFutures,
	fitsLink,
	forkAsTrace,
	free,
	heldId,
	leaveFork,
	redo,
	showFuture,
	startOver,
	undo,
	type What,
} from "../../app/sandbox/sandbox.ts";
import { nextTry, useNamedCaches } from "../../app/sandbox/scenes.ts";
import { eventsOf, fileOf, liveOf, type Sandbox as Model } from "../../app/state/sandbox_text.ts";
import { stageKeys } from "../../app/state/stage_keys.ts";
import { change, facts } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { fileName, save } from "../../app/trace/files.ts";
import { count, quantity } from "../../base/format.ts";
import type { ForkObject } from "../../engine/answers.ts";
import {
	Button,
	Check,
	Field,
	LinkButton,
	SelectField,
	TextInput,
	Whole,
} from "../../ui/controls.tsx";
import { useAsync } from "../../ui/hooks.ts";
import css from "./playground.module.css";
import { Requests } from "./playground_requests.tsx";

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

const MOST_TIMES = 64;
const KMALLOC_MOST = 1 << 22;
const USUAL_BYTES = 192;

/** A branch continues where its last recorded event was: on that CPU, with a request of that size. */
function forkedAt() {
	const { sandbox, moment } = facts();
	return sandbox && sandbox.after > 0 ? moment?.op : undefined;
}

const COMMANDS: readonly Command[] = [
	{
		id: "undo",
		name: "Undo in the playground",
		group: "Trace",
		keys: "Ctrl Z",
		when: () => (facts().sandbox?.acts.length ?? 0) > 0,
		run: undo,
	},
	{
		id: "redo",
		name: "Redo in the playground",
		group: "Trace",
		keys: "Ctrl Shift Z",
		when: () => facts().sandboxUndone.length > 0,
		run: redo,
	},
];

export function Playground() {
	useEffect(() => addCommands(...COMMANDS), []);
	const sandbox = useFacts((f) => f.sandbox);
	const cpus = useFacts((f) => f.built?.nrCpus ?? 1);
	const nodes = useFacts((f) => f.built?.nrNodes ?? 1);
	const [cpu, setCpu] = useState(() => forkedAt()?.cpu ?? 0);
	if (!sandbox) return null;
	const at = Math.min(cpu, cpus - 1);
	return (
		<section
			className={`grid packed gap-3 scrolls line-below ${css.playground}`}
			data-part="playground"
			aria-label="Playground"
		>
			<div className="panel-head">
				<h2>Playground</h2>
				<Undo sandbox={sandbox} />
			</div>
			{sandbox.after > 0 && <Futures sandbox={sandbox} />}
			<TryNext sandbox={sandbox} />
			<Choice name="CPU" value={at} of={range(cpus)} words={(n) => `CPU ${n}`} set={setCpu} />
			<Allocate sandbox={sandbox} cpu={at} nodes={nodes} />
			<Free sandbox={sandbox} cpu={at} />
			<Refusal />
			<Requests sandbox={sandbox} cpu={at} />
			<NewCache />
			<Keep sandbox={sandbox} />
		</section>
	);
}

/** The next action of a starter, until the visitor does something else. */
function TryNext({ sandbox }: { sandbox: Model }) {
	const next = nextTry(sandbox);
	if (!next) return null;
	return (
		<p className="flex wrap middle gap-2">
			<span className="quiet">Try:</span>
			<Button className="primary" onClick={() => void act(next.act)}>
				{next.name}
			</Button>
		</p>
	);
}

/** Why the latest action was refused. */
function Refusal() {
	const reason = useFacts((f) => f.sandboxRefused);
	return (
		<p role="status" aria-label="Refused action" className={`small danger ${css.refusal}`}>
			{reason !== "" && `Refused: ${reason.replace(/\.$/, "")}.`}
		</p>
	);
}

function Undo({ sandbox }: { sandbox: Model }) {
	const undone = useFacts((f) => f.sandboxUndone.length);
	return (
		<span className="row">
			<LinkButton disabled={sandbox.acts.length === 0} onClick={undo}>
				Undo
			</LinkButton>
			<LinkButton disabled={undone === 0} onClick={redo}>
				Redo
			</LinkButton>
		</span>
	);
}

interface AllocateProps {
	readonly sandbox: Model;
	readonly cpu: number;
	readonly nodes: number;
}

function Allocate({ sandbox, cpu, nodes }: AllocateProps) {
	const [cache, setCache] = useState("");
	const [bytes, setBytes] = useState(() => forkedAt()?.bytes || USUAL_BYTES);
	const [node, setNode] = useState(-1);
	const [times, setTimes] = useState(1);
	const caches = useNamedCaches(sandbox);
	const chosen = caches.includes(cache) ? cache : "";
	const what: What = { cache: chosen, bytes: chosen === "" ? bytes : 0 };
	const wordsOf = (name: string) => {
		const own = sandbox.caches.find((c) => c.name === name);
		return own ? `${name}, ${count(own.size)} bytes` : name;
	};
	const on = Math.min(node, nodes - 1);
	const form = useRef<HTMLDivElement>(null);
	const isMeant = !Number.isNaN(what.bytes) && !Number.isNaN(times);
	/** Does exactly what the fields say, or nothing. */
	const run = (where: number) => {
		if (isMeant) void allocate(what, where, on, times);
		else form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
	};
	useEffect(() => {
		stageKeys.pressCpu = (pressed) => {
			run(pressed);
			return true;
		};
		return () => {
			stageKeys.pressCpu = () => false;
		};
	});
	return (
		<>
			<SelectField
				label="What"
				value={chosen}
				onSelect={setCache}
				options={[["", "kmalloc"], ...caches.map((name) => [name, wordsOf(name)] as const)]}
			/>
			<div className="pair" ref={form}>
				{chosen === "" && <Whole name="Bytes" value={bytes} most={KMALLOC_MOST} set={setBytes} />}
				<Whole name="How many" value={times} most={MOST_TIMES} set={setTimes} />
				{nodes > 1 && (
					<Choice
						name="Node"
						value={on}
						of={[-1, ...range(nodes)]}
						words={(n) => (n < 0 ? "any" : `node ${n}`)}
						set={setNode}
					/>
				)}
			</div>
			<div className="row">
				<Button className="strong" onClick={() => run(cpu)}>
					Allocate
				</Button>
				{isMeant && <Tile what={what} drop={run} />}
			</div>
		</>
	);
}

/** An object that can be dragged onto a CPU. The buttons beside it do the same without a mouse. */
function Tile({ what, drop }: { what: What; drop: (cpu: number) => void }) {
	const [at, setAt] = useState<{ x: number; y: number; cpu: number }>();
	const move = (e: React.PointerEvent) => {
		const { clientX: x, clientY: y } = e;
		setAt({ x, y, cpu: stageKeys.cpuAt(x, y) });
	};
	const words = what.cache === "" ? `${count(what.bytes)} B` : what.cache;
	return (
		<div
			className={`grows small ${css.tile}`}
			data-part="tile"
			aria-hidden="true"
			title="Drag it onto a CPU of the stage, or click the CPU"
			onPointerDown={(e) => {
				e.preventDefault();
				e.currentTarget.setPointerCapture(e.pointerId);
				move(e);
			}}
			onPointerMove={(e) => at && move(e)}
			onPointerCancel={() => setAt(undefined)}
			onPointerUp={(e) => {
				const cpu = stageKeys.cpuAt(e.clientX, e.clientY);
				setAt(undefined);
				if (at && cpu >= 0) drop(cpu);
			}}
		>
			{words} <span className="quiet">drag onto a CPU</span>
			{at && (
				<span
					className={at.cpu >= 0 ? `${css.ghost} ${css.over}` : css.ghost}
					data-part="dragged"
					style={{ left: at.x, top: at.y }}
				>
					{at.cpu >= 0 ? `${words} on CPU ${at.cpu}` : words}
				</span>
			)}
		</div>
	);
}

function Free({ sandbox, cpu }: { sandbox: Model; cpu: number }) {
	const selected = useFacts((f) => f.selected);
	const [wanted, setWanted] = useState(0);
	const [byClick, setByClick] = useState(false);
	const clicking = useRef({ byClick, cpu });
	clicking.current = { byClick, cpu };
	const live = liveOf(sandbox);
	const recorded = useRecorded(sandbox, wanted);
	const ids = [...live.map((l) => l.id), ...recorded.map((r) => r.id)];
	const id = ids.includes(wanted) ? wanted : (live.at(-1)?.id ?? recorded[0]?.id ?? 0);
	useEffect(() => {
		if (!selected || selected.index < 0) return;
		const { byClick: frees, cpu: where } = clicking.current;
		heldId().then(
			(held) => {
				if (held === undefined) return;
				if (frees) void free(held, where);
				else setWanted(held);
			},
			(error: unknown) => change({ error: sentenceOf(error) }),
		);
	}, [selected]);
	return (
		<div className={`grid low gap-2 ${css.free}`}>
			<Choice
				name="Live object"
				value={id}
				of={ids.length > 0 ? ids : [0]}
				words={(n) => {
					const one = live.find((l) => l.id === n);
					if (!one) return recorded.find((r) => r.id === n)?.words ?? "none";
					const what = one.cache === "" ? `${count(one.bytes)} bytes` : one.cache;
					return `${count(n)}: ${what}, by CPU ${one.cpu}`;
				}}
				set={setWanted}
			/>
			<Button disabled={id === 0} onClick={() => void free(id, cpu)}>
				Free on CPU {cpu}
			</Button>
			<Check checked={byClick} onCheck={setByClick}>
				Free an object by clicking it
			</Check>
		</div>
	);
}

const RECORDED_MOST = 100;
const NO_OBJECTS: readonly ForkObject[] = [];

/** The latest recorded objects that are live at a branch, and the chosen one, by the number of its event. */
function useRecorded({ after, acts }: Model, chosen: number) {
	const future = useFacts((f) => f.future);
	const ask = after > 0 && future !== "recorded" && (() => engine().forkObjects(RECORDED_MOST));
	const { value } = useAsync(ask || undefined, [after, future]);
	const objects = (ask && value) || NO_OBJECTS;
	const freed = new Set(acts.flatMap((act) => (act.kind === "free" ? [act.id] : [])));
	const all = objects.map(({ op, sentence }) => ({
		id: op + 1,
		words: `event ${count(op + 1)}: ${sentence}`,
	}));
	const isListed = all.some((one) => one.id === chosen);
	if (chosen > 0 && chosen <= after && !isListed)
		all.unshift({ id: chosen, words: `event ${count(chosen)}: the object that you clicked` });
	return all.filter((one) => !freed.has(one.id));
}

const ALIGNMENTS = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

function NewCache() {
	const [name, setName] = useState("mine");
	const [size, setSize] = useState(192);
	const [align, alignField] = useChoice("Alignment", ALIGNMENTS, 0, (n) => String(n || "default"));
	const [ctor, setCtor] = useState(false);
	const [fault, setFault] = useState("");
	return (
		<Folded summary="Create a cache">
			<Field label="Name">
				{(id) => (
					<TextInput id={id} value={name} onChange={(e) => setName(e.currentTarget.value)} />
				)}
			</Field>
			<div className="pair">
				<Whole name="Object size" value={size} most={KMALLOC_MOST} set={setSize} />
				{alignField}
			</div>
			<Check checked={ctor} onCheck={setCtor}>
				With a constructor
			</Check>
			<Button onClick={() => setFault(addCache({ name, size, align, ctor }))}>Add cache</Button>
			<p role="status" aria-label="New cache" className="hint">
				{fault}
			</p>
		</Folded>
	);
}

/** Event 1 is the empty machine: without the numbers of the events, one action would seem to be missing. */
function actsIn({ acts, after }: Model): string {
	const first = Math.max(1, after) + 1;
	const last = first + eventsOf(acts) - 1;
	const events =
		last === first ? `event ${count(first)}` : `events ${count(first)} to ${count(last)}`;
	return `${quantity(acts.length, "action")}, ${events}`;
}

function Keep({ sandbox }: { sandbox: Model }) {
	useFacts((f) => f.sandboxCode);
	const needsFile = useFacts((f) => f.trace.startsWith(LOCAL));
	const download = () =>
		attempt(async () => {
			const blob = sandbox.after > 0 ? await forkAsTrace() : new Blob([fileOf(sandbox)]);
			save(new Blob([blob], { type: "text/plain" }), fileName("", "slabtrace"));
		});
	return (
		<div className={css.keep}>
			<p role="status" aria-label="Playground" className="hint">
				{sandbox.acts.length === 0
					? `You haven't done anything yet. The address of this page keeps everything you do${needsFile ? ", but not your file" : ""}.`
					: fitsLink()
						? `${actsIn(sandbox)}. The address of this page keeps them${needsFile ? "; whoever opens it needs your file too" : ""}.`
						: `${actsIn(sandbox)}. That is too many for an address: save them as a trace, which opens like any other.`}
			</p>
			<div className="row">
				<Button disabled={sandbox.acts.length === 0} onClick={() => void download()}>
					Save as trace
				</Button>
				<Button disabled={sandbox.acts.length + sandbox.caches.length === 0} onClick={startOver}>
					Start over
				</Button>
			</div>
		</div>
	);
}

/* The small controls of the playground: a choice, a folded part, a request. */

interface ChoiceProps {
	readonly name: string;
	readonly value: number;
	readonly of: readonly number[];
	readonly words: (n: number) => string;
	readonly set: (n: number) => void;
}

function Choice({ name, value, of, words, set }: ChoiceProps) {
	return (
		<SelectField
			label={name}
			value={value}
			options={of.map((n) => [n, words(n)])}
			onSelect={(n) => set(Number(n))}
		/>
	);
}

/** The chosen one of these, and its select: `usual` or the first until the visitor chooses; `none` if there are none. */
export function useChoice<T extends string | number>(
	label: string,
	of: readonly T[],
	none: T,
	words: (one: T) => string,
	usual?: T,
) {
	const [wanted, want] = useState<T>();
	const value =
		of.find((one) => one === wanted) ?? of.find((one) => one === usual) ?? of[0] ?? none;
	const shown = of.length > 0 ? of : [none];
	const field = (
		<SelectField
			label={label}
			value={value}
			options={shown.map((one) => [one, words(one)])}
			onSelect={(word) => want(of.find((one) => String(one) === word))}
		/>
	);
	return [value, field] as const;
}

export function Folded({ summary, children }: { summary: string; children: ReactNode }) {
	return (
		<details>
			<summary>{summary}</summary>
			<div className={`below-2 ${css.folded}`}>{children}</div>
		</details>
	);
}

interface RequestProps {
	readonly name: string;
	readonly words: string;
	readonly disabled?: boolean;
	readonly run: () => void;
	readonly children?: ReactNode;
}

/** A button, and below it what the request does. */
export function Request({ name, words, disabled = false, run, children }: RequestProps) {
	return (
		<div className={`grid gap-2 at-start wide ${css.request}`}>
			{children}
			<Button disabled={disabled} onClick={run}>
				{name}
			</Button>
			<p className="hint">{words}</p>
		</div>
	);
}

/* The two futures of a branched trace: the recorded one and the visitor's own. */

export function Futures({ sandbox }: { sandbox: Model }) {
	const future = useFacts((f) => f.future);
	const isYours = future === "yours";
	return (
		<div className="grid gap-2 at-start small" data-part="futures">
			<p>
				Branched after event {count(sandbox.after)}. Up to that point, both futures are the recorded
				trace.
			</p>
			<fieldset className={`flex clips ${css.switch}`} aria-label="Future">
				<button type="button" aria-pressed={!isYours} onClick={() => void showFuture("recorded")}>
					Recorded
				</button>
				<button type="button" aria-pressed={isYours} onClick={() => void showFuture("yours")}>
					Yours, {quantity(sandbox.acts.length, "action")}
				</button>
			</fieldset>
			<p className={`flex wrap ${css.ways}`}>
				<LinkButton onClick={() => compareFutures()}>Compare both futures</LinkButton>
				<LinkButton onClick={() => void leaveFork()}>Discard the branch</LinkButton>
			</p>
		</div>
	);
}
