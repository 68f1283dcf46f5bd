/** Formats numbers in the sentences that the worker writes. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Capitalises the first letter. */
export function capital(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

export function countInWords(n: number): string {
	return n < 1e6 ? WHOLE.format(n) : `${SHORT.format(n / 1e6)} million`;
}

export function bytesInWords(n: number): string {
	const unit = Math.min(UNITS.length - 1, n < 1 ? 0 : Math.floor(Math.log2(n) / 10));
	return `${SHORT.format(n / 1024 ** unit)} ${UNITS[unit]}`;
}

/**
 * Describes a sampled trace in one sentence; "" if it has every event. `sampling`: how many events each one stands
 * for.
 */
export function sampledWords(sampling: number | undefined): string {
	if (!sampling) return "";
	if (sampling === 1)
		return "The trace is sampled, and nothing in it says how many events each one stands for, so counts and bytes are too small.";
	return `The trace is sampled: each event stands for about ${countInWords(sampling)}. Counts and bytes are estimates.`;
}

/**
 * Says that a replay's figures are a sample's; "" if every trace has all its events. `sampling` as above, by trace
 * name.
 */
export function unscaledWords(
	traces: readonly (readonly [name: string, sampling: number])[],
): string {
	const sampled = traces.filter(([, sampling]) => sampling > 0);
	if (sampled.length === 0) return "";
	const each = sampled.map(([name, sampling]) =>
		sampling === 1
			? `${name} is sampled.`
			: `${name} is sampled: each event stands for about ${countInWords(sampling)}.`,
	);
	return `${each.join(" ")} The figures are the sample's, not scaled up: slabs that all the events would fill stay nearly empty, so you cannot scale their memory up to the machine’s.`;
}
