/** Joins the class names of an element; names that are false or undefined are left out. */
export const classes = (...names: readonly (string | false | undefined)[]): string =>
	names.filter(Boolean).join(" ");
