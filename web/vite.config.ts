/**
 * The page's build. Paths are relative, so the result works from any folder of any static host. The samples in
 * traces/ and the wasm module are served as they are; the strict content policy is part of the built page.
 */
import { cpSync, createReadStream, existsSync, statSync } from "node:fs";
import { basename, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const TRACES = fileURLToPath(new URL("../traces", import.meta.url));

const POLICY = [
	"default-src 'self'",
	"script-src 'self' 'wasm-unsafe-eval'",
	"style-src 'self'",
	"img-src 'self' data:",
	"object-src 'none'",
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

/** Vite's own development server needs inline scripts and styles, so the policy is for built pages. */
function contentPolicy(): Plugin {
	return {
		name: "content-policy",
		apply: "build",
		transformIndexHtml: () => [
			{
				tag: "meta",
				attrs: { "http-equiv": "Content-Security-Policy", content: POLICY },
				injectTo: "head-prepend",
			},
		],
	};
}

/** traces/ beside the page: copied by the build, read from its place in development. */
function traces(): Plugin {
	let outDir = "";
	return {
		name: "traces",
		configResolved(config) {
			outDir = resolve(config.root, config.build.outDir);
		},
		configureServer(server) {
			server.middlewares.use("/traces", (request, response, next) => {
				const path = join(
					TRACES,
					normalize(decodeURIComponent((request.url ?? "").split("?")[0] ?? "")),
				);
				if (!path.startsWith(TRACES) || !existsSync(path) || !statSync(path).isFile())
					return next();
				response.setHeader(
					"Content-Type",
					path.endsWith(".json") ? "application/json" : "application/octet-stream",
				);
				createReadStream(path).pipe(response);
			});
		},
		closeBundle() {
			if (existsSync(TRACES)) {
				cpSync(TRACES, join(outDir, basename(TRACES)), { recursive: true });
			}
		},
	};
}

export default defineConfig({
	root: fileURLToPath(new URL(".", import.meta.url)),
	base: "./",
	plugins: [react(), contentPolicy(), traces()],
	worker: { format: "es" },
	server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
	build: {
		target: "es2023",
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
	},
});
