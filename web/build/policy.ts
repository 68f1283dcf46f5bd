/**
 * The Content-Security-Policy of a built page: it may load and run its own files and nothing else. It is in the page
 * itself, so it applies on every host, and "your file never leaves this page" depends on it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const ALWAYS = ["object-src 'none'", "base-uri 'none'", "form-action 'none'"];

/**
 * Pictures are exported through a blob. The worker starts from one, so that this policy covers it
 * (base/load_code.ts).
 */
const SERVED = [
	"default-src 'self'",
	"script-src 'self' 'wasm-unsafe-eval'",
	"worker-src 'self' blob:",
	"style-src 'self'",
	"img-src 'self' blob:",
	...ALWAYS,
];

/**
 * A page on a disk has no origin: it may load files from disks, starts its worker from a blob, and connects to
 * nothing.
 */
const ON_A_DISK = [
	"default-src 'none'",
	"script-src file: blob: 'wasm-unsafe-eval'",
	"worker-src blob:",
	"style-src file:",
	"img-src file: blob:",
	"connect-src 'none'",
	...ALWAYS,
];

/**
 * fetch.html has its own policy (src/app/trace/fetch_elsewhere.ts): a header with the page's policy would forbid what
 * it is for.
 */
const OWN_POLICY = /^[^?#]*\/fetch\.html(?:$|[?#])/;

/** `npm start` also sends the policy of the built page as a header. */
export function policyHeader(): Plugin {
	return {
		name: "policy-header",
		configurePreviewServer: ({ config, middlewares }) => {
			const page = join(resolve(config.root, config.build.outDir), "index.html");
			const [, content = ""] = /-Policy" content="([^"]*)"/.exec(readFileSync(page, "utf8")) ?? [];
			const policy = content.replaceAll("&#39;", "'");
			middlewares.use((request, response, next) => {
				if (!OWN_POLICY.test(request.url ?? ""))
					response.setHeader("Content-Security-Policy", policy);
				next();
			});
		},
	};
}

/** Vite's own development server needs inline scripts and styles, so the policy is for built pages. */
export function contentPolicy(onDisk: boolean): Plugin {
	return {
		name: "content-policy",
		apply: "build",
		// It runs after all others, so that its tag comes before whatever they put first.
		transformIndexHtml: {
			order: "post",
			handler: (html) => {
				const content = withInline(onDisk ? ON_A_DISK : SERVED, html);
				const attrs = { "http-equiv": "Content-Security-Policy", content };
				return [{ tag: "meta", attrs, injectTo: "head-prepend" }];
			},
		},
	};
}

/**
 * Adds the hashes of the page's own inline script (early.ts) and style (inline_style.ts) to the policy: no others
 * are allowed.
 */
function withInline(policy: readonly string[], html: string): string {
	const hashes = (tag: string) =>
		[...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(
			([, text = ""]) => ` 'sha256-${createHash("sha256").update(text).digest("base64")}'`,
		);
	const [scripts, styles] = [hashes("script").join(""), hashes("style").join("")];
	const more = (rule: string) =>
		rule.startsWith("script-src") ? scripts : rule.startsWith("style-src") ? styles : "";
	return policy.map((rule) => rule + more(rule)).join("; ");
}
