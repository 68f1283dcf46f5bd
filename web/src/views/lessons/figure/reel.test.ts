/** Tests that small stages have no rows for places that a film does not use. */
import { expect, it } from "vitest";
import { frameFromText } from "../../../../test/fixtures/frame_text.ts";
import { PLACE } from "../../../engine/place_kinds.ts";
import type { Moment, Step } from "../../../engine/types.ts";
import { placesUsed } from "./small_stage.tsx";

const TEXT = "cpu0: 1:a..\nchain0:\npartial0:\nfull0:";
const moment = (text: string, steps: readonly Partial<Step>[] = []) =>
	({ frame: frameFromText(text), steps }) as Moment;
const kinds = (...moments: readonly Moment[]) => placesUsed(moments).map(({ kind }) => kind);

it("leaves out places of nodes that hold nothing at any position, and keeps a CPU's", () => {
	expect(kinds(moment(TEXT))).toEqual([PLACE.CPU_SLAB, PLACE.CPU_PARTIAL]);
	const later = moment(TEXT.replace("full0:", "full0: 2:aaa"));
	expect(kinds(moment(TEXT), later)).toContain(PLACE.NODE_FULL);
	expect(kinds(later, moment(TEXT))).not.toContain(PLACE.NODE_PARTIAL);
});

it("keeps an empty place that a step looks at", () => {
	const asks = { kind: "PARTIAL_SEARCH", cache: 3, node: 0, cpu: 0, args: { nr_partial: 0 } };
	expect(kinds(moment(TEXT, [asks]))).toContain(PLACE.NODE_PARTIAL);
});
