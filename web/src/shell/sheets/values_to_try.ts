/** The other values of a parameter whose effect is worth measuring: neighbours of the value in effect, and the ends. */
import type { Built, CacheRow, CostParam, Param } from "../../engine/types.ts";

const MOST_VALUES = 5;
/** A maximum that is further away than this factor describes a machine that nobody has. */
const FAR = 64;
/** Costs have no bounds in the list of parameters. */
const COST_BOUNDS = [0, 1_000_000] as const;

/** Where the core reports the value that an automatic parameter takes: for the cache on the stage, or for the machine. */
const OF_CACHE: Readonly<Record<string, (cache: CacheRow) => number>> = {
	min_partial: (c) => c.minPartial,
	cpu_partial: (c) => c.cpuPartial,
	limit: (c) => c.limit,
	batchcount: (c) => c.batchcount,
	shared_factor: (c) => c.sharedfactor,
	queue: (c) => c.limit,
	batch: (c) => c.batchcount,
	alien: (c) => c.limit,
};

/** The number in effect; undefined where an automatic value is not reported. */
export function inEffect(
	{ key, value }: Param | CostParam,
	built: Pick<Built, "nrCpus"> | null,
	cache: CacheRow | undefined,
): number | undefined {
	if (value !== "automatic") return Number.isNaN(Number(value)) ? undefined : Number(value);
	if (key === "cpus") return built?.nrCpus;
	return cache && OF_CACHE[key]?.(cache);
}

/** All other values of a choice; of a number half and twice, its bounds and its default. */
export function valuesToTry(param: Param | CostParam, now: number | undefined): string[] {
	const { value } = param;
	const byDefault = param.default;
	const isOther = (v: string) => v !== value && v !== String(now);
	const isParam = "type" in param;
	if (isParam && param.type === "choice") return param.values.filter(isOther).slice(0, MOST_VALUES);
	// Another number of nodes does not suit the lists that describe them.
	const isFixed = isParam && (param.type !== "number" || (param.key === "nodes" && (now ?? 0) > 1));
	if (isFixed) return byDefault === value ? [] : [byDefault];
	const [min, max] = isParam ? [param.min ?? 0, param.max ?? Number.MAX_SAFE_INTEGER] : COST_BOUNDS;
	const near = neighbours(now, min, max).filter((n) => n >= min && n <= max);
	const numbers = [...new Set(near)].sort((a, b) => a - b).map(String);
	return [...new Set([...numbers, byDefault])].filter(isOther).slice(0, MOST_VALUES);
}

function neighbours(now: number | undefined, min: number, max: number): number[] {
	const middle = Math.round(Math.sqrt(Math.max(1, min) * max));
	if (now === undefined) return [min, middle, ...(max <= middle * FAR ? [max] : [])];
	if (now === 0) return [1, middle, ...(max <= middle * FAR ? [max] : [])];
	return [min, Math.floor(now / 2), now * 2, ...(max <= now * FAR ? [max] : [])];
}
