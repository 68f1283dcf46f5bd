import { defineConfig } from "vitest/config";
import { mdx } from "./web/build/mdx.ts";

export default defineConfig({
	plugins: [mdx()],
	test: {
		include: ["wasm/test/**/*.test.ts", "web/src/**/*.test.{ts,tsx}"],
		// They may have to wait for the processor: wasm/test-all.mjs lets the browser go first.
		testTimeout: 300_000,
		hookTimeout: 300_000,
	},
});
