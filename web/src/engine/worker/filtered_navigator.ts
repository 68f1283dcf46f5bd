/** Moves through the events that a filter chooses. */
import type { KmemSession } from "#wasm";
import type { Goal, Position } from "../types.ts";
import { type Found, type Granular, Navigator } from "./navigator.ts";

export class FilteredNavigator extends Navigator {
	readonly #filter: KmemSession["filter"];

	constructor(session: KmemSession) {
		super(session);
		this.#filter = session.filter;
	}

	protected override jump(from: Position, goal: Goal & { kind: "move" }, unit: Granular): Found {
		if (!goal.chosen) return super.jump(from, goal, unit);
		const { direction, scope } = goal;
		const forwards = direction > 0;
		if (unit === "event") {
			const op = this.#filter.next(forwards ? from.op + 1 : from.op, direction, scope);
			return op === undefined
				? { position: from, ended: true }
				: { position: this.lastStep(op), ended: false };
		}
		// The next event of that kind, the next chosen one from there on, and so on until both are the same.
		for (let at = from; ; ) {
			const found = super.jump(at, goal, unit);
			const { op } = found.position;
			const near = found.ended
				? undefined
				: this.#filter.next(forwards ? op : op + 1, direction, scope);
			if (near === undefined) return { position: from, ended: true };
			if (near === op) return found;
			at = { op: forwards ? near - 1 : near + 1, step: 0 };
		}
	}
}
