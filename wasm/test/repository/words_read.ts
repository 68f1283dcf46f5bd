// words_read.ts - finds the text that people read in a source file: strings, JSX, comments, prose.

import { parseSync } from "vite";

/** One text as a person reads it, and the line on which it begins. */
export interface Text {
	readonly line: number;
	readonly text: string;
}

const lineAt = (source: string, offset: number) => source.slice(0, offset).split("\n").length;

/** Whether a person reads it: at least two words. */
const isSentence = (text: string) => /\s/.test(text) && (text.match(/[A-Za-z]+/g)?.length ?? 0) > 1;

/** What a C string literal shows: its escapes replaced. */
const unescapeC = (literal: string) =>
	literal.replaceAll(/\\[nt]/g, "\n").replaceAll(/\\(x[0-9a-f]+|.)/gi, " ");

const C_TOKEN =
	/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*|'(?:\\.|[^'\\])*'/g;

/** String literals with at least two words; neighbours that the compiler joins are one. */
export function stringsOfC(source: string): Text[] {
	return [...source.matchAll(C_TOKEN)]
		.filter(([token]) => token.startsWith('"'))
		.map(({ 0: token, index }) => ({
			line: lineAt(source, index),
			text: unescapeC(token.slice(1, -1).replaceAll(/"\s*"/g, "")),
		}))
		.filter(({ text }) => isSentence(text));
}

/** A comment without its frame; each paragraph is a text. */
function paragraphs(comment: string, line: number): Text[] {
	const rows = comment
		.replace(/^\/\*+/, "")
		.replace(/\*+\/$/, "")
		.split("\n")
		.map((row) => row.replace(/^\s*(\*|\/\/)? ?/, "").trim());
	const found: { line: number; text: string }[] = [];
	let open = false;
	for (const [index, row] of rows.entries()) {
		const item = /^[-*] |^\w[\w .,/=`]* {2,}\S|^@/.test(row);
		if (row === "" || item || !open) found.push({ line: line + index, text: "" });
		const last = found[found.length - 1];
		if (last) last.text = `${last.text} ${row}`.trim();
		open = row !== "";
	}
	return found.filter(({ text }) => isSentence(text));
}

export function commentsOfC(source: string): Text[] {
	return [...source.matchAll(C_TOKEN)]
		.filter(([token]) => token.startsWith("/"))
		.flatMap(({ 0: token, index }) => paragraphs(token, lineAt(source, index)));
}

interface Node {
	readonly type: string;
	readonly start: number;
	readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
	typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode);

const text = (value: unknown) => (typeof value === "string" ? value : "");

const templateText = (node: Node) =>
	(node.quasis as { value: { cooked?: string } }[])
		.map(({ value }) => value.cooked ?? "")
		.join("0");

/** The words of a JSX element with text in it; an expression counts as one word. */
function jsxText(node: Node): string {
	if (node.type === "JSXText") return text(node.value).replaceAll(/\s+/g, " ");
	if (node.type === "JSXElement" || node.type === "JSXFragment") {
		return (node.children as Node[]).map(jsxText).join("");
	}
	const expression = node.expression;
	return isNode(expression) && expression.type === "Literal" ? text(expression.value) : "0";
}

const hasText = (node: Node) =>
	Array.isArray(node.children) &&
	(node.children as Node[]).some(
		(child) => child.type === "JSXText" && /\w/.test(text(child.value)),
	);

/** Attributes whose words are for the browser. */
const NOT_READ = /^(className|class|d|style|viewBox|transform|points|href|src|rel|id|key|type)$/;

function collect(node: Node, found: { offset: number; text: string }[]) {
	if (/^(Import|ExportAll)/.test(node.type)) return;
	if (node.type === "JSXAttribute" && NOT_READ.test(text((node.name as Node).name))) return;
	const add = (words: string) => found.push({ offset: node.start, text: words });
	if (node.type === "Literal") add(text(node.value));
	if (node.type === "TemplateLiteral") add(templateText(node));
	const holdsText = hasText(node);
	if (holdsText) add(jsxText(node));
	for (const child of childrenOf(node)) {
		if (holdsText && isInline(child)) collectInline(child, found);
		else collect(child, found);
	}
}

const isInline = (node: Node) => node.type === "JSXElement" || node.type === "JSXText";

/** The attributes and expressions of an element whose text was read with its parent's. */
function collectInline(node: Node, found: { offset: number; text: string }[]) {
	for (const child of childrenOf(node)) {
		if (isInline(child)) collectInline(child, found);
		else collect(child, found);
	}
}

/** Strings, templates and JSX text with at least two words. */
export function stringsOfTs(source: string, path: string): Text[] {
	const found: { offset: number; text: string }[] = [];
	collect(parseSync(path, source).program as unknown as Node, found);
	return found
		.filter((one) => isSentence(one.text))
		.map((one) => ({ line: lineAt(source, one.offset), text: one.text }));
}

/** The comment that opens a file, and documentation comments. */
export function commentsOfTs(source: string, path: string): Text[] {
	const { comments } = parseSync(path, source);
	const opening = source.slice(0, source.search(/\n(?!\/\/)/)).replaceAll("//", "");
	return [
		...paragraphs(opening, 1),
		...comments
			.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
			.flatMap(({ value, start }) => paragraphs(`/*${value}*/`, lineAt(source, start))),
	];
}

/** The prose of a Markdown or MDX file: paragraphs, list items, table cells, titles of elements. */
export function proseOf(source: string): Text[] {
	const blank = (part: string) => part.replaceAll(/[^\n]/g, "");
	const prose = source
		.replaceAll(/^```[\s\S]*?^```/gm, blank)
		.replaceAll(/<!--[\s\S]*?-->/g, blank)
		.replaceAll(/^(import|export) .*$/gm, "")
		.replaceAll(/<\w+(?:\s+[\w-]+(?:=(?:"[^"]*"|\{`[^`]*`\}|\{[^}]*\}))?)*\s*\/?>/g, (tag) => {
			const title = /\b(?:title|question|label)="([^"]*)"/.exec(tag);
			return title
				? `\n${title[1]}\n`.replaceAll("\n", blank(tag) === "" ? " " : "\n")
				: `${blank(tag)}0`;
		})
		.replaceAll(/<\/\w+>/g, "")
		.replaceAll(/`[^`\n]*`/g, "`x`")
		.replaceAll(/\]\([^)\s]*\)/g, "]");
	const found: { line: number; text: string }[] = [];
	let open = false;
	for (const [index, row] of prose.split("\n").entries()) {
		const starts = /^\s*([-*] |\d+\. |#|\||>)/.test(row);
		const heading = /^#/.test(row);
		const cells = row.startsWith("|") ? row.split("|") : [row];
		for (const cell of cells) {
			const words = cell.replace(/^\s*([-*] |\d+\. |#+ |> )/, "").trim();
			if (words === "" || starts || !open) found.push({ line: index + 1, text: "" });
			const last = found[found.length - 1];
			if (last) last.text = `${last.text} ${words}`.trim();
		}
		open = row.trim() !== "" && !heading && !row.startsWith("|");
	}
	return found.filter((one) => isSentence(one.text));
}

/** The values of a JSON file that are sentences. */
export function stringsOfJson(source: string): Text[] {
	return [...source.matchAll(/:\s*"((?:\\.|[^"\\])*)"/g)]
		.map(({ 1: value = "", index }) => ({ line: lineAt(source, index), text: value }))
		.filter((one) => isSentence(one.text));
}
