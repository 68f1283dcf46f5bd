/// <reference types="vite/client" />

/** Files that the page brings along where it is opened from a disk, as base64: web/build/on_disk.ts makes it. */
declare module "virtual:own-files" {
	export const FILES: Readonly<Record<string, string>>;
}
