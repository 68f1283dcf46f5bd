/** Whether an element has come on screen: what is far down is not worked out before somebody reads it. */
import { type RefObject, useEffect, useState } from "react";

export function useSeen(of: RefObject<HTMLElement | null>): boolean {
	const [seen, setSeen] = useState(false);
	useEffect(() => {
		if (!of.current || seen) return;
		const observer = new IntersectionObserver(
			(entries) => entries.some((e) => e.isIntersecting) && setSeen(true),
			{ rootMargin: "200px" },
		);
		observer.observe(of.current);
		return () => observer.disconnect();
	}, [of, seen]);
	return seen;
}
