/**
 * Puts the style sheet of the first view into the built page itself: one request fewer before the first paint. The
 * link to the sheet stays, disabled so that no browser fetches it, because Vite's code looks for it before loading a
 * part that needs the same sheet.
 */
import type { Plugin } from "vite";

const LINK = /<link rel="stylesheet"( crossorigin href="\.\/([^"]*)")>/;

export function inlineStyle(): Plugin {
	return {
		name: "inline-style",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (html, { bundle }) => {
				const [link, rest = "", file = ""] = LINK.exec(html) ?? [];
				const sheet = bundle?.[file];
				if (!link || sheet?.type !== "asset") throw new Error("index.html has no style sheet.");
				const css = sheet.source.toString();
				// Inline styles have the page's address, not the sheet's.
				if (/url\(|@import|<\//.test(css)) throw new Error(`${file} names other files.`);
				return html.replace(
					link,
					() => `<style>${css}</style>\n\t\t<link rel="stylesheet" disabled${rest}>`,
				);
			},
		},
	};
}
