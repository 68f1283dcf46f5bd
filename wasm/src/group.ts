// group.ts - what the groups of a session's functions have in common: the session's memory. The small module has none of them.

import { Region, type TableCall } from "./core.ts";
import type { Reader } from "./rows.ts";

/** A group of a session's functions. */
export abstract class Group extends Region {
	constructor(session: Region) {
		super(Region.partsOf(session));
	}

	/** Like `table`, for a call that returns 0 only if it fails. */
	protected rowsOf<Row>(call: TableCall, size: number, read: Reader<Row>): Row[] {
		return this.table((s, nr) => this.address(call(s, nr)), size, read);
	}
}
