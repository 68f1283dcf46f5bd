/** What the widgets of a lesson know of where they stand: the place that the text around them is about. */
import { createContext, useContext } from "react";
import type { Place } from "./places.ts";

export interface Around {
	readonly lesson: string;
	readonly place: Place;
	/** Tells the lesson where a stop leads. Returns what takes it back. */
	readonly register: (stop: string, place: Place) => () => void;
	/** Makes the stop that is read now the current one, as the next scroll event would. */
	readonly settle: () => void;
}

export const AroundContext = createContext<Around>({
	lesson: "",
	place: {},
	register: () => () => {},
	settle: () => {},
});

export function useAround(): Around {
	return useContext(AroundContext);
}

/** A place inside another one. What is about another recording or machine takes no operation over. */
export function within(outer: Place, inner: Place): Place {
	const other = inner.trace !== undefined && inner.trace !== outer.trace;
	const base: Place = other
		? {}
		: { trace: outer.trace, machine: outer.machine, cache: outer.cache };
	const said = Object.fromEntries(Object.entries(inner).filter(([, v]) => v !== undefined));
	return { ...base, ...(other ? { machine: "" } : {}), ...said };
}
