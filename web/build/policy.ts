/**
 * The Content-Security-Policy of a built page: it may load and run its own files and nothing else. It is in the page
 * itself, so it holds on every host, and "your file never leaves this page" rests on it.
 */
import type { Plugin } from "vite";

const ALWAYS = ["object-src 'none'", "base-uri 'none'", "form-action 'none'"];

/**
 * Pictures are exported through a blob. The worker starts from one, so that this policy covers it
 * (base/own_worker.ts).
 */
const SERVED = [
	"default-src 'self'",
	"script-src 'self' 'wasm-unsafe-eval'",
	"worker-src 'self' blob:",
	"style-src 'self'",
	"img-src 'self' blob:",
	...ALWAYS,
];

/** A page on a disk has no origin: it may load files of disks, starts its worker from a blob, and connects to nothing. */
const ON_A_DISK = [
	"default-src 'none'",
	"script-src file: blob: 'wasm-unsafe-eval'",
	"worker-src blob:",
	"style-src file:",
	"img-src file: blob:",
	"connect-src 'none'",
	...ALWAYS,
];

const POLICY = SERVED.join("; ");

/** fetch.html has its own policy (src/app/trace/fetch_elsewhere.ts): a header with the page's would forbid what it is for. */
const OWN_POLICY = /^[^?#]*\/fetch\.html(?:$|[?#])/;

/** `npm start` also sends the policy as a header. */
export function policyHeader(): Plugin {
	return {
		name: "policy-header",
		configurePreviewServer: ({ middlewares }) => {
			middlewares.use((request, response, next) => {
				if (!OWN_POLICY.test(request.url ?? ""))
					response.setHeader("Content-Security-Policy", POLICY);
				next();
			});
		},
	};
}

/** Vite's own development server needs inline scripts and styles, so the policy is for built pages. */
export function contentPolicy(onDisk: boolean): Plugin {
	const content = (onDisk ? ON_A_DISK : SERVED).join("; ");
	return {
		name: "content-policy",
		apply: "build",
		// Behind all others, so that it stands before whatever they put first.
		transformIndexHtml: {
			order: "post",
			handler: () => [
				{
					tag: "meta",
					attrs: { "http-equiv": "Content-Security-Policy", content },
					injectTo: "head-prepend",
				},
			],
		},
	};
}
