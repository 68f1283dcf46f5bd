/** The facts as components read them. What is drawn before React is there reads the store itself. */
import { useStore } from "zustand";
import { type Facts, store } from "./store.ts";

export function useFacts<T>(select: (f: Facts) => T): T {
	return useStore(store, select);
}
