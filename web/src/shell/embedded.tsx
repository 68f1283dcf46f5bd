/** The embedded page: the stage, the sentence, the step buttons, and a link to the whole page. */
import type { ReactNode } from "react";
import { pause } from "../app/playback/player.ts";
import { isEmptyFrame } from "../app/state/store.ts";
import { useCalm } from "../app/state/use_calm.ts";
import { useFacts, useHasMoment } from "../app/state/use_facts.ts";
import { count, eventWords } from "../base/format.ts";
import { Stage } from "../stage/stage.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { lazyPart, Part } from "../ui/lazy_part.tsx";
import { MoveButtons } from "../ui/move_buttons.tsx";
import { fullAddress } from "./embed.ts";
import css from "./embedded.module.css";
import { ErrorNotice, ProgressNotice } from "./notices.tsx";
import transportCss from "./transport.module.css";

const Help = lazyPart(() => import("./dialogs/about.tsx").then((m) => m.Help));

export function Embedded() {
	const help = useFacts((f) => f.dialog === "help");
	const isEmpty = useFacts((f) => isEmptyFrame(f) && f.error !== "");
	return (
		<div className={`grid tall ${css.embedded}`} data-within="embed">
			<div>
				<ErrorNotice />
				<ProgressNotice />
			</div>
			<main>
				<h1 className="hidden">Slabscope: {useFacts((f) => f.trace)}</h1>
				<Part name="The stage">{!isEmpty && <Stage dock />}</Part>
			</main>
			<Bar />
			{help && (
				<Part name="The list of keys" frame={inDialog}>
					<Help />
				</Part>
			)}
		</div>
	);
}

function inDialog(notice: ReactNode) {
	return <Dialog title="Not available">{notice}</Dialog>;
}

function Bar() {
	const ready = useHasMoment();
	const op = useCalm((f) => f.moment?.position.op ?? 0);
	const nrOps = useFacts((f) => f.built?.nrOps ?? 0);
	return (
		<footer className={`row apart paper line-above ${css.bar}`}>
			<fieldset
				className={`flex gap-1 ${transportCss.buttons}`}
				data-part="buttons"
				aria-label="Move"
			>
				<MoveButtons />
			</fieldset>
			<p className="number quiet" data-part="position">
				{ready && `${eventWords(op)} of ${count(nrOps)}`}
			</p>
			<a
				className="tool-text"
				href="./"
				target="_blank"
				rel="noopener"
				// The position on screen when it is pressed.
				onClick={(e) => {
					pause();
					e.currentTarget.href = fullAddress();
				}}
			>
				Open full
			</a>
		</footer>
	);
}
