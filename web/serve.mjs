// serve.mjs - serves the built page: to this machine only, unless HOST opens it to others. The port is $PORT or 5173.

import { fileURLToPath } from "node:url";
import { preview } from "vite";

const host = process.env.HOST || "localhost";
const port = Number(process.env.PORT || 5173);
const isLocal = ["localhost", "127.0.0.1", "::1"].includes(host);

if (!Number.isInteger(port) || port < 1 || port > 65535) {
	process.stderr.write(`serve: PORT is "${process.env.PORT}"; expected a number from 1 to 65535\n`);
	process.exit(2);
}

try {
	const server = await preview({
		root: fileURLToPath(new URL(".", import.meta.url)),
		// The names of this machine are not known here, so whoever opens the page to a network may use any name.
		preview: { host, port, strictPort: true, ...(isLocal ? {} : { allowedHosts: true }) },
	});
	server.printUrls();
	console.log(
		isLocal
			? "  Only this machine can open it. HOST=0.0.0.0 npm start opens it to the network.\n"
			: `  HOST=${host}: any machine that can reach this one can open the page.\n`,
	);
} catch (error) {
	process.stderr.write(`serve: ${error.message}. PORT=5174 npm start uses another port.\n`);
	process.exit(1);
}
