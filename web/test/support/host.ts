/** A plain static host, as simple as they come: a folder of files below a path, and no helpful headers. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
	html: "text/html",
	js: "text/javascript",
	css: "text/css",
	svg: "image/svg+xml",
	wasm: "application/wasm",
};

export interface Host {
	readonly url: string;
	/** The folder that it serves from now on. */
	folder: string;
	close(): Promise<void>;
}

export async function serve(folder: string, below: string): Promise<Host> {
	const host = { url: "", folder, close: async () => {} };
	const server = createServer((request, response) => {
		const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "");
		const name = path.endsWith("/") ? `${path}index.html` : path;
		const file = join(host.folder, normalize(name.slice(below.length)));
		if (!name.startsWith(below) || !existsSync(file) || !statSync(file).isFile()) {
			response.writeHead(404).end();
			return;
		}
		const type = TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream";
		response.writeHead(200, { "Content-Type": type });
		createReadStream(file).pipe(response);
	});
	await new Promise<void>((ready) => server.listen(0, "localhost", ready));
	host.url = `http://localhost:${(server.address() as AddressInfo).port}${below}`;
	host.close = async () => {
		server.closeAllConnections();
		await new Promise((done) => server.close(done));
	};
	return host;
}
