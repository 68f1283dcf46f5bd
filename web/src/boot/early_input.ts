/**
 * Remembers input that arrives after the page's HTML but before React, which would miss it, and replays it once React
 * is loaded.
 */

type Deed = () => void;

let deeds: Deed[] = [];
let dropped: readonly File[] = [];
let listening: AbortController | undefined;

export function hearEarly(): void {
	listening = new AbortController();
	const { signal } = listening;
	const hear = <T extends Event>(type: string, deed: (event: T) => Deed | undefined) =>
		window.addEventListener(
			type,
			(event) => {
				const again = deed(event as T);
				if (again) deeds.push(again);
			},
			{ signal, capture: true },
		);
	hear("click", click);
	hear("change", changed);
	hear("keydown", pressed);
	// Otherwise the browser would open the file itself.
	hear("dragover", (event) => {
		event.preventDefault();
		return undefined;
	});
	hear<DragEvent>("drop", (event) => {
		event.preventDefault();
		dropped = [...(event.dataTransfer?.files ?? [])];
		return undefined;
	});
}

/** Replays the input, now that React and the keyboard listen. Returns the files that were dropped. */
export function doAgain(): readonly File[] {
	listening?.abort();
	const [done, files] = [deeds, dropped];
	deeds = [];
	dropped = [];
	for (const again of done) again();
	return files;
}

function click({ target }: Event): Deed | undefined {
	const pressed = target instanceof Element ? target.closest("button") : null;
	return pressed ? () => pressed.click() : undefined;
}

/** A choice from a list, or of files: React resets the list to its old value. */
function changed({ target }: Event): Deed | undefined {
	if (target instanceof HTMLInputElement && target.type === "file")
		return () => target.dispatchEvent(new Event("change", { bubbles: true }));
	if (!(target instanceof HTMLSelectElement)) return undefined;
	const { value } = target;
	return () => {
		target.value = value;
		target.dispatchEvent(new Event("change", { bubbles: true }));
	};
}

function pressed(event: Event): Deed | undefined {
	const { target } = event;
	const same = new KeyboardEvent("keydown", event as KeyboardEvent);
	return target ? () => target.dispatchEvent(same) : undefined;
}
