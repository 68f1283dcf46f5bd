/** The registry: whatever keyboard is pressed, one command answers, and none when it is not there. */
import { describe, expect, it } from "vitest";
import { registerCommands } from "./command_list.ts";
import { addCommands, commandFor, commands, everyCommand, type Press } from "./commands.ts";
import { change } from "./store.ts";

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
	it("gives a key to one command only", () => {
		const taken = everyCommand().flatMap((c) => {
			const how = `${c.ctrl ? "Ctrl " : ""}${c.shift ? "Shift " : ""}`;
			return [...(c.codes ?? []), ...(c.chars ?? [])].map((key) => how + key);
		});
		expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
	});

	it("leaves out what is not there", () => {
		expect(id(press("b", "KeyB"))).toBeUndefined();
		expect(id(press("7", "Digit7"))).toBe("view-slabinfo");
		expect(commands().some((c) => c.id === "next-event")).toBe(false);
		expect(everyCommand().some((c) => c.id === "next-event")).toBe(true);
	});

	it("takes signs by what is printed on the key, and neighbours by their position", () => {
		expect(id(press("?", "Slash", { shiftKey: true }))).toBe("help");
		expect(id(press("?", "Minus", { shiftKey: true }))).toBe("help");
		expect(id(press("o", "KeyO", { ctrlKey: true }))).toBe("open");
		expect(id(press("o", "KeyO", { metaKey: true }))).toBe("open");
		expect(id(press("o", "KeyO"))).toBeUndefined();
		const added = addCommands(
			{ id: "m", name: "Mark", group: "Go to", chars: ["m"], run: () => {} },
			{ id: "[", name: "Birth", group: "Go to", chars: ["["], when: () => true, run: () => {} },
		);
		expect(id(press("m", "Semicolon"))).toBe("m");
		expect(id(press("ь", "KeyM"))).toBe("m");
		expect(id(press("M", "KeyM", { shiftKey: true }))).toBeUndefined();
		expect(id(press("[", "Digit8", { ctrlKey: true, altKey: true }))).toBe("[");
		added();
		expect(id(press("m", "Semicolon"))).toBeUndefined();
	});

	it("repeats moves only while a key is held down", () => {
		change({ report: null });
		const held = { repeat: true };
		expect(id(press("7", "Digit7", held))).toBeUndefined();
		const added = addCommands({
			id: "on",
			name: "On",
			group: "Go to",
			codes: ["KeyQ"],
			repeats: true,
			run: () => {},
		});
		expect(id(press("q", "KeyQ", held))).toBe("on");
		added();
	});
});
