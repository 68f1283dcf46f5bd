/** A BibTeX entry for the view on screen: its link, the version and the day. */
import { version } from "../../../package.json";

/** The characters that TeX would act on. */
const plain = (text: string) =>
	text
		.replaceAll(/[\\{}]/g, "")
		.replaceAll(/[&%$#_]/g, "\\$&")
		.replaceAll(/[~^]/g, "-");

interface Cited {
	readonly link: string;
	/** Names the trace and the event. */
	readonly view: string;
	/** 2026-11-23 */
	readonly day: string;
}

export function bibtexOf({ link, view, day }: Cited): string {
	const fields = {
		author: "{The Slabscope authors}",
		title: "Slabscope: the {Linux} slab allocators made visible",
		version,
		year: day.slice(0, 4),
		url: link.replaceAll("{", "%7B").replaceAll("}", "%7D"),
		urldate: day,
		note: plain(view),
	};
	const lines = Object.entries(fields).map(([key, value]) => `\t${key} = {${value}}`);
	return `@software{slabscope-${day},\n${lines.join(",\n")}\n}\n`;
}
