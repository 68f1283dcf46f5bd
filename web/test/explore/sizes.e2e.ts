/** Tests one page at the sizes of laptops, tablets, phones and large screens: nothing that matters is cut off or covered. */

import { open, variant, watch } from "../support/page.ts";
import { expect, type Page, test } from "../support/shared.ts";

/** An allocation that asks every level and every node. */
const POSITION =
	"trace=linux-6.1-hackbench-4-nodes.ftrace.txt.gz&cache=kmalloc-cg-512&event=16424&step=11";
/** With an open Why card; machines with all four nodes on each of three levels. */
const MACHINES = ["&why=1/full", "&set.allocator=slab", "&set.allocator=unified"];

const SIZES = [
	[1280, 800],
	[1200, 720],
	[1024, 768],
	[844, 390],
	[768, 1024],
] as const;
/** Other tests use windows of about these sizes. */
const MORE_SIZES = [
	[1366, 650],
	[390, 844],
	[3840, 2160],
] as const;

/** Describes whatever is cut off, covered or outside the window. */
function faultsAt(page: Page, hasWhy: boolean): Promise<string[]> {
	return page.evaluate((hasWhy) => {
		const found: string[] = [];
		const all = (selector: string, within: ParentNode = document) =>
			[...within.querySelectorAll<HTMLElement>(selector)].filter(
				(e) =>
					e.checkVisibility({ visibilityProperty: true }) &&
					getComputedStyle(e).clipPath === "none",
			);
		const named = (e: HTMLElement) =>
			e.dataset.part ?? e.getAttribute("aria-label") ?? (e.textContent ?? "").slice(0, 40);
		const box = (e: Element) => e.getBoundingClientRect();
		const within = (e: HTMLElement, frame: DOMRect, what: string) => {
			const { left, right, top, bottom } = box(e);
			const isIn =
				left >= frame.left - 1 &&
				right <= frame.right + 1 &&
				top >= frame.top - 1 &&
				bottom <= frame.bottom + 1;
			if (!isIn) found.push(`${named(e)} is outside of ${what}`);
		};
		const whole = (e: HTMLElement) => {
			if (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
				found.push(`${named(e)} is cut off`);
		};
		const apart = (parts: readonly HTMLElement[]) => {
			for (const [i, a] of parts.entries())
				for (const b of parts.slice(i + 1)) {
					const [one, two] = [box(a), box(b)];
					const over =
						Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1 &&
						Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 1;
					if (over) found.push(`${named(a)} and ${named(b)} overlap`);
				}
		};
		const page = new DOMRect(0, 0, innerWidth, innerHeight);
		if (document.documentElement.scrollWidth > innerWidth) found.push("the page is too wide");

		// The header: names are complete, and nothing covers anything else.
		const views = all("[role=tab]");
		const [bar] = all("header:has([role=tablist])");
		const tools = all(":is(h1, div:not([role=tablist]) > button)", bar);
		for (const e of [...views, ...tools]) within(e, page, "the window");
		apart([...views, ...tools]);
		all("[data-part=chips] strong").forEach(whole);

		// The controls: their buttons, the position and the timeline.
		const controls = all("[data-part=controls]");
		const [footer] = controls;
		const buttons = all("[data-part=controls] button[data-moves], [data-part=controls] select");
		const words = all("[data-part=position]");
		const [timeline] = all("[data-part=timeline] canvas");
		for (const e of [...buttons, ...words]) within(e, page, "the window");
		apart([...buttons, ...words]);
		const isOnSide = innerWidth < 1200 && innerHeight < 560 && innerWidth > innerHeight;
		// In one column, the answer replaces the timeline.
		const isReplaced = hasWhy && innerWidth < 1200 && !isOnSide;
		if (!footer || (!timeline && !isReplaced)) return [...found, "there is no timeline"];
		if (timeline) {
			within(timeline, box(footer), "the controls");
			if (box(timeline).height < 26) found.push("the timeline is too low");
			apart([timeline, ...buttons]);
		}

		// The section: above the buttons, with its caption, and with each stop of the path on it, none covering another.
		const floor = box(footer).top;
		const [section] = all("[data-part=stage] canvas");
		if (!section) return [...found, "there is no section"];
		within(section, new DOMRect(0, 0, innerWidth, floor), "the page above the buttons");
		apart([section, ...all("[data-part=dock]")]);
		const stops = all("[data-path-stop]");
		if (stops.length === 0) found.push("no stops");
		for (const stop of stops) within(stop, box(section), "the section");
		const sentence = all("[role=status][aria-label='Current step']").flatMap((e) =>
			all("[data-sentence]", e),
		);
		for (const stop of stops) apart([...sentence, stop]);
		for (const heading of all("[aria-label=Stage] h2")) {
			within(heading, page, "the window");
			whole(heading);
		}
		all("nav a [data-words]").forEach(whole);

		// The event's cost: below an answer, you scroll to it.
		const cost = all("[data-part=cycles] :is(p, [role=group])");
		if (cost.length < 2) found.push("there is no cost");
		for (const part of isReplaced ? [] : cost)
			within(part, new DOMRect(0, 0, innerWidth, floor), "the page above the buttons");
		apart(all("[data-part=cycles] [aria-hidden] > span"));

		// The legend shows all of its items.
		for (const legend of all("[aria-label=Stage] > ul"))
			for (const e of all("li", legend)) within(e, box(legend), "the legend");

		// The Why card: in the window, with its facts and what to press.
		if (!hasWhy) return found;
		const [why] = all("[data-part=why]");
		if (!why) return [...found, "there is no Why card"];
		// You scroll to whatever does not fit in the dock.
		const [dock] = all("[data-part=dock]");
		within(dock ?? why, page, "the window");
		for (const e of all("h2, h3, li, button", why)) within(e, box(why), "the Why card");
		return found;
	}, hasWhy);
}

for (const machine of MACHINES)
	test(
		`nothing that matters is cut off or covered, from a phone to a large screen: ${machine}`,
		variant(machine !== MACHINES[0]),
		async ({ page }) => {
			watch(page);
			await page.emulateMedia({ reducedMotion: "reduce" });
			await open(page, POSITION + machine);
			const sizes = process.env.LONG === "1" ? [...SIZES, ...MORE_SIZES] : SIZES;
			for (const [width, height] of sizes) {
				await page.setViewportSize({ width, height });
				// Canvases and the card learn the window's size a little later than the window itself.
				const find = () => faultsAt(page, machine.startsWith("&why"));
				await expect.poll(find, { message: `${width} x ${height}` }).toEqual([]);
			}
		},
	);
