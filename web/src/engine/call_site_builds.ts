/**
 * Joins call sites of two builds of a kernel, whose offsets and sizes differ: by their functions, in the order of their
 * offsets. core/cli/studies/against_builds.c has the same rules.
 */

interface Site {
	readonly name: string;
	readonly cache: string;
}

export type Pair<Row> = readonly [a: Row | undefined, b: Row | undefined];

/** getname_flags+0x26/0x170 [module] */
const SITE = /^(?<name>.+?)\+0x(?<offset>[\da-f]+)(?:\/0x(?<size>[\da-f]+))?(?<module>.*)$/;

interface Parts<Row> {
	readonly row: Row;
	/** The part of the name that two builds have in common; "" for a name without an offset. */
	readonly of: string;
	readonly offset: number;
	readonly size: number;
}

function partsOf<Row extends Site>(row: Row): Parts<Row> {
	const { name = "", offset = "0", size = "0", module = "" } = SITE.exec(row.name)?.groups ?? {};
	const of = name === "" ? "" : [name, module.trim(), row.cache].join("\n");
	return { row, of, offset: Number.parseInt(offset, 16), size: Number.parseInt(size, 16) };
}

function byFunction<Row extends Site>(rows: readonly Row[]): Map<string, Parts<Row>[]> {
	const groups = new Map<string, Parts<Row>[]>();
	for (const parts of rows.map(partsOf))
		if (parts.of !== "") groups.set(parts.of, [...(groups.get(parts.of) ?? []), parts]);
	for (const group of groups.values()) group.sort((x, y) => x.offset - y.offset);
	return groups;
}

/** Builds differ if a function has two sizes; without sizes, if most call sites of common functions differ. */
function buildsDiffer<Row extends Site>(
	nrJoined: number,
	a: ReadonlyMap<string, readonly Parts<Row>[]>,
	b: ReadonlyMap<string, readonly Parts<Row>[]>,
): boolean {
	let nrOthers = 0;
	for (const [of, own] of a) {
		const [other] = b.get(of) ?? [];
		if (!other) continue;
		if (own.some(({ size }) => size !== other.size)) return true;
		nrOthers += own.length;
	}
	return nrOthers > nrJoined;
}

/** Joins what the names have not joined, where both traces have as many call sites of a function. */
export function joinBuilds<Row extends Site>(pairs: readonly Pair<Row>[]): readonly Pair<Row>[] {
	const a = byFunction(pairs.flatMap(([x, y]) => (x && !y ? [x] : [])));
	const b = byFunction(pairs.flatMap(([x, y]) => (y && !x ? [y] : [])));
	const nrJoined = pairs.filter(([x, y]) => x && y && partsOf(x).of !== "").length;
	if (!buildsDiffer(nrJoined, a, b)) return pairs;
	const partners = new Map<Row, Row>();
	for (const [of, own] of a) {
		const others = b.get(of) ?? [];
		if (others.length !== own.length) continue;
		for (const [i, { row }] of own.entries()) {
			const other = others[i];
			if (other) partners.set(row, other.row);
		}
	}
	const taken = new Set(partners.values());
	return pairs
		.filter(([x, y]) => x || !y || !taken.has(y))
		.map(([x, y]) => [x, y ?? (x && partners.get(x))]);
}
