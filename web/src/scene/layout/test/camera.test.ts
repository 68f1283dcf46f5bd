/** The camera: what a step uses fills at least 60 % of the stage in one direction, and none of it is cut off. */
import { describe, expect, it } from "vitest";
import { frameFromText } from "../../../../test/fixtures/frame_text.ts";
import type { Step } from "../../../engine/types.ts";
import { actingBox, closeZoom } from "../../acting.ts";
import type { Scene } from "../../scene.ts";
import { layout } from "../layout.ts";
import { makePlan } from "../plan.ts";
import { shapeOf } from "../shape.ts";

const PROMISED = 0.6;
/** The stage's own limit, where no cell is smaller than a pixel. */
const CLOSEST = 64;
const WINDOWS = [
	[1060, 170],
	[366, 400],
	[3400, 1500],
] as const;
const MACHINES = [
	[1, 1],
	[8, 4],
	[160, 4],
	[512, 64],
] as const;

/** Each CPU has a slab, and each node some that are partial and full. */
function sceneFor(cpus: number, nodes: number, size: readonly [number, number], step: Step): Scene {
	const nodeOfCpu = Array.from({ length: cpus }, (_, cpu) => Math.floor((cpu * nodes) / cpus));
	const lines = [
		...nodeOfCpu.map((_, cpu) => `cpu${cpu}: ${1000 + cpu}:aacc`),
		...Array.from(
			{ length: nodes },
			(_, node) => `partial${node}: ${2000 + node}:aa.. ${4000 + node}:a...`,
		),
		...Array.from({ length: nodes }, (_, node) => `full${node}: ${6000 + node}:aaaa`),
	];
	const frame = frameFromText(lines.join("\n"), nodeOfCpu);
	const machine = { width: size[0], height: size[1], nodeOfCpu, nrNodes: nodes };
	const source = { cache: undefined, frame, zones: [], step, pageBytes: 4096 };
	return layout(makePlan(shapeOf(frame.places, machine)), source);
}

describe("the camera", () => {
	it("brings acting places to 60 % of the stage or more, from 1 to 512 CPUs", () => {
		for (const [cpus, nodes] of MACHINES) {
			for (const size of WINDOWS) {
				for (const [cpu, node] of [
					[0, 0],
					[cpus - 1, nodes - 1],
					[0, nodes - 1],
				] as const) {
					const args = { nr_partial: 2, slab: 2000 + node };
					const step = { kind: "SLAB", cpu, node, cache: 3, args } as unknown as Step;
					const scene = sceneFor(cpus, nodes, size, step);
					const box = actingBox(scene, []);
					if (!box) throw new Error("the step acts somewhere");
					const k = Math.min(CLOSEST, closeZoom(box, scene));
					const [across, down] = [(box.w * k) / scene.width, (box.h * k) / scene.height];
					expect(Math.max(across, down)).toBeGreaterThanOrEqual(PROMISED);
					if (k > 1) expect(Math.max(across, down)).toBeLessThanOrEqual(1);
				}
			}
		}
	});

	it("comes as close to a single small square of a large machine", () => {
		const step = { kind: "CPU", cpu: 300, node: 0xffff, cache: 3, args: {} } as unknown as Step;
		for (const size of WINDOWS) {
			const scene = sceneFor(512, 64, size, step);
			const box = actingBox(scene, []);
			if (!box) throw new Error("the CPU acts");
			const k = Math.min(CLOSEST, closeZoom(box, scene));
			expect(Math.max((box.w * k) / scene.width, (box.h * k) / scene.height)).toBeGreaterThan(
				PROMISED,
			);
		}
	});
});
