/**
 * Keeps the frame of another machine for the position on screen, while it is wanted: fetched when the position rests
 * or changes slowly, one call at a time.
 */

import { engine } from "../../app/platform/engine_link.ts";
import { sentenceOf } from "../../app/playback/player.ts";
import { isOnStageTrace } from "../../app/state/machine_spec.ts";
import { busy, change, type Facts, facts, store } from "../../app/state/store.ts";
import { isTextCurrent } from "../../app/state/throttle.ts";
import { useCalm } from "../../app/state/use_calm.ts";
import { loadCode } from "../../base/load_code.ts";
import { frameOf } from "../../engine/frame.ts";

let inFlight = false;

const isWanted = ({ ghost, built, moment, progress }: Facts) =>
	ghost > 0 && built !== null && moment !== null && !progress;

async function ask(): Promise<void> {
	const { ghost, moment, cache, versus } = facts();
	if (inFlight || !moment || !isWanted(facts()) || facts().ghosts?.moment === moment) return;
	inFlight = true;
	try {
		await busy(async () => {
			const { compareWith, stageOf } = await loadCode(() => import("./machines.ts"));
			// Slabs of another trace have nothing to do with those on the stage.
			const isComparable = ghost <= versus.length && isOnStageTrace(versus[ghost - 1] ?? "");
			if (!isComparable || (await compareWith(versus)) === null) {
				change({ ghost: 0 });
				return;
			}
			const other = await engine().ghost(stageOf(ghost, moment, cache));
			const frame = other && frameOf(other.packed);
			if (facts().ghost === ghost) change({ ghosts: { moment, frame } });
		});
	} catch (error) {
		change({ ghost: 0, error: sentenceOf(error) });
	}
	inFlight = false;
	follow();
}

function follow(): void {
	const { ghost, ghosts } = facts();
	if (ghost === 0 && ghosts) change({ ghosts: null });
	if (isTextCurrent()) void ask();
}

export function startGhosts(): void {
	useCalm.subscribe(follow);
	store.subscribe((now, before) => {
		if (now.ghost === before.ghost && now.built === before.built && now.versus === before.versus)
			return;
		if (now.ghosts) change({ ghosts: null });
		else follow();
	});
}
