// warnings.mjs - the warnings with which clang lints C, for the copy of new_allocator.test.mjs and for
// wasm/test-all.mjs.

/** Warnings beyond the compilers' own -Wall -Wextra; these depend little on clang's version. */
export const C_WARNINGS = [
	"-Werror",
	"-Wno-unknown-warning-option",
	"-Wassign-enum",
	"-Wdouble-promotion",
	"-Wextra-semi",
	"-Wfloat-equal",
	"-Wimplicit-fallthrough",
	"-Wmissing-variable-declarations",
	"-Wpointer-arith",
	"-Wredundant-parens",
	"-Wundef",
	"-Wunreachable-code-aggressive",
	"-Wwrite-strings",
];
