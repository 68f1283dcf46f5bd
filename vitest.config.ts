import { defineConfig } from "vitest/config";

export default defineConfig({
	test: { include: ["wasm/test/**/*.test.ts", "web/src/**/*.test.{ts,tsx}"] },
});
