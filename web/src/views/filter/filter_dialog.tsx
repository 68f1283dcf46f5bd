/** Chooses the events through which moves go, and the objects that the stage does not dim. */
import { useState } from "react";
import { sentenceOf } from "../../app/playback/player.ts";
import { change, facts } from "../../app/state/store.ts";
import { applyFilter } from "../../app/trace/filter.ts";
import { Button } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { conditionsOf, FilterFields, type Values, valuesOf } from "./fields.tsx";

export function FilterDialog() {
	const [values, setValues] = useState<Values>(() => valuesOf(facts().filter));
	const [said, say] = useState("");
	const apply = async (chosen: Values) => {
		const conditions = conditionsOf(chosen);
		try {
			const why = await applyFilter(conditions);
			if (why === "") change({ dialog: "" });
			else say(why);
		} catch (error) {
			say(sentenceOf(error));
		}
	};
	return (
		<Dialog title="Filter">
			<form
				onSubmit={(e) => {
					e.preventDefault();
					void apply(values);
				}}
			>
				<p className="hint">
					Next and previous go to events that pass. The stage dims objects whose allocation does
					not.
				</p>
				<FilterFields values={values} onValues={setValues} />
				<p className="row">
					<button type="submit" className="tool-text">
						Apply
					</button>{" "}
					<Button onClick={() => void apply({})}>Remove the filter</Button>
				</p>
				<p role="status" aria-label="Filter">
					{said}
				</p>
			</form>
		</Dialog>
	);
}
