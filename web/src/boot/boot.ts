/**
 * The page's first script. index.html contains the whole page as HTML; this script starts the simulator and draws the
 * first position on its stage. React and the panels (main.tsx) follow, or come at once if the address asks for
 * something else.
 */

import { startEarly } from "../app/platform/page_files.ts";
import { startPlayer } from "../app/playback/player.ts";
import { change, facts, recallHabits } from "../app/state/store.ts";
import { startLook } from "../app/state/theme.ts";
import { onFirstSign } from "../base/first_sign.ts";
import { CodeMissing } from "../base/load_code.ts";
import { beginStage, untilStyled } from "../stage/early_stage.ts";
import { hearEarly } from "./early_input.ts";
import { firstView, isPlainVisit, SAMPLES, untilSeen } from "./first_view.ts";
import { showFirstWords } from "./first_words.ts";
import "../style/tokens.css";
import "../style/base.css";
import "../style/words.css";
import "../shell/app.module.css";
import "../shell/header.module.css";
import css from "../shell/notices.module.css";
import "../shell/timeline.module.css";
import "../shell/transport.module.css";
import "../stage/cell.module.css";
import "../stage/dock.module.css";
import "../stage/stage.module.css";
import "../ui/current_step.module.css";
import "../ui/dialog.module.css";
import "../ui/lazy_part.module.css";
import "../ui/term.module.css";
import "../views/explore/tour_controls.module.css";
import "../views/explore/story.module.css";

/**
 * Loads React and the panels. If they don't arrive, none of their code can report that, so the notice is made by hand.
 */
function rest(): void {
	import("./main.tsx").then(
		() => document.querySelector("[data-missing]")?.remove(),
		() => document.querySelector("[data-missing]") ?? document.body.prepend(missingNotice()),
	);
}

/** It goes outside #root, whose HTML must stay as React expects it. */
function missingNotice(): HTMLElement {
	const notice = document.createElement("div");
	notice.className = css.alert ?? "";
	notice.role = "alert";
	notice.dataset.missing = "";
	const sentence = document.createElement("p");
	sentence.textContent = new CodeMissing(undefined).message;
	const again = document.createElement("button");
	again.type = "button";
	again.className = "tool-text";
	again.textContent = "Try again";
	again.addEventListener("click", rest);
	const link = document.createElement("a");
	link.href = location.href;
	link.textContent = "Reload the page at this view";
	notice.append(sentence, again, link);
	return notice;
}

/** The browser starts the worker between two of the page's tasks, and one long task would delay it. */
const breath = () => new Promise<void>((resolve) => window.setTimeout(resolve));

async function begin(): Promise<void> {
	const isPlain = isPlainVisit();
	if (!isPlain) document.documentElement.dataset.arriving = "true";
	startEarly();
	hearEarly();
	change({ samples: SAMPLES });
	if (isPlain) void firstView();
	await breath();
	recallHabits();
	startLook();
	startPlayer();
	await Promise.all([untilStyled(), breath()]);
	if (!isPlain) return rest();
	if (!facts().explored) document.documentElement.dataset.first = "";
	beginStage();
	void untilSeen().then(() => {
		showFirstWords();
		rest();
	});
	// The panels respond to what is pressed.
	onFirstSign(["pointerdown", "keydown"], rest);
}

void begin();
