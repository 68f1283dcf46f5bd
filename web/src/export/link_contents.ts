/** Describes the contents of a link to this view in words, and what it cannot contain. */

import { addressTo } from "../app/link/address.ts";
import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import { toQuery, viewOf } from "../app/link/url.ts";
import { allocatorOf, facts } from "../app/state/store.ts";
import { count, quantity } from "../base/format.ts";
import { eventWords, numberOf } from "../base/numbering.ts";

export function linkText(): string {
	return `${location.origin}${addressTo(toQuery(viewOf(facts())), location)}`;
}

/** Names the trace and the event on screen. */
export function viewWords(): string {
	const { trace, moment } = facts();
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : trace;
	return `Trace ${name}, event ${numberOf(moment?.position.op ?? 0)}`;
}

const quoted = (value: string) => `"${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;

/** The HTML element for other pages, and its script; "" if it cannot contain what is on screen. */
export function embedText(): string {
	const { trace, moment, built, machine, sandbox, future } = facts();
	const isHere = future === "yours" && (sandbox?.acts.length ?? 0) > 0;
	const code = isHere ? facts().sandboxCode : "";
	if (isHere && code === "") return "";
	const settings = Object.entries(machine.values).filter(([key]) => key !== "allocator");
	const script = new URL("slab-player.js", `${location.origin}${location.pathname}`).href;
	const all: readonly (readonly [string, string])[] = [
		["trace", trace],
		["sandbox", code],
		["event", String(numberOf(moment?.position.op ?? 0))],
		["allocator", machine.values.allocator ? allocatorOf(built) : ""],
		["preset", machine.preset],
		["settings", settings.map(([key, value]) => `${key}=${value}`).join(" ")],
	];
	const given = all.filter(([, value]) => value !== "");
	const attributes = given.map(([name, value]) => `${name}=${quoted(value)}`).join(" ");
	return `<script src=${quoted(script)}></script> <slab-player ${attributes}></slab-player>`;
}

export function holds(): string {
	const {
		trace,
		sandboxCode,
		moment,
		machine,
		selected,
		zoom,
		breakpoints,
		machineState,
		marks,
		range,
		tab,
		unknown,
	} = facts();
	const settings = Object.keys(machine.values).length + (machine.preset === "" ? 0 : 1);
	const all: readonly (readonly [boolean, string])[] = [
		[true, trace === SANDBOX ? "the sandbox itself" : "the name of the trace"],
		[trace !== SANDBOX && sandboxCode !== "", "your fork of it"],
		[moment !== null, eventWords(moment?.position.op ?? 0)],
		[settings > 0, `${quantity(settings, "setting")} of the machine`],
		[tab !== "explore", "the view"],
		[selected !== null, "the selection"],
		[zoom !== null, "the zoom"],
		[breakpoints.length > 0, quantity(breakpoints.length, "breakpoint")],
		[Boolean(machineState?.code), "the machine state"],
		[marks.length > 0, quantity(marks.length, "mark")],
		[range !== null, "the part that the timeline shows"],
		[unknown.length > 0, "the parts of your link that this page does not know"],
	];
	const words = all.filter(([is]) => is).map(([, word]) => word);
	return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join("");
}

/** Chat and mail programs cut off addresses longer than about 2,000 characters. */
const LONG_CHARS = 2000;

function lengthWords(chars: number): string {
	if (chars <= LONG_CHARS) return "";
	return ` The link has ${count(chars)} characters. Some chat and mail programs cut off long links: send it in a file. Servers do not see the part after the #.`;
}

export function misses(): string {
	const { trace, sandbox, sandboxCode, machineState } = facts();
	const state =
		machineState?.code === ""
			? "It does not contain the machine state, which is too long for an address: the bundle does. "
			: "";
	const habits = `${state}The link does not set theme and speed.${lengthWords(linkText().length)}`;
	if (trace.startsWith(LOCAL))
		return `It does not contain ${trace.slice(LOCAL.length)} itself, which never leaves this page: the page asks whoever opens the link for the file. ${habits}`;
	if (sandboxCode === "" && (sandbox?.acts.length ?? 0) > 0)
		return `It does not contain the ${trace === SANDBOX ? "sandbox" : "fork"}, which is too long for an address: save it as a trace and send the file too. ${habits}`;
	return habits;
}
