/** Leads to the event after which the most pages are in use. One replay in a helper worker finds it. */
import { useEffect, useState } from "react";
import { measuredIn, type Replays, replayAll } from "../../../app/playback/many_replays.ts";
import { sentenceOf } from "../../../app/playback/player.ts";
import { goToEvent } from "../../../app/playback/why.ts";
import { facts } from "../../../app/state/store.ts";
import { useFacts } from "../../../app/state/use_facts.ts";
import type { Built } from "../../../engine/types.ts";
import { Button } from "../../../ui/controls.tsx";
import { Fault } from "../../../ui/view/view.tsx";

interface Peak {
	/** The trace and machine that it belongs to. */
	readonly built: Built;
	/** Events done at the peak; 0 if that is unknown. */
	readonly ops: number;
	/** Why it is unknown, "" otherwise. */
	readonly why: string;
}

interface PeakButtonProps {
	/** Events done where the stage is. */
	readonly ops: number;
}

/** The button stays at the peak, so that it keeps the focus. */
export function PeakButton({ ops }: PeakButtonProps) {
	const built = useFacts((f) => f.built);
	const [found, setFound] = useState<Peak>();
	const [running, setRunning] = useState<Replays>();
	// Nobody who left the answer wants to be taken to the peak.
	useEffect(() => () => running?.stop(), [running]);
	const peak = found && found.built === built ? found : undefined;
	const arrive = (at: Peak) => {
		setFound(at);
		if (at.ops > 0 && facts().built === at.built) goToEvent(at.ops - 1);
	};
	const look = async (of: Built) => {
		const { trace, machine } = facts();
		const replays = replayAll(trace, [{ trace, machine }], 1, (_, replayed) => {
			const at = measuredIn(replayed, "pages_peak")?.op ?? 0;
			arrive({ built: of, ops: at, why: replayed.why });
		});
		setRunning(replays);
		try {
			await replays.done;
		} catch (error) {
			setFound({ built: of, ops: 0, why: sentenceOf(error) });
		}
		setRunning(undefined);
	};
	const press = () => {
		if (running) running.stop();
		else if (peak && peak.ops > 0) arrive(peak);
		else if (built) void look(built);
	};
	return (
		<div className="row">
			<Button className="primary" onClick={press}>
				{running ? "Stop looking for the peak" : "Go to the peak"}
			</Button>
			<span role="status">
				{peak?.ops === ops &&
					ops > 0 &&
					"This is the peak: no other event leaves more pages in use."}
				{peak?.ops === 0 &&
					peak.why === "" &&
					"No event takes more pages than the start has, so the trace has no peak of its own."}
			</span>
			<Fault sentence={peak?.why ?? ""} />
		</div>
	);
}
