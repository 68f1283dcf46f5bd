/** A slab as a bar: objects, then the tail waste, hatched. */
import { useId } from "react";
import css from "./slab_bar.module.css";

interface Props {
	/** Bytes of the slab, of the longest bar beside it, of the tail waste, and of a slot. */
	readonly slab: number;
	readonly largest: number;
	readonly left: number;
	readonly slot: number;
	/** Bytes of a page, to show where pages end. */
	readonly page?: number;
	/** Draws a line at the limit of the tail waste: so many bytes before the end. */
	readonly limit?: number;
	readonly high: number;
}

const WIDE = 400;
/** Narrower objects are not drawn one by one. */
const NARROWEST = 2.5;

export function SlabBar({ slab, largest, left, slot, page = 0, limit = 0, high }: Props) {
	const hatch = useId();
	const x = (b: number) => Number(((WIDE * b) / largest).toFixed(2));
	const used = slab - left;
	const edges = x(slot) < NARROWEST ? [] : multiples(slot, used);
	const pages = page > 0 && x(page) >= 8 ? multiples(page, slab) : [];
	return (
		<svg
			className={css.bar}
			viewBox={`0 0 ${WIDE} ${high}`}
			preserveAspectRatio="none"
			height={high}
			aria-hidden="true"
		>
			<pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse">
				<path className={css.hatch} d="M-1 6L6 -1" />
			</pattern>
			<rect className={css.objects} width={x(used)} height={high} />
			<path className={css.edges} d={edges.map((b) => `M${x(b)} 0V${high}`).join("")} />
			<rect className={css.left} x={x(used)} width={x(left)} height={high} />
			<rect fill={`url(#${hatch})`} x={x(used)} width={x(left)} height={high} />
			<path className={css.pages} d={pages.map((b) => `M${x(b)} ${high - 6}V${high}`).join("")} />
			{limit > 0 && <path className={css.limit} d={`M${x(slab - limit)} 0V${high}`} />}
		</svg>
	);
}

/** step, 2 × step … below the end. */
function multiples(step: number, end: number): number[] {
	return Array.from({ length: Math.max(0, Math.ceil(end / step) - 1) }, (_, i) => (i + 1) * step);
}
