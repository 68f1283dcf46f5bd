/** Tests the registry: on any keyboard, a key runs exactly one command, or none if that command doesn't apply. */
import { describe, expect, it } from "vitest";
import { change } from "../state/store.ts";
import { registerCommands } from "./command_list.ts";
import {
	addCommands,
	commandFor,
	commands,
	everyCommand,
	isCharacterKey,
	type Press,
	shortcutsOf,
} from "./commands.ts";

registerCommands();

const press = (key: string, code: string, more: Partial<Press> = {}): Press => ({
	key,
	code,
	shiftKey: false,
	ctrlKey: false,
	metaKey: false,
	altKey: false,
	repeat: false,
	...more,
});
const id = (p: Press) => commandFor(p)?.id;

describe("the registry of commands", () => {
	it("gives each key to only one command", () => {
		const taken = everyCommand().flatMap((c) => {
			return shortcutsOf(c).map(({ ctrl, shift, code, char }) => {
				return `${ctrl ? "Ctrl " : ""}${shift ? "Shift " : ""}${code ?? char}`;
			});
		});
		expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
	});

	it("leaves out commands that do not apply", () => {
		expect(id(press("b", "KeyB"))).toBeUndefined();
		expect(id(press("4", "Digit4"))).toBe("view-labs");
		expect(id(press("5", "Digit5"))).toBeUndefined();
		expect(commands().some((c) => c.id === "next-event")).toBe(false);
		expect(everyCommand().some((c) => c.id === "next-event")).toBe(true);
	});

	it("reads signs from what is printed on the key, and neighbouring keys from their position", () => {
		expect(id(press("?", "Slash", { shiftKey: true }))).toBe("help");
		expect(id(press("?", "Minus", { shiftKey: true }))).toBe("help");
		expect(id(press("o", "KeyO", { ctrlKey: true }))).toBe("open");
		expect(id(press("o", "KeyO", { metaKey: true }))).toBe("open");
		expect(id(press("o", "KeyO"))).toBeUndefined();
		const added = addCommands(
			{ id: "m", name: "Mark", group: "Go to", keys: "M", run: () => {} },
			{ id: "[", name: "Birth", group: "Go to", keys: "[", when: () => true, run: () => {} },
		);
		expect(id(press("m", "Semicolon"))).toBe("m");
		expect(id(press("ь", "KeyM"))).toBe("m");
		expect(id(press("M", "KeyM", { shiftKey: true }))).toBeUndefined();
		expect(id(press("[", "Digit8", { ctrlKey: true, altKey: true }))).toBe("[");
		added();
		expect(id(press("m", "Semicolon"))).toBeUndefined();
	});

	it("leaves out character keys when they are switched off", () => {
		const without = (p: Press) => commandFor(p, false)?.id;
		expect(without(press("7", "Digit7"))).toBeUndefined();
		expect(without(press("?", "Slash", { shiftKey: true }))).toBeUndefined();
		expect(without(press("/", "Slash"))).toBeUndefined();
		expect(without(press("o", "KeyO", { ctrlKey: true }))).toBe("open");
		expect(without(press("Escape", "Escape"))).toBe("let-go");
		const offered = everyCommand().filter((c) =>
			shortcutsOf(c).some(({ code = "" }) => /Arrow|Home|Space/.test(code)),
		);
		expect(offered.filter(isCharacterKey)).toEqual([]);
		expect(
			everyCommand()
				.filter((c) => c.keys?.length === 1 && /[A-Z\d]/.test(c.keys))
				.every(isCharacterKey),
		).toBe(true);
	});

	it("opens the palette with either of its keys", () => {
		expect(id(press("k", "KeyK", { ctrlKey: true }))).toBe("palette");
		expect(id(press("k", "KeyK", { metaKey: true }))).toBe("palette");
		expect(id(press("P", "KeyP", { ctrlKey: true, shiftKey: true }))).toBe("palette");
		expect(id(press("k", "KeyK"))).toBeUndefined();
	});

	it("repeats only moves while a key is held down", () => {
		change({ report: null });
		const held = { repeat: true };
		expect(id(press("7", "Digit7", held))).toBeUndefined();
		const added = addCommands({
			id: "on",
			name: "On",
			group: "Go to",
			keys: "Q",
			repeats: true,
			run: () => {},
		});
		expect(id(press("q", "KeyQ", held))).toBe("on");
		added();
	});
});
