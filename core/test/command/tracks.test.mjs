// tracks.test.mjs - counter tracks for Perfetto, read by an independent protobuf library: each value equals a count of the
// trace's text, or of the slabs that `state` lists.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { PbfReader } from "pbf";
import { CORE, json, refuses, succeeds } from "./command.mjs";

const SCRATCH = mkdtempSync(join(tmpdir(), "slabscope-"));
after(() => rmSync(SCRATCH, { recursive: true, force: true }));

const TRACE = join(CORE, "..", "traces", "two-nodes.slabtrace");

/** Field numbers of Perfetto's schema: TracePacket, TrackDescriptor, CounterDescriptor, TrackEvent. */
const text = (pbf) => pbf.readString();
const number = (pbf) => pbf.readVarint();
const PACKET = {
	8: ["time", number],
	10: ["sequence", number],
	11: [
		"event",
		(pbf) => message(pbf, { 9: ["type", number], 11: ["track", number], 30: ["value", number] }),
	],
	13: ["flags", number],
	60: ["track", (pbf) => message(pbf, TRACK)],
};
const TRACK = {
	1: ["uuid", number],
	2: ["name", text],
	5: ["parent", number],
	8: ["counter", (pbf) => message(pbf, { 3: ["unit", number] })],
};

/** Reads a message; a field that the schema does not have is a mistake. */
function message(pbf, fields) {
	return pbf.readFields(
		(tag, result, reader) => {
			assert.ok(fields[tag], `field ${tag} is in the schema`);
			const [name, read] = fields[tag];
			result[name] = read(reader);
		},
		{},
		pbf.readVarint() + pbf.pos,
	);
}

function packetsOf(path) {
	return new PbfReader(readFileSync(path)).readFields((tag, packets, pbf) => {
		assert.equal(tag, 1);
		packets.push(message(pbf, PACKET));
	}, []);
}

/** The value of each track after each event, by "group/row". */
function valuesOf(packets) {
	const tracks = new Map(packets.flatMap(({ track }) => (track ? [[track.uuid, track]] : [])));
	const names = new Map(
		[...tracks].map(([uuid, { name, parent }]) => [
			uuid,
			parent ? `${tracks.get(parent).name}/${name}` : name,
		]),
	);
	const now = new Map();
	const after = new Map();
	for (const { event, time } of packets) {
		if (!event) continue;
		assert.equal(event.type, 4);
		assert.ok(tracks.get(event.track).counter, "values belong to counters");
		now.set(names.get(event.track), event.value);
		after.set(time, new Map(now));
	}
	return { tracks, after };
}

function tracksOf(name, ...options) {
	const path = join(SCRATCH, name);
	succeeds(["tracks", TRACE, "-q", "-o", path, ...options]);
	return packetsOf(path);
}

describe("tracks", () => {
	const packets = tracksOf("all.perfetto-trace", "--every", "1");
	const { tracks, after } = valuesOf(packets);
	const lines = readFileSync(TRACE, "utf8")
		.split("\n")
		.filter((line) => /^[a-z]/.test(line) && !/^(slabtrace|machine|cache) /.test(line));

	test("starts the file as Perfetto expects", () => {
		assert.equal(packets[0].flags, 1);
		assert.deepEqual(new Set(packets.map(({ sequence }) => sequence)), new Set([0x510b]));
		assert.deepEqual(
			[...tracks.values()].map(({ name, counter }) => `${name} ${counter?.unit ?? ""}`).slice(0, 4),
			["Slabscope: all caches ", "slab bytes 3", "bytes not requested 3", "live objects 2"],
		);
	});

	test("equal a count of the trace's lines after every event, for live objects", () => {
		let live = 0;
		let last = 0;
		for (const [i, line] of lines.entries()) {
			live += Number(line.startsWith("a ")) - Number(line.startsWith("f "));
			last = after.get(i + 1)?.get("Slabscope: all caches/live objects") ?? last;
			assert.equal(last, live, `after event ${i + 1}: ${line}`);
		}
		assert.ok(lines.length > 50);
	});

	test("equal what state lists, for slabs and bytes", () => {
		const times = [...after.keys()];
		for (const at of [1, 17, 40, times.at(-1)]) {
			const time = times.filter((t) => t <= at).at(-1);
			const { slabs } = json(["state", TRACE, "--at", String(at)]);
			const bytes = slabs.reduce((sum, { order }) => sum + 4096 * 2 ** order, 0);
			for (const group of ["Slabscope: all caches", "lesson"]) {
				const values = after.get(time);
				assert.equal(values.get(`${group}/slabs`), slabs.length, `after event ${at}`);
				assert.equal(values.get(`${group}/slab bytes`), bytes);
				assert.equal(
					values.get(`${group}/bytes not requested`),
					bytes - 512 * values.get(`${group}/live objects`),
				);
			}
		}
	});

	test("end with the same value however far apart values are measured", () => {
		const far = valuesOf(tracksOf("far.perfetto-trace", "--every", "30", "--cache", "lesson"));
		assert.deepEqual([...far.after.values()].at(-1), [...after.values()].at(-1));
		assert.ok(far.after.size < after.size / 5);
	});

	test("refuse a bad call", () => {
		refuses(["tracks", TRACE], 2, /-o FILE/);
		refuses(["tracks", TRACE, "-o", "x", "--top", "17"], 2, /0 to 16/);
		refuses(["tracks", TRACE, "-o", "x", "--cache", "none"], 2, /none/);
	});
});
