/** Whether an element has come into view: elements far down compute nothing before somebody reads them. */
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
