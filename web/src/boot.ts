/**
 * Runs before all else: the simulator's worker and the page's own script are loaded side by side, and the shell in
 * index.html has its looks at once.
 */
import { startEarly } from "./player/place.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/stage.css";
import "./style/panels.css";
import "./style/dialogs.css";

startEarly();
void import("./main.tsx");
