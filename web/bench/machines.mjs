// machines.mjs - recordings of machines that nobody has at hand, made by arithmetic and alike at every run.

/** Numbers below n, alike at every run. */
function numbers() {
	let state = 1;
	return (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

/**
 * Many CPUs fill many slabs of one cache, then free and allocate here and there: slabs that are full, slabs with
 * holes on the partial lists, and CPUs with chains.
 */
export function wideMachine({ cpus, nodes, size, objects, slabs, churn, share, settings = "" }) {
	const random = numbers();
	const lines = [
		"slabtrace 1",
		`machine cpus=${cpus} nodes=${nodes} page_size=4096 ${settings}`.trim(),
		`cache c size=${size} name=wide`,
	];
	const live = [];
	const total = slabs * objects;
	let next = 0;
	const allocate = () => {
		lines.push(`a ${next} c cpu=${random(cpus)}`);
		live.push(next);
		next++;
	};
	const free = () => {
		const k = random(live.length);
		lines.push(`f ${live[k]} cpu=${random(cpus)}`);
		live[k] = live.at(-1);
		live.pop();
	};
	while (next < total) allocate();
	const holes = Math.floor(total * share);
	for (let i = 0; i < holes; i++) free();
	for (let i = 0; i < churn; i++) {
		if (random(2) === 0) free();
		else allocate();
	}
	return `${lines.join("\n")}\n`;
}
