// main_thread.mjs - events of the page's main thread, from a trace of the browser.

/** What the browser records for `eventsBetweenMarks`. */
export const CATEGORIES = [
	"-*",
	"devtools.timeline",
	"devtools.timeline.frame",
	"blink.user_timing",
	"toplevel",
	"v8",
];

/** Events of the thread that made the marks "bench-begin" and "bench-end", between these, by time. */
export function eventsBetweenMarks(trace) {
	const { traceEvents } = JSON.parse(trace.toString("utf8"));
	const mark = (name) =>
		traceEvents.find((e) => e.name === name && e.cat.includes("blink.user_timing"));
	const [begin, end] = [mark("bench-begin"), mark("bench-end")];
	return traceEvents
		.filter((e) => e.pid === begin.pid && e.tid === begin.tid && e.ts >= begin.ts && e.ts <= end.ts)
		.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
}

/** Processor time of an event in milliseconds: a busy computer does not add to it. */
export const timeOf = (event) => (event.tdur ?? event.dur) / 1000;

/** The longest task of such events in milliseconds. */
export const longestTask = (events) =>
	Math.max(0, ...events.filter((e) => e.name.endsWith("RunTask") && e.dur).map(timeOf));
