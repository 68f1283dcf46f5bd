/**
 * A part of the page that can fail on its own: its code does not arrive, or a component throws. The rest of the page
 * stays usable; instead of the part there is a notice with a way to try again, and a link that reloads the page at
 * the same view.
 */

import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect } from "react";
import { ErrorBoundary, type FallbackProps } from "react-error-boundary";
import { sentenceOf } from "../app/playback/player.ts";
import { awaitPart } from "../base/frame_clock.ts";
import { loadCode } from "../base/load_code.ts";
import { Button } from "./controls.tsx";
import css from "./lazy_part.module.css";

/**
 * Functions that let each failed load start over. React remembers a failure, so they run when somebody presses Try
 * again.
 */
const failed = new Set<() => void>();

export function onTryAgain(renew: () => void): void {
	failed.add(renew);
}

function renewFailed(): void {
	mendStyles();
	for (const renew of failed) renew();
	failed.clear();
}

/** Makes a component whose code is fetched when it is first shown. */
export function lazyPart<Props extends object = object>(
	load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
	const make = () =>
		lazy(async () => {
			try {
				return { default: await loadCode(load) };
			} catch (error) {
				onTryAgain(() => {
					current = make();
				});
				throw error;
			}
		});
	let current = make();
	return function LazyPart(props: Props) {
		const Current = current as unknown as ComponentType<Props>;
		return <Current {...props} />;
	};
}

/** Makes the component NAME of a file, which is fetched when the component is first shown. */
export function onFirstUse<Name extends string>(
	load: () => Promise<Readonly<Record<Name, ComponentType>>>,
	name: Name,
): ComponentType {
	return lazyPart(async () => (await load())[name]);
}

/** The build's code requests a style sheet only once: one that did not arrive is requested again here. */
function mendStyles(): void {
	for (const link of document.querySelectorAll<HTMLLinkElement>(
		"link[rel=stylesheet]:not([disabled])",
	))
		if (!link.sheet) link.replaceWith(link.cloneNode());
}

interface Props {
	/** Starts the failure sentence, for example "The stage". */
	readonly name: string;
	/** Wraps the notice, for a part that would be a dialog. */
	readonly frame?: (notice: ReactNode) => ReactNode;
	readonly children: ReactNode;
}

/** The frame of a part that the page can do without: if it fails, nothing replaces it. */
export const noNotice = () => null;

export function Part({ name, frame = (notice) => notice, children }: Props) {
	return (
		<ErrorBoundary
			onReset={renewFailed}
			fallbackRender={(failure) => frame(<Failure name={name} {...failure} />)}
		>
			<Suspense fallback={<OnTheWay />}>{children}</Suspense>
		</ErrorBoundary>
	);
}

/** The page is not idle until the part has loaded. */
function OnTheWay() {
	useLayoutEffect(awaitPart, []);
	return null;
}

function Failure({ name, error, resetErrorBoundary }: FallbackProps & { readonly name: string }) {
	return (
		<div role="alert" className={`round danger breaks ${css.failed}`}>
			<p>
				<strong>{name} cannot be shown.</strong> {sentenceOf(error)}
			</p>
			<p className="row">
				<Button onClick={resetErrorBoundary}>Try again</Button>{" "}
				<a
					href={location.href}
					onClick={(e) => {
						e.preventDefault();
						location.reload();
					}}
				>
					Reload the page at this view
				</a>
			</p>
		</div>
	);
}
