/**
 * The registry of commands: the only source of keys, palette and help. A view adds its own commands while it is
 * shown:
 *
 * 	useEffect(() => addCommands({ id: "next-stop", name: "Next stop", group: "Views", keys: "PageDown", … }), []);
 */

/** In the order of the help. */
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

/** Keys by their letter or by their position, and whether they need Shift or Ctrl. */
export type Shortcut = Pick<Command, "codes" | "chars" | "shift" | "ctrl">;

export interface Command {
	/** Never changes: the palette remembers the last used commands by it. */
	readonly id: string;
	/** A verb first, e.g. "Go to the next event". */
	readonly name: string;
	readonly group: Group;
	/** As shown: "Shift →", "W or +". */
	readonly keys?: string;
	/** Keys by position on the keyboard (event.code), for arrows and groups of keys: "ArrowRight", "KeyW". */
	readonly codes?: readonly string[];
	/** Keys by their letter, on whatever keyboard: letters in lower case. */
	readonly chars?: readonly string[];
	readonly shift?: boolean;
	readonly ctrl?: boolean;
	/** Another way to press it. */
	readonly otherwise?: Shortcut;
	/** Repeats while the key is held down. */
	readonly repeats?: boolean;
	/** Its keys mean nothing else in a text field, so they work there too. */
	readonly inFields?: boolean;
	/** Absent: it can always run. */
	readonly when?: () => boolean;
	/** Other words that people type to find it. */
	readonly also?: string;
	readonly run: () => void;
}

const all = new Map<string, Command>();

/** Adds commands; they replace those with the same id. Returns a function that removes them. */
export function addCommands(...some: readonly Command[]): () => void {
	for (const command of some) all.set(command.id, command);
	return () => {
		for (const command of some) if (all.get(command.id) === command) all.delete(command.id);
	};
}

/** Removes all others for good. */
export function keepCommands(which: (command: Command) => boolean): void {
	for (const [id, command] of all) if (!which(command)) all.delete(id);
}

/** The commands that can run now, by group. */
export function commands(): Command[] {
	return GROUPS.flatMap((group) => [...all.values()].filter((c) => c.group === group && can(c)));
}

/** All commands, as help lists them. */
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

/**
 * A letter, digit or sign alone, or with Shift. Speech input and a slipped hand press such keys by accident, so they
 * can be switched off (WCAG 2.1.4).
 */
export function isCharacterKey({ ctrl, chars, codes }: Shortcut): boolean {
	if (ctrl) return false;
	return (chars?.length ?? 0) > 0 || (codes?.some((code) => CHARACTER_CODE.test(code)) ?? false);
}

const CHARACTER_CODE = /^(Key[A-Z]|Digit\d|Numpad|Equal|Minus|Comma|Period|Slash)/;

/**
 * The command for a key. The letter on a key goes before its position. Without `characters`, keys that write a
 * character have no command.
 */
export function commandFor(press: Press, characters = true): Command | undefined {
	const ctrl = press.ctrlKey || press.metaKey;
	const sign = signOf(press);
	// AltGr, which some keyboards need for brackets, comes as Ctrl and Alt together.
	const plain = !ctrl || (press.altKey && sign !== "");
	const bySign = (c: Shortcut) =>
		(c.chars?.includes(sign) ?? false) &&
		(c.ctrl ? ctrl : plain) &&
		(isLetter(sign) ? (c.shift ?? false) === press.shiftKey : true);
	const byCode = (c: Shortcut) =>
		(c.codes?.includes(press.code) ?? false) &&
		!press.altKey &&
		(c.ctrl ?? false) === ctrl &&
		(c.shift ?? false) === press.shiftKey;
	const able = [...all.values()].filter((c) => can(c) && (c.repeats === true || !press.repeat));
	const by = (test: (c: Shortcut) => boolean) => (c: Command) =>
		[c, c.otherwise].some((way) => way && (characters || !isCharacterKey(way)) && test(way));
	return able.find(by(bySign)) ?? able.find(by(byCode));
}

const isLetter = (sign: string) => /^[a-z]$/.test(sign);

/** The character that a key writes; on keyboards without Latin letters, the Latin letter at its position. */
function signOf({ key, code }: Press): string {
	if (/^[!-~]$/.test(key)) return key.toLowerCase();
	return key.length === 1 && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : "";
}
