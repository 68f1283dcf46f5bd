/** The page itself: React takes over the HTML, and the view that the URL names is opened. */
import { createRoot, hydrateRoot } from "react-dom/client";
import { registerCommands } from "../app/commands/command_list.ts";
import { listenToKeys } from "../app/commands/keys.ts";
import { queryIn } from "../app/link/address.ts";
import { LOCAL, SANDBOX } from "../app/link/fields.ts";
import {
	factsAtOnce,
	faultsOf,
	fromQuery,
	unknownWords,
	type View,
	withoutFaulty,
} from "../app/link/url.ts";
import { keepRefusedAddress, startSync } from "../app/navigation/sync.ts";
import { watchSilence } from "../app/platform/engine_link.ts";
import { keepForOffline } from "../app/platform/offline.ts";
import { listenToTabs } from "../app/platform/tabs.ts";
import { setBreakpoints, startBreakpoints } from "../app/playback/breakpoints.ts";
import { startPath } from "../app/playback/event_path.ts";
import { beginGuide, watchGuide } from "../app/playback/guide.ts";
import { marksToShow } from "../app/playback/marks.ts";
import { sentenceOf } from "../app/playback/player.ts";
import { fetchWholeAtRest, startTraffic } from "../app/playback/whole.ts";
import { openFork, openSandbox } from "../app/sandbox/scenes.ts";
import { busy, change, facts, stopKey } from "../app/state/store.ts";
import {
	awaitFile,
	faultOfLoad,
	keptAs,
	listRecent,
	openForksWith,
	openRecent,
	openSample,
} from "../app/trace/actions.ts";
import { awaitChange } from "../base/frame_clock.ts";
import { MADE } from "../engine/generated_trace.ts";
import { NOTHING } from "../engine/machine.ts";
import { App } from "../shell/app.tsx";
import { playEmbed, startEmbed, viewOfEmbed } from "../shell/embed.ts";
import { lazyPart } from "../ui/lazy_part.tsx";
import { registerFeatures } from "../views/features.ts";
import { firstView, isPlainVisit, openEngine, SAMPLES } from "./first_view.ts";
import { Root } from "./root.tsx";

/** Continues what the boot script has started. */
async function follow(): Promise<void> {
	if (!(await firstView())) return;
	change(marksToShow(facts().trace, "", Number.POSITIVE_INFINITY, []));
	welcome();
	await listRecent();
}

async function start(): Promise<void> {
	const asked = viewOfEmbed(fromQuery(queryIn(location)));
	if (asked.isRefused) keepRefusedAddress();
	await open(asked);
	reportUnknown(asked);
}

async function open(asked: View): Promise<void> {
	openForksWith((view) => void openFork(view));
	if (asked.embed) startEmbed(asked.embed);
	await openEngine();
	change({
		...factsAtOnce(asked),
		lessonShown: asked.trace === "" ? "" : stopKey(asked.lesson),
		series: asked.series,
		unknown: asked.unknown,
	});
	delete document.documentElement.dataset.arriving;
	setBreakpoints(asked.breakpoints);
	if (asked.trace.startsWith(LOCAL) && (await openKept(asked))) return;
	if (asked.url !== "" && (await openFromAddress(asked))) return;
	const why = asked.url === "" ? "" : facts().error;
	if (asked.trace === SANDBOX) {
		if ((await openSandbox(asked)) && asked.embed) playEmbed();
		return;
	}
	const known = asked.trace.startsWith(MADE) || SAMPLES.some((s) => s.file === asked.trace);
	const sample = known ? asked.trace : SAMPLES[0]?.file;
	if (sample === undefined)
		throw new Error("This page has no sample traces: open one of your own files.");
	const first = asked.trace === "" && asked.url === "";
	if (asked.embed && !known && !first) {
		stayEmpty(asked);
		return;
	}
	const { trace, unknown, faults } = asked;
	const elsewhere = { ...fromQuery(""), trace, unknown, faults };
	const view = known || first ? asked : elsewhere;
	const opened =
		(await openSample(sample, view)) ||
		(await openDespite(sample, view)) ||
		(asked.trace.startsWith(MADE) &&
			!asked.embed &&
			(await openDespite(SAMPLES[0]?.file ?? "", elsewhere)));
	if (why !== "") change({ error: why });
	if (!opened || facts().error !== "") return;
	if (asked.embed) playEmbed();
	else if (first && asked.op < 0 && asked.tab === "explore" && asked.answer === "") welcome();
}

/** Reports the link's unknown parts beside any other fault; they delay nothing. */
function reportUnknown(asked: View): void {
	const words = unknownWords(asked);
	const { error } = facts();
	if (words !== "") change({ error: error === "" ? words : `${error} ${words}` });
}

/** An embedded page has no list to choose from, so it shows nothing instead of a missing trace. */
function stayEmpty(asked: View): void {
	const error = faultsOf(asked, { open: "", caches: [], nrOps: 0 });
	change({ trace: asked.trace, error });
}

/** Opens the visitor's file that the browser keeps, with the link's view. */
async function openKept(view: View): Promise<boolean> {
	await listRecent();
	const kept = keptAs(view);
	if (!kept) awaitFile(view);
	return kept !== undefined && openRecent(kept.key, view);
}

/** Opens the trace of a link from its web address. An embedded page shows nothing instead of a missing trace. */
async function openFromAddress(view: View): Promise<boolean> {
	const { openAddress } = await import("../app/trace/from_address.ts");
	if (await openAddress(view.url, view)) {
		if (view.embed) playEmbed();
		return true;
	}
	return view.embed !== null;
}

/** How many faults of a machine are reported one by one; nobody writes more by hand. */
const MOST_REASONS = 8;

/** Opens the trace of a link whose machine is invalid, without its invalid settings; each reason stays on screen. */
async function openDespite(sample: string, asked: View): Promise<boolean> {
	const reasons: string[] = [];
	let { machine } = asked;
	let opened = false;
	do {
		const reason = facts().error;
		reasons.push(reason);
		machine = reasons.length < MOST_REASONS ? withoutFaulty(machine, faultOfLoad()) : NOTHING;
		opened = await openSample(sample, { ...asked, machine });
	} while (!opened && machine !== NOTHING);
	const more = facts().error;
	const why = reasons.join(". And ");
	if (opened) change({ error: more === "" ? why : `${more} The machine's settings: ${why}` });
	return opened;
}

/** A first visit opens on the tour. */
function welcome(): void {
	if (!facts().explored) beginGuide();
}

watchGuide();
startBreakpoints();
startPath();
startTraffic();
startSync();
registerCommands();
registerFeatures();
listenToKeys();
watchSilence();
keepForOffline();
listenToTabs(() => void listRecent());
const opened = awaitChange();
const opening = isPlainVisit() ? follow() : start();
void opening
	.catch((error: unknown) => change({ error: sentenceOf(error), progress: null }))
	.finally(() => {
		delete document.documentElement.dataset.arriving;
		fetchWholeAtRest();
		opened();
		if (window.parent !== window || window.opener)
			void import("../app/navigation/messages.ts").then(({ listenToPages }) => listenToPages());
	});
const root = document.getElementById("root");
if (root && facts().embed === null) hydrateRoot(root, <Root page={App} />);
else if (root) {
	const load = () => import("../shell/embedded.tsx").then((m) => m.Embedded);
	createRoot(root).render(<Root page={lazyPart(load)} />);
	// The page is not idle until the part has loaded; the part itself reports a failure.
	void busy(load).catch(() => {});
}
