// group.ts - what all groups of a session's functions share: the session's memory. The small module has no such groups.

import { Region, type TableCall } from "./core.ts";
import type { Reader } from "./rows.ts";

/** A group of a session's functions. */
export abstract class Group extends Region {
	constructor(session: Region) {
		super(Region.partsOf(session));
	}

	/** Like `table`, but for a call that returns 0 only if it fails. */
	protected rowsOf<Row>(call: TableCall, size: number, read: Reader<Row>): Row[] {
		return this.table((s, nr) => this.address(call(s, nr)), size, read);
	}
}
