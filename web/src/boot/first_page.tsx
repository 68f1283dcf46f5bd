/** The page as HTML, before anything is open: for build/first_page.ts, which runs it while the page is built. */
import { renderToString } from "react-dom/server";
import { App } from "../shell/app.tsx";
import { Root } from "./root.tsx";

export function firstPage(): string {
	return renderToString(<Root page={App} />);
}
