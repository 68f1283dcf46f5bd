/** Machines of lessons as words: "preset=linux-4.19 min_partial=9". */

/** The machine with the parameter set. */
export function withValue(machine: string, param: string, value: string): string {
	const others = machine
		.split(/\s+/)
		.filter((word) => word !== "" && !word.startsWith(`${param}=`));
	return [...others, `${param}=${value}`].join(" ");
}
