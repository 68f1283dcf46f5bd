/** A pointer or a report of dmesg, and the events of the trace that match it. */
import { type ReactNode, useState } from "react";
import { SLOT_STATE_WORDS } from "#abi";
import type { LookupLife, LookupResult } from "#wasm";
import { engine } from "../../../app/platform/engine_link.ts";
import { goToEvent } from "../../../app/playback/why.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import { Button, Heads, Scrolls } from "../../../ui/controls.tsx";
import { useAsync } from "../../../ui/use_async.ts";
import css from "./lookup.module.css";

const NONE = 0xffffffff;
const hex = (pointer: bigint) => `0x${pointer.toString(16)}`;

export function LookupView() {
	const built = useFacts((f) => f.built);
	const [text, setText] = useState("");
	const [asked, setAsked] = useState("");
	const ask = built && asked !== "" ? () => engine().lookUp(asked) : undefined;
	const { value, isCurrent, sentence } = useAsync(ask, [built, asked]);
	return (
		<section className={css.view} aria-label="Look up">
			<h2>Look up what dmesg says</h2>
			<textarea
				aria-label="A pointer, or a report of slab debugging or KASAN"
				placeholder="0xffff888003a9d040, or BUG kmalloc-64 (…): …, or BUG: KASAN: …"
				rows={5}
				spellCheck={false}
				value={text}
				onChange={(event) => setText(event.currentTarget.value)}
			/>
			<div>
				<Button disabled={text.trim() === ""} onClick={() => setAsked(text)}>
					Look up
				</Button>
			</div>
			{sentence !== "" && <p role="alert">{sentence}</p>}
			{value && isCurrent && asked !== "" && <Answer found={value} />}
		</section>
	);
}

function Answer({ found }: { found: LookupResult }) {
	return (
		<>
			{found.title !== "" && (
				<p>
					<strong>{found.title}</strong> {found.cache}
				</p>
			)}
			<p aria-live="polite">{found.answer}</p>
			{found.note !== "" && <p className="quiet">{found.note}</p>}
			{found.lives.length > 0 && <Lives lives={found.lives} />}
			{found.neighbours.length > 0 && <Neighbours found={found} />}
		</>
	);
}

function EventOf({ op }: { op: number }) {
	if (op === NONE) return "–";
	return <Button onClick={() => goToEvent(op)}>event {(op + 1).toLocaleString("en")}</Button>;
}

interface RowsProps {
	readonly label: string;
	readonly caption: string;
	readonly heads: readonly string[];
	readonly children: ReactNode;
}

function Rows({ label, caption, heads, children }: RowsProps) {
	return (
		<Scrolls label={label}>
			<table className={css.rows}>
				<caption>{caption}</caption>
				<Heads of={heads} />
				<tbody>{children}</tbody>
			</table>
		</Scrolls>
	);
}

const LIFE = ["allocated", "by", "freed", "by", "cache", "pointer", "fits"];
const SLOT = ["slot", "pointer", "state", "allocated", "freed", "cache"];

function Lives({ lives }: { lives: readonly LookupLife[] }) {
	return (
		<Rows label="Objects that match" caption="Objects that match, the best first" heads={LIFE}>
			{lives.map((life) => (
				<tr key={`${life.allocOp} ${life.freeOp}`}>
					<td>
						<EventOf op={life.allocOp} />
					</td>
					<td>
						{life.allocTask} {life.allocSite}
					</td>
					<td>
						<EventOf op={life.freeOp} />
					</td>
					<td>
						{life.freeTask} {life.freeSite}
					</td>
					<td>{life.cache}</td>
					<td>{hex(life.pointer)}</td>
					<td>{life.fits.join(", ")}</td>
				</tr>
			))}
		</Rows>
	);
}

function Neighbours({ found }: { found: LookupResult }) {
	const caption = `Slots beside it, after event ${found.moment.toLocaleString("en")}`;
	return (
		<Rows label="Slots beside it" caption={caption} heads={SLOT}>
			{found.neighbours.map((slot) => (
				<tr key={slot.slot} aria-current={slot.slot === 0 || undefined}>
					<td>{slot.slot}</td>
					<td>{hex(slot.pointer)}</td>
					<td>{SLOT_STATE_WORDS[slot.state]}</td>
					<td>
						<EventOf op={slot.allocOp} />
					</td>
					<td>
						<EventOf op={slot.freeOp} />
					</td>
					<td>{slot.cache}</td>
				</tr>
			))}
		</Rows>
	);
}
