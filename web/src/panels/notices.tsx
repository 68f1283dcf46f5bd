/** What the page has to say for itself: an error as one sentence, progress with a way to stop it. */
import { cancel } from "../player/actions.ts";
import { bytes, count } from "../player/format.ts";
import { change, useFacts } from "../player/store.ts";

export function ErrorNotice() {
	const error = useFacts((f) => f.error);
	return (
		<div role="alert" className={error === "" ? "alert none" : "alert"}>
			{error !== "" && (
				<>
					<p>{error}</p>
					<button type="button" className="tool-text" onClick={() => change({ error: "" })}>
						Dismiss
					</button>
				</>
			)}
		</div>
	);
}

export function ProgressNotice() {
	const progress = useFacts((f) => f.progress);
	if (!progress) return null;
	const { phase, done, total, events } = progress;
	const words =
		phase === "reading"
			? `Reading ${bytes(done)}${total > 0 ? ` of ${bytes(total)}` : ""}`
			: events > 0
				? `Replaying ${count(done)} of ${count(total)} events`
				: "Replaying";
	return (
		<div className="progress">
			<progress aria-label={words} {...(total > 0 ? { value: done, max: total } : {})} />
			<span className="number">{words}</span>
			<button type="button" className="tool-text" onClick={cancel}>
				Cancel
			</button>
		</div>
	);
}
