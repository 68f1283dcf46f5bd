/** The size of an element in CSS pixels, followed as it changes. The page is not idle until the caller has it. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { awaitChange } from "../base/frame_clock.ts";

export interface Size {
	readonly width: number;
	readonly height: number;
}

export function useSize(ref: RefObject<HTMLElement | null>): Size {
	const [size, setSize] = useState<Size>({ width: 0, height: 0 });
	const arrived = useRef(() => {});
	useEffect(() => {
		const element = ref.current;
		if (!element) return;
		const observer = new ResizeObserver(([entry]) => {
			if (!entry) return;
			const { width, height } = entry.contentRect;
			arrived.current();
			arrived.current = awaitChange();
			setSize({ width: Math.round(width), height: Math.round(height) });
		});
		observer.observe(element);
		return () => {
			observer.disconnect();
			arrived.current();
		};
	}, [ref]);
	useEffect(() => arrived.current(), [size]);
	return size;
}
