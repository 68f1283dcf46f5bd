/** The icons on buttons, drawn on a grid of 20. They are decoration: the button has the name. */

const PATHS = {
	first: "M4 4h2v12H4zM16 4v12L7 10z",
	previousEvent: "M11 4v12L3 10zM17 4v12l-8-6z",
	previousStep: "M14 4v12L5 10z",
	play: "M6 3.5v13l11-6.5z",
	pause: "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
	nextStep: "M6 4v12l9-6z",
	nextEvent: "M9 4v12l8-6zM3 4v12l8-6z",
	last: "M14 4h2v12h-2zM4 4v12l9-6z",
	breakpoint: "M7 2h6l5 5v6l-5 5H7l-5-5V7zM9 5v6h2V5zM9 13v2h2v-2z",
	share: "M13 2l5 5-5 5V9c-5 0-8 2-11 7 0-6 4-11 11-11z",
	mark: "M4 2h2v1h10l-3 4 3 4H6v7H4z",
	open: "M3 5h5l2 2h7v9H3z",
	recent:
		"M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM9 6h2v4l3 2-1 1.6-4-2.6z",
	report: "M4 2h9l3 3v13H4zM6 7v1.6h8V7zm0 3.2v1.6h8v-1.6zm0 3.2V15h5v-1.6z",
	export: "M9 2h2v8h3l-4 4.5L6 10h3zM3 14h2v2h10v-2h2v4H3z",
	theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg
			fill="currentColor"
			viewBox="0 0 20 20"
			width="20"
			height="20"
			aria-hidden="true"
			focusable="false"
		>
			<path fillRule="evenodd" d={PATHS[name]} />
		</svg>
	);
}
