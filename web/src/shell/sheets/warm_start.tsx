/** How the replay begins: with the kernel's state, with slabs that the file's pointers show, or empty; and the other choices. */
import { LOCAL } from "../../app/link/fields.ts";
import { useFacts } from "../../app/state/use_facts.ts";
import { beginAs } from "../../app/trace/actions.ts";
import { LinkButton } from "../../ui/controls.tsx";

export function WarmStart() {
	const cold = useFacts((f) => f.cold);
	const slabs = useFacts((f) => f.built?.warmSlabs ?? 0);
	const sentence = useFacts((f) => f.built?.warmStart ?? "");
	const isStates = useFacts((f) => f.machineState?.warm ?? false);
	const isFile = useFacts((f) => f.trace.startsWith(LOCAL));
	const { name = "", used = false, canBegin = false } = useFacts((f) => f.startState) ?? {};
	if (isStates || (!canBegin && !cold && slabs === 0)) return null;
	return (
		<p className="quiet" data-part="start">
			{sentence}{" "}
			{canBegin && !used && (
				<>
					<LinkButton onClick={() => void beginAs({ cold, start: name })}>
						Begin with the state in {name}
					</LinkButton>
					{isFile && (cold || slabs > 0) && " · "}
				</>
			)}
			{isFile && (cold || used) && (
				<LinkButton onClick={() => void beginAs({ cold: false, start: "" })}>
					Begin with the slabs that the pointers show
				</LinkButton>
			)}
			{isFile && used && " · "}
			{(used || (isFile && !cold && slabs > 0)) && (
				<LinkButton onClick={() => void beginAs({ cold: true, start: "" })}>Begin empty</LinkButton>
			)}
		</p>
	);
}
