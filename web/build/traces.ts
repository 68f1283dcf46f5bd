/** Puts the traces of traces/ beside the page: the build copies them; in development they are read in place. */
import { cpSync, createReadStream, existsSync, statSync } from "node:fs";
import { basename, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

export const TRACES = fileURLToPath(new URL("../../traces", import.meta.url));

export function traces(): Plugin {
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
				// Not the folders, whose programs are for a terminal.
				const filter = (path: string) => path === TRACES || statSync(path).isFile();
				cpSync(TRACES, join(outDir, basename(TRACES)), { recursive: true, filter });
			}
		},
	};
}
