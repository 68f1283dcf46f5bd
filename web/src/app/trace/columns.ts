/** The roles of CSV columns as the visitor chose them; this browser remembers them by the header. */
import { ROLE_NAMES } from "#abi";
import { recall, remember } from "../../base/kept.ts";
import type { CsvHeader } from "../../engine/types.ts";

const KEPT = "slabscope.columns";
/** Number of headers to remember. */
const MOST = 32;

/** A role, as for kmem_import_columns. `id`: objects have names or numbers instead of addresses. */
export type RoleWord = string;
export const UNITS = ["", "ns", "us", "ms", "s", "ticks"] as const;

export function roleWord(role: number): RoleWord {
	return (ROLE_NAMES[role] ?? "ROLE_NONE").replace("ROLE_", "").toLowerCase();
}

/**
 * Roles by column and the unit of time, as the core expects them. Columns go by number: names may contain anything.
 */
export function mapping(roles: readonly RoleWord[], unit: string): string {
	const pairs = roles.flatMap((role, i) => (role === "none" ? [] : [`${role}=${i + 1}`]));
	return [...pairs, ...(unit === "" ? [] : [`unit=${unit}`])].join(",");
}

/** The roles that are still missing before the file can be read. */
export function stillMissing({ missing }: CsvHeader, roles: readonly RoleWord[]): RoleWord[] {
	const said = new Set(roles);
	const instead: Readonly<Record<RoleWord, RoleWord>> = { ptr: "id", req: "alloc" };
	return missing.map(roleWord).filter((w) => !said.has(w) && !said.has(instead[w] ?? w));
}

function headerKey({ columns }: CsvHeader): string {
	return JSON.stringify(columns.map((c) => c.name));
}

function all(): Record<string, string> {
	return (recall(KEPT) ?? {}) as Record<string, string>;
}

export function rememberColumns(csv: CsvHeader, columns: string): void {
	const kept = { ...all() };
	delete kept[headerKey(csv)];
	const entries = [...Object.entries(kept), [headerKey(csv), columns] as const];
	remember(KEPT, Object.fromEntries(entries.slice(-MOST)));
}

/** "" if the header is unknown. */
export function rememberedColumns(csv: CsvHeader): string {
	const kept = all()[headerKey(csv)];
	return typeof kept === "string" ? kept : "";
}

/** Splits a mapping again, for a form to begin with. */
export function rolesOf(csv: CsvHeader): { readonly roles: RoleWord[]; readonly unit: string } {
	const roles = csv.columns.map((c) => roleWord(c.role));
	let unit = "";
	for (const pair of rememberedColumns(csv).split(",")) {
		const [role = "", column = ""] = pair.split("=");
		if (role === "unit") unit = column;
		else if (roles[Number(column) - 1] !== undefined) roles[Number(column) - 1] = role;
	}
	return { roles, unit };
}
