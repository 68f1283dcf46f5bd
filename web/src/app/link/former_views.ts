/** The views that the page had before it had four: their links lead to the place where the same content is today. */

/** The view, or the part of one, that each former value of `tab` becomes. */
const FORMER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"node-search": { tab: "explore" },
	"order-lab": { tab: "labs", labs: "orders" },
	lessons: { tab: "learn", learn: "lessons" },
	experiments: { tab: "learn", learn: "papers" },
	slabinfo: { tab: "explore", answer: "slabinfo" },
};

/** The sweep was one of the experiments. */
const SWEEP = "sweep";

/** A link's parts with today's views. */
export function withTodaysViews(link: URLSearchParams): URLSearchParams {
	const q = new URLSearchParams(link);
	const tab = q.get("tab") ?? "";
	const isSweep = q.get("study") === SWEEP;
	if (isSweep) q.delete("study");
	const today = isSweep && tab === "experiments" ? { tab: "compare" } : FORMER[tab];
	for (const [key, value] of Object.entries(today ?? {})) q.set(key, value);
	if (isSweep) q.set("compare", SWEEP);
	// The table of caches was alone in the drawer.
	if (q.get("slabinfo") === "1") q.set("answer", "slabinfo");
	q.delete("slabinfo");
	return q;
}
