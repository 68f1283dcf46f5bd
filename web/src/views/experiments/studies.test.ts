// studies.test.ts - tests stopping a measurement that is still waiting for its worker.

import { expect, it, vi } from "vitest";
import { type Hand, hire } from "../../app/platform/helper_workers.ts";
import { measureStudy, stopStudy } from "./studies.tsx";

vi.mock("../../app/platform/helper_workers.ts", () => ({ hire: vi.fn() }));

it("can be stopped before its worker has started, and ends the worker once it has", async () => {
	let start = (_: Hand) => {};
	vi.mocked(hire).mockReturnValue(
		new Promise((resolve) => {
			start = resolve;
		}),
	);
	const measured = measureStudy("002");
	stopStudy("002");
	await measured;
	const reproduce = vi.fn(() => new Promise(() => {}));
	const release = vi.fn();
	start({ helper: { reproduce } as unknown as Hand["helper"], release });
	await vi.waitFor(() => expect(release).toHaveBeenCalledOnce());
});
