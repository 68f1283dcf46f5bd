/** Everything else on the page: the files it writes, reports, the theme, help. */
import type { ReactNode } from "react";
import { takeTour } from "../../app/playback/guide.ts";
import { ANSWERS, change, THEMES, type Theme } from "../../app/state/store.ts";
import { useFacts, useHasMoment } from "../../app/state/use_facts.ts";
import { Icon, type IconName } from "../../ui/controls.tsx";
import { openDialog, Sheet } from "./sheet.tsx";
import css from "./sheets.module.css";

const THEME_WORDS: Readonly<Record<Theme, string>> = {
	auto: "system",
	light: "light",
	dark: "dark",
	contrast: "high contrast",
};

export function MoreSheet() {
	const isEmpty = !useHasMoment();
	const hasReport = useFacts((f) => f.report !== null);
	const hasRecent = useFacts((f) => f.recent.length > 0);
	const theme = useFacts((f) => f.theme);
	const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
	return (
		<Sheet name="more" title="More">
			<ul className={`grid ${css.entries}`}>
				<Entry narrow disabled={isEmpty} act={() => change({ sheet: "machine" })}>
					Machine
				</Entry>
				<Entry narrow icon="share" disabled={isEmpty} act={() => openDialog("share")}>
					Share
				</Entry>
				<Entry narrow act={() => openDialog("palette")}>
					All commands
				</Entry>
				<Entry
					icon="export"
					keys="E"
					title="Export pictures, tables or a film (E)"
					disabled={isEmpty}
					act={() => openDialog("export")}
				>
					Export
				</Entry>
				<Entry disabled={isEmpty} act={() => openDialog("filter")}>
					Filter: only some events and objects
				</Entry>
				<Entry icon="report" keys="I" disabled={!hasReport} act={() => openDialog("report")}>
					Import report
				</Entry>
				{hasRecent && (
					<Entry icon="recent" act={() => openDialog("recent")}>
						Recent traces
					</Entry>
				)}
				<Entry narrow disabled={isEmpty} act={() => change({ answer: ANSWERS[0], sheet: "" })}>
					Suggestions: changes that save memory or slow paths
				</Entry>
				<Entry disabled={isEmpty} act={() => change({ answer: "slabinfo", sheet: "" })}>
					Slabinfo: all caches as a table
				</Entry>
				<Entry
					icon="theme"
					title={`Theme: ${THEME_WORDS[theme]}. Switch to ${THEME_WORDS[next]}.`}
					act={() => change({ theme: next })}
				>
					Theme: {THEME_WORDS[theme]}
				</Entry>
				<Entry keys="?" act={() => openDialog("help")}>
					Keys
				</Entry>
				<Entry act={takeTour}>Take the tour</Entry>
				<Entry act={() => openDialog("fidelity")}>Limits of the model</Entry>
			</ul>
		</Sheet>
	);
}

interface EntryProps {
	readonly icon?: IconName;
	readonly keys?: string;
	readonly title?: string;
	readonly disabled?: boolean;
	/** Shown only where the header has no room for it. */
	readonly narrow?: boolean;
	readonly act: () => void;
	readonly children: ReactNode;
}

function Entry({ icon, keys, title, disabled, narrow, act, children }: EntryProps) {
	return (
		<li className={narrow ? css.narrow : undefined}>
			<button type="button" title={title} disabled={disabled} onClick={act}>
				{icon && <Icon name={icon} />}
				<span>{children}</span>
				{keys && (
					<span className={`to-end quiet ${css.key}`} aria-hidden="true">
						{keys}
					</span>
				)}
			</button>
		</li>
	);
}
