/** A value that has not changed for a while; until it has, the one before. */
import { useEffect, useState } from "react";

export function useRested<T>(value: T, restMs: number): T {
	const [rested, setRested] = useState(value);
	useEffect(() => {
		const timer = window.setTimeout(() => setRested(value), restMs);
		return () => window.clearTimeout(timer);
	}, [value, restMs]);
	return rested;
}
