/**
 * The frame of a sheet: a card below the chip that opened it, or over the lower part of a narrow page. The page stays
 * usable below it; Escape (a command) and a click elsewhere close it.
 */

import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { LOCAL } from "../../app/link/fields.ts";
import { change, type Dialog, type SheetName } from "../../app/state/store.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { beginAs } from "../../app/trace/actions.ts";
import { LinkButton } from "../../ui/controls.tsx";
import { useClickOutside, useFocusWithin } from "../../ui/hooks.ts";
import css from "./sheets.module.css";

const close = () => change({ sheet: "" });

/** A dialog in front replaces the sheet. */
export function openDialog(dialog: Dialog): void {
	change({ dialog, sheet: "" });
}

const chipOf = (name: SheetName) => document.querySelector<HTMLElement>(`[data-chip="${name}"]`);

const isShown = (chip: HTMLElement | null) => chip !== null && chip.getClientRects().length > 0;

/** Finds the chip that opens the sheet; on a narrow page, the menu with its entry. */
function openerOf(name: SheetName): HTMLElement | null {
	const chip = chipOf(name);
	return isShown(chip) ? chip : chipOf("more");
}

const isChip = (target: Element) => target.closest("[data-chip], dialog") !== null;

interface Props {
	readonly name: SheetName;
	readonly title: string;
	readonly wide?: boolean;
	readonly children: ReactNode;
}

export function Sheet({ name, title, wide = false, children }: Props) {
	const panel = useRef<HTMLDivElement>(null);
	const place = usePlace(name, panel);
	useFocusWithin(panel, () => openerOf(name)?.focus({ preventScroll: true }));
	useClickOutside(panel, isChip, close);
	return (
		<div
			ref={panel}
			role="dialog"
			aria-label={title}
			data-sheet={name}
			tabIndex={-1}
			className={wide ? `${css.sheet} ${css.wide}` : css.sheet}
			style={place as React.CSSProperties}
		>
			<div className={`panel-head middle paper ${css.head}`}>
				<h2>{title}</h2>
				<LinkButton onClick={close}>Close</LinkButton>
			</div>
			{children}
		</div>
	);
}

const GAP = 6;
const MARGIN = 8;

interface Place {
	readonly "--left": string;
	readonly "--top": string;
}

/** Keeps the sheet below its chip and inside the window. On a narrow page the style sheet decides. */
function usePlace(name: SheetName, panel: React.RefObject<HTMLElement | null>): Place | undefined {
	const [place, setPlace] = useState<Place>();
	useLayoutEffect(() => {
		const measure = () => {
			const opener = openerOf(name)?.getBoundingClientRect();
			const width = panel.current?.offsetWidth ?? 0;
			if (!opener) return;
			const room = document.documentElement.clientWidth - width - MARGIN;
			const left = Math.max(MARGIN, Math.min(opener.left, room));
			setPlace({ "--left": `${left}px`, "--top": `${opener.bottom + GAP}px` });
		};
		measure();
		window.addEventListener("resize", measure);
		return () => window.removeEventListener("resize", measure);
	}, [name, panel]);
	return place;
}

/*
 * What the replay starts from (the kernel state, the slabs that the file's pointers show, or empty), with buttons for
 * the other choices.
 */

export function WarmStart() {
	const cold = useFacts((f) => f.cold);
	const slabs = useFacts((f) => f.built?.warmSlabs ?? 0);
	const sentence = useFacts((f) => f.built?.warmStart ?? "");
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	const isFile = useFacts((f) => f.trace.startsWith(LOCAL));
	const startState = useFacts((f) => f.startState);
	const { name = "", used = false, canBegin = false } = startState ?? {};
	if (isStates || (!startState && !cold && slabs === 0)) return null;
	return (
		<p className="quiet" data-part="start">
			{sentence}{" "}
			{startState &&
				!canBegin &&
				`The state in ${name} does not name every object, so the replay cannot start from it. `}
			{canBegin && !used && (
				<>
					<LinkButton onClick={() => void beginAs({ cold, start: name })}>
						Start from the state in {name}
					</LinkButton>
					{isFile && (cold || slabs > 0) && " · "}
				</>
			)}
			{isFile && (cold || used) && (
				<LinkButton onClick={() => void beginAs({ cold: false, start: "" })}>
					Start from the slabs that the pointers show
				</LinkButton>
			)}
			{isFile && used && " · "}
			{(used || (isFile && !cold && slabs > 0)) && (
				<LinkButton onClick={() => void beginAs({ cold: true, start: "" })}>Start empty</LinkButton>
			)}
		</p>
	);
}
