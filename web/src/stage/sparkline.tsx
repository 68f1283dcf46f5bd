/** How long a list was at equal steps from the first event to this one, as a small line. */
import { count, quantity } from "../base/format.ts";
import css from "./why_card.module.css";

const WIDTH = 112;
const HEIGHT = 24;

interface Props {
	readonly lengths: readonly number[];
	readonly ops: number;
}

export function Sparkline({ lengths, ops }: Props) {
	const most = Math.max(...lengths, 1);
	if (lengths.length < 2) return null;
	const x = (i: number) => (i / (lengths.length - 1)) * (WIDTH - 4) + 2;
	const y = (length: number) => HEIGHT - 2 - (length / most) * (HEIGHT - 4);
	const points = lengths.map((length, i) => `${x(i).toFixed(1)},${y(length).toFixed(1)}`).join(" ");
	const words = `Length over ${quantity(ops, "event")}: now ${count(lengths.at(-1) ?? 0)}, at most ${count(most)}`;
	return (
		<svg
			className={css.spark}
			width={WIDTH}
			height={HEIGHT}
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			role="img"
			aria-label={words}
		>
			<title>{words}</title>
			<polyline points={points} />
		</svg>
	);
}
