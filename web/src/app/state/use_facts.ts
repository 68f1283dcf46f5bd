/** The facts as components read them. Code that draws before React is loaded reads the store itself. */
import { useStore } from "zustand";
import { type Facts, store } from "./store.ts";

export function useFacts<T>(select: (f: Facts) => T): T {
	return useStore(store, select);
}
