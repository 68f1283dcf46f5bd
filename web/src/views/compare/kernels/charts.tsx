/** Three small charts of one trace by kernel version, above one axis of versions. A version is chosen by pointer or keyboard. */
import type { CSSProperties } from "react";
import { classes } from "../../../ui/classes.ts";
import { amount, type MetricUnit } from "../metrics.ts";
import type { KernelNumber, KernelRow } from "./finding.ts";
import css from "./kernels.module.css";

interface Chart {
	readonly name: string;
	readonly unit: MetricUnit;
	readonly key: KernelNumber;
	/** A mark above the column, of a number that is never smaller. */
	readonly peak?: KernelNumber;
}

const CHARTS: readonly Chart[] = [
	{ name: "Events that left the fast path", unit: "events", key: "slowPaths" },
	{ name: "Memory in slabs at the end", unit: "KiB", key: "slabBytes", peak: "slabBytesPeak" },
	{ name: "Model cycles", unit: "model cycles", key: "cycles" },
];

interface KernelChartsProps {
	readonly rows: readonly KernelRow[];
	/** All versions, oldest first: each has its column before its row is known. */
	readonly versions: readonly string[];
	readonly shown: KernelRow | undefined;
	readonly choose: (version: string) => void;
}

export function KernelCharts({ rows, versions, shown, choose }: KernelChartsProps) {
	const columns = { "--versions": versions.length } as CSSProperties;
	return (
		<div className={`card ${css.charts}`} style={columns}>
			{CHARTS.map((chart) => (
				<figure key={chart.key} className={css.chart}>
					<figcaption>
						<strong>{chart.name}</strong>{" "}
						<span className="small quiet">
							{chart.unit}
							{chart.peak && "; the line is the peak"}
						</span>
						<span className={`number ${css.value}`}>{shown && valueText(chart, shown)}</span>
					</figcaption>
					<Columns {...{ chart, rows, versions, shown, choose }} />
				</figure>
			))}
			<fieldset className={css.axis}>
				<legend className="hidden">Kernel version</legend>
				{versions.map((version) => (
					<button
						key={version}
						type="button"
						disabled={!rows.some((row) => row.version === version)}
						aria-pressed={version === shown?.version}
						aria-label={`Linux ${version}${wordsOf(rows, version)}`}
						onFocus={() => choose(version)}
						onPointerEnter={() => choose(version)}
						onClick={() => choose(version)}
					>
						{version}
					</button>
				))}
			</fieldset>
		</div>
	);
}

/** "Linux 7.2: 96 …", with the peak where the chart has one. */
function valueText({ key, peak, unit }: Chart, row: KernelRow): string {
	const words = `Linux ${row.version}: ${amount(row[key], unit)}`;
	return peak ? `${words}, peak ${amount(row[peak], unit)}` : words;
}

/** The values of a version, for its button. */
function wordsOf(rows: readonly KernelRow[], version: string): string {
	const row = rows.find((one) => one.version === version);
	if (!row) return ", not replayed yet";
	return CHARTS.map(
		({ key, name, unit }) => `, ${name.toLowerCase()} ${amount(row[key], unit)} ${unit}`,
	).join("");
}

interface ColumnsProps extends KernelChartsProps {
	readonly chart: Chart;
}

function Columns({
	chart: { key, peak, name, unit },
	rows,
	versions,
	shown,
	choose,
}: ColumnsProps) {
	const most = Math.max(1, ...rows.map((row) => row[peak ?? key]));
	const share = (value: number) => `${(100 * value) / most}%`;
	return (
		<div
			className={css.columns}
			role="img"
			aria-label={`${name}, by kernel version, up to ${amount(most, unit)}`}
		>
			{versions.map((version) => {
				const row = rows.find((one) => one.version === version);
				return (
					<div
						key={version}
						className={classes(css.column, row && row === shown && css.shown)}
						onPointerEnter={() => row && choose(version)}
					>
						{row && <div className={css.bar} style={{ height: share(row[key]) }} />}
						{row && peak && <div className={css.peak} style={{ bottom: share(row[peak]) }} />}
					</div>
				);
			})}
		</div>
	);
}
