/**
 * The registry of commands: the only source of keys, palette and help. A view adds its own commands while it is
 * shown:
 *
 * 	useEffect(() => addCommands({ id: "next-stop", name: "Next stop", group: "Views", keys: "PageDown", … }), []);
 */

/** Listed in the order that the help shows. */
export const GROUPS = [
	"Play and step",
	"Go to",
	"Look",
	"Views",
	"Trace",
	"Machine",
	"Page",
] as const;
export type Group = (typeof GROUPS)[number];

export interface Command {
	/** Never changes: the palette remembers recently used commands by it. */
	readonly id: string;
	/** A verb first, e.g. "Go to the next event". */
	readonly name: string;
	readonly group: Group;
	/** The keys as the page shows them and shortcutsOf reads them: "Shift →", "W or +", "Ctrl Shift P". */
	readonly keys?: string;
	/** Other keys, given by their position on the keyboard (event.code). */
	readonly codes?: readonly string[];
	/** The browser handles these keys itself, and the page follows. */
	readonly isBrowsers?: true;
	/** Repeats while the key is held down. */
	readonly repeats?: boolean;
	/** These keys mean nothing else in a text field, so they work there too. */
	readonly inFields?: boolean;
	/** If left out, the command can always run. */
	readonly when?: () => boolean;
	/** Other words that people might type to find it. */
	readonly also?: string;
	readonly run: () => void;
}

const all = new Map<string, Command>();

/** Adds commands; they replace those with the same id. Returns a function that removes them again. */
export function addCommands(...some: readonly Command[]): () => void {
	for (const command of some) all.set(command.id, command);
	return () => {
		for (const command of some) if (all.get(command.id) === command) all.delete(command.id);
	};
}

/** Removes all other commands for good. */
export function keepCommands(which: (command: Command) => boolean): void {
	for (const [id, command] of all) if (!which(command)) all.delete(id);
}

/** Returns the commands that can run now, by group. */
export function commands(): Command[] {
	return GROUPS.flatMap((group) => [...all.values()].filter((c) => c.group === group && can(c)));
}

/** Returns all commands, as the help lists them. */
export function everyCommand(): Command[] {
	return GROUPS.flatMap((group) => [...all.values()].filter((c) => c.group === group));
}

export function commandOf(id: string): Command | undefined {
	return all.get(id);
}

function can(command: Command): boolean {
	return command.when?.() ?? true;
}

/** The fields of a keyboard event that matter here. */
export type Press = Pick<
	KeyboardEvent,
	"key" | "code" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "repeat"
>;

/** One way to press a command: a key by the character it writes, or by its position on the keyboard. */
interface Shortcut {
	readonly char?: string;
	readonly code?: string;
	readonly shift: boolean;
	readonly ctrl: boolean;
}

const CODES: Readonly<Record<string, string>> = {
	"→": "ArrowRight",
	"←": "ArrowLeft",
	"↑": "ArrowUp",
	"↓": "ArrowDown",
	Space: "Space",
	Esc: "Escape",
	Home: "Home",
	End: "End",
	PageUp: "PageUp",
	PageDown: "PageDown",
};

/** W, A, S, D and the digits go by position, because these keys are neighbours on every keyboard. */
function shortcutOf(way: string): Shortcut {
	const [sign = "", ...held] = way.split(" ").toReversed();
	const how = { shift: held.includes("Shift"), ctrl: held.includes("Ctrl") };
	if (CODES[sign]) return { code: CODES[sign], ...how };
	if (/^\d$/.test(sign)) return { code: `Digit${sign}`, ...how };
	if (/^[WASD]$/.test(sign)) return { code: `Key${sign}`, ...how };
	return { char: sign === "−" ? "-" : sign.toLowerCase(), ...how };
}

/** Lists all the ways to press a command. */
export function shortcutsOf({ keys, codes = [], isBrowsers }: Command): Shortcut[] {
	if (isBrowsers) return [];
	const shown = keys?.split(" or ").map(shortcutOf) ?? [];
	return [...shown, ...codes.map((code) => ({ code, shift: false, ctrl: false }))];
}

const CHARACTER_CODE = /^(Key[A-Z]|Digit\d|Numpad|Equal|Minus|Comma|Period|Slash)/;

const writesCharacter = ({ ctrl, char, code = "" }: Shortcut) =>
	!ctrl && (char !== undefined || CHARACTER_CODE.test(code));

/**
 * Whether the command's key is a letter, digit or sign, alone or with Shift. Speech input or a slip of the hand presses such
 * keys by accident, so they can be switched off (WCAG 2.1.4).
 */
export function isCharacterKey(command: Command): boolean {
	return shortcutsOf(command).some(writesCharacter);
}

/**
 * Finds the command for a key. The letter on a key takes precedence over its position. Without `characters`, keys that
 * write a character have no command.
 */
export function commandFor(press: Press, characters = true): Command | undefined {
	const ctrl = press.ctrlKey || press.metaKey;
	const sign = signOf(press);
	// AltGr, which some keyboards need for brackets, arrives as Ctrl and Alt together.
	const plain = !ctrl || (press.altKey && sign !== "");
	const bySign = (way: Shortcut) =>
		way.char === sign &&
		(way.ctrl ? ctrl : plain) &&
		(!isLetter(sign) || way.shift === press.shiftKey);
	const byCode = (way: Shortcut) =>
		way.code === press.code && !press.altKey && way.ctrl === ctrl && way.shift === press.shiftKey;
	const able = [...all.values()].filter((c) => can(c) && (c.repeats === true || !press.repeat));
	const by = (test: (way: Shortcut) => boolean) => (c: Command) =>
		shortcutsOf(c).some((way) => (characters || !writesCharacter(way)) && test(way));
	return able.find(by(bySign)) ?? able.find(by(byCode));
}

const isLetter = (sign: string) => /^[a-z]$/.test(sign);

/** Returns the character that a key types; on keyboards without Latin letters, the Latin letter at that position. */
function signOf({ key, code }: Press): string {
	if (/^[!-~]$/.test(key)) return key.toLowerCase();
	return key.length === 1 && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : "";
}
