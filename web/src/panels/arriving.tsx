/** A part of the page whose code is loaded when it is first shown. Until it is there the page is not idle. */
import { type ReactNode, Suspense, useLayoutEffect } from "react";
import { awaitPart } from "../player/clock.ts";

export function Arriving({ children }: { readonly children: ReactNode }) {
	return <Suspense fallback={<OnTheWay />}>{children}</Suspense>;
}

function OnTheWay() {
	useLayoutEffect(awaitPart, []);
	return null;
}
