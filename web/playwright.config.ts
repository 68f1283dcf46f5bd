/** Browser tests of the built page, in the Chromium that the machine has. `vite build web` comes first. */
import { defineConfig } from "@playwright/test";

const PORT = Number(process.env.TEST_PORT ?? 4319);

export default defineConfig({
	testDir: "test",
	testMatch: "**/*.e2e.ts",
	...(process.env.LONG ? {} : { grepInvert: /@long/ }),
	outputDir: "test/output",
	workers: 2,
	timeout: 60_000,
	expect: { timeout: 15_000 },
	use: {
		baseURL: `http://localhost:${PORT}/`,
		// Keeping the page for times without a network is a test of its own, and would be in the way of the others.
		serviceWorkers: "block",
		// A context for each test costs a second of the processor each: the page would be compiled anew every time. Storage, extra
		// pages, routes and scripts of a test are taken away after it; what is not (permissions, quota, network) it takes back itself.
		reuseContext: true,
		viewport: { width: 1440, height: 900 },
		launchOptions: {
			executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
			args: [
				"--headless",
				"--no-sandbox",
				"--disable-gpu",
				"--disable-quic",
				"--no-first-run",
				"--disable-background-networking",
				"--disable-component-update",
				"--disable-sync",
			],
		},
	},
	webServer: {
		command: `node ../node_modules/vite/bin/vite.js preview . --port ${PORT} --strictPort`,
		port: PORT,
		reuseExistingServer: false,
	},
});
