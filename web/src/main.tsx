/** Starts the page: the engine and the list of samples at the same time, then the view that the URL names. */
import { lazy, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { MADE } from "./engine/made.ts";
import {
	awaitFile,
	keptAs,
	listRecent,
	openRecent,
	openSample,
	openSandbox,
} from "./player/actions.ts";
import { setBreakpoints, startBreakpoints } from "./player/breakpoints.ts";
import { registerCommands } from "./player/command_list.ts";
import { playEmbed, startEmbed, viewOfEmbed } from "./player/embed.ts";
import { engine, watchSilence } from "./player/engine_link.ts";
import { startGhosts } from "./player/ghosts.ts";
import { listenToKeys } from "./player/keys.ts";
import { startLook } from "./player/look.ts";
import { keepForOffline } from "./player/offline.ts";
import { ownFile, ownModule, smallModule } from "./player/place.ts";
import { play, sentenceOf, startPlayer } from "./player/player.ts";
import { change, facts, recallHabits, type Sample, stopKey } from "./player/store.ts";
import { startSync } from "./player/sync.ts";
import { listenToTabs } from "./player/tabs.ts";
import { fromQuery, LOCAL, SANDBOX, type View } from "./player/url.ts";
import { useFacts } from "./player/use_facts.ts";

const Embedded = lazy(() => import("./panels/embedded.tsx").then((m) => ({ default: m.Embedded })));

async function listSamples(): Promise<readonly Sample[]> {
	const response = await ownFile("traces/index.json");
	if (!response.ok)
		throw new Error(`The list of recordings is not on this server (${response.status}).`);
	return (await response.json()) as readonly Sample[];
}

async function start(): Promise<void> {
	const asked = viewOfEmbed(fromQuery(location.search));
	if (asked.embed) startEmbed(asked.embed);
	const [samples] = await Promise.all([listSamples(), engine().open(ownModule(), smallModule())]);
	change({
		samples,
		tab: asked.tab,
		unit: asked.unit,
		onlyCache: asked.onlyCache,
		lab: asked.lab,
		lesson: asked.lesson,
		lessonShown: asked.trace === "" ? "" : stopKey(asked.lesson),
		versus: asked.versus,
		series: asked.series,
		study: asked.study,
		grid: asked.grid,
	});
	setBreakpoints(asked.breakpoints);
	if (asked.trace.startsWith(LOCAL) && (await openKept(asked))) return;
	if (asked.trace === SANDBOX) {
		await openSandbox(asked);
		return;
	}
	const known = asked.trace.startsWith(MADE) || samples.some((s) => s.file === asked.trace);
	const sample = known ? asked.trace : samples[0]?.file;
	if (sample === undefined)
		throw new Error("There are no recordings on this server: open a file of your own.");
	const first = asked.trace === "";
	const plain = first && location.search.length <= 1;
	const elsewhere = { ...fromQuery(""), trace: asked.trace, faults: asked.faults };
	const view = known || first ? asked : elsewhere;
	const opened =
		(await openSample(sample, plain ? undefined : view)) ||
		(await openPlainly(sample, view)) ||
		(asked.trace.startsWith(MADE) && (await openPlainly(samples[0]?.file ?? "", elsewhere)));
	if (!opened || facts().error !== "") return;
	if (asked.embed) playEmbed();
	else if (first && asked.op < 0 && asked.tab === "explore") welcome();
}

/** A file of the visitor's that the browser keeps comes back as it was left. */
async function openKept(view: View): Promise<boolean> {
	await listRecent();
	const kept = keptAs(view);
	if (!kept) awaitFile(view);
	return kept !== undefined && openRecent(kept.key, view);
}

/** A link whose parameters cannot be: the recording opens on the usual machine, and the reason stays on screen. */
async function openPlainly(sample: string, asked: View): Promise<boolean> {
	const reason = facts().error;
	const opened = await openSample(sample, { ...asked, machine: { preset: "", values: {} } });
	if (opened && facts().error === "") change({ error: reason });
	return opened;
}

/** A first visit opens on a running replay; who asked for less motion presses Play. */
function welcome(): void {
	change({ welcome: true });
	if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
}

/** Inside another page: the stage and its buttons alone. */
function Root() {
	const embedded = useFacts((f) => f.embed !== null);
	return embedded ? (
		<Suspense>
			<Embedded />
		</Suspense>
	) : (
		<App />
	);
}

recallHabits();
startLook();
startPlayer();
startBreakpoints();
startGhosts();
startSync();
registerCommands();
listenToKeys();
watchSilence();
keepForOffline();
listenToTabs(() => void listRecent());
const root = document.getElementById("root");
if (root) {
	createRoot(root).render(
		<StrictMode>
			<Root />
		</StrictMode>,
	);
}
start().catch((error: unknown) => change({ error: sentenceOf(error), progress: null }));
