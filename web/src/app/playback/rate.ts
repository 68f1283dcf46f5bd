/** Playing speed: units per second on a logarithmic scale, and how many units are due. */

export const SPEED_MIN = 0.01;
export const SPEED_MAX = 10_000;
/** Above this many per second nothing slides. */
export const SLIDE_LIMIT = 5;
export const SLIDE_MS = 280;

const DECADES = Math.log10(SPEED_MAX / SPEED_MIN);

/** Converts a slider position 0…1 to units per second, rounded to a readable number. */
export function speedAt(fraction: number): number {
	const raw = SPEED_MIN * 10 ** (DECADES * Math.min(1, Math.max(0, fraction)));
	const magnitude = 10 ** Math.floor(Math.log10(raw));
	const steps = [1, 2, 5, 10];
	const nearest = steps.reduce((a, b) =>
		Math.abs(Math.log(raw / (b * magnitude))) < Math.abs(Math.log(raw / (a * magnitude))) ? b : a,
	);
	return Number((nearest * magnitude).toPrecision(3));
}

export function fractionOf(speed: number): number {
	return Math.log10(speed / SPEED_MIN) / DECADES;
}

export function faster(speed: number, by: 1 | -1): number {
	const step = Math.round(fractionOf(speed) * DECADES * 3) + by;
	return speedAt(step / (DECADES * 3));
}

/** How long to slide between two steps at this speed; 0: jump. */
export function slideMs(speed: number, playing: boolean, reduced: boolean): number {
	if (reduced) return 0;
	if (!playing) return SLIDE_MS;
	return speed > SLIDE_LIMIT ? 0 : Math.min(SLIDE_MS, 800 / speed);
}
