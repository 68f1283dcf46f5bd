/** The context of a lesson's widgets: the place that the surrounding text is about. */
import { createContext, useContext } from "react";
import type { Place } from "./places.ts";

export interface Around {
	readonly lesson: string;
	readonly place: Place;
	/** The stop around it; undefined outside of stops. */
	readonly stop?: string;
	/** Registers the place of a stop. Returns a function that removes it. */
	readonly register: (stop: string, place: Place) => () => void;
	/** Makes the stop being read the current one, as the next scroll event would. */
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

/** A place inside another one. A place with another trace or machine inherits no event. */
export function within(outer: Place, inner: Place): Place {
	const other = inner.trace !== undefined && inner.trace !== outer.trace;
	const base: Place = other
		? {}
		: { trace: outer.trace, machine: outer.machine, cache: outer.cache };
	const said = Object.fromEntries(Object.entries(inner).filter(([, v]) => v !== undefined));
	return { ...base, ...(other ? { machine: "" } : {}), ...said };
}
