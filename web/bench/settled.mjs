// settled.mjs - waits for the page: until it is idle and shows a text, or shows an error.

const PATIENCE_MS = 120_000;

/** In the page. */
function look(wanted) {
	const alert = document.querySelector("[role=alert] p")?.textContent;
	if (alert) return { alert };
	const isIdle = document.documentElement.dataset.idle === "true";
	return isIdle && document.body.textContent.includes(wanted) ? { alert: "" } : null;
}

export async function settled(page, wanted = "") {
	const found = await page.waitForFunction(look, wanted, { timeout: PATIENCE_MS });
	const { alert } = await found.jsonValue();
	if (alert !== "") throw new Error(`The page says: ${alert}`);
}
