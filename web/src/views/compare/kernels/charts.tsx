/**
 * The change of one trace's numbers against Linux 6.1, as dots: a kernel a row, a number a column, all on one scale. A
 * kernel is chosen by pointer or keyboard.
 */
import { type CSSProperties, Fragment } from "react";
import { USUAL_PRESET } from "../../../app/trace/actions.ts";
import { capital } from "../../../base/words.ts";
import { classes } from "../../../ui/classes.ts";
import { amount } from "../metrics.ts";
import { type Change, changesOf, type KernelRow, shareOf } from "./finding.ts";
import css from "./kernels.module.css";
import { versionOf } from "./measured_kernels.ts";

/** The others are compared with this kernel. */
const BASE = versionOf(USUAL_PRESET);
/** The first kernel whose caches all have sheaves. */
const SHEAVES_FROM = "7.0";
/** Dots have this part of a column, in per cent; the rest is for the numbers beside them. */
const DOTS = { from: 24, to: 76 };

interface KernelChartsProps {
	readonly rows: readonly KernelRow[];
	/** All versions, oldest first: each has its row before its numbers are known. */
	readonly versions: readonly string[];
	readonly shown: KernelRow | undefined;
	readonly choose: (version: string) => void;
}

export function KernelCharts({ rows, versions, shown, choose }: KernelChartsProps) {
	const changes = changesOf(rows);
	const base = rows.find((row) => row.version === BASE);
	const at = scaleOf(rows, changes, base);
	return (
		<fieldset className={`card ${css.charts}`} style={{ "--zero": `${at(0)}%` } as CSSProperties}>
			<legend className="hidden">Kernel version</legend>
			<p className="small quiet">
				Change against Linux {BASE}, whose dots are hollow; all on one scale.
			</p>
			<div className={classes(css.row, css.heads)}>
				<span>Linux</span>
				{changes.map((change) => (
					<p key={change.key} data-part="change">
						<strong>{capital(change.subject)}</strong>{" "}
						<span className="number quiet">{shown && valueText(change, shown)}</span>
					</p>
				))}
			</div>
			{versions.map((version) => {
				const row = rows.find((one) => one.version === version);
				return (
					<Fragment key={version}>
						{version === SHEAVES_FROM && (
							<p className={css.sheaves}>sheaves in every cache from {SHEAVES_FROM} on</p>
						)}
						<div
							className={classes(css.row, row && row === shown && css.shown)}
							onPointerEnter={() => row && choose(version)}
						>
							<button
								type="button"
								disabled={!row}
								aria-pressed={version === shown?.version}
								aria-label={`Linux ${version}${wordsOf(changes, row, base)}`}
								onFocus={() => choose(version)}
								onClick={() => choose(version)}
							>
								{version}
							</button>
							{changes.map((change) => (
								<div key={change.key} className={css.track} aria-hidden="true">
									{row && base && <Dot {...{ change, row, base, at }} />}
								</div>
							))}
						</div>
					</Fragment>
				);
			})}
		</fieldset>
	);
}

/** From a change, as a share of the base, to its place in a column: the largest of all fill it. */
function scaleOf(
	rows: readonly KernelRow[],
	changes: readonly Change[],
	base: KernelRow | undefined,
): (share: number) => number {
	const shares = base
		? rows.flatMap((row) => changes.map((change) => shareOf(change, base, row) ?? 0))
		: [];
	const [least, most] = [Math.min(0, ...shares), Math.max(0, ...shares)];
	const each = (DOTS.to - DOTS.from) / (most - least || 1);
	return (share) => DOTS.from + (share - least) * each;
}

interface DotProps {
	readonly change: Change;
	readonly row: KernelRow;
	readonly base: KernelRow;
	readonly at: (share: number) => number;
}

/** A line from the base to the dot, and the number beside it; the base has its own number. */
function Dot({ change, row, base, at }: DotProps) {
	const share = shareOf(change, base, row);
	const isBase = row === base;
	const x = at(share ?? 0);
	const style = {
		"--at": `${x}%`,
		"--from": `${Math.min(x, at(0))}%`,
		"--long": `${Math.abs(x - at(0))}%`,
	};
	const side = share !== undefined && share < 0 ? css.before : css.after;
	return (
		<span className={classes(css.dot, isBase && css.base)} style={style as CSSProperties}>
			{share !== undefined && <i />}
			<span className={classes("number", side, share === 0 && !isBase && "quiet")}>
				{isBase || share === undefined ? amountOf(change, row) : signed(share)}
			</span>
		</span>
	);
}

function amountOf({ key, unit }: Change, row: KernelRow): string {
	return unit === "KiB" ? `${amount(row[key], unit)} KiB` : amount(row[key], unit);
}

/** "+13 %", "−0.4 %", "0 %". */
function signed(share: number): string {
	const per = Math.abs(100 * share);
	const number = per >= 10 ? Math.round(per).toLocaleString("en-US") : per.toFixed(1);
	if (Number(number) === 0) return "0\u00a0%";
	return `${share > 0 ? "+" : "−"}${number}\u00a0%`;
}

/** "Linux 7.2: 96". */
function valueText(change: Change, row: KernelRow): string {
	return `Linux ${row.version}: ${amountOf(change, row)}`;
}

/** The values of a version, for its button. */
function wordsOf(
	changes: readonly Change[],
	row: KernelRow | undefined,
	base: KernelRow | undefined,
): string {
	if (!row) return ", not replayed yet";
	return changes
		.map((change) => {
			const share = base && row !== base ? shareOf(change, base, row) : undefined;
			const against = share === undefined ? "" : `, ${signed(share)} against ${BASE}`;
			return `, ${change.subject} ${amountOf(change, row)}${against}`;
		})
		.join("");
}
