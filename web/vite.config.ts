/**
 * The page's build. Paths are relative, so the result works from any folder of any static host. The samples in
 * traces/ and the wasm module are served as they are; the strict content policy is part of the built page.
 * `--mode disk` builds the page that opens from a disk instead (zip.mjs).
 */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { abiParts, isAbiPart } from "./build/abi_parts.ts";
import { CLASS_NAMES } from "./build/class_names.ts";
import { compileHint } from "./build/compile_hint.ts";
import { early } from "./build/early.ts";
import { firstPageHtml } from "./build/first_page.ts";
import { inlineStyle } from "./build/inline_style.ts";
import { mdx } from "./build/mdx.ts";
import { offline } from "./build/offline.ts";
import { classicScript, ownFiles } from "./build/on_disk.ts";
import { contentPolicy, policyHeader } from "./build/policy.ts";
import { traces } from "./build/traces.ts";

/** Modules of the wasm room do nothing until they are called: what a chunk does not use of them it need not have. */
const treeshake = { moduleSideEffects: (id: string) => !id.includes("/wasm/src/") };

export default defineConfig(({ mode }) => {
	const onDisk = mode === "disk";
	return {
		root: fileURLToPath(new URL(".", import.meta.url)),
		base: "./",
		css: { modules: CLASS_NAMES },
		plugins: [
			mdx(),
			abiParts(),
			react(),
			firstPageHtml(),
			...(onDisk
				? [ownFiles(), classicScript()]
				: [compileHint(), early(), inlineStyle(), traces(), offline()]),
			contentPolicy(onDisk),
			policyHeader(),
		],
		worker: {
			format: onDisk ? "iife" : "es",
			plugins: () => [abiParts(), ...(onDisk ? [ownFiles()] : [])],
			rolldownOptions: { treeshake },
		},
		server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
		build: {
			target: "es2023",
			assetsInlineLimit: 0,
			modulePreload: onDisk ? (false as const) : { polyfill: false },
			reportCompressedSize: false,
			rolldownOptions: {
				treeshake,
				// What the first view needs is one file: each more is one more question to a server far away.
				output: {
					codeSplitting: {
						groups: [
							{ name: "first", tags: ["$initial"], priority: 1 },
							{ name: "abi", test: isAbiPart },
						],
					},
				},
			},
			...(onDisk && {
				chunkSizeWarningLimit: 4000,
				cssCodeSplit: false,
				rolldownOptions: {
					treeshake,
					// What a classic script cannot know, nothing in it asks for.
					checks: { emptyImportMeta: false },
					output: { format: "iife" as const, codeSplitting: false },
				},
			}),
		},
	};
});
