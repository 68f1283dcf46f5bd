/** Places pins side by side: each as near to its own position as its neighbours leave room. */

/** Pins that touch each other. */
interface Block {
	readonly widths: readonly number[];
	readonly width: number;
	/** Its left edge, where its pins are on average nearest to their positions. */
	readonly left: number;
}

/**
 * The centres of pins of these widths on a line from 0 to `room`, for centres wanted in ascending order. None overlap as
 * long as all fit; otherwise they stand evenly.
 */
export function placePins(
	wanted: readonly number[],
	widths: readonly number[],
	room: number,
): number[] {
	const shrink = Math.min(1, room / widths.reduce((sum, w) => sum + w, 0));
	const inside = (block: Block): Block => ({
		...block,
		left: Math.max(0, Math.min(room - block.width, block.left)),
	});
	const blocks: Block[] = [];
	for (const [i, centre] of wanted.entries()) {
		const own = (widths[i] ?? 0) * shrink;
		let block = inside({ widths: [own], width: own, left: centre - own / 2 });
		for (;;) {
			const before = blocks.at(-1);
			if (!before || before.left + before.width <= block.left) break;
			blocks.pop();
			const both = [...before.widths, ...block.widths];
			const sum =
				before.left * before.widths.length + (block.left - before.width) * block.widths.length;
			const width = before.width + block.width;
			block = inside({ widths: both, width, left: sum / both.length });
		}
		blocks.push(block);
	}
	return blocks.flatMap(({ widths, left }) => {
		let edge = left;
		return widths.map((w) => {
			edge += w;
			return edge - w / 2;
		});
	});
}
