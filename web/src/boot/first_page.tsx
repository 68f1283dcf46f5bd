/** Renders the page as HTML before anything is open: build/first_page.ts runs it during the build. */
import { renderToString } from "react-dom/server";
import { App } from "../shell/app.tsx";
import { Root } from "./root.tsx";

export function firstPage(): string {
	return renderToString(<Root page={App} />);
}
