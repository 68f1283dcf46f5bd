/** Places pins side by side: each as near to its own position as its neighbours leave room. */

/** Pins that touch each other, as one block: they are as wide as they are many. */
interface Block {
	/** How many. */
	readonly nr: number;
	/** The centre of the first one, if each were nearest to its own position. */
	readonly first: number;
}

/**
 * The centres of pins of one width that stand on a line from 0 to `room`, for centres wanted in ascending order.
 * None overlap as long as all fit; otherwise they stand evenly.
 */
export function placePins(wanted: readonly number[], pinWidth: number, room: number): number[] {
	const step = Math.min(pinWidth, room / Math.max(1, wanted.length));
	const inside = ({ nr, first }: Block): Block => {
		const last = room - step / 2 - (nr - 1) * step;
		return { nr, first: Math.max(step / 2, Math.min(last, first)) };
	};
	const blocks: Block[] = [];
	for (const centre of wanted) {
		let block = inside({ nr: 1, first: centre });
		for (;;) {
			const before = blocks.at(-1);
			if (!before || before.first + before.nr * step <= block.first) break;
			blocks.pop();
			const nr = before.nr + block.nr;
			const sum = before.first * before.nr + (block.first - before.nr * step) * block.nr;
			block = inside({ nr, first: sum / nr });
		}
		blocks.push(block);
	}
	return blocks.flatMap(({ nr, first }) => Array.from({ length: nr }, (_, i) => first + i * step));
}
