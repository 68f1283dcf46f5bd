// signatures.mjs - the functions that a WebAssembly module imports, as C declares them. JavaScript's own Module.imports() gives
// their names only, and a definition with other types than its callers expect is replaced by the linker.

const TYPE_SECTION = 1;
const IMPORT_SECTION = 2;
const C_TYPES = { 127: "int", 126: "long long", 125: "float", 124: "double" };
const KINDS = { function: 0, table: 1, memory: 2, global: 3 };

/** Reads a module from a position on; numbers are LEB128. */
class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}

	byte() {
		return this.bytes[this.at++];
	}

	number() {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = this.byte();
			value += (byte & 0x7f) * 2 ** shift;
			if (byte < 0x80) return value;
		}
	}

	text() {
		const length = this.number();
		this.at += length;
		return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
	}

	list(read) {
		return Array.from({ length: this.number() }, read);
	}
}

/** A reader at the start of a section; undefined if the module has none of it. */
function section(bytes, id) {
	for (const reader = new Reader(bytes, 8); reader.at < bytes.length; ) {
		const found = reader.byte();
		const length = reader.number();
		if (found === id) return reader;
		reader.at += length;
	}
	return undefined;
}

function functionType(reader) {
	reader.byte();
	const params = reader.list(() => C_TYPES[reader.byte()]);
	const results = reader.list(() => C_TYPES[reader.byte()]);
	return { params, result: results[0] ?? "void" };
}

function skipLimits(reader) {
	const hasMaximum = reader.byte() & 1;
	reader.number();
	if (hasMaximum) reader.number();
}

/** [{name, params, result}], types as C spells them. */
export function importedFunctions(bytes) {
	const typesAt = section(bytes, TYPE_SECTION);
	const importsAt = section(bytes, IMPORT_SECTION);
	if (!typesAt || !importsAt) return [];
	const types = typesAt.list(() => functionType(typesAt));
	return importsAt
		.list(() => {
			importsAt.text();
			const name = importsAt.text();
			const kind = importsAt.byte();
			if (kind === KINDS.function) return { name, ...types[importsAt.number()] };
			if (kind === KINDS.table || kind === KINDS.global) importsAt.byte();
			if (kind === KINDS.global) importsAt.byte();
			else skipLimits(importsAt);
			return undefined;
		})
		.filter((found) => found !== undefined);
}
