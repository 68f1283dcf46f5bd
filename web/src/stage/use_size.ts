/** The size of an element in CSS pixels, followed as it changes. */
import { type RefObject, useEffect, useState } from "react";

export interface Size {
	readonly width: number;
	readonly height: number;
}

export function useSize(ref: RefObject<HTMLElement | null>): Size {
	const [size, setSize] = useState<Size>({ width: 0, height: 0 });
	useEffect(() => {
		const element = ref.current;
		if (!element) return;
		const observer = new ResizeObserver(([entry]) => {
			if (!entry) return;
			const { width, height } = entry.contentRect;
			setSize({ width: Math.round(width), height: Math.round(height) });
		});
		observer.observe(element);
		return () => observer.disconnect();
	}, [ref]);
	return size;
}
