// apng.mjs - reads a PNG screenshot, and writes an animated PNG with one palette whose frames hold only what changed.
//
// An animated PNG shows in every browser and on GitHub.

import { crc32, deflateSync } from "node:zlib";
import { decode } from "fast-png";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The palette's last entry is transparent: a pixel that stays as it is. */
const SAME = 255;
/** 0xRRGGBB. */
const COLOURS = 1 << 24;
const DISPOSE_NONE = 0;
const BLEND_SOURCE = 0;
const BLEND_OVER = 1;

/** Width, height and 0xRRGGBB of each pixel of a screenshot. */
export function readPng(png) {
	const { width, height, data, channels } = decode(png);
	const pixels = Uint32Array.from({ length: width * height }, (_, i) => {
		const at = i * channels;
		return (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
	});
	return { width, height, pixels };
}

/**
 * The colours that cover most of the frames. A page has few; the ones left out are shades along the edges of letters.
 */
function paletteOf(frames) {
	const counts = new Uint32Array(COLOURS);
	for (const { pixels } of frames) for (const colour of pixels) counts[colour]++;
	const all = [];
	for (let colour = 0; colour < COLOURS; colour++) if (counts[colour] > 0) all.push(colour);
	all.sort((a, b) => counts[b] - counts[a]);
	const colours = all.slice(0, SAME);
	const indexOf = new Uint8Array(COLOURS);
	for (const [i, colour] of all.entries())
		indexOf[colour] = i < SAME ? i : nearest(colour, colours);
	return { colours, indexOf };
}

function nearest(colour, colours) {
	let best = 0;
	let least = Infinity;
	for (let i = 0; i < colours.length; i++) {
		const r = (colour >> 16) - (colours[i] >> 16);
		const g = ((colour >> 8) & 255) - ((colours[i] >> 8) & 255);
		const b = (colour & 255) - (colours[i] & 255);
		const distance = 3 * r * r + 6 * g * g + b * b;
		if (distance < least) [least, best] = [distance, i];
	}
	return best;
}

function chunk(type, data) {
	const out = Buffer.alloc(12 + data.length);
	out.writeUInt32BE(data.length, 0);
	out.write(type, 4, "latin1");
	data.copy(out, 8);
	out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
	return out;
}

/** The smallest box around what differs, or undefined. */
function boxOf(now, before, width, height) {
	let [left, top, right, bottom] = [width, height, -1, -1];
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			if (now[y * width + x] === before[y * width + x]) continue;
			left = Math.min(left, x);
			right = Math.max(right, x);
			top = Math.min(top, y);
			bottom = y;
		}
	return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** The pixels of a box; those that have not changed are transparent. */
function cut(now, before, stride, box) {
	const rows = Buffer.alloc((box.width + 1) * box.height);
	for (let y = 0; y < box.height; y++)
		for (let x = 0; x < box.width; x++) {
			const at = (box.top + y) * stride + box.left + x;
			rows[y * (box.width + 1) + 1 + x] = now[at] === before?.[at] ? SAME : now[at];
		}
	return deflateSync(rows, { level: 9 });
}

function control(sequence, box, ms, blend) {
	const data = Buffer.alloc(26);
	for (const [i, value] of [sequence, box.width, box.height, box.left, box.top].entries())
		data.writeUInt32BE(value, i * 4);
	data.writeUInt16BE(ms, 20);
	data.writeUInt16BE(1000, 22);
	data[24] = DISPOSE_NONE;
	data[25] = blend;
	return chunk("fcTL", data);
}

/** Equal neighbours become one frame, shown for as long as both together. */
function merge(frames, indexOf) {
	const merged = [];
	for (const { pixels, ms } of frames) {
		const indices = Uint8Array.from(pixels, (colour) => indexOf[colour]);
		const last = merged.at(-1);
		if (last && Buffer.compare(last.indices, indices) === 0) last.ms += ms;
		else merged.push({ indices, ms });
	}
	return merged;
}

/** frames: { width, height, pixels, ms }, all the same size. The film loops for ever. */
export function writeApng(frames) {
	const { width, height } = frames[0];
	const { colours, indexOf } = paletteOf(frames);
	const film = merge(frames, indexOf);

	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3, 0, 0, 0], 8);
	const palette = Buffer.alloc(256 * 3);
	for (const [i, c] of colours.entries()) palette.set([c >> 16, (c >> 8) & 255, c & 255], i * 3);
	const opacity = Buffer.alloc(256, 255);
	opacity[SAME] = 0;
	const animation = Buffer.alloc(8);
	animation.writeUInt32BE(film.length, 0);

	const out = [chunk("IHDR", header), chunk("acTL", animation)];
	out.push(chunk("PLTE", palette), chunk("tRNS", opacity));
	let sequence = 0;
	for (const [i, { indices, ms }] of film.entries()) {
		const before = film[i - 1]?.indices;
		const box = before ? boxOf(indices, before, width, height) : { left: 0, top: 0, width, height };
		out.push(control(sequence++, box, ms, before ? BLEND_OVER : BLEND_SOURCE));
		const data = cut(indices, before, width, box);
		if (!before) {
			out.push(chunk("IDAT", data));
			continue;
		}
		const number = Buffer.alloc(4);
		number.writeUInt32BE(sequence++, 0);
		out.push(chunk("fdAT", Buffer.concat([number, data])));
	}
	out.push(chunk("IEND", Buffer.alloc(0)));
	return Buffer.concat([SIGNATURE, ...out]);
}
