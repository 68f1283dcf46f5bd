/** The roles of CSV columns as the visitor chose them; this browser remembers them by the header. */

import { ROLE_NAMES } from "#abi";
import { numberOf } from "../../base/format.ts";
import { recall, remember } from "../../base/kept.ts";
import type { CsvHeader } from "../../engine/types.ts";
import { LOCAL } from "../link/fields.ts";
import { selectionText } from "../link/link_parts.ts";
import { historyOf } from "../playback/object_history.ts";
import { cacheNumber } from "../playback/player.ts";
import { change, type Facts, facts, type Selection, store } from "../state/store.ts";

const KEPT = "slabscope.columns";
/** Number of headers to remember. */
const MOST = 32;

/** A role, as for kmem_import_columns. `id`: objects have names or numbers instead of addresses. */
type RoleWord = string;
export const UNITS = ["", "ns", "us", "ms", "s", "ticks"] as const;

export function roleWord(role: number): RoleWord {
	return (ROLE_NAMES[role] ?? "ROLE_NONE").replace("ROLE_", "").toLowerCase();
}

/**
 * Writes the roles by column, and the unit of time, as the core expects them. Columns are numbered, because names may contain
 * anything.
 */
export function mapping(roles: readonly RoleWord[], unit: string): string {
	const pairs = roles.flatMap((role, i) => (role === "none" ? [] : [`${role}=${i + 1}`]));
	return [...pairs, ...(unit === "" ? [] : [`unit=${unit}`])].join(",");
}

/** Returns the roles that are still missing before the file can be read. */
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

/** Returns "" if the header is unknown. */
export function rememberedColumns(csv: CsvHeader): string {
	const kept = all()[headerKey(csv)];
	return typeof kept === "string" ? kept : "";
}

/** Splits a mapping into its parts, to fill in a form. */
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

/* A link may select a slab or object that the trace never has: then the selection is removed, and reported. */

/** A slab that only doesn't exist right now stays selected, because it exists at other positions. */
export async function checkHeld(held: Selection): Promise<void> {
	const { moment } = await settled();
	if (!moment || facts().selected !== held) return;
	const fault = await faultOf(held);
	if (fault === "" || facts().selected !== held) return;
	const { error } = facts();
	change({ selected: null, error: error === "" ? fault : `${error} ${fault}` });
}

/** Waits until the requested position is shown, or cannot be. */
function settled(): Promise<Facts> {
	return new Promise((resolve) => {
		const look = (f: Facts): boolean => {
			if (!f.moment && f.progress === null && f.error === "" && !f.crash) return false;
			resolve(f);
			return true;
		};
		if (look(facts())) return;
		const stop = store.subscribe((f) => {
			if (look(f)) stop();
		});
	});
}

async function faultOf(held: Selection): Promise<string> {
	const { moment, cache } = facts();
	if (!moment) return "";
	const { slabs } = moment.frame;
	const row = slabs.serial.indexOf(held.serial);
	const sel = `The link's sel=${selectionText(held)}`;
	if (row < 0) {
		const thing = { cache: cacheNumber(), slab: held.serial };
		const history = await historyOf(thing, moment.position.op).catch(() => undefined);
		const isThere = history !== undefined && history.bornOp >= 0;
		return isThere
			? ""
			: `${sel} is ignored: ${cache} never has a slab ${held.serial} in this trace.`;
	}
	const nr = slabs.objects[row] ?? 0;
	return held.index < nr
		? ""
		: `${sel} is ignored: slab ${held.serial} has ${nr} objects, counted from 0.`;
}

/* Saves a blob as a file with a descriptive name. */

/** slabscope-two-nodes-event-61-step-2-stage.svg */
export function fileName(what: string, ending: string): string {
	const { trace, moment } = facts();
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	const parts = ["slabscope", name.replace(/(\.(gz|zst|zip|xz|txt|slabtrace|csv|dat|data))+$/, "")];
	if (moment) {
		const { position, nrSteps } = moment;
		parts.push(`event-${numberOf(position.op)}`);
		if (position.step < nrSteps - 1) parts.push(`step-${numberOf(position.step)}`);
	}
	return `${[...parts, what].map(plain).filter(Boolean).join("-")}.${ending}`;
}

function plain(words: string): string {
	return words
		.replaceAll(/[^\w.]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 60);
}

/** Long enough for any browser to start the download. */
const KEPT_MS = 60_000;

export function save(blob: Blob, name: string): void {
	const url = URL.createObjectURL(blob);
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	window.setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
