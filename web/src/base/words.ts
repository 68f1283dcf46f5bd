/** Formats numbers in the sentences that the worker writes. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function countInWords(n: number): string {
	return n < 1e6 ? WHOLE.format(n) : `${SHORT.format(n / 1e6)} million`;
}

export function bytesInWords(n: number): string {
	const unit = Math.min(UNITS.length - 1, n < 1 ? 0 : Math.floor(Math.log2(n) / 10));
	return `${SHORT.format(n / 1024 ** unit)} ${UNITS[unit]}`;
}
