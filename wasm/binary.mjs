// binary.mjs - reads and rewrites the bytes of a WebAssembly module.

const TYPE_SECTION = 1;
const IMPORT_SECTION = 2;
const DATA_SECTION = 11;
const DATA_COUNT_SECTION = 12;
const HEADER_BYTES = 8;
const I32_CONST = 0x41;
const END = 0x0b;
const C_TYPES = { 127: "int", 126: "long long", 125: "float", 124: "double" };
const KINDS = { function: 0, table: 1, memory: 2, global: 3 };

/** Reads a module from a given position; numbers are LEB128. */
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

	/** The bytes after a length. */
	block() {
		const length = this.number();
		this.at += length;
		return this.bytes.subarray(this.at - length, this.at);
	}

	text() {
		return Buffer.from(this.block()).toString();
	}

	list(read) {
		return Array.from({ length: this.number() }, read);
	}
}

/** [[id, contents]] of each section. */
function sections(bytes) {
	const found = [];
	for (const reader = new Reader(bytes, HEADER_BYTES); reader.at < bytes.length; ) {
		found.push([reader.byte(), reader.block()]);
	}
	return found;
}

/** A reader at the start of a section; undefined if the module doesn't have it. */
function section(bytes, id) {
	const found = sections(bytes).find(([one]) => one === id);
	return found && new Reader(found[1]);
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

/**
 * [{name, params, result}] of the imports, types as C spells them. JavaScript's own Module.imports() gives only their
 * names, and the linker replaces a definition whose types differ from what its callers expect.
 */
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

function number(value) {
	const bytes = [];
	for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
	return Buffer.from([...bytes, value]);
}

/** Addresses are signed numbers: one more bit than their value. All stay below 2 GiB. */
function address(value) {
	const bytes = number(value);
	if (bytes.at(-1) < 0x40) return bytes;
	bytes[bytes.length - 1] |= 0x80;
	return Buffer.concat([bytes, Buffer.of(0)]);
}

/** Where a segment of data starts, and its bytes. */
function segment(reader) {
	if (reader.number() !== 0 || reader.byte() !== I32_CONST) {
		throw new Error("a data segment is passive or starts at no constant");
	}
	const at = reader.number();
	reader.byte();
	return { at, bytes: reader.block() };
}

/**
 * The module with one segment of data instead of hundreds around zeros: once the module is compressed, their starts and
 * lengths cost more than the zeros.
 */
export function withOneSegment(bytes) {
	const data = section(bytes, DATA_SECTION);
	const segments = data.list(() => segment(data));
	const start = Math.min(...segments.map((one) => one.at));
	const joined = Buffer.alloc(
		Math.max(...segments.map((one) => one.at + one.bytes.length)) - start,
	);
	for (const one of segments) joined.set(one.bytes, one.at - start);
	const rewritten = Buffer.concat([
		Buffer.of(1, 0, I32_CONST),
		address(start),
		Buffer.of(END),
		number(joined.length),
		joined,
	]);
	const kept = sections(bytes)
		.filter(([id]) => id !== DATA_COUNT_SECTION)
		.map(([id, contents]) => [id, id === DATA_SECTION ? rewritten : contents]);
	return Buffer.concat([
		bytes.subarray(0, HEADER_BYTES),
		...kept.flatMap(([id, contents]) => [Buffer.of(id), number(contents.length), contents]),
	]);
}
