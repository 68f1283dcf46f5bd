/** Numbers as people read them. */

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/**
 * Writes an integer in groups of three digits. The browser's Intl takes longer to start than the first scene takes to draw.
 */
export function count(n: number): string {
	return Math.round(n).toFixed().replace(THOUSANDS, ",");
}

export function quantity(n: number, noun: string, several = `${noun}s`): string {
	return `${count(n)} ${n === 1 ? noun : several}`;
}

export function bytes(n: number): string {
	let value = n;
	let unit = 0;
	// Whatever would be rounded to 1024 is 1 of the next unit.
	while (value >= (unit === 0 ? 1024 : 1023.5) && unit < UNITS.length - 1) {
		value /= 1024;
		unit++;
	}
	const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
	return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** Writes seconds with six places, or ticks of a clock that the trace does not name. */
export function time(t: number, isNs: boolean): string {
	return isNs ? `${(Math.floor(t / 1000) / 1e6).toFixed(6)} s` : `tick ${count(t)}`;
}

/** Writes a waiting time, no finer than people need. */
export function duration(seconds: number): string {
	if (seconds < 1) return "less than a second";
	if (seconds < 90) return quantity(Math.ceil(seconds), "second");
	return quantity(Math.ceil(seconds / 60), "minute");
}

export function percent(part: number, whole: number): string {
	if (whole === 0) return "–";
	const p = (100 * part) / whole;
	const number = p > 0 && p < 0.1 ? "<0.1" : p >= 10 ? count(Math.round(p)) : p.toFixed(1);
	return `${number}\u00a0%`;
}

export function address(a: number): string {
	return `0x${a.toString(16).padStart(12, "0")}`;
}

/** Writes a size as short as possible, for a label: 512 B, 4 KiB. */
export function shortBytes(n: number): string {
	return n >= 1024 && n % 1024 === 0 ? `${count(n / 1024)} KiB` : `${count(n)} B`;
}

/** Makes sure of one full stop at the end: some reasons are whole sentences, others only the end of one. */
export function stopped(words: string): string {
	return words.endsWith(".") ? words : `${words}.`;
}

/*
 * Events and steps are numbered from 1 wherever a person reads or types them: on the page, in its address, in the
 * files it saves. The core, the code and `op` in JSON count from 0. Only these two functions convert between them.
 */

export function numberOf(index: number): number {
	return index + 1;
}

export function indexOf(number: number): number {
	return number - 1;
}

/** "event 1,234". */
export function eventWords(op: number): string {
	return `event ${count(numberOf(op))}`;
}

/** "events 11 to 41", or "event 11" for just one. */
export function eventsWords(from: number, to: number): string {
	if (from === to) return eventWords(from);
	return `events ${count(numberOf(from))} to ${count(numberOf(to))}`;
}
