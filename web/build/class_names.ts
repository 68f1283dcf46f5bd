/**
 * How the classes of CSS modules are named on the page: FILE_CLASS. The HTML of the first page is rendered separately
 * from the scripts, so names depend only on the file and the class; file names are therefore unique (checked by
 * style.test.ts).
 */
import { basename } from "node:path";
import type { CSSModulesOptions } from "vite";

export const CLASS_NAMES: CSSModulesOptions = {
	generateScopedName: (name, file) =>
		`${basename(file.split("?")[0] ?? file, ".module.css")}_${name}`,
};
