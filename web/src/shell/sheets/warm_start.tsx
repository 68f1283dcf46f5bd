/** How the replay of the visitor's file begins: with slabs that its pointers show, or empty; and the other choice. */
import { useFacts } from "../../app/state/use_facts.ts";
import { beginCold } from "../../app/trace/actions.ts";
import { LinkButton } from "../../ui/controls.tsx";

export function WarmStart() {
	const cold = useFacts((f) => f.cold);
	const slabs = useFacts((f) => f.built?.warmSlabs ?? 0);
	const sentence = useFacts((f) => f.built?.warmStart ?? "");
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	if (isStates || (!cold && slabs === 0)) return null;
	return (
		<p className="quiet" data-part="start">
			{cold ? "The start is cold: the replay begins with no slabs." : sentence}{" "}
			<LinkButton onClick={() => void beginCold(!cold)}>
				{cold ? "Begin with the slabs that the pointers show" : "Begin empty"}
			</LinkButton>
		</p>
	);
}
