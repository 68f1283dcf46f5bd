/** The trace: choose a sample or a recent trace, open or paste another, and read how its import went. */
import { WORKLOADS } from "#abi";
import { LOCAL, SANDBOX } from "../../app/link/fields.ts";
import { pause } from "../../app/playback/player.ts";
import { openSandbox } from "../../app/sandbox/open_sandbox.ts";
import { ANSWERS, change } from "../../app/state/store.ts";
import { useFacts, useHasMoment } from "../../app/state/use_facts.ts";
import { openRecent, openSample } from "../../app/trace/actions.ts";
import { MADE } from "../../engine/generated_trace.ts";
import { Button, Field, type Option, Options } from "../../ui/controls.tsx";
import { Recording } from "./recording.tsx";
import { openDialog, Sheet } from "./sheet.tsx";

/** The choice that opens a field for text instead of a trace. */
const PASTE = "paste";

export function TraceSheet() {
	const hasRecent = useFacts((f) => f.recent.length > 0);
	const isEmpty = !useHasMoment();
	return (
		<Sheet name="trace" title="Trace">
			<TracePicker />
			<div className="row">
				<Button onClick={() => openDialog(PASTE)}>Paste a trace …</Button>
				{hasRecent && <Button onClick={() => openDialog("recent")}>Recent traces</Button>}
			</div>
			<p className="hint">
				Open a file with the button Open trace or Ctrl O, or drop it anywhere on the page. It never
				leaves this page.
			</p>
			<div className="row">
				<Button disabled={isEmpty} onClick={() => change({ answer: ANSWERS[0], sheet: "" })}>
					Suggestions: changes that save memory or slow paths
				</Button>
			</div>
			<Recording />
		</Sheet>
	);
}

/** The value of a sample is its file, of a kept file its key, of another open file its name. */
function TracePicker() {
	const samples = useFacts((f) => f.samples);
	const recent = useFacts((f) => f.recent);
	const trace = useFacts((f) => f.trace);
	const name = trace.startsWith(LOCAL) ? trace.slice(LOCAL.length) : "";
	const open = useFacts((f) => f.recent.find((r) => name !== "" && r.key === f.fileKey));
	const choose = (value: string) => {
		if (value === PASTE) return openDialog(PASTE);
		pause();
		const kept = recent.find((r) => r.key === value);
		if (value === SANDBOX) void openSandbox();
		else void (kept ? openRecent(kept.key) : openSample(value));
	};
	return (
		<Field label="Trace">
			{(id) => (
				<select id={id} value={open?.key ?? trace} onChange={(e) => choose(e.currentTarget.value)}>
					{trace === "" && <option value="">choose a trace</option>}
					{name !== "" && !open && <option value={trace}>{name}</option>}
					<Group label="Yours" of={[[PASTE, "Paste a trace …"]]} />
					{recent.length > 0 && <Group label="Recent" of={recent.map((r) => [r.key, r.name])} />}
					<Group label="Samples" of={samples.map((s) => [s.file, s.title])} />
					<Group label="Generated" of={generated(trace)} />
				</select>
			)}
		</Field>
	);
}

function Group({ label, of }: { label: string; of: readonly Option[] }) {
	return (
		<optgroup label={label}>
			<Options of={of} />
		</optgroup>
	);
}

/** The sandbox, the workloads, and the open workload if it has its own settings. */
function generated(trace: string): Option[] {
	const names: readonly string[] = WORKLOADS.map(({ name }) => MADE + name);
	const own = trace.startsWith(MADE) && !names.includes(trace);
	return [
		[SANDBOX, "Playground: allocate and free by hand"],
		...(own ? [[trace, trace.slice(MADE.length)] as const] : []),
		...WORKLOADS.map(({ name, meaning }) => [MADE + name, `${name}: ${meaning}`] as const),
	];
}
